"""How busy each hour of each day was, which hours are the busy ones, and what comes every night."""

from __future__ import annotations

from collections.abc import Container, Sequence
from datetime import date, datetime, time
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

from tunebench.core.records import record

HOURS = 24
BUSY_SHARE = 0.75
"""Of the busiest hour's mean: what comes near it is busy too."""
NIGHT = (*range(6), 22, 23)
NIGHTLY_SHARE, NIGHTLY_FACTOR = 0.8, 1.5
"""On so many days an hour of the night is so much higher than the hours beside it."""
_NS_PER_S = 1_000_000_000

Floats = NDArray[np.float64]


@record(eq=False)
class DayHours:
    """
    Attributes:
        days: in order, those without any sample too.
        values: float64[d, 24], the mean of each hour; NaN where nothing was measured.
        works: bool[d], whether it is a working day.
    """

    days: tuple[date, ...]
    values: Floats
    works: NDArray[np.bool_]

    @property
    def workday(self) -> Floats:
        """float64[24], the mean over working days, all days where there are none."""
        rows = self.values[self.works] if self.works.any() else self.values
        counts = (~np.isnan(rows)).sum(axis=0)
        sums = np.nansum(rows, axis=0)
        means: Floats = np.divide(sums, counts, out=np.full(HOURS, np.nan), where=counts > 0)
        return means


def day_hours(
    times_ns: NDArray[np.int64], values: Floats, zone: ZoneInfo, days_off: Container[int] | None
) -> DayHours | None:
    """None where there is no value.

    Args:
        times_ns, values: int64[n] and float64[n], UTC, in the order of time.
        days_off: ordinals of the days on which nobody works, beside Saturdays and Sundays.
    """
    present = ~np.isnan(values)
    times, values = times_ns[present], values[present]
    if not times.size:
        return None
    quarters, inverse = np.unique(times // (900 * _NS_PER_S), return_inverse=True)
    local = [datetime.fromtimestamp(int(quarter) * 900, zone) for quarter in quarters]
    first, last = local[0].toordinal(), max(moment.toordinal() for moment in local)
    cells = np.array([(moment.toordinal() - first) * HOURS + moment.hour for moment in local])[inverse]
    size = (last - first + 1) * HOURS
    sums, counts = np.bincount(cells, values, size), np.bincount(cells, minlength=size)
    means = np.divide(sums, counts, out=np.full(size, np.nan), where=counts > 0).reshape(-1, HOURS)
    days = tuple(date.fromordinal(ordinal) for ordinal in range(first, last + 1))
    works = np.array([day.weekday() < 5 and day.toordinal() not in (days_off or ()) for day in days])
    return DayHours(days, means, works)


def hours_within(day: date, span: tuple[int, int], zone: ZoneInfo) -> tuple[float, float] | None:
    """From which hour of `day` to which a stretch of UTC nanoseconds lasts; None where it lies on other days."""
    midnight = datetime.combine(day, time(), zone).timestamp()
    begin, end = ((moment / _NS_PER_S - midnight) / 3600 for moment in span)
    return (max(begin, 0.0), min(end, float(HOURS))) if begin < HOURS and end > 0 else None


def busy_hours(by_hour: Sequence[float] | Floats) -> list[tuple[int, int]]:
    """The stretches of hours, the end not included, that come near the busiest; none where all are alike.

    Args:
        by_hour: float64[24].
    """
    values = np.asarray(by_hour, dtype=np.float64)
    if np.isnan(values).all() or np.nanmin(values) >= BUSY_SHARE * np.nanmax(values):
        return []
    busy = np.flatnonzero(values >= BUSY_SHARE * np.nanmax(values)).tolist()
    stretches: list[tuple[int, int]] = []
    for hour in busy:
        if stretches and stretches[-1][1] == hour:
            stretches[-1] = (stretches[-1][0], hour + 1)
        else:
            stretches.append((hour, hour + 1))
    return stretches


def nightly_hours(values: Floats) -> list[int]:
    """Hours of the night that are clearly higher than those beside them on most of the days.

    Args:
        values: float64[d, 24].
    """
    hours = []
    for hour in NIGHT:
        beside = np.fmax(values[:, (hour - 1) % HOURS], values[:, (hour + 1) % HOURS])
        both = ~np.isnan(values[:, hour]) & ~np.isnan(beside)
        higher = values[both, hour] > NIGHTLY_FACTOR * beside[both]
        if both.sum() >= 3 and higher.mean() >= NIGHTLY_SHARE:
            hours.append(hour)
    return hours
