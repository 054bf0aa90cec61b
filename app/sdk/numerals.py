"""The numbers that stand at given places of a text, many at a time, however they are padded.

Each is read from the eight or sixteen bytes before its end, as machine words: three multiplications turn eight digits
into a number, for all numbers at once. Whatever this does not cover (a sign, a comma, more than 15 digits, a point
before the last eight characters) is read one by one. Both ways give the double nearest to the printed decimal.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Places = NDArray[np.int64]
Words = NDArray[np.uint64]
Flags = NDArray[np.bool_]

WORD = 8
PAD = b" " * (2 * WORD)
_BLOCK = 16_384  # numbers at once: their words and doubles stay in the second-level cache
_MOST_DIGITS = 15  # integers up to 10**15 are exact in a double, so digits / 10**decimals rounds once
_ASCII = np.uint64(0x3030303030303030)
_POINTS = np.uint64(0x1E1E1E1E1E1E1E1E)  # "." as seen after the exclusive or with "0"
_HIGH = np.uint64(0xF0F0F0F0F0F0F0F0)
_SIX = np.uint64(0x0606060606060606)
_FIRST_BITS, _LAST_BITS = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)
_ONE, _SEVEN, _EIGHT = np.uint64(1), np.uint64(7), np.uint64(8)
_POWERS = 10.0 ** np.arange(2 * WORD + 1)
KEEP = np.array(
    [0] + [(0xFFFFFFFFFFFFFFFF << (8 * (WORD - n))) & 0xFFFFFFFFFFFFFFFF for n in range(1, 9)], dtype=np.uint64
)
"""Masks of the last n bytes of a word."""


class Numerals:
    """Reads numbers out of `text` wherever they are said to stand.

    Attributes:
        padded: the text with `PAD` on both sides.
        machine_words: uint64, the eight bytes from each place of `padded` on.
    """

    def __init__(self, text: bytes) -> None:
        self.text = text
        self.padded = PAD + text + PAD
        self.machine_words = np.ndarray((len(self.padded) - WORD + 1,), dtype="<u8", buffer=self.padded, strides=(1,))

    def word_at(self, places: Places) -> Words:
        """The eight bytes from each place on (blanks behind the text)."""
        return self.machine_words[np.minimum(places + len(PAD), len(self.machine_words) - 1)]

    def numbers(self, starts: Places, ends: Places) -> NDArray[np.float64]:
        """The numbers at these places (any shape) of the text; NaN where there is none."""
        begins, behind = starts.ravel(), ends.ravel()
        values, plain = self._by_blocks(self._read, begins, behind)
        for index in np.flatnonzero(~plain).tolist():
            values[index] = _float(self.text[begins[index] : behind[index]])
        return values.reshape(starts.shape)

    def plain_numbers(self, starts: Places, ends: Places) -> tuple[NDArray[np.float64], Flags]:
        """The numbers at these places (any shape), and which of them are nothing but digits and at most one point.

        The others are meaningless.
        """
        values, plain = self._by_blocks(self._read, starts.ravel(), ends.ravel())
        return values.reshape(starts.shape), plain.reshape(starts.shape)

    def whole_numbers(self, starts: Places, ends: Places) -> tuple[NDArray[np.float64], Flags]:
        """`plain_numbers` that have no point, of up to 15 digits."""
        values, plain = self._by_blocks(self._read_whole, starts.ravel(), ends.ravel())
        return values.reshape(starts.shape), plain.reshape(starts.shape)

    @staticmethod
    def _by_blocks(
        read: Callable[[Places, Places], tuple[NDArray[np.float64], Flags]], starts: Places, ends: Places
    ) -> tuple[NDArray[np.float64], Flags]:
        values, plain = np.empty(len(starts)), np.empty(len(starts), dtype=bool)
        for at in range(0, len(starts), _BLOCK):
            block = slice(at, at + _BLOCK)
            values[block], plain[block] = read(starts[block], ends[block])
        return values, plain

    def _low(self, ends: Places, lengths: Places) -> Words:
        """The last eight characters as digits; those before the number are 0."""
        low = self.machine_words[ends + (len(PAD) - WORD)]
        low ^= _ASCII
        low &= KEEP[np.minimum(lengths, WORD)]
        return low

    def _read_whole(self, starts: Places, ends: Places) -> tuple[NDArray[np.float64], Flags]:
        lengths = ends - starts
        low = self._low(ends, lengths)
        return self._with_high(low, lengths, ends, np.zeros(len(low), dtype=np.int64), ~_has_other(low))

    def _read(self, starts: Places, ends: Places) -> tuple[NDArray[np.float64], Flags]:
        lengths = ends - starts
        low = self._low(ends, lengths)
        decimals = np.zeros(len(low), dtype=np.int64)
        plain = ~_has_other(low)
        if not plain.all():
            moved, places = _without_point(low)
            pointed = (places > 0) & (lengths > 1)
            np.copyto(low, moved, where=pointed)
            np.copyto(decimals, places, where=pointed)
            plain = ~_has_other(low)
        values, plain = self._with_high(low, lengths, ends, decimals, plain)
        if decimals.any():
            values /= _POWERS[decimals]
        return values, plain

    def _with_high(
        self, low: Words, lengths: Places, ends: Places, decimals: Places, plain: Flags
    ) -> tuple[NDArray[np.float64], Flags]:
        """The numbers without their points, and which of them are read in full."""
        plain &= lengths > 0
        values = _eight_digits(low)
        long = np.flatnonzero(lengths > WORD)
        if len(long):
            own, pointed = lengths[long], decimals[long] > 0
            high = self.machine_words[ends[long] + (len(PAD) - 2 * WORD)] ^ _ASCII
            high &= KEEP[np.clip(own - WORD, 0, WORD)]
            values[long] += _eight_digits(high) * np.where(pointed, _POWERS[WORD - 1], _POWERS[WORD])
            plain[long] &= ~_has_other(high) & (own <= _MOST_DIGITS + pointed)
        return values, plain


def _has_other(word: Words) -> Flags:
    """Whether a byte is no digit (0 to 9 after the exclusive or)."""
    found: Flags = ((word | (word + _SIX)) & _HIGH) != 0
    return found


def _without_point(word: Words) -> tuple[Words, Places]:
    """The first point taken out, what stands before it moved up by one; and how many characters stand behind it.

    A word without a point, or with one at its end, has none.
    """
    other = word ^ _POINTS
    zero_bytes = (other - _FIRST_BITS) & ~other & _LAST_BITS  # the lowest bit is that of the first point
    lowest = zero_bytes & (~zero_bytes + _ONE)
    before = (lowest >> _SEVEN) - _ONE
    behind = ~((lowest << _ONE) - _ONE)
    places = 7 - (np.bitwise_count(lowest - _ONE) >> 3).astype(np.int64)
    return ((word & before) << _EIGHT) | (word & behind), places


def _eight_digits(word: Words) -> NDArray[np.float64]:
    """The number of eight digits, the first in the lowest byte: pairs, then fours, then all eight."""
    word = word & np.uint64(0x0F0F0F0F0F0F0F0F)
    word *= np.uint64(2561)
    word >>= np.uint64(8)
    word &= np.uint64(0x00FF00FF00FF00FF)
    word *= np.uint64(6553601)
    word >>= np.uint64(16)
    word &= np.uint64(0x0000FFFF0000FFFF)
    word *= np.uint64(42949672960001)
    word >>= np.uint64(32)
    return word.astype(np.float64)


def _float(text: bytes) -> float:
    try:
        number = float(text.replace(b",", b"."))
    except ValueError:
        return float("nan")
    return number if math.isfinite(number) and b"_" not in text else float("nan")
