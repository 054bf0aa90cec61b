"""The state of a step as a shape: hollow, half, ticked, struck through. Colour only repeats it."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QPolygonF

from app.domain.cycle.records import StepState
from app.ui.look.theme import Theme

SIZE = 14.0


def state_colour(state: StepState, theme: Theme) -> QColor:
    return {StepState.DONE: theme.ok, StepState.IN_WORK: theme.accent}.get(state, theme.muted)


def paint_state(painter: QPainter, middle: QPointF, state: StepState, theme: Theme, size: float = SIZE) -> None:
    colour = state_colour(state, theme)
    radius = size / 2 - 1
    circle = QRectF(middle.x() - radius, middle.y() - radius, 2 * radius, 2 * radius)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(colour, 1.5))
    painter.setBrush(colour if state is StepState.DONE else Qt.BrushStyle.NoBrush)
    painter.drawEllipse(circle)
    match state:
        case StepState.IN_WORK:
            half = QPainterPath(QPointF(middle.x(), circle.top()))
            half.arcTo(circle, 90, -180)
            half.closeSubpath()
            painter.fillPath(half, colour)
        case StepState.SKIPPED:
            reach = radius * 0.7
            painter.drawLine(middle + QPointF(-reach, reach), middle + QPointF(reach, -reach))
        case StepState.DONE:
            painter.setPen(QPen(theme.on_accent, 1.6))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            steps = ((-0.45, 0.02), (-0.12, 0.36), (0.48, -0.36))
            painter.drawPolyline(QPolygonF([middle + QPointF(x * radius, y * radius) for x, y in steps]))
    painter.restore()
