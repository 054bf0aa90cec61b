"""Rows of any kind as a table of columns; filtered by words, sorted by what the cells stand for."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, tzinfo
from typing import Generic

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, QSortFilterProxyModel, Qt
from PySide6.QtGui import QFont

from tunebench.columns.column import Column, Locale, Row
from tunebench.ui.look.language import language, window_locale
from tunebench.ui.look.theme import current_theme, tone_colour

Index = QModelIndex | QPersistentModelIndex
NOWHERE = QModelIndex()
SORT_ROLE = Qt.ItemDataRole.UserRole + 1


class TableModel(QAbstractTableModel, Generic[Row]):
    """`rows` may be any sequence: one that is read as it is looked at costs nothing before.

    Attributes:
        zone: the one that moments are told in.
    """

    def __init__(self, columns: Sequence[Column[Row]] = ()) -> None:
        super().__init__()
        self.columns: Sequence[Column[Row]] = columns
        self.rows: Sequence[Row] = ()
        self.zone: tzinfo = UTC
        language().changed.connect(self.retranslate)

    @property
    def locale(self) -> Locale:
        return window_locale(self.zone)

    def show_rows(self, rows: Sequence[Row], columns: Sequence[Column[Row]] | None = None) -> None:
        self.beginResetModel()
        self.rows = rows
        self.columns = self.columns if columns is None else columns
        self.endResetModel()

    def retranslate(self) -> None:
        """Headings and cells in the language and colours of now."""
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(self.columns) - 1)
        self.refresh()

    def refresh(self) -> None:
        """The same rows say something else."""
        if self.rows:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self.rows) - 1, len(self.columns) - 1))

    def column(self, id_: str) -> int:
        """The number of a column."""
        return [column.id for column in self.columns].index(id_)

    def row_at(self, index: Index) -> Row:
        return self.rows[index.row()]

    def rowCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if orientation is not Qt.Orientation.Horizontal or section >= len(self.columns):
            return None
        column = self.columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return column.title(self.locale)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return alignment(column)
        if role == Qt.ItemDataRole.ForegroundRole and column.side:
            return current_theme().phase_colour(column.side)
        return column.explanation(self.locale) if role == Qt.ItemDataRole.ToolTipRole else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        row, column = self.row_at(index), self.columns[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return column.words(row, self.locale)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return alignment(column)
        if role == Qt.ItemDataRole.ForegroundRole:
            tone = column.tone(row) if column.tone else ""
            return tone_colour(tone) if tone else None
        if role == Qt.ItemDataRole.ToolTipRole:
            return column.cell_tip(row, self.locale)
        if role == Qt.ItemDataRole.FontRole:
            return self.font(row, column)
        return column.sort_key(row, self.locale) if role == SORT_ROLE else None

    def font(self, row: Row, column: Column[Row]) -> QFont | None:
        """The font of a cell; None for that of the table."""
        if column.strong is None or not column.strong(row):
            return None
        font = QFont()
        font.setBold(True)
        return font

    def words(self, row: int, column: int) -> str:
        """A cell as it is shown."""
        return self.columns[column].words(self.rows[row], self.locale)

    def plain(self, row: int, column: int) -> str:
        """A cell as it is copied."""
        return self.columns[column].copied(self.rows[row], self.locale)


def alignment(column: Column[Row]) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if column.is_right else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter


def matches_words(haystack: str, words: str) -> bool:
    """Every word must occur somewhere, whatever the case."""
    folded = haystack.casefold()
    return all(word in folded for word in words.casefold().split())


class RowFilter(QSortFilterProxyModel, Generic[Row]):
    """Rows whose words hold all of those typed. What has no figure sorts last both ways."""

    def __init__(self, model: TableModel[Row]) -> None:
        super().__init__()
        self.model = model
        self.words = ""
        self.setSourceModel(model)
        self.setSortRole(SORT_ROLE)

    def narrow(self, words: str) -> None:
        self.beginResetModel()
        self.words = words
        self.endResetModel()

    def searched(self, row: Row) -> str:
        """What the words are looked for in."""
        locale = self.model.locale
        return " ".join(column.words(row, locale) for column in self.model.columns if not column.is_right)

    def accepts(self, row: Row) -> bool:
        return matches_words(self.searched(row), self.words)

    def filterAcceptsRow(self, row: int, parent: Index) -> bool:
        return self.accepts(self.model.rows[row])

    def lessThan(self, left: Index, right: Index) -> bool:  # type: ignore[override]
        a, b = left.data(SORT_ROLE), right.data(SORT_ROLE)
        if a is None or b is None:
            ascending = self.sortOrder() == Qt.SortOrder.AscendingOrder
            return (b is None) == ascending and (a is None) != (b is None)
        return a.casefold() < str(b).casefold() if isinstance(a, str) else bool(a < b)

    def row_at(self, index: Index) -> Row:
        return self.model.row_at(self.mapToSource(index))  # type: ignore[arg-type]

    def plain(self, row: int, column: int) -> str:
        return self.model.plain(self.mapToSource(self.index(row, column)).row(), column)
