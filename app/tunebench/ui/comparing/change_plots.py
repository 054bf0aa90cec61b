"""Small pictures of what changed, painted: the course of a figure on either side, and a dot for each of a kind."""

from __future__ import annotations

from collections.abc import Sequence
from math import log

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from tunebench.analysis.answering.profiles import Profile
from tunebench.analysis.comparing.regular_samples import Floats
from tunebench.columns.answering.changes import per_cent
from tunebench.columns.formats import rate_text
from tunebench.core.records import record
from tunebench.ui.look.fonts import SMALL_PX
from tunebench.ui.look.language import text
from tunebench.ui.look.painting import CENTRE, TippedWidget, font_of, painter_on, write
from tunebench.ui.look.theme import current_theme
from tunebench.ui.widgets.exhibit import Exhibit, Exhibited, window_words

_PEN_PX = 1.6
_ROOM = 1.08
"""Above the highest value."""
_DOT_PX, _DOT_STEP_PX, _AXIS_PX, _LABEL_PX, _SIDE_PX = 4.0, 9.0, 18.0, 17.0, 28.0
_TICKS = (-75, -50, -40, -30, -20, -10, 0, 10, 25, 50, 100, 200, 400, 900)
_LEAST_SPAN = log(1.3)
_TICK_PX = 46


class ProfilePlot(QWidget):
    """Before solid, after dashed, over each other from zero."""

    def __init__(self) -> None:
        super().__init__()
        self._profile: Profile | None = None
        Exhibited(self, self.exhibit)
        self.setMinimumHeight(44)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def exhibit(self) -> Exhibit:
        """Both courses, step by step."""
        profile = self._profile
        sides = (profile.before, profile.after) if profile is not None else ()
        steps = [[f"{value:.6g}" for value in step] for step in zip(*(side.tolist() for side in sides), strict=True)]
        heading = [text(f"ui.compare.side.{side}") for side in ("before", "after")]
        return Exhibit(self.accessibleName(), [heading, *steps], window_words(self))

    def show_profile(self, profile: Profile | None) -> None:
        self._profile = profile
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        profile, theme = self._profile, current_theme()
        painter = painter_on(self, smooth=True)
        box = QRectF(self.rect()).adjusted(1, 2, -1, -2)
        painter.setPen(QPen(theme.grid, 1))
        painter.drawLine(box.bottomLeft(), box.bottomRight())
        if profile is not None:
            highest = float(np.nanmax(np.concatenate([profile.before, profile.after]))) * _ROOM or 1.0
            for values, colour, style in (
                (profile.before, theme.before, Qt.PenStyle.SolidLine),
                (profile.after, theme.after, Qt.PenStyle.DashLine),
            ):
                painter.setPen(QPen(colour, _PEN_PX, style))
                for line in _lines(values, box, highest):
                    painter.drawPolyline(line)
        painter.end()


def _lines(values: Floats, box: QRectF, highest: float) -> list[QPolygonF]:
    """Lines that break where nothing was measured."""
    across = box.left() + np.linspace(0.0, 1.0, max(len(values), 2))[: len(values)] * box.width()
    heights = box.bottom() - np.maximum(values, 0.0) / highest * box.height()
    lines, line = [], QPolygonF()
    for x, y in zip(across.tolist(), heights.tolist(), strict=True):
        if y == y:
            line.append(QPointF(x, y))
        elif line.count():
            lines.append(line)
            line = QPolygonF()
    return [*lines, line]


@record
class Dot:
    """One of a kind: ln(after / before), its name, and the tone of its group."""

    change: float
    name: str
    tone: str


class StripPlot(TippedWidget):
    """A dot for each of a kind over the axis of changes; those that fall together lie above each other."""

    def __init__(self) -> None:
        super().__init__()
        self._dots: list[Dot] = []
        self._named: frozenset[str] = frozenset()
        self._margin = 0.0
        self._painted: list[tuple[QPointF, str]] = []
        self.setMinimumHeight(96)
        Exhibited(self)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def sizeHint(self) -> QSize:
        return QSize(320, 130)

    def show_dots(self, dots: Sequence[Dot], named: Sequence[str], margin: float) -> None:
        """
        Args:
            named: those whose names stand beside their dots.
            margin: the least change that matters, as a fraction.
        """
        self._dots, self._named, self._margin = sorted(dots, key=lambda dot: dot.change), frozenset(named), margin
        self.setAccessibleDescription("; ".join(f"{dot.name} {rate_text(per_cent(dot.change), 0)} %" for dot in dots))
        self.update()

    def tip_at(self, position: QPointF) -> str:
        near = [name for centre, name in self._painted if (centre - position).manhattanLength() <= 2 * _DOT_PX]
        return ", ".join(near)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = painter_on(self, smooth=True)
        painter.setFont(font_of(self, SMALL_PX))
        self._painted = []
        if self._dots:
            self._paint(painter)
        painter.end()

    def _paint(self, painter: QPainter) -> None:
        theme = current_theme()
        box = QRectF(self.rect()).adjusted(_SIDE_PX, _LABEL_PX, -_SIDE_PX, -_AXIS_PX)
        reach = log(1 + self._margin)
        low = min(self._dots[0].change, -reach, -_LEAST_SPAN / 2)
        high = max(self._dots[-1].change, reach, _LEAST_SPAN / 2)

        def across(change: float) -> float:
            return box.left() + (change - low) / (high - low) * box.width()

        painter.fillRect(QRectF(QPointF(across(-reach), box.top()), QPointF(across(reach), box.bottom())), theme.hover)
        self._paint_axis(painter, box, low, high, across(0.0))
        taken: dict[int, int] = {}
        for dot in self._dots:
            x = across(dot.change)
            column = round(x / _DOT_STEP_PX)
            level = taken.get(column, 0)
            taken[column] = level + 1
            step = min(_DOT_STEP_PX, max(box.height() / self._tallest(across), 2.0))
            centre = QPointF(x, box.bottom() - _DOT_PX - level * step)
            colour: QColor = getattr(theme, dot.tone)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour)
            painter.drawEllipse(centre, _DOT_PX, _DOT_PX)
            self._painted.append((centre, dot.name))
            if dot.name in self._named:
                area = QRectF(x - 60, centre.y() - _DOT_PX - _LABEL_PX, 120, _LABEL_PX)
                write(painter, area, dot.name, theme.text, CENTRE)

    def _tallest(self, across: object) -> int:
        """Dots of the highest column."""
        assert callable(across)
        columns: dict[int, int] = {}
        for dot in self._dots:
            column = round(across(dot.change) / _DOT_STEP_PX)
            columns[column] = columns.get(column, 0) + 1
        return max(columns.values(), default=1)

    def _paint_axis(self, painter: QPainter, box: QRectF, low: float, high: float, zero: float) -> None:
        theme = current_theme()
        painter.setPen(QPen(theme.muted, 1))
        painter.drawLine(QPointF(zero, box.top()), QPointF(zero, box.bottom()))
        painter.setPen(QPen(theme.grid, 1))
        painter.drawLine(box.bottomLeft(), box.bottomRight())
        last = float("-inf")
        for tick in _TICKS:
            change = log(1 + tick / 100)
            x = box.left() + (change - low) / (high - low) * box.width()
            if low <= change <= high and (x - last >= _TICK_PX or tick == 0):
                area = QRectF(x - 30, box.bottom(), 60, _AXIS_PX)
                write(painter, area, "0" if tick == 0 else f"{tick:+d} %", theme.muted, CENTRE)
                last = x
