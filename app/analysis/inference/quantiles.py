"""Quantiles: Harrell and Davis' (A New Distribution-Free Quantile Estimator, Biometrika 69, 1982) and type 7.

Harrell-Davis weighs all order statistics, so that it wavers less than one or two of them. Percentiles are never
averaged over windows: they are computed from the samples of the whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import sqrt

import numpy as np

from app.analysis.inference.autocovariance import Floats

_FEWEST_BEYOND = 5.0
_REACH, _REACH_OF_TAIL = 14.0, 100.0
"""So many standard deviations and so many values from the quantile the weights are below 1e-40."""


def harrell_davis(values: Floats, probabilities: Sequence[float]) -> list[float]:
    """Of float64[n >= 1] without NaN; each probability strictly between 0 and 1."""
    ordered = np.sort(values)
    return [harrell_davis_at(ordered, p) for p in probabilities]


def type7(values: Floats, probabilities: Sequence[float]) -> list[float]:
    """By linear interpolation between order statistics: R's default, Excel's PERCENTILE.INC."""
    ordered = np.sort(values)
    return [type7_at(ordered, p) for p in probabilities]


def harrell_davis_at(ordered: Floats, p: float) -> float:
    """Harrell and Davis' estimate from the order statistics."""
    first, weights = _weights(len(ordered), p)
    return float(np.dot(weights, ordered[first : first + len(weights)]))


def type7_at(ordered: Floats, p: float) -> float:
    """Type 7 from the order statistics."""
    place = p * (len(ordered) - 1)
    below = int(place)
    low, high = float(ordered[below]), float(ordered[min(below + 1, len(ordered) - 1)])
    share = place - below
    return low + (high - low) * share if share < 0.5 else high - (high - low) * (1 - share)


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
