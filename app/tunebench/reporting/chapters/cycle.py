"""The method in the report: issues and their actions, the cycle with its dates, metrics and targets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from tunebench.analysis.comparing.improvement import Change, Improvement
from tunebench.domain.cycle.records import Equality, Figure, Metric, ResultSummary, SystemInScope
from tunebench.domain.engagement import Section
from tunebench.reporting.calling import tone_of
from tunebench.reporting.cases.cycle import (
    CONTRADICTED,
    WITHHELD,
    CaseGuard,
    CaseIssue,
    CaseIteration,
    CasePlanned,
    CaseTarget,
)
from tunebench.reporting.chapters import front
from tunebench.reporting.chapters.context import FIXED, NUMBER, TEXT, Context, evidence_text, table_of
from tunebench.reporting.cycle_words import amendment_text, interval_text, planned_text, with_checks, with_subject, word
from tunebench.reporting.document import Block, Cell, Column, Heading, Note, NumberedList, Paragraph, Table, Tone

MATRIX_COLUMNS = 12
"""Actions beside each other in the matrix; more are in the workbook."""


def state_cell(context: Context, kind: str, state: str, checks: tuple[str, ...] = ()) -> Cell:
    text = with_checks(context.words.known(f"cycle.{kind}.{state}", state), checks)
    return Cell(text, tone=tone_of(state))


def target_cell(context: Context, target: CaseTarget) -> Cell:
    """The state of a target with what it is never told without."""
    cell = state_cell(context, "target_state", target.state, target.checks)
    return replace(cell, text=qualified(context, cell.text, target))


def outcome_text(context: Context, each: CaseIteration) -> str:
    """How an iteration ended, with what its targets are never told without."""
    subject = (words for target in each.targets for words in target.qualified)
    return with_subject(word(each.outcome, context.words.language), subject, context.words.language)


def _verdict_column(context: Context, targets: Sequence[CaseTarget]) -> Column:
    kind = TEXT if any(each.qualified for each in targets) else FIXED
    return Column(context.text("column.verdict"), kind, 1.6 if kind is TEXT else 1.0)


def qualified(context: Context, words: str, target: CaseTarget) -> str:
    return with_subject(words, target.qualified, context.words.language)


# --- on the first page


def summary(context: Context) -> Iterator[Block]:
    """The figures, then what became of the top priority of each iteration; the verdict on comparability stays last."""
    *figures, verdict = front.summary(context)
    yield from contradicted(context)
    yield from figures
    rows = tuple(row for each in context.case.cycle.iterations for row in _top_rows(context, each))
    if rows:
        yield _top_table(context, rows)
    yield verdict


def contradicted(context: Context) -> Iterator[Block]:
    """What the check of the project contradicts: its figures and verdicts are not printed."""
    found = context.case.cycle.contradicted
    if found:
        yield Note("\n".join((context.text("method.contradicted"), *found)), Tone.WARNING)


def _top_rows(context: Context, each: CaseIteration) -> list[tuple[Cell, ...]]:
    """One that has no top priority says that no target was set."""
    number = Cell(str(each.iteration.number), each.iteration.number)
    outcome, nothing = Cell(outcome_text(context, each)), Cell("–")
    found: list[tuple[Cell, ...]] = [
        (
            number,
            Cell("\n".join(filter(None, (name_with_statistic(context, target.metric), target.source)))),
            Cell(baseline_text(context, target)),
            Cell(target_text(context, target)),
            Cell(figure_text(context, target.metric, target.now)),
            target_cell(context, target),
            outcome,
        )
        for target in each.targets
        if target.target is not None and target.target.priority == 1
    ]
    unset = Cell(context.text("method.no_target"))
    return found or [(number, Cell(each.iteration.title), nothing, unset, nothing, nothing, outcome)]


def _top_table(context: Context, rows: tuple[tuple[Cell, ...], ...]) -> Table:
    text = context.text
    verdicts = _verdict_column(context, [target for each in context.case.cycle.iterations for target in each.targets])
    columns = (
        Column(text("column.iteration"), NUMBER),
        Column(text("column.metric"), TEXT, 2.6),
        Column(text("column.baseline"), NUMBER),
        Column(text("column.target"), NUMBER),
        Column(text("column.result"), NUMBER),
        verdicts,
        replace(verdicts, heading=text("column.outcome")),
    )
    notes = tuple(sentence for each in context.case.cycle.iterations for sentence in irregular(context, each))
    return Table(text("caption.top_targets"), columns, rows, notes=notes, dense=True)


def irregular(context: Context, each: CaseIteration) -> list[str]:
    """What no verdict of an iteration is told without: what was changed after its result was known, and what the
    method wants otherwise."""
    amended = [amendment_text(one, context.words) for one in each.amendments if one.after_result]
    return [*amended, *each.exceptions]


# --- issues and systems


def issues(context: Context) -> Iterator[Block]:
    """The register of issues in the customer's own words; the narrative where it is in another language, or alone."""
    told = context.case.texts(Section.ISSUE)
    found = context.case.cycle
    if not (found.issues or found.systems):
        yield from front.issues(context)
        return
    foreign = context.words.language != context.case.engagement.language
    if told and (foreign or not found.issues):
        yield NumberedList(told)
    if found.issues:
        yield _issue_table(context, found.issues)
    if found.systems:
        yield _system_table(context, found.systems)
    yield from front.hosts(context)


def _issue_table(context: Context, found: tuple[CaseIssue, ...]) -> Table:
    text, language = context.text, context.words.language
    unanswered = Cell(text("method.not_addressed"), tone=Tone.WARNING)
    return table_of(
        text("caption.issues", count=len(found)),
        found,
        (Column("#", NUMBER), lambda each: Cell(str(each.issue.number), each.issue.number)),
        (
            Column(text("column.issue"), TEXT, 5),
            lambda each: "\n".join(filter(None, (each.issue.title, each.issue.text))),
        ),
        (Column(text("column.severity"), FIXED), lambda each: word(each.issue.severity, language)),
        (Column(text("column.state"), FIXED), lambda each: word(each.issue.state, language)),
        (Column(text("column.answered_by"), TEXT, 1), lambda each: ", ".join(each.actions) or unanswered),
        (Column(text("column.evidence"), TEXT, 0.9), lambda each: evidence_text(each.evidence)),
    )


def _system_table(context: Context, found: tuple[SystemInScope, ...]) -> Table:
    text = context.text
    return table_of(
        text("caption.systems"),
        found,
        (Column(text("column.system_kind"), FIXED), lambda each: word(each.kind, context.words.language)),
        (Column(text("column.system"), TEXT, 1.2), lambda each: each.name),
        (Column(text("column.role"), TEXT, 1.2), lambda each: each.role),
        (Column(text("column.product"), TEXT, 1.6), lambda each: each.product),
        (Column(text("column.detail"), TEXT, 2.2), lambda each: each.detail),
    )


# --- the approach


def approach(context: Context) -> Iterator[Block]:
    told = context.case.texts(Section.APPROACH)
    if told:
        yield NumberedList(told)
    if not context.case.cycle.iterations:
        return
    found = context.case.cycle
    if found.issues and found.actions:
        yield Heading(context.text("method.matrix"), "approach-matrix", 2)
        yield matrix(context)
    yield Heading(context.text("method.steps"), "approach-cycle", 2)
    for iteration in found.iterations:
        yield _step_table(context, iteration)
        if any(not question.answer.strip() for question in iteration.questions):
            yield _open_questions(context, iteration)
    yield Heading(context.text("method.metrics"), "approach-metrics", 2)
    yield from (metric_table(context, iteration) for iteration in found.iterations if iteration.targets)


def matrix(context: Context) -> Table:
    """Which action answers which issue; what nobody answers stands out as an empty line."""
    text, found = context.text, context.case.cycle
    actions = found.actions[:MATRIX_COLUMNS]
    columns = (
        Column("#", NUMBER),
        Column(text("column.issue"), TEXT, 3),
        *(Column(action.number, FIXED) for action in actions),
    )
    rows = tuple(
        (
            Cell(str(each.issue.number), each.issue.number),
            Cell(each.issue.title),
            *(Cell("●" if action.number in each.actions else "") for action in actions),
        )
        for each in found.issues
    )
    legend = "; ".join(f"{action.number} {action.action.title}" for action in actions)
    notes = (text("method.matrix_note", actions=legend),)
    return Table(text("caption.matrix"), columns, rows, notes=notes, dense=True)


def title_of(context: Context, each: CaseIteration) -> str:
    return context.text("method.iteration", number=each.iteration.number, title=each.iteration.title)


def _step_table(context: Context, each: CaseIteration) -> Table:
    text, words = context.text, context.words
    return table_of(
        _iteration_caption(context, each),
        each.steps,
        (Column("#", NUMBER), lambda told: Cell(str(int(told.step.number)), int(told.step.number))),
        (Column(text("column.step"), TEXT, 2.2), lambda told: word(told.step.number, words.language)),
        (Column(text("column.state"), FIXED), lambda told: word(told.step.state, words.language)),
        (Column(text("column.started"), FIXED), lambda told: words.date(told.step.started_on) or "–"),
        (Column(text("column.ended"), FIXED), lambda told: words.date(told.step.ended_on) or "–"),
        (Column(text("column.owner"), TEXT, 1), lambda told: told.step.owner or "–"),
        (Column(text("column.notes"), TEXT, 3), lambda told: told.step.skip_reason or told.step.notes),
        (Column(text("column.evidence"), TEXT, 0.8), lambda told: evidence_text(told.evidence)),
        notes=_iteration_notes(context, each),
    )


def _iteration_caption(context: Context, each: CaseIteration) -> str:
    iteration = each.iteration
    opened, closed = context.words.date(iteration.opened_on), context.words.date(iteration.closed_on)
    facts = {"title": title_of(context, each), "opened": opened or "–", "closed": closed or "–"}
    return context.text("caption.iteration", outcome=outcome_text(context, each), **facts)


def _iteration_notes(context: Context, each: CaseIteration) -> Iterator[str]:
    iteration = each.iteration
    if each.continues is not None:
        yield context.text("method.continues", number=each.continues)
    if iteration.reason:
        by = iteration.closed_by or context.text("unknown")
        yield context.text("method.closed_because", name=by, reason=iteration.reason)


def _open_questions(context: Context, each: CaseIteration) -> Block:
    text, words = context.text, context.words
    return table_of(
        text("caption.questions"),
        (question for question in each.questions if not question.answer.strip()),
        (Column(text("column.step"), TEXT, 1.4), lambda question: word(question.step, words.language)),
        (Column(text("column.question"), TEXT, 4), lambda question: question.text),
        (
            Column(text("column.asked"), TEXT, 1.4),
            lambda question: " ".join(filter(None, (question.asked_by, words.date(question.asked_on)))) or "–",
        ),
        (Column(text("column.owner"), TEXT, 1.2), lambda question: question.owner or "–"),
        (Column(text("column.due"), FIXED), lambda question: words.date(question.due_on) or "–"),
    )


def metric_table(context: Context, each: CaseIteration) -> Table:
    text, words = context.text, context.words
    return table_of(
        text("caption.metrics", title=title_of(context, each)),
        each.targets,
        (Column(text("column.priority"), NUMBER), _priority_cell),
        (
            Column(text("column.metric"), TEXT, 2.4),
            lambda told: Cell(
                "\n".join(filter(None, (told.metric.name, told.metric.definition))),
                tone=Tone.STRONG if told.target and told.target.priority == 1 else Tone.PLAIN,
            ),
        ),
        (Column(text("column.statistic"), FIXED), lambda told: statistic_text(context, told.metric)),
        (Column(text("column.better"), FIXED), lambda told: word(told.metric.direction, words.language)),
        (Column(text("column.baseline"), NUMBER), lambda told: baseline_text(context, told)),
        (Column(text("column.target"), NUMBER), lambda told: target_text(context, told)),
        (Column(text("column.metric_source"), TEXT, 2.2), lambda told: told.source),
        (
            Column(text("column.due"), FIXED),
            lambda told: words.date(told.target.due_on) if told.target and told.target.due_on else "–",
        ),
    )


def _priority_cell(each: CaseTarget) -> Cell:
    return Cell("–") if each.target is None else Cell(str(each.target.priority), each.target.priority)


def baseline_text(context: Context, each: CaseTarget) -> str:
    return figure_text(context, each.metric, each.target.baseline if each.target else None)


def statistic_text(context: Context, metric: Metric) -> str:
    return context.words.known(f"cycle.statistic.{metric.statistic}", metric.statistic)


def figure_text(context: Context, metric: Metric, figure: Figure | None) -> str:
    """With unit and bound; what was not measured is said."""
    if figure == WITHHELD:
        return context.text("method.withheld")
    value, bound = (figure.value, figure.bound) if figure else (None, "")
    return context.words.quantity(value, metric.unit, metric.decimals, bound)


def change_text(context: Context, metric: Metric, change: Improvement) -> str:
    """How many times, with its interval, and the change in per cent."""
    if change.change is Change.IMPROVED:
        return f"{context.words.ratio(change)} ({context.words.rate(change, metric.decimals)})"
    return context.words.headline(change, metric.decimals)


def target_text(context: Context, each: CaseTarget) -> str:
    """``≤ 1.0 ms``; a metric without target value says so."""
    if each.state == CONTRADICTED:
        return context.text("method.withheld")
    if each.target is None or each.target.value is None:
        return context.text("method.no_target")
    value = context.words.quantity(each.target.value, each.metric.unit, each.metric.decimals)
    return context.text(f"goal.{each.metric.direction.value}", value=value)


# --- what became of the targets


def results(context: Context) -> Iterator[Block]:
    """Every target met or not, every guard, and where the bottleneck went; iteration by iteration."""
    yield from contradicted(context)
    for each in context.case.cycle.iterations:
        yield Heading(title_of(context, each), f"targets-{each.iteration.number}", 2)
        if each.targets:
            yield result_table(context, each)
        if each.guards:
            yield guard_table(context, each.guards, context.text("caption.guards", title=title_of(context, each)))
        if each.planned:
            yield planned_table(context, each.planned, context.text("caption.planned", title=title_of(context, each)))
        yield from _sealed(context, each)
        yield from _shift(context, each)


def result_table(context: Context, each: CaseIteration) -> Table:
    text = context.text
    notes = [text("method.note_descriptive")] if any(_few(target) for target in each.targets) else []
    notes += _bases(context, each.targets)
    notes += dict.fromkeys(sentence for target in each.targets for sentence in target.refusals)
    notes += [f"{target.metric.name}: {target.remark}" for target in each.targets if target.remark]
    return table_of(
        text("caption.targets", title=title_of(context, each)),
        each.targets,
        (Column(text("column.priority"), NUMBER), _priority_cell),
        (Column(text("column.metric"), TEXT, 2.6), lambda told: name_with_statistic(context, told.metric)),
        (Column(text("column.baseline"), NUMBER), lambda told: baseline_text(context, told)),
        (Column(text("column.target"), NUMBER), lambda told: target_text(context, told)),
        (Column(text("column.result"), NUMBER), lambda told: figure_text(context, told.metric, told.now)),
        (Column(text("column.change"), NUMBER), lambda told: change_text(context, told.metric, told.change)),
        (_verdict_column(context, each.targets), lambda told: target_cell(context, told)),
        (Column(text("column.evidence"), TEXT, 1), lambda told: evidence_text(told.evidence)),
        notes=notes,
    )


def _few(each: CaseTarget) -> bool:
    """Taken as it stands: one reading on a side, nobody knows how many, or none that tells how sure it is."""
    if each.interval is not None or each.descriptive:
        return each.descriptive
    figures = (each.target.baseline if each.target else None, each.now)
    return any(figure is not None and (figure.samples or 1) < 2 for figure in figures)


def name_with_statistic(context: Context, metric: Metric) -> str:
    statistic = statistic_text(context, metric)
    return metric.name if statistic.casefold() in metric.name.casefold() else f"{metric.name} · {statistic}"


def guard_table(context: Context, guards: Sequence[CaseGuard], caption: str) -> Table:
    """What the resources that pay were watched by."""
    text, words = context.text, context.words
    notes = _bases(context, guards)
    notes += [f"{guard.metric.name}: {guard.remark}" for guard in guards if guard.remark]
    return table_of(
        caption,
        guards,
        (Column(text("column.action"), FIXED), lambda guard: guard.action),
        (
            Column(text("column.resource"), TEXT, 1.2),
            lambda guard: words.known(f"cycle.resource.{guard.metric.resource}", guard.metric.resource),
        ),
        (Column(text("column.metric"), TEXT, 2.6), lambda guard: guard.metric.name),
        (Column(text("column.before"), NUMBER), lambda guard: figure_text(context, guard.metric, guard.before)),
        (Column(text("column.after"), NUMBER), lambda guard: figure_text(context, guard.metric, guard.now)),
        (Column(text("column.limit"), NUMBER), lambda guard: _limit_text(context, guard)),
        (Column(text("column.change"), NUMBER), lambda guard: change_text(context, guard.metric, guard.change)),
        (Column(text("column.verdict"), FIXED), lambda guard: state_cell(context, "guard_state", guard.state)),
        notes=notes,
    )


def planned_table(context: Context, planned: Sequence[CasePlanned], caption: str) -> Table:
    """Expected effects and prices beside what was measured of them."""
    text, words = context.text, context.words
    return table_of(
        caption,
        planned,
        (Column(text("column.action"), FIXED), lambda told: told.action),
        (Column(text("column.expected"), TEXT, 2.6), lambda told: planned_text(told.impacts, told.margin_pct, words)),
        (Column(text("column.metric"), TEXT, 2.2), lambda told: told.metric.name if told.metric else "–"),
        (
            Column(text("column.change"), NUMBER),
            lambda told: change_text(context, told.metric, told.change) if told.metric and told.change else "–",
        ),
        (Column(text("column.verdict"), FIXED), lambda told: _state_of(context, told)),
    )


def _state_of(context: Context, told: CasePlanned) -> Cell:
    kind, _, state = (told.state or "guard_state.not_measured").partition(".")
    return state_cell(context, kind, state)


def _limit_text(context: Context, guard: CaseGuard) -> str:
    if guard.state == CONTRADICTED:
        return context.text("method.withheld")
    words, metric = context.words, guard.metric
    return "–" if guard.limit is None else words.quantity(guard.limit, metric.unit, metric.decimals)


def _bases(context: Context, found: Sequence[CaseTarget | CaseGuard]) -> list[str]:
    """The interval that each verdict rests on."""
    return [
        f"{each.metric.name}: {interval_text(each.interval, each.now, each.metric, context.words)}"
        for each in found
        if each.interval is not None
    ]


def _sealed(context: Context, each: CaseIteration) -> Iterator[Block]:
    """What was approved under which digest, and everything that was changed of it since."""
    for seal in each.seals:
        at = context.words.iso_moment(seal.sealed_at)
        yield Paragraph(context.text("method.sealed", at=at, by=seal.sealed_by, digest=seal.digest))
    if each.amendments:
        yield Paragraph(context.text("method.amended", count=len(each.amendments)))
        yield NumberedList(tuple(amendment_text(one, context.words) for one in each.amendments))
    if each.disclosures:
        yield Paragraph(context.text("method.disclosed"))
        yield NumberedList(each.disclosures)


def _shift(context: Context, each: CaseIteration) -> Iterator[Block]:
    summary = each.summary
    if summary is None:
        return
    words = context.words
    if summary.bottleneck_before or summary.bottleneck_after:
        names = [
            words.known(f"cycle.resource.{name}", name) if name else context.text("unknown")
            for name in (summary.bottleneck_before, summary.bottleneck_after)
        ]
        key = "method.shift_measured" if summary.basis.strip() else "method.shift_described"
        state = words.known(f"cycle.shift_state.{each.shift}", each.shift)
        yield Paragraph(context.text(key, before=names[0], after=names[1], basis=summary.basis, state=state))
    if summary.equality is not Equality.UNSIGNED:
        yield Paragraph(_equality_text(context, summary, each.equality_evidence))
    if summary.conclusion:
        yield Paragraph(summary.conclusion)


def _equality_text(context: Context, summary: ResultSummary, evidence: Sequence[str]) -> str:
    """Whether the answers are the same, who says so, and what shows it."""
    words = context.words
    return context.text(
        "method.equality",
        verdict=word(summary.equality, words.language),
        by=summary.equality_by or "–",
        on=words.date(summary.equality_on) or "–",
        basis=summary.equality_basis or "–",
        evidence=", ".join(evidence) or "–",
    )
