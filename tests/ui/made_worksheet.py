"""A trade-off page on an iteration with one action that was carried out and two drafts, and hands to work on it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from PySide6.QtCore import QCoreApplication, QEvent, QItemSelection, QItemSelectionModel, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from tests.ui import made_cycle
from tunebench.domain.cycle.worksheet import Action, ParameterChange
from tunebench.domain.engagement import Engagement
from tunebench.ui.pages.tradeoff_page import TradeoffPage
from tunebench.ui.tables.grid import GridView
from tunebench.ui.tables.grid_editor import CellText
from tunebench.ui.workspace import Change, Workspace
from tunebench.usecases import projects
from tunebench.usecases.cycle import reading
from tunebench.usecases.cycle.worksheet_columns import GRID

Key, ALT, CONTROL, SHIFT, NONE = (
    Qt.Key,
    Qt.KeyboardModifier.AltModifier,
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.NoModifier,
)
PLACE = {column.id: at for at, column in enumerate(GRID)}


def worksheet(qtbot: Any, workspace: Workspace, tmp_path: Path) -> Iterator[TradeoffPage]:
    workspace.project = projects.create(tmp_path / "cycle.tune", Engagement("Tuning", "ACME", language="en"))
    workspace.project_path = tmp_path / "cycle.tune"
    ids = made_cycle.fill(workspace.project)
    maker = made_cycle.CycleMaker(workspace.project)
    for title, change in (("Bigger name cache", "ncsize"), ("Write-behind", "maxcontig")):
        maker.add(Action(0, ids["iteration"], title, (ParameterChange(change, "1000", "4000"),)))
    workspace.announce(Change.OPENED)
    made = TradeoffPage(workspace)
    made.resize(1300, 760)
    made.show()
    qtbot.waitExposed(made)
    made.enter()
    yield made
    project, workspace.project, workspace.overview = workspace.project, None, None
    workspace.announce(Change.CLOSED)
    made.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    projects.close(project)


def action(page: TradeoffPage, row: int) -> Action:
    """As it is kept."""
    assert page.controller.iteration is not None
    return reading.read(page.workspace.opened).in_iteration(Action, page.controller.iteration.id)[row]


def go(page: TradeoffPage, row: int, key: str) -> None:
    page.grid.setCurrentIndex(page.model.index(row, PLACE[key]))
    page.grid.setFocus()


def at(table: GridView) -> tuple[int, int]:
    return table.currentIndex().row(), table.currentIndex().column()


def editor(table: GridView) -> CellText:
    found = [each for each in table.viewport().findChildren(CellText) if each.isVisible()]
    assert len(found) == 1
    return found[0]


def press(widget: QWidget, key: Qt.Key, modifiers: Qt.KeyboardModifier = NONE) -> None:
    QTest.keyClick(widget, key, modifiers)


def put_on_clipboard(words: str) -> None:
    QGuiApplication.clipboard().setText(words)


def select(page: TradeoffPage, first: tuple[int, str], last: tuple[int, str]) -> None:
    one, other = (page.model.index(row, PLACE[key]) for row, key in (first, last))
    page.grid.selectionModel().select(QItemSelection(one, other), QItemSelectionModel.SelectionFlag.ClearAndSelect)
