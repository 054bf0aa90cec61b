"""The bootstrap against formulas and an independent implementation in plain Python."""

from __future__ import annotations

from statistics import NormalDist, fmean

import numpy as np
import pytest

from app.analysis.databases.resampling import (
    bca_interval,
    interval_of_sums,
    jackknife_acceleration,
    linear_interval,
    resampled_sums,
)

DATA = [94.0, 197.0, 16.0, 38.0, 99.0, 141.0, 23.0]  # survival of mice, Efron & Tibshirani 1993, table 2.1


def leave_one_out(data):
    return np.array([fmean(data[:i] + data[i + 1 :]) for i in range(len(data))])


def test_the_acceleration_of_a_mean_is_a_sixth_of_its_skewness():
    mean = fmean(DATA)
    third = sum((x - mean) ** 3 for x in DATA)
    second = sum((x - mean) ** 2 for x in DATA)
    assert jackknife_acceleration(leave_one_out(DATA)) == pytest.approx(third / (6 * second**1.5), rel=1e-12)


def test_bca_is_what_its_definition_gives_step_by_step():
    replicates = sorted(float(x) for x in np.random.default_rng(3).normal(80, 20, 1999))
    theta, normal = fmean(DATA), NormalDist()
    left = [float(x) for x in leave_one_out(DATA)]
    z0 = normal.inv_cdf(sum(x < theta for x in replicates) / len(replicates))
    a = sum((fmean(left) - x) ** 3 for x in left) / (6 * sum((fmean(left) - x) ** 2 for x in left) ** 1.5)
    expected = []
    for p in (0.025, 0.975):
        z = z0 + normal.inv_cdf(p)
        place = normal.cdf(z0 + z / (1 - a * z)) * (len(replicates) - 1)
        low = int(place)
        expected.append(replicates[low] + (place - low) * (replicates[low + 1] - replicates[low]))
    found = bca_interval(theta, np.array(replicates), np.array(left))
    assert found is not None
    assert (found.low, found.high) == pytest.approx(tuple(expected), rel=1e-12)


def test_without_bias_and_skewness_it_is_the_percentile_interval():
    replicates = np.linspace(-1, 1, 4001)
    found = bca_interval(0.0, replicates, np.array([-1.0, 0.0, 1.0]))
    assert found is not None
    assert (found.low, found.high) == pytest.approx((-0.95, 0.95), abs=1e-9)


@pytest.mark.parametrize("replicates", [[1.0] * 100, [float("nan")] * 100, [2.0] * 100])
def test_replicates_that_tell_nothing_give_no_interval(replicates):
    assert bca_interval(float("nan"), np.array(replicates), np.array([1.0, 2.0])) is None
    assert bca_interval(1.5, np.array(replicates), np.array([1.0, 2.0])) is None


def test_resampled_sums_have_the_mean_and_spread_of_sums():
    data = np.array(DATA)[:, np.newaxis]
    sums = resampled_sums(data, 20_000)[:, 0]
    assert sums.shape == (20_000,)
    assert sums.mean() == pytest.approx(sum(DATA), rel=0.01)
    assert sums.std() == pytest.approx(np.sqrt(len(DATA) * np.var(DATA)), rel=0.02)
    assert np.array_equal(sums, resampled_sums(data, 20_000)[:, 0])


def test_the_jackknifes_spread_of_a_mean_is_its_standard_error():
    found = linear_interval(fmean(DATA), leave_one_out(DATA))
    error = np.std(DATA, ddof=1) / np.sqrt(len(DATA))
    assert found.high - found.low == pytest.approx(2 * NormalDist().inv_cdf(0.975) * error, rel=1e-12)


@pytest.mark.parametrize("count", [240, 1000, 3000])
def test_all_three_ways_agree_where_the_normal_distribution_holds(count):
    """The mean of many values: the textbook interval."""
    data = np.random.default_rng(count).normal(10, 2, count)
    columns = np.column_stack([data, np.ones(count)])
    found = interval_of_sums(columns, lambda sums: sums[:, 0] / sums[:, 1])
    reach = NormalDist().inv_cdf(0.975) * data.std(ddof=1) / np.sqrt(count)
    assert found is not None
    assert found.low == pytest.approx(data.mean() - reach, abs=0.15 * reach)
    assert found.high == pytest.approx(data.mean() + reach, abs=0.15 * reach)
