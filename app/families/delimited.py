"""Numbers out of comma-separated rows of any widths, many rows at a time.

All cells of all rows are found at once and read together by the scanner's reader, and the rest one by one.
Both give the double nearest to the printed decimal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.sdk.numbers import parse_cell
from app.sdk.scanning.choice import new_reader
from app.sdk.scanning.scanner import Dialect

_LINE_END = 10


@dataclass(frozen=True, slots=True)
class DecodedCells:
    """The cells of n rows, one row after the other.

    Attributes:
        values: float64, NaN for empty cells, ``-`` and text.
        text: bool, True where the cell is neither a number nor a way to say that there is none.
        first: int64[n + 1]; row i has the cells ``first[i]`` to ``first[i + 1] - 1``.
    """

    values: NDArray[np.float64]
    text: NDArray[np.bool_]
    first: NDArray[np.int64]

    @property
    def widths(self) -> NDArray[np.int64]:
        return np.diff(self.first)


def decode_delimited(rows: Sequence[bytes], delimiter: bytes = b",") -> DecodedCells:
    """Reads the numbers of many rows; `rows` are without line ends."""
    joined = b"\n".join(rows)
    buffer = np.frombuffer(joined, dtype=np.uint8)
    line_end = buffer == _LINE_END
    ends = np.flatnonzero(line_end | (buffer == delimiter[0]))
    last_of_row = np.flatnonzero(line_end[ends]) + 1
    ends = np.append(ends, len(buffer))
    starts = np.append(0, ends[:-1] + 1)
    values, read = new_reader(Dialect()).cells(joined, starts, ends)
    text = np.zeros(len(ends), dtype=bool)
    for cell in np.flatnonzero(~read & (ends > starts)).tolist():
        try:
            values[cell] = parse_cell(joined[starts[cell] : ends[cell]].strip())
        except ValueError:
            text[cell] = True
    first = np.concatenate(([0], last_of_row, [len(ends)])) if len(rows) else np.zeros(1, dtype=np.int64)
    return DecodedCells(values, text, first.astype(np.int64))
