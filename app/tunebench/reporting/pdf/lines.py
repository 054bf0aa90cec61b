"""Figures over numbers: a line for each name, told apart by colour, dashes and marks; every number has its tick."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import cos, log, pi, sin

from reportlab.graphics.shapes import Circle, Drawing, Line, Polygon, PolyLine

from tunebench.reporting.axis import value_axis
from tunebench.reporting.document import LinesFigure
from tunebench.reporting.pdf.charts import TICK_SIZE, text_at
from tunebench.reporting.pdf.fonts import REGULAR, width
from tunebench.reporting.pdf.labels import in_rows
from tunebench.reporting.pdf.style import ACCENT, AFTER, BAD, BEFORE, BODY_WIDTH, GRID, INK, MUTED, STRONG_RULE
from tunebench.reporting.wording import grouped, recorded

_COLOURS = (AFTER, BEFORE, ACCENT, BAD, INK, MUTED)
_DASHES = (None, [4, 2], [1.2, 1.6])
_CORNERS = (0, 4, 3, 5, 6)
_HEIGHT, _FOOT, _LEGEND, _MARK = 140.0, 32.0, 12.0, 2.4
_WIDE = 30  # numbers that span more are told apart on a logarithmic scale only


def lines_drawing(figure: LinesFigure) -> Drawing:
    entries = in_rows([21 + width(name, REGULAR, TICK_SIZE) + 16 for name, _points in figure.lines], BODY_WIDTH)
    top = _HEIGHT + _FOOT - 14
    drawing = Drawing(BODY_WIDTH, top + 16 + _LEGEND * (entries[-1][1] + 1))
    up = value_axis(max(y for _name, points in figure.lines for _x, y in points), ticks=4)
    left = max(width(grouped(tick, up.decimals), REGULAR, TICK_SIZE) for tick in up.ticks) + 6
    numbers = sorted({x for _name, points in figure.lines for x, _y in points})
    x = _along(numbers, left + 8, BODY_WIDTH - 24)

    def y(value: float) -> float:
        return float(_FOOT + (top - _FOOT) * value / up.maximum)

    for tick in up.ticks:
        colour = STRONG_RULE if tick == 0 else GRID
        drawing.add(Line(left, y(tick), BODY_WIDTH, y(tick), strokeColor=colour, strokeWidth=0.5))
        drawing.add(text_at(left - 4, y(tick) - 2.5, grouped(tick, up.decimals), TICK_SIZE, colour=MUTED, anchor="end"))
    _draw_ticks(drawing, numbers, x)
    drawing.add(text_at((left + BODY_WIDTH) / 2, 4, figure.across, TICK_SIZE, colour=MUTED, anchor="middle"))
    drawing.add(text_at(0, top + 6, figure.unit, TICK_SIZE, colour=MUTED))
    for index, (_name, points) in enumerate(figure.lines):
        ends = [(x(at), y(value)) for at, value in points]
        if len(ends) > 1:
            _draw_line(drawing, [end for pair in ends for end in pair], index)
        for at, level in ends:
            _draw_mark(drawing, at, level, index)
    for index, (across, row) in enumerate(entries):
        level = drawing.height - 6 - row * _LEGEND
        _draw_line(drawing, [across, level, across + 16, level], index)
        _draw_mark(drawing, across + 8, level, index)
        drawing.add(text_at(across + 21, level - 2.5, figure.lines[index][0], TICK_SIZE))
    return drawing


def _along(numbers: Sequence[float], left: float, right: float) -> Callable[[float], float]:
    wide = numbers[0] > 0 and numbers[-1] / numbers[0] > _WIDE
    scaled: Callable[[float], float] = log if wide else float
    low, span = scaled(numbers[0]), (scaled(numbers[-1]) - scaled(numbers[0])) or 1.0
    return lambda number: left + (right - left) * (scaled(number) - low) / span


def _draw_ticks(drawing: Drawing, numbers: Sequence[float], x: Callable[[float], float]) -> None:
    """Draws ticks with their numbers; one whose words would run into the one before has its tick alone."""
    free = 0.0
    for number in numbers:
        drawing.add(Line(x(number), _FOOT, x(number), _FOOT - 3, strokeColor=STRONG_RULE, strokeWidth=0.6))
        words = recorded(number, 3)
        half = width(words, REGULAR, TICK_SIZE) / 2
        if x(number) - half >= free:
            drawing.add(text_at(x(number), _FOOT - 11, words, TICK_SIZE, colour=MUTED, anchor="middle"))
            free = x(number) + half + 3


def _draw_line(drawing: Drawing, ends: list[float], index: int) -> None:
    dashes = _DASHES[index % len(_DASHES)]
    drawing.add(PolyLine(ends, strokeColor=_COLOURS[index % len(_COLOURS)], strokeWidth=1, strokeDashArray=dashes))


def _draw_mark(drawing: Drawing, x: float, y: float, index: int) -> None:
    colour, corners = _COLOURS[index % len(_COLOURS)], _CORNERS[index % len(_CORNERS)]
    if not corners:
        drawing.add(Circle(x, y, _MARK - 0.3, fillColor=colour, strokeColor=None))
        return
    turns = (pi / 2 + 2 * pi * corner / corners for corner in range(corners))
    ends = [end for turn in turns for end in (x + _MARK * cos(turn), y + _MARK * sin(turn))]
    drawing.add(Polygon(ends, fillColor=colour, strokeColor=None))
