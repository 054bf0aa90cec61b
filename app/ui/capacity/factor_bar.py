"""How much more load fits: what is possible against what is asked."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.ui.look.fonts import SMALL_PX
from app.ui.look.language import text
from app.ui.look.theme import current_theme
from app.usecases.capacity.words import figure

_HEIGHT = 46
_BAR_TOP, _BAR_PX = 18, 12


class FactorBar(QWidget):
    """Filled up to the possible factor; a mark at 1 (today) and one at what is asked."""

    def __init__(self) -> None:
        super().__init__()
        self.possible: float | None = None
        self.asked = 1.0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(240, _HEIGHT)

    def show_factors(self, possible: float | None, asked: float) -> None:
        self.possible, self.asked = possible, asked
        self.update()

    def _x(self, factor: float) -> float:
        most = max(self.asked, self.possible or 0.0, 1.0) * 1.12
        return 1 + factor / most * (self.width() - 2)

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self.possible is None:
            return
        theme, painter = current_theme(), QPainter(self)
        font = painter.font()
        font.setPixelSize(SMALL_PX)
        painter.setFont(font)
        painter.fillRect(QRectF(1, _BAR_TOP, self.width() - 2, _BAR_PX), theme.pressed)
        colour = theme.ok if self.asked <= self.possible else theme.warning
        painter.fillRect(QRectF(1, _BAR_TOP, self._x(self.possible) - 1, _BAR_PX), colour)
        self._mark(painter, 1.0, text("ui.capacity.load.today"), above=False)
        words = text("ui.capacity.load.possible", factor=figure(self.possible, 3))
        self._mark(painter, self.possible, words, above=True)
        if abs(self.asked - 1) > 1e-9:
            self._mark(painter, self.asked, text("ui.capacity.load.asked", factor=figure(self.asked, 3)), above=False)
        painter.end()

    def _mark(self, painter: QPainter, factor: float, words: str, *, above: bool) -> None:
        theme, x = current_theme(), self._x(factor)
        painter.setPen(QPen(theme.text, 1.5))
        top = _BAR_TOP - 3 if above else _BAR_TOP
        painter.drawLine(round(x), top, round(x), _BAR_TOP + _BAR_PX + (0 if above else 3))
        width = painter.fontMetrics().horizontalAdvance(words) + 4
        left = min(max(x - width / 2, 0), self.width() - width)
        box = QRectF(left, 0 if above else _BAR_TOP + _BAR_PX + 2, width, 15)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, words)
