"""Many rows of the table of processes at once, where the command stands last and blanks part the columns.

A row is plain where it has a pid of digits and, below every heading of a number, something that the table understands.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from app.families.page_reading import PageCells, leading
from app.families.processes import process_key

from .processes import OF_NUMBERS, TIMES, ProcessHeading, value_of

Integers = NDArray[np.int64]
_HUNDREDTHS = len(":00.47")


@dataclass(frozen=True, slots=True)
class PlainRows:
    """Rows that follow each other.

    Attributes:
        busy_pct: their shares of a processor.
        values: float64[rows, the heading's numbers].
        rounded: bool[rows], a figure was rounded to a larger unit.
    """

    lines: Sequence[bytes]
    processes: list[bytes]
    busy_pct: list[float]
    values: NDArray[np.float64]
    rounded: NDArray[np.bool_]

    @property
    def count(self) -> int:
        return len(self.processes)


class ReportRows:
    """The lines `begin` to `end` - 1 of a page, below one heading."""

    def __init__(self, heading: ProcessHeading, page: PageCells, begin: int, end: int) -> None:
        self.heading = heading
        self._page, self._begin = page, begin
        width, words = len(heading.words), heading.words
        long = (page.counts[begin:end] >= width) & page.plain[begin:end]
        self._cells = np.zeros((end - begin, width), dtype=np.int64)
        self._cells[long] = page.of(begin + np.flatnonzero(long), 0, width)
        self._good = long & page.all_whole[self._cells[:, words.index("PID")]]
        self._rounded = np.zeros(end - begin, dtype=bool)
        self._values = self._numbers([words.index(word) for word in heading.numbers])
        for column, word in enumerate(heading.numbers):
            if word in TIMES:
                self._values[:, column] = self._times(self._cells[:, words.index(word)])

    def plain_from(self, line: int) -> PlainRows:
        """The plain rows from this line on, up to the first that is none."""
        low = line - self._begin
        good = self._good[low:]
        count = leading(good)
        values, numbers = self._values[low : low + count], self.heading.numbers
        busy_pct = values[:, numbers.index("%CPU")].tolist() if "%CPU" in numbers else [float("nan")] * count
        return PlainRows(
            self._page.page.lines(line, line + count),
            self._processes(self._cells[low : low + count]),
            busy_pct,
            values,
            self._rounded[low : low + count],
        )

    def _processes(self, cells: Integers) -> list[bytes]:
        text, starts, ends = self._page.page.text, self._page.starts, self._page.ends
        pids, commands = cells[:, self.heading.words.index("PID")], cells[:, -1]
        places = (starts[pids], ends[pids], starts[commands], ends[commands])
        rows = zip(*(place.tolist() for place in places), strict=True)
        return [_process(text[at:end], text[begin:behind]) for begin, behind, at, end in rows]

    def _numbers(self, columns: list[int]) -> NDArray[np.float64]:
        cells = self._cells[:, columns]
        every, plain = self._page.all_numbers
        values: NDArray[np.float64] = every[cells]
        others = ~plain[cells] & self._good[:, None]
        others[:, [word in TIMES for word in self.heading.numbers]] = False
        for row, column in zip(*map(np.ndarray.tolist, np.nonzero(others)), strict=True):
            figure = _figure(self.heading.numbers[column], self._page.text(int(cells[row, column])))
            if figure is None:
                self._good[row] = False
            else:
                values[row, column], rounded = figure
                self._rounded[row] |= rounded
        return values

    def _times(self, cells: Integers) -> NDArray[np.float64]:
        """``0:01.47``; whatever is printed otherwise one by one."""
        starts, ends = self._page.starts[cells], self._page.ends[cells]
        data, numerals = self._page.page.data, self._page.numerals
        usual = ends - starts > _HUNDREDTHS
        colons = np.where(usual, ends - _HUNDREDTHS, starts)
        minutes, whole = numerals.whole_numbers(starts, colons)
        seconds, plain = numerals.plain_numbers(np.where(usual, colons + 1, starts), ends)
        usual &= whole & plain & (data[colons] == ord(":")) & (data[ends - 3] == ord("."))
        values = minutes * 60 + seconds
        for row in np.flatnonzero(~usual & self._good).tolist():
            values[row] = value_of("TIME", self._page.text(int(cells[row])))
        return values


@lru_cache(maxsize=8192)  # the same large sizes stand in every report
def _figure(word: str, cell: bytes) -> tuple[float, bool] | None:
    """A cell's figure, and whether it is rounded; None for digits and points that are to be read one by one."""
    if not cell.translate(None, OF_NUMBERS):
        return None
    value = value_of(word, cell)
    return value, cell[-1:].isalpha() and value == value


@lru_cache(maxsize=8192)
def _process(command: bytes, pid: bytes) -> bytes:
    return process_key(command, pid).encode()
