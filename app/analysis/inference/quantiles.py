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
_LONG = 20_000
"""From so many values on only those that weigh are put in order."""
_REACH, _REACH_OF_TAIL = 14.0, 100.0
"""So many standard deviations and so many values from the quantile the weights are below 1e-40."""


def harrell_davis(values: Floats, probabilities: Sequence[float]) -> list[float]:
    """Of float64[n >= 1] without NaN; each probability strictly between 0 and 1."""
    ordered = np.sort(values) if len(values) < _LONG else _sorted_around(values, probabilities)
    return [_weighted(ordered, p) for p in probabilities]


def _sorted_around(values: Floats, probabilities: Sequence[float]) -> Floats:
    """In order only where a weight of some size lies: half the time of sorting the whole."""
    stretches = [_stretch(len(values), p) for p in probabilities]
    edges = {min(edge, len(values) - 1) for stretch in stretches for edge in stretch}
    ordered = np.partition(values, sorted(edges))
    for first, last in stretches:
        ordered[first:last].sort()
    return ordered


def _stretch(n: int, p: float) -> tuple[int, int]:
    """Places of the order statistics whose weights are not 0."""
    reach = _REACH * n * sqrt(p * (1 - p) / (n + 2)) + _REACH_OF_TAIL
    return max(0, int(n * p - reach)), min(n, int(n * p + reach) + 1)


def _weighted(ordered: Floats, p: float) -> float:
    first, weights = _weights(len(ordered), p)
    return float(np.dot(weights, ordered[first : first + len(weights)]))


@lru_cache(maxsize=64)
def _weights(n: int, p: float) -> tuple[int, Floats]:
    """(place of the first order statistic that counts, the weights from there on), for any series of this length."""
    from scipy import special

    first, last = _stretch(n, p)
    edges = special.betainc((n + 1) * p, (n + 1) * (1 - p), np.arange(first, last + 1) / n)
    return first, np.diff(edges)


def type7(values: Floats, probabilities: Sequence[float]) -> list[float]:
    """By linear interpolation between order statistics: R's default, Excel's PERCENTILE.INC."""
    return [float(q) for q in np.quantile(values, probabilities)]


def estimable(probability: float, effective_size: float) -> bool:
    """Whether at least five independent samples lie beyond the quantile; else only the extreme can be shown."""
    return effective_size * min(probability, 1 - probability) >= _FEWEST_BEYOND
