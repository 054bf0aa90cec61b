"""The sample's text: every line with a colour and a mark for what it was taken as, and the reason in words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QHelpEvent, QPainter, QPaintEvent, QResizeEvent, QTextFormat
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QToolTip, QWidget

from app.ui.importing.ledger_view import sentence
from app.ui.look.fonts import SMALL_PX, code_font, font
from app.ui.look.language import text
from app.ui.look.theme import SPACE_S, SPACE_XS, Theme, current_theme, themes
from app.usecases.importing.table_definitions import Taken

MARKS = {"data": "▪", "header": "H", "blank": "", "skipped": "✕"}
_COMMENT_MARK = "#"
_LONGEST_SHOWN = 600
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\u2028\u2029]")


class _Gutter(QWidget):
    """Line numbers and marks, beside the text."""

    def __init__(self, view: SampleView) -> None:
        super().__init__(view)
        self._view = view

    def sizeHint(self) -> QSize:
        return QSize(self._view.gutter_width(), 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        self._view.paint_gutter(event)


class SampleView(QPlainTextEdit):
    """Read only. `line_chosen` carries the 1-based number of the line that the cursor is in."""

    line_chosen = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self._taken: tuple[Taken, ...] = ()
        self._gutter = _Gutter(self)
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setFont(code_font())
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.updateRequest.connect(self._follow)
        self.cursorPositionChanged.connect(self._tell_line)
        themes().theme_changed.connect(self._recolour)
        self.setViewportMargins(self.gutter_width(), 0, 0, 0)

    def show_lines(self, lines: Sequence[str]) -> None:
        """Control characters as blanks, so that a line stays a line."""
        self._taken = ()
        self.setPlainText("\n".join(_CONTROL.sub("␀", line[:_LONGEST_SHOWN]) for line in lines))
        self.setViewportMargins(self.gutter_width(), 0, 0, 0)

    def show_taken(self, taken: Sequence[Taken]) -> None:
        self._taken = tuple(taken)
        self._recolour(current_theme())

    def words_of(self, line: int) -> str:
        """What line `line` was taken as, in words."""
        if not 1 <= line <= len(self._taken):
            return ""
        one = self._taken[line - 1]
        what = text(f"ui.tables.taken.{one.kind}")
        return f"{what}: {sentence('skipped', one.reason)}" if one.reason else what

    # --- painting
    def gutter_width(self) -> int:
        return self.fontMetrics().horizontalAdvance("0000 H") + 2 * SPACE_S

    def _recolour(self, theme: Theme) -> None:
        colours = _colours(theme)
        chosen = []
        block = self.document().firstBlock()
        for one in self._taken:
            colour = colours.get(_kind(one))
            if colour is not None and block.isValid():
                made = QTextEdit.ExtraSelection()
                made.cursor = self.textCursor()
                made.cursor.setPosition(block.position())
                made.format.setBackground(colour)
                made.format.setProperty(QTextFormat.Property.FullWidthSelection, True)
                chosen.append(made)
            block = block.next()
        self.setExtraSelections(chosen)
        self._gutter.update()

    def _follow(self, rect: QRect, dy: int) -> None:
        if dy:
            self._gutter.scroll(0, dy)
        else:
            self._gutter.update(0, rect.y(), self._gutter.width(), rect.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        inside = self.contentsRect()
        self._gutter.setGeometry(QRect(inside.left(), inside.top(), self.gutter_width(), inside.height()))

    def paint_gutter(self, event: QPaintEvent) -> None:
        theme = current_theme()
        painter = QPainter(self._gutter)
        painter.fillRect(event.rect(), theme.background)
        painter.setFont(font(SMALL_PX))
        block = self.firstVisibleBlock()
        top = self.blockBoundingGeometry(block).translated(self.contentOffset()).top()
        width = self._gutter.width()
        while block.isValid() and top <= event.rect().bottom():
            height = self.blockBoundingRect(block).height()
            number = block.blockNumber()
            box = QRect(0, int(top), width - SPACE_XS, int(height))
            painter.setPen(theme.muted)
            half = box.adjusted(0, 0, -2 * SPACE_S, 0)
            painter.drawText(half, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, str(number + 1))
            if number < len(self._taken):
                one = self._taken[number]
                painter.setPen(_mark_colour(theme, one))
                mark = _COMMENT_MARK if one.reason == "comment" else MARKS[one.kind]
                painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, mark)
            block = block.next()
            top += height

    # --- reading
    def _tell_line(self) -> None:
        self.line_chosen.emit(self.textCursor().blockNumber() + 1)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            at = self.viewport().mapFromGlobal(event.globalPos())
            number = self.cursorForPosition(QPoint(max(at.x(), 0), at.y())).blockNumber() + 1
            QToolTip.showText(event.globalPos(), self.words_of(number), self)
            return True
        return super().event(event)


def _kind(one: Taken) -> str:
    return "comment" if one.reason == "comment" else one.kind


def _colours(theme: Theme) -> dict[str, QColor]:
    return {
        "data": theme.tint(theme.ok, 0.12),
        "header": theme.tint(theme.after, 0.22),
        "skipped": theme.tint(theme.warning, 0.24),
        "comment": theme.tint(theme.muted, 0.14),
    }


def _mark_colour(theme: Theme, one: Taken) -> QColor:
    return {"data": theme.ok, "header": theme.after, "skipped": theme.warning}.get(_kind(one), theme.muted)
