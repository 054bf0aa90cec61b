"""Hosts and streams of a running session in a table that stays quick: only cells that changed are told to the view."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QMenu

from app.ui.capturing.live_rows import COLUMNS, DETAIL, FIGURES, NAME, STATE, Row, rows_of
from app.ui.look.language import text, translated
from app.ui.look.theme import ROW_HEIGHT_DENSE
from app.ui.tables.column import Column
from app.ui.tables.model import Index, TableModel
from app.ui.tables.view import TableView

if TYPE_CHECKING:
    from app.usecases.capturing.collecting import SessionView

FOLDED_FROM = 12
"""From so many hosts on, a session begins with its hosts folded."""
WIDTHS = (200, 168, 56, 72, 78, 52, 80, 84, 78)
_ROLES = [Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ForegroundRole]


class LiveModel(TableModel[Row]):
    """`rows_changed` after rows came or went; the selection is then the view's to restore."""

    rows_changed = Signal()

    def __init__(self) -> None:
        super().__init__([_column(place, id_) for place, id_ in enumerate(COLUMNS)])
        self.folded: set[str] = set()
        self.attention_only = False
        self._view: SessionView | None = None
        self._session = 0

    def show_view(self, view: SessionView | None) -> None:
        """The next picture of the same session, or another session."""
        if view is not None and view.session_id != self._session:
            self._session = view.session_id
            self.folded = {host.name for host in view.hosts} if len(view.hosts) >= FOLDED_FROM else set()
        self._view = view
        self.refresh()

    def refresh(self) -> None:
        """Only cells that changed are told to the view."""
        new = rows_of(self._view, self.folded, self.attention_only) if self._view is not None else []
        if [row.key for row in new] != [row.key for row in self.rows]:
            self.show_rows(new)
            self.rows_changed.emit()
            return
        old, self.rows = self.rows, new
        for first, last, left, right in changed_blocks(old, new):
            self.dataChanged.emit(self.index(first, left), self.index(last, right), _ROLES)

    def toggle(self, host: str) -> None:
        self.folded ^= {host}
        self.refresh()

    def fold_all(self, folded: bool) -> None:
        self.folded = {host.name for host in self._view.hosts} if folded and self._view is not None else set()
        self.refresh()

    def row_of(self, key: tuple[str, str]) -> int | None:
        return next((number for number, row in enumerate(self.rows) if row.key == key), None)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.AccessibleTextRole and index.isValid():
            cells = self.row_at(index).cells
            return ", ".join(cell.strip(" ▸▾") for cell in (cells[NAME], cells[STATE], cells[index.column()]))
        return super().data(index, role)


def _column(place: int, id_: str) -> Column[Row]:
    key = f"ui.live.column.{id_}"
    return Column(
        id_,
        key,
        lambda row: row.cells[place],
        right=place in FIGURES,
        heading_tip=partial(text, f"{key}.tip"),
        tone=lambda row: _tone(row, place),
        tip=(lambda row: row.cells[place]) if place in (NAME, STATE, DETAIL) else None,
    )


def _tone(row: Row, column: int) -> str:
    if column == STATE and row.tone:
        return row.tone
    if column == DETAIL and row.tone not in ("", "ok"):
        return "text"
    return "text" if column in (NAME, STATE) or not row.stream else "muted"


def changed_blocks(old: Sequence[Row], new: Sequence[Row]) -> list[tuple[int, int, int, int]]:
    """Neighbouring changed rows as (first row, last row, first column, last column); both sequences are as long."""
    blocks: list[tuple[int, int, int, int]] = []
    for number, (before, after) in enumerate(zip(old, new, strict=True)):
        if before.cells == after.cells and before.tone == after.tone:
            continue
        pairs = zip(before.cells, after.cells, strict=True)
        columns = [column for column, (was, now) in enumerate(pairs) if was != now] or [STATE]
        left, right = columns[0], columns[-1]
        if blocks and blocks[-1][1] == number - 1:
            first, _, leftmost, rightmost = blocks.pop()
            blocks.append((first, number, min(leftmost, left), max(rightmost, right)))
        else:
            blocks.append((number, number, left, right))
    return blocks


class LiveTable(TableView):
    """Signals:
    row_chosen: the `Row` under the keyboard, by whatever means it came there.
    stop_asked, retry_asked: a `Row`.
    """

    row_chosen = Signal(object)
    stop_asked = Signal(object)
    retry_asked = Signal(object)

    def __init__(self) -> None:
        self.model_ = LiveModel()
        super().__init__(self.model_)
        self._current: tuple[str, str] | None = None
        self.choose_single_rows(ROW_HEIGHT_DENSE)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header = self.horizontalHeader()
        header.setStretchLastSection(True)
        for column, width in enumerate(WIDTHS):
            self.setColumnWidth(column, width)
        self.customContextMenuRequested.connect(self._open_menu)
        self.model_.rows_changed.connect(self._restore_current)
        self.selectionModel().currentRowChanged.connect(self._on_current)
        translated(self, accessibleName="ui.live.table")

    def row_at(self, index: Index) -> Row | None:
        return self.model_.rows[index.row()] if index.isValid() else None

    def current_row(self) -> Row | None:
        return self.row_at(self.currentIndex())

    def choose(self, key: tuple[str, str]) -> None:
        number = self.model_.row_of(key)
        if number is not None:
            self.setCurrentIndex(self.model_.index(number, 0))

    def forget_choice(self) -> None:
        """Another session is shown."""
        self._current = None
        self.setCurrentIndex(QModelIndex())

    def _on_current(self, index: QModelIndex, _before: QModelIndex) -> None:
        row = self.row_at(index)
        if row is not None:
            self._current = row.key
            self.row_chosen.emit(row)

    def _restore_current(self) -> None:
        if self._current is None:
            return
        number = self.model_.row_of(self._current)
        if number is None:
            number = self.model_.row_of((self._current[0], ""))
        if number is not None:
            self.selectionModel().setCurrentIndex(
                self.model_.index(number, 0),
                self.selectionModel().SelectionFlag.ClearAndSelect | self.selectionModel().SelectionFlag.Rows,
            )

    # --- folding
    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        index = self.indexAt(event.position().toPoint())
        row = self.row_at(index)
        left = event.button() is Qt.MouseButton.LeftButton
        if left and row is not None and not row.stream and index.column() == NAME:
            self.model_.toggle(row.host)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """A second click is a click."""
        self.mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        row = self.current_row()
        if row is not None and event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Space):
            self._fold_by_key(row, event.key())
        else:
            super().keyPressEvent(event)

    def _fold_by_key(self, row: Row, key: int) -> None:
        folded = row.host in self.model_.folded
        if row.stream:
            if key == Qt.Key.Key_Left:
                self.choose((row.host, ""))
        elif key == Qt.Key.Key_Space or (key == Qt.Key.Key_Left) != folded:
            self.model_.toggle(row.host)

    # --- menu
    def _open_menu(self, place: QPoint) -> None:
        row = self.row_at(self.indexAt(place))
        if row is not None:
            self.build_menu(row).popup(self.viewport().mapToGlobal(place))

    def build_menu(self, row: Row) -> QMenu:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        key = "ui.live.menu.stop_stream" if row.stream else "ui.live.menu.stop_host"
        menu.addAction(text(key), lambda: self.stop_asked.emit(row))
        if not row.stream:
            menu.addAction(text("ui.live.menu.retry"), lambda: self.retry_asked.emit(row))
            menu.addSeparator()
        menu.addAction(text("ui.live.fold_all"), lambda: self.model_.fold_all(True))
        menu.addAction(text("ui.live.unfold_all"), lambda: self.model_.fold_all(False))
        return menu
