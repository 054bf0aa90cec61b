"""From one level to another in steps: bars below each other, each from where the one above it ends."""

from __future__ import annotations

from reportlab.graphics.shapes import Drawing, Group, Line, Rect

from tunebench.reporting.axis import Axis, span_axis
from tunebench.reporting.document import Waterfall, WaterfallRow
from tunebench.reporting.pdf.charts import across, grid_across, hatch, text_at
from tunebench.reporting.pdf.fonts import REGULAR, fitted, width
from tunebench.reporting.pdf.style import AFTER, AFTER_TINT, BODY_WIDTH, INK, MUTED

ROW, BAR = 14.0, 9.0
HEAD, FOOT = 22.0, 16.0
LABEL, TEXT = 7.4, 6.8
WIDEST_LABEL = 190.0


def waterfall_drawing(figure: Waterfall) -> Drawing:
    height = HEAD + ROW * len(figure.rows) + FOOT
    drawing = Drawing(BODY_WIDTH, height)
    ends = [end for row in figure.rows for end in (row.start, row.end)]
    axis = span_axis(min(0.0, *ends), max(ends))
    left = min(max(width(row.label, REGULAR, LABEL) for row in figure.rows) + 8, WIDEST_LABEL)
    right = BODY_WIDTH - max(width(row.text, REGULAR, TEXT) for row in figure.rows) - 8
    drawing.add(text_at(0, height - 11, figure.title, 8.6, bold=True))
    drawing.add(grid_across(axis, left, right, FOOT, height - HEAD + 4))
    for index, row in enumerate(figure.rows):
        top = height - HEAD - ROW * index
        drawing.add(_row(row, axis, left, right, top, last=index == len(figure.rows) - 1))
    return drawing


def _row(row: WaterfallRow, axis: Axis, left: float, right: float, top: float, *, last: bool) -> Group:
    """More time is hatched, less is solid, a level is grey: no colour says that a step is better or worse."""
    start, end = (across(value, axis, left, right) for value in (row.start, row.end))
    base, more = top - BAR, row.end > row.start and not row.whole
    colour = MUTED if row.whole else AFTER
    group = Group(text_at(0, base + 2, fitted(row.label, left - 6, LABEL), LABEL))
    first, length = min(start, end), max(abs(end - start), 0.8)
    fill, edge = (AFTER_TINT, colour) if more else (colour, None)
    group.add(Rect(first, base, length, BAR, fillColor=fill, strokeColor=edge, strokeWidth=0.6))
    for segment in hatch(first, base, length, BAR, 4) if more else ():
        group.add(Line(*segment, strokeColor=colour, strokeWidth=0.6))
    if not last:
        group.add(Line(end, base, end, base - (ROW - BAR), strokeColor=MUTED, strokeWidth=0.4))
    group.add(text_at(max(start, end) + 3, base + 1.8, row.text, TEXT, colour=INK))
    return group
