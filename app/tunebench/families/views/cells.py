"""Cells and columns that the readers of several databases' views treat alike."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
YEARS = range(1995, 2200)
"""Years that a database can have printed: ``0001-01-01`` and ``9999-12-31`` stand for "never"."""


def number(cell: str | None) -> float | None:
    """The number; None for an empty cell and for words. A spreadsheet may have made the point a comma."""
    if not cell or "_" in cell:
        return None
    try:
        value = float(cell.replace(",", ".") if cell.count(",") == 1 else cell)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def moment_ns(cell: str | None, zone: ZoneInfo) -> int | None:
    """``2026-11-21 16:15:43.070587+09``; local to `zone` without an offset. None also for ``0000-00-00 00:00:00``."""
    try:
        moment = datetime.fromisoformat((cell or "").strip())
    except ValueError:
        return None
    if moment.year not in YEARS:
        return None
    return nanoseconds(moment if moment.tzinfo else moment.replace(tzinfo=zone))


def nanoseconds(moment: datetime) -> int:
    """Since 1970 in UTC, of a moment with zone."""
    return (moment - _EPOCH) // timedelta(microseconds=1) * 1000


def sum_of(*columns: Numbers) -> Numbers:
    """Row by row the sum of what is reported; NaN where nothing is."""
    stacked = np.array(columns)
    return np.where(np.isnan(stacked).all(axis=0), np.nan, np.nansum(stacked, axis=0))


def added_up(values: Numbers, groups: NDArray[np.intp], count: int, extreme: np.ufunc | None = None) -> Numbers:
    """float64[count]: `values` of each group added up; NaN adds nothing, and alone stays NaN.

    Args:
        groups: the group of each value, from 0.
        extreme: ``np.fmin`` or ``np.fmax`` for what is no sum.
    """
    if extreme is not None:
        extremes = np.full(count, np.nan)
        extreme.at(extremes, groups, values)
        return extremes
    present = ~np.isnan(values)
    sums = np.bincount(groups[present], weights=values[present], minlength=count)
    return np.where(np.bincount(groups[present], minlength=count) > 0, sums, np.nan)
