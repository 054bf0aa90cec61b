"""Cells in which only some words may stand."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QAbstractItemModel, QObject, Qt
from PySide6.QtWidgets import QComboBox, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.ui.tables.model import Index

Choices = Sequence[tuple[str, str]]


class ChoiceDelegate(QStyledItemDelegate):
    """A list of words: `choices_of` gives (value, words) for a column; None where anything may be typed."""

    def __init__(self, parent: QObject, choices_of: Callable[[int], Choices | None]) -> None:
        super().__init__(parent)
        self._choices_of = choices_of

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        choices = self._choices_of(index.column())
        if choices is None:
            return super().createEditor(parent, option, index)
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
        else:
            super().setEditorData(editor, index)

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        if isinstance(editor, QComboBox):
            model.setData(index, editor.currentData())  # type: ignore[arg-type]
        else:
            super().setModelData(editor, model, index)
