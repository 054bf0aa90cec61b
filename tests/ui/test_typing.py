"""What is typed is in the project within a second of the last key, though nobody leaves the field; "saved" is said then."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtTest import QTest

from app.domain.engagement import Section
from app.ui.frame.main_window import MainWindow
from app.ui.frame.status_bar import StatusBar
from app.ui.pages.engagement_page import EngagementPage
from app.usecases import projects

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


def test_a_title_is_stored_while_its_field_has_the_keyboard(
    page: EngagementPage, opened: MainWindow, qtbot: Any
) -> None:
    project, field = page.workspace.opened, page.details.edits["title"]
    before = projects.read_engagement(project).title
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, "Batch ")
    assert (projects.read_engagement(project).title, saved(opened)) == (before, "Not saved yet")
    qtbot.wait(WITHIN_MS)
    assert (projects.read_engagement(project).title, saved(opened)) == ("Batch", "✓ Saved")
    assert field.hasFocus() and (field.text(), field.cursorPosition()) == ("Batch ", 6), "who types is not disturbed"
    QTest.keyClicks(field, "window")
    qtbot.wait(WITHIN_MS)
    assert projects.read_engagement(project).title == "Batch window"
    page.workspace.undo.undo()
    assert projects.read_engagement(project).title == before, "one typing is taken back as one"


def test_a_date_that_is_none_yet_holds_nothing_else_back(page: EngagementPage, opened: MainWindow, qtbot: Any) -> None:
    project, edits = page.workspace.opened, page.details.edits
    QTest.keyClicks(edits["period_start"], "2026-1")
    QTest.keyClicks(edits["site"], "Seoul")
    qtbot.wait(WITHIN_MS)
    stored = projects.read_engagement(project)
    assert (stored.site, stored.period_start) == ("Seoul", "")
    assert (edits["period_start"].text(), saved(opened)) == ("2026-1", "Not saved yet"), "it is kept back, and said so"
    QTest.keyClicks(edits["period_start"], "1-02")
    qtbot.wait(WITHIN_MS)
    assert (projects.read_engagement(project).period_start, saved(opened)) == ("2026-11-02", "✓ Saved")


def test_a_paragraph_is_stored_while_it_is_written(page: EngagementPage, opened: MainWindow, qtbot: Any) -> None:
    page.show_argument("narrative")
    edit = page.narrative.edits[Section.APPROACH]
    edit.setFocus()
    QTest.keyClicks(edit, "Waits first")
    assert saved(opened) == "Not saved yet"
    qtbot.wait(WITHIN_MS)
    stored = projects.read_narrative(page.workspace.opened, page.narrative.language)
    assert ([each.text for each in stored if each.section is Section.APPROACH], saved(opened)) == (
        ["Waits first"],
        "✓ Saved",
    )


def test_what_was_typed_a_moment_ago_is_stored_when_the_project_is_left(
    page: EngagementPage, opened: MainWindow
) -> None:
    path = page.workspace.opened.path
    QTest.keyClicks(page.details.edits["site"], "Busan")
    opened.controller.close()
    with projects.open_(path) as project:
        assert projects.read_engagement(project).site == "Busan"
