"""The repeating commands of one host, by a clock that the test moves: seams, restarts, leases, the server's time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tunebench.capture import host_streams as module
from tunebench.capture.backoff import Backoff
from tunebench.capture.gaps import GapBook
from tunebench.capture.host_streams import HostStreams
from tunebench.capture.policy import CommandRefused
from tunebench.capture.settings import CaptureSettings
from tunebench.capture.spool import Spool
from tunebench.capture.stream import Begun, Ended, Start, StreamRun
from tunebench.capture.suspend import Sleep
from tunebench.domain.capturing.plan import CommandKind, PlannedCommand
from tunebench.domain.capturing.run import CaptureGap, GapCause, StreamState
from tunebench.transport.ssh.link import LinkError, LossCause

NS = 1_000_000_000
AT = "2026-11-21T03:00:00.000+00:00"
BEHIND_NS = -24 * NS


class Clock:
    def __init__(self) -> None:
        self.s = 1000.0

    def monotonic(self) -> float:
        return self.s

    def time_ns(self) -> int:
        return int(self.s * NS)


class Host:
    """One stream of 600 lines, one a second, on a server whose clock is 24 seconds behind, the error 2."""

    def __init__(self, folder: Path, clock: Clock) -> None:
        self.clock = clock
        self.renewals = self.stops = 0
        command = PlannedCommand("a/b", "a", "b", CommandKind.STREAM, "b", "b", "", "", interval_s=1.0, count=600)
        spool = Spool(folder, CaptureSettings(free_bytes=0), lambda error: None)
        self.run = StreamRun(command, "host-001", "0011aabb", spool, lambda message: None, CaptureSettings())
        self.gaps = GapBook(lambda gap, change: None)
        self.context = cast("Any", SimpleNamespace)(
            session_id=1,
            audit=lambda *_words, **_facts: None,
            settings=CaptureSettings(),
            plan=SimpleNamespace(lease_s=30.0),
            suspends=SimpleNamespace(recent=lambda within_s: None),
            window=SimpleNamespace(started_ns=clock.time_ns(), planned_end_ns=5000 * NS, is_open=lambda: True),
        )
        checks: Any = SimpleNamespace(offset_ns=lambda: BEHIND_NS, latest_offset_ns=lambda: BEHIND_NS + 2 * NS)
        self.links = cast("Any", SimpleNamespace())
        self.streams = HostStreams(self.context, "a", [self.run], self.links, self.gaps, checks)

    def starts(self) -> Start:
        start = self.run.new_start()
        start.started_s = self.clock.s
        start.remote = SimpleNamespace(renew=self._renewed, stop=self._stopped)  # type: ignore[assignment]
        self.run.state = StreamState.CAPTURING
        return start

    def _renewed(self) -> None:
        self.renewals += 1

    def _stopped(self) -> None:
        self.stops += 1

    def ends(self, start: Start, after_s: float, exit_status: int | None = 0, whole: bool = True) -> None:
        self.clock.s = start.started_s + after_s
        start.exit_status = self.run.exit_status = exit_status
        start.whole = whole
        self.streams.ended(Ended(start, exit_status, "", None))


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Host]:
    clock = Clock()
    monkeypatch.setattr(module, "time", clock)
    made = Host(tmp_path, clock)
    yield made
    made.run.spool.close()


@pytest.mark.parametrize(("began_ns", "end_ns"), [(None, 976 * NS), (977 * NS + 1, 977 * NS)])
def test_a_gap_ends_by_the_servers_clock_at_a_whole_second(host: Host, began_ns: int | None, end_ns: int) -> None:
    """1000.5 s here is 976.5 s there; what the server told of itself goes before."""
    host.gaps.open("a/b", 900 * NS, GapCause.NETWORK_LOST, AT)
    start = host.starts()
    start.began_ns = began_ns
    host.clock.s += 0.5
    host.streams.begun(Begun(start))
    assert host.gaps.closed == [CaptureGap("a/b", 900 * NS, end_ns, GapCause.NETWORK_LOST, AT)]


@pytest.mark.parametrize(
    ("cause", "interval_s", "seconds", "missing"),
    [
        (GapCause.SEAM, 2.0, 3, False),
        (GapCause.SEAM, 2.0, 4, True),
        (GapCause.SEAM, 10.0, 15, False),
        (GapCause.SEAM, 10.0, 16, True),
        (GapCause.NETWORK_LOST, 2.0, 3, True),
    ],
)
def test_a_seam_of_one_and_a_half_intervals_misses_nothing(
    host: Host, cause: GapCause, interval_s: float, seconds: int, missing: bool
) -> None:
    host.run.command = replace(host.run.command, interval_s=interval_s)
    host.gaps.open("a/b", 900 * NS, cause, AT)
    start = host.starts()
    start.began_ns = (900 + seconds) * NS
    host.streams.begun(Begun(start))
    assert bool(host.gaps.closed) is missing
    assert host.gaps.of("a/b") is None


def test_a_lease_is_renewed_three_times(host: Host) -> None:
    """Two bytes may be lost on the way, and the wrapper still knows that we are here."""
    host.starts()
    host.streams.renew()
    for _ in range(36):
        host.clock.s += 2.5
        host.streams.renew()
    assert host.renewals == 1 + 90 // 10
    host.run.state = StreamState.DRAINING
    host.clock.s += 30.0
    host.streams.renew()
    assert host.renewals == 10


@pytest.mark.parametrize(
    ("after_s", "exit_status", "whole", "state", "cause"),
    [
        (598.0, 0, True, StreamState.WAITING, GapCause.SEAM),  # its last line came at 599 s, its first at 0
        (597.75, 0, True, StreamState.WAITING, None),
        (598.0, 1, True, StreamState.WAITING, None),
        (598.0, 0, False, StreamState.WAITING, None),
    ],
)
def test_a_seam_follows_only_a_start_that_came_to_its_count(
    host: Host, after_s: float, exit_status: int, whole: bool, state: StreamState, cause: GapCause | None
) -> None:
    host.ends(host.starts(), after_s, exit_status, whole)
    gap = host.gaps.of("a/b")
    assert (host.run.state, gap and gap.cause) == (state, cause)


@pytest.mark.parametrize(
    ("kind", "count", "due_s"),
    [(CommandKind.STREAM, 600, 599), (CommandKind.LOOP, 600, 600), (CommandKind.STREAM, 1, 1)],
)
def test_the_next_start_comes_when_the_one_before_would_have_been_over(
    host: Host, kind: CommandKind, count: int, due_s: int
) -> None:
    """A tool is over with its last row, a loop a round after."""
    host.run.command = replace(host.run.command, kind=kind, count=count)
    start = host.starts()
    began_s = start.started_s
    host.ends(start, max(count - 2, 0) + 0.5)
    begun: list[float] = []
    host.streams.send = lambda run: begun.append(host.clock.s)  # type: ignore[method-assign, func-returns-value, assignment, return-value]
    while not begun and host.clock.s < began_s + 700:
        host.clock.s += 0.25
        host.streams.start_due()
    assert begun == [began_s + due_s]


@pytest.mark.parametrize(("left_s", "state"), [(1.25, StreamState.ENDED), (1.5, StreamState.WAITING)])
def test_no_start_follows_that_would_give_nothing_before_the_end(host: Host, left_s: float, state: StreamState) -> None:
    start = host.starts()
    host.context.window.planned_end_ns = int((start.started_s + 599 + left_s) * NS)
    host.ends(start, 599.0)
    assert host.run.state is state


@pytest.mark.parametrize(("ran_s", "tries"), [(59.75, 4), (60.0, 1)])
def test_a_minute_wipes_the_slate_clean(host: Host, ran_s: float, tries: int) -> None:
    backoff = host.streams._backoffs["a/b"] = Backoff((1.0,))
    backoff.tries = 3
    host.ends(host.starts(), ran_s, exit_status=1)
    assert backoff.tries == tries


def test_after_a_reconnection_everything_that_is_not_over_is_due_but_a_rest_between_two_starts_goes_on(
    host: Host,
) -> None:
    begun: list[float] = []
    host.streams.send = lambda run: begun.append(host.clock.s)  # type: ignore[method-assign, func-returns-value, assignment, return-value]

    def begins() -> list[float]:
        for _ in range(2):  # a connection may be lost before anything is sent
            host.streams.begin_all()
        begun.clear()
        for _ in range(16):
            host.streams.start_due()
            host.clock.s += 0.25
        return list(begun)

    assert begins() == [1000.0]
    host.ends(host.starts(), 598.0)  # 599 s long, so that it rests for a second
    rested_s = host.clock.s + 1.0
    assert begins() == [rested_s]
    host.run.state = StreamState.FAILED
    assert begins() == []
    host.run.state, host.run.stopped = StreamState.WAITING, True
    assert begins() == []
    host.run.stopped = False
    assert len(begins()) == 1
    host.starts()
    assert begins() == []


def test_what_keeps_ending_is_given_up_after_five_restarts(host: Host) -> None:
    states = []
    for _ in range(6):
        host.ends(host.starts(), 1.0, exit_status=1)
        states.append(host.run.state)
    assert states == [StreamState.WAITING] * 5 + [StreamState.FAILED]
    assert host.run.error_key == "capture_keeps_ending"


def refuses(line: str, host: str) -> None:
    raise CommandRefused("command_not_approved", command=line, host=host)


def test_only_what_the_approval_has_is_sent_and_it_stands_in_the_trail(host: Host) -> None:
    trail: list[tuple[str, object]] = []
    host.context.audit = lambda action, **facts: trail.append((action, facts["command_id"]))
    host.context.policy = SimpleNamespace(permit=lambda line, on: None)
    sent: list[str] = []
    host.links.stream = lambda line, start: sent.append(line)
    start = host.streams.send(host.run)
    assert start is not None
    assert sent == ["b"]
    host.ends(start, 1.0, exit_status=1)
    assert trail == [("capture_command", "a/b"), ("capture_command_ended", "a/b")]
    host.context.policy = SimpleNamespace(permit=refuses)
    assert host.streams.send(host.run) is None
    assert (host.run.state, host.run.error_key, len(trail)) == (StreamState.FAILED, "command_not_approved", 2)


@pytest.mark.parametrize(("key", "raised", "due_s"), [("no_channel", False, 1.0), ("lost", True, 0.0)])
def test_a_server_without_another_channel_is_asked_again_a_lost_one_is_told(
    host: Host, key: str, raised: bool, due_s: float
) -> None:
    def fails(line: str, start: Start) -> None:
        raise LinkError(key)

    host.context.policy = SimpleNamespace(permit=lambda line, on: None)
    host.context.settings = CaptureSettings(restart_backoff_s=(1.0,))
    host.links.stream = fails
    host.streams._backoffs["a/b"] = Backoff((1.0,), jitter=0.0)
    host.streams.begin_all()
    with pytest.raises(LinkError) if raised else nullcontext():
        host.streams.start_due()
    assert host.run.current is None
    assert host.streams._due_s == {"a/b": host.clock.s + due_s}


@pytest.mark.parametrize(
    ("stopped", "slept", "state", "gap"),
    [
        (False, None, StreamState.LOST, (GapCause.NETWORK_LOST, "no answer")),
        (False, Sleep(990.0, 12.4), StreamState.LOST, (GapCause.CLIENT_SUSPEND, "12 s")),
        (True, None, StreamState.ENDED, None),
    ],
)
@pytest.mark.parametrize("all_at_once", [True, False])
def test_a_lost_connection_leaves_a_gap_in_what_was_not_to_end(
    host: Host,
    stopped: bool,
    slept: Sleep | None,
    state: StreamState,
    gap: tuple[GapCause, str] | None,
    all_at_once: bool,
) -> None:
    host.context.suspends.recent = lambda within_s: slept if within_s == 30.0 else None
    start = host.starts()
    host.run.stopped = stopped
    if all_at_once:
        host.streams.lost(GapCause.NETWORK_LOST, "no answer")
    else:
        host.streams.ended(Ended(start, None, "no answer", LossCause.NETWORK_LOST))
    found = host.gaps.of("a/b")
    assert (host.run.state, host.run.current) == (state, None)
    assert (found and (found.cause, found.evidence)) == gap
    host.streams.waiting()
    assert host.run.state is (StreamState.WAITING if state is StreamState.LOST else state)


@pytest.mark.parametrize(
    ("stopped", "draining", "is_open"), [(True, False, True), (False, True, True), (False, False, False)]
)
def test_what_ends_when_it_was_to_end_leaves_no_gap(host: Host, stopped: bool, draining: bool, is_open: bool) -> None:
    start = host.starts()
    if draining:
        host.streams.stop_all()
        assert (host.run.state, host.stops) == (StreamState.DRAINING, 1)
    host.run.stopped = stopped
    host.context.window.is_open = lambda: is_open
    host.ends(start, 3.0, exit_status=143)
    assert (host.run.state, host.gaps.of("a/b"), host.run.current) == (StreamState.ENDED, None, None)


def test_a_stream_that_is_stopped_between_two_starts_misses_nothing(host: Host) -> None:
    host.ends(host.starts(), 598.0)
    assert host.gaps.of("a/b") is not None
    host.streams.stop(host.run)
    assert (host.run.state, host.gaps.of("a/b"), host.gaps.closed) == (StreamState.ENDED, None, [])


def test_a_host_is_silent_running_or_over_by_its_streams(host: Host) -> None:
    def told() -> tuple[bool, bool, bool]:
        return host.streams.all_suspect, host.streams.any_running, host.streams.all_over

    assert told() == (False, False, False)
    host.starts()
    assert told() == (False, True, False)
    host.run.state = StreamState.SUSPECT
    assert told() == (True, True, False)
    host.run.stopped = True
    assert told() == (True, True, False)
    host.run.current = None
    assert told() == (False, False, True)
    host.run.stopped, host.run.state = False, StreamState.FAILED
    assert told() == (False, False, True)


def test_a_gap_begins_where_the_last_sample_may_have_been_at_the_latest(host: Host) -> None:
    assert host.streams.last_sample_ns(host.run) == (1000 - 24 + 2) * NS
    host.run.last_sample_ns = 1030 * NS
    assert host.streams.last_sample_ns(host.run) == (1030 - 24 + 2) * NS


@pytest.mark.parametrize(("before_ns", "after_ns"), [(100, 250), (250, 100)])
def test_a_clock_that_was_set_leaves_a_gap_in_what_runs(host: Host, before_ns: int, after_ns: int) -> None:
    host.streams.clock_stepped(before_ns, after_ns, "b")
    assert not host.gaps.closed
    host.starts()
    host.streams.clock_stepped(before_ns, after_ns, "b")
    assert [(gap.start_ns, gap.end_ns, gap.cause) for gap in host.gaps.closed] == [(100, 250, GapCause.CLOCK_STEP)]
