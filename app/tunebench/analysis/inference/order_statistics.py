"""The median of independent repetitions with an interval between two of them, whatever their distribution."""

from __future__ import annotations

from functools import cache
from math import comb

import numpy as np

from tunebench.analysis.inference.autocovariance import Floats
from tunebench.analysis.inference.verdict import Interval
from tunebench.core.records import record

MOST = 1_000


@record
class MedianEstimate:
    """The interval's confidence is what its order statistics really give: at least what was asked for; None if n is
    too small for that."""

    n: int
    median: float
    interval: Interval | None


def median_interval(values: Floats, confidence: float = 0.95) -> MedianEstimate:
    """The median of float64[1 <= n] independent repetitions, no more than 1,000."""
    n = len(values)
    if not 1 <= n <= MOST:
        raise ValueError(f"no median interval of {n} repetitions")
    ordered = np.sort(values)
    median = float(np.median(ordered))
    depth, covered = _depth(n, confidence)
    if depth == 0:
        return MedianEstimate(n, median, None)
    return MedianEstimate(n, median, Interval(float(ordered[depth - 1]), float(ordered[n - depth]), covered))


@cache
def fewest_repetitions(confidence: float = 0.95) -> int:
    """Runs from which on the median has an interval: 6 for 95 %."""
    n = 1
    while _depth(n, confidence)[0] == 0:
        n += 1
    return n


@cache
def _depth(n: int, confidence: float) -> tuple[int, float]:
    """(k, coverage) of the k-th smallest to k-th largest value; the largest k with enough coverage, 0 if none has."""
    tail, depth, covered = 0, 0, 0.0
    for k in range(1, n // 2 + 1):
        tail += comb(n, k - 1)
        reached = 1 - 2 * tail / 2**n
        if reached < confidence:
            break
        depth, covered = k, reached
    return depth, covered
