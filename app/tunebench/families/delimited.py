"""Rows of numbers between separators, below a heading that names their columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

import numpy as np

from tunebench.families.page_reading import (
    CELLS,
    MOST_TABLES,
    Cell,
    Dialect,
    Key,
    Scan,
    Scanner,
    ScanTable,
    new_scanner,
    suffix_factors,
)
from tunebench.families.running_clock import RunningClock, running_clock
from tunebench.families.scanned_lines import ScanningParser
from tunebench.sdk import ParseContext, SampleBatch, SeriesKey, parse_cell

_MOST_ROWS = 20_000
NAN = float("nan")


def read_cells(cells: Sequence[bytes]) -> tuple[list[float], list[bool]]:
    """The number of each cell, NaN where there is none; and whether it is text that does not mean "none"."""
    values, text = [], []
    for cell in cells:
        try:
            values.append(parse_cell(cell.strip()))
            text.append(False)
        except ValueError:
            values.append(NAN)
            text.append(True)
    return values, text


def scanner_of(separator: bytes) -> Scanner:
    """A scanner of such cells; an empty separator means between blanks."""
    return new_scanner(Dialect(CELLS.decimal_signs, CELLS.suffixes, CELLS.absent, separator))


class _Heading:
    """Where each table's columns are in a row, and which of the numbers that the scanner reads stand there."""

    def __init__(
        self, tables: Mapping[str, tuple[Sequence[int], tuple[SeriesKey, ...]]], width: int, stamp: int
    ) -> None:
        self.tables = tables
        self.rows: ScanTable | None = None
        self.clock: RunningClock | None = None
        figures = {column for places, _ in tables.values() for column in places}
        self.figures = sorted(figures)
        self.cells = [Cell.NUMBER if column in figures else Cell.WORD for column in range(stamp, width)]
        self.columns = {
            table: np.searchsorted(self.figures, places) for table, (places, _) in tables.items()
        }  # places of one row are never the same


class DelimitedParser(ScanningParser):
    """A subclass reads headings and stamps, and gives rows that it read by themselves to `add_row`.

    The scanner reads the rows that begin with a stamp like the last one.
    """

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self._heading: _Heading | None = None
        self._parted_by: bytes | None = None  # the cells that the scanner reads; empty: by blanks
        self._rows: list[tuple[int, int, list[float], bool]] = []  # time, line, figures, since boot
        self._ready: list[SampleBatch] = []

    # -- for subclasses --------------------------------------------------------------------------

    def begin_rows(
        self,
        tables: Mapping[str, tuple[Sequence[int], tuple[SeriesKey, ...]]],
        width: int,
        separator: bytes,
        stamp: int = 0,
    ) -> None:
        """A heading: of each table the places of its figures in the rows below, and their series.

        Args:
            width: cells of a row.
            separator: a blank for any number of blanks.
            stamp: how many of the cells are the stamp's; rows begin with them.
        """
        self._flush()
        heading = self._heading = _Heading(tables, width, stamp)
        parts = separator.strip()
        if self._parted_by != parts:
            self._parted_by, self.scanner = parts, scanner_of(parts)
        assert self.scanner is not None
        if heading.figures and len(self.scanner.tables) < MOST_TABLES:
            factors = suffix_factors((1.0,) * len(heading.figures))
            heading.rows = self.scanner.table(heading.cells, Key.NONE, factors)

    def end_rows(self) -> None:
        """Ends the rows of the heading."""
        self._flush()
        self._heading = None

    def forget_stamp(self) -> None:
        """The next stamp may mean another time, whatever it looks like."""
        if self._heading is not None:
            self._heading.clock = None

    def add_row(self, number: int, time_ns: int, cells: Sequence[bytes], since_boot: bool = False) -> bool:
        """Books a row, all of its cells; whether one of its figures was text. Nothing but text is no row."""
        assert self._heading is not None
        values, text = read_cells([cells[column] for column in self._heading.figures])
        self._rows.append((time_ns, number, values, since_boot))
        if text and all(text):
            self.book.skip("unreadable_numbers", number, b",".join(cells))
        else:
            self.book.data()
        if len(self._rows) >= _MOST_ROWS:
            self._flush()
        return any(text)

    def know_stamp(self, stamp: bytes, moment: datetime | int) -> None:
        """The scanner reads rows whose stamp differs from this one in nothing but the clock."""
        heading, clock = self._heading, running_clock(stamp, moment)
        if heading is None or heading.rows is None or clock is None or self.scanner is None:
            return
        if heading.clock is None or heading.clock.form != clock.form:
            heading.clock = clock
            self.scanner.stamp_rows(heading.rows, stamp, clock.fields, first=True)

    def take_ready(self) -> list[SampleBatch]:
        self._flush()
        ready, self._ready = self._ready, []
        return ready

    # -- many rows at once -----------------------------------------------------------------------

    def open_table(self) -> ScanTable | None:
        return None if self._heading is None or self._heading.clock is None else self._heading.rows

    def take_scan(self, scan: Scan) -> None:
        self.book.blank(scan.blanks)
        self._flush()
        heading = self._heading
        for rows in scan.rows:
            assert heading is not None and heading.clock is not None
            times_ns = heading.clock.times(self.times, rows.fields)
            self._give(times_ns, rows.values, np.zeros(len(times_ns), dtype=bool), rows.lines)
            self.book.data(len(times_ns))

    def _flush(self) -> None:
        rows, self._rows = self._rows, []
        if rows:
            times_ns, lines, values, since_boot = zip(
                *((time, line, own, boot) for time, line, own, boot in rows), strict=True
            )
            self._give(
                np.array(times_ns, dtype=np.int64),
                np.array(values, dtype=np.float64).reshape(len(rows), -1),
                np.array(since_boot, dtype=bool),
                np.array(lines, dtype=np.int64),
            )

    def _give(self, times_ns: np.ndarray, values: np.ndarray, since_boot: np.ndarray, lines: np.ndarray) -> None:
        """Batches of these rows, float64[rows, figures]."""
        assert self._heading is not None
        for table, (_, series) in self._heading.tables.items():
            columns = self._heading.columns[table]
            self._ready.append(SampleBatch(table, times_ns, series, values[:, columns], since_boot, lines))
