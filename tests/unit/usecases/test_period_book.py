"""Where periods lie in the calendar, and what is said of them."""

from __future__ import annotations

from datetime import date
from zoneinfo import ZoneInfo

import pytest

from tests.made.periods import NS, SEOUL, at, period
from tunebench.columns.column import Locale
from tunebench.domain.databases.records import Fault
from tunebench.usecases.databases.period_book import active_sessions, cells, days, summary
from tunebench.usecases.databases.period_words import cell_words, legend, signs_of


def test_a_period_over_midnight_stands_in_both_days() -> None:
    rows = days(cells(1, [period(at(2, 23, 30), at(3, 1))]), SEOUL)
    assert [(row.day, [(box.left, box.right) for box in row.boxes]) for row in rows] == [
        (date(2026, 3, 2), [(23.5, 24.0)]),
        (date(2026, 3, 3), [(0.0, 1.0)]),
    ]
    assert [row.heads for row in rows] == [True, False]


def test_one_that_ends_at_midnight_stands_in_one_day() -> None:
    (row,) = days(cells(1, [period(at(2, 23), at(3, 0))]), SEOUL)
    assert [(box.left, box.right) for box in row.boxes] == [(23.0, 24.0)]


def test_hours_are_those_of_the_clock_when_it_is_put_forward() -> None:
    """On 29 March 2026 there is no 2 o'clock in Berlin."""
    berlin = ZoneInfo("Europe/Berlin")
    (row,) = days(cells(1, [period(at(29, 1, zone=berlin), at(29, 3, zone=berlin))]), berlin)
    assert (row.boxes[0].left, row.boxes[0].right) == (1.0, 3.0)


def test_runs_stand_apart_and_what_has_no_time_comes_last() -> None:
    first = cells(1, [period(at(2, 0), at(2, 1)), period(None, None, (Fault.UNTIMED,))])
    rows = days([*first, *cells(2, [period(at(2, 0), at(2, 1))])], SEOUL)
    assert [(row.run_id, row.day, row.heads) for row in rows] == [
        (1, date(2026, 3, 2), True),
        (1, None, False),
        (2, date(2026, 3, 2), True),
    ]


def test_a_snapshot_alone_is_a_box_at_its_moment() -> None:
    (row,) = days(cells(1, [period(at(1, 0), at(20, 12), (Fault.SINCE_START,))]), SEOUL)
    assert row.day == date(2026, 3, 20) and (row.boxes[0].left, row.boxes[0].right) == (11.5, 12.0)


@pytest.mark.parametrize(("minutes", "wanted"), [(60, False), (65, False), (30, True), (375, True)])
def test_a_period_of_another_length_is_marked(minutes: int, wanted: bool) -> None:
    hourly = [period(at(2, hour), at(2, hour + 1)) for hour in range(4)]
    odd = period(at(3, 0), at(3, 0) + minutes * 60 * NS)
    listed = cells(1, [*hourly, odd])
    assert [cell.unequal for cell in listed] == [False] * 4 + [wanted]
    assert ("≠" in signs_of(listed[-1])) == wanted


def test_the_load_is_db_time_by_length_and_of_an_invalid_period_nothing() -> None:
    assert active_sessions(period(at(2, 0), at(2, 1), db_time_s=7200).record) == 2.0
    assert active_sessions(period(at(2, 0), at(2, 1), (Fault.RESTART,), 7200).record) is None
    assert active_sessions(period(at(2, 0), at(2, 1)).record) is None


def test_every_fault_has_a_sign_a_short_word_and_a_sentence() -> None:
    locale = Locale("en", SEOUL)
    listed = cells(1, [period(at(2, 0), at(2, 1), tuple(Fault))])
    assert summary(listed) == (1, 1)
    words, key = cell_words(listed[0], "run 1", locale), legend(listed, locale)
    assert "run 1" in words and len(words.splitlines()) == 3 + len(Fault) and "ui." not in words + key
    assert len(key.split("   ")) == len(Fault)
