"""What is typed is in the project within a second, though nobody pauses or leaves the field; "saved" is said then."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import shiboken6
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit, QTabBar, QTableView, QTextEdit, QWidget

from tests.ui.cycle_page_hand import begun, panel_of
from tests.waiting import let_window_live
from tunebench.domain.cycle.records import StepNumber
from tunebench.domain.engagement import Section
from tunebench.ui.cycle.record_table import RecordTable
from tunebench.ui.frame import typed_fields
from tunebench.ui.frame.main_window import MainWindow
from tunebench.ui.frame.status_bar import StatusBar
from tunebench.ui.inspected import InspectedHost, InspectedRun
from tunebench.ui.pages.cycle_page import CyclePage
from tunebench.ui.pages.engagement_page import EngagementPage
from tunebench.ui.typing import TextField, is_stored_field, keeper_of, mark_stored
from tunebench.usecases import projects
from tunebench.usecases.cycle import applying
from tunebench.usecases.cycle.sealing import SealedRefusal

WITHIN_MS = 1000


@pytest.fixture
def page(opened: MainWindow, idle: Callable[[], None]) -> EngagementPage:
    opened.show_page("engagement")
    idle()
    shown_page = opened.stack.currentWidget()
    assert isinstance(shown_page, EngagementPage)
    return shown_page


def saved(window: MainWindow) -> str:
    return window.findChildren(StatusBar)[0]._saved.text()


def wait_for_saved(qtbot: Any, window: MainWindow) -> None:
    """A second and no longer; what is kept back is not called saved then either."""
    with contextlib.suppress(qtbot.TimeoutError):
        qtbot.waitUntil(lambda: saved(window) == "✓ Saved", timeout=WITHIN_MS)


def keys(field: QWidget, words: str) -> None:
    field.setFocus()
    QTest.keyClicks(field, words)


def test_a_title_is_stored_while_its_field_has_the_keyboard(
    page: EngagementPage, opened: MainWindow, qtbot: Any
) -> None:
    project, field = page.workspace.opened, page.details.edits["title"]
    before = projects.read_engagement(project).title
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, "Batch ")
    assert (projects.read_engagement(project).title, saved(opened)) == (before, "Not saved yet")
    wait_for_saved(qtbot, opened)
    assert (projects.read_engagement(project).title, saved(opened)) == ("Batch", "✓ Saved")
    assert field.hasFocus() and (field.text(), field.cursorPosition()) == ("Batch ", 6), "who types is not disturbed"
    QTest.keyClicks(field, "window")
    wait_for_saved(qtbot, opened)
    assert projects.read_engagement(project).title == "Batch window"
    page.workspace.undo.undo()
    assert projects.read_engagement(project).title == before, "one typing is taken back as one"


def test_words_are_stored_while_the_keys_go_on_without_a_pause(page: EngagementPage, opened: MainWindow) -> None:
    project, field = page.workspace.opened, page.details.edits["title"]
    before = projects.read_engagement(project).title
    field.setFocus()
    for _key in range(60):
        QTest.keyClicks(field, "x")
        let_window_live(0.05, "a key every 50 ms: there is no pause after any of them")
        if projects.read_engagement(project).title != before:
            break
    assert projects.read_engagement(project).title.removeprefix(before).strip("x") == ""
    assert projects.read_engagement(project).title != before
    page.workspace.undo.undo()
    assert projects.read_engagement(project).title == before, "one typing is taken back as one"


def test_a_date_that_is_none_yet_holds_nothing_else_back(page: EngagementPage, opened: MainWindow, qtbot: Any) -> None:
    project, edits = page.workspace.opened, page.details.edits
    keys(edits["period_start"], "2026-1")
    keys(edits["site"], "Seoul")
    let_window_live(
        WITHIN_MS / 1000, "what holds nothing else back is stored within a second, and no later is all of it"
    )
    stored = projects.read_engagement(project)
    assert (stored.site, stored.period_start) == ("Seoul", "")
    assert (edits["period_start"].text(), saved(opened)) == ("2026-1", "Not saved yet"), "it is kept back, and said so"
    keys(edits["period_start"], "1-02")
    wait_for_saved(qtbot, opened)
    assert (projects.read_engagement(project).period_start, saved(opened)) == ("2026-11-02", "✓ Saved")


def test_a_paragraph_is_stored_while_it_is_written(page: EngagementPage, opened: MainWindow, qtbot: Any) -> None:
    page.show_argument("narrative")
    edit = page.narrative.edits[Section.APPROACH]
    edit.setFocus()
    QTest.keyClicks(edit, "Waits first")
    assert saved(opened) == "Not saved yet"
    wait_for_saved(qtbot, opened)
    stored = projects.read_narrative(page.workspace.opened, page.narrative.language)
    assert ([each.text for each in stored if each.section is Section.APPROACH], saved(opened)) == (
        ["Waits first"],
        "✓ Saved",
    )


def test_what_was_typed_a_moment_ago_is_stored_when_the_project_is_left(
    page: EngagementPage, opened: MainWindow
) -> None:
    path = page.workspace.opened.path
    keys(page.details.edits["site"], "Busan")
    opened.controller.close()
    with projects.open_(path) as project:
        assert projects.read_engagement(project).site == "Busan"


# --- every field of every page
WORDS, SEEN = "Zq", "isSeen"


def on_disk(path: Path) -> set[str]:
    """What another process finds in the file now, and would find after this one was killed: the texts of all tables."""
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as file:
        tables = [name for (name,) in file.execute("select name from sqlite_master where type = 'table'")]
        rows = (row for table in tables if "sample" not in table for row in file.execute(f'select * from "{table}"'))
        return {cell for row in rows for cell in row if isinstance(cell, str) and WORDS in cell}


def views(window: MainWindow, idle: Callable[[], None]) -> Iterator[str]:
    """Shows every page, every tab and every step of the cycle."""
    for page_id in window.page_ids:
        window.show_page(page_id)
        idle()
        page = window.page(page_id)
        if isinstance(page, CyclePage):
            for number in StepNumber:
                page.show_step(number)
                for table in (
                    each for each in page.findChildren(RecordTable) if each.isVisible() and each.model().rowCount()
                ):
                    table.selectRow(0)
                idle()
                yield f"{page_id} {number.name}"
            continue
        yield page_id
        for bar in [bar for bar in page.findChildren(QTabBar) if bar.isVisible()]:
            for at in range(1, bar.count()):
                bar.setCurrentIndex(at)
                idle()
                yield f"{page_id}, {bar.tabText(at)}"


def open_cells(window: MainWindow) -> Iterator[TextField]:
    """An editor in each column of each table that can be typed into."""
    for table in (each for each in window.findChildren(QTableView) if each.isVisible()):
        model = table.model()
        for column in range(model.columnCount() if model.rowCount() else 0):
            index = model.index(0, column)
            if not model.flags(index) & Qt.ItemFlag.ItemIsEditable or table.isIndexHidden(index):
                continue
            table.setFocus()
            table.setCurrentIndex(index)
            table.edit(index)
            editor = table.viewport().focusWidget()
            let_window_live(0, "a list of choices opens by itself, in the next turn")
            popup = QApplication.activePopupWidget()
            if popup is not None:
                popup.close()
            if isinstance(editor, QLineEdit | QPlainTextEdit):
                yield editor
            if shiboken6.isValid(editor):  # a line of a register is none before it has a name
                QTest.keyClick(editor, Qt.Key.Key_Return)
                let_window_live(0, "what was refused is opened once more, in the next turn")
            if table.state() == QTableView.State.EditingState:
                QTest.keyClick(table.viewport().focusWidget(), Qt.Key.Key_Escape)
            window.activateWindow()


def fields(window: MainWindow) -> Iterator[TextField]:
    kinds: list[type[TextField]] = [QLineEdit, QPlainTextEdit, QTextEdit]
    for kind in kinds:
        for field in window.findChildren(kind):
            if shiboken6.isValid(field) and field.isVisible() and field.isEnabled() and not field.isReadOnly():
                yield field
    yield from open_cells(window)


def test_saved_is_never_said_of_words_that_are_not_on_the_disk(
    window: MainWindow, qtbot: Any, idle: Callable[[], None], demo_file: Path
) -> None:
    """Every field of every page: typed into, not left, and looked for in the file a second later."""
    assert window.controller.open(demo_file)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    typed, stored, wrong = 0, 0, []
    for view in views(window, idle):
        for field in fields(window):
            name = f"{view}: {field.accessibleName() or type(field).__name__}"
            if not is_stored_field(field) or field.property(SEEN):
                continue
            field.setProperty(SEEN, True)
            typed += 1
            words = f"{WORDS}{typed}"
            field.setFocus()
            QTest.keyClicks(field, words)
            at_once = saved(window)
            if at_once != "Not saved yet":
                wrong.append(f"{name}: {at_once!r} while it is typed")
            keeper = keeper_of(field)
            if keeper is not None and keeper.soon:
                wait_for_saved(qtbot, window)
            kept = any(words in each for each in on_disk(demo_file))
            stored += kept
            if saved(window) == "✓ Saved" and not kept and field.isVisible() and words in plain(field):
                wrong.append(f"{name}: called saved, and is not in the file")
            if shiboken6.isValid(field):
                mark_stored(field)
    assert wrong == [], "\n".join(wrong)
    assert (typed >= 55, stored >= 28) == (True, True), (typed, stored)
    print("COUNTS", typed, stored)


def plain(field: TextField) -> str:
    if not shiboken6.isValid(field):
        return ""
    return field.text() if isinstance(field, QLineEdit) else field.toPlainText()


# --- what cannot be stored yet, and what leads away from it
@pytest.fixture
def cycle_page(opened: MainWindow, qtbot: Any, idle: Callable[[], None]) -> CyclePage:
    page = begun(qtbot, opened)
    idle()
    return page


def test_words_of_the_cycle_are_stored_under_the_fingers_and_taken_back_as_one(
    cycle_page: CyclePage, opened: MainWindow, qtbot: Any
) -> None:
    before = cycle_page.controller.iteration
    assert before is not None
    field = cycle_page.name.input
    assert isinstance(field, QLineEdit)
    field.setFocus()
    field.selectAll()
    for words in ("Nightly ", "batch"):
        QTest.keyClicks(field, words)
        wait_for_saved(qtbot, opened)
    now = cycle_page.controller.iteration
    assert now is not None and (now.title, saved(opened)) == ("Nightly batch", "✓ Saved")
    assert (field.text(), field.cursorPosition(), field.hasFocus()) == ("Nightly batch", 13, True)
    opened.workspace.undo.undo()
    assert cycle_page.controller.iteration == before


def test_nobody_is_asked_for_a_reason_while_typing(
    cycle_page: CyclePage, opened: MainWindow, qtbot: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is sealed asks why it is changed: when the field is left, and "not saved yet" stands until then."""
    asked: list[str] = []
    controller = cycle_page.controller

    def refuse(*_: Any, **given: Any) -> Any:
        if not given:
            raise SealedRefusal("cycle_sealed")
        return given

    monkeypatch.setattr(controller, "ask_reason", lambda why, _by: asked.append(why))
    monkeypatch.setattr(applying, "apply", refuse)
    field = cycle_page.name.input
    keys(field, "x")
    let_window_live(WITHIN_MS / 1000, "it would have been stored by now")
    assert (asked, saved(opened)) == ([], "Not saved yet")
    QTest.keyClick(field, Qt.Key.Key_Tab)
    assert len(asked) == 1 and saved(opened) == "Not saved yet"


def test_who_leaves_with_words_that_have_a_button_of_their_own_is_asked(
    cycle_page: CyclePage, opened: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    named: list[list[str]] = []

    def stay(window: MainWindow) -> bool:
        named.append(window.typed.names())
        return False

    monkeypatch.setattr(typed_fields, "ask_to_leave", stay)
    panel = panel_of(cycle_page, StepNumber.DECISION)
    keys(panel.fields["reason"].input, "too slow still")
    assert saved(opened) == "Not saved yet"
    opened.controller.leave()
    assert len(named) == 1 and opened.workspace.project is not None
    assert not opened.close() and len(named) == 2
    mark_stored(panel)
    opened.controller.leave()
    assert opened.workspace.project is None


def test_a_note_is_kept_of_its_thing_when_another_is_looked_at(opened: MainWindow, idle: Callable[[], None]) -> None:
    opened.show_page("timeline")
    idle()
    view = opened.workspace.run_views[0]
    opened.workspace.inspect(InspectedRun(view))
    editor = opened.inspector._notes.editor
    keys(editor, "before the patch")
    assert saved(opened) == "Not saved yet"
    opened.workspace.inspect(InspectedHost(opened.workspace.overview.hosts[0]))  # type: ignore[union-attr]
    assert [each.text for each in projects.list_notes(opened.workspace.opened)] == ["before the patch"]
    assert saved(opened) == "✓ Saved"
