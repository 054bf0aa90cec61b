"""Lines over levels or numbers, each with its own mark and its name at its end; a bend with its interval."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import cos, pi, sin

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from tunebench.columns.formats import rounded_text
from tunebench.columns.value_axis import ValueAxis, axis_of
from tunebench.core.records import record
from tunebench.ui.look.formats import unit_text
from tunebench.ui.look.language import text
from tunebench.ui.look.painting import CENTRE, RIGHT, painter_on, write
from tunebench.ui.look.theme import SPACE_S, current_theme, faded
from tunebench.ui.widgets.exhibit import Exhibited

HEIGHT, TOP, BOTTOM, MARK_PX, NAME_SHARE = 240, 20, 38, 4.5, 0.3
SIDES = (0, 4, 3, 5, 6)
"""Corners of the marks of the lines in turn; 0 is a circle."""


@record
class Line:
    """`points`: (x, value); None where nothing was measured: the line is broken there."""

    name: str
    points: tuple[tuple[float, float | None], ...]


@record
class Bend:
    """Where a line bends, and the interval of that place."""

    line: int
    at: float
    low: float
    high: float


class LinePlot(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self._lines: tuple[Line, ...] = ()
        self._levels: tuple[str, ...] = ()
        self._bends: tuple[Bend, ...] = ()
        self._across, self._up = "", ""
        Exhibited(self)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.setMinimumHeight(HEIGHT)

    def show_lines(
        self, lines: Sequence[Line], across: str, unit: str, levels: Sequence[str] = (), bends: Sequence[Bend] = ()
    ) -> None:
        """
        Args:
            across: what the x axis is; `unit` is that of the values.
            levels: names of the places 0, 1, ... on the x axis; empty where x is a number.
        """
        self._lines, self._levels, self._bends = tuple(lines), tuple(levels), tuple(bends)
        self._across, self._up = across, unit_text(unit)
        points = "; ".join(f"{line.name}: {', '.join(rounded_text(y) for _x, y in line.points)}" for line in lines)
        sentence = text("ui.experiments.chart.lines", across=across, lines=points)
        self.setAccessibleName(f"{sentence} [{self._up}]" if self._up else sentence)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(460, HEIGHT)

    # --- painting
    def paintEvent(self, _event: QPaintEvent) -> None:
        values = [y for line in self._lines for _x, y in line.points if y is not None]
        if not values:
            return
        painter = painter_on(self, smooth=True)
        metrics = self.fontMetrics()
        up = axis_of(values, most=max((self.height() - TOP - BOTTOM) // 36, 2))
        left = max(metrics.horizontalAdvance(words) for _tick, words in up.ticks) + SPACE_S if up.ticks else SPACE_S
        names = max((metrics.horizontalAdvance(line.name) for line in self._lines), default=0) + 18
        right = min(names, int(self.width() * NAME_SHARE))
        plot = QRectF(left, TOP, max(self.width() - left - right - SPACE_S, 60), self.height() - TOP - BOTTOM)
        across = self._across_axis(plot)
        self._draw_axes(painter, plot, across, up)
        for index, bend in enumerate(self._bends):
            self._draw_bend(painter, plot, across, bend, index)
        ends: list[tuple[float, int]] = []
        for index, line in enumerate(self._lines):
            self._draw_line(painter, plot, across, up, index, line, ends)
        self._draw_names(painter, plot, ends)

    def _across_axis(self, plot: QRectF) -> ValueAxis:
        if self._levels:
            last = len(self._levels) - 1
            ticks = tuple((float(index), name) for index, name in enumerate(self._levels))
            return ValueAxis(-0.5, last + 0.5, False, ticks)
        places = [x for line in self._lines for x, _y in line.points]
        return axis_of(places, from_zero=False, most=max(int(plot.width() // 80), 2))

    def _draw_axes(self, painter: QPainter, plot: QRectF, across: ValueAxis, up: ValueAxis) -> None:
        theme, metrics = current_theme(), self.fontMetrics()
        for value, words in up.ticks:
            y = plot.bottom() - up.share(value) * plot.height()
            painter.setPen(QPen(theme.grid, 1))
            painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y))
            write(painter, QRectF(0, y - 8, plot.left() - 4, 16), words, theme.muted, RIGHT)
        painter.setPen(theme.muted)
        room = plot.width() / max(len(across.ticks), 1) - 4 if self._levels else 90
        for value, words in across.ticks:
            x = plot.left() + across.share(value) * plot.width()
            painter.drawLine(QPointF(x, plot.bottom()), QPointF(x, plot.bottom() + 3))
            shown = metrics.elidedText(words, Qt.TextElideMode.ElideMiddle, int(max(room, 24)))
            write(painter, QRectF(x - room / 2, plot.bottom() + 3, room, 16), shown, theme.muted, CENTRE)
        painter.drawLine(plot.bottomLeft(), plot.bottomRight())
        log = text("ui.experiments.chart.log")
        write(painter, QRectF(0, 0, plot.right(), 16), f"{self._up} · {log}" if up.wide else self._up, theme.muted)
        words = f"{self._across} · {log}" if across.wide else self._across
        write(painter, QRectF(plot.left(), plot.bottom() + 19, plot.width(), 16), words, theme.muted, CENTRE)

    def _draw_bend(self, painter: QPainter, plot: QRectF, across: ValueAxis, bend: Bend, index: int) -> None:
        colour = _colour(bend.line)

        def x(value: float) -> float:
            return plot.left() + min(max(across.share(max(value, across.low)), 0.0), 1.0) * plot.width()

        ground = QRectF(x(bend.low), plot.top(), x(bend.high) - x(bend.low), plot.height())
        painter.fillRect(ground, faded(colour, 0.12))
        painter.setPen(QPen(colour, 1, Qt.PenStyle.DashLine))
        painter.drawLine(QPointF(x(bend.at), plot.top()), QPointF(x(bend.at), plot.bottom()))
        words = text("ui.experiments.chart.bend", at=rounded_text(bend.at))
        below = (
            plot.top() - 16 + index * self.fontMetrics().height()
        )  # bends that are close together are read all the same
        painter.drawText(QRectF(x(bend.at) - 60, below, 120, 16), CENTRE, words)

    def _draw_line(
        self,
        painter: QPainter,
        plot: QRectF,
        across: ValueAxis,
        up: ValueAxis,
        index: int,
        line: Line,
        ends: list[tuple[float, int]],
    ) -> None:
        colour = _colour(index)
        dash = (Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine, Qt.PenStyle.DotLine)[index // len(SIDES) % 3]

        def at(x: float, y: float) -> QPointF:
            return QPointF(plot.left() + across.share(x) * plot.width(), plot.bottom() - up.share(y) * plot.height())

        points = [None if y is None else at(x, y) for x, y in line.points]
        painter.setPen(QPen(colour, 1.5, dash))
        for before, here in pairwise(points):
            if here is not None and before is not None:
                painter.drawLine(before, here)
        measured = [point for point in points if point is not None]
        for point in measured:
            _draw_mark(painter, point, index, colour)
        ends += [(point.y(), index) for point in measured[-1:]]

    def _draw_names(self, painter: QPainter, plot: QRectF, ends: list[tuple[float, int]]) -> None:
        """Names the lines in the order in which they end; where they end close together, below one another."""
        high, free = self.fontMetrics().height(), 0.0
        for end, index in sorted(ends):
            y = max(end, free)
            free = y + high
            self._draw_name(painter, plot.right() + SPACE_S, y, index)

    def _draw_name(self, painter: QPainter, x: float, y: float, index: int) -> None:
        high = self.fontMetrics().height()
        _draw_mark(painter, QPointF(x, y), index, _colour(index))
        room = int(self.width() - x - SPACE_S)
        shown = self.fontMetrics().elidedText(self._lines[index].name, Qt.TextElideMode.ElideMiddle, room)
        write(painter, QRectF(x + SPACE_S, y - high / 2, room, high), shown, current_theme().text)


def _colour(index: int) -> QColor:
    colours = current_theme().series
    return colours[index % len(colours)]


def _draw_mark(painter: QPainter, at: QPointF, index: int, colour: QColor) -> None:
    painter.setPen(QPen(colour, 1))
    painter.setBrush(colour)
    sides = SIDES[index % len(SIDES)]
    if sides == 0:
        painter.drawEllipse(at, MARK_PX - 0.5, MARK_PX - 0.5)
        return
    turn = -pi / 2 if sides != 4 else -pi / 4
    angles = [turn + 2 * pi * k / sides for k in range(sides)]
    painter.drawPolygon(QPolygonF([QPointF(at.x() + MARK_PX * cos(a), at.y() + MARK_PX * sin(a)) for a in angles]))
