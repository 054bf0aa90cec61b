"""The tools of hosts that are not at hand: they answer the probes as the real ones do, and end like them."""

from __future__ import annotations

import os
import shutil
import subprocess
from functools import cache
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from tests.conftest import ROOT
from tests.contract.conftest import RenderedProbe, render_probe
from tunebench.core.paths import builtin_plugins_folder
from tunebench.domain.capturing.plan import CommandKind
from tunebench.plughost.host import PluginHost
from tunebench.plughost.listing import Origin
from tunebench.plughost.plugin_folders import SearchFolder
from tunebench.sdk import ParseContext

FAKES = ROOT / "tests" / "fixtures" / "fake_hosts"
FOLDER_OF = {"sunos": "sunos", "aix": "aix", "hp-ux": "hpux"}
STAMP = b"@tunebench at 2026-11-21T02:48:00Z\n"

if os.name != "posix":
    pytest.skip("needs a POSIX shell", allow_module_level=True)


@cache
def host() -> PluginHost:
    return PluginHost([SearchFolder(builtin_plugins_folder(), Origin.BUILTIN)])


PROBES = {probe.id: probe for probe in host().probes() if probe.os and probe.os[0] in FOLDER_OF}


def path_of(system: str, folder: Path = FAKES) -> str:
    return f"{folder / FOLDER_OF[system] / 'bin'}:{RenderedProbe.PATH}"


def answer(system: str, line: str, **more: str) -> bytes:
    environment = {"PATH": path_of(system), "LC_ALL": "C", **more}
    done = subprocess.run(["sh", "-c", line], env=environment, capture_output=True, timeout=30, check=False)
    assert (done.returncode, done.stderr) == (0, b""), done.stderr
    return done.stdout


ONLY_THERE = ("solaris.sa_text", "solaris.fstyp", "solaris.etc_system")
"""They ask for files or options that only the real system has."""
ANSWERED = [probe for probe in PROBES.values() if probe.kind is not CommandKind.PULL and probe.id not in ONLY_THERE]


@pytest.fixture(scope="module")
def answers() -> dict[str, tuple[int, bytes, bytes]]:
    """(exit status, output, complaints) by probe, all run at once: most of them wait for their second sample."""
    pipe = subprocess.PIPE
    running = {}
    for probe in ANSWERED:
        rendered = render_probe(probe, path_of(probe.os[0]))
        line = ["sh", "-c", rendered.line]
        running[probe.id] = subprocess.Popen(
            line, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, env=rendered.environment
        )
    outputs = {probe_id: process.communicate(timeout=60) for probe_id, process in running.items()}
    return {probe_id: (running[probe_id].returncode, *output) for probe_id, output in outputs.items()}


def has_tool(system: str, tool: str) -> bool:
    return not tool or (FAKES / FOLDER_OF[system] / "bin" / tool).is_file() or tool in ("df", "ps")


@pytest.mark.parametrize("probe_id", [probe.id for probe in ANSWERED])
def test_each_probe_gets_an_answer_that_its_parser_reads(answers, probe_id):
    probe = PROBES[probe_id]
    (system,) = probe.os
    if not has_tool(system, probe.tool):
        pytest.fail(f"no {probe.tool} in fake_hosts/{system}")
    status, output, complaints = answers[probe_id]
    assert (status, complaints) == (0, b"")
    assert output.strip()
    if not probe.parser:
        return
    entry = host().parser(probe.parser)
    assert entry is not None
    data = STAMP * (probe.kind is not CommandKind.STREAM) + output
    parser = entry.create(ParseContext(zone=ZoneInfo("Asia/Seoul"), zone_source="host", interval_s=1.0))
    batches = [*parser.feed(data), *parser.finish()]
    ledger = parser.ledger()
    assert ledger.lines.balanced and ledger.lines.data > 0
    if probe.kind is not CommandKind.ONCE:  # which gives facts
        assert sum(len(batch.times_ns) for batch in batches) > 0
        assert {one.reason for one in ledger.skipped} <= {"average", "wrapper", "message"}, ledger.skipped


def test_solaris_vmstat_gives_the_figures_of_the_published_capture():
    lines = answer("sunos", "vmstat 1 3").decode().splitlines()
    assert lines[1].split()[:6] == ["r", "b", "w", "swap", "free", "re"]
    assert lines[2].split()[3:5] == ["17767520", "15791376"]  # since boot
    assert lines[4].split()[11] == "23924"  # pages scanned per second
    assert len(lines) == 5


def test_rounds_of_a_loop_on_solaris_have_the_times_of_their_stamps():
    counters = answer("sunos", "vmstat -s")
    entry = host().parser("solaris.vmstat_s")
    assert entry is not None
    parser = entry.create(ParseContext(zone=ZoneInfo("Asia/Seoul"), zone_source="host"))
    second = STAMP.replace(b"02:48:00", b"02:48:10")
    batches = [*parser.feed(STAMP + counters + second + counters), *parser.finish()]
    times = sorted({time for batch in batches for time in batch.times_ns.tolist()})
    assert times == [1_795_229_280 * 10**9, 1_795_229_290 * 10**9]  # date -u -d 2026-11-21T02:48:00Z +%s


def test_the_pagers_limit_is_told_as_in_the_published_capture():
    assert answer("sunos", "echo lotsfree/E | pfexec mdb -k").split() == [b"lotsfree:", b"lotsfree:", b"32064"]
    assert b"maxcontig 6 " in answer("sunos", "fstyp -v /dev/rdsk/c0t0d0s0")


@pytest.mark.parametrize("line", ["vmstat 1", "iostat -xn 1", "prstat -c 1", "kstat -p unix::: 1", "sar -u 1"])
def test_a_tool_ends_when_nobody_reads_any_more(line):
    process = subprocess.Popen(["sh", "-c", f"exec {line}"], env={"PATH": path_of("sunos")}, stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    process.stdout.close()
    process.wait(timeout=60)


@pytest.mark.parametrize(
    ("system", "release"), [("sunos", "SunOS svrdb1 5.10"), ("aix", "AIX dbaix1 2 7"), ("hp-ux", "HP-UX dbhp1 B.11.31")]
)
def test_the_systems_say_who_they_are_and_know_no_epoch(system, release):
    assert answer(system, "uname -a").decode().startswith(release)
    assert answer(system, "date +%s.%N") == b"%s.%N\n"
    assert len(answer(system, "date -u +%Y-%m-%dT%H:%M:%SZ").strip()) == 20


def test_the_clock_of_a_fake_host_can_be_set(tmp_path):
    folder = tmp_path / "fake_hosts"
    shutil.copytree(FAKES, folder)
    (folder / "sunos" / "clock_offset_s").write_text("86400\n", encoding="ascii")
    environment = {"PATH": path_of("sunos", folder), "TZ": "UTC"}
    moments = subprocess.check_output(["sh", "-c", "date +%Y%m%d; /bin/date -d tomorrow +%Y%m%d"], env=environment)
    assert len(set(moments.split())) == 1


def test_sqlplus_answers_each_statement_with_the_next_block():
    path = f"{FAKES / 'oracle' / 'bin'}:{RenderedProbe.PATH}"
    statements = b"set pagesize 100\nselect name, value from v$sysstat;\nselect name, value from v$sysstat;\nexit\n"
    done = subprocess.run(
        ["sqlplus", "-S", "/"],
        input=statements,
        env={"PATH": path},
        stdout=subprocess.PIPE,
        timeout=10,
        check=True,
        executable=FAKES / "oracle" / "bin" / "sqlplus",
    )
    executed = [line.split()[-1] for line in done.stdout.decode().splitlines() if line.startswith("execute count")]
    assert executed == ["59099", "59188"]
    version = subprocess.check_output([str(FAKES / "oracle" / "bin" / "sqlplus"), "-V"], env={"PATH": path})
    assert b"Release 19.0.0.0.0" in version
