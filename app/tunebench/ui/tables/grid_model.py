"""Tables that are typed into, as Qt sees them: rows of records, or the fields of one record below each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QModelIndex, Qt, Signal

from tunebench.columns.column import Column, Locale
from tunebench.ui.look.language import text, window_locale
from tunebench.ui.look.theme import current_theme, tone_colour
from tunebench.ui.tables.model import NOWHERE, Index, TableModel, alignment
from tunebench.usecases.grid_cells import CellError, Typed, taken

Store = Callable[[tuple[Any, ...]], bool]


class CellModel(TableModel[Any]):
    """Cells that are typed in: what is typed goes to `store`, which shows it once it is kept.

    Attributes:
        owner: whose rows these are, where one table shows those of several.

    Signals:
        refused: a list of `CellError`; nothing of what was typed or pasted was taken in.
        locked: whether the table is only read, whenever it is shown anew.
    """

    refused = Signal(object)
    locked = Signal(bool)
    rows: tuple[Any, ...]
    upright = False
    """Columns of a row are below each other."""

    def __init__(
        self,
        columns: Sequence[Column[Any]],
        store: Store,
        blank: Callable[[], Any] | None = None,
        locked: Callable[[Any], bool] = lambda _row: False,
    ) -> None:
        super().__init__(columns)
        self.rows = ()
        self.sheet = window_locale()
        self.writable = False
        self.owner: object = None
        self._store, self._blank, self._locked = store, blank, locked

    @property
    def locale(self) -> Locale:
        return self.sheet

    def show(self, rows: Sequence[Any], sheet: Locale, writable: bool) -> None:
        """Rows come and go at the end, so that cursor and editors stay; a table begun anew would lose the keyboard."""
        was = self.rowCount()
        now = self._lines(len(rows) + (writable and self._blank is not None))
        if now > was:
            self.beginInsertRows(NOWHERE, was, now - 1)
        elif now < was:
            self.beginRemoveRows(NOWHERE, now, was - 1)
        spoke = self.sheet.language
        self.rows, self.sheet, self.writable = tuple(rows), sheet, writable
        if now > was:
            self.endInsertRows()
        elif now < was:
            self.endRemoveRows()
        if sheet.language != spoke:
            self.retranslate()
        self.refresh()
        self.locked.emit(not writable)

    def refresh(self) -> None:
        """The same rows say something else."""
        if self.rowCount():
            self.dataChanged.emit(self.index(0, 0), self.index(self.rowCount() - 1, self.columnCount() - 1))

    # --- where a cell is
    def _lines(self, rows: int) -> int:
        """Lines of the table that so many rows take."""
        return rows

    def place(self, index: Index) -> tuple[int, int]:
        """(row of a record, column)"""
        return index.row(), index.column()

    def at(self, row: int, column: int) -> QModelIndex:
        return self.index(row, column)

    @property
    def spare(self) -> bool:
        """There is an empty line at the end to begin a new record in."""
        return self.writable and self._blank is not None

    def item_at(self, index: Index) -> Any:
        """The record of a cell; None on the empty line."""
        row, _ = self.place(index)
        return self.rows[row] if index.isValid() and row < len(self.rows) else None

    def owner_of_rows(self) -> tuple[object, str]:
        """Where it is another one, a cell that was opened before is none of these."""
        return self.owner, self.sheet.language

    def begun(self) -> tuple[Any, ...]:
        """Rows that were typed and are not in the project, for `give_back`."""
        return ()

    def give_back(self, begun: tuple[Any, ...]) -> None:
        """As it was, after Escape."""

    def column_at(self, index: Index) -> Column[Any]:
        return self.columns[self.place(index)[1]]

    def row_name(self, row: int, rows: Sequence[Any]) -> str:
        return text("ui.grid.row", n=row + 1)

    # --- Qt
    def rowCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else self._lines(len(self.rows) + self.spare)

    def retranslate(self) -> None:
        for orientation, count in (
            (Qt.Orientation.Horizontal, self.columnCount()),
            (Qt.Orientation.Vertical, self.rowCount()),
        ):
            if count:
                self.headerDataChanged.emit(orientation, 0, count - 1)

    def flags(self, index: Index) -> Qt.ItemFlag:
        plain = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return plain | Qt.ItemFlag.ItemIsEditable if self.takes(index) else plain

    def takes(self, index: Index) -> bool:
        if not self.writable or not index.isValid():
            return False
        item, column = self.item_at(index), self.column_at(index)
        if item is None:
            return column.edit is not None
        return column.takes(item) and not self._locked(item)

    def read(self, index: Index) -> str:
        """The cell as it is copied and edited."""
        item = self.item_at(index)
        return "" if item is None else self.column_at(index).typed(item, self.sheet)

    def plain(self, row: int, column: int) -> str:
        return self.read(self.index(row, column))

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        match role:
            case Qt.ItemDataRole.EditRole:
                return self.read(index)
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.AccessibleTextRole:
                return self._shown(index)
            case Qt.ItemDataRole.ToolTipRole:
                return self.tip(index)
            case Qt.ItemDataRole.TextAlignmentRole:
                return alignment(self.column_at(index))
            case Qt.ItemDataRole.ForegroundRole:
                return self.colour(index)
        return None

    def _shown(self, index: Index) -> str:
        item = self.item_at(index)
        if item is None:
            return text("ui.grid.spare") if self.place(index)[1] == 0 else ""
        return self.column_at(index).words(item, self.sheet)

    def tip(self, index: Index) -> str:
        return self.read(index)

    def colour(self, index: Index) -> object:
        item, column = self.item_at(index), self.column_at(index)
        if item is not None and column.tone is not None:
            return tone_colour(column.tone(item))
        return current_theme().muted if item is None or (self.writable and not self.takes(index)) else None

    # --- typing
    def setData(self, index: Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if not index.isValid():
            return False
        row, column = self.place(index)
        return self.put([Typed(row, column, str(value))])

    def put(self, cells: Sequence[Typed]) -> bool:
        """All of it, or nothing and everything that is wrong with it."""
        if not self.writable:
            return False
        outcome = taken(
            self.rows, self.columns, cells, self.sheet, blank=self._blank, locked=self._locked, called=self.row_name
        )
        if outcome.errors:
            self.refused.emit(list(outcome.errors))
            return False
        return outcome.items == self.rows or self._store(outcome.items)

    def clear(self, indexes: Sequence[Index]) -> bool:
        """Empties what can be typed in."""
        cells = [self.place(index) for index in indexes if self.takes(index) and self.item_at(index) is not None]
        return self.put([Typed(row, column, "") for row, column in cells])

    def index_of(self, error: CellError) -> QModelIndex:
        return self.at(error.row, error.column)


class FieldModel(CellModel):
    """The fields of one record below each other, their names at the left."""

    upright = True

    def _lines(self, rows: int) -> int:
        return len(self.columns) if rows else 0

    def columnCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else 1

    def place(self, index: Index) -> tuple[int, int]:
        return index.column(), index.row()

    def at(self, row: int, column: int) -> QModelIndex:
        return self.index(column, row)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if orientation is Qt.Orientation.Vertical and role == Qt.ItemDataRole.DisplayRole:
            return self.columns[section].title(self.locale)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        return None
