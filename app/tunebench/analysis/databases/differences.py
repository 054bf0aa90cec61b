"""Columns of figures at two moments, row by row."""

from __future__ import annotations

import numpy as np

from tunebench.analysis.databases.keyed_rows import is_least
from tunebench.analysis.databases.record import Numbers

_ULPS = 4 * float(np.finfo(np.float64).eps)


def growth(old: Numbers, new: Numbers) -> Numbers:
    """new - old; a fall by no more than the rounding of the two is none."""
    difference = new - old
    difference[(difference < 0) & (difference >= -_ULPS * np.abs(old))] = 0.0
    return difference


def extreme_between(column: str, old: Numbers, new: Numbers) -> Numbers:
    """A record that was broken was broken in between; one that stands says nothing of that time: NaN."""
    return np.where(new < old if is_least(column) else new > old, new, np.nan)
