"""Two texts side by side, what differs marked by a sign and a tint."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QResizeEvent, QTextCharFormat, QTextCursor, QTextFormat
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QTextEdit, QWidget

from tunebench.analysis.databases.text_alignment import TextLine, aligned, broken_up
from tunebench.ui.look.fonts import code_font
from tunebench.ui.look.language import text
from tunebench.ui.look.theme import SPACE_XS, current_theme, themes
from tunebench.ui.widgets.parts import column, label, panel, row, set_tone

GUTTER_PX = 16


class _Gutter(QWidget):
    """The signs, beside the lines."""

    def __init__(self, owner: SignedText) -> None:
        super().__init__(owner)
        self._owner = owner

    def paintEvent(self, event: QPaintEvent) -> None:
        self._owner.paint_signs(QPainter(self), self.width())


class SignedText(QPlainTextEdit):
    """Read only; what is copied is the text without its signs."""

    def __init__(self, side: str) -> None:
        nowrap = QPlainTextEdit.LineWrapMode.NoWrap
        super().__init__(readOnly=True, lineWrapMode=nowrap, tabChangesFocus=True)
        self._side = side
        self.lines: list[TextLine] = []
        self.setFont(code_font(12))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setViewportMargins(GUTTER_PX, 0, 0, 0)
        self._gutter = _Gutter(self)
        self.updateRequest.connect(lambda _area, _dy: self._gutter.update())
        themes().theme_changed.connect(self._recolour)

    def show_lines(self, lines: Sequence[TextLine]) -> None:
        self.lines = list(lines)
        self.setPlainText("\n".join(line.words for line in lines))
        self._recolour()

    def _recolour(self, *_: object) -> None:
        self.setExtraSelections([mark for index, line in enumerate(self.lines) for mark in self._marks(index, line)])
        self._gutter.update()

    def _marks(self, index: int, line: TextLine) -> list[QTextEdit.ExtraSelection]:
        theme = current_theme()
        if line.filler:
            return [self._mark(index, theme.background)]
        if not line.sign:
            return []
        colour = theme.phase_colour(self._side)
        return [
            self._mark(index, theme.tint(colour, 0.10)),
            *(self._mark(index, theme.tint(colour, 0.28), span) for span in line.spans),
        ]

    def _mark(self, index: int, colour: QColor, span: tuple[int, int] | None = None) -> QTextEdit.ExtraSelection:
        block = self.document().findBlockByNumber(index)
        cursor = QTextCursor(block)
        style = QTextCharFormat()
        style.setBackground(colour)
        if span is None:
            style.setProperty(QTextFormat.Property.FullWidthSelection, True)
        else:
            cursor.setPosition(block.position() + span[0])
            cursor.setPosition(block.position() + span[1], QTextCursor.MoveMode.KeepAnchor)
        selection = QTextEdit.ExtraSelection()
        selection.cursor, selection.format = cursor, style  # type: ignore[attr-defined]
        return selection

    # --- signs
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        area = self.contentsRect()
        self._gutter.setGeometry(QRect(area.left(), area.top(), GUTTER_PX, area.height()))

    def paint_signs(self, painter: QPainter, width: int) -> None:
        painter.setFont(self.font())
        painter.setPen(current_theme().phase_colour(self._side))
        block = self.firstVisibleBlock()
        while block.isValid():
            area = self.blockBoundingGeometry(block).translated(self.contentOffset())
            if area.top() > self.height():
                return
            number = block.blockNumber()
            if number < len(self.lines) and self.lines[number].sign:
                spot = QRect(0, int(area.top()), width, int(area.height()))
                painter.drawText(spot, Qt.AlignmentFlag.AlignCenter, self.lines[number].sign.replace("-", "−"))
            block = block.next()


class TextPair(QWidget):
    """Before left, after right; they scroll together."""

    def __init__(self) -> None:
        super().__init__()
        self.heads = {side: label(role="small", tone=side) for side in ("before", "after")}
        self.sides = {side: SignedText(side) for side in ("before", "after")}
        self._columns = {
            side: panel(column(self.heads[side], (edit, 1), spacing=SPACE_XS)) for side, edit in self.sides.items()
        }
        row(*((part, 1) for part in self._columns.values()), of=self)
        one, other = self.sides["before"], self.sides["after"]
        for first, second in ((one, other), (other, one)):
            first.verticalScrollBar().valueChanged.connect(second.verticalScrollBar().setValue)
            first.horizontalScrollBar().valueChanged.connect(second.horizontalScrollBar().setValue)

    def show_texts(self, before: str | None, after: str | None, heads: tuple[str, str], sql: bool = True) -> None:
        """Shows both texts; None where a side is not looked at, empty where it has no text."""
        shape = broken_up if sql else str
        lines = [shape(words).splitlines() if words else [] for words in (before, after)]
        if before and after:
            left, right = aligned(lines[0], lines[1])
        else:
            left, right = ([TextLine(line) for line in side] for side in lines)
        for side, words, shown, head in (("before", before, left, heads[0]), ("after", after, right, heads[1])):
            self._columns[side].setVisible(words is not None)
            self.heads[side].setText(head)
            self.sides[side].setAccessibleName(head)
            nothing = [TextLine(text("ui.statements.cell.no_text"))]
            self.sides[side].show_lines(shown if words else nothing)
            set_tone(self.heads[side], side)
