"""Many tests at once: adjusted p-values. NaN (not tested) stays NaN and does not count."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tunebench.analysis.inference.autocovariance import Floats


def benjamini_hochberg(p_values: Floats) -> Floats:
    """Controls the share of false discoveries (Benjamini & Hochberg, JRSS B 57, 1995)."""
    return _adjusted(p_values, step_up=True)


def adjusted_together(p_values: Iterable[float | None]) -> list[float]:
    """p-values adjusted by `benjamini_hochberg`; NaN where there is no p."""
    numbers = np.array([np.nan if p is None else p for p in p_values], dtype=np.float64)
    return [float(p) for p in benjamini_hochberg(numbers)]


def holm(p_values: Floats) -> Floats:
    """Controls the chance of any false discovery (Holm, Scandinavian Journal of Statistics 6, 1979)."""
    return _adjusted(p_values, step_up=False)


def _adjusted(p_values: Floats, *, step_up: bool) -> Floats:
    tested = np.flatnonzero(~np.isnan(p_values))
    order = tested[np.argsort(p_values[tested], kind="stable")]
    ordered = p_values[order]
    count = len(order)
    ranks = np.arange(1, count + 1)
    if step_up:
        running = np.minimum.accumulate((ordered * count / ranks)[::-1])[::-1]
    else:
        running = np.maximum.accumulate(ordered * (count + 1 - ranks))
    adjusted = np.full(len(p_values), np.nan)
    adjusted[order] = np.minimum(running, 1.0)
    return adjusted
