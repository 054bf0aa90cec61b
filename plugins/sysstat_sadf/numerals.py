"""The numbers and words at places of a text, and all runs of digits and points in it.

`sadf` does not pad its numbers: 0.00 and 12345.67 stand where they stand. So the runs are found by comparing bytes with
their neighbours.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from app.families.page_reading import Dialect, new_reader

Places = NDArray[np.int64]
Words = NDArray[np.uint64]
WORD = 8
PAD = b" " * (2 * WORD)
_KEEP = np.array([0, *((1 << 64) - (1 << 8 * (WORD - n)) for n in range(1, WORD + 1))], dtype=np.uint64)
"""Masks of the last n bytes of a word."""
RUN_BYTES = b"0123456789."
_MINUS = 45
_BEFORE_SIGN = (b" ", b'"', b":", b">")


def without_runs(text: bytes) -> bytes:
    """The text between runs, without their signs."""
    for before in _BEFORE_SIGN:
        text = text.replace(before + b"-", before)
    return text.translate(None, RUN_BYTES)


class Numerals:
    """Reads out of `text` wherever something is said to stand.

    Attributes:
        padded: the text with `PAD` on both sides.
        machine_words: uint64, the eight bytes from each place of `padded` on.
    """

    def __init__(self, text: bytes) -> None:
        self.text = text
        self.padded = PAD + text + PAD
        self.machine_words = np.ndarray((len(self.padded) - WORD + 1,), dtype="<u8", buffer=self.padded, strides=(1,))
        self._reader = new_reader(Dialect())

    def word_at(self, places: Places) -> Words:
        """The eight bytes from each place on (blanks behind the text)."""
        return self.machine_words[np.minimum(places + len(PAD), len(self.machine_words) - 1)]

    def numbers(self, starts: Places, ends: Places) -> NDArray[np.float64]:
        """The numbers at these places (any shape) of the text; NaN where there is none."""
        begins, behind = starts.ravel(), ends.ravel()
        values, read = self._reader.cells(self.text, begins, behind)
        for index in np.flatnonzero(~read & (behind > begins)).tolist():
            values[index] = _float(self.text[begins[index] : behind[index]])
        return values.reshape(starts.shape)


def _float(text: bytes) -> float:
    try:
        number = float(text.replace(b",", b"."))
    except ValueError:
        return math.nan
    return number if math.isfinite(number) and b"_" not in text else math.nan


class Runs(Numerals):
    """The runs of digits and points in `text`.

    Attributes:
        starts, ends: int64[runs], places in `text`.
        signs: bool[runs], whether a minus sign stands before it that is no hyphen.
    """

    def __init__(self, text: bytes) -> None:
        super().__init__(text)
        array = np.frombuffer(self.padded, dtype=np.uint8)
        inside = (array - np.uint8(46)) < 12  # . / 0-9; smaller bytes wrap around
        inside &= array != 47
        edges = np.flatnonzero(inside[1:] != inside[:-1]) + 1 - len(PAD)
        self.starts: Places = edges[0::2]
        self.ends: Places = edges[1::2]
        self.signs = np.zeros(len(self.starts), dtype=bool)
        if any(before + b"-" in text for before in _BEFORE_SIGN):
            self.signs[:] = array[self.starts + (len(PAD) - 1)] == _MINUS
            signed = np.flatnonzero(self.signs)
            before = array[self.starts[signed] + (len(PAD) - 2)]
            self.signs[signed] = np.isin(before, np.frombuffer(b"".join(_BEFORE_SIGN), dtype=np.uint8))

    def __len__(self) -> int:
        return len(self.starts)

    def words(self, which: NDArray[np.int64]) -> tuple[Words, Words]:
        """The last sixteen bytes of some runs, what lies before a run blanked; equal runs have equal words."""
        ends = self.ends[which] + len(PAD)
        lengths = self.ends[which] - self.starts[which]
        low = self.machine_words[ends - WORD] & _KEEP[np.minimum(lengths, WORD)]
        high = self.machine_words[ends - 2 * WORD] & _KEEP[np.clip(lengths - WORD, 0, WORD)]
        return low, high
