"""The cycle as a ring: six steps one after the other, each with its state, what there is of it and what is in its way;
the question that comes before them in the middle."""

from __future__ import annotations

from collections.abc import Sequence
from math import atan2, cos, degrees, hypot, pi, radians, sin, sqrt

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QBrush,
    QColor,
    QEnterEvent,
    QFontMetricsF,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QPolygonF,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from tunebench.diagnosis.cycle.board import StepStanding
from tunebench.domain.cycle.records import StepNumber, StepState
from tunebench.reporting import cycle_words
from tunebench.ui.cycle.step_head import SIZE, paint_state
from tunebench.ui.look.fonts import BODY_PX, SMALL_PX, font
from tunebench.ui.look.language import language, text
from tunebench.ui.look.painting import painter_on
from tunebench.ui.look.theme import RADIUS, SPACE_M, SPACE_S, SPACE_XS, Theme, current_theme

NAME_PX, LINE_PX, LINES, LEAST_LINES = 20, 16, 4, 3
"""Below the name: the state, and three lines of counts; two where the ring is low."""
SEPARATOR = " · "
THICK, GAP_DEG, SPAN_DEG = 24.0, 5.0, 60.0
GREATEST_RADIUS, LEAST_RADIUS, LABEL_WIDTH = 150.0, 84.0, 148
AROUND = tuple(number for number in StepNumber if number is not StepNumber.PROBLEM)


class RingStep(QAbstractButton):
    """`chosen` and `hovered` carry the step (None when left). `lines`: name, state and counts, as shown."""

    chosen = Signal(object)
    hovered = Signal(object)

    def __init__(self, number: StepNumber, parent: QWidget) -> None:
        super().__init__(parent)
        self._number, self._side, self._marked = number, "left", False
        self.state, self._gates = StepState.OPEN, 0
        self.lines = ("", "", "")
        self.set_lines(LINES)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.clicked.connect(lambda: self.chosen.emit(number))

    def set_lines(self, lines: int) -> None:
        """Sets how many lines there are below the name."""
        self._count_lines = lines - 1
        self.setFixedHeight(height_of(lines))

    def set_side(self, side: str) -> None:
        """Sets where the words are flush: ``left``, ``right`` or ``centre``."""
        self._side = side
        self.update()

    def show_standing(self, standing: StepStanding, marked: bool) -> None:
        self.state, self._gates, self._marked = standing.state, standing.gates, marked
        name = f"{int(self._number)} {text(f'ui.board.step.{int(self._number)}')}"
        blocked = [text("ui.board.gates", n=standing.gates)] if standing.gates else []
        state = SEPARATOR.join((cycle_words.word(standing.state, language().code), *blocked))
        self.lines = (name, state, SEPARATOR.join(_counts(standing)))
        self.setToolTip("\n".join((name, text(f"cycle.step_question.{int(self._number)}"), *self.lines[1:])))
        self.setAccessibleName(f"{name}: {self.lines[1]}, {self.lines[2]}")
        self.update()

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self.hovered.emit(self._number)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.hovered.emit(None)

    # --- painting
    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = current_theme(), painter_on(self, smooth=True)
        if self.hasFocus() or self.underMouse():
            painter.setPen(QPen(theme.accent, 1) if self.hasFocus() else Qt.PenStyle.NoPen)
            painter.setBrush(theme.hover)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), RADIUS, RADIUS)
        top = float(SPACE_XS)
        name, state, counts = self.lines
        self._paint_name(painter, name, top, theme)
        self._paint_line(painter, state, top + NAME_PX, theme.warning if self._gates else theme.muted)
        for line_number, words in enumerate(self._wrapped(counts), 1):
            self._paint_line(painter, words, top + NAME_PX + line_number * LINE_PX, theme.muted)

    def _paint_name(self, painter: QPainter, name: str, top: float, theme: Theme) -> None:
        bold = font(BODY_PX, bold=True)
        painter.setFont(bold)
        metrics = QFontMetricsF(bold)
        room = self.width() - SIZE - 4 * SPACE_XS
        shown = metrics.elidedText(name, Qt.TextElideMode.ElideRight, room)
        wide = metrics.horizontalAdvance(shown) + SIZE + SPACE_XS
        left = {"left": float(SPACE_XS), "right": self.width() - wide - SPACE_XS}.get(
            self._side, (self.width() - wide) / 2
        )
        paint_state(painter, QPointF(left + SIZE / 2, top + NAME_PX / 2), self.state, theme)
        painter.setPen(theme.accent if self._marked else theme.text)
        box = QRectF(left + SIZE + SPACE_XS, top, wide, NAME_PX)
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)

    def _wrapped(self, counts: str) -> tuple[str, ...]:
        """Lines that are parted between two counts; what is more than the last line holds is cut there."""
        metrics, room = QFontMetricsF(font(SMALL_PX)), self.width() - 2 * SPACE_XS
        lines: list[str] = []
        for part in counts.split(SEPARATOR):
            longer = SEPARATOR.join((*lines[-1:], part))
            if lines and (metrics.horizontalAdvance(longer) <= room or len(lines) == self._count_lines):
                lines[-1] = longer
            else:
                lines.append(part)
        return tuple(lines)

    def _paint_line(self, painter: QPainter, words: str, top: float, colour: QColor) -> None:
        small = font(SMALL_PX)
        painter.setFont(small)
        painter.setPen(colour)
        box = QRectF(SPACE_XS, top, self.width() - 2 * SPACE_XS, LINE_PX)
        side = {"left": Qt.AlignmentFlag.AlignLeft, "right": Qt.AlignmentFlag.AlignRight}.get(
            self._side, Qt.AlignmentFlag.AlignHCenter
        )
        shown = QFontMetricsF(small).elidedText(words, Qt.TextElideMode.ElideRight, box.width())
        painter.drawText(box, side | Qt.AlignmentFlag.AlignVCenter, shown)


def height_of(lines: int) -> int:
    return NAME_PX + lines * LINE_PX + 2 * SPACE_XS


def _counts(standing: StepStanding) -> list[str]:
    counts = [text(f"cycle.count.{key}", n=n) for key, n in standing.counts.items()]
    more = {"questions": standing.open_questions, "attachments": standing.attachments, "pieces": standing.evidence}
    return counts + [text(f"ui.board.{key}", n=n) for key, n in more.items() if n]


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

    def step_at(self, position: QPointF) -> StepNumber | None:
        """The step whose segment lies there; the middle is step 0."""
        off = position - self.middle
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
        for index, number in enumerate(AROUND):
            self._place_step(index, self.steps[number])
        inside = int(2 * (self.radius - THICK) * 0.9)
        start = self.steps[StepNumber.PROBLEM]
        start.set_side("centre")
        left, top = self.middle.x() - inside / 2, self.middle.y() - start.height() / 2
        start.setGeometry(int(left), int(top), inside, start.height())

    def _place_step(self, index: int, step: RingStep) -> None:
        """Puts a step beside its segment, as near as the ring lets it come over the height of the words."""
        high, radius = step.height(), self.radius
        level = (index % 3) - 1 if index < 3 else 1 - (index % 3)  # top, middle, bottom; clockwise
        off = level * max(radius - high / 2, high + 1.0)
        nearest = max(abs(off) - high / 2, 0.0)
        reach = sqrt(max(radius**2 - nearest**2, 0.0)) + SPACE_M
        room = int(self.width() / 2 - reach)
        right = index < len(AROUND) // 2
        left = self.middle.x() + reach if right else self.middle.x() - reach - room
        step.set_side("left" if right else "right")
        step.setGeometry(int(left), int(self.middle.y() + off - high / 2), room, high)

    # --- mouse
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        step = self.step_at(event.position())
        self._hover(step)
        if step is None:
            self.unsetCursor()
        else:
            self.setCursor(Qt.CursorShape.PointingHandCursor)

    def leaveEvent(self, event: object) -> None:
        self._hover(None)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        step = self.step_at(event.position())
        if event.button() == Qt.MouseButton.LeftButton and step is not None:
            self.chosen.emit(step)

    # --- painting
    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = current_theme(), painter_on(self, smooth=True)
        for index, number in enumerate(AROUND):
            self._paint_segment(painter, index, number, theme)
        for index in range(len(AROUND)):
            self._paint_way(painter, index * SPAN_DEG, theme)

    def _paint_segment(self, painter: QPainter, index: int, number: StepNumber, theme: Theme) -> None:
        state = self.steps[number].state
        path = _segment(self.middle, self.radius, index * SPAN_DEG + GAP_DEG / 2, SPAN_DEG - GAP_DEG)
        painter.fillPath(path, _fill(state, theme))
        if state is StepState.IN_WORK:
            painter.fillPath(path, QBrush(theme.tint(theme.accent, 0.6), Qt.BrushStyle.BDiagPattern))
        marked = number is self._next or number is self._hovered
        style = Qt.PenStyle.DashLine if state is StepState.SKIPPED else Qt.PenStyle.SolidLine
        painter.setPen(QPen(theme.accent if marked else _edge(state, theme), 2.0 if marked else 1.2, style))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(path)
        self._paint_number(painter, index, number, state, theme)

    def _paint_number(self, painter: QPainter, index: int, number: StepNumber, state: StepState, theme: Theme) -> None:
        turned, away = radians(index * SPAN_DEG + SPAN_DEG / 2), self.radius - THICK / 2
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
    """A segment of the ring, clockwise from 12 o'clock."""
    outer = QRectF(middle.x() - radius, middle.y() - radius, 2 * radius, 2 * radius)
    inner = outer.adjusted(THICK, THICK, -THICK, -THICK)
    begin = 90.0 - from_deg
    turned = from_deg * pi / 180
    path = QPainterPath(QPointF(middle.x() + radius * sin(turned), middle.y() - radius * cos(turned)))
    path.arcTo(outer, begin, -span_deg)
    path.arcTo(inner, begin - span_deg, span_deg)
    path.closeSubpath()
    return path


def _fill(state: StepState, theme: Theme) -> QColor:
    shares = {StepState.DONE: (theme.ok, 0.28), StepState.IN_WORK: (theme.accent, 0.12)}
    colour, share = shares.get(state, (theme.surface, 1.0))
    return theme.tint(colour, share)


def _edge(state: StepState, theme: Theme) -> QColor:
    edges = {StepState.DONE: theme.ok, StepState.IN_WORK: theme.accent, StepState.SKIPPED: theme.muted}
    return edges.get(state, theme.tint(theme.muted, 0.6))
