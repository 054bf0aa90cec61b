"""Lines of fields: where every field of every line begins and ends, without cutting the text into pieces."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .numerals import Numerals, Places

_CARRIAGE_RETURN = 13


class Fields:
    """The lines of `text`, which ends with a line end or is the end of the capture.

    Attributes:
        starts, ends: int64[lines], without line ends.
        counts: int64[lines], the separators of each.
        first: int64[lines], index of a line's first separator among all.
    """

    def __init__(self, text: bytes, separator: bytes) -> None:
        self.text = text
        self.numerals = Numerals(text)
        self._array = np.frombuffer(text, dtype=np.uint8)
        line_ends = np.flatnonzero(self._array == 10)
        if text and not text.endswith(b"\n"):
            line_ends = np.append(line_ends, len(text))
        self.starts: Places = np.append(0, line_ends[:-1] + 1) if len(line_ends) else line_ends
        self._separators = np.flatnonzero(self._array == separator[0])
        self.first: Places = np.searchsorted(self._separators, self.starts)
        self.counts: Places = np.searchsorted(self._separators, line_ends) - self.first
        long = line_ends > self.starts
        returns = np.zeros(len(line_ends), dtype=bool)
        returns[long] = self._array[line_ends[long] - 1] == _CARRIAGE_RETURN
        self.ends: Places = line_ends - returns

    def __len__(self) -> int:
        return len(self.starts)

    def line(self, index: int) -> bytes:
        return self.text[self.starts[index] : self.ends[index]]

    def begins(self, byte: bytes) -> NDArray[np.bool_]:
        """bool[lines]: whether a line's first byte is this."""
        found = np.zeros(len(self), dtype=bool)
        long = self.ends > self.starts
        found[long] = self._array[self.starts[long]] == byte[0]
        return found

    def separator_place(self, lines: Places, index: int) -> Places:
        """Where the `index`-th separator of these lines stands."""
        found: Places = self._separators[self.first[lines] + index]
        return found

    def edges(self, low: int, high: int) -> tuple[Places, Places]:
        """Starts and ends of all fields of the lines `low` to `high`, which have as many: int64[lines, fields]."""
        count = int(self.counts[low])
        begin = int(self.first[low])
        inner = self._separators[begin : begin + count * (high - low)].reshape(high - low, count)
        starts = np.column_stack([self.starts[low:high], inner + 1])
        return starts, np.column_stack([inner, self.ends[low:high]])

    def texts(self, starts: Places, ends: Places) -> list[bytes]:
        text = self.text
        return [text[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]

    def changes(self, starts: Places, width: int) -> NDArray[np.bool_]:
        """Whether `width` bytes from each place on (at most 24) differ from those at the place before."""
        changed = np.ones(len(starts), dtype=bool)
        if len(starts) > 1:
            words = [self.numerals.word_at(starts + shift) for shift in range(0, width - 7, 8)]
            words.append(self.numerals.word_at(starts + max(width - 8, 0)))
            changed[1:] = np.any([word[1:] != word[:-1] for word in words], axis=0)
        return changed

    def digits(self, starts: Places, columns: tuple[int, ...]) -> NDArray[np.float64]:
        """The digits that stand `columns` behind each place: float64[places, columns]; NaN where none is."""
        places = np.minimum(starts[:, None] + np.asarray(columns), len(self._array) - 1)
        found: NDArray[np.float64] = self._array[places].astype(np.float64) - 48
        found[(found < 0) | (found > 9)] = np.nan
        return found
