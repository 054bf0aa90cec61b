"""All runs of digits and points in a stretch of text, and the numbers they are, many at a time.

`sadf` does not pad its numbers: 0.00 and 12345.67 stand where they stand. So the runs are found by comparing
bytes with their neighbours, and each is read from the eight or sixteen bytes before its end, as machine words:
three multiplications turn eight digits into a number, for all runs at once. Whatever this does not cover (a
point elsewhere than before the last two digits, more than 15 digits) is read one by one. Both ways give the
double nearest to the printed decimal.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

RUN_BYTES = b"0123456789."
_PAD = b" " * 16
_MOST_DIGITS = 15  # integers up to 10**15 are exact in a double, so digits / 100 rounds once
_WORD = 8
_ASCII = np.uint64(0x3030303030303030)
_POINT = np.uint64(0x1E)  # "." as seen after the exclusive or with "0"
_MINUS = 45
_BEFORE_SIGN = (b" ", b'"', b":", b">")
_HIGH = np.uint64(0xF0F0F0F0F0F0F0F0)
_SIX = np.uint64(0x0606060606060606)
_POWERS = 10.0 ** np.arange(2 * _WORD + 1)
_KEEP = np.array([0] + [(0xFFFFFFFFFFFFFFFF << (8 * (_WORD - n))) & 0xFFFFFFFFFFFFFFFF for n in range(1, 9)],
                 dtype=np.uint64)  # fmt: skip

Places = NDArray[np.int64]


class Numerals:
    """Reads numbers out of `text` wherever they are said to stand."""

    def __init__(self, text: bytes) -> None:
        self.text = text
        self._padded = _PAD + text + _PAD
        self._words = np.ndarray((len(self._padded) - _WORD + 1,), dtype="<u8", buffer=self._padded, strides=(1,))

    def word_at(self, places: Places) -> NDArray[np.uint64]:
        """The eight bytes from each place on (blanks behind the text)."""
        return self._words[np.minimum(places + len(_PAD), len(self._words) - 1)]

    def numbers(self, starts: Places, ends: Places) -> NDArray[np.float64]:
        """The numbers at these places (any shape) of the text; NaN where there is none."""
        shape = starts.shape
        return self._read(starts.ravel() + len(_PAD), ends.ravel() + len(_PAD)).reshape(shape)

    def _read(self, starts: Places, ends: Places) -> NDArray[np.float64]:
        lengths = ends - starts
        low = self._words[ends - _WORD] ^ _ASCII
        low &= _KEEP[np.minimum(lengths, _WORD)]
        pointed = (low >> np.uint64(40)) & np.uint64(0xFF) == _POINT
        pointed &= lengths > 2
        if pointed.all():
            low = _without_point(low)
        elif pointed.any():
            low = np.where(pointed, _without_point(low), low)
        odd = _has_other(low)
        odd |= lengths < 1
        values = _eight_digits(low)
        long = np.flatnonzero(lengths > _WORD)
        if len(long):
            odd[long] |= self._add_high(values, long, starts, ends, pointed)
        values = np.where(pointed, values / 100.0, values)
        for index in np.flatnonzero(odd):
            values[index] = _float(self._padded[starts[index] : ends[index]])
        return values

    def _add_high(
        self, values: NDArray[np.float64], long: Places, starts: Places, ends: Places, pointed: NDArray[np.bool_]
    ) -> NDArray[np.bool_]:
        """Adds the digits above the last eight characters to `values`; gives which runs this cannot read."""
        lengths = ends[long] - starts[long]
        high = self._words[ends[long] - 2 * _WORD] ^ _ASCII
        high &= _KEEP[np.clip(lengths - _WORD, 0, _WORD)]
        values[long] += _eight_digits(high) * np.where(pointed[long], _POWERS[7], _POWERS[8])
        most = _MOST_DIGITS + pointed[long]
        return _has_other(high) | (lengths > most)


def without_runs(text: bytes) -> bytes:
    """The text between runs, without their signs."""
    for before in _BEFORE_SIGN:
        text = text.replace(before + b"-", before)
    return text.translate(None, RUN_BYTES)


class Runs(Numerals):
    """The runs of digits and points in `text`.

    Attributes:
        starts, ends: int64[runs], places in `text`.
        signs: bool[runs], whether a minus sign stands before it that is no hyphen.
    """

    def __init__(self, text: bytes) -> None:
        super().__init__(text)
        array = np.frombuffer(self._padded, dtype=np.uint8)
        inside = (array - np.uint8(46)) < 12  # . / 0-9; smaller bytes wrap around
        inside &= array != 47
        edges = np.flatnonzero(inside[1:] != inside[:-1]) + 1 - len(_PAD)
        self.starts: Places = edges[0::2]
        self.ends: Places = edges[1::2]
        self.signs = np.zeros(len(self.starts), dtype=bool)
        if any(before + b"-" in text for before in _BEFORE_SIGN):
            self.signs[:] = array[self.starts + (len(_PAD) - 1)] == _MINUS
            signed = np.flatnonzero(self.signs)
            before = array[self.starts[signed] + (len(_PAD) - 2)]
            self.signs[signed] = np.isin(before, np.frombuffer(b"".join(_BEFORE_SIGN), dtype=np.uint8))

    def __len__(self) -> int:
        return len(self.starts)

    def words(self, which: NDArray[np.int64]) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """The last sixteen bytes of some runs, what lies before a run blanked; equal runs have equal words."""
        ends = self.ends[which] + len(_PAD)
        lengths = self.ends[which] - self.starts[which]
        low = self._words[ends - _WORD] & _KEEP[np.minimum(lengths, _WORD)]
        high = self._words[ends - 2 * _WORD] & _KEEP[np.clip(lengths - _WORD, 0, _WORD)]
        return low, high


def _has_other(word: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Whether a byte is no digit (0 to 9 after the exclusive or)."""
    found: NDArray[np.bool_] = ((word | (word + _SIX)) & _HIGH) != 0
    return found


def _without_point(word: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The characters before a point two digits from the end move up by one."""
    return (word & np.uint64(0xFFFF000000000000)) | ((word & np.uint64(0x000000FFFFFFFFFF)) << np.uint64(8))


def _eight_digits(word: NDArray[np.uint64]) -> NDArray[np.float64]:
    """The number of eight digits, the first in the lowest byte: pairs, then fours, then all eight."""
    word = word & np.uint64(0x0F0F0F0F0F0F0F0F)
    word = (word * np.uint64(2561)) >> np.uint64(8)
    word = ((word & np.uint64(0x00FF00FF00FF00FF)) * np.uint64(6553601)) >> np.uint64(16)
    word = ((word & np.uint64(0x0000FFFF0000FFFF)) * np.uint64(42949672960001)) >> np.uint64(32)
    return word.astype(np.float64)


def _float(text: bytes) -> float:
    try:
        number = float(text.replace(b",", b"."))
    except ValueError:
        return float("nan")
    return number if math.isfinite(number) and b"_" not in text else float("nan")
