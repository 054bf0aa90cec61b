"""The ratio of two means that are weighted by the work done: response times, each counting for its requests.

The mean over requests is a ratio of sums, sum(w x) / sum(w); its variance is that of its linearised values
1 + w (x - R) / (mean(w) R), whose correlation gives the effective size (Cochran, Sampling Techniques 1977, 6.8).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log, sqrt

import numpy as np

from app.analysis.comparing.regular_samples import Floats, Samples, in_places
from app.analysis.inference.effective_size import EffectiveSize, effective_size
from app.analysis.inference.student import t_quantile, two_sided_p
from app.analysis.inference.verdict import Interval


@dataclass(frozen=True, slots=True)
class WeightedRatio:
    """before / after; None for what cannot be told."""

    ratio: float | None
    interval: Interval | None
    p: float | None
    before: EffectiveSize
    after: EffectiveSize


def weighted_ratio(before: Samples, after: Samples, confidence: float = 0.95) -> WeightedRatio:
    """Of two windows with weights, lower being better."""
    lines = [in_places(side, _linearised(side)) for side in (before, after)]
    sizes = [effective_size(line) for line in lines]
    means = [side.mean for side in (before, after)]
    if not all(mean is not None and mean > 0 for mean in means):
        return WeightedRatio(None, None, None, sizes[0], sizes[1])
    change = log(float(means[0] or 0) / float(means[1] or 1))
    variances = [_variance(line, size) for line, size in zip(lines, sizes, strict=True)]
    total = sum(variances)
    if not total > 0 or min(size.n_eff for size in sizes) <= 1:
        return WeightedRatio(exp(change), None, None, sizes[0], sizes[1])
    df = 1 / sum((v / total) ** 2 / (size.n_eff - 1) for v, size in zip(variances, sizes, strict=True))
    reach = t_quantile((1 + confidence) / 2, df) * sqrt(total)
    interval = Interval(exp(change - reach), exp(change + reach), confidence)
    return WeightedRatio(exp(change), interval, two_sided_p(change / sqrt(total), df), sizes[0], sizes[1])


def _linearised(samples: Samples) -> Floats:
    mean = samples.mean
    if samples.weights is None or mean is None or mean <= 0:
        return np.empty(0)
    return 1 + samples.weights * (samples.values - mean) / (float(samples.weights.mean()) * mean)


def _variance(line: Floats, size: EffectiveSize) -> float:
    present = line[~np.isnan(line)]
    if len(present) < 2 or size.n_eff <= 1:
        return 0.0
    return float(present.var(ddof=1)) / (size.n_eff - 1)
