"""Quantile regression: the line below which a share of the days lies."""

from __future__ import annotations

import numpy as np

from app.analysis.capacity.line import Floats, Line


def quantile_line(t: Floats, y: Floats, tau: float) -> Line:
    """Koenker and Bassett (1978) as a linear programme: least sum of tau-weighted residuals.

    Raises:
        ValueError: fewer than two points, or tau outside 0..1.
    """
    from scipy.optimize import linprog

    n = len(y)
    if n < 2 or not 0 < tau < 1:
        raise ValueError(f"{n} points, tau {tau}")
    # y = a + b t + above - below; a and b free, the two parts of the residual not negative
    unit = np.eye(n)
    found = linprog(
        np.concatenate([[0, 0], np.full(n, tau), np.full(n, 1 - tau)]),
        A_eq=np.column_stack([np.ones(n), t, unit, -unit]), b_eq=y,
        bounds=[(None, None)] * 2 + [(0, None)] * (2 * n), method="highs-ds",
    )  # fmt: skip
    return Line(float(found.x[1]), float(found.x[0]))
