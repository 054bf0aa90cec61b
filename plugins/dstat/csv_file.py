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
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta

import numpy as np

from app.families.delimited import decode_delimited
from app.families.lines import EndingParser
from app.sdk import Ledger, ParseContext, SampleBatch, SystemFact, decode_text

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
_MOST_ROWS = 20_000


class CsvParser(EndingParser):
    """Rows of one heading are decoded together."""

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self.book.tool, self.book.os = "dstat", "linux"
        self._preamble = Preamble(self.book)
        self._stamps = StampReader(context, self.times, self.book)
        self._groups: list[str] | None = None
        self._columns: Columns | None = None
        self._rows: list[tuple[int, int, bytes, bool]] = []  # time, line, cells, since boot
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

    def ledger(self) -> Ledger:
        """Rows are decoded later than other lines are read: warnings stand in an order of their own."""
        ledger = super().ledger()
        return replace(ledger, warnings=tuple(sorted(ledger.warnings)))

    def read_lines(self, first_line: int, lines: list[bytes]) -> Iterable[SampleBatch]:
        ready: list[SampleBatch] = []
        for number, line in enumerate(lines, first_line):
            if line.startswith(b'"') and self._rows:
                ready.extend(self._flush())
            self._read_line(number, line)
            if len(self._rows) >= _MOST_ROWS:
                ready.extend(self._flush())
        return [*ready, *self._flush()]

    # -- lines -----------------------------------------------------------------------------------

    def _read_line(self, number: int, line: bytes) -> None:
        if not line.strip(b" \t,"):
            self.book.blank()
        elif b"\0" in line:
            self.book.skip("nul_bytes", number, line)
        elif self._preamble.read(line):
            self._read_preamble()
            self.book.header()
        elif line.startswith(b'"') and self._read_heading(line):
            self.book.header()
        elif not self._read_row(number, line):
            reason = "truncated" if self.is_ending else "not_a_table" if self._columns is None else "unreadable_numbers"
            self.book.skip(reason, number, line)

    def _read_preamble(self) -> None:
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
            self._groups, self._columns = words, None
            return True
        self._columns = read_columns(self._groups, words, self._preamble.in_bits)
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
        time_ns = self._time_of(line, columns)
        if time_ns is None:
            return False
        self._rows.append((time_ns, number, line, self._is_first))
        self._is_first = False
        self.book.data()
        return True

    def _time_of(self, line: bytes, columns: Columns) -> int | None:
        if columns.time is not None:
            return self._stamps.read(line.split(b",", columns.time + 1)[columns.time])
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

    def _flush(self) -> Iterator[SampleBatch]:
        rows, self._rows = self._rows, []
        if not rows or self._columns is None:
            return
        cells = decode_delimited([line for _, _, line, _ in rows])
        values = cells.values.reshape(len(rows), -1)
        text = cells.text.reshape(len(rows), -1)
        times_ns = np.array([row[0] for row in rows], dtype=np.int64)
        lines = np.array([row[1] for row in rows], dtype=np.int64)
        since_boot = np.array([row[3] for row in rows], dtype=bool)
        for table, (places, series) in self._columns.tables.items():
            yield SampleBatch(table, times_ns, series, values[:, places], since_boot, lines)
        numbers = [place for places, _ in self._columns.tables.values() for place in places]
        if text[:, numbers].any():
            self.book.warn("word_columns")
        for row in np.flatnonzero(text[:, numbers].all(axis=1)).tolist() if numbers else ():
            self.book.data_became_skipped("unreadable_numbers", rows[row][1], rows[row][2])


def _words(line: bytes) -> list[str]:
    try:
        return [word.strip() for word in next(csv.reader([decode_text(line)]), [])]
    except csv.Error:
        return []


def _is_number(word: str) -> bool:
    return EPOCH.match(word.encode()) is not None or STAMP.match(word.encode()) is not None
