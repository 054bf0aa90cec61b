"""Paints what lies below the lines of a plot: gaps and folds, the grid, windows, what is left out, targets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen

from tunebench.analysis.exploring.time_range import TimeRange
from tunebench.columns.time_ticks import Tick, round_step, tick_text, value_ticks
from tunebench.ui.charts.line_painter import Plot, line_pen
from tunebench.ui.charts.lines import ChartLine, ChartWindow, LeftOut, shared_spans, unmeasured
from tunebench.ui.look.painting import RIGHT, write
from tunebench.ui.look.theme import current_theme, faded
from tunebench.usecases.exploring.targets import Limit

TABS_PX, VALUE_TICK_PX = 14, 32
GRID, STRONG_GRID = 0.12, 0.28
UNCAPTURED, FOLDED, WINDOW = 0.06, 0.16, 0.07


class GroundPlot(Plot, Protocol):
    """What lies below the lines too: ticks of the time, windows, what is in no figure, limits."""

    lines: list[ChartLine]
    windows: list[ChartWindow]
    left_out: list[LeftOut]
    limits: Sequence[Limit]
    ticks: list[Tick]

    @property
    def view(self) -> TimeRange: ...

    def height(self) -> int: ...


class GroundPainter:
    """Paints into the picture of `plot`."""

    def __init__(self, painter: QPainter, plot: GroundPlot) -> None:
        self._painter = painter
        self._plot = plot

    def paint(self) -> None:
        self._paint_gaps()
        self._paint_grid()
        self._paint_windows()
        self._paint_left_out()
        self._paint_limits()

    def _paint_gaps(self) -> None:
        """Gaps of a capture in grey; where nothing was captured at all, hardly darker than the page."""
        theme = current_theme()
        empty = unmeasured(self._plot.lines, self._plot.view)
        broken = [gap for line in self._plot.lines for gap in line.gaps]
        for spans, colour in ((empty, theme.tint(theme.muted, UNCAPTURED)), (shared_spans(empty, broken), theme.gap)):
            for span in spans:
                if band := self._plot.band_of(span):
                    self._painter.fillRect(band, colour)
        for fold in self._plot.scale.folds:
            if band := self._plot.band_of(fold):
                self._painter.fillRect(band, theme.tint(theme.muted, FOLDED))

    def _paint_left_out(self) -> None:
        for span, _reason in self._plot.left_out:
            if band := self._plot.band_of(span):
                self._painter.fillRect(band, QBrush(faded(current_theme().muted, 0.5), Qt.BrushStyle.BDiagPattern))

    def _paint_limits(self) -> None:
        """What misses a target is tinted; the words above the plot name it."""
        theme, area = current_theme(), self._plot.area
        for limit in self._plot.limits:
            y = min(max(self._plot.y_of(limit.value), area.top()), area.bottom())
            missed = QRectF(area.left(), area.top(), area.width(), y - area.top())
            if not limit.below:
                missed = QRectF(area.left(), y, area.width(), area.bottom() - y)
            self._painter.fillRect(missed, faded(theme.warning, 0.05))
            self._painter.setPen(QPen(theme.warning, 1, Qt.PenStyle.DashLine))
            self._painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))

    def _paint_windows(self) -> None:
        for window in self._plot.windows:
            if band := self._plot.band_of(window.range):
                self._paint_window(window, band)

    def _paint_window(self, window: ChartWindow, band: QRectF) -> None:
        colour = current_theme().phase_colour(window.side)
        if window.filled:
            self._painter.fillRect(band, faded(colour, WINDOW))
        self._painter.setPen(side_pen(window.side, colour))
        for edge_ns in (window.range.start_ns, window.range.end_ns):
            if self._plot.view.contains(edge_ns):
                x = round(self._plot.x_of(edge_ns)) + 0.5
                self._painter.drawLine(QPointF(x, band.top()), QPointF(x, band.bottom()))
                if band.width() < TABS_PX or not window.movable:
                    continue
                tab_y = band.top() if window.lane == 0 else band.bottom() - 9
                self._painter.fillRect(QRectF(x - 2.5, tab_y, 5, 9), colour)

    def _paint_grid(self) -> None:
        # Filled whole pixels: a translucent pen costs 0.1 ms a line, which would be most of a frame.
        theme, area = current_theme(), self._plot.area
        top, height = round(area.top()), round(area.height())
        strong, faint = theme.tint(theme.text, STRONG_GRID), theme.tint(theme.text, GRID)
        for tick in (tick for tick in self._plot.ticks if tick.line):
            x = round(self._plot.x_of(tick.time_ns))
            if area.left() < x <= area.right():
                self._painter.fillRect(x, top, 1, height, strong if tick.strong else faint)
        most = max(int(area.height() // VALUE_TICK_PX), 2)
        step = round_step(self._plot.values.span, most)
        for value in value_ticks(self._plot.values, most):
            self._paint_value_tick(value, step, faint)
        self._painter.fillRect(round(area.left()), top, 1, height, theme.border)

    def _paint_value_tick(self, value: float, step: float, faint: QColor) -> None:
        theme, area = current_theme(), self._plot.area
        y = round(self._plot.y_of(value))
        self._painter.fillRect(round(area.left()), y, round(area.width()), 1, theme.border if value == 0 else faint)
        height = self._painter.fontMetrics().height()
        top = min(max(y - height / 2, 0), self._plot.height() - height)
        write(self._painter, QRectF(0, top, area.left() - 6, height), compact_tick(value, step), theme.muted, RIGHT)


def compact_tick(value: float, step: float) -> str:
    """A tick label that fits the gutter: millions and more are cut to M, G, T."""
    for size, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M")):
        if max(abs(value), step) >= size and value != 0:
            return tick_text(value / size, step / size) + letter
    return tick_text(value, step)


def side_pen(side: str, colour: QColor) -> QPen:
    """Before is solid, after is dashed: colour is never the only sign."""
    return line_pen(colour, dashed=side == "after")
