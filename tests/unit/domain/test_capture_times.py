"""Which way a capture can be moved so that an event in it lies where it is known to lie."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from tunebench.domain.capturing.times import NS_PER_S, CaptureTimes, alignable, zone_for_shift
from tunebench.domain.ledger import Assumption

HOUR_NS = 3600 * NS_PER_S
NOON_NS = int(datetime(2026, 11, 20, 12, tzinfo=ZoneInfo("Asia/Seoul")).timestamp()) * NS_PER_S


def capture(*assumed: str, zone_source: str = "stamp", zone: str = "Asia/Seoul") -> CaptureTimes:
    assumptions = {subject: Assumption(subject, "", "default") for subject in assumed}
    return CaptureTimes(1, zone, zone_source, NOON_NS, NOON_NS + HOUR_NS, 1.0, assumptions, {})


@pytest.mark.parametrize(
    ("of", "hours", "way"),
    [
        (capture("start"), 0.01, "start"),
        (capture("start", "date"), 24, "start"),
        (capture("date"), 24, "date"),
        (capture("date"), -48, "date"),
        (capture("date_order"), 72, "date"),
        (capture("date"), 23.1, "date"),  # within an hour of a whole day
        (capture("date"), 23, "date"),
        (capture("date"), 25, "date"),  # the day on which clocks are set back
        (capture("date"), -25, "date"),
        (capture("date"), 24.9, "date"),
        (capture("date"), -24.9, "date"),
        (capture("date"), 25.1, ""),
        (capture("date"), 12, ""),
        (capture("date", zone_source="default"), 12, "zone"),
        (capture(zone_source="default"), 24, ""),
        (capture(zone_source="default"), 5, "zone"),
        (capture(zone_source="default"), 5.5, ""),
        (capture(), 24, ""),
    ],
)
def test_what_a_capture_leaves_open_is_what_moves(of: CaptureTimes, hours: float, way: str) -> None:
    assert alignable(of, round(hours * HOUR_NS)) == way


@pytest.mark.parametrize(
    ("zone", "hours", "wanted"),
    [
        ("Asia/Seoul", 9, "UTC"),
        ("Asia/Seoul", 1, "Etc/GMT-8"),
        ("Asia/Seoul", 10, "Etc/GMT+1"),
        ("Asia/Seoul", -5, "Etc/GMT-14"),
        ("Asia/Seoul", -6, ""),
        ("Asia/Seoul", 21, "Etc/GMT+12"),
        ("Asia/Seoul", 22, ""),
        ("Asia/Seoul", 1 + 1 / 61, "Etc/GMT-8"),
        ("Asia/Seoul", 1 + 1 / 59, ""),
        ("Asia/Kolkata", 1, ""),  # no zone of whole hours
    ],
)
def test_a_zone_in_which_the_same_stamps_are_so_much_later(zone: str, hours: float, wanted: str) -> None:
    """By the zones' own clocks: 12:00 there is so much later than 12:00 here."""
    moved_to = zone_for_shift(capture(zone=zone), round(hours * HOUR_NS))
    assert moved_to == wanted
    if moved_to:
        noon = datetime(2026, 11, 20, 12)
        later = noon.replace(tzinfo=ZoneInfo(moved_to)) - noon.replace(tzinfo=ZoneInfo(zone))
        assert later.total_seconds() == 3600 * round(hours)


@pytest.mark.parametrize(("month", "hours"), [(7, 2), (11, 1)])
def test_the_zone_is_that_of_the_season_of_the_capture(month: int, hours: int) -> None:
    """Berlin is two hours before UTC in summer, one in winter."""
    first_ns = int(datetime(2026, month, 20, 12, tzinfo=ZoneInfo("Europe/Berlin")).timestamp()) * NS_PER_S
    of = replace(capture(zone="Europe/Berlin"), first_ns=first_ns, last_ns=first_ns + HOUR_NS)
    assert zone_for_shift(of, hours * HOUR_NS) == "UTC"
    assert zone_for_shift(of, (hours - 3) * HOUR_NS) == "Etc/GMT-3"
