"""Student's t for any degrees of freedom, whole or not; infinite ones give the normal distribution."""

from __future__ import annotations

from functools import lru_cache
from math import isinf
from statistics import NormalDist

_NORMAL = NormalDist()


@lru_cache(maxsize=1024)
def t_quantile(probability: float, df: float) -> float:
    if isinf(df):
        return _NORMAL.inv_cdf(probability)
    from scipy import special

    return float(special.stdtrit(df, probability))


def two_sided_p(t: float, df: float) -> float:
    if isinf(df):
        return 2 * _NORMAL.cdf(-abs(t))
    from scipy import special

    return float(2 * special.stdtr(df, -abs(t)))
