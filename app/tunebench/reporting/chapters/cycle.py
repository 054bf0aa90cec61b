"""The method in the report: issues and their actions, the cycle with its dates, metrics and targets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from tunebench.analysis.comparing.improvement import Change, Improvement
from tunebench.columns.statement_names import statement_name
from tunebench.domain.cycle.records import (
    Equality,
    Figure,
    MeasurementSource,
    Metric,
    ResultSummary,
    SeriesSource,
    StatementSource,
    SystemInScope,
)
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
from tunebench.reporting.document import Block, Cell, Heading, Note, NumberedList, Paragraph, Table, TableHead, Tone
from tunebench.reporting.wording import brief

LONGEST = 120
"""Characters of a name at the head of a page, whatever people call their metrics."""
MATRIX_COLUMNS = 12
"""Actions beside each other in the matrix; more are in the workbook."""


def state_cell(context: Context, kind: str, state: str, checks: tuple[str, ...] = ()) -> Cell:
    text = with_checks(context.words.known(f"cycle.{kind}.{state}", state), checks)
    return Cell(text, tone=tone_of(state))


def target_cell(context: Context, target: CaseTarget) -> Cell:
    """The state of a target, with what a reader must know beside it."""
    cell = state_cell(context, "target_state", target.state, target.checks)
    return replace(cell, text=qualified(context, cell.text, target))


def outcome_text(context: Context, iteration: CaseIteration) -> str:
    """How an iteration ended, with what a reader must know of its targets."""
    subject = (words for target in iteration.targets for words in target.qualified)
    return with_subject(word(iteration.outcome, context.words.language), subject, context.words.language)


def _verdict_column(context: Context, targets: Sequence[CaseTarget]) -> TableHead:
    kind = TEXT if any(target.qualified for target in targets) else FIXED
    return TableHead(context.text("column.verdict"), kind, 1.6 if kind is TEXT else 1.0)


def guard_text(context: Context, guard: CaseGuard) -> str:
    before, now = (figure_text(context, guard.metric, figure) for figure in (guard.before, guard.now))
    name = brief(guard.metric.name, LONGEST)
    return f"{name} {before} → {now}: {state_cell(context, 'guard_state', guard.state).text}"


def qualified(context: Context, words: str, target: CaseTarget) -> str:
    return with_subject(words, target.qualified, context.words.language)


# --- on the first page


def summary(context: Context) -> Iterator[Block]:
    """The figures, then what became of the top priority of each iteration; the verdict on comparability stays last."""
    *figures, verdict = front.summary(context)
    yield from contradicted(context)
    yield from figures
    rows = tuple(row for iteration in context.case.cycle.iterations for row in _top_rows(context, iteration))
    if rows:
        yield _top_table(context, rows)
    yield verdict


def contradicted(context: Context) -> Iterator[Block]:
    """What the check of the project contradicts: its figures and verdicts are not printed."""
    contradictions = context.case.cycle.contradicted
    if contradictions:
        yield Note("\n".join((context.text("method.contradicted"), *contradictions)), Tone.WARNING)


def _top_rows(context: Context, iteration: CaseIteration) -> list[tuple[Cell, ...]]:
    """The rows of an iteration's top priority; one row that says that no target was set where it has none."""
    number = Cell(str(iteration.iteration.number), iteration.iteration.number)
    outcome, nothing = Cell(outcome_text(context, iteration)), Cell("–")
    rows: list[tuple[Cell, ...]] = [
        (
            number,
            Cell("\n".join(filter(None, (name_with_statistic(context, target.metric), source_name(context, target))))),
            Cell(baseline_text(context, target)),
            Cell(target_text(context, target)),
            Cell(figure_text(context, target.metric, target.now)),
            target_cell(context, target),
            outcome,
        )
        for target in iteration.targets
        if target.target is not None and target.target.priority == 1
    ]
    unset = Cell(context.text("method.no_target"))
    return rows or [(number, Cell(iteration.iteration.title), nothing, unset, nothing, nothing, outcome)]


def _top_table(context: Context, rows: tuple[tuple[Cell, ...], ...]) -> Table:
    text = context.text
    verdicts = _verdict_column(
        context, [target for iteration in context.case.cycle.iterations for target in iteration.targets]
    )
    columns = (
        TableHead(text("column.iteration"), NUMBER),
        TableHead(text("column.metric"), TEXT, 2.6),
        TableHead(text("column.baseline"), NUMBER),
        TableHead(text("column.target"), NUMBER),
        TableHead(text("column.result"), NUMBER),
        verdicts,
        replace(verdicts, heading=text("column.outcome")),
    )
    notes = tuple(sentence for iteration in context.case.cycle.iterations for sentence in irregular(context, iteration))
    return Table(text("caption.top_targets"), columns, rows, notes=notes, dense=True)


def irregular(context: Context, iteration: CaseIteration) -> list[str]:
    """What no verdict of an iteration is told without: what was changed after its result was known, and what the
    method wants otherwise."""
    amended = [amendment_text(one, context.words) for one in iteration.amendments if one.after_result]
    return [*amended, *iteration.exceptions]


# --- issues and systems


def issues(context: Context) -> Iterator[Block]:
    """The register of issues in the customer's own words; the narrative where it is in another language, or alone."""
    stated = context.case.texts(Section.ISSUE)
    cycle = context.case.cycle
    if not (cycle.issues or cycle.systems):
        yield from front.issues(context)
        return
    foreign = context.words.language != context.case.engagement.language
    if stated and (foreign or not cycle.issues):
        yield NumberedList(stated)
    if cycle.issues:
        yield _issue_table(context, cycle.issues)
    if cycle.systems:
        yield _system_table(context, cycle.systems)
    yield from front.hosts(context)


def _issue_table(context: Context, issues: tuple[CaseIssue, ...]) -> Table:
    text, language = context.text, context.words.language
    unanswered = Cell(text("method.not_addressed"), tone=Tone.WARNING)
    return table_of(
        text("caption.issues", count=len(issues)),
        issues,
        (TableHead("#", NUMBER), lambda issue: Cell(str(issue.issue.number), issue.issue.number)),
        (
            TableHead(text("column.issue"), TEXT, 5),
            lambda issue: "\n".join(filter(None, (issue.issue.title, issue.issue.text))),
        ),
        (TableHead(text("column.severity"), FIXED), lambda issue: word(issue.issue.severity, language)),
        (TableHead(text("column.state"), FIXED), lambda issue: word(issue.issue.state, language)),
        (TableHead(text("column.answered_by"), TEXT, 1), lambda issue: ", ".join(issue.actions) or unanswered),
        (TableHead(text("column.evidence"), TEXT, 0.9), lambda issue: evidence_text(issue.evidence)),
    )


def _system_table(context: Context, systems: tuple[SystemInScope, ...]) -> Table:
    text = context.text
    return table_of(
        text("caption.systems"),
        systems,
        (TableHead(text("column.system_kind"), FIXED), lambda system: word(system.kind, context.words.language)),
        (TableHead(text("column.system"), TEXT, 1.2), lambda system: system.name),
        (TableHead(text("column.role"), TEXT, 1.2), lambda system: system.role),
        (TableHead(text("column.product"), TEXT, 1.6), lambda system: system.product),
        (TableHead(text("column.detail"), TEXT, 2.2), lambda system: system.detail),
    )


# --- the approach


def approach(context: Context) -> Iterator[Block]:
    stated = context.case.texts(Section.APPROACH)
    if stated:
        yield NumberedList(stated)
    if not context.case.cycle.iterations:
        return
    cycle = context.case.cycle
    if cycle.issues and cycle.actions:
        yield Heading(context.text("method.matrix"), "approach-matrix", 2)
        yield matrix(context)
    yield Heading(context.text("method.steps"), "approach-cycle", 2)
    for iteration in cycle.iterations:
        yield _step_table(context, iteration)
        if any(not question.answer.strip() for question in iteration.questions):
            yield _open_questions(context, iteration)
    yield Heading(context.text("method.metrics"), "approach-metrics", 2)
    yield from (metric_table(context, iteration) for iteration in cycle.iterations if iteration.targets)


def matrix(context: Context) -> Table:
    """Which action answers which issue; what nobody answers stands out as an empty line."""
    text, cycle = context.text, context.case.cycle
    actions = cycle.actions[:MATRIX_COLUMNS]
    columns = (
        TableHead("#", NUMBER),
        TableHead(text("column.issue"), TEXT, 3),
        *(TableHead(action.number, FIXED) for action in actions),
    )
    rows = tuple(
        (
            Cell(str(issue.issue.number), issue.issue.number),
            Cell(issue.issue.title),
            *(Cell("●" if action.number in issue.actions else "") for action in actions),
        )
        for issue in cycle.issues
    )
    legend = "; ".join(f"{action.number} {action.action.title}" for action in actions)
    notes = (text("method.matrix_note", actions=legend),)
    return Table(text("caption.matrix"), columns, rows, notes=notes, dense=True)


def title_of(context: Context, iteration: CaseIteration) -> str:
    return context.text("method.iteration", number=iteration.iteration.number, title=iteration.iteration.title)


def _step_table(context: Context, iteration: CaseIteration) -> Table:
    text, words = context.text, context.words
    return table_of(
        _iteration_caption(context, iteration),
        iteration.steps,
        (TableHead("#", NUMBER), lambda step: Cell(str(int(step.step.number)), int(step.step.number))),
        (TableHead(text("column.step"), TEXT, 2.2), lambda step: word(step.step.number, words.language)),
        (TableHead(text("column.state"), FIXED), lambda step: word(step.step.state, words.language)),
        (TableHead(text("column.started"), FIXED), lambda step: words.date(step.step.started_on) or "–"),
        (TableHead(text("column.ended"), FIXED), lambda step: words.date(step.step.ended_on) or "–"),
        (TableHead(text("column.owner"), TEXT, 1), lambda step: step.step.owner or "–"),
        (TableHead(text("column.notes"), TEXT, 3), lambda step: step.step.skip_reason or step.step.notes),
        (TableHead(text("column.evidence"), TEXT, 0.8), lambda step: evidence_text(step.evidence)),
        notes=_iteration_notes(context, iteration),
    )


def _iteration_caption(context: Context, iteration: CaseIteration) -> str:
    record = iteration.iteration
    opened, closed = context.words.date(record.opened_on), context.words.date(record.closed_on)
    facts = {"title": title_of(context, iteration), "opened": opened or "–", "closed": closed or "–"}
    return context.text("caption.iteration", outcome=outcome_text(context, iteration), **facts)


def _iteration_notes(context: Context, iteration: CaseIteration) -> Iterator[str]:
    record = iteration.iteration
    if iteration.continues is not None:
        yield context.text("method.continues", number=iteration.continues)
    if record.reason:
        by = record.closed_by or context.text("unknown")
        yield context.text("method.closed_because", name=by, reason=record.reason)


def _open_questions(context: Context, iteration: CaseIteration) -> Block:
    text, words = context.text, context.words
    return table_of(
        text("caption.questions"),
        (question for question in iteration.questions if not question.answer.strip()),
        (TableHead(text("column.step"), TEXT, 1.4), lambda question: word(question.step, words.language)),
        (TableHead(text("column.question"), TEXT, 4), lambda question: question.text),
        (
            TableHead(text("column.asked"), TEXT, 1.4),
            lambda question: " ".join(filter(None, (question.asked_by, words.date(question.asked_on)))) or "–",
        ),
        (TableHead(text("column.owner"), TEXT, 1.2), lambda question: question.owner or "–"),
        (TableHead(text("column.due"), FIXED), lambda question: words.date(question.due_on) or "–"),
    )


def metric_table(context: Context, iteration: CaseIteration) -> Table:
    text, words = context.text, context.words
    return table_of(
        text("caption.metrics", title=title_of(context, iteration)),
        iteration.targets,
        (TableHead(text("column.priority"), NUMBER), _priority_cell),
        (
            TableHead(text("column.metric"), TEXT, 2.4),
            lambda target: Cell(
                "\n".join(filter(None, (target.metric.name, target.metric.definition))),
                tone=Tone.STRONG if target.target and target.target.priority == 1 else Tone.PLAIN,
            ),
        ),
        (TableHead(text("column.statistic"), FIXED), lambda target: statistic_text(context, target.metric)),
        (TableHead(text("column.better"), FIXED), lambda target: word(target.metric.direction, words.language)),
        (TableHead(text("column.baseline"), NUMBER), lambda target: baseline_text(context, target)),
        (TableHead(text("column.target"), NUMBER), lambda target: target_text(context, target)),
        (TableHead(text("column.metric_source"), TEXT, 2.2), lambda target: target.source),
        (
            TableHead(text("column.due"), FIXED),
            lambda target: words.date(target.target.due_on) if target.target and target.target.due_on else "–",
        ),
    )


def _priority_cell(target: CaseTarget) -> Cell:
    return Cell("–") if target.target is None else Cell(str(target.target.priority), target.target.priority)


def baseline_text(context: Context, target: CaseTarget) -> str:
    return figure_text(context, target.metric, target.target.baseline if target.target else None)


def statistic_text(context: Context, metric: Metric) -> str:
    return context.words.known(f"cycle.statistic.{metric.statistic}", metric.statistic)


def figure_text(context: Context, metric: Metric, figure: Figure | None) -> str:
    """The figure with unit and bound; what was not measured is said."""
    if figure == WITHHELD:
        return context.text("method.withheld")
    value, bound = (figure.value, figure.bound) if figure else (None, "")
    return context.words.quantity(value, metric.unit, metric.decimals, bound)


def change_text(context: Context, metric: Metric, change: Improvement) -> str:
    """How many times, with its interval, and the change in per cent."""
    if change.change is Change.IMPROVED:
        return f"{context.words.ratio(change)} ({context.words.rate(change, metric.decimals)})"
    return context.words.headline(change, metric.decimals)


def target_text(context: Context, target: CaseTarget) -> str:
    """``≤ 1.0 ms``; a metric without target value says so."""
    if target.state == CONTRADICTED:
        return context.text("method.withheld")
    if target.target is None or target.target.value is None:
        return context.text("method.no_target")
    value = context.words.quantity(target.target.value, target.metric.unit, target.metric.decimals)
    return context.text(f"goal.{target.metric.direction.value}", value=value)


# --- what became of the targets


def results(context: Context) -> Iterator[Block]:
    """Every target met or not, every guard, and where the bottleneck went; iteration by iteration."""
    yield from contradicted(context)
    for iteration in context.case.cycle.iterations:
        yield Heading(title_of(context, iteration), f"targets-{iteration.iteration.number}", 2)
        if iteration.targets:
            yield result_table(context, iteration)
        if iteration.guards:
            yield guard_table(
                context, iteration.guards, context.text("caption.guards", title=title_of(context, iteration))
            )
        if iteration.planned:
            yield planned_table(
                context, iteration.planned, context.text("caption.planned", title=title_of(context, iteration))
            )
        yield from _sealed(context, iteration)
        yield from _shift(context, iteration)


def result_table(context: Context, iteration: CaseIteration) -> Table:
    text = context.text
    notes = [text("method.note_descriptive")] if any(_few(target) for target in iteration.targets) else []
    notes += _bases(context, iteration.targets)
    notes += dict.fromkeys(sentence for target in iteration.targets for sentence in target.refusals)
    notes += [f"{target.metric.name}: {target.remark}" for target in iteration.targets if target.remark]
    return table_of(
        text("caption.targets", title=title_of(context, iteration)),
        iteration.targets,
        (TableHead(text("column.priority"), NUMBER), _priority_cell),
        (TableHead(text("column.metric"), TEXT, 2.6), lambda target: name_with_statistic(context, target.metric)),
        (TableHead(text("column.baseline"), NUMBER), lambda target: baseline_text(context, target)),
        (TableHead(text("column.target"), NUMBER), lambda target: target_text(context, target)),
        (TableHead(text("column.result"), NUMBER), lambda target: figure_text(context, target.metric, target.now)),
        (TableHead(text("column.change"), NUMBER), lambda target: change_text(context, target.metric, target.change)),
        (_verdict_column(context, iteration.targets), lambda target: target_cell(context, target)),
        (TableHead(text("column.evidence"), TEXT, 1), lambda target: evidence_text(target.evidence)),
        notes=notes,
    )


def _few(target: CaseTarget) -> bool:
    """Whether the figures are taken as they stand: one reading on a side, or nothing that tells how sure they are."""
    if target.interval is not None or target.descriptive:
        return target.descriptive
    figures = (target.target.baseline if target.target else None, target.now)
    return any(figure is not None and (figure.samples or 1) < 2 for figure in figures)


def name_with_statistic(context: Context, metric: Metric) -> str:
    statistic = statistic_text(context, metric)
    return metric.name if statistic.casefold() in metric.name.casefold() else f"{metric.name} · {statistic}"


def source_name(context: Context, target: CaseTarget) -> str:
    """Where a metric is read, by what it is called: its column or id is in the annex. Empty where the metric's own name
    tells it."""
    source = target.metric.source
    if isinstance(source, SeriesSource):
        devices = (value for _, value in source.attributes if value != "all")
        return " · ".join(filter(None, (context.words.host(source.host), source.tool, *devices)))
    if isinstance(source, StatementSource):
        name = _statement_name(context, source.statement_id)
        return "" if name in target.metric.name else name
    if isinstance(source, MeasurementSource):
        entered = next((row for row in context.figures.measured if row.key == source.key), None)
        return target.source if entered is None else context.label(entered)
    return target.source


def _statement_name(context: Context, id_: str) -> str:
    """Empty where no capture of the compared windows has its text."""
    messages = context.words.words
    for database in context.case.databases:
        for pair in database.statements.pairs:
            if id_ in (*pair.before_ids, *pair.after_ids):
                return statement_name(database.statements.text_of(pair), messages, database.container_of(pair))
    return ""


def guard_table(context: Context, guards: Sequence[CaseGuard], caption: str) -> Table:
    """The metrics that watched the resources which pay, and what came of them."""
    text, words = context.text, context.words
    notes = _bases(context, guards)
    notes += [f"{guard.metric.name}: {guard.remark}" for guard in guards if guard.remark]
    return table_of(
        caption,
        guards,
        (TableHead(text("column.action"), FIXED), lambda guard: guard.action),
        (
            TableHead(text("column.resource"), TEXT, 1.2),
            lambda guard: words.known(f"cycle.resource.{guard.metric.resource}", guard.metric.resource),
        ),
        (TableHead(text("column.metric"), TEXT, 2.6), lambda guard: guard.metric.name),
        (TableHead(text("column.before"), NUMBER), lambda guard: figure_text(context, guard.metric, guard.before)),
        (TableHead(text("column.after"), NUMBER), lambda guard: figure_text(context, guard.metric, guard.now)),
        (TableHead(text("column.limit"), NUMBER), lambda guard: _limit_text(context, guard)),
        (TableHead(text("column.change"), NUMBER), lambda guard: change_text(context, guard.metric, guard.change)),
        (TableHead(text("column.verdict"), FIXED), lambda guard: state_cell(context, "guard_state", guard.state)),
        notes=notes,
    )


def planned_table(context: Context, planned: Sequence[CasePlanned], caption: str) -> Table:
    """Expected effects and prices beside what was measured of them."""
    text, words = context.text, context.words
    return table_of(
        caption,
        planned,
        (TableHead(text("column.action"), FIXED), lambda effect: effect.action),
        (
            TableHead(text("column.expected"), TEXT, 2.6),
            lambda effect: planned_text(effect.impacts, effect.margin_pct, words),
        ),
        (TableHead(text("column.metric"), TEXT, 2.2), lambda effect: effect.metric.name if effect.metric else "–"),
        (
            TableHead(text("column.change"), NUMBER),
            lambda effect: (
                change_text(context, effect.metric, effect.change) if effect.metric and effect.change else "–"
            ),
        ),
        (TableHead(text("column.verdict"), FIXED), lambda effect: _state_of(context, effect)),
    )


def _state_of(context: Context, planned: CasePlanned) -> Cell:
    kind, _, state = (planned.state or "guard_state.not_measured").partition(".")
    return state_cell(context, kind, state)


def _limit_text(context: Context, guard: CaseGuard) -> str:
    if guard.state == CONTRADICTED:
        return context.text("method.withheld")
    words, metric = context.words, guard.metric
    return "–" if guard.limit is None else words.quantity(guard.limit, metric.unit, metric.decimals)


def _bases(context: Context, judged: Sequence[CaseTarget | CaseGuard]) -> list[str]:
    """The interval that each verdict rests on."""
    return [
        f"{watched.metric.name}: {interval_text(watched.interval, watched.now, watched.metric, context.words)}"
        for watched in judged
        if watched.interval is not None
    ]


def _sealed(context: Context, iteration: CaseIteration) -> Iterator[Block]:
    """What was approved under which digest, and everything that was changed of it since."""
    for seal in iteration.seals:
        at = context.words.iso_moment(seal.sealed_at)
        yield Paragraph(context.text("method.sealed", at=at, by=seal.sealed_by, digest=seal.digest))
    if iteration.amendments:
        yield Paragraph(context.text("method.amended", count=len(iteration.amendments)))
        yield NumberedList(tuple(amendment_text(one, context.words) for one in iteration.amendments))
    if iteration.disclosures:
        yield Paragraph(context.text("method.disclosed"))
        yield NumberedList(iteration.disclosures)


def _shift(context: Context, iteration: CaseIteration) -> Iterator[Block]:
    summary = iteration.summary
    if summary is None:
        return
    words = context.words
    if summary.bottleneck_before or summary.bottleneck_after:
        names = [
            words.known(f"cycle.resource.{name}", name) if name else context.text("unknown")
            for name in (summary.bottleneck_before, summary.bottleneck_after)
        ]
        key = "method.shift_measured" if summary.basis.strip() else "method.shift_described"
        state = words.known(f"cycle.shift_state.{iteration.shift}", iteration.shift)
        yield Paragraph(context.text(key, before=names[0], after=names[1], basis=summary.basis, state=state))
    if summary.equality is not Equality.UNSIGNED:
        yield Paragraph(_equality_text(context, summary, iteration.equality_evidence))
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
