"""Parser of the CSV of dstat, dool and pcp-dstat.

    "Dstat 0.8.0 CSV output"
    "Author:",...                                    see `preamble`
    "system","total cpu usage",,,,,"dsk/total",,     groups, see `columns`
    "time","usr","sys","idl","wai","stl","read","writ"
    21-11 16:15:32,45.521,16.433,37.167,0.615,0.264,12121480.332,21005974.668

The first row below a heading is an average since boot (the man page: "the first report").  A file is appended to when
dstat runs again: another preamble and headings. Values are per second; bytes are bytes, but see `columns` on dool.
Cells of text (the plug-ins --top-cpu and the like) are left out with a warning.

Source: dstat(1) 0.7.4, dool 1.3.8, pcp-dstat(1) 5.0.3; recordings of all three.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from datetime import datetime, timedelta

from tunebench.families.delimited import DelimitedParser
from tunebench.families.lost_rows import is_lost_row
from tunebench.sdk import ParseContext, SampleBatch, SystemFact, decode_text

from .columns import Columns, read_columns
from .preamble import TITLE, Preamble
from .stamps import EPOCH, STAMP, StampReader, read_written

_KNOWN = frozenset(
    {
        "total cpu usage",
        "dsk/total",
        "net/total",
        "memory usage",
        "paging",
        "system",
        "load avg",
        "io/total",
        "procs",
        "swap",
        "epoch",
        "interrupts",
        "total usage",
    }
)


class CsvParser(DelimitedParser):
    """See the module."""

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self.book.tool, self.book.os = "dstat", "linux"
        self._preamble = Preamble(self.book)
        self._stamps = StampReader(context, self.times, self.book)
        self._groups: list[str] | None = None
        self._columns: Columns | None = None
        self._is_first = False
        self._begun_at: datetime | None = None  # the last row's time, where rows have none

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        lines = [line for line in head.removeprefix(b"\xef\xbb\xbf").splitlines()[:30] if line.strip()]
        if any(TITLE.match(line) for line in lines):
            return 0.97
        groups = [set(_words(line)) & _KNOWN for line in lines if line.startswith(b'"')]
        return 0.8 if any(len(names) >= 2 for names in groups) else 0.0

    def facts(self) -> list[SystemFact]:
        return self._preamble.facts()

    def read_lines(self, first_line: int, lines: list[bytes]) -> Iterable[SampleBatch]:
        self.read_all(first_line, lines)
        return self.take_ready()

    def read_page(self, first_line: int, text: bytes) -> Iterable[SampleBatch]:
        self.read_text(first_line, text)
        return self.take_ready()

    # -- lines -----------------------------------------------------------------------------------

    def read_line(self, number: int, line: bytes) -> None:
        if not line.strip(b" \t,"):
            self.book.blank()
        elif b"\0" in line:
            self._keep_time(line)
            self.book.skip("nul_bytes", number, line)
        elif self._preamble.read(line):
            self._read_preamble()
            self.book.header()
        elif line.startswith(b'"') and self._read_heading(line):
            self.book.header()
        elif not self._read_row(number, line):
            self._keep_time(line)
            reason = "truncated" if self.is_ending else "not_a_table" if self._columns is None else "unreadable_numbers"
            self.book.skip(reason, number, line)

    def _read_preamble(self) -> None:
        self.end_rows()
        self._groups, self._columns, self._begun_at = None, None, None
        self._stamps.restart()
        written = read_written(self._preamble.date)
        if written is not None:
            self._stamps.written = written[0]
            if written[1]:
                self.times.set_zone_abbreviation(written[1])

    def _read_heading(self, line: bytes) -> bool:
        """Two lines: groups, then headings."""
        words = _words(line)
        if not words or any(_is_number(word) for word in words if word) and self._groups is None:
            return False
        if self._groups is None or self._columns is not None:
            if not (set(words) & _KNOWN or "" in words):
                return False
            self.end_rows()
            self._groups, self._columns = words, None
            return True
        columns = self._columns = read_columns(self._groups, words, self._preamble.in_bits)
        self.begin_rows(columns.tables, columns.width, b",", stamp=int(columns.time == 0))
        self._is_first = True
        return True

    # -- rows ------------------------------------------------------------------------------------

    def _read_row(self, number: int, line: bytes) -> bool:
        columns = self._columns
        if columns is None:
            return False
        if b'"' in line:
            cells = [word.replace(",", " ").encode() for word in _words(line)]
            line = b",".join(cells)
        if line.count(b",") + 1 != columns.width:
            line = line.rstrip(b",") if line.endswith(b",") else line
            if line.count(b",") + 1 != columns.width:
                return False
        cells = line.split(b",")
        time_ns = self._time_of(cells, columns)
        if time_ns is None:
            return False
        if self.add_row(number, time_ns, cells, self._is_first):
            self.book.warn("word_columns")
        self._is_first = False
        return True

    def _keep_time(self, line: bytes) -> None:
        """A damaged row keeps the time it took, and may have been the average since boot."""
        if self._columns is not None and is_lost_row(line):
            if self._columns.time is None:
                self._time_of([], self._columns)
            self._is_first = False

    def _time_of(self, cells: list[bytes], columns: Columns) -> int | None:
        if columns.time is not None:
            time_ns = self._stamps.read(cells[columns.time])
            if columns.time == 0 and self._stamps.moment is not None:
                self.know_stamp(cells[0], self._stamps.moment)
            return time_ns
        interval_s = self.context.interval_s or self._preamble.interval_s
        if self._stamps.written is None or self.context.start is not None:
            return self.times.next_unstamped(interval_s)
        if self._begun_at is None:
            self.book.assume("start", self._stamps.written.isoformat(sep=" "), "banner")
            self.book.assume("interval_s", f"{interval_s or 1.0:g}", "wrapper")
            self._begun_at = self._stamps.written
        else:
            self._begun_at += timedelta(seconds=interval_s or 1.0)
        return self.times.at_datetime(self._begun_at)


def _words(line: bytes) -> list[str]:
    try:
        return [word.strip() for word in next(csv.reader([decode_text(line)]), [])]
    except csv.Error:
        return []


def _is_number(word: str) -> bool:
    return EPOCH.match(word.encode()) is not None or STAMP.match(word.encode()) is not None
