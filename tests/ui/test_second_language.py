"""The second language of records in the window: its line below each text, how it is stored, undone and kept."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication

from tests.ui.cycle_page_hand import add, begun, here, panel_of, press
from tunebench.domain.cycle.records import Cause, CauseDomain, StepNumber
from tunebench.domain.cycle.worksheet import Action, Risk, Rollback
from tunebench.domain.engagement import Engagement
from tunebench.ui.cycle.record_fields import Field
from tunebench.ui.cycle.second_texts import SecondTexts
from tunebench.ui.frame.main_window import MainWindow
from tunebench.ui.look.language import language
from tunebench.ui.pages.board_page import BoardPage
from tunebench.ui.pages.cycle_page import CyclePage
from tunebench.ui.workspace import Change
from tunebench.usecases import projects

HANGUL = re.compile("[가-힣]")
KOREAN = Engagement("주문 튜닝", "ACME", language="ko", second_language=True)


@pytest.fixture
def page(qtbot: Any, window: MainWindow, tmp_path: Path, idle: Callable[[], None]) -> Iterator[CyclePage]:
    path = tmp_path / "empty.tune"
    projects.close(projects.create(path, KOREAN))
    assert window.controller.open(path)
    begun_page = begun(qtbot, window)
    add(begun_page, Cause(0, here(begun_page), CauseDomain.DATABASE, "잠금 대기"))
    idle()
    language().switch("en")
    yield begun_page
    language().switch("ko")


def title_of(page: CyclePage) -> Field:
    panel = panel_of(page, StepNumber.CAUSES)
    panel.choose(the_cause(page).id)
    field = panel.form.fields["title"]
    assert isinstance(field, Field)
    return field


def the_cause(page: CyclePage) -> Cause:
    (cause,) = page.controller.book.all(Cause)
    return cause


def second_of(page: CyclePage) -> Field:
    field = title_of(page).second
    assert field is not None
    QApplication.processEvents()  # a widget that comes into a layout is shown with the next events
    assert field.isVisible()
    return field


def test_the_text_in_the_other_language_is_typed_below_and_taken_back(page: CyclePage) -> None:
    second = second_of(page)
    assert second.input.accessibleName() == "Title (English)"
    title_of(page).input.setFocus()
    QTest.keyClick(title_of(page).input, Qt.Key.Key_Tab)
    assert second.input.hasFocus()
    QTest.keyClicks(second.input, "Waits for locks")
    QTest.keyClick(second.input, Qt.Key.Key_Return)
    translation = the_cause(page).translation("title", "en")
    assert translation is not None
    assert (the_cause(page).title, translation.text, translation.original) == (
        "잠금 대기",
        "Waits for locks",
        "잠금 대기",
    )
    page.workspace.undo.undo()
    assert the_cause(page).translations == ()


def test_a_text_that_was_changed_since_is_confirmed_by_a_click(page: CyclePage) -> None:
    second = second_of(page)
    QTest.keyClicks(second.input, "Waits for locks")
    QTest.keyClick(second.input, Qt.Key.Key_Return)
    own = title_of(page).input
    own.setFocus()
    QTest.keyClicks(own, "!")
    QTest.keyClick(own, Qt.Key.Key_Return)
    outdated = the_cause(page).translation("title", "en")
    assert outdated is not None and outdated.original != the_cause(page).title
    (confirm,) = [button for button in second_of(page).findChildren(QAbstractButton) if button.isVisible()]
    press(confirm)
    confirmed = the_cause(page).translation("title", "en")
    assert confirmed is not None
    assert (confirmed.text, confirmed.original) == ("Waits for locks", the_cause(page).title)
    assert not confirm.isVisible()


def test_no_line_stands_there_where_the_engagement_has_one_language(page: CyclePage) -> None:
    assert title_of(page).second is not None
    projects.update_engagement(page.workspace.opened, replace(KOREAN, second_language=False))
    page.workspace.announce(Change.ENGAGEMENT)
    page.fill()
    assert title_of(page).second is None


def test_all_texts_stand_in_one_table_and_are_translated_there(page: CyclePage) -> None:
    """Parts of a worksheet row too; what is pasted into several cells is one step of undo."""
    action = Action(0, here(page), "인덱스 추가", risks=(Risk("잠금 대기"),), rollback=Rollback(precondition="야간"))
    add(page, action)
    page.workspace.show_page("engagement")
    texts = page.window().findChild(SecondTexts)
    assert texts is not None
    rows = {(row.path, row.text): at for at, row in enumerate(texts.model.rows)}
    assert {path for path, words in rows if words in ("인덱스 추가", "잠금 대기", "야간")} == {
        "title",
        "risks.1.text",
        "rollback.precondition",
    }
    risk = rows["risks.1.text", "잠금 대기"]
    assert texts.model.rows[risk].state == "missing"
    typed = list(texts.model.rows)
    for path, words, second in (
        ("risks.1.text", "잠금 대기", "Waits for locks"),
        ("title", "인덱스 추가", "New index"),
    ):
        at = rows[path, words]
        typed[at] = replace(typed[at], second=second)
    assert texts._store(typed)
    (stored,) = page.controller.book.all(Action)
    assert [one.text for one in stored.translations] == ["New index"]
    assert [one.text for one in stored.risks[0].translations] == ["Waits for locks"]
    assert texts.model.rows[risk].state == ""
    page.workspace.undo.undo()
    (undone,) = page.controller.book.all(Action)
    assert undone.translations == () and undone.risks[0].translations == ()


def test_a_cell_of_the_table_is_typed_in(page: CyclePage, qtbot: Any) -> None:
    page.workspace.show_page("engagement", "translations")
    texts = page.window().findChild(SecondTexts)
    assert texts is not None and texts.isVisible()
    at = next(at for at, row in enumerate(texts.model.rows) if row.text == "잠금 대기")
    cell = texts.model.index(at, 3)
    assert texts.model.setData(cell, "Waits for locks")
    translation = the_cause(page).translation("title", "en")
    assert translation is not None and translation.text == "Waits for locks"
    assert not texts.model.setData(texts.model.index(at, 2), "x")  # the text itself is typed where it stands


def test_the_board_reads_records_as_the_window_speaks(
    window: MainWindow, look: Callable[..., None], idle: Callable[[], None], demo_file: Path
) -> None:
    look("en")
    assert window.controller.open(demo_file)
    window.show_page("board")
    idle()
    board = window.page("board")
    assert isinstance(board, BoardPage)
    names = [row.name.accessibleName() or row.name.text() for row in board.targets.rows]
    assert names and not any(HANGUL.search(name) for name in names), names
    look("ko")
    idle()
    names = [row.name.accessibleName() or row.name.text() for row in board.targets.rows]
    assert all(HANGUL.search(name) for name in names), names
