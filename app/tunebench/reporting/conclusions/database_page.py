"""A database: sessions at work before over after, what changed them statement by statement, and its parameters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

import numpy as np

from tunebench.analysis.answering.answer import DatabaseAnswer
from tunebench.analysis.databases.explained import Explanation, Step, StepKind
from tunebench.analysis.databases.profile_lines import LineKind, ParameterChange
from tunebench.analysis.databases.sessions import Layer, SessionsOverTime
from tunebench.analysis.databases.statement_comparison import StatementChange
from tunebench.columns.answering.database_words import cause_text, database_text, durations
from tunebench.columns.statement_names import pair_name_with_id
from tunebench.reporting.cases.databases import CaseSide, DatabaseCase
from tunebench.reporting.chapters.context import FIXED, NUMBER, TEXT, Context, evidence_text
from tunebench.reporting.conclusions.page import ITEM, ConclusionPage
from tunebench.reporting.conclusions.parts import foot, runs, signed, verdict_chip
from tunebench.reporting.document import (
    Block,
    Cell,
    Claim,
    Figure,
    Run,
    StackBar,
    StackedSides,
    StackSide,
    Table,
    TableHead,
    TextColumn,
    TextColumns,
    Tone,
    Waterfall,
    WaterfallRow,
)
from tunebench.reporting.statement_words import class_text
from tunebench.reporting.wording import in_parts

MOST_CLASSES, MOST_BARS, MOST_STEPS, MOST_STATEMENTS, MOST_PARAMETERS = 5, 24, 5, 6, 8
_FIGURE = "elapsed_s"


def has_databases(context: Context) -> bool:
    return bool(context.case.databases)


def databases(context: Context) -> Iterator[ConclusionPage]:
    for case in context.case.databases:
        yield ConclusionPage(context.text("section.databases"), tuple(_blocks(context, case)))


def _blocks(context: Context, case: DatabaseCase) -> Iterator[Block]:
    answer = _answer(context, case)
    yield _claim(context, case, answer)
    yield from pictures(context, case.label)
    table = statement_table(context, case)
    if table.rows:
        yield table
    columns = list(_columns(context, case, answer))
    if columns:
        yield TextColumns(tuple(columns))
    yield from foot(context, context.answer)


def _answer(context: Context, case: DatabaseCase) -> DatabaseAnswer | None:
    answers = context.case.answer.answer.databases if context.case.answer is not None else ()
    return next((answer for answer in answers if answer.label == case.after.label), None)


def _claim(context: Context, case: DatabaseCase, answer: DatabaseAnswer | None) -> Claim:
    if answer is None or answer.sessions is None:
        return Claim((Run(context.text("database.entered", label=case.label)),))
    return Claim(runs(database_text(answer, context.words.locale)), chips=(verdict_chip(context, answer.verdict),))


# -- pictures ------------------------------------------------------------------------------------------


def pictures(context: Context, label: str) -> list[Figure]:
    """Sessions at work, and what changed them; what was not captured is not drawn."""
    case = next((own for own in context.case.databases if label in (own.label, own.after.label)), None)
    if case is None:
        return []
    drawn: list[Figure] = []
    if case.before.sessions is not None and case.after.sessions is not None:
        drawn.append(_stacks(context, case, case.before.sessions, case.after.sessions))
    if case.explanation is not None:
        drawn.append(waterfall(context, case, case.explanation))
    return drawn


def _stacks(context: Context, case: DatabaseCase, before: SessionsOverTime, after: SessionsOverTime) -> StackedSides:
    layers = list(dict.fromkeys((*before.layers, *after.layers)))
    weight = {layer: _amount(before, layer) + _amount(after, layer) for layer in layers}
    named = sorted(layers, key=lambda layer: -weight[layer])[:MOST_CLASSES]
    classes = [*(_layer_name(context, layer) for layer in named), context.text("database.others")]
    every = len(named) == len(layers)
    return StackedSides(
        context.text("database.sessions", label=case.label),
        _side(context, case.before, before, named, every, "before"),
        _side(context, case.after, after, named, every, "after"),
        tuple(classes[: len(named)] if every else classes),
        context.text(
            "database.sessions_caption", source=evidence_text(case.evidence, 4) or context.text("source.none")
        ),
    )


def _amount(over: SessionsOverTime, layer: Layer) -> float:
    return float(np.nansum(over.amounts[over.layers.index(layer)])) if layer in over.layers else 0.0


def _layer_name(context: Context, layer: Layer) -> str:
    if layer.kind is LineKind.CPU:
        return context.words.known("database.time.db_cpu", "CPU")
    if layer.kind is LineKind.UNACCOUNTED:
        return context.text("db.line.unaccounted")
    return layer.name or context.text("database.others")


def _side(
    context: Context, side: CaseSide, over: SessionsOverTime, named: Sequence[Layer], every: bool, phase: str
) -> StackSide:
    zone = context.words.zoneinfo
    step = max(-(-len(over) // MOST_BARS), 1)
    bars = []
    for start in range(0, len(over), step):
        part = slice(start, start + step)
        amounts = [
            float(np.nanmean(over.amounts[over.layers.index(layer)][part])) if layer in over.layers else 0.0
            for layer in named
        ]
        total = float(np.nanmean(over.totals[part])) if not np.isnan(over.totals[part]).all() else 0.0
        rest = [] if every else [max(total - sum(np.nan_to_num(amounts)), 0.0)]
        moment = datetime.fromtimestamp(int(over.begins_ns[start]) // 1_000_000_000, zone)
        parts = tuple(float(np.nan_to_num(amount)) for amount in (*amounts, *rest))
        bars.append(StackBar(f"{moment.month}.{moment.day}" if _days(over) > 1 else f"{moment:%H:%M}", parts))
    mean = float(over.mean) if over.mean == over.mean else None
    title = f"{context.text(f'phase.{phase}')} · {side.run}"
    text = (
        ""
        if mean is None
        else context.text(
            "database.mean_sampled" if side.sampled else "database.mean", sessions=context.words.number(mean, 2)
        )
    )
    return StackSide(title, tuple(bars), mean, text)


def _days(over: SessionsOverTime) -> float:
    return float(over.ends_ns[-1] - over.begins_ns[0]) / 86_400e9 if len(over) else 0.0


def waterfall(context: Context, case: DatabaseCase, explanation: Explanation) -> Waterfall:
    """From before to after, by the statements that changed it most; all others are one step."""
    named = sorted((step for step in explanation.steps if step.place is not None), key=lambda step: -abs(step.amount))
    named = named[:MOST_STEPS]
    rest = explanation.change - sum(step.amount for step in named)
    level = explanation.before
    rows = [_whole(context, "before", explanation.before)]
    for step in sorted(named, key=lambda step: step.amount):
        rows.append(_step(context, case, step, level))
        level += step.amount
    other = context.text("database.all_others")
    rows.append(WaterfallRow(other, level, level + rest, signed(rest, 3), detail=context.text("database.rest")))
    rows.append(_whole(context, "after", explanation.after))
    caption = context.text("database.waterfall_caption")
    return Waterfall(context.text("database.waterfall"), tuple(rows), caption, upright=True)


def _whole(context: Context, phase: str, value: float) -> WaterfallRow:
    name = context.text(f"phase.{phase}")
    return WaterfallRow(name, 0.0, value, context.words.number(value, 3), True, context.text("database.unit"))


def _step(context: Context, case: DatabaseCase, step: Step, level: float) -> WaterfallRow:
    assert step.place is not None
    row = case.statements.row(step.place)
    tone = Tone.STRONG if step.amount < 0 else Tone.BAD
    detail = _detail(context, step, row)
    name = case.name_of(row.pair, context.words.words)
    return WaterfallRow(name, level, level + step.amount, signed(step.amount, 3), False, detail, tone)


def _detail(context: Context, step: Step, row: StatementChange) -> str:
    change = row.changes[_FIGURE]
    if step.kind is StepKind.BEHAVIOUR and change.before_each and change.after_each:
        before, after, unit = durations(change.before_each, change.after_each)
        return context.words.words.text("answer.cause.each", before=before, after=after, unit=unit)
    if step.kind is StepKind.VOLUME and row.before_executions and row.after_executions:
        facts = {"before": f"{row.before_executions:,.0f}", "after": f"{row.after_executions:,.0f}"}
        return context.words.words.text("answer.cause.runs", **facts)
    return context.words.words.text(f"answer.cause.{step.kind}")


# -- statements and parameters -------------------------------------------------------------------------


def statement_table(context: Context, case: DatabaseCase) -> Table:
    """The statements whose time changed most, whichever way: calls and time per call apart."""
    text, words, statements = context.text, context.words, case.statements
    change = np.nan_to_num(statements.after.total(_FIGURE) / _seconds(statements.lengths_s[1]))
    change = change - np.nan_to_num(statements.before.total(_FIGURE) / _seconds(statements.lengths_s[0]))
    ranked = [
        int(index) for index in np.argsort(-np.abs(change), kind="stable") if change[index] and case.counted(int(index))
    ]
    columns = (
        TableHead(text("database.statement"), TEXT, 3.2),
        TableHead(text("database.change"), NUMBER),
        TableHead(text("database.each"), NUMBER),
        TableHead(text("database.calls"), NUMBER),
        TableHead(text("verdict.title"), FIXED),
    )
    rows = tuple(_statement_cells(context, case, index, float(change[index])) for index in ranked[:MOST_STATEMENTS])
    caption = text("database.caption_statements", shown=len(rows), count=f"{len(statements):,}")
    coverage = case.statements.coverage
    notes: tuple[str, ...] = ()
    if coverage.before_pct is not None and coverage.after_pct is not None:
        facts = {"before": words.number(coverage.before_pct, 1), "after": words.number(coverage.after_pct, 1)}
        notes = (text("database.coverage", **facts),)
    return Table(caption, columns, rows, notes=notes, dense=True)


def _seconds(length_s: float | None) -> float:
    return length_s or 1.0


def _statement_cells(context: Context, case: DatabaseCase, index: int, change: float) -> tuple[Cell, ...]:
    row, words = case.statements.row(index), context.words
    elapsed = row.changes[_FIGURE]
    tone = {"improved": Tone.STRONG, "regressed": Tone.BAD}.get(row.outcome.value, Tone.PLAIN)
    times = "–"
    if elapsed.before_each is not None and elapsed.after_each is not None:
        before, after, unit = durations(elapsed.before_each, elapsed.after_each)
        times = f"{before} → {after} {unit}"
    executions = " → ".join(
        "–" if value is None else f"{value:,.0f}" for value in (row.before_executions, row.after_executions)
    )
    return (
        Cell(pair_name_with_id(case.statements, row.pair, words.words)),
        Cell(signed(change, 3), change),
        Cell(times),
        Cell(executions),
        Cell(class_text(row.outcome, words.words), None, tone, is_chip=True),
    )


def _columns(context: Context, case: DatabaseCase, answer: DatabaseAnswer | None) -> Iterator[TextColumn]:
    text = context.text
    changed = [own for own in case.profile.parameters if own.between] if case.profile is not None else []
    if changed:
        lines = [_parameter_text(own) for own in changed[:MOST_PARAMETERS]]
        if len(changed) > MOST_PARAMETERS:
            lines.append(text("result.more", count=len(changed) - MOST_PARAMETERS))
        yield TextColumn(text("database.parameters", count=len(changed)), tuple(lines))
    dearer = [cause for cause in answer.causes if cause.is_dearer] if answer is not None else []
    if dearer:
        lines = [cause_text(cause, context.words.locale) for cause in dearer[:3]]
        yield TextColumn(text("answer.column.worse"), tuple(lines))
    if case.cautions:
        yield TextColumn(text("database.mind"), tuple(in_parts(caution, ITEM) for caution in case.cautions[:1]))


def _parameter_text(change: ParameterChange) -> str:
    """``sga_target: 32 GiB → 48 GiB``: as it was at the end of the one period and at the begin of the other."""
    before = change.before[1] if change.before is not None else "–"
    after = change.after[0] if change.after is not None else "–"
    return f"{change.name}: {before} → {after}"
