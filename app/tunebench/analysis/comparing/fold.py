"""Occurrences laid over each other by time of day: what they usually were, and how far they lay apart."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

from tunebench.analysis.comparing.calendar_slots import local_ns
from tunebench.analysis.comparing.regular_samples import NS_PER_S, Floats
from tunebench.analysis.series import SeriesData
from tunebench.core.records import record

STEPS_S = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600)
MOST_STEPS = 180
_DAY_S = 86_400.0
_LEAST_OF_INTERVAL = 1.5
"""A step this much longer than the samples' distance holds one of them, however they lie."""


@record(eq=False)
class Fold:
    """One side, step by step of the day.

    Attributes:
        seconds: float64[n], the middle of each step since midnight, never below zero; past midnight it goes on.
        median, lowest, highest: float64[n], over the occurrences' means in the step; NaN where none was measured.
        step_s: length of a step, the same on either side.
        occurrences: how many were measured.
    """

    seconds: Floats
    median: Floats
    lowest: Floats
    highest: Floats
    step_s: float
    occurrences: int


def folded(sides: Sequence[Sequence[SeriesData]], zones: Sequence[ZoneInfo]) -> tuple[Fold, ...] | None:
    """The fold of each side; None where no side has occurrences on several days that share their hours.

    Args:
        sides: the occurrences of each, in the order of time.
        zones: by whose clock each side's go.
    """
    clocks: list[list[tuple[Floats, Floats]]] = []
    first_seen: Floats | None = None
    for side, zone in zip(sides, zones, strict=True):
        clocks.append([])
        for occurrence in side:
            counts = ~occurrence.since_boot & ~np.isnan(occurrence.values)
            if counts.any():
                seconds = _clock(occurrence.times_ns[counts], zone)
                first_seen = seconds if first_seen is None else first_seen
                seconds = seconds + _DAY_S * _days_from(first_seen, seconds)
                clocks[-1].append((seconds, occurrence.values[counts]))
    if not any(map(_several_days, sides, zones)) or not all(clocks):
        return None
    low, high = _ends([seconds for side in clocks for seconds, _ in side])
    if low < 0:
        clocks = [[(seconds + _DAY_S, values) for seconds, values in side] for side in clocks]
        low, high = low + _DAY_S, high + _DAY_S
    step_s = _step([seconds for side in clocks for seconds, _ in side], high - low)
    first, last = int(low // step_s), int(high // step_s)
    tables = [np.array([_levels(*own, step_s, first, last) for own in side]) for side in clocks]
    if not any(_share_hours(table) for table in tables):
        return None
    middles = np.asarray((np.arange(first, last + 1) + 0.5) * step_s, dtype=np.float64)
    return tuple(_fold(table, middles, step_s) for table in tables)


def _several_days(side: Sequence[SeriesData], zone: ZoneInfo) -> bool:
    starts = (int(occurrence.times_ns[0]) for occurrence in side if len(occurrence.times_ns))
    return len({datetime.fromtimestamp(start // NS_PER_S, zone).date() for start in starts}) > 1


def _clock(times_ns: NDArray[np.int64], zone: ZoneInfo) -> Floats:
    """Seconds of the zone's wall clock since the midnight before the first."""
    local = local_ns(times_ns, zone) / NS_PER_S
    return np.asarray(local - _DAY_S * np.floor(local[0] / _DAY_S), dtype=np.float64)


def _ends(every: Sequence[Floats]) -> tuple[float, float]:
    """The least and the largest, which need not be the first and the last where clocks go back."""
    return float(min(own.min() for own in every)), float(max(own.max() for own in every))


def _days_from(one: Floats, other: Floats) -> int:
    """Days to move `other` by, so that nights that begin on either side of midnight meet."""

    (low, high), (first, last) = _ends([one]), _ends([other])

    def shared(days: int) -> float:
        return max(min(high, last + _DAY_S * days) - max(low, first + _DAY_S * days), 0.0)

    return max((0, 1, -1), key=shared)


def _step(every: Sequence[Floats], length: float) -> float:
    """Seconds of a step: as long as the coarsest series needs, in at most as many steps as a picture shows."""
    spans = [float(np.median(np.diff(own))) for own in every if len(own) > 1]
    least = max(_LEAST_OF_INTERVAL * max(spans, default=1.0), length / MOST_STEPS)
    return float(next((step for step in STEPS_S if step >= least), STEPS_S[-1]))


def _levels(seconds: Floats, values: Floats, step_s: float, first: int, last: int) -> Floats:
    """Mean of one occurrence in each step."""
    index = (seconds // step_s).astype(np.int64) - first
    counts = np.bincount(index, minlength=last - first + 1)
    sums = np.bincount(index, values, minlength=last - first + 1)
    return np.asarray(np.divide(sums, counts, out=np.full(len(counts), np.nan), where=counts > 0), dtype=np.float64)


def _share_hours(table: Floats) -> bool:
    """Whether most steps of the day that were measured were so in several occurrences."""
    measured = np.isfinite(table).sum(axis=0)
    return bool((measured > 1).sum() * 2 > (measured > 0).sum())


def _fold(table: Floats, middles: Floats, step_s: float) -> Fold:
    measured = np.isfinite(table).any(axis=0)
    lines = np.full((3, len(middles)), np.nan)
    if measured.any():
        own = table[:, measured]
        lines[:, measured] = np.nanmedian(own, axis=0), np.nanmin(own, axis=0), np.nanmax(own, axis=0)
    return Fold(middles, lines[0], lines[1], lines[2], step_s, len(table))
