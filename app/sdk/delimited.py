"""Numbers out of comma-separated rows of any widths, many rows at a time.

`app.sdk.numbers` lives on columns that are padded to one width; comma-separated tools do not pad. Here all cells of
all rows are found at once, cells of one length are read together, digit by digit, and the rest one by one. Every
road gives the double nearest to the printed decimal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.sdk.numbers import NAN, parse_cell

_LONGEST_CELL = 15  # as many digits are exact in a double, so digits / 10**decimals rounds once
_ZERO, _DOT, _MINUS, _SPACE, _LINE_END = 48, 46, 45, 32, 10


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
    values = np.full(len(ends), NAN)
    text = np.zeros(len(ends), dtype=bool)
    lengths = ends - starts
    counts = np.bincount(np.minimum(lengths, _LONGEST_CELL + 1), minlength=_LONGEST_CELL + 2)
    rest = [np.flatnonzero(lengths > _LONGEST_CELL)]
    for length in np.flatnonzero(counts[1 : _LONGEST_CELL + 1]) + 1:
        where = np.flatnonzero(lengths == length)
        decoded, read = _decode_length(buffer, starts[where], int(length))
        values[where[read]] = decoded[read]
        rest.append(where[~read])
    for cell in np.concatenate(rest).tolist():
        try:
            values[cell] = parse_cell(joined[starts[cell] : ends[cell]].strip())
        except ValueError:
            text[cell] = True
    first = np.concatenate(([0], last_of_row, [len(ends)])) if len(rows) else np.zeros(1, dtype=np.int64)
    return DecodedCells(values, text, first.astype(np.int64))


def _decode_length(
    buffer: NDArray[np.uint8], starts: NDArray[np.int64], length: int
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Cells of one length that are blanks, a minus, digits and a point, in this order; and which cells are so."""
    count = len(starts)
    number = np.zeros(count)
    scale = np.ones(count)
    negative = np.zeros(count, dtype=bool)
    begun = np.zeros(count, dtype=bool)  # a digit or the point was seen
    pointed = np.zeros(count, dtype=bool)
    good = np.ones(count, dtype=bool)
    last_is_digit = good
    for place in range(length):
        char = buffer[starts + place]
        digit = char - np.uint8(_ZERO)  # wraps: what is no digit becomes 10 or more
        last_is_digit = digit < 10
        if last_is_digit.all():
            number = number * 10.0 + digit
            if place:
                scale[pointed] *= 10.0
            begun[:] = True
            continue
        point = char == _DOT
        minus = char == _MINUS
        good &= last_is_digit | (point & ~pointed) | (~begun & ~negative & (minus | (char == _SPACE)))
        number = np.where(last_is_digit, number * 10.0 + digit, number)
        scale = np.where(last_is_digit & pointed, scale * 10.0, scale)
        pointed |= point
        negative |= minus
        begun |= last_is_digit | point
    number /= scale
    return np.where(negative, -number, number), good & last_is_digit
