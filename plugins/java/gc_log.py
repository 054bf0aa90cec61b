"""Garbage collection logs of HotSpot: one row for each pause.

    [2026-07-20T09:00:01.123+0900][1.012s][info][gc] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 24M->4M(9M) 3.4ms
    2026-07-20T09:00:01.123+0900: 1.012: [GC (Allocation Failure) [PSYoungGen: 65536K->1024K(7M)] 65536K->1032K(9M),
    0.0153 secs]

What the log says besides (phases, concurrent work, sizes of generations) is left out. A log with the seconds since the
start alone is put where the capture is said to begin.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime, timedelta

import numpy as np

from tunebench.sdk import LineParser, ParseContext, SampleBatch, TableBuilder, decode_text, lazy_pattern

_STAMP = rb"(?P<stamp>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:[+-]\d{4}|Z)?)"
_UNIFIED = lazy_pattern(
    rb"(?:\[" + _STAMP + rb"\]|\[(?P<uptime>\d{1,10}\.\d{1,9})s\]|\[[^\]\[]{0,60}\])+ *"
    rb"GC\(\d+\) Pause (?P<kind>[A-Z][A-Za-z ]*?)(?P<cause>(?: \([^()]*(?:\([^()]*\))?[^()]*\))*)"
    rb"(?: (?P<before>\d+[KMG])->(?P<after>\d+[KMG])\((?P<size>\d+[KMG])\))? (?P<ms>\d+[.,]\d+)ms\s*$"
)
_OLD = lazy_pattern(
    rb"(?:" + _STAMP + rb": )?(?:(?P<uptime>\d{1,10}[.,]\d{1,9}): )?\[(?P<kind>Full GC|GC)(?P<rest>[ (\[].*)$"
)
_INNER = lazy_pattern(rb"\[[^\[\]]*\]?")
_HEAP = lazy_pattern(rb"(?P<before>\d+[KMG])->(?P<after>\d+[KMG])\((?P<size>\d+[KMG])\)")
_SECONDS = lazy_pattern(rb"(?P<s>\d+[.,]\d+) secs\]?\s*$")
_TIMES = lazy_pattern(rb"\s*\[Times: .*$")
_IN_KIB = {b"K": 1, b"M": 1 << 10, b"G": 1 << 20}
_DEEPEST = 4
_LONGEST = 4_000
_FIRST_YEAR_BEYOND = 2200
_LONGEST_UPTIME_S = 20 * 365 * 86_400.0
_FEWEST_SIGNS = 2


class GcLogParser(LineParser):
    """Rows of pauses, by their kind."""

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self.book.tool = "gc_log"
        self._table = TableBuilder("gc", ("pause", "heap before", "heap after", "heap size"), "state", self.book)
        self._first_ns: int | None = None
        self._first_uptime_s = 0.0

    @staticmethod
    def sniff(head: bytes, _file_name: str) -> float:
        signs = sum(_pause(line) is not None for line in head.split(b"\n")[:2_000])
        return 0.0 if not signs else 0.9 if signs >= _FEWEST_SIGNS or b"[gc" in head else 0.6

    def read_lines(self, first_line: int, lines: list[bytes]) -> Iterable[SampleBatch]:
        for number, line in enumerate(lines, first_line):
            self._read_line(number, line)
        yield from self._table.flush()

    def close_tables(self) -> Iterable[SampleBatch]:
        yield from self._table.flush(final=True)

    def _read_line(self, number: int, line: bytes) -> None:
        if not line.strip():
            self.book.blank()
            return
        pause = _pause(line)
        time_ns = None if pause is None else self._time_of(*pause[:2])
        if pause is None or time_ns is None:
            self.book.skip("gc_no_pause", number, line)
            return
        self.book.data()
        self._table.row(time_ns, number, pause[2], np.asarray(pause[3]))

    def _time_of(self, stamp: bytes, uptime: bytes) -> int | None:
        """UTC ns; of a log that tells the time since the start alone, from where it is said to begin."""
        if stamp:
            try:
                moment = datetime.fromisoformat(decode_text(stamp.replace(b",", b".")))
            except ValueError:
                return None
            return self.times.at_datetime(moment) if 1970 < moment.year < _FIRST_YEAR_BEYOND else None
        if not uptime:
            return None
        uptime_s = float(uptime.replace(b",", b"."))
        if uptime_s > _LONGEST_UPTIME_S:
            return None
        if self._first_ns is None:
            self._first_ns, self._first_uptime_s = self.times.next_unstamped(1.0), uptime_s
        return self._first_ns + timedelta(seconds=uptime_s - self._first_uptime_s) // timedelta(microseconds=1) * 1000


Pause = tuple[bytes, bytes, bytes, list[float]]
"""Stamp and uptime as they are spelt, kind, numbers."""


def _pause(line: bytes) -> Pause | None:
    if len(line) > _LONGEST:
        return None
    if line.startswith(b"["):
        match = _UNIFIED.match(line)
        if match is None:
            return None
        ms = float(match["ms"].replace(b",", b"."))
        return match["stamp"] or b"", match["uptime"] or b"", match["kind"].strip(), [ms, *_heap(match)]
    match = _OLD.match(line)
    if match is None:
        return None
    rest = _TIMES.sub(b"", match["rest"]).rstrip().removesuffix(b"]")
    for _ in range(_DEEPEST):
        rest = _INNER.sub(b"", rest)
    seconds = _SECONDS.search(rest)
    if seconds is None:
        return None
    kind = b"Full" if match["kind"] == b"Full GC" else b"Young"
    ms = round(float(seconds["s"].replace(b",", b".")) * 1000, 7)
    return match["stamp"] or b"", match["uptime"] or b"", kind, [ms, *_heap(_HEAP.search(rest))]


def _heap(match: re.Match[bytes] | None) -> list[float]:
    """KiB of the heap before, after and in all; NaN where the line does not tell them."""
    sizes = [match[name] if match else None for name in ("before", "after", "size")]
    return [float(int(text[:-1]) * _IN_KIB[text[-1:]]) if text else float("nan") for text in sizes]
