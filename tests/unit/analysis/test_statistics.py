"""Expected values computed by hand, or by Python's own `statistics`."""

from __future__ import annotations

import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tunebench.analysis.series import SeriesData
from tunebench.analysis.statistics import describe, describe_values


def series(values: list[float], since_boot: list[bool] | None = None) -> SeriesData:
    n = len(values)
    return SeriesData(
        np.arange(n, dtype=np.int64), np.array(values), np.array(since_boot or [False] * n), np.arange(1, n + 1)
    )


def test_since_boot_is_left_out_and_missing_is_counted() -> None:
    found = describe(series([1000.0, 1.0, float("nan"), 3.0], [True, False, False, False]))
    assert (found.n, found.missing, found.minimum, found.mean, found.maximum) == (2, 1, 1.0, 2.0, 3.0)


def test_nothing_measured_is_not_zero() -> None:
    found = describe_values(np.array([np.nan, np.nan]))
    assert (found.n, found.missing, found.mean, found.p50, found.maximum) == (0, 2, None, None, None)


def test_percentile_is_excels_inclusive_one() -> None:
    # PERCENTILE.INC({15,20,35,40,50}, 0.95) = 48; MEDIAN = 35
    found = describe_values(np.array([15.0, 20, 35, 40, 50]))
    assert found.p50 == 35
    assert found.p95 == pytest.approx(48)


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=60))
def test_against_the_standard_library(values: list[float]) -> None:
    found = describe_values(np.array(values))
    cuts = statistics.quantiles(values, n=20, method="inclusive")
    assert found.p95 == pytest.approx(cuts[18], rel=1e-9, abs=1e-6)
    assert found.p50 == pytest.approx(statistics.median(values), rel=1e-9, abs=1e-6)
    assert [found.p50, found.p95] == np.percentile(values, (50, 95)).tolist()  # to the last digit
    assert found.mean == pytest.approx(statistics.fmean(values), rel=1e-9, abs=1e-6)
