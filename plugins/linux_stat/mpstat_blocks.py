"""Many blocks of mpstat -P at once: a heading, one row per processor, a blank.

    16:10:21     CPU    %usr   %nice    %sys ...
    16:10:23     all   10.80   22.11   23.62 ...
    16:10:23       0    6.03   23.62   14.07 ...

A block is plain where its heading is the one before it with another stamp, where all its rows carry one stamp, later
than the heading's and than that of the block before, where their processors are those of the block before, in its
order, and where each row has a number below every heading. Such blocks are read with a few operations for all of
them; all others go line by line.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.families.page_reading import WIDEST_COLUMNS
from app.sdk import Page, PageRows

_STAMP = 8  # HH:MM:SS
_ZERO, _BLANK = 48, 32
_DIGITS = np.asarray([0, 1, 3, 4, 6, 7])
_COLONS = np.asarray([2, 5])
_WEIGHTS = np.asarray([36_000, 3600, 600, 60, 10, 1])
_LARGEST_DIGIT = np.asarray([2, 9, 5, 9, 5, 9], dtype=np.uint8)
_DAY_S = 86_400

Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class PlainBlocks:
    """Successive plain blocks of one shape, from line `begin` to line `end` - 1 of the page.

    Attributes:
        heading_s: second of the day of each heading; `row_s` of its rows.
        keys: the processors.
    """

    begin: int
    end: int
    heading_s: list[int]
    row_s: list[int]
    keys: tuple[bytes, ...]
    rows: PageRows


def find_plain(page: Page, heading: bytes, key_end: int, after_s: int) -> list[PlainBlocks]:
    """The plain blocks of a page.

    Args:
        heading: the heading line of the last block, with its stamp.
        key_end: where the word above the processors' numbers ends in it.
        after_s: second of the day of the last row before the page, -1 where there is none.
    """
    rest = heading[_STAMP:]
    columns = len(heading[key_end:].split())
    candidates = np.flatnonzero(page.lengths == len(heading))
    if len(candidates) < 3 or len(rest) > 250 or b"\0" in page.text:
        return []
    same = page.columns(page.starts[candidates] + _STAMP, len(rest)) == np.frombuffer(rest, dtype=np.uint8)
    begins = candidates[same.all(axis=1)]
    if len(begins) < 3:
        return []
    heading_s, good = _seconds(page, begins[:-1])  # the last may go on behind the page
    lines = np.diff(begins)
    found: list[PlainBlocks] = []
    at = 0
    while at < len(lines):
        stop = at + 1
        while stop < len(lines) and lines[stop] == lines[at]:
            stop += 1
        if stop - at > 1 and lines[at] > 2:
            shape = slice(at, stop)
            found += _of_one_shape(page, begins[shape], int(lines[at]), heading_s[shape], good[shape], key_end, columns)
        at = stop
    return _rising(found, after_s)


def _of_one_shape(
    page: Page, begins: Integers, height: int, heading_s: Integers, plain: Flags, key_end: int, columns: int
) -> list[PlainBlocks]:
    """The plain ones of blocks of equal height, in runs."""
    rows = begins[:, None] + np.arange(1, height - 1)
    width = int(np.median(page.lengths[rows]))
    if not key_end + 1 < width <= WIDEST_COLUMNS:
        return []
    plain = plain & (page.lengths[begins + height - 1] == 0) & (page.lengths[rows] == width).all(axis=1)
    if not plain.any():
        return []
    text = page.columns(page.starts[np.where(plain[:, None], rows, rows[plain.argmax()])].ravel(), width)
    whole = _are_numbers(text[:, key_end:], columns)
    text = text.reshape(*rows.shape, width)
    plain &= whole.reshape(rows.shape).all(axis=1)
    plain &= (text[:, :, :_STAMP] == text[:, :1, :_STAMP]).all(axis=(1, 2))
    row_s, good = _seconds(page, rows[:, 0])
    plain &= good & (row_s > heading_s)
    same = np.zeros(len(begins), dtype=bool)
    same[1:] = (text[1:, :, _STAMP:key_end] == text[:-1, :, _STAMP:key_end]).all(axis=(1, 2)) & (np.diff(row_s) > 0)
    found = []
    at = 0
    while at < len(begins):
        stop = at + 1
        while stop < len(begins) and plain[at] and plain[stop] and same[stop]:
            stop += 1
        keys = _keys(text[at, :, _STAMP:key_end]) if plain[at] else ()
        if keys and stop - at > 1:
            rest = slice(at + 1, stop)  # the first goes line by line: it settles what the others are
            found.append(_blocks(page, begins[rest], height, heading_s[rest], row_s[rest], keys, key_end))
        at = stop
    return found


def _are_numbers(text: NDArray[np.uint8], columns: int) -> Flags:
    """Which of these texts are so many numbers, their points below each other; [texts, bytes], a blank first."""
    points, blank = text == ord("."), text == _BLANK
    digits = (text >= _ZERO) & (text <= _ZERO + 9)
    good: Flags = (points | blank | digits).all(axis=1) & blank[:, 0] & digits[:, -1]
    good &= (blank[:, :-1] & ~blank[:, 1:]).sum(axis=1) == columns
    usual = points[good.argmax()]
    good &= (points == usual).all(axis=1)
    return good


def _keys(text: NDArray[np.uint8]) -> tuple[bytes, ...]:
    """The processors; none where something else stands there, or one of them twice."""
    keys = tuple(row.tobytes().strip() for row in text)
    good = all(key == b"all" or key.isdigit() for key in keys) and len(set(keys)) == len(keys)
    return keys if good and (text[:, 0] == ord(" ")).all() else ()


def _blocks(
    page: Page,
    begins: Integers,
    height: int,
    heading_s: Integers,
    row_s: Integers,
    keys: tuple[bytes, ...],
    key_end: int,
) -> PlainBlocks:
    line = (begins[:, None] + np.arange(1, height - 1)).ravel()
    time, key = np.divmod(np.arange(len(line)), len(keys))
    rows = PageRows(page.starts[line] + key_end, page.ends[line], line, time, key)
    return PlainBlocks(int(begins[0]), int(begins[-1]) + height, heading_s.tolist(), row_s.tolist(), keys, rows)


def _rising(found: list[PlainBlocks], after_s: int) -> list[PlainBlocks]:
    """Those that follow in time what stands before them, as far as stretches between them leave that sure."""
    kept = []
    for blocks in found:
        if blocks.row_s[0] > after_s:
            kept.append(blocks)
            after_s = blocks.row_s[-1]
        else:
            after_s = _DAY_S  # midnight, or a run that was taken again: line by line
    return kept


def _seconds(page: Page, lines: Integers) -> tuple[Integers, Flags]:
    """Second of the day at the beginning of these lines, and which of them begin with ``HH:MM:SS``."""
    text = page.columns(page.starts[lines], _STAMP)
    digits = text[:, _DIGITS] - np.uint8(_ZERO)
    good = (digits <= _LARGEST_DIGIT).all(axis=1) & (text[:, _COLONS] == ord(":")).all(axis=1)
    seconds: Integers = digits.astype(np.int64) @ _WEIGHTS
    return seconds, good & (seconds < _DAY_S)
