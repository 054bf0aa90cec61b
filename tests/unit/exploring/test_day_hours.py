"""The hours of days: their means, the busy ones, what comes every night."""

from __future__ import annotations

from datetime import date, datetime
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from tunebench.analysis.exploring.day_hours import busy_hours, day_hours, hours_within, nightly_hours

SEOUL = ZoneInfo("Asia/Seoul")
HOUR_S = 3600


def ns(words: str, zone: ZoneInfo = SEOUL) -> int:
    return int(datetime.fromisoformat(words).replace(tzinfo=zone).timestamp()) * 1_000_000_000


def test_each_hour_has_the_mean_of_its_samples() -> None:
    times = np.array([ns("2026-08-14 09:10"), ns("2026-08-14 09:50"), ns("2026-08-14 10:00"), ns("2026-08-17 00:05")])
    drawn = day_hours(times, np.array([10.0, 30.0, 7.0, 5.0]), SEOUL, {date(2026, 8, 17).toordinal()})
    assert drawn is not None
    assert drawn.days == tuple(date(2026, 8, day) for day in (14, 15, 16, 17))
    assert (drawn.values[0, 9], drawn.values[0, 10], drawn.values[3, 0]) == (20.0, 7.0, 5.0)
    assert np.isnan(drawn.values[1]).all(), "not measured is no zero"
    assert drawn.works.tolist() == [True, False, False, False], "a holiday is no working day"


def test_a_clock_that_is_put_back_gives_an_hour_both_its_halves() -> None:
    zone = ZoneInfo("Europe/Berlin")
    first = ns("2026-10-25 00:30", zone)
    times = first + np.arange(0, 6) * HOUR_S * 1_000_000_000
    drawn = day_hours(times, np.arange(6, dtype=np.float64), zone, None)
    assert drawn is not None
    assert drawn.values[0, 2] == pytest.approx(2.5), "two o'clock comes twice"
    assert drawn.values[0, 4] == 5.0


def test_busy_hours_are_those_near_the_busiest() -> None:
    by_hour = np.full(24, 5.0)
    by_hour[9:12], by_hour[14:17] = 60.0, 50.0
    assert busy_hours(by_hour) == [(9, 12), (14, 17)]
    assert busy_hours(np.full(24, 30.0)) == []
    assert busy_hours(np.full(24, np.nan)) == []


def test_a_batch_of_every_night_is_seen() -> None:
    values = np.full((10, 24), 4.0)
    values[:, 9:18] = 50.0
    values[:, 2] = 20.0
    assert nightly_hours(values) == [2]
    values[:, 2] = 4.0
    values[:3, 2] = 20.0
    assert nightly_hours(values) == [], "three nights of ten are no habit"


def test_without_a_value_there_is_nothing() -> None:
    assert day_hours(np.array([1, 2]), np.full(2, np.nan), SEOUL, None) is None


def test_hours_of_a_day_that_a_stretch_lasts() -> None:
    day = date(2026, 8, 18)

    def within(begin: str, end: str) -> tuple[float, float] | None:
        return hours_within(day, (ns(begin), ns(end)), SEOUL)

    assert within("2026-08-18 09:00", "2026-08-18 18:30") == (9.0, 18.5)
    assert within("2026-08-17 22:00", "2026-08-18 02:00") == (0.0, 2.0)
    assert within("2026-08-18 22:00", "2026-08-21 02:00") == (22.0, 24.0)
    assert within("2026-08-19 00:00", "2026-08-19 02:00") is None
