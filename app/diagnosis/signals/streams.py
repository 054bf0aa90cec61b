"""Figures over time, and how several of them come onto one axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from app.domain.series import GAP_FACTOR, SeriesInfo

Times = NDArray[np.int64]
Numbers = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Stream:
    """One figure of one thing.

    Attributes:
        times_ns: int64[n], rising.
        values: float64[n], or float64[k, n] where there is one row per processor; NaN where missing.
        series: the captured columns that it is read or computed from.
        since_boot: whether these are averages since boot, because nothing else was captured.
    """

    times_ns: Times
    values: Numbers
    series: tuple[SeriesInfo, ...] = ()
    interval_s: float | None = None
    since_boot: bool = False

    def __len__(self) -> int:
        return len(self.times_ns)

    @cached_property
    def measured(self) -> int:
        """Instants with a value."""
        present = ~np.isnan(self.values)
        return int((present.any(axis=0) if self.values.ndim == 2 else present).sum())


def same_axis(one: Times, other: Times) -> bool:
    return one is other or (len(one) == len(other) and np.array_equal(one, other))


def coarsest(streams: Sequence[Stream]) -> Stream:
    """The one whose samples lie furthest apart: onto its times the others are brought."""
    return max(streams, key=lambda stream: (spacing_ns(stream), -len(stream)))


def spacing_ns(stream: Stream) -> int:
    """Interval as captured, else the median step; 0 for a single sample."""
    if stream.interval_s:
        return round(stream.interval_s * 1e9)
    return int(np.median(np.diff(stream.times_ns))) if len(stream) > 1 else 0


def onto(stream: Stream, times_ns: Times, spacing: int) -> Numbers:
    """The stream's values at `times_ns`, which lie `spacing` ns apart.

    A finer stream gives the mean of what it has in the interval that each time ends; a coarser one its latest value,
    for as long as no gap lies behind it. NaN where it has nothing.
    """
    if same_axis(stream.times_ns, times_ns):
        return stream.values
    if not len(stream) or not len(times_ns):
        return np.full((*stream.values.shape[:-1], len(times_ns)), np.nan)
    own = spacing_ns(stream)
    if spacing and own <= spacing:
        return _means(stream, times_ns, spacing)
    return _held(stream, times_ns, round(GAP_FACTOR * max(own, spacing, 1)))


def _means(stream: Stream, times_ns: Times, spacing: int) -> Numbers:
    at = np.searchsorted(times_ns, stream.times_ns, side="left")
    inside = at < len(times_ns)
    inside[inside] &= times_ns[at[inside]] - stream.times_ns[inside] < spacing
    rows = np.atleast_2d(stream.values)
    means = np.full((len(rows), len(times_ns)), np.nan)
    for row, values in zip(means, rows, strict=True):
        good = inside & ~np.isnan(values)
        count = np.bincount(at[good], minlength=len(times_ns))
        total = np.bincount(at[good], weights=values[good], minlength=len(times_ns))
        np.divide(total, count, out=row, where=count > 0)
    return means if stream.values.ndim == 2 else means[0]


def _held(stream: Stream, times_ns: Times, reach: int) -> Numbers:
    at = np.searchsorted(stream.times_ns, times_ns, side="right") - 1
    known = at >= 0
    known[known] &= times_ns[known] - stream.times_ns[at[known]] <= reach
    values = np.full((*stream.values.shape[:-1], len(times_ns)), np.nan)
    values[..., known] = stream.values[..., at[known]]
    return values


def joined_series(streams: Sequence[Stream]) -> tuple[SeriesInfo, ...]:
    """The columns behind several streams, each once."""
    return tuple({info.id: info for stream in streams for info in stream.series}.values())
