"""Has the series changed its ways? Where it has, only what came after tells of the future.

The energy statistic of plain values calls every trend a change, so the screening compares lines: one over the whole
history against one before and one after a day (Quandt 1960), the largest F over all days. Its distribution under
dependent residuals is simulated: a first-order autoregression with the correlation of the residuals, seed stated.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tunebench.analysis.capacity.line import MOST_LAG1, Floats
from tunebench.core.records import record

SHORTEST = 7
"""Days on either side of a change: a line through fewer says little."""
SIGNIFICANCE = 0.001
DOUBT = 0.05
"""A change that is not shown, but by which no line may be drawn into the future."""
TRIALS = 1999
SEED = 20
_NOT_WORTH_SIMULATING = 3.5
_MOST_CHANGES = 6
_HALF_WORTH_A_LOOK = 28


@record
class Change:
    """`place`: index of the first day of what came after."""

    place: int
    p: float


def last_regime(t: Floats, y: Floats) -> Change | None:
    """The last change in float64[n] days t and values y; None where one line serves for all."""
    last: Change | None = None
    for _ in range(_MOST_CHANGES):
        begin = last.place if last else 0
        change = _change_from(t, y, begin)
        if change is None:
            break
        last = change
    return last


def _change_from(t: Floats, y: Floats, begin: int) -> Change | None:
    """The change in all that follows, else in its later half: several changes hide one another as wandering."""
    middle = begin + (len(y) - begin) // 2
    for first in (begin, middle) if len(y) - middle >= _HALF_WORTH_A_LOOK else (begin,):
        change = find_change(t[first:], y[first:])
        if change is not None:
            return Change(first + change.place, change.p)
    return None


def find_change(t: Floats, y: Floats, significance: float = SIGNIFICANCE) -> Change | None:
    if len(y) < 2 * SHORTEST:
        return None
    statistic, places, lag1 = _largest_f(t, y[np.newaxis])
    if statistic[0] < _NOT_WORTH_SIMULATING:
        return None
    simulated = _largest_f(t, _autoregressions(len(y), _cautious(float(lag1[0]), len(y))))[0]
    p = (1 + int((simulated >= statistic[0]).sum())) / (TRIALS + 1)
    return Change(int(places[0]), p) if p < significance else None


def _largest_f(t: Floats, rows: Floats) -> tuple[Floats, NDArray[np.int64], Floats]:
    """For each row of float64[k, n]: the largest F over the inflation, the change's place, lag-1 about its lines."""
    n = rows.shape[1]
    t = t - t.mean()
    rows = rows - rows.mean(axis=1, keepdims=True)
    whole = _squares_before(t, rows)[:, -1]
    before = _squares_before(t, rows)[:, SHORTEST - 1 : n - SHORTEST]
    after = _squares_before(t[::-1], rows[:, ::-1])[:, ::-1][:, SHORTEST : n - SHORTEST + 1]
    split = before + after
    best = split.argmin(axis=1)
    least = np.maximum(np.take_along_axis(split, best[:, np.newaxis], 1)[:, 0], 1e-12 * np.maximum(whole, 1e-300))
    places = best + SHORTEST
    lag1 = _lag1_about_lines(t, rows, places)
    inflation = (1 + lag1) / (1 - lag1)
    return (whole - least) / 2 / (least / (n - 4)) / inflation, places, lag1


def _squares_before(t: Floats, rows: Floats) -> Floats:
    """float64[k, n]: at i, the squared residuals of a line through the points 0..i."""
    count = np.arange(1, len(t) + 1)
    sum_t, sum_y = np.cumsum(t), np.cumsum(rows, axis=1)
    squares_t = np.cumsum(t * t) - sum_t**2 / count
    squares_y = np.cumsum(rows * rows, axis=1) - sum_y**2 / count
    products = np.cumsum(rows * t, axis=1) - sum_t * sum_y / count
    with np.errstate(divide="ignore", invalid="ignore"):
        explained = np.where(squares_t > 0, products**2 / squares_t, 0.0)
    rest: Floats = np.maximum(squares_y - explained, 0.0)
    return rest


def _lag1_about_lines(t: Floats, rows: Floats, places: NDArray[np.int64]) -> Floats:
    n = rows.shape[1]
    later = np.arange(n) >= places[:, np.newaxis]
    rest = _without_line(t, rows, ~later) + _without_line(t, rows, later)
    power = np.maximum((rest**2).sum(axis=1), 1e-300)
    lag1 = (rest[:, 1:] * rest[:, :-1]).sum(axis=1) / power
    # the bias of lag 1 about a line (Kendall 1954), about two lines of n / 2 points each
    corrected: Floats = np.clip(lag1 + 2 * (2 + 4 * lag1) / n, 0, MOST_LAG1)
    return corrected


def _cautious(lag1: float, n: int) -> float:
    """One standard error up: a correlation taken too low makes changes out of wandering."""
    return float(min(lag1 + np.sqrt(max(1 - lag1**2, 0.0) / n), MOST_LAG1)) if lag1 > 0 else 0.0


def _without_line(t: Floats, rows: Floats, used: NDArray[np.bool_]) -> Floats:
    """Residuals of a line through the `used` points of each row; 0 elsewhere."""
    count = used.sum(axis=1, keepdims=True)
    from_mean_t = np.where(used, t - (used * t).sum(axis=1, keepdims=True) / count, 0.0)
    from_mean_y = np.where(used, rows - (used * rows).sum(axis=1, keepdims=True) / count, 0.0)
    slope = (from_mean_t * from_mean_y).sum(axis=1, keepdims=True) / (from_mean_t**2).sum(axis=1, keepdims=True)
    rest: Floats = from_mean_y - slope * from_mean_t
    return rest


def _autoregressions(n: int, lag1: float) -> Floats:
    """float64[TRIALS, n], stationary from the first value on."""
    noise = np.random.default_rng(SEED).standard_normal((TRIALS, n))
    rows = np.empty_like(noise)
    rows[:, 0] = noise[:, 0] / np.sqrt(1 - lag1**2)
    for index in range(1, n):
        rows[:, index] = lag1 * rows[:, index - 1] + noise[:, index]
    return rows
