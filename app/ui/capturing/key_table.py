"""The host keys that somebody accepted for this engagement: who, when, and the way to take one back."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QTableView, QVBoxLayout

from app.domain.connection import AcceptedKey
from app.ui.look import fonts
from app.ui.look.formats import format_stamp
from app.ui.look.language import text
from app.ui.look.theme import ROW_HEIGHT, SPACE_L, SPACE_M, SPACE_S
from app.ui.widgets.parts import button, label, row
from app.ui.workspace import Workspace

Index = QModelIndex | QPersistentModelIndex
COLUMNS = ("address", "type", "fingerprint", "by", "at")


class KeyModel(QAbstractTableModel):
    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._workspace = workspace
        self._keys: tuple[AcceptedKey, ...] = ()

    def fill(self, keys: tuple[AcceptedKey, ...]) -> None:
        self.beginResetModel()
        self._keys = keys
        self.endResetModel()

    def key(self, row: int) -> AcceptedKey:
        return self._keys[row]

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self._keys)

    def columnCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return text(f"ui.capture.keys.column.{COLUMNS[section]}")
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return self._words(self._keys[index.row()], COLUMNS[index.column()])
        if role == Qt.ItemDataRole.FontRole and COLUMNS[index.column()] == "fingerprint":
            return fonts.code_font()
        return None

    def _words(self, accepted: AcceptedKey, column: str) -> str:
        key = accepted.key
        return {
            "address": f"{key.address}:{key.port}",
            "type": key.key_type,
            "fingerprint": key.fingerprint,
            "by": accepted.accepted_by,
            "at": format_stamp(accepted.accepted_at, self._workspace.zone),
        }[column]


class KeyTable(QFrame):
    """`closed` when the person is done; `replaced` carries the address of a key that is to be asked about anew."""

    closed = Signal()
    replaced = Signal(object)

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self.setProperty("card", "true")
        self._workspace = workspace
        self._title = label(role="section")
        self._words = label(role="muted", wrap=True)
        self._none = label(role="muted", wrap=True)
        self.model = KeyModel(workspace)
        self.table = QTableView()
        self._dress()
        self.forget = button(kind="danger", on_click=lambda: self._drop(ask_anew=False))
        self.replace = button(kind="danger", on_click=lambda: self._drop(ask_anew=True))
        self.close_button = button(on_click=self.closed.emit)
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE_L, SPACE_M, SPACE_L, SPACE_M)
        column.setSpacing(SPACE_S)
        for part in (self._title, self._words, self._none):
            column.addWidget(part)
        column.addWidget(self.table, 1)
        column.addStretch(0)
        column.addLayout(row(self.replace, self.forget, 1, self.close_button))

    def _dress(self) -> None:
        table = self.table
        table.setModel(self.model)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        table.setShowGrid(False)
        table.setTabKeyNavigation(False)
        table.verticalHeader().hide()
        table.verticalHeader().setDefaultSectionSize(ROW_HEIGHT)
        head = table.horizontalHeader()
        head.setHighlightSections(False)
        head.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        head.setSectionResizeMode(COLUMNS.index("fingerprint"), QHeaderView.ResizeMode.Stretch)
        table.selectionModel().selectionChanged.connect(self._enable)

    def reload(self) -> None:
        from app.usecases.capturing import connections

        project = self._workspace.project
        keys = connections.accepted_keys(project) if project is not None else ()
        self.model.fill(keys)
        self._none.setVisible(not keys)
        self.table.setVisible(bool(keys))
        if keys:
            self.table.selectRow(0)
        self._enable()

    def take_focus(self) -> None:
        (self.table if self.model.rowCount() else self.close_button).setFocus()

    def retranslate(self) -> None:
        self._title.setText(text("ui.capture.keys"))
        self._words.setText(text("ui.capture.keys.words"))
        self._none.setText(text("ui.capture.keys.none"))
        self.table.setAccessibleName(text("ui.capture.keys"))
        for made, key in (
            (self.forget, "ui.capture.keys.forget"),
            (self.replace, "ui.capture.keys.replace"),
            (self.close_button, "ui.action.close"),
        ):
            made.setText(text(key))
        self.replace.setToolTip(text("ui.capture.keys.replace.tip"))
        self.model.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(COLUMNS) - 1)

    def _enable(self, *_: object) -> None:
        possible = self._workspace.writable and self.table.currentIndex().isValid() and self.model.rowCount() > 0
        self.forget.setEnabled(possible)
        self.replace.setEnabled(possible)

    def _drop(self, *, ask_anew: bool) -> None:
        """The key is no longer trusted; it stays in the audit trail."""
        from app.usecases.capturing import connections

        index = self.table.currentIndex()
        if not index.isValid():
            return
        key, project = self.model.key(index.row()).key, self._workspace.project
        if self._workspace.attempt(lambda: connections.forget_key(project, key)):
            self.reload()
            if ask_anew:
                self.replaced.emit(key)
