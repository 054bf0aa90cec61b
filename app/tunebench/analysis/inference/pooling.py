"""One effect over several independent cases that truly differ: random effects."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tunebench.analysis.inference.student import t_quantile
from tunebench.core.records import record


@record
class Pooled:
    """
    Attributes:
        low, high: of the mean effect, with 95 % confidence; None of one case, which tells nothing of how cases differ.
        between: standard deviation of the true effects between cases.
    """

    cases: int
    estimate: float
    low: float | None
    high: float | None
    between: float


def pooled(effects: Sequence[float], errors: Sequence[float]) -> Pooled:
    """Mean effect of k cases, each with its standard error (both on a scale where effects add: logarithms of ratios).

    The variance between cases is DerSimonian's and Laird's (Controlled Clinical Trials 7, 1986), the interval Hartung's
    and Knapp's with k - 1 degrees of freedom (Statistics in Medicine 20, 2001), never narrower than by the usual error.

    Raises:
        ValueError: no case, or an error that is not above zero.
    """
    y, s = np.asarray(effects, dtype=np.float64), np.asarray(errors, dtype=np.float64)
    if not len(y) or not (s > 0).all():
        raise ValueError("cases with an error above zero")
    if len(y) == 1:
        return Pooled(1, float(y[0]), None, None, 0.0)
    w = 1 / s**2
    spread = float(np.sum(w * np.square(y - np.average(y, weights=w))))
    between = max(0.0, (spread - (len(y) - 1)) / float(w.sum() - np.square(w).sum() / w.sum()))
    w = 1 / (s**2 + between)
    estimate = float(np.average(y, weights=w))
    scale = max(1.0, float(np.sum(w * np.square(y - estimate))) / (len(y) - 1))
    reach = t_quantile(0.975, len(y) - 1) * float(np.sqrt(scale / w.sum()))
    return Pooled(len(y), estimate, estimate - reach, estimate + reach, float(np.sqrt(between)))
