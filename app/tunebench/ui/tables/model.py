"""Rows of any kind as a table of columns; filtered by words, sorted by what the cells stand for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypedDict, TypeVar

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, QSortFilterProxyModel, Qt
from PySide6.QtGui import QColor, QFont

from tunebench.ui.look.language import language
from tunebench.ui.look.language import text as message
from tunebench.ui.look.theme import current_theme

Row = TypeVar("Row")
Figure = float | str | None
Index = QModelIndex | QPersistentModelIndex
NOWHERE = QModelIndex()
SORT_ROLE = Qt.ItemDataRole.UserRole + 1


@dataclass(frozen=True, slots=True)
class Column(Generic[Row]):
    """
    Attributes:
        id: never shown; the heading is.
        heading: key of its words, or what gives them.
        text: the words of a cell.
        sort: what a cell stands for, None where there is nothing: sorted by, and copied where it is a figure.
        right: aligned to the right; None: where there is `sort`. What is aligned to the left is copied as shown.
        side: ``before``, ``after`` or empty: the colour of the heading.
        heading_tip: the tool tip of the heading.
        tone: a colour, or the name of one of the theme; it goes with the words and is never the only sign.
        copy: what is copied, where it is neither the figure nor the words.
    """

    id: str
    heading: str | Callable[[], str]
    text: Callable[[Row], str]
    sort: Callable[[Row], Figure] | None = None
    right: bool | None = None
    side: str = ""
    heading_tip: Callable[[], str] | None = None
    tone: Callable[[Row], QColor | str | None] | None = None
    tip: Callable[[Row], str | None] | None = None
    font: Callable[[Row], QFont | None] | None = None
    copy: Callable[[Row], str] | None = None

    @property
    def title(self) -> str:
        return message(self.heading) if isinstance(self.heading, str) else self.heading()

    @property
    def is_right(self) -> bool:
        return self.sort is not None if self.right is None else self.right

    def figure(self, row: Row) -> Figure:
        return self.sort(row) if self.sort else self.text(row)

    def copied(self, row: Row) -> str:
        """As a spreadsheet wants it: the whole figure; nothing where there is none."""
        if self.copy is not None:
            return self.copy(row)
        if self.sort is None or not self.is_right:
            return self.text(row)
        figure = self.sort(row)
        return "" if figure is None else str(figure)


class Looks(TypedDict, Generic[Row], total=False):
    """What a column may have beside its words and what they stand for; see `Column`."""

    right: bool | None
    side: str
    heading_tip: Callable[[], str] | None
    tone: Callable[[Row], QColor | str | None] | None
    tip: Callable[[Row], str | None] | None
    font: Callable[[Row], QFont | None] | None
    copy: Callable[[Row], str] | None


class TableModel(QAbstractTableModel, Generic[Row]):
    """`rows` may be any sequence: one that is read as it is looked at costs nothing before."""

    def __init__(self, columns: Sequence[Column[Row]] = ()) -> None:
        super().__init__()
        self.columns: Sequence[Column[Row]] = columns
        self.rows: Sequence[Row] = ()
        language().changed.connect(self.retranslate)

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
        """The place of a column."""
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
            return column.title
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return alignment(column)
        if role == Qt.ItemDataRole.ForegroundRole and column.side:
            return current_theme().phase_colour(column.side)
        return column.heading_tip() if role == Qt.ItemDataRole.ToolTipRole and column.heading_tip else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        row, column = self.row_at(index), self.columns[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return column.text(row)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return alignment(column)
        if role == Qt.ItemDataRole.ForegroundRole:
            return _colour(column.tone(row)) if column.tone else None
        if role == Qt.ItemDataRole.ToolTipRole:
            return column.tip(row) if column.tip else None
        if role == Qt.ItemDataRole.FontRole:
            return column.font(row) if column.font else None
        return column.figure(row) if role == SORT_ROLE else None

    def plain(self, row: int, column: int) -> str:
        """A cell as it is copied."""
        return self.columns[column].copied(self.rows[row])


def alignment(column: Column[Row]) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if column.is_right else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter


def _colour(tone: QColor | str | None) -> QColor | None:
    return getattr(current_theme(), tone) if isinstance(tone, str) and tone else tone or None


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
        return " ".join(column.text(row) for column in self.model.columns if not column.is_right)

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
