"""Typing in a cell: a text that may have several lines, or a choice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QAbstractItemModel, QEvent, QObject, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPen, QTextCursor
from PySide6.QtWidgets import (
    QComboBox,
    QCompleter,
    QFrame,
    QPlainTextEdit,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from app.reporting.cycle_words import word
from app.ui.cycle.worksheet_columns import DONE
from app.ui.cycle.worksheet_model import CellModel, Index
from app.ui.look.language import text
from app.ui.look.theme import current_theme

if TYPE_CHECKING:
    from app.ui.cycle.worksheet_grid import GridView

LEAST_WIDTH, LINES_HEIGHT, LEAST_OFFER_WIDTH = 200, 84, 280


class CellText(QPlainTextEdit):
    """Enter ends it, Alt+Enter (or Shift+Enter) begins a line where the cell may have several.

    Signals:
        ended: where the cursor of the table goes: (rows, columns).
    """

    ended = Signal(int, int)

    def __init__(self, parent: QWidget, lines: bool, hint: str) -> None:
        super().__init__(parent)
        self._lines = lines
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTabChangesFocus(False)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded if lines else _NO_BAR)
        self.setHorizontalScrollBarPolicy(_NO_BAR)
        if not lines:
            self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setPlaceholderText(hint)
        self.setToolTip(hint)
        self._offers: QCompleter | None = None

    def offer(self, words: Sequence[str]) -> None:
        """Names that a line may have; those that contain what is typed are listed below it."""
        self._offers = QCompleter(list(words), self)
        self._offers.setWidget(self)
        self._offers.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self._offers.setFilterMode(Qt.MatchFlag.MatchContains)
        self._offers.activated.connect(self._take_offer)
        QTimer.singleShot(0, self, self._list_offers)
        self.textChanged.connect(self._list_offers)

    def _list_offers(self) -> None:
        offers, line = self._offers, self.textCursor().block().text().strip()
        if offers is None:
            return
        offers.setCompletionPrefix("" if self.textCursor().hasSelection() else line)
        found, popup = offers.completionCount(), offers.popup()
        if not found or (found == 1 and offers.currentCompletion() == line):
            if popup is not None:
                popup.hide()
            return
        below = self.cursorRect()
        below.setWidth(max(self.width(), LEAST_OFFER_WIDTH))
        offers.complete(below)

    def _take_offer(self, words: str) -> None:
        cursor = self.textCursor()
        cursor.select(QTextCursor.SelectionType.BlockUnderCursor if self._lines else QTextCursor.SelectionType.Document)
        first = not self._lines or cursor.block().blockNumber() == 0
        cursor.insertText(words if first else f"\n{words}")
        self.setTextCursor(cursor)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        popup = self._offers.popup() if self._offers is not None else None
        if popup is not None and popup.isVisible() and event.key() in _CHOOSING and popup.currentIndex().isValid():
            event.ignore()  # the list takes it
            return
        modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if self._lines and modifiers in (_ALT, _SHIFT, _CONTROL):
                self.insertPlainText("\n")
            else:
                self.ended.emit(-1 if modifiers == _SHIFT else 1, 0)
        elif event.key() == Qt.Key.Key_Tab:
            self.ended.emit(0, 1)
        elif event.key() == Qt.Key.Key_Backtab:
            self.ended.emit(0, -1)
        else:
            super().keyPressEvent(event)

    def begin(self, words: str, replacing: bool) -> None:
        """`replacing`: what is typed next takes the place of the words."""
        self.setPlainText(words)
        if replacing:
            self.selectAll()
        else:
            self.moveCursor(QTextCursor.MoveOperation.End)


_CHOOSING = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Tab)
_NO_BAR = Qt.ScrollBarPolicy.ScrollBarAlwaysOff
_ALT, _SHIFT = Qt.KeyboardModifier.AltModifier, Qt.KeyboardModifier.ShiftModifier
_CONTROL = Qt.KeyboardModifier.ControlModifier


class CellDelegate(QStyledItemDelegate):
    """Editors for all tables of the worksheet."""

    def __init__(self, view: GridView) -> None:
        super().__init__(view)
        self._view = view

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().paint(painter, option, index)
        self.draw_cursor(painter, option, index)

    def draw_cursor(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """A frame around the cell that keys are for."""
        if index == self._view.currentIndex():
            theme = current_theme()
            painter.save()
            keyed = self._view.hasFocus() and self._view.cells.writable
            painter.setPen(QPen(theme.accent if keyed else theme.border, 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(option.rect.adjusted(1, 1, -1, -1))
            painter.restore()

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        model = index.model()
        assert isinstance(model, CellModel)
        column = model.column_at(index)
        if column.choices is not None:
            return self._choices(parent, index, model)
        made = CellText(parent, column.lines, text(column.hint) if column.hint else "")
        made.ended.connect(self._on_ended)
        if column.offers is not None:
            made.offer(column.offers(model.sheet))
        return made

    def _choices(self, parent: QWidget, index: Index, model: CellModel) -> QComboBox:
        box = QComboBox(parent)
        choices = model.column_at(index).choices or ()
        for member in choices:
            if member not in DONE:
                box.addItem(word(member, model.sheet.language))
        box.activated.connect(self._on_chosen)
        QTimer.singleShot(0, box, box.showPopup)
        return box

    def _on_ended(self, down: int, across: int) -> None:
        editor = self.sender()
        assert isinstance(editor, CellText)
        self._end(editor, down, across)

    def _on_chosen(self, _place: int) -> None:
        editor = self.sender()
        assert isinstance(editor, QComboBox)
        self._end(editor, 0, 0)

    def _end(self, editor: QWidget, down: int, across: int) -> None:
        self.commitData.emit(editor)
        self.closeEditor.emit(editor)
        self._view.step(down, across)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Tab and Enter only move on: the next cell is not opened."""
        if isinstance(watched, QComboBox) and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            steps = {
                Qt.Key.Key_Tab: (0, 1),
                Qt.Key.Key_Backtab: (0, -1),
                Qt.Key.Key_Return: (1, 0),
                Qt.Key.Key_Enter: (1, 0),
            }
            step = steps.get(Qt.Key(event.key()))
            if step is not None:
                self._end(watched, *step)
                return True
        if isinstance(watched, CellText) and isinstance(event, QKeyEvent) and event.key() in _HANDLED_BY_TEXT:
            return False
        return super().eventFilter(watched, event)

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        model = index.model()
        assert isinstance(model, CellModel)
        words = self._view.refused_text(index)
        shown = model.read(index) if words is None else words
        if isinstance(editor, QComboBox):
            editor.setCurrentIndex(max(editor.findText(shown), 0))
        elif isinstance(editor, CellText):
            editor.begin(shown, self._view.replacing)

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        words = editor.currentText() if isinstance(editor, QComboBox) else ""
        if isinstance(editor, CellText):
            words = editor.toPlainText()
        assert isinstance(model, CellModel)
        if words != model.read(index) and not model.setData(index, words):
            self._view.reopen(index, words)

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: Index) -> None:
        """At least wide enough to type in, and within the table."""
        model = index.model()
        assert isinstance(model, CellModel)
        room = self._view.viewport().rect()
        height = LINES_HEIGHT if model.column_at(index).lines else max(option.rect.height(), 28)
        size = QSize(max(option.rect.width(), LEAST_WIDTH), height)
        if isinstance(editor, QComboBox):
            size = QSize(max(option.rect.width(), 140), option.rect.height())
        left = max(min(option.rect.left(), room.right() - size.width()), 0)
        top = max(min(option.rect.top(), room.bottom() - size.height()), 0)
        editor.setGeometry(left, top, size.width(), size.height())


_HANDLED_BY_TEXT = (Qt.Key.Key_Tab, Qt.Key.Key_Backtab, Qt.Key.Key_Return, Qt.Key.Key_Enter)
