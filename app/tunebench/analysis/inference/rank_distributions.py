"""Exact distributions of Wilcoxon's two statistics, without ties, by counting."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

MOST_EXACT = 50
"""From this many observations on (in either sample) the normal approximation is used, as R does."""
_ROUNDING = 1e-14

Counts = NDArray[np.float64]


@cache
def rank_sum_probabilities(m: int, n: int) -> Counts:
    """float64[m n + 1]: the probability of each value of W (pairs in which the first sample's value is larger).

    The counts are the coefficients of the Gaussian binomial, a product of (1 - q^(n+i)) / (1 - q^i).
    """
    counts = [1] + [0] * (m * n)
    for i in range(1, m + 1):
        for k in range(m * n, n + i - 1, -1):
            counts[k] -= counts[k - n - i]
        for k in range(i, m * n + 1):
            counts[k] += counts[k - i]
    total = sum(counts)
    return np.array([count / total for count in counts])


@cache
def signed_rank_probabilities(n: int) -> Counts:
    """float64[n (n+1) / 2 + 1]: the probability of each sum of a subset of the ranks 1 to n."""
    counts = np.zeros(n * (n + 1) // 2 + 1)
    counts[0] = 1.0
    for rank in range(1, n + 1):
        counts[rank:] += counts[:-rank].copy()
    return counts / 2.0**n


def two_sided(statistic: float, probabilities: Counts) -> float:
    """Twice the smaller tail, the value itself included; the distribution is symmetric."""
    value = round(statistic)
    tail = min(probabilities[: value + 1].sum(), probabilities[value:].sum())
    return min(1.0, 2.0 * float(tail))


def lower_quantile(probability: float, probabilities: Counts) -> int:
    """The smallest value whose distribution function is at least `probability`."""
    return int(np.searchsorted(np.cumsum(probabilities), probability - _ROUNDING))
