"""Confidence intervals by resampling: the bias-corrected and accelerated bootstrap (BCa).

Efron, Better Bootstrap Confidence Intervals, JASA 82 (1987); acceleration from the jackknife. Replicates lie between
order statistics by linear interpolation (Hyndman and Fan's type 7).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from statistics import NormalDist

import numpy as np

from app.analysis.databases.record import Numbers
from app.analysis.inference import verdict

SEED = 20_261_121
"""Every interval can be computed again."""
_MOST_CELLS = 2_000_000
_ROUNDING = 1e-12
_SOME, _MANY = 250, 2_000
_NORMAL = NormalDist()


@dataclass(frozen=True, slots=True)
class Interval(verdict.Interval):
    method: str = "bca"


@dataclass(frozen=True, slots=True)
class BcaLevels:
    """Bias z0, acceleration a, and the adjusted levels of the replicates' quantiles."""

    bias: float
    acceleration: float
    low: float
    high: float


def bca_interval(
    theta: float, replicates: Numbers, leave_one_out: Numbers, confidence: float = 0.95
) -> Interval | None:
    """The interval around `theta`; None where the replicates do not tell one (all alike, or not finite).

    Args:
        replicates: the statistic of B samples drawn with replacement.
        leave_one_out: the statistic without each of the n observations.
    """
    replicates = replicates[np.isfinite(replicates)]
    if not len(replicates) or not isfinite(theta) or not np.isfinite(leave_one_out).all():
        return None
    if float(np.ptp(replicates)) <= _ROUNDING * max(abs(theta), 1.0):
        return None
    levels = bca_levels(theta, replicates, leave_one_out, confidence)
    if levels is None:
        return None
    low, high = np.quantile(replicates, (levels.low, levels.high))
    return Interval(float(low), float(high), confidence)


def bca_levels(theta: float, replicates: Numbers, leave_one_out: Numbers, confidence: float) -> BcaLevels | None:
    """None where all replicates lie on one side of `theta`."""
    below = (np.count_nonzero(replicates < theta) + 0.5 * np.count_nonzero(replicates == theta)) / len(replicates)
    if not 0 < below < 1:
        return None
    bias = _NORMAL.inv_cdf(below)
    acceleration = jackknife_acceleration(leave_one_out)
    ends = [_adjusted(bias, acceleration, _NORMAL.inv_cdf(p)) for p in ((1 - confidence) / 2, (1 + confidence) / 2)]
    return BcaLevels(bias, acceleration, *ends)


def jackknife_acceleration(leave_one_out: Numbers) -> float:
    """0 where all are alike."""
    deviations = leave_one_out.mean() - leave_one_out
    spread = float(np.sum(deviations**2))
    return float(np.sum(deviations**3)) / (6.0 * spread**1.5) if spread > 0 else 0.0


def _adjusted(bias: float, acceleration: float, z: float) -> float:
    shifted = bias + z
    return _NORMAL.cdf(bias + shifted / (1 - acceleration * shifted))


def resampled_sums(columns: Numbers, replicates: int, seed: int = SEED) -> Numbers:
    """float64[replicates, m]: the sums of the m columns over n rows drawn with replacement, a sample each."""
    generator = np.random.default_rng(seed)
    count = len(columns)
    step = max(1, _MOST_CELLS // count)
    sums = [
        columns[generator.integers(0, count, size=(min(step, replicates - start), count))].sum(axis=1)
        for start in range(0, replicates, step)
    ]
    return np.concatenate(sums)


def linear_interval(theta: float, influence: Numbers, confidence: float = 0.95) -> Interval:
    """For very many observations: normal, with the variance of the leave-one-out values."""
    count = len(influence)
    spread = float(np.sqrt((count - 1) / count * np.sum((influence - influence.mean()) ** 2)))
    reach = _NORMAL.inv_cdf((1 + confidence) / 2) * spread
    return Interval(theta - reach, theta + reach, confidence, "jackknife")


Statistic = Callable[[Numbers], Numbers]
"""Sums of columns, float64[k, m], to k values."""


def interval_of_sums(columns: Numbers, statistic: Statistic) -> Interval | None:
    """Of a statistic that is a function of sums over n rows: BCa, from 2,000 rows on by the jackknife."""
    whole = columns.sum(axis=0)
    theta = float(statistic(whole[np.newaxis])[0])
    leave_one_out = statistic(whole - columns)
    if len(columns) > _MANY:
        return linear_interval(theta, leave_one_out) if np.isfinite(leave_one_out).all() else None
    replicates = 9_999 if len(columns) <= _SOME else 1_999
    return bca_interval(theta, statistic(resampled_sums(columns, replicates)), leave_one_out)
