"""The JSON of iostat, mpstat and pidstat -o JSON: one element of "statistics" at a time.

    {"sysstat": {"hosts": [{"nodename": "dbtest01", "sysname": "Linux", "release": "6.18", "date": "11/21/26",
        "statistics": [{"timestamp": "11/21/26 16:10:13", "avg-cpu": {...}, "disk": [{...}]}, ...

A day at one second is hundreds of megabytes, so elements are cut out by their braces as lines arrive.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from tunebench.families.page_reading import dense_spans
from tunebench.sdk import LineParser, ParseContext, SampleBatch, SeriesKey, decode_text, lazy_pattern

from .capture import SMALL_FEED_LINES, BlockClock
from .stamps import Hints, StampReader, time_of_day_s

_MARK = lazy_pattern(rb'"(?:[^"\\]|\\.)*"|[{}\[\]]')
_FACT = lazy_pattern(rb'"(nodename|release|date)"\s*:\s*"([^"]*)"')
_FLUSH_ROWS = 2000
_HEAD_LINES = 60


class JsonTable:
    """Rows of one table; a row may bring new columns."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._columns: dict[SeriesKey, int] = {}
        self._rows: list[tuple[int, int, bool, dict[int, float]]] = []

    def __len__(self) -> int:
        return len(self._rows)

    def row(self, time_ns: int, line: int, since_boot: bool, values: Mapping[SeriesKey, float]) -> None:
        columns = self._columns
        cells = {columns.setdefault(key, len(columns)): value for key, value in values.items()}
        self._rows.append((time_ns, line, since_boot, cells))

    def flush(self) -> Iterator[SampleBatch]:
        rows, self._rows = self._rows, []
        times = np.repeat(np.arange(len(rows)), [len(row[3]) for row in rows])
        places = np.asarray([column for row in rows for column in row[3]], dtype=np.int64)
        for low, high in dense_spans(times, places, 1):
            yield self._batch(rows[times[low] : times[high - 1] + 1])

    def _batch(self, rows: list[tuple[int, int, bool, dict[int, float]]]) -> SampleBatch:
        used = list(dict.fromkeys(column for row in rows for column in row[3]))
        column = {number: index for index, number in enumerate(used)}
        values = np.full((len(rows), len(used)), np.nan)
        for index, (_, _, _, cells) in enumerate(rows):
            values[index, [column[number] for number in cells]] = list(cells.values())
        values[np.isinf(values)] = np.nan
        keys = list(self._columns)
        return SampleBatch(
            table=self.name,
            times_ns=np.array([row[0] for row in rows], dtype=np.int64),
            series=tuple(keys[number] for number in used),
            values=values,
            since_boot=np.array([row[2] for row in rows], dtype=bool),
            line_numbers=np.array([row[1] for row in rows], dtype=np.int64),
        )


class SysstatJsonParser(LineParser):
    """Base of the JSON readers; a subclass reads one element in `read_element`."""

    tool = ""

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self.book.tool = self.tool
        self.book.os = "linux"
        self.book.variant = "JSON"
        self.hints = Hints()
        self.stamps = StampReader(context, self.times, self.book, self.hints)
        self.clock = BlockClock(context, self.times, self.book, self.stamps)
        self.tables: dict[str, JsonTable] = {}
        self.elements = 0  # read since the document began
        self._cutter = ElementCutter()
        self._pending_lines = 0  # lines of the element that is being collected

    # -- for subclasses --------------------------------------------------------------------------

    def read_element(self, number: int, element: dict[str, Any]) -> None:
        """Takes one element of "statistics", which begins on line `number`."""
        raise NotImplementedError

    def table(self, name: str) -> JsonTable:
        return self.tables.setdefault(name, JsonTable(name))

    def element_time(self, element: dict[str, Any]) -> int:
        """UTC ns of an element; ``timestamp`` is a full stamp (iostat) or a time of day (mpstat)."""
        stamp = element.get("timestamp")
        if isinstance(stamp, str):
            moment = self.stamps.moment(stamp)
            if moment is not None:
                return self.times.at_datetime(moment)
            seconds = time_of_day_s(stamp)
            if seconds is not None:
                return self.times.at_time_of_day(seconds)
        return self.clock.next_block()

    # -- reading ---------------------------------------------------------------------------------

    def read_lines(self, first_line: int, lines: list[bytes]) -> Iterable[SampleBatch]:
        for number, line in enumerate(lines, first_line):
            self._read_line(number, line)
        if len(lines) < SMALL_FEED_LINES or any(len(table) > _FLUSH_ROWS for table in self.tables.values()):
            return self._flush()
        return ()

    def close_tables(self) -> Iterable[SampleBatch]:
        self._drop_unfinished()
        self.book.locale = self.hints.name(self.stamps.dates_seen)
        return self._flush()

    def _flush(self) -> list[SampleBatch]:
        return [batch for table in self.tables.values() for batch in table.flush()]

    def _read_line(self, number: int, line: bytes) -> None:
        if b'"sysstat"' in line and self._cutter.depth > 1:  # the document before was cut off
            self._drop_unfinished()
            self._cutter = ElementCutter()
        if number <= _HEAD_LINES and b'"timestamp"' in line:
            self.hints.look(line)
        counted = False
        for start_line, text in self._cutter.feed(number, line):
            lines = self._pending_lines + (not counted)
            counted, self._pending_lines = True, 0
            self._take_element(start_line, text, lines)
        if self._cutter.inside:
            self._pending_lines += not counted
        elif not counted:
            self._read_outside(line)

    def _take_element(self, number: int, text: bytes, lines: int) -> None:
        try:
            element = json.loads(text)
            self.read_element(number, element)
        except (ValueError, TypeError, AttributeError, LookupError, ArithmeticError, RecursionError):
            # no JSON, or not of this shape
            if lines:
                self.book.skip("unreadable_numbers", number, text[:400], lines)
            return
        self.elements += 1
        self.book.data(lines)

    def _drop_unfinished(self) -> None:
        if self._pending_lines:
            self.book.skip("truncated", self._cutter.start_line, self._cutter.collected()[:400], self._pending_lines)
            self._pending_lines = 0

    def _read_outside(self, line: bytes) -> None:
        """A line around the elements: the host's facts, brackets."""
        if not line or line.isspace():
            self.book.blank()
            return
        self.book.header()
        for name, value in _FACT.findall(line):
            text = decode_text(value)
            if name == b"nodename":
                self.book.hostname = text
            elif name == b"release":
                self.book.os_version = text
            else:
                self.hints.look(b" " + value + b" ")
                self.stamps.set_banner_day(text)
                self.elements = 0


class ElementCutter:
    """Cuts the elements of the "statistics" array out of a text that arrives line by line."""

    def __init__(self) -> None:
        self.depth = 0
        self.start_line = 0
        self._array_depth = 0  # depth inside the array; 0 outside of it
        self._array_follows = False
        self._parts: list[bytes] = []

    @property
    def inside(self) -> bool:
        """Whether an element has begun and not ended."""
        return self._array_depth > 0 and self.depth > self._array_depth

    def collected(self) -> bytes:
        return b" ".join(self._parts)

    def feed(self, number: int, line: bytes) -> Iterator[tuple[int, bytes]]:
        """Gives (line it began on, text) of each element that ends on this line."""
        start = 0
        for mark in _MARK.finditer(line):
            sign = mark[0]
            if sign in b"{[":
                if sign == b"{" and self.depth == self._array_depth > 0:
                    start, self.start_line, self._parts = mark.start(), number, []
                self.depth += 1
                if self._array_follows and sign == b"[":
                    self._array_depth = self.depth
            elif sign in b"}]":
                was_inside = self.inside
                self.depth = max(self.depth - 1, 0)
                if was_inside and not self.inside:
                    self._parts.append(line[start : mark.end()])
                    yield self.start_line, self.collected()
                    self._parts = []
                elif self.depth < self._array_depth:
                    self._array_depth = 0
            self._array_follows = sign == b'"statistics"'
        if self.inside:
            self._parts.append(line[start:])


def numbers_of(
    values: Mapping[str, Any], name: Callable[[str], str], table: str, *attributes: tuple[str, str]
) -> dict[SeriesKey, float]:
    """The figures of one JSON object as series of `table`, named by `name`."""
    return {
        SeriesKey(table, name(key), attributes): float(value)
        for key, value in values.items()
        if isinstance(value, (int, float)) and not isinstance(value, bool)
    }


def sniff_json(head: bytes, wanted: tuple[bytes, ...]) -> float:
    """How sure the head of a file is sysstat's JSON with one of the `wanted` tables (sadf's has dates of its own)."""
    if b"\0" in head or b'"sysstat"' not in head[:4096] or b'"statistics"' not in head[:8192]:
        return 0.0
    if b'"sysdata-version"' in head or b'"file-date"' in head:
        return 0.0
    return 0.97 if any(word in head for word in wanted) else 0.0
