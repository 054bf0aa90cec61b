"""Numbers out of padded text tables, many lines at a time.

The tools pad their columns, so nearly all lines of one table have the same length and the same column
edges. Such lines become a byte matrix, and every field is one small matrix product. Lines that differ
(an overflowing value, a minus sign, a unit suffix) take the slow road one by one. Both roads give the
double nearest to the printed decimal.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from app.sdk.page_cells import PageCells
from app.sdk.pages import page_of
from app.sdk.scanning.scanner import Dialect

_BLOCK_ROWS = 2048  # a block's matrices stay in the second-level cache (measured: 512 and 8192 are slower)
_FEWEST_ROWS = 16  # below this the set-up costs more than the loop
_FAR_DIGIT = 30  # blanks may stand there; a digit makes the number too large for this, whatever its weight
_MOST_DIGITS = 15  # integers up to 10**15 are exact in a double, so digits / 10**decimals rounds once
_EXACT_SINGLE = 2.0**24  # sums of digits times powers of ten below this are exact in single precision
_SPACE, _DOT, _ZERO = 32, 46, 48
_SUFFIXES = {b"k": 1024.0, b"K": 1024.0, b"M": 1024.0**2, b"G": 1024.0**3, b"T": 1024.0**4, b"P": 1024.0**5}
_ABSENT = frozenset({b"-", b"--", b"-nan", b"nan", b"NaN", b"n/a", b"N/A", b"NS", b""})

CELLS = Dialect(b".,", b"".join(_SUFFIXES) + b"B%", tuple(sorted(_ABSENT - {b""})))
"""What `parse_cell` understands, for a scanner."""

NAN = float("nan")


def parse_cell(cell: bytes, suffix_base: float = 1.0) -> float:
    """One printed number.

    Understands ``12.5``, ``12,5``, ``-0``, ``1.5%``, ``5.7M``/``18.1G``; ``-``, ``--`` and ``nan`` are NaN.

    Args:
        suffix_base: what the column's plain numbers are multiples of, in bytes (1024 for a kB column),
            so that ``5.7M`` in a kB column reads 5836.8. Suffixes are powers of 1024 (sysstat's -h).

    Raises:
        ValueError: the cell is no number.
    """
    if cell in _ABSENT:
        return NAN
    try:
        number = float(cell)
    except ValueError:
        return _parse_decorated(cell, suffix_base)
    if b"_" in cell or not np.isfinite(number):
        raise ValueError(f"not a number: {cell!r}")
    return number


def _parse_decorated(cell: bytes, suffix_base: float) -> float:
    body = cell.removesuffix(b"%")
    factor = 1.0
    if body[-1:] in _SUFFIXES:
        factor = _SUFFIXES[body[-1:]] / suffix_base
        body = body[:-1]
    elif body[-1:] == b"B" and body[:-1].replace(b".", b"").replace(b",", b"").isdigit():
        factor = 1.0 / suffix_base
        body = body[:-1]
    if body.count(b",") == 1 and b"." not in body:
        body = body.replace(b",", b".")
    number = float(body) if body[-1:].isdigit() and b"_" not in body else NAN
    if not np.isfinite(number):
        raise ValueError(f"not a number: {cell!r}")
    return number * factor


def suffix_factors(suffix_base: Sequence[float]) -> NDArray[np.float64]:
    """What each suffix of `CELLS` multiplies by in each column (`parse_cell`): float64[columns, suffixes]."""
    sizes = [_SUFFIXES.get(bytes([suffix]), 1.0) for suffix in CELLS.suffixes]
    return np.array(
        [
            [1.0 if s == ord("%") else size / base for s, size in zip(CELLS.suffixes, sizes, strict=True)]
            for base in suffix_base
        ]
    )


def decode_rows(
    rows: Sequence[bytes], columns: int, suffix_base: Sequence[float] | None = None
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Reads the numbers of many rows of one table.

    Args:
        rows: each row's text without the leading stamp and name; numbers separated by blanks.
        columns: how many numbers each row must hold.
        suffix_base: per column, see `parse_cell`.

    Returns:
        values: float64[len(rows), columns]; NaN where the row says ``-`` and in unreadable rows.
        readable: bool[len(rows)]; False where the row does not hold `columns` numbers.
    """
    data = np.frombuffer(b"".join(rows), dtype=np.uint8)
    ends = np.cumsum(np.fromiter(map(len, rows), dtype=np.int64, count=len(rows)))
    starts = np.zeros(len(rows), dtype=np.int64)
    starts[1:] = ends[:-1]
    return decode_spans(data, starts, ends, columns, suffix_base)


def decode_spans(
    data: NDArray[np.uint8],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    columns: int,
    suffix_base: Sequence[float] | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """`decode_rows` of rows that stand somewhere in one array of bytes.

    Args:
        starts: int64[n], where each row's text begins in `data`.
        ends: int64[n], where it ends.
    """
    values = np.full((len(starts), columns), NAN)
    readable = np.zeros(len(starts), dtype=bool)
    slow: list[int] = []
    for length, indices in spans_by_length(starts, ends):
        if len(indices) < _FEWEST_ROWS or not length:
            slow.extend(indices.tolist())
        else:
            slow.extend(_decode_equal_length(data, starts, indices, length, values, readable))
    rows = [data[starts[index] : ends[index]].tobytes() for index in slow]
    done = _decode_cells(rows, columns) if len(slow) >= _FEWEST_ROWS else None
    if done is not None:
        where = np.asarray(slow)[done[1]]
        values[where], readable[where] = done[0], True
    for place, (index, row) in enumerate(zip(slow, rows, strict=True)):
        if done is None or not done[1][place]:
            readable[index] = _decode_slowly(row, columns, suffix_base, values[index])
    return values, readable


def _decode_cells(rows: Sequence[bytes], columns: int) -> tuple[NDArray[np.float64], NDArray[np.bool_]] | None:
    """Rows of plain numbers, wherever these stand: float64[those rows, columns], and which of the rows are such."""
    page = page_of(rows)
    if len(page) != len(rows):  # a line end inside a row
        return None
    cells = PageCells(page)
    good = cells.plain & (cells.counts == columns)
    lines = np.flatnonzero(good)
    values, plain = cells.numbers(cells.of(lines, 0, columns))
    whole = plain.all(axis=1)
    good[lines] = whole
    return values[whole], good


def spans_by_length(starts: NDArray[np.int64], ends: NDArray[np.int64]) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """Spans of equal length: the length, and the indices of those that have it, ascending."""
    lengths = ends - starts
    if len(lengths) and bool((lengths == lengths[0]).all()):
        yield int(lengths[0]), np.arange(len(lengths))
        return
    order = np.argsort(lengths, kind="stable")
    for indices in np.split(order, np.flatnonzero(np.diff(lengths[order])) + 1):
        if len(indices):
            yield int(lengths[indices[0]]), indices


def _decode_slowly(row: bytes, columns: int, suffix_base: Sequence[float] | None, into: NDArray[np.float64]) -> bool:
    cells = row.split()
    if len(cells) != columns:
        into[:] = NAN
        return False
    try:
        into[:] = [float(cell) for cell in cells]
        if b"_" not in row and bool(np.isfinite(into).all()):
            return True
    except ValueError:
        pass
    try:
        bases = suffix_base or (1.0,) * columns
        into[:] = [parse_cell(cell, base) for cell, base in zip(cells, bases, strict=True)]
    except ValueError:
        into[:] = NAN
        return False
    return True


class _Layout:
    """Column edges of one row, taken as the pattern for all rows of its length."""

    def __init__(self, row: NDArray[np.uint8]) -> None:
        length = len(row)
        blank = row == _SPACE
        self.ends = np.flatnonzero(~blank & np.append(blank[1:], True))
        self.starts = np.append(0, self.ends[:-1] + 1)
        is_dot = np.zeros(length, dtype=bool)
        required = np.zeros(length, dtype=bool)
        self.decimals = np.zeros(len(self.ends), dtype=np.int64)
        self.weights: list[NDArray[np.float64]] = []
        self.single_weights: list[NDArray[np.float32]] = []
        self.regular = True
        for k, (start, end) in enumerate(zip(self.starts, self.ends, strict=True)):
            field = row[start : end + 1]
            dots = np.flatnonzero(field == _DOT)
            digits = np.flatnonzero(field != _DOT)
            if len(dots) > 1 or (len(dots) and dots[0] + 1 == len(field)):
                self.regular = False
                return
            required[end] = True
            if len(dots):
                dot = start + dots[0]
                is_dot[dot] = True
                required[dot - 1 : end + 1] = True
                required[dot] = False
                self.decimals[k] = end - dot
            weights = np.zeros(len(field))
            weights[digits] = 10.0 ** np.minimum(np.arange(len(digits) - 1, -1, -1), _FAR_DIGIT)
            self.weights.append(weights)
            self.single_weights.append(weights.astype(np.float32))
        first = np.zeros(length, dtype=bool)
        first[self.starts] = True
        self.dots = np.flatnonzero(is_dot)
        self.required = np.flatnonzero(required)
        optional = ~required & ~is_dot
        self.optional = np.flatnonzero(optional)
        # a digit here must not be followed by a blank inside the same field ("1 23" is two numbers)
        inner = optional[:-1] & ~is_dot[1:] & ~first[1:]
        self.inner = np.flatnonzero(inner)
        self.scale = 10.0**self.decimals


def _decode_equal_length(
    data: NDArray[np.uint8],
    starts: NDArray[np.int64],
    indices: NDArray[np.int64],
    length: int,
    values: NDArray[np.float64],
    readable: NDArray[np.bool_],
) -> list[int]:
    """Decodes what fits the first row's layout; returns the indices that do not."""
    rows = sliding_window_view(data, length)
    layout = _Layout(rows[starts[indices[0]]])
    if not layout.regular or len(layout.ends) != values.shape[1]:
        return [int(index) for index in indices]
    rest: list[int] = []
    for at in range(0, len(indices), _BLOCK_ROWS):
        block = indices[at : at + _BLOCK_ROWS]
        text = np.ascontiguousarray(rows[starts[block]].T)
        decoded, fits = _decode_block(text, layout)
        values[block] = decoded
        readable[block] = fits
        if not fits.all():
            rest.extend(block[~fits].tolist())
    return rest


def _decode_block(text: NDArray[np.uint8], layout: _Layout) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """text: uint8[length, rows]. Returns float64[rows, fields] and which rows fit the layout."""
    digit = text - np.uint8(_ZERO)  # wraps: everything that is no digit becomes 10 or more
    is_digit = digit < 10
    fits: NDArray[np.bool_] = (text[layout.dots] == _DOT).all(axis=0)
    fits &= is_digit[layout.required].all(axis=0)
    fits &= (is_digit[layout.optional] | (text[layout.optional] == _SPACE)).all(axis=0)
    fits &= ~(is_digit[layout.inner] & ~is_digit[layout.inner + 1]).any(axis=0)
    digit *= is_digit
    numbers = digit.astype(np.float32)  # half the memory of doubles, and exact where the result is small
    out = np.empty((len(layout.ends), text.shape[1]))
    for k, (start, end) in enumerate(zip(layout.starts, layout.ends, strict=True)):
        out[k] = layout.single_weights[k] @ numbers[start : end + 1]
    for k in np.flatnonzero((out >= _EXACT_SINGLE).any(axis=1)).tolist():
        field = slice(layout.starts[k], layout.ends[k] + 1)
        out[k] = layout.weights[k] @ digit[field].astype(np.float64)
    fits &= (out < 10.0**_MOST_DIGITS).all(axis=0)
    out /= layout.scale[:, None]
    return out.T, fits
