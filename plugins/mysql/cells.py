"""Cells of MySQL's tables: numbers, picoseconds, sizes with a unit, times."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Row = Mapping[str, str]

PICOSECONDS = 1e12
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_YEARS = range(1995, 2200)
_SIZE = re.compile(r"(?P<number>\d+(?:\.\d+)?) ?(?P<unit>bytes|[KMGTPE]i?B)")
_UNITS = {"bytes": 0, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5, "E": 6}


def number(cell: str | None) -> float | None:
    """None where nothing is reported, and for words."""
    if not cell or "_" in cell:
        return None
    try:
        value = float(cell)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def numbers(cells: Sequence[str]) -> Numbers:
    """`number` of many cells; NaN for None."""
    return np.array([number(cell) for cell in cells], dtype=np.float64)


def sum_of(*columns: Numbers) -> Numbers:
    """Row by row the sum of what is reported; NaN where nothing is."""
    stacked = np.array(columns)
    return np.where(np.isnan(stacked).all(axis=0), np.nan, np.nansum(stacked, axis=0))


def total(*values: float | None) -> float | None:
    """None unless every part is reported: half a sum is none."""
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) and known else None


def seconds(cell: str | None) -> float | None:
    """Timers of the performance schema count picoseconds."""
    value = number(cell)
    return None if value is None else value / PICOSECONDS


def size_bytes(cell: str | None) -> float | None:
    """``1.25 MiB`` as schema `sys` prints it, or plain bytes."""
    found = _SIZE.fullmatch((cell or "").strip())
    if found is None:
        return number(cell)
    unit = found["unit"]
    return float(found["number"]) * 1024.0 ** _UNITS[unit if unit == "bytes" else unit[0]]


def moment_ns(cell: str | None, zone: ZoneInfo) -> int | None:
    """``2026-11-21 16:12:38.123456``, local to `zone`; None also for ``0000-00-00 00:00:00``."""
    try:
        moment = datetime.fromisoformat((cell or "").strip())
    except ValueError:
        return None
    if moment.year not in _YEARS:
        return None
    aware = moment if moment.tzinfo else moment.replace(tzinfo=zone)
    return (aware - _EPOCH) // timedelta(microseconds=1) * 1000
