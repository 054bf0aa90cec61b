"""pgbench --log --aggregate-interval: one line per interval and thread. Times are microseconds.

    1345828501 5601 1542744 483552416 61 2573                                        (9.3 to 14)
    1345828501 5601 1542744 483552416 61 2573 3103 5272165 81 2261                   (with --rate)
    1345828501 5601 1542744 483552416 61 2573 3103 5272165 81 2261 0                 (with --latency-limit)
    1795250734 6 69506 814521384 9737 13653 3103 5272165 81 2261 0 0 0 0 0           (15 to 17)

pgbench stamps the start of an interval; a sample stands at its end, as those of the other tools do. Each
thread writes a file of its own (``pgbench_log.4448``, ``pgbench_log.4448.1``), which names the series.
Two figures are computed beside the printed ones: ``tps`` and ``latency average``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import pairwise

import numpy as np

from tunebench.sdk import LineParser, ParseContext, SampleBatch, SeriesKey, lazy_pattern

_NAMES = (
    "num_transactions",
    "sum_latency",
    "sum_latency_2",
    "min_latency",
    "max_latency",
    "sum_lag",
    "sum_lag_2",
    "min_lag",
    "max_lag",
    "skipped",
    "retried",
    "retries",
    "serialization_failures",
    "deadlock_failures",
)
_WIDTHS = frozenset({6, 10, 11, 13, 15})
_COMPUTED = ("tps", "latency average")
_LINE = lazy_pattern(rb"^[12]\d{9}(?: -?\d+){5,14}$")
_THREAD = lazy_pattern(r"(\d+(?:\.\d+)?)$")
_FLUSH_ROWS = 4000


class PgbenchLogParser(LineParser):
    """Aggregated log of one pgbench thread."""

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self.book.tool = "pgbench"
        self._width = 0
        self._rows: list[tuple[int, int, list[float]]] = []  # (start, line, numbers), not given yet
        self._interval_s = 0
        self._keys: tuple[SeriesKey, ...] = ()

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:
        lines = [line.rstrip(b"\r") for line in head.split(b"\n") if line.strip()]
        lines = lines[:-1] if len(lines) > 1 and not head.endswith(b"\n") else lines
        if not lines or not all(_is_row(line) for line in lines[:100]):
            return 0.0
        starts = [int(line.split(None, 1)[0]) for line in lines[:100]]
        if any(later <= earlier for earlier, later in pairwise(starts)):
            return 0.0
        return 0.95 if "pgbench" in file_name.lower() else 0.7

    def read_lines(self, first_line: int, lines: list[bytes]) -> Iterable[SampleBatch]:
        batches: list[SampleBatch] = []
        for number, line in enumerate(lines, first_line):
            if not line or line.isspace():
                self.book.blank()
            elif _is_row(line):
                cells = line.split()
                if len(cells) != self._width:
                    batches.extend(self._flush(final=True))
                    self._begin(len(cells))
                self._rows.append((int(cells[0]), number, [float(cell) for cell in cells[1:]]))
                self.book.data()
            else:
                self.book.skip(_reason(line), number, line)
        if len(lines) < 200 or len(self._rows) > _FLUSH_ROWS:
            batches.extend(self._flush(final=False))
        return batches

    def close_tables(self) -> Iterable[SampleBatch]:
        self.book.interval_s = self._interval_s or None
        return self._flush(final=True)

    def _begin(self, width: int) -> None:
        self._width = width
        thread = _THREAD.search(self.context.file_name)
        attributes = (("process", thread[1]),) if thread else ()
        names = (*_NAMES[: width - 1], *_COMPUTED)
        self._keys = tuple(SeriesKey("log", name, attributes) for name in names)
        self.book.variant = f"--aggregate-interval, {width} columns"

    def _flush(self, final: bool) -> list[SampleBatch]:
        """Gives the rows; the first waits for the second, because two starts tell the interval."""
        rows = self._rows
        if not rows or (len(rows) == 1 and not self._interval_s and not final):
            return []
        if not self._interval_s:
            self._interval_s = self._find_interval()
        values = [[*numbers, *self._computed(numbers)] for _, _, numbers in rows]
        times = [self.times.at_epoch(start + self._interval_s) for start, _, _ in rows]
        batch = SampleBatch(
            table="log",
            times_ns=np.array(times, dtype=np.int64),
            series=self._keys,
            values=np.array(values),
            since_boot=np.zeros(len(rows), dtype=bool),
            line_numbers=np.array([line for _, line, _ in rows], dtype=np.int64),
        )
        self._rows = []
        return [batch]

    def _find_interval(self) -> int:
        starts = [start for start, _, _ in self._rows]
        if len(starts) > 1 and starts[1] > starts[0]:
            return starts[1] - starts[0]
        if self.context.interval_s is not None:
            self.book.assume("interval_s", f"{self.context.interval_s:g}", "user")
            return math.ceil(self.context.interval_s)
        return int(self.book.guess_interval())

    def _computed(self, numbers: list[float]) -> tuple[float, float]:
        transactions = numbers[0]
        return transactions / self._interval_s, numbers[1] / transactions if transactions else math.nan


def _is_row(line: bytes) -> bool:
    return _LINE.match(line) is not None and len(line.split()) in _WIDTHS


def _reason(line: bytes) -> str:
    if b"\0" in line:
        return "nul_bytes"
    return "unreadable_numbers" if line[:1].isdigit() else "not_a_table"
