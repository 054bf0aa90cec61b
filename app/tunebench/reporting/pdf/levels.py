"""Levels of a factor: named ones as bars beside each other, numbers as lines over them, a panel for each condition."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from math import log

from reportlab.graphics.shapes import Circle, Drawing, Group, Line, PolyLine, Rect
from reportlab.lib.colors import Color

from tunebench.core.records import record
from tunebench.reporting.axis import zero_scale
from tunebench.reporting.document import BarLevel, GroupedBars, LevelLine, LevelLines, LevelPanel
from tunebench.reporting.pdf.charts import TICK_SIZE, text_at
from tunebench.reporting.pdf.labels import (
    DESCENT,
    ColumnLabels,
    Taken,
    apart,
    backed,
    fitting_size,
    height_of,
    in_rows,
    lines_of,
    shortened,
    text_box,
    text_width,
    written,
)
from tunebench.reporting.pdf.scales import Field, tick_room
from tunebench.reporting.pdf.style import (
    ACCENT,
    AFTER,
    BAD,
    BAR,
    BEFORE,
    BODY_WIDTH,
    INK,
    MIDDLE,
    MUTED,
    SECOND_BAR,
    SECOND_BEST,
    STRONG_RULE,
)
from tunebench.reporting.wording import recorded

TITLE = 9.0
NAME = 8.2
VALUE = 8.6
LEGEND = 7.4
LEGEND_LINE = 12.0
BARS_TALL = 150.0
LINES_TALL = 118.0
PANEL_GAP = 12.0
WIDE = 30.0
"""Numbers that span more are told apart on a logarithmic scale only."""
LINE_COLOURS = (AFTER, MIDDLE, BEFORE, ACCENT, INK, BAD)
DASHES = (None, [4, 2], [1.4, 1.6])


# -- named levels --------------------------------------------------------------------------------------


def bars_drawing(figure: GroupedBars) -> Drawing:
    scale = zero_scale(
        number for level in figure.levels for number in (level.value, level.second) if number is not None
    )
    left = tick_room(scale)
    step = (BODY_WIDTH - left) / len(figure.levels)
    labels = ColumnLabels([(level.name, level.detail) for level in figure.levels], step)
    foot = labels.height + 8
    field = Field(scale, left, BODY_WIDTH, foot, foot + BARS_TALL)
    title = lines_of(figure.title, TITLE, BODY_WIDTH, bold=True)
    legend = _legend_entries(figure)
    height = field.top + 3 * VALUE * 1.4 + LEGEND_LINE * (legend[-1][1] + 1) + 4 + height_of(title, TITLE)
    drawing = Drawing(BODY_WIDTH, height)
    drawing.add(written(title, 0, height, TITLE, bold=True))
    drawing.add(_bar_legend(figure, legend, height - height_of(title, TITLE) - 11))
    drawing.add(field.grid())
    words = [text for level in figure.levels for text in (level.text, level.second_text, level.factor)]
    size = fitting_size(words, VALUE, step - 5, bold=True)
    for index, level in enumerate(figure.levels):
        start = left + step * index
        drawing.add(_bars(level, field, start, step, size))
        drawing.add(labels.drawn(index, start + step / 2, foot - 4))
    return drawing


def _legend_entries(figure: GroupedBars) -> list[tuple[float, int]]:
    """Where the unit and the names of the bars stand."""
    unit = text_width(figure.unit, LEGEND) + 16 if figure.unit else 0.0
    return in_rows([unit, *(13 + text_width(name, LEGEND) + 16 for name in figure.legend)], BODY_WIDTH)


def _bar_legend(figure: GroupedBars, entries: Sequence[tuple[float, int]], base: float) -> Group:
    group = Group(text_at(0, base, figure.unit, LEGEND, colour=MUTED))
    for name, (at, row), colour in zip(figure.legend, entries[1:], (BAR, SECOND_BAR), strict=False):
        low = base - LEGEND_LINE * row
        group.add(Rect(at, low - 1, 9, 8, fillColor=colour, strokeColor=None))
        group.add(text_at(at + 13, low, name, LEGEND, colour=MUTED))
    return group


def _bars(level: BarLevel, field: Field, start: float, step: float, size: float) -> Group:
    """One or two bars with their figures, and above these how the level compares; words that meet are lifted."""
    has_second = level.second is not None or bool(level.second_text)
    wide = step * (0.34 if has_second else 0.5)
    middle = start + step / 2
    left = middle - wide - 0.6 if has_second else middle - wide / 2
    at = middle - wide / 2 if has_second else middle
    group = Group()
    taken = Taken()
    top = _bar(group, field, level.value, left, wide, AFTER if level.is_best else BAR)
    words = [(level.text, at, top, True, INK)]
    if has_second:
        colour = SECOND_BEST if level.is_best else SECOND_BAR
        second_top = _bar(group, field, level.second, middle + 0.6, wide, colour)
        words.append((level.second_text, middle + wide / 2, second_top, False, MUTED))
    words.append((level.factor, at, top + size * 1.25, True, AFTER if level.is_best else MIDDLE))
    for text, centre, above, is_bold, colour in words:
        half = text_width(text, size, bold=is_bold) / 2
        inside = max(min(centre, start + step - half - 1), start + half + 1)
        bases = (above + 3 + size * 0.25 * lift for lift in range(20))
        boxes = (text_box(inside, base, text, size, bold=is_bold, anchor="middle") for base in bases)
        box = taken.first_free(boxes)
        if text and box is not None:
            group.add(backed(box.left, box.foot + size * DESCENT, text, size, bold=is_bold, colour=colour))
    return group


def _bar(group: Group, field: Field, value: float | None, left: float, wide: float, colour: Color) -> float:
    """Adds a bar; the height of its upper end."""
    base = field.y(0.0)
    if value is None:
        return base
    end = field.y(value)
    low = min(base, end)
    group.add(Rect(left, low, wide, max(abs(end - base), 0.8), fillColor=colour, strokeColor=None))
    return max(base, end)


# -- numbers -------------------------------------------------------------------------------------------


@record
class _Panel:
    panel: LevelPanel
    labels: tuple[str, ...]
    """Names of the lines that are named in this panel: the last one that has them."""
    room: float


def lines_by_level_drawing(figure: LevelLines) -> Drawing:
    points = [point for panel in figure.panels for line in panel.lines for point in line.points]
    scale = zero_scale((end for point in points for end in point.ends), ticks=4)
    numbers = sorted({point.number for point in points})
    names = list(dict.fromkeys(line.name for panel in figure.panels for line in panel.lines))
    panels = _labelled(figure)
    left = tick_room(scale)
    free = BODY_WIDTH - left - sum(panel.room for panel in panels) - PANEL_GAP * (len(panels) - 1)
    across = free / len(panels)
    tall = max(LINES_TALL, 10.0 * max(len(panel.labels) for panel in panels))
    titles = [lines_of(panel.panel.title, NAME, across + panel.room, bold=True) for panel in panels]
    head = max(height_of(lines, NAME) for lines in titles) + 8
    title = lines_of(figure.title, TITLE, BODY_WIDTH, bold=True)
    foot = 26.0
    height = foot + tall + head + height_of(title, TITLE) + (LEGEND * 1.5 if figure.unit else 0)
    drawing = Drawing(BODY_WIDTH, height)
    drawing.add(written(title, 0, height, TITLE, bold=True))
    drawing.add(text_at(0, foot + tall + head + 2, figure.unit, LEGEND, colour=MUTED))
    drawing.add(text_at(left + (BODY_WIDTH - left) / 2, 2, figure.across, TICK_SIZE, colour=MUTED, anchor="middle"))
    start = left
    for panel, lines in zip(panels, titles, strict=True):
        field = Field(scale, start, start + across, foot, foot + tall)
        drawing.add(written(lines, start, field.top + head - 4, NAME, bold=True))
        drawing.add(field.grid() if start == left else _bare_grid(field))
        drawing.add(_panel(panel, field, numbers, names))
        start += across + panel.room + PANEL_GAP
    return drawing


def _labelled(figure: LevelLines) -> list[_Panel]:
    last = {line.name: index for index, panel in enumerate(figure.panels) for line in panel.lines if line.points}
    panels = []
    for index, panel in enumerate(figure.panels):
        labels = tuple(line.name for line in panel.lines if last.get(line.name) == index)
        widest = max((text_width(name, LEGEND, bold=True) + 8 for name in labels), default=0.0)
        panels.append(_Panel(panel, labels, min(widest, BODY_WIDTH / (3 * len(figure.panels)) + 30)))
    return panels


def _bare_grid(field: Field) -> Group:
    lines = field.grid().contents
    return Group(*(line for line in lines if isinstance(line, Line)))


def _panel(panel: _Panel, field: Field, numbers: Sequence[float], names: Sequence[str]) -> Group:
    x = _along(numbers, field.left + 5, field.right - 5)
    group = Group()
    free = field.left - 3
    for number in numbers:
        words = recorded(number, 3)
        half = text_width(words, TICK_SIZE) / 2
        group.add(Line(x(number), field.foot, x(number), field.foot - 3, strokeColor=STRONG_RULE, strokeWidth=0.6))
        centre = max(x(number), field.left - 3 + half)
        if centre - half >= free:
            group.add(text_at(centre, field.foot - 11, words, TICK_SIZE, colour=MUTED, anchor="middle"))
            free = centre + half + 4
    for line in panel.panel.lines:
        group.add(_line(line, names.index(line.name), field, x))
    group.add(_end_labels(panel, field, x, names))
    return group


def is_wide(numbers: Sequence[float]) -> bool:
    """Whether numbers, which rise, are told apart on a logarithmic scale only."""
    return bool(numbers) and numbers[0] > 0 and numbers[-1] / numbers[0] > WIDE


def _along(numbers: Sequence[float], left: float, right: float) -> Callable[[float], float]:
    scaled: Callable[[float], float] = log if is_wide(numbers) else float
    low = scaled(numbers[0]) if numbers else 0.0
    span = (scaled(numbers[-1]) - low if numbers else 0.0) or 1.0
    return lambda number: left + (right - left) * (scaled(number) - low) / span


def _line(line: LevelLine, index: int, field: Field, x: Callable[[float], float]) -> Group:
    colour = LINE_COLOURS[index % len(LINE_COLOURS)]
    ends = [(x(point.number), field.y(point.value)) for point in line.points]
    group = Group()
    if len(ends) > 1:
        stroke = PolyLine(list(chain.from_iterable(ends)), strokeColor=colour, strokeWidth=1.3)
        stroke.strokeDashArray = DASHES[index % len(DASHES)]
        group.add(stroke)
    for point, (across, up) in zip(line.points, ends, strict=True):
        if point.low is not None and point.high is not None:
            low = field.y(point.low)
            high = field.y(point.high)
            group.add(Line(across, low, across, high, strokeColor=colour, strokeWidth=0.9))
            for end in (low, high):
                group.add(Line(across - 2, end, across + 2, end, strokeColor=colour, strokeWidth=0.9))
        group.add(Circle(across, up, 1.9, fillColor=colour, strokeColor=None))
    return group


def _end_labels(panel: _Panel, field: Field, x: Callable[[float], float], names: Sequence[str]) -> Group:
    """The names of lines where they end, moved apart, each joined to its line."""
    group = Group()
    lines = [line for line in panel.panel.lines if line.name in panel.labels and line.points]
    heights = [field.y(line.points[-1].value) for line in lines]
    if not lines:
        return group
    size = fitting_size([line.name for line in lines], LEGEND, panel.room - 8, bold=True)
    moved = apart(heights, [size * 1.25] * len(lines), field.foot, field.top + size)
    for line, height, middle in zip(lines, heights, moved, strict=True):
        colour = LINE_COLOURS[names.index(line.name) % len(LINE_COLOURS)]
        end = x(line.points[-1].number)
        if abs(middle - height) > 2 or end < field.right - 6:
            joint = Line(end + 2, height, field.right + 4, middle, strokeColor=colour, strokeWidth=0.4)
            group.add(joint)
        name = shortened(line.name, panel.room - 8, size, bold=True)
        group.add(text_at(field.right + 6, middle - size * 0.34, name, size, bold=True, colour=colour))
    return group
