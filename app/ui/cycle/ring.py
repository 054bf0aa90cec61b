"""The cycle as a ring: six steps one after the other, the question that comes before them in the middle."""

from __future__ import annotations

from collections.abc import Sequence
from math import atan2, cos, degrees, hypot, pi, radians, sin, sqrt

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QBrush,
    QColor,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QPolygonF,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.domain.cycle.records import StepNumber, StepState
from app.ui.cycle.ring_step import LEAST_LINES, LINES, RingStep, height_of
from app.ui.look.fonts import BODY_PX, font
from app.ui.look.theme import SPACE_M, SPACE_S, Theme, current_theme
from app.usecases.cycle.facade import StepStanding

THICK, GAP_DEG, SPAN_DEG = 24.0, 5.0, 60.0
GREATEST_RADIUS, LEAST_RADIUS, LABEL_WIDTH = 150.0, 84.0, 148
AROUND = tuple(number for number in StepNumber if number is not StepNumber.PROBLEM)


class CycleRing(QWidget):
    """`chosen` carries a `StepNumber`. Segments and their words are one button each."""

    chosen = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._next: StepNumber | None = None
        self._hovered: StepNumber | None = None
        self.steps = {number: RingStep(number, self) for number in StepNumber}
        for step in self.steps.values():
            step.chosen.connect(self.chosen)
            step.hovered.connect(self._hover)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def _hover(self, number: StepNumber | None) -> None:
        if number is not self._hovered:
            self._hovered = number
            self.update()

    def show_steps(self, steps: Sequence[StepStanding], following: StepNumber | None) -> None:
        """`following` is the step of the next action; it is marked."""
        self._next = following
        for standing in steps:
            self.steps[standing.number].show_standing(standing, standing.number is following)
        self.update()

    # --- where things are
    def sizeHint(self) -> QSize:
        return QSize(560, 290)

    def minimumSizeHint(self) -> QSize:
        return QSize(
            2 * LABEL_WIDTH + int(2 * LEAST_RADIUS) + 2 * SPACE_M,
            max(int(2 * LEAST_RADIUS), 3 * height_of(LEAST_LINES)) + SPACE_M,
        )

    @property
    def middle(self) -> QPointF:
        return QPointF(self.width() / 2, self.height() / 2)

    @property
    def radius(self) -> float:
        """Outer radius."""
        across = self.width() / 2 - LABEL_WIDTH - SPACE_M
        return max(min(across, self.height() / 2 - SPACE_S, GREATEST_RADIUS), LEAST_RADIUS)

    def step_at(self, place: QPointF) -> StepNumber | None:
        """The step whose segment lies there; the middle is step 0."""
        off = place - self.middle
        away = hypot(off.x(), off.y())
        if away > self.radius:
            return None
        if away < self.radius - THICK:
            return StepNumber.PROBLEM
        turned = (degrees(atan2(off.x(), -off.y())) + 360.0) % 360.0
        return AROUND[int(turned // SPAN_DEG)]

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        for step in self.steps.values():
            step.set_lines(LINES if self.height() >= 3 * height_of(LINES) + SPACE_M else LEAST_LINES)
        for place, number in enumerate(AROUND):
            self._place_step(place, self.steps[number])
        inside = int(2 * (self.radius - THICK) * 0.9)
        start = self.steps[StepNumber.PROBLEM]
        start.set_side("centre")
        left, top = self.middle.x() - inside / 2, self.middle.y() - start.height() / 2
        start.setGeometry(int(left), int(top), inside, start.height())

    def _place_step(self, place: int, step: RingStep) -> None:
        """Beside its segment, as near as the ring lets it come over the height of the words."""
        high, radius = step.height(), self.radius
        level = (place % 3) - 1 if place < 3 else 1 - (place % 3)  # top, middle, bottom; clockwise
        off = level * max(radius - high / 2, high + 1.0)
        nearest = max(abs(off) - high / 2, 0.0)
        reach = sqrt(max(radius**2 - nearest**2, 0.0)) + SPACE_M
        room = int(self.width() / 2 - reach)
        right = place < len(AROUND) // 2
        left = self.middle.x() + reach if right else self.middle.x() - reach - room
        step.set_side("left" if right else "right")
        step.setGeometry(int(left), int(self.middle.y() + off - high / 2), room, high)

    # --- mouse
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        found = self.step_at(event.position())
        self._hover(found)
        if found is None:
            self.unsetCursor()
        else:
            self.setCursor(Qt.CursorShape.PointingHandCursor)

    def leaveEvent(self, event: object) -> None:
        self._hover(None)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        found = self.step_at(event.position())
        if event.button() == Qt.MouseButton.LeftButton and found is not None:
            self.chosen.emit(found)

    # --- painting
    def paintEvent(self, event: QPaintEvent) -> None:
        painter, theme = QPainter(self), current_theme()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for place, number in enumerate(AROUND):
            self._paint_segment(painter, place, number, theme)
        for place in range(len(AROUND)):
            self._paint_way(painter, place * SPAN_DEG, theme)

    def _paint_segment(self, painter: QPainter, place: int, number: StepNumber, theme: Theme) -> None:
        state = self.steps[number].state
        path = _segment(self.middle, self.radius, place * SPAN_DEG + GAP_DEG / 2, SPAN_DEG - GAP_DEG)
        painter.fillPath(path, _fill(state, theme))
        if state is StepState.IN_WORK:
            painter.fillPath(path, QBrush(theme.tint(theme.accent, 0.6), Qt.BrushStyle.BDiagPattern))
        marked = number is self._next or number is self._hovered
        style = Qt.PenStyle.DashLine if state is StepState.SKIPPED else Qt.PenStyle.SolidLine
        painter.setPen(QPen(theme.accent if marked else _edge(state, theme), 2.0 if marked else 1.2, style))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(path)
        self._paint_number(painter, place, number, state, theme)

    def _paint_number(self, painter: QPainter, place: int, number: StepNumber, state: StepState, theme: Theme) -> None:
        turned, away = radians(place * SPAN_DEG + SPAN_DEG / 2), self.radius - THICK / 2
        at = self.middle + QPointF(away * sin(turned), -away * cos(turned))
        painter.setFont(font(BODY_PX, bold=True))
        box = QRectF(at.x() - 10, at.y() - 10, 20, 20)
        if state is StepState.IN_WORK:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.surface)
            painter.drawEllipse(box.adjusted(1, 1, -1, -1))
        painter.setPen(theme.muted if state in (StepState.OPEN, StepState.SKIPPED) else theme.text)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, str(int(number)))

    def _paint_way(self, painter: QPainter, at_deg: float, theme: Theme) -> None:
        """A small head between two segments: which way round."""
        turned, away = radians(at_deg), self.radius - THICK / 2
        at = self.middle + QPointF(away * sin(turned), -away * cos(turned))
        along, out = QPointF(cos(turned), sin(turned)), QPointF(sin(turned), -cos(turned))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.muted)
        painter.drawPolygon(QPolygonF([at + along * 3.5, at - along * 2.5 + out * 4, at - along * 2.5 - out * 4]))


def _segment(middle: QPointF, radius: float, from_deg: float, span_deg: float) -> QPainterPath:
    """Clockwise from 12 o'clock."""
    outer = QRectF(middle.x() - radius, middle.y() - radius, 2 * radius, 2 * radius)
    inner = outer.adjusted(THICK, THICK, -THICK, -THICK)
    begin = 90.0 - from_deg
    turned = from_deg * pi / 180
    made = QPainterPath(QPointF(middle.x() + radius * sin(turned), middle.y() - radius * cos(turned)))
    made.arcTo(outer, begin, -span_deg)
    made.arcTo(inner, begin - span_deg, span_deg)
    made.closeSubpath()
    return made


def _fill(state: StepState, theme: Theme) -> QColor:
    shares = {StepState.DONE: (theme.ok, 0.28), StepState.IN_WORK: (theme.accent, 0.12)}
    colour, share = shares.get(state, (theme.surface, 1.0))
    return theme.tint(colour, share)


def _edge(state: StepState, theme: Theme) -> QColor:
    edges = {StepState.DONE: theme.ok, StepState.IN_WORK: theme.accent, StepState.SKIPPED: theme.muted}
    return edges.get(state, theme.tint(theme.muted, 0.6))
