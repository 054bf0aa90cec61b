"""Dates, and every reason for none."""

from __future__ import annotations

import numpy as np
import pytest

from tunebench.analysis.capacity.back_test import back_test
from tunebench.analysis.capacity.forecast import Goal, forecast, weekdays_of
from tunebench.analysis.capacity.outcome import Forecast, Outcome, Refusal, Remark
from tunebench.analysis.capacity.what_if import NoWhatIf, load_model, what_if

FIRST = 20_000


def days(n: int) -> np.ndarray:
    return FIRST + np.arange(n)


def growing(n: int, slope: float = 0.5, noise: float = 1.0, start: float = 40.0, seed: int = 2) -> np.ndarray:
    return start + slope * np.arange(n) + np.random.default_rng(seed).normal(0, noise, n)


def refusals(found: Forecast) -> set[str]:
    return {said.key for said in found.refusals}


def remarks(found: Forecast) -> set[str]:
    return {said.key for said in found.remarks}


# -- dates ------------------------------------------------------------------------------------------------


def test_a_clear_trend_is_dated_around_its_true_day() -> None:
    """40 + 0.5 t reaches 80 on day 80."""
    found = forecast(days(60), growing(60), Goal(80, ceiling=100))
    assert (found.outcome, found.refusals) == (Outcome.DATED, ())
    crossing = found.crossing
    assert crossing.earliest is not None
    assert crossing.median is not None
    assert crossing.latest is not None
    assert FIRST + 70 <= crossing.earliest < crossing.median < crossing.latest <= FIRST + 90
    assert abs(crossing.median - (FIRST + 80)) <= 3


def test_a_straight_line_is_dated_to_the_day() -> None:
    found = forecast(days(40), np.linspace(40, 59.5, 40), Goal(70))
    assert found.outcome is Outcome.DATED
    assert (found.crossing.earliest, found.crossing.median, found.crossing.latest) == (FIRST + 60,) * 3


def test_space_that_falls_towards_its_floor() -> None:
    found = forecast(days(60), growing(60, slope=-0.5, start=100), Goal(60, falling=True))
    assert found.outcome is Outcome.DATED
    assert found.crossing.median is not None
    assert abs(found.crossing.median - (FIRST + 80)) <= 3
    assert found.crossing.earliest is not None
    assert found.crossing.earliest < found.crossing.median


def test_no_further_than_the_history_is_long() -> None:
    """40 + 0.5 t reaches 95 on day 110; 40 days of history carry to day 79."""
    found = forecast(days(40), growing(40), Goal(95))
    assert refusals(found) == {Refusal.BEYOND_HISTORY}
    assert (found.outcome, found.horizon) == (Outcome.NOT_WITHIN, 40)
    assert found.future_days[-1] == FIRST + 79
    near = forecast(days(40), growing(40, noise=3), Goal(80.5))
    assert near.outcome is Outcome.POSSIBLE
    assert near.crossing.earliest is not None
    assert near.crossing.median is None


def test_a_limit_that_is_passed_needs_no_forecast() -> None:
    assert forecast(days(60), growing(60), Goal(60)).outcome is Outcome.REACHED
    assert forecast(days(3), np.array([97.0, 98, 99]), Goal(90)).outcome is Outcome.REACHED


def test_missing_days_stay_missing() -> None:
    there = np.delete(np.arange(60), [10, 11, 12, 40])
    found = forecast(days(60)[there], growing(60)[there], Goal(80))
    assert len(found.days) == 56
    assert found.outcome is Outcome.DATED
    (said,) = [each for each in found.remarks if each.key is Remark.MISSING_DAYS]
    assert said.facts == {"missing": 4, "days": 60}
    values = growing(60)
    values[[10, 11, 12, 40]] = np.nan
    assert forecast(days(60), values, Goal(80)).crossing == found.crossing


def test_one_spike_does_not_move_the_date() -> None:
    values = growing(60)
    spiked = values.copy()
    spiked[30] += 30
    plain, other = forecast(days(60), values, Goal(80)), forecast(days(60), spiked, Goal(80))
    assert plain.crossing.median is not None
    assert other.crossing.median is not None
    assert abs(plain.crossing.median - other.crossing.median) <= 1


# -- holidays ---------------------------------------------------------------------------------------------

EPOCH = 719_163  # date(1970, 1, 1).toordinal()


def test_a_holiday_is_a_sunday_in_the_history_and_in_the_days_to_come() -> None:
    """Weekends at 60 %, and four working days that were holidays; the second Monday ahead is one as well."""
    places = [4, 18, 33, 46, 66]
    assert not set(weekdays_of(days(67))[places].tolist()) & {5, 6}
    values = with_weekends(growing(56, noise=0.5))
    values[places[:4]] *= 0.6
    holidays = {FIRST + place + EPOCH for place in places}
    found, unaware = (forecast(days(56), values, Goal(75), known) for known in (holidays, ()))
    sunday = float(found.centre[found.future_days == FIRST + 65][0])
    assert weekdays_of(np.array([FIRST + 65])).tolist() == [6]
    assert found.centre[66 - 56] == pytest.approx(sunday, rel=0.03)
    assert unaware.centre[66 - 56] == pytest.approx(sunday / 0.6, rel=0.05)
    assert found.trend is not None
    assert unaware.trend is not None
    assert found.trend.band.variance < unaware.trend.band.variance / 4
    (said,) = [each for each in found.remarks if each.key is Remark.HOLIDAYS]
    assert said.facts == {"days": 4}


def test_machines_that_work_on_holidays_are_forecast_as_ever() -> None:
    values = with_weekends(growing(56, noise=0.5))
    holidays = {FIRST + place + EPOCH for place in (4, 18, 33, 46, 66)}
    found, unaware = (forecast(days(56), values, Goal(75), known) for known in (holidays, ()))
    assert (found.crossing, found.remarks) == (unaware.crossing, unaware.remarks)
    assert found.centre.tolist() == unaware.centre.tolist()


def test_where_sundays_are_never_measured_a_holiday_is_its_own_weekday() -> None:
    there = weekdays_of(days(56)) < 5
    values = growing(56) + 6.0 * (weekdays_of(days(56)) == 0)
    found = forecast(days(56)[there], values[there], Goal(80), {FIRST + 4 + EPOCH})
    assert Remark.WEEK in remarks(found)
    assert Remark.HOLIDAYS not in remarks(found)


# -- compound growth --------------------------------------------------------------------------------------


def compounding(n: int, doubled: float, seed: int, noise: float = 1.5) -> np.ndarray:
    """From 30, `doubled` times over n days."""
    return 30 * 2 ** (doubled * np.arange(n) / 56) + np.random.default_rng(seed).normal(0, noise, n)


@pytest.mark.parametrize(("doubled", "said"), [(1.0, Remark.COMPOUND), (0.58, Remark.GROWTH_OPEN)])
def test_the_band_holds_the_days_to_come_of_compound_growth(doubled: float, said: Remark) -> None:
    """Eight weeks in which it doubles or grows by half, then eight more: a straight line's band held 0 to 2 % of the
    last of them. The true day of the limit lies in the range that is named, nine times of ten at least."""
    true_day = FIRST + int(np.ceil(56 * 1.4))
    limit = 30 * 2 ** (doubled * 1.4)
    inside, named, right, worded = [], 0, 0, 0
    for seed in range(25):
        values = compounding(112, doubled, seed)
        found = forecast(days(56), values[:56], Goal(limit))
        to_come = values[56 : 56 + found.horizon]
        inside.append(((found.low <= to_come) & (to_come <= found.high))[-14:].mean())
        worded += said in remarks(found)
        if found.outcome is Outcome.DATED:
            named += 1
            crossing = found.crossing
            assert crossing.earliest is not None
            right += crossing.earliest <= true_day <= (crossing.latest or true_day)
    assert np.mean(inside) >= 0.75
    assert named >= 20
    assert right >= 0.9 * named
    assert worded >= 15


@pytest.mark.parametrize(("doubled", "is_open"), [(0.1, False), (0.3, True)])
def test_both_growths_are_named_where_the_other_makes_the_band_a_tenth_wider(doubled: float, is_open: bool) -> None:
    """On the day of the limit; the other growth may be possible and of no consequence until then."""
    dated = [forecast(days(56), compounding(56, doubled, seed), Goal(30 * 2 ** (doubled * 1.4))) for seed in range(8)]
    dated = [one for one in dated if one.outcome is Outcome.DATED]
    assert len(dated) >= 3
    for one in dated:
        assert one.trend is not None and one.trend.fits.other is not None and one.crossing.median is not None
        asked = one.future_days == int(one.crossing.median)
        t = one.future_days[asked]
        low, high = one.trend.fits.main.edges((t - one.trend.first_day).astype(float), weekdays_of(t, ()))
        assert ((one.high - one.low)[asked] >= 1.1 * (high - low)) == is_open
        growths = [remark.facts for remark in one.remarks if remark.key is Remark.GROWTH_OPEN]
        assert len(growths) == is_open
        for facts in growths:
            assert (facts["asked_day"], facts["straight"]) == (t.item(), one.centre[asked].item())


def test_what_grows_straight_is_not_called_compound() -> None:
    for seed in range(25):
        found = forecast(days(56), growing(56, slope=0.8, start=30, noise=1.5, seed=seed), Goal(110))
        assert Remark.COMPOUND not in remarks(found)


def test_compound_growth_is_said_as_a_share_a_day() -> None:
    """2 % a day without noise: the curve itself, and its day; 30 * 1.02^77.1 = 138."""
    found = forecast(days(56), 30 * np.power(1.02, np.arange(56.0)), Goal(138))
    (said,) = [each for each in found.remarks if each.key is Remark.COMPOUND]
    assert said.facts["growth_share"] == pytest.approx(0.02)
    assert (found.crossing.earliest, found.crossing.median, found.crossing.latest) == (FIRST + 78,) * 3
    assert found.trend is not None
    assert found.trend.a_day(found.trend.slope_interval[1]) == pytest.approx(0.02)


# -- refusals ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        (growing(13), Refusal.FEW_DAYS),
        (np.array([]), Refusal.FEW_DAYS),
        (np.full(60, np.nan), Refusal.FEW_DAYS),
        (np.full(60, 42.0), Refusal.CONSTANT),
        (np.append(growing(40), np.inf), Refusal.NOT_FINITE),
        (np.append(growing(40), -3.0), Refusal.NEGATIVE),
    ],
)
def test_what_is_no_history(values: np.ndarray, reason: Refusal) -> None:
    found = forecast(days(len(values)), values, Goal(200))
    assert (found.outcome, refusals(found), found.trend) == (Outcome.REFUSED, {reason}, None)


def test_a_saturated_history_hides_the_demand() -> None:
    values = np.minimum(growing(60, slope=1.0, start=60), 99.5)
    assert refusals(forecast(days(60), values, Goal(99.9, ceiling=100))) == {Refusal.SATURATED}


def test_noise_gets_no_date() -> None:
    found = forecast(days(60), growing(60, slope=0.0), Goal(45))
    assert Refusal.NO_TREND in refusals(found)
    assert found.outcome is Outcome.REFUSED
    assert found.crossing.median is None


def test_a_wandering_series_gets_no_date() -> None:
    """A random walk has a slope, and a naive Mann-Kendall calls nine of ten such walks a trend."""
    plain = honest = 0
    for seed in range(40):
        walk = 100 + np.cumsum(np.random.default_rng(seed).normal(0, 1, 28))
        found = forecast(days(28), walk, Goal(400))
        if found.trend is not None:
            plain += found.trend.plain.p < 0.05
            honest += found.trend.significant
    assert plain > 20
    assert honest < plain / 2


def test_a_falling_figure_does_not_reach_a_limit_above() -> None:
    found = forecast(days(60), growing(60, slope=-0.3, start=60), Goal(90))
    assert Refusal.MOVING_AWAY in refusals(found)


def test_a_band_wider_than_half_the_limit_names_no_day() -> None:
    found = forecast(days(40), growing(40, slope=0.6, noise=25, start=90), Goal(130))
    assert Refusal.BAND_TOO_WIDE in refusals(found)
    assert found.crossing.earliest is None


def test_after_a_clean_up_the_history_begins_anew() -> None:
    values = growing(60)
    values[35:] -= 12
    found = forecast(days(60), values, Goal(75))
    assert found.regime_day == FIRST + 35
    assert Remark.CHANGE in remarks(found)
    assert found.horizon == 25
    values = growing(60)
    values[52:] -= 12
    short = forecast(days(60), values, Goal(75))
    assert refusals(short) == {Refusal.FEW_DAYS_SINCE_CHANGE}


def with_weekends(values: np.ndarray) -> np.ndarray:
    return values * np.where(weekdays_of(days(len(values))) >= 5, 0.6, 1.0)


def test_a_step_is_noticed_under_a_weekly_pattern() -> None:
    """12 points up in the middle of eight weeks, weekends at 60 %, standard deviation 2; twelve seeds."""
    noticed = 0
    for seed in range(12):
        values = growing(56, slope=0.3, noise=2, seed=seed)
        values[28:] += 12
        found = forecast(days(56), with_weekends(values), Goal(75))
        noticed += abs(found.regime_day - (FIRST + 28)) <= 2 and Remark.CHANGE in remarks(found)
    assert noticed >= 11


@pytest.mark.parametrize("size", [6, 12])
@pytest.mark.parametrize("weekends", [1.0, 0.6])
def test_no_date_is_named_through_a_step(weekends: float, size: int) -> None:
    """Three or six standard deviations up in the middle of eight weeks that grow by 0.3 a day; a line through the
    smaller one was dated in 39 to 48 of 100, of which most steps are seen as a change and the others doubted."""
    dated = 0
    for seed in range(25):
        values = growing(56, slope=0.3, noise=2, seed=seed)
        values[28:] += size
        found = forecast(days(56), values * np.where(weekdays_of(days(56)) >= 5, weekends, 1.0), Goal(75))
        dated += found.outcome is Outcome.DATED and found.regime_day < FIRST + 25
    assert dated <= (4 if size == 6 else 0)


def test_a_week_alone_is_no_change() -> None:
    for seed in range(12):
        found = forecast(days(56), with_weekends(growing(56, noise=2, seed=seed)), Goal(75))
        assert found.regime_day == FIRST


def test_a_forecast_that_failed_on_the_past_is_not_made() -> None:
    """Growth that bends more than a share a day: each past forecast fell short of it by more than last week did."""
    t = np.arange(60.0)
    found = forecast(days(60), 20 + 0.0004 * t**3 + np.random.default_rng(1).normal(0, 0.05, 60), Goal(150))
    assert Refusal.WORSE_THAN_NAIVE in refusals(found)
    assert found.outcome is Outcome.REFUSED


def test_the_back_test_of_a_line_is_right_and_of_steps_is_not() -> None:
    t = np.arange(40.0)
    good = back_test(t, weekdays_of(days(40)), growing(40))
    assert good.coverage is not None
    assert good.coverage >= 0.65
    assert good.mase is not None
    assert good.mase < 1
    assert good.origins >= 5
    steps = np.where(np.arange(40) % 14 < 7, 30.0, 60.0) + np.random.default_rng(1).normal(0, 0.5, 40)
    bad = back_test(t, weekdays_of(days(40)), steps)
    assert bad.coverage is not None
    assert (bad.coverage < 0.65) or (bad.mase is not None and bad.mase >= 0.4)


def test_seasons_that_cannot_be_seen_are_named() -> None:
    assert Remark.YEAR_UNSEEN in remarks(forecast(days(60), growing(60), Goal(80)))
    assert Remark.WEEK_UNSEEN in remarks(forecast(days(18), growing(18), Goal(60)))


@pytest.mark.parametrize(("n", "unseen"), [(729, True), (730, False)])
def test_a_season_is_seen_when_it_has_come_twice(n: int, unseen: bool) -> None:
    assert (Remark.YEAR_UNSEEN in remarks(forecast(days(n), growing(n, slope=0.05), Goal(90)))) == unseen


@pytest.mark.parametrize("falling", [False, True])
@pytest.mark.parametrize(("spike", "named"), [(0.0, False), (60.0, True), (-60.0, True)])
def test_spikes_that_bend_the_usual_line_are_named(spike: float, named: bool, falling: bool) -> None:
    """On three of the last days, either way: least squares follows them, the line of medians does not."""
    for seed in range(4):
        values = growing(60, slope=-0.5 if falling else 0.5, start=400, seed=seed)
        values[[-1, -5, -12]] += spike
        found = forecast(days(60), values, Goal(300 if falling else 500, falling=falling))
        assert (Remark.SPIKES in remarks(found)) is named


@pytest.mark.parametrize("limit", [0.0, -5.0, float("nan"), float("inf")])
def test_a_limit_is_a_positive_number(limit: float) -> None:
    with pytest.raises(ValueError):
        forecast(days(30), growing(30), Goal(limit))


# -- what if ----------------------------------------------------------------------------------------------


def measured(n: int = 200, noise: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """CPU % = 1.1 + 0.1067 tps on 8 processors: 8.5 ms of CPU per transaction."""
    random = np.random.default_rng(9)
    load = random.uniform(100, 650, n)
    return load, 1.1 + 0.1067 * load + random.normal(0, noise, n)


def test_how_much_load_fits_within_the_limit() -> None:
    """80 % needs (80 - 1.1) / 0.1067 = 739 tps; twice 650 needs 139.8 %, more than there is."""
    model = load_model(*measured(), 8)
    assert model.fit is not None
    assert model.fit.demand_ms == pytest.approx(8.54, abs=0.1)
    assert model.fit.load_at(80) == pytest.approx(739, abs=8)
    found = what_if(model, 1300 / model.reference_load, 80)
    assert found is not None
    assert found.utilisation_pct == pytest.approx(139.8, abs=1.5)
    assert (found.feasible, found.extrapolated, found.stretch_then) == (False, True, None)
    assert found.possible_factor == pytest.approx(739 / model.reference_load, abs=0.02)
    assert found.sure_factor is not None
    assert found.possible_factor is not None
    assert found.sure_factor < found.possible_factor
    assert found.low_pct < found.utilisation_pct < found.high_pct


def test_near_the_limit_waiting_is_told() -> None:
    model = load_model(*measured(), 8)
    found = what_if(model, 1.2, 80)
    assert found is not None
    assert found.stretch_then is not None
    assert found.stretch_now is not None
    assert found.stretch_then > found.stretch_now > 1
    light = what_if(model, 0.5, 80)
    assert light is not None
    assert light.stretch_then is None


@pytest.mark.parametrize(
    ("load", "busy", "reason"),
    [
        (np.arange(29.0), np.arange(29.0), NoWhatIf.FEW_PAIRS),
        (np.full(60, 5.0), np.arange(60.0), NoWhatIf.NO_LOAD_CHANGE),
        (np.arange(60.0), np.random.default_rng(0).normal(50, 5, 60) + 0.01 * np.arange(60), NoWhatIf.WEAKLY_RELATED),
        (np.arange(60.0), 90.0 - np.arange(60.0), NoWhatIf.NOT_DRIVEN),
        (np.arange(60.0), np.minimum(60 + np.arange(60.0), 99), NoWhatIf.SATURATED),
        (measured()[0], measured()[1] * np.repeat([1.0, 0.4], 100), NoWhatIf.TOO_UNSURE),  # tuned in the middle
    ],
)
def test_what_no_load_can_be_computed_from(load: np.ndarray, busy: np.ndarray, reason: NoWhatIf) -> None:
    model = load_model(load, busy)
    assert reason in model.refusals
    assert what_if(model, 2, 80) is None


def test_pairs_with_a_missing_half_do_not_count() -> None:
    load, busy = measured(40)
    busy[:11] = np.nan
    assert load_model(load, busy).refusals == (NoWhatIf.FEW_PAIRS,)


@pytest.mark.parametrize(("factor", "limit"), [(0, 80), (-1, 80), (2, 0), (float("inf"), 80)])
def test_factors_and_limits_are_positive(factor: float, limit: float) -> None:
    with pytest.raises(ValueError):
        what_if(load_model(*measured()), factor, limit)
