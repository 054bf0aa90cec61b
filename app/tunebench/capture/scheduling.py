"""When a plan runs: now, at a moment, or again and again. Each time is a session of its own."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from zoneinfo import ZoneInfo

from tunebench.core.errors import UserError
from tunebench.core.records import record
from tunebench.domain.capturing.plan import CapturePlan, ScheduleKind

_NS = 1_000_000_000
_LOOK_S = 0.5


@record
class PlannedWindow:
    """One running of a plan, UTC nanoseconds; `number` counts from 1."""

    number: int
    start_ns: int
    end_ns: int


def windows(plan: CapturePlan, now_ns: int) -> tuple[PlannedWindow, ...]:
    """The runnings of the plan that are not over at `now_ns`, in order.

    Raises:
        UserError: schedule_past where none is left, schedule_unreadable.
    """
    upcoming = tuple(window for window in _all_windows(plan, now_ns) if window.end_ns > now_ns)
    if not upcoming:
        raise UserError("schedule_past", at=plan.schedule.at)
    return upcoming


def _all_windows(plan: CapturePlan, now_ns: int) -> Iterator[PlannedWindow]:
    schedule = plan.schedule
    first_ns = now_ns if schedule.kind is ScheduleKind.NOW or not schedule.at else _moment_ns(schedule.at, plan.zone)
    times = max(schedule.times, 1) if schedule.kind is ScheduleKind.EVERY else 1
    for number in range(times):
        start_ns = first_ns + number * schedule.every_s * _NS
        yield PlannedWindow(number + 1, start_ns, start_ns + round(plan.duration_s * _NS))


def _moment_ns(at: str, zone: str) -> int:
    """UTC nanoseconds of an ISO time; without an offset it is the engagement's wall clock."""
    try:
        moment = datetime.fromisoformat(at)
    except ValueError as error:
        raise UserError("schedule_unreadable", at=at) from error
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=ZoneInfo(zone))
    return round(moment.timestamp()) * _NS


class ScheduledRuns:
    """Starts one session per window.

    Args:
        begin: starts the session of a window and returns at once; called on this object's thread when the window
            opens. A window that could not be opened in time (the machine slept) is begun late if it is still open,
            and left out if it is not.
        failed: hears why a window could not be begun; the following ones are still tried.
    """

    def __init__(
        self,
        planned: tuple[PlannedWindow, ...],
        begin: Callable[[PlannedWindow], None],
        failed: Callable[[PlannedWindow, UserError], None],
    ) -> None:
        self._planned = planned
        self._begin = begin
        self._failed = failed
        self._cancelled = threading.Event()
        self._position = 0
        self._thread = threading.Thread(target=self._run, name="capture-schedule", daemon=True)

    def start(self) -> None:
        self._thread.start()

    @property
    def next_window(self) -> PlannedWindow | None:
        """The one that is waited for; None after the last."""
        position = self._position
        return self._planned[position] if position < len(self._planned) else None

    def cancel(self) -> None:
        """No further session is begun; those that run go on."""
        self._cancelled.set()

    def wait(self, timeout_s: float) -> bool:
        """Whether nothing is waited for any more."""
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while (window := self.next_window) is not None:
            if not self._wait_for(window):
                return
            if time.time_ns() < window.end_ns:
                try:
                    self._begin(window)
                except UserError as error:
                    self._failed(window, error)
            self._position += 1

    def _wait_for(self, window: PlannedWindow) -> bool:
        """Waits for a window by the wall clock, in short steps: a machine may sleep or be set. False when cancelled."""
        while (left_s := (window.start_ns - time.time_ns()) / _NS) > 0:
            if self._cancelled.wait(min(left_s, _LOOK_S)):
                return False
        return not self._cancelled.is_set()
