"""Approximate intervals of statistics without a formula (a 95th percentile, a peak) by resampling blocks of a series.

Circular blocks (Politis & Romano 1992), their length by Politis & White (Automatic Block-Length Selection for the
Dependent Bootstrap, Econometric Reviews 23, 2004; correction by Patton, Politis & White 2009). Short windows make such
intervals far too narrow, so that they are refused there; in long ones they are still approximate and must be called so.
"""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, log10, sqrt

import numpy as np

from tunebench.analysis.inference.autocovariance import Autocorrelation, Floats
from tunebench.analysis.inference.verdict import Interval
from tunebench.core.records import record

FEWEST = 240
BLOCKS = 20
REPLICATES = 2_000
SEED = 20_261_121
_MOST_CELLS = 4_000_000

Statistic = Callable[[Floats], Floats]
"""Of float64[k, n], k samples of n, to float64[k]."""


@record
class BootstrapRatio:
    """An approximate interval; `blocks` are the lengths of the blocks before and after, in samples."""

    ratio: float
    interval: Interval
    blocks: tuple[int, int]


def block_length(values: Floats) -> int:
    """Block length for float64[n] without NaN; 1 where neighbouring samples are not correlated."""
    n = len(values)
    correlation = Autocorrelation(values[np.newaxis])
    if not correlation.usable[0]:
        return 1
    quiet = max(5, ceil(sqrt(log10(n))))
    most = ceil(sqrt(n)) + quiet
    limit = 2 * sqrt(log10(n) / n)
    rho = [float(correlation.at(lag)[0]) for lag in range(min(most + quiet, n - 1) + 1)]
    loud = [lag for lag in range(1, len(rho)) if abs(rho[lag]) >= limit]
    gaps = (lag for lag, following in zip(loud, [*loud[1:], n], strict=True) if following - lag > quiet)
    last = next(gaps, 1) if loud[:1] and loud[0] <= quiet + 1 else 1
    width = min(2 * last, len(rho) - 1)
    weights = [min(1.0, 2 * (1 - lag / width)) for lag in range(1, width + 1)]
    g = 2 * sum(w * lag * rho[lag] for lag, w in enumerate(weights, 1))
    spectrum = 1 + 2 * sum(w * rho[lag] for lag, w in enumerate(weights, 1))
    if spectrum <= 0 or g == 0:
        return 1
    length = float(np.cbrt(2 * g**2 / (4 / 3 * spectrum**2) * n))
    return max(1, min(round(length), ceil(min(3 * sqrt(n), n / 3))))


def long_enough(values: Floats, length: int) -> bool:
    return len(values) >= FEWEST and len(values) >= BLOCKS * length


def block_replicates(
    values: Floats, statistic: Statistic, length: int, replicates: int = REPLICATES, seed: int = SEED
) -> Floats:
    """float64[replicates]: the statistic of series made of blocks of `length`, the end joined to the start."""
    rng = np.random.default_rng(seed)
    n = len(values)
    pieces = ceil(n / length)
    step = max(1, _MOST_CELLS // n)
    within = np.arange(length)
    statistics = []
    for first in range(0, replicates, step):
        starts = rng.integers(0, n, size=(min(step, replicates - first), pieces, 1))
        places = ((starts + within) % n).reshape(len(starts), -1)[:, :n]
        statistics.append(statistic(values[places]))
    return np.concatenate(statistics)


def bootstrap_ratio(
    before: Floats,
    after: Floats,
    statistic: Statistic,
    *,
    higher_is_better: bool = False,
    confidence: float = 0.95,
    replicates: int = REPLICATES,
    seed: int = SEED,
) -> BootstrapRatio | None:
    """The ratio of a statistic of two windows, more than 1 for better; percentiles of the replicates' ratios.

    Returns:
        None where a window is too short for its blocks, or the statistic is not positive.
    """
    upper, lower = (before, after) if not higher_is_better else (after, before)
    lengths = [block_length(values) for values in (upper, lower)]
    point = [float(statistic(values[np.newaxis])[0]) for values in (upper, lower)]
    fit = all(long_enough(values, length) for values, length in zip((upper, lower), lengths, strict=True))
    if not fit or min(point) <= 0:
        return None
    drawn = [
        block_replicates(values, statistic, length, replicates, seed + side)
        for side, (values, length) in enumerate(zip((upper, lower), lengths, strict=True))
    ]
    if min(float(sample.min()) for sample in drawn) <= 0:
        return None
    low, high = np.quantile(drawn[0] / drawn[1], ((1 - confidence) / 2, (1 + confidence) / 2))
    blocks = (lengths[0], lengths[1]) if not higher_is_better else (lengths[1], lengths[0])
    return BootstrapRatio(point[0] / point[1], Interval(float(low), float(high), confidence), blocks)


def percentile(probability: float) -> Statistic:
    """A percentile (type 7) as a statistic."""
    return lambda samples: np.asarray(np.quantile(samples, probability, axis=1))
