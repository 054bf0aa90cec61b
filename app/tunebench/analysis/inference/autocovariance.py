"""Autocovariances of series, as many lags as somebody asks for; NaN holds the place of a sample that is missing."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Places: TypeAlias = NDArray[np.intp]

_ROUNDING = 1e-15
"""Deviations of this size beside the mean are those of the mean's own rounding: the series is constant."""
_DIRECT_LAGS, _SLOTS_PER_LAG = 24, 150
"""Up to so many lags (one per 150 slots) are quicker by products than by the Fourier transform of the whole."""


class Autocorrelation:
    """Autocorrelation of the rows of float64[k, n], each a series; a lag is computed when first asked for.

    With every sample present the autocovariance of lag k is the sum of the n - k products over n, which is what R's
    `acf` gives; with some missing the mean over the pairs that are there takes the place of the sum over n - k
    (Parzen 1963).

    Attributes:
        count: int[k], samples that are there.
        mean: float64[k]; NaN where no sample is present.
        usable: bool[k]; false where nothing varies: there is no correlation to speak of.
        sum_of_squares: float64[k], about the mean.
    """

    def __init__(self, values: Floats) -> None:
        present = ~np.isnan(values)
        self.count: Places = np.count_nonzero(present, axis=1)
        self.slots = values.shape[1]
        self._mask = None if bool((self.count == self.slots).all()) else present.astype(np.float64)
        if self._mask is None and self.slots:
            self.mean = np.asarray(values.mean(axis=1))
        else:  # each of the samples that are there, in their order
            means = [row[own].mean() if own.any() else np.nan for row, own in zip(values, present, strict=True)]
            self.mean = np.array(means, dtype=np.float64)
        deviations = values - self.mean[:, np.newaxis]
        self._deviations = deviations if self._mask is None else np.where(present, deviations, 0.0)
        with np.errstate(over="ignore", invalid="ignore"):
            power = np.vecdot(self._deviations, self._deviations)
        rounding = _ROUNDING * np.abs(self.mean)
        constant = (self.count > 0) & (np.sqrt(power / np.maximum(self.count, 1)) <= rounding)
        for row in np.flatnonzero(constant):
            power[row], self.mean[row] = 0.0, values[row, present[row].argmax()]
        self.sum_of_squares: Floats = power
        self.usable = np.isfinite(power) & (power > 0)
        self._all: Floats | None = None

    def at(self, lag: int, rows: Places | None = None) -> Floats:
        """float64[k]; or of some rows, of which fewer and fewer may be asked for."""
        rows = np.arange(len(self.count)) if rows is None else rows
        if lag == 0 or lag >= self.slots:
            return np.full(len(rows), float(lag == 0))
        if self._all is None and lag > max(_DIRECT_LAGS, self.slots // _SLOTS_PER_LAG):
            self._all = np.zeros((len(self.count), self.slots))
            self._all[rows] = self._by_transform(rows)
        correlation = self._all[rows, lag] if self._all is not None else self._by_products(lag, rows)
        return np.where(self.usable[rows], correlation, 0.0)

    def _by_products(self, lag: int, rows: Places) -> Floats:
        deviations = _taken(self._deviations, rows)
        with np.errstate(divide="ignore", invalid="ignore"):  # nothing varies
            correlation: Floats = np.vecdot(deviations[:, :-lag], deviations[:, lag:]) / self.sum_of_squares[rows]
        if self._mask is None:
            return correlation
        mask = _taken(self._mask, rows)
        pairs = np.vecdot(mask[:, :-lag], mask[:, lag:])
        return correlation * np.where(
            pairs > 0, self.count[rows] / np.maximum(pairs, 1.0) * (1 - lag / self.slots), 0.0
        )

    def _by_transform(self, rows: Places) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            correlation = _products(_taken(self._deviations, rows)) / self.sum_of_squares[rows, np.newaxis]
        if self._mask is None:
            return correlation
        pairs = np.rint(_products(_taken(self._mask, rows)))
        shares = self.count[rows, np.newaxis] / np.maximum(pairs, 1.0) * (1 - np.arange(self.slots) / self.slots)
        return np.where(pairs > 0, correlation * shares, 0.0)


def _taken(table: Floats, rows: Places) -> Floats:
    return table if len(rows) == len(table) else table[rows]


def _products(values: Floats) -> Floats:
    """float64[k, n]: the sums of x[t] x[t + lag] of each row for every lag."""
    count = values.shape[1]
    size = _smooth_length(2 * count)
    spectrum = np.fft.rfft(values, size)
    power: Floats = np.fft.irfft(spectrum.real**2 + spectrum.imag**2, size)[:, :count]
    return power


def _smooth_length(least: int) -> int:
    """The smallest 2^a, 3 2^a or 5 2^a not below `least`: lengths the transform is quick at."""
    return min(factor << max(0, (-(-least // factor) - 1).bit_length()) for factor in (1, 3, 5))
