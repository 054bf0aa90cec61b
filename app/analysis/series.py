"""Arrays of one series, as the store reads them and charts and statistics use them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class SeriesData:
    """Samples of one series, n of them, in the order of time.

    Attributes:
        times_ns: int64[n], UTC.
        values: float64[n], in the series' own unit; NaN where missing.
        since_boot: bool[n], averages since boot: shown as flagged, left out of every statistic.
        line_numbers: int64[n], where in the artefact each sample stands.
    """

    times_ns: NDArray[np.int64]
    values: NDArray[np.float64]
    since_boot: NDArray[np.bool_]
    line_numbers: NDArray[np.int64]

    def measured(self) -> NDArray[np.float64]:
        """The values that count: neither missing nor since boot."""
        return self.values[~self.since_boot & ~np.isnan(self.values)]


@dataclass(frozen=True, slots=True)
class Envelope:
    """What a chart draws of a series: k bins of `samples_per_bin` samples.

    `minimum` and `maximum` hold every spike; a bin without samples, and a row standing for a gap, is NaN.
    Since-boot samples are not in it.
    """

    times_ns: NDArray[np.int64]
    end_ns: NDArray[np.int64]
    minimum: NDArray[np.float64]
    mean: NDArray[np.float64]
    maximum: NDArray[np.float64]
    samples_per_bin: int
