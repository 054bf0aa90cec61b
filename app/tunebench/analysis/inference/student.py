"""Student's t for any degrees of freedom, whole or not; infinite ones give the normal distribution."""

from __future__ import annotations

from functools import lru_cache
from math import isinf
from statistics import NormalDist

import numpy as np

from tunebench.analysis.inference.autocovariance import Floats

_NORMAL = NormalDist()


@lru_cache(maxsize=1024)
def t_quantile(probability: float, df: float) -> float:
    if isinf(df):
        return _NORMAL.inv_cdf(probability)
    from scipy import special

    return float(special.stdtrit(df, probability))


def two_sided_p(t: float, df: float) -> float:
    return float(two_sided_ps(np.array(t), np.array(df)))


def t_quantiles(probability: float, df: Floats) -> Floats:
    """float64[n]; of many things a few degrees of freedom."""
    own, inverse = np.unique(df, return_inverse=True)
    return np.array([t_quantile(probability, degrees) for degrees in own.tolist()])[inverse]


def two_sided_ps(t: Floats, df: Floats) -> Floats:
    """float64[n]."""
    from scipy import special

    return np.asarray(2 * special.stdtr(df, -np.abs(t)))
