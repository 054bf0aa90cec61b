"""Reads the values of the watched stream off the main thread, again and again while somebody looks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from app.core.errors import UserError
from app.ui.capturing.capture_controller import CaptureController
from app.ui.capturing.live_lines import LiveColumns
from app.ui.jobs_bridge import JobsBridge
from app.usecases.capturing import plans as capture_plans

if TYPE_CHECKING:
    from app.domain.capturing.plan import CapturePlan
    from app.domain.series import SeriesInfo
    from app.usecases.capturing.collecting import LiveTail
    from app.usecases.capturing.collecting import LiveView as Seen

    NewColumns = list[tuple[str, int, SeriesInfo]]


class LiveFeed(QObject):
    """Signals:
    grew: there are new rows.
    named: there are new series (before `grew`).
    refused: carries a `UserError` or None: why there is nothing to see.
    """

    grew = Signal()
    named = Signal()
    refused = Signal(object)

    def __init__(self, controller: CaptureController, jobs: JobsBridge, parent: QObject) -> None:
        super().__init__(parent)
        self._controller, self._jobs = controller, jobs
        self.columns = LiveColumns()
        self.key: tuple[int, str] | None = None
        self._tail: LiveTail | None = None
        self._plan: CapturePlan | None = None
        self._version = -1
        self._busy = False

    def watch(self, session_id: int, stream_id: str) -> None:
        """Another stream; nothing happens where it is watched already."""
        if self.key == (session_id, stream_id):
            return
        self.leave()
        self.key, self._plan = (session_id, stream_id), self._controller.plan_of(session_id)
        self.refused.emit(None)
        if self._controller.is_over(session_id):
            self.refused.emit(UserError("capture_live_over"))
            return
        try:
            self._tail = self._controller.watch(session_id, stream_id)
        except UserError as error:
            self.refused.emit(error)

    def leave(self) -> None:
        if self._tail is not None:
            self._tail.close()
        self._tail, self.key, self._plan = None, None, None
        self.columns = LiveColumns()
        self._version, self._busy = -1, False

    def read(self) -> None:
        """Asks for what there is by now; the last question must have been answered first."""
        tail, plan, key = self._tail, self._plan, self.key
        if tail is None or plan is None or key is None or self._busy:
            return
        if self._controller.is_over(key[0]):  # the journal has gone into the project; what was drawn stays
            tail.close()
            self._tail = None
            return
        self._busy = True
        known, version = self.columns.known, self._version
        self._jobs.run(
            "cpu",
            lambda _handle: _read(tail, plan, key[1], known, version),
            owner=self,
            slot="live",
            on_result=lambda seen: self._take(tail, seen),
            on_error=self._fail,
            on_cancelled=self._cancelled,
        )

    def _take(self, tail: Any, seen: tuple[Seen, NewColumns] | None) -> None:
        if tail is not self._tail:
            return
        self._busy = False
        if seen is None:
            return
        picture, new = seen
        if picture.error_key:
            self._tail = None
            self.refused.emit(UserError(picture.error_key))
        elif picture.version != self._version:
            self._version = picture.version
            self.columns.take(picture.tables, new)
            if new:
                self.named.emit()
            self.grew.emit()

    def _fail(self, error: UserError) -> None:
        self._busy = False
        self.refused.emit(error)

    def _cancelled(self) -> None:
        self._busy = False


def _read(
    tail: LiveTail, plan: CapturePlan, stream_id: str, known: Mapping[str, int], version: int
) -> tuple[Seen, NewColumns] | None:
    """What is to be seen, with what the new columns are; None where the journal is just being stored."""
    try:
        seen = tail.read()
    except OSError:
        return None
    if seen.version == version:
        return seen, []
    new: NewColumns = []
    first_id = sum(known.values()) + 1
    for table in seen.tables:
        first = known.get(table.table, 0)
        infos = capture_plans.describe_columns(plan, stream_id, table.series[first:], first_id + len(new))
        new.extend((table.table, column, info) for column, info in enumerate(infos, first))
    return seen, new
