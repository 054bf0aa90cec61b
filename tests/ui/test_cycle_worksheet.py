"""The trade-off grid works like a spreadsheet: keys, several cells at once, the clipboard both ways, input methods."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QGuiApplication, QInputMethodEvent, QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QWidget
from pytestqt.qtbot import QtBot

from tests.ui.made_worksheet import (
    ALT,
    CONTROL,
    PLACE,
    SHIFT,
    Key,
    action,
    at,
    editor,
    go,
    press,
    put_on_clipboard,
    select,
    worksheet,
)
from tunebench.domain.cycle.worksheet import ActionState, Impact, Resource
from tunebench.ui.pages.tradeoff_page import TradeoffPage
from tunebench.ui.tables.grid_editor import CellText
from tunebench.ui.workspace import Workspace
from tunebench.usecases.cycle.worksheet_columns import GRID


@pytest.fixture
def page(qtbot: Any, workspace: Workspace, tmp_path: Path) -> Iterator[TradeoffPage]:
    yield from worksheet(qtbot, workspace, tmp_path)


# --- typing


def test_typing_replaces_enter_goes_down_and_undo_takes_it_back(page: TradeoffPage) -> None:
    go(page, 1, "hypothesis")
    QTest.keyClicks(page.grid, "F")
    QTest.keyClicks(editor(page.grid), "ewer look-ups")
    press(editor(page.grid), Key.Key_Return)
    assert action(page, 1).hypothesis == "Fewer look-ups"
    assert at(page.grid) == (2, PLACE["hypothesis"])
    page.workspace.undo.undo()
    assert action(page, 1).hypothesis == ""
    page.workspace.undo.redo()
    assert page.model.index(1, PLACE["hypothesis"]).data() == "Fewer look-ups"


def test_f2_goes_on_writing_and_escape_gives_up(page: TradeoffPage) -> None:
    go(page, 1, "title")
    press(page.grid, Key.Key_F2)
    QTest.keyClicks(editor(page.grid), " (DNLC)")
    press(editor(page.grid), Key.Key_Tab)
    assert action(page, 1).title == "Bigger name cache (DNLC)"
    assert at(page.grid) == (1, PLACE["state"])
    go(page, 1, "title")
    QTest.keyClicks(page.grid, "x")
    press(editor(page.grid), Key.Key_Escape)
    assert action(page, 1).title == "Bigger name cache (DNLC)"


def test_alt_enter_begins_a_line_where_there_may_be_several(page: TradeoffPage) -> None:
    go(page, 1, "risks")
    QTest.keyClicks(page.grid, "o")
    QTest.keyClicks(editor(page.grid), "ne")
    press(editor(page.grid), Key.Key_Return, ALT)
    QTest.keyClicks(editor(page.grid), "two")
    press(editor(page.grid), Key.Key_Return)
    assert [risk.text for risk in action(page, 1).risks] == ["one", "two"]


@pytest.mark.parametrize(
    ("key", "down", "across"),
    [(Key.Key_Tab, 0, 1), (Key.Key_Backtab, 0, -1), (Key.Key_Return, 1, 0), (Key.Key_Enter, 1, 0)],
)
def test_a_choice_is_left_by_one_cell_and_the_keys_stay_in_the_table(
    qtbot: QtBot, page: TradeoffPage, key: Qt.Key, down: int, across: int
) -> None:
    page.activateWindow()
    qtbot.waitActive(page)
    go(page, 1, "state")
    press(page.grid, Key.Key_F2)
    box = page.grid.findChild(QComboBox)
    assert box is not None
    other = next(number for number in range(box.count()) if number != box.currentIndex())
    words = box.itemText(other)
    box_state = action(page, 1).state
    box.setCurrentIndex(other)
    event = QKeyEvent(QEvent.Type.KeyPress, key, Qt.KeyboardModifier.NoModifier)
    assert page.grid.itemDelegate().eventFilter(box, event) is True
    assert at(page.grid) == (1 + down, PLACE["state"] + across)
    assert page.model.index(1, PLACE["state"]).data() == words and action(page, 1).state is not box_state
    assert focused() is page.grid


def test_keys_walk_through_the_table_and_leave_it_at_its_ends(page: TradeoffPage) -> None:
    go(page, 1, "title")
    press(page.grid, Key.Key_Tab)
    assert at(page.grid) == (1, 1)
    press(page.grid, Key.Key_Backtab, SHIFT)
    press(page.grid, Key.Key_Backtab, SHIFT)
    assert at(page.grid) == (0, len(GRID) - 1)
    for key, wanted in ((Key.Key_Left, -1), (Key.Key_Right, 0)):
        press(page.grid, key)
        assert at(page.grid) == (0, len(GRID) - 1 + wanted)
    press(page.grid, Key.Key_Return)
    assert at(page.grid)[0] == 1
    press(page.grid, Key.Key_Return, SHIFT)
    assert at(page.grid)[0] == 0
    page.grid.setCurrentIndex(page.model.index(page.model.rowCount() - 1, len(GRID) - 1))
    press(page.grid, Key.Key_Tab)
    assert QApplication.focusWidget() is not page.grid


def test_delete_empties_all_chosen_cells_in_one_step(page: TradeoffPage) -> None:
    for row in (1, 2):
        assert page.model.setData(page.model.index(row, PLACE["cpu"]), "▼ 5 %")
    page.grid.setCurrentIndex(page.model.index(1, PLACE["cpu"]))
    select(page, (1, "cpu"), (2, "memory"))
    press(page.grid, Key.Key_Delete)
    assert not action(page, 1).impacts and not action(page, 2).impacts
    page.workspace.undo.undo()
    assert action(page, 1).impacts and action(page, 2).impacts


def test_a_hangul_syllable_begins_a_cell(page: TradeoffPage) -> None:
    """What an input method composes arrives in the editor, and the first syllable is not lost."""
    go(page, 1, "title")
    QApplication.sendEvent(page.grid, QInputMethodEvent("ㅎ", []))
    begun = editor(page.grid)
    commit = QInputMethodEvent("", [])
    commit.setCommitString("한")
    QApplication.sendEvent(page.grid, commit)
    more = QInputMethodEvent("", [])
    more.setCommitString("글")
    QApplication.sendEvent(begun, more)
    press(begun, Key.Key_Return)
    assert action(page, 1).title == "한글"


def test_known_names_are_offered_and_chosen_with_the_keyboard(qtbot: Any, page: TradeoffPage) -> None:
    go(page, 1, "verifications")
    press(page.grid, Key.Key_F2)
    typing = editor(page.grid)
    QTest.keyClicks(typing, "TIME")
    offers = typing._offers
    assert offers is not None
    popup = offers.popup()
    assert popup is not None and popup.isVisible()
    assert [popup.model().index(row, 0).data() for row in range(offers.completionCount())] == ["Order time"]
    press(popup, Key.Key_Down)
    press(popup, Key.Key_Return)
    assert typing.toPlainText() == "Order time"
    press(typing, Key.Key_Return, ALT)
    QTest.keyClicks(typing, "gets")
    press(popup, Key.Key_Down)
    press(popup, Key.Key_Return)
    assert typing.toPlainText() == "Order time\nBlock gets"
    press(typing, Key.Key_Return)
    assert len(action(page, 1).verifications) == 2


def test_the_empty_line_takes_a_new_countermeasure(page: TradeoffPage) -> None:
    page.add()
    QTest.keyClicks(editor(page.grid), "Noatime")
    press(editor(page.grid), Key.Key_Return)
    assert action(page, 3).title == "Noatime"
    assert page.model.rowCount() == 5
    page.workspace.undo.undo()
    assert page.model.rowCount() == 4


def test_the_keyboard_stays_in_the_table_when_a_row_is_added(qtbot: Any, page: TradeoffPage) -> None:
    """The keys go to whatever has the focus, as a person's do."""
    page.activateWindow()
    qtbot.waitActive(page)

    def keys(words: str, *ends: Qt.Key) -> None:
        QTest.keyClicks(focused(), words)
        for key in ends:
            QTest.keyClick(focused(), key)

    go(page, 3, "title")
    keys("N")
    keys("oatime", Key.Key_Tab, Key.Key_Tab)
    assert focused() is page.grid and at(page.grid) == (3, PLACE["cpu"])
    keys("-")
    keys(" 5 %", Key.Key_Return)
    assert focused() is page.grid and at(page.grid) == (4, PLACE["cpu"])
    assert action(page, 3).title == "Noatime" and action(page, 3).impacts[0].expected == 5.0


def focused() -> QWidget:
    found = QApplication.focusWidget()
    assert found is not None
    return found


def test_what_is_refused_can_still_be_mended(qtbot: Any, page: TradeoffPage) -> None:
    go(page, 1, "cpu")
    QTest.keyClicks(page.grid, "m")
    QTest.keyClicks(editor(page.grid), "uch")
    press(editor(page.grid), Key.Key_Return)
    assert "'much'" in page.problems.sentences()[0]
    qtbot.waitUntil(
        lambda: any(each.isVisible() for each in page.grid.viewport().findChildren(CellText)), timeout=60_000
    )
    assert editor(page.grid).toPlainText() == "much"
    editor(page.grid).setPlainText("▼ 5")
    press(editor(page.grid), Key.Key_Return)
    assert action(page, 1).impacts[0].expected == 5.0
    assert page.problems.sentences() == ()


def test_a_row_that_was_carried_out_takes_nothing(page: TradeoffPage) -> None:
    before = action(page, 0)
    go(page, 0, "title")
    QTest.keyClicks(page.grid, "x")
    assert not [each for each in page.grid.viewport().findChildren(CellText) if each.isVisible()]
    put_on_clipboard("Another")
    page.grid.paste()
    assert action(page, 0) == before
    assert page.problems.sentences()


# --- the clipboard


def test_a_block_from_a_spreadsheet_is_one_step(page: TradeoffPage) -> None:
    go(page, 1, "title")
    count = page.workspace.undo.count()
    put_on_clipboard('Cache\tproposed\t▼ 2 %\r\nWrite-behind\tdraft\t\r\n"Third, \nnew"\t\t▲\r\n')
    press(page.grid, Key.Key_V, CONTROL)
    assert page.problems.sentences() == ()
    assert (action(page, 1).title, action(page, 1).state) == ("Cache", ActionState.PROPOSED)
    assert action(page, 1).impacts == (Impact(Resource.CPU, -1, None, 2.0, None, "%"),)
    assert action(page, 3).title == "Third, new"
    assert page.workspace.undo.count() == count + 1
    page.workspace.undo.undo()
    assert len(page.model.rows) == 3 and action(page, 1).title == "Bigger name cache"


def test_nothing_is_half_pasted_and_every_wrong_cell_is_named(page: TradeoffPage) -> None:
    go(page, 1, "title")
    before, count = [action(page, row) for row in range(3)], page.workspace.undo.count()
    put_on_clipboard("Good\texecuted\tmuch\nAlso good\tdraft\t▲\n\tdraft\t▲\n")
    press(page.grid, Key.Key_V, CONTROL)
    assert [action(page, row) for row in range(3)] == before and page.workspace.undo.count() == count
    named = [sentence.partition(":")[0] for sentence in page.problems.sentences()]
    assert named == ["Good · State", "Good · CPU", "row 4 · Countermeasure"]
    page.problems.list.itemActivated.emit(page.problems.list.item(1))
    assert at(page.grid) == (1, PLACE["cpu"])


def test_copied_cells_come_back_and_a_copy_is_taken_with_headings(page: TradeoffPage) -> None:
    page.model.setData(page.model.index(1, PLACE["hypothesis"]), "=1+1\nline two")
    page.grid.selectAll()
    press(page.grid, Key.Key_C, CONTROL)
    plain = QGuiApplication.clipboard().text()
    assert '\t"\'=1+1\nline two"\t' in plain.replace("\r\n", "\n") and "▲▲" in plain
    before, count = page.controller.book, page.workspace.undo.count()
    go(page, 0, "title")
    press(page.grid, Key.Key_V, CONTROL)
    assert page.problems.sentences() == () and page.controller.book == before and page.workspace.undo.count() == count
    page.grid.selectAll()
    press(page.grid, Key.Key_C, CONTROL | SHIFT)
    assert QGuiApplication.clipboard().text().startswith("Countermeasure\tState\tCPU\tMemory\tIOPS, latency\t")
    go(page, 0, "title")
    page.grid.paste()
    assert page.problems.sentences() == () and page.controller.book == before


def test_one_cell_fills_all_chosen_ones_and_fill_down_does_so_too(page: TradeoffPage) -> None:
    select(page, (1, "space"), (2, "space"))
    put_on_clipboard("▼ 3 %\r\n")
    page.grid.paste()
    assert [action(page, row).impacts[0].expected for row in (1, 2)] == [3.0, 3.0]
    page.model.setData(page.model.index(1, PLACE["cost"]), "▼▼")
    select(page, (1, "cost"), (2, "cost"))
    press(page.grid, Key.Key_D, CONTROL)
    assert action(page, 2).impacts[-1] == Impact(Resource.COST, -2)
