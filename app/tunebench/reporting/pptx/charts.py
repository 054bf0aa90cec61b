"""Figures as charts of the office program: it draws and edits them, and their numbers are those of the PDF."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from pptx.chart.data import CategoryChartData, XyChartData
from pptx.dml.color import RGBColor
from pptx.enum.chart import XL_CHART_TYPE, XL_LEGEND_POSITION, XL_TICK_LABEL_POSITION
from pptx.oxml import parse_xml
from pptx.oxml.ns import nsdecls, qn
from pptx.util import Emu, Pt
from reportlab.lib.colors import Color

from tunebench.domain.visible_text import harmless_line
from tunebench.reporting.axis import thin, zero_scale
from tunebench.reporting.document import (
    BarLevel,
    DotFigure,
    DotRow,
    ForecastFigure,
    GroupedBars,
    ImpactBars,
    LevelLines,
    SeriesPanel,
    SmallMultiple,
    SmallMultiples,
)
from tunebench.reporting.pdf.levels import LINE_COLOURS, is_wide
from tunebench.reporting.pdf.style import AFTER, BAD, BAR, BEFORE, INK, MIDDLE, MUTED, SECOND_BAR
from tunebench.reporting.wording import brief

SMALL, SMALLER = Pt(9), Pt(8)
POINTS = 150
"""Bins of a line; each keeps its lowest and its highest sample."""
DAY_S = 86_400
EXCEL_EPOCH = 25_569
"""Days from 1899-12-30, from which a spreadsheet counts, to 1970-01-01."""
ACROSS = 4
LABEL = 40
_FORMULA = ("=", "+", "-", "@")


def rgb(colour: Color) -> Any:
    return RGBColor.from_string(colour.hexval()[2:].upper())


def safe_label(text: str) -> str:
    """A label for a chart: its data are kept in a small workbook, where no name may become a formula or a link."""
    line = harmless_line(text)
    return f" {line}" if line.startswith(_FORMULA) or "://" in line or line.startswith("mailto:") else line


class Place:
    """Where a figure may stand, in EMU."""

    def __init__(self, left: int, top: int, width: int, height: int) -> None:
        self.box = Emu(left), Emu(top), Emu(width), Emu(height)


# -- bars ----------------------------------------------------------------------------------------------


def impact_chart(shapes: Any, figure: ImpactBars, place: Place) -> None:
    """Pairs of lying bars, the first on top; the share that the rows come to stands with their names."""
    data = CategoryChartData()
    data.categories = [safe_label(f"{row.label} ({row.share})" if row.share else row.label) for row in figure.rows]
    for name, values in zip(
        figure.legend, ([row.before for row in figure.rows], [row.after for row in figure.rows]), strict=True
    ):
        data.add_series(safe_label(name), values)
    chart = _chart(shapes, XL_CHART_TYPE.BAR_CLUSTERED, data, place, figure.caption)
    _titled(chart, figure.title)
    chart.category_axis.reverse_order = True
    chart.category_axis.tick_labels.font.size = SMALL
    plot = chart.plots[0]
    plot.gap_width, plot.overlap = 60, 0
    plot.has_data_labels = True
    plot.data_labels.font.size = SMALLER
    plot.data_labels.number_format, plot.data_labels.number_format_is_linked = "#,##0.###", False
    chart.value_axis.minimum_scale = 0
    for series, colour in zip(plot.series, (BEFORE, AFTER), strict=True):
        _fill(series, colour)


def level_bars(shapes: Any, figure: GroupedBars, place: Place) -> None:
    """Levels as standing bars in their order, the best in its colour; how they compare stands with their names."""
    data = CategoryChartData(number_format="#,##0.###")
    data.categories = [safe_label(_level_name(level)) for level in figure.levels]
    values = ([level.value for level in figure.levels], [level.second for level in figure.levels])
    for name, own in zip(figure.legend, values, strict=False):
        data.add_series(safe_label(name), own)
    chart = _chart(shapes, XL_CHART_TYPE.COLUMN_CLUSTERED, data, place, figure.caption)
    _titled(chart, f"{figure.title} ({figure.unit})" if figure.unit else figure.title)
    plot = chart.plots[0]
    plot.gap_width, plot.overlap = 60, 0
    plot.has_data_labels = True
    plot.data_labels.font.size = SMALLER
    for series, colour in zip(plot.series, (BAR, SECOND_BAR), strict=False):
        _fill(series, colour)
    for index, level in enumerate(figure.levels):
        if level.is_best:
            _fill(plot.series[0].points[index], AFTER)


def _level_name(level: BarLevel) -> str:
    name = " · ".join(filter(None, (level.name, level.detail)))
    return f"{name} ({level.factor})" if level.factor else name


def _fill(part: Any, colour: Color) -> None:
    part.format.fill.solid()
    part.format.fill.fore_color.rgb = rgb(colour)


# -- dots ----------------------------------------------------------------------------------------------


def dot_chart(shapes: Any, figure: DotFigure, place: Place) -> None:
    """Results as multiples of their targets: bars from the target on an axis of powers of ten, with intervals."""
    data = CategoryChartData(number_format="0.00")
    data.categories = [safe_label(_named(row)) for row in figure.rows]
    before, now, _target = figure.legend
    earlier = MIDDLE if figure.start else BEFORE
    sides: list[tuple[str, list[float | None], Color]] = [
        (before, [row.before for row in figure.rows], earlier),
        (now, [row.now for row in figure.rows], AFTER),
    ]
    if figure.start:
        sides.insert(0, (figure.start, [row.start for row in figure.rows], BEFORE))
    for name, values, _colour in sides:
        data.add_series(safe_label(name), [value if value and value > 0 else None for value in values])
    chart = _chart(shapes, XL_CHART_TYPE.BAR_CLUSTERED, data, place, figure.caption)
    plot, axis = chart.plots[0], chart.value_axis
    plot.gap_width, plot.overlap = 60, 0
    for series, (_name, _values, colour) in zip(plot.series, sides, strict=True):
        _fill(series, colour)
        series.invert_if_negative = False
    lows = [row.now - row.low if row.low is not None else 0.0 for row in figure.rows]
    highs = [row.high - row.now if row.high is not None else 0.0 for row in figure.rows]
    _error_bars(plot.series[len(sides) - 1], [max(reach, 0.0) for reach in lows], [max(reach, 0.0) for reach in highs])
    _by_powers(axis)
    axis.crosses_at = 1
    axis.tick_labels.number_format, axis.tick_labels.number_format_is_linked = "General", False
    chart.category_axis.reverse_order = True
    chart.category_axis.tick_label_position = XL_TICK_LABEL_POSITION.LOW


def _named(row: DotRow) -> str:
    """The name of a dot: metric, result with its target, verdict."""
    return f"{brief(row.label.splitlines()[0], LABEL)}: {row.texts[0]} – {row.texts[1]}"


def _error_bars(series: Any, down: Sequence[float], up: Sequence[float]) -> None:
    """Puts error bars, which the library lacks, where the standard has them: before the categories of the series."""

    def numbers(values: Sequence[float]) -> str:
        points = "".join(f'<c:pt idx="{index}"><c:v>{value!r}</c:v></c:pt>' for index, value in enumerate(values))
        return f'<c:numLit><c:formatCode>General</c:formatCode><c:ptCount val="{len(values)}"/>{points}</c:numLit>'

    bars = parse_xml(
        f'<c:errBars {nsdecls("c", "a")}><c:errBarType val="both"/><c:errValType val="cust"/>'
        f'<c:noEndCap val="0"/><c:plus>{numbers(up)}</c:plus><c:minus>{numbers(down)}</c:minus>'
        f'<c:spPr><a:ln w="19050"><a:solidFill><a:srgbClr val="{rgb(INK)}"/></a:solidFill></a:ln></c:spPr>'
        "</c:errBars>"
    )
    series._element.find(qn("c:cat")).addprevious(bars)


# -- lines ---------------------------------------------------------------------------------------------


def small_charts(shapes: Any, figure: SmallMultiples, place: Place) -> None:
    """A chart for each series, four beside each other."""
    left, top, width, height = (int(edge) for edge in place.box)
    rows = -(-len(figure.panels) // ACROSS)
    chart_width, tall = width // ACROSS, height // max(rows, 1)
    for number, panel in enumerate(figure.panels):
        at = Place(left + number % ACROSS * chart_width, top + number // ACROSS * tall, chart_width, tall)
        _small_chart(shapes, panel, figure.legend, at)


def level_charts(shapes: Any, figure: LevelLines, place: Place) -> None:
    """A chart for each condition beside each other, all on one axis; a name has one colour in all of them."""
    left, top, width, height = (int(edge) for edge in place.box)
    names = list(dict.fromkeys(line.name for panel in figure.panels for line in panel.lines))
    points = [point for panel in figure.panels for line in panel.lines for point in line.points]
    numbers = sorted({point.number for point in points})
    scale = zero_scale(end for point in points for end in point.ends)
    wide = width // len(figure.panels)
    for number, panel in enumerate(figure.panels):
        data = XyChartData(number_format="General")
        for line in panel.lines:
            series = data.add_series(safe_label(line.name))
            for point in line.points:
                series.add_data_point(point.number, point.value)
        at = Place(left + number * wide, top, wide, height)
        chart = _chart(shapes, XL_CHART_TYPE.XY_SCATTER_LINES, data, at, figure.caption)
        _titled(chart, f"{panel.title or figure.title}\n{figure.unit} / {figure.across}", MUTED, SMALLER)
        _lines(chart, [LINE_COLOURS[names.index(line.name) % len(LINE_COLOURS)] for line in panel.lines])
        _axis_numbers(chart.category_axis, "General")
        if is_wide(numbers):
            _by_powers(chart.category_axis)
        chart.value_axis.minimum_scale, chart.value_axis.maximum_scale = scale.minimum, scale.maximum


def _small_chart(shapes: Any, panel: SmallMultiple, legend: Sequence[str], place: Place) -> None:
    data = XyChartData()
    sides = (panel.pair.before, panel.pair.after)
    for name, side in zip(legend, sides, strict=True):
        _points(data.add_series(safe_label(name)), side)
    chart = _chart(shapes, XL_CHART_TYPE.XY_SCATTER_LINES_NO_MARKERS, data, place, panel.pair.caption, legend=False)
    _titled(chart, f"{panel.title}\n{panel.verdict}", BAD if panel.tone.value == "bad" else INK, SMALLER)
    _lines(chart, (BEFORE, AFTER))
    _axis_numbers(chart.category_axis, "hh:mm")
    chart.value_axis.minimum_scale = 0
    if panel.pair.axis_maximum is not None:
        chart.value_axis.maximum_scale = panel.pair.axis_maximum


def _points(series: Any, side: SeriesPanel) -> None:
    """Adds the points of a side; a gap is left out of the line, and the series goes on behind it."""
    if not len(side.values):
        return
    times, values = thin(side.times_s, side.values, POINTS)
    measured = ~np.isnan(values)
    for time, value in zip(times[measured], values[measured], strict=True):
        series.add_data_point(float(time) / DAY_S, float(value))


def forecast_chart(shapes: Any, figure: ForecastFigure, place: Place) -> None:
    """Measured days, the band and the limit over the calendar."""
    measured, band, limit = figure.legend
    data = XyChartData(number_format="General")
    ends = [figure.days[0], (figure.future_days or figure.days)[-1]] if figure.days else []
    lines: list[tuple[str, Iterable[int], Iterable[float], Color]] = [
        (measured, figure.days, figure.values, BEFORE),
        (band, figure.future_days, figure.low, AFTER),
        (band, figure.future_days, figure.centre, AFTER),
        (band, figure.future_days, figure.high, AFTER),
        (limit, ends, [figure.limit] * len(ends), BAD),
    ]
    for name, days, values, _ in lines:
        series = data.add_series(safe_label(name))
        for day, value in zip(days, values, strict=True):
            if np.isfinite(value):
                series.add_data_point(day + EXCEL_EPOCH, value)
    chart = _chart(shapes, XL_CHART_TYPE.XY_SCATTER_LINES_NO_MARKERS, data, place, figure.caption)
    _titled(chart, figure.unit)
    _lines(chart, [colour for *_, colour in lines])
    _axis_numbers(chart.category_axis, "yyyy-mm-dd")


# -- what all have -------------------------------------------------------------------------------------


def _chart(shapes: Any, kind: Any, data: Any, place: Place, caption: str, *, legend: bool = True) -> Any:
    frame = shapes.add_chart(kind, *place.box, data)
    frame._element.nvGraphicFramePr.cNvPr.set("descr", harmless_line(caption))
    chart = frame.chart
    chart.font.size = SMALL
    chart.font.color.rgb = rgb(INK)
    chart.has_title = False
    chart.has_legend = legend
    if legend:
        chart.legend.position, chart.legend.include_in_layout = XL_LEGEND_POSITION.TOP, False
    chart.value_axis.major_gridlines.format.line.color.rgb = RGBColor(0xE3, 0xE7, 0xEC)
    chart.value_axis.format.line.fill.background()
    chart.category_axis.format.line.color.rgb = rgb(MUTED)
    chart.category_axis.has_major_gridlines = False
    return chart


def _titled(chart: Any, title: str, colour: Color = INK, size: Any = SMALL) -> None:
    if not title.strip():
        return
    chart.has_title = True
    chart.chart_title.include_in_layout = False
    frame = chart.chart_title.text_frame
    for row, words in enumerate(title.split("\n")):
        line = frame.paragraphs[0] if row == 0 else frame.add_paragraph()
        run = line.add_run()
        run.text = harmless_line(words)
        run.font.size, run.font.bold = size, row == 0
        run.font.color.rgb = rgb(INK if row == 0 else colour)


def _lines(chart: Any, colours: Sequence[Color]) -> None:
    for series, colour in zip(chart.plots[0].series, colours, strict=True):
        series.format.line.color.rgb, series.format.line.width = rgb(colour), Pt(1.25)
        series.smooth = False


def _by_powers(axis: Any) -> None:
    """Makes an axis one of powers of ten, which the library lacks."""
    axis._element.find(qn("c:scaling")).insert(0, parse_xml(f'<c:logBase {nsdecls("c")} val="10"/>'))


def _axis_numbers(axis: Any, form: str) -> None:
    axis.tick_labels.number_format, axis.tick_labels.number_format_is_linked = form, False
    axis.tick_labels.font.size = SMALLER
    axis.tick_label_position = XL_TICK_LABEL_POSITION.LOW
