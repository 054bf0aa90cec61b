"""The tables of the window: what each column shows, sorts by and copies, its colours and tool tips.

The window is opened by the program itself and looked at from outside: its pages by their ids, their tables as Qt knows them.
"""

from __future__ import annotations

import sys
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from PySide6.QtCore import (
    QAbstractItemModel,
    QAbstractListModel,
    QEventLoop,
    QModelIndex,
    QPersistentModelIndex,
    Qt,
    QTimer,
)
from PySide6.QtGui import QBrush, QColor, QFont
from PySide6.QtWidgets import QAbstractItemView, QApplication, QComboBox, QHeaderView

from tests.golden.program import open_window, portable
from tests.golden.units import Units, under
from tests.waiting import let_time_pass

LONGEST_WAIT_S = 120.0
QUIET_S = 0.3
"""A page has come to rest when it has wanted nothing for so long."""
Role = Qt.ItemDataRole


def shown(project: Path, language: str) -> Units:
    """The tables of all pages, of a window that is opened for it and closed again.

    Raises:
        AssertionError: a page failed or did not come to rest.
    """
    application = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(application, QApplication)
    visit = _Visit(application)
    QTimer.singleShot(0, visit.begin)
    open_window(project, language)
    assert not visit.failure, visit.failure
    return visit.units


class _Visit:
    """Goes from page to page as soon as the program's own event loop runs."""

    def __init__(self, application: QApplication) -> None:
        self._application = application
        self.units: Units = {}
        self.failure = ""
        self._seen: list[object] = []

    def begin(self) -> None:
        try:
            self._look_around()
        except Exception:  # noqa: BLE001 - Qt would swallow it; whoever opened the window raises it again
            self.failure = traceback.format_exc()
        finally:
            for widget in self._application.topLevelWidgets():
                widget.close()
            self._application.quit()

    def _look_around(self) -> None:
        window: Any = self._wait_for(self._window)
        window.resize(1600, 900)
        self._rest(window)
        for page in window.page_ids:
            window.show_page(page)
            self._rest(window)
            self.units |= under(page, self._tables(window))
        assert self.units, "the window has no tables"

    def _window(self) -> object:
        return next((widget for widget in self._application.topLevelWidgets() if hasattr(widget, "show_page")), None)

    def _wait_for(self, wanted: Callable[[], object]) -> object:
        give_up = time.monotonic() + LONGEST_WAIT_S
        while time.monotonic() < give_up:
            self._application.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 50)
            if result := wanted():
                return result
            let_time_pass(0.01, "the window goes on with its events in between")
        raise TimeoutError("the window does not come to rest")

    def _rest(self, window: Any) -> None:
        quiet_since = time.monotonic()

        def is_quiet() -> bool:
            nonlocal quiet_since
            if window.workspace.jobs.busy or window.workspace.project is None:
                quiet_since = time.monotonic()
            return time.monotonic() - quiet_since > QUIET_S

        self._wait_for(is_quiet)

    def _tables(self, window: Any) -> Units:
        """Those of the page that is shown and were on none before it, numbered in their order."""
        units: Units = {}
        views = [view for view in window.findChildren(QAbstractItemView) if _is_table(view)]
        for view in views:
            if view.model() not in self._seen:
                self._seen.append(view.model())
                units |= under(f"t{views.index(view) + 1}", of_model(view.model()))
        return units


def _is_table(view: QAbstractItemView) -> bool:
    is_part = isinstance(view, QHeaderView) or isinstance(view.parent(), QComboBox)
    return view.isVisible() and not is_part and view.model() is not None


def of_model(model: QAbstractItemModel) -> Units:
    """A unit for each column: its heading, then its cells from above, those of a branch below it."""
    across = Qt.Orientation.Horizontal
    units: Units = {}
    columns = 1 if isinstance(model, QAbstractListModel) else model.columnCount()
    for column in range(columns):
        heading = str(model.headerData(column, across) or "")
        tip, colour = (model.headerData(column, across, role) for role in (Role.ToolTipRole, Role.ForegroundRole))
        name = "_".join(heading.replace(".", "_").split())
        name = f"c{column:02}" if not name or name in units else name
        units[name] = [_line(heading=heading, tip=tip, colour=_look(colour)), *_cells(model, column)]
    return units


def _cells(model: Any, column: int, parent: QModelIndex | QPersistentModelIndex | None = None) -> Iterator[str]:
    above = parent or QModelIndex()
    plain = getattr(model, "plain", None)
    sort_role = model.sortRole() if hasattr(model, "sortRole") else Role.UserRole + 1
    for row in range(model.rowCount(above)):
        index = model.index(row, column, above)
        yield _line(
            shown=index.data(),
            sort=_look(index.data(sort_role)),
            copied=plain(row, column) if plain and parent is None else None,
            colour=_look(index.data(Role.ForegroundRole)),
            fill=_look(index.data(Role.BackgroundRole)),
            font=_look(index.data(Role.FontRole)),
            tip=index.data(Role.ToolTipRole),
            ticked=_look(index.data(Role.CheckStateRole)),
            spoken=index.data(Role.AccessibleTextRole),
        )
        first = model.index(row, 0, above)
        if model.rowCount(first):
            yield from _cells(model, column, first)


def _line(**facts: object) -> str:
    return portable(" | ".join(f"{name} {value!r}" for name, value in facts.items() if value not in (None, "")))


def _look(value: object) -> object:
    """What a role gives, in words that are the same in every run."""
    if isinstance(value, QBrush):
        return value.color().name(QColor.NameFormat.HexArgb)
    if isinstance(value, QColor):
        return value.name(QColor.NameFormat.HexArgb)
    if isinstance(value, QFont):
        return f"{value.family()} {value.pointSizeF():g} {value.weight()} {'italic' if value.italic() else ''}"
    if isinstance(value, Qt.CheckState):
        return value.name
    return value if isinstance(value, str | int | float | None) else type(value).__name__
