"""When a plan runs."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest

from tunebench.capture.scheduling import PlannedWindow, ScheduledRuns, windows
from tunebench.core.errors import UserError
from tunebench.domain.capturing.plan import CapturePlan, Schedule, ScheduleKind

NOW = int(datetime(2026, 11, 21, 3, 0, tzinfo=UTC).timestamp()) * 10**9
HOUR = 3600 * 10**9


def plan(schedule: Schedule, duration_s: float = 600.0) -> CapturePlan:
    return CapturePlan("0011aabb", "2026-11-21T00:00:00+00:00", "run", "before", (), (), 1.0, duration_s, schedule)


def test_now_begins_now() -> None:
    assert windows(plan(Schedule()), NOW) == (PlannedWindow(1, NOW, NOW + 600 * 10**9),)


@pytest.mark.parametrize(
    ("kind", "at", "start_ns"),
    [
        (kind, at, NOW if kind is ScheduleKind.NOW or not at else NOW + 2 * HOUR)
        for kind in ScheduleKind
        for at in ("", "2026-11-21T14:00:00")
    ],
)
def test_a_time_counts_only_where_the_schedule_asks_for_one_and_has_it(
    kind: ScheduleKind, at: str, start_ns: int
) -> None:
    assert windows(plan(Schedule(kind, at)), NOW)[0].start_ns == start_ns


def test_a_wall_clock_time_is_that_of_the_engagement() -> None:
    (window,) = windows(plan(Schedule(ScheduleKind.AT, "2026-11-21T14:00:00")), NOW)  # Seoul: 05:00 UTC
    assert window.start_ns == NOW + 2 * HOUR


def test_an_offset_is_taken_as_it_stands() -> None:
    (window,) = windows(plan(Schedule(ScheduleKind.AT, "2026-11-21T14:00:00+02:00")), NOW)  # 12:00 UTC
    assert window.start_ns == NOW + 9 * HOUR


def test_every_hour_three_times_leaves_out_what_is_over() -> None:
    schedule = Schedule(ScheduleKind.EVERY, "2026-11-21T11:30:00+09:00", every_s=3600, times=3)  # 02:30 UTC
    assert [(window.number, window.start_ns) for window in windows(plan(schedule), NOW)] == [
        (2, NOW + HOUR // 2),
        (3, NOW + HOUR // 2 + HOUR),
    ]


def test_a_window_that_is_still_open_is_not_left_out() -> None:
    schedule = Schedule(ScheduleKind.AT, "2026-11-21T11:55:00+09:00")
    assert windows(plan(schedule), NOW)[0].start_ns == NOW - 300 * 10**9
    with pytest.raises(UserError):
        windows(plan(schedule, duration_s=300.0), NOW)  # it ends now


def test_a_repetition_runs_at_least_once() -> None:
    schedule = Schedule(ScheduleKind.EVERY, every_s=3600, times=0)
    assert windows(plan(schedule), NOW) == (PlannedWindow(1, NOW, NOW + 600 * 10**9),)


@pytest.mark.parametrize(("at", "key"), [("2026-11-20T14:00:00", "schedule_past"), ("at two", "schedule_unreadable")])
def test_what_cannot_be_kept_is_refused(at: str, key: str) -> None:
    with pytest.raises(UserError) as refusal:
        windows(plan(Schedule(ScheduleKind.AT, at)), NOW)
    assert refusal.value.key == key


def test_each_window_is_begun_once_and_a_refusal_does_not_stop_the_next() -> None:
    now = time.time_ns()
    planned = tuple(PlannedWindow(n + 1, now + n * 10**8, now + 10**10) for n in range(3))
    begun: list[int] = []
    refused: list[tuple[int, str]] = []

    def begin(window: PlannedWindow) -> None:
        if window.number == 2:
            raise UserError("disk_full", path="x")
        begun.append(window.number)

    runs = ScheduledRuns(planned, begin, lambda window, error: refused.append((window.number, error.key)))
    runs.start()
    assert runs.wait(60.0)
    assert (begun, refused) == ([1, 3], [(2, "disk_full")])
    assert runs.next_window is None


def test_a_cancelled_schedule_begins_nothing_more() -> None:
    begun: list[int] = []
    later = PlannedWindow(1, time.time_ns() + HOUR, time.time_ns() + 2 * HOUR)
    runs = ScheduledRuns((later,), lambda window: begun.append(window.number), lambda window, error: None)
    runs.start()
    assert runs.next_window == later
    runs.cancel()
    assert runs.wait(60.0)
    assert not begun


def test_a_window_that_closed_meanwhile_is_left_out() -> None:
    now, begun = time.time_ns(), []
    runs = ScheduledRuns(
        (PlannedWindow(1, now - 2 * HOUR, now - HOUR), PlannedWindow(2, now - 1, now + HOUR)),
        lambda window: begun.append(window.number),
        lambda window, error: None,
    )
    runs.start()
    assert runs.wait(60.0)
    assert begun == [2]
