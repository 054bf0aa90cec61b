"""Vector figures of the document: bar pairs and before/after panels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from reportlab.graphics.shapes import Drawing, Group, Line, Polygon, PolyLine, Rect, String
from reportlab.lib.colors import Color

from tunebench.reporting.axis import DAY_S, Axis, break_gaps, clock_label, thin, time_axis, value_axis
from tunebench.reporting.document import (
    Bar,
    BarFigure,
    BarPair,
    SeriesPair,
    SeriesPanel,
    SmallMultiple,
    SmallMultiples,
    Tone,
)
from tunebench.reporting.pdf.fonts import BOLD, REGULAR, fitted, width
from tunebench.reporting.pdf.style import (
    AFTER,
    AFTER_TINT,
    BAD,
    BEFORE,
    BEFORE_TINT,
    BODY_WIDTH,
    GRID,
    INK,
    MUTED,
    STRONG_RULE,
)
from tunebench.reporting.wording import grouped

BAR_HEIGHT = 136.0
SERIES_HEIGHT = 146.0
GUTTER = 18.0
MULTIPLE_HEIGHT, MULTIPLES_ACROSS, MULTIPLES_HEAD = 112.0, 2, 18.0
TICK_SIZE = 7.0
LYING_TICK_SIZE = 6.8
POINTS_PER_BIN = 0.5


def bar_figure(figure: BarFigure) -> Drawing:
    """One or two bar pairs, each on its own zero-based axis."""
    drawing = Drawing(BODY_WIDTH, BAR_HEIGHT)
    pair_width = (BODY_WIDTH - GUTTER) / 2 if len(figure.pairs) > 1 else BODY_WIDTH
    for index, pair in enumerate(figure.pairs):
        left = index * (pair_width + GUTTER)
        drawing.add(_bar_pair(pair, left, pair_width))
    return drawing


def _bar_pair(pair: BarPair, left: float, total_width: float) -> Group:
    axis = value_axis(max(pair.before.value, pair.after.value))
    group = Group()
    label_width = max(width(grouped(tick, axis.decimals), REGULAR, TICK_SIZE) for tick in axis.ticks) + 6
    plot_left, plot_right = left + label_width, left + total_width
    bottom, top = 26.0, BAR_HEIGHT - 42
    group.add(text_at(left, BAR_HEIGHT - 12, pair.title, 8.6, bold=True))
    group.add(text_at(left, BAR_HEIGHT - 24, pair.headline, 8, colour=MUTED))
    _value_grid(group, axis, (plot_left, plot_right), (bottom, top))
    span = plot_right - plot_left
    for index, bar in enumerate((pair.before, pair.after)):
        centre = plot_left + span * (0.27 + 0.46 * index)
        _bar(group, bar, centre, min(span * 0.24, 64.0), (bottom, top), axis, after=index == 1)
    return group


def _bar(
    group: Group, bar: Bar, centre: float, bar_width: float, vertical: tuple[float, float], axis: Axis, *, after: bool
) -> None:
    bottom, top = vertical
    height = max((top - bottom) * bar.value / axis.maximum, 0.8)
    left = centre - bar_width / 2
    colour = AFTER if after else BEFORE
    group.add(
        Rect(
            left,
            bottom,
            bar_width,
            height,
            fillColor=AFTER_TINT if after else colour,
            strokeColor=colour,
            strokeWidth=0.8,
        )
    )
    if after:
        for segment in hatch(left, bottom, bar_width, height, 4.0):
            group.add(Line(*segment, strokeColor=colour, strokeWidth=0.7))
    group.add(text_at(centre, bottom + height + 4, bar.text, 8.6, bold=True, anchor="middle"))
    for row, words in enumerate(bar.label.split("\n")):
        group.add(
            text_at(centre, bottom - 11 - 10 * row, words, 8 - 0.6 * row, colour=MUTED if row else INK, anchor="middle")
        )


def hatch(
    left: float, bottom: float, across: float, up: float, spacing: float
) -> list[tuple[float, float, float, float]]:
    """Diagonals (x1, y1, x2, y2) inside a rectangle, rising to the right."""
    segments = []
    for number in range(1, int((across + up) / spacing) + 1):
        offset = number * spacing
        start = (left + max(0.0, offset - up), bottom + min(up, offset))
        end = (left + min(across, offset), bottom + max(0.0, offset - across))
        segments.append((*start, *end))
    return segments


def _value_grid(group: Group, axis: Axis, horizontal: tuple[float, float], vertical: tuple[float, float]) -> None:
    (left, right), (bottom, top) = horizontal, vertical
    for tick in axis.ticks:
        height = bottom + (top - bottom) * (tick - axis.minimum) / (axis.maximum - axis.minimum)
        base = tick == axis.minimum
        group.add(
            Line(
                left, height, right, height, strokeColor=STRONG_RULE if base else GRID, strokeWidth=0.8 if base else 0.5
            )
        )
        label = grouped(tick, axis.decimals)
        group.add(text_at(left - 4, height - TICK_SIZE * 0.36, label, TICK_SIZE, colour=MUTED, anchor="end"))


def series_pair(pair: SeriesPair) -> Drawing:
    """Before left, after right, on the same value axis and the same stretch of time; one alone over the whole width."""
    drawing = Drawing(BODY_WIDTH, SERIES_HEIGHT)
    values = _shared_axis(pair)
    times = _shared_times(pair)
    folded = any(panel.band is not None for panel in (pair.before, pair.after))
    clocks = [(tick, clock_label(tick % DAY_S if folded else tick, times.step)) for tick in times.ticks]
    label_width = max(width(grouped(tick, values.decimals), REGULAR, TICK_SIZE) for tick in values.ticks) + 6
    drawn = _drawn(pair)
    panel_width = (BODY_WIDTH - GUTTER * (len(drawn) - 1)) / len(drawn)
    for index, (name, panel) in enumerate(drawn):
        left = index * (panel_width + GUTTER)
        span = (left, left + panel_width)
        drawing.add(_panel(panel, pair.unit, span, label_width, values, times, clocks, after=name == "after"))
    return drawing


def _drawn(pair: SeriesPair) -> list[tuple[str, SeriesPanel]]:
    return [(name, pair.before if name == "before" else pair.after) for name in pair.windows]


def _shared_axis(pair: SeriesPair) -> Axis:
    largest = 0.0
    for _, panel in _drawn(pair):
        drawn = panel.values if panel.band is None else panel.band[1]
        finite = drawn[np.isfinite(drawn)]
        if len(finite):
            largest = max(largest, float(finite.max()))
    return value_axis(largest, fixed_maximum=pair.axis_maximum, ticks=4 if pair.axis_maximum is None else 5)


def _shared_times(pair: SeriesPair) -> Axis:
    ends = [_ends(panel) for _, panel in _drawn(pair) if len(panel.times_s)]
    if not ends:
        return Axis(0.0, 86_400.0, 21_600.0)
    return time_axis(min(first for first, _ in ends), max(last for _, last in ends), ticks=4)


def _ends(panel: SeriesPanel) -> tuple[float, float]:
    """Of folded days the steps in full, of which the middles are drawn."""
    reach = 0.0 if panel.band is None else (panel.interval_s or 0.0) / 2
    return float(panel.times_s[0]) - reach, float(panel.times_s[-1]) + reach


def _panel(
    panel: SeriesPanel,
    unit: str,
    horizontal: tuple[float, float],
    label_width: float,
    values: Axis,
    times: Axis,
    clocks: Sequence[tuple[float, str]],
    *,
    after: bool,
) -> Group:
    group = Group()
    left, right = horizontal[0] + label_width, horizontal[1] - 8
    bottom, top = 16.0, SERIES_HEIGHT - 42
    colour = AFTER if after else BEFORE
    _legend(group, panel, horizontal[0], colour, after=after)
    _value_grid(group, values, (left, right), (bottom, top))
    if unit:
        group.add(text_at(horizontal[0], top + 9, unit, TICK_SIZE, colour=MUTED))
    for tick, clock in clocks:
        x = left + (right - left) * (tick - times.minimum) / (times.maximum - times.minimum)
        group.add(Line(x, bottom, x, bottom - 3, strokeColor=STRONG_RULE, strokeWidth=0.6))
        group.add(_clock_at(x, bottom - 11, clock, TICK_SIZE, horizontal))
    if panel.absent or not len(panel.values):
        group.add(text_at((left + right) / 2, (bottom + top) / 2, panel.absent, 9, colour=MUTED, anchor="middle"))
        return group
    if panel.band is not None:
        for stretch in stretches(panel.values):
            group.add(_band(panel, stretch, (left, right), (bottom, top), values, times, after=after))
    for points in _polylines(panel, (left, right), (bottom, top), values, times):
        dash = [2.4, 1.0] if after else None
        group.add(PolyLine(points, strokeColor=colour, strokeWidth=0.7, strokeDashArray=dash, strokeLineJoin=1))
    return group


def small_multiples(figure: SmallMultiples) -> Drawing:
    """Small charts, two beside each other, each with both sides on its own axes."""
    rows = -(-len(figure.panels) // MULTIPLES_ACROSS)
    height = MULTIPLES_HEAD + rows * MULTIPLE_HEIGHT
    drawing = Drawing(BODY_WIDTH, height)
    at = 0.0
    for words, colour, after in zip(figure.legend, (BEFORE, AFTER), (False, True), strict=False):
        dash = [3.2, 1.6] if after else None
        drawing.add(
            Line(at, height - 5, at + 16, height - 5, strokeColor=colour, strokeWidth=1.6, strokeDashArray=dash)
        )
        drawing.add(text_at(at + 21, height - 8, words, 8))
        at += 21 + width(words, REGULAR, 8) + 14
    panel_width = (BODY_WIDTH - GUTTER * (MULTIPLES_ACROSS - 1)) / MULTIPLES_ACROSS
    for index, panel in enumerate(figure.panels):
        left = index % MULTIPLES_ACROSS * (panel_width + GUTTER)
        top = height - MULTIPLES_HEAD - index // MULTIPLES_ACROSS * MULTIPLE_HEIGHT
        drawing.add(_multiple(panel, (left, left + panel_width), top))
    return drawing


def _multiple(multiple: SmallMultiple, horizontal: tuple[float, float], top: float) -> Group:
    pair, group = multiple.pair, Group()
    values, times = _shared_axis(pair), _shared_times(pair)
    label_width = max(width(grouped(tick, values.decimals), REGULAR, LYING_TICK_SIZE) for tick in values.ticks) + 6
    left, right = horizontal[0] + label_width, horizontal[1] - 4
    foot, head = top - MULTIPLE_HEIGHT + 22, top - 27
    room = horizontal[1] - horizontal[0]
    colour = BAD if multiple.tone is Tone.BAD else MUTED
    group.add(text_at(horizontal[0], top - 9, fitted(multiple.title, room, 8.2), 8.2))
    group.add(text_at(horizontal[0], top - 19, fitted(multiple.verdict, room, 7), 7, colour=colour))
    _value_grid(group, values, (left, right), (foot, head))
    folded = any(panel.band is not None for panel in (pair.before, pair.after))
    for tick in times.ticks:
        clock = clock_label(tick % DAY_S if folded else tick, times.step)
        x = across(tick, times, left, right)
        group.add(_clock_at(x, foot - 9, clock, LYING_TICK_SIZE, horizontal))
    for panel, stroke, dash in ((pair.before, BEFORE, None), (pair.after, AFTER, [2.4, 1.0])):
        for points in _polylines(panel, (left, right), (foot, head), values, times) if len(panel.values) else ():
            group.add(PolyLine(points, strokeColor=stroke, strokeWidth=0.7, strokeDashArray=dash, strokeLineJoin=1))
    return group


def _legend(group: Group, panel: SeriesPanel, left: float, colour: Color, *, after: bool) -> None:
    height = SERIES_HEIGHT - 8
    dash = [3.2, 1.6] if after else None
    group.add(Line(left, height, left + 16, height, strokeColor=colour, strokeWidth=1.6, strokeDashArray=dash))
    group.add(text_at(left + 21, height - 3, panel.title, 8.6, bold=True))
    group.add(text_at(left + 21, height - 14, panel.subtitle, 6.8, colour=MUTED))


def _polylines(
    panel: SeriesPanel, horizontal: tuple[float, float], vertical: tuple[float, float], values: Axis, times: Axis
) -> list[list[float]]:
    """Point lists in drawing coordinates, one per unbroken stretch."""
    (left, right), (bottom, top) = horizontal, vertical
    seconds, figures = break_gaps(panel.times_s, panel.values, panel.interval_s)
    seconds, figures = thin(seconds, figures, max(int((right - left) / POINTS_PER_BIN), 1))
    xs = left + (seconds - times.minimum) / (times.maximum - times.minimum) * (right - left)
    ys = bottom + (figures - values.minimum) / (values.maximum - values.minimum) * (top - bottom)
    lines: list[list[float]] = []
    for stretch in stretches(figures):
        points = np.column_stack((xs[stretch], ys[stretch])).round(2)
        if len(points) == 1:
            points = np.vstack((points, points + [0.6, 0.0]))
        lines.append([float(number) for number in points.ravel()])
    return lines


def _band(
    panel: SeriesPanel,
    stretch: slice,
    horizontal: tuple[float, float],
    vertical: tuple[float, float],
    values: Axis,
    times: Axis,
    *,
    after: bool,
) -> Polygon:
    """The area from the lowest to the highest values, as far as there is no gap."""
    assert panel.band is not None
    (left, right), (bottom, top) = horizontal, vertical
    xs = left + (panel.times_s[stretch] - times.minimum) / (times.maximum - times.minimum) * (right - left)
    lower, upper = (
        bottom + (edge[stretch] - values.minimum) / (values.maximum - values.minimum) * (top - bottom)
        for edge in panel.band
    )
    corners = np.column_stack((np.concatenate((xs, xs[::-1])), np.concatenate((upper, lower[::-1])))).round(2)
    return Polygon(corners.ravel().tolist(), fillColor=AFTER_TINT if after else BEFORE_TINT, strokeColor=None)


def stretches(figures: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> Sequence[slice]:
    """Runs of figures between those that are missing."""
    finite = np.concatenate(([False], np.isfinite(figures), [False]))
    edges = np.flatnonzero(np.diff(finite.astype(np.int8)))
    return [slice(int(start), int(end)) for start, end in zip(edges[::2], edges[1::2], strict=True)]


def grid_across(axis: Axis, left: float, right: float, foot: float, top: float) -> Group:
    """Upright lines behind bars that lie, each with its value below; that of zero is stronger."""
    group = Group()
    for tick in axis.ticks:
        x = across(tick, axis, left, right)
        base = abs(tick) < axis.step / 1e6
        group.add(Line(x, foot - 3, x, top, strokeColor=STRONG_RULE if base else GRID, strokeWidth=0.5))
        group.add(text_at(x, foot - 12, grouped(tick, axis.decimals), LYING_TICK_SIZE, colour=MUTED, anchor="middle"))
    return group


def across(value: float, axis: Axis, left: float, right: float) -> float:
    """The distance from the left, in points, at which a value of a lying axis stands."""
    return left + (right - left) * (value - axis.minimum) / (axis.maximum - axis.minimum)


def _clock_at(x: float, y: float, clock: str, size: float, edges: tuple[float, float]) -> String:
    """The label of a moment below it, and not beyond the edges of its chart."""
    half = width(clock, REGULAR, size) / 2
    middle = min(max(x, edges[0] + half), edges[1] - half)
    return text_at(middle, y, clock, size, colour=MUTED, anchor="middle")


def text_at(
    x: float, y: float, text: str, size: float, *, bold: bool = False, colour: Color = INK, anchor: str = "start"
) -> String:
    return String(x, y, text, fontName=BOLD if bold else REGULAR, fontSize=size, fillColor=colour, textAnchor=anchor)
