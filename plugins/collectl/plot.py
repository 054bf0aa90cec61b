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
from datetime import datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from app.families.delimited import decode_delimited
from app.families.lines import EndingParser
from app.families.page_reading import PageCells
from app.sdk import Page, ParseContext, SampleBatch, SeriesKey, SystemFact, decode_text

from .recording import Recording
from .stamps import STAMP, time_of

_COLUMN = re.compile(r"^\[(?P<table>[A-Za-z]+)(?::(?P<thing>[^\]]*))?\](?P<name>.+)$")
_ATTRIBUTES = {"CPU": "cpu", "DSK": "device", "NET": "interface", "INT": "group"}
_WAITING = re.compile(rb"^waiting for \d+(?:\.\d+)? second sample")
_HEADING = re.compile(rb"^#(?:Date(?P<date_end>[\s,;:|]+)Time|Time|UTC)(?P<separator>[\s,;:|]+)\[")
_TEXT_COLUMNS = frozenset({"Name"})
_MOST_ROWS = 20_000
_STAMP_CELLS = 2
_FEWEST_AT_ONCE = 30  # lines; fewer go line by line
_NS_PER_S = 1_000_000_000


class _Heading:
    """Where each table's columns are."""

    def __init__(self, words: Sequence[str], separator: bytes) -> None:
        self.separator = separator
        self.width = len(words)
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


class PlotParser(EndingParser):
    """Rows of one heading are decoded together."""

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self.book.tool, self.book.os, self.book.variant = "collectl", "linux", "plot"
        self._recording = Recording(self.book)
        self._heading: _Heading | None = None
        self._rows: list[tuple[int, int, bytes]] = []  # time, line, text after the stamp

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        return 0.97 if any(_HEADING.match(line) for line in head.splitlines()[:60]) else 0.0

    def facts(self) -> list[SystemFact]:
        return self._recording.facts()

    # -- many rows at once -----------------------------------------------------------------------

    def read_page(self, first_line: int, page: Page) -> Iterator[SampleBatch]:
        at = 0
        while at < len(page) and self._heading is None:
            end = min(at + _FEWEST_AT_ONCE, len(page))
            yield from self.read_lines(first_line + at, page.lines(at, end))
            at = end
        heading = self._heading
        if heading is not None and heading.separator == b" ":
            cells = PageCells(page)
            plain, seconds = _plain_rows(cells, heading)
            for begin, end in _stretches(plain, at):
                yield from self.read_lines(first_line + at, page.lines(at, begin))
                at = begin
                if self._heading is not heading:
                    break
                yield from self._take_rows(first_line, cells, begin, end, seconds[begin:end])
                at = end
        yield from self.read_lines(first_line + at, page.lines(at, len(page)))

    def _take_rows(
        self, first_line: int, cells: PageCells, begin: int, end: int, seconds: NDArray[np.int64]
    ) -> Iterator[SampleBatch]:
        assert self._heading is not None
        lines = np.arange(begin, end)
        values, _ = cells.all_numbers
        matrix = values[cells.of(lines, _STAMP_CELLS, self._heading.width)]
        times_ns = self._times_of(seconds)
        for table, (places, series) in self._heading.tables.items():
            since_boot = np.zeros(end - begin, dtype=bool)
            yield SampleBatch(table, times_ns, series, matrix[:, places], since_boot, first_line + lines)
        self.book.data(end - begin)

    def _times_of(self, seconds: NDArray[np.int64]) -> NDArray[np.int64]:
        """UTC ns of rows, by the seconds since 1970 that the host's clock showed."""
        offset = self._recording.offset
        if offset is None or self.context.zone_source == "user":
            return self.times.at_datetimes(seconds)
        start = datetime(1970, 1, 1, tzinfo=offset)
        if bool((seconds[1:] < seconds[:-1]).any()):
            moments = [start + timedelta(seconds=one) for one in seconds.tolist()]
            return np.asarray([self.times.at_datetime(moment) for moment in moments], dtype=np.int64)
        first_ns = self.times.at_datetime(start + timedelta(seconds=int(seconds[0])))
        return self.times.at_rising(first_ns + (seconds - seconds[0]) * _NS_PER_S)

    # -- line by line ----------------------------------------------------------------------------

    def read_lines(self, first_line: int, lines: list[bytes]) -> Iterable[SampleBatch]:
        ready: list[SampleBatch] = []
        if self.is_ending and lines and self._is_cut(lines[-1]):
            self.book.skip("truncated", first_line + len(lines) - 1, lines.pop())
        for number, line in enumerate(lines, first_line):
            if _HEADING.match(line) is not None:
                ready.extend(self._flush())
            self._read_line(number, line)
            if len(self._rows) >= _MOST_ROWS:
                ready.extend(self._flush())
        return [*ready, *self._flush()]

    def _is_cut(self, line: bytes) -> bool:
        """A last line without an end that has fewer cells than the heading."""
        heading = self._heading
        stamp = STAMP.match(line)
        if heading is None or stamp is None:
            return False
        return len(_cells(line[stamp.end() :], heading.separator)) < heading.width

    def _read_line(self, number: int, line: bytes) -> None:
        heading = _HEADING.match(line)
        if not line.strip():
            self.book.blank()
        elif heading is not None:
            separator = heading["separator"].strip()[:1] or b" "
            words = [word.strip() for word in decode_text(line[heading.end() - 1 :]).split(separator.decode())]
            self._heading = _Heading([word for word in words if word], separator)
            self.book.header()
        elif line.startswith(b"#"):
            if self._recording.read(line):
                self.book.header()
            else:
                self.book.skip("comment", number, line)
        elif not self._read_row(number, line):
            self.book.skip("message" if _WAITING.match(line) else "not_a_table", number, line)

    def _read_row(self, number: int, line: bytes) -> bool:
        heading, stamp = self._heading, STAMP.match(line)
        if heading is None or stamp is None:
            return False
        time_ns = time_of(stamp, self.times, self._recording, self.context)
        if time_ns is None:
            return False
        rest = line[stamp.end() :].strip()
        if heading.separator == b" ":
            rest = b" ".join(rest.split()) if b"  " in rest else rest
        else:
            rest = rest.lstrip(heading.separator)
        if rest.count(heading.separator) + 1 != heading.width:
            rest = rest.removesuffix(heading.separator)
            if rest.count(heading.separator) + 1 != heading.width:
                return False
        self._rows.append((time_ns, number, rest))
        self.book.data()
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


def _plain_rows(cells: PageCells, heading: _Heading) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Which lines of a page are rows with a number below every heading of one, and their seconds since 1970."""
    plain = cells.plain & (cells.counts == _STAMP_CELLS + heading.width)
    seconds = np.zeros(len(plain), dtype=np.int64)
    lines = np.flatnonzero(plain)
    stamps = cells.of(lines, 0, _STAMP_CELLS)
    days, is_day = cells.days(stamps[:, 0], compact=True)
    within, is_time = cells.times_of_day(stamps[:, 1])
    places = [place for places, _ in heading.tables.values() for place in places]
    numbers = _STAMP_CELLS + np.asarray(places, dtype=np.int64)
    _, read = cells.all_numbers
    plain[lines] = is_day & is_time & read[cells.first[lines][:, None] + numbers].all(axis=1)
    seconds[lines] = days + within
    return plain, seconds


def _stretches(flags: NDArray[np.bool_], first: int) -> list[tuple[int, int]]:
    """Long stretches of True from `first` on: begin and end."""
    padded = np.concatenate([[False], flags[first:], [False]])
    edges = first + np.flatnonzero(padded[1:] != padded[:-1])
    both = zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)
    return [(begin, end) for begin, end in both if end - begin >= _FEWEST_AT_ONCE]


def _cells(text: bytes, separator: bytes) -> list[bytes]:
    return text.split() if separator == b" " else text.strip(separator + b" ").split(separator)
