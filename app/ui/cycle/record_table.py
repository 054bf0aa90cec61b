"""Records as rows: chosen with mouse or arrows, as high as its rows, so that the page scrolls and not the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QItemSelectionModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QSizePolicy, QTableView

from app.ui.look.fonts import BODY_PX, font
from app.ui.look.theme import ROW_HEIGHT, current_theme

Index = QModelIndex | QPersistentModelIndex
NOWHERE = QModelIndex()
MOST_ROWS = 9


@dataclass(frozen=True, slots=True)
class Cell:
    """`tone` is a colour of the theme; it never says anything that the words do not."""

    words: str
    tone: str = ""
    right: bool = False
    strong: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    id: int
    cells: tuple[Cell, ...]


class RowsModel(QAbstractTableModel):
    def __init__(self) -> None:
        super().__init__()
        self.headers: tuple[str, ...] = ()
        self.rows: tuple[Row, ...] = ()

    def fill(self, headers: Sequence[str], rows: Sequence[Row]) -> None:
        """Keeps the selection where the rows are the same ones."""
        same = len(self.headers) == len(headers) and [r.id for r in self.rows] == [r.id for r in rows]
        if not same:
            self.beginResetModel()
        self.headers, self.rows = tuple(headers), tuple(rows)
        if not same:
            self.endResetModel()
        elif rows:
            self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, len(headers) - 1))
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(headers) - 1)

    def rowCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.headers)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation is not Qt.Orientation.Horizontal or section >= len(self.headers):
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._alignment(self.rows[0].cells[section].right if self.rows else False)
        return self.headers[section] if role == Qt.ItemDataRole.DisplayRole else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        cell = self.rows[index.row()].cells[index.column()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return cell.words
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._alignment(cell.right)
        if role == Qt.ItemDataRole.ForegroundRole and cell.tone:
            return getattr(current_theme(), cell.tone)
        return font(BODY_PX, bold=True) if role == Qt.ItemDataRole.FontRole and cell.strong else None

    @staticmethod
    def _alignment(right: bool) -> Qt.AlignmentFlag:
        side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
        return side | Qt.AlignmentFlag.AlignVCenter


class RecordTable(QTableView):
    """Signals: `chosen` carries the id of the row that is current now; `opened` that of one double-clicked or entered;
    `delete_asked` comes with the key Delete."""

    chosen = Signal(int)
    opened = Signal(int)
    delete_asked = Signal()

    def __init__(self, wide: Sequence[int] = (0,)) -> None:
        """`wide` are the columns that share the room that is left."""
        super().__init__()
        self.rows_model = RowsModel()
        self._wide, self._quiet = wide, False
        self.setModel(self.rows_model)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(ROW_HEIGHT)
        self.horizontalHeader().setHighlightSections(False)
        self.selectionModel().currentRowChanged.connect(self._on_current)
        self.doubleClicked.connect(lambda index: self.opened.emit(self.rows_model.rows[index.row()].id))

    @property
    def chosen_id(self) -> int | None:
        place = self.currentIndex().row()
        return self.rows_model.rows[place].id if 0 <= place < len(self.rows_model.rows) else None

    def show_rows(self, headers: Sequence[str], rows: Sequence[Row], chosen: int | None = None) -> None:
        """`chosen`, else the one that was, else the first one is current; nobody is told."""
        kept = chosen if chosen is not None else self.chosen_id
        self._quiet = True
        self.rows_model.fill(headers, rows)
        self._fit()
        place = next((at for at, row in enumerate(rows) if row.id == kept), 0)
        if rows and self.currentIndex().row() != place:
            flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
            self.selectionModel().setCurrentIndex(self.rows_model.index(place, 0), flags)
        self._quiet = False
        self.setVisible(bool(rows))

    def _fit(self) -> None:
        header = self.horizontalHeader()
        for place in range(self.rows_model.columnCount()):
            wide = place in self._wide
            header.setSectionResizeMode(
                place, QHeaderView.ResizeMode.Stretch if wide else QHeaderView.ResizeMode.ResizeToContents
            )
        shown = min(max(len(self.rows_model.rows), 1), MOST_ROWS)
        self.setFixedHeight(header.sizeHint().height() + shown * ROW_HEIGHT + 4)

    def choose(self, id_: int) -> None:
        for place, row in enumerate(self.rows_model.rows):
            if row.id == id_:
                self.selectRow(place)

    def _on_current(self, index: QModelIndex, _before: QModelIndex) -> None:
        if index.isValid() and not self._quiet:
            self.chosen.emit(self.rows_model.rows[index.row()].id)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Delete:
            self.delete_asked.emit()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.chosen_id is not None:
            self.opened.emit(self.chosen_id)
        else:
            super().keyPressEvent(event)
