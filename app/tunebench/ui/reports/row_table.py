"""A small table of words: lines are added, removed and moved below it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableWidget, QTableWidgetItem, QWidget

from tunebench.ui.look.language import text, translated
from tunebench.ui.look.theme import SPACE_XS
from tunebench.ui.widgets.parts import button, column, row

_HEIGHT = 98


class RowTable(QWidget):
    """
    Args:
        key: of the table's name; those of its columns begin with it.
        columns: their ends.
        most: lines that it holds.
    """

    def __init__(self, key: str, columns: Sequence[str], most: int) -> None:
        super().__init__()
        self._most = most
        self.table = translated(QTableWidget(0, len(columns)), accessibleName=key)
        self.table.setHorizontalHeaderLabels([text(f"{key}.{name}") for name in columns])
        self.table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.table.verticalHeader().hide()
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.setFixedHeight(_HEIGHT)
        self.add = translated(button(kind="quiet", on_click=lambda: self._append([])), text="ui.report.look.add")
        self.remove = translated(button(kind="quiet", on_click=self._remove), text="ui.report.look.remove")
        self.earlier = translated(
            button("↑", "quiet", self._raise), toolTip="ui.report.earlier", accessibleName="ui.report.earlier"
        )
        buttons = row(self.add, self.remove, self.earlier, 1)
        column(self.table, buttons, spacing=SPACE_XS, of=self)

    def show_rows(self, rows: Sequence[Sequence[str]]) -> None:
        self.table.setRowCount(0)
        for words in rows:
            self._append(words)

    def rows(self) -> list[list[str]]:
        """The words of each line that has any."""
        columns = range(self.table.columnCount())
        lines = [[self._words(line, index) for index in columns] for line in range(self.table.rowCount())]
        return [words for words in lines if any(words)]

    def _words(self, line: int, index: int) -> str:
        item = self.table.item(line, index)
        return item.text().strip() if item is not None else ""

    def _append(self, words: Sequence[str]) -> None:
        line = self.table.rowCount()
        if line >= self._most:
            return
        self.table.insertRow(line)
        for index in range(self.table.columnCount()):
            self.table.setItem(line, index, QTableWidgetItem(words[index] if index < len(words) else ""))
        self.table.setCurrentCell(line, 0)

    def _remove(self) -> None:
        self.table.removeRow(self.table.currentRow())

    def _raise(self) -> None:
        line = self.table.currentRow()
        if line > 0:
            for index in range(self.table.columnCount()):
                above, own = self.table.takeItem(line - 1, index), self.table.takeItem(line, index)
                self.table.setItem(line - 1, index, own)
                self.table.setItem(line, index, above)
            self.table.setCurrentCell(line - 1, self.table.currentColumn())
