"""Messages over the page: they move nothing, end by themselves or with their cause, and can be read and undone."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication

from tests.ui.conftest import FIXTURES
from tunebench.core.errors import UserError
from tunebench.domain.cycle.records import Cause
from tunebench.ui.cycle.cycle_controller import CycleController
from tunebench.ui.frame import toasts as toasts_module
from tunebench.ui.frame.main_window import MainWindow
from tunebench.ui.frame.toasts import KEPT, MOST, Toast
from tunebench.ui.workspace import Change
from tunebench.usecases.cycle import edits


def picture(window: MainWindow, masked: list[QRect]) -> QImage:
    """The window without the status bar, in which the bell counts, and without what is masked."""
    shot = window.grab(QRect(0, 0, window.width(), window.status.geometry().top())).toImage()
    painter = QPainter(shot)
    for area in masked:
        painter.fillRect(area, Qt.GlobalColor.black)
    painter.end()
    return shot


@pytest.mark.parametrize("page_id", ["captures", "engagement", "findings", "reference"])
@pytest.mark.parametrize("tone", ["info", "error"])
def test_a_message_moves_no_pixel_beside_it(opened: MainWindow, idle: Any, page_id: str, tone: str) -> None:
    QApplication.setCursorFlashTime(0)  # a field that has the keyboard shows its cursor all the time
    opened.show_page(page_id)
    idle()
    before = picture(opened, [])
    opened.workspace.say("Kept. " * 30, tone)
    idle()
    (toast,) = opened.messages.shown
    assert toast.isVisible() and toast.geometry().bottom() < opened.status.geometry().top()
    over = picture(opened, [])
    painter = QPainter(before)
    painter.fillRect(toast.geometry(), Qt.GlobalColor.black)
    painter.end()
    assert over != before
    assert picture(opened, [toast.geometry()]) == before


def test_news_go_by_themselves_unless_the_pointer_or_the_keyboard_is_on_them(
    opened: MainWindow, qtbot: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("SHOWN_MS", "OFFERED_MS", "HELD_MS"):
        monkeypatch.setattr(toasts_module, name, 20)
    opened.activateWindow()
    opened.workspace.say("held", act=("ui.command.edit.undo", lambda: None))
    (held,) = opened.messages.shown
    link = next(b for b in held.findChildren(QAbstractButton) if b is not held.close_button)
    link.setFocus()
    qtbot.waitUntil(lambda: held.has_keyboard)
    opened.workspace.say("passing")
    passing = opened.messages.shown[-1]
    qtbot.waitUntil(lambda: passing not in opened.messages.shown)
    assert opened.messages.shown == [held]
    opened.page("captures").setFocus()
    qtbot.waitUntil(lambda: not opened.messages.shown)


def test_an_error_stays_until_it_is_closed_or_its_cause_ends(
    opened: MainWindow, qtbot: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(toasts_module, "SHOWN_MS", 10)
    workspace = opened.workspace
    workspace.say_error(UserError("cycle_no_iteration"), Change.CYCLE)
    workspace.say_error(UserError("nothing_to_import", path="/x"), Change.CAPTURES)
    workspace.say("passing")
    qtbot.waitUntil(lambda: len(opened.messages.shown) == 2)
    workspace.announce(Change.CYCLE)
    (left,) = opened.messages.shown
    assert "/x" in left.message.sentence
    qtbot.mouseClick(left.close_button, Qt.MouseButton.LeftButton)
    assert not opened.messages.shown and opened.messages.sentence() == ""


def test_a_refusal_for_want_of_an_iteration_goes_when_one_is_started(opened: MainWindow, idle: Any) -> None:
    controller = CycleController.of(opened.workspace)
    assert not controller.attempt(
        lambda: edits.add_typed(controller.book, "cause", {"title": "redo", "domain": "system"})
    )
    (refusal,) = opened.messages.shown
    assert refusal.message.tone == "error"
    refusal.act()
    idle()
    assert opened.current_page == "cycle" and not opened.messages.shown
    assert not controller.attempt(
        lambda: edits.add_typed(controller.book, "cause", {"title": "redo", "domain": "system"})
    )
    assert controller.edit(edits.open_iteration(controller.book, "one"))
    assert not [toast for toast in opened.messages.shown if toast.message.tone == "error"]


def test_what_was_done_is_undone_from_its_message_and_only_until_something_else_is_done(
    opened: MainWindow, qtbot: Any, idle: Any
) -> None:
    controller = CycleController.of(opened.workspace)
    assert controller.edit(edits.open_iteration(controller.book, "one"))
    assert controller.edit(edits.add_typed(controller.book, "cause", {"title": "redo", "domain": "system"}))
    opened.workspace.say_done("taken")
    (toast,) = opened.messages.shown
    (undo,) = [b for b in toast.findChildren(QAbstractButton) if b.text() == "Undo"]
    qtbot.mouseClick(undo, Qt.MouseButton.LeftButton)
    idle()
    assert not controller.book.all(Cause) and controller.book.iterations
    opened.workspace.say_done("taken")
    opened.workspace.undo.undo()
    assert not opened.messages.shown and not controller.book.iterations
    assert all(message.act is None for message in opened.messages.history)


def test_three_at_most_and_the_last_fifty_are_kept(opened: MainWindow, qtbot: Any) -> None:
    for number in range(KEPT + 5):
        opened.workspace.say(f"message {number}")
    assert [toast.message.sentence for toast in opened.messages.shown] == [
        f"message {KEPT + 5 - left}" for left in range(MOST, 0, -1)
    ]
    assert len(opened.messages.history) == KEPT
    areas = [toast.geometry() for toast in opened.messages.shown]
    assert not any(one.intersects(other) for one in areas for other in areas if one is not other)
    bell = opened.messages.bell
    assert bell.text() == str(KEPT + 5)
    bell.menu().aboutToShow.emit()
    actions = bell.menu().actions()
    assert len(actions) == KEPT and bell.text() == ""
    actions[-1].trigger()
    assert opened.messages.sentence() == "message 5", "what is chosen there is shown again"


def test_the_same_words_and_the_same_cause_stand_there_once(opened: MainWindow) -> None:
    for _ in range(2):
        opened.workspace.say("Copied.")
    opened.workspace.say("a busy import", "warning", Change.CAPTURES)
    opened.workspace.say("a refused import", "error", Change.CAPTURES)
    assert [toast.message.sentence for toast in opened.messages.shown] == ["Copied.", "a refused import"]


def test_escape_closes_the_message_that_has_the_keyboard(opened: MainWindow, qtbot: Any) -> None:
    opened.activateWindow()
    opened.show_page("help")
    opened.workspace.say("an error", "error")
    (toast,) = opened.messages.shown
    toast.close_button.setFocus()
    qtbot.waitUntil(lambda: toast.has_keyboard)
    QTest.keyClick(toast.close_button, Qt.Key.Key_Escape)
    assert not opened.messages.shown and opened.current_page == "help"


def test_it_stays_in_its_corner_when_the_window_grows(opened: MainWindow, qtbot: Any, idle: Any) -> None:
    opened.workspace.say("an error", "error")
    (toast,) = opened.messages.shown
    former = opened.width() - toast.geometry().right()
    opened.resize(opened.width() + 120, opened.height() + 60)
    idle()
    assert opened.width() - toast.geometry().right() == former
    assert opened.rect().contains(toast.mapTo(opened, QPoint(0, 0)))


def test_a_screen_reader_hears_the_sentence(opened: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[Any] = []
    monkeypatch.setattr(QAccessible, "updateAccessibility", heard.append)
    opened.workspace.say("Pinned as E-2.")
    (event,) = [event for event in heard if isinstance(event, QAccessibleAnnouncementEvent)]
    assert event.message() == "Pinned as E-2." and isinstance(event.object(), Toast)


def test_the_message_of_an_import_leads_to_the_review_that_corrects_it(
    opened: MainWindow, tmp_path: Any, qtbot: Any, idle: Any
) -> None:
    nameless = tmp_path / "vmstat_again.txt"
    text = (FIXTURES / "linux" / "vmstat.ko_KR.txt").read_text()
    nameless.write_text(text + text.splitlines()[-1] + "\n")
    opened.import_paths([nameless])
    page: Any = opened.page("captures")
    page.form.submit()
    idle()
    (toast,) = opened.messages.shown
    assert toast.message.sentence.endswith("Whose they are is said in the review.")
    (to_review,) = [b for b in toast.findChildren(QAbstractButton) if b.text() == "Review of all captures"]
    qtbot.mouseClick(to_review, Qt.MouseButton.LeftButton)
    idle()
    review: Any = opened.page("review")
    assert opened.current_page == "review" and [row.path for row in review.chosen()] == [str(nameless)]
