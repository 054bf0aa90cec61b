"""Where a series changes its level or its spread: energy statistic and Pettitt's statistic.

Energy statistic of Matteson & James (A Nonparametric Approach for Multiple Change Point Analysis, JASA 109, 2014), with
exponent 1; its p-value by permutation.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tunebench.analysis.inference.autocovariance import Floats
from tunebench.analysis.inference.rank_tests import mid_ranks

SEED = 20_261_121
"""Every p-value can be computed again."""
PERMUTATIONS = 1_999
MOST_PERMUTED = 120
_ROUNDED = 1 - 1e-12


def energy_statistics(values: Floats, min_size: int) -> tuple[NDArray[np.int64], Floats]:
    """(k, Q): the statistic of every split into the first k values and the rest, both at least `min_size` long.

    Q = m n / (m + n) (2 mean|X - Y| - mean|X - X'| - mean|Y - Y'|), means over the pairs of different samples; 0
    for a part of one.
    """
    total = len(values)
    if min_size < 1 or total < 2 * min_size:
        raise ValueError(f"no split of {total} values into two of at least {min_size}")
    within_first, within_rest, across = _pair_sums(values)
    splits = np.arange(min_size, total - min_size + 1, dtype=np.int64)
    return splits, _energy(splits, total, within_first[splits], within_rest[splits], across[splits])


def _energy(splits: NDArray[np.int64], total: int, first: Floats, rest: Floats, across: Floats) -> Floats:
    m = splits.astype(np.float64)
    n = total - m
    divergence = 2 * (across / (m * n) - first / (m * np.maximum(m - 1, 1)) - rest / (n * np.maximum(n - 1, 1)))
    return np.asarray(m * n / total * divergence)


def _pair_sums(values: Floats) -> tuple[Floats, Floats, Floats]:
    """float64[n + 1] each, by split: sums of distances within the first part, within the rest, and across."""
    total = len(values)
    to_earlier, to_all = np.zeros(total), np.zeros(total)
    for k in range(total):
        distances = np.abs(values - values[k])
        to_earlier[k] = distances[:k].sum()
        to_all[k] = distances.sum()
    first = np.concatenate([[0.0], np.cumsum(to_earlier)])
    rest = first[-1] - np.concatenate([[0.0], np.cumsum(to_all - to_earlier)])
    return first, rest, first[-1] - first - rest


def pettitt_statistic(values: Floats) -> float:
    """max |U_k|: the pairs across split k that fall minus those that rise (Pettitt, Applied Statistics 28, 1979)."""
    ranks = mid_ranks(values)
    splits = np.arange(1, len(values) + 1)
    return float(np.abs(2 * np.cumsum(ranks) - splits * (len(values) + 1)).max(initial=0.0))


def split_p(values: Floats, min_size: int, *, permutations: int = PERMUTATIONS, seed: int = SEED) -> float:
    """How often independent values in random order have as large a statistic at their best split.

    Samples of a series are not independent: give means over stretches longer than the series' correlation, at most
    `MOST_PERMUTED`.
    """
    distances = np.abs(values[:, np.newaxis] - values)
    observed = _largest_energy(distances, min_size)
    rng = np.random.default_rng(seed)
    orders = (rng.permutation(len(values)) for _ in range(permutations))
    extreme = sum(_largest_energy(distances[np.ix_(order, order)], min_size) >= observed * _ROUNDED for order in orders)
    return (extreme + 1) / (permutations + 1)


def _largest_energy(distances: Floats, min_size: int) -> float:
    """The largest statistic over the splits of n values in their order, by their distances float64[n, n]."""
    total = len(distances)
    blocks = np.cumsum(np.cumsum(distances, axis=0), axis=1)
    splits = np.arange(min_size, total - min_size + 1, dtype=np.int64)
    first = blocks[splits - 1, splits - 1]
    across = blocks[splits - 1, -1] - first
    rest = blocks[-1, -1] - first - 2 * across
    return float(_energy(splits, total, first / 2, rest / 2, across).max())
