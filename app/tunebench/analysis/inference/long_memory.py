"""Whether a stretch of a series remembers for so long that it cannot know its own uncertainty."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from tunebench.analysis.inference.autocovariance import Floats

MOST_HURST = 0.75
MOST_ROOT = 0.97
_FEWEST = 128
_SHARE = 0.6
"""n to this power frequencies, the lowest, are looked at."""
_GRID = np.linspace(-0.45, 0.95, 57)


def remember_too_long(values: Floats) -> list[bool]:
    """Of each row of float64[k, n], which have their gaps (NaN) in the same places: a Hurst exponent above .75 by the
    local Whittle estimate (Robinson 1995) of what a first-order autoregression leaves, or a root of that above .97.
    False below 128 samples."""
    present = ~np.isnan(values[0])
    remember = np.zeros(len(values), dtype=bool)
    if int(present.sum()) < _FEWEST:
        return remember.tolist()
    means = values[:, present].mean(axis=1)[:, np.newaxis]
    x = np.where(present, values, means) - means
    power = np.vecdot(x, x)
    varying = np.flatnonzero(power > 0)
    x = x[varying]
    roots = np.minimum(np.vecdot(x[:, 1:], x[:, :-1]) / power[varying], 0.999)
    hurst = _local_whittle(x[:, 1:] - roots[:, np.newaxis] * x[:, :-1]) + 0.5
    remember[varying] = (roots > MOST_ROOT) | (hurst > MOST_HURST)
    return remember.tolist()


def _local_whittle(x: Floats) -> Floats:
    """d of spectra that fall like f^(-2d) towards zero, of each row of float64[k, n]."""
    count = int(x.shape[1] ** _SHARE)
    spectra = np.abs(np.fft.rfft(x)[:, 1 : count + 1]) ** 2
    powers, means = _powers(count)
    with np.errstate(divide="ignore"):
        targets = np.log(np.matvec(powers, spectra)) - means
    return np.asarray(_GRID[np.argmin(targets, axis=1)])


@lru_cache(maxsize=64)
def _powers(count: int) -> tuple[Floats, Floats]:
    """The frequencies to twice each d of the grid, and the means of their logarithms."""
    logs = np.log(np.arange(1, count + 1))
    return np.exp(2 * np.outer(_GRID, logs)), 2 * _GRID * logs.mean()
