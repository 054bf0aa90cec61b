"""Many rows of pidstat at once: those from one line on that plainly are rows of one time.

A row is plain where it begins with the stamp of the row before, has a pid of digits and a number of digits and at most
one point below every heading, or -1.00 below one whose counter may not be read, and a command behind them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.families.page_reading import PageCells, leading
from app.sdk import Page

Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]

_MINUS, _ONE = 45, 49


class PageOfRows:
    """The rows of a page; all its numbers are read once."""

    def __init__(self, page: Page, decimal_commas: bool) -> None:
        self.page = page
        self._cells = cells = PageCells(page, decimal_commas)
        values, self._plain = cells.all_numbers
        self._values = values.copy()
        first, last = page.data[cells.starts], page.data[cells.ends - 1]
        hidden = (first == _MINUS) & (page.data[cells.starts + 1] == _ONE) & (last >= 48) & (last < 58)
        self._values[hidden] = np.nan
        self._hidden = hidden

    def plain_rows(
        self, begin: int, end: int, stamp_words: int, before: int, names: int, hidden: Sequence[int]
    ) -> PlainRows:
        """The plain rows from line `begin` on.

        Args:
            stamp_words: words of the stamp; `before` between it and the pid.
            names: how many numbers stand between pid and command.
            hidden: which of them may be -1.00.
        """
        cells = self._cells
        pid = stamp_words + before
        good = (cells.counts[begin:end] > pid + 1 + names) & cells.plain[begin:end]
        count = leading(good)
        lines = np.arange(begin, begin + count)
        numbers = cells.of(lines, pid + 1, names)
        plain = self._plain[numbers]
        for column in hidden:
            plain[:, column] |= self._hidden[numbers[:, column]]
        pids = cells.of(lines, pid, 1)[:, 0]
        good = plain.all(axis=1) & cells.all_whole[pids]
        if count:
            width = int(cells.ends[cells.first[begin] + stamp_words - 1] - self.page.starts[begin])
            stamps = self.page.columns(self.page.starts[begin : begin + count], width + 1)
            good &= (stamps == stamps[0]).all(axis=1)
        count = leading(good)
        numbers = numbers[:count]
        return PlainRows(self.page.text, cells, pids[:count], numbers, lines[:count], self._values[numbers])

    def stamp(self, line: int, words: int) -> list[bytes]:
        return self.page.line(line).split(None, words)[:words]


@dataclass(frozen=True, slots=True)
class PlainRows:
    """int64: the cells of the pids, [rows]; of the numbers, [rows, names]; the lines, [rows]. The numbers, float64."""

    text: bytes
    cells: PageCells
    pids: Integers
    numbers: Integers
    lines: Integers
    values: NDArray[np.float64]

    @property
    def count(self) -> int:
        return len(self.lines)

    def processes(self) -> list[bytes]:
        """``fio[22]`` of each row."""
        cells, text = self.cells, self.text
        commands = self.numbers[:, -1] + 1
        places = (
            cells.starts[self.pids],
            cells.ends[self.pids],
            cells.starts[commands],
            cells.ends[cells.first[self.lines + 1] - 1],
        )
        rows = zip(*(place.tolist() for place in places), strict=True)
        return [text[at:end] + b"[" + text[begin:behind] + b"]" for begin, behind, at, end in rows]
