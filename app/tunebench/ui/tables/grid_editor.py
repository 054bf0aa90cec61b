"""Typing in a cell: a text that may have several lines."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QTextCursor
from PySide6.QtWidgets import QCompleter, QFrame, QPlainTextEdit, QWidget

from tunebench.ui.widgets.parts import completer

LEAST_OFFER_WIDTH = 280

_CHOOSING = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Tab)
_NO_BAR = Qt.ScrollBarPolicy.ScrollBarAlwaysOff
_ALT, _SHIFT = Qt.KeyboardModifier.AltModifier, Qt.KeyboardModifier.ShiftModifier
_CONTROL = Qt.KeyboardModifier.ControlModifier


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
        self._offers = completer(words, self)
        self._offers.setWidget(self)
        self._offers.activated.connect(self._take_offer)
        QTimer.singleShot(0, self, self._list_offers)
        self.textChanged.connect(self._list_offers)

    def _list_offers(self) -> None:
        offers, line = self._offers, self.textCursor().block().text().strip()
        if offers is None:
            return
        offers.setCompletionPrefix("" if self.textCursor().hasSelection() else line)
        count, popup = offers.completionCount(), offers.popup()
        if not count or (count == 1 and offers.currentCompletion() == line):
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
        match event.key():
            case Qt.Key.Key_Return | Qt.Key.Key_Enter if self._lines and modifiers in (_ALT, _SHIFT, _CONTROL):
                self.insertPlainText("\n")
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self.ended.emit(-1 if modifiers == _SHIFT else 1, 0)
            case Qt.Key.Key_Tab:
                self.ended.emit(0, 1)
            case Qt.Key.Key_Backtab:
                self.ended.emit(0, -1)
            case _:
                super().keyPressEvent(event)

    def begin(self, words: str, replacing: bool) -> None:
        """`replacing`: what is typed next takes the place of the words."""
        self.setPlainText(words)
        if replacing:
            self.selectAll()
        else:
            self.moveCursor(QTextCursor.MoveOperation.End)
