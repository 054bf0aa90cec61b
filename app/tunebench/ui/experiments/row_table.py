"""A small table to type in: the last, empty row takes a new entry, Delete takes rows out, a block can be pasted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

from tunebench.columns.column import Column, Edit, Locale
from tunebench.ui.look.language import text
from tunebench.ui.look.theme import ROW_HEIGHT, current_theme
from tunebench.ui.tables.cells import ChoiceDelegate, Choices
from tunebench.ui.tables.model import NOWHERE, Index, TableModel
from tunebench.ui.widgets.parts import lock

Rows = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class EntryColumn(Column[Sequence[str]]):
    """
    Attributes:
        stretch: its part of the width.
        values: gives (value, words) where only these may stand; the first is what a new row has.
    """

    stretch: int = 1
    values: Callable[[], Choices] | None = None


def entry_column(
    position: int, heading: str, stretch: int, hint: str = "", values: Callable[[], Choices] | None = None
) -> EntryColumn:
    """The column of the entry at `position` of a row; `hint` is the key of what an empty line says."""

    def words(row: Sequence[str], _locale: Locale) -> str:
        return row[position] if values is None else dict(values()).get(row[position], row[position])

    def write(row: Sequence[str], text: str, _locale: Locale) -> Sequence[str]:
        return [*row[:position], text.strip(), *row[position + 1 :]]

    edit = Edit(write, hint=hint)
    return EntryColumn(heading, heading, text=words, elided=True, edit=edit, stretch=stretch, values=values)


class RowModel(TableModel[Sequence[str]]):
    """Signals:
    edited: somebody changed the rows.
    """

    edited = Signal()
    columns: tuple[EntryColumn, ...]

    def __init__(self, columns: Sequence[EntryColumn]) -> None:
        super().__init__(columns)
        self.columns = tuple(columns)
        self.writable = True

    def show_rows(self, rows: Sequence[Sequence[str]], columns: Sequence[Column[Sequence[str]]] | None = None) -> None:
        """Rows come and go at the end: a table begun anew would close the cell that somebody types in."""
        if list(rows) == list(self.rows):
            return
        more, last = len(rows) - len(self.rows), self.rowCount() - 1
        if more > 0:
            self.beginInsertRows(NOWHERE, last + 1, last + more)
        elif more < 0:
            self.beginRemoveRows(NOWHERE, last + more + 1, last)
        self.rows = [tuple(row) for row in rows]
        if more > 0:
            self.endInsertRows()
        elif more < 0:
            self.endRemoveRows()
        self.refresh()

    def set_writable(self, writable: bool) -> None:
        if writable != self.writable:
            self.beginResetModel()
            self.writable = writable
            self.endResetModel()

    def rowCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.rows) + self.writable

    def flags(self, index: Index) -> Qt.ItemFlag:
        kept = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return kept | Qt.ItemFlag.ItemIsEditable if self.writable else kept

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if index.row() < len(self.rows):
            return (
                self.rows[index.row()][index.column()]
                if role == Qt.ItemDataRole.EditRole
                else super().data(index, role)
            )
        if role == Qt.ItemDataRole.DisplayRole:
            edit = self.columns[index.column()].edit
            return text(edit.hint) if edit is not None and edit.hint else ""
        if role == Qt.ItemDataRole.ForegroundRole:
            return current_theme().muted
        return "" if role == Qt.ItemDataRole.EditRole else None

    def plain(self, row: int, column: int) -> str:
        return super().plain(row, column) if row < len(self.rows) else ""

    def setData(self, index: Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if role != Qt.ItemDataRole.EditRole or not self.writable:
            return False
        return self.put(index.row(), index.column(), [[str(value)]])

    def put(self, row: int, column: int, block: Sequence[Sequence[str]]) -> bool:
        """Cells from one cell onwards; rows grow as the block needs them, columns do not."""
        rows = list(self.rows)
        for down, line in enumerate(block, row):
            if down >= len(rows):
                if not any(cell.strip() for cell in line):
                    continue
                rows.append(self._fresh())
            at = min(down, len(rows) - 1)
            for cell, written in zip(line, self.columns[column:], strict=False):
                if written.edit is not None:
                    rows[at] = written.edit.write(rows[at], cell, self.locale)
        rows = [kept for kept in rows if any(self._own(kept))]
        if [*map(tuple, rows)] == self.rows:
            return False
        self._replace(rows)
        return True

    def _own(self, row: Sequence[str]) -> list[str]:
        return [cell for cell, column in zip(row, self.columns, strict=True) if column.values is None]

    def _fresh(self) -> list[str]:
        return [column.values()[0][0] if column.values else "" for column in self.columns]

    def take_out(self, rows: Sequence[int]) -> None:
        left = [row for index, row in enumerate(self.rows) if index not in rows]
        if left != self.rows:
            self._replace(left)

    def _replace(self, rows: Sequence[Sequence[str]]) -> None:
        self.show_rows(rows)
        self.edited.emit()


class RowTable(QTableView):
    """Signals:
    edited: what was typed, pasted or taken out; the rows are in `rows`.
    row_changed: the row under the keyboard.
    """

    edited = Signal()
    row_changed = Signal(int)

    def __init__(self, columns: Sequence[EntryColumn], least_rows: int = 2, most_rows: int = 6) -> None:
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
        values = self.entries.columns[column].values
        return values() if values else None

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
            cell = self.entries.index(min(row, self.entries.rowCount() - 1), column)
            self.selectionModel().setCurrentIndex(cell, self.selectionModel().SelectionFlag.NoUpdate)

    def set_locked(self, locked: bool) -> None:
        lock(self, locked)
        self.entries.set_writable(not locked)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        parts = sum(column.stretch for column in self.entries.columns)
        for index, column in enumerate(self.entries.columns):
            self.setColumnWidth(index, self.viewport().width() * column.stretch // parts)

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
        pasted = QGuiApplication.clipboard().text().replace("\r\n", "\n").rstrip("\n")
        here = self.currentIndex()
        if pasted and here.isValid():
            self.entries.put(here.row(), here.column(), [line.split("\t") for line in pasted.split("\n")])

    def _fit_height(self) -> None:
        shown = min(max(self.entries.rowCount(), self._least), self._most)
        self.setFixedHeight(self.horizontalHeader().sizeHint().height() + shown * ROW_HEIGHT + 4)
