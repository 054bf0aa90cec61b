"""Parser of ``sadf -d``: rows for a data base, fields separated by semicolons, a heading per activity.

    # hostname;interval;timestamp;CPU;%user;%nice;%system;%iowait;%steal;%idle
    dbtest01;2;2026-11-21 07:10:15 UTC;-1;38.30;0.77;11.57;4.88;0.26;44.22
    dbtest01;-1;2026-11-21 07:10:27 UTC;LINUX-RESTART	(2 CPU)
    dbtest01;-1;2026-11-21 07:10:27 UTC;COM tuning change: buffer pool 1G -> 2G

The stamp is UTC and says so, unless -t (local time of the server; a zone behind it since 12.7), -T (of the
reader; no zone) or -U (seconds since 1970) was given. The activities follow one another, each from its first
time on; a restart ends them all. Processor -1 is all of them. With -h all activities of a time stand in one row.
A processor that is off has no row below ``CPU`` and no column below ``CPU*``; which one it is, only the rows of
the former say.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tunebench.families.page_reading import MOST_TABLES, Cell, Dialect, Key, ScannedRows, ScanTable, new_reader
from tunebench.families.running_clock import RunningClock
from tunebench.sdk import ParseContext, TableBuilder, decode_text, lazy_pattern

from .headings import WORDS, Group, name_of, read_groups
from .numbers import read_numbers
from .processors import ProcessorsOverTime
from .row_parser import RowParser
from .sniffing import sniff_delimited
from .wide import WideRows

_HEADING = lazy_pattern(rb"#\s*hostname;interval;timestamp;(?P<columns>[^\r\n]+)")
_MOST_TABLES, _MOST_BUILDERS = 500, 1000


class SadfDelimitedParser(RowParser):
    """See the module."""

    variant = "sadf -d"

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self._groups: tuple[Group, ...] = ()
        self._tables: set[str] = set()
        self._of_scanner: dict[tuple[Group, int], ScanTable | None] = {}
        self._opened: dict[Group, ScanTable | None] = {}  # for the last row below each heading
        self._open: ScanTable | None = None
        self._builders: dict[tuple[Group, tuple[str, ...]], TableBuilder] = {}
        self._builder: TableBuilder | None = None
        self._wide = WideRows(new_reader(Dialect(b".,")))
        self._processors = ProcessorsOverTime()

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        return sniff_delimited(head)

    def take_heading(self, line: bytes) -> bool:
        match = _HEADING.fullmatch(line.strip())
        if match is None:
            return False
        self.flush(final=True)
        self._wide.forget()
        self._groups = read_groups(decode_text(match["columns"]).strip().split(";"))
        self._open = self._opened.get(self._groups[0]) if len(self._groups) == 1 else None
        tables = self._tables.union(group.table for group in self._groups)
        if len(tables) > _MOST_TABLES:
            self.book.warn("too_many_series")
            self._open, self._groups = None, ()
            return False
        self._tables = tables
        if any(group.has_status for group in self._groups):
            self.book.warn("word_columns")
        return True

    def flush(self, final: bool) -> None:
        self.ready += self._wide.flush()
        if self._builder is not None:
            self.ready += self._builder.flush(final)

    # -- rows by themselves ----------------------------------------------------------------------

    def take_row(self, number: int, line: bytes, stamp: bytes, cells: list[bytes]) -> ScanTable | None:
        if not self._groups:
            self.book.skip("not_a_table", number, line)
            return None
        group = self._groups[0]
        if len(self._groups) == 1 and not group.repeated:
            return self._take_narrow(number, line, stamp, cells, group)
        values = self._wide.read(self._groups, cells)
        time_ns = None if values is None else self.time_of("row", stamp)
        if values is None or time_ns is None:
            self.book.skip("unreadable_numbers", number, line)
            return None
        self.take_data(line)
        figures = np.array([values])
        self._wide.add(np.array([time_ns]), number, figures)
        self._wide.know(self.head_of(line.split(self.separator, 3)), cells, figures[0])
        return None

    def _take_narrow(
        self, number: int, line: bytes, stamp: bytes, cells: list[bytes], group: Group
    ) -> ScanTable | None:
        fits = len(cells) == group.size or (group.per_cpu and len(cells) > 1)
        values = read_numbers([cells[column] for column in group.places(len(cells))]) if fits else None
        time_ns = None if values is None else self.time_of(group.table, stamp)
        if values is None or time_ns is None:
            self.book.skip("unreadable_numbers", number, line)
            return None
        self.take_data(line)
        key = b""
        if group.key_attribute:
            key = name_of(group.key_attribute, [cells[0], *(cells[1 + index] for index in group.labels)])
        if group.table == "cpu":
            self._processors.note(time_ns, (key,))
        self._begin(group, self._natives(group, time_ns, len(values)))
        assert self._builder is not None
        self._builder.row(time_ns, number, key, np.array(values))
        self._open = self._opened[group] = self._scan_table(group, len(cells))
        return self._open

    def _scan_table(self, group: Group, cells: int) -> ScanTable | None:
        """What the scanner reads rows of so many cells with; None where words stand among those that name the row."""
        table = self._of_scanner.get((group, cells))
        if table is None and len(self.scanner.tables) < MOST_TABLES and group.labels == tuple(range(len(group.labels))):
            first = len(group.labels) + (group.key_attribute is not None)
            kinds = [Cell.NUMBER] * (cells - first)
            if not group.per_cpu:
                kinds = [Cell.WORD if word in WORDS else Cell.NUMBER for word in group.words[len(group.labels) :]]
            if Cell.NUMBER in kinds:
                table = self.scanner.table(kinds, Key.FIRST if first else Key.NONE, key_cells=max(first, 1))
            self._of_scanner[group, cells] = table
        return table

    def read_alike(self, number: int, text: bytes, at: int) -> int:
        alike = self._wide.find_alike(text, at)
        if alike is None:
            return at
        self.times.begin_table("row")
        self._wide.add(alike.clock.times(self.times, alike.runs), number, alike.values)
        self.book.data(len(alike.values))
        self.last_row = text[alike.last : alike.end - 1]
        return alike.end

    # -- many rows -------------------------------------------------------------------------------

    @property
    def may_scan(self) -> bool:
        return self._open in self.clocks

    def open_table(self) -> ScanTable | None:
        return self._open

    def take_rows(self, rows: ScannedRows, clock: RunningClock) -> None:
        group = self._groups[0]
        self.times.begin_table(group.table)
        times_ns = clock.times(self.times, rows.fields[:, 1:])
        attribute = group.key_attribute or ""
        if group.table == "cpu":
            names = [name_of(attribute, [key]) for key in rows.table.names]
            begins = [0, *(np.flatnonzero(times_ns[1:] != times_ns[:-1]) + 1).tolist(), len(times_ns)]
            for start, end in pairwise(begins):
                self._processors.note(int(times_ns[start]), [names[key] for key in rows.keys[start:end].tolist()])
        for part, natives in self._alike(group, times_ns, rows.values.shape[1]):
            self._begin(group, natives)
            assert self._builder is not None
            since_boot = np.zeros(part.stop - part.start, dtype=bool)
            self.ready += self._builder.scanned(
                rows.part(part), times_ns[part], since_boot, lambda key: name_of(attribute, key.split(b";"))
            )

    # -- interrupts: one column per processor ----------------------------------------------------

    def _alike(
        self, group: Group, times_ns: NDArray[np.int64], columns: int
    ) -> Iterator[tuple[slice, tuple[str, ...]]]:
        """Stretches of rows whose columns have the same names, and these."""
        start, before = 0, self._natives(group, int(times_ns[0]), columns)
        changes = np.flatnonzero(times_ns[1:] != times_ns[:-1]) + 1
        for row in changes.tolist() if group.per_cpu and self._processors else ():
            now = self._natives(group, int(times_ns[row]), columns)
            if now != before:
                yield slice(start, row), before
                start, before = row, now
        yield slice(start, len(times_ns)), before

    def _natives(self, group: Group, time_ns: int, columns: int) -> tuple[str, ...]:
        return group.columns_of(columns, self._processors.at(time_ns))

    def _begin(self, group: Group, natives: tuple[str, ...]) -> None:
        """Rows with these columns follow."""
        builder = self._builders.get((group, natives))
        if builder is None or builder is not self._builder:
            self.flush(final=True)
        if builder is None:
            if len(self._builders) >= _MOST_BUILDERS:
                self._builders.clear()
            names, attributes = natives, None
            if group.per_cpu:
                names, attributes = ("intr/s",) * len(natives), [(("cpu", name),) for name in natives]
            builder = TableBuilder(group.table, names, group.key_attribute, self.book, attributes)
            self._builders[group, natives] = builder
        self._builder = builder
