"""Many samples a day to one figure a day: the 95th percentile of the busy hours."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from tunebench.analysis.capacity.line import Floats
from tunebench.core.records import record

Ints = NDArray[np.int64]

HOUR_NS = 3_600_000_000_000
DAY_NS = 24 * HOUR_NS
PERCENTILE = 0.95
_FLAT = 0.20
"""Hours that differ by less than this share of the busiest are all busy alike."""
_RANGE_ERRORS = 5.0
_LEAST_COVERED = 0.5
_GAP_STEPS = 3


@record
class DailyLevels:
    """One figure for each day that was measured; the others are not there.

    Attributes:
        days: int64[n], local calendar days since 1970-01-01, ascending.
        values: float64[n], in the unit of the samples.
        samples: int64[n], how many of the busy hours' samples each rests on.
        hours: the hours of the day (0..23) that count.
        left_out: days that samples cover for less than half of these hours, `least_hours`.
    """

    days: Ints
    values: Floats
    samples: Ints
    hours: tuple[int, ...]
    left_out: int

    @property
    def least_hours(self) -> float:
        return _LEAST_COVERED * len(self.hours)


def daily_levels(local_ns: Ints, values: Floats, hours: Collection[int] | None = None) -> DailyLevels:
    """Harrell-Davis 95th percentile of each day's busy hours.

    Args:
        local_ns: int64[n], ascending, local time as if it were UTC; a stamp at full hour belongs to the hour it ends.
        values: float64[n], NaN where missing.
        hours: what counts; None finds them.
    """
    present = ~np.isnan(values)
    begin_ns, measured = local_ns[present] - 1, values[present]
    days, hour_of = begin_ns // DAY_NS, begin_ns % DAY_NS // HOUR_NS
    counted = busy_hours(hour_of, measured) if hours is None else tuple(sorted(set(hours)))
    inside = np.isin(hour_of, counted)
    days, hour_of, measured = days[inside], hour_of[inside], measured[inside]
    present_hours = [hour for hour in counted if (hour_of == hour).any()]
    return _percentiles(days, begin_ns[inside], measured, tuple(present_hours))


def busy_hours(hour_of: Ints, values: Floats) -> tuple[int, ...]:
    """The hours whose median, over all days, reaches the middle between the quietest hour's and the busiest hour's."""
    medians = {int(hour): float(np.median(values[hour_of == hour])) for hour in np.unique(hour_of)}
    if not medians:
        return ()
    low, high = min(medians.values()), max(medians.values())
    if not high - low > max(_FLAT * abs(high), _by_chance(hour_of, values)):
        return tuple(medians)
    return tuple(hour for hour, median in medians.items() if median >= (low + high) / 2)


def _by_chance(hour_of: Ints, values: Floats) -> float:
    """How much the medians of 24 equal hours may differ by chance: about five of their standard errors."""
    errors = []
    for hour in np.unique(hour_of):
        own = values[hour_of == hour]
        low, high = np.percentile(own, (25, 75))
        errors.append((high - low) / 1.349 * 1.2533 / np.sqrt(len(own)))
    return _RANGE_ERRORS * float(np.median(errors))


def _percentiles(days: Ints, local_ns: Ints, values: Floats, hours: tuple[int, ...]) -> DailyLevels:
    distinct, starts, counts = np.unique(days, return_index=True, return_counts=True)
    kept, levels = [], []
    usual_ns = float(np.median(np.diff(local_ns))) if len(local_ns) > 1 else 0.0
    for index, (start, count) in enumerate(zip(starts, counts, strict=True)):
        if _covered_ns(local_ns[start : start + count], usual_ns) >= _LEAST_COVERED * len(hours) * HOUR_NS:
            kept.append(index)
            levels.append(_percentile(values[start : start + count]))
    return DailyLevels(distinct[kept], np.array(levels, np.float64), counts[kept], hours, len(distinct) - len(kept))


def _covered_ns(times_ns: Ints, usual_ns: float) -> float:
    """How long a day's samples stand for, each for the step before it; across a gap for the usual step of the day.

    A day's only sample stands for the usual step of all: a figure that is taken once a night is one of the day.
    """
    if len(times_ns) == 1:
        return usual_ns
    steps = np.diff(times_ns)
    usual = float(np.median(steps))
    return usual + float(np.where(steps > _GAP_STEPS * usual, usual, steps).sum())


def _percentile(values: Floats) -> float:
    if not np.isfinite(values).all():
        return float("inf")
    if values.min() == values.max():
        return float(values[0])
    from tunebench.analysis.inference.quantiles import harrell_davis

    return harrell_davis(values, [PERCENTILE])[0]
