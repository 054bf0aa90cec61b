"""Reads the values of the watched stream off the main thread, again and again while somebody looks, as lines of a
chart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum, auto
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from tunebench.analysis.exploring.outline import covering_index, visible_slice
from tunebench.analysis.exploring.time_range import TimeRange
from tunebench.analysis.series import Envelope
from tunebench.core.errors import UserError
from tunebench.domain.series import SeriesInfo
from tunebench.ui.capturing.capture_controller import CaptureController
from tunebench.ui.charts.lines import ChartLine
from tunebench.ui.jobs_bridge import JobsBridge
from tunebench.usecases.capturing import plans as capture_plans
from tunebench.usecases.exploring.reading import interval_ns
from tunebench.usecases.exploring.strands import default_rows

if TYPE_CHECKING:
    from tunebench.capture.live import LiveTable


MOST_DEFAULT_ROWS = 4
RECENT_ROWS = 60


class LiveColumns:
    """Where each series of a stream stands: series id -> table and column."""

    def __init__(self) -> None:
        self.infos: dict[int, SeriesInfo] = {}
        self._tables: dict[str, LiveTable] = {}
        self._places: dict[int, tuple[str, int]] = {}

    @property
    def known(self) -> dict[str, int]:
        """How many columns of each table have their series."""
        return {name: len(table.series) for name, table in self._tables.items()}

    def take(self, tables: Sequence[LiveTable], new: Sequence[tuple[str, int, SeriesInfo]]) -> None:
        """Takes new rows, and the series of new columns: (table, column, series)."""
        self._tables = {table.table: table for table in tables}
        for table, column, info in new:
            self.infos[info.id] = info
            self._places[info.id] = (table, column)

    def values(self, series_id: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Times and values; both empty where the stream has no such series."""
        table, column = self._places.get(series_id, ("", 0))
        if table not in self._tables:
            return np.empty(0, np.int64), np.empty(0, np.float64)
        samples = self._tables[table]
        return samples.times_ns, samples.values[:, column]

    def last(self, series_id: int) -> tuple[int, float] | None:
        """The last sample."""
        times, values = self.values(series_id)
        measured = np.flatnonzero(~np.isnan(values))
        return (int(times[measured[-1]]), float(values[measured[-1]])) if measured.size else None

    def at(self, series_id: int, time_ns: int) -> tuple[int, float] | None:
        """The sample whose interval holds `time_ns`."""
        times, values = self.values(series_id)
        measured = np.flatnonzero(~np.isnan(values))
        index = covering_index(times[measured], time_ns, interval_ns(self.infos[series_id])) if measured.size else None
        return None if index is None else (int(times[measured[index]]), float(values[measured[index]]))

    def load(self, series_id: int) -> float:
        """Mean of the last values."""
        values = self.values(series_id)[1][-RECENT_ROWS:]
        measured = values[~np.isnan(values)]
        return float(measured.mean()) if measured.size else 0.0

    def default_rows(self) -> list[list[int]]:
        """What tells where it hurts; never more than fit."""
        return default_rows(list(self.infos.values()), self.load)[:MOST_DEFAULT_ROWS]


class After(Enum):
    """What comes after the last sample: the next one, a gap, or nothing because the stream has ended."""

    MORE = auto()
    GAP = auto()
    NOTHING = auto()


def draw(
    line: ChartLine, times_ns: NDArray[np.int64], values: NDArray[np.float64], view: TimeRange, after: After
) -> None:
    """Gives `line` the samples in sight."""
    inside = visible_slice(times_ns, view)
    times, seen = times_ns[inside], values[inside]
    measured = times_ns[~np.isnan(values)]
    if not measured.size:
        line.captured = None
        line.show(None)
        return
    end_ns = int(measured[-1]) if after is After.NOTHING else max(view.end_ns, int(measured[0]) + 1)
    line.captured = TimeRange(int(measured[0]) - 1, end_ns)
    line.show(Envelope(times, times, seen, seen, seen, 1))
    if after is After.GAP and int(measured[-1]) < view.end_ns:
        line.gaps.append(TimeRange(int(measured[-1]), view.end_ns))


if TYPE_CHECKING:
    from tunebench.capture.live import LiveTail, LiveView
    from tunebench.domain.capturing.plan import CapturePlan
    from tunebench.domain.series import SeriesInfo

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
        counts, version = self.columns.known, self._version
        self._jobs.run(
            "cpu",
            lambda _handle: _read(tail, plan, key[1], counts, version),
            owner=self,
            slot="live",
            on_result=lambda seen: self._take(tail, seen),
            on_error=self._fail,
            on_cancelled=self._cancelled,
        )

    def _take(self, tail: LiveTail, seen: tuple[LiveView, NewColumns] | None) -> None:
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
    tail: LiveTail, plan: CapturePlan, stream_id: str, counts: Mapping[str, int], version: int
) -> tuple[LiveView, NewColumns] | None:
    """What is to be seen, with what the new columns are; None where the journal is just being stored."""
    try:
        seen = tail.read()
    except OSError:
        return None
    if seen.version == version:
        return seen, []
    new: NewColumns = []
    first_id = sum(counts.values()) + 1
    for table in seen.tables:
        first = counts.get(table.table, 0)
        infos = capture_plans.describe_columns(plan, stream_id, table.series[first:], first_id + len(new))
        new.extend((table.table, column, info) for column, info in enumerate(infos, first))
    return seen, new
