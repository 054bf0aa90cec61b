"""A capture that runs on a real server without a connection, and what can befall it there."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.e2e.processes import marked, processes, send
from tests.e2e.ssh_people import Desk
from tests.e2e.sshd_rig import Sshd, is_root
from tests.unit.capture.remote_plans import NONCE, command, house, plan
from tests.waiting import PATIENCE_S, let_time_pass, until, wait_until
from tunebench.capture import offline_script
from tunebench.capture.detached import DetachedRun, DetachedState, DetachedStatus, detached_commands
from tunebench.capture.frames import Data, FrameReader, segments
from tunebench.capture.offline_script import read_manifest
from tunebench.core.errors import UserError
from tunebench.domain.capturing.plan import CommandKind
from tunebench.transport.ssh.link import Link, LinkError

pytestmark = pytest.mark.alone  # commands are counted by the second

VMSTAT = command("vmstat", "vmstat 1 3", CommandKind.STREAM, interval_s=1, count=3, parser="linux.vmstat")
LONG = command("vmstat", "vmstat 1 60", CommandKind.STREAM, interval_s=1, count=60)
FLOOD = command("flood", "yes 0123456789abcdef", CommandKind.STREAM, interval_s=1, bytes_per_s=1000)


@pytest.fixture
def link(sshd: Sshd, desk: Desk) -> Link:
    return desk.open(sshd.profile())


@pytest.fixture
def folder(sshd: Sshd) -> str:
    return str(sshd.folder / "detached")


def ours() -> list[int]:
    return marked(f"TUNEBENCH=cap{NONCE}")


def ended(run: DetachedRun, within_s: float = PATIENCE_S) -> DetachedStatus:
    assert wait_until(lambda: run.status().state is not DetachedState.RUNNING, within_s, 0.3)
    return run.status()


def test_it_goes_on_without_the_connection_and_is_fetched_and_removed(
    sshd: Sshd, desk: Desk, folder: str, tmp_path: Path
) -> None:
    wanted = plan(*house(), VMSTAT)
    sent: list[str] = []
    run = DetachedRun(desk.open(sshd.profile()), wanted, "db01", folder, sent.append)
    status = run.start("ko")
    assert status.state is DetachedState.RUNNING
    assert status.pid is not None
    with pytest.raises(UserError, match="detached_still_running"):
        run.pull(tmp_path / "run")
    sshd.kill_sessions()
    run = DetachedRun(desk.open(sshd.profile()), wanted, "db01", folder, sent.append)
    assert ended(run).state is DetachedState.ENDED
    steps: list[tuple[int, int]] = []
    pulled = run.pull(tmp_path / "run", lambda done, total: steps.append((done, total)))
    assert pulled.whole
    assert steps[-1][0] == steps[-1][1] > 0
    manifest = read_manifest((tmp_path / "run" / "manifest").read_text())
    assert (manifest.plan_digest, manifest.state, manifest.whole) == (wanted.digest, "complete", True)
    (vmstat,) = (file for file in manifest.files if file.command_id == "db01/vmstat")
    assert [segment.exit_status for segment in segments([(tmp_path / "run" / vmstat.name).read_bytes()])] == [0]
    assert run.remove(pulled)
    assert not Path(folder).exists()
    assert not ours()
    assert set(sent) <= set(detached_commands(NONCE, "linux", folder).values())


def test_a_folder_that_is_there_already_is_not_touched(link: Link, folder: str) -> None:
    Path(folder).mkdir()
    with pytest.raises(UserError, match="detached_not_started"):
        DetachedRun(link, plan(VMSTAT), "db01", folder).start()
    assert list(Path(folder).iterdir()) == []


def test_stopping_ends_all_that_it_started(link: Link, folder: str, tmp_path: Path) -> None:
    run = DetachedRun(link, plan(*house(), LONG, duration_s=60), "db01", folder)
    run.start()
    assert wait_until(lambda: len(ours()) >= 2)
    run.stop()
    assert ended(run, 10).state is DetachedState.ENDED
    assert not ours()
    pulled = run.pull(tmp_path / "run")
    assert pulled.whole
    assert read_manifest((tmp_path / "run" / "manifest").read_text()).state == "stopped"


def test_a_file_that_reaches_its_limit_ends_and_the_rest_goes_on(
    link: Link, folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(offline_script, "_SMALLEST_LIMIT_BYTES", 64 << 10)
    run = DetachedRun(link, plan(FLOOD, VMSTAT), "db01", folder)
    run.start()
    status = ended(run)
    assert (status.state, status.limited) == (DetachedState.LIMIT_REACHED, ("0001.out",))
    pulled = run.pull(tmp_path / "run")
    manifest = read_manifest((tmp_path / "run" / "manifest").read_text())
    assert manifest.warnings == ("limit_reached",)
    flood, vmstat = (segments([(tmp_path / "run" / name).read_bytes()])[0] for name in ("0001.out", "0002.out"))
    assert 60 << 10 <= flood.end_byte <= 64 << 10
    assert flood.exit_status not in (0, None)
    assert vmstat.exit_status == 0
    assert run.remove(pulled)


@pytest.fixture
def small_disk(sshd: Sshd) -> Iterator[Path]:
    if not is_root():
        pytest.skip("mounting a small file system needs root")
    place = sshd.folder / "small"
    place.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=300k", "tunebench-test", str(place)], check=False)
    if mounted.returncode:
        pytest.skip("no tmpfs can be mounted here")
    yield place
    assert wait_until(lambda: subprocess.run(["umount", str(place)], check=False).returncode == 0)


def test_a_full_disk_is_named_and_what_was_written_is_fetched(
    link: Link, small_disk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(offline_script, "needed_bytes", lambda wanted, commands: 0)
    run = DetachedRun(link, plan(FLOOD, VMSTAT), "db01", str(small_disk / "run"))
    run.start()
    assert ended(run).state is DetachedState.DISK_FULL
    pulled = run.pull(tmp_path / "run")
    reader = FrameReader()
    frames = reader.feed((tmp_path / "run" / "0001.out").read_bytes()) + reader.finish()
    assert sum(len(frame.data) for frame in frames if isinstance(frame, Data)) > 100_000
    assert run.remove(pulled)


def test_too_little_space_is_refused_before_anything_runs(link: Link, small_disk: Path) -> None:
    with pytest.raises(UserError, match="detached_not_started") as refused:
        DetachedRun(link, plan(VMSTAT), "db01", str(small_disk / "run")).start()
    assert "KB" in str(refused.value.facts["detail"])


def test_a_reboot_meanwhile_is_seen_by_the_boot(link: Link, folder: str, tmp_path: Path) -> None:
    run = DetachedRun(link, plan(LONG, duration_s=60), "db01", folder)
    run.start()
    let_time_pass(1.2, "the tool writes a line a second; that of the first is there then")
    (Path(folder) / "boot").write_text("another boot\n")
    send(_script_and_tools(folder), signal.SIGKILL)
    assert run.status().state is DetachedState.REBOOTED
    pulled = run.pull(tmp_path / "run")
    (segment,) = segments([(tmp_path / "run" / "0001.out").read_bytes()])
    assert (segment.ended_ns, segment.exit_status) == (None, None)
    assert not pulled.whole
    assert run.remove(pulled)


def test_a_script_that_was_killed_is_told_apart(link: Link, folder: str) -> None:
    run = DetachedRun(link, plan(LONG, duration_s=60), "db01", folder)
    run.start()
    until(lambda: (Path(folder) / "pid").exists() and len(_script_and_tools(folder)) > 1)
    send(_script_and_tools(folder), signal.SIGKILL)
    assert wait_until(lambda: run.status().state is DetachedState.DIED)


def _script_and_tools(folder: str) -> list[int]:
    """The whole process group of the script."""
    leader = int((Path(folder) / "pid").read_text())
    group = [process.pid for process in processes() if _group(process.pid) == leader]
    assert leader in group
    return group


def _group(pid: int) -> int:
    try:
        return os.getpgid(pid)
    except ProcessLookupError:
        return -1


def test_a_broken_fetch_goes_on_where_it_stopped_and_a_wrong_one_is_done_again(
    sshd: Sshd, desk: Desk, folder: str, tmp_path: Path
) -> None:
    run = _finished_run(desk.open(sshd.profile()), folder)
    big = os.urandom(1 << 20)
    (Path(folder) / "0001.out").write_bytes(big)
    target = tmp_path / "run"
    target.mkdir()
    (target / "0001.out.part").write_bytes(big[:700_001])
    (target / "manifest.part").write_bytes(b"x" * 40)
    pulled = run.pull(target)
    assert not pulled.missing
    assert (target / "0001.out").read_bytes() == big
    assert (target / "manifest").read_bytes() == (Path(folder) / "manifest").read_bytes()
    assert not list(target.glob("*.part"))


def test_nothing_is_removed_where_a_file_could_not_be_verified(
    sshd: Sshd, desk: Desk, folder: str, tmp_path: Path
) -> None:
    """A cksum that lies: what it says of a file is never what was fetched."""
    cksum = shutil.which("cksum")
    script = f'read -r line; case "$line" in *archive*) echo 1 2;; *) exec {cksum} <{folder}/0001.out;; esac'
    sshd.tool("cksum", script)
    run = DetachedRun(desk.open(sshd.profile()), plan(VMSTAT), "db01", folder)
    (sshd.tools / "cksum").rename(sshd.tools / "later")
    run.start()
    ended(run)
    (sshd.tools / "later").rename(sshd.tools / "cksum")
    pulled = run.pull(tmp_path / "run")
    assert "manifest" in pulled.missing
    assert not run.remove(pulled)
    assert Path(folder).is_dir()


def _finished_run(link: Link, folder: str) -> DetachedRun:
    run = DetachedRun(link, plan(replace(VMSTAT)), "db01", folder)
    run.start()
    ended(run)
    return run


def test_a_line_that_is_not_permitted_is_not_sent(link: Link, folder: str) -> None:
    def refuse(line: str) -> None:
        raise UserError("command_not_approved", command=line)

    with pytest.raises(UserError, match="command_not_approved"):
        DetachedRun(link, plan(VMSTAT), "db01", folder, refuse).start()
    assert not Path(folder).exists()


def test_a_lost_connection_while_fetching_is_told(sshd: Sshd, desk: Desk, folder: str, tmp_path: Path) -> None:
    link = desk.open(sshd.profile())
    run = _finished_run(link, folder)
    sshd.kill_sessions()
    with pytest.raises(LinkError):
        run.pull(tmp_path / "run")
