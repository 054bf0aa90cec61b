"""Repeated runs, quantiles, outliers, adjustment, factors, change points and blocks, beside the values of R."""

from __future__ import annotations

import statistics
from itertools import combinations, product
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.analysis.inference.test_series_comparison import autoregressions
from tunebench.analysis.inference.block_bootstrap import block_length, block_replicates, bootstrap_ratio, percentile
from tunebench.analysis.inference.change_points import energy_statistics, pettitt_statistic, split_p
from tunebench.analysis.inference.factorial import NotFactorial, two_way
from tunebench.analysis.inference.multiple_tests import benjamini_hochberg, holm
from tunebench.analysis.inference.order_statistics import fewest_repetitions, median_interval
from tunebench.analysis.inference.outliers import find_outliers
from tunebench.analysis.inference.quantiles import estimable, harrell_davis
from tunebench.analysis.inference.rank_distributions import rank_sum_probabilities, signed_rank_probabilities
from tunebench.analysis.inference.rank_tests import (
    least_p,
    mid_ranks,
    paired_ratio,
    rank_effect,
    rank_ratio,
    rank_shift,
)
from tunebench.analysis.inference.ratio_of_means import fieller, ratio_of_means


def test_the_rank_sum_distribution_counts_every_arrangement() -> None:
    counts = np.zeros(3 * 4 + 1)
    for ranks in combinations(range(1, 8), 3):
        counts[sum(ranks) - 6] += 1
    assert rank_sum_probabilities(3, 4) == pytest.approx(counts / 35)


def test_the_signed_rank_distribution_counts_every_sign() -> None:
    counts = np.zeros(5 * 6 // 2 + 1)
    for signs in product((0, 1), repeat=5):
        counts[sum(rank * sign for rank, sign in zip(range(1, 6), signs, strict=True))] += 1
    assert signed_rank_probabilities(5) == pytest.approx(counts / 32)


@pytest.mark.parametrize(("runs", "p"), [(3, 0.1), (4, 2 / 70), (6, 2 / 924)])
def test_how_small_p_can_be_at_all(runs: int, p: float) -> None:
    """The design's table: n=3 0.1, n=4 0.0286, n=6 0.0022."""
    assert least_p(runs, runs) == pytest.approx(p)


def test_three_runs_have_no_interval_at_95_per_cent() -> None:
    found = rank_ratio(np.array([90.0, 91.0, 92.0]), np.array([10.0, 11.0, 12.0]))
    assert found.interval is None and found.p == pytest.approx(0.1)
    assert rank_ratio(np.array([90.0, 91.0, 92.0]), np.array([10.0, 11.0, 12.0]), 0.9).interval is not None


def test_samples_that_are_all_alike() -> None:
    found = rank_shift(np.full(6, 4.0), np.full(7, 4.0))
    assert (found.p, found.shift, found.exact) == (1.0, 0.0, False)
    effect = rank_effect(np.full(6, 4.0), np.full(7, 4.0))
    assert (effect.cliffs_delta, effect.vargha_delaney) == (0.0, 0.5)
    paired = paired_ratio(np.full(8, 4.0), np.full(8, 4.0))
    assert (paired.p, paired.ratio) == (1.0, 1.0)


@pytest.mark.parametrize(("before", "after"), [(0, 5), (5, 0), (5_000, 5_000)])
def test_samples_no_rank_test_can_take(before: int, after: int) -> None:
    with pytest.raises(ValueError, match="no rank test"):
        rank_shift(np.ones(before), np.ones(after))


@settings(max_examples=60)
@given(st.lists(st.integers(1, 12), min_size=4, max_size=14), st.lists(st.integers(1, 12), min_size=4, max_size=14))
def test_rank_tests_are_symmetric(before: list[int], after: list[int]) -> None:
    one, other = np.array(before, dtype=float), np.array(after, dtype=float)
    there, back = rank_ratio(one, other), rank_ratio(other, one)
    assert there.p == pytest.approx(back.p)
    assert there.ratio == pytest.approx(1 / back.ratio)
    assert (there.interval is None) == (back.interval is None)
    if there.interval and back.interval:
        assert (there.interval.low, there.interval.high) == pytest.approx(
            (1 / back.interval.high, 1 / back.interval.low)
        )
        assert there.interval.low <= there.ratio * (1 + 1e-12) and there.ratio <= there.interval.high * (1 + 1e-12)


def test_mid_ranks() -> None:
    assert mid_ranks(np.array([5.0, 1.0, 5.0, 2.0, 5.0])).tolist() == [4.0, 1.0, 4.0, 2.0, 4.0]


def test_the_median_needs_six_runs() -> None:
    assert fewest_repetitions() == fewest_repetitions(0.95) == 6
    assert [fewest_repetitions(confidence) for confidence in (0.5, 0.75, 0.9, 0.99)] == [2, 3, 5, 8]  # 1 - 2 / 2^n
    assert median_interval(np.arange(5.0)).interval is None
    found = median_interval(np.array([6.0, 1, 5, 2, 4, 3]))
    assert found.interval is not None
    assert (found.median, found.interval.low, found.interval.high) == (3.5, 1.0, 6.0)
    assert found.interval.confidence == pytest.approx(1 - 2 / 64)
    for n in (0, 1_001):
        with pytest.raises(ValueError, match="no median interval"):
            median_interval(np.arange(float(n)))
    assert median_interval(np.arange(1_000.0)).median == 499.5


@pytest.mark.parametrize("n", [1, 2, 6, 9, 25, 100])
@pytest.mark.parametrize("confidence", [0.5, 0.75, 0.95, 0.96875, 0.99])
def test_the_median_s_interval_is_the_narrowest_that_covers_enough(n: int, confidence: float) -> None:
    """From the k-th smallest to the k-th largest it covers as often as a coin shows k to n - k heads."""
    covered = {k: 1 - sum(comb(n, j) for j in range(k)) / 2 ** (n - 1) for k in range(1, n // 2 + 1)}
    enough = [k for k, share in covered.items() if share >= confidence]
    found = median_interval(np.arange(1.0, n + 1), confidence).interval
    assert (found is None) is (not enough)
    if found is not None:
        assert (found.low, found.high) == (max(enough), n + 1 - max(enough))
        assert found.confidence == pytest.approx(covered[max(enough)])


def test_harrell_davis_of_very_many_values_leaves_nothing_out() -> None:
    """Far from the quantile the weights are left out; the rest must still add up."""
    for p in (0.001, 0.5, 0.95, 0.999):
        assert harrell_davis(np.ones(50_000), [p]) == pytest.approx([1.0], rel=1e-12)
    assert harrell_davis(np.arange(100_001) / 100_000, [0.9]) == pytest.approx([0.9], abs=1e-4)
    assert harrell_davis(np.array([7.0]), [0.5]) == pytest.approx([7.0])


@pytest.mark.parametrize(("p", "n_eff", "shown"), [(0.99, 499, False), (0.99, 500.001, True), (0.5, 10, True)])
def test_the_99th_percentile_needs_five_samples_beyond_it(p: float, n_eff: float, shown: bool) -> None:
    assert estimable(p, n_eff) is shown


@settings(max_examples=60)
@given(st.lists(st.integers(-40, 40) | st.integers(-400, 400), min_size=2, max_size=30))
def test_outliers_are_those_of_the_two_textbooks(values: list[int]) -> None:
    """Written out: 0.6745 of the deviation over the median deviation (Iglewicz & Hoaglin), and Tukey's fences."""
    found = find_outliers(np.array(values, dtype=float))
    median = statistics.median(values)
    deviations = [abs(value - median) for value in values]
    mad = statistics.median(deviations)
    q1, _, q3 = statistics.quantiles(values, n=4, method="inclusive")
    assert (found.median, found.mad, found.q1, found.q3) == (median, mad, q1, q3)
    assert found.inner == (q1 - 1.5 * (q3 - q1), q3 + 1.5 * (q3 - q1))
    assert found.outer == (q1 - 3 * (q3 - q1), q3 + 3 * (q3 - q1))
    for value, z, flagged in zip(values, found.modified_z, found.flagged, strict=True):
        assert not mad or z == pytest.approx(0.6745 * (value - median) / mad)
        assert bool(flagged) is bool(mad and (abs(z) > 3.5 or not found.outer[0] <= value <= found.outer[1]))


@pytest.mark.parametrize(("value", "flagged"), [(5.18, False), (5.19, True), (-5.18, False), (-5.19, True)])
def test_three_and_a_half_is_still_no_outlier(value: float, flagged: bool) -> None:
    """The median is 0 and the median deviation 1: 3.5 / 0.6745 is 5.189."""
    rest = np.sign(value) * np.array([-1, -1, -1, -1, 0, 1, 1, 1])
    assert find_outliers(np.append(rest, value)).flagged.tolist() == [False] * 8 + [flagged]


def test_outliers_of_a_series_that_is_mostly_one_value_are_not_made_up() -> None:
    found = find_outliers(np.array([0.0, 0, 0, 0, 0, 7]))
    assert found.mad == 0 and np.isnan(found.modified_z).all() and not found.flagged.any()


def test_adjusted_p_leaves_out_what_was_not_tested() -> None:
    p = np.array([0.01, np.nan, 0.02])
    assert benjamini_hochberg(p) == pytest.approx([0.02, np.nan, 0.02], nan_ok=True)
    assert holm(p) == pytest.approx([0.02, np.nan, 0.02], nan_ok=True)
    assert len(benjamini_hochberg(np.empty(0))) == 0


@settings(max_examples=60)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_adjusted_p_never_falls_and_keeps_the_order(values: list[float]) -> None:
    p = np.array(values)
    for adjusted in (benjamini_hochberg(p), holm(p)):
        assert (adjusted >= p - 1e-15).all() and (adjusted <= 1).all()
        assert (np.diff(adjusted[np.argsort(p, kind="stable")]) >= -1e-15).all()
    assert (holm(p) >= benjamini_hochberg(p) - 1e-12).all()


def test_fieller_without_bounds() -> None:
    """A mean below the line that may be zero leaves the ratio open."""
    found = ratio_of_means(np.array([5.0, 6, 7]), np.array([-1.0, 1, 2]))
    assert found.interval is None
    assert fieller(1.0, 0.1, 0.0, 0.1, 5, 0.95) is None


LEVELS = (["r5"] * 4 + ["r10"] * 4, ["p4", "p4", "p8", "p8"] * 2)


def test_factors_that_multiply_have_no_interaction() -> None:
    values = np.array([10.0, 11, 20, 22, 30, 33, 60, 66])
    found = two_way(values, *LEVELS)
    assert found.interaction.f == pytest.approx(0, abs=1e-9) and found.interaction.p == pytest.approx(1)
    assert found.residual_df == 4 and found.counts == ((2, 2), (2, 2))
    assert found.means_a[1] / found.means_a[0] == pytest.approx(3)
    assert found.cells == pytest.approx(np.sqrt([[110, 440], [990, 3960]]))


@pytest.mark.parametrize(
    ("first", "second", "reason"),
    [
        (["a"] * 4, ["x", "x", "y", "y"], "one_level"),
        (["a", "a", "b", "b"], ["x", "y", "x", "x"], "empty_cell"),
        (["a", "a", "b", "b"], ["x", "y", "x", "y"], "no_repetitions"),
    ],
)
def test_designs_without_an_answer(first: list[str], second: list[str], reason: str) -> None:
    with pytest.raises(NotFactorial) as refused:
        two_way(np.array([1.0, 2, 3, 4]), first, second)
    assert refused.value.reason == reason


def test_runs_that_repeat_exactly_have_no_f() -> None:
    found = two_way(np.array([1.0, 1, 2, 2, 3, 3, 4, 4]), *LEVELS)
    assert found.a.f is None and found.a.p is None


def test_the_energy_statistic_finds_the_step() -> None:
    rng = np.random.default_rng(20)
    series = np.concatenate([rng.normal(10, 1, 40), rng.normal(14, 1, 30)])
    splits, statistics = energy_statistics(series, 5)
    assert splits[np.argmax(statistics)] == 40
    assert split_p(series, 5, permutations=199) == pytest.approx(1 / 200)
    assert pettitt_statistic(series) == pytest.approx(40 * 30, rel=0.05)
    flat = rng.normal(10, 1, 70)
    assert split_p(flat, 5, permutations=199) > 0.01
    assert split_p(flat, 5, permutations=199) == split_p(flat, 5, permutations=199)


def test_nothing_changes_in_a_constant() -> None:
    assert split_p(np.full(20, 3.0), 4, permutations=19) == 1.0
    assert pettitt_statistic(np.full(20, 3.0)) == 0.0


@pytest.mark.parametrize("min_size", [0, 6])
def test_no_split_leaves_enough_on_both_sides(min_size: int) -> None:
    with pytest.raises(ValueError, match="no split"):
        energy_statistics(np.arange(10.0), min_size)


@pytest.mark.parametrize(("phi", "expected"), [(0.5, 29.9), (0.8, 66.8)])
def test_block_lengths_of_autoregressions(phi: float, expected: float) -> None:
    """Theory: (1.5 (2 phi / (1 - phi^2))^2 n)^(1/3) at n = 10,000."""
    lengths = [block_length(row) for row in autoregressions(phi, 10_000, 9, 21)]
    assert np.median(lengths) == pytest.approx(expected, rel=0.3)


def test_independent_samples_need_no_blocks() -> None:
    assert np.median([block_length(row) for row in autoregressions(0, 2_000, 9, 22)]) <= 3
    assert block_length(np.full(300, 2.0)) == 1


def test_the_spread_of_a_mean_by_blocks() -> None:
    """sd of the mean of an autoregression: sqrt((1 + phi) / (1 - phi) / n)."""
    rows = autoregressions(0.5, 2_000, 12, 23)
    spreads = [block_replicates(row, lambda s: s.mean(axis=1), block_length(row), 300).std() for row in rows]
    assert np.mean(spreads) == pytest.approx(np.sqrt(3 / 2_000), rel=0.15)


def test_short_windows_are_refused() -> None:
    series = np.exp(autoregressions(0.5, 239, 2, 24))
    assert bootstrap_ratio(series[0], series[1], percentile(0.95)) is None
    slow = np.exp(autoregressions(0.97, 300, 2, 25))
    assert bootstrap_ratio(slow[0], slow[1], percentile(0.95)) is None


def test_the_ratio_of_a_percentile() -> None:
    series = np.exp(0.2 * autoregressions(0.4, 1_440, 2, 26))
    found = bootstrap_ratio(2 * series[0], series[1], percentile(0.95), replicates=400)
    again = bootstrap_ratio(2 * series[0], series[1], percentile(0.95), replicates=400)
    assert found is not None and found == again
    assert found.interval.low < 2 < found.interval.high and found.interval.high / found.interval.low < 1.5
    back = bootstrap_ratio(2 * series[0], series[1], percentile(0.95), higher_is_better=True, replicates=400)
    assert back is not None and back.ratio == pytest.approx(1 / found.ratio)
