"""What is typed goes into the record that the editor was opened over, or nowhere; Escape leaves no trace of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox

from tests.ui.made_worksheet import PLACE, Key, action, editor, go, press, put_on_clipboard, select, worksheet
from tests.waiting import let_window_live
from tunebench.domain.cycle.book import CycleEdit, RecordChange
from tunebench.domain.cycle.worksheet import Action, ActionState, Impact, ParameterChange, Resource
from tunebench.ui.frame.main_window import MainWindow
from tunebench.ui.frame.typed_fields import STORED_AFTER_MS, TypedFields
from tunebench.ui.pages.engagement_page import EngagementPage
from tunebench.ui.pages.tradeoff_page import TradeoffPage
from tunebench.ui.reports.measurement_table import MeasurementTable
from tunebench.ui.tables.grid import GridView
from tunebench.ui.tables.grid_editor import CellText
from tunebench.ui.workspace import Workspace

STATE, CHANGES = "state", "changes"


@pytest.fixture
def page(qtbot: Any, workspace: Workspace, tmp_path: Path) -> Iterator[TradeoffPage]:
    for shown in worksheet(qtbot, workspace, tmp_path):
        TypedFields(workspace, shown)
        shown.activateWindow()
        qtbot.waitUntil(shown.isActiveWindow)
        yield shown


def titles(page: TradeoffPage) -> list[str]:
    return [row.title for row in page.model.rows]


def change(page: TradeoffPage, row: int, **fields: Any) -> Action:
    before = action(page, row)
    page.controller.edit(CycleEdit("change_action", (RecordChange(before, replace(before, **fields)),)))
    return action(page, row)


def is_open(table: GridView) -> bool:
    return any(part.isVisible() for part in table.viewport().findChildren(CellText))


def wait_until_stored() -> None:
    let_window_live((STORED_AFTER_MS + 100) / 1000, "what is typed is stored a moment after a key")


def choose_and_escape(table: GridView) -> None:
    """The list of a choice is opened and given up, and so is the cell."""
    press(table, Key.Key_F2)
    let_window_live(0, "the list opens in the next turn")
    popup = QApplication.activePopupWidget()
    if popup is not None:
        popup.close()
    box = next(part for part in table.viewport().findChildren(QComboBox) if part.isVisible())
    press(box, Key.Key_Escape)


# --- Escape
def test_a_choice_that_is_given_up_stays_as_it_was(page: TradeoffPage) -> None:
    change(page, 1, state=ActionState.PROPOSED)
    edits = page.workspace.undo.count()
    go(page, 1, STATE)
    choose_and_escape(page.grid)
    assert action(page, 1).state is ActionState.PROPOSED
    assert page.workspace.undo.count() == edits and not page.problems.isVisible()


@pytest.mark.parametrize("column", [CHANGES, Resource.CPU.value, "title"])
def test_what_was_stored_while_it_was_typed_is_taken_back_whole(page: TradeoffPage, column: str) -> None:
    """Also what the words of a cell do not say: the file of a parameter, the source of an effect."""
    impact = Impact(Resource.CPU, -1, 5.0, 10.0, 15.0, "%", source="sar", note="sys time")
    parts = (ParameterChange("p", "1", "2", scope="/etc/a"), ParameterChange("q", "1", "2", scope="/etc/b"))
    before = change(page, 1, changes=parts, impacts=(impact, replace(impact, direction=1, source="iostat")))
    edits = page.workspace.undo.count()
    go(page, 1, column)
    QTest.keyClicks(page.grid, "+")
    wait_until_stored()
    assert action(page, 1) != before
    press(editor(page.grid), Key.Key_Escape)
    assert action(page, 1) == before
    undo = page.workspace.undo
    assert (undo.count(), undo.canRedo()) == (edits, False) and not page.workspace.unsaved


def test_a_row_that_was_begun_and_given_up_is_none(page: TradeoffPage) -> None:
    before = titles(page)
    go(page, len(before), "title")
    QTest.keyClicks(page.grid, "N")
    wait_until_stored()
    assert titles(page) == [*before, "N"]
    press(editor(page.grid), Key.Key_Escape)
    assert titles(page) == before
    press(page.grid, Key.Key_X)
    press(editor(page.grid), Key.Key_Return)
    assert titles(page) == [*before, "x"]


def test_escape_after_an_edit_of_something_else_still_gives_back_the_words(page: TradeoffPage) -> None:
    before = titles(page)
    go(page, 1, "title")
    QTest.keyClicks(page.grid, "a")
    wait_until_stored()
    change(page, 2, hypothesis="meanwhile")
    press(editor(page.grid), Key.Key_Escape)
    assert titles(page) == before and action(page, 2).hypothesis == "meanwhile"


def test_escape_gives_back_what_stood_before_the_words_that_were_refused(page: TradeoffPage) -> None:
    change(page, 1, impacts=(Impact(Resource.CPU, -1, 5.0, 10.0, 15.0, "%"),))
    page.grid.setCurrentIndex(page.model.index(1, 1))
    page.detail.show_tab("impacts")
    table = page.detail.parts["impacts"].table
    expected = next(at for at, column in enumerate(table.cells.columns) if column.id == "expected")
    table.setFocus()
    table.setCurrentIndex(table.cells.index(0, expected))
    QTest.keyClicks(table, "1")
    wait_until_stored()
    assert action(page, 1).impacts[0].expected == 1.0
    QTest.keyClicks(editor(table), "x")
    press(editor(table), Key.Key_Return)
    let_window_live(0.05, "a refused cell is opened once more in the next turn")
    assert editor(table).toPlainText() == "1x" and page.workspace.unsaved
    press(editor(table), Key.Key_Escape)
    assert action(page, 1).impacts[0].expected == 10.0 and not page.workspace.unsaved


@pytest.mark.parametrize("end", [Key.Key_Return, Key.Key_Tab])
def test_however_a_cell_is_left_its_typing_is_one_step(page: TradeoffPage, end: Qt.Key) -> None:
    before, edits = titles(page), page.workspace.undo.count()
    go(page, 1, "title")
    QTest.keyClicks(page.grid, "a")
    wait_until_stored()
    QTest.keyClicks(editor(page.grid), "b")
    press(editor(page.grid), end)
    assert titles(page)[1] == "ab" and page.workspace.undo.count() == edits + 1
    page.workspace.undo.undo()
    assert titles(page) == before


# --- undo, and other records
def test_undo_that_brings_a_row_back_closes_the_cell_below_it(page: TradeoffPage) -> None:
    before = titles(page)
    page.grid.setCurrentIndex(page.model.index(1, 0))
    page.remove()
    go(page, 1, "title")
    press(page.grid, Key.Key_F2)
    QTest.keyClicks(editor(page.grid), "!")
    page.workspace.undo.undo()
    assert titles(page) == before and not is_open(page.grid) and not page.workspace.unsaved
    wait_until_stored()
    assert titles(page) == before


def test_what_is_undone_is_seen_in_the_open_cell_and_not_done_again(page: TradeoffPage) -> None:
    before = titles(page)
    go(page, 1, "title")
    QTest.keyClicks(page.grid, "Q")
    press(editor(page.grid), Key.Key_Return)
    go(page, 1, "title")
    press(page.grid, Key.Key_F2)
    assert editor(page.grid).toPlainText() == "Q"
    page.workspace.undo.undo()
    assert editor(page.grid).toPlainText() == before[1]
    press(editor(page.grid), Key.Key_Tab)
    assert titles(page) == before and page.workspace.undo.canRedo()


def test_undo_elsewhere_in_the_row_leaves_what_is_being_typed(page: TradeoffPage) -> None:
    change(page, 1, hypothesis="less lookups")
    go(page, 1, "title")
    press(page.grid, Key.Key_F2)
    QTest.keyClicks(editor(page.grid), " (ncsize)")
    page.workspace.undo.undo()
    assert action(page, 1).hypothesis == "" and editor(page.grid).toPlainText().endswith(" (ncsize)")
    press(editor(page.grid), Key.Key_Return)
    assert titles(page)[1] == "Bigger name cache (ncsize)"


def test_what_was_refused_in_one_row_is_not_offered_in_another(page: TradeoffPage) -> None:
    for row in (1, 2):
        change(page, row, impacts=(Impact(Resource.CPU, -1, 5.0, 10.0, 15.0, "%"),))
    page.grid.setCurrentIndex(page.model.index(1, 1))
    page.detail.show_tab("impacts")
    table = page.detail.parts["impacts"].table
    expected = next(at for at, column in enumerate(table.cells.columns) if column.id == "expected")
    refused: list[object] = []
    table.cells.refused.connect(refused.append)
    table.setFocus()
    table.setCurrentIndex(table.cells.index(0, expected))
    QTest.keyClicks(table, "a")
    QTest.mouseClick(
        page.grid.viewport(),
        Qt.MouseButton.LeftButton,
        pos=page.grid.visualRect(page.model.index(2, PLACE["title"])).center(),
    )
    let_window_live(0.05, "a refused cell is opened once more in the next turn")
    assert page.action is not None and page.action.title == "Write-behind"
    assert not is_open(table) and refused
    assert [row.impacts[0].expected for row in page.model.rows[1:]] == [10.0, 10.0]


def test_rows_that_are_only_read_meanwhile_take_nothing(page: TradeoffPage) -> None:
    go(page, 1, "title")
    press(page.grid, Key.Key_F2)
    QTest.keyClicks(editor(page.grid), "!")
    page.model.show(page.model.rows, page.model.sheet, writable=False)
    before = titles(page)
    wait_until_stored()
    assert titles(page) == before


# --- blocks
def test_cells_that_a_short_line_does_not_have_are_left_alone(page: TradeoffPage) -> None:
    for row in (1, 2):
        change(page, row, hypothesis="as before")
    select(page, (1, CHANGES), (1, CHANGES))
    put_on_clipboard("q\tfaster\r\nr\r\n")
    page.grid.paste()
    rows = page.model.rows[1:]
    assert [(row.changes[0].parameter, row.hypothesis) for row in rows] == [("q", "faster"), ("r", "as before")]


# --- figures, in two languages
def shown_figures(opened: MainWindow, idle: Callable[[], None]) -> MeasurementTable:
    opened.show_page("engagement")
    idle()
    page = opened.page("engagement")
    assert isinstance(page, EngagementPage)
    page.show_argument("measurements")
    idle()
    return page.measurements


def test_the_last_figure_goes_with_its_open_cell(opened: MainWindow, idle: Callable[[], None]) -> None:
    figures = shown_figures(opened, idle)
    table = figures.table
    for _ in range(2):
        figures.add()
        QTest.keyClicks(editor(table), "x")
        opened.workspace.undo.undo()
        assert table.cells.rowCount() == 0
        wait_until_stored()
        assert not opened.workspace.unsaved


def test_a_label_keeps_its_language_when_that_of_the_window_changes(
    opened: MainWindow, look: Callable[..., None], idle: Callable[[], None]
) -> None:
    look("ko")
    figures = shown_figures(opened, idle)
    table = figures.table
    figures.add()
    press(editor(table), Key.Key_Escape)
    table.cells.setData(table.cells.index(0, 0), "응답시간")
    before = figures.model.rows
    assert before[0].label_ko != before[0].label_en
    table.setFocus()
    table.setCurrentIndex(table.cells.index(0, 0))
    press(table, Key.Key_F2)
    assert editor(table).toPlainText() == before[0].label_ko
    look("en")
    idle()
    assert not is_open(table)
    assert figures.model.rows == before
