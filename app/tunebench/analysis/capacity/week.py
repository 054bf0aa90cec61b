"""Weekly effects: how far each day of the week lies above or below the line."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tunebench.analysis.capacity.line import Floats, least_squares
from tunebench.core.records import record

DAYS_OF_WEEK = 7
FULL_WEEKS = 3
SIGNIFICANCE = 0.01
_ROUNDING = 1e-9

Weekdays = NDArray[np.int64]


@record
class WeeklyEffects:
    """value = line x `factor` + `offset` of the day of the week, float64[7] each, Monday first.

    Either the factors are all 1 or the offsets all 0; both are neutral on average over the days that are measured,
    and for a day that never is.
    """

    factor: Floats
    offset: Floats

    def put_on(self, line: Floats, weekdays: Weekdays) -> Floats:
        return line * self.factor[weekdays] + self.offset[weekdays]

    def taken_off(self, y: Floats, weekdays: Weekdays) -> Floats:
        level: Floats = (y - self.offset[weekdays]) / self.factor[weekdays]
        return level


def weekly_effects(t: Floats, weekdays: Weekdays, y: Floats, *, proportional: bool = True) -> WeeklyEffects | None:
    """The effects that leave the smaller residuals; None with fewer than three weeks or where no day stands out.

    Effects are medians over the weeks, so that one odd day does not become a habit. Whether there are any is the F
    test of the weekdays' means about the line (p < .01): effects of noise would only widen the forecast. Of logarithms
    only sums make sense, not `proportional` ones.
    """
    counts = np.bincount(weekdays, minlength=DAYS_OF_WEEK)
    seen = counts > 0
    if seen.sum() < 2 or counts[seen].min() < FULL_WEEKS:
        return None
    line = least_squares(t, y).at(t)
    if not _differ(y - line, weekdays, counts, float(np.abs(y).max())):
        return None
    kinds = [WeeklyEffects(np.ones(DAYS_OF_WEEK), _medians(y - line, weekdays, seen, 0.0))]
    if proportional and y.min() > 0 and line.min() > 0:
        kinds.append(WeeklyEffects(_medians(y / line, weekdays, seen, 1.0), np.zeros(DAYS_OF_WEEK)))
    return min(kinds, key=lambda kind: _left_over(kind, t, weekdays, y))


def _medians(rest: Floats, weekdays: Weekdays, seen: NDArray[np.bool_], neutral: float) -> Floats:
    effects = np.full(DAYS_OF_WEEK, neutral)
    effects[seen] = [np.median(rest[weekdays == day]) for day in np.flatnonzero(seen)]
    effects[seen] += neutral - effects[seen].mean()
    return effects


def _left_over(kind: WeeklyEffects, t: Floats, weekdays: Weekdays, y: Floats) -> float:
    if kind.factor.min() <= 0:
        return float("inf")
    level = kind.taken_off(y, weekdays)
    rest = y - kind.put_on(least_squares(t, level).at(t), weekdays)
    return float(rest @ rest)


def _differ(rest: Floats, weekdays: Weekdays, counts: NDArray[np.int64], scale: float) -> bool:
    from scipy.special import fdtrc

    means = np.bincount(weekdays, rest, DAYS_OF_WEEK) / np.maximum(counts, 1)
    between = float(counts @ (means - rest.mean()) ** 2)
    within = float(((rest - means[weekdays]) ** 2).sum())
    groups = int((counts > 0).sum())
    free = len(rest) - groups - 1
    if free < 1 or float(np.abs(rest).max()) <= _ROUNDING * scale:
        return False
    if within <= (_ROUNDING * scale) ** 2:
        return True
    return bool(fdtrc(groups - 1, free, between / (groups - 1) / (within / free)) < SIGNIFICANCE)
