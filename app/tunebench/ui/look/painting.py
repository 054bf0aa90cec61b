"""What is painted by hand: words within an area in a font of that widget, and tool tips of what has no widget."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QHelpEvent, QPainter
from PySide6.QtWidgets import QToolTip, QWidget

from tunebench.ui.look.theme import current_theme

MIDDLE = Qt.AlignmentFlag.AlignVCenter
LEFT, RIGHT = MIDDLE | Qt.AlignmentFlag.AlignLeft, MIDDLE | Qt.AlignmentFlag.AlignRight
CENTRE = Qt.AlignmentFlag.AlignCenter


def font_of(widget: QWidget, pixels: int, *, bold: bool = False) -> QFont:
    font = QFont(widget.font())
    font.setPixelSize(pixels)
    font.setBold(bold)
    return font


def painter_on(widget: QWidget, ground: str = "", pixels: int = 0, *, smooth: bool = False) -> QPainter:
    """A painter of all of a widget.

    Args:
        ground: the name of the theme's colour that is laid first.
        pixels: of the words, in the widget's font.
        smooth: edges are antialiased.
    """
    painter = QPainter(widget)
    if ground:
        painter.fillRect(widget.rect(), getattr(current_theme(), ground))
    if pixels:
        painter.setFont(font_of(widget, pixels))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, smooth)
    return painter


def write(painter: QPainter, area: QRectF | QRect, words: str, colour: QColor, side: Qt.AlignmentFlag = LEFT) -> None:
    """Words at one side of an area."""
    painter.setPen(colour)
    painter.drawText(area, side, words)


class TippedWidget(QWidget):
    """A widget whose tool tip is what `tip_at` says of the position under the pointer."""

    def tip_at(self, _place: QPointF) -> str:
        """Empty where nothing is to be said."""
        return ""

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), self.tip_at(QPointF(event.pos())), self)
            return True
        return super().event(event)
