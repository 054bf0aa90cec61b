"""All runs of digits and points in a stretch of text.

`sadf` does not pad its numbers: 0.00 and 12345.67 stand where they stand. So the runs are found by comparing bytes with
their neighbours, and the numbers read by `app.sdk.numerals`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from app.families.page_reading import KEEP, PAD, WORD, Numerals, Places

RUN_BYTES = b"0123456789."
_MINUS = 45
_BEFORE_SIGN = (b" ", b'"', b":", b">")


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

    def words(self, which: NDArray[np.int64]) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """The last sixteen bytes of some runs, what lies before a run blanked; equal runs have equal words."""
        ends = self.ends[which] + len(PAD)
        lengths = self.ends[which] - self.starts[which]
        low = self.machine_words[ends - WORD] & KEEP[np.minimum(lengths, WORD)]
        high = self.machine_words[ends - 2 * WORD] & KEEP[np.clip(lengths - WORD, 0, WORD)]
        return low, high
