"""Would the forecast have been right? Asked at past days, of what came after them."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from tunebench.analysis.capacity.fits import Growth, fit_all
from tunebench.analysis.capacity.line import Floats
from tunebench.analysis.capacity.week import DAYS_OF_WEEK, Weekdays
from tunebench.core.records import record

FEWEST_ORIGINS = 5
_MOST_ORIGINS = 12
_SHORTEST_PAST = 8


@record
class BackTest:
    """
    Attributes:
        origins: past days from which a forecast was made; `points`: days that these forecast.
        ahead: how many days each looked ahead, at most.
        coverage: share of the points inside the band; None where there are none.
        mase: mean error over that of "as seven days before" (Hyndman and Koehler 2006); None where that one is 0.
    """

    origins: int
    points: int
    ahead: int
    coverage: float | None
    mase: float | None


def back_test(t: Floats, weekdays: Weekdays, y: Floats, growths: Collection[Growth] = (Growth.STRAIGHT,)) -> BackTest:
    """Rolling origin: at least half the history before, a quarter of it ahead."""
    n = len(y)
    first, ahead = max(_SHORTEST_PAST, n // 2), max(n // 4, 1)
    origins = np.unique(np.linspace(first, n - 1, _MOST_ORIGINS).astype(np.int64)) if n > first else np.array([], int)
    rounding = 1e-9 * float(np.abs(y).max())  # all that a straight line leaves of errors and band
    inside: list[bool] = []
    errors: list[float] = []
    for origin in origins:
        past, to_come = slice(0, origin), slice(origin, min(origin + ahead, n))
        fits = fit_all(t[past], weekdays[past], y[past], growths)
        low, high = fits.edges(t[to_come], weekdays[to_come])
        inside += ((y[to_come] >= low - rounding) & (y[to_come] <= high + rounding)).tolist()
        errors += np.abs(y[to_come] - fits.main.centre(t[to_come], weekdays[to_come])).tolist()
    naive = _naive_error(t, y)
    return BackTest(
        len(origins),
        len(errors),
        ahead,
        float(np.mean(inside)) if inside else None,
        float(np.mean(errors)) / naive if errors and naive else None,
    )


def _naive_error(t: Floats, y: Floats) -> float | None:
    """Mean absolute difference to the same weekday a week before; None where no pair of days is there."""
    a_week_before = np.searchsorted(t, t - DAYS_OF_WEEK)
    paired = t[a_week_before] == t - DAYS_OF_WEEK
    return float(np.abs(y[paired] - y[a_week_before[paired]]).mean()) if paired.any() else None
