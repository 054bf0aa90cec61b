"""Tables of figures before and after: sorted by figure, filtered by words, copied whole. Missing sorts last."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, QSortFilterProxyModel, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent

from app.ui.charts.sample_table import CopyTable
from app.ui.charts.series_chooser import matches_words
from app.ui.databases.figure_words import not_measured
from app.ui.look.theme import current_theme

AnyIndex = QModelIndex | QPersistentModelIndex
SORT_ROLE = Qt.ItemDataRole.UserRole + 1
FITTED_ROWS, LEAST_PX, WIDEST_PX = 60, 62, 320


@dataclass(frozen=True, slots=True)
class Column:
    """`figure` gives what a cell stands for, a number, a text or None where it was not measured; `shown` its words.

    Attributes:
        id: never shown; `title` is.
        side: ``before``, ``after`` or empty.
        tone: a colour that goes with the words, never the only sign; None for that of text.
    """

    id: str
    title: Callable[[], str]
    figure: Callable[[Any], float | str | None]
    shown: Callable[[Any], str]
    side: str = ""
    words: bool = False
    tip: Callable[[], str] | None = None
    tone: Callable[[Any], QColor | None] | None = None


class FigureModel(QAbstractTableModel):
    def __init__(self) -> None:
        super().__init__()
        self.columns: tuple[Column, ...] = ()
        self.rows: tuple[Any, ...] = ()

    def show_rows(self, columns: Sequence[Column], rows: Sequence[Any]) -> None:
        self.beginResetModel()
        self.columns, self.rows = tuple(columns), tuple(rows)
        self.endResetModel()

    def rowCount(self, parent: AnyIndex = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: AnyIndex = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self.columns)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row, column = self.rows[index.row()], self.columns[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return column.shown(row)
        if role == SORT_ROLE:
            return column.figure(row)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(column)
        if role == Qt.ItemDataRole.ForegroundRole:
            return self._colour(column, row)
        if role == Qt.ItemDataRole.ToolTipRole:
            return column.shown(row)
        return None

    def _colour(self, column: Column, row: Any) -> QColor | None:
        if column.figure(row) is None:
            return current_theme().muted
        return column.tone(row) if column.tone else None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation != Qt.Orientation.Horizontal or section >= len(self.columns):
            return None
        column = self.columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return column.title()
        if role == Qt.ItemDataRole.ForegroundRole and column.side:
            return current_theme().phase_colour(column.side)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(column)
        if role == Qt.ItemDataRole.ToolTipRole:
            return column.tip() if column.tip else column.title()
        return None


def _alignment(column: Column) -> int:
    side = Qt.AlignmentFlag.AlignLeft if column.words else Qt.AlignmentFlag.AlignRight
    return int(side | Qt.AlignmentFlag.AlignVCenter)


class FigureFilter(QSortFilterProxyModel):
    """Rows whose words hold all of those typed."""

    def __init__(self, model: FigureModel) -> None:
        super().__init__()
        self._model = model
        self._words = ""
        self.setSourceModel(model)
        self.setSortRole(SORT_ROLE)

    def narrow(self, words: str) -> None:
        self.beginResetModel()
        self._words = words
        self.endResetModel()

    def filterAcceptsRow(self, row: int, parent: AnyIndex) -> bool:
        found = self._model.rows[row]
        return matches_words(" ".join(c.shown(found) for c in self._model.columns if c.words), self._words)

    def lessThan(self, left: AnyIndex, right: AnyIndex) -> bool:  # type: ignore[override]
        a, b = left.data(SORT_ROLE), right.data(SORT_ROLE)
        if a is None or b is None:
            ascending = self.sortOrder() == Qt.SortOrder.AscendingOrder
            return (b is None) == ascending and (a is None) != (b is None)
        return str(a).casefold() < str(b).casefold() if isinstance(a, str) else bool(a < b)

    def row_at(self, index: AnyIndex) -> Any:
        return self._model.rows[self.mapToSource(index).row()]  # type: ignore[arg-type]

    def plain(self, row: int, column: int) -> str:
        """A cell as a spreadsheet wants it: the whole figure."""
        found, wanted = self.row_at(self.index(row, column)), self._model.columns[column]
        figure = wanted.figure(found)
        return not_measured() if figure is None else wanted.shown(found) if wanted.words else str(figure)


class FigureTable(CopyTable):
    """Signals:
    chosen: the row under the keyboard.
    opened: the row on which Enter was pressed, or that was clicked twice.
    """

    chosen = Signal(object)
    opened = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.figures = FigureModel()
        self.filter = FigureFilter(self.figures)
        self.setModel(self.filter)
        self.choose_rows()
        self.selectionModel().currentRowChanged.connect(self._on_row)
        self.doubleClicked.connect(self._on_opened)

    def show_rows(self, columns: Sequence[Column], rows: Sequence[Any]) -> None:
        """The order is the rows' own until a heading is clicked."""
        again = [column.id for column in columns] != [column.id for column in self.figures.columns]
        self.figures.show_rows(columns, rows)
        if again:
            self.sortByColumn(-1, Qt.SortOrder.AscendingOrder)
        self._fit()

    def narrow(self, words: str) -> None:
        self.filter.narrow(words)

    def _on_row(self, index: QModelIndex) -> None:
        if index.isValid():
            self.chosen.emit(self.filter.row_at(index))

    def _on_opened(self, index: QModelIndex) -> None:
        if index.isValid():
            self.opened.emit(self.filter.row_at(index))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._on_opened(self.currentIndex())
        else:
            super().keyPressEvent(event)

    def _fit(self) -> None:
        header, cells = self.horizontalHeader().fontMetrics(), self.fontMetrics()
        for place, column in enumerate(self.figures.columns):
            widths = [header.horizontalAdvance(column.title()) + 28]
            widths += [cells.horizontalAdvance(column.shown(row)) + 30 for row in self.figures.rows[:FITTED_ROWS]]
            self.setColumnWidth(place, min(max(LEAST_PX, *widths), WIDEST_PX))
