"""A project that somebody else writes in: what cannot be typed in looks so, says why, and does nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from tests.ui import made_cycle
from tunebench.domain.cycle.records import StepNumber
from tunebench.ui.frame.main_window import MainWindow
from tunebench.ui.pages.cycle_page import CyclePage
from tunebench.ui.pages.engagement_page import EngagementPage
from tunebench.ui.pages.tradeoff_page import TradeoffPage
from tunebench.usecases import projects

Idle = Callable[[], None]


@pytest.fixture
def reader(window: MainWindow, project_file: Path, idle: Idle) -> Iterator[MainWindow]:
    holder = projects.open_(project_file)
    made_cycle.fill(holder)
    assert window.controller.open(project_file)
    assert not window.workspace.writable
    idle()
    yield window
    window.controller.close()
    projects.close(holder)


def test_fields_of_the_engagement_are_locked(reader: MainWindow) -> None:
    reader.show_page("engagement", "details")
    page = reader.page("engagement")
    assert isinstance(page, EngagementPage)
    for field in page.details.edits.values():
        assert field.property("locked") and field.isReadOnly() and "Read only" in field.toolTip()
        assert not field.placeholderText()
    assert page.details._hint.text().startswith("Read only")
    assert page.measurements.table.property("locked")
    assert all(edit.property("locked") and not edit.placeholderText() for edit in page.narrative.edits.values())


def test_registers_are_locked_and_typing_says_so(reader: MainWindow) -> None:
    reader.show_page("engagement", "issues")
    page = reader.page("engagement")
    assert isinstance(page, EngagementPage)
    table = page.registers["issues"]
    heard: list[str] = []
    reader.workspace.said.connect(lambda _tone, sentence: heard.append(sentence))
    assert table.grid.property("locked") and table._hint.text().startswith("Read only")
    table.grid.setCurrentIndex(table.model.index(0, 1))
    QTest.keyClick(table.grid, Qt.Key.Key_A)
    assert heard == ["Read only: nothing was changed."]
    QTest.keyClick(table.grid, Qt.Key.Key_Down)
    assert len(heard) == 1


def test_forms_of_the_cycle_are_locked(reader: MainWindow) -> None:
    reader.show_page("cycle")
    page = reader.page("cycle")
    assert isinstance(page, CyclePage)
    page.show_step(StepNumber.CAUSES)
    panel = page.detail.panel
    assert panel.form.fields["title"].input.property("locked")  # type: ignore[attr-defined]
    assert not panel.form.fields["domain"].input.isEnabled()  # type: ignore[attr-defined]
    assert page.detail.questions.ask.property("locked") and not page.detail.questions.ask.placeholderText()
    page.show_step(StepNumber.DECISION)
    assert all(field.input.isReadOnly() for field in page.detail.panel.fields.values())  # type: ignore[attr-defined]


def test_the_worksheet_is_locked(reader: MainWindow) -> None:
    reader.show_page("tradeoffs")
    page = reader.page("tradeoffs")
    assert isinstance(page, TradeoffPage)
    heard: list[str] = []
    reader.workspace.said.connect(lambda _tone, sentence: heard.append(sentence))
    assert page.grid.property("locked") and page.detail.log.table.property("locked")
    assert all(edit.isReadOnly() and edit.property("locked") for edit in page.detail.decision.edits.values())
    page.grid.setCurrentIndex(page.model.index(0, 0))
    QTest.keyClick(page.grid, Qt.Key.Key_X)
    assert heard == ["Read only: nothing was changed."]


def test_what_was_locked_is_free_again(reader: MainWindow, tmp_path: Path, project_file: Path, idle: Idle) -> None:
    from tunebench.domain.engagement import Engagement

    reader.show_page("engagement", "details")
    page = reader.page("engagement")
    assert isinstance(page, EngagementPage)
    path = tmp_path / "own.tune"
    projects.close(projects.create(path, Engagement("Own", "ACME")))
    assert reader.controller.open(path)
    idle()
    assert not page.details.edits["site"].property("locked") and not page.details.edits["site"].toolTip()
    assert not page.registers["issues"].grid.property("locked")
