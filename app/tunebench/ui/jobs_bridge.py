"""The only place where threads meet Qt.

Work runs in the lanes of `tunebench.usecases.jobs`; a timer on the main thread looks at the jobs and delivers
progress, result or error there. A job belongs to a `slot` of its owner: starting another job in the same
slot makes the older one's answer late, and late answers are dropped by their job id.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import field
from typing import TYPE_CHECKING, Any, TypeVar

import shiboken6
from PySide6.QtCore import QObject, QTimer, Signal

from tunebench.core.errors import Cancelled, UserError
from tunebench.core.records import record

if TYPE_CHECKING:
    from tunebench.usecases.jobs import Job, JobHandle, JobLanes

log = logging.getLogger(__name__)
T = TypeVar("T")

REPLACED = frozenset({"series_missing", "artefact_missing"})
"""Refusals of what was there when it was asked for."""
POLL_MS = 100
QUICK_POLL_MS = 15


@record(frozen=False)
class Ticket:
    """A job as the window sees it.

    Attributes:
        title_key, facts: what it is called in the status bar; empty for quick background reads.
        fraction: 0..1, or None while unknown.
    """

    job: Job[Any]
    owner: QObject
    slot: str
    title_key: str = ""
    facts: dict[str, object] = field(default_factory=dict)
    fraction: float | None = None
    progress_key: str = ""
    progress_facts: dict[str, object] = field(default_factory=dict)
    on_result: Callable[[Any], object] | None = None
    on_error: Callable[[UserError], None] | None = None
    on_cancelled: Callable[[], None] | None = None
    on_progress: Callable[[Ticket], None] | None = None
    late: bool = False
    overtaken: bool = False
    cancel_asked: bool = False

    @property
    def id(self) -> int:
        return int(self.job.id)

    def cancel(self) -> None:
        self.cancel_asked = True
        self.job.cancel()


class JobsBridge(QObject):
    """Starts jobs and brings their answers to the main thread.

    Signals:
        jobs_changed: a titled job began, moved or ended (the status bar listens).
        failed: a `UserError` that nobody else handled.
        crashed: an unexpected exception of a job.
    """

    jobs_changed = Signal()
    failed = Signal(object)
    crashed = Signal(object)

    def __init__(self, lanes: JobLanes, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lanes = lanes
        self._tickets: list[Ticket] = []
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.poll)

    def run(
        self,
        lane: str,
        work: Callable[[JobHandle], T],
        *,
        owner: QObject,
        slot: str,
        on_result: Callable[[T], object] | None = None,
        on_error: Callable[[UserError], None] | None = None,
        on_cancelled: Callable[[], None] | None = None,
        on_progress: Callable[[Ticket], None] | None = None,
        title_key: str = "",
        facts: dict[str, object] | None = None,
    ) -> Ticket:
        """Start `work(handle)` in `lane` (``"db"`` or ``"cpu"``).

        Callbacks come on the main thread, and only while `owner` lives and this is still the newest job in
        its `slot`. A job with a `title_key` is shown in the status bar and can be cancelled there; one
        without is a quick read, polled more often.
        """
        for older in self._tickets:
            if older.owner is owner and older.slot == slot and not older.late:
                older.late = True
                if not older.title_key:
                    older.job.cancel()
        job: Job[T] = self._lanes.submit(lane, work)
        ticket = Ticket(
            job,
            owner,
            slot,
            title_key,
            dict(facts or {}),
            on_result=on_result,
            on_error=on_error,
            on_cancelled=on_cancelled,
            on_progress=on_progress,
        )
        self._tickets.append(ticket)
        self._pace()
        if title_key:
            self.jobs_changed.emit()
        return ticket

    def titled(self) -> list[Ticket]:
        """Jobs that the user should see."""
        return [t for t in self._tickets if t.title_key]

    @property
    def busy(self) -> bool:
        return bool(self._tickets)

    def overtake(self) -> None:
        """The project has changed: what is being read now was asked of the project as it was.

        Where that is gone, the read counts as cancelled: series that a capture read again has replaced are not
        missing, and the views ask anew for those that took their place.
        """
        for ticket in self._tickets:
            ticket.overtaken = True

    def drop(self, owner: QObject) -> None:
        """What `owner` asked for is of something else than it shows now: it wants none of the answers."""
        for ticket in self._tickets:
            if ticket.owner is owner:
                ticket.late = True
                ticket.cancel()

    def drop_all(self) -> None:
        """Drops all answers: another project is shown."""
        for ticket in self._tickets:
            ticket.late = True
            ticket.cancel()

    def wait(self, seconds: float) -> bool:
        """Let running work come to its end, for closing a project; whether it did."""
        deadline = time.monotonic() + seconds
        while any(not t.job.done for t in self._tickets):
            if time.monotonic() > deadline:
                return False
            time.sleep(0.01)
        self.poll()
        return True

    def poll(self) -> None:
        for ticket in list(self._tickets):
            if ticket.job.done:
                self._tickets.remove(ticket)
                self._deliver(ticket)
                if ticket.title_key:
                    self.jobs_changed.emit()
            elif ticket.title_key:
                self._look_at_progress(ticket)
        self._pace()

    def _pace(self) -> None:
        if not self._tickets:
            self._timer.stop()
            return
        quick = any(not t.title_key for t in self._tickets)
        wanted = QUICK_POLL_MS if quick else POLL_MS
        if not self._timer.isActive() or self._timer.interval() != wanted:
            self._timer.start(wanted)

    def _look_at_progress(self, ticket: Ticket) -> None:
        seen = ticket.job.progress
        state = (seen.fraction, seen.key, dict(seen.facts))
        if state == (ticket.fraction, ticket.progress_key, ticket.progress_facts):
            return
        ticket.fraction, ticket.progress_key, ticket.progress_facts = state
        if ticket.on_progress and _wanted(ticket):
            ticket.on_progress(ticket)
        self.jobs_changed.emit()

    def _deliver(self, ticket: Ticket) -> None:
        error = ticket.job.error
        if error is not None and not isinstance(error, UserError | Cancelled):
            log.error("a job failed", exc_info=error)
            self.crashed.emit(error)
        if not _wanted(ticket):
            return
        if error is None:
            if ticket.on_result:
                ticket.on_result(ticket.job.result())
        elif isinstance(error, UserError) and not (ticket.overtaken and error.key in REPLACED):
            (ticket.on_error or self.failed.emit)(error)
        elif ticket.on_cancelled:
            ticket.on_cancelled()


def while_wanted(handle: JobHandle, things: Iterable[T]) -> Iterator[T]:
    """Yields one after the other; raises Cancelled before the next once the answer is not wanted any more."""
    for entry in things:
        handle.raise_if_cancelled()
        yield entry


def _wanted(ticket: Ticket) -> bool:
    return not ticket.late and shiboken6.isValid(ticket.owner)
