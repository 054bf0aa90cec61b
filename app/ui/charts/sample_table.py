"""The same samples as a table: for screen readers, for copying, for looking at exact figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

from app.analysis.series import SeriesData
from app.ui.charts.time_ticks import stamp_text
from app.ui.look.formats import format_value
from app.ui.look.language import text
from app.ui.tables.column import Column

MOST_ROWS = 200_000


@dataclass(frozen=True, slots=True)
class SampleColumn:
    name: str
    unit: str
    data: SeriesData


@dataclass(frozen=True, slots=True)
class SampleGrid:
    """Samples of several series on the union of their stamps.

    Attributes:
        times_ns: int64[r].
        rows: per column int64[r], the index into the column's own samples, -1 where it has none then.
        cut: whether rows beyond `MOST_ROWS` were left out.
    """

    times_ns: NDArray[np.int64]
    columns: tuple[SampleColumn, ...]
    rows: tuple[NDArray[np.int64], ...]
    cut: bool


def sample_grid(columns: Sequence[SampleColumn], most: int = MOST_ROWS) -> SampleGrid:
    """Lines the columns up by stamp. A stamp that a column repeats (a clock put back) shows its first sample."""
    stamps = [column.data.times_ns for column in columns]
    times = np.unique(np.concatenate(stamps)) if stamps else np.empty(0, dtype=np.int64)
    cut, times = times.size > most, times[:most]
    rows = []
    for own in stamps:
        order = np.argsort(own, kind="stable")
        place = np.searchsorted(own[order], times, side="left")
        found = np.full(times.size, -1, dtype=np.int64)
        inside = place < own.size
        hits = np.zeros(times.size, dtype=np.bool_)
        hits[inside] = own[order][place[inside]] == times[inside]
        found[hits] = order[place[hits]]
        rows.append(found)
    return SampleGrid(times, tuple(columns), tuple(rows), cut)


def sample_columns(grid: SampleGrid, zone: ZoneInfo) -> list[Column[int]]:
    """One column per series beside the time; a row is an index into `SampleGrid.times_ns`."""
    stamps: Column[int] = Column("time", "ui.charts.table.time", lambda row: stamp_text(int(grid.times_ns[row]), zone))
    return [stamps, *map(_series_column, grid.columns, grid.rows)]


def _series_column(column: SampleColumn, samples: NDArray[np.int64]) -> Column[int]:
    def value(row: int) -> float | None:
        found = float(column.data.values[samples[row]]) if samples[row] >= 0 else np.nan
        return None if np.isnan(found) else found

    def since_boot(row: int) -> bool:
        return bool(samples[row] >= 0 and column.data.since_boot[samples[row]])

    def words(row: int) -> str:
        if samples[row] < 0:
            return ""
        shown = format_value(float(column.data.values[samples[row]]))
        return text("ui.charts.since_boot.value", value=shown) if since_boot(row) else shown

    heading = f"{column.name} [{column.unit}]" if column.unit else column.name
    return Column(
        column.name,
        lambda: heading,
        words,
        value,
        tip=lambda row: text("ui.charts.since_boot.cell") if since_boot(row) else None,
    )
