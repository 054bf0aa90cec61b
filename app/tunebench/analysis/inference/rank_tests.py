"""Tests of repeated runs by ranks: Mann-Whitney and Wilcoxon's signed ranks, with the Hodges-Lehmann estimates.

For independent repetitions only: the samples of a time series depend on each other (see `series_comparison`).
Exact without ties below 50 observations a sample, else normal with continuity correction and the variance corrected for
ties (Hollander & Wolfe, Nonparametric Statistical Methods, chapters 3 and 4).
"""

from __future__ import annotations

from math import exp, floor, sqrt
from statistics import NormalDist

import numpy as np

from tunebench.analysis.inference.autocovariance import Floats
from tunebench.analysis.inference.rank_distributions import (
    MOST_EXACT,
    Counts,
    lower_quantile,
    rank_sum_probabilities,
    signed_rank_probabilities,
    two_sided,
)
from tunebench.analysis.inference.verdict import Interval
from tunebench.core.records import record

MOST_DIFFERENCES = 4_000_000
"""Of pairs; more have no place in memory."""
_ROUNDING = 1e-12
_NORMAL = NormalDist()


@record
class RankShift:
    """
    Attributes:
        statistic: W, the pairs in which the first sample is larger (ties count half); V, the sum of positive ranks.
        p: two-sided.
        shift: the Hodges-Lehmann estimate, first minus second; a ratio where logarithms were compared.
        interval: None where so few runs cannot give the confidence asked for, however they come out.
        exact: whether p and the interval are exact.
    """

    statistic: float
    p: float
    shift: float
    interval: Interval | None
    exact: bool

    @property
    def ratio(self) -> float:
        """The ratio that `shift` is where logarithms were compared."""
        return self.shift


@record
class RankEffect:
    """How often one sample lies above the other: delta = 2 A - 1; A = .5 and delta = 0 where neither does."""

    statistic: float
    p: float
    cliffs_delta: float
    vargha_delaney: float


def rank_shift(before: Floats, after: Floats, confidence: float = 0.95) -> RankShift:
    """Mann-Whitney of two samples, each float64[n >= 1], and the shift of location before - after.

    Raises:
        ValueError: a sample is empty, or there are more than `MOST_DIFFERENCES` pairs.
    """
    m, n = len(before), len(after)
    if not m or not n or m * n > MOST_DIFFERENCES:
        raise ValueError(f"no rank test of {m} and {n} observations")
    differences = np.sort(np.subtract.outer(before, after), axis=None)
    pooled = np.concatenate([before, after])
    statistic = float(np.count_nonzero(differences > 0) + np.count_nonzero(differences == 0) / 2)
    exact = m < MOST_EXACT and n < MOST_EXACT and not _ties(pooled)
    if exact:
        probabilities = rank_sum_probabilities(m, n)
        p = two_sided(statistic, probabilities)
        interval = _exact_interval(differences, probabilities, confidence)
    else:
        p = _normal_p(statistic - m * n / 2, _rank_sum_deviation(_tie_sum(pooled), m, n))
        within = _rank_sum_deviation(_tie_sum(before) + _tie_sum(after), m, n)
        interval = _normal_interval(differences, m * n / 2, within, confidence)
    return RankShift(statistic, p, float(np.median(differences)), interval, exact)


def rank_ratio(before: Floats, after: Floats, confidence: float = 0.95) -> RankShift:
    """`rank_shift` of logarithms; shift and interval are the ratio before / after of positive values."""
    return _as_ratio(rank_shift(np.log(before), np.log(after), confidence))


def rank_effect(first: Floats, second: Floats) -> RankEffect:
    shift = rank_shift(first, second)
    share = shift.statistic / (len(first) * len(second))
    return RankEffect(shift.statistic, shift.p, 2 * share - 1, share)


def signed_rank(differences: Floats, confidence: float = 0.95) -> RankShift:
    """Wilcoxon's signed ranks of float64[n >= 1] differences; the shift is their pseudo-median.

    Differences of zero take no part in the test (Wilcoxon), but in the estimate.
    """
    if not len(differences) or len(differences) ** 2 > 2 * MOST_DIFFERENCES:
        raise ValueError(f"no signed-rank test of {len(differences)} differences")
    rows, columns = np.triu_indices(len(differences))
    averages = np.sort((differences[rows] + differences[columns]) / 2)
    counted = differences[differences != 0]
    n = len(counted)
    ranks = mid_ranks(np.abs(counted))
    statistic = float(ranks[counted > 0].sum())
    exact = n == len(differences) and n < MOST_EXACT and not _ties(np.abs(counted))
    if exact:
        probabilities = signed_rank_probabilities(n)
        p = two_sided(statistic, probabilities)
        interval = _exact_interval(averages, probabilities, confidence)
    else:
        p = _normal_p(statistic - n * (n + 1) / 4, _signed_rank_deviation(np.abs(counted)))
        whole = len(differences)
        deviation = _signed_rank_deviation(np.arange(1.0, whole + 1))
        interval = _normal_interval(averages, whole * (whole + 1) / 4, deviation, confidence)
    return RankShift(statistic, p, float(np.median(averages)), interval, exact)


def paired_ratio(before: Floats, after: Floats, confidence: float = 0.95) -> RankShift:
    """Signed ranks of the log ratios of pairs, such as the same hour of the same weekday; shift is before / after."""
    return _as_ratio(signed_rank(np.log(before) - np.log(after), confidence))


def least_p(m: int, n: int) -> float:
    """The smallest two-sided p that Mann-Whitney of m and n runs can give: 3 and 3 never fall below 0.1."""
    return min(1.0, 2.0 * float(rank_sum_probabilities(m, n)[0]))


def mid_ranks(values: Floats) -> Floats:
    """Ranks from 1; equal values share the mean of theirs."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    ranks: Floats = (last - (counts - 1) / 2.0)[inverse]
    return ranks


def _as_ratio(shift: RankShift) -> RankShift:
    interval = shift.interval
    if interval is not None:
        interval = Interval(exp(interval.low), exp(interval.high), interval.confidence)
    return RankShift(shift.statistic, shift.p, exp(shift.shift), interval, shift.exact)


def _ties(values: Floats) -> bool:
    return len(np.unique(values)) < len(values)


def _tie_sum(values: Floats) -> float:
    counts = np.unique(values, return_counts=True)[1].astype(np.float64)
    return float(np.sum(counts**3 - counts))


def _rank_sum_deviation(tie_sum: float, m: int, n: int) -> float:
    total = m + n
    return sqrt(max(m * n / 12 * (total + 1 - tie_sum / (total * (total - 1))), 0.0))


def _signed_rank_deviation(sizes: Floats) -> float:
    n = len(sizes)
    return sqrt(max(n * (n + 1) * (2 * n + 1) / 24 - _tie_sum(sizes) / 48, 0.0))


def _normal_p(excess: float, deviation: float) -> float:
    """p with continuity correction; 1 where every value is tied with every other."""
    if deviation == 0:
        return 1.0
    return min(1.0, 2 * _NORMAL.cdf(-max(abs(excess) - 0.5, 0.0) / deviation))


def _exact_interval(ordered: Floats, probabilities: Counts, confidence: float) -> Interval | None:
    least = 2 * float(probabilities[0])
    if least > (1 - confidence) * (1 + _ROUNDING):
        return None
    tail = max(1, lower_quantile((1 - confidence) / 2, probabilities))
    return Interval(float(ordered[tail - 1]), float(ordered[len(ordered) - tail]), confidence)


def _normal_interval(ordered: Floats, centre: float, deviation: float, confidence: float) -> Interval | None:
    """Between the order statistics at which the corrected normal statistic passes its critical value."""
    reach = _NORMAL.inv_cdf((1 + confidence) / 2) * deviation + 0.5
    above = floor(centre + reach)
    if above >= len(ordered):
        return None
    return Interval(float(ordered[len(ordered) - 1 - above]), float(ordered[above]), confidence)
