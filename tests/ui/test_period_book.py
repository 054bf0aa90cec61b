"""Where periods lie in the calendar, and what is said of them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from zoneinfo import ZoneInfo

import pytest
from PySide6.QtWidgets import QAbstractSlider
from pytestqt.qtbot import QtBot

from tunebench.analysis.databases.record import DatabaseRecord
from tunebench.domain.databases.records import DatabaseIdentity, Engine, Fault, Moment, Reach
from tunebench.ui.databases.period_pane import PeriodCalendar, cell_words, legend, signs_of
from tunebench.usecases.databases.period_book import active_sessions, cells, days, summary
from tunebench.usecases.databases.periods import Period

SEOUL = ZoneInfo("Asia/Seoul")
NS = 1_000_000_000


def at(day: int, hour: int, minute: int = 0, zone: ZoneInfo = SEOUL) -> int:
    return int(datetime(2026, 3, day, hour, minute, tzinfo=zone).timestamp()) * NS


def period(
    begin_ns: int | None, end_ns: int | None, faults: tuple[Fault, ...] = (), db_time_s: float | None = None
) -> Period:
    elapsed_s = None if begin_ns is None or end_ns is None else (end_ns - begin_ns) / NS
    begin = None if begin_ns is None else Moment(begin_ns)
    identity = DatabaseIdentity(Engine.ORACLE, name="ORCL")
    return Period(
        DatabaseRecord("awr_html", Reach.PERIOD, identity, Moment(end_ns), begin, elapsed_s, db_time_s, faults=faults),
        (),
    )


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
    found = cells(1, [*hourly, odd])
    assert [cell.unequal for cell in found] == [False] * 4 + [wanted]
    assert ("≠" in signs_of(found[-1])) == wanted


def test_the_load_is_db_time_by_length_and_of_an_invalid_period_nothing() -> None:
    assert active_sessions(period(at(2, 0), at(2, 1), db_time_s=7200).record) == 2.0
    assert active_sessions(period(at(2, 0), at(2, 1), (Fault.RESTART,), 7200).record) is None
    assert active_sessions(period(at(2, 0), at(2, 1)).record) is None


def test_every_fault_has_a_sign_a_short_word_and_a_sentence(qapp: object, look: Callable[..., None]) -> None:
    look("en")
    found = cells(1, [period(at(2, 0), at(2, 1), tuple(Fault))])
    assert summary(found) == (1, 1)
    words, key = cell_words(found[0], SEOUL, "run 1"), legend(found)
    assert "run 1" in words and len(words.splitlines()) == 3 + len(Fault) and "ui." not in words + key
    assert len(key.split("   ")) == len(Fault)


def test_the_calendar_is_scrolled_row_by_row_to_its_last_day(qtbot: QtBot) -> None:
    calendar = PeriodCalendar()
    qtbot.addWidget(calendar)
    calendar.resize(600, 120)
    calendar.show_cells(cells(1, [period(at(day, 0), at(day, 1)) for day in range(1, 21)]), {1: "run 1"}, SEOUL)
    calendar.show()
    first = calendar.place_of(0)
    second = calendar.place_of(1)
    assert first is not None and second is not None and second.top() > first.top()
    calendar.verticalScrollBar().triggerAction(QAbstractSlider.SliderAction.SliderSingleStepAdd)
    assert calendar.place_of(1) == first
    calendar.verticalScrollBar().triggerAction(QAbstractSlider.SliderAction.SliderToMaximum)
    last = calendar.place_of(19)
    assert last is not None and calendar.viewport().height() - 22 < last.bottom() < calendar.viewport().height()
