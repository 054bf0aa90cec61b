"""Days over each other by time of day: figures by hand."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from tunebench.analysis.comparing.fold import Fold, folded
from tunebench.analysis.series import SeriesData

BERLIN = ZoneInfo("Europe/Berlin")
HOUR_S = 3600


def day(start: datetime, values: Sequence[float], step: timedelta = timedelta(minutes=10)) -> SeriesData:
    """A sample every ten minutes of the zone's clock from `start` on."""
    first = round(start.replace(tzinfo=BERLIN).timestamp())
    times = first + np.arange(len(values)) * round(step.total_seconds())
    n = len(values)
    return SeriesData(times * 10**9, np.array(values, float), np.zeros(n, bool), np.arange(n))


def fold_of(*days: SeriesData) -> Fold:
    found = folded([days], [BERLIN])
    assert found is not None
    return found[0]


def at(found: Fold, hours: float) -> tuple[float, float, float]:
    place = int(np.flatnonzero(found.seconds >= hours * HOUR_S)[0])
    return float(found.median[place]), float(found.lowest[place]), float(found.highest[place])


def test_median_and_band_of_three_mornings() -> None:
    mornings = [day(datetime(2026, 7, 6 + place, 9), [level] * 18) for place, level in enumerate((10.0, 40.0, 20.0))]
    found = fold_of(*mornings)
    assert (found.step_s, found.occurrences, len(found.seconds)) == (900, 3, 12), "longer than a sample's distance"
    assert found.seconds[0] == 9 * HOUR_S + 450
    assert at(found, 10) == (20, 10, 40)


def test_hours_that_nobody_measured_are_a_gap_and_those_of_one_day_are_its_own() -> None:
    values = np.arange(18.0)
    gap = [np.nan if 6 <= place < 12 else value for place, value in enumerate(values)]  # 10:00 to 11:00
    found = fold_of(day(datetime(2026, 7, 6, 9), gap), day(datetime(2026, 7, 7, 9), gap))
    assert np.isnan(at(found, 10.1)).all() and np.isfinite(at(found, 11.1)).all()
    found = fold_of(day(datetime(2026, 7, 6, 9), gap), day(datetime(2026, 7, 7, 9), values.tolist()))
    assert at(found, 10) == (6.5, 6.5, 6.5), "10:00 and 10:10"


def test_nights_that_begin_on_either_side_of_midnight_lie_over_each_other() -> None:
    found = fold_of(day(datetime(2026, 7, 6, 23, 55), [1.0] * 18), day(datetime(2026, 7, 8, 0, 5), [3.0] * 18))
    assert at(found, 25) == (2, 1, 3)


def test_a_night_that_begins_before_the_midnight_of_the_first_has_no_times_below_zero() -> None:
    found = fold_of(day(datetime(2026, 7, 6, 0, 5), [1.0] * 18), day(datetime(2026, 7, 7, 23, 55), [3.0] * 18))
    assert found.seconds[0] == 23.75 * HOUR_S + 450 and at(found, 25) == (2, 1, 3)


def test_a_first_day_that_begins_late_lies_on_its_own_hours() -> None:
    found = fold_of(day(datetime(2026, 7, 6, 10), [1.0] * 84), day(datetime(2026, 7, 7), [3.0] * 144))
    assert at(found, 16) == (2, 1, 3) and at(found, 3) == (3, 3, 3) and found.seconds[-1] < 24 * HOUR_S


def test_the_clock_is_that_of_the_wall_when_it_changes() -> None:
    """09:00 is 09:00 on the Monday after the clocks went back too."""
    found = fold_of(day(datetime(2026, 10, 23, 9), [1.0] * 18), day(datetime(2026, 10, 26, 9), [3.0] * 18))
    assert len(found.seconds) == 12 and at(found, 9.5) == (2, 1, 3)


def test_the_hour_that_comes_twice_lies_on_itself() -> None:
    """On 26 October 2025 half past two is followed by two o'clock: the last night is an hour longer."""
    nights = [(24, 10.0, 12), (25, 40.0, 12), (26, 20.0, 18)]
    found = fold_of(*(day(datetime(2025, 10, date, 2, 30), [level] * n) for date, level, n in nights))
    assert found.seconds[0] == 2 * HOUR_S + 450 and found.seconds[-1] == 4.25 * HOUR_S + 450
    assert at(found, 2) == (20, 20, 20) and at(found, 3.5) == (20, 10, 40)


@pytest.mark.parametrize(
    "days",
    [
        [day(datetime(2026, 7, 6, 9), [1.0] * 18)],
        [day(datetime(2026, 7, 6, 9), [1.0] * 6), day(datetime(2026, 7, 6, 9, 30), [1.0] * 6)],
        [day(datetime(2026, 7, 6, 9), [1.0] * 6), day(datetime(2026, 7, 7, 15), [1.0] * 6)],
    ],
    ids=["one day", "the same day twice", "other hours"],
)
def test_what_is_not_laid_over_each_other(days: list[SeriesData]) -> None:
    assert folded([days], [BERLIN]) is None
