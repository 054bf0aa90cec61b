"""A small grid of texts: the last, empty row takes a new entry; a row in which nothing is typed any more goes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractItemDelegate, QTableView, QWidget

from tunebench.columns.column import Column, Edit, Locale
from tunebench.core.records import record
from tunebench.ui.look.language import text, window_locale
from tunebench.ui.look.theme import ROW_HEIGHT
from tunebench.ui.tables.grid import GridView
from tunebench.ui.tables.grid_model import CellModel
from tunebench.ui.tables.model import Index
from tunebench.ui.widgets.parts import lock
from tunebench.usecases.grid_cells import Choices, value_of_words

Row = tuple[str, ...]


@record
class EntryColumn(Column[Row]):
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

    def words(row: Row, _locale: Locale) -> str:
        return row[position] if values is None else dict(values()).get(row[position], row[position])

    def write(row: Row, text: str, _locale: Locale) -> Row:
        value = text.strip() if values is None else value_of_words(text, values())
        return (*row[:position], value, *row[position + 1 :])

    choices = None if values is None else lambda _locale: [words for _value, words in values()]
    edit = Edit(write, choices=choices, hint=hint)
    return EntryColumn(heading, heading, text=words, elided=True, edit=edit, stretch=stretch, values=values)


class RowModel(CellModel):
    """Signals:
    edited: somebody changed the rows.
    """

    edited = Signal()
    columns: tuple[EntryColumn, ...]

    def __init__(self, columns: Sequence[EntryColumn]) -> None:
        super().__init__(columns, self.take, self._fresh)
        self.columns = tuple(columns)
        self.writable = True

    def retranslate(self) -> None:
        self.sheet = window_locale()
        super().retranslate()
        self.refresh()

    def _shown(self, index: Index) -> str:
        """The empty line says in every cell what belongs there."""
        edit = self.column_at(index).edit
        if self.item_at(index) is not None or edit is None:
            return super()._shown(index)
        return text(edit.hint) if edit.hint else ""

    def take(self, rows: Sequence[Row]) -> bool:
        self.show(rows, self.sheet, self.writable)
        self.edited.emit()
        return True

    def begun(self) -> tuple[Row, ...]:
        return self.rows

    def give_back(self, begun: tuple[Row, ...]) -> None:
        if self.rows != begun:
            self.take(begun)

    @property
    def typed_rows(self) -> tuple[Row, ...]:
        """The rows, without those in which nothing is typed any more."""
        return tuple(row for row in self.rows if self._is_typed(row))

    def _is_typed(self, row: Row) -> bool:
        return any(cell for cell, column in zip(row, self.columns, strict=True) if column.values is None)

    def _fresh(self) -> Row:
        return tuple(column.values()[0][0] if column.values else "" for column in self.columns)


class RowTable(GridView):
    """Signals:
    edited: what was typed, pasted or taken out; the rows are in `rows`.
    row_changed: the row under the keyboard.
    """

    edited = Signal()
    row_changed = Signal(int)

    def __init__(self, columns: Sequence[EntryColumn], least_rows: int = 2, most_rows: int = 6) -> None:
        self.entries = RowModel(columns)
        super().__init__(self.entries)
        self._least, self._most = least_rows, most_rows
        self.remove_rows = self._remove_rows
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.entries.edited.connect(self._on_edited)
        for counted in (self.entries.rowsInserted, self.entries.rowsRemoved):
            counted.connect(lambda *_: self._fit_height())
        self.selectionModel().currentRowChanged.connect(lambda now, _before: self.row_changed.emit(now.row()))
        self._fit_height()

    @property
    def rows(self) -> tuple[Row, ...]:
        return self.entries.typed_rows

    def show_rows(self, rows: Sequence[Sequence[str]], owner: object) -> None:
        """A row that was emptied keeps its place until its editor is closed, which would be left in the next."""
        is_other, self.entries.owner = owner != self.entries.owner, owner
        if is_other or [*map(tuple, rows)] != [*self.rows]:
            self._show(rows)

    def _show(self, rows: Sequence[Sequence[str]]) -> None:
        self.entries.show([tuple(row) for row in rows], self.entries.sheet, self.entries.writable)

    def _on_edited(self) -> None:
        if self.state() != QTableView.State.EditingState:
            self._show(self.rows)
        self.edited.emit()

    def closeEditor(self, editor: QWidget, hint: QAbstractItemDelegate.EndEditHint) -> None:
        super().closeEditor(editor, hint)
        self._show(self.rows)

    def set_locked(self, locked: bool) -> None:
        self.entries.show(self.rows, self.entries.sheet, not locked)

    def _show_lock(self, locked: bool) -> None:
        lock(self, locked)

    def _remove_rows(self) -> None:
        chosen = {index.row() for index in self.selectedIndexes()}
        if self.entries.writable and chosen:
            self.entries.take([row for index, row in enumerate(self.entries.rows) if index not in chosen])

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        parts = sum(column.stretch for column in self.entries.columns)
        for index, column in enumerate(self.entries.columns):
            self.setColumnWidth(index, self.viewport().width() * column.stretch // parts)

    def _fit_height(self) -> None:
        shown = min(max(self.entries.rowCount(), self._least), self._most)
        self.setFixedHeight(self.horizontalHeader().sizeHint().height() + shown * ROW_HEIGHT + 4)
