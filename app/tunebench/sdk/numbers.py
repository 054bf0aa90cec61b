"""Numbers out of text tables, one cell or many rows at a time; both give the double nearest to the printed decimal."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tunebench.sdk.scanning.choice import new_scanner
from tunebench.sdk.scanning.scanner import Dialect, Key

_FEWEST_ROWS = 16  # below this the set-up costs more than the loop
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
    if b"_" in cell or not math.isfinite(number):
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
    if not math.isfinite(number):
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
        columns: how many numbers each row must hold, at least one.
        suffix_base: per column, see `parse_cell`.

    Returns:
        values: float64[len(rows), columns]; NaN where the row says ``-`` and in unreadable rows.
        readable: bool[len(rows)]; False where the row does not hold `columns` numbers.
    """
    values = np.full((len(rows), columns), NAN)
    readable = np.zeros(len(rows), dtype=bool)
    bases = suffix_base or (1.0,) * columns
    text = b"".join([row + b"\n" for row in rows])
    plain = len(rows) >= _FEWEST_ROWS and text.count(b"\n") == len(rows)
    for index in _scan_rows(text, bases, values, readable) if plain else range(len(rows)):
        readable[index] = _decode_row(rows[index], bases, values[index])
    return values, readable


def _scan_rows(
    text: bytes, bases: Sequence[float], values: NDArray[np.float64], readable: NDArray[np.bool_]
) -> list[int]:
    """Reads what a scanner can; gives the numbers of the other rows."""
    scanner, others = new_scanner(CELLS), []
    table = scanner.table(len(bases), Key.NONE, suffix_factors(bases))
    at = row = 0
    while at < len(text):
        scanner.open_table = table
        scan = scanner.scan(text, at, row)
        for part in scan.rows:
            values[part.lines], readable[part.lines] = part.values, True
        at, row = scan.end, row + scan.lines
        if scan.other:
            others.append(row)
            at, row = text.index(b"\n", at) + 1, row + 1
    return others


def _decode_row(row: bytes, bases: Sequence[float], into: NDArray[np.float64]) -> bool:
    cells = row.split()
    if len(cells) != len(bases):
        return False
    try:
        into[:] = [parse_cell(cell, base) for cell, base in zip(cells, bases, strict=True)]
    except ValueError:
        return False
    return True
