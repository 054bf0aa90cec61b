"""The comparison of a database's statements: periods, what must be known, headline, where the change comes from."""

from __future__ import annotations

from collections.abc import Iterator

from tunebench.analysis.comparing.improvement import half_up
from tunebench.analysis.databases.database_time import TimeChange
from tunebench.analysis.databases.explained import LEAST_NAMED
from tunebench.analysis.databases.statement_comparison import JUDGED, FigureChange, StatementChange, StatementClass
from tunebench.analysis.databases.workload import Decomposition, NetEffect, WorkloadTotals
from tunebench.analysis.inference.occurrences import would_settle
from tunebench.analysis.inference.verdict import Verdict
from tunebench.columns.statement_names import pair_name_with_id
from tunebench.reporting import statement_words
from tunebench.reporting.calling import class_of, tone_of
from tunebench.reporting.cases.databases import CasePeriod, CaseSide, DatabaseCase
from tunebench.reporting.chapters.context import FIXED, NUMBER, TEXT, Context, evidence_text
from tunebench.reporting.chapters.database_table import class_tone, statement_table, times, total_decimals, total_texts
from tunebench.reporting.chapters.explained import explained
from tunebench.reporting.document import (
    Badge,
    Block,
    Cell,
    Heading,
    ImpactBars,
    ImpactRow,
    Note,
    Paragraph,
    Table,
    TableHead,
    Tone,
)
from tunebench.reporting.wording import Wording, grouped

SLOWER_NAMED = 5
BARS = 10
PERIODS_SHOWN = 12
BLOCK_FIGURES = ("block_gets", "block_reads", "rows_examined")


def databases(context: Context) -> Iterator[Block]:
    """Every database of the case, and why others are not compared."""
    for case in context.case.databases:
        if len(context.case.databases) > 1:
            yield Heading(case.label, "", level=2)
        yield from _database(context, case)
    yield from (Note(remark, Tone.WARNING) for remark in context.case.database_remarks)


def _database(context: Context, case: DatabaseCase) -> Iterator[Block]:
    if case.before.periods or case.after.periods:
        yield _period_table(context, case)
    cautions = list(_cautions(context, case))
    if cautions:
        lead = "· " if len(cautions) > 1 else ""
        yield Note("\n".join(f"{lead}{caution}" for caution in cautions), Tone.WARNING)
    yield from explained(context, case)
    headline = headline_table(context, case)
    if headline.rows:
        yield headline
        yield verdict_badge(context, case)
    if case.time is not None:
        yield _time_badge(context, case.time)
    yield from _origin(context, case)
    yield statement_table(context, case)
    slower = slower_text(context, case)
    if slower:
        yield Note(slower, Tone.WARNING)
    for figure in ("elapsed_s", "block_gets"):
        bars = impact_bars(context, case, figure)
        if bars is not None:
            yield bars


# -- what was compared ---------------------------------------------------------------------------------


def _period_table(context: Context, case: DatabaseCase) -> Table:
    text = context.text
    columns = (
        TableHead(text("column.phase"), TEXT, 1),
        TableHead(text("db.source"), TEXT, 1.6),
        TableHead(text("column.window"), FIXED),
        TableHead(text("db.length"), NUMBER),
        TableHead(text("db.db_time"), NUMBER),
        TableHead(text("column.state"), TEXT, 1.8),
        TableHead(text("column.evidence"), TEXT, 0.8),
    )
    rows = tuple(
        _period_cells(context, name, period)
        for name, side in (("before", case.before), ("after", case.after))
        for period in side.periods[:PERIODS_SHOWN]
    )
    notes = [text("note.zone", zone=context.words.zone)]
    hidden = sum(max(len(side.periods) - PERIODS_SHOWN, 0) for side in (case.before, case.after))
    if hidden:
        notes.append(text("db.periods_hidden", count=f"{hidden:,}"))
    totals = tuple(
        _side_cells(context, name, side)
        for name, side in (("before", case.before), ("after", case.after))
        if sum(period.used for period in side.periods) > 1
    )
    caption = text("db.caption_periods", database=case.label)
    return Table(caption, columns, rows, totals, tuple(notes), dense=True)


def _period_cells(context: Context, name: str, period: CasePeriod) -> tuple[Cell, ...]:
    words = context.words
    state = context.text("db.period_used" if period.used else "db.period_left_out")
    return (
        Cell(context.text(f"phase.{name}")),
        Cell(period.source),
        Cell(words.span(period.begin_ns, period.end_ns)),
        Cell(length_text(period.length_s, words), period.length_s),
        Cell(words.number(period.db_time_s, 1), period.db_time_s),
        Cell("\n".join((state, *period.faults)), None, Tone.WARNING if period.faults else Tone.PLAIN),
        Cell(evidence_text(period.evidence, 2)),
    )


def _side_cells(context: Context, name: str, side: CaseSide) -> tuple[Cell, ...]:
    words = context.words
    return (
        Cell(context.text(f"phase.{name}")),
        Cell(context.text("db.used_periods", count=sum(period.used for period in side.periods))),
        Cell(""),
        Cell(length_text(side.length_s, words), side.length_s),
        Cell(words.number(side.db_time_s, 1), side.db_time_s),
        Cell(""),
        Cell(""),
    )


def length_text(seconds: float | None, words: Wording) -> str:
    """``6:15:00``."""
    if seconds is None:
        return words.missing
    whole = int(half_up(seconds, 0))
    return f"{whole // 3600}:{whole // 60 % 60:02d}:{whole % 60:02d}"


def _cautions(context: Context, case: DatabaseCase) -> Iterator[str]:
    yield from case.cautions
    for name, side in (("before", case.before), ("after", case.after)):
        shown = {fault for period in side.periods for fault in period.faults}
        for sentence in side.cautions:
            if sentence not in shown:
                yield f"{context.text(f'phase.{name}')}: {sentence}"


# -- headline ------------------------------------------------------------------------------------------


def headline_table(context: Context, case: DatabaseCase) -> Table:
    """Ratio of sums, ratio at equal executions, what the executions did; the mean of ratios stands apart."""
    text = context.text
    columns = (
        TableHead(text("column.figure"), TEXT, 1.6),
        TableHead("n", NUMBER),
        TableHead(text("column.before"), NUMBER),
        TableHead(text("column.after"), NUMBER),
        TableHead(text("db.raw_ratio"), NUMBER),
        TableHead(text("db.fisher"), NUMBER),
        TableHead(text("db.laspeyres"), NUMBER),
        TableHead(text("db.paasche"), NUMBER),
        TableHead(text("db.interval"), NUMBER),
        TableHead(text("db.volume_effect"), NUMBER),
        TableHead(text("db.net_ratio"), NUMBER),
        TableHead(text("db.geometric_mean"), NUMBER),
    )
    statements = case.statements
    rows = tuple(
        _headline_cells(context, statements.totals[name], statements.net.get(name))
        for name in JUDGED
        if statements.totals[name].statements
    )
    notes = (
        text("db.formula"),
        text(
            "db.formula_windows",
            n=f"{max((t.statements for t in statements.totals.values()), default=0):,}",
            before=_window_text(context, case.before),
            after=_window_text(context, case.after),
        ),
        *_coverage_notes(context, case),
    )
    return Table(text("db.caption_headline", database=case.label), columns, rows, notes=notes, dense=True)


def _headline_cells(context: Context, totals: WorkloadTotals, net: NetEffect | None) -> tuple[Cell, ...]:
    words = context.words
    decimals = 0 if totals.figure in BLOCK_FIGURES else 3
    interval = "–"
    if totals.interval is not None:
        interval = " ~ ".join(f"{half_up(end, 2):,f}" for end in (totals.interval.low, totals.interval.high))
    return (
        Cell(figure_name(words, totals.figure)),
        Cell(f"{totals.statements:,}", totals.statements),
        Cell(words.number(totals.before, decimals), totals.before),
        Cell(words.number(totals.after, decimals), totals.after),
        _times_cell(words, totals.raw_ratio),
        *(_times_cell(words, ratio) for ratio in (totals.fisher, totals.laspeyres, totals.paasche)),
        Cell(interval),
        _times_cell(words, totals.volume_effect),
        _times_cell(words, net.ratio if net else None),
        _times_cell(words, totals.geometric_mean),
    )


def _times_cell(words: Wording, ratio: float | None) -> Cell:
    return Cell(times(words, ratio), ratio)


def figure_name(words: Wording, figure: str) -> str:
    unit = words.text("db.unit.s" if figure.endswith("_s") else "db.unit.count")
    return f"{words.text(f'db.name.{figure}')} ({unit})"


def _window_text(context: Context, side: CaseSide) -> str:
    used = [period for period in side.periods if period.used and period.begin_ns is not None and period.end_ns]
    if not used:
        return context.text("unknown")
    begin, end = min(period.begin_ns or 0 for period in used), max(period.end_ns or 0 for period in used)
    return context.words.span(begin, end)


def _coverage_notes(context: Context, case: DatabaseCase) -> Iterator[str]:
    words, coverage = context.words, case.statements.coverage
    before, after = (
        context.text("unknown") if share is None else f"{half_up(share, 1):,f} %"
        for share in (coverage.before_pct, coverage.after_pct)
    )
    if coverage.before_pct is None and coverage.after_pct is None:
        yield context.text("db.coverage_unknown")
    else:
        yield context.text("db.coverage", before=before, after=after)
    if case.statements.similarity is not None:
        share = f"{half_up(case.statements.similarity * 100, 0):f} %"
        yield words.text("db.similarity", share=share)


def verdict_badge(context: Context, case: DatabaseCase) -> Badge:
    """What may be concluded from the response times; descriptive where nothing says how uncertain they are."""
    totals = next(case.statements.totals[name] for name in JUDGED if case.statements.totals[name].statements)
    refused = ", ".join(context.case.analysis.refused)
    judged = Verdict.NOT_COMPARABLE if refused else totals.verdict
    messages = context.words.words
    sentences = [context.text(f"db.verdict.{judged.value}"), statement_words.reason_text(totals.reason, messages)]
    if totals.change is not None:
        settling = would_settle(totals.change, case.statements.margin) if judged is Verdict.INCONCLUSIVE else None
        sentences.append(statement_words.variation_text(totals.change, messages))
        sentences.append(statement_words.settled_text(settling, messages))
    if refused:
        sentences[1:] = [context.text("badge.refused", checks=refused)]
    name = context.text("db.verdict", figure=context.text(f"db.name.{totals.figure}"))
    return Badge(name, " ".join(part for part in sentences if part), tone_of(judged))


def _time_badge(context: Context, change: TimeChange) -> Badge:
    """The verdict on DB time per second, or per unit of work."""
    refused, messages = ", ".join(context.case.analysis.refused), context.words.words
    judged = Verdict.NOT_COMPARABLE if refused else change.verdict
    sentences = [statement_words.class_text(judged, messages), statement_words.time_text(change, messages)]
    if refused:
        sentences.append(context.text("badge.refused", checks=refused))
    else:
        sentences.append(statement_words.variation_text(change.change, messages))
        sentences.append(statement_words.settled_text(change.settled_by, messages))
    return Badge(context.text("db.verdict_time"), " · ".join(part for part in sentences if part), tone_of(judged))


# -- where the change comes from -----------------------------------------------------------------------

_PARTS = ("volume", "behaviour", "new", "gone", "unlisted_before", "unlisted_after", "undivided")


def _origin(context: Context, case: DatabaseCase) -> Iterator[Block]:
    """More executions or worse behaviour? And what improvements and regressions come to."""
    figures = [name for name in ("elapsed_s", "block_gets") if name in case.statements.decompositions]
    if figures:
        yield _decomposition_table(context, case, figures)
        yield Paragraph(" ".join(decomposition_sentence(context, case, name) for name in figures))


def _decomposition_table(context: Context, case: DatabaseCase, figures: list[str]) -> Table:
    text, words = context.text, context.words
    columns = (
        TableHead(text("db.origin"), TEXT, 2),
        *(TableHead(figure_name(words, figure), NUMBER) for figure in figures),
    )
    decompositions = [case.statements.decompositions[name] for name in figures]
    decimals = [0 if name in BLOCK_FIGURES else 3 for name in figures]

    def row(key: str, values: list[float | None], sign: bool = True) -> tuple[Cell, ...]:
        cells = [_signed(words, value, places, sign) for value, places in zip(values, decimals, strict=True)]
        return (Cell(text(f"db.part.{key}")), *cells)

    parts = [name for name in _PARTS if any(getattr(decomposition, name) for decomposition in decompositions)]
    rows = [row("before", [decomposition.before for decomposition in decompositions], False)]
    rows += [row(name, [getattr(decomposition, name) for decomposition in decompositions]) for name in parts]
    nets = [case.statements.net.get(name) for name in figures]
    nets_in_words = [_net_note(context, net, name) for net, name in zip(nets, figures, strict=True)]
    notes = [text("db.note_origin"), *nets_in_words]
    return Table(
        text("db.caption_origin", database=case.label),
        columns,
        tuple(rows),
        (row("after", [decomposition.after for decomposition in decompositions], False),),
        tuple(note for note in notes if note),
        dense=True,
    )


def _signed(words: Wording, value: float | None, decimals: int, sign: bool) -> Cell:
    if value is None:
        return Cell(words.missing)
    return Cell(f"{half_up(value, decimals):{'+' if sign and value else ''},f}", value)


def _net_note(context: Context, net: NetEffect | None, figure: str) -> str:
    """What improvements and regressions come to; empty where no statement is called either."""
    if net is None or context.refused or not (net.improvements or net.regressions):
        return ""
    decimals = 0 if figure in BLOCK_FIGURES else 3
    return context.text(
        "db.net",
        figure=context.text(f"db.name.{figure}"),
        improvements=grouped(net.improvements, decimals),
        regressions=grouped(net.regressions, decimals),
        others=grouped(0.0 - net.others, decimals),
        net=grouped(net.net, decimals),
        basis=grouped(net.basis, decimals),
        pct=_pct(context, net.pct(net.net)),
    )


def _pct(context: Context, share: float | None) -> str:
    return context.text("unknown") if share is None else f"{half_up(share, 1):,f}"


def decomposition_sentence(context: Context, case: DatabaseCase, figure: str) -> str:
    """``590.997 -> 33.170: executions +12.000, per execution -569.827``."""
    decomposition: Decomposition = case.statements.decompositions[figure]
    decimals = 0 if figure in BLOCK_FIGURES else 3
    return context.text(
        "db.origin_sentence",
        figure=figure_name(context.words, figure),
        before=grouped(decomposition.before, decimals),
        after=grouped(decomposition.after, decimals),
        volume=f"{half_up(decomposition.volume, decimals):+,f}",
        behaviour=f"{half_up(decomposition.behaviour, decimals):+,f}",
    )


# -- what became slower, and the greatest impacts ------------------------------------------------------


def slower_text(context: Context, case: DatabaseCase) -> str:
    statements = case.statements
    regressed = [
        index
        for index, outcome in enumerate(statements.outcomes)
        if outcome is StatementClass.REGRESSED and class_of(statements.row(index), context.refused) is outcome
    ]
    regressed = [index for index in regressed if _is_weighty(case, statements.row(index))]
    if not regressed:
        return ""
    named = ", ".join(_slower_one(context, case, index) for index in regressed[:SLOWER_NAMED])
    more = " …" if len(regressed) > SLOWER_NAMED else ""
    return context.text("db.slower", count=f"{len(regressed):,}", names=named + more)


def _is_weighty(case: DatabaseCase, change: StatementChange) -> bool:
    """Whether what it costs more is anything that a reader notices of all that the database did."""
    judged = change.changes[change.judged_by]
    if judged.impact is None or not judged.figure.endswith("_s"):
        return True
    totals = case.statements.totals[judged.figure]
    wholes = (case.before.db_time_s, case.after.db_time_s, totals.all_before, totals.all_after)
    return judged.impact >= LEAST_NAMED * max((whole for whole in wholes if whole is not None), default=0.0)


def _slower_one(context: Context, case: DatabaseCase, index: int) -> str:
    change = case.statements.row(index)
    name = pair_name_with_id(case.statements, change.pair, context.words.words)
    judged: FigureChange = change.changes[change.judged_by]
    if judged.impact is None or not judged.figure.endswith("_s"):
        return name
    return context.text("slower.one", name=name, more=grouped(judged.impact, total_decimals(judged.impact)))


def impact_bars(context: Context, case: DatabaseCase, figure: str) -> ImpactBars | None:
    """Totals before and after of the ten statements with the greatest impact; those of the table."""
    words, rows = context.words, []
    for index in range(min(BARS, len(case.statements))):
        row = case.statements.row(index)
        change = row.changes[figure]
        if change.before_total is None and change.after_total is None:
            continue
        texts = total_texts(words, change)
        label = f"{index + 1}. {case.name_of(row.pair, words.words)}"
        rows.append(
            ImpactRow(
                label, change.before_total, change.after_total, texts[0], texts[1], class_tone(context, row) is Tone.BAD
            )
        )
    if not rows:
        return None
    return ImpactBars(
        figure_name(words, figure),
        (context.text("phase.before"), context.text("phase.after")),
        tuple(rows),
        context.text(
            "db.bars",
            count=len(rows),
            figure=words.text(f"db.name.{figure}"),
            source=evidence_text(case.evidence, 4) or context.text("source.none"),
        ),
    )
