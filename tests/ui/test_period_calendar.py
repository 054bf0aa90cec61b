"""The calendar of a database's periods."""

from __future__ import annotations

from PySide6.QtWidgets import QAbstractSlider
from pytestqt.qtbot import QtBot

from tests.made.periods import SEOUL, at, period
from tunebench.ui.databases.period_pane import PeriodCalendar
from tunebench.usecases.databases.period_book import cells


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
