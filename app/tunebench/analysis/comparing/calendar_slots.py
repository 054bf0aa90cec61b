"""Hours of two windows that belong together: the same hour of the same class of weekday."""

from __future__ import annotations

from collections.abc import Container, Sequence
from datetime import UTC, date, datetime
from functools import lru_cache
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

from tunebench.analysis.comparing.regular_samples import NS_PER_S, Floats, Samples, Stacked, Times, same_times
from tunebench.core.grouping import by_key
from tunebench.core.records import record

QUARTER_NS = 900 * NS_PER_S
"""Every zone's offset is a whole number of these."""
LEAST_FILLED = 0.75
_CLOCKS_KEPT = 256
_HOUR_S = 3600
_WORKDAY, _SATURDAY, _SUNDAY = range(3)


def local_ns(times_ns: Times, zone: ZoneInfo) -> Times:
    """Wall-clock times as if they were UTC; zones change their offset at quarters of an hour at the finest."""
    quarters, inverse = np.unique(times_ns // QUARTER_NS, return_inverse=True)
    moments = (datetime.fromtimestamp(int(quarter) * 900, UTC).astimezone(zone) for quarter in quarters)
    offsets = [int((moment.utcoffset() or moment - moment).total_seconds()) for moment in moments]
    local: Times = times_ns + np.array(offsets, np.int64)[inverse] * NS_PER_S
    return local


@record(eq=False)
class Quarters:
    """Where the quarters of an hour begin among samples, how many samples each has, and its local hour."""

    times_ns: Times
    starts: NDArray[np.int64]
    counts: NDArray[np.int64]
    hours: NDArray[np.int64]


class Calendar:
    """Local hours of UTC instants; each quarter of an hour is looked up once, and each table's clock.

    Attributes:
        days_off: ordinals of days that are of the class of a Sunday; None where nobody knows them.
    """

    def __init__(self, zone: ZoneInfo, days_off: Container[int] | None = None) -> None:
        self.zone = zone
        self.days_off = days_off
        self._hours: dict[int, int] = {}
        self._clocks: dict[tuple[int, int, int], Quarters] = {}

    def hour_of(self, quarter: int) -> int:
        """The hour that a quarter (UTC ns // `QUARTER_NS`) lies in, counted from day one of the calendar."""
        hour = self._hours.get(quarter)
        if hour is None:
            local = datetime.fromtimestamp(quarter * 900, tz=UTC).astimezone(self.zone)
            hour = self._hours[quarter] = 24 * local.toordinal() + local.hour
        return hour

    def quarters_of(self, times_ns: Times) -> Quarters:
        """The quarters of rising times, int64[n >= 1]; the columns of a table share their times, and so the answer."""
        key = (len(times_ns), int(times_ns[0]), int(times_ns[-1]))
        known_clock = self._clocks.get(key)
        if known_clock is not None and same_times(known_clock.times_ns, times_ns):
            return known_clock
        quarters = times_ns // QUARTER_NS
        starts = np.flatnonzero(np.diff(quarters, prepend=quarters[0] - 1))
        hours = np.array([self.hour_of(quarter) for quarter in quarters[starts].tolist()], dtype=np.int64)
        clock = Quarters(times_ns, starts, np.diff(starts, append=len(quarters)), hours)
        if len(self._clocks) >= _CLOCKS_KEPT:
            self._clocks.clear()
        self._clocks[key] = clock
        return clock

    def hours_of(self, samples: Samples) -> NDArray[np.int64]:
        """int64[n]: the hour of each sample."""
        clock = self.quarters_of(samples.times_ns)
        return np.repeat(clock.hours, clock.counts)


Calendars = tuple[Calendar, Calendar]
"""Of the side before, and of the one after: each goes by its own."""


def day_class(day: int, holidays: Container[int] = ()) -> int:
    """Working day, Saturday or Sunday of a day (ordinal); a holiday is of the class of a Sunday."""
    weekday = 6 if day in holidays else date.fromordinal(day).weekday()
    return _WORKDAY if weekday < 5 else _SATURDAY if weekday == 5 else _SUNDAY


Hourly = tuple[NDArray[np.int64], Floats]
"""Hours, and float64[k, hours], the means of their samples; NaN where no work was done."""


def hourly_means(together: Stacked, calendar: Calendar) -> Hourly:
    """Means of the hours that are three quarters filled, weighted where there are weights."""
    first, values, weights = together.first, together.values, together.weights
    if not len(first) or not first.interval_s:
        return np.empty(0, np.int64), np.empty((len(values), 0))
    quarters = calendar.quarters_of(first.times_ns)
    hours, places = np.unique(quarters.hours, return_index=True)
    starts = quarters.starts[places]
    counts = np.diff(starts, append=len(first))
    loads = np.broadcast_to(counts, (len(values), len(counts)))
    if weights is not None:
        values, loads = values * weights, np.add.reduceat(weights, starts, axis=1)
    means = np.full(loads.shape, np.nan)
    np.divide(np.add.reduceat(values, starts, axis=1), loads, out=means, where=loads > 0)
    filled = counts >= LEAST_FILLED * _HOUR_S / first.interval_s
    return hours[filled], means[:, filled]


@lru_cache(maxsize=_CLOCKS_KEPT)
def matched_hours(before: tuple[int, ...], after: tuple[int, ...]) -> list[tuple[int, int]]:
    """Pairs of hours: those of the same weekday first, then those of the same class of weekday; in the order of the
    before side."""
    pairs: list[tuple[int, int]] = []
    earlier, later = sorted(before), sorted(after)
    for key in (_weekday_key, _class_key):
        waiting: dict[tuple[int, int], list[int]] = {}
        for hour in later:
            waiting.setdefault(key(hour), []).append(hour)
        rest = []
        for hour in earlier:
            fitting = waiting.get(key(hour))
            if fitting:
                pairs.append((hour, fitting.pop(0)))
            else:
                rest.append(hour)
        earlier, later = rest, sorted(hour for own in waiting.values() for hour in own)
    return sorted(pairs)


def _weekday_key(hour: int) -> tuple[int, int]:
    return date.fromordinal(hour // 24).weekday(), hour % 24


def _class_key(hour: int) -> tuple[int, int]:
    return day_class(hour // 24), hour % 24


@record(eq=False)
class PairedHours:
    """float64[m] each: means of hours that belong together, `hours` of the before and the after side; `positive` where
    all are above zero."""

    hours: Sequence[tuple[int, int]]
    before: Floats
    after: Floats
    positive: bool

    def __len__(self) -> int:
        return len(self.hours)


def paired(before: Hourly, after: Hourly) -> list[PairedHours]:
    """The matching hours of each row, among those in which work was done."""
    measured = np.hstack([np.isfinite(means) for _, means in (before, after)])
    groups = by_key((row.tobytes(), number) for number, row in enumerate(measured))
    pairs_by_row: dict[int, PairedHours] = {}
    for rows in groups.values():
        sides = []
        for hours, means in (before, after):
            own = np.isfinite(means[rows[0]])
            sides.append((hours[own].tolist(), means[rows][:, own]))
        pairs = matched_hours(*(tuple(hours) for hours, _ in sides))
        first, second = (
            means[:, [hours.index(pair[which]) for pair in pairs]] for which, (hours, means) in enumerate(sides)
        )
        positive = np.logical_and((first > 0).all(axis=1), (second > 0).all(axis=1)).tolist()
        for row, *own in zip(rows, first, second, positive, strict=True):
            pairs_by_row[row] = PairedHours(pairs, *own)
    return [pairs_by_row[row] for row in range(len(measured))]
