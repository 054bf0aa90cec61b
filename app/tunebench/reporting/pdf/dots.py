"""Results against their targets: dots with intervals on one axis, on which every target is 1."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, floor, log10

from reportlab.graphics.shapes import Circle, Drawing, Group, Line

from tunebench.reporting.document import DotFigure, DotRow, Tone
from tunebench.reporting.pdf.charts import text_at
from tunebench.reporting.pdf.fonts import REGULAR, fitted, width
from tunebench.reporting.pdf.style import AFTER, BAD, BEFORE, BODY_WIDTH, GRID, INK, MUTED

ROW = 30.0
HEAD, FOOT = 22.0, 20.0
LABEL, TEXT = 7.6, 7.0
LABEL_WIDTH, TEXT_WIDTH = 158.0, 152.0
DOT = 3.4
TARGET = 2


def dot_drawing(figure: DotFigure) -> Drawing:
    """Results on an axis of powers of ten: what was a hundred times the target stands beside what is near it."""
    height = HEAD + ROW * len(figure.rows) + FOOT
    drawing = Drawing(BODY_WIDTH, height)
    first, last = _decades(figure)
    left, right = LABEL_WIDTH, BODY_WIDTH - TEXT_WIDTH

    def x(multiple: float) -> float:
        return float(left + (right - left) * (log10(multiple) - first) / (last - first))

    for power in range(first, last + 1):
        at = x(10.0**power)
        target = power == 0
        drawing.add(
            Line(
                at,
                FOOT,
                at,
                height - HEAD + 4,
                strokeColor=INK if target else GRID,
                strokeWidth=1.0 if target else 0.5,
                strokeDashArray=[4, 2] if target else None,
            )
        )
        drawing.add(text_at(at, FOOT - 10, f"{10.0**power:g}", TEXT, colour=MUTED, anchor="middle"))
    for index, row in enumerate(figure.rows):
        middle = height - HEAD - ROW * (index + 0.5)
        drawing.add(Line(0, middle - ROW / 2, BODY_WIDTH, middle - ROW / 2, strokeColor=GRID, strokeWidth=0.4))
        drawing.add(_row(row, x, middle))
    drawing.add(_head(figure, height))
    return drawing


def _decades(figure: DotFigure) -> tuple[int, int]:
    """Powers of ten that hold everything that is drawn, and the target."""
    multiples = [
        value for row in figure.rows for value in (row.before, row.now, row.low, row.high) if value and value > 0
    ]
    low, high = min((1.0, *multiples)), max((1.0, *multiples))
    first, last = floor(log10(low)), ceil(log10(high))
    return (first, last) if last > first else (first - 1, last + 1)


def _row(row: DotRow, at: Callable[[float], float], middle: float) -> Group:
    group = Group()
    for line, words in zip((4.0, -6.0), row.label.split("\n", 1), strict=False):
        bold = line > 0
        group.add(
            text_at(0, middle + line - 1, fitted(words, LABEL_WIDTH - 8, LABEL), LABEL, colour=INK if bold else MUTED)
        )
    if row.before and row.before > 0:
        group.add(Circle(at(row.before), middle, DOT, fillColor=None, strokeColor=BEFORE, strokeWidth=1.1))
    if row.low and row.high and row.low > 0:
        group.add(Line(at(row.low), middle, at(row.high), middle, strokeColor=AFTER, strokeWidth=1.4))
        for end in (row.low, row.high):
            group.add(Line(at(end), middle - 3, at(end), middle + 3, strokeColor=AFTER, strokeWidth=1.0))
    if row.now and row.now > 0:
        group.add(Circle(at(row.now), middle, DOT, fillColor=AFTER, strokeColor=AFTER, strokeWidth=0.8))
    colour = BAD if row.tone is Tone.BAD else INK
    left = BODY_WIDTH - TEXT_WIDTH + 8
    for line, words, ink in ((4.0, row.texts[0], INK), (-6.0, row.texts[1], colour)):
        bold = line < 0 and row.tone is not Tone.PLAIN
        group.add(text_at(left, middle + line - 1, fitted(words, TEXT_WIDTH - 8, TEXT), TEXT, bold=bold, colour=ink))
    return group


def _head(figure: DotFigure, height: float) -> Group:
    """The three marks with their names."""
    group, at, middle = Group(), LABEL_WIDTH, height - 8
    for index, words in enumerate(figure.legend):
        x = at + 4
        if index == TARGET:
            group.add(Line(x, middle - 5, x, middle + 5, strokeColor=INK, strokeWidth=1.0, strokeDashArray=[4, 2]))
        else:
            colour = AFTER if index else BEFORE
            group.add(Circle(x, middle, DOT, fillColor=colour if index else None, strokeColor=colour, strokeWidth=1.1))
        group.add(text_at(at + 12, middle - 3, words, TEXT, colour=MUTED))
        at += 12 + width(words, REGULAR, TEXT) + 12
    return group
