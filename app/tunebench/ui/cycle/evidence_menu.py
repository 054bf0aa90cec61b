"""The menu of what can be pinned as evidence: rows of tables, charts."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QTableView, QWidget

from tunebench.ui.widgets.exhibit import add_copies
from tunebench.ui.workspace import Workspace

PIN = "evidence.pin"


def offer_menu(table: QTableView, workspace: Workspace, more: Callable[[QMenu], None] | None = None) -> None:
    """A right click (or the menu key) chooses the row and offers to pin it, and what `more` adds."""

    def show(position: QPoint) -> None:
        index = table.indexAt(position)
        if not index.isValid():
            return
        if not table.selectionModel().isSelected(index):
            table.setCurrentIndex(index)
        menu = pin_menu(table, workspace)
        if more is not None:
            menu.addSeparator()
            more(menu)
        add_copies(menu, table)
        if not menu.isEmpty():
            menu.popup(table.viewport().mapToGlobal(position))

    table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
    table.customContextMenuRequested.connect(show)


def offer_pin(chart: QWidget, workspace: Workspace) -> None:
    """A right click on a chart offers to pin what it shows."""

    def show(position: QPoint) -> None:
        menu = pin_menu(chart, workspace)
        add_copies(menu, chart)
        if not menu.isEmpty():
            menu.popup(chart.mapToGlobal(position))

    chart.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
    chart.customContextMenuRequested.connect(show)


def pin_menu(owner: QWidget, workspace: Workspace) -> QMenu:
    menu = QMenu(owner)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    add_pin(menu, workspace)
    return menu


def add_pin(menu: QMenu, workspace: Workspace) -> None:
    """The command, where the window has it."""
    action = _command(workspace)
    if action is not None:
        menu.addAction(action)


def pin(workspace: Workspace) -> None:
    """What a button of a page does."""
    action = _command(workspace)
    if action is not None:
        action.trigger()


def _command(workspace: Workspace) -> QAction | None:
    return next((action for command, action in workspace.commands.all() if command.id == PIN), None)
