"""Rows of one clock, put together from one or many sections: CPU001 ... CPU128, DISKBUSY ... DISKBUSY6."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from app.families.delimited import DecodedCells, decode_delimited
from app.sdk import LedgerBook, SampleBatch, SeriesKey

_MOST_BYTES = 4 << 20  # of text decoded at once: the cells' arrays are several times as large


class Part:
    """One section under one heading; `series` grows where rows hold more cells than the heading names.

    Attributes:
        continued: which of the sections that go on where another ends (``1``: DISKBUSY1); empty for the first.
    """

    __slots__ = ("continued", "series")

    def __init__(self, series: tuple[SeriesKey, ...], continued: str = "") -> None:
        self.series = series
        self.continued = continued


Entry = tuple[int, int, Part, bytes]


class SectionRows:
    """The rows of one table, as text until `flush`.

    Attributes:
        entries: (time in ns, line number, part, the row's text after section and snapshot); appended to from outside,
            for a method call per row would cost as much as all the rest.
    """

    def __init__(self, table: str, book: LedgerBook) -> None:
        self.table = table
        self.entries: list[Entry] = []
        self._book = book
        self._series: dict[tuple[Part, ...], tuple[SeriesKey, ...]] = {}

    def flush(self, final: bool = False) -> Iterator[SampleBatch]:
        """Gives the rows; unless `final`, the rows of the last time wait for their companions."""
        entries = self.entries
        keep_from = len(entries)
        if not final and keep_from:
            last = entries[-1][0]
            while keep_from and entries[keep_from - 1][0] == last:
                keep_from -= 1
        if not keep_from:
            return
        ready = entries[:keep_from]
        del entries[:keep_from]
        yield from self._batches(ready)

    def _batches(self, entries: list[Entry]) -> Iterator[SampleBatch]:
        """Cut into pieces of a few megabytes of text, at the seams between times."""
        if len(entries) * len(entries[0][3]) < _MOST_BYTES // 2:  # rows of one table are about equally long
            yield self._batch(entries)
            return
        start = size = 0
        for index, entry in enumerate(entries):
            size += len(entry[3])
            if size > _MOST_BYTES and index + 1 < len(entries) and entries[index + 1][0] != entry[0]:
                yield self._batch(entries[start : index + 1])
                start, size = index + 1, 0
        yield self._batch(entries[start:] if start else entries)

    def _batch(self, entries: list[Entry]) -> SampleBatch:
        times, numbers, parts, tails = zip(*entries, strict=True)
        cells = decode_delimited(tails)
        times_ns, row_time = _runs(np.asarray(times, dtype=np.int64))
        lines = np.full(len(times_ns), np.iinfo(np.int64).max)
        np.minimum.at(lines, row_time, np.asarray(numbers, dtype=np.int64))
        if cells.text.any():
            self._book_text(cells, entries)
        rows_of = _rows_of(parts)
        blocks = []
        for part, rows in rows_of.items():
            values = self._values_of(part, cells, rows)
            block = np.full((len(times_ns), values.shape[1]), np.nan)
            block[row_time[rows]] = values
            blocks.append(block)
        series, values = self._side_by_side(tuple(rows_of), blocks)
        if len(set(series)) < len(series):
            series, values = _each_once(series, values, _lines_of_values(rows_of, blocks, row_time, numbers))
        return SampleBatch(self.table, times_ns, series, values, np.zeros(len(times_ns), dtype=bool), lines)

    def _values_of(self, part: Part, cells: DecodedCells, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        widths = cells.widths[rows]
        widest = int(widths.max())
        if widest > len(part.series):
            self._widen(part, widest, cells, rows)
        wanted = len(part.series)
        if (widths == wanted).all():
            return np.asarray(cells.values[cells.first[rows][:, None] + np.arange(wanted)])
        values = np.full((len(rows), wanted), np.nan)
        for row, (first, width) in enumerate(zip(cells.first[rows].tolist(), widths.tolist(), strict=True)):
            fill = min(width, wanted)
            values[row, :fill] = cells.values[first : first + fill]
        return values

    def _widen(self, part: Part, widest: int, cells: DecodedCells, rows: NDArray[np.int64]) -> None:
        """Cells beyond the heading get the number of their column for a name; empty ones at the end get none."""
        first, last = cells.first[rows], cells.first[rows + 1]
        own = len(part.series)
        filled = own
        for begin, end in zip(first.tolist(), last.tolist(), strict=True):
            there = np.flatnonzero(~np.isnan(cells.values[begin:end]))
            if len(there):
                filled = max(filled, int(there[-1]) + 1)
        if filled <= own:
            return
        self._book.warn("nmon_more_cells")
        places = range(own, min(filled, widest))
        extra = tuple(SeriesKey(self.table, f"column {place + 1}", _about(part)) for place in places)
        part.series = (*part.series, *extra)
        self._series.clear()

    def _side_by_side(
        self, parts: tuple[Part, ...], blocks: list[NDArray[np.float64]]
    ) -> tuple[tuple[SeriesKey, ...], NDArray[np.float64]]:
        values = blocks[0] if len(blocks) == 1 else np.concatenate(blocks, axis=1)
        series = self._series.get(parts)
        if series is None:
            if len(self._series) > 1000:
                self._series.clear()
            series = self._series[parts] = tuple(key for part in parts for key in part.series)
        return series, values

    def _book_text(self, cells: DecodedCells, entries: list[Entry]) -> None:
        """Cells of text are missing values; a row of nothing else is no row of numbers."""
        self._book.warn("nmon_text_cells")
        bad = np.add.reduceat(cells.text, cells.first[:-1], dtype=np.int64) == cells.widths
        for row in np.flatnonzero(bad).tolist():
            _, number, _, tail = entries[row]
            self._book.data_became_skipped("unreadable_numbers", number, tail)


def _rows_of(parts: tuple[Part, ...]) -> dict[Part, NDArray[np.int64]]:
    """Each part's rows, parts in the order they come first."""
    if parts.count(parts[0]) == len(parts):
        return {parts[0]: np.arange(len(parts))}
    place = {part: index for index, part in enumerate(dict.fromkeys(parts))}
    indices = np.fromiter(map(place.__getitem__, parts), dtype=np.int64, count=len(parts))
    order = np.argsort(indices, kind="stable")
    seams = np.flatnonzero(np.diff(indices[order])) + 1
    return dict(zip(place, np.split(order, seams), strict=True))


def _lines_of_values(
    rows_of: dict[Part, NDArray[np.int64]],
    blocks: list[NDArray[np.float64]],
    row_time: NDArray[np.int64],
    numbers: tuple[int, ...],
) -> NDArray[np.int64]:
    """int64[times, columns of all blocks]: the line each value stands on."""
    lines = []
    for rows, block in zip(rows_of.values(), blocks, strict=True):
        own = np.zeros(len(block), dtype=np.int64)
        own[row_time[rows]] = np.asarray(numbers, dtype=np.int64)[rows]
        lines.append(np.repeat(own[:, None], block.shape[1], axis=1))
    return np.concatenate(lines, axis=1)


def _each_once(
    series: tuple[SeriesKey, ...], values: NDArray[np.float64], lines: NDArray[np.int64]
) -> tuple[tuple[SeriesKey, ...], NDArray[np.float64]]:
    """A series that stands in two parts (an old heading's, a new one's) once; the first line that has a value counts.

    Which part comes first depends on where the text was cut into pieces; the lines do not.
    """
    place: dict[SeriesKey, int] = {}
    for key in series:
        place.setdefault(key, len(place))
    merged = np.full((len(values), len(place)), np.nan)
    taken_from = np.zeros(merged.shape, dtype=np.int64)
    for column, key in enumerate(series):
        into, from_line = merged[:, place[key]], taken_from[:, place[key]]
        value, line = values[:, column], lines[:, column]
        better = ~np.isnan(value) & (np.isnan(into) | (line < from_line))
        into[better], from_line[better] = value[better], line[better]
    return tuple(place), merged


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
