"""Results against their targets: dots with intervals on one axis, on which every target is 1."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, floor, log10

from reportlab.graphics.shapes import Circle, Drawing, Group, Line, Rect
from reportlab.lib.colors import Color

from tunebench.core.records import record
from tunebench.reporting.document import DotFigure, DotRow, Tone
from tunebench.reporting.pdf.charts import text_at
from tunebench.reporting.pdf.labels import height_of, in_rows, lines_of, squeezed, text_width, written
from tunebench.reporting.pdf.style import (
    ACCENT,
    AFTER,
    BAD,
    BEFORE,
    BODY_WIDTH,
    GRID,
    INK,
    MIDDLE,
    MUTED,
    NEXT_TINT,
    STRONG_RULE,
)
from tunebench.reporting.wording import grouped

ROW = 30.0
PADDING = 5.0
SIDES = 13.0
FOOT = 20.0
LABEL = 8.0
TEXT = 7.2
RESULT = 8.4
LABEL_WIDTH = 150.0
TEXT_WIDTH = 146.0
DOT = 3.4


@record
class _Decades:
    """Powers of ten along the axis, and where a multiple of the target stands."""

    first: int
    last: int

    def x(self, multiple: float) -> float:
        right: float = BODY_WIDTH - TEXT_WIDTH
        return LABEL_WIDTH + (right - LABEL_WIDTH) * (log10(multiple) - self.first) / (self.last - self.first)


@record
class _Lines:
    """The words of a row in lines: the name, what stands below it, the result, the verdict."""

    row: DotRow
    name: list[str]
    below: list[str]
    result: list[str]
    verdict: list[str]

    @property
    def height(self) -> float:
        label = height_of(self.name, LABEL) + height_of(self.below, TEXT)
        texts = height_of(self.result, RESULT) + height_of(self.verdict, TEXT)
        return max(ROW, label + PADDING, texts + PADDING)


def dot_drawing(figure: DotFigure) -> Drawing:
    """Results on an axis of powers of ten: what was a hundred times the target stands beside what is near it."""
    rows = [_lines_of(row) for row in figure.rows]
    legend = list(_legend(figure))
    sides = SIDES if figure.sides else 0.0
    top = FOOT + sum(row.height for row in rows)
    drawing = Drawing(BODY_WIDTH, top + sides + 14.0 * (legend[-1][1] + 1) + 4)
    axis = _decades(figure)
    if figure.sides:
        drawing.add(_sides(figure.sides, axis, top))
    drawing.add(_grid(axis, top))
    foot = top
    for row in rows:
        foot -= row.height
        drawing.add(Line(0, foot, BODY_WIDTH, foot, strokeColor=GRID, strokeWidth=0.4))
        drawing.add(_words(row, foot + row.height / 2))
        drawing.add(_marks(row.row, axis, foot + row.height / 2, has_start=bool(figure.start)))
    drawing.add(_head(legend, drawing.height))
    return drawing


def _lines_of(row: DotRow) -> _Lines:
    name, _, below = row.label.partition("\n")
    result, verdict = row.texts
    return _Lines(
        row,
        lines_of(name, LABEL, LABEL_WIDTH - 8, bold=True),
        lines_of(below, TEXT, LABEL_WIDTH - 8) if below else [],
        lines_of(result, RESULT, TEXT_WIDTH - 8, bold=True),
        lines_of(verdict, TEXT, TEXT_WIDTH - 8, bold=True) if verdict else [],
    )


def _decades(figure: DotFigure) -> _Decades:
    """Powers of ten that hold everything that is drawn, and the target."""
    multiples = [
        value
        for row in figure.rows
        for value in (row.start, row.before, row.now, row.low, row.high)
        if value and value > 0
    ]
    low, high = min((1.0, *multiples)), max((1.0, *multiples))
    first, last = floor(log10(low)), ceil(log10(high))
    if figure.sides or last == first:
        return _Decades(min(first, -1), max(last, 1))
    return _Decades(first, last)


def _grid(axis: _Decades, top: float) -> Group:
    """An upright line for each power of ten; one whose words would meet those before it has no words."""
    group = Group()
    free = 0.0
    for power in range(axis.first, axis.last + 1):
        at = axis.x(10.0**power)
        is_target = power == 0
        line = Line(at, FOOT, at, top, strokeColor=ACCENT if is_target else GRID, strokeWidth=1.3 if is_target else 0.5)
        group.add(line)
        label = grouped(10.0**power, max(-power, 0))
        half = text_width(label, TEXT) / 2
        if at - half >= free:
            group.add(text_at(at, FOOT - 10, label, TEXT, colour=MUTED, anchor="middle"))
            free = at + half + 4
    return group


def _sides(words: tuple[str, str], axis: _Decades, top: float) -> Group:
    """What is within the target is shaded; both sides are named."""
    left = axis.x(10.0**axis.first)
    middle = axis.x(1.0)
    group = Group(Rect(left, FOOT, middle - left, top - FOOT, fillColor=NEXT_TINT, strokeColor=None))
    within, size = squeezed(words[0], TEXT, middle - 4, bold=True)
    group.add(text_at(middle - 4, top + 4, within, size, bold=True, colour=ACCENT, anchor="end"))
    beyond, size = squeezed(words[1], TEXT, BODY_WIDTH - middle - 4)
    group.add(text_at(middle + 4, top + 4, beyond, size, colour=MUTED))
    return group


def _words(lines: _Lines, middle: float) -> Group:
    row = lines.row
    label = height_of(lines.name, LABEL) + height_of(lines.below, TEXT)
    group = Group(written(lines.name, 0, middle + label / 2, LABEL, bold=True))
    below = middle + label / 2 - height_of(lines.name, LABEL)
    group.add(written(lines.below, 0, below, TEXT, colour=MUTED))
    left = BODY_WIDTH - TEXT_WIDTH + 8
    texts = height_of(lines.result, RESULT) + height_of(lines.verdict, TEXT)
    group.add(written(lines.result, left, middle + texts / 2, RESULT, bold=True, colour=AFTER))
    colour = BAD if row.tone is Tone.BAD else INK if row.tone is not Tone.PLAIN else MUTED
    under = middle + texts / 2 - height_of(lines.result, RESULT)
    group.add(written(lines.verdict, left, under, TEXT, bold=row.tone is not Tone.PLAIN, colour=colour))
    return group


def _marks(row: DotRow, axis: _Decades, middle: float, *, has_start: bool) -> Group:
    """The way from the start to the result, the interval of the result, and the dots."""
    group = Group()
    dots = [(value, colour, is_full) for value, colour, is_full in _dots(row, has_start=has_start) if value]
    ends = [axis.x(value) for value, _colour, _is_full in dots]
    if len(ends) > 1:
        group.add(Line(min(ends), middle, max(ends), middle, strokeColor=STRONG_RULE, strokeWidth=0.6))
    if row.low and row.high and row.low > 0:
        group.add(Line(axis.x(row.low), middle, axis.x(row.high), middle, strokeColor=AFTER, strokeWidth=1.4))
        for end in (row.low, row.high):
            at = axis.x(end)
            group.add(Line(at, middle - 3, at, middle + 3, strokeColor=AFTER, strokeWidth=1.0))
    for value, colour, is_full in dots:
        group.add(_dot(axis.x(value), middle, colour, is_full=is_full))
    return group


def _dots(row: DotRow, *, has_start: bool) -> Iterator[tuple[float | None, Color, bool]]:
    """(multiple, colour, whether it is full) from the start on; a logarithmic axis has no zero."""
    before = MIDDLE if has_start else BEFORE
    for value, colour, is_full in ((row.start, BEFORE, True), (row.before, before, False), (row.now, AFTER, True)):
        yield (value if value and value > 0 else None), colour, is_full


def _dot(x: float, y: float, colour: Color, *, is_full: bool) -> Group:
    """A full one, or a ring: a grey print tells what was before from what is now."""
    fill = colour if is_full else NEXT_TINT
    return Group(Circle(x, y, DOT, fillColor=fill, strokeColor=colour, strokeWidth=1.2))


def _legend(figure: DotFigure) -> Iterator[tuple[float, int, str, Color | None, bool]]:
    """(x, row, words, colour, whether the dot is full) of each mark; the target's has no colour."""
    before, now, target = figure.legend
    marks: list[tuple[str, Color | None, bool]] = [
        (before, MIDDLE if figure.start else BEFORE, False),
        (now, AFTER, True),
        (target, None, True),
    ]
    if figure.start:
        marks.insert(0, (figure.start, BEFORE, True))
    places = in_rows([12 + text_width(words, TEXT) + 12 for words, _colour, _is_full in marks], BODY_WIDTH)
    for (words, colour, is_full), (at, row) in zip(marks, places, strict=True):
        yield at, row, words, colour, is_full


def _head(legend: list[tuple[float, int, str, Color | None, bool]], height: float) -> Group:
    group = Group()
    for at, row, words, colour, is_full in legend:
        middle = height - 8 - 14.0 * row
        if colour is None:
            group.add(Line(at + 4, middle - 5, at + 4, middle + 5, strokeColor=ACCENT, strokeWidth=1.3))
        else:
            group.add(_dot(at + 4, middle, colour, is_full=is_full))
        group.add(text_at(at + 12, middle - 3, words, TEXT, colour=MUTED))
    return group
