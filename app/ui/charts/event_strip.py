"""The strip under the rows: what happened on the hosts, by shape, colour and word, on the same time axis."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from app.ui.charts.canvas import GUTTER_PX, MARGIN_PX, TimeSurface, mark_colour
from app.ui.charts.lines import Mark
from app.ui.charts.row import HEADER_PX, READOUT_PX
from app.ui.charts.time_range import TimeRange
from app.ui.look.fonts import SMALL_PX
from app.ui.look.language import text
from app.ui.look.painting import RIGHT, font_of, write
from app.ui.look.theme import current_theme

HEIGHT_PX = 26


class EventStrip(TimeSurface):
    """`picked` carries the `Mark` that was clicked."""

    picked = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.marks: list[Mark] = []
        self._placed: list[tuple[Mark, QRectF]] = []
        self.setFixedHeight(HEIGHT_PX)
        self.setMouseTracking(True)

    @property
    def area(self) -> QRectF:
        left = HEADER_PX + GUTTER_PX
        return QRectF(left, 0, max(self.width() - left - READOUT_PX - MARGIN_PX, 10), self.height())

    def show_view(self, view: TimeRange) -> None:
        self.view = view
        self.update()

    def show_marks(self, marks: Sequence[Mark]) -> None:
        self.marks = sorted(marks, key=lambda mark: mark.time_ns)
        self.setAccessibleName(text("ui.charts.events.name", n=len(self.marks)))
        self.setAccessibleDescription("\n".join(mark.detail for mark in self.marks[:50]))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        theme = current_theme()
        painter.fillRect(self.rect(), theme.surface)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(font_of(self, SMALL_PX))
        write(painter, QRectF(12, 0, HEADER_PX, self.height()), text("ui.charts.events.label"), theme.muted)
        visible = [m for m in self.marks if self._visible(m)]
        aside = QRectF(self.width() - READOUT_PX, 0, READOUT_PX - 12, self.height())
        write(painter, aside, text("ui.charts.events.count", n=len(visible)), theme.muted, RIGHT)
        painter.setClipRect(self.area.adjusted(-6, 0, 6, 0))
        self._paint_marks(painter, visible)

    def _visible(self, mark: Mark) -> bool:
        if mark.end_ns is None:
            return self.view.contains(mark.time_ns)
        return mark.time_ns < self.view.end_ns and mark.end_ns > self.view.start_ns

    def _paint_marks(self, painter: QPainter, visible: Sequence[Mark]) -> None:
        self._placed = []
        free_from = -1e9
        for number, mark in enumerate(visible):
            x = max(self.x_of(mark.time_ns), self.area.left())
            if x < free_from - 4 and self._placed and x - self._placed[-1][1].left() < 3:
                continue  # stands on another one: nothing more could be told apart
            self._paint_shape(painter, mark, x)
            following = self.x_of(visible[number + 1].time_ns) if number + 1 < len(visible) else self.area.right()
            room = min(following - 8, self.area.right()) - x - 10
            shown = ""
            if x >= free_from and room > 30:
                shown = painter.fontMetrics().elidedText(mark.word, Qt.TextElideMode.ElideRight, int(room))
                write(painter, QRectF(x + 9, 0, room + 2, self.height()), shown, mark_colour(mark.kind))
            width = 10 + painter.fontMetrics().horizontalAdvance(shown)
            free_from = x + width
            self._placed.append((mark, QRectF(x - 6, 0, width + 8, self.height())))

    def _paint_shape(self, painter: QPainter, mark: Mark, x: float) -> None:
        colour, y = mark_colour(mark.kind), self.height() / 2
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        if mark.end_ns is not None:
            right = max(self.x_of(mark.end_ns), x + 3)
            painter.setBrush(current_theme().gap)
            painter.drawRect(QRectF(x, 2, right - x, self.height() - 4))
            painter.setPen(QPen(colour, 1))
            painter.drawLine(QPointF(x, 2), QPointF(x, self.height() - 2))
        elif mark.kind == "restart":
            painter.drawPolygon(QPolygonF([QPointF(x, y - 5), QPointF(x + 5, y + 4), QPointF(x - 5, y + 4)]))
        elif mark.kind in ("mark", "comment"):
            painter.drawPolygon(QPolygonF([QPointF(x, y - 5), QPointF(x + 5, y), QPointF(x, y + 5), QPointF(x - 5, y)]))
        else:
            painter.drawEllipse(QPointF(x, y), 4, 4)

    def mark_at(self, place: QPointF) -> Mark | None:
        return next((mark for mark, box in self._placed if box.contains(place)), None)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        found = self.mark_at(event.position())
        self.setCursor(Qt.CursorShape.PointingHandCursor if found else Qt.CursorShape.ArrowCursor)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        found = self.mark_at(event.position())
        if found is not None:
            self.picked.emit(found)

    def tip_at(self, place: QPointF) -> str:
        found = self.mark_at(place)
        return found.detail if found else ""
