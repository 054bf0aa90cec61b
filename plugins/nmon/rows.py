"""Rows of one clock, put together from one or many sections: CPU001 ... CPU128, DISKBUSY ... DISKBUSY6."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tunebench.families.delimited import read_cells
from tunebench.sdk import LedgerBook, SampleBatch, SeriesKey, record


class _Series(NamedTuple):
    """The series of some parts, one part beside the other; `twice`: one of them stands in two parts."""

    keys: tuple[SeriesKey, ...]
    twice: bool


class Part:
    """One section under one heading; `series` grows where rows hold more cells than the heading names.

    Attributes:
        continued: which of the sections that go on where another ends (``1``: DISKBUSY1); empty for the first.
    """

    __slots__ = ("continued", "series")

    def __init__(self, series: tuple[SeriesKey, ...], continued: str = "") -> None:
        self.series = series
        self.continued = continued


Numbers = NDArray[np.float64]
Integers = NDArray[np.int64]


@record(frozen=False)
class _Rows:
    """n rows of one part; `values` are float64[n, cells]. Those of one turn are in the order of their lines."""

    turn: int
    times_ns: Integers
    lines: Integers
    part: Part
    values: Numbers

    def those(self, wanted: NDArray[np.bool_]) -> Iterator[_Rows]:
        if wanted.all():
            yield self
        elif wanted.any():
            yield _Rows(self.turn, self.times_ns[wanted], self.lines[wanted], self.part, self.values[wanted])


class SectionRows:
    """The rows of one table until `flush`."""

    def __init__(self, table: str, book: LedgerBook) -> None:
        self.table = table
        self._book = book
        self._rows: list[_Rows] = []
        self._turn = 0
        self._series: dict[tuple[Part, ...], _Series] = {}

    def __len__(self) -> int:
        return len(self._rows)

    def begin_turn(self) -> None:
        """Begins a turn: rows of it follow those of the turn before, whatever their lines."""
        self._turn += 1

    def add(self, time_ns: int, number: int, part: Part, cells: list[bytes], tells_absence: bool = False) -> None:
        """Adds and books a row. Cells of text are missing values; a row of nothing else is no row of numbers."""
        numbers, text = read_cells(cells)
        values = np.array([numbers])
        self.begin_turn()
        self.add_rows(
            np.array([time_ns]), np.array([number]), part, without_absent(values) if tells_absence else values
        )
        if any(text):
            self._book.warn("nmon_text_cells")
        if all(text):
            self._book.data_became_skipped("unreadable_numbers", number, b",".join(cells))

    def add_rows(self, times_ns: Integers, lines: Integers, part: Part, values: Numbers) -> None:
        """Adds and books rows of a turn."""
        self._rows.append(_Rows(self._turn, times_ns, lines, part, values))
        self._book.data(len(lines))

    def flush(self, final: bool = False) -> Iterator[SampleBatch]:
        """Gives the rows; unless `final`, the rows of the last time wait for their companions."""
        rows, self._rows = self._rows, []
        if not rows:
            return
        times_ns, order = _in_order(rows)
        ready = np.ones(len(order), dtype=bool)
        if not final:
            others = np.flatnonzero(times_ns[order] != times_ns[order[-1]])
            ready[order[others[-1] + 1 if len(others) else 0 :]] = False
        of_rows = list(zip(rows, np.split(ready, np.cumsum([len(one.lines) for one in rows])[:-1]), strict=True))
        self._rows = [part for one, own in of_rows for part in one.those(~own)]
        complete = [part for one, own in of_rows for part in one.those(own)]
        if complete:
            yield self._batch(complete)

    def _batch(self, rows: list[_Rows]) -> SampleBatch:
        times, order = _in_order(rows)
        times_ns, run = _runs(times[order])
        row_time = np.empty_like(run)
        row_time[order] = run
        lines = np.full(len(times_ns), np.iinfo(np.int64).max)
        np.minimum.at(lines, row_time, np.concatenate([one.lines for one in rows]))
        of_part: dict[Part, list[tuple[_Rows, Integers]]] = {}
        for one, own in zip(rows, np.split(row_time, np.cumsum([len(one.lines) for one in rows])[:-1]), strict=True):
            of_part.setdefault(one.part, []).append((one, own))
        blocks, lines_of = [], []
        for part, entries in of_part.items():
            self._widen(part, [one.values for one, _ in entries])
            block, own_lines = _block(entries, len(times_ns), len(part.series))
            blocks.append(block)
            lines_of.append(own_lines)
        series, twice = self._side_by_side(tuple(of_part))
        values = blocks[0] if len(blocks) == 1 else np.concatenate(blocks, axis=1)
        if twice:
            widths = [block.shape[1] for block in blocks]
            series, values = _each_once(series, values, np.repeat(np.stack(lines_of, axis=1), widths, axis=1))
        return SampleBatch(self.table, times_ns, series, values, np.zeros(len(times_ns), dtype=bool), lines)

    def _widen(self, part: Part, values: list[Numbers]) -> None:
        """Cells beyond the heading get the number of their column for a name; empty ones at the end get none."""
        own = len(part.series)
        behind = [np.flatnonzero(~np.isnan(one[:, own:]).all(axis=0)) for one in values if one.shape[1] > own]
        filled = max((own + int(places[-1]) + 1 for places in behind if len(places)), default=own)
        if filled > own:
            self._book.warn("nmon_more_cells")
            extra = tuple(SeriesKey(self.table, f"column {column + 1}", _about(part)) for column in range(own, filled))
            part.series = (*part.series, *extra)
            self._series.clear()

    def _side_by_side(self, parts: tuple[Part, ...]) -> _Series:
        series = self._series.get(parts)
        if series is None:
            if len(self._series) > 1000:
                self._series.clear()
            keys = tuple(key for part in parts for key in part.series)
            series = self._series[parts] = _Series(keys, len(set(keys)) < len(keys))
        return series


def _block(entries: list[tuple[_Rows, Integers]], times: int, width: int) -> tuple[Numbers, Integers]:
    """The values of a part's rows at their times, and their lines, 0 where there is none."""
    rows, places = entries[0]
    if len(entries) == 1 and rows.values.shape == (times, width) and np.array_equal(places, np.arange(times)):
        return rows.values, rows.lines
    block, lines = np.full((times, width), np.nan), np.zeros(times, dtype=np.int64)
    for rows, places in entries:
        own_width = min(rows.values.shape[1], width)
        block[places] = np.nan
        block[places, :own_width] = rows.values[:, :own_width]
        lines[places] = rows.lines
    return block, lines


def without_absent(values: Numbers) -> Numbers:
    """Linux prints -1, and -0.0 for it in another unit, where its kernel does not tell: a missing value."""
    values[(values == -1.0) | ((values == 0.0) & np.signbit(values))] = np.nan
    return values


def _in_order(rows: list[_Rows]) -> tuple[Integers, Integers]:
    """The times of all rows, and in which order they came: int64[rows] each."""
    turns = np.repeat([one.turn for one in rows], [len(one.lines) for one in rows])
    order = np.lexsort((np.concatenate([one.lines for one in rows]), turns))
    return np.concatenate([one.times_ns for one in rows]), order


def _each_once(
    series: tuple[SeriesKey, ...], values: NDArray[np.float64], lines: NDArray[np.int64]
) -> tuple[tuple[SeriesKey, ...], NDArray[np.float64]]:
    """A series that stands in two parts (an old heading's, a new one's) once; the first line that has a value counts.

    Which part comes first depends on where the text was cut into pieces; the lines do not.
    """
    column_of: dict[SeriesKey, int] = {}
    for key in series:
        column_of.setdefault(key, len(column_of))
    merged = np.full((len(values), len(column_of)), np.nan)
    taken_from = np.zeros(merged.shape, dtype=np.int64)
    for column, key in enumerate(series):
        into, from_line = merged[:, column_of[key]], taken_from[:, column_of[key]]
        value, line = values[:, column], lines[:, column]
        better = ~np.isnan(value) & (np.isnan(into) | (line < from_line))
        into[better], from_line[better] = value[better], line[better]
    return tuple(column_of), merged


def _runs(times_ns: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The times of rows that follow each other with one time, and which of them each row has.

    A time that comes again after others stands alone: how the text was cut into pieces must not matter.
    """
    begins = np.append(True, np.diff(times_ns) != 0)
    return times_ns[begins], np.cumsum(begins) - 1


def _about(part: Part) -> tuple[tuple[str, str], ...]:
    """What the whole section is about (its processor), where that is the same for all its columns; which section."""
    own = {key.attributes for key in part.series}
    about = next(iter(own)) if len(own) == 1 else ()
    return tuple(sorted({**dict(about), "group": f"#{int(part.continued) + 1}"}.items())) if part.continued else about
