"""Autocovariances of a series, as many lags as somebody asks for; NaN holds the place of a sample that is missing."""

from __future__ import annotations

from math import isfinite, nan, sqrt
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]

_ROUNDING = 1e-15
"""Deviations of this size beside the mean are those of the mean's own rounding: the series is constant."""
_DIRECT_LAGS, _SLOTS_PER_LAG = 24, 150
"""Up to so many lags (one per 150 slots) are quicker by products than by the Fourier transform of the whole."""


class Autocorrelation:
    """Of float64[n]: lag k by `at(k)`, computed when first asked for.

    With every sample present the autocovariance of lag k is the sum of the n - k products over n, which is what R's
    `acf` gives; with some missing the mean over the pairs that are there takes the place of the sum over n - k
    (Parzen 1963).

    Attributes:
        mean: NaN where no sample is present.
        usable: false where nothing varies: there is no correlation to speak of.
    """

    def __init__(self, values: Floats) -> None:
        present = ~np.isnan(values)
        self.count = int(np.count_nonzero(present))
        self.slots = len(values)
        self._mask = None if self.count == self.slots else present.astype(np.float64)
        self.mean = float((values if self._mask is None else values[present]).mean()) if self.count else nan
        deviations = values - self.mean
        self._deviations = deviations if self._mask is None else np.where(present, deviations, 0.0)
        self._power = float(np.dot(self._deviations, self._deviations))
        if self.count and sqrt(self._power / self.count) <= _ROUNDING * abs(self.mean):
            self._power, self.mean = 0.0, float(values[present.argmax()])
        self.usable = self.count > 1 and isfinite(self._power) and self._power > 0
        self._all: Floats | None = None

    @property
    def sum_of_squares(self) -> float:
        return self._power

    def at(self, lag: int) -> float:
        if lag == 0:
            return 1.0
        if lag >= self.slots or not self.usable:
            return 0.0
        if self._all is None and lag > max(_DIRECT_LAGS, self.slots // _SLOTS_PER_LAG):
            self._all = self._by_transform()
        return float(self._all[lag]) if self._all is not None else self._by_products(lag)

    def _by_products(self, lag: int) -> float:
        products = float(np.dot(self._deviations[:-lag], self._deviations[lag:]))
        if self._mask is None:
            return products / self._power
        return products / self._power * self._share(float(np.dot(self._mask[:-lag], self._mask[lag:])), lag)

    def _share(self, pairs: float, lag: int) -> float:
        """What turns a sum over the pairs that are there into one over all n - k, relative to the present samples."""
        return self.count / pairs * (1 - lag / self.slots) if pairs else 0.0

    def _by_transform(self) -> Floats:
        products = _products(self._deviations)
        if self._mask is None:
            return products / self._power
        pairs = np.rint(_products(self._mask))
        lags = np.arange(self.slots)
        shares = self.count / np.maximum(pairs, 1.0) * (1 - lags / self.slots)
        return np.where(pairs > 0, products / self._power * shares, 0.0)


def _products(values: Floats) -> Floats:
    """float64[n]: the sums of x[t] x[t + k] for every lag k."""
    count = len(values)
    size = _smooth_length(2 * count)
    spectrum = np.fft.rfft(values, size)
    power: Floats = np.fft.irfft(spectrum.real**2 + spectrum.imag**2, size)[:count]
    return power


def _smooth_length(least: int) -> int:
    """The smallest 2^a, 3 2^a or 5 2^a not below `least`: lengths the transform is quick at."""
    return min(factor << max(0, (-(-least // factor) - 1).bit_length()) for factor in (1, 3, 5))
