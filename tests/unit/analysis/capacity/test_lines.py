"""Trend lines, their tests and their neighbours, against R, hand computation and definitions."""

from __future__ import annotations

import numpy as np
import pytest

from tunebench.analysis.capacity.band import fit_band
from tunebench.analysis.capacity.daily import DAY_NS, HOUR_NS, busy_hours, daily_levels
from tunebench.analysis.capacity.growth import implied_growth, years_until
from tunebench.analysis.capacity.limits import LimitSource, knee_limit, space_limit
from tunebench.analysis.capacity.line import (
    dependence,
    halving_line,
    least_squares,
    mann_kendall,
    slope_interval,
    theil_sen,
)
from tunebench.analysis.capacity.quantile_line import quantile_line
from tunebench.analysis.capacity.regime import find_change, last_regime
from tunebench.analysis.capacity.week import weekly_effects

SPIKED = np.array([
    41, 42, 41, 44, 43, 45, 47, 46, 46, 49, 48, 50, 52, 51, 51, 54, 53, 55, 80, 56, 58, 57, 60, 59,
], float)  # fmt: skip


def days(n: int) -> np.ndarray:
    return np.arange(n, dtype=float)


# -- lines ------------------------------------------------------------------------------------------------


def test_one_spike_moves_least_squares_and_not_theil_sen() -> None:
    t = days(len(SPIKED))
    plain = SPIKED.copy()
    plain[18] = 55
    assert theil_sen(t, SPIKED).slope == pytest.approx(0.833333333333333)
    assert theil_sen(t, SPIKED).intercept == pytest.approx(40.9166666666667)
    assert least_squares(t, SPIKED).slope == pytest.approx(0.961739130434782)
    assert abs(theil_sen(t, plain).slope - theil_sen(t, SPIKED).slope) < 0.02


def test_mann_kendall_with_ties() -> None:
    found = mann_kendall(SPIKED)
    assert found.s == 243
    assert found.variance == pytest.approx(1622.33333333333)
    assert found.z == pytest.approx(6.0082129940574)
    assert found.p == pytest.approx(1.87579312173604e-09)


def test_dependent_days_make_a_trend_less_certain() -> None:
    assert mann_kendall(SPIKED, inflation=4).z == pytest.approx(6.0082129940574 / 2)
    assert mann_kendall(np.full(20, 7.0)).p == 1.0


def test_the_slope_interval_is_sen_s() -> None:
    """By hand: 4 points, 6 slopes; var S = 26/3, half = 1.96 sqrt(26/3) > 5: the extremes."""
    t, y = days(4), np.array([0.0, 1.0, 4.0, 9.0])
    assert slope_interval(t, y) == (1.0, 5.0)
    low, high = slope_interval(days(24), SPIKED)
    assert low < 0.8333 < high
    assert slope_interval(days(24), SPIKED, inflation=4) < (low, high)


def test_a_missing_day_parts_its_neighbours() -> None:
    rest = np.array([1.0, 1.0, -1.0, -1.0])
    together = dependence(days(4), rest)
    parted = dependence(np.array([0.0, 1.0, 5.0, 6.0]), rest)
    assert together.lag1 == pytest.approx((1 - 1 + 1) / 4)
    assert parted.lag1 == pytest.approx((1 + 1) * 3 / 2 / 4)


@pytest.mark.parametrize(("lag1_of", "n"), [("a", 8), ("b", 8), ("c", 30), ("d", 100), ("e", 100)])
def test_dependent_residuals_are_worth_less(lag1_of: str, n: int) -> None:
    """Written out from what `Dependence` says; the bias is Kendall's (1954)."""
    rest = {
        "a": np.tile([1.0, -1.0], n // 2),
        "b": np.repeat([1.0, -1.0], n // 2),
        "c": np.sin(np.arange(n) / 2),
        "d": np.linspace(-1, 1, n),
        "e": np.sin(np.arange(n) * 1.2),
    }[lag1_of]
    found = dependence(days(n), rest)
    lag1 = sum(rest[i] * rest[i + 1] for i in range(n - 1)) / sum(rest**2)
    r = min(max(lag1 + (1 + 4 * lag1) / n, 0.0), 0.95)
    assert found.lag1 == pytest.approx(lag1)
    assert found.inflation == pytest.approx((1 + r) / (1 - r))
    assert found.n_eff == pytest.approx(max(n * (1 - r) / (1 + r), 3.0))


def test_without_residuals_or_neighbours_days_are_worth_their_number() -> None:
    for t, rest in ((days(5), np.zeros(5)), (days(5) * 2, np.ones(5))):
        found = dependence(t, rest)
        assert (found.lag1, found.inflation, found.n_eff) == (0.0, 1.0, 5.0)
    assert dependence(days(2), np.zeros(2)).n_eff == 3.0


def test_the_band_is_the_one_of_r() -> None:
    """R 4.2, the formula spelled out: qt(.9, n_e - 2) sqrt(s2 (1 + f (1/n + (t - mean)^2 / Sxx))) about the line of the
    median slope b and the intercept median(y - b t)."""
    y = np.array([
        41, 42, 41, 44, 43, 45, 47, 46, 46, 49, 48, 50, 52, 51, 51, 54, 53, 55, 56, 56, 58, 57, 60, 59, 61, 60, 63, 62,
    ], float)  # fmt: skip
    ahead = np.array([28.0, 40.0, 55.0])
    band = fit_band(days(28), y)
    assert band.worth.lag1 == pytest.approx(-0.571969696970)
    assert band.line.at(ahead) == pytest.approx([64.0217391304, 73.9347826087, 86.3260869565])
    assert band.half(ahead) == pytest.approx([1.3007891935, 1.4449930411, 1.7055444112])


def test_half_of_the_days_lie_above_the_line() -> None:
    for seed in range(20):
        y = 50 + 0.5 * days(28) + np.random.default_rng(seed).exponential(5, 28)
        rest = y - halving_line(days(28), y).at(days(28))
        assert ((rest > 1e-9).sum(), (rest < -1e-9).sum()) == (14, 14)
        assert halving_line(days(28), y).slope == theil_sen(days(28), y).slope


@pytest.mark.parametrize("tau", [0.5, 0.9])
def test_a_quantile_line_has_its_share_below(tau: float) -> None:
    """Koenker and Bassett: at most n tau points strictly below, at most n (1 - tau) strictly above."""
    t, y = days(60), np.random.default_rng(3).normal(50, 5, 60) + 0.2 * days(60)
    rest = y - quantile_line(t, y, tau).at(t)
    assert (rest < -1e-9).sum() <= 60 * tau
    assert (rest > 1e-9).sum() <= 60 * (1 - tau)


def test_a_quantile_line_through_exact_points() -> None:
    found = quantile_line(days(9), 3 + 2 * days(9), 0.9)
    assert [found.slope, found.intercept] == pytest.approx([2, 3])


# -- a change of ways -------------------------------------------------------------------------------------


def made(n: int, seed: int = 4) -> np.ndarray:
    return 50 + 0.3 * days(n) + np.random.default_rng(seed).normal(0, 1, n)


def test_a_trend_is_no_change() -> None:
    assert find_change(days(60), made(60)) is None
    assert find_change(days(60), 50 + 0.3 * days(60)) is None


def test_a_clean_up_is_found_on_its_day() -> None:
    y = made(60)
    y[35:] -= 9
    found = find_change(days(60), y)
    assert found is not None
    assert found.place == 35
    assert found.p == pytest.approx(1 / 2000)


def test_the_last_of_several_changes_counts() -> None:
    y = made(80)
    y[25:] -= 12
    y[55:] += 15
    found = last_regime(days(80), y)
    assert found is not None
    assert found.place == 55


@pytest.mark.parametrize(("n", "at"), [(14, 7), (20, 7), (20, 13), (13, 6)])
def test_a_week_on_either_side_is_the_least(n: int, at: int) -> None:
    y = np.tile([0.01, -0.01], n)[:n] + 10.0 * (days(n) >= at)
    found = find_change(days(n), y)
    assert (None if found is None else found.place) == (at if n >= 14 else None)


def test_a_change_of_slope_counts_too() -> None:
    y = made(60)
    y[30:] += 1.5 * days(30)
    found = find_change(days(60), y)
    assert found is not None
    assert abs(found.place - 30) <= 3


# -- weeks ------------------------------------------------------------------------------------------------


def test_proportional_weekends_are_found() -> None:
    t, weekdays = days(56), np.arange(56) % 7
    y = (30 + 0.5 * t) * np.where(weekdays >= 5, 0.6, 1.0) + np.random.default_rng(1).normal(0, 0.5, 56)
    found = weekly_effects(t, weekdays, y)
    assert found is not None
    assert not found.offset.any()
    assert found.factor[6] / found.factor[2] == pytest.approx(0.6, abs=0.02)


def test_added_weekends_are_found() -> None:
    t, weekdays = days(42), np.arange(42) % 7
    y = 5 + 1.5 * t - np.where(weekdays >= 5, 4.0, 0.0) + np.random.default_rng(1).normal(0, 0.3, 42)
    found = weekly_effects(t, weekdays, y)
    assert found is not None
    assert (found.factor == 1).all()
    assert found.offset[6] - found.offset[2] == pytest.approx(-4, abs=0.4)


def test_neither_noise_nor_two_weeks_make_a_week() -> None:
    t, weekdays = days(56), np.arange(56) % 7
    assert weekly_effects(t, weekdays, made(56)) is None
    assert weekly_effects(t, weekdays, 50 + 0.3 * t) is None
    for n in (20, 21):
        t = days(n)
        found = weekly_effects(t, weekdays[:n], t - 9.0 * (weekdays[:n] == 6))
        assert (found is not None) is (n == 21)


def test_weekdays_that_are_never_measured_stay_neutral() -> None:
    t = np.array([day for day in range(56) if day % 7 < 5], float)
    weekdays = (t % 7).astype(np.int64)
    y = 50 + 0.2 * t - 6.0 * (weekdays == 0) + np.random.default_rng(2).normal(0, 0.2, len(t))
    found = weekly_effects(t, weekdays, y)
    assert found is not None
    assert (found.factor[5:] == 1).all()
    assert (found.offset[5:] == 0).all()


# -- days -------------------------------------------------------------------------------------------------


def hourly(n_days: int, level: float = 50.0) -> tuple[np.ndarray, np.ndarray]:
    """One value at the end of each hour; from 9 to 18 the level, else a fifth of it."""
    times = np.arange(1, 24 * n_days + 1, dtype=np.int64) * HOUR_NS
    hour = (np.arange(24 * n_days)) % 24
    return times, np.where((hour >= 9) & (hour < 18), level, level / 5)


def test_busy_hours_are_those_of_the_day_s_upper_half() -> None:
    times, values = hourly(3)
    found = daily_levels(times, values)
    assert found.hours == tuple(range(9, 18))
    assert found.values.tolist() == [50, 50, 50]
    assert found.days.tolist() == [0, 1, 2]
    assert busy_hours(np.arange(24), np.full(24, 80.0)) == tuple(range(24))


@pytest.mark.parametrize(("quiet", "busy"), [(80.0, 24), (79.0, 12)])
def test_hours_within_a_fifth_of_the_busiest_are_all_busy_alike(quiet: float, busy: int) -> None:
    values = np.where(np.arange(72) % 24 < 12, quiet, 100.0)
    assert len(busy_hours(np.arange(72) % 24, values)) == busy


def test_an_hour_in_the_middle_between_the_quietest_and_the_busiest_is_busy() -> None:
    values = np.array([20.0] * 8 + [60.0] * 8 + [59.0] * 4 + [100.0] * 4)
    assert busy_hours(np.arange(24), values) == (*range(8, 16), *range(20, 24))


@pytest.mark.parametrize(("missing", "kept"), [(5, True), (6, False)])
def test_half_of_the_busy_hours_are_enough(missing: int, kept: bool) -> None:
    """Nine hours count: five samples stand for five of them, four for less than half."""
    times, values = hourly(3)
    values[24 + 9 : 24 + 9 + missing - 1] = np.nan
    assert (1 in daily_levels(times, values).days.tolist()) is kept


def test_hours_that_differ_by_chance_are_all_busy_alike() -> None:
    values = np.random.default_rng(8).uniform(10, 60, 24 * 60)
    assert busy_hours(np.arange(24 * 60) % 24, values) == tuple(range(24))


def test_days_without_half_of_the_busy_hours_are_left_out() -> None:
    times, values = hourly(3)
    values[24 + 9 : 24 + 15] = np.nan
    found = daily_levels(times, values)
    assert (found.days.tolist(), found.left_out) == ([0, 2], 1)
    assert found.samples.tolist() == [9, 9]


def test_36_seconds_are_no_day() -> None:
    """Three mornings from 10:00 on: 36 seconds, twenty minutes, fifty minutes, a sample a second each."""
    seconds = [day * 86_400 + 36_000 + np.arange(1, n + 1) for day, n in enumerate((36, 1200, 3000))]
    times = np.concatenate(seconds) * 1_000_000_000
    found = daily_levels(times, np.full(len(times), 40.0))
    assert (found.hours, found.least_hours) == ((10,), 0.5)
    assert (found.days.tolist(), found.left_out) == ([2], 2)


def test_a_figure_of_each_night_is_one_of_the_day() -> None:
    nights = np.arange(14, dtype=np.int64) * DAY_NS + 3 * HOUR_NS
    assert len(daily_levels(nights, np.arange(14.0)).days) == 14
    seldom = np.concatenate([nights[:3], nights[3] + np.arange(144) * HOUR_NS // 6])
    assert daily_levels(seldom, np.full(147, 5.0)).days.tolist() == [3]  # a single sample of a figure of ten minutes


def test_hours_may_be_said() -> None:
    times, values = hourly(2)
    assert daily_levels(times, values, range(3)).values.tolist() == [10, 10]


def test_the_daily_figure_is_harrell_and_davis_s() -> None:
    """R 4.2, Hmisc's definition: weights pbeta(i/n, 5.7, .3) for n = 5, p = .95."""
    times = 10 * HOUR_NS + np.arange(1, 6, dtype=np.int64) * 600_000_000_000
    found = daily_levels(times, np.array([1.0, 2.0, 3.0, 4.0, 10.0]))
    from scipy.special import betainc

    weights = np.diff(betainc(6 * 0.95, 6 * 0.05, np.arange(6) / 5))
    assert found.values[0] == pytest.approx(float(weights @ [1, 2, 3, 4, 10]))


def test_nothing_measured_gives_no_day() -> None:
    assert len(daily_levels(np.array([DAY_NS]), np.array([np.nan])).days) == 0


# -- limits and growth ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("servers", "limit"), [(1, 45), (2, 65), (4, 75), (8, 85), (16, 90), (64, 90)])
def test_the_limit_lies_5_to_10_points_below_the_knee(servers: int, limit: float) -> None:
    found = knee_limit(servers)
    assert (found.limit_pct, found.source) == (limit, LimitSource.KNEE)
    assert found.knee_pct is not None
    assert 5 - 1e-6 <= found.knee_pct - limit <= 10
    assert space_limit().limit_pct == 90


def test_the_documents_years_mean_these_rates() -> None:
    """From 20 % to a ceiling of 80 %: 3 years 58.7 %, 5 years 32.0 % a year; 10/20/30/50 % take 14.5/7.6/5.3/3.4."""
    assert [round(100 * implied_growth(20, 80, years), 1) for years in (3, 5)] == [58.7, 32.0]
    spans = [years_until(20, 80, rate) for rate in (0.1, 0.2, 0.3, 0.5)]
    assert [round(span, 1) for span in spans if span is not None] == [14.5, 7.6, 5.3, 3.4]


def test_scenarios_without_growth_or_with_nothing_left() -> None:
    assert years_until(20, 80, 0.0) is None
    assert years_until(20, 80, -0.1) is None
    assert years_until(90, 80, 0.1) == years_until(80, 80, 0.1) == years_until(80, 80, -0.5) == 0
    for now, limit, growth in ((0, 80, 0.1), (20, -1, 0.1), (20, 80, -1)):
        with pytest.raises(ValueError):
            years_until(now, limit, growth)
    for now, limit, years in ((20, 80, 0), (0, 80, 3), (20, 0, 3), (-20, -80, 3)):
        with pytest.raises(ValueError):
            implied_growth(now, limit, years)
    assert implied_growth(80, 20, 2) == pytest.approx(-0.5)
