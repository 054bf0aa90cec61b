"""The time axis under a stack of rows: ticks on wall-clock times of the engagement's zone, always printed."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from app.ui.charts.canvas import GUTTER_PX, MARGIN_PX, TimeSurface
from app.ui.charts.ticks import Tick
from app.ui.charts.time_range import TimeRange
from app.ui.look.fonts import SMALL_PX
from app.ui.look.painting import CENTRE, RIGHT, painter_on, write
from app.ui.look.theme import current_theme

HEIGHT_PX = 24
TICK_PX = 64
"""Room that one tick and its label take."""


def most_ticks(width_px: float) -> int:
    return max(int(width_px // TICK_PX), 2)


class TimeAxis(TimeSurface):
    """Drag it to pan. `zone` is printed at the right end, `flag` is the time under the cross-hair."""

    view_requested = Signal(object, bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.ticks: list[Tick] = []
        self.zone = ""
        self._flag: tuple[int, str] | None = None
        self._from: tuple[float, TimeRange] | None = None
        self.setFixedHeight(HEIGHT_PX)
        self.setCursor(Qt.CursorShape.OpenHandCursor)

    @property
    def area(self) -> QRectF:
        return QRectF(GUTTER_PX, 0, max(self.width() - GUTTER_PX - MARGIN_PX, 10), self.height())

    def show_view(self, view: TimeRange, ticks: Sequence[Tick], zone: str) -> None:
        self.view, self.ticks, self.zone = view, list(ticks), zone
        self.update()

    def show_flag(self, time_ns: int | None, words: str = "") -> None:
        flag = None if time_ns is None else (time_ns, words)
        if flag != self._flag:
            self._flag = flag
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = painter_on(self, "surface", SMALL_PX)
        theme, area = current_theme(), self.area
        painter.setPen(QPen(theme.border, 1))
        painter.drawLine(QPointF(area.left(), 0.5), QPointF(area.right(), 0.5))
        write(painter, QRectF(0, 3, GUTTER_PX - 6, 18), self.zone, theme.muted, RIGHT)
        self._paint_ticks(painter)
        self._paint_flag(painter)

    def _paint_ticks(self, painter: QPainter) -> None:
        theme, area = current_theme(), self.area
        free_from = area.left() - 4  # the zone stands left of it
        # Day names go first: where room is short, an hour's label gives way to them.
        placed: list[tuple[float, float]] = []
        for tick in sorted(self.ticks, key=lambda t: (not t.strong, t.time_ns)):
            x = self.x_of(tick.time_ns)
            width = painter.fontMetrics().horizontalAdvance(tick.text)
            left, right = x - width / 2, x + width / 2
            if left < free_from or right > self.width() or any(left < b + 8 and right > a - 8 for a, b in placed):
                continue
            placed.append((left, right))
            colour = theme.text if tick.strong else theme.muted
            write(painter, QRectF(left - 1, 4, width + 2, 18), tick.text, colour, CENTRE)
            painter.setPen(QPen(theme.border, 1))
            painter.drawLine(QPointF(round(x) + 0.5, 0), QPointF(round(x) + 0.5, 4))

    def _paint_flag(self, painter: QPainter) -> None:
        if self._flag is None or not self.view.contains(self._flag[0]):
            return
        theme, words = current_theme(), self._flag[1]
        width = painter.fontMetrics().horizontalAdvance(words) + 12
        left = min(max(self.x_of(self._flag[0]) - width / 2, 0), self.width() - width)
        box = QRectF(left, 3, width, 18)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.text)
        painter.drawRoundedRect(box, 3, 3)
        write(painter, box, words, theme.surface, CENTRE)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._from = (event.position().x(), self.view)
        self.setCursor(Qt.CursorShape.ClosedHandCursor)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._pan(event, finished=False)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._pan(event, finished=True)
        self._from = None
        self.setCursor(Qt.CursorShape.OpenHandCursor)

    def _pan(self, event: QMouseEvent, *, finished: bool) -> None:
        if self._from is not None:
            x, then = self._from
            by = -int((event.position().x() - x) / self.area.width() * then.span_ns)
            self.view_requested.emit(then.moved(by), finished)
