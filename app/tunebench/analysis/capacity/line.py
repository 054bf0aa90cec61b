"""Robust trend lines: Theil-Sen, and Mann-Kendall with the variance of dependent samples."""

from __future__ import annotations

from math import erfc, sqrt

import numpy as np
from numpy.typing import NDArray

from tunebench.analysis.inference.student import t_quantile
from tunebench.core.records import record

Floats = NDArray[np.float64]
MOST_LAG1 = 0.95


@record
class Line:
    """slope per unit of t, value at t = 0."""

    slope: float
    intercept: float

    def at(self, t: Floats) -> Floats:
        return self.intercept + self.slope * t


@record
class MannKendall:
    """S, its variance with the correction for ties, Z with the correction for continuity, two-sided p."""

    s: int
    variance: float
    z: float
    p: float


@record
class Dependence:
    """How much the residuals of a line depend on their neighbours.

    Attributes:
        lag1: correlation of neighbouring residuals, as it comes.
        inflation: (1 + r) / (1 - r) with r = lag1 corrected for bias and kept within 0 to .95.
        n_eff: independent samples that n dependent ones are worth, at least 3.
    """

    lag1: float
    inflation: float
    n_eff: float


def pair_slopes(t: Floats, y: Floats) -> Floats:
    """Slopes of all pairs of points, sorted."""
    first, second = np.triu_indices(len(t), 1)
    apart = t[second] - t[first]
    return np.sort((y[second] - y[first])[apart != 0] / apart[apart != 0])


def theil_sen(t: Floats, y: Floats) -> Line:
    """The median of the slopes of all pairs; the line goes through the medians of t and y."""
    slope = float(np.median(pair_slopes(t, y)))
    return Line(slope, float(np.median(y)) - slope * float(np.median(t)))


def halving_line(t: Floats, y: Floats) -> Line:
    """The same slope; half of the values lie above the line and half below.

    Through the medians of t and y it would lie off them wherever they do not scatter evenly about it.
    """
    slope = float(np.median(pair_slopes(t, y)))
    return Line(slope, float(np.median(y - slope * t)))


def least_squares(t: Floats, y: Floats) -> Line:
    centred = t - t.mean()
    slope = float(centred @ y) / float(centred @ centred)
    return Line(slope, float(y.mean()) - slope * float(t.mean()))


def mann_kendall(y: Floats, inflation: float = 1.0) -> MannKendall:
    """Does y rise or fall? `inflation` multiplies the variance for samples that depend on each other.

    The exact variance of S under independence and ties (Kendall 1975).
    """
    n = len(y)
    s = int(sum(np.sign(y[index + 1 :] - y[index]).sum() for index in range(n - 1)))
    ties = np.unique(y, return_counts=True)[1].astype(np.float64)
    variance = (n * (n - 1) * (2 * n + 5) - float((ties * (ties - 1) * (2 * ties + 5)).sum())) / 18
    if s == 0 or variance <= 0:
        return MannKendall(s, variance, 0.0, 1.0)
    z = (s - np.sign(s)) / sqrt(variance * inflation)
    return MannKendall(s, variance, float(z), erfc(abs(float(z)) / sqrt(2)))


def slope_interval(t: Floats, y: Floats, inflation: float = 1.0, confidence: float = 0.95) -> tuple[float, float]:
    """Sen's interval of the slope (1968): order statistics of the pairs' slopes, from the variance of S."""
    slopes = pair_slopes(t, y)
    half = t_quantile((1 + confidence) / 2, float("inf")) * sqrt(max(mann_kendall(y).variance, 0.0) * inflation)
    last = len(slopes) - 1
    low, high = (last - half) / 2, (last + half) / 2
    places = np.arange(len(slopes))
    return (float(np.interp(max(low, 0), places, slopes)), float(np.interp(min(high, last), places, slopes)))


def dependence(t: Floats, residuals: Floats) -> Dependence:
    """Dependence of a line's residuals at whole days t; only neighbouring days count, a missing day parts them."""
    n = len(residuals)
    squares = float(residuals @ residuals)
    neighbours = np.flatnonzero(np.diff(t) == 1)
    if squares <= 0 or not len(neighbours):
        return Dependence(0.0, 1.0, float(max(n, 3)))
    products = float(residuals[neighbours] @ residuals[neighbours + 1])
    lag1 = products * (n - 1) / len(neighbours) / squares
    corrected = min(max(lag1 + (1 + 4 * lag1) / n, 0.0), MOST_LAG1)
    inflation = (1 + corrected) / (1 - corrected)
    return Dependence(lag1, inflation, max(n / inflation, 3.0))
