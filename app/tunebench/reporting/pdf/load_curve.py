"""Response against load: either side in each part of the loads that both had."""

from __future__ import annotations

from reportlab.graphics.shapes import Circle, Drawing, Line, PolyLine, Rect

from tunebench.reporting.axis import Axis, span_axis, value_axis
from tunebench.reporting.document import LoadFigure
from tunebench.reporting.pdf.charts import TICK_SIZE, text_at
from tunebench.reporting.pdf.fonts import REGULAR, width
from tunebench.reporting.pdf.style import AFTER, BEFORE, BODY_WIDTH, GRID, MUTED, SHADE, STRONG_RULE, WHITE
from tunebench.reporting.wording import grouped

LOAD_HEIGHT = 160.0
_TOP, _FOOT, _RIGHT, _RANGES = 30.0, 32.0, 10.0, 12.0
_DASHES = (None, [2.4, 1.4])


def load_drawing(figure: LoadFigure) -> Drawing:
    drawing = Drawing(BODY_WIDTH, LOAD_HEIGHT)
    curve = figure.curve
    levels = [level for part in curve.parts for level in (part.before, part.after) if level is not None]
    up = value_axis(max(level.highest for level in levels), ticks=4)
    across = span_axis(min(curve.before[0], curve.after[0]), max(curve.before[1], curve.after[1]), ticks=8)
    left = max(width(grouped(tick, up.decimals), REGULAR, TICK_SIZE) for tick in up.ticks) + 6
    top, right = LOAD_HEIGHT - _TOP - _RANGES, BODY_WIDTH - _RIGHT

    def x(load: float) -> float:
        return float(left + (right - left) * (load - across.minimum) / (across.maximum - across.minimum))

    def y(value: float) -> float:
        return float(_FOOT + (top - _FOOT) * value / up.maximum)

    low, high = (x(end) for end in curve.common)
    drawing.add(Rect(low, _FOOT, high - low, top + _RANGES - _FOOT, fillColor=SHADE, strokeColor=None))
    _axes(drawing, figure, up, (left, right, top))
    for tick in up.ticks:
        drawing.add(text_at(left - 4, y(tick) - 2.5, grouped(tick, up.decimals), TICK_SIZE, colour=MUTED, anchor="end"))
    for tick in across.ticks:
        drawing.add(Line(x(tick), _FOOT, x(tick), _FOOT - 3, strokeColor=STRONG_RULE, strokeWidth=0.6))
        drawing.add(
            text_at(x(tick), _FOOT - 11, grouped(tick, across.decimals), TICK_SIZE, colour=MUTED, anchor="middle")
        )
    for index, (name, colour) in enumerate((("before", BEFORE), ("after", AFTER))):
        ends = getattr(curve, name)
        level = top + _RANGES - 4 - 5 * index
        drawing.add(Line(x(ends[0]), level, x(ends[1]), level, strokeColor=colour, strokeWidth=2.2))
        drawn = [(part, own) for part in curve.parts if (own := getattr(part, name)) is not None]
        points = [(x((part.low + part.high) / 2) + (2 * index - 1), own) for part, own in drawn]
        if len(points) > 1:
            line = [end for across_at, own in points for end in (across_at, y(own.mean))]
            drawing.add(PolyLine(line, strokeColor=colour, strokeWidth=0.8, strokeDashArray=_DASHES[index]))
        for at, own in points:
            drawing.add(Line(at, y(own.lowest), at, y(own.highest), strokeColor=colour, strokeWidth=0.8))
            fill = WHITE if index else colour
            drawing.add(Circle(at, y(own.mean), 2.2, fillColor=fill, strokeColor=colour, strokeWidth=0.9))
    _legend(drawing, figure)
    return drawing


def _axes(drawing: Drawing, figure: LoadFigure, up: Axis, ends: tuple[float, float, float]) -> None:
    left, right, top = ends
    for tick in up.ticks:
        height = _FOOT + (top - _FOOT) * tick / up.maximum
        colour = STRONG_RULE if tick == 0 else GRID
        drawing.add(Line(left, height, right, height, strokeColor=colour, strokeWidth=0.5))
    if figure.unit:
        drawing.add(text_at(0, top + 9, figure.unit, TICK_SIZE, colour=MUTED))
    drawing.add(text_at((left + right) / 2, 4, figure.across, TICK_SIZE, colour=MUTED, anchor="middle"))


def _legend(drawing: Drawing, figure: LoadFigure) -> None:
    across, level = 0.0, LOAD_HEIGHT - 10
    before, after, common = figure.legend
    for index, (name, colour) in enumerate(((before, BEFORE), (after, AFTER))):
        dashes = _DASHES[index]
        drawing.add(Line(across, level, across + 16, level, strokeColor=colour, strokeWidth=1, strokeDashArray=dashes))
        fill = WHITE if index else colour
        drawing.add(Circle(across + 8, level, 2.2, fillColor=fill, strokeColor=colour, strokeWidth=0.9))
        drawing.add(text_at(across + 21, level - 2.5, name, TICK_SIZE))
        across += 21 + width(name, REGULAR, TICK_SIZE) + 16
    drawing.add(Rect(across, level - 4, 14, 8, fillColor=SHADE, strokeColor=GRID, strokeWidth=0.4))
    drawing.add(text_at(across + 19, level - 2.5, common, TICK_SIZE))
