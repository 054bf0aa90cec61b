"""Many rows of vmstat at once: which lines of a page are plain rows, and their numbers.

A row is plain where it holds a whole number below every heading and behind them, in a capture with stamps, a date and
a time. The terminal's headings between them are told by comparing lines with the last one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.families.page_reading import PageCells
from app.sdk import Page

Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class PlainLines:
    """Plain rows and headings of a page.

    Attributes:
        rows: int64[n], lines that are plain rows, ascending.
        numbers: float64[n, columns].
        seconds: int64[n] since 1970 on the host's clock; empty in a capture without stamps.
        headings: bool[lines], both lines of a heading; `names` the second one alone.
        others: int64[m], lines that are neither, ascending.
    """

    rows: Integers
    numbers: NDArray[np.float64]
    seconds: Integers
    headings: Flags
    names: Flags
    others: Integers

    def stretches(self, fewest: int) -> list[tuple[int, int]]:
        """Stretches of plain lines that are so long: first line and the one behind the last."""
        edges = np.concatenate([[-1], self.others, [len(self.headings)]])
        long = np.flatnonzero(np.diff(edges) > fewest)
        return [(int(edges[place]) + 1, int(edges[place + 1])) for place in long.tolist()]

    def rows_between(self, begin: int, end: int) -> slice:
        """Which rows stand on the lines `begin` to `end` - 1."""
        low, high = np.searchsorted(self.rows, (begin, end)).tolist()
        return slice(low, high)

    def end_of_pages(self, begin: int, end: int, rows: int, fewest: int) -> int:
        """The first heading line from `begin` to `end` - 1 that has fewer than `fewest` rows above it, else `end`.

        Args:
            rows: how many there are above line `begin`, below the last heading.
        """
        heads = np.flatnonzero(self.headings[begin:end]) + begin
        names = heads[self.names[heads]]
        low = int(np.searchsorted(self.rows, begin))
        seams = np.concatenate([[low - rows], np.searchsorted(self.rows, names)])
        above = np.searchsorted(self.rows, heads) - seams[np.searchsorted(names, heads)]
        short = np.flatnonzero(above < fewest)
        return int(heads[short[0]]) if len(short) else end


def find_plain(page: Page, width: int, stamped: bool, heading: bytes, group_line: bytes) -> PlainLines:
    """The plain lines of a page.

    Args:
        width: how many numbers a row has.
        heading, group_line: the two lines of the heading; the second stands above the first, or is empty.
    """
    cells = PageCells(page)
    rows = np.flatnonzero(cells.plain & (cells.counts == width + 2 * stamped))
    numbers, whole = cells.whole_numbers(cells.of(rows, 0, width))
    good = whole.all(axis=1)
    seconds = np.zeros(0, dtype=np.int64)
    if stamped:
        stamps = cells.of(rows, width, 2)
        days, is_day = cells.days(stamps[:, 0])
        within, is_time = cells.times_of_day(stamps[:, 1])
        good &= is_day & is_time
        seconds = (days + within)[good]
    rows, numbers = rows[good], numbers[good]
    lines = np.arange(len(page))
    names = page.equal(lines, heading)
    headings = names | page.equal(lines, group_line) if group_line else names
    others = ~headings
    others[rows] = False
    return PlainLines(rows, numbers, seconds, headings, names, np.flatnonzero(others))
