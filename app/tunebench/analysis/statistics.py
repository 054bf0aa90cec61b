"""Descriptive statistics of one series over one window."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

import numpy as np
from numpy.typing import NDArray

from tunebench.analysis.inference.quantiles import type7_at
from tunebench.analysis.series import SeriesData
from tunebench.core.records import record


@record
class Statistics:
    """Of the n samples that count; all figures are None where n is 0. Unit: the series' own.

    Percentiles interpolate linearly between order statistics (Hyndman and Fan 1996, type 7; the default
    of R, NumPy and Excel's PERCENTILE.INC), so that the customer's spreadsheet gives the same digits.

    Attributes:
        weighted: the mean is that of the requests whose means the samples are, not of the samples.
    """

    n: int
    missing: int
    minimum: float | None = None
    mean: float | None = None
    p50: float | None = None
    p95: float | None = None
    maximum: float | None = None
    weighted: bool = field(default=False, kw_only=True)


def describe(data: SeriesData) -> Statistics:
    """Statistics of a window; since-boot averages are left out, missing values counted."""
    of_interest = data.values[~data.since_boot]
    return describe_values(of_interest)


def describe_values(values: NDArray[np.float64]) -> Statistics:
    """Statistics of float64[n]; NaN counts as missing."""
    present = values[~np.isnan(values)]
    missing = len(values) - len(present)
    (statistics,) = described(present[np.newaxis], np.sort(present)[np.newaxis], [missing])
    return statistics


def described(present: NDArray[np.float64], ordered: NDArray[np.float64], missing: Sequence[int]) -> list[Statistics]:
    """Statistics of each row of float64[k, n] without NaN; `ordered` is the same in rising order."""
    k, n = present.shape
    if not n:
        return [Statistics(0, count) for count in missing]
    p50, p95 = (type7_at(ordered, np.full(k, p)).tolist() for p in (0.50, 0.95))
    figures = zip(missing, ordered[:, 0].tolist(), present.mean(axis=1).tolist(), p50, p95, strict=True)
    largest = ordered[:, -1].tolist()
    return [Statistics(n, *figure, maximum) for figure, maximum in zip(figures, largest, strict=True)]
