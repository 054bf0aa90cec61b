"""The cells of a page's lines where blanks part them, and the stamps among them."""

from __future__ import annotations

from datetime import datetime
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from app.sdk.dates import is_plausible
from app.sdk.numerals import Numerals, Words
from app.sdk.pages import Page

Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]

_BLANK, _LINE_END = 32, 10
_DATE, _COMPACT_DATE, _TIME = 10, 8, 8  # 2026-11-21, 20261121, 16:10:21
_CLOCK = np.frombuffer(b"00:00:00", dtype=np.uint8)
_WEIGHTS = np.asarray([36_000, 3600, 0, 600, 60, 0, 10, 1])
_LARGEST = np.asarray([2, 9, 0, 5, 9, 0, 5, 9], dtype=np.uint8)
_DAY_S = 86_400
_EPOCH = datetime(1970, 1, 1)


class PageCells:
    """All cells of a page.

    Attributes:
        starts, ends: int64[cells], where each cell stands in the page's text.
        first: int64[lines + 1]; line i has the cells ``first[i]`` to ``first[i + 1] - 1``.
        counts: int64[lines].
        plain: bool[lines], False where a line holds control characters: its cells may not be what ``split`` gives.
    """

    def __init__(self, page: Page) -> None:
        self.page = page
        text = page.data[: len(page.text)]
        inside = np.zeros(len(text) + 1, dtype=bool)
        np.greater(text, _BLANK, out=inside[1:])
        edges = np.flatnonzero(inside[1:] != inside[:-1])
        self.starts: Integers = edges[0::2]
        self.ends: Integers = edges[1::2]  # the text ends with a line end, which is no cell
        self.first: Integers = np.append(np.searchsorted(self.starts, page.starts), len(self.starts))
        self.counts: Integers = np.diff(self.first)
        self.plain: Flags = np.ones(len(page), dtype=bool)
        controls = np.flatnonzero((text < _BLANK) & (text != _LINE_END))
        self.plain[np.searchsorted(page.ends, controls)] = False

    @cached_property
    def numerals(self) -> Numerals:
        return Numerals(self.page.text)

    def end_of_stretch(self, line: int) -> int:
        """The first empty line from `line` on, or the end of the page."""
        place = int(np.searchsorted(self._empty, line))
        return int(self._empty[place]) if place < len(self._empty) else len(self.counts)

    @cached_property
    def _empty(self) -> Integers:
        return np.flatnonzero(self.counts == 0)

    def of(self, lines: Integers, begin: int, count: int) -> Integers:
        """Which cells are the `count` from the `begin`-th on of these lines: int64[lines, count]."""
        found: Integers = self.first[lines][:, None] + np.arange(begin, begin + count)
        return found

    def numbers(self, cells: Integers) -> tuple[NDArray[np.float64], Flags]:
        """The numbers in these cells (any shape), and which of them are plain (`Numerals.plain_numbers`)."""
        return self.numerals.plain_numbers(self.starts[cells], self.ends[cells])

    def whole_numbers(self, cells: Integers) -> tuple[NDArray[np.float64], Flags]:
        """`numbers` without a point."""
        return self.numerals.whole_numbers(self.starts[cells], self.ends[cells])

    @cached_property
    def all_numbers(self) -> tuple[NDArray[np.float64], Flags]:
        """`numbers` of every cell of the page, read at once."""
        return self.numerals.plain_numbers(self.starts, self.ends)

    @cached_property
    def all_whole(self) -> Flags:
        """Which of all cells are nothing but up to 15 digits."""
        return self.numerals.whole_numbers(self.starts, self.ends)[1]

    def text(self, cell: int) -> bytes:
        return self.page.text[self.starts[cell] : self.ends[cell]]

    def times_of_day(self, cells: Integers) -> tuple[Integers, Flags]:
        """Seconds since midnight of cells ``16:10:21``, and which of the cells are such times before 24:00."""
        starts = self.starts[cells]
        seconds, good = clock_seconds(self.numerals.word_at(starts))
        return seconds, good & (self.ends[cells] - starts == _TIME)

    def days(self, cells: Integers, compact: bool = False) -> tuple[Integers, Flags]:
        """Seconds since 1970 of the midnights of cells ``2026-11-21``, and which of the cells are such days.

        Args:
            compact: they are ``20261121``.
        """
        width = _COMPACT_DATE if compact else _DATE
        good: Flags = self.ends[cells] - self.starts[cells] == width
        text = self.page.columns(self.starts[cells], width)
        changes = np.ones(len(cells), dtype=bool)
        np.any(text[1:] != text[:-1], axis=1, out=changes[1:])
        found = [day_seconds(text[index].tobytes()) for index in np.flatnonzero(changes).tolist()]
        place = np.cumsum(changes) - 1
        days = np.asarray([0 if day is None else day for day in found], dtype=np.int64)
        good &= np.asarray([day is not None for day in found], dtype=bool)[place]
        return days[place], good


def clock_seconds(words: Words, leap: bool = False) -> tuple[Integers, Flags]:
    """Seconds since midnight of eight characters ``16:10:21`` each, and which of them are such times before 24:00.

    Args:
        leap: second 60 is one as well.
    """
    text = words.view(np.uint8).reshape(-1, _TIME)
    digits = text - _CLOCK
    seconds: Integers = digits @ _WEIGHTS
    good: Flags = seconds < _DAY_S
    good &= (digits <= _LARGEST).all(axis=1)
    if leap and not good.all():
        whole_minute = digits * np.asarray([1, 1, 1, 1, 1, 1, 0, 0], dtype=np.uint8)
        at_60 = (digits[:, 6] == 6) & (digits[:, 7] == 0) & (whole_minute <= _LARGEST).all(axis=1)
        good |= at_60 & (seconds <= _DAY_S)
    return seconds, good


@lru_cache(maxsize=1024)
def day_seconds(text: bytes) -> int | None:
    """Seconds since 1970 of the midnight of ``2026-11-21`` or ``20261121``; None where it is no such day."""
    if not text.isdigit() and (text[4:5] != b"-" or text[7:8] != b"-"):
        return None  # 2026-W47-6
    try:
        day = datetime.fromisoformat(text.decode("ascii"))
    except ValueError:
        return None
    return int((day - _EPOCH).total_seconds()) if is_plausible(day) else None
