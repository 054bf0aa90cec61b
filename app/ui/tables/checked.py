"""Rows with a check box each."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt

from app.ui.tables.column import Row
from app.ui.tables.model import Index, TableModel


class CheckedModel(TableModel[Row]):
    """The box is in the first column."""

    def is_checked(self, row: Row) -> bool:
        raise NotImplementedError

    def check(self, row: Row, on: bool) -> None:
        """Its box was clicked."""
        raise NotImplementedError

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return flags | Qt.ItemFlag.ItemIsUserCheckable if index.column() == 0 else flags

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.CheckStateRole and index.isValid() and index.column() == 0:
            return Qt.CheckState.Checked if self.is_checked(self.row_at(index)) else Qt.CheckState.Unchecked
        return super().data(index, role)

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if role != Qt.ItemDataRole.CheckStateRole or index.column() != 0:
            return False
        self.check(self.row_at(index), Qt.CheckState(value) is Qt.CheckState.Checked)
        self.dataChanged.emit(self.index(index.row(), 0), self.index(index.row(), len(self.columns) - 1))
        return True
