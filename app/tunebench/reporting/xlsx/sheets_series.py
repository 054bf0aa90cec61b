"""One sheet per captured pair of series: statistics by formula, chart, samples."""

from __future__ import annotations

from math import isfinite

import numpy as np
from openpyxl.utils import get_column_letter

from tunebench.analysis.comparing.fold import Fold
from tunebench.analysis.comparing.regular_samples import Floats
from tunebench.columns.formats import decimal_format, decimals_for
from tunebench.core.records import record
from tunebench.reporting.axis import thin, time_axis, value_axis
from tunebench.reporting.cases.case import ResourceSeries, SeriesSide
from tunebench.reporting.chapters.context import Context, evidence_text
from tunebench.reporting.figures import FigureRow, series_row, subject_rank, transaction_rows
from tunebench.reporting.xlsx.charts import Range, scatter_chart
from tunebench.reporting.xlsx.columns import HEADER_ROW
from tunebench.reporting.xlsx.results import Changed, change_contents
from tunebench.reporting.xlsx.sheet import Book, Content, Formatted, Formula, Head, Sheet
from tunebench.reporting.xlsx.sheets_data import Located, measured
from tunebench.reporting.xlsx.style import CLOCK, INTEGER

RAW_LIMIT = 20_000
CHART_POINTS = 2_000
SIDE_COLUMNS = {"before": 1, "after": 5}
STATISTICS_COLUMN = 9
CHART_COLUMNS = {"before": 20, "after": 23}
FOLD_COLUMNS = {"before": 20, "after": 25}
CHART_ROW = HEADER_ROW + 9
DAY_S = 86_400.0


@record
class SeriesChart:
    """What the summary needs to draw the same chart again."""

    subject: str
    title: str
    lines: tuple[tuple[str, Range, Range], ...]
    largest: float
    axis_maximum: float | None
    times: tuple[float, float]


def series_sheets(context: Context, book: Book, located: Located) -> list[SeriesChart]:
    charts = []
    for series in sorted(context.case.series, key=lambda item: subject_rank(item.subject)):
        name = context.text(f"sheet.subject.{series.subject}")
        sheet = book.sheet(name, landscape=True)
        charts.append(_series_sheet(context, sheet, series, located))
    return charts


def _series_sheet(context: Context, sheet: Sheet, series: ResourceSeries, located: Located) -> SeriesChart:
    title = context.title(series)
    sheet.title(title, context.text("note.zone", zone=context.words.zone))
    ranges: dict[str, str] = {}
    lines = []
    for name, side in (("before", series.before), ("after", series.after)):
        if side is None:
            _absent_side(context, sheet, name)
            continue
        ranges[name] = _samples(context, sheet, name, side)
        lines.append(_chart_line(context, sheet, name, side))
    _statistics(context, sheet, series, ranges, located)
    sheet.worksheet.freeze_panes = f"A{HEADER_ROW + 1}"
    sheet.worksheet.print_area = f"I1:O{CHART_ROW + 20}"
    chart = _chart(series, title, tuple(lines))
    if chart.lines:
        add_chart(sheet, chart, f"{get_column_letter(STATISTICS_COLUMN)}{CHART_ROW}")
    return chart


def add_chart(sheet: Sheet, chart: SeriesChart, anchor: str) -> None:
    drawn = scatter_chart(
        chart.title,
        chart.lines,
        time_axis(*chart.times, ticks=6),
        value_axis(chart.largest, fixed_maximum=chart.axis_maximum),
    )
    sheet.worksheet.add_chart(drawn, anchor)
    sheet.descriptions.append(f"{chart.title}: {', '.join(name for name, _, _ in chart.lines)}")


def _side_title(context: Context, name: str, side: SeriesSide) -> str:
    label = context.text(f"phase.{name}")
    return f"{label} ({context.words.date(side.date)})" if side.date else label


def _absent_side(context: Context, sheet: Sheet, name: str) -> None:
    column = SIDE_COLUMNS[name]
    sheet.put(HEADER_ROW, column, context.text(f"phase.{name}"), "tb header")
    sheet.put(HEADER_ROW + 1, column, context.words.missing)


def _samples(context: Context, sheet: Sheet, name: str, side: SeriesSide) -> str:
    """Seconds, time and value of every sample; returns the range of the values."""
    column = SIDE_COLUMNS[name]
    heads = [
        Head(context.text("workbook.seconds"), "tb number", 10),
        Head(context.text("workbook.clock"), "tb clock", 11),
        Head(_side_title(context, name, side), "tb number", 18),
    ]
    sheet.header(HEADER_ROW, heads, column)
    sheet.fit(heads, column)
    times, values = _stored(side)
    for down, seconds in enumerate(times, HEADER_ROW + 1):
        sheet.put(down, column, float(seconds), "tb number")
    _put_samples(sheet, column + 1, times, values)
    letter = get_column_letter(column + 2)
    return f"{letter}{HEADER_ROW + 1}:{letter}{HEADER_ROW + max(len(values), 1)}"


def _put_samples(sheet: Sheet, column: int, times: Floats, *lines: Floats) -> None:
    """The clock in `column`, the values beside it; a gap stays empty."""
    for down, (seconds, *values) in enumerate(zip(times, *lines, strict=True), HEADER_ROW + 1):
        sheet.put(down, column, float(seconds) / DAY_S, "tb clock", CLOCK)
        for across, value in enumerate(values, column + 1):
            if isfinite(value):
                sheet.put(down, across, float(value), "tb number")


def _stored(side: SeriesSide) -> tuple[np.ndarray[tuple[int, ...], np.dtype[np.float64]], ...]:
    if len(side.values) <= RAW_LIMIT:
        return side.times_s, side.values
    return thin(side.times_s, side.values, CHART_POINTS // 2)


def _chart_line(context: Context, sheet: Sheet, name: str, side: SeriesSide) -> tuple[str, Range, Range]:
    """The cells the chart draws: the samples themselves, the extremes per bin where there are many, or the days over
    each other."""
    if side.fold is not None:
        return _folded_line(context, sheet, name, side.fold)
    times, values = _stored(side)
    column = SIDE_COLUMNS[name]
    if len(values) > CHART_POINTS:
        column = CHART_COLUMNS[name] - 1
        times, values = thin(times, values, CHART_POINTS // 2)
        bin_s = (float(times[-1]) - float(times[0])) / (CHART_POINTS // 2)
        heads = [
            Head(context.text("workbook.clock"), "tb clock", 11),
            Head(
                context.text("workbook.thinned", side=_side_title(context, name, side), bin=f"{bin_s:.0f}"),
                "tb number",
                18,
            ),
        ]
        sheet.header(HEADER_ROW, heads, column + 1)
        sheet.fit(heads, column + 1)
        _put_samples(sheet, column + 1, times, values)
    last = HEADER_ROW + max(len(values), 1)
    return (_side_title(context, name, side), *_ranges(sheet, column + 1, last, times, values))


def _folded_line(context: Context, sheet: Sheet, name: str, fold: Fold) -> tuple[str, Range, Range]:
    """By time of day median, lowest and highest of the occurrences; the chart draws the median."""
    column = FOLD_COLUMNS[name]
    title = context.text("workbook.fold_median", side=context.text(f"phase.{name}"), occurrences=fold.occurrences)
    names = (title, *(context.text(f"workbook.part_{end}") for end in ("lowest", "highest")))
    heads = [Head(context.text("workbook.clock"), "tb clock", 11), *(Head(name, "tb number", 14) for name in names)]
    sheet.header(HEADER_ROW, heads, column)
    sheet.fit(heads, column)
    _put_samples(sheet, column, fold.seconds, fold.median, fold.lowest, fold.highest)
    return (title, *_ranges(sheet, column, HEADER_ROW + len(fold.seconds), fold.seconds, fold.median))


def _ranges(sheet: Sheet, column: int, last: int, times: Floats, values: Floats) -> tuple[Range, Range]:
    """Of the clock in `column`, and of the values beside it."""
    x, y = (_absolute(sheet, column + offset, last) for offset in (0, 1))
    return Range(x, [float(seconds) / DAY_S for seconds in times]), Range(y, [float(value) for value in values])


def _absolute(sheet: Sheet, column: int, last: int) -> str:
    letter = get_column_letter(column)
    return sheet.reference(f"${letter}${HEADER_ROW + 1}:${letter}${last}")


def _statistics(
    context: Context, sheet: Sheet, series: ResourceSeries, ranges: dict[str, str], located: Located
) -> None:
    """n, mean, p95 and maximum of both sides with the improvement of each."""
    text, words = context.text, context.words
    column = STATISTICS_COLUMN
    heads = [
        Head(text("column.statistic"), width=16),
        Head(text("column.before"), "tb number", 14),
        Head(text("column.after"), "tb number", 14),
        Head(text("workbook.verdict"), width=11),
        Head(text("column.ratio"), "tb number", 14),
        Head(text("column.rate"), "tb number", 16),
        Head(text("column.evidence"), width=14),
    ]
    sheet.header(HEADER_ROW, heads, column)
    sheet.fit(heads, column)
    down = HEADER_ROW + 1
    sheet.put(down, column, "n")
    for offset, (name, side) in enumerate((("before", series.before), ("after", series.after)), 1):
        content = words.missing if side is None else _counted(side, ranges.get(name, ""))
        sheet.put(down, column + offset, content, "tb integer", INTEGER)
    rows = [series_row(series, statistic) for statistic in ("mean", "p95", "max")]
    decimals = decimals_for([row.before for row in rows] + [row.after for row in rows])
    for offset, (row, function) in enumerate(zip(rows, _FUNCTIONS, strict=True), 1):
        _statistic_row(context, sheet, down + offset, (row, function), series, ranges, located, decimals)
    for offset, row in enumerate(transaction_rows(series), 1 + len(rows)):
        _statistic_row(context, sheet, down + offset, (row, ""), series, ranges, located, row.decimals)


def _counted(side: SeriesSide, cells: str) -> Formula | int:
    return Formula(f"COUNT({cells})", side.summary.n) if len(side.values) <= RAW_LIMIT else side.summary.n


_FUNCTIONS = ("AVERAGE({cells})", "PERCENTILE({cells},0.95)", "MAX({cells})")
"""Of mean, p95 and the largest sample."""


def _statistic_row(
    context: Context,
    sheet: Sheet,
    down: int,
    figure: tuple[FigureRow, str],
    series: ResourceSeries,
    ranges: dict[str, str],
    located: Located,
    decimals: int,
) -> None:
    """`figure`: the figure, and the formula that gives it; empty where the samples beside it do not, and not used of a
    mean that counts the requests."""
    (row, function), column, plain = figure, STATISTICS_COLUMN, decimal_format(decimals)
    cells: list[Content] = []
    for name, side, value in (("before", series.before, row.before), ("after", series.after, row.after)):
        live = side is not None and function and len(side.values) <= RAW_LIMIT
        by_requests = side is not None and side.summary.weighted and function == _FUNCTIONS[0]
        if live and value is not None and not by_requests:
            cells.append(Formatted(Formula(function.format(cells=ranges[name]), value), plain))
        else:
            cells.append(measured(value, plain, context.words.missing))
    before, after, verdict = (f"{get_column_letter(column + offset)}{down}" for offset in (1, 2, 3))
    changed = change_contents(context.words, (before, after), verdict, Changed(row.direction, row.change, row.decimals))
    styles = ("tb text", "tb number", "tb number", "tb text", "tb number", "tb number", "tb text")
    contents = (context.statistic(row), *cells, *changed, evidence_text(row.evidence))
    sheet.put_across(down, column, contents, *styles)
    located.note(row, sheet.reference(before), sheet.reference(after))


def _chart(series: ResourceSeries, title: str, lines: tuple[tuple[str, Range, Range], ...]) -> SeriesChart:
    sides = [
        (side.times_s, side.values) if side.fold is None else (side.fold.seconds, side.fold.median)
        for side in (series.before, series.after)
        if side is not None and len(side.times_s)
    ]
    largest = max((float(np.nanmax(values)) for _, values in sides if np.isfinite(values).any()), default=0.0)
    times = (
        min((float(seconds[0]) for seconds, _ in sides), default=0.0),
        max((float(seconds[-1]) for seconds, _ in sides), default=DAY_S),
    )
    return SeriesChart(series.subject, title, lines, largest, series.axis_maximum, times)
