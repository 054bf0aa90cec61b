"""Cells of MySQL's tables: numbers, picoseconds, sizes with a unit, times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from tunebench.families.views.cells import Numbers, number
from tunebench.sdk import lazy_pattern

Row = Mapping[str, str]

PICOSECONDS = 1e12
_SIZE = lazy_pattern(r"(?P<number>\d+(?:\.\d+)?) ?(?P<unit>bytes|[KMGTPE]i?B)")
_UNITS = {"bytes": 0, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5, "E": 6}


def numbers(cells: Sequence[str]) -> Numbers:
    """`number` of many cells; NaN for None."""
    return np.array([number(cell) for cell in cells], dtype=np.float64)


def total(*values: float | None) -> float | None:
    """The sum; None unless every part is reported, for half a sum is none."""
    reported = [value for value in values if value is not None]
    return sum(reported) if len(reported) == len(values) and reported else None


def seconds(cell: str | None) -> float | None:
    """Timers of the performance schema count picoseconds."""
    value = number(cell)
    return None if value is None else value / PICOSECONDS


def size_bytes(cell: str | None) -> float | None:
    """``1.25 MiB`` as schema `sys` prints it, or plain bytes."""
    match = _SIZE.fullmatch((cell or "").strip())
    if match is None:
        return number(cell)
    unit = match["unit"]
    return float(match["number"]) * 1024.0 ** _UNITS[unit if unit == "bytes" else unit[0]]
