"""Descriptive statistics of one series over one window."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.analysis.inference.quantiles import type7_at
from app.analysis.series import SeriesData


@dataclass(frozen=True, slots=True)
class Statistics:
    """Of the n samples that count; all figures are None where n is 0. Unit: the series' own.

    Percentiles interpolate linearly between order statistics (Hyndman and Fan 1996, type 7; the default
    of R, NumPy and Excel's PERCENTILE.INC), so that the customer's spreadsheet gives the same digits.
    """

    n: int
    missing: int
    minimum: float | None = None
    mean: float | None = None
    p50: float | None = None
    p95: float | None = None
    maximum: float | None = None


def describe(data: SeriesData) -> Statistics:
    """Statistics of a window; since-boot averages are left out, missing values counted."""
    of_interest = data.values[~data.since_boot]
    return describe_values(of_interest)


def describe_values(values: NDArray[np.float64]) -> Statistics:
    """Statistics of float64[n]; NaN counts as missing."""
    present = values[~np.isnan(values)]
    return describe_ordered(present, np.sort(present), len(values) - len(present))


def describe_ordered(present: NDArray[np.float64], ordered: NDArray[np.float64], missing: int = 0) -> Statistics:
    """Statistics of float64[n] without NaN, and the same in rising order."""
    if not len(present):
        return Statistics(0, missing)
    return Statistics(
        n=len(present),
        missing=missing,
        minimum=float(ordered[0]),
        mean=float(present.mean()),
        p50=type7_at(ordered, 0.50),
        p95=type7_at(ordered, 0.95),
        maximum=float(ordered[-1]),
    )
