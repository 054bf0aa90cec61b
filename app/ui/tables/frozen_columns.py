"""The first columns of a table, staying where they are while the others scroll past behind them."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

from app.ui.look.theme import ROW_HEIGHT_DENSE, Theme, current_theme, themes


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
