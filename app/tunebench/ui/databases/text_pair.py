"""Two texts side by side, what differs marked by a sign and a tint."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import accumulate

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QResizeEvent, QTextCharFormat, QTextCursor, QTextFormat
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QTextEdit, QWidget

from tunebench.core.patterns import lazy_pattern
from tunebench.core.records import record
from tunebench.ui.look.fonts import code_font
from tunebench.ui.look.language import text
from tunebench.ui.look.theme import SPACE_XS, current_theme, themes
from tunebench.ui.widgets.parts import column, label, panel, row, set_tone

MOST_COMPARED = 4000
"""Lines of either text beyond which nothing is marked: comparing takes too long."""
LONG_LINE = 100
GUTTER_PX = 16
_CLAUSE = lazy_pattern(
    r"\s+(?=(?:from|where|and|or|group by|order by|having|union|set|values|inner join|left join|right join|"
    r"left outer join|join|on|limit|returning|connect by|start with|minus|intersect)\b)",
    re.IGNORECASE,
)
_QUOTED = lazy_pattern(r"'[^']*'|\"[^\"]*\"|/\*.*?\*/|--[^\n]*", re.DOTALL)


@record
class TextLine:
    """A line of one side; `sign` is ``-`` gone, ``+`` new, ``~`` changed, empty where both sides say the same.

    `spans` are the changed characters (from, to) of a changed line; `filler` stands where only the other side has one.
    """

    words: str
    sign: str = ""
    spans: tuple[tuple[int, int], ...] = ()
    filler: bool = False


def broken_up(statement: str) -> str:
    """A long line of SQL with a line for each clause; quotes and comments stay as they are."""
    return "\n".join(_broken(line) if len(line) > LONG_LINE else line for line in statement.splitlines())


def _broken(line: str) -> str:
    quoted = [match.span() for match in _QUOTED.finditer(line)]
    clauses, last = [], 0
    for match in _CLAUSE.finditer(line):
        if not any(start < match.end() <= end for start, end in quoted):
            clauses.append(line[last : match.start()])
            last = match.end()
    return "\n  ".join([*clauses, line[last:]])


def aligned(before: Sequence[str], after: Sequence[str]) -> tuple[list[TextLine], list[TextLine]]:
    """The lines of both sides at equal heights."""
    if max(len(before), len(after)) > MOST_COMPARED:
        return [TextLine(line) for line in before], [TextLine(line) for line in after]
    left: list[TextLine] = []
    right: list[TextLine] = []
    old, new = ([" ".join(line.split()) for line in lines] for lines in (before, after))
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            left += [TextLine(line) for line in before[i1:i2]]
            right += [TextLine(line) for line in after[j1:j2]]
            continue
        both = min(i2 - i1, j2 - j1)
        for offset in range(both):
            one, other = changed_spans(before[i1 + offset], after[j1 + offset])
            left.append(TextLine(before[i1 + offset], "~", one))
            right.append(TextLine(after[j1 + offset], "~", other))
        for line in before[i1 + both : i2]:
            left.append(TextLine(line, "-"))
            right.append(TextLine("", filler=True))
        for line in after[j1 + both : j2]:
            left.append(TextLine("", filler=True))
            right.append(TextLine(line, "+"))
    return left, right


def changed_spans(one: str, other: str) -> tuple[tuple[tuple[int, int], ...], tuple[tuple[int, int], ...]]:
    """Characters of either line that the other has not, by whole words."""
    words = [re.findall(r"\w+|\s+|[^\w\s]", line) for line in (one, other)]
    starts = [[0, *accumulate(map(len, parts))] for parts in words]
    codes = SequenceMatcher(None, words[0], words[1], autojunk=False).get_opcodes()
    left = tuple((starts[0][i1], starts[0][i2]) for tag, i1, i2, _, _ in codes if tag != "equal" and i2 > i1)
    right = tuple((starts[1][j1], starts[1][j2]) for tag, _, _, j1, j2 in codes if tag != "equal" and j2 > j1)
    return left, right


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
