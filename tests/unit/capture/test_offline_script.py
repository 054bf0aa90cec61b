"""The collection script, run here by every shell there is: its archive, its end, and what it leaves."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tarfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.e2e.processes import marked
from tests.unit.capture.remote_plans import NONCE, command, house, plan
from tests.waiting import wait_until
from tunebench.capture.checksum import posix_cksum
from tunebench.capture.frames import Data, FrameReader, segments
from tunebench.capture.offline_script import MANIFEST_FILE, PLAN_FILE, OfflineManifest, read_manifest, render_script
from tunebench.domain.capturing.plan import CapturePlan, CommandKind, PlannedHost

pytestmark = pytest.mark.alone  # commands are counted by the second

SHELLS = ("dash", "bash", "ksh93", "mksh", "yash", "posh", "busybox sh")

needs_procps = pytest.mark.skipif(shutil.which("vmstat") is None, reason="vmstat is not installed")
VMSTAT = command("vmstat", "vmstat 1 2", CommandKind.STREAM, interval_s=1, count=2, parser="linux.vmstat")
LOOP = command("free", 'echo "it\'s $((40+2))!"', CommandKind.LOOP, interval_s=1, count=2)
ONCE = command("kernel", "uname -a", CommandKind.ONCE, interval_s=None)
LONG = command("vmstat", "vmstat 1 300", CommandKind.STREAM, interval_s=1, count=300)
STUBBORN = command("stubborn", "trap '' 15; while :; do sleep 1; done", CommandKind.STREAM, interval_s=1)


@dataclass(frozen=True)
class Archive:
    manifest: OfflineManifest
    files: dict[str, bytes]

    def of(self, command_id: str) -> bytes:
        (file,) = (one for one in self.manifest.files if one.command_id == command_id and not one.stderr)
        return self.files[file.name]

    def data(self, command_id: str) -> bytes:
        reader = FrameReader(NONCE)
        frames = reader.feed(self.of(command_id)) + reader.finish()
        return b"".join(frame.data for frame in frames if isinstance(frame, Data))


def unpacked(folder: Path) -> Archive:
    (path,) = folder.glob("tunebench-*.tar*")
    with tarfile.open(path) as archive:
        members = [member for member in archive.getmembers() if member.isfile()]
        files = {Path(member.name).name: archive.extractfile(member).read() for member in members}  # type: ignore[union-attr]
    return Archive(read_manifest(files[MANIFEST_FILE].decode()), files)


def written(wanted: CapturePlan, folder: Path, language: str = "en") -> Path:
    path = folder.parent / f"{folder.name}.sh"
    path.write_text(render_script(wanted, language), encoding="utf-8")
    folder.mkdir()
    return path


def ours() -> list[int]:
    return marked(f"TUNEBENCH=cap{NONCE}")


@pytest.fixture
def clean() -> Iterator[None]:
    if not Path("/proc/self/environ").exists():
        pytest.skip("needs /proc to see what is left")
    yield
    for pid in ours():
        os.kill(pid, signal.SIGKILL)


def test_what_is_taken_twice_is_taken_at_the_approved_end(tmp_path: Path, clean: None) -> None:
    script = written(plan(*house(), ONCE, duration_s=4), tmp_path / "out")
    begun_ns = time.time_ns()
    subprocess.run(["sh", str(script)], cwd=tmp_path / "out", check=True, capture_output=True, timeout=60)
    archive = unpacked(tmp_path / "out")
    (name,) = (file.name for file in archive.manifest.files if file.command_id == ONCE.id)
    first, second = segments(iter([archive.files[name]]))
    assert first.began_ns is not None and second.began_ns is not None
    assert (first.began_ns - begun_ns) / 1e9 < 4 <= (second.began_ns - begun_ns) / 1e9 < 30


@needs_procps
@pytest.mark.parametrize("shell", SHELLS)
def test_every_shell_makes_a_whole_archive(shell: str, tmp_path: Path, clean: None) -> None:
    words = shell.split()
    if shutil.which(words[0]) is None:
        pytest.skip(f"{words[0]} is not installed")
    given = tmp_path / "given 1.log"
    given.write_bytes(b"\0binary\n")
    pull = command("logs", f"cat {given}", CommandKind.PULL, remote_path=str(tmp_path / "given*.log"))
    wanted = plan(*house(), VMSTAT, LOOP, ONCE, pull, duration_s=2)
    script = written(wanted, tmp_path / "out")
    done = subprocess.run([*words, str(script)], cwd=tmp_path / "out", capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    archive = unpacked(tmp_path / "out")
    assert [path.name for path in (tmp_path / "out").iterdir()] == [done.stdout.strip().rpartition("/")[2]]
    manifest = archive.manifest
    assert (manifest.whole, manifest.state, manifest.warnings) == (True, "complete", ())
    assert (manifest.plan_digest, manifest.nonce, manifest.host) == (wanted.digest, NONCE, "db01")
    assert CapturePlan.from_json(archive.files[PLAN_FILE].decode()) == wanted
    for file in manifest.files:
        assert (len(archive.files[file.name]), posix_cksum([archive.files[file.name]])) == (file.size_bytes, file.cksum)
    assert archive.data("db01/vmstat").count(b"\n") == 4
    assert archive.data("db01/free").count(b"it's 42!\n") == 2
    assert archive.data("db01/free").count(b"@tunebench at ") == 2
    assert [segment.exit_status for segment in segments([archive.of("db01/kernel")])] == [0, 0]
    assert archive.data("db01/kernel").count(os.uname().release.encode()) == 2
    assert archive.of("db01/logs") == b"\0binary\n"
    (copied,) = (file for file in manifest.files if file.copied)
    assert copied.tool_line == f"cat {given}"
    (vmstat,) = (file for file in manifest.files if file.command_id == "db01/vmstat")
    assert (vmstat.parser, vmstat.interval_s, vmstat.tool_line) == ("linux.vmstat", 1.0, "vmstat 1 2")
    assert b"@survey os=Linux" in archive.data("db01/house.survey")
    assert len(segments([archive.of("db01/house.clock")])) == 2
    assert not ours()


@needs_procps
@pytest.mark.parametrize(
    ("number", "ignored"), [(signal.SIGTERM, "HUP INT"), (signal.SIGINT, ""), (signal.SIGHUP, "INT")]
)
def test_a_signal_ends_everything_and_keeps_what_there_is(
    number: signal.Signals, ignored: str, tmp_path: Path, clean: None
) -> None:
    """A shell cannot undo what it was started to ignore: with nohup HUP, in the background INT; TERM always ends it."""
    script = written(plan(*house(), LONG, STUBBORN, duration_s=300), tmp_path / "out", "ko")
    started = f"trap '' {ignored}\nexec sh '{script}'" if ignored else f"exec sh '{script}'"
    words = ["env", "--default-signal", "sh", "-c", started]  # whoever runs the tests may ignore HUP or INT himself
    with subprocess.Popen(words, cwd=tmp_path / "out", stdout=subprocess.PIPE) as process:
        assert wait_until(lambda: any(path.stat().st_size > 400 for path in (tmp_path / "out").glob("*/0004.out")))
        process.send_signal(number)
        out, _ = process.communicate(timeout=60)
    assert "수집" in out.decode()
    archive = unpacked(tmp_path / "out")
    assert (archive.manifest.state, archive.manifest.whole) == ("stopped", True)
    assert segments([archive.of("db01/vmstat")])[0].exit_status == 143
    assert segments([archive.of("db01/stubborn")])[0].exit_status == 137
    assert wait_until(lambda: not ours())


@needs_procps
def test_it_ends_when_its_terminal_is_killed(tmp_path: Path, clean: None) -> None:
    script = written(plan(LONG, duration_s=300), tmp_path / "out")
    with subprocess.Popen(["sh", str(script)], cwd=tmp_path / "out", stdout=subprocess.DEVNULL) as process:
        assert wait_until(lambda: any(path.stat().st_size > 100 for path in (tmp_path / "out").glob("*/*.out")))
        process.kill()
    assert wait_until(lambda: list((tmp_path / "out").glob("*.tar.gz")) and not ours())
    assert unpacked(tmp_path / "out").manifest.state == "stopped"


@needs_procps
def test_another_host_is_a_warning(tmp_path: Path, clean: None) -> None:
    wanted = plan(VMSTAT, duration_s=1)
    wanted = replace(wanted, hosts=(replace(wanted.hosts[0], address="10.9.9.9"),))
    script = written(wanted, tmp_path / "out")
    done = subprocess.run(["sh", str(script), "-d", str(tmp_path / "out")], capture_output=True, text=True, timeout=60)
    assert os.uname().nodename in done.stderr
    assert unpacked(tmp_path / "out").manifest.warnings == ("other_host",)


def test_too_little_space_is_said_before_anything_starts(tmp_path: Path) -> None:
    hungry = replace(VMSTAT, bytes_per_s=1e12)
    script = written(plan(hungry, duration_s=3600), tmp_path / "out")
    done = subprocess.run(["sh", str(script)], cwd=tmp_path / "out", capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert "KB" in done.stderr
    assert list((tmp_path / "out").iterdir()) == []


def test_without_gzip_it_is_a_plain_tar(tmp_path: Path, clean: None) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    for tool in ("sh", "date", "uname", "ps", "awk", "df", "mkdir", "cat", "sleep", "tar", "rm", "cksum", "wc", "who"):
        (tools / tool).symlink_to(shutil.which(tool) or "/nowhere")
    text = render_script(plan(LOOP, duration_s=1), "en").replace("PATH=$PATH:", "PATH=$PATH #")
    script = tmp_path / "collect.sh"
    script.write_text(text)
    (tmp_path / "out").mkdir()
    done = subprocess.run(
        [str(tools / "sh"), str(script)],
        cwd=tmp_path / "out",
        env={"PATH": str(tools)},
        capture_output=True,
        text=True,
        timeout=60,
        start_new_session=True,
    )
    assert done.stdout.strip().endswith(".tar"), done.stderr
    assert unpacked(tmp_path / "out").manifest.whole


@pytest.mark.parametrize("language", ["ko", "en"])
def test_code_is_ascii_and_every_place_is_filled(language: str) -> None:
    wanted = plan(*house(), VMSTAT, LOOP, name="운영 db")
    text = render_script(wanted, language)
    assert wanted.digest in text
    code = [line for line in text.splitlines() if not line.startswith(("#", "say", "if test", 'case " '))]
    assert all(line.isascii() for line in code if 'say "' not in line)
    assert "⟨" not in text
    assert not [line for line in text.splitlines() if line.startswith("@") or "=@" in line]
    if language == "en":
        assert text.replace("운영 db", "").isascii()


def test_a_plan_of_several_hosts_needs_a_name() -> None:
    wanted = plan(VMSTAT)
    two = replace(wanted, hosts=(*wanted.hosts, PlannedHost("db02", "10.0.0.2", 22, "root", "linux", "assumed")))
    with pytest.raises(ValueError, match="one host"):
        render_script(two, "en")
    assert "vmstat 1 2" in render_script(two, "en", "db01")
    assert "vmstat 1 2" not in render_script(two, "en", "db02").partition("<<'END-OF-PLAN")[0]


def test_a_cut_manifest_is_not_whole() -> None:
    text = "tunebench-archive\t1\nplan\tabc\nhost\t%EC%9A%B4\nfile\tx\n"
    assert read_manifest(text).whole is False
    assert read_manifest(text + "end\n").whole is True
    assert read_manifest(text).host == "운"
    with pytest.raises(ValueError, match="not a manifest"):
        read_manifest("something else")


@pytest.mark.parametrize("size", [0, 1, 255, 256, 70_000])
def test_the_checksum_is_that_of_the_tool(size: int, tmp_path: Path) -> None:
    if shutil.which("cksum") is None:
        pytest.skip("cksum is not installed")
    data = bytes(number * 7 % 251 for number in range(size))
    (tmp_path / "x").write_bytes(data)
    with (tmp_path / "x").open("rb") as file:
        told = subprocess.run(["cksum"], stdin=file, capture_output=True, text=True, check=True).stdout
    assert posix_cksum([data[:100], data[100:]]) == int(told.split()[0])
