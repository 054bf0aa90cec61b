"""Quantiles: Harrell and Davis' (A New Distribution-Free Quantile Estimator, Biometrika 69, 1982) and type 7.

Harrell-Davis weighs all order statistics, so that it wavers less than one or two of them. Percentiles are never
averaged over windows: they are computed from the samples of the whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import sqrt

import numpy as np

from tunebench.analysis.inference.autocovariance import Floats

_FEWEST_BEYOND = 5.0
_REACH, _REACH_OF_TAIL = 14.0, 100.0
"""So many standard deviations and so many values from the quantile the weights are below 1e-40."""


def harrell_davis(values: Floats, probabilities: Sequence[float]) -> list[float]:
    """Quantiles of float64[n >= 1] without NaN; each probability strictly between 0 and 1."""
    ordered = np.sort(values)
    return [float(harrell_davis_at(ordered, p)) for p in probabilities]


def type7(values: Floats, probabilities: Sequence[float]) -> list[float]:
    """Quantiles by linear interpolation between order statistics: R's default, Excel's PERCENTILE.INC."""
    return [float(quantile) for quantile in type7_at(np.sort(values), np.array(probabilities))]


def harrell_davis_at(ordered: Floats, p: float) -> Floats:
    """float64[...]: Harrell and Davis' estimate from the order statistics, float64[..., n]."""
    first, weights = _weights(ordered.shape[-1], p)
    return np.asarray(np.vecdot(ordered[..., first : first + len(weights)], weights), dtype=np.float64)


def type7_at(ordered: Floats, p: Floats) -> Floats:
    """float64[k]: type 7 from the order statistics, float64[k, n] or the same float64[n] for each of float64[k]."""
    most = ordered.shape[-1] - 1
    places = p * most
    below = places.astype(np.intp)
    rows = (np.arange(len(ordered)),) if ordered.ndim == 2 else ()
    low, high = ordered[(*rows, below)], ordered[(*rows, np.minimum(below + 1, most))]
    share = places - below
    return np.asarray(np.where(share < 0.5, low + (high - low) * share, high - (high - low) * (1 - share)))


def _stretch(n: int, p: float) -> tuple[int, int]:
    """Places of the order statistics whose weights are not 0."""
    reach = _REACH * n * sqrt(p * (1 - p) / (n + 2)) + _REACH_OF_TAIL
    return max(0, int(n * p - reach)), min(n, int(n * p + reach) + 1)


@lru_cache(maxsize=64)
def _weights(n: int, p: float) -> tuple[int, Floats]:
    """(place of the first order statistic that counts, the weights from there on), for any series of this length."""
    from scipy import special

    first, last = _stretch(n, p)
    edges = special.betainc((n + 1) * p, (n + 1) * (1 - p), np.arange(first, last + 1) / n)
    return first, np.diff(edges)


def estimable(probability: float, effective_size: float) -> bool:
    """Whether at least five independent samples lie beyond the quantile; else only the extreme can be shown."""
    return effective_size * min(probability, 1 - probability) >= _FEWEST_BEYOND
