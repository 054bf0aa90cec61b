"""Many blocks of iostat at once: which lines of a page are headings, stamps and rows, and which blocks are plain.

A block is plain where it holds a stamp (or, in a capture without stamps, begins with the heading that began the
last block), headings known from before, each once, rows of things known from before, each once, and blanks. Plain
blocks are read with a few operations for all of them; the others go line by line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.families.page_reading import repeated_cells
from app.sdk import Page, PageRows, decode_text, page_of

from .iostat_headings import TELLING_LETTERS, Layout
from .stamps import time_of_day_s

Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]

_SPACE, _ZERO = 32, 48
_LONGEST_KEY = 120
_LONGEST_FIGURES = 200
_CLOCK = re.compile("([0-9]{2})(?::|시 ?|時|时)([0-9]{2})(?::|분 ?|分)([0-9]{2})(?![0-9:])".encode())
_OFFSET = re.compile(rb"\s?(?:Z|[+-][0-9]{2}:?[0-9]{2})(?![0-9])")
_LONGEST_STAMP = 100
_HALF_DAY = re.compile("[AaPp]\\.?\\s?[Mm]|오전|오후|午".encode())


class StampColumns:
    """Where the clock stands in a stamp, for others of the same day, form and offset."""

    def __init__(self, line: bytes, found: re.Match[bytes], time_ns: int, day_s: int) -> None:
        self.line = line
        self.time_ns = time_ns
        self.day_s = day_s
        """The stamp's own second of the day."""
        self.aware = _OFFSET.match(line, found.end()) is not None
        """The stamp tells its offset from UTC."""
        groups = (2, 3) if _HALF_DAY.search(line) else (1, 2, 3)  # of a half day only minutes and seconds run
        self._columns = np.asarray([found.start(group) + digit for group in groups for digit in (0, 1)])
        self._fixed = np.setdiff1d(np.arange(len(line)), self._columns)
        self._pattern = np.frombuffer(line, dtype=np.uint8)
        self._own_s = int(self._clock_s(self._pattern[None, :])[0])

    def _clock_s(self, text: NDArray[np.uint8]) -> Integers:
        digits = text[:, self._columns].astype(np.int64) - _ZERO
        pairs = digits[:, ::2] * 10 + digits[:, 1::2]
        seconds: Integers = pairs @ np.asarray((3600, 60, 1)[-pairs.shape[1] :])
        return seconds

    def read(self, page: Page, lines: Integers) -> tuple[Integers, Flags]:
        """Seconds after this stamp, and which of the lines are such stamps."""
        since = np.zeros(len(lines), dtype=np.int64)
        fits: Flags = page.lengths[lines] == len(self.line)
        candidates = np.flatnonzero(fits)
        text = page.columns(page.starts[lines[candidates]], len(self.line))
        good = (text[:, self._fixed] == self._pattern[self._fixed]).all(axis=1)
        digits = text[:, self._columns] - np.uint8(_ZERO)
        good &= (digits < 10).all(axis=1) & (digits[:, ::2] < 6)[:, -2:].all(axis=1)
        fits[candidates[~good]] = False
        since[candidates] = self._clock_s(text) - self._own_s
        return since, fits

    def tells_the_day_of(self, line: bytes) -> bool:
        """Whether a stamp differs from this one in nothing but its clock."""
        _, fits = self.read(page_of([line]), np.zeros(1, dtype=np.int64))
        return bool(fits[0])


def stamp_columns(line: bytes, time_ns: int) -> StampColumns | None:
    """None where the clock of the stamp is not found (its blocks then go line by line)."""
    found, day_s = _CLOCK.search(line), time_of_day_s(decode_text(line))
    if found is None or day_s is None or len(line) > _LONGEST_STAMP:
        return None
    return StampColumns(line, found, time_ns, day_s)


@dataclass(frozen=True, slots=True)
class TableRows:
    """Rows of one layout; their times are blocks, counted in the page."""

    layout: Layout
    rows: PageRows
    keys: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Blocks:
    """The blocks of a page.

    Attributes:
        begins: int64[n], each block's first line; the last block may go on behind the page.
        plain: bool[n].
        stamp: the stamp that was given, None in a capture without stamps.
        seconds: int64[n], after that stamp; 0 without stamps.
        headings: int64[lines], which layout's heading the line is, -1 for none.
    """

    begins: Integers
    plain: Flags
    stamp: StampColumns | None
    seconds: Integers
    headings: Integers
    tables: tuple[TableRows, ...]

    def plain_runs(self) -> Iterator[tuple[int, int]]:
        """The stretches of plain blocks: the first and the one behind the last. The last block of all is not plain."""
        edges = np.flatnonzero(np.diff(np.concatenate([[False], self.plain]).astype(np.int8)))
        yield from zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)


def find_blocks(page: Page, layouts: Sequence[tuple[bytes, Layout]], leader: int, stamp: StampColumns | None) -> Blocks:
    """The blocks of a page.

    Args:
        layouts: heading lines and the tables they begin.
        leader: which of them begins a block where there are no stamps.
    """
    blank = page.lengths == 0
    heading = _headings(page, layouts)
    lines = np.arange(len(page))
    above = np.maximum.accumulate(np.where(heading >= 0, lines, -1))
    row = (above > np.maximum.accumulate(np.where(blank, lines, -1))) & (heading < 0) & ~blank
    bad = ~(blank | row | (heading >= 0))
    seconds, begins = np.zeros(0, dtype=np.int64), np.flatnonzero(heading == leader)
    if stamp is not None:
        others = np.flatnonzero(bad)
        since, fits = stamp.read(page, others)
        begins, seconds = others[fits], since[fits]
        bad[begins] = False
    block = np.zeros(len(page), dtype=np.int64)
    block[begins] = 1
    block = np.cumsum(block) - 1
    owner = np.where(row, heading[above], -1)
    tables = tuple(
        rows
        for number, (_, layout) in enumerate(layouts)
        if (rows := _rows_of(page, layout, np.flatnonzero(owner == number), block, above, bad)) is not None
    )
    plain = np.ones(len(begins), dtype=bool)
    plain[block[bad & (block >= 0)]] = False
    _refuse_repeats(plain, block[heading >= 0], heading[heading >= 0], len(layouts))
    for table in tables:
        _refuse_repeats(plain, table.rows.time, table.rows.key, len(table.keys))
    if stamp is None:
        seconds = np.zeros(len(begins), dtype=np.int64)
    else:
        rises = np.diff(seconds) > 0
        plain[1:] &= rises
        plain[:-1] &= rises  # rows of one time, however often it is stamped, go through the builder together
    plain[np.bincount(block[(heading >= 0) & (block >= 0)], minlength=len(begins)) == 0] = False
    plain[-1:] = False  # it may go on behind the page
    return Blocks(begins, plain, stamp, seconds, heading, tables)


def _headings(page: Page, layouts: Sequence[tuple[bytes, Layout]]) -> Integers:
    heading = np.full(len(page), -1, dtype=np.int64)
    for number, (line, _) in enumerate(layouts):
        candidates = np.flatnonzero(page.lengths == len(line))
        heading[candidates[page.equal(candidates, line)]] = number
    return heading


def _rows_of(
    page: Page, layout: Layout, lines: Integers, block: Integers, above: Integers, bad: Flags
) -> TableRows | None:
    """The rows below a layout's headings; what is plainly none is marked in `bad`."""
    starts = page.starts[lines]
    if not layout.keyed:
        odd = page.data[starts] != _SPACE
        odd |= page.data[page.ends[lines] - 1] == _SPACE  # nothing but blanks, perhaps
        odd |= above[lines] != lines - 1  # one row below each heading
        odd |= _may_be_headings(page, lines)
        bad[lines[odd]] = True
        lines = lines[~odd]
        rows = PageRows(page.starts[lines], page.ends[lines], lines, block[lines], np.zeros_like(lines))
        return TableRows(layout, rows, (b"",)) if len(lines) else None
    names = sorted(name for name in layout.known if len(name) <= _LONGEST_KEY)
    if not names or not len(lines):
        bad[lines] = True
        return None
    key, width = _keys(page, starts, names)
    bad[lines[key < 0]] = True
    lines, width, key = lines[key >= 0], width[key >= 0], key[key >= 0]
    if not len(lines):
        return None
    used, key = np.unique(key, return_inverse=True)
    rows = PageRows(page.starts[lines] + width + 1, page.ends[lines], lines, block[lines], key)
    return TableRows(layout, rows, tuple(names[index] for index in used.tolist()))


def _may_be_headings(page: Page, lines: Integers) -> Flags:
    """`may_be_heading` of these lines, True where they are longer than a row of figures is."""
    lengths = page.lengths[lines]
    found: Flags = lengths > _LONGEST_FIGURES
    width = int(lengths[~found].max(initial=1))
    text = page.columns(page.starts[lines], width)
    inside = np.arange(width) < lengths[:, None]
    found |= (np.isin(text, np.frombuffer(TELLING_LETTERS, dtype=np.uint8)) & inside).any(axis=1)
    return found


def _keys(page: Page, starts: Integers, names: list[bytes]) -> tuple[Integers, Integers]:
    """Which of the (sorted) names begins each line, -1 for none, and how long it is."""
    longest = max(map(len, names))
    text = page.columns(starts, longest + 1)
    width = (text == _SPACE).argmax(axis=1)  # 0 where there is no blank, or it comes first
    letters = np.where(np.arange(longest) < width[:, None], text[:, :longest], np.uint8(0))
    found = np.ascontiguousarray(letters).view(f"S{longest}").ravel()
    known = np.asarray(names, dtype=f"S{longest}")
    place = np.minimum(np.searchsorted(known, found), len(names) - 1)
    return np.where((known[place] == found) & (width > 0), place, -1), width


def _refuse_repeats(plain: Flags, block: Integers, thing: Integers, things: int) -> None:
    """Blocks in which a heading or a device comes twice are not plain."""
    inside = block >= 0
    plain[repeated_cells(block[inside] * things + thing[inside]) // max(things, 1)] = False
