"""Rows that differ from one that was read in their interval, their clock and their plain figures alone."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tunebench.families.page_reading import Form, Reader
from tunebench.families.running_clock import RunningClock
from tunebench.sdk import lazy_pattern

from .row_parser import Head

_PLAIN = lazy_pattern(rb"-?[0-9]+(?:[.,][0-9]+)?")
_ZERO = ord("0")


class AlikeRows(NamedTuple):
    """Rows of one form, n of them.

    Attributes:
        clock: of their stamps.
        runs: int64[n, fields of the clock].
        values: float64[n, figures].
        last, end: where the last of them begins in the text, and where it ends.
    """

    clock: RunningClock
    runs: NDArray[np.int64]
    values: NDArray[np.float64]
    last: int
    end: int


class RowForm:
    """See the module. Figures that are no plain numbers are those of the row."""

    def __init__(
        self, head: Head, cells: Sequence[bytes], figures: Sequence[int], plain: list[bool], values: NDArray[np.float64]
    ) -> None:
        self._clock = head.clock
        begins = list(accumulate((len(cell) + 1 for cell in cells), initial=len(head.text) + 1))
        spans = [(field.start, field.stop) for field in head.fields]
        self._runs, self._most = len(spans), np.array([field.most for field in head.fields])
        self._head = np.frombuffer(head.text, dtype=np.uint8)
        self._varies = np.zeros(len(self._head), dtype=bool)
        for start, stop in spans:
            self._varies[start:stop] = True
        spans += [(begins[column], begins[column + 1] - 1) for column, one in zip(figures, plain, strict=True) if one]
        line = b";".join([head.text, *cells]) + b"\n"
        ends = [0, *(end for _, end in spans)]
        starts = [*(start for start, _ in spans), len(line)]
        self._form = Form([line[end:start] for end, start in zip(ends, starts, strict=True)])
        self._plain, self._own = np.array(plain), values

    def read(self, reader: Reader, text: bytes, starts: NDArray[np.int64]) -> AlikeRows | None:
        """The lines from the first up to one that is of another form; None where the first is.

        Args:
            starts: int64[lines + 1], where each begins and the last ends.
        """
        numbers = reader.alike(self._form, text, starts)
        runs = numbers[:, : self._runs]
        count = _first_false((runs <= self._most).all(axis=1) & self._are_heads(text, starts[: len(numbers)]))
        if not count:
            return None
        values = np.tile(self._own, (count, 1))
        values[:, self._plain] = numbers[:count, self._runs :]
        clocks = runs[:count, 1:].astype(np.int64)
        return AlikeRows(self._clock, clocks, values, int(starts[count - 1]), int(starts[count]))

    def _are_heads(self, text: bytes, starts: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether the heads have the same bytes but digits where they run: a form's numbers may have any width."""
        places = np.minimum(starts[:, None] + np.arange(len(self._head)), len(text) - 1)
        heads = np.frombuffer(text, dtype=np.uint8)[places]
        same: NDArray[np.bool_] = np.where(self._varies, heads - np.uint8(_ZERO) < 10, heads == self._head).all(axis=1)
        return same


def form_of(head: Head, cells: Sequence[bytes], figures: Sequence[int], values: NDArray[np.float64]) -> RowForm | None:
    """The form of a row; None where one of its figures is a number, but not a plain one.

    Args:
        figures: which of the cells, ascending, are figures.
        values: float64[figures].
    """
    plain = [_PLAIN.fullmatch(cells[column]) is not None for column in figures]
    return RowForm(head, cells, figures, plain, values) if (np.isnan(values) | plain).all() else None


def _first_false(flags: NDArray[np.bool_]) -> int:
    return len(flags) if flags.all() else int(np.argmin(flags))
