"""The capture engine against a real server: what happens to connections, commands, clocks and disks."""

from __future__ import annotations

import re
import shutil
import signal
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from tests.e2e import capture_rig as rig
from tests.e2e.capture_rig import Engine, end, gain, host_of, ours, planned, stream_of
from tests.e2e.processes import command_line, send
from tests.e2e.sshd_rig import Sshd
from tests.waiting import until, wait_until
from tunebench.capture.house_commands import cksum_line
from tunebench.capture.session import CaptureSession
from tunebench.core.messages import catalogue
from tunebench.domain.capturing.plan import CommandKind, PlannedCommand
from tunebench.domain.capturing.run import GapCause, HostState, SessionState, StreamState
from tunebench.store import sessions

NUMBERED = 'n=0;while :;do echo "line $n";n=$((n+1));sleep 0.2;done'
NEEDS_VMSTAT = pytest.mark.skipif(shutil.which("vmstat") is None, reason="vmstat is not installed")


@pytest.fixture
def engine(tmp_path: Path, sshd: Sshd) -> Iterator[Engine]:
    made = Engine(tmp_path, sshd)
    yield made
    made.close()


def _has_failed(session: CaptureSession, name: str) -> bool:
    return stream_of(session, name).state is StreamState.FAILED


@NEEDS_VMSTAT
def test_a_capture_from_connect_to_clean_up(engine: Engine) -> None:
    engine.commands += [
        planned("linux.vmstat", "vmstat -n -t 1 600"),
        planned("lscpu", "lscpu", CommandKind.ONCE, interval_s=None, count=None),
    ]
    began = time.monotonic()
    session = engine.begin()
    until(lambda: stream_of(session, "linux.vmstat").lines)
    first_sample_s = time.monotonic() - began
    gain(session, "linux.vmstat", 3)
    until(lambda: host_of(session).clock)
    clock = host_of(session).clock
    end(session)
    assert first_sample_s < 15.0  # the design's second is for a quiet machine; the benchmark measures it
    assert clock is not None
    assert abs(clock.offset_ns) <= clock.error_ns + 5_000_000  # one machine, one clock
    assert clock.boot_id == Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    assert host_of(session).state is HostState.DONE
    assert stream_of(session, "linux.vmstat").state is StreamState.VERIFIED
    assert stream_of(session, "lscpu").cpu_s is not None
    assert stream_of(session, "lscpu").state is StreamState.VERIFIED
    assert engine.bytes_of("lscpu").count(b"Architecture") == 2
    assert not ours()
    assert engine.facts_of("capture_cleaned")[-1]["leftovers"] == "none"
    assert engine.spooled().all_gaps() == []
    assert engine.spooled().surveys["server"]["os"] == "linux"
    assert sessions.find_session(engine.project, session.session_id).state is SessionState.FINISHED


def test_a_killed_session_comes_back_without_a_doubled_line(engine: Engine) -> None:
    """Row 10."""
    engine.commands.append(planned("numbered", NUMBERED))
    session = engine.begin()
    gain(session, "numbered", 5)
    engine.sshd.kill_sessions()
    assert until(lambda: host_of(session).state is HostState.WAITING) < 5.0
    view = host_of(session)
    assert not view.reason_key or "{" not in catalogue("en").text(f"error.{view.reason_key}", **view.facts)
    until(lambda: host_of(session).state is HostState.CAPTURING)
    gain(session, "numbered", 5)
    end(session)
    (gap,) = engine.spooled().all_gaps()
    assert gap.cause in (GapCause.KILLED_BY_SERVER, GapCause.NETWORK_LOST)
    assert gap.end_ns is not None
    assert gap.end_ns - gap.start_ns < 15_000_000_000
    first, second = runs_of_numbers(engine.numbers("numbered"))
    assert first == list(range(len(first)))
    assert second == list(range(len(second)))
    until(lambda: not ours())


def runs_of_numbers(numbers: list[int]) -> list[list[int]]:
    """The lines of each start: every start counts from 0."""
    runs: list[list[int]] = []
    for number in numbers:
        if number == 0:
            runs.append([])
        runs[-1].append(number)
    return runs


def test_a_frozen_server_is_suspect_then_lost(engine: Engine) -> None:
    """Row 11."""
    engine.commands.append(planned("numbered", NUMBERED, interval_s=0.5))
    session = engine.begin()
    gain(session, "numbered", 5)
    engine.sshd.freeze_sessions()
    looks: list[float] = []
    suspect_s = until(lambda: _timed(looks, session) and host_of(session).state is HostState.SUSPECT)
    lost_s = suspect_s + until(lambda: _timed(looks, session) and host_of(session).state is HostState.WAITING)
    engine.sshd.thaw()
    until(lambda: host_of(session).state is HostState.CAPTURING)
    gain(session, "numbered", 5)
    end(session)
    assert suspect_s < 8.0
    assert lost_s < 20.0
    assert max(looks) < 0.5
    (gap,) = engine.spooled().all_gaps()
    assert gap.cause is GapCause.NETWORK_LOST
    until(lambda: not ours())


def _timed(looks: list[float], session: object) -> bool:
    """A window asks for the state again and again; that must never wait for the server."""
    began = time.monotonic()
    session.snapshot()  # type: ignore[attr-defined]
    looks.append(time.monotonic() - began)
    return True


def test_another_boot_is_told_as_a_reboot(engine: Engine) -> None:
    """Row 14: the sessions die and the boot id is another one afterwards."""
    boot = engine.folder.parent / "boot_id"
    boot.write_text("11111111-aaaa\n")
    engine.sshd.tool("cat", f'case "$1" in */boot_id) exec /bin/cat {boot};; esac\nexec /bin/cat "$@"')
    engine.commands.append(planned("numbered", NUMBERED))
    session = engine.begin()
    gain(session, "numbered", 3)
    until(lambda: host_of(session).clock is not None)  # which is looked at when the streams are under way
    boot.write_text("22222222-bbbb\n")
    engine.sshd.restart()
    until(lambda: host_of(session).state is HostState.CAPTURING and len(engine.facts_of("ssh_connected")) == 2)
    gain(session, "numbered", 3)
    end(session)
    (gap,) = engine.spooled().all_gaps()
    assert gap.cause is GapCause.SERVER_REBOOT
    assert "11111111-aaaa -> 22222222-bbbb" in gap.evidence


def test_a_command_that_cannot_run_leaves_the_others_alone(engine: Engine) -> None:
    """Row 15: killed, ending with 1, not found, not executable."""
    plain = engine.folder.parent / "plain"
    plain.write_text("not a program")
    engine.sshd.tool("dies", "echo 'line 0'; sleep 0.3; echo 'cannot go on' >&2; exit 1")
    engine.commands += [
        planned("numbered", NUMBERED),
        planned("missing", "no-such-tool 1 600"),
        planned("plain", f"{plain} 1 600"),
        planned("dies", "dies 1 600"),
        planned("victim", "sleep 59.125", interval_s=1.0),
    ]
    session = engine.begin()
    for name, key in (
        ("missing", "capture_tool_missing"),
        ("plain", "capture_tool_refused"),
        ("dies", "capture_keeps_ending"),
    ):
        until(partial(_has_failed, session, name))
        assert stream_of(session, name).error_key == key
    assert "not found" in str(stream_of(session, "missing").error_facts["stderr"])
    assert stream_of(session, "dies").error_facts["stderr"] == "cannot go on"
    until(lambda: stream_of(session, "victim").state in (StreamState.CAPTURING, StreamState.SUSPECT))
    sleeping = [pid for pid in engine.sshd.running("sleep") if "59.125" in command_line(pid)]
    send(sleeping, signal.SIGKILL)
    until(lambda: stream_of(session, "victim").error_key == "capture_process_ended")
    assert stream_of(session, "victim").exit_status == 137
    gain(session, "numbered", 3)
    end(session)
    gaps = {gap.stream: gap for gap in engine.spooled().all_gaps()}
    # what never printed a line misses the whole window
    assert set(gaps) == {"server/dies", "server/missing", "server/plain", "server/victim"}
    assert gaps["server/missing"].end_ns is None
    assert gaps["server/dies"].cause is GapCause.PROCESS_ENDED
    assert "exit 1; cannot go on" in gaps["server/dies"].evidence
    assert len(runs_of_numbers(engine.numbers("numbered"))) == 1
    until(lambda: not ours())  # on a busy machine the last question itself may take a moment to go


def test_a_clock_that_is_wrong_and_one_that_is_set(engine: Engine) -> None:
    """Row 28: five minutes ahead from the start, an hour ahead in the middle."""
    ahead = engine.folder.parent / "ahead"
    ahead.write_text("300")
    real = shutil.which("date")
    engine.sshd.tool("date", f'exec {real} -d "$(cat {ahead}) seconds" "$@"')
    engine.commands.append(planned("numbered", NUMBERED))
    session = engine.begin(settings=replace(rig.SETTINGS, clock_every_s=1.0))
    gain(session, "numbered", 3)
    until(lambda: host_of(session).clock)
    clock = host_of(session).clock
    assert clock is not None
    assert abs(clock.offset_ns - 300e9) <= clock.error_ns + 50e6
    ahead.write_text("3900")
    until(lambda: any(gap.cause is GapCause.CLOCK_STEP for gap in engine.spooled().gaps))
    end(session)
    (gap,) = [gap for gap in engine.spooled().all_gaps() if gap.cause is GapCause.CLOCK_STEP]
    assert gap.end_ns is not None
    assert abs(gap.end_ns - gap.start_ns - 3600e9) < 2e9
    assert abs(gap.start_ns - time.time_ns() - 300e9) < 30e9
    checks = engine.spooled().clocks
    assert [check.taken_at for check in checks] == sorted(check.taken_at for check in checks)


def test_what_was_not_approved_is_not_sent(engine: Engine) -> None:
    """Row 30 with a server: the line stands in no approved plan."""
    engine.commands.append(planned("numbered", NUMBERED))
    session = engine.begin()
    gain(session, "numbered", 2)
    runner = session._runners["server"]
    with pytest.raises(Exception, match="command_not_approved"):
        runner._context.policy.permit("rm -rf /tmp/x", "server")
    end(session)
    assert engine.facts_of("command_refused")[0]["command"] == "rm -rf /tmp/x"
    assert "rm -rf /tmp/x" not in engine.sshd.log


def test_more_commands_than_sessions_are_allowed(engine: Engine) -> None:
    """Row 18, through the engine: stock MaxSessions is 10."""
    engine.commands += [planned(f"numbered{number}", NUMBERED) for number in range(14)]
    session = engine.begin()
    until(lambda: all(stream.lines > 3 for stream in host_of(session).streams))
    end(session)
    assert all(stream.state is StreamState.VERIFIED for stream in host_of(session).streams)
    until(lambda: not ours())


def test_a_full_local_disk_ends_it_with_a_reason(engine: Engine, tmp_path: Path) -> None:
    """Row 27: a small file system takes what fits and not a byte wrong."""
    small = small_filesystem(tmp_path)
    engine.folder = small / "spool"
    engine.commands.append(planned("flood", "yes 'line 1 of a flood of lines'", interval_s=1.0))
    try:
        session = engine.begin()
        until(lambda: session.wait(0.1))
        assert session.snapshot().message_key == "capture_disk_full"
        assert sessions.find_session(engine.project, session.session_id).state is SessionState.FAILED
        content = engine.bytes_of("flood")
        assert len(content) > 1_000_000
        assert engine.spooled().lost_bytes == 0
        body = content[content.index(b" begin ") :].partition(b"\n")[2]
        lines = body.splitlines()[:-1]
        assert set(lines) == {b"line 1 of a flood of lines"}
        assert wait_until(lambda: not ours())
    finally:
        for each in engine.open:
            each.close()
        unmount(small)


def small_filesystem(tmp_path: Path) -> Path:
    import os
    import subprocess

    small = tmp_path / "small"
    small.mkdir()
    if (
        os.geteuid() != 0
        or subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", str(small)], capture_output=True, timeout=20
        ).returncode
    ):
        pytest.skip("a small file system can be mounted by root only")
    return small


def unmount(small: Path) -> None:
    import subprocess

    subprocess.run(["umount", str(small)], capture_output=True, timeout=20)


def test_a_file_is_fetched_and_goes_on_after_a_loss(engine: Engine) -> None:
    """Rows 24 and 25: cut off in the middle, the rest follows, and only then it is whole."""
    source = engine.folder.parent / "sa21"
    source.write_bytes(bytes(range(256)) * 200_000)  # 51 MB
    engine.commands += [
        planned("numbered", NUMBERED),
        planned("sa21", f"cat {source}", CommandKind.PULL, interval_s=None, count=None, path=str(source), bare=True),
    ]
    session = engine.begin(duration_s=2.0, settings=replace(rig.SETTINGS, reconnect_after_end_s=30.0))
    until(lambda: stream_of(session, "sa21").bytes > 1_000_000)
    engine.sshd.kill_sessions()
    assert session.wait(60.0)
    assert engine.bytes_of("sa21") == source.read_bytes()
    assert len(engine.facts_of("ssh_connected")) >= 2


def test_a_fetched_file_that_is_another_is_fetched_again(engine: Engine) -> None:
    """Row 24: the checksum is that of the server's file; one that changed meanwhile is fetched once more."""
    source = engine.folder.parent / "sa 21 of Kim's"
    source.write_bytes(b"a" * 100_000)
    again = engine.folder.parent / "asked"
    real = shutil.which("cksum")
    engine.sshd.tool(  # the file grows while it is asked about for the first time, as one that sadc writes to
        "cksum", f'test -f {again}||printf more >>"{source}";: >{again};exec {real} "$@"'
    )
    pull = planned("sa21", f"cat {source}", CommandKind.PULL, interval_s=None, count=None, path=str(source), bare=True)
    engine.commands += [planned("numbered", NUMBERED), pull, asks_for_checksum(source)]
    session = engine.begin(duration_s=1.0)
    assert session.wait(30.0)
    assert engine.bytes_of("sa21") == b"a" * 100_000 + b"more"
    assert stream_of(session, "sa21").error_key == ""
    assert stream_of(session, "sa21").state is StreamState.VERIFIED
    assert [fact["verdict"] for fact in engine.facts_of("capture_file_checked")] == ["different", "equal"]


def asks_for_checksum(source: Path) -> PlannedCommand:
    """As the planning makes it."""
    line = cksum_line(str(source))
    return planned("house.cksum", line, CommandKind.HOUSE, interval_s=None, count=None, path=str(source))


@pytest.mark.parametrize(
    ("tool", "error", "verdict"),
    [("exit 127", "capture_checksum_unknown", "unknown"), ("echo 1 2", "capture_checksum_differs", "different")],
)
def test_a_fetched_file_that_is_not_proven_is_kept_and_says_so(
    engine: Engine, tool: str, error: str, verdict: str
) -> None:
    source = engine.folder.parent / "sa21"
    source.write_bytes(b"a" * 100_000)
    engine.sshd.tool("cksum", tool)
    pull = planned("sa21", f"cat {source}", CommandKind.PULL, interval_s=None, count=None, path=str(source), bare=True)
    engine.commands += [planned("numbered", NUMBERED), pull, asks_for_checksum(source)]
    session = engine.begin(duration_s=1.0)
    assert session.wait(30.0)
    assert engine.bytes_of("sa21") == source.read_bytes()
    assert stream_of(session, "sa21").error_key == error
    assert engine.facts_of("capture_file_checked")[-1]["verdict"] == verdict


def test_stopping_one_command_leaves_the_other(engine: Engine) -> None:
    """Row 29: the group that is ended is that of one command."""
    engine.commands += [planned("numbered", NUMBERED), planned("other", NUMBERED)]
    session = engine.begin()
    gain(session, "numbered", 2)
    gain(session, "other", 2)
    session.stop(stream="server/other")
    until(lambda: stream_of(session, "other").state is StreamState.ENDED)
    assert until(lambda: len(ours()) <= 3) < 15.0  # by the order, not by the lease; the other one has three
    gain(session, "numbered", 5)
    end(session)
    assert len(runs_of_numbers(engine.numbers("numbered"))) == 1
    assert engine.spooled().all_gaps() == []


def test_no_secret_is_left_anywhere(engine: Engine, caplog: pytest.LogCaptureFixture) -> None:
    """Row 31, for a passphrase: not in the project, the journals, the log."""
    from tests.e2e.sshd_rig import PASSPHRASE

    class Knows(rig.Nobody):
        def secret(self, question: object) -> str | None:
            return PASSPHRASE

    engine.commands.append(planned("numbered", NUMBERED))
    engine.profile = lambda: engine.sshd.profile(identity=str(engine.sshd.encrypted_key))  # type: ignore[method-assign]
    monkey = rig.Nobody
    rig.Nobody = Knows  # type: ignore[misc]
    try:
        caplog.set_level("DEBUG")
        session = engine.begin()
        gain(session, "numbered", 2)
        end(session)
    finally:
        rig.Nobody = monkey  # type: ignore[misc]
    engine.project.close()
    files = [path for path in engine.project_path.parent.rglob("*") if path.is_file()]
    assert len(files) >= 3
    found = [path for path in files if PASSPHRASE.encode() in path.read_bytes()]
    assert not found
    assert PASSPHRASE not in caplog.text
    assert not re.search(re.escape(PASSPHRASE), repr(session.snapshot()))
