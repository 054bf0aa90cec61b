"""Rows with a check box each, and cells that are stored while they are typed in."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QAbstractItemModel, QPersistentModelIndex, Qt
from PySide6.QtWidgets import (
    QAbstractItemDelegate,
    QAbstractItemView,
    QLineEdit,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from tunebench.columns.column import Row
from tunebench.ui.tables.model import Index, TableModel
from tunebench.ui.typing import give_up, stored_soon


class CheckedModel(TableModel[Row]):
    """The box is in the first column."""

    def is_checked(self, row: Row) -> bool:
        raise NotImplementedError

    def check(self, row: Row, on: bool) -> None:
        """Takes a click on the row's box."""
        raise NotImplementedError

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return flags | Qt.ItemFlag.ItemIsUserCheckable if index.column() == 0 else flags

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role == Qt.ItemDataRole.CheckStateRole and index.isValid() and index.column() == 0:
            return Qt.CheckState.Checked if self.is_checked(self.row_at(index)) else Qt.CheckState.Unchecked
        return super().data(index, role)

    def setData(self, index: Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if role != Qt.ItemDataRole.CheckStateRole or index.column() != 0:
            return False
        self.check(self.row_at(index), Qt.CheckState(value) is Qt.CheckState.Checked)
        self.dataChanged.emit(self.index(index.row(), 0), self.index(index.row(), len(self.columns) - 1))
        return True


def typed_cell(editor: QLineEdit, index: Index) -> Callable[[], bool]:
    """Stores what stands in an open editor, which stays open; gives whether the cell took it."""
    cell = QPersistentModelIndex(index)

    def store() -> bool:
        if not cell.isValid():
            return False
        model = cell.model()
        here = model.index(cell.row(), cell.column())
        return store_typed(
            editor.text(), str(here.data(Qt.ItemDataRole.EditRole)), lambda words: model.setData(here, words)
        )

    return store


def store_typed(words: str, shown: str, write: Callable[[str], bool]) -> bool:
    """Whether a cell that shows `shown` says the words now. One that was emptied waits until it is left: it may be
    about to be written anew."""
    if words.strip() == shown.strip():
        return True
    return bool(words.strip()) and write(words)


def is_first_showing(editor: QWidget) -> bool:
    """What is typed in an open editor is not written over when its cell says something else."""
    first = not editor.property("isShown")
    editor.setProperty("isShown", True)
    return first


class TextDelegate(QStyledItemDelegate):
    """A text that is stored while it is typed, and taken back by Escape."""

    def __init__(self, view: QAbstractItemView) -> None:
        super().__init__(view)
        self.closeEditor.connect(_on_closing)

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        editor = super().createEditor(parent, option, index)
        if isinstance(editor, QLineEdit):
            stored_soon(editor, typed_cell(editor, index))
        return editor

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        if is_first_showing(editor):
            super().setEditorData(editor, index)

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        """Words that nobody typed, or that are stored already, would undo an undo."""
        if isinstance(editor, QLineEdit) and editor.isModified():
            super().setModelData(editor, model, index)


def _on_closing(editor: QWidget, hint: QAbstractItemDelegate.EndEditHint) -> None:
    if hint == QAbstractItemDelegate.EndEditHint.RevertModelCache:
        give_up(editor)
