"""The shipped probes: complete in both languages, frugal, safe to show to an administrator, and read by their parsers."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from functools import cache
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from tests.contract.conftest import RenderedProbe, render_probe
from tunebench.core.paths import builtin_plugins_folder
from tunebench.domain.capturing.plan import CommandKind, Rights
from tunebench.plughost.host import PluginHost
from tunebench.plughost.listing import Origin
from tunebench.plughost.plugin_folders import SearchFolder
from tunebench.sdk import ParseContext
from tunebench.sdk.probe_tables import OPERATING_SYSTEMS
from tunebench.sdk.probes import Probe


@cache
def host() -> PluginHost:
    return PluginHost([SearchFolder(builtin_plugins_folder(), Origin.BUILTIN)])


PROBES = {probe.id: probe for probe in host().probes()}
HANGUL = re.compile("[가-힣]")


@pytest.mark.parametrize("probe_id", PROBES)
def test_a_probe_explains_itself_to_an_administrator(probe_id):
    probe = PROBES[probe_id]
    assert HANGUL.search(probe.purpose["ko"]) and HANGUL.search(probe.name["ko"] + probe.purpose["ko"])
    assert not HANGUL.search(probe.purpose["en"] + probe.name["en"])
    assert probe.purpose["en"].endswith(".") and probe.purpose["ko"].endswith(".")
    assert len(probe.purpose["en"]) <= 260 and len(probe.name["en"]) <= 60
    assert probe_id.partition(".")[0] in {
        "generic",
        "solaris",
        "hpux",
        "postgresql",
        "mysql",
        "oracle",
        *OPERATING_SYSTEMS,
    }


@pytest.mark.parametrize("probe_id", PROBES)
def test_a_probe_keeps_the_rules_of_the_house(probe_id):
    probe = PROBES[probe_id]
    assert probe.default_interval_s == 0 or probe.kind in (CommandKind.STREAM, CommandKind.LOOP)
    if probe.kind is CommandKind.STREAM:
        assert "|" not in probe.command, "a pipe holds a stream's output back"
    if probe.rights is Rights.SUDO:
        assert not re.search(r"[;|&<>$`]", probe.command), "what sudo runs is one simple command"
    if probe.parser:
        assert host().parser(probe.parser) is not None
    assert "stdbuf" not in probe.command and "sudo" not in probe.command
    shlex.split(render_probe(probe).line)


@pytest.mark.parametrize("system", OPERATING_SYSTEMS)
def test_each_system_has_a_default_set_with_its_inventory(system):
    chosen = [probe for probe in PROBES.values() if probe.default and probe.os == (system,)]
    assert {probe.kind for probe in chosen} >= {CommandKind.STREAM, CommandKind.ONCE}
    assert [probe.parser for probe in chosen if probe.kind is CommandKind.ONCE] == ["tunebench.inventory"]


@pytest.mark.parametrize("system", OPERATING_SYSTEMS)
def test_a_default_set_costs_less_than_a_percent_of_one_core(system):
    """At a sample a second, over ten minutes; probes that bring an interval of their own run at that."""
    chosen = [probe for probe in PROBES.values() if probe.default and probe.os == (system,)]
    repeating = [probe for probe in chosen if probe.kind is not CommandKind.ONCE]
    costs = [(probe.cpu_pct or 0) / max(1.0, probe.default_interval_s) for probe in repeating]
    costs += [2 * (probe.cpu_pct or 0) / 600 for probe in chosen if probe.kind is CommandKind.ONCE]
    assert all(probe.cpu_pct is not None for probe in chosen)
    assert 0 < sum(costs) < 1
    assert sum(probe.bytes_per_s or 0 for probe in repeating) < 16_000


def test_the_default_set_of_linux_is_sysstat_and_what_the_kernel_tells_for_nothing():
    chosen = [probe for probe in PROBES.values() if probe.default and probe.os == ("linux",)]
    assert {probe.tool for probe in chosen} == {"vmstat", "iostat", "mpstat", "sar", "df", ""}
    of_the_kernel = {probe.id for probe in chosen if not probe.tool}
    assert of_the_kernel == {"linux.pressure", "linux.kernel_state", "linux.inventory"}


def test_probes_of_linux_say_what_they_cost():
    costs = {
        probe.id: (probe.cpu_pct, probe.bytes_per_s, probe.cost_source)
        for probe in PROBES.values()
        if probe.os == ("linux",)
    }
    assert [probe_id for probe_id, (cpu, size, source) in costs.items() if None in (cpu, size) or not source] == []


# -- what the tools of this machine really print -------------------------------------------------------


def runnable(probe: Probe) -> bool:
    local = probe.kind is not CommandKind.PULL and probe.rights is Rights.USER
    return probe.os == ("linux",) and local and probe.id != "linux.sa_text"  # which has a test of its own


@pytest.fixture(scope="module")
def outputs() -> dict[str, subprocess.CompletedProcess[bytes]]:
    """All at once: the streams take two seconds each."""
    rendered = {probe.id: render_probe(probe) for probe in PROBES.values() if runnable(probe) and _installed(probe)}
    running = {probe_id: _start(one) for probe_id, one in rendered.items()}
    outputs = {}
    for probe_id, process in running.items():
        output, complaint = process.communicate(timeout=60)
        outputs[probe_id] = subprocess.CompletedProcess(process.args, process.returncode, output, complaint)
    return outputs


def _installed(probe: Probe) -> bool:
    return not probe.tool or shutil.which(probe.tool, path=RenderedProbe.PATH) is not None


def _start(rendered: RenderedProbe) -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    line = ["sh", "-c", rendered.line]
    return subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, env=rendered.environment)


def _hidden_by_the_kernel(complaint: bytes) -> str:
    """What a tool could not read because there is no such thing in ``/sys`` or ``/proc`` here, as in some containers."""
    paths = re.findall(rb"/(?:sys|proc)/[\w./-]*\w", complaint)
    return next((path.decode() for path in paths if not Path(path.decode()).exists()), "")


@pytest.mark.parametrize("probe_id", [probe.id for probe in PROBES.values() if runnable(probe)])
def test_what_a_linux_tool_prints_is_read_by_the_named_parser(outputs, probe_id):
    probe = PROBES[probe_id]
    if probe_id not in outputs:
        pytest.skip(f"{probe.tool} is not installed here")
    done = outputs[probe_id]
    if done.returncode != 0 and (hidden := _hidden_by_the_kernel(done.stderr)):
        pytest.skip(f"the kernel shows no {hidden} here")
    assert done.returncode == 0, done.stderr
    if probe_id == "linux.pressure" and not done.stdout:
        pytest.skip("the kernel has no pressure stall information")
    entry = host().parser(probe.parser)
    assert entry is not None
    rounds = probe.kind is not CommandKind.STREAM
    data = b"@tunebench at 2026-11-21T02:48:00Z\n" * rounds + done.stdout
    assert entry.sniff(data, "capture.txt") > 0.5
    parser = entry.create(ParseContext(zone=ZoneInfo("UTC"), zone_source="host"))
    batches = [*parser.feed(data), *parser.finish()]
    ledger = parser.ledger()
    assert ledger.lines.balanced and ledger.lines.data > 0
    assert {one.reason for one in ledger.skipped} <= {"average"}
    assert ledger.needs == ()
    if probe.parser != "tunebench.inventory":
        assert sum(len(batch.times_ns) for batch in batches) > 0


SADC = shutil.which("sadc", path="/usr/lib/sysstat:/usr/lib64/sa:/usr/lib/sa")


def test_recorded_sar_days_are_printed_once_each_and_read(tmp_path):
    if SADC is None or shutil.which("sar") is None:
        pytest.skip("sysstat's sadc is not installed here")
    for name in ("sa21", "sa20261120"):
        subprocess.run([SADC, "1", "3", str(tmp_path / name)], check=True, timeout=30)
    (tmp_path / "sar20").write_bytes(b"a report of sa2, not a recording")
    (tmp_path / "sa19.xz").write_bytes(b"packed")
    rendered = render_probe(PROBES["linux.sa_text"])
    line = rendered.line.replace("/var/log/sa /var/log/sysstat", shlex.quote(str(tmp_path)))
    assert line != rendered.line
    done = subprocess.run(["sh", "-c", line], env=rendered.environment, capture_output=True, timeout=60, check=True)
    assert done.stderr == b"" and done.stdout.count(b"Linux ") == 2
    entry = host().parser("linux.sar")
    assert entry is not None
    parser = entry.create(ParseContext(zone=ZoneInfo("UTC"), zone_source="host"))
    batches = [*parser.feed(done.stdout), *parser.finish()]
    processor = [batch for batch in batches if batch.table == batches[0].table]
    assert sum(len(batch.times_ns) for batch in processor) == 4  # each recording has three samples, two intervals


def test_the_version_of_each_installed_tool_can_be_asked():
    for probe in PROBES.values():
        if runnable(probe) and probe.version and _installed(probe):
            done = subprocess.run(["sh", "-c", probe.version], capture_output=True, timeout=20, check=False)
            assert re.search(rb"\d+\.\d+", done.stdout + done.stderr), probe.version


def test_the_inventory_leaves_secrets_and_chance_out(outputs):
    text = outputs["linux.inventory"].stdout
    assert b"kernel.ostype = Linux" in text
    assert not re.search(rb"(?im)^(\S*(secret|key)|\S*random\S*) *=", text)
    sections = set(re.findall(rb"(?m)^@section (\w+)", text))
    assert sections == {b"os", b"cpu", b"memory", b"disk", b"mount", b"network", b"limits", b"kernel"}


# -- the probes for any system, under every shell at hand ----------------------------------------------

SHELLS = ("dash", "bash", "ksh", "mksh", "yash", "posh", "busybox")


@pytest.fixture(params=SHELLS)
def shell(request) -> list[str]:
    found = shutil.which(request.param)
    if found is None:
        pytest.skip(f"{request.param} is not installed here")
    return [found, "sh", "-c"] if request.param == "busybox" else [found, "-c"]


def run(shell: list[str], line: str, path: str = RenderedProbe.PATH) -> str:
    done = subprocess.run([*shell, line], env={"PATH": path}, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def seconds_of(text: str) -> dict[str, float]:
    """``real\t0m0.213s`` and ``real 0.21``."""
    found = re.findall(r"(?m)^(real|user|sys)\s+(?:(\d+)m ?)?([\d.]+)s?$", text)
    assert len(found) == 3, text
    return {name: 60 * float(minutes or 0) + float(seconds) for name, minutes, seconds in found}


TIMED = PROBES["generic.timed_command"]
BUSY = "sleep 0.2; i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; echo noise; echo 'more noise' >&2; exit 3"


def test_a_command_is_timed_under_every_shell(shell):
    text = run(shell, render_probe(TIMED, command=BUSY).line)
    assert text.rstrip().endswith("@exit 3") and "noise" not in text
    times = seconds_of(text)
    assert 0.2 <= times["real"] < 20
    assert times["user"] + times["sys"] <= times["real"]


@pytest.mark.parametrize("with_time", [True, False])
def test_a_command_is_timed_where_no_shell_keeps_time(tmp_path, with_time):
    dash = shutil.which("dash")
    tools = ["sh", "awk", "date", "sleep", "env", *(["time"] if with_time else [])]
    found = {tool: shutil.which(tool) for tool in tools}
    if dash is None or None in found.values():
        pytest.skip("needs dash" + " and the program time" * with_time)
    for tool, place in found.items():
        (tmp_path / tool).symlink_to(Path(dash) if tool == "sh" else str(place))
    (tmp_path / "true").symlink_to("/bin/true")
    text = run([dash, "-c"], render_probe(TIMED, command=BUSY).line, str(tmp_path))
    assert text.rstrip().endswith("@exit 3")
    assert 0.2 <= seconds_of(text)["real"] < 20


@pytest.mark.parametrize("command", ["exit 7", "(exit 7)", "false; exit 7", "sh -c 'exit 7' # a remark"])
def test_the_exit_status_is_the_commands(command):
    assert "@exit 7" in run(["sh", "-c"], render_probe(TIMED, command=command).line)


SIZES = PROBES["generic.file_sizes"]


@pytest.fixture
def tree(tmp_path) -> Path:
    folder = tmp_path / "it's a tree"
    for name, size in (("a", 0), ("b", 1), ("c d", 4095), ("e\nf", 4096), ("g", 5000), ("deep/er/h", 70_000)):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x" * size)
    (folder / "link").symlink_to("g")
    return folder


def test_file_sizes_are_counted_in_powers_of_two_under_every_shell(shell, tree):
    lines = run(shell, render_probe(SIZES, directory=str(tree)).line).splitlines()
    assert lines == [
        f"@tree {tree}",
        "@bucket 0 1 1 0",
        "@bucket 1 2 1 1",
        "@bucket 2048 4096 1 4095",
        "@bucket 4096 8192 2 9096",
        "@bucket 65536 131072 1 70000",
        "@total 6 83192 complete",
    ]


def test_the_number_of_files_and_the_depth_are_limits(tmp_path, tree):
    line = render_probe(SIZES, directory=str(tree), depth="1").line
    assert run(["sh", "-c"], line).splitlines()[-1] == "@total 5 13192 complete"
    for number in range(1500):
        (tmp_path / f"{number}.txt").write_bytes(b"ten bytes.")
    line = render_probe(SIZES, directory=str(tmp_path), files="1000").line
    assert run(["sh", "-c"], line).splitlines()[-1].startswith("@total 1000 ")
    assert run(["sh", "-c"], line).endswith(" truncated\n")


def test_find_ends_when_the_limit_is_reached(tmp_path):
    """A walk that is cut off at the first files must not go on: it would list everything for nobody."""
    listed = len(subprocess.check_output(["find", "/usr", "-xdev"]).splitlines())
    if listed < 20_000:
        pytest.skip("too few files here to see find being cut off")
    counting = '#!/bin/sh\necho $# >>"${0%ls}batches"\nexec /bin/ls "$@"\n'
    (tmp_path / "ls").write_text(counting, encoding="ascii")
    (tmp_path / "ls").chmod(0o755)
    line = render_probe(SIZES, directory="/usr", files="10", depth="12").line
    assert run(["sh", "-c"], line, f"{tmp_path}:{RenderedProbe.PATH}").endswith(" truncated\n")
    batches = [int(number) for number in (tmp_path / "batches").read_text(encoding="ascii").split()]
    assert sum(batches) < listed / 2
