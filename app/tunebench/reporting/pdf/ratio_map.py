"""Members by hours: the colour of a field says how its hour compares to the same hour before."""

from __future__ import annotations

from collections.abc import Sequence
from math import log2

from reportlab.graphics.shapes import Drawing, Group, Line, Rect
from reportlab.lib.colors import Color, HexColor, linearlyInterpolatedColor

from tunebench.reporting.document import RatioGroup, RatioMap, RatioRow, Role
from tunebench.reporting.pdf.charts import text_at
from tunebench.reporting.pdf.labels import (
    ROLE_COLOURS,
    fitting_size,
    height_of,
    lines_of,
    shortened,
    text_width,
    written,
)
from tunebench.reporting.pdf.style import AFTER, BODY_WIDTH, MUTED, WHITE

TITLE = 9.0
NAME = 6.8
HOUR = 6.6
TALLEST_ROW = 13.0
MANY_ROWS = 400.0
"""Points that all rows take where there are many."""
SHORTEST_ROW = 9.0
GROUP_GAP = 5.0
HEAD = 12.0
FOOT = 16.0
WIDEST_NAME = 118.0
WIDEST_TEXTS = 150.0
SAME = HexColor("#F4F4F4")
HIGHER = HexColor("#8A5A1E")
FULL = 1.0
"""Doublings, and halvings, from which on the colour is full."""
MARKED = 0.25
"""Doublings from which on a field that is higher has a stroke: printed grey, blue and brown are alike."""


def ratio_colour(ratio: float) -> Color:
    """Blue for less, brown for more, the stronger the farther from equal."""
    doublings = log2(ratio) if ratio > 0 else -FULL
    share = min(abs(doublings) / FULL, 1.0)
    return linearlyInterpolatedColor(SAME, AFTER if doublings < 0 else HIGHER, 0, 1, share)


def ratio_drawing(figure: RatioMap) -> Drawing:
    rows = [row for group in figure.groups for row in group.rows]
    tall = min(max(MANY_ROWS / max(len(rows), 1), SHORTEST_ROW), TALLEST_ROW)
    name_size = fitting_size([row.label for row in rows], NAME, WIDEST_NAME)
    left = min(max((text_width(row.label, name_size) for row in rows), default=0.0), WIDEST_NAME) + 5
    values = [row.values for row in rows]
    changes = [row.change for row in rows]
    size = fitting_size(
        [f"{value}  {change}" for value, change in zip(values, changes, strict=True)], NAME, WIDEST_TEXTS
    )
    change_room = max((text_width(change, size, bold=True) for change in changes), default=0.0)
    right = BODY_WIDTH - change_room - max((text_width(value, size) for value in values), default=0.0) - 16
    title = lines_of(figure.title, TITLE, BODY_WIDTH, bold=True)
    body = tall * len(rows) + GROUP_GAP * (len(figure.groups) - 1)
    height = FOOT + body + HEAD + height_of(title, TITLE) + 2
    drawing = Drawing(BODY_WIDTH, height)
    drawing.add(written(title, 0, height, TITLE, bold=True))
    drawing.add(_hours(figure.columns, left, right, FOOT + body + 3))
    top = FOOT + body
    for group in figure.groups:
        for row in group.rows:
            drawing.add(_row(row, left, right, top, tall))
            drawing.add(_words(row, group, left, right, top - tall / 2, (name_size, size)))
            top -= tall
        top -= GROUP_GAP
    drawing.add(_legend(figure.legend))
    return drawing


def _hours(columns: Sequence[str], left: float, right: float, y: float) -> Group:
    """As many of the names as there is room for, at equal distances."""
    across = (right - left) / max(len(columns), 1)
    widest = max((text_width(name, HOUR) for name in columns), default=0.0)
    every = next((step for step in range(1, len(columns) + 1) if step * across >= widest + 3), max(len(columns), 1))
    group = Group()
    for index in range(0, len(columns), every):
        half = text_width(columns[index], HOUR) / 2
        middle = min(left + across * (index + 0.5), BODY_WIDTH - half)
        group.add(text_at(middle, y, columns[index], HOUR, colour=MUTED, anchor="middle"))
    return group


def _row(row: RatioRow, left: float, right: float, top: float, tall: float) -> Group:
    """A field for each hour that has a ratio."""
    group = Group()
    across = (right - left) / max(len(row.ratios), 1)
    for index, ratio in enumerate(row.ratios):
        if ratio is None or ratio < 0:
            continue
        start = left + across * index
        foot = top - tall
        wide = across - min(0.9, across / 6)
        up = tall - 0.9
        group.add(Rect(start, foot, wide, up, fillColor=ratio_colour(ratio), strokeColor=None))
        if ratio > 2**MARKED:
            group.add(Line(start, foot, start + wide, foot + up, strokeColor=WHITE, strokeWidth=0.7))
    return group


def _words(
    row: RatioRow, group: RatioGroup, left: float, right: float, middle: float, sizes: tuple[float, float]
) -> Group:
    name_size, size = sizes
    name = shortened(row.label, left - 5, name_size)
    ink = MUTED if group.role is Role.MUTED else ROLE_COLOURS[Role.PLAIN]
    change = ROLE_COLOURS[group.role]
    words = Group(text_at(left - 5, middle - name_size * 0.34, name, name_size, colour=ink, anchor="end"))
    base = middle - size * 0.34
    words.add(text_at(right + 5, base, row.values, size, colour=ink))
    is_bold = group.role is not Role.MUTED
    words.add(text_at(BODY_WIDTH, base, row.change, size, bold=is_bold, colour=change, anchor="end"))
    return words


def _legend(words: tuple[str, str, str]) -> Group:
    """Words and colours of half, equal and double."""
    group = Group()
    at = 0.0
    for ratio, word in zip((0.5, 1.0, 2.0), words, strict=True):
        group.add(Rect(at, 2, 13, 8, fillColor=ratio_colour(ratio), strokeColor=None))
        if ratio > 1:
            group.add(Line(at, 2, at + 13, 10, strokeColor=WHITE, strokeWidth=0.7))
        group.add(text_at(at + 17, 3.4, word, HOUR, colour=MUTED))
        at += 17 + text_width(word, HOUR) + 12
    return group
