"""A target as a bullet bar: where it began, where it is, where it is to be; each with a shape of its own."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.ui.look.theme import SPACE_XS, Theme, current_theme

HEIGHT, TRACK, BAR = 22, 14, 8
HEADROOM = 1.06
LEAST_BAR_PX = 5.0
"""A bar that is there shows beside the line of a target that lies as near to zero."""
EDGE = 6.0


@dataclass(frozen=True, slots=True)
class BulletMarks:
    """Values in the metric's unit; None is not there, and is not drawn at 0.

    Attributes:
        bound: of `now`: ``"<"`` or ``">"`` where only a limit is known.
        lower_is_better: None for a figure that is not judged.
    """

    baseline: float | None = None
    now: float | None = None
    goal: float | None = None
    bound: str = ""
    lower_is_better: bool | None = True

    @property
    def known(self) -> tuple[float, ...]:
        return tuple(value for value in (self.baseline, self.now, self.goal) if value is not None)


class BulletBar(QWidget):
    """Zero is always in the scale. Hollow diamond: baseline; solid bar: now; flag: target; hatched: where it is met."""

    def __init__(self) -> None:
        super().__init__()
        self.marks = BulletMarks()
        self._unmeasured = ""
        self.setFixedHeight(HEIGHT)
        self.setMinimumWidth(120)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_marks(self, marks: BulletMarks, words: str, unmeasured: str) -> None:
        """`words` say all of it; `unmeasured` is written into the bar where there is no figure of now."""
        self.marks, self._unmeasured = marks, unmeasured
        self.setAccessibleName(words)
        self.setToolTip(words)
        self.update()

    def scale(self) -> tuple[float, float]:
        """Least and greatest value of the bar."""
        low, high = min((0.0, *self.marks.known)), max((0.0, *self.marks.known))
        return (low * HEADROOM, high * HEADROOM) if low < high else (0.0, 1.0)

    def place(self, value: float) -> float:
        """x of a value, in px."""
        low, high = self.scale()
        return EDGE + (self.width() - 2 * EDGE) * (value - low) / (high - low)

    # --- painting
    def paintEvent(self, event: QPaintEvent) -> None:
        painter, theme = QPainter(self), current_theme()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        track = QRectF(EDGE, (self.height() - TRACK) / 2, self.width() - 2 * EDGE, TRACK)
        painter.fillRect(track, theme.pressed)
        self._paint_met(painter, track, theme)
        self._paint_now(painter, track, theme)
        self._paint_baseline(painter, track, theme)
        self._paint_goal(painter, track, theme)

    def _paint_met(self, painter: QPainter, track: QRectF, theme: Theme) -> None:
        goal, lower = self.marks.goal, self.marks.lower_is_better
        if goal is None or lower is None:
            return
        part = QRectF(track)
        (part.setRight if lower else part.setLeft)(self.place(goal))
        _hatch(painter, part, theme)

    def _paint_now(self, painter: QPainter, track: QRectF, theme: Theme) -> None:
        now = self.marks.now
        if now is None:
            self._write(painter, track, theme)
            return
        zero, here, middle = self.place(0.0), self.place(now), track.center().y()
        if abs(here - zero) < LEAST_BAR_PX:
            here = zero + (LEAST_BAR_PX if now >= 0 else -LEAST_BAR_PX)
        bar = QRectF(min(zero, here), middle - BAR / 2, abs(here - zero), BAR)
        painter.fillRect(bar, theme.after)
        if self.marks.bound:
            _arrow(painter, QPointF(here, middle), -1 if self.marks.bound == "<" else 1, theme)

    def _write(self, painter: QPainter, track: QRectF, theme: Theme) -> None:
        painter.setPen(QPen(theme.muted, 1, Qt.PenStyle.DashLine))
        painter.drawRect(track.adjusted(0.5, 0.5, -0.5, -0.5))
        font = self.font()
        font.setPixelSize(11)
        painter.setFont(font)
        wide = painter.fontMetrics().horizontalAdvance(self._unmeasured)
        taken = sorted(self.place(value) for value in self.marks.known)
        room = [track.left(), *taken, track.right()]
        left, right = max(pairwise(room), key=lambda span: span[1] - span[0])
        if right - left > wide + 4 * SPACE_XS:
            painter.setPen(theme.muted)
            painter.drawText(
                QRectF(left, track.top(), right - left, TRACK), Qt.AlignmentFlag.AlignCenter, self._unmeasured
            )

    def _paint_baseline(self, painter: QPainter, track: QRectF, theme: Theme) -> None:
        baseline, now = self.marks.baseline, self.marks.now
        if baseline is None:
            return
        middle, reach = track.center().y(), TRACK / 2 - 1
        x = self.place(baseline)
        if now is not None:
            painter.setPen(QPen(theme.before, 1, Qt.PenStyle.DotLine))
            painter.drawLine(QPointF(self.place(now), middle), QPointF(x, middle))
        painter.setPen(QPen(theme.before, 1.6))
        painter.setBrush(theme.surface)
        _diamond(painter, QPointF(x, middle), reach)

    def _paint_goal(self, painter: QPainter, track: QRectF, theme: Theme) -> None:
        if self.marks.goal is None:
            return
        x = self.place(self.marks.goal)
        _flag(painter, x, self.height(), theme, -1 if x > self.width() - 3 * EDGE else 1)


def _arrow(painter: QPainter, tip: QPointF, way: int, theme: Theme) -> None:
    """The true figure lies on that side."""
    painter.setPen(QPen(theme.surface, 1.5))
    reach = BAR / 2 - 1
    back = tip + QPointF(-2.0 * way, 0) if way > 0 else tip + QPointF(-5.0, 0)
    end = back + QPointF(reach * way, 0)
    painter.drawPolyline(QPolygonF([QPointF(back.x(), back.y() - reach), end, QPointF(back.x(), back.y() + reach)]))


class MarkSample(QWidget):
    """One shape of the bullet bar, for its legend."""

    def __init__(self, part: str) -> None:
        super().__init__()
        self._part = part
        self.setFixedSize(22, 14)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, theme = QPainter(self), current_theme()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(1, 1, self.width() - 2, self.height() - 2)
        middle = box.center()
        match self._part:
            case "now":
                painter.fillRect(QRectF(box.left(), middle.y() - BAR / 2, box.width(), BAR), theme.after)
            case "met":
                _hatch(painter, box, theme)
            case "baseline":
                painter.setPen(QPen(theme.before, 1.6))
                _diamond(painter, middle, box.height() / 2 - 1)
            case _:
                _flag(painter, middle.x(), self.height(), theme)


def _hatch(painter: QPainter, part: QRectF, theme: Theme) -> None:
    """Where the target is met."""
    painter.fillRect(part, theme.tint(theme.ok, 0.16))
    painter.fillRect(part, QBrush(theme.tint(theme.ok, 0.45), Qt.BrushStyle.BDiagPattern))


def _diamond(painter: QPainter, middle: QPointF, reach: float) -> None:
    corners = ((0.0, -reach), (reach, 0.0), (0.0, reach), (-reach, 0.0))
    painter.drawPolygon(QPolygonF([middle + QPointF(x, y) for x, y in corners]))


def _flag(painter: QPainter, x: float, height: int, theme: Theme, side: int = 1) -> None:
    painter.setPen(QPen(theme.text, 2))
    painter.drawLine(QPointF(x, 1), QPointF(x, height - 1))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.text)
    painter.drawPolygon(QPolygonF([QPointF(x, 0), QPointF(x + 6 * side, 3), QPointF(x, 6)]))
