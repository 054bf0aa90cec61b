"""A small table to type in: the last, empty row takes a new entry, Delete takes rows out, a block can be pasted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QAbstractTableModel, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

from tunebench.ui.look.language import text
from tunebench.ui.look.painting import LEFT
from tunebench.ui.look.theme import ROW_HEIGHT, current_theme
from tunebench.ui.tables.cells import ChoiceDelegate, Choices
from tunebench.ui.tables.model import NOWHERE, Index
from tunebench.ui.widgets.parts import lock

Rows = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class RowColumn:
    """`choices` gives (value, words) where only these may stand; the first is what a new row has."""

    title_key: str
    stretch: int = 1
    choices: Callable[[], Choices] | None = None
    hint_key: str = ""


class RowModel(QAbstractTableModel):
    """Signals:
    edited: somebody changed the rows.
    """

    edited = Signal()

    def __init__(self, columns: Sequence[RowColumn]) -> None:
        super().__init__()
        self.columns = tuple(columns)
        self.rows: list[list[str]] = []
        self.writable = True

    def show_rows(self, rows: Sequence[Sequence[str]]) -> None:
        wanted = [list(row) for row in rows]
        if wanted != self.rows:
            self._put_rows(wanted)

    def _put_rows(self, rows: list[list[str]]) -> None:
        """Rows come and go at the end: a table begun anew would close the cell that somebody types in."""
        more, last = len(rows) - len(self.rows), self.rowCount() - 1
        if more > 0:
            self.beginInsertRows(NOWHERE, last + 1, last + more)
        elif more < 0:
            self.beginRemoveRows(NOWHERE, last + more + 1, last)
        self.rows = rows
        if more > 0:
            self.endInsertRows()
        elif more < 0:
            self.endRemoveRows()
        if self.rowCount():
            self.dataChanged.emit(self.index(0, 0), self.index(self.rowCount() - 1, len(self.columns) - 1))

    def set_writable(self, writable: bool) -> None:
        if writable != self.writable:
            self.beginResetModel()
            self.writable = writable
            self.endResetModel()

    def rowCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.rows) + self.writable

    def columnCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.columns)

    def flags(self, index: Index) -> Qt.ItemFlag:
        kept = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return kept | Qt.ItemFlag.ItemIsEditable if self.writable else kept

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        is_new = index.row() >= len(self.rows)
        column = self.columns[index.column()]
        if role == Qt.ItemDataRole.DisplayRole and is_new:
            return text(column.hint_key) if column.hint_key else ""
        if role == Qt.ItemDataRole.ForegroundRole and is_new:
            return current_theme().muted
        value = "" if is_new else self.rows[index.row()][index.column()]
        if role == Qt.ItemDataRole.EditRole:
            return value
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole) and not is_new:
            return dict(column.choices()).get(value, value) if column.choices else value
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return text(self.columns[section].title_key)
        return LEFT if role == Qt.ItemDataRole.TextAlignmentRole else None

    def setData(self, index: Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if role != Qt.ItemDataRole.EditRole or not self.writable:
            return False
        return self.put(index.row(), index.column(), [[str(value)]])

    def put(self, row: int, column: int, block: Sequence[Sequence[str]]) -> bool:
        """Cells from a place onwards; rows grow as the block needs them, columns do not."""
        rows = [list(each) for each in self.rows]
        for down, line in enumerate(block):
            if row + down >= len(rows):
                if not any(cell.strip() for cell in line):
                    continue
                rows.append(self._fresh())
            for across, cell in enumerate(line[: len(self.columns) - column]):
                rows[min(row + down, len(rows) - 1)][column + across] = cell.strip()
        rows = [each for each in rows if any(self._own(each))]
        if rows == self.rows:
            return False
        self._replace(rows)
        return True

    def _own(self, row: Sequence[str]) -> list[str]:
        return [cell for cell, column in zip(row, self.columns, strict=True) if column.choices is None]

    def _fresh(self) -> list[str]:
        return [column.choices()[0][0] if column.choices else "" for column in self.columns]

    def take_out(self, rows: Sequence[int]) -> None:
        left = [row for place, row in enumerate(self.rows) if place not in rows]
        if left != self.rows:
            self._replace(left)

    def _replace(self, rows: list[list[str]]) -> None:
        self._put_rows(rows)
        self.edited.emit()


class RowTable(QTableView):
    """Signals:
    edited: what was typed, pasted or taken out; the rows are in `rows`.
    row_changed: the row under the keyboard.
    """

    edited = Signal()
    row_changed = Signal(int)

    def __init__(self, columns: Sequence[RowColumn], least_rows: int = 2, most_rows: int = 6) -> None:
        super().__init__()
        self.entries = RowModel(columns)
        self._least, self._most = least_rows, most_rows
        self.setModel(self.entries)
        self.setItemDelegate(ChoiceDelegate(self, self._choices))
        self.setSelectionMode(QAbstractItemView.SelectionMode.ContiguousSelection)
        self.setEditTriggers(
            QAbstractItemView.EditTrigger.DoubleClicked
            | QAbstractItemView.EditTrigger.AnyKeyPressed
            | QAbstractItemView.EditTrigger.EditKeyPressed
            | QAbstractItemView.EditTrigger.SelectedClicked
        )
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(ROW_HEIGHT)
        self.setShowGrid(True)
        self.setTabKeyNavigation(False)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.entries.edited.connect(self.edited)
        self._here = (-1, -1)
        self.entries.modelAboutToBeReset.connect(self._note_place)
        self.entries.modelReset.connect(self._return)
        for counted in (self.entries.rowsInserted, self.entries.rowsRemoved):
            counted.connect(lambda *_: self._fit_height())
        self.selectionModel().currentRowChanged.connect(lambda now, _before: self.row_changed.emit(now.row()))
        self._fit_height()

    def _choices(self, column: int) -> Choices | None:
        choices = self.entries.columns[column].choices
        return choices() if choices else None

    @property
    def rows(self) -> Rows:
        return tuple(tuple(row) for row in self.entries.rows)

    def show_rows(self, rows: Sequence[Sequence[str]]) -> None:
        self.entries.show_rows(rows)

    def _note_place(self) -> None:
        self._here = (self.currentIndex().row(), self.currentIndex().column())

    def _return(self) -> None:
        """The keyboard stays at its place when the rows are others."""
        self._fit_height()
        row, column = self._here
        if row >= 0 and self.entries.rowCount():
            place = self.entries.index(min(row, self.entries.rowCount() - 1), column)
            self.selectionModel().setCurrentIndex(place, self.selectionModel().SelectionFlag.NoUpdate)

    def set_locked(self, locked: bool) -> None:
        lock(self, locked)
        self.entries.set_writable(not locked)

    def retranslate(self) -> None:
        self.entries.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(self.entries.columns) - 1)
        self.viewport().update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        parts = sum(column.stretch for column in self.entries.columns)
        for place, column in enumerate(self.entries.columns):
            self.setColumnWidth(place, self.viewport().width() * column.stretch // parts)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Paste) and self.entries.writable:
            self._paste()
        elif event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText("\n".join("\t".join(row) for row in self.rows) + "\n")
        elif event.key() == Qt.Key.Key_Delete and self.entries.writable:
            self.entries.take_out(sorted({index.row() for index in self.selectedIndexes()}))
        else:
            super().keyPressEvent(event)

    def _paste(self) -> None:
        said = QGuiApplication.clipboard().text().replace("\r\n", "\n").rstrip("\n")
        here = self.currentIndex()
        if said and here.isValid():
            self.entries.put(here.row(), here.column(), [line.split("\t") for line in said.split("\n")])

    def _fit_height(self) -> None:
        shown = min(max(self.entries.rowCount(), self._least), self._most)
        self.setFixedHeight(self.horizontalHeader().sizeHint().height() + shown * ROW_HEIGHT + 4)
