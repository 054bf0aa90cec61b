"""A line into the future with the band that holds the stated share of the days to come."""

from __future__ import annotations

import numpy as np

from tunebench.analysis.capacity.line import Dependence, Floats, Line, dependence, halving_line, least_squares
from tunebench.analysis.capacity.week import DAYS_OF_WEEK
from tunebench.analysis.inference.student import t_quantile
from tunebench.core.records import record

LEVEL = 0.80


@record
class Band:
    """A line of Theil and Sen's slope; its width from the least-squares residuals and what they are worth.

    Textbook intervals take the residuals as independent and hold 39 to 60 % instead of 80 % of the days to come at a
    lag-1 correlation of .5 to .8. Here n is divided by the inflation f = (1 + r) / (1 - r) wherever it counts:
    half(t) = t_quantile(n / f - 2 degrees) sqrt(s2 (1 + f (1/n + (t - mean)^2 / Sxx))), s2 = SSR / max(n - 2 f, n / 5).

    Attributes:
        line, ols: t in days.
        variance: of the residuals of one day.
        level: share of the days to come that the band is made to hold.
    """

    line: Line
    ols: Line
    worth: Dependence
    n: int
    variance: float
    mean_t: float
    squares_t: float
    level: float

    def half(self, t: Floats) -> Floats:
        factor = t_quantile((1 + self.level) / 2, max(self.worth.n_eff - 2, 1.0))
        spread = 1 + self.worth.inflation * (1 / self.n + (t - self.mean_t) ** 2 / self.squares_t)
        width: Floats = factor * np.sqrt(self.variance * spread)
        return width


def fit_band(t: Floats, y: Floats, level: float = LEVEL, *, weekly: bool = False) -> Band:
    """Of float64[n] values at whole days t, from which `weekly` effects were taken off."""
    n = len(y)
    ols = least_squares(t, y)
    rest = y - ols.at(t)
    worth = dependence(t, rest)
    used = 2 * worth.inflation + (DAYS_OF_WEEK - 1 if weekly else 0)
    centred = t - t.mean()
    return Band(
        halving_line(t, y),
        ols,
        worth,
        n,
        float(rest @ rest) / max(n - used, 0.2 * n),
        float(t.mean()),
        float(centred @ centred),
        level,
    )
