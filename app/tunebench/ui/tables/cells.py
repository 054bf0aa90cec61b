"""Rows with a check box each, and cells in which only some words may stand."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QAbstractItemModel, QObject, QPersistentModelIndex, Qt
from PySide6.QtWidgets import QComboBox, QLineEdit, QPlainTextEdit, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from tunebench.columns.column import Row
from tunebench.ui.tables.model import Index, TableModel
from tunebench.ui.typing import stored_soon


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


Choices = Sequence[tuple[str, str]]


def typed_cell(editor: QLineEdit | QPlainTextEdit, index: Index) -> Callable[[], bool]:
    """Stores what stands in an open editor, which stays open; gives whether the cell took it."""
    cell = QPersistentModelIndex(index)

    def store() -> bool:
        words = editor.text() if isinstance(editor, QLineEdit) else editor.toPlainText()
        if not cell.isValid():
            return False
        model = cell.model()
        here = model.index(cell.row(), cell.column())
        return words.strip() == str(here.data(Qt.ItemDataRole.EditRole)).strip() or model.setData(here, words)

    return store


def is_first_showing(editor: QWidget) -> bool:
    """What is typed in an open editor is not written over when its cell says something else."""
    first = not editor.property("isShown")
    editor.setProperty("isShown", True)
    return first


class ChoiceDelegate(QStyledItemDelegate):
    """A list of words: `choices_of` gives (value, words) for a column; None where anything may be typed."""

    def __init__(self, parent: QObject, choices_of: Callable[[int], Choices | None]) -> None:
        super().__init__(parent)
        self._choices_of = choices_of

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        choices = self._choices_of(index.column())
        if choices is None:
            editor = super().createEditor(parent, option, index)
            if isinstance(editor, QLineEdit):
                stored_soon(editor, typed_cell(editor, index))
            return editor
        box = QComboBox(parent)
        for value, words in choices:
            box.addItem(words, value)
        box.activated.connect(lambda _place: self._done(box))
        return box

    def _done(self, box: QComboBox) -> None:
        self.commitData.emit(box)
        self.closeEditor.emit(box)

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        if isinstance(editor, QComboBox):
            editor.setCurrentIndex(max(editor.findData(index.data(Qt.ItemDataRole.EditRole)), 0))
        elif is_first_showing(editor):
            super().setEditorData(editor, index)

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        if isinstance(editor, QComboBox):
            model.setData(index, editor.currentData())  # type: ignore[arg-type]
        else:
            super().setModelData(editor, model, index)
