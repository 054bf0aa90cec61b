"""Envelopes on a common grid of time, and many of them as one band."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tunebench.analysis.series import Envelope

Floats = NDArray[np.float64]
LOW, MIDDLE, HIGH = 0.05, 0.5, 0.95
"""Of the things at a moment: below the band, the line, above the band."""


def on_grid(drawn: Sequence[Envelope], starts_ns: NDArray[np.int64], ends_ns: NDArray[np.int64]) -> Floats:
    """float64[c]: means of one thing's envelopes in c cells; NaN where there is none.

    Args:
        starts_ns, ends_ns: int64[c], of the cells, in the order of time; they may lie apart.
    """
    sums, counts = np.zeros(len(ends_ns)), np.zeros(len(ends_ns))
    for envelope in drawn:
        present = ~np.isnan(envelope.mean)
        middle = (envelope.times_ns[present] + envelope.end_ns[present]) // 2
        cell = np.searchsorted(starts_ns, middle, side="right") - 1
        inside = (cell >= 0) & (middle <= ends_ns[cell])
        np.add.at(sums, cell[inside], envelope.mean[present][inside])
        np.add.at(counts, cell[inside], 1)
    means: Floats = np.divide(sums, counts, out=np.full(len(ends_ns), np.nan), where=counts > 0)
    return means


def band_of(values: Floats, starts_ns: NDArray[np.int64], ends_ns: NDArray[np.int64]) -> Envelope:
    """Many things as one: median and 5th and 95th percentile of those that have a value in a cell.

    Args:
        values: float64[k, c].
    """
    ranked = np.sort(values, axis=0)  # what is missing comes last
    last = (~np.isnan(values)).sum(axis=0) - 1

    def at(share: float) -> Floats:
        index = np.maximum(np.round(share * last).astype(np.intp), 0)
        return np.asarray(ranked[index, np.arange(ranked.shape[1])])

    return Envelope(starts_ns, ends_ns, at(LOW), at(MIDDLE), at(HIGH), samples_per_bin=2)
