"""From one level to another in steps: bars below each other or side by side, each from where the one before ends."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from reportlab.graphics.shapes import Drawing, Group, Line, Rect
from reportlab.lib.colors import Color

from tunebench.reporting.axis import Axis, span_axis, zero_scale
from tunebench.reporting.document import Tone, Waterfall, WaterfallRow
from tunebench.reporting.pdf.charts import across, grid_across, hatch, text_at
from tunebench.reporting.pdf.fonts import REGULAR, fitted, width
from tunebench.reporting.pdf.labels import ColumnLabels, backed, fitting_size, height_of, lines_of, written
from tunebench.reporting.pdf.scales import Field, tick_room
from tunebench.reporting.pdf.style import AFTER, AFTER_TINT, BAD, BEFORE, BETTER, BODY_WIDTH, DOT, INK, MUTED, WHITE

ROW, BAR = 14.0, 9.0
HEAD, FOOT = 22.0, 16.0
LABEL, TEXT = 7.4, 6.8
WIDEST_LABEL = 190.0


UPRIGHT = 118.0
UPRIGHT_TITLE = 9.0
VALUE = 9.0
SHARE_OF_COLUMN = 0.74
STEP_COLOURS: Mapping[Tone, Color] = MappingProxyType({Tone.STRONG: BETTER, Tone.BAD: BAD})


def waterfall_drawing(figure: Waterfall) -> Drawing:
    return _upright(figure) if figure.upright else _lying(figure)


def _lying(figure: Waterfall) -> Drawing:
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


def _upright(figure: Waterfall) -> Drawing:
    """Bars side by side: whole ones in the colours of before and after, steps in those of better and worse."""
    ends = [end for row in figure.rows for end in (row.start, row.end)]
    scale = zero_scale(ends, ticks=4)
    left = tick_room(scale)
    step = (BODY_WIDTH - left) / len(figure.rows)
    labels = ColumnLabels([(row.label, row.detail) for row in figure.rows], step)
    foot = labels.height + 8
    title = lines_of(figure.title, UPRIGHT_TITLE, BODY_WIDTH, bold=True)
    field = Field(scale, left, BODY_WIDTH, foot, foot + UPRIGHT)
    height = field.top + VALUE * 1.6 + height_of(title, UPRIGHT_TITLE) + 2
    drawing = Drawing(BODY_WIDTH, height)
    drawing.add(written(title, 0, height, UPRIGHT_TITLE, bold=True))
    drawing.add(field.grid())
    value_size = fitting_size([row.text for row in figure.rows], VALUE, step - 4, bold=True)
    for index, row in enumerate(figure.rows):
        at = left + step * index
        is_last = index == len(figure.rows) - 1
        drawing.add(_column(row, field, at, step, value_size, is_first=index == 0, is_last=is_last))
        drawing.add(labels.drawn(index, at + step / 2, foot - 4))
    return drawing


def _column(
    row: WaterfallRow, field: Field, at: float, step: float, size: float, *, is_first: bool, is_last: bool
) -> Group:
    """A step that adds is hatched, as where the bars lie: printed grey, green and red are alike."""
    colour = STEP_COLOURS.get(row.tone, DOT)
    if row.whole:
        colour = BEFORE if is_first else AFTER if is_last else MUTED
    wide = step * SHARE_OF_COLUMN
    start = at + (step - wide) / 2
    low, high = sorted((field.y(row.start), field.y(row.end)))
    tall = max(high - low, 0.8)
    is_more = row.end > row.start and not row.whole
    group = Group(Rect(start, low, wide, tall, fillColor=colour, strokeColor=None))
    for segment in hatch(start, low, wide, tall, 5) if is_more else ():
        group.add(Line(*segment, strokeColor=WHITE, strokeWidth=0.7))
    if not is_last:
        level = field.y(row.end)
        group.add(Line(start + wide, level, start + step, level, strokeColor=MUTED, strokeWidth=0.5))
    group.add(backed(at + step / 2, high + 3, row.text, size, bold=True, colour=colour, anchor="middle"))
    return group
