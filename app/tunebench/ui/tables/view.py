"""Views of tables: how they are dressed, chosen from with keyboard and mouse, and copied; their first columns stay
where they are while the others scroll past behind them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QEvent, QModelIndex, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

from tunebench.columns.column import Column, Row
from tunebench.ui.look.theme import ROW_HEIGHT, ROW_HEIGHT_DENSE, Theme, current_theme, themes
from tunebench.ui.tables.model import Index, RowFilter, TableModel
from tunebench.ui.widgets.exhibit import Exhibit, Exhibited, window_words

FITTED_ROWS, LEAST_PX, WIDEST_PX = 60, 62, 320


class FrozenColumns(QTableView):
    """Lies over `table` and shares its selection; seen only while the table is scrolled sideways.

    Give it a header of its own with `setHorizontalHeader` before `follow`.
    """

    def __init__(self, table: QTableView) -> None:
        super().__init__(table)
        self._table = table
        self._count = 0
        self.setFrameShape(QTableView.Shape.NoFrame)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setFocusProxy(table)
        self.setSelectionBehavior(table.selectionBehavior())
        self.setSelectionMode(table.selectionMode())
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerItem)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(ROW_HEIGHT_DENSE)
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.hide()

    def follow(self) -> None:
        table = self._table
        self.setModel(table.model())
        self.setSelectionModel(table.selectionModel())
        table.verticalScrollBar().valueChanged.connect(self.verticalScrollBar().setValue)
        self.verticalScrollBar().valueChanged.connect(table.verticalScrollBar().setValue)
        table.horizontalScrollBar().valueChanged.connect(self._place)
        table.horizontalHeader().sectionResized.connect(self._place)
        table.installEventFilter(self)
        themes().theme_changed.connect(self._colour)
        self._colour(current_theme())

    def freeze(self, count: int) -> None:
        """So many columns from the left."""
        self._count = count
        for column in range(self.model().columnCount()):
            self.setColumnHidden(column, column >= count)
        self._place()

    def _colour(self, theme: Theme) -> None:
        edge = f"border-right: 1px solid {theme.border.name()};"
        self.setStyleSheet(f"QTableView {{ border: none; {edge} border-radius: 0; }}")

    def _place(self, *_: int) -> None:
        table = self._table
        wanted = self._count > 0 and table.horizontalScrollBar().value() > 0
        if wanted:
            widths = [table.columnWidth(column) for column in range(self._count)]
            for column, width in enumerate(widths):
                self.setColumnWidth(column, width)
            header = 0 if table.horizontalHeader().isHidden() else table.horizontalHeader().height()
            self.horizontalHeader().setFixedHeight(header)
            self.setGeometry(0, 0, sum(widths) + 1, header + table.viewport().height())
            self.verticalScrollBar().setValue(table.verticalScrollBar().value())
            self.raise_()
        self.setVisible(wanted)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._place()
        return super().eventFilter(watched, event)


class TableView(QTableView):
    """Its selection (all of it, where nothing is selected) is copied as tab-separated text.

    Where a single row is chosen, the cell under the keyboard is copied.
    """

    def __init__(self, model: QAbstractItemModel | None = None) -> None:
        super().__init__()
        self.setSelectionMode(QAbstractItemView.SelectionMode.ContiguousSelection)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(ROW_HEIGHT_DENSE)
        self.horizontalHeader().setHighlightSections(False)
        if model is not None:
            self.setModel(model)
        self.exhibited = Exhibited(self, lambda: Exhibit(self.accessibleName(), self.lines(), window_words(self)))

    def choose_rows(self) -> None:
        """Whole rows, sorted by any heading, in their own order again at its third click. The model must be set."""
        self.setFrameShape(QTableView.Shape.NoFrame)
        self.setStyleSheet("QTableView { border: none; } QAbstractScrollArea::corner { background: transparent; }")
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.verticalHeader().setDefaultSectionSize(ROW_HEIGHT)
        self.setSortingEnabled(True)
        self.horizontalHeader().setSortIndicatorClearable(True)
        self.horizontalHeader().setSectionsMovable(True)
        self.sortByColumn(-1, Qt.SortOrder.AscendingOrder)

    def choose_single_rows(self, row_px: int = ROW_HEIGHT) -> None:
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.verticalHeader().setDefaultSectionSize(row_px)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        single = self.selectionMode() is QAbstractItemView.SelectionMode.SingleSelection
        if event.matches(QKeySequence.StandardKey.Copy) and not single:
            self.exhibited.copy(("tsv",))
        else:
            super().keyPressEvent(event)

    def lines(self) -> list[list[str]]:
        """What is chosen, or all of it where at most one cell is, below its headings."""
        return table_lines(self)


def table_lines(view: QTableView) -> list[list[str]]:
    model = view.model()
    plain = getattr(model, "plain", None)
    picked = view.selectedIndexes()
    rows = sorted({i.row() for i in picked}) if len(picked) > 1 else range(model.rowCount())
    columns = sorted({i.column() for i in picked}) if len(picked) > 1 else range(model.columnCount())
    across = Qt.Orientation.Horizontal
    lines = [[str(model.headerData(c, across) or "") for c in columns]]
    for row in rows:
        lines.append([plain(row, c) if plain else str(model.index(row, c).data() or "") for c in columns])
    return lines


class RowView(TableView):
    """Signals:
    chosen: the row under the keyboard.
    opened: the row on which Enter was pressed, or that was clicked twice.
    """

    chosen = Signal(object)
    opened = Signal(object)

    def __init__(self, model: TableModel[Row] | RowFilter[Row]) -> None:
        super().__init__(model)
        self._rows = model
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.selectionModel().currentRowChanged.connect(self._on_row)
        self.doubleClicked.connect(self._on_opened)

    @property
    def current(self) -> Any:
        """The row under the keyboard, or None."""
        index = self.currentIndex()
        return self._rows.row_at(index) if index.isValid() else None

    def _on_row(self, index: QModelIndex) -> None:
        if index.isValid():
            self.chosen.emit(self._rows.row_at(index))

    def _on_opened(self, index: QModelIndex) -> None:
        if index.isValid():
            self.opened.emit(self._rows.row_at(index))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        entered = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if entered and self.state() is not QAbstractItemView.State.EditingState:
            self._on_opened(self.currentIndex())
        else:
            super().keyPressEvent(event)


class FigureModel(TableModel[Any]):
    """What there is no figure for is muted, and copied in the words that it is shown in. The tool tip says what may be
    elided."""

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        value = super().headerData(section, orientation, role)
        return self.headerData(section, orientation) if value is None and role == Qt.ItemDataRole.ToolTipRole else value

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role == Qt.ItemDataRole.ForegroundRole and self._is_missing(index.row(), index.column()):
            return current_theme().muted
        return super().data(index, Qt.ItemDataRole.DisplayRole if role == Qt.ItemDataRole.ToolTipRole else role)

    def _is_missing(self, row: int, column: int) -> bool:
        return self.columns[column].sort_key(self.rows[row], self.locale) is None

    def plain(self, row: int, column: int) -> str:
        return self.words(row, column) if self._is_missing(row, column) else super().plain(row, column)


class FigureTable(RowView):
    """Figures of any rows: sorted by any of them, narrowed by words, each column as wide as what it holds."""

    def __init__(self) -> None:
        self.figures = FigureModel()
        self.filter: RowFilter[Any] = RowFilter(self.figures)
        super().__init__(self.filter)
        self.choose_rows()

    def show_rows(self, columns: Sequence[Column[Row]], rows: Sequence[Row]) -> None:
        """The order is the rows' own until a heading is clicked."""
        again = [column.id for column in columns] != [column.id for column in self.figures.columns]
        self.figures.show_rows(rows, columns)
        if again:
            self.sortByColumn(-1, Qt.SortOrder.AscendingOrder)
        self._fit()

    def narrow(self, words: str) -> None:
        self.filter.narrow(words)

    def _fit(self) -> None:
        header, cells = self.horizontalHeader().fontMetrics(), self.fontMetrics()
        locale = self.figures.locale
        for index, column in enumerate(self.figures.columns):
            widths = [header.horizontalAdvance(column.title(locale)) + 28]
            widths += [
                cells.horizontalAdvance(column.words(row, locale)) + 30 for row in self.figures.rows[:FITTED_ROWS]
            ]
            self.setColumnWidth(index, min(max(LEAST_PX, *widths), WIDEST_PX))
