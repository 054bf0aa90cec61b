"""Before and after beside each other: stacked bars by class for each period, on one axis, with their means."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isfinite

from reportlab.graphics.shapes import Drawing, Group, Line, Rect
from reportlab.lib.colors import Color, HexColor

from tunebench.reporting.axis import zero_scale
from tunebench.reporting.document import StackBar, StackedSides, StackSide
from tunebench.reporting.pdf.charts import TICK_SIZE, text_at
from tunebench.reporting.pdf.labels import height_of, in_rows, lines_of, squeezed, text_width, written
from tunebench.reporting.pdf.scales import Field, tick_room
from tunebench.reporting.pdf.style import AFTER, BEFORE, BODY_WIDTH, INK, MUTED, PALE, RULE, STRONG_RULE, WHITE

TITLE = 9.0
SIDE = 8.2
LEGEND = 7.4
TALL = 112.0
GUTTER = 16.0
FOOT = 16.0
CLASS_COLOURS = tuple(
    HexColor(colour)
    for colour in ("#33608F", "#EBB76E", "#8A5FA3", "#C94A36", "#7FB3A5", "#5C4A32", "#D78FA8", "#B8C0C8")
)
"""Neighbours differ in lightness too."""


def class_colour(index: int) -> Color:
    return CLASS_COLOURS[index % len(CLASS_COLOURS)]


def stacks_drawing(figure: StackedSides) -> Drawing:
    sides = (figure.before, figure.after)
    scale = zero_scale(_tops(sides), ticks=4)
    left = tick_room(scale)
    across = (BODY_WIDTH - left - GUTTER) / 2
    entries = list(_legend_entries(figure))
    legend = 12.0 * (entries[-1][1] + 1) + 4 if entries else 0.0
    heads = [_head_lines(side, across) for side in sides]
    head = max(height_of(lines, SIDE) for lines in heads) + 5
    title = lines_of(figure.title, TITLE, BODY_WIDTH, bold=True)
    foot = legend + FOOT
    height = foot + TALL + head + height_of(title, TITLE) + 4
    drawing = Drawing(BODY_WIDTH, height)
    drawing.add(written(title, 0, height, TITLE, bold=True))
    drawing.add(Field(scale, left, BODY_WIDTH, foot, foot + TALL).grid())
    for side, lines, colour, start in zip(sides, heads, (BEFORE, AFTER), (left, left + across + GUTTER), strict=True):
        field = Field(scale, start, start + across, foot, foot + TALL)
        drawing.add(written(lines, start, field.top + head, SIDE, bold=True))
        text, size = _mean_text(side, across)
        words = text_at(field.right, field.top + head - SIDE * 0.86, text, size, bold=True, colour=colour)
        words.textAnchor = "end"
        drawing.add(words)
        drawing.add(_bars(side, field))
    drawing.add(_legend(entries, legend))
    return drawing


def _tops(sides: Sequence[StackSide]) -> Iterator[float]:
    for side in sides:
        yield from (sum(_parts(bar)) for bar in side.bars)
        if side.mean is not None:
            yield side.mean


def _parts(bar: StackBar) -> list[float]:
    """What is missing has no height."""
    return [part if isfinite(part) and part > 0 else 0.0 for part in bar.parts]


def _mean_text(side: StackSide, across: float) -> tuple[str, float]:
    """The words of the mean, at the right of the side's title, and their size."""
    return squeezed(side.mean_text, SIDE, across * 0.45, bold=True)


def _head_lines(side: StackSide, across: float) -> list[str]:
    text, size = _mean_text(side, across)
    return lines_of(side.title, SIDE, across - text_width(text, size, bold=True) - 10, bold=True)


def _bars(side: StackSide, field: Field) -> Group:
    group = Group()
    step = (field.right - field.left) / max(len(side.bars), 1)
    for index, bar in enumerate(side.bars):
        group.add(_bar(bar, field, field.left + step * index, step))
    if side.mean is not None:
        y = field.y(side.mean)
        group.add(Line(field.left, y, field.right, y, strokeColor=INK, strokeWidth=1.2, strokeDashArray=[4, 2.4]))
    free = field.left
    for index, bar in enumerate(side.bars):
        half = text_width(bar.label, TICK_SIZE) / 2
        middle = max(field.left + step * (index + 0.5), field.left + half)
        if bar.label and middle - half >= free and middle + half <= field.right:
            group.add(text_at(middle, field.foot - 10, bar.label, TICK_SIZE, colour=MUTED, anchor="middle"))
            free = middle + half + 5
    return group


def _bar(bar: StackBar, field: Field, left: float, step: float) -> Group:
    """The classes on each other; one whole pale bar where the period is left out."""
    group = Group()
    parts = _parts(bar)
    if bar.left_out:
        parts = [sum(parts)]
    wide = step - min(1.2, step / 6)
    level = 0.0
    for index, part in enumerate(parts):
        foot = field.y(level)
        top = field.y(level + part)
        level += part
        if part:
            colour = PALE if bar.left_out else class_colour(index)
            edge = RULE if bar.left_out else WHITE
            group.add(Rect(left, foot, wide, top - foot, fillColor=colour, strokeColor=edge, strokeWidth=0.25))
    return group


def _legend_entries(figure: StackedSides) -> Iterator[tuple[float, int, str, Color]]:
    """(x, row, name, colour) of each."""
    names = [(name, class_colour(index)) for index, name in enumerate(figure.classes)]
    names += [(figure.left_out, PALE)] if figure.left_out else []
    places = in_rows([13 + text_width(name, LEGEND) + 12 for name, _colour in names], BODY_WIDTH)
    for (name, colour), (at, row) in zip(names, places, strict=True):
        yield at, row, name, colour


def _legend(entries: Sequence[tuple[float, int, str, Color]], top: float) -> Group:
    group = Group()
    for at, row, name, colour in entries:
        base = top - 11 - 12.0 * row
        edge = STRONG_RULE if colour is PALE else None
        group.add(Rect(at, base, 9, 8, fillColor=colour, strokeColor=edge, strokeWidth=0.3))
        text, size = squeezed(name, LEGEND, BODY_WIDTH - 13)
        group.add(text_at(at + 13, base + 1, text, size, colour=MUTED))
    return group
