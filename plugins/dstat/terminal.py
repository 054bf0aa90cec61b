"""Parser of what dstat and dool print on a terminal.

    ----system---- --total-cpu-usage-- -dsk/total- --dsk/vda-- ---system--
         time     |usr sys idl wai stl| read  writ: read  writ| int   csw
    21-11 16:15:32| 46  16  37   1   0|  12M   20M:9243M   16G|1722  5072
    21-11 16:15:33| 86  13   1   0   0|2516k  464M|  64k 2673B|1433  2832

Groups stand above their headings, ``|`` and ``:`` between groups stand below each other in all lines, so that a time's
own colons are none. The heading comes again with every page. Values are rounded: ``12M`` of bytes is in units of
1024, ``11k`` of anything else in units of 1000. The first row below the first heading is an average since boot.
dool (it names the month) prints disks and networks in bits, and these in units of 1000.

Source: dstat(1) 0.7.4, dool 1.3.8; recordings of both.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

import numpy as np

from tunebench.families.cells import number_of
from tunebench.families.lines import EndingParser
from tunebench.families.lost_rows import is_lost_row
from tunebench.sdk import ParseContext, SampleBatch, decode_text, lazy_pattern

from .columns import TIME_HEADINGS, Columns, read_columns
from .stamps import StampReader

_ESCAPE = lazy_pattern(rb"\x1b\[[0-9;?]*[A-Za-z]|\x1b[()=>][0-9A-B]?")
_GROUP = lazy_pattern(rb"^-+[\w/.:+-]*$")
_HEADING = lazy_pattern(rb"^[\s\w|:#%/.+-]+$")
_NUMBER = lazy_pattern(rb"^(?P<number>-?\d+(?:\.\d+)?)(?P<suffix>[BkKMGTb]?)$")
_NAMED_MONTH = lazy_pattern(rb"^\s*[A-Z][a-z]{2}-\d\d ")
_OF_BYTES = lazy_pattern(r"^(?:dsk|net|memory|swap|paging|mem|virtual memory|nfs|most expensive|buffer)")
_KNOWN = (b"total-", b"cpu-usage", b"dsk/", b"net/", b"memory-usage", b"system-")
_SCALES = {b"": 0, b"B": 0, b"b": 0, b"k": 1, b"K": 1, b"M": 2, b"G": 3, b"T": 4}


class TerminalParser(EndingParser):
    """Cells are found by the places of the separators in the heading."""

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self.book.tool, self.book.os, self.book.variant = "dstat", "linux", "terminal"
        self._stamps = StampReader(context, self.times, self.book)
        self._groups: list[str] = []
        self._edges: list[int] = []  # where the separators stand
        self._headings: list[list[str]] = []  # per part between separators
        self._columns: Columns | None = None
        self._rows: list[tuple[int, int, list[float], bool]] = []  # time, line, cells, since boot
        self._ready: list[SampleBatch] = []
        self._is_first = True

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        lines = [_plain(line) for line in head.removeprefix(b"\xef\xbb\xbf").splitlines()[:80]]
        for above, below in pairwise(lines):
            if _is_groups(above) and b"|" in below and _is_heading(below):
                return 0.95 if any(name in above for name in _KNOWN) else 0.4
        return 0.0

    def read_lines(self, first_line: int, lines: list[bytes]) -> Iterable[SampleBatch]:
        for number, line in enumerate(lines, first_line):
            self._read_line(number, line, _plain(line))
        self._flush()
        ready, self._ready = self._ready, []
        return ready

    # -- lines -----------------------------------------------------------------------------------

    def _read_line(self, number: int, line: bytes, text: bytes) -> None:
        if not text.strip():
            self.book.blank()
        elif b"\0" in text:
            self._keep_time(text)
            self.book.skip("nul_bytes", number, line)
        elif _is_groups(text):
            self._groups = [_group_name(word) for word in re.split(rb"[ :|]+", text.strip())]
            self.book.header()
        elif self._groups and _is_heading(text):
            self._read_heading(text)
            self.book.header()
        elif not self._read_row(number, text):
            self._keep_time(text)
            reason = "truncated" if self.is_ending else "not_a_table" if self._columns is None else "unreadable_numbers"
            self.book.skip(reason, number, line)

    def _read_heading(self, text: bytes) -> None:
        self._edges = [edge for edge, char in enumerate(text) if char in b"|:"]
        self._headings = [decode_text(part).split() for part in _parts(text, self._edges)]
        groups = [name for name, words in zip(self._groups, self._headings, strict=False) for _ in words]
        flat = [word for words in self._headings for word in words]
        columns = read_columns(groups, flat, self.book.tool == "dool")
        if columns != self._columns:
            self._flush()
            self._columns = columns

    # -- rows ------------------------------------------------------------------------------------

    def _read_row(self, number: int, text: bytes) -> bool:
        columns = self._columns
        if columns is None or any(text[edge : edge + 1] not in (b"|", b":") for edge in self._edges):
            return False
        parts = _parts(text, self._edges)
        if len(parts) != len(self._headings):
            return False
        cells: list[bytes] = []
        for part, words in zip(parts, self._headings, strict=True):
            is_time = len(words) == 1 and words[0] in TIME_HEADINGS
            values = [part.strip()] if is_time else part.split()
            if len(values) != len(words):
                return False
            cells.extend(values)
        if self.book.tool == "dstat" and columns.time is not None and _NAMED_MONTH.match(cells[columns.time]):
            self.book.tool = "dool"
            self._flush()
            self._columns = columns = self._in_bits()
        return self._put(number, cells, columns)

    def _in_bits(self) -> Columns:
        groups = [name for name, words in zip(self._groups, self._headings, strict=False) for _ in words]
        return read_columns(groups, [word for words in self._headings for word in words], True)

    def _put(self, number: int, cells: list[bytes], columns: Columns) -> bool:
        values = [float("nan")] * columns.width
        for table, (places, _) in columns.tables.items():
            base = 1024.0 if _OF_BYTES.match(table) and not table.endswith("_bits") else 1000.0
            for column in places:
                value = _number(cells[column], base)
                if value is None:
                    return False
                values[column] = value
        if columns.time is None:
            time_ns: int | None = self.times.next_unstamped(None)
        else:
            time_ns = self._stamps.read(cells[columns.time])
        if time_ns is None:
            return False
        if self._is_first:
            self.book.warn("rounded_units")
        self._rows.append((time_ns, number, values, self._is_first))
        self._is_first = False
        self.book.data()
        return True

    def _keep_time(self, text: bytes) -> None:
        """A damaged row keeps the time it took, and may have been the average since boot."""
        if self._columns is not None and is_lost_row(text):
            if self._columns.time is None:
                self.times.next_unstamped(None)
            self._is_first = False

    def _flush(self) -> None:
        rows, self._rows = self._rows, []
        if not rows or self._columns is None:
            return
        values = np.array([row[2] for row in rows])
        times_ns = np.array([row[0] for row in rows], dtype=np.int64)
        lines = np.array([row[1] for row in rows], dtype=np.int64)
        since_boot = np.array([row[3] for row in rows], dtype=bool)
        for table, (places, series) in self._columns.tables.items():
            self._ready.append(SampleBatch(table, times_ns, series, values[:, places], since_boot, lines))


def _plain(line: bytes) -> bytes:
    """Without colours and without carriage returns."""
    return _ESCAPE.sub(b"", line).rstrip(b"\r") if b"\x1b" in line else line


def _is_groups(text: bytes) -> bool:
    """``--total-cpu-usage-- -dsk/total-``; dool has ``|`` between them. A rule of psql's (``----+----``) is none."""
    words = text.replace(b"|", b" ").split()
    return text.count(b"-") > 3 and re.search(rb"\w", text) is not None and all(_GROUP.match(word) for word in words)


def _is_heading(text: bytes) -> bool:
    """Words between separators; no part of it is a number with a unit, as in a row."""
    if b"|" not in text or _HEADING.match(text) is None:
        return False
    words = re.split(rb"[\s|:]+", text.strip())
    return len(words) > 1 and not any(_NUMBER.match(word) and not word.endswith(b"m") for word in words if word)


def _parts(text: bytes, edges: list[int]) -> list[bytes]:
    places = [-1, *edges, len(text)]
    parts = [text[start + 1 : end] for start, end in pairwise(places)]
    return parts[:-1] if edges and not parts[-1].strip() else parts


def _group_name(word: bytes) -> str:
    name = decode_text(word).strip("-")
    return name if "/" in name else name.replace("-", " ")


def _number(cell: bytes, base: float) -> float | None:
    """``12M``, ``2673B``, ``7.0``, ``-`` (NaN); None for what is no number."""
    match = _NUMBER.match(cell)
    if match is not None:
        return float(match["number"]) * base ** _SCALES[match["suffix"]]
    return number_of(cell)
