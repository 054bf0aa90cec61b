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


def remembers_too_long(values: Floats) -> bool:
    """A Hurst exponent above .75 by the local Whittle estimate (Robinson 1995) of what a first-order autoregression
    leaves, or a root of that above .97. NaN keeps the place of a missing sample; false below 128 samples."""
    present = ~np.isnan(values)
    if int(present.sum()) < _FEWEST:
        return False
    x = np.where(present, values, values[present].mean()) - values[present].mean()
    power = float(x @ x)
    if power <= 0:
        return False
    root = min(float(x[1:] @ x[:-1]) / power, 0.999)
    return root > MOST_ROOT or _local_whittle(x[1:] - root * x[:-1]) + 0.5 > MOST_HURST


def _local_whittle(x: Floats) -> float:
    """d of a spectrum that falls like f^(-2d) towards zero."""
    count = int(len(x) ** _SHARE)
    spectrum = np.abs(np.fft.rfft(x)[1 : count + 1]) ** 2
    powers, means = _powers(count)
    with np.errstate(divide="ignore"):
        target = np.log(powers @ spectrum) - means
    return float(_GRID[int(np.argmin(target))])


@lru_cache(maxsize=64)
def _powers(count: int) -> tuple[Floats, Floats]:
    """The frequencies to twice each d of the grid, and the means of their logarithms."""
    logs = np.log(np.arange(1, count + 1))
    return np.exp(2 * np.outer(_GRID, logs)), 2 * _GRID * logs.mean()
