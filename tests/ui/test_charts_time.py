"""Time on the x axis: zooming, ticks, zones."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tunebench.analysis.exploring.time_range import (
    DAY_NS,
    HOUR_NS,
    SECOND_NS,
    SHORTEST_NS,
    TimeRange,
    day_around,
    hour_around,
    ordered,
    whole_seconds,
)
from tunebench.columns.time_ticks import elapsed_text, elapsed_ticks, stamp_text, time_ticks, zone_text
from tunebench.usecases.exploring.window_ranges import Align, Alignment, fitting_mode

SEOUL, NEW_YORK, LONDON, KATHMANDU = (
    ZoneInfo(name) for name in ("Asia/Seoul", "America/New_York", "Europe/London", "Asia/Kathmandu")
)


def utc(year: int, month: int, day: int, hour: int = 0, minute: int = 0, second: int = 0) -> int:
    return int(datetime(year, month, day, hour, minute, second, tzinfo=UTC).timestamp()) * SECOND_NS


def hours(start: int, count: float) -> TimeRange:
    return TimeRange(start, start + int(count * HOUR_NS))


def test_zooming_keeps_the_time_under_the_pointer_in_its_place() -> None:
    view = TimeRange(1_000 * SECOND_NS, 2_000 * SECOND_NS)
    about = 1_250 * SECOND_NS
    closer = view.zoomed(0.5, about)
    assert closer.span_ns == 500 * SECOND_NS
    assert closer.start_ns == 1_125 * SECOND_NS  # the pointer stood at a quarter, and still does


def test_zooming_stops_at_a_tenth_of_a_second() -> None:
    view = TimeRange(0, SECOND_NS)
    for _ in range(50):
        view = view.zoomed(0.5, 1)
    assert view.span_ns == SHORTEST_NS


@given(st.integers(0, 10**6), st.integers(1, 10**6), st.integers(-(10**6), 10**6), st.integers(1, 10**6))
def test_a_view_is_moved_inside_its_bounds_and_cut_only_when_longer(a: int, span: int, b: int, length: int) -> None:
    bounds = TimeRange(a, a + span)
    inside = TimeRange(b, b + length).within(bounds)
    assert bounds.covers(inside)
    assert inside.span_ns == min(span, length)


def test_a_drag_to_the_left_is_a_range_too() -> None:
    assert ordered(900, 100) == ordered(100, 900)
    assert ordered(5, 5).span_ns == SHORTEST_NS


def test_an_hour_and_a_day_around_a_moment() -> None:
    noon = utc(2007, 7, 19, 3)  # 12:00 in Seoul
    assert hour_around(noon) == TimeRange(utc(2007, 7, 19, 2, 30), utc(2007, 7, 19, 3, 30))
    assert day_around(noon, SEOUL) == TimeRange(utc(2007, 7, 18, 15), utc(2007, 7, 19, 15))


def test_the_day_the_clocks_go_back_has_twenty_five_hours() -> None:
    assert day_around(utc(2025, 11, 2, 12), NEW_YORK).span_ns == 25 * HOUR_NS
    assert day_around(utc(2025, 3, 9, 12), NEW_YORK).span_ns == 23 * HOUR_NS


def test_picked_edges_fall_on_whole_seconds_unless_the_view_is_close() -> None:
    picked = TimeRange(SECOND_NS + 7, 9 * SECOND_NS + 600_000_000)
    assert whole_seconds(picked, hours(0, 1)) == TimeRange(SECOND_NS, 10 * SECOND_NS)
    assert whole_seconds(picked, TimeRange(0, 10 * SECOND_NS)) == picked


def texts(view: TimeRange, zone: ZoneInfo, language: str = "en", most: int = 12) -> list[str]:
    return [tick.text for tick in time_ticks(view, zone, language, most)]


def test_ticks_stand_on_round_times_of_the_engagements_zone() -> None:
    view = hours(utc(2007, 7, 19, 0, 10), 4)  # 09:10 to 13:10 in Seoul
    assert texts(view, SEOUL) == ["09:30", "10:00", "10:30", "11:00", "11:30", "12:00", "12:30", "13:00"]
    assert texts(view, ZoneInfo("UTC"))[0] == "00:30"


def test_a_zone_off_the_hour_keeps_round_wall_clock_times() -> None:
    view = hours(utc(2024, 1, 1, 0, 0), 6)  # Nepal is five hours and three quarters ahead
    assert texts(view, KATHMANDU) == [
        "06:00",
        "06:30",
        "07:00",
        "07:30",
        "08:00",
        "08:30",
        "09:00",
        "09:30",
        "10:00",
        "10:30",
        "11:00",
        "11:30",
    ]


def test_midnight_names_its_day_in_both_languages() -> None:
    view = hours(utc(2007, 7, 18, 13), 4)
    found = {tick.text: tick.strong for tick in time_ticks(view, SEOUL, "ko", 6)}
    assert found["7월 19일 (목)"] is True
    assert found["23:00"] is False
    assert "Thu 19 Jul" in texts(view, SEOUL)


def test_days_weeks_and_months() -> None:
    week = TimeRange(utc(2007, 7, 18, 15), utc(2007, 7, 25, 15))
    assert texts(week, SEOUL, "en", 8)[:2] == ["Thu 19 Jul", "Fri 20 Jul"]
    year = TimeRange(utc(2007, 1, 1), utc(2008, 1, 1))
    assert (
        texts(year, SEOUL, "ko", 6)[:2] == ["2007년 3월", "2007년 5월"]
        or texts(year, SEOUL, "ko", 6)[0] == "2007년 4월"
    )
    weeks = time_ticks(TimeRange(utc(2007, 7, 1), utc(2007, 8, 20)), SEOUL, "en", 8)
    assert all(tick.text.startswith("Mon") for tick in weeks)


def test_autumn_shows_the_repeated_hour_twice_and_spring_skips_one() -> None:
    autumn = TimeRange(utc(2025, 11, 2, 4), utc(2025, 11, 2, 8))
    assert texts(autumn, NEW_YORK, most=5) == ["Sun 2 Nov", "01:00", "01:00", "02:00", "03:00"]
    spring = TimeRange(utc(2025, 3, 30, 0), utc(2025, 3, 30, 4))
    assert texts(spring, LONDON, most=5) == ["Sun 30 Mar", "02:00", "03:00", "04:00", "05:00"]


@pytest.mark.parametrize("most", [3, 6, 9])
@pytest.mark.parametrize("span_s", [1, 45, 600, 7_200, 90_000, 700_000, 4_000_000, 400_000_000])
def test_there_are_some_ticks_and_never_many_more_than_wanted(span_s: int, most: int) -> None:
    view = TimeRange(utc(2007, 7, 19, 1, 2, 3), utc(2007, 7, 19, 1, 2, 3) + span_s * SECOND_NS)
    found = time_ticks(view, SEOUL, "en", most)
    assert len(found) <= most + 2
    assert all(view.contains(tick.time_ns) for tick in found)
    assert [t.time_ns for t in found] == sorted({t.time_ns for t in found})


def test_a_stamp_prints_its_zone_and_only_real_fractions() -> None:
    assert stamp_text(utc(2007, 7, 19, 5, 12, 5), SEOUL) == "2007-07-19 14:12:05 KST"
    assert stamp_text(utc(2007, 7, 19, 5, 12, 5) + 250_000_000, SEOUL, with_date=False) == "14:12:05.250 KST"


def test_the_axis_names_both_abbreviations_across_a_change_of_the_clock() -> None:
    assert zone_text(hours(utc(2025, 11, 2, 4), 4), NEW_YORK) == "EDT/EST"
    assert zone_text(hours(utc(2025, 7, 2, 4), 4), SEOUL) == "KST"


def test_elapsed_time_counts_from_the_start_of_the_window() -> None:
    zero = utc(2007, 7, 19, 0)
    found = elapsed_ticks(TimeRange(zero - HOUR_NS, zero + 2 * HOUR_NS), zero, 4)
    assert [tick.text for tick in found] == ["-1:00", "0:00", "1:00", "2:00"]
    assert elapsed_text(int(90.5 * SECOND_NS)) == "0:01:30.500"
    assert elapsed_text(DAY_NS + 2 * HOUR_NS, seconds=False) == "1d 02:00"


def test_two_windows_meet_by_elapsed_time_or_by_time_of_day() -> None:
    before, after = hours(utc(2007, 7, 19, 0), 3), hours(utc(2007, 7, 26, 1), 3)
    elapsed = Alignment(Align.ELAPSED, before, after, SEOUL, SEOUL)
    assert elapsed.after_on_axis == before
    clock = Alignment(Align.TIME_OF_DAY, before, after, SEOUL, SEOUL)
    assert clock.after_on_axis.start_ns == before.start_ns + HOUR_NS  # it began an hour later in the day


def test_time_of_day_survives_a_change_of_the_clock_between_the_windows() -> None:
    before, after = hours(utc(2025, 10, 30, 13), 2), hours(utc(2025, 11, 6, 14), 2)  # 09:00 in New York, both
    assert Alignment(Align.TIME_OF_DAY, before, after, NEW_YORK, NEW_YORK).after_on_axis == before


def test_an_axis_of_two_dates_names_none() -> None:
    before, after = hours(utc(2007, 7, 18, 13), 4), hours(utc(2007, 7, 25, 13), 4)
    shown = Alignment(Align.TIME_OF_DAY, before, after, SEOUL, SEOUL).ticks(before, "ko", 6)
    assert "00:00" in [tick.text for tick in shown]
    assert all("일" not in tick.text for tick in shown)


def test_windows_of_one_day_that_do_not_meet_are_laid_over_each_other_by_elapsed_time() -> None:
    morning, noon = hours(utc(2007, 7, 19, 0), 1), hours(utc(2007, 7, 19, 3), 1)
    assert fitting_mode(morning, noon, SEOUL, SEOUL) is Align.ELAPSED
    assert fitting_mode(morning, hours(utc(2007, 7, 26, 0, 20), 1), SEOUL, SEOUL) is Align.TIME_OF_DAY
