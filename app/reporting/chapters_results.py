"""The results: SQL statements, resources over time, the comparison of everything captured."""

from __future__ import annotations

from collections.abc import Sequence
from math import log

import numpy as np

from app.analysis.improvement import Change, improvement
from app.domain.engagement import Direction
from app.reporting.case import ComparisonRow, ResourceSeries, SeriesSide, StatementPair, Summary
from app.reporting.context import (
    CODE,
    FIXED,
    NUMBER,
    TEXT,
    Context,
    change_cells,
    change_columns,
    evidence_text,
    figure_table,
    tone_of,
)
from app.reporting.document import (
    Bar,
    BarFigure,
    BarPair,
    Block,
    Cell,
    Column,
    Heading,
    Note,
    SeriesPair,
    SeriesPanel,
    Table,
    Together,
    Tone,
)
from app.reporting.figures import FigureRow, StatementTotals, block_gets, elapsed_s, series_row
from app.reporting.wording import decimals_for, grouped

COMPARISON_SHOWN = 20
"""Rows of the comparison in the main part; all of them stand in the appendix."""
SLOWER_NAMED = 5


def sql(context: Context) -> list[Block]:
    """Totals, their bars, and every statement."""
    figures, case = context.figures, context.case
    blocks: list[Block] = []
    if figures.sql:
        notes = [context.text("note.ratio")]
        table = figure_table(context, figures.sql, context.text("caption.sql_totals"), notes=tuple(notes))
        blocks.append(Together((table, *bar_figure(context, figures.sql, "caption.sql_bars"))))
    if case.statements:
        blocks.append(statement_table(context))
        slower = slower_statements(case.statements)
        if slower:
            blocks.append(Note(_slower_text(context, slower), Tone.WARNING))
    return blocks


def bar_figure(context: Context, rows: tuple[FigureRow, ...], caption: str) -> list[Block]:
    """The bars of `rows`, two beside each other; a row without two values has none. `caption` is a key."""
    drawn = [row for row in rows if row.before is not None and row.after is not None]
    twos = [drawn[place : place + 2] for place in range(0, len(drawn), 2)]
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


def slower_statements(pairs: tuple[StatementPair, ...]) -> list[tuple[str, float]]:
    """(id, seconds more) of the statements whose total elapsed time rose, the largest rise first."""
    found = []
    for pair in pairs:
        before, after = elapsed_s(pair.before), elapsed_s(pair.after)
        if before is not None and after is not None and after > before:
            found.append((pair.statement_id, after - before))
    return sorted(found, key=lambda item: -item[1])


def _slower_text(context: Context, slower: list[tuple[str, float]]) -> str:
    named = ", ".join(
        context.text("slower.one", name=name, more=grouped(more, seconds_decimals(more)))
        for name, more in slower[:SLOWER_NAMED]
    )
    more_text = " …" if len(slower) > SLOWER_NAMED else ""
    return context.text("note.slower", count=len(slower), names=named + more_text)


def seconds_decimals(value: float | None) -> int:
    """Three, unless that would print a time that is not zero as 0.000."""
    return 6 if value is not None and 0 < abs(value) < 0.0005 else 3


def statement_table(context: Context) -> Table:
    text, case = context.text, context.case
    rows = tuple(_statement_cells(context, place, pair) for place, pair in enumerate(case.statements, 1))
    totals = _total_cells(context)
    notes = [text("note.statements")]
    for name, found in (("time", context.figures.sql_time), ("blocks", context.figures.sql_blocks)):
        if found:
            notes.append(_totals_note(context, name, found))
    return Table(
        text("caption.statements", count=len(rows)),
        _statement_columns(context),
        rows,
        (totals,) if totals else (),
        tuple(notes),
        dense=True,
    )


def _statement_columns(context: Context) -> tuple[Column, ...]:
    text, pairs = context.text, context.case.statements
    old = evidence_text(tuple(sorted({pair.before_evidence for pair in pairs if pair.before_evidence})), 2)
    new = evidence_text(tuple(sorted({pair.after_evidence for pair in pairs if pair.after_evidence})), 2)
    before, after = text("column.before_short"), text("column.after_short")
    runs, time, blocks = text("group.executions"), text("group.time"), text("group.blocks")
    ratio, rate = text("column.ratio_short"), text("column.rate_short")
    return (
        Column("#", NUMBER),
        Column(text("column.statement"), CODE, 1),
        Column(before, NUMBER, group=runs, evidence=old),
        Column(after, NUMBER, group=runs, evidence=new),
        Column(before, NUMBER, group=time, evidence=old),
        Column(after, NUMBER, group=time, evidence=new),
        Column(ratio, NUMBER, group=time),
        Column(rate, NUMBER, group=time),
        Column(before, NUMBER, group=blocks, evidence=old),
        Column(after, NUMBER, group=blocks, evidence=new),
        Column(ratio, NUMBER, group=blocks),
        Column(rate, NUMBER, group=blocks),
    )


def _statement_cells(context: Context, place: int, pair: StatementPair) -> tuple[Cell, ...]:
    return (
        Cell(str(place), place),
        Cell(pair.statement_id),
        _count_cell(context, pair.before.executions if pair.before else None),
        _count_cell(context, pair.after.executions if pair.after else None),
        *_measure_cells(context, elapsed_s(pair.before), elapsed_s(pair.after), None),
        *_measure_cells(context, block_gets(pair.before), block_gets(pair.after), 0),
    )


def _count_cell(context: Context, count: int | None) -> Cell:
    return Cell(context.text("missing") if count is None else f"{count:,}", count)


def _measure_cells(
    context: Context, before: float | None, after: float | None, decimals: int | None
) -> tuple[Cell, ...]:
    change = improvement(before, after, Direction.LOWER)
    tone = Tone.BAD if change.change is Change.REGRESSED else Tone.PLAIN
    words = context.words
    rate = "–" if change.change is Change.NOT_COMPUTABLE else words.rate(change)
    return (
        *(
            Cell(words.number(value, seconds_decimals(value) if decimals is None else decimals), value)
            for value in (before, after)
        ),
        Cell(words.ratio(change), None if change.ratio is None else float(change.ratio), tone),
        Cell(rate, None if change.rate_pct is None else float(change.rate_pct), tone),
    )


def _total_cells(context: Context) -> tuple[Cell, ...]:
    time, blocks = context.figures.sql_time, context.figures.sql_blocks
    if not (time or blocks):
        return ()
    nothing = (Cell("–"),) * 4
    pairs = max(found.pairs for found in (time, blocks) if found)
    return (
        Cell(""),
        Cell(context.text("total", count=pairs)),
        Cell(""),
        Cell(""),
        *(_measure_cells(context, time.row.before, time.row.after, 3) if time else nothing),
        *(_measure_cells(context, blocks.row.before, blocks.row.after, 0) if blocks else nothing),
    )


def _totals_note(context: Context, name: str, found: StatementTotals) -> str:
    fisher = (
        context.text("fisher.unknown")
        if found.fisher is None
        else context.text("fisher.known", figure=grouped(found.fisher, 1))
    )
    return context.text(f"note.totals_{name}", pairs=found.pairs, listed=found.listed, fisher=fisher)


def resource(context: Context, subject: str) -> list[Block]:
    """The entered figures of a subject with their bars, then each captured pair with its statistics."""
    rows = context.figures.of_subject(subject)
    series = [item for item in context.case.series if item.subject == subject]
    blocks: list[Block] = []
    if rows:
        caption = context.text("caption.entered", subject=context.text(f"subject.{subject}"))
        bars = bar_figure(context, rows, "caption.entered_bars")
        unseen = () if series else (Note(context.text("note.no_series")),)
        blocks.append(Together((figure_table(context, rows, caption), *bars[:1], *(() if bars[1:] else unseen))))
        blocks += [*bars[1:], *(unseen if bars[1:] else ())]
    for item in series:
        blocks += _series_blocks(context, item)
    return blocks


def _series_blocks(context: Context, series: ResourceSeries) -> list[Block]:
    title = context.words.label_with_unit(
        f"{context.words.host(series.host)} · {series.label}" if series.host else series.label, series.unit
    )
    caption = context.text(
        "caption.series" if series.by_time_of_day else "caption.series_elapsed",
        title=title,
        source=_series_source(context, series),
        zone=context.words.zone,
    )
    pair = SeriesPair(
        context.words.unit(series.unit),
        _panel(context, series.before, "before"),
        _panel(context, series.after, "after"),
        series.axis_maximum,
        series.by_time_of_day,
        caption,
    )
    return [Heading(title, "", level=3), pair, _series_table(context, series, title)]


def _series_source(context: Context, series: ResourceSeries) -> str:
    keys = tuple(dict.fromkeys(key for side in (series.before, series.after) if side for key in side.evidence))
    return evidence_text(keys) or context.text("source.none")


def _panel(context: Context, side: SeriesSide | None, name: str) -> SeriesPanel:
    words = context.words
    if side is None:
        nothing = np.empty(0, dtype=np.float64)
        return SeriesPanel(context.text(f"phase.{name}"), "", nothing, nothing, absent=words.missing)
    subtitle = context.text(
        "panel.subtitle",
        window=words.span(side.start_ns, side.end_ns),
        interval=words.interval(side.interval_s),
        count=f"{side.summary.n:,}",
    )
    return SeriesPanel(_dated(context, name, side.date), subtitle, side.times_s, side.values, side.interval_s)


def _series_table(context: Context, series: ResourceSeries, title: str) -> Table:
    text = context.text
    statistics = ("mean", "p95", "max")
    rows = [series_row(series, statistic) for statistic in statistics]
    columns = (
        Column(text("column.phase"), TEXT, 1.2),
        Column(text("column.run"), TEXT, 1.4),
        Column(text("column.interval"), FIXED),
        Column("n", NUMBER),
        Column(text("column.missing"), NUMBER),
        *(Column(text(f"statistic.{statistic}"), NUMBER) for statistic in statistics),
        Column(text("column.evidence"), TEXT, 1),
    )
    decimals = decimals_for([row.before for row in rows] + [row.after for row in rows])
    body = tuple(
        _side_cells(context, side, name, rows, decimals)
        for name, side in (("before", series.before), ("after", series.after))
    )
    changes = [change_cells(context, row) for row in rows]
    ratio = (
        Cell(text("column.ratio"), None, Tone.STRONG),
        *(Cell(""),) * 4,
        *(cells[0] for cells in changes),
        Cell(""),
    )
    rate = (Cell(text("column.rate"), None, Tone.STRONG), *(Cell(""),) * 4, *(cells[1] for cells in changes), Cell(""))
    return Table(text("caption.series_table", title=title), columns, body, (ratio, rate), dense=True)


def _side_cells(
    context: Context, side: SeriesSide | None, name: str, rows: list[FigureRow], decimals: int
) -> tuple[Cell, ...]:
    words = context.words
    label = Cell(context.text(f"phase.{name}"))
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


def largest_changes(rows: Sequence[ComparisonRow]) -> tuple[ComparisonRow, ...]:
    """The rows of the main part: means that changed most, figures with a better direction before neutral ones."""

    def rank(row: ComparisonRow) -> tuple[bool, float]:
        before = row.before.mean if row.before else None
        after = row.after.mean if row.after else None
        if not before or not after or before < 0 or after < 0:
            return (True, 0.0)
        return (row.direction is Direction.NEUTRAL, -abs(log(before / after)))

    return tuple(sorted(rows, key=rank)[:COMPARISON_SHOWN])


def comparison(context: Context) -> list[Block]:
    """The largest changes; all series where they are few."""
    rows = context.case.comparison
    if len(rows) <= COMPARISON_SHOWN:
        return [_comparison_table(context, rows, context.text("caption.comparison", count=len(rows)))]
    caption = context.text("caption.comparison_largest", shown=COMPARISON_SHOWN, count=len(rows))
    return [_comparison_table(context, largest_changes(rows), caption)]


def full_comparison(context: Context) -> list[Block]:
    """Every captured series, before above after in one row."""
    rows = context.case.comparison
    return [_comparison_table(context, rows, context.text("caption.comparison", count=len(rows)))]


def _comparison_table(context: Context, compared: tuple[ComparisonRow, ...], caption: str) -> Table:
    text = context.text
    columns = (
        Column(text("column.series"), TEXT, 3),
        Column("", FIXED),
        Column("n", NUMBER),
        Column(text("statistic.mean"), NUMBER),
        Column(text("statistic.p50"), NUMBER),
        Column(text("statistic.p95"), NUMBER),
        Column(text("statistic.max"), NUMBER),
        *change_columns(context),
        Column(text("column.evidence"), FIXED),
    )
    rows = tuple(_comparison_cells(context, row) for row in compared)
    return Table(caption, columns, rows, notes=(text("note.comparison"),), dense=True)


def _comparison_cells(context: Context, row: ComparisonRow) -> tuple[Cell, ...]:
    words, text = context.words, context.text
    sides = (row.before, row.after)
    decimals = decimals_for(
        [value for side in sides if side for value in (side.mean, side.p50, side.p95, side.maximum)]
    )
    means = tuple(side.mean if side else None for side in sides)
    change = improvement(means[0], means[1], row.direction, percentage=row.unit == "%")
    figure = FigureRow("", row.label, row.unit, "mean", row.direction, means[0], means[1], change, decimals)

    def stacked(pick: str) -> Cell:
        values = [getattr(side, pick) if side else None for side in sides]
        return Cell("\n".join(words.number(value, decimals) for value in values))

    ratio, rate = change_cells(context, figure)
    reason = words.known(f"report.verdict_reason.{row.reason}", "") if row.reason else ""
    label = words.label_with_unit(row.label, row.unit)
    return (
        Cell("\n".join(part for part in (label, words.host(row.host), reason) if part)),
        Cell(f"{text('column.before_short')}\n{text('column.after_short')}"),
        Cell("\n".join(_samples(context, side) for side in sides)),
        stacked("mean"),
        stacked("p50"),
        stacked("p95"),
        stacked("maximum"),
        Cell(ratio.text, ratio.value, tone_of(figure)),
        Cell(rate.text, rate.value, tone_of(figure)),
        Cell("\n".join(evidence_text(keys, 2) for keys in (row.before_evidence, row.after_evidence) if keys)),
    )


def _samples(context: Context, side: Summary | None) -> str:
    return f"{side.n:,}" if side else context.text("missing")
