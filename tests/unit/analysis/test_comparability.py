"""The ten checks of comparability: their limits as published, and what is unknown is said to be."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from tunebench.analysis.comparing import comparability as checks
from tunebench.analysis.comparing.calendar_slots import Calendar, Calendars
from tunebench.analysis.comparing.comparability import Busy, Configuration, Load
from tunebench.analysis.comparing.comparison import SplitOffer
from tunebench.domain.comparability import CheckState, GateCheck

SEOUL = ZoneInfo("Asia/Seoul")
PASS, ADJUST, REFUSE, UNKNOWN = CheckState.PASS, CheckState.ADJUST, CheckState.REFUSE, CheckState.UNKNOWN


def told(found: GateCheck) -> tuple[CheckState, str]:
    return found.state, found.reason


def clocks(zone: ZoneInfo, days_off: frozenset[int] | None = None) -> Calendars:
    return Calendar(zone, days_off), Calendar(zone, days_off)


def hours(day: str, first: float, last: float) -> tuple[int, int]:
    midnight = datetime.fromisoformat(day).replace(tzinfo=SEOUL)
    begin, end = (round((midnight + timedelta(hours=hour)).timestamp()) * 1_000_000_000 for hour in (first, last))
    return begin, end


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        (Configuration(told=True), (PASS, "same")),
        (Configuration(told=False), (UNKNOWN, "untold")),
        (Configuration(told=True, recorded=["index"]), (PASS, "recorded_only")),
        (Configuration(told=True, recorded=["index", "buffers"]), (ADJUST, "combined")),
        (Configuration(told=True, machine=["2 → 4"]), (REFUSE, "unrecorded")),
        (Configuration(told=True, machine=["2 → 4"], recorded=["CPUs"]), (ADJUST, "differences_and_record")),
        (Configuration(told=True, parameters=["sga_target"]), (ADJUST, "parameters")),
        (Configuration(told=True, parameters=["sga_target"], recorded=["sga_target"]), (PASS, "recorded_only")),
        (Configuration(told=True, hosts=("db01", "db02")), (REFUSE, "hosts_differ")),
    ],
)
def test_configuration(known: Configuration, expected: tuple[CheckState, str]) -> None:
    assert told(checks.configuration(known)) == expected


@pytest.mark.parametrize(
    ("before", "after", "overlap_pct", "state"),
    [
        (hours("2026-07-20", 9, 18), hours("2026-07-21", 9, 18), 100.0, PASS),
        (hours("2026-07-20", 9, 14), hours("2026-07-21", 10, 15), 80.0, PASS),
        (hours("2026-07-20", 9, 12), hours("2026-07-21", 10, 13), 200 / 3, ADJUST),
        (hours("2026-07-20", 9, 12), hours("2026-07-21", 11, 14), 100 / 3, REFUSE),
        (hours("2026-07-20", 9, 12), hours("2026-07-25", 9, 12), 0.0, REFUSE),  # a Saturday
        (hours("2026-07-25", 9, 12), hours("2026-07-26", 9, 12), 0.0, REFUSE),  # Saturday and Sunday
        (hours("2026-07-20", 0, 24), hours("2026-07-21", 14, 15), 100 / 24, REFUSE),  # an hour is no day
    ],
)
def test_calendar(before: tuple[int, int], after: tuple[int, int], overlap_pct: float, state: CheckState) -> None:
    found = checks.calendar([before], [after], clocks(SEOUL))
    assert (found.facts["overlap_pct"], found.state) == (pytest.approx(overlap_pct), state)
    assert found.facts["holidays"] == "unknown"


def test_the_hours_are_those_of_the_engagements_zone() -> None:
    """23:00 to 01:00 in Seoul on a Friday is of Friday and Saturday; in UTC all of it is of the Friday."""
    night, week_later = hours("2026-07-24", 23, 25), hours("2026-07-23", 23, 25)
    assert checks.calendar([night], [week_later], clocks(SEOUL)).facts["overlap_pct"] == pytest.approx(50)
    assert checks.calendar([night], [week_later], clocks(ZoneInfo("UTC"))).facts["overlap_pct"] == pytest.approx(100)


def test_month_end_on_one_side_only() -> None:
    friday, next_friday = hours("2026-07-31", 9, 18), hours("2026-08-07", 9, 18)
    assert told(checks.calendar([friday], [next_friday], clocks(SEOUL))) == (REFUSE, "month_end")
    assert told(checks.calendar([friday], [hours("2026-08-31", 9, 18)], clocks(SEOUL))) == (PASS, "overlap")


@pytest.mark.parametrize(
    ("day", "expected"),
    [("2026-07-30", False), ("2026-07-31", True), ("2026-05-29", True), ("2026-05-30", True), ("2026-05-28", False)],
)
def test_the_last_working_day_of_a_month(day: str, expected: bool) -> None:
    """31 May 2026 is a Sunday: accounts close on Friday the 29th."""
    assert checks.is_month_end(datetime.fromisoformat(day).toordinal()) is expected


def test_a_load_generator_does_not_look_at_the_clock() -> None:
    windows = [hours("2026-07-20", 9, 10)], [hours("2026-07-25", 22, 23)]
    assert told(checks.calendar(*windows, clocks(SEOUL), generated=True)) == (PASS, "generated_load")
    assert told(checks.calendar([], [], clocks(SEOUL))) == (UNKNOWN, "no_window")


def test_the_date_of_a_copy_tells_no_hour() -> None:
    windows = [hours("2026-07-20", 9, 10)], [hours("2026-07-25", 22, 23)]
    assert told(checks.calendar(*windows, clocks(SEOUL))) == (REFUSE, "overlap")
    assert told(checks.calendar(*windows, clocks(SEOUL), dated=False)) == (UNKNOWN, "dated_by_file")


@pytest.mark.parametrize(
    ("after", "state"), [(95, PASS), (111, PASS), (89, ADJUST), (69, ADJUST), (142, ADJUST), (180, ADJUST), (0, ADJUST)]
)
def test_load(after: float, state: CheckState) -> None:
    """0.9 to 1.11; beyond that what depends on it is judged at equal load."""
    assert checks.load(Load("db.server.transactions", 100.0, after)).state is state


@pytest.mark.parametrize(
    ("after", "expected"),
    [(95, (PASS, "ratio")), (111, (PASS, "ratio"))]
    + [(after, (ADJUST, "work_only")) for after in (0, 20, 61, 69, 85, 120, 150, 400)],
)
def test_work_done_never_says_less_the_farther_it_moved(after: float, expected: tuple[CheckState, str]) -> None:
    assert told(checks.load(Load("system.disk.operations", 100.0, after, demand=False))) == expected


@pytest.mark.parametrize(
    ("after", "key"),
    [(100.0, None), (80.0, "load_fell"), (30.0, "load_fell"), (0.0, "load_fell"), (125.0, "load_rose")],
)
def test_a_row_says_that_the_load_moved(after: float, key: str | None) -> None:
    for demand in (False, True):
        said = checks.load_caution(checks.load(Load("db.server.transactions", 100.0, after, demand)))
        assert (said.key if said else None) == key
        assert said is None or said.facts["ratio"] == after / 100
    unknown = checks.load_caution(checks.load(None))
    assert unknown is not None and unknown.key == "load_unknown"


def test_a_load_that_is_not_told_is_unknown() -> None:
    assert told(checks.load(None)) == (UNKNOWN, "untold")
    assert told(checks.load(None, generated=True)) == (UNKNOWN, "closed_loop")


@pytest.mark.parametrize(
    ("similarity", "state"), [(0.95, PASS), (0.8, PASS), (0.79, ADJUST), (0.5, ADJUST), (0.4, REFUSE), (None, UNKNOWN)]
)
def test_similarity(similarity: float | None, state: CheckState) -> None:
    assert checks.similarity(similarity).state is state


@pytest.mark.parametrize(
    ("coverage", "ratio", "state"),
    [
        (0.95, 1.0, PASS),
        (0.9, 2.0, PASS),
        (0.85, 1.0, ADJUST),
        (1.0, 4.0, ADJUST),
        (0.7, 1.0, REFUSE),
        (1.0, 6.0, REFUSE),
    ],
)
def test_coverage(coverage: float, ratio: float, state: CheckState) -> None:
    assert checks.coverage([coverage], [ratio], []).state is state
    assert told(checks.coverage([coverage], [ratio], [("before", "db01")])) == (REFUSE, "restart")
    assert checks.coverage([], [], []).state is UNKNOWN


def test_stationarity_and_warm_up() -> None:
    offer = SplitOffer("before", "db01", 1, "change_point", ("sda await",), 2.0)
    assert told(checks.stationarity([offer], 5)) == (ADJUST, "changes")
    assert told(checks.stationarity([], 5)) == (PASS, "steady")
    assert told(checks.stationarity([], 5, drifting=2)) == (ADJUST, "drifts")
    assert told(checks.stationarity([], 0)) == (UNKNOWN, "too_short")
    assert checks.warm_up([("after", 1_000)], True).facts["from_ns"] == 600_000_001_000
    assert told(checks.warm_up([], True)) == (PASS, "warm")
    assert told(checks.warm_up([], False)) == (UNKNOWN, "untold")


def test_errors_and_side_jobs() -> None:
    assert told(checks.errors(0.2, 1.2)) == (PASS, "alike")
    assert told(checks.errors(0.2, 1.3)) == (REFUSE, "more_after")
    assert told(checks.errors(5.0, 0.0)) == (PASS, "alike")
    assert told(checks.errors(None, 0.0)) == (UNKNOWN, "untold")
    assert told(checks.side_jobs([], [])) == (UNKNOWN, "untold")
    assert told(checks.side_jobs(["RMAN"], [])) == (REFUSE, "one_side")
    assert told(checks.side_jobs(["RMAN"], ["RMAN"])) == (PASS, "both")


def test_saturation() -> None:
    assert told(checks.saturation([Busy("db01", "sda", "iostat sda %util", 95.0)])) == (ADJUST, "saturated")
    assert told(checks.saturation([Busy("db01", "", "sar %idle", 94.9)])) == (PASS, "below")
    assert told(checks.saturation([])) == (UNKNOWN, "untold")


# -- holidays ------------------------------------------------------------------------------------------

SUBSTITUTE = frozenset({date(2026, 8, 17).toordinal()})
"""A Monday: Liberation Day of 2026 is a Saturday."""


@pytest.mark.parametrize(
    ("after", "found"),
    [
        (hours("2026-08-17", 9, 18), (REFUSE, "overlap_holidays")),
        (hours("2026-08-24", 9, 18), (PASS, "overlap_no_holiday")),
    ],
)
def test_a_holiday_is_of_the_class_of_a_sunday(after: tuple[int, int], found: tuple[CheckState, str]) -> None:
    monday, sunday = hours("2026-08-10", 9, 18), hours("2026-08-09", 9, 18)
    assert told(checks.calendar([monday], [after], clocks(SEOUL, SUBSTITUTE))) == found
    assert told(checks.calendar([monday], [after], clocks(SEOUL))) == (PASS, "overlap")
    beside_sunday = checks.calendar([sunday], [after], clocks(SEOUL, SUBSTITUTE))
    assert (beside_sunday.state is PASS) is (found[0] is REFUSE)


def test_the_last_working_day_of_a_month_is_no_holiday() -> None:
    """30 September 2026 is a Wednesday; were it a holiday, the 29th closed the month."""
    day = date(2026, 9, 29).toordinal()
    assert not checks.is_month_end(day)
    assert checks.is_month_end(day, {day + 1})
