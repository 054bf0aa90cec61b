"""Windows beside each other on one axis: what was measured in each, its mean, the target."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from reportlab.graphics.shapes import Drawing, Group, Line, PolyLine
from reportlab.lib.colors import Color, linearlyInterpolatedColor

from tunebench.reporting.axis import level_scale, thin
from tunebench.reporting.document import Span, Spans
from tunebench.reporting.pdf.charts import stretches, text_at
from tunebench.reporting.pdf.labels import (
    ASCENT,
    DESCENT,
    Box,
    Taken,
    backed,
    height_of,
    lines_of,
    squeezed,
    text_box,
    text_width,
    written,
)
from tunebench.reporting.pdf.scales import Field, tick_room
from tunebench.reporting.pdf.style import ACCENT, AFTER, BEFORE, BODY_WIDTH, MIDDLE, MUTED, STRONG_RULE, WHITE

TALL = 172.0
FOOT = 8.0
TITLE = 9.0
WINDOW_TITLE = 8.2
MEAN = 13.0
TARGET = 8.0
INSET = 7.0
BINS_PER_POINT = 0.6
NEAR = 3.0
"""Points between a line and the words that belong to it."""
CLEAR = 2.0
"""Points that stay free between a word and a curve."""


def spans_drawing(figure: Spans) -> Drawing:
    title = lines_of(figure.title, TITLE, BODY_WIDTH, bold=True)
    scale = level_scale(_levels(figure))
    left = tick_room(scale)
    across = (BODY_WIDTH - left) / len(figure.windows)
    titles = [lines_of(window.title, WINDOW_TITLE, across - 2 * INSET, bold=True) for window in figure.windows]
    above = max(height_of(lines, WINDOW_TITLE) for lines in titles) + 4
    field = Field(scale, left, BODY_WIDTH, FOOT, FOOT + TALL)
    height = field.top + above + height_of(title, TITLE) + 4
    drawing = Drawing(BODY_WIDTH, height)
    drawing.add(written(title, 0, height, TITLE, bold=True))
    drawing.add(field.grid())
    taken = Taken()
    panels = [(left + across * index, left + across * (index + 1)) for index in range(len(figure.windows))]
    colours = window_colours(len(figure.windows))
    for window, lines, (start, end), colour in zip(figure.windows, titles, panels, colours, strict=True):
        drawing.add(written(lines, start + INSET, field.top + above, WINDOW_TITLE, bold=True))
        drawing.add(_curve(window, field, start + INSET, end - INSET, colour, taken))
    for start, _end in panels[1:]:
        mark = Line(start, field.foot - 4, start, field.top + above, strokeColor=STRONG_RULE, strokeWidth=0.8)
        mark.strokeDashArray = [3, 2.4]
        drawing.add(mark)
        taken.add(Box(start - 1, field.foot, start + 1, field.top))
    for index, (target, text) in enumerate(figure.targets):
        drawing.add(_target(target, text, field, panels, MUTED if index else ACCENT, taken))
    for window, (start, end), colour in zip(figure.windows, panels, colours, strict=True):
        drawing.add(_mean_text(window, field, start + INSET, end - INSET, colour, taken))
    return drawing


def window_colours(count: int) -> list[Color]:
    """The first is before, the last after; what lies between has a colour of its own."""
    return [BEFORE, *[MIDDLE] * (count - 2), AFTER][-count:]


def curve_colour(colour: Color) -> Color:
    """Lighter than the line of the mean, which is seen through the densest curve."""
    return linearlyInterpolatedColor(WHITE, colour, 0, 1, 0.62)


def _levels(figure: Spans) -> list[float]:
    """All that is drawn along the axis."""
    levels = [float(value) for window in figure.windows for value in window.values[np.isfinite(window.values)]]
    levels += [window.mean for window in figure.windows if window.mean is not None]
    return levels + [target for target, _ in figure.targets]


def _curve(window: Span, field: Field, left: float, right: float, colour: Color, taken: Taken) -> Group:
    """The samples and the line of their mean, which are marked as taken."""
    group = Group()
    steps = np.arange(len(window.values), dtype=np.float64)
    steps, values = thin(steps, window.values, max(int((right - left) * BINS_PER_POINT), 1))
    xs = left + (right - left) * (steps + 0.5) / max(len(window.values), 1)
    for stretch in stretches(values):
        points = [(float(x), field.y(float(value))) for x, value in zip(xs[stretch], values[stretch], strict=True)]
        if len(points) == 1:
            points.append((points[0][0] + 0.6, points[0][1]))
        flat = [round(number, 2) for point in points for number in point]
        group.add(PolyLine(flat, strokeColor=curve_colour(colour), strokeWidth=0.6, strokeLineJoin=1))
        for box in _boxes(points):
            taken.add(box)
    if window.mean is not None:
        y = field.y(window.mean)
        group.add(Line(left, y, right, y, strokeColor=colour, strokeWidth=2.2))
        taken.add(Box(left, y - CLEAR, right, y + CLEAR))
    return group


def _boxes(points: Sequence[tuple[float, float]]) -> Iterator[Box]:
    for (left, one), (right, other) in pairwise(points):
        yield Box(left - CLEAR, min(one, other) - CLEAR, right + CLEAR, max(one, other) + CLEAR)


def _target(
    target: float, text: str, field: Field, panels: Sequence[tuple[float, float]], colour: Color, taken: Taken
) -> Group:
    y = field.y(target)
    line = Line(field.left, y, field.right, y, strokeColor=colour, strokeWidth=1.3, strokeDashArray=[5, 3])
    text, size = squeezed(text, TARGET, panels[0][1] - panels[0][0] - 2 * INSET, bold=True)
    across = text_width(text, size, bold=True)
    starts = [x for start, end in panels for x in (start + INSET, end - INSET - across)]
    taken.add(Box(field.left, y - 1, field.right, y + 1))
    return Group(line, _put(text, size, starts, y, field, colour, taken))


def _mean_text(window: Span, field: Field, left: float, right: float, colour: Color, taken: Taken) -> Group:
    """Beside its line, as near to it as the curve leaves room; in the middle where there is no mean."""
    largest = TITLE if window.mean is None else MEAN
    text, size = squeezed(window.text, largest, right - left, bold=True)
    across = text_width(text, size, bold=True)
    if window.mean is None:
        return _put(text, size, [left], (field.foot + field.top) / 2, field, MUTED, taken)
    starts = [left, (left + right - across) / 2, right - across]
    return _put(text, size, starts, field.y(window.mean), field, colour, taken)


def _put(text: str, size: float, starts: Sequence[float], y: float, field: Field, colour: Color, taken: Taken) -> Group:
    """A text where nothing else stands, as near to `y` as can be; where there is no such room, on white."""
    below = y - size * ASCENT - NEAR
    above = y + size * DESCENT + NEAR
    reach = field.top - field.foot
    bases = [base for step in np.arange(0.0, reach, 2.0) for base in (above + float(step), below - float(step))]
    boxes = [text_box(start, base, text, size, bold=True) for base in bases for start in starts]
    inside = [box for box in boxes if field.foot <= box.foot and box.top <= field.top]
    box = taken.first_free(inside)
    if box is not None:
        return Group(text_at(box.left, box.foot + size * DESCENT, text, size, bold=True, colour=colour))
    box = inside[0] if inside else text_box(starts[0], field.foot + 2, text, size, bold=True)
    taken.add(box)
    return backed(box.left, box.foot + size * DESCENT, text, size, bold=True, colour=colour)
