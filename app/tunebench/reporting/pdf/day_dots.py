"""What changed, a row each: dots of the occurrences before and after on an axis of its own, and what that means."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from types import MappingProxyType

from reportlab.graphics.shapes import Circle, Drawing, Group, Line
from reportlab.lib.colors import Color

from tunebench.core.records import record
from tunebench.reporting.axis import Scale, linear_scale, span_axis, zero_scale
from tunebench.reporting.document import DayDots, DayLine, DayRow, Tone
from tunebench.reporting.pdf.charts import TICK_SIZE, text_at
from tunebench.reporting.pdf.chips import chip_shapes
from tunebench.reporting.pdf.labels import (
    ROLE_COLOURS,
    backed,
    fitting_size,
    height_of,
    lines_of,
    squeezed,
    text_width,
    written,
)
from tunebench.reporting.pdf.style import ACCENT, BAD, BODY_WIDTH, INK, MIDDLE, MUTED, RULE, STRONG_RULE

HEAD = 7.6
LABEL = 9.0
SUB_LABEL = 7.4
TEXT = 8.2
REMARK = 7.2
MEAN = 8.0
NAME = 7.4
LINE = 21.0
AXIS = 15.0
PADDING = 6.0
LABEL_WIDTH = 128.0
PLOT_WIDTH = 168.0
GAP = 12.0
WORDS_LEFT = LABEL_WIDTH + PLOT_WIDTH + 2 * GAP
WORDS_WIDTH = BODY_WIDTH - WORDS_LEFT
WIDEST_NAME = 46.0
DOT = 2.6
TARGET_LINE = 10.0
TARGET_COLOURS: Mapping[Tone, Color] = MappingProxyType(
    {Tone.STRONG: ACCENT, Tone.BAD: BAD, Tone.WARNING: MIDDLE, Tone.PLAIN: MUTED}
)


@record
class _Words:
    """The lines of a row, broken to the widths of their columns."""

    row: DayRow
    label: list[str]
    sub_label: list[str]
    zoomed: list[str]
    remark: list[str]
    sentence: Group
    sentence_height: float

    @property
    def height(self) -> float:
        label = height_of(self.label, LABEL) + height_of(self.sub_label, SUB_LABEL)
        plot = _plot_height(self.row) + height_of(self.zoomed, TICK_SIZE)
        words = self.sentence_height + height_of(self.remark, REMARK)
        return max(label, plot, words) + 2 * PADDING


def day_drawing(figure: DayDots) -> Drawing:
    rows = [_words_of(row) for row in figure.rows]
    heads = [
        lines_of(head, HEAD, room)
        for head, room in zip(figure.heads, (LABEL_WIDTH, PLOT_WIDTH, WORDS_WIDTH), strict=True)
    ]
    head = max(height_of(lines, HEAD) for lines in heads) + 5
    height = head + sum(row.height for row in rows)
    drawing = Drawing(BODY_WIDTH, height)
    for lines, left in zip(heads, (0.0, LABEL_WIDTH + GAP, WORDS_LEFT), strict=True):
        drawing.add(written(lines, left, height, HEAD, colour=MUTED))
    top = height - head
    drawing.add(Line(0, top, BODY_WIDTH, top, strokeColor=STRONG_RULE, strokeWidth=0.8))
    for row in rows:
        drawing.add(_row(row, top))
        top -= row.height
        drawing.add(Line(0, top, BODY_WIDTH, top, strokeColor=RULE, strokeWidth=0.5))
    return drawing


def _words_of(row: DayRow) -> _Words:
    chips = (row.chip,) if row.chip else ()
    sentence, sentence_height = chip_shapes(chips, row.sentence, WORDS_WIDTH, TEXT, INK)
    return _Words(
        row,
        lines_of(row.label, LABEL, LABEL_WIDTH, bold=True),
        lines_of(row.sub_label, SUB_LABEL, LABEL_WIDTH) if row.sub_label else [],
        lines_of(row.zoomed, TICK_SIZE, PLOT_WIDTH) if row.zoomed else [],
        lines_of(row.remark, REMARK, WORDS_WIDTH) if row.remark else [],
        sentence,
        sentence_height + 2,
    )


def _row(words: _Words, top: float) -> Group:
    row = words.row
    at = top - PADDING
    group = Group(written(words.label, 0, at, LABEL, bold=True))
    group.add(written(words.sub_label, 0, at - height_of(words.label, LABEL), SUB_LABEL, colour=MUTED))
    words.sentence.translate(WORDS_LEFT, at)
    group.add(words.sentence)
    group.add(written(words.remark, WORDS_LEFT, at - words.sentence_height, REMARK, colour=MUTED))
    if row.lines:
        group.add(_plot(row, at))
        under = at - _plot_height(row)
        group.add(written(words.zoomed, LABEL_WIDTH + GAP, under, TICK_SIZE, colour=MUTED))
    return group


def _plot_height(row: DayRow) -> float:
    return TARGET_LINE * len(row.targets) + LINE * len(row.lines) + AXIS


def _plot(row: DayRow, top: float) -> Group:
    """Targets, the lines below each other, and under them the axis with its ends."""
    scale = _scale(row)
    names = [squeezed(line.name, NAME, WIDEST_NAME, bold=True) for line in row.lines]
    left = LABEL_WIDTH + GAP + max(text_width(name, size, bold=True) for name, size in names) + 8
    right = LABEL_WIDTH + GAP + PLOT_WIDTH - 4
    group = _targets(row, scale, left, right, top)
    top -= TARGET_LINE * len(row.targets)
    for number, (line, (name, size)) in enumerate(zip(row.lines, names, strict=True), 1):
        middle = top - LINE * number + 5
        words = text_at(LABEL_WIDTH + GAP, middle - size * 0.34, name, size, bold=True)
        words.fillColor = ROLE_COLOURS[line.role]
        group.add(words)
        group.add(_dots(line, scale, left, right, middle))
    base = top - LINE * len(row.lines) - 1
    group.add(Line(left, base, right, base, strokeColor=STRONG_RULE, strokeWidth=0.8))
    ends = (scale.ticks[0], scale.ticks[-1])
    size = fitting_size([scale.label(tick) for tick in ends], TICK_SIZE, (right - left) / 2 - 3)
    for tick, anchor in zip(ends, ("start", "end"), strict=True):
        x = left + (right - left) * scale.share(tick)
        group.add(Line(x, base, x, base - 2.5, strokeColor=STRONG_RULE, strokeWidth=0.8))
        group.add(text_at(x, base - 10, scale.label(tick), size, colour=MUTED, anchor=anchor))
    return group


def _targets(row: DayRow, scale: Scale, left: float, right: float, top: float) -> Group:
    """An upright line for each target, its words above: a row each, so that they never meet."""
    group = Group()
    foot = top - TARGET_LINE * len(row.targets) - LINE * len(row.lines) - 1
    for number, target in enumerate(row.targets, 1):
        colour = TARGET_COLOURS[target.tone]
        base = top - TARGET_LINE * number + 3
        text, size = squeezed(target.text, TICK_SIZE, right - left, bold=True)
        half = text_width(text, size, bold=True) / 2
        x = left + (right - left) * scale.share(target.value)
        at = min(max(x, left + half), right - half)
        group.add(Line(x, foot, x, base - 2, strokeColor=colour, strokeWidth=1.2))
        group.add(backed(at, base, text, size, bold=True, colour=colour, anchor="middle"))
    return group


def _scale(row: DayRow) -> Scale:
    """From zero, but for a row that says that it is not."""
    values = [value for line in row.lines for value in line.values if isfinite(value)]
    values += [line.mean for line in row.lines if line.mean is not None]
    values += [target.value for target in row.targets]
    low = min(values, default=0.0)
    high = max(values, default=0.0)
    if row.zoomed and high > low:
        margin = (high - low) * 0.1
        least = low - margin if low < 0 else max(low - margin, 0.0)
        return linear_scale(span_axis(least, high + margin, ticks=4))
    return zero_scale(values, ticks=4)


def _dots(line: DayLine, scale: Scale, left: float, right: float, middle: float) -> Group:
    """A dot for each occurrence, a tick at the mean, above it what it is."""
    colour = ROLE_COLOURS[line.role]
    group = Group()
    for value in line.values:
        if isfinite(value):
            x = left + (right - left) * scale.share(value)
            group.add(Circle(x, middle, DOT, fillColor=colour.clone(alpha=0.55), strokeColor=None))
    text, size = squeezed(line.text, MEAN, right - left, bold=True)
    half = text_width(text, size, bold=True) / 2
    at = left + half if line.mean is None else left + (right - left) * scale.share(line.mean)
    if line.mean is not None:
        group.add(Line(at, middle - 4.5, at, middle + 4.5, strokeColor=colour, strokeWidth=1.6))
    at = min(max(at, left + half), right - half)
    ink = MUTED if line.mean is None else colour
    group.add(backed(at, middle + 6.6, text, size, bold=True, colour=ink, anchor="middle"))
    return group
