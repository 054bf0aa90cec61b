"""Horizontal pairs of bars: the statements with the greatest impact, before above after."""

from __future__ import annotations

from reportlab.graphics.shapes import Drawing, Group, Line, Rect

from tunebench.reporting.axis import Axis, value_axis
from tunebench.reporting.document import ImpactBars, ImpactRow
from tunebench.reporting.pdf.charts import grid_across, hatch, text_at
from tunebench.reporting.pdf.fonts import REGULAR, fitted, width
from tunebench.reporting.pdf.style import AFTER, AFTER_TINT, BAD, BEFORE, BODY_WIDTH, INK, MUTED

ROW, BAR = 22.0, 8.0
HEAD, FOOT = 34.0, 16.0
LABEL, TEXT = 7.4, 6.8
WIDEST_LABEL = 190.0


def impact_drawing(figure: ImpactBars) -> Drawing:
    height = HEAD + ROW * len(figure.rows) + FOOT
    drawing = Drawing(BODY_WIDTH, height)
    values = [value for row in figure.rows for value in (row.before, row.after) if value is not None]
    axis = value_axis(max(values, default=1.0))
    left = min(max(width(row.label, REGULAR, LABEL) for row in figure.rows) + 8, WIDEST_LABEL)
    room = max(width(text, REGULAR, TEXT) for row in figure.rows for text in (row.before_text, row.after_text)) + 8
    shares = max(width(text, REGULAR, TEXT) for text in (figure.share, *(row.share for row in figure.rows)))
    right = BODY_WIDTH - room - (shares + 8 if shares else 0)
    drawing.add(_head(figure, height))
    drawing.add(grid_across(axis, left, right, FOOT, height - HEAD + 6))
    drawing.add(text_at(BODY_WIDTH, height - 24, figure.share, TEXT, colour=MUTED, anchor="end"))
    for index, row in enumerate(figure.rows):
        top = height - HEAD - ROW * index
        drawing.add(_row(row, axis, left, right, top))
        drawing.add(text_at(BODY_WIDTH, top - BAR - 2, row.share, TEXT, anchor="end"))
    return drawing


def _head(figure: ImpactBars, height: float) -> Group:
    group = Group(text_at(0, height - 11, figure.title, 8.6, bold=True))
    x = BODY_WIDTH
    for after, words in reversed(list(enumerate(figure.legend))):
        x -= width(words, REGULAR, LABEL) + 4
        group.add(text_at(x, height - 11, words, LABEL))
        x -= 13
        for shape in _bar(x, height - 12, 10, 7, after=bool(after)):
            group.add(shape)
        x -= 8
    return group


def _row(row: ImpactRow, axis: Axis, left: float, right: float, top: float) -> Group:
    group = Group(text_at(0, top - 10, fitted(row.label, left - 6, LABEL), LABEL, colour=BAD if row.worse else INK))
    for after, (value, words) in enumerate(((row.before, row.before_text), (row.after, row.after_text))):
        base = top - BAR * (after + 1) - after
        across = 0.0 if value is None else max((right - left) * value / axis.maximum, 0.8)
        if value is not None:
            for shape in _bar(left, base, across, BAR, after=bool(after)):
                group.add(shape)
        group.add(text_at(left + across + 3, base + 1.8, words, TEXT, colour=MUTED if value is None else INK))
    return group


def _bar(left: float, base: float, across: float, up: float, *, after: bool) -> list[Rect | Line]:
    colour = AFTER if after else BEFORE
    shapes = [
        Rect(left, base, across, up, fillColor=AFTER_TINT if after else colour, strokeColor=colour, strokeWidth=0.6)
    ]
    if after:
        shapes += [Line(*segment, strokeColor=colour, strokeWidth=0.6) for segment in hatch(left, base, across, up, 4)]
    return shapes
