"""The bootstrap against formulas and an independent implementation in plain Python."""

from __future__ import annotations

from statistics import NormalDist, fmean

import numpy as np
import pytest

from tunebench.analysis.databases.resampling import bca_levels, jackknife_acceleration

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
        expected.append(normal.cdf(z0 + z / (1 - a * z)))
    found = bca_levels(theta, np.array(replicates), np.array(left), 0.95)
    assert found is not None
    assert (found.low, found.high) == pytest.approx(tuple(expected), rel=1e-12)


def test_without_bias_and_skewness_it_is_the_percentile_interval():
    replicates = np.linspace(-1, 1, 4001)
    found = bca_levels(0.0, replicates, np.array([-1.0, 0.0, 1.0]), 0.95)
    assert found is not None
    assert (found.low, found.high) == pytest.approx((0.025, 0.975), abs=1e-9)


@pytest.mark.parametrize("value", [1.0, 2.0])
def test_replicates_on_one_side_give_no_levels(value):
    assert bca_levels(1.5, np.full(100, value), np.array([1.0, 2.0]), 0.95) is None
