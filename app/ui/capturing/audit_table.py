"""The audit trail as a table: rows are read in pages as they come into view, so that its length costs nothing."""

from __future__ import annotations

from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtWidgets import QAbstractItemView, QHeaderView

from app.core.errors import UserError
from app.ui.capturing.audit_words import entry_words
from app.ui.charts.sample_table import CopyTable
from app.ui.look.formats import DASH, format_stamp
from app.ui.look.language import text
from app.ui.look.theme import current_theme
from app.ui.workspace import Workspace

if TYPE_CHECKING:
    from app.usecases.audit_trail import AuditEntry

Index = QModelIndex | QPersistentModelIndex
COLUMNS = ("id", "time", "user", "words")
WIDTHS = {"id": 72, "time": 164, "user": 96}
PAGE_ROWS = 100
PAGES_KEPT = 30
GRAVE = ("command_refused", "ssh_refused", "session_interrupted", "host_key_replaced")
WATCHED = ("capture_gap", "weak_algorithms", "host_key_accepted", "host_key_forgotten")


class AuditModel(QAbstractTableModel):
    """Newest first."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._workspace = workspace
        self._ids: Sequence[int] = ()
        self._broken_at: int | None = None
        self._pages: OrderedDict[int, dict[int, AuditEntry]] = OrderedDict()

    def show_ids(self, ids: Sequence[int]) -> None:
        self.beginResetModel()
        self._ids = ids
        self._pages.clear()
        self.endResetModel()

    def show_broken(self, entry_id: int | None) -> None:
        """The entry at which the chain is broken is marked."""
        if entry_id != self._broken_at:
            self._broken_at = entry_id
            self._tell_all()

    def entry(self, row: int) -> AuditEntry | None:
        """None where it cannot be read."""
        place = row // PAGE_ROWS
        if place not in self._pages:
            self._pages[place] = self._read(place)
            if len(self._pages) > PAGES_KEPT:
                self._pages.popitem(last=False)
        return self._pages[place].get(self._ids[row])

    def _read(self, place: int) -> dict[int, AuditEntry]:
        """A page is read on the main thread: about a millisecond."""
        from app.usecases import audit_trail

        if self._workspace.project is None:
            return {}
        ids = self._ids[place * PAGE_ROWS : (place + 1) * PAGE_ROWS]
        try:
            return {entry.id: entry for entry in audit_trail.read_entries(self._workspace.project, ids)}
        except UserError:  # the rows show a dash; whoever checks the chain is told why
            return {}

    def row_of(self, entry_id: int) -> int | None:
        place = bisect_left(self._ids, -entry_id, key=lambda each: -each)
        return place if place < len(self._ids) and self._ids[place] == entry_id else None

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self._ids)

    def columnCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return text(f"ui.audit.column.{COLUMNS[section]}")
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(COLUMNS[section])
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        column = COLUMNS[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return self._words(index.row(), column)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(column)
        if role == Qt.ItemDataRole.ForegroundRole:
            return self._colour(index.row(), column)
        return None

    def _words(self, row: int, column: str) -> str:
        entry = self.entry(row)
        if column == "id":
            mark = "✕ " if self._ids[row] == self._broken_at else ""
            return f"{mark}{self._ids[row]:,}"
        if entry is None:
            return DASH
        if column == "time":
            return format_stamp(entry.time, self._workspace.zone)
        return entry.user if column == "user" else entry_words(entry, self._workspace.zone).replace("\n", " ")

    def plain(self, row: int, column: int) -> str:
        """For copying: ids without commas."""
        return str(self._ids[row]) if COLUMNS[column] == "id" else self._words(row, COLUMNS[column])

    def _colour(self, row: int, column: str) -> Any:
        theme = current_theme()
        if self._ids[row] == self._broken_at:
            return theme.critical
        if column != "words":
            return theme.muted
        entry = self.entry(row)
        if entry is None:
            return theme.muted
        return theme.critical if entry.action in GRAVE else theme.watch if entry.action in WATCHED else None

    def retranslate(self) -> None:
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(COLUMNS) - 1)
        self._tell_all()

    def _tell_all(self) -> None:
        if self._ids:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._ids) - 1, len(COLUMNS) - 1))


def _alignment(column: str) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if column == "id" else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter


class AuditTable(CopyTable):
    """Selected rows are copied as tab-separated text."""

    def __init__(self, model: AuditModel) -> None:
        super().__init__()
        self.setModel(model)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        head = self.horizontalHeader()
        head.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        head.setSectionResizeMode(COLUMNS.index("words"), QHeaderView.ResizeMode.Stretch)
        for column, width in WIDTHS.items():
            self.setColumnWidth(COLUMNS.index(column), width)
