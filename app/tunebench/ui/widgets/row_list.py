"""Lists of rows of the same height, of which one is chosen: of two painted lines each, a list of hundreds costs
nothing."""

from __future__ import annotations

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QKeyEvent, QPainter
from PySide6.QtWidgets import QListView, QStyledItemDelegate, QStyleOptionViewItem

from tunebench.ui.look.painting import write
from tunebench.ui.look.theme import SPACE_S

Index = QModelIndex | QPersistentModelIndex
ROW_HEIGHT_TWO_LINES = 46
ELIDED_RIGHT = Qt.TextElideMode.ElideRight


class RowList(QListView):
    """`opened` when Enter is pressed or a row is clicked twice."""

    opened = Signal()

    def __init__(self, model: QAbstractItemModel) -> None:
        super().__init__()
        self.setModel(model)
        self.setUniformItemSizes(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.doubleClicked.connect(lambda: self.opened.emit())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.opened.emit()
        else:
            super().keyPressEvent(event)


class TwoLineDelegate(QStyledItemDelegate):
    """The style draws background and check box, `paint_lines` the rest. `indent`: where the lines begin, pixels."""

    indent = SPACE_S

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(160, ROW_HEIGHT_TWO_LINES)

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        option.text = ""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().paint(painter, option, index)
        painter.save()
        room = option.rect.adjusted(self.indent, 4, -SPACE_S, -4)
        upper = QRect(room.left(), room.top(), room.width(), room.height() // 2)
        lower = QRect(room.left(), upper.bottom() + 1, room.width(), room.height() - upper.height())
        self.paint_lines(painter, upper, lower, index)
        painter.restore()

    def paint_lines(self, painter: QPainter, upper: QRect, lower: QRect, index: Index) -> None:
        raise NotImplementedError


def paint_words(
    painter: QPainter, room: QRect, words: str, colour: QColor, font: QFont, mode: Qt.TextElideMode = ELIDED_RIGHT
) -> None:
    """Words at the left, cut where they do not fit."""
    painter.setFont(font)
    write(painter, room, QFontMetrics(font).elidedText(words, mode, room.width()), colour)


def paint_side(painter: QPainter, room: QRect, words: str, colour: QColor, font: QFont) -> QRect:
    """Words at the right, half of the room at most; gives what is left of it."""
    width = min(QFontMetrics(font).horizontalAdvance(words) + 2, room.width() // 2) if words else 0
    paint_words(painter, QRect(room.right() - width, room.top(), width + 1, room.height()), words, colour, font)
    return room.adjusted(0, 0, -width - (SPACE_S if width else 0), 0)
