"""A stream that falls silent: suspect, then either late or missing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tunebench.capture import silence as module
from tunebench.capture.settings import CaptureSettings
from tunebench.capture.silence import SilenceWatch
from tunebench.capture.spool import Spool
from tunebench.capture.stream import Start, StreamRun
from tunebench.domain.capturing.plan import CommandKind, PlannedCommand


class Now:
    def __init__(self) -> None:
        self.s = 1000.0

    def monotonic(self) -> float:
        return self.s

    def time_ns(self) -> int:
        return int(self.s * 1e9)


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> Now:
    clock = Now()
    monkeypatch.setattr(module, "time", clock)
    return clock


@pytest.fixture
def run(tmp_path: Path, now: Now) -> StreamRun:
    command = PlannedCommand("a/b", "a", "b", CommandKind.STREAM, "b", "b", "", "", interval_s=1.0, count=600)
    spool = Spool(tmp_path, CaptureSettings(free_bytes=0), lambda error: None)
    made = StreamRun(command, "host-001", "0011aabb", spool, lambda message: None, CaptureSettings())
    made.current = Start(made, 1)
    made.current.started_s = now.s
    return made


def line(run: StreamRun, now: Now, count: int = 1) -> None:
    assert run.current is not None
    run.lines += count
    run.current.lines += count
    run.last_line_s, run.last_sample_ns = now.s, int(now.s * 1e9)


def passes(watch: SilenceWatch, run: StreamRun, now: Now, seconds: int, lines: int = 0) -> list[int]:
    """Seconds in which the stream became suspect; `lines` come in each."""
    fell = []
    for second in range(seconds):
        now.s += 1.0
        if lines:
            line(run, now, lines)
        if watch.fell_silent(run):
            fell.append(second)
    return fell


def test_a_line_each_interval_is_never_suspect(run: StreamRun, now: Now) -> None:
    assert passes(SilenceWatch(3.0, 2.0), run, now, 60, lines=1) == []


def test_three_intervals_without_a_line_are_told_once(run: StreamRun, now: Now) -> None:
    watch = SilenceWatch(3.0, 2.0)
    passes(watch, run, now, 10, lines=1)
    assert passes(watch, run, now, 10) == [3]  # more than three seconds have passed in the fourth


def test_lines_that_were_only_late_leave_no_gap(run: StreamRun, now: Now) -> None:
    watch = SilenceWatch(3.0, 2.0)
    passes(watch, run, now, 10, lines=1)
    passes(watch, run, now, 6)
    line(run, now, 6)  # all at once, as after a lossy stretch
    assert watch.spoke_again(run) is None  # the rest of the burst may still be on its way
    now.s += 1.1
    resumed = watch.spoke_again(run)
    assert resumed is not None
    assert not resumed.missing


@pytest.mark.parametrize(("came", "missing"), [(1, True), (2, True), (3, False), (5, False), (6, False)])
def test_half_of_the_expected_lines_are_enough_to_have_been_late(
    run: StreamRun, now: Now, came: int, missing: bool
) -> None:
    """One line a second, silent for six seconds."""
    watch = SilenceWatch(3.0, 2.0)
    passes(watch, run, now, 10, lines=1)
    passes(watch, run, now, 6)
    line(run, now, came)
    assert watch.spoke_again(run) is None
    now.s += 1.1
    resumed = watch.spoke_again(run)
    assert resumed is not None
    assert resumed.missing is missing


def test_lines_that_never_came_are_missing(run: StreamRun, now: Now) -> None:
    watch = SilenceWatch(3.0, 2.0)
    passes(watch, run, now, 10, lines=1)
    passes(watch, run, now, 6)
    line(run, now)
    back_ns = int(now.s * 1e9)
    assert watch.spoke_again(run) is None
    now.s += 1.1
    line(run, now)
    resumed = watch.spoke_again(run)
    assert resumed is not None
    assert resumed.missing
    assert resumed.resumed_ns == back_ns


def test_a_stream_that_never_spoke_is_suspect_but_misses_nothing(run: StreamRun, now: Now) -> None:
    watch = SilenceWatch(3.0, 2.0)
    assert passes(watch, run, now, 5) == [3]
    line(run, now)
    assert watch.spoke_again(run) is None
    now.s += 1.1
    resumed = watch.spoke_again(run)
    assert resumed is not None
    assert not resumed.missing


def test_what_does_not_repeat_is_never_suspect(run: StreamRun, now: Now, tmp_path: Path) -> None:
    command = PlannedCommand("a/c", "a", "c", CommandKind.ONCE, "c", "c", "", "")
    once = StreamRun(command, "host-001", "0011aabb", run.spool, lambda message: None, CaptureSettings())
    once.current = Start(once, 1)
    once.current.started_s = now.s
    assert passes(SilenceWatch(3.0, 2.0), once, now, 60) == []


@pytest.mark.parametrize(("interval_s", "fell"), [(0.5, [2]), (1.0, [3]), (5.0, [15])])
def test_three_intervals_but_never_less_than_two_seconds(
    run: StreamRun, now: Now, interval_s: float, fell: list[int]
) -> None:
    run.command = replace(run.command, interval_s=interval_s)
    assert passes(SilenceWatch(3.0, 2.0), run, now, 20) == fell


@pytest.mark.parametrize(("after_s", "over"), [(0.0, False), (0.75, False), (1.0, True), (5.0, True)])
def test_a_second_after_its_first_line_the_silence_is_over(
    run: StreamRun, now: Now, after_s: float, over: bool
) -> None:
    watch = SilenceWatch(3.0, 2.0)
    passes(watch, run, now, 1, lines=1)
    passes(watch, run, now, 6)
    assert watch.spoke_again(run) is None
    line(run, now)
    back_ns = now.time_ns()
    now.s += after_s
    resumed = watch.spoke_again(run)
    assert (None if resumed is None else (resumed.missing, resumed.resumed_ns)) == ((True, back_ns) if over else None)


def test_the_silence_of_a_start_that_ended_is_forgotten(run: StreamRun, now: Now) -> None:
    watch = SilenceWatch(3.0, 2.0)
    assert watch.spoke_again(run) is None
    assert passes(watch, run, now, 10) == [3]
    watch.forget(run)
    line(run, now)
    now.s += 1.1
    assert watch.spoke_again(run) is None
    assert passes(watch, run, now, 10) == [1]  # 3.1 s after its line
