"""Parser of Solaris prstat (-c, as it must run to write to a file).

       PID USERNAME  SIZE   RSS STATE  PRI NICE      TIME  CPU PROCESS/NLWP
     21401 oracle   1218M 1190M cpu1    49    0   0:12:41  11% oracle/11
       PID USERNAME USR SYS TRP TFL DFL LCK SLP LAT VCX ICX SCL SIG PROCESS/LWPID        -m, with -L a row per thread
     21401 oracle    61 8.2 0.1 0.0 0.0 2.1  27 1.4 841  63  4K   0 oracle/1
     NPROC USERNAME  SWAP   RSS MEMORY      TIME  CPU                                    -a, -t: users
    ZONEID    NPROC  SWAP   RSS MEMORY      TIME  CPU ZONE                               -Z; PROJID, TASKID: -J, -T
    Total: 103 processes, 412 lwps, load averages: 0.61, 0.40, 0.33                      ends a report

A process is ``21401/oracle``, a thread ``21401/oracle/11``; users, zones and projects are ``user oracle``,
``zone global``. Sizes are in bytes (K, M, G, T of 1024), TIME in seconds, VCX, ICX, SCL and SIG are counts of
the report's interval (K and M of 1000). The microstates of a run's first report are averages since each process
began, and flagged; CPU, sizes and load averages are of the moment in every report.

Only so many processes become series of their own: on a host with thousands, those that came first and those that use
processor time. What the others show is booked as skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from tunebench.sdk import ParseContext, SampleBatch, TableBuilder, decode_text, lazy_pattern, record

from .capture import SolarisParser
from .sniffing import sniff_prstat

_WORDS = frozenset({"USERNAME", "STATE", "PID", "ZONE", "PROJECT", "ZONEID", "PROJID", "TASKID"})
_TABLES = {"PID": "process", "NPROC": "user", "NLWP": "user", "ZONEID": "zone", "PROJID": "project", "TASKID": "task"}
_NAMED_BY = {"user": "USERNAME", "zone": "ZONE", "project": "PROJECT", "task": "TASKID"}
_TOTAL = lazy_pattern(
    rb"^Total: (?P<processes>\d+) processes, (?P<lwps>\d+) lwps, load averages: "
    rb"(?P<one>\d+[.,]\d\d), (?P<five>\d+[.,]\d\d), (?P<fifteen>\d+[.,]\d\d)$"
)
_TOTALS = ("processes", "lwps", "load average 1m", "load average 5m", "load average 15m")
_NUMBER = lazy_pattern(rb"^(?P<number>-?(?:\d+(?:[.,]\d*)?|[.,]\d+))(?P<suffix>[KMGTP]?)%?$")
_TIME = lazy_pattern(rb"^(?P<hours>\d+):(?P<minutes>\d\d):(?P<seconds>\d\d)$")
_COUNTS = frozenset({"VCX", "ICX", "SCL", "SIG"})
_POWER = {b"": 0, b"K": 1, b"M": 2, b"G": 3, b"T": 4, b"P": 5}
_FEW, _MOST = 300, 2000
"""Processes that are kept whatever they do; processes that are kept at all."""
_BUSY_PCT = 0.5
_ABSENT = frozenset({b"-", b"--"})


@record
class Layout:
    """A heading: where each column stands, and which of them are numbers."""

    table: str
    words: tuple[str, ...]

    @property
    def numbers(self) -> tuple[str, ...]:
        return tuple(word for word in self.words if word not in _WORDS and not word.startswith("PROCESS/"))

    @property
    def micro(self) -> bool:
        return "LAT" in self.words


def read_heading(text: bytes) -> Layout | None:
    words = tuple(decode_text(text).split())
    table = _TABLES.get(words[0]) if len(words) > 4 else None
    if table is None or "RSS" not in words and "LAT" not in words or _NAMED_BY.get(table, words[0]) not in words:
        return None
    if table == "process" and not words[-1].startswith("PROCESS/"):
        return None
    return Layout("thread" if words[-1] == "PROCESS/LWPID" else table, words)


class PrstatParser(SolarisParser[Layout]):
    """See the module."""

    tool = "prstat"

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self._total = TableBuilder("total", _TOTALS, None, self.book)
        self._tables_of_block: set[str] = set()
        self._processes: set[bytes] = set()
        self._micro = False

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        return sniff_prstat(head)

    def read_lines(self, first_line: int, lines: list[bytes]) -> Iterable[SampleBatch]:
        if self.is_ending and lines and _is_row(lines[-1]):
            self.book.skip("truncated", first_line + len(lines) - 1, lines.pop())  # java/2 may have been java/25
        return super().read_lines(first_line, lines)

    def close_tables(self) -> Iterable[SampleBatch]:
        if self._micro:
            self._clock.describe()
        return self._flush(final=True)

    # -- rows ------------------------------------------------------------------------------------

    def _take_row(self, number: int, text: bytes) -> bool:
        layout = self._layout
        if layout is None or not text[:1].isdigit():
            return False
        cells = text.split(None, len(layout.words) - 1)
        if len(cells) != len(layout.words):
            self.book.skip("truncated", number, text)
            return True
        by_word = dict(zip(layout.words, cells, strict=True))
        values = [_value(by_word[word], word) for word in layout.numbers]
        if any(value is None for value in values):
            self.book.skip("unreadable_numbers", number, text)
            return True
        key = _key(layout, by_word)
        if layout.table in ("process", "thread") and not self._keeps(key, by_word):
            self.book.skip("too_many_processes", number, text)
            return True
        time_ns, since_boot = self._now()
        tail = b" ".join(b"-" if value is None or value != value else repr(value).encode() for value in values)
        self._micro = self._micro or layout.micro
        self._builder(layout.table, layout.numbers, "process").row(
            time_ns, number, key, tail, since_boot and layout.micro
        )
        self.book.data()
        return True

    def _keeps(self, key: bytes, by_word: dict[str, bytes]) -> bool:
        """Whether this process has, or gets, series of its own."""
        if key in self._processes:
            return True
        count = len(self._processes)
        if count >= _FEW:
            busy = sum(_value(by_word[word], word) or 0.0 for word in ("CPU", "USR", "SYS") if word in by_word)
            if count >= _MOST or not busy >= _BUSY_PCT:
                return False
        self._processes.add(key)
        return True

    def _take_total(self, number: int, match: re.Match[bytes]) -> None:
        time_ns, _ = self._now()
        self._total.row(time_ns, number, b"", b" ".join(match.groups()).replace(b",", b"."))
        self.book.data()
        self._begin_run()

    def _end_block(self) -> None:
        super()._end_block()
        self._tables_of_block.clear()

    # -- all other lines -------------------------------------------------------------------------

    def _take_heading(self, number: int, text: bytes) -> bool:
        layout, total = read_heading(text), _TOTAL.match(text)
        if total is not None:
            self._take_total(number, total)
        elif layout is not None:
            self._begin(layout)
            self.book.header()
        elif text == b"Please wait...":
            self.book.skip("message", number, text)
        else:
            return False
        return True

    def _begin(self, layout: Layout) -> None:
        if layout.table in self._tables_of_block:  # a report without its last line
            self._end_block()
        self._tables_of_block.add(layout.table)
        self._layout = layout
        if layout.table in ("process", "thread"):
            micro = "m" if layout.micro else ""
            lwp = "L" if layout.table == "thread" else ""
            self.book.variant = f"-{micro}{lwp}" if micro or lwp else ""

    def _flush(self, final: bool) -> list[SampleBatch]:
        return [*super()._flush(final), *self._total.flush(final)]


def _key(layout: Layout, by_word: dict[str, bytes]) -> bytes:
    named_by = _NAMED_BY.get(layout.table)
    if named_by is not None:
        return layout.table.encode() + b" " + by_word[named_by].strip()
    name, _, last = by_word[layout.words[-1]].strip().rpartition(b"/")
    thread = b"/" + last if layout.table == "thread" else b""
    return by_word["PID"] + b"/" + name + thread


def _value(cell: bytes, word: str) -> float | None:
    """The number of a cell, NaN where there is none; None where the cell is no number."""
    if cell in _ABSENT:
        return float("nan")
    if word in ("PRI", "NICE") and cell.isalpha():  # NICE shows the class of processes without: RT, FX
        return float("nan")
    clock = _TIME.match(cell)
    if clock is not None:
        return int(clock["hours"]) * 3600.0 + int(clock["minutes"]) * 60.0 + int(clock["seconds"])
    match = _NUMBER.match(cell)
    if match is None:
        return None
    base = 1000.0 if word in _COUNTS else 1024.0
    return float(match["number"].replace(b",", b".")) * base ** _POWER[match["suffix"]]


def _is_row(line: bytes) -> bool:
    return read_heading(line) is None and _TOTAL.match(line.strip()) is None
