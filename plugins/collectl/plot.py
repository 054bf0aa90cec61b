"""Parser of collectl's plot format (-P, files .tab, .dsk, .cpu, .net).

    waiting for 1 second sample...
    #Date Time [CPU]User% [CPU]Nice% ... [MEM]Tot ... [NET]RxPktTot ... [DSK]ReadTot
    20261121 16:10:24 23 1 31 ...
    #Date,Time,[CPU:0]User%,...,[DSK:vda]Name,[DSK:vda]Reads,...           --sep , and details
    #UTC [CPU]User% ...                                                    -oU

``[CPU]User%`` is a column of the table ``CPU``; ``[CPU:0]User%`` is the same column with cpu 0. A file is appended to
when collectl is started again: another heading, perhaps with other devices, is valid for the rows below it. The
documentation breaks the heading over lines; the tool does not.

Source: collectl 4.3.1, man page and Plotfiles.html.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from app.families.delimited import decode_delimited
from app.families.page_reading import (
    CELLS,
    MOST_TABLES,
    Cell,
    Key,
    Scan,
    Scanner,
    ScanTable,
    new_scanner,
    suffix_factors,
)
from app.families.running_clock import RunningClock, running_clock
from app.families.scanned_lines import ScanningParser
from app.sdk import ParseContext, SampleBatch, SeriesKey, SystemFact, decode_text

from .recording import Recording
from .stamps import STAMP, moment_of, time_of

_COLUMN = re.compile(r"^\[(?P<table>[A-Za-z]+)(?::(?P<thing>[^\]]*))?\](?P<name>.+)$")
_ATTRIBUTES = {"CPU": "cpu", "DSK": "device", "NET": "interface", "INT": "group"}
_WAITING = re.compile(rb"^waiting for \d+(?:\.\d+)? second sample")
_HEADING = re.compile(rb"^#(?:Date(?P<date_end>[\s,;:|]+)Time|Time|UTC)(?P<separator>[\s,;:|]+)\[")
_TEXT_COLUMNS = frozenset({"Name"})
_MOST_ROWS = 20_000


class _Heading:
    """Where each table's columns are.

    Attributes:
        tables: of each table the places of its figures in a row, and their series.
        cells: what stands in each place.
        columns: int64[width], which of a row's numbers stands there.
        rows: what the scanner reads of them; None where all go line by line.
    """

    def __init__(self, words: Sequence[str], separator: bytes) -> None:
        self.separator = separator
        self.width = len(words)
        self.rows: ScanTable | None = None
        self.tables: dict[str, tuple[list[int], tuple[SeriesKey, ...]]] = {}
        seen: dict[SeriesKey, int] = {}
        columns: dict[str, list[tuple[int, SeriesKey]]] = {}
        for place, word in enumerate(words):
            found = _COLUMN.match(word)
            table, thing, name = found.group("table", "thing", "name") if found else ("other", None, word)
            table = table.upper() if found else table
            if name in _TEXT_COLUMNS:
                continue
            native = f"[{found['table']}]{name}" if found else word
            attributes = {_ATTRIBUTES.get(table, "group"): thing} if thing else {}
            key = SeriesKey(table, native, tuple(attributes.items()))
            times = seen[key] = seen.get(key, 0) + 1
            if times > 1:
                group = {**attributes, "group": f"{attributes.get('group', '')}#{times}"}
                key = SeriesKey(table, native, tuple(sorted(group.items())))
            columns.setdefault(table, []).append((place, key))
        for table, entries in columns.items():
            self.tables[table] = ([place for place, _ in entries], tuple(key for _, key in entries))
        figures = {place for places, _ in self.tables.values() for place in places}
        self.cells = [Cell.NUMBER if place in figures else Cell.WORD for place in range(self.width)]
        self.columns = np.cumsum([cell is Cell.NUMBER for cell in self.cells]) - 1


class PlotParser(ScanningParser):
    """Rows of one heading are decoded together."""

    scanner: Scanner

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self.book.tool, self.book.os, self.book.variant = "collectl", "linux", "plot"
        self._recording = Recording(self.book)
        self._heading: _Heading | None = None
        self._clock: RunningClock | None = None  # of the stamps that the scanner knows
        self._rows: list[tuple[int, int, bytes]] = []  # time, line, text after the stamp
        self._ready: list[SampleBatch] = []
        self.scanner = new_scanner(CELLS)

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        return 0.97 if any(_HEADING.match(line) for line in head.splitlines()[:60]) else 0.0

    def facts(self) -> list[SystemFact]:
        return self._recording.facts()

    # -- many rows at once -----------------------------------------------------------------------

    def open_table(self) -> ScanTable | None:
        return None if self._heading is None or self._clock is None else self._heading.rows

    def take_scan(self, scan: Scan) -> None:
        self.book.blank(scan.blanks)
        heading, clock = self._heading, self._clock
        if heading is None or clock is None or not scan.rows:
            return
        self._ready.extend(self._flush())
        for rows in scan.rows:
            times_ns = clock.times(self.times, rows.fields)
            since_boot = np.zeros(len(times_ns), dtype=bool)
            for table, (places, series) in heading.tables.items():
                values = rows.values[:, heading.columns[places]]
                self._ready.append(SampleBatch(table, times_ns, series, values, since_boot, rows.lines))
            self.book.data(len(times_ns))

    def read_page(self, first_line: int, text: bytes) -> Iterable[SampleBatch]:
        self.read_text(first_line, text)
        return self._take_ready()

    def _take_ready(self) -> list[SampleBatch]:
        ready, self._ready = [*self._ready, *self._flush()], []
        return ready

    def _know_stamp(self, stamp: re.Match[bytes], rows: ScanTable | None) -> None:
        """The scanner reads rows whose stamp differs from this one in nothing but the clock."""
        moment = moment_of(stamp, self._recording, self.context)
        if rows is None or moment is None or stamp["fraction"]:
            return
        clock = running_clock(stamp[0], moment)
        if clock is not None and (self._clock is None or self._clock.form != clock.form):
            self._clock = clock
            self.scanner.stamp_rows(rows, stamp[0], clock.fields, first=True)

    # -- line by line ----------------------------------------------------------------------------

    def read_lines(self, first_line: int, lines: list[bytes]) -> Iterable[SampleBatch]:
        if self.is_ending and lines and self._is_cut(lines[-1]):
            self.book.skip("truncated", first_line + len(lines) - 1, lines.pop())
        self.read_all(first_line, lines)
        return self._take_ready()

    def _is_cut(self, line: bytes) -> bool:
        """A last line without an end that has fewer cells than the heading."""
        heading = self._heading
        stamp = STAMP.match(line)
        if heading is None or stamp is None:
            return False
        return len(_cells(line[stamp.end() :], heading.separator)) < heading.width

    def read_line(self, number: int, line: bytes) -> None:
        heading = _HEADING.match(line)
        if heading is not None or len(self._rows) >= _MOST_ROWS:
            self._ready.extend(self._flush())
        if not line.strip():
            self.book.blank()
        elif heading is not None:
            separator = heading["separator"].strip()[:1] or b" "
            words = [word.strip() for word in decode_text(line[heading.end() - 1 :]).split(separator.decode())]
            self._begin(_Heading([word for word in words if word], separator))
            self.book.header()
        elif line.startswith(b"#"):
            self._clock = None  # the zone may be another
            if self._recording.read(line):
                self.book.header()
            else:
                self.book.skip("comment", number, line)
        elif not self._read_row(number, line):
            self.book.skip("message" if _WAITING.match(line) else "not_a_table", number, line)

    def _begin(self, heading: _Heading) -> None:
        self._heading, self._clock = heading, None
        figures = heading.cells.count(Cell.NUMBER)
        if heading.separator == b" " and figures and len(self.scanner.tables) < MOST_TABLES:
            heading.rows = self.scanner.table(heading.cells, Key.NONE, suffix_factors((1.0,) * figures))

    def _read_row(self, number: int, line: bytes) -> bool:
        heading, stamp = self._heading, STAMP.match(line)
        if heading is None or stamp is None:
            return False
        time_ns = time_of(stamp, self.times, self._recording, self.context)
        if time_ns is None:
            return False
        rest = line[stamp.end() :].strip()
        rest = b" ".join(rest.split()) if heading.separator == b" " else rest.lstrip(heading.separator)
        if rest.count(heading.separator) + 1 != heading.width:
            rest = rest.removesuffix(heading.separator)
            if rest.count(heading.separator) + 1 != heading.width:
                return False
        self._rows.append((time_ns, number, rest))
        self.book.data()
        self._know_stamp(stamp, heading.rows)
        return True

    def _flush(self) -> Iterator[SampleBatch]:
        rows, self._rows = self._rows, []
        if not rows or self._heading is None:
            return
        cells = decode_delimited([rest for _, _, rest in rows], self._heading.separator)
        matrix = cells.values.reshape(len(rows), -1)
        times_ns = np.array([time_ns for time_ns, _, _ in rows], dtype=np.int64)
        lines = np.array([number for _, number, _ in rows], dtype=np.int64)
        for table, (places, series) in self._heading.tables.items():
            since_boot = np.zeros(len(rows), dtype=bool)
            yield SampleBatch(table, times_ns, series, matrix[:, places], since_boot, lines)
        self._book_text(cells.text.reshape(len(rows), -1), rows)

    def _book_text(self, text: np.ndarray, rows: list[tuple[int, int, bytes]]) -> None:
        """Rows of nothing but text were no rows; single words in numbers' places are missing values."""
        if self._heading is None:
            return
        numbers = [place for places, _ in self._heading.tables.values() for place in places]
        for row in np.flatnonzero(text[:, numbers].all(axis=1)).tolist():
            self.book.data_became_skipped("unreadable_numbers", rows[row][1], rows[row][2])


def _cells(text: bytes, separator: bytes) -> list[bytes]:
    return text.split() if separator == b" " else text.strip(separator + b" ").split(separator)
