"""Tables whose rows begin with a stamp, as their headings do: those of mpstat and pidstat.

    16:10:21     CPU    %usr   %nice ...         with an interval the time of the block before, without one its own
    16:10:23     all   10.80   22.11 ...
    # Time        UID       PID  minflt/s ...    a heading without a stamp
     1646859221     0         6      0.00 ...

A heading and a stamp are read once; the scanner reads those that differ from them in nothing but the clock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from tunebench.families.page_reading import Dialect, Mark, Scan, ScannedRows, Scanner, ScanTable, new_scanner
from tunebench.families.running_clock import RunningClock, running_clock
from tunebench.sdk import ParseContext, TableBuilder, decode_text, lazy_pattern

from .capture import LinuxTextParser
from .stamps import time_of_day_s

_EPOCH = lazy_pattern("1?[0-9]{9}")
_FIRST_EPOCH = 100_000_000  # seconds of a day are fewer
_NO_STAMP = -1

Integers = NDArray[np.int64]
_NONE: Integers = np.zeros(0, dtype=np.int64)


class Heading(Protocol):
    """Equal headings have equal rows, whatever their stamps.

    Attributes:
        words: how many words the stamps have.
        stamp: None where the heading has none, and its rows have.
    """

    @property
    def table(self) -> str: ...

    @property
    def words(self) -> int: ...

    @property
    def stamp(self) -> str | None: ...


H = TypeVar("H", bound=Heading)


class StampedTable(Generic[H]):
    """The rows below one heading.

    Attributes:
        rows: what the scanner reads of them; None where all go line by line.
        name_of: what a key of the scanner is called.
        heading_s: what the stamp of the last heading says (`stamp_s`).
        shortest: bytes of the shortest row, 0 before the first.
    """

    def __init__(
        self, heading: H, builder: TableBuilder, rows: ScanTable | None, name_of: Callable[[bytes], bytes] = bytes
    ) -> None:
        self.heading = heading
        self.builder = builder
        self.rows = rows
        self.name_of = name_of
        self.heading_s = _NO_STAMP
        self.shortest = 0
        self.mark: Mark | None = None  # while the scanner knows the heading
        self.heading_clock: RunningClock | None = None
        self.clock: RunningClock | None = None  # of the rows' stamps, from the first that the scanner knows


def stamp_s(text: str) -> int | None:
    """Seconds since midnight of a printed time, since 1970 of an epoch; None for any other word."""
    return int(text) if _EPOCH.fullmatch(text) else time_of_day_s(text)


class StampedTablesParser(LinuxTextParser, Generic[H]):
    """A subclass makes the table of a heading, and reads rows of which the scanner knows nothing.

    Attributes:
        open: the table whose rows may follow.
        time_ns, since_boot: of the stamp that was read last.
    """

    scanner: Scanner

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self.scanner = new_scanner(Dialect(b".,"))
        self.open: StampedTable[H] | None = None
        self.time_ns = 0
        self.since_boot = False
        self._tables: dict[H, StampedTable[H]] = {}
        self._of_name: dict[str, StampedTable[H]] = {}
        self._last_stamp: list[bytes] = []

    @property
    def names(self) -> list[str]:
        """Names of the tables so far, in the order in which they came."""
        return list(self._of_name)

    def make_table(self, heading: H) -> StampedTable[H]:
        raise NotImplementedError

    def builder_of(
        self, name: str, columns: tuple[str, ...], key: str, suffix_base: Sequence[float] | None = None
    ) -> TableBuilder:
        """The builder of these columns, one for all headings that have them."""
        own = "|".join((name, *columns)).encode()
        if own not in self.builders:
            self.builders[own] = TableBuilder(name, columns, key, self.book, suffix_base=suffix_base)
        return self.builders[own]

    def began(self, restarted: bool) -> None:
        if restarted:
            self.open = None

    # -- line by line ----------------------------------------------------------------------------

    def begin(self, heading: H, line: bytes) -> None:
        """A heading that the scanner did not know."""
        self.book.header()
        seconds = _NO_STAMP if heading.stamp is None else stamp_s(heading.stamp)
        if seconds is None:  # the closing averages
            self.open = None
            return
        self.times.begin_table(heading.table, seconds if 0 <= seconds < _FIRST_EPOCH else None)
        table = self.open = self._table_of(heading)
        table.heading_s, self._last_stamp = seconds, []
        self._forget(table)
        clock = None if heading.stamp is None else self._know_stamp(table, line, heading.words, seconds)
        table.heading_clock = clock
        if table.clock is not None and (clock is not None or heading.stamp is None):
            table.mark = self.scanner.know(line, table.rows, () if clock is None else clock.fields)

    def _table_of(self, heading: H) -> StampedTable[H]:
        table = self._tables.get(heading)
        if table is None:
            table = self._tables[heading] = self.make_table(heading)
        other = self._of_name.get(heading.table)
        if other is not None and other is not table:  # rows of the two are never read at once
            self._forget(other)
            if other.builder is not table.builder:
                self.close_builder(other.builder)
        self._of_name[heading.table] = table
        return table

    def _forget(self, table: StampedTable[H]) -> None:
        if table.mark is not None:
            self.scanner.forget(table.mark)
            table.mark = None

    def take_stamp(self, line: bytes, stamp: list[bytes]) -> bool:
        """Whether the words that a row begins with are a stamp; its time is the row's."""
        table = self.open
        if stamp == self._last_stamp:
            return True
        seconds = stamp_s(decode_text(b" ".join(stamp)))
        if seconds is None or table is None:
            return False
        is_epoch = seconds >= _FIRST_EPOCH
        self.time_ns = self.times.at_epoch(seconds) if is_epoch else self.times.at_time_of_day(seconds)
        self.since_boot = seconds == table.heading_s
        self._last_stamp = stamp
        if table.heading_s == _NO_STAMP or is_epoch == (table.heading_s >= _FIRST_EPOCH):
            self._know_stamp(table, line, len(stamp), seconds)
        return True

    def _know_stamp(self, table: StampedTable[H], line: bytes, words: int, seconds: int) -> RunningClock | None:
        """The scanner reads rows whose stamp differs from this line's in nothing but the clock."""
        stamp = line[: len(line) - len(line.split(None, words)[-1])].rstrip()
        clock = running_clock(stamp, seconds)
        before = table.clock
        if clock is not None and table.rows is not None and (before is None or before.form != clock.form):
            self.scanner.stamp_rows(table.rows, stamp, clock.fields, first=True)
            table.clock = clock
        return clock

    # -- many lines at once ----------------------------------------------------------------------

    def open_table(self) -> ScanTable | None:
        return None if self.open is None or self.open.clock is None else self.open.rows

    def take_scan(self, scan: Scan) -> None:
        self.book.header(len(scan.marks))
        self.book.blank(scan.blanks)
        marks = self.scanner.marks
        of_tables = dict(self.tables_in(scan))
        for table in self._of_name.values():
            rows = of_tables.get(table)
            headings = scan.marks == (marks.index(table.mark) if table.mark in marks else -1)
            if rows is not None or headings.any():
                self._take_table(table, scan.mark_lines[headings], scan.fields[headings], rows)
            if len(headings) and headings[-1]:
                self.open = table
        if self.open is not None:
            self.times.begin_table(self.open.heading.table)
        self._last_stamp = []

    def tables_in(self, scan: Scan) -> Iterator[tuple[StampedTable[H], ScannedRows]]:
        """The tables of which the scan has rows, and these."""
        of_rows = {table.rows: table for table in self._of_name.values()}
        return ((of_rows[rows.table], rows) for rows in scan.rows)

    def _take_table(self, table: StampedTable[H], lines: Integers, fields: Integers, rows: ScannedRows | None) -> None:
        """Headings of one table, on these lines and with these fields, and the rows between them."""
        assert table.clock is not None
        clock = table.heading_clock
        heading_s = np.full(len(lines), _NO_STAMP) if clock is None else clock.seconds(fields)
        row_lines = _NONE if rows is None else rows.lines
        row_s = _NONE if rows is None else table.clock.seconds(rows.fields)
        above = np.searchsorted(row_lines, lines[heading_s >= 0])
        stamps = np.insert(row_s, above, heading_s[heading_s >= 0])
        is_heading = np.insert(np.zeros(len(row_s), dtype=bool), above, True)
        self.times.begin_table(table.heading.table)
        is_epoch = len(stamps) > 0 and stamps[0] >= _FIRST_EPOCH
        times_ns = self.times.at_epochs(row_s) if is_epoch else self.times.at_times_of_day(stamps, is_heading)
        begun_s = np.append(table.heading_s, heading_s)
        table.heading_s = int(begun_s[-1])
        if rows is not None:
            table.shortest = min(table.shortest or rows.shortest, rows.shortest)
            self.take_rows(table, rows, times_ns, row_s == begun_s[np.searchsorted(lines, row_lines)])

    def take_rows(
        self, table: StampedTable[H], rows: ScannedRows, times_ns: Integers, since_boot: NDArray[np.bool_]
    ) -> None:
        """Gives and books rows of the scanner; int64[rows], bool[rows]."""
        self.give(table.builder.scanned(rows, times_ns, since_boot, table.name_of))
        self.book.data(len(rows.lines))
        for flag in {False, True}.intersection(since_boot.tolist()):
            self.flags(flag)
