"""The results: SQL statements, and resources over time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tunebench.analysis.comparing.fold import Fold
from tunebench.columns.comparing_words import measure_text
from tunebench.columns.formats import decimals_for
from tunebench.reporting.cases.case import ResourceSeries, SeriesSide, SuccessCase
from tunebench.reporting.chapters.context import (
    FIXED,
    NUMBER,
    TEXT,
    Context,
    change_cells,
    evidence_text,
    figure_table,
    series_title,
)
from tunebench.reporting.chapters.databases import databases
from tunebench.reporting.chapters.verdicts import verdict_note
from tunebench.reporting.document import (
    Bar,
    BarFigure,
    BarPair,
    Block,
    Cell,
    Heading,
    LoadFigure,
    Note,
    Paragraph,
    SeriesPair,
    SeriesPanel,
    Table,
    TableHead,
    Together,
    Tone,
)
from tunebench.reporting.figures import FigureRow, series_row, transaction_rows
from tunebench.reporting.look import WINDOWS, Look
from tunebench.reporting.wording import Wording


def sql(context: Context) -> Iterator[Block]:
    """Totals and their bars, then what each database's statements say."""
    figures = context.figures
    if figures.sql:
        notes = [context.text("note.ratio")]
        table = figure_table(context, figures.sql, context.text("caption.sql_totals"), notes=tuple(notes))
        yield Together((table, *bar_figure(context, figures.sql, "caption.sql_bars")))
    yield from databases(context)


def bar_figure(context: Context, rows: tuple[FigureRow, ...], caption: str) -> list[Block]:
    """The bars of `rows`, two beside each other; a row without two values has none. `caption` is a key."""
    drawn = [row for row in rows if row.before is not None and row.after is not None]
    twos = [drawn[start : start + 2] for start in range(0, len(drawn), 2)]
    return [
        BarFigure(tuple(_bar_pair(context, row) for row in two), _bar_caption(context, two, caption)) for two in twos
    ]


def _bar_caption(context: Context, rows: list[FigureRow], key: str) -> str:
    sources = tuple(dict.fromkeys(evidence for row in rows for evidence in row.evidence))
    intervals = dict.fromkeys(context.words.interval(row.interval_s) for row in rows if row.statistic != "total")
    facts = [context.text("bars.source", source=evidence_text(sources, 4))]
    if intervals:
        facts.append(context.text("bars.interval", interval=", ".join(intervals), zone=context.words.zone))
    return " ".join((context.text(key), *facts))


def _bar_pair(context: Context, row: FigureRow) -> BarPair:
    assert row.before is not None and row.after is not None
    unit = context.words.unit(row.unit)
    name = context.full_name(row)
    return BarPair(
        f"{name} ({unit})" if unit else name,
        Bar(_dated(context, "before", row.before_date, "\n"), row.before, context.before_text(row)),
        Bar(_dated(context, "after", row.after_date, "\n"), row.after, context.after_text(row)),
        context.words.headline(row.change, row.decimals),
    )


def _dated(context: Context, side: str, date: str, between: str = " ") -> str:
    name = context.text(f"phase.{side}")
    return f"{name}{between}({context.words.date(date)})" if date else name


def resource(context: Context, subject: str) -> Iterator[Block]:
    """The entered figures of a subject with their bars, then each captured pair with its statistics."""
    rows = context.figures.of_subject(subject)
    series = [item for item in context.case.series if item.subject == subject]
    if rows:
        caption = context.text("caption.entered", subject=context.text(f"subject.{subject}"))
        bars = bar_figure(context, rows, "caption.entered_bars")
        unseen = () if series else (Note(context.text("note.no_series")),)
        yield Together((figure_table(context, rows, caption), *bars[:1], *(() if bars[1:] else unseen)))
        yield from bars[1:]
        yield from unseen if bars[1:] else ()
    shown = [item for item in series if context.look.windows_of(series_id(item))]
    for item in shown:
        yield from _series_blocks(context, item)
    if len(shown) < len(series):
        yield Paragraph(context.text("charts.left_out", count=len(series) - len(shown)), muted=True)


def series_id(series: ResourceSeries) -> str:
    """What a layout calls a series, in whatever language: ``cpu_busy@db1``."""
    return f"{series.key.rpartition('.')[2] or series.metric or series.label}@{series.host}"


def chart_names(case: SuccessCase, wording: Wording) -> dict[str, str]:
    """Id -> host, figure and unit of each series that the chapters on resources draw."""
    return {series_id(series): series_title(series, wording) for series in case.series}


def unknown_charts(case: SuccessCase, look: Look) -> tuple[str, ...]:
    """Series that a layout names and the case does not have."""
    ids = {series_id(series) for series in case.series}
    return tuple(chart.series for chart in look.charts if chart.series not in ids)


def _series_blocks(context: Context, series: ResourceSeries) -> list[Block]:
    title, windows = context.title(series), context.look.windows_of(series_id(series))
    pair = series_pair(context, series, windows)
    table, note = _series_table(context, series, title), verdict_note(context, series)
    return [Heading(title, "", level=3), pair, table, *note, *_at_load(context, series, title)]


def series_pair(context: Context, series: ResourceSeries, windows: tuple[str, ...] = WINDOWS) -> SeriesPair:
    title = context.title(series)
    fold = next((side.fold for side in (series.before, series.after) if side is not None and side.fold), None)
    way = "_folded" if fold else "" if series.by_time_of_day else "_elapsed"
    facts = {"title": title, "source": _series_source(context, series), "zone": context.words.zone}
    steps = {"step": context.words.interval(fold.step_s)} if fold else {}
    names = " · ".join(context.text(f"phase.{window}") for window in windows)
    axes = context.text("charts.axes" if len(windows) > 1 else "charts.one_window", window=names)
    return SeriesPair(
        context.words.unit(series.unit),
        _panel(context, series.before, _phase(series, series.before, "before")),
        _panel(context, series.after, _phase(series, series.after, "after")),
        series.axis_maximum,
        series.by_time_of_day or fold is not None,
        context.text(f"caption.series{way}", axes=axes, **facts, **steps),
        windows,
    )


def _at_load(context: Context, series: ResourceSeries, title: str) -> list[Block]:
    """Where the verdict is at the load that both sides had: what it rests on."""
    if series.judged is None or series.judged.row.curve is None:
        return []
    curve = series.judged.row.curve
    measure = measure_text(curve.measure, context.words.language)
    caption = context.text(
        "caption.at_load",
        title=title,
        parts=len(curve.parts),
        measure=measure,
        loads=" – ".join(context.words.number(end, decimals_for(curve.common)) for end in curve.common),
        source=_series_source(context, series),
    )
    legend = (context.text("phase.before"), context.text("phase.after"), context.text("at_load.common"))
    return [LoadFigure(curve, context.words.unit(series.unit), measure, legend, caption)]


def _phase(series: ResourceSeries, side: SeriesSide | None, name: str) -> str:
    """What a side is called: the phase of its run, where that stands alone."""
    return series.phase.value if series.phase and side is not None else name


def _series_source(context: Context, series: ResourceSeries) -> str:
    keys = tuple(dict.fromkeys(key for side in (series.before, series.after) if side for key in side.evidence))
    return evidence_text(keys) or context.text("source.none")


def _panel(context: Context, side: SeriesSide | None, name: str) -> SeriesPanel:
    words = context.words
    if side is None:
        nothing = np.empty(0, dtype=np.float64)
        return SeriesPanel(context.text(f"phase.{name}"), "", nothing, nothing, absent=words.missing)
    if side.fold is not None:
        return _folded_panel(context, side, side.fold, name)
    subtitle = context.text(
        "panel.subtitle",
        window=words.span(side.start_ns, side.end_ns),
        interval=words.interval(side.interval_s),
        count=f"{side.summary.n:,}",
    )
    return SeriesPanel(_dated(context, name, side.date), subtitle, side.times_s, side.values, side.interval_s)


def _folded_panel(context: Context, side: SeriesSide, fold: Fold, name: str) -> SeriesPanel:
    """A panel by time of day, the occurrences of several days over each other."""
    subtitle = context.text(
        "panel.folded",
        occurrences=fold.occurrences,
        days=" – ".join(dict.fromkeys(context.words.moment(end).split(" ")[0] for end in (side.start_ns, side.end_ns))),
        count=f"{side.summary.n:,}",
    )
    band = (fold.lowest, fold.highest)
    return SeriesPanel(context.text(f"phase.{name}"), subtitle, fold.seconds, fold.median, fold.step_s, band=band)


def _series_table(context: Context, series: ResourceSeries, title: str) -> Table:
    text = context.text
    statistics = ("mean", "p95", "max")
    rows = [series_row(series, statistic) for statistic in statistics]
    columns = (
        TableHead(text("column.phase"), TEXT, 1.2),
        TableHead(text("column.window" if any(w.kept for w in context.case.windows) else "column.run"), TEXT, 1.4),
        TableHead(text("column.interval"), FIXED),
        TableHead("n", NUMBER),
        TableHead(text("column.missing"), NUMBER),
        *(TableHead(context.statistic(row), NUMBER) for row in rows),
        TableHead(text("column.evidence"), TEXT, 1),
    )
    decimals = decimals_for([row.before for row in rows] + [row.after for row in rows])
    body = tuple(
        _side_cells(context, side, series.phase.value if series.phase else name, rows, decimals, name)
        for name, side in (("before", series.before), ("after", series.after))
        if side is not None or not series.phase
    )
    changes = [change_cells(context, row.change, row.decimals) for row in rows]
    ratio = (
        Cell(text("column.ratio"), None, Tone.STRONG),
        *(Cell(""),) * 4,
        *(cells[0] for cells in changes),
        Cell(""),
    )
    rate = (Cell(text("column.rate"), None, Tone.STRONG), *(Cell(""),) * 4, *(cells[1] for cells in changes), Cell(""))
    totals = () if series.phase else (ratio, rate)
    notes = tuple(_series_notes(context, series))
    return Table(text("caption.series_table", title=title), columns, body, totals, notes, dense=True)


def _series_notes(context: Context, series: ResourceSeries) -> Iterator[str]:
    """Of how many series it is one; what is known of every transaction, where the figures are means of intervals."""
    if series.among > 1:
        yield context.text("note.among", count=series.among)
    rows = transaction_rows(series)
    if rows:
        phrases = "; ".join(context.phrase(row, context.statistic(row)) for row in rows)
        yield context.text("note.transactions", told=phrases, evidence=evidence_text(rows[0].evidence, 4))


def _side_cells(
    context: Context, side: SeriesSide | None, phase: str, rows: list[FigureRow], decimals: int, name: str
) -> tuple[Cell, ...]:
    words = context.words
    label = Cell(context.text(f"phase.{phase}"))
    if side is None:
        return (label, *(Cell(words.missing) for _ in range(7)), Cell(""))
    values = [row.before if name == "before" else row.after for row in rows]
    return (
        label,
        Cell(side.run),
        Cell(words.interval(side.interval_s)),
        Cell(f"{side.summary.n:,}", side.summary.n),
        Cell(f"{side.summary.missing:,}", side.summary.missing),
        *(Cell(words.number(value, decimals), value) for value in values),
        Cell(evidence_text(side.evidence)),
    )
