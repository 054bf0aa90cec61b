"""What was unusual in a stretch of time, against the same hours of like days, else against the time around it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tunebench.analysis.exploring.peers import LEAST_SPREAD, MAD_TO_SD
from tunebench.core.records import record

Floats = NDArray[np.float64]
LEAST_DAYS = 3
"""Fewer like days do not say what is usual at an hour."""
UNUSUAL_Z = 4.0
LEAST_CELLS = 5
FEW, FEW_AROUND = 3.0, 1.25
"""How much wider the spread is taken where like days are few, and where there are none: of 4,000 made series in which
nothing moved, at most 1 % were called unusual."""


@record(eq=False)
class Unusual:
    """
    Attributes:
        value: float64[k], the mean of each series in the stretch.
        usual: float64[k], its median elsewhere.
        z: float64[k], how many robust standard deviations it is above that; NaN where too little was measured.
        by_days: bool[k], whether like days said what is usual, and not the time before and after.
    """

    value: Floats
    usual: Floats
    z: Floats
    by_days: NDArray[np.bool_]


def unusual(cells: Floats) -> Unusual:
    """
    Args:
        cells: float64[k, 1 + d, m], means of k series in m stretches of equal length, the asked one in the middle, of
            its own day and at the same hours of d like days; NaN where less than half was measured.
    """
    middle = cells.shape[2] // 2
    value, days = cells[:, 0, middle], cells[:, 1:, :]
    by_days = (~np.isnan(days[:, :, middle])).sum(axis=1) >= LEAST_DAYS
    hours = _median(days, axis=1)  # float64[k, m]
    around = cells[:, 0, :].copy()
    around[:, middle] = np.nan
    usual = np.where(by_days, hours[:, middle], _median(around, axis=1))
    # How far stretches lie from what is usual at their hour: those of like days, and those around the asked one.
    others = cells - np.where(by_days[:, None], hours, usual[:, None])[:, None, :]
    others[:, 0, middle] = np.nan
    others[~by_days, 1:, :] = np.nan
    rest = others.reshape(len(cells), others.shape[1] * others.shape[2])  # of no series too
    spread = MAD_TO_SD * _median(np.abs(rest - _median(rest, axis=1)[:, None]), axis=1)
    # A median of few is near to each of them; and the asked stretch lies apart from it by more than they do.
    spread = spread * np.where(by_days, 1 + FEW / np.maximum(days.shape[1], 1), FEW_AROUND)
    z = (value - usual) / np.fmax(np.fmax(spread, LEAST_SPREAD * np.abs(usual)), np.finfo(np.float64).tiny)
    z[(~np.isnan(rest)).sum(axis=1) < LEAST_CELLS] = np.nan
    return Unusual(value, usual, z, by_days)


def _median(values: Floats, axis: int) -> Floats:
    """NaN, and no warning, where there is no value."""
    empty = np.isnan(values).all(axis=axis)
    if not values.shape[axis]:
        return np.full(empty.shape, np.nan)
    filled = np.where(np.expand_dims(empty, axis), 0.0, values)
    return np.where(empty, np.nan, np.nanmedian(filled, axis=axis))


def onset_ns(times_ns: NDArray[np.int64], values: Floats, usual: float, moved: float) -> int | None:
    """When the values first went half the way from what is usual to what they moved to; None where they never did."""
    halfway = (usual + moved) / 2
    beyond = values >= halfway if moved > usual else values <= halfway
    first = np.flatnonzero(beyond & ~np.isnan(values))
    return int(times_ns[first[0]]) if first.size else None
