"""The primary method: its false alarms in simulation, its scales, and everything a series can be at its worst."""

from __future__ import annotations

from math import inf, isnan, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tunebench.analysis.inference.series_comparison import Scale, compare_series, fitting_scale
from tunebench.analysis.inference.verdict import Interval, Verdict, judge

SEED = 20_261_122


def autoregressions(phi: float, n: int, count: int, seed: int) -> np.ndarray:
    """float64[count, n], stationary from the first value on, of variance 1."""
    noise = np.random.default_rng(seed).standard_normal((n, count))
    rows = np.empty((n, count))
    rows[0] = noise[0]
    for t in range(1, n):
        rows[t] = phi * rows[t - 1] + np.sqrt(1 - phi**2) * noise[t]
    return np.ascontiguousarray(rows.T)


def alarm_rate(series: np.ndarray) -> float:
    """Of pairs of rows that differ by chance alone."""
    found = [compare_series(before, after) for before, after in zip(series[::2], series[1::2], strict=True)]
    return float(
        np.mean([one.interval is not None and not one.interval.low <= 1 <= one.interval.high for one in found])
    )


@pytest.mark.parametrize("phi", [0.0, 0.5, 0.8])
def test_false_alarms_are_as_rare_as_promised(phi: float) -> None:
    """2 to 7 % at nominal 5 %; Welch's test of the samples has 5, 25 and 48 %."""
    series = np.exp(3 + 0.3 * autoregressions(phi, 240, 3_000, SEED))
    assert 0.02 <= alarm_rate(series) <= 0.07


def test_false_alarms_with_zeros_on_the_difference_scale() -> None:
    """Page-outs, say: Fieller's interval of the ratio of the means."""
    series = np.maximum(autoregressions(0.5, 240, 2_000, SEED + 1) + 0.5, 0.0)
    assert compare_series(series[0], series[1]).scale is Scale.DIFFERENCE
    assert 0.02 <= alarm_rate(series) <= 0.07


def test_a_real_difference_is_found() -> None:
    """One standard deviation at lag-1 correlation .5: the design's power is 1.00."""
    series = np.exp(0.3 * autoregressions(0.5, 240, 200, SEED + 2))
    found = [
        compare_series(np.exp(0.3) * before, after) for before, after in zip(series[::2], series[1::2], strict=True)
    ]
    assert np.mean([one.interval.low > 1 for one in found if one.interval]) > 0.97


BEFORE = np.exp(3 + 0.2 * autoregressions(0.5, 96, 1, 5)[0])
AFTER = np.exp(2.6 + 0.2 * autoregressions(0.5, 120, 1, 6)[0])


def test_higher_is_better_is_the_inverse() -> None:
    lower, higher = compare_series(BEFORE, AFTER), compare_series(BEFORE, AFTER, higher_is_better=True)
    assert lower.ratio and higher.ratio and lower.interval and higher.interval
    assert higher.ratio == pytest.approx(1 / lower.ratio)
    assert (higher.interval.low, higher.interval.high) == pytest.approx(
        (1 / lower.interval.high, 1 / lower.interval.low)
    )
    assert higher.difference == pytest.approx(-lower.difference)
    assert (higher.before, higher.after) == (lower.before, lower.after)
    assert higher.p == pytest.approx(lower.p) and higher.df == pytest.approx(lower.df)


def test_the_unit_does_not_matter() -> None:
    plain, scaled = compare_series(BEFORE, AFTER), compare_series(BEFORE * 1024, AFTER * 1024)
    assert scaled.ratio == pytest.approx(plain.ratio)
    assert scaled.p == pytest.approx(plain.p)
    assert scaled.difference == pytest.approx(plain.difference * 1024)


def test_the_interval_excludes_one_exactly_where_p_is_small() -> None:
    rng = np.random.default_rng(8)
    for scale in Scale:
        for shift in np.linspace(0, 0.4, 12):
            found = compare_series(BEFORE, BEFORE * np.exp(rng.normal(-shift, 0.2, 96)), scale=scale)
            assert found.interval is not None and found.p is not None
            assert (found.p < 0.05) == (not found.interval.low <= 1 <= found.interval.high)


def test_few_zeros_count_as_the_smallest_value() -> None:
    some = BEFORE.copy()
    some[[3, 50]] = 0.0
    floored = some.copy()
    floored[[3, 50]] = min(some[some > 0].min(), AFTER.min())
    found, expected = compare_series(some, AFTER), compare_series(floored, AFTER)
    assert found.scale is Scale.LOG
    assert (found.ratio, found.p) == (expected.ratio, expected.p)


def test_more_zeros_or_negative_values_are_compared_by_difference() -> None:
    many = BEFORE.copy()
    many[::10] = 0.0
    assert compare_series(many, AFTER).scale is Scale.DIFFERENCE
    assert compare_series(many, AFTER).ratio == pytest.approx(many.mean() / AFTER.mean())
    negative = compare_series(BEFORE - 20, AFTER)
    assert (negative.scale, negative.ratio, negative.interval) == (Scale.DIFFERENCE, None, None)
    assert negative.difference == pytest.approx((BEFORE - 20).mean() - AFTER.mean())
    assert negative.difference_interval is not None


def test_logarithms_of_negative_values_are_refused() -> None:
    with pytest.raises(ValueError, match="negative"):
        compare_series(-BEFORE, AFTER, scale=Scale.LOG)
    with pytest.raises(ValueError, match="positive"):
        compare_series(np.zeros(5), np.zeros(5), scale=Scale.LOG)


@pytest.mark.parametrize("bad", [inf, -inf])
def test_infinities_are_refused(bad: float) -> None:
    with pytest.raises(ValueError, match="infinite"):
        compare_series(np.array([1.0, bad]), AFTER)


def test_nothing_measured_gives_nothing() -> None:
    for empty in (np.empty(0), np.full(4, np.nan)):
        found = compare_series(empty, AFTER)
        assert (found.ratio, found.interval, found.p, found.difference_interval) == (None, None, None, None)
        assert isnan(found.difference) and found.before.n == 0


def test_one_sample_has_a_ratio_and_no_interval() -> None:
    found = compare_series(np.array([10.0]), AFTER)
    assert found.ratio == pytest.approx(10 / np.exp(np.log(AFTER).mean()))
    assert found.interval is None and judge(found.interval, 0.05) is Verdict.DESCRIPTIVE_ONLY


def test_two_samples_a_side_say_next_to_nothing() -> None:
    found = compare_series(np.array([100.0, 101.0]), np.array([10.0, 11.0]))
    assert found.before.n_eff == found.after.n_eff == 2
    assert found.df < 2 and found.interval is not None and found.interval.high / found.interval.low > 1.4


def test_constants() -> None:
    same = compare_series(np.full(30, 0.1), np.full(40, 0.1))
    assert (same.ratio, same.interval, same.p) == (1.0, Interval(1.0, 1.0), 1.0)
    assert judge(same.interval, 0.05) is Verdict.EQUIVALENT
    other = compare_series(np.full(30, 5.0), np.full(30, 3.0))
    assert other.ratio == pytest.approx(5 / 3) and other.interval is None
    # One constant: the uncertainty is the other's alone, with the other's degrees of freedom.
    half = compare_series(np.full(30, 5.0), AFTER)
    assert half.interval is not None and half.df == pytest.approx(half.after.n_eff - 1)
    for before, interval, p in ((5.0, None, None), (3.0, Interval(1.0, 1.0), 1.0)):
        by_means = compare_series(np.full(30, before), np.full(40, 3.0), scale=Scale.DIFFERENCE)
        assert by_means.ratio == pytest.approx(before / 3)
        assert (by_means.interval, by_means.p) == (interval, p)
    nothing = compare_series(np.zeros(30), np.zeros(30))
    assert (nothing.ratio, nothing.interval, nothing.difference) == (None, None, 0.0)
    assert nothing.difference_interval == Interval(0.0, 0.0)


@pytest.mark.parametrize(
    ("count", "zeros", "scale"), [(20, 1, Scale.LOG), (19, 1, Scale.DIFFERENCE), (40, 2, Scale.LOG)]
)
@pytest.mark.parametrize("missing", [0, 30])
def test_one_zero_in_twenty_measured_samples_is_not_yet_too_many(
    count: int, zeros: int, scale: Scale, missing: int
) -> None:
    values = np.concatenate([np.zeros(zeros), np.full(count - zeros, 2.0), np.full(missing, np.nan)])
    assert fitting_scale(values, AFTER) is fitting_scale(AFTER, values) is scale


@pytest.mark.parametrize(("exponent", "told"), [(690.0, True), (710.0, False)])
def test_a_ratio_beyond_all_numbers_is_not_told(exponent: float, told: bool) -> None:
    """The largest number is e^709.8."""
    far = compare_series(np.full(30, np.exp(exponent / 2)), np.full(30, np.exp(-exponent / 2)))
    assert (far.ratio is not None) is told
    assert far.ratio is None or np.log(far.ratio) == pytest.approx(exponent)


def test_a_gap_keeps_its_place() -> None:
    """The correlation across a gap is that of samples further apart: not of neighbours."""
    wave = np.tile([1.0, 2.0], 60)
    gap = wave.copy()
    gap[31] = np.nan  # closed up, the samples beside it would be equal neighbours
    assert compare_series(gap, AFTER).before.lag1 == pytest.approx(-1, abs=0.02)
    assert compare_series(gap, AFTER).before.n == 119


VALUES = st.one_of(
    st.floats(0, 1e12), st.floats(-1e6, 1e6), st.just(0.0), st.just(np.nan), st.sampled_from([1e-300, 1e300, 5e-324])
)


@settings(max_examples=150)
@given(arrays(np.float64, st.integers(0, 40), elements=VALUES), arrays(np.float64, st.integers(0, 40), elements=VALUES))
def test_whatever_comes_the_answer_makes_sense(before: np.ndarray, after: np.ndarray) -> None:
    found = compare_series(before, after)
    assert found.ratio is None or found.ratio > 0
    for interval in (found.interval, found.difference_interval):
        assert interval is None or interval.low <= interval.high
    assert found.interval is None or found.ratio is not None
    assert found.p is None or 0 <= found.p <= 1
    assert judge(found.interval, 0.05) in Verdict
    if found.ratio is not None and found.interval is not None:
        slack = 1e-6 * found.ratio
        assert found.interval.low - slack <= found.ratio <= found.interval.high + slack


def test_logs_of_the_ratio_are_what_the_name_says() -> None:
    found = compare_series(BEFORE, AFTER)
    assert found.ratio is not None
    assert log(found.ratio) == pytest.approx(np.log(BEFORE).mean() - np.log(AFTER).mean())
