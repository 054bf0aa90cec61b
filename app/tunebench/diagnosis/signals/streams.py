"""Figures over time, and how several of them come onto one axis."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tunebench.domain.engagement import Direction
from tunebench.domain.series import GAP_FACTOR, SeriesInfo

Times = NDArray[np.int64]
Numbers = NDArray[np.float64]
_ROWS_AT_ONCE = 64
Reducing = Callable[[Numbers], Numbers]
"""Makes float64[k] of the rows of float64[k, n]."""


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


@dataclass(frozen=True, eq=False)
class Table:
    """One figure of several things on one clock.

    Attributes:
        names: of the things, in the order of the rows; one that is empty: the host's own, which serves its things too.
        values: float64[things, n], or float64[things, k, n] where there is one row per processor; NaN where missing.
        series: of each thing, the captured columns that it is read or computed from.
    """

    names: tuple[str, ...]
    times_ns: Times
    values: Numbers
    series: Sequence[tuple[SeriesInfo, ...]]
    interval_s: float | None = None
    since_boot: bool = False

    def __len__(self) -> int:
        return len(self.times_ns)

    @cached_property
    def measured(self) -> NDArray[np.bool_]:
        """Whether each thing has a value at any instant."""
        return np.asarray(~np.isnan(self.values).all(axis=tuple(range(1, self.values.ndim))))

    @cached_property
    def _rows(self) -> list[Stream]:
        rows = zip(self.values, self.series, strict=True)
        return [Stream(self.times_ns, values, own, self.interval_s, self.since_boot) for values, own in rows]

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: row for row, name in enumerate(self.names)}

    def place(self, name: str) -> int:
        return self._places.get(name, 0)

    def of(self, name: str) -> Stream:
        return self._rows[self.place(name)]

    def taken(self, names: tuple[str, ...]) -> Table:
        """The rows of these things."""
        if self.names in (names, ("",)):
            return self
        places = [self.place(name) for name in names]
        return replace(self, names=names, values=self.values[places], series=[self.series[row] for row in places])

    @cached_property
    def busiest(self) -> Numbers:
        """float64[things, n]: of several processors the busiest; one that was not there counts for nothing."""
        return np.fmax.reduce(self.values, axis=-2) if self.values.ndim == 3 else self.values

    def telling(self, direction: Direction) -> Numbers:
        """float64[things]: the worst of each."""
        return self.reduced(lowest if direction is Direction.HIGHER else highest)

    def reduced(self, figure: Reducing) -> Numbers:
        """float64[things]: `figure` of what each thing has (of several processors of the busiest), worked out once."""
        if figure not in self._reduced:
            self._reduced[figure] = of_present(self.busiest, figure)
        return self._reduced[figure]

    @cached_property
    def _reduced(self) -> dict[Reducing, Numbers]:
        return {}


OverTime = Stream | Table
_Some = TypeVar("_Some", Stream, Table)


def median(values: Numbers) -> Numbers:
    """float64[k]: the figure of each row of float64[k, n]."""
    return np.asarray(np.median(values, axis=-1))


def lowest(values: Numbers) -> Numbers:
    """float64[k]: the figure of each row of float64[k, n]."""
    return np.asarray(values.min(axis=-1))


def highest(values: Numbers) -> Numbers:
    """float64[k]: the figure of each row of float64[k, n]."""
    return np.asarray(values.max(axis=-1))


def of_present(rows: Numbers, figure: Reducing) -> Numbers:
    """float64[k]: `figure` of what each row of float64[k, n] has; NaN where it has nothing."""
    gaps = np.isnan(rows)
    present = ~gaps.any(axis=-1) & (rows.shape[-1] > 0)
    figures = np.full(len(rows), np.nan)
    if present.any():
        figures[present] = figure(rows if present.all() else rows[present])
    for row in np.flatnonzero(~present & ~gaps.all(axis=-1)):
        figures[row] = figure(rows[row][~gaps[row]][np.newaxis])[0]
    return figures


def in_blocks(rows: Numbers) -> Iterator[Numbers]:
    """Some rows after the others, as views: what is worked out on the way of some stays in the processor's cache."""
    for first in range(0, len(rows), _ROWS_AT_ONCE):
        yield rows[first : first + _ROWS_AT_ONCE]


def same_axis(one: Times, other: Times) -> bool:
    return one is other or (len(one) == len(other) and np.array_equal(one, other))


def coarsest(streams: Sequence[_Some]) -> _Some:
    """The one whose samples lie furthest apart: onto its times the others are brought."""
    return max(streams, key=lambda stream: (spacing_ns(stream), -len(stream)))


def spacing_ns(stream: OverTime) -> int:
    """Interval as captured, else the median step; 0 for a single sample."""
    if stream.interval_s:
        return round(stream.interval_s * 1e9)
    return int(np.median(np.diff(stream.times_ns))) if len(stream) > 1 else 0


def onto(stream: OverTime, times_ns: Times, spacing: int) -> Numbers:
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


def _means(stream: OverTime, times_ns: Times, spacing: int) -> Numbers:
    at = np.searchsorted(times_ns, stream.times_ns, side="left")
    inside = at < len(times_ns)
    inside[inside] &= times_ns[at[inside]] - stream.times_ns[inside] < spacing
    rows = stream.values.reshape(-1, len(stream))
    means = np.full((len(rows), len(times_ns)), np.nan)
    for row, values in zip(means, rows, strict=True):
        good = inside & ~np.isnan(values)
        count = np.bincount(at[good], minlength=len(times_ns))
        total = np.bincount(at[good], weights=values[good], minlength=len(times_ns))
        np.divide(total, count, out=row, where=count > 0)
    return means.reshape(*stream.values.shape[:-1], len(times_ns))


def _held(stream: OverTime, times_ns: Times, reach: int) -> Numbers:
    at = np.searchsorted(stream.times_ns, times_ns, side="right") - 1
    covered = at >= 0
    covered[covered] &= times_ns[covered] - stream.times_ns[at[covered]] <= reach
    values = np.full((*stream.values.shape[:-1], len(times_ns)), np.nan)
    values[..., covered] = stream.values[..., at[covered]]
    return values
