"""The ratio of two means with Fieller's interval (Some Problems in Interval Estimation, JRSS B 16, 1954)."""

from __future__ import annotations

from math import sqrt

import numpy as np

from tunebench.analysis.inference.autocovariance import Floats
from tunebench.analysis.inference.student import t_quantile
from tunebench.analysis.inference.verdict import Interval
from tunebench.core.records import record


@record
class MeanRatio:
    """Ratio of two independent means; the interval is None where the lower mean may be zero."""

    ratio: float
    interval: Interval | None
    df: float


def ratio_of_means(above: Floats, below: Floats, confidence: float = 0.95) -> MeanRatio:
    """Mean of `above` over mean of `below`, each independent float64[n >= 2], with their pooled variance.

    Raises:
        ZeroDivisionError: the mean of `below` is 0.
    """
    df = len(above) + len(below) - 2
    squares = sum(float(np.sum((values - values.mean()) ** 2)) for values in (above, below))
    pooled = squares / df
    upper, lower = float(above.mean()), float(below.mean())
    interval = fieller(upper, pooled / len(above), lower, pooled / len(below), df, confidence)
    return MeanRatio(upper / lower, interval, df)


def fieller(
    above: float, above_variance: float, below: float, below_variance: float, df: float, confidence: float
) -> Interval | None:
    """The interval of above / below, two independent means with their variances; None where it is unbounded."""
    if below == 0:
        return None
    t = t_quantile((1 + confidence) / 2, df)
    ratio = above / below
    above_reach, below_reach = (t * sqrt(variance) / abs(below) for variance in (above_variance, below_variance))
    square = 1 - below_reach * below_reach
    if not square > 0:
        return None
    root = sqrt(max(ratio * ratio - square * (ratio - above_reach) * (ratio + above_reach), 0.0))
    return Interval((ratio - root) / square, (ratio + root) / square, confidence)
