"""By so much a day, or by such a share of itself? What the history does not refute stays within the band.

Over a history in which a figure grows by less than half, a line and a compound curve leave the same residuals and part
only beyond it. Choosing one there holds a tenth to two thirds of the days to come where the other is true; a band about
both holds what it says. The line is drawn through the middle unless the history refutes it.
"""

from __future__ import annotations

from collections.abc import Collection
from enum import StrEnum
from math import log

import numpy as np

from tunebench.analysis.capacity.band import Band, fit_band
from tunebench.analysis.capacity.line import Floats, least_squares
from tunebench.analysis.capacity.week import DAYS_OF_WEEK, Weekdays, WeeklyEffects, weekly_effects
from tunebench.core.records import record

EVIDENCE = 4.0
"""Twice the log likelihood by which the better one must lead for the other to be refuted."""
_MOST_EXPONENT = 700.0  # of a double


class Growth(StrEnum):
    STRAIGHT = "straight"
    COMPOUND = "compound"  # a line of the logarithms

    def scaled(self, y: Floats) -> Floats:
        return np.log(y) if self is Growth.COMPOUND else y

    def unscaled(self, level: Floats) -> Floats:
        return np.exp(np.minimum(level, _MOST_EXPONENT)) if self is Growth.COMPOUND else level


@record
class Fit:
    """
    Attributes:
        level: float64[n], without weekly effects, on the scale of the growth.
        band: on that scale.
        effects: in the unit of the days.
    """

    growth: Growth
    level: Floats
    band: Band
    effects: WeeklyEffects | None

    def centre(self, t: Floats, weekdays: Weekdays) -> Floats:
        return self._of_days(self.band.line.at(t), weekdays)

    def edges(self, t: Floats, weekdays: Weekdays) -> tuple[Floats, Floats]:
        centre, half = self.band.line.at(t), self.band.half(t)
        return self._of_days(centre - half, weekdays), self._of_days(centre + half, weekdays)

    def squares(self, t: Floats, weekdays: Weekdays, y: Floats) -> float:
        """Sum of squared residuals of the days, in their own unit."""
        rest = y - self.centre(t, weekdays)
        return float(rest @ rest)

    def _of_days(self, level: Floats, weekdays: Weekdays) -> Floats:
        plain = self.growth.unscaled(level)
        return plain if self.effects is None else self.effects.put_on(plain, weekdays)


@record
class Fits:
    """`main` is the line in the middle; `other` what the history does not refute either."""

    main: Fit
    other: Fit | None = None

    @property
    def growths(self) -> tuple[Growth, ...]:
        return (self.main.growth,) if self.other is None else (self.main.growth, self.other.growth)

    def edges(self, t: Floats, weekdays: Weekdays) -> tuple[Floats, Floats]:
        low, high = self.main.edges(t, weekdays)
        if self.other is None:
            return low, high
        other_low, other_high = self.other.edges(t, weekdays)
        return np.minimum(low, other_low), np.maximum(high, other_high)


def possible_growths(y: Floats) -> tuple[Growth, ...]:
    return tuple(Growth) if y.min() > 0 else (Growth.STRAIGHT,)


def fit(growth: Growth, t: Floats, weekdays: Weekdays, y: Floats) -> Fit:
    """The fit with the weekly effects that leave the smallest residuals."""
    effects = weekly_effects(t, weekdays, y)
    if growth is Growth.COMPOUND:
        effects = _of_curve(t, weekdays, y, effects)
    level = growth.scaled(y if effects is None else effects.taken_off(y, weekdays))
    return Fit(growth, level, fit_band(t, level, weekly=effects is not None), effects)


def _of_curve(t: Floats, weekdays: Weekdays, y: Floats, of_line: WeeklyEffects | None) -> WeeklyEffects | None:
    """Those about a straight line, if a logarithm bears them, or those of the logarithms themselves."""
    of_logs = weekly_effects(t, weekdays, np.log(y), proportional=False)
    kinds = [None if of_logs is None else WeeklyEffects(np.exp(of_logs.offset), np.zeros(DAYS_OF_WEEK))]
    if of_line is not None and of_line.taken_off(y, weekdays).min() > 0:
        kinds.append(of_line)

    def left(effects: WeeklyEffects | None) -> float:
        level = np.log(y if effects is None else effects.taken_off(y, weekdays))
        curve = Growth.COMPOUND.unscaled(least_squares(t, level).at(t))
        rest = y - (curve if effects is None else effects.put_on(curve, weekdays))
        return float(rest @ rest)

    return min(kinds, key=left)


def fit_all(t: Floats, weekdays: Weekdays, y: Floats, growths: Collection[Growth]) -> Fits:
    """Fits float64[n] values at whole days t by one growth or both; one that the other refutes is left out."""
    fits = [fit(growth, t, weekdays, y) for growth in growths]
    squares = {own.growth: own.squares(t, weekdays, y) for own in fits}
    better, *worse = sorted(fits, key=lambda own: squares[own.growth])
    if not worse or _refuted(squares[worse[0].growth], squares[better.growth], better.band.worth.n_eff):
        return Fits(better)
    return Fits(*sorted(fits, key=lambda own: own.growth is Growth.COMPOUND))


def _refuted(worse: float, better: float, n_eff: float) -> bool:
    return n_eff * log(worse / better) > EVIDENCE if better > 0 else worse > 0
