"""From the rows of a watched stream to the lines of a chart. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum, auto
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from app.analysis.series import Envelope
from app.domain.series import SeriesInfo
from app.ui.charts.default_series import default_rows
from app.ui.charts.envelope_feed import interval_ns
from app.ui.charts.lines import ChartLine
from app.ui.charts.outline import covering_index, visible_slice
from app.ui.charts.time_range import TimeRange

if TYPE_CHECKING:
    from app.usecases.capturing.collecting import LiveTable

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
        """New rows, and the series of the columns that were not known: (table, column, series)."""
        self._tables = {table.table: table for table in tables}
        for table, column, info in new:
            self.infos[info.id] = info
            self._places[info.id] = (table, column)

    def values(self, series_id: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Times and values; both empty where the stream has no such series."""
        table, column = self._places.get(series_id, ("", 0))
        if table not in self._tables:
            return np.empty(0, np.int64), np.empty(0, np.float64)
        found = self._tables[table]
        return found.times_ns, found.values[:, column]

    def last(self, series_id: int) -> tuple[int, float] | None:
        """The last sample."""
        times, values = self.values(series_id)
        known = np.flatnonzero(~np.isnan(values))
        return (int(times[known[-1]]), float(values[known[-1]])) if known.size else None

    def at(self, series_id: int, time_ns: int) -> tuple[int, float] | None:
        """The sample whose interval holds `time_ns`."""
        times, values = self.values(series_id)
        known = np.flatnonzero(~np.isnan(values))
        index = covering_index(times[known], time_ns, interval_ns(self.infos[series_id])) if known.size else None
        return None if index is None else (int(times[known[index]]), float(values[known[index]]))

    def load(self, series_id: int) -> float:
        """Mean of the last values."""
        values = self.values(series_id)[1][-RECENT_ROWS:]
        known = values[~np.isnan(values)]
        return float(known.mean()) if known.size else 0.0

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
    known = times_ns[~np.isnan(values)]
    if not known.size:
        line.captured = None
        line.show(None)
        return
    end_ns = int(known[-1]) if after is After.NOTHING else max(view.end_ns, int(known[0]) + 1)
    line.captured = TimeRange(int(known[0]) - 1, end_ns)
    line.show(Envelope(times, times, seen, seen, seen, 1))
    if after is After.GAP and int(known[-1]) < view.end_ns:
        line.gaps.append(TimeRange(int(known[-1]), view.end_ns))
