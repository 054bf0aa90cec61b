"""Whether something changed inside a window, so that its mean is that of two different times, or drifts all along it.

A permutation test takes samples as independent. Here it is given means over stretches so long that they are: as many as
the window is worth independent samples once its best single step is taken out (a step itself looks like correlation).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import inf, sqrt

import numpy as np
from numpy.typing import NDArray

from app.analysis.comparing.regular_samples import Floats
from app.analysis.inference.effective_size import effective_size
from app.analysis.inference.student import two_sided_p

MOST_P = 0.001
LEAST_CHANGE = 0.20
FEWEST = 30
"""Samples below which nothing is looked for."""
PERMUTATIONS = 1999
SEED = 20260401
_MOST_STRETCHES = 48
_FEWEST_STRETCHES = 12
_LEAST_STRETCHES_OF_A_SIDE = 4
_LEAST_T = 3.5
"""Below this t of the best step no permutation test comes near `MOST_P`."""
_SURE_P = 1e-5
"""Bonferroni's bound over all splits, from Student's t: where it is this low the permutations are spared."""
_RISE_P = 0.01
_MOST_LAG1 = 0.97
_LEAST_DEGREES = 0.5


@dataclass(frozen=True, slots=True)
class ChangePoint:
    """A change before sample `index`: the means on its two sides differ `factor` times (at least 1)."""

    index: int
    factor: float
    p: float


def change_point(values: Floats) -> ChangePoint | None:
    """The largest change of the level of float64[n], NaN where nothing was measured; None where none is sure."""
    present = np.flatnonzero(~np.isnan(values))
    x = values[present]
    if len(x) < FEWEST:
        return None
    split, t = _best_split(_stretches(x, _MOST_STRETCHES))
    at = round(split * len(x) / min(_MOST_STRETCHES, len(x)))
    factor = _factor(x, at)
    if t < _LEAST_T or factor < 1 + LEAST_CHANGE:
        return None
    level = np.where(np.arange(len(x)) < at, x[:at].mean(), x[at:].mean())
    worth = effective_size(x - level).n_eff
    stretches = _stretches(x, min(_MOST_STRETCHES, int(worth)))
    if len(stretches) < _FEWEST_STRETCHES:
        return None
    split, t = _best_split(stretches)
    if t < _LEAST_T:
        return None
    p = len(stretches) * two_sided_p(t, len(stretches) - 2)
    if p > _SURE_P:
        p = _permutation_p(stretches, t)
    if p >= MOST_P:
        return None
    at = _refined(x, round(split * len(x) / len(stretches)), len(x) // len(stretches))
    factor = _factor(x, at)
    return ChangePoint(int(present[at]), factor, p) if factor >= 1 + LEAST_CHANGE else None


def drift(values: Floats) -> float | None:
    """How much the straight line through float64[n] changes from its first to its last sample, relative to the mean.

    NaN where nothing was measured. None where it is less than a fifth, or not sure: Student's t of the slope, the
    residuals counted by their effective size.
    """
    present = np.flatnonzero(~np.isnan(values))
    x = values[present]
    if len(x) < FEWEST or x.mean() == 0:
        return None
    t = present - present.mean()
    spread = float(t @ t)
    slope = float(t @ (x - x.mean())) / spread
    change = slope * float(present[-1] - present[0]) / abs(float(x.mean()))
    if abs(change) < LEAST_CHANGE:
        return None
    rest = x - x.mean() - slope * t
    worth = effective_size(rest).n_eff
    if worth < _FEWEST_STRETCHES:
        return None
    error = np.sqrt(float(rest @ rest) / (worth - 2) / spread)
    sure = error == 0 or two_sided_p(slope / error, worth - 2) < MOST_P
    return change if sure else None


def rise(values: Floats) -> float | None:
    """How much higher the last third of float64[n] lies than the first, relative to the mean of all; negative: lower.

    NaN where nothing was measured. None where it is less than a fifth, or not sure: Welch's t, the samples of either
    third counted by the dependence that is left about its own line. Unlike `drift` it also sees what grows in a curve,
    whose distance from a straight line looks like dependence. Of 240 stationary samples of a lag-1 correlation up to
    .99 it says at most 4 % to rise, of 60 at most 7 %.
    """
    present = np.flatnonzero(~np.isnan(values))
    x = values[present]
    if len(x) < FEWEST or x.mean() == 0:
        return None
    third = len(x) // 3
    ends = [_level(present[part], x[part]) for part in (slice(third), slice(-third, None))]
    change = (ends[1].mean - ends[0].mean) / abs(float(x.mean()))
    if abs(change) < LEAST_CHANGE:
        return None
    variance = sum(end.variance for end in ends)
    if variance == 0:
        return change
    degrees = variance**2 / sum(end.variance**2 / end.degrees for end in ends)
    return change if two_sided_p((ends[1].mean - ends[0].mean) / sqrt(variance), degrees) < _RISE_P else None


@dataclass(frozen=True, slots=True)
class _Level:
    """Of a stretch: its mean, the variance of that, and the degrees of freedom of this."""

    mean: float
    variance: float
    degrees: float


def _level(places: NDArray[np.int64], x: Floats) -> _Level:
    n = len(x)
    t = places - places.mean()
    rest = x - x.mean() - t * (float(t @ x) / float(t @ t))
    size = effective_size(rest)
    # the bias of lag 1 about a line (Kendall 1954)
    lag1 = min(max(size.lag1 + (2 + 4 * size.lag1) / n, 0.0), _MOST_LAG1)
    degrees = max(min(n * (1 - lag1) / (1 + lag1), size.n_geyer) - 2, _LEAST_DEGREES)
    return _Level(float(x.mean()), float(rest @ rest) / n / degrees, degrees)


def _stretches(x: Floats, count: int) -> Floats:
    """Means of so many stretches of equal length, as nearly as they can be."""
    if count >= len(x):
        return x
    edges = np.arange(count) * len(x) // max(count, 1)
    return np.asarray(np.add.reduceat(x, edges) / np.diff(edges, append=len(x)), dtype=np.float64)


def _best_split(x: Floats) -> tuple[int, float]:
    """(first of the right side, Student's t there)."""
    n = len(x)
    if n < 2 * _LEAST_STRETCHES_OF_A_SIDE:
        return n // 2, 0.0
    t = _t_of_splits(x)
    best = int(np.argmax(t))
    return _LEAST_STRETCHES_OF_A_SIDE + best, float(t[best])


def _t_of_splits(x: Floats) -> Floats:
    """float64[..., splits] of float64[..., n]: |t| of the two means of every split, both sides long enough."""
    n = x.shape[-1]
    left = np.arange(_LEAST_STRETCHES_OF_A_SIDE, n - _LEAST_STRETCHES_OF_A_SIDE + 1)
    right = n - left
    centred = x - x.mean(axis=-1, keepdims=True)
    sums = np.cumsum(centred, axis=-1)[..., left - 1]
    between = sums * sums * (n / (left * right))
    within = np.maximum((centred * centred).sum(axis=-1, keepdims=True) - between, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.sqrt(between * (n - 2) / within)
    return np.where(np.isnan(t), 0.0, t)


def _factor(x: Floats, at: int) -> float:
    if not 0 < at < len(x):
        return 1.0
    low, high = sorted((abs(float(x[:at].mean())), abs(float(x[at:].mean()))))
    if low == high:
        return 1.0
    return inf if low == 0 else high / low


def _refined(x: Floats, at: int, reach: int) -> int:
    """The sample, near the edge of two stretches, at which the sums of squares are least."""
    low, high = max(at - 2 * reach, 1), min(at + 2 * reach + 1, len(x) - 1)
    places = np.arange(low, high)
    sums = np.cumsum(x)
    left, right = sums[places - 1] / places, (sums[-1] - sums[places - 1]) / (len(x) - places)
    between = places * (len(x) - places) * (left - right) ** 2
    return int(places[np.argmax(between)]) if len(places) else at


def _permutation_p(x: Floats, t: float) -> float:
    """How often the same values in random order have as large a t at their best split."""
    exceeding = int(np.count_nonzero(_t_of_splits(x[_orders(len(x))]).max(axis=-1) >= t * (1 - 1e-9)))
    return (exceeding + 1) / (PERMUTATIONS + 1)


@lru_cache(maxsize=_MOST_STRETCHES)
def _orders(n: int) -> NDArray[np.intp]:
    """int[PERMUTATIONS, n]: always the same, so that every p-value can be computed again."""
    return np.random.default_rng(SEED).permuted(np.tile(np.arange(n), (PERMUTATIONS, 1)), axis=1)
