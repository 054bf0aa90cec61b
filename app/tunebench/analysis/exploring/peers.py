"""Which of many things of a kind is least like the others: over all the time, or for a while."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tunebench.core.records import record

Floats = NDArray[np.float64]
MAD_TO_SD = 1.4826
"""A normal distribution's standard deviation, of its median absolute deviation."""
LEAST_SPREAD = 0.02
"""Of the median: what differs by less is no difference."""
SURGE_CELLS = 8
APART = 1.5
"""Times the median of all."""
MOSTLY, MOSTLY_OF = 0.8, 0.15
"""Of the cells from one on, which are so many of all: no longer a surge."""
LEVEL_Z, SURGE_Z = 3.0, 4.0
"""From these on a thing is unlike its peers; of many cells the highest are far out more often."""


def robust_z(values: Floats) -> Floats:
    """How many standard deviations each value lies above the median, both of them robust; NaN where there is none.

    Args:
        values: float64[k].
    """
    present = values[~np.isnan(values)]
    if not present.size:
        return np.full(values.shape, np.nan)
    middle = float(np.median(present))
    spread = MAD_TO_SD * float(np.median(np.abs(present - middle)))
    return (values - middle) / (max(spread, LEAST_SPREAD * abs(middle)) or 1.0)


@record(eq=False)
class Peers:
    """
    Attributes:
        level: float64[k], the median over time of each; NaN where nothing was measured.
        score: float64[k], 1 and more is unlike the others.
        order: int64[k], the least alike first.
        surge: int64[k], the cell in which it is highest; -1 where nothing was measured.
    """

    level: Floats
    score: Floats
    order: NDArray[np.int64]
    surge: NDArray[np.int64]

    def usual(self, but: int) -> float:
        """The median level of the others; NaN where there are none."""
        others = np.delete(self.level, but)
        others = others[~np.isnan(others)]
        return float(np.median(others)) if others.size else float("nan")


def peers(values: Floats, *, high_is_bad: bool = True) -> Peers:
    """
    Args:
        values: float64[k, c], what k things were in c cells of time; NaN where nothing was measured.
    """
    signed = values if high_is_bad else -values
    measured = ~np.isnan(signed).all(axis=1)
    level, surge = np.full(len(values), np.nan), np.full(len(values), np.nan)
    highest = np.full(len(values), -1, dtype=np.int64)
    if measured.any():
        own = signed[measured]
        level[measured] = np.nanmedian(own, axis=1)
        filled = np.where(np.isnan(own), -np.inf, own)
        highest[measured] = filled.argmax(axis=1)
        most = min(SURGE_CELLS, own.shape[1])
        best = np.sort(filled, axis=1)[:, -most:]
        surge[measured] = np.nanmean(np.where(np.isinf(best), np.nan, best), axis=1) - level[measured]
    by_level, by_surge = robust_z(level) / LEVEL_Z, robust_z(surge) / SURGE_Z
    score = np.fmax(by_level, by_surge)
    order = np.argsort(np.where(np.isnan(score), np.inf, -score), kind="stable")
    return Peers(level if high_is_bad else -level, score, order, highest)


def stays_apart_from(values: Floats, row: int, *, high_is_bad: bool = True) -> int | None:
    """The cell from which on one thing is nearly always far from the median of all; None where that is for a while.

    Args:
        values: float64[k, c], as for `peers`.
    """
    measured = ~np.isnan(values[row])
    with np.errstate(all="ignore"):
        usual = np.nanmedian(np.where(measured, values, np.nan)[:, measured], axis=0)
        ratio = values[row, measured] / usual
    apart = ratio >= APART if high_is_bad else ratio <= 1 / APART
    if not apart.any():
        return None
    first = int(apart.argmax())
    lasts = apart[first:].mean() >= MOSTLY and len(apart) - first >= MOSTLY_OF * len(apart)
    return int(np.flatnonzero(measured)[first]) if lasts else None
