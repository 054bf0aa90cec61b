"""Does the 80 % band hold 80 % of the days to come? By simulation: a straight trend with dependent residuals.

Seeds are stated; each cell counts every day of a horizon as long as the history, over many series, through the whole
way that a forecast takes: change of ways, weekly effects, line, band.
"""

from __future__ import annotations

import numpy as np
import pytest

from tunebench.analysis.capacity.fits import Growth, fit
from tunebench.analysis.capacity.forecast import weekdays_of
from tunebench.analysis.capacity.regime import last_regime

SEED = 20261122
TRIALS = {28: 300, 56: 120, 90: 80}
"""Series by days of history: short ones vary most."""
FIRST_DAY = 20_000


def series(phi: float, days: int) -> np.ndarray:
    """float64[k, days]: 40 + 0.3 a day and a stationary AR(1) of standard deviation 2 of its innovations."""
    noise = np.random.default_rng([SEED, days, int(phi * 10)]).standard_normal((TRIALS[days // 2], days))
    rows = np.empty_like(noise)
    rows[:, 0] = noise[:, 0] / np.sqrt(1 - phi**2)
    for place in range(1, days):
        rows[:, place] = phi * rows[:, place - 1] + noise[:, place]
    return 40 + 0.3 * np.arange(days) + 2 * rows


def held(row: np.ndarray, history: int) -> tuple[int, int]:
    """Days inside the band, and days forecast: as many as the last regime is long."""
    days = np.arange(FIRST_DAY, FIRST_DAY + len(row))
    t, weekdays = (days - FIRST_DAY).astype(float), weekdays_of(days)
    change = last_regime(t[:history], row[:history])
    begin = change.place if change is not None else 0
    if history - begin < 14:
        return 0, 0
    known, ahead = slice(begin, history), slice(history, 2 * history - begin)
    low, high = fit(Growth.STRAIGHT, t[known], weekdays[known], row[known]).edges(t[ahead], weekdays[ahead])
    inside = (low <= row[ahead]) & (row[ahead] <= high)
    return int(inside.sum()), len(inside)


@pytest.mark.parametrize("history", [28, 56, 90])
@pytest.mark.parametrize("phi", [0.0, 0.5, 0.8])
def test_the_band_holds_between_75_and_90_percent(phi: float, history: int) -> None:
    counts = np.array([held(row, history) for row in series(phi, 2 * history)])
    inside, forecast = counts.sum(axis=0)
    assert 0.75 <= inside / forecast <= 0.90


def test_a_textbook_interval_would_not() -> None:
    """What the band is for: least squares with independent residuals, on the same series."""
    rows, history = series(0.8, 56), 28
    t = np.arange(56.0)
    x = t[:history] - t[:history].mean()
    inside = 0
    for row in rows:
        y = row[:history]
        slope = x @ y / (x @ x)
        rest = y - y.mean() - slope * x
        s2 = rest @ rest / (history - 2)
        away = t[history:] - t[:history].mean()
        half = 1.315 * np.sqrt(s2 * (1 + 1 / history + away**2 / (x @ x)))  # t_quantile(.9, 26)
        inside += int((np.abs(row[history:] - y.mean() - slope * away) <= half).sum())
    assert inside / (len(rows) * 28) < 0.65
