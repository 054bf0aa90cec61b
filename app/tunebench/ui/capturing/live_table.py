"""Hosts and streams of a running session in a table that stays quick: only cells that changed are told to the view."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QMenu

from tunebench.columns.capturing.live_rows import COLUMNS, NAME, STATE, Row, changed_blocks, rows_of
from tunebench.ui.look.language import text, translated
from tunebench.ui.look.theme import ROW_HEIGHT_DENSE
from tunebench.ui.tables.model import Index, TableModel
from tunebench.ui.tables.view import TableView

if TYPE_CHECKING:
    from tunebench.domain.capturing.views import SessionView


FOLDED_FROM = 12
"""From so many hosts on, a session begins with its hosts folded."""
WIDTHS = (200, 168, 56, 72, 78, 52, 80, 84, 78)
_ROLES = [Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ForegroundRole]


class LiveModel(TableModel[Row]):
    """`rows_changed` after rows came or went; the selection is then the view's to restore."""

    rows_changed = Signal()

    def __init__(self) -> None:
        super().__init__(COLUMNS)
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
        """Takes new rows; the view hears only of cells that changed."""
        new = rows_of(self._view, self.folded, self.attention_only, self.locale) if self._view is not None else []
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

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role == Qt.ItemDataRole.AccessibleTextRole and index.isValid():
            cells = self.row_at(index).cells
            return ", ".join(cell.strip(" ▸▾") for cell in (cells[NAME], cells[STATE], cells[index.column()]))
        return super().data(index, role)


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
    def _open_menu(self, position: QPoint) -> None:
        row = self.row_at(self.indexAt(position))
        if row is not None:
            self.build_menu(row).popup(self.viewport().mapToGlobal(position))

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
