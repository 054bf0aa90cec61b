"""Draws the lines of a plot, with pyqtgraph's array-to-path conversion."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QRegion

from tunebench.analysis.exploring.outline import Outline, visible_slice
from tunebench.analysis.exploring.time_range import TimeRange, ValueRange
from tunebench.analysis.exploring.time_scale import TimeScale
from tunebench.analysis.series import Envelope
from tunebench.ui.charts.lines import ChartLine
from tunebench.ui.look.theme import current_theme, faded

ANTIALIAS_MOST = 4_000
"""Points in one row up to which lines are smoothed; beyond, smoothing costs more than it shows."""
FADED = 0.38
_DASHES = [5.0, 3.0]


class Plot(Protocol):
    """Where data stands in a picture: `scale` lies over `area` from left to right, `values` from bottom to top."""

    scale: TimeScale

    @property
    def area(self) -> QRectF: ...

    @property
    def values(self) -> ValueRange: ...

    def x_of(self, time_ns: int) -> float: ...

    def y_of(self, value: float) -> float: ...

    @property
    def bands(self) -> list[QRectF]:
        """What of the area is not folded."""

    @property
    def tones(self) -> list[tuple[TimeRange, QColor]]:
        """Where a line has a colour that is not its own."""

    def band_of(self, span: TimeRange) -> QRectF | None:
        """What `span` covers of the area; None where that is nothing."""


class LinePainter:
    """Paints into the picture of `plot`."""

    def __init__(self, painter: QPainter, plot: Plot) -> None:
        self._painter = painter
        self._plot = plot

    def clip(self) -> None:
        """No line crosses a fold; one at an edge keeps its width."""
        pieces = QRegion()
        for band in self._plot.bands:
            pieces += band.adjusted(0, -2, 1, 2).toAlignedRect()
        self._painter.setClipRegion(pieces)

    def paint(self, line: ChartLine) -> None:
        from pyqtgraph.functions import arrayToQPath  # a quarter of a second, which no page without a line needs

        if line.drawn is None or line.dots is None:
            return
        painter = self._painter
        x, y = self._pixels(line.drawn, line.shift_ns)
        smooth = x.size <= ANTIALIAS_MOST and not line.dashed
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, smooth)
        path = arrayToQPath(x, y, connect="finite") if x.size else QPainterPath()
        if line.strong is not None:
            painter.setPen(line_pen(current_theme().tint(line.colour, FADED), line.dashed))
            painter.drawPath(path)
            painter.setClipRect((self._plot.band_of(line.strong) or QRectF()).adjusted(0, -2, 0, 2))
        painter.setPen(line_pen(line.colour, line.dashed))
        painter.drawPath(path)
        for span, colour in self._plot.tones:
            inside = visible_slice(line.drawn.times_ns, span.moved(-line.shift_ns))
            part = Outline(line.drawn.times_ns[inside], line.drawn.values[inside])
            if (band := self._plot.band_of(span)) and part.times_ns.size:
                painter.setClipRect(band.adjusted(0, -2, 0, 2))
                painter.setPen(line_pen(colour, line.dashed))
                painter.drawPath(arrayToQPath(*self._pixels(part, line.shift_ns), connect="finite"))
        self.clip()
        self._paint_dots(line, line.dots)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)

    def _paint_dots(self, line: ChartLine, dots: Outline) -> None:
        x, y = self._pixels(dots, line.shift_ns)
        self._painter.setPen(QPen(line.colour, 3, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        for left, top in zip(x.tolist(), y.tolist(), strict=True):
            self._painter.drawPoint(QPointF(left, top))

    def paint_crowd(self, band: Envelope) -> None:
        """Where most of many lines are, and their middle."""
        from pyqtgraph.functions import arrayToQPath

        plot, fill, present = self._plot, faded(current_theme().muted, 0.28), ~np.isnan(band.maximum)
        columns = (part[present].tolist() for part in (band.times_ns, band.end_ns, band.minimum, band.maximum))
        for start_ns, end_ns, low, high in zip(*columns, strict=True):
            left, top, bottom = plot.x_of(start_ns), plot.y_of(high), plot.y_of(low)
            self._painter.fillRect(QRectF(left, top, plot.x_of(end_ns) - left, max(bottom - top, 1.0)), fill)
        middle = Outline((band.times_ns + band.end_ns) // 2, band.mean)
        x, y = self._pixels(middle, 0)
        self._painter.setPen(line_pen(current_theme().muted, dashed=False))
        self._painter.drawPath(arrayToQPath(x, y, connect="finite"))

    def _pixels(self, drawn: Outline, shift_ns: int) -> tuple[np.ndarray, np.ndarray]:
        """The points inside of the view, and some beyond either edge."""
        area, scale, values = self._plot.area, self._plot.scale, self._plot.values
        inside = visible_slice(drawn.times_ns, scale.view.moved(-shift_ns))
        x = area.left() + scale.shares_of(drawn.times_ns[inside] + shift_ns) * area.width()
        y = area.bottom() - (drawn.values[inside] - values.low) * (area.height() / values.span)
        return x, np.clip(y, -4e4, 4e4)


def line_pen(colour: QColor, dashed: bool) -> QPen:
    pen = QPen(colour, 1)
    if dashed:
        pen.setDashPattern(_DASHES)
    return pen
