"""Quantile regression: the line below which a share of the days lies."""

from __future__ import annotations

import numpy as np

from tunebench.analysis.capacity.line import Floats, Line


def quantile_line(t: Floats, y: Floats, tau: float) -> Line:
    """Koenker and Bassett (1978) as a linear programme: least sum of tau-weighted residuals.

    Raises:
        ValueError: fewer than two points, or tau outside 0..1.
    """
    from scipy.optimize import linprog

    n = len(y)
    if n < 2 or not 0 < tau < 1:
        raise ValueError(f"{n} points, tau {tau}")
    # The dual: one weight of 0..1 per point and an equation for each of the two coefficients, which are its prices.
    columns = np.vstack([np.ones(n), t])
    optimum = linprog(-y, A_eq=columns, b_eq=(1 - tau) * columns.sum(axis=1), bounds=(0, 1), method="highs-ds")
    intercept, slope = -optimum.eqlin.marginals
    return Line(float(slope), float(intercept))
