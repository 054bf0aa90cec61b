"""Tables of the worksheet as Qt sees them: rows of records, or the fields of one record below each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from zoneinfo import ZoneInfo

from PySide6.QtCore import QAbstractTableModel, QModelIndex, Qt, Signal

from tunebench.ui.cycle.worksheet_cells import Column, Sheet, Trouble, Typed, taken
from tunebench.ui.cycle.worksheet_columns import MOMENTS
from tunebench.ui.look.formats import format_stamp
from tunebench.ui.look.language import text
from tunebench.ui.look.theme import current_theme
from tunebench.ui.tables.model import NOWHERE, Index

Store = Callable[[tuple[Any, ...]], bool]


class CellModel(QAbstractTableModel):
    """Items as rows, columns as `Column`s; what is typed goes to `store`, which shows it once it is kept.

    Signals:
        troubled: a list of `Trouble`; nothing of what was typed or pasted was taken in.
        locked: whether the table is only read, whenever it is shown anew.
    """

    troubled = Signal(object)
    locked = Signal(bool)

    def __init__(
        self,
        columns: Sequence[Column[Any]],
        store: Store,
        blank: Callable[[], Any] | None = None,
        locked: Callable[[Any], bool] = lambda _item: False,
    ) -> None:
        super().__init__()
        self.columns = tuple(columns)
        self.items: tuple[Any, ...] = ()
        self.sheet = Sheet()
        self.writable = False
        self._zone: ZoneInfo | None = None
        self._store, self._blank, self._locked = store, blank, locked

    def show(self, items: Sequence[Any], sheet: Sheet, writable: bool, zone: ZoneInfo | None = None) -> None:
        """Rows come and go at the end, so that cursor and editors stay; a table begun anew would lose the keyboard."""
        was = self.rowCount()
        now = self._rows(len(items) + (writable and self._blank is not None))
        if now > was:
            self.beginInsertRows(NOWHERE, was, now - 1)
        elif now < was:
            self.beginRemoveRows(NOWHERE, now, was - 1)
        self.items, self.sheet, self.writable, self._zone = tuple(items), sheet, writable, zone
        if now > was:
            self.endInsertRows()
        elif now < was:
            self.endRemoveRows()
        self.refresh()
        self.locked.emit(not writable)

    def refresh(self) -> None:
        """The same rows say something else."""
        if self.rowCount():
            self.dataChanged.emit(self.index(0, 0), self.index(self.rowCount() - 1, self.columnCount() - 1))

    # --- places
    def _rows(self, lines: int) -> int:
        return lines

    def place(self, index: Index) -> tuple[int, int]:
        """(item, column)"""
        return index.row(), index.column()

    def at(self, item: int, column: int) -> QModelIndex:
        return self.index(item, column)

    @property
    def spare(self) -> bool:
        """There is an empty line at the end to begin a new item in."""
        return self.writable and self._blank is not None

    def item_at(self, index: Index) -> Any:
        """None on the empty line."""
        at, _ = self.place(index)
        return self.items[at] if index.isValid() and at < len(self.items) else None

    def column_at(self, index: Index) -> Column[Any]:
        return self.columns[self.place(index)[1]]

    def row_name(self, at: int, items: Sequence[Any]) -> str:
        return text("ui.tradeoffs.row", n=at + 1)

    # --- Qt
    def rowCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else self._rows(len(self.items) + self.spare)

    def columnCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return text(self.columns[section].heading)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(self.columns[section])
        return None

    def rename(self) -> None:
        """Another language: the headings read anew."""
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
            return column.write is not None
        return column.takes(item) and not self._locked(item)

    def read(self, index: Index) -> str:
        """The cell as it is copied and edited."""
        item = self.item_at(index)
        return "" if item is None else self.column_at(index).read(item, self.sheet)

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
                return _alignment(self.column_at(index))
            case Qt.ItemDataRole.ForegroundRole:
                return self.colour(index)
        return None

    def _shown(self, index: Index) -> str:
        if self.item_at(index) is None:
            return text("ui.tradeoffs.spare") if self.place(index)[1] == 0 else ""
        words = self.read(index)
        if words and self._zone is not None and self.column_at(index).key in MOMENTS:
            if self.sheet.zone is not None:  # on its clock already
                return words[:16]
            stamp = format_stamp(words, self._zone)
            return stamp if stamp == words else stamp.removesuffix(stamp[16:])  # the minute says enough
        return words

    def tip(self, index: Index) -> str:
        return self.read(index)

    def colour(self, index: Index) -> object:
        if self.item_at(index) is None or (self.writable and not self.takes(index)):
            return current_theme().muted
        return None

    # --- typing
    def setData(self, index: Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        at, column = self.place(index)
        return self.put([Typed(at, column, str(value))])

    def put(self, cells: Sequence[Typed]) -> bool:
        """All of it, or nothing and everything that is wrong with it."""
        if not self.writable:
            return False
        found = taken(
            self.items, self.columns, cells, self.sheet, blank=self._blank, locked=self._locked, called=self.row_name
        )
        if found.troubles:
            self.troubled.emit(list(found.troubles))
            return False
        return found.items == self.items or self._store(found.items)

    def clear(self, indexes: Sequence[Index]) -> bool:
        """Empties what can be typed in."""
        places = [self.place(index) for index in indexes if self.takes(index) and self.item_at(index) is not None]
        return self.put([Typed(at, column, "") for at, column in places])

    def index_of(self, trouble: Trouble) -> QModelIndex:
        return self.at(trouble.row, trouble.column)


def _alignment(column: Column[Any]) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if column.number else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter


class FieldModel(CellModel):
    """The fields of one record below each other, their names at the left."""

    def _rows(self, lines: int) -> int:
        return len(self.columns) if lines else 0

    def columnCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else 1

    def place(self, index: Index) -> tuple[int, int]:
        return index.column(), index.row()

    def at(self, item: int, column: int) -> QModelIndex:
        return self.index(column, item)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if orientation is Qt.Orientation.Vertical and role == Qt.ItemDataRole.DisplayRole:
            return text(self.columns[section].heading)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        return None
