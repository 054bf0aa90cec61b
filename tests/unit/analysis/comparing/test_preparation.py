"""What is done to samples before they are compared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from tests.unit.analysis.comparing.samples_made import MONDAY_NS, autoregression, info, samples
from tunebench.analysis.comparing.calendar_slots import Calendar, hourly_means, matched_hours
from tunebench.analysis.comparing.disk_work import work_of
from tunebench.analysis.comparing.occurrence_figures import Statistic, figures_of
from tunebench.analysis.comparing.regular_samples import (
    NS_PER_S,
    Samples,
    aligned,
    in_places,
    resampled,
    samples_of,
    stacked,
)
from tunebench.analysis.comparing.stationarity import change_point, change_points, drift, drifts, rise
from tunebench.analysis.inference.effective_size import effective_size
from tunebench.analysis.inference.long_memory import remember_too_long
from tunebench.analysis.inference.quantiles import harrell_davis
from tunebench.analysis.series import SeriesData
from tunebench.domain.engagement import Direction, Kind


def data(values: list[float], since_boot: int = 0, times_s: list[int] | None = None) -> SeriesData:
    times = np.array(times_s or range(0, 10 * len(values), 10), dtype=np.int64) * NS_PER_S
    return SeriesData(
        times, np.array(values), np.arange(len(values)) < since_boot, np.arange(len(values), dtype=np.int64)
    )


def test_rows_since_boot_and_missing_values_do_not_count() -> None:
    made = samples_of(data([900.0, 1.0, float("nan"), 3.0], since_boot=1), Kind.GAUGE, 10.0)
    assert made.values.tolist() == [1.0, 3.0]


def test_a_counter_is_its_rate_without_the_step_at_which_it_wrapped() -> None:
    made = samples_of(data([100.0, 150.0, 5.0, 25.0]), Kind.COUNTER, 10.0)
    assert made.values.tolist() == [5.0, 2.0]
    assert (made.resets, made.times_ns.tolist()) == (1, [10 * NS_PER_S, 30 * NS_PER_S])
    still = samples_of(data([5.0, 5.0, 9.0, 9.0, 13.0], times_s=[0, 10, 10, 30, 40]), Kind.COUNTER, 10.0)
    assert (still.values.tolist(), still.resets) == ([0.0, 0.0, 0.4], 0)  # nothing is told of no time at all


@pytest.mark.parametrize(
    ("times_s", "interval_s"), [([0, 10, 20, 50], 10.0), ([0, 0, 10], 10.0), ([5], None), ([], None)]
)
def test_an_interval_that_is_not_told_is_the_middle_step(times_s: list[int], interval_s: float | None) -> None:
    made = samples_of(data([1.0] * len(times_s), times_s=times_s or None), Kind.GAUGE, None)
    assert made.interval_s == interval_s


def test_a_gap_takes_as_many_places_as_intervals_and_64_at_most() -> None:
    for seconds, places in ((14, 0), (15, 1), (24, 1), (26, 2), (640, 63), (650, 64), (6_500, 64)):
        made = samples_of(data([1.0, 2.0], times_s=[0, seconds]), Kind.GAUGE, 10.0)
        assert len(in_places(made)) == 2 + places
        assert np.count_nonzero(np.isnan(in_places(made))) == places


def test_gaps_stay_gaps() -> None:
    made = samples_of(data([1.0, 2.0, 3.0], times_s=[0, 10, 40]), Kind.GAUGE, 10.0)
    assert np.array_equal(in_places(made), [1.0, 2.0, np.nan, np.nan, 3.0], equal_nan=True)


def test_a_response_time_is_resampled_by_its_requests() -> None:
    """9 requests of 1 ms and one of 11 ms are 2 ms a request, not 6."""
    made = Samples(np.array([0, 30], dtype=np.int64) * NS_PER_S, np.array([1.0, 11.0]), 30.0, np.array([9.0, 1.0]))
    coarse = resampled(made, 60.0)
    assert (coarse.values.tolist(), coarse.weights is not None) == ([2.0], True)


def test_a_longer_interval_that_is_hardly_filled_is_left_out() -> None:
    made = samples_of(data([1.0, 3.0, 9.0], times_s=[0, 10, 70]), Kind.GAUGE, 10.0)
    assert resampled(made, 20.0).values.tolist() == [2.0, 9.0]
    assert resampled(made, 60.0).values.tolist() == []


def test_another_column_is_taken_at_the_same_times() -> None:
    other = samples_of(data([1.0, 2.0, 3.0], times_s=[0, 20, 30]), Kind.GAUGE, 10.0)
    times = np.array([0, 10, 20], dtype=np.int64) * NS_PER_S
    assert np.array_equal(aligned(times, other), [1.0, np.nan, 2.0], equal_nan=True)


def test_the_size_of_requests_is_bytes_over_requests() -> None:
    """Case g31, base_sd0: 0.9 + 0.1 requests of 7.2 + 0.4 KiB are 7.6 KiB each."""

    def column(native: str, metric: str, unit: str, value: float, transfer: str) -> tuple[object, object]:
        of = info(native, metric, unit, Direction.NEUTRAL, "iostat")
        of.implied["direction"] = transfer
        return (metric, transfer), [(of, samples([value] * 3))]

    columns = dict(
        [
            column("r/s", "system.disk.operations", "1/s", 0.9, "read"),
            column("w/s", "system.disk.operations", "1/s", 0.1, "write"),
            column("kr/s", "system.disk.io", "KiBy/s", 7.2, "read"),
            column("kw/s", "system.disk.io", "KiBy/s", 0.4, "write"),
        ]
    )
    found = work_of(info("svc_t", "system.disk.response_time"), samples([11.9] * 3), columns)  # type: ignore[arg-type]
    assert found.size_bytes == pytest.approx(7.6)
    assert found.response.weights is not None
    assert found.response.weights.tolist() == pytest.approx([1.0] * 3)


# -- hours ---------------------------------------------------------------------------------------------


def test_hours_are_local_and_three_quarters_full() -> None:
    """15:30Z is half past midnight in Seoul: the next day's hour, only half filled."""
    calendar = Calendar(ZoneInfo("Asia/Seoul"))
    start_ns = MONDAY_NS + 15 * 3600 * NS_PER_S
    tuesday = date(2025, 10, 21).toordinal() * 24
    hours, means = hourly_means(stacked([samples(np.arange(90.0), start_ns)]), calendar)
    assert (hours.tolist(), means.tolist()) == ([tuesday], [[pytest.approx(29.5)]])


def test_hours_pair_with_the_same_weekday_before_the_same_class_of_day() -> None:
    monday, tuesday, saturday = (date(2025, 10, day).toordinal() * 24 + 9 for day in (20, 21, 25))
    week = 7 * 24
    assert matched_hours((monday, tuesday), (tuesday + week, monday + week)) == [
        (monday, monday + week),
        (tuesday, tuesday + week),
    ]
    assert matched_hours((monday,), (tuesday,)) == [(monday, tuesday)]
    assert matched_hours((monday,), (saturday,)) == []
    assert matched_hours((monday,), (tuesday + 1,)) == []


# -- the figures of an occurrence -----------------------------------------------------------------------


def test_the_mean_of_independent_values_has_their_variance_over_their_number() -> None:
    """A little more: that they are independent is estimated."""
    random = np.random.default_rng(20251020)
    made = [random.lognormal(0, 0.3, 120) for _ in range(100)]
    found = [each.figures for each in figures_of(list(map(samples, made)), Calendar(ZoneInfo("UTC")))]
    assert found[0][Statistic.MEAN].value == pytest.approx(made[0].mean())
    assert found[0][Statistic.P95].value == pytest.approx(harrell_davis(made[0], [0.95])[0])
    assert set(found[0]) == {Statistic.MEAN, Statistic.P95}  # one value lies beyond p99, which tells nothing
    spread = np.mean([values.var(ddof=1) / 120 for values in made])
    assert np.mean([each[Statistic.MEAN].variance or 0.0 for each in found]) == pytest.approx(1.2 * spread, rel=0.15)


def test_the_variance_of_p95_is_that_of_its_estimates() -> None:
    """Over three hundred samples of the same size."""
    random = np.random.default_rng(7)
    made = [samples(random.lognormal(0, 0.5, 600), interval_s=1.0) for _ in range(300)]
    found = [each.figures for each in figures_of(made, Calendar(ZoneInfo("UTC")))]
    spread = np.var([each[Statistic.P95].value for each in found])
    assert np.mean([each[Statistic.P95].variance or 0.0 for each in found]) == pytest.approx(1.15 * spread, rel=0.25)


def test_a_mean_over_requests_has_the_variance_of_its_linearised_values() -> None:
    """Against the delta method with independent values; what is idle does not count."""
    random = np.random.default_rng(20251020)
    values, weights = random.lognormal(0, 0.3, 100), random.uniform(20, 80, 100)
    with_idle = Samples(
        samples(np.zeros(200)).times_ns,
        np.repeat(values, 2) * np.tile([1, 0], 100),
        60.0,
        np.repeat(weights, 2) * np.tile([1, 0], 100),
    )
    made = samples(values)
    busy = Samples(made.times_ns, values, 60.0, weights)
    means = [each.figures[Statistic.MEAN] for each in figures_of([busy, with_idle], Calendar(ZoneInfo("UTC")))]
    expected = np.average(values, weights=weights)
    assert [each.value for each in means] == pytest.approx([expected, expected])
    delta = np.sum((weights * (values - expected)) ** 2) / weights.sum() ** 2
    assert means[0].variance == pytest.approx(delta, rel=0.2)


def test_the_curve_of_a_day_is_not_what_a_mean_wavers_by() -> None:
    noise = np.random.default_rng(3).normal(0, 1, 480)
    curve = np.repeat(np.arange(8), 60) * 10.0
    made = [samples(noise), samples(noise + curve)]
    plain, curved = (each.figures[Statistic.MEAN] for each in figures_of(made, Calendar(ZoneInfo("UTC"))))
    assert curved.variance == pytest.approx(plain.variance, rel=0.1)


def test_what_stands_beside_a_series_changes_nothing_of_it() -> None:
    """Of several clocks, with and without gaps, work and idle hours, in any order."""
    calendar = Calendar(ZoneInfo("Asia/Seoul"))
    random = np.random.default_rng(20260412)
    made = []
    for seed, count in enumerate((2, 40, 300, 300, 300, 600)):
        plain = samples(np.exp(0.3 * autoregression(seed, count, 0.2 * seed)))
        gap = replace(plain, times_ns=plain.times_ns + np.where(np.arange(count) < count // 2, 0, 7 * 60 * NS_PER_S))
        work = replace(plain, weights=random.uniform(1, 9, count))
        made += [plain, gap, work, replace(plain, weights=np.zeros(count)), samples(np.full(count, 0.1))]
    alone = [figure for each in made for figure in figures_of([each], calendar)]
    order = random.permutation(len(made)).tolist()
    together = figures_of([made[place] for place in order], calendar)
    assert together == [alone[place] for place in order]


# -- changes inside a window ---------------------------------------------------------------------------


def test_a_step_is_found_where_it_is() -> None:
    values = 50 * np.exp(0.2 * autoregression(7, 240, 0.3))
    values[150:] *= 1.8
    found = change_point(values)
    assert found is not None
    assert abs(found.index - 150) <= 2
    assert found.p < 0.001


@pytest.mark.parametrize("phi", [0.0, 0.5, 0.9])
def test_correlation_alone_is_no_change(phi: float) -> None:
    """Seeds 0 to 99; permuting single samples would find a change in nearly all of them at 0.9."""
    found = sum(change_point(50 * np.exp(0.3 * autoregression(seed, 240, phi))) is not None for seed in range(100))
    assert found <= 5


def test_the_sureness_of_a_step_is_student_s_t_over_48_stretches_times_the_splits() -> None:
    """Independent samples, so that 48 means over ten are the most that is asked for; every split leaves four a side."""
    from scipy.special import stdtr

    values = 50 + 15 * np.random.default_rng(20251020).standard_normal(480)
    values[300:] += 25
    found = change_point(values)
    means = values.reshape(48, 10).mean(axis=1)
    largest = 0.0
    for k in range(4, 45):
        left, right = means[:k], means[k:]
        pooled = (left.var() * k + right.var() * (48 - k)) / 46
        largest = max(largest, abs(left.mean() - right.mean()) / np.sqrt(pooled * (1 / k + 1 / (48 - k))))
    assert found is not None
    assert found.p == pytest.approx(48 * 2 * stdtr(46, -largest), rel=1e-6, abs=0)
    assert found.p < 1e-5


@pytest.mark.parametrize("n", [30, 47, 49, 241, 1_000])
@pytest.mark.parametrize("share", [0.3, 0.5, 0.7])
def test_a_plain_step_is_found_to_the_sample_and_its_factor_is_that_of_the_means(n: int, share: float) -> None:
    at = round(n * share)
    noise = np.random.default_rng(n).standard_normal(n)
    for sign in (1.0, -1.0):
        values = np.where(np.arange(n) < at, 100.0, 200.0)[:: int(sign)] + noise
        found = change_point(values)
        expected = at if sign > 0 else n - at
        assert found is not None and found.index == expected
        means = sorted((values[:expected].mean(), values[expected:].mean()))
        assert found.factor == pytest.approx(means[1] / means[0])
        gap = np.insert(values, 5, [np.nan] * 7)
        moved = change_point(gap)
        assert moved is not None and moved.index == expected + 7


@pytest.mark.parametrize("looks", [change_point, drift, rise])
def test_thirty_samples_are_the_fewest(looks: Callable[[np.ndarray], object]) -> None:
    noise = np.tile([0.1, -0.1], 15)  # worth as many independent samples as there are
    values = (np.where(np.arange(30) < 15, 10.0, 20.0) if looks is change_point else np.linspace(10, 20, 30)) + noise
    assert looks(values) is not None
    assert looks(values[1:]) is None
    assert looks(np.append(values[1:], np.nan)) is None


@pytest.mark.parametrize(("factor", "told"), [(1.19, False), (1.21, True)])
def test_a_fifth_is_the_least_that_matters(factor: float, told: bool) -> None:
    noise = 0.01 * np.random.default_rng(9).standard_normal(240)
    step = np.where(np.arange(240) < 120, 10.0, 10.0 * factor) + noise
    assert (change_point(step) is not None) is told
    middle = np.where(np.arange(240) < 120, 10.0 * factor, 10.0) + noise
    assert (change_point(middle) is not None) is told
    half = 5 * (factor - 1)  # a line from -half to +half around 10
    assert (drift(np.linspace(10 - half, 10 + half, 240) + noise) is not None) is told


def test_a_small_step_does_not_matter() -> None:
    values = 50 + np.random.default_rng(3).standard_normal(400)
    values[200:] *= 1.15
    assert change_point(values) is None


def test_a_steady_rise_is_a_drift_and_its_size_is_that_of_the_line() -> None:
    """From 40 to 60 around a mean of 50: 40 % by hand."""
    values = np.linspace(40, 60, 240) + autoregression(3, 240, 0.3)
    found = drift(values)
    assert found is not None and found == pytest.approx(0.4, abs=0.03)
    assert drift(values[::-1]) == pytest.approx(-found)
    with_gaps = values.copy()
    with_gaps[50:90] = np.nan
    assert drift(with_gaps) == pytest.approx(found, abs=0.05)


def test_a_small_rise_noise_and_a_constant_are_no_drift() -> None:
    assert drift(np.linspace(50, 55, 240) + autoregression(4, 240, 0.3)) is None
    assert drift(np.full(240, 7.0)) is None
    assert drift(np.zeros(240)) is None
    assert drift(np.full(240, np.nan)) is None


@pytest.mark.parametrize("phi", [0.0, 0.5, 0.9])
def test_correlated_noise_is_hardly_ever_called_a_drift(phi: float) -> None:
    """Nominal 0.1 %; seeds 0 to 299, values that vary by half of their mean."""
    found = sum(drift(50 * np.exp(0.5 * autoregression(seed, 240, phi))) is not None for seed in range(300))
    assert found <= 6


@pytest.mark.parametrize("phi", [0.0, 0.5])
def test_what_grows_in_a_curve_rises_by_what_its_ends_differ(phi: float) -> None:
    values = 50 + 40 * np.linspace(0, 1, 240) ** 2 + autoregression(6, 240, phi)
    expected = (values[-80:].mean() - values[:80].mean()) / values.mean()
    assert rise(values) == pytest.approx(expected)
    assert rise(values[::-1]) == pytest.approx(-expected)
    gaps = values.copy()
    gaps[::7] = np.nan
    assert rise(gaps) == pytest.approx(expected, abs=0.05)


def test_less_than_a_fifth_and_too_few_samples_do_not_rise() -> None:
    noise = autoregression(6, 240, 0.3)
    assert rise(np.linspace(50, 63, 240) + noise) is None  # 13 * 2/3 of 56.5: 15 %
    assert rise(np.linspace(50, 76, 240) + noise) is not None  # 28 %
    assert rise(np.repeat([50.0, 70.0], 4)) is None
    assert rise(np.repeat([-1.0, 1.0], 120)) is None
    assert rise(np.repeat([50.0, 50.0, 70.0], 80)) == pytest.approx(20 / (170 / 3))  # steps without any noise


@pytest.mark.parametrize(("n", "most"), [(240, 0.04), (60, 0.07)])
@pytest.mark.parametrize("phi", [0.0, 0.5, 0.9, 0.97, 0.99])
def test_correlated_noise_is_seldom_called_a_rise(phi: float, n: int, most: float) -> None:
    found = sum(rise(50 * np.exp(0.5 * autoregression(seed, n, phi))) is not None for seed in range(400))
    assert found <= most * 400 + 2 * (400 * most) ** 0.5  # and what the chance of 400 draws adds


@pytest.mark.parametrize("gap", [slice(0), slice(100, 117)])
def test_a_series_gets_the_same_answer_alone_and_in_a_table(gap: slice) -> None:
    """Steps, drifts, slow waves, noise and constants of every size beside each other."""
    random, n = np.random.default_rng(20261130), 300
    rows = []
    for kind in range(120):
        noise = 1 + 0.2 * autoregression(kind, n, (0.0, 0.6, 0.95)[kind % 3])
        at, size = int(random.integers(40, 260)), random.uniform(0, 0.8)
        rows.append(noise + (size * (np.arange(n) >= at), size * np.arange(n) / n, 0.0)[kind // 3 % 3])
    table = np.array([*rows, np.full(n, 3.0)])
    table[:, gap] = np.nan
    assert change_points(table) == [change_point(row) for row in table]
    assert drifts(table) == [drift(row) for row in table]
    assert remember_too_long(table) == [remember_too_long(row[np.newaxis])[0] for row in table]
    answers = [{one is not None for one in change_points(table)}, {one is not None for one in drifts(table)}]
    assert answers == [{True, False}] * 2 and set(remember_too_long(table)) == {True, False}


def test_a_drift_is_sure_by_students_t_of_its_slope_with_the_effective_size() -> None:
    """Reckoned row by row, with SciPy's regression; near the threshold as many are sure as are not."""
    from scipy import stats

    place = np.arange(240.0)
    rows = [
        10 + 2 * autoregression(seed, 240, (0.0, 0.3, 0.7)[seed % 3]) + (0.4 + 0.1 * (seed % 20)) * place / 120
        for seed in range(150)
    ]
    expected = []
    for row in rows:
        line = stats.linregress(place, row)
        worth = effective_size(row - line.intercept - line.slope * place).n_eff
        error = line.stderr * np.sqrt((240 - 2) / (worth - 2)) if worth >= 12 else np.inf
        p = 2 * stats.t.sf(abs(line.slope) / error, worth - 2)
        expected.append(abs(line.slope * 239 / row.mean()) >= 0.2 and p < 0.001)
    assert [one is not None for one in drifts(np.array(rows))] == expected
    assert 20 < sum(expected) < 130
