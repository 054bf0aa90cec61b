"""The engagement page: what is typed is in the project, can be taken back, and reads as the report prints it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox

from tunebench.domain.engagement import Direction, Measurement, Section
from tunebench.ui.frame.main_window import MainWindow
from tunebench.ui.pages.engagement_page import TABS, EngagementPage
from tunebench.ui.reports.measurement_table import COLUMNS, changed, decimals_typed, read_value, shown, typed
from tunebench.usecases import projects
from tunebench.usecases.grid_cells import Wrong

RESPONSE = Measurement(
    "response_time", "SQL 응답시간", "SQL response time", "s", "total", Direction.LOWER, 590.997, 33.17, decimals=3
)


@pytest.fixture
def page(opened: MainWindow, idle: Callable[[], None]) -> EngagementPage:
    opened.show_page("engagement")
    idle()
    shown_page = opened.stack.currentWidget()
    assert isinstance(shown_page, EngagementPage)
    return shown_page


def _leave_field() -> None:
    widget = QApplication.focusWidget()
    assert widget is not None
    widget.clearFocus()


def test_a_typed_fact_is_stored_and_can_be_undone(page: EngagementPage) -> None:
    project = page.workspace.opened
    field = page.details.edits["customer"]
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, "ACME Bank")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert projects.read_engagement(project).customer == "ACME Bank"
    page.workspace.undo.undo()
    assert projects.read_engagement(project).customer == "ACME"
    assert field.text() == "ACME"


def test_a_date_that_is_none_is_kept_back(page: EngagementPage) -> None:
    field = page.details.edits["period_start"]
    field.setText("19 July")
    page.details.save()
    assert field.property("state") == "wrong"
    assert projects.read_engagement(page.workspace.opened).period_start == ""
    field.setText("2007-07-19")
    page.details.save()
    assert projects.read_engagement(page.workspace.opened).period_start == "2007-07-19"


def test_holidays_that_are_none_are_kept_back(page: EngagementPage) -> None:
    field = page.details.edits["holidays"]
    field.setText("KR 2026-08-14")
    page.details.save()
    assert field.property("state") == "wrong"
    assert projects.read_engagement(page.workspace.opened).holidays == ""
    field.setText("KR +2026-08-14")
    page.details.save()
    assert (field.property("state"), projects.read_engagement(page.workspace.opened).holidays) == ("", field.text())
    page.workspace.undo.undo()
    assert field.text() == ""


def test_an_unknown_zone_is_refused_and_put_back(page: EngagementPage) -> None:
    page.details.zone.set_zone("Mars/Base")
    page.details.save()
    assert projects.read_engagement(page.workspace.opened).zone == "Asia/Seoul"
    assert page.details.zone.zone() == "Asia/Seoul"


def test_paragraphs_become_numbered_items_per_language(page: EngagementPage) -> None:
    page.tabs.setCurrentIndex(TABS.index("narrative"))
    page.narrative.show_language("ko")
    edit = page.narrative.edits[Section.ISSUE]
    edit.setFocus()
    QTest.keyClicks(edit, "first")
    QTest.keyClick(edit, Qt.Key.Key_Return)
    QTest.keyClicks(edit, "second")
    QTest.keyClick(edit, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClicks(edit, "line two")
    assert edit.document().begin().textList() is not None
    _leave_field()
    page.narrative.save_all()
    stored = projects.read_narrative(page.workspace.opened, "ko")
    assert [item.text for item in stored if item.section is Section.ISSUE] == ["first", "second\nline two"]
    page.narrative.show_language("en")
    assert edit.items() == ()
    page.narrative.show_language("ko")
    assert edit.items() == ("first", "second\nline two")


def test_leaving_the_page_saves_what_was_typed(page: EngagementPage, opened: MainWindow) -> None:
    edit = page.narrative.edits[Section.OUTLOOK]
    edit.setPlainText("three years")
    opened.show_page("captures")
    code = page.narrative.language
    assert [item.text for item in projects.read_narrative(page.workspace.opened, code)] == ["three years"]


def test_a_figure_is_added_edited_and_removed(page: EngagementPage) -> None:
    table, project = page.measurements, page.workspace.opened
    page.tabs.setCurrentIndex(TABS.index("measurements"))
    table.add()
    assert len(projects.read_measurements(project)) == 1
    for column, words in (
        ("label", "Response"),
        ("before", "590.997"),
        ("after", "33.17"),
        ("before_date", "2007-07-19"),
    ):
        assert table.model.setData(table.model.index(0, COLUMNS.index(column)), words)
    (stored,) = projects.read_measurements(project)
    assert (stored.label_en, stored.before, stored.after, stored.decimals) == ("Response", 590.997, 33.17, 3)
    assert table.model.index(0, COLUMNS.index("ratio")).data() == "17.8×"
    assert table.model.index(0, COLUMNS.index("rate")).data() == "94.4 %"
    assert not table.model.setData(table.model.index(0, COLUMNS.index("before")), "many")
    assert projects.read_measurements(project)[0].before == 590.997
    table.table.setCurrentIndex(table.model.index(0, 0))
    table.remove()
    assert projects.read_measurements(project) == []
    page.workspace.undo.undo()
    assert projects.read_measurements(project) == [stored]


def test_figures_are_pasted_from_a_spreadsheet_or_refused_together(page: EngagementPage, qtbot: Any) -> None:
    projects.write_measurements(page.workspace.opened, [RESPONSE, replace(RESPONSE, key="second")])
    page.measurements.reload()
    page.tabs.setCurrentIndex(TABS.index("measurements"))
    table, stored = page.measurements.table, projects.read_measurements(page.workspace.opened)

    def paste(column: str, block: str) -> None:
        QGuiApplication.clipboard().setText(block)
        table.setCurrentIndex(page.measurements.model.index(0, COLUMNS.index(column)))
        qtbot.keyClick(table, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)

    paste("before", "many\t<20\n7\tfew\n")
    assert projects.read_measurements(page.workspace.opened) == stored
    assert [sentence.partition(":")[0] for sentence in page.measurements.problems.sentences()] == [
        "row 1 · Before",
        "row 2 · After",
    ]
    paste("before", "12.5\t<20\n7\t8\n")
    assert [
        (item.before, item.after, item.after_bound) for item in projects.read_measurements(page.workspace.opened)
    ] == [(12.5, 20.0, "<"), (7.0, 8.0, "")]
    assert page.measurements.problems.sentences() == ()
    page.workspace.undo.undo()
    assert projects.read_measurements(page.workspace.opened) == stored


def test_a_word_that_is_none_of_the_choices_stays_until_one_is_chosen(page: EngagementPage, qtbot: Any) -> None:
    projects.write_measurements(page.workspace.opened, [replace(RESPONSE, statistic="p99")])
    page.measurements.reload()
    page.tabs.setCurrentIndex(TABS.index("measurements"))
    table = page.measurements.table
    cell = page.measurements.model.index(0, COLUMNS.index("statistic"))
    table.setCurrentIndex(cell)
    table.edit(cell)
    box = table.indexWidget(cell)
    assert isinstance(box, QComboBox) and box.currentText() == "p99"
    qtbot.keyClick(box, Qt.Key.Key_Return)
    assert projects.read_measurements(page.workspace.opened)[0].statistic == "p99"
    table.edit(cell)
    box = table.indexWidget(cell)
    assert isinstance(box, QComboBox)
    box.setCurrentText("maximum")
    qtbot.keyClick(box, Qt.Key.Key_Return)
    assert projects.read_measurements(page.workspace.opened)[0].statistic == "max"


def test_computed_columns_cannot_be_typed(page: EngagementPage) -> None:
    projects.write_measurements(page.workspace.opened, [RESPONSE])
    page.measurements.reload()
    model = page.measurements.model
    assert not model.flags(model.index(0, COLUMNS.index("ratio"))) & Qt.ItemFlag.ItemIsEditable
    assert model.flags(model.index(0, COLUMNS.index("after"))) & Qt.ItemFlag.ItemIsEditable


def test_every_text_is_translated(page: EngagementPage, look: Callable[..., None]) -> None:
    for code in ("ko", "en"):
        look(code)
        for place in range(page.tabs.count()):
            assert "⟨" not in page.tabs.tabText(place)
        for column in range(len(COLUMNS)):
            assert "⟨" not in str(page.measurements.model.headerData(column, Qt.Orientation.Horizontal))


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("590.997", (590.997, "")),
        ("37,539,159", (37_539_159.0, "")),
        ("<20", (20.0, "<")),
        ("> 95", (95.0, ">")),
        ("", (None, "")),
    ],
)
def test_values_are_read_as_people_write_them(words: str, expected: tuple[float | None, str]) -> None:
    assert read_value(words) == expected


@pytest.mark.parametrize(
    ("column", "words"),
    [
        *(("before", words) for words in ("abc", "<", ",,,", "1,5", "1_000", "inf", "nan", "9" * 400, "1e999")),
        *(("samples", words) for words in ("1.5", "²", "1,5", "-1", "9" * 25, "9" * 5000)),
        ("after_date", "2007-13-01"),
    ],
)
def test_what_cannot_be_read_is_refused(column: str, words: str) -> None:
    with pytest.raises(Wrong):
        changed(RESPONSE, column, words)


def test_a_figure_may_have_its_unit(look: Callable[..., None], qapp: Any) -> None:
    look("ko")
    item = changed(RESPONSE, "after", "28.55 s")
    assert (item.unit, item.after) == ("s", 28.55)
    assert shown(changed(RESPONSE, "after", "1e300"), "after").startswith("1,000,000")


@pytest.mark.parametrize(
    ("words", "decimals"),
    [("28.550 s", 3), ("20m54.124s", 3), ("< 2.5 s", 1), ("1,250", 0), ("1.5e3", 0), ("1.5e-3", 4), ("1e-300", 9)],
)
def test_decimals_are_those_that_were_typed(words: str, decimals: int) -> None:
    assert decimals_typed(words) == decimals


def test_a_bound_survives_an_edit(look: Callable[..., None], qapp: Any) -> None:
    look("ko")
    item = changed(RESPONSE, "after", "<20")
    assert (item.after, item.after_bound) == (20.0, "<")
    assert shown(item, "after") == "20 미만" and typed(item, "after") == "<20"


def test_a_missing_value_is_said(look: Callable[..., None], qapp: Any, tmp_path: Path) -> None:
    look("en")
    item = changed(RESPONSE, "after", "")
    assert item.after is None and shown(item, "after") == "not captured" and shown(item, "ratio") == "n/a"
