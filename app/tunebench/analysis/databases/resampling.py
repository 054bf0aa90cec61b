"""The levels of bias-corrected and accelerated bootstrap intervals (BCa).

Efron, Better Bootstrap Confidence Intervals, JASA 82 (1987); acceleration from the jackknife.
"""

from __future__ import annotations

from statistics import NormalDist

import numpy as np

from tunebench.analysis.databases.record import Numbers
from tunebench.core.records import record

_NORMAL = NormalDist()


@record
class BcaLevels:
    """Bias z0, acceleration a, and the adjusted levels of the replicates' quantiles."""

    bias: float
    acceleration: float
    low: float
    high: float


def bca_levels(theta: float, replicates: Numbers, leave_one_out: Numbers, confidence: float) -> BcaLevels | None:
    """The corrected levels of an interval; None where all replicates lie on one side of `theta`."""
    below = (np.count_nonzero(replicates < theta) + 0.5 * np.count_nonzero(replicates == theta)) / len(replicates)
    if not 0 < below < 1:
        return None
    bias = _NORMAL.inv_cdf(below)
    acceleration = jackknife_acceleration(leave_one_out)
    ends = [_adjusted(bias, acceleration, _NORMAL.inv_cdf(p)) for p in ((1 - confidence) / 2, (1 + confidence) / 2)]
    return BcaLevels(bias, acceleration, *ends)


def jackknife_acceleration(leave_one_out: Numbers) -> float:
    """0 where all are alike."""
    deviations = leave_one_out.mean() - leave_one_out
    spread = float(np.sum(deviations**2))
    return float(np.sum(deviations**3)) / (6.0 * spread**1.5) if spread > 0 else 0.0


def _adjusted(bias: float, acceleration: float, z: float) -> float:
    shifted = bias + z
    return _NORMAL.cdf(bias + shifted / (1 - acceleration * shifted))
