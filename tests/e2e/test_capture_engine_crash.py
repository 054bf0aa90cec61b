"""The client stopped, or killed in the middle, while the server misbehaves as well; what is in the journals afterwards."""

from __future__ import annotations

import itertools
import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict
from datetime import datetime
from pathlib import Path

import pytest

from tests.e2e.agreement import EXACT, PERCENT, compare
from tests.e2e.capture_rig import NONCE, house, ours, planned
from tests.e2e.sshd_rig import Sshd
from tests.waiting import let_time_pass, until, wait_until
from tunebench.capture.frames import Begin, Data, End, FrameReader
from tunebench.capture.spooled import SpooledSession, read_session
from tunebench.domain.capturing.plan import CapturePlan, PlannedHost
from tunebench.domain.capturing.run import GapCause, StreamState
from tunebench.domain.engagement import Engagement
from tunebench.store.audit import trail as audit
from tunebench.store.check import check_project
from tunebench.store.opening import create_project, open_project

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ("vmstat", "iostat", "mpstat")
LONGEST_STEP_S = 4
"""From one sample to the next on a busy machine; the engine calls a stream silent after three intervals."""
MISSING = [tool for tool in TOOLS if shutil.which(tool) is None]


class Client:
    """The engine in a process of its own."""

    def __init__(self, folder: Path, sshd: Sshd) -> None:
        self.folder = folder
        self.spool = folder / "spool"
        self._sshd = sshd
        self.process: subprocess.Popen[str] | None = None
        create_project(folder / "acme.tune", Engagement("ACME", "ACME")).close()
        (folder / "profile.json").write_text(json.dumps(asdict(sshd.profile())))

    def plan(self, duration_s: float, lease_s: int, *tools: tuple[str, str]) -> None:
        host = PlannedHost("server", self._sshd.address, self._sshd.port, self._sshd.user, "linux", "survey")
        commands = house() + [planned(name, line, lease_s=lease_s) for name, line in tools]
        plan = CapturePlan(
            NONCE,
            "2026-11-21T00:00:00+00:00",
            "before",
            "before",
            (host,),
            tuple(commands),
            1.0,
            duration_s,
            lease_s=lease_s,
        )
        (self.folder / "plan.json").write_text(plan.to_json())

    def start(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(ROOT / "tests/e2e/capture_client.py"), str(self.folder)],
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )
        assert self.process.stdout is not None
        assert self.process.stdout.readline().strip() == "running"

    def send(self, number: signal.Signals) -> None:
        assert self.process is not None
        self.process.send_signal(number)

    def finish(self, timeout_s: float = 60.0) -> str:
        """The last line it printed."""
        assert self.process is not None
        said, _ = self.process.communicate(timeout=timeout_s)
        self.process = None
        return said.strip()

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
            self.process = None

    def left(self) -> SpooledSession:
        return read_session(self.spool)

    def lines(self, name: str) -> int:
        return self.left().streams[f"server/{name}"].lines if (self.spool / "session.json").exists() else 0

    def gain(self, name: str, lines: int) -> None:
        before = self.lines(name)
        until(lambda: self.lines(name) >= before + lines)


@pytest.fixture
def client(tmp_path: Path, sshd: Sshd) -> Iterator[Client]:
    made = Client(tmp_path, sshd)
    yield made
    made.kill()


NUMBERED = 'n=0;while :;do echo "line $n";n=$((n+1));sleep 0.2;done'


@pytest.mark.skipif(shutil.which("perl") is None, reason="the lease needs perl on the server")
def test_a_client_that_stood_still_too_long(client: Client) -> None:
    """Row 17: the lease ends the commands, and the client tells why samples are missing."""
    client.plan(40.0, 4, ("numbered", NUMBERED))
    client.start()
    client.gain("numbered", 5)
    client.send(signal.SIGSTOP)
    try:
        until(lambda: not ours())
        let_time_pass(2.0, "the client stands still for longer than the lease")
    finally:
        client.send(signal.SIGCONT)
    until(lambda: client.left().gaps)
    client.gain("numbered", 5)
    causes = [gap.cause for gap in client.left().gaps]
    client.kill()
    assert causes == [GapCause.CLIENT_SUSPEND]
    assert wait_until(lambda: not ours())


@pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}")
def test_killed_frozen_and_killed_again(client: Client, sshd: Sshd, tmp_path: Path) -> None:
    """The sessions killed, the server frozen, TuneBench killed: the journals show just that, and the true figures."""
    client.plan(
        60.0, 20, ("vmstat", "vmstat -n -t 1 600"), ("iostat", "iostat -xkt 1 600"), ("mpstat", "mpstat -P ALL 1 600")
    )
    reference = tmp_path / "local.txt"
    with reference.open("w") as out:
        local = subprocess.Popen(["vmstat", "-n", "-t", "1"], stdout=out)
    try:
        play_through(client, sshd)
    finally:
        local.terminate()
        local.wait(10)
    left = client.left()
    assert left.finished
    for name in TOOLS:
        gaps = sorted((gap for gap in left.gaps if gap.stream == f"server/{name}"), key=lambda gap: gap.start_ns)
        assert len(gaps) == 3, gaps
        assert gaps[0].cause in (GapCause.KILLED_BY_SERVER, GapCause.NETWORK_LOST)
        assert [gap.cause for gap in gaps[1:]] == [GapCause.NETWORK_LOST, GapCause.CLIENT_CRASH]
        assert all(gap.end_ns is not None for gap in gaps)
        assert left.streams[f"server/{name}"].state is StreamState.VERIFIED
    assert not left.open_gaps
    assert left.leftovers == {"server": 0}
    until(lambda: not ours())
    starts = captured_vmstat(left)
    assert_no_doubled_sample_and_only_the_gaps_missing(left, [at for start in starts for at in start])
    assert_agrees(starts, vmstat_samples(reference.read_text().splitlines()))
    with open_project(client.folder / "acme.tune") as project:
        actions = [entry.action for entry in audit.list_audit(project)]
        assert actions.count("capture_started") == actions.count("capture_resumed") == 1
        assert check_project(project)


def play_through(client: Client, sshd: Sshd) -> None:
    client.start()
    client.gain("mpstat", 20)
    sshd.kill_sessions()
    client.gain("mpstat", 20)
    sshd.freeze_sessions()
    lost = [GapCause.NETWORK_LOST] * len(TOOLS)
    until(lambda: [gap.cause for gap in client.left().open_gaps.values()] == lost)
    sshd.thaw()
    until(lambda: not client.left().open_gaps)
    client.gain("mpstat", 20)
    client.send(signal.SIGKILL)
    client.finish()
    assert wait_until(lambda: not ours(), 12.0), "processes outlived the client"  # and not only by the lease, 20 s
    let_time_pass(4.0, "longer than any step between two samples")
    client.start()
    assert client.finish(90.0) == "finished"


Sample = dict[str, float]


def captured_vmstat(left: SpooledSession) -> list[dict[int, Sample]]:
    """Of each start, server second -> columns; its first line is an average since boot and is left out."""
    reader = FrameReader(NONCE)
    frames = [frame for piece in left.pieces("server/vmstat") for frame in reader.feed(piece)] + reader.finish()
    starts: list[dict[int, Sample]] = []
    text = b""
    for frame in frames:
        if isinstance(frame, Begin):
            text = b""
        elif isinstance(frame, Data):
            text += frame.data
        elif isinstance(frame, End):
            lines = text[: text.rindex(b"\n") + 1] if frame.torn else text
            samples = vmstat_samples(lines.decode().splitlines())
            assert not any(set(samples) & set(others) for others in starts), "a sample came twice"
            starts.append(samples)
    return starts


def vmstat_samples(lines: list[str]) -> dict[int, Sample]:
    """Without the first line, which is an average since boot."""
    header = next(line for line in lines if "swpd" in line).split()
    names = header[: header.index("st") + 1]
    samples = {}
    for line in lines:
        fields = line.split()
        if len(fields) >= len(names) + 2 and fields[0].isdigit():
            moment = datetime.fromisoformat(" ".join(fields[-2:])).astimezone().timestamp()
            samples[int(moment)] = dict(zip(names, map(float, fields[: len(names)]), strict=True))
    return dict(list(samples.items())[1:])


def assert_no_doubled_sample_and_only_the_gaps_missing(left: SpooledSession, moments: list[int]) -> None:
    """No sample inside a gap; where two samples are further apart than an interval, a gap lies between them."""
    gaps = [gap for gap in left.gaps if gap.stream == "server/vmstat"]
    inside = [at for at in moments for gap in gaps if gap.start_ns < at * 10**9 < (gap.end_ns or 0)]
    assert not inside, (inside, gaps)
    holes = [(one, two) for one, two in itertools.pairwise(moments) if two - one > LONGEST_STEP_S]
    assert len(holes) >= 2, (holes, gaps)  # the connection that was killed may be back within a second
    for one, two in holes:
        assert any(one * 10**9 <= gap.start_ns and (gap.end_ns or 0) <= two * 10**9 for gap in gaps), (one, two, gaps)


def assert_agrees(starts: list[dict[int, Sample]], local: dict[int, Sample]) -> None:
    """Two vmstats of one machine, out of step by part of a second: the counters that they show are the same.

    Means over common seconds are no criterion: context switches come in bursts, and what one counts in the last of the
    common seconds the other counts in the next. `tests.e2e.agreement` says what has to fit, burst or not, busy or not:
    counts exactly, shares of time but for what intervals were longer than a second. Memory is not compared: vmstat of
    procps 4.0 prints what it found at its own start.
    """
    assert sum(map(len, starts)) > 25, [len(start) for start in starts]
    for column, allowance in (("cs", EXACT), ("in", EXACT), ("us", PERCENT), ("sy", PERCENT), ("id", PERCENT)):
        segments = [[(at, sample[column]) for at, sample in start.items()] for start in starts]
        other = [(at, sample[column]) for at, sample in local.items()]
        found = compare(segments, other, allowance, stretch_s=10)
        assert found.stretches > 10, (column, found)
        assert not found.contradictions, (column, found)
