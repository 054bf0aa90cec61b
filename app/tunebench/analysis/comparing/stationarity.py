"""Whether something changed inside a window, so that its mean is that of two different times, or drifts all along it.

A permutation test takes samples as independent. Here it is given means over stretches so long that they are: as many as
the window is worth independent samples once its best single step is taken out (a step itself looks like correlation).
"""

from __future__ import annotations

from functools import lru_cache
from math import inf, sqrt

import numpy as np
from numpy.typing import NDArray

from tunebench.analysis.comparing.regular_samples import Floats
from tunebench.analysis.inference.effective_size import effective_sizes
from tunebench.analysis.inference.student import two_sided_p, two_sided_ps
from tunebench.core.grouping import by_key
from tunebench.core.records import record

MOST_P = 0.001
LEAST_CHANGE = 0.20
FEWEST = 30
"""Samples below which nothing is looked for."""
PERMUTATIONS = 1999
SEED = 20260401
_ORDERS_SPLIT = (40, 200, 450, 700, 950, 1200, 1450, 1700)
"""So many orders are tried before it is looked whether one of them parts as well."""
_MOST_STRETCHES = 48
_FEWEST_STRETCHES = 12
_LEAST_STRETCHES_OF_A_SIDE = 4
_LEAST_T = 3.5
"""Below this t of the best step no permutation test comes near `MOST_P`."""
_SURE_P = 1e-5
"""Bonferroni's bound over all splits, from Student's t: where it is this low the permutations are spared."""
_NORMAL_T = 3.29
"""Below this t no line is as sure as `MOST_P`, however many samples it goes through: two-sided 0.001 of the normal
distribution is 3.2905. No sample counts for more than one, so that effective sizes need not be known to see it."""
_RISE_P = 0.01
_MOST_LAG1 = 0.97
_LEAST_DEGREES = 0.5


@record
class ChangePoint:
    """A change before sample `index`: the means on its two sides differ `factor` times (at least 1)."""

    index: int
    factor: float
    p: float


def change_point(values: Floats) -> ChangePoint | None:
    """The largest change of the level of float64[n], NaN where nothing was measured; None where none is sure."""
    return change_points(values[np.newaxis])[0]


def change_points(values: Floats) -> list[ChangePoint | None]:
    """`change_point` of each row of float64[k, n], which have their gaps in the same places."""
    present, rows = _present(values)
    if len(present) < FEWEST:
        return [None] * len(rows)
    stretches = _stretches(rows, _MOST_STRETCHES)
    splits, ts = _best_splits(stretches)
    at = [round(split * len(present) / stretches.shape[1]) for split in splits]
    maybe = [row for row, t in enumerate(ts) if t >= _LEAST_T and _factor(rows[row], at[row]) >= 1 + LEAST_CHANGE]
    changes: list[ChangePoint | None] = [None] * len(rows)
    if maybe:
        sizes = effective_sizes(np.array([_about_its_sides(rows[row], at[row]) for row in maybe]))
        worth = ((min(_MOST_STRETCHES, int(size.n_eff)), row) for row, size in zip(maybe, sizes, strict=True))
        for count, alike in by_key(worth).items():
            for row, change in zip(alike, _surely(rows[alike], present, count), strict=True):
                changes[row] = change
    return changes


def _present(values: Floats) -> tuple[NDArray[np.intp], Floats]:
    """(places of what was measured, that)."""
    present = np.flatnonzero(~np.isnan(values[0]))
    return present, np.take(values, present, axis=1)


def _about_its_sides(x: Floats, at: int) -> Floats:
    return np.concatenate([x[:at] - x[:at].mean(), x[at:] - x[at:].mean()])


def _surely(x: Floats, present: NDArray[np.intp], count: int) -> list[ChangePoint | None]:
    """The change of each row of float64[k, n], where one is sure.

    Args:
        count: of the stretches, as many as each row is worth independent samples once its step is taken out.
    """
    changes: list[ChangePoint | None] = [None] * len(x)
    stretches = _stretches(x, count)
    n = stretches.shape[1]
    if n < _FEWEST_STRETCHES:
        return changes
    splits, ts = _best_splits(stretches)
    ps = (n * two_sided_ps(np.array(ts), np.full(len(ts), n - 2.0))).tolist()
    for row, (split, t, p) in enumerate(zip(splits, ts, ps, strict=True)):
        if t < _LEAST_T or (p > _SURE_P and _any_order_parts_as_well(stretches[row])):
            continue
        at = _refined(x[row], round(split * x.shape[1] / n), x.shape[1] // n)
        factor = _factor(x[row], at)
        if factor >= 1 + LEAST_CHANGE:
            changes[row] = ChangePoint(int(present[at]), factor, 1 / (PERMUTATIONS + 1) if p > _SURE_P else p)
    return changes


def drift(values: Floats) -> float | None:
    """How much the straight line through float64[n] changes from its first to its last sample, relative to the mean.

    NaN where nothing was measured. None where it is less than a fifth, or not sure: Student's t of the slope, the
    residuals counted by their effective size.
    """
    return drifts(values[np.newaxis])[0]


def drifts(values: Floats) -> list[float | None]:
    """`drift` of each row of float64[k, n], which have their gaps in the same places."""
    present, rows = _present(values)
    if len(present) < FEWEST:
        return [None] * len(rows)
    t = present - present.mean()
    spread = float(t @ t)
    means = rows.mean(axis=1)
    slopes = np.vecdot(t, rows - means[:, np.newaxis]) / spread
    changes = np.zeros(len(rows))
    np.divide(slopes * float(present[-1] - present[0]), np.abs(means), out=changes, where=means != 0)
    drifting: list[float | None] = [None] * len(rows)
    large = np.flatnonzero(np.abs(changes) >= LEAST_CHANGE)
    rest = rows[large] - means[large, np.newaxis] - slopes[large, np.newaxis] * t
    for row in large[_are_sure(rest, slopes[large], spread)].tolist():
        drifting[row] = float(changes[row])
    return drifting


def _are_sure(rest: Floats, slopes: Floats, spread: float) -> NDArray[np.bool_]:
    """bool[k] of float64[k, n], what lines of these slopes leave."""
    sure = np.zeros(len(rest), dtype=bool)
    power = np.vecdot(rest, rest)
    with np.errstate(divide="ignore", invalid="ignore"):
        t_at_most = np.abs(slopes) / np.sqrt(power / (rest.shape[1] - 2) / spread)
    maybe = np.flatnonzero((power == 0) | (t_at_most > _NORMAL_T))
    if not len(maybe):
        return sure
    worth = np.array([size.n_eff for size in effective_sizes(rest[maybe])])
    maybe, worth = maybe[worth >= _FEWEST_STRETCHES], worth[worth >= _FEWEST_STRETCHES]
    error = np.sqrt(power[maybe] / (worth - 2) / spread)
    with np.errstate(divide="ignore", invalid="ignore"):
        sure[maybe] = (error == 0) | (two_sided_ps(slopes[maybe] / error, worth - 2) < MOST_P)
    return sure


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
    ends = _levels(np.array([present[:third], present[-third:]]), np.array([x[:third], x[-third:]]))
    change = (ends[1].mean - ends[0].mean) / abs(float(x.mean()))
    if abs(change) < LEAST_CHANGE:
        return None
    variance = sum(end.variance for end in ends)
    if variance == 0:
        return change
    degrees = variance**2 / sum(end.variance**2 / end.degrees for end in ends)
    return change if two_sided_p((ends[1].mean - ends[0].mean) / sqrt(variance), degrees) < _RISE_P else None


@record
class _Level:
    """Of a stretch: its mean, the variance of that, and the degrees of freedom of this."""

    mean: float
    variance: float
    degrees: float


def _levels(places: NDArray[np.intp], x: Floats) -> list[_Level]:
    """Of each row of [k, n]: where the samples stand, and what they are."""
    n = x.shape[1]
    t = places - places.mean(axis=1)[:, np.newaxis]
    means = x.mean(axis=1)
    rest = x - means[:, np.newaxis] - t * (np.vecdot(t, x) / np.vecdot(t, t))[:, np.newaxis]
    levels = []
    for mean, power, size in zip(means.tolist(), np.vecdot(rest, rest).tolist(), effective_sizes(rest), strict=True):
        # the bias of lag 1 about a line (Kendall 1954)
        lag1 = min(max(size.lag1 + (2 + 4 * size.lag1) / n, 0.0), _MOST_LAG1)
        degrees = max(min(n * (1 - lag1) / (1 + lag1), size.n_geyer) - 2, _LEAST_DEGREES)
        levels.append(_Level(mean, power / n / degrees, degrees))
    return levels


def _stretches(x: Floats, count: int) -> Floats:
    """Means of so many stretches of float64[..., n], of equal length, as nearly as they can be."""
    n = x.shape[-1]
    if count >= n:
        return x
    edges, lengths = _edges(n, count)
    return np.asarray(np.add.reduceat(x, edges, axis=-1) / lengths, dtype=np.float64)


@lru_cache(maxsize=256)
def _edges(n: int, count: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Where the stretches begin, and how long they are."""
    edges = np.arange(count) * n // max(count, 1)
    return edges, np.diff(edges, append=n)


def _best_splits(x: Floats) -> tuple[list[int], list[float]]:
    """Of each row of float64[k, n] (first of the right side, Student's t there)."""
    k, n = x.shape
    if n < 2 * _LEAST_STRETCHES_OF_A_SIDE:
        return [n // 2] * k, [0.0] * k
    centred = x - x.mean(axis=1)[:, np.newaxis]
    parted = _between(centred)
    best = parted.argmax(axis=1)
    between = parted[np.arange(k), best]
    within = (centred * centred).sum(axis=1) - between
    t = np.full(k, inf)
    np.divide(between * (n - 2), within, out=t, where=within > 0)
    t = np.where(between == 0, 0.0, np.sqrt(t))
    return (_LEAST_STRETCHES_OF_A_SIDE + best).tolist(), t.tolist()


def _between(centred: Floats) -> Floats:
    """float64[..., splits] of float64[..., n] about their mean: the sum of squares between the sides of every split.

    Both sides are long enough. Whatever the order of the values, t rises with it.
    """
    sums = np.cumsum(centred, axis=-1)[..., _LEAST_STRETCHES_OF_A_SIDE - 1 : -_LEAST_STRETCHES_OF_A_SIDE]
    return np.asarray(sums * sums * _split_weights(centred.shape[-1]), dtype=np.float64)


@lru_cache(maxsize=_MOST_STRETCHES)
def _split_weights(n: int) -> Floats:
    left = np.arange(_LEAST_STRETCHES_OF_A_SIDE, n - _LEAST_STRETCHES_OF_A_SIDE + 1)
    return np.asarray(n / (left * (n - left)), dtype=np.float64)


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


def _any_order_parts_as_well(x: Floats) -> bool:
    """Whether the same values in any of `PERMUTATIONS` random orders have as good a best split: two of so many orders,
    their own among them, are `MOST_P`."""
    centred = x - x.mean()
    enough = _between(centred).max() * (1 - 1e-9)
    weights = _split_weights(len(x))[:, np.newaxis]
    for orders in _orders(len(x)):  # one value of every order after the other, which is quicker than order by order
        between = np.cumsum(centred.take(orders, mode="clip"), axis=0)[_LEAST_STRETCHES_OF_A_SIDE - 1 :]
        between *= between
        between *= weights
        if between.max() >= enough:
            return True
    return False


@lru_cache(maxsize=_MOST_STRETCHES)
def _orders(n: int) -> list[NDArray[np.intp]]:
    """int[left sides of splits, ...] each, `PERMUTATIONS` orders of all: always the same, so that what is found can be
    found again; the first few mostly tell."""
    orders = np.random.default_rng(SEED).permuted(np.tile(np.arange(n), (PERMUTATIONS, 1)), axis=1)
    columns = np.ascontiguousarray(orders.T[: n - _LEAST_STRETCHES_OF_A_SIDE])
    return [np.ascontiguousarray(some) for some in np.split(columns, _ORDERS_SPLIT, axis=1)]
