"""Records as rows: chosen with mouse or arrows, as high as its rows, so that the page scrolls and not the table."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QItemSelectionModel, QModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QSizePolicy

from tunebench.columns.column import Column
from tunebench.core.records import record
from tunebench.ui.look.theme import ROW_HEIGHT
from tunebench.ui.tables.model import TableModel
from tunebench.ui.tables.view import TableView

MOST_ROWS = 9


@record
class Cell:
    """`tone` is a colour of the theme; it never says anything that the words do not."""

    words: str
    tone: str = ""
    right: bool = False
    strong: bool = False


@record
class Row:
    id: int
    cells: tuple[Cell, ...]


class RowsModel(TableModel[Row]):
    def fill(self, headers: Sequence[str], rows: Sequence[Row]) -> None:
        """Keeps the selection where the rows are the same ones."""
        same = len(self.columns) == len(headers) and [r.id for r in self.rows] == [r.id for r in rows]
        columns = [_column(index, heading, rows) for index, heading in enumerate(headers)]
        if same:
            self.rows, self.columns = rows, columns
            self.retranslate()
        else:
            self.show_rows(rows, columns)


def _column(index: int, heading: str, rows: Sequence[Row]) -> Column[Row]:
    """A column, aligned as the first row's cell."""

    def words(row: Row) -> str:
        return row.cells[index].words

    return Column(
        str(index),
        lambda _: heading,
        words,
        right=bool(rows) and rows[0].cells[index].right,
        tone=lambda row: row.cells[index].tone,
        strong=lambda row: row.cells[index].strong,
        elided=True,
    )


class RecordTable(TableView):
    """Signals: `chosen` carries the id of the row that is current now; `opened` that of one double-clicked or entered;
    `delete_asked` comes with the key Delete."""

    chosen = Signal(int)
    opened = Signal(int)
    delete_asked = Signal()

    def __init__(self, wide: Sequence[int] = (0,)) -> None:
        """`wide` are the columns that share the room that is left."""
        self.rows_model = RowsModel()
        super().__init__(self.rows_model)
        self._wide, self._quiet = wide, False
        self.choose_single_rows()
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.selectionModel().currentRowChanged.connect(self._on_current)
        self.doubleClicked.connect(lambda index: self.opened.emit(self.rows_model.rows[index.row()].id))

    @property
    def chosen_id(self) -> int | None:
        position = self.currentIndex().row()
        return self.rows_model.rows[position].id if 0 <= position < len(self.rows_model.rows) else None

    def show_rows(self, headers: Sequence[str], rows: Sequence[Row], chosen: int | None = None) -> None:
        """Shows the rows; `chosen`, else the row that was, else the first is current. No signal is sent."""
        kept = chosen if chosen is not None else self.chosen_id
        self._quiet = True
        self.rows_model.fill(headers, rows)
        self._fit()
        position = next((at for at, row in enumerate(rows) if row.id == kept), 0)
        if rows and self.currentIndex().row() != position:
            flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
            self.selectionModel().setCurrentIndex(self.rows_model.index(position, 0), flags)
        self._quiet = False
        self.setVisible(bool(rows))

    def _fit(self) -> None:
        header = self.horizontalHeader()
        for index in range(self.rows_model.columnCount()):
            wide = index in self._wide
            header.setSectionResizeMode(
                index, QHeaderView.ResizeMode.Stretch if wide else QHeaderView.ResizeMode.ResizeToContents
            )
        shown = min(max(len(self.rows_model.rows), 1), MOST_ROWS)
        self.setFixedHeight(header.sizeHint().height() + shown * ROW_HEIGHT + 4)

    def choose(self, id_: int) -> bool:
        """Makes a row the current one; whether it is there."""
        position = next((at for at, row in enumerate(self.rows_model.rows) if row.id == id_), None)
        if position is not None:
            self.selectRow(position)
        return position is not None

    def _on_current(self, index: QModelIndex, _before: QModelIndex) -> None:
        if index.isValid() and not self._quiet:
            self.chosen.emit(self.rows_model.rows[index.row()].id)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Delete:
            self.delete_asked.emit()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.chosen_id is not None:
            self.opened.emit(self.chosen_id)
        else:
            super().keyPressEvent(event)
