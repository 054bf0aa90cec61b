"""How many independent samples a correlated series is worth.

The smaller of two estimates: that of a first-order autoregression with its lag-1 correlation corrected for bias, and
Geyer's initial monotone sequence (Practical Markov Chain Monte Carlo, Statistical Science 7, 1992), which also sees
what decays slowly.
"""

from __future__ import annotations

from math import inf

import numpy as np

from tunebench.analysis.inference.autocovariance import Autocorrelation, Floats
from tunebench.core.records import record

_MOST_LAG1 = 0.97
_SLOW = 1.5
"""Geyer's estimate below the autoregression's by this factor: 3-8 % of true first-order series of 60 to 720 samples
show it, but 40-75 % (n = 60) to 94-100 % (n = 240) of those with a slow component under noise."""
_FEWEST = 10
"""Samples below which the shape of the correlations cannot be seen at all."""


@record
class EffectiveSize:
    """
    Attributes:
        n: samples that are there.
        lag1: their correlation at lag 1, as measured; 0 where nothing varies.
        n_ar1, n_geyer: the two estimates.
        n_eff: what to reckon with: the smaller one, at least 2 (n itself below that).
        slowly_decaying: the correlation decays more slowly than that of a first-order autoregression, so that a
            window of less than 240 samples is too short to know its own uncertainty.
    """

    n: int
    lag1: float
    n_ar1: float
    n_geyer: float
    n_eff: float
    slowly_decaying: bool


def effective_size(values: Floats) -> EffectiveSize:
    """Effective size of float64[n] in the order of time; NaN keeps the place of a missing sample."""
    return effective_sizes(values[np.newaxis])[0]


def effective_sizes(values: Floats) -> list[EffectiveSize]:
    """Of each row of float64[k, n].

    A constant series counts as n: it shows no correlation, and its variance is 0 whatever one divides it by.
    """
    return sizes_of(Autocorrelation(values))


def sizes_of(correlation: Autocorrelation) -> list[EffectiveSize]:
    lags, geyer = correlation.at(1).tolist(), _geyer_sizes(correlation).tolist()
    rows = zip(correlation.count.tolist(), correlation.usable.tolist(), lags, geyer, strict=True)
    return [_size(*row) for row in rows]


def _size(n: int, usable: bool, lag1: float, n_geyer: float) -> EffectiveSize:
    if n < 2 or not usable:
        return EffectiveSize(n, 0.0, float(n), float(n), float(n), slowly_decaying=False)
    n_ar1 = autoregressive_size(n, lag1)
    slow = n >= _FEWEST and n_ar1 > _SLOW * n_geyer
    return EffectiveSize(n, lag1, n_ar1, n_geyer, max(2.0, min(n_ar1, n_geyer)), slow)


def autoregressive_size(n: int, lag1: float) -> float:
    corrected = min(max(lag1 + (1 + 4 * lag1) / n, 0.0), _MOST_LAG1)
    return max(n * (1 - corrected) / (1 + corrected), 2.0)


def _geyer_sizes(correlation: Autocorrelation) -> Floats:
    """Sums pairs of neighbouring correlations as long as they are positive, none larger than the one before."""
    n = correlation.count
    total, smallest, lag = np.zeros(len(n)), np.full(len(n), inf), 0
    rows = np.flatnonzero(correlation.usable & (n >= 2))
    while len(rows := rows[lag + 1 <= n[rows] // 3]):
        pairs = correlation.at(lag, rows) + correlation.at(lag + 1, rows)
        rows, pairs = rows[pairs > 0], pairs[pairs > 0]
        smallest[rows] = np.minimum(smallest[rows], pairs)
        total[rows] += smallest[rows]
        lag += 2
    tau = np.maximum(1.0, 2 * total - 1)
    return np.asarray(n / (tau * (1 + 2 * tau / np.maximum(n, 1))), dtype=np.float64)
