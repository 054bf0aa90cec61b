"""The method in the report: issues and their actions, the cycle with its dates, metrics and targets."""

from __future__ import annotations

from collections.abc import Sequence

from app.analysis.comparing.improvement import Change, Improvement
from app.domain.cycle.records import Figure, Metric, SystemInScope
from app.domain.engagement import Section
from app.reporting.cases.cycle import CaseGuard, CaseIssue, CaseIteration, CaseStep, CaseTarget, CycleCase
from app.reporting.chapters import front
from app.reporting.chapters.context import FIXED, NUMBER, TEXT, Context, evidence_text
from app.reporting.cycle_words import interval_text, with_checks, word
from app.reporting.document import Block, Cell, Column, Heading, NumberedList, Paragraph, Table, Tone

MATRIX_COLUMNS = 12
"""Actions beside each other in the matrix; more are in the workbook."""
STATE_TONES = {"missed": Tone.BAD, "exceeded": Tone.BAD, "worse": Tone.BAD, "paid": Tone.WARNING, "met": Tone.STRONG}
"""Also of what one window and an assumed variation decided."""


def cycle(context: Context) -> CycleCase:
    """Raises where there is none."""
    assert context.case.cycle is not None  # `has_cycle` was asked
    return context.case.cycle


def has_issues(context: Context) -> bool:
    return context.case.cycle is not None and bool(context.case.cycle.issues or context.case.cycle.systems)


def has_iterations(context: Context) -> bool:
    return context.case.cycle is not None and bool(context.case.cycle.iterations)


def has_actions(context: Context) -> bool:
    return context.case.cycle is not None and bool(context.case.cycle.actions)


def state_cell(context: Context, kind: str, state: str, checks: tuple[str, ...] = ()) -> Cell:
    text = with_checks(context.words.known(f"cycle.{kind}.{state}", state), checks)
    return Cell(text, tone=STATE_TONES.get(state.removesuffix("_assumed"), Tone.PLAIN))


# --- on the first page


def summary(context: Context) -> list[Block]:
    """The figures, then what became of the top priority of each iteration; the verdict on comparability stays last."""
    blocks = front.summary(context)
    if not has_iterations(context):
        return blocks
    rows = tuple(row for each in cycle(context).iterations for row in _top_rows(context, each))
    return [*blocks[:-1], _top_table(context, rows), blocks[-1]] if rows else blocks


def _top_rows(context: Context, each: CaseIteration) -> list[tuple[Cell, ...]]:
    return [
        (
            Cell(str(each.iteration.number), each.iteration.number),
            Cell(target.metric.name),
            Cell(figure_text(context, target.metric, target.target.baseline)),
            Cell(target_text(context, target)),
            Cell(figure_text(context, target.metric, target.now)),
            state_cell(context, "target_state", target.state, target.checks),
            Cell(word(each.outcome, context.words.language)),
        )
        for target in each.targets
        if target.target is not None and target.target.priority == 1
    ]


def _top_table(context: Context, rows: tuple[tuple[Cell, ...], ...]) -> Table:
    text = context.text
    columns = (
        Column(text("column.iteration"), NUMBER),
        Column(text("column.metric"), TEXT, 2.6),
        Column(text("column.baseline"), NUMBER),
        Column(text("column.target"), NUMBER),
        Column(text("column.result"), NUMBER),
        Column(text("column.verdict"), FIXED),
        Column(text("column.outcome"), FIXED),
    )
    return Table(text("caption.top_targets"), columns, rows, dense=True)


# --- issues and systems


def issues(context: Context) -> list[Block]:
    """The register of issues in the customer's own words; the narrative where it is in another language, or alone."""
    told = context.case.texts(Section.ISSUE)
    if not has_issues(context):
        return front.issues(context)
    found = cycle(context)
    foreign = context.words.language != context.case.engagement.language
    blocks: list[Block] = [NumberedList(told)] if told and (foreign or not found.issues) else []
    if found.issues:
        blocks.append(_issue_table(context, found.issues))
    if found.systems:
        blocks.append(_system_table(context, found.systems))
    return [*blocks, *(front.issues(context)[1:])]


def _issue_table(context: Context, found: tuple[CaseIssue, ...]) -> Table:
    text, language = context.text, context.words.language
    columns = (
        Column("#", NUMBER),
        Column(text("column.issue"), TEXT, 5),
        Column(text("column.severity"), FIXED),
        Column(text("column.state"), FIXED),
        Column(text("column.answered_by"), TEXT, 1),
        Column(text("column.evidence"), TEXT, 0.9),
    )
    rows = tuple(
        (
            Cell(str(each.issue.number), each.issue.number),
            Cell("\n".join(part for part in (each.issue.title, each.issue.text) if part)),
            Cell(word(each.issue.severity, language)),
            Cell(word(each.issue.state, language)),
            Cell(
                ", ".join(each.actions) or text("method.not_addressed"),
                tone=Tone.PLAIN if each.actions else Tone.WARNING,
            ),
            Cell(evidence_text(each.evidence)),
        )
        for each in found
    )
    return Table(text("caption.issues", count=len(rows)), columns, rows, dense=True)


def _system_table(context: Context, found: tuple[SystemInScope, ...]) -> Table:
    text = context.text
    columns = (
        Column(text("column.system_kind"), FIXED),
        Column(text("column.system"), TEXT, 1.2),
        Column(text("column.role"), TEXT, 1.2),
        Column(text("column.product"), TEXT, 1.6),
        Column(text("column.detail"), TEXT, 2.2),
    )
    rows = tuple(
        tuple(
            Cell(part)
            for part in (word(each.kind, context.words.language), each.name, each.role, each.product, each.detail)
        )
        for each in found
    )
    return Table(text("caption.systems"), columns, rows, dense=True)


# --- the approach


def approach(context: Context) -> list[Block]:
    told = context.case.texts(Section.APPROACH)
    blocks: list[Block] = [NumberedList(told)] if told else []
    if not has_iterations(context):
        return blocks
    found = cycle(context)
    if found.issues and found.actions:
        blocks += [Heading(context.text("method.matrix"), "approach-matrix", 2), _matrix(context)]
    blocks.append(Heading(context.text("method.steps"), "approach-cycle", 2))
    for iteration in found.iterations:
        blocks.append(_step_table(context, iteration))
        if any(not question.answer.strip() for question in iteration.questions):
            blocks.append(_open_questions(context, iteration))
    blocks.append(Heading(context.text("method.metrics"), "approach-metrics", 2))
    blocks += [_metric_table(context, iteration) for iteration in found.iterations if iteration.targets]
    return blocks


def _matrix(context: Context) -> Table:
    """Which action answers which issue; what nobody answers stands out as an empty line."""
    text, found = context.text, cycle(context)
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
    text = context.text
    columns = (
        Column("#", NUMBER),
        Column(text("column.step"), TEXT, 2.2),
        Column(text("column.state"), FIXED),
        Column(text("column.started"), FIXED),
        Column(text("column.ended"), FIXED),
        Column(text("column.owner"), TEXT, 1),
        Column(text("column.notes"), TEXT, 3),
        Column(text("column.evidence"), TEXT, 0.8),
    )
    rows = tuple(_step_cells(context, step) for step in each.steps)
    return Table(_iteration_caption(context, each), columns, rows, notes=_iteration_notes(context, each), dense=True)


def _iteration_caption(context: Context, each: CaseIteration) -> str:
    iteration = each.iteration
    opened, closed = context.words.date(iteration.opened_on), context.words.date(iteration.closed_on)
    facts = {"title": title_of(context, each), "opened": opened or "–", "closed": closed or "–"}
    return context.text("caption.iteration", outcome=word(each.outcome, context.words.language), **facts)


def _iteration_notes(context: Context, each: CaseIteration) -> tuple[str, ...]:
    iteration, notes = each.iteration, []
    if each.continues is not None:
        notes.append(context.text("method.continues", number=each.continues))
    if iteration.reason:
        by = iteration.closed_by or context.text("unknown")
        notes.append(context.text("method.closed_because", name=by, reason=iteration.reason))
    return tuple(notes)


def _step_cells(context: Context, each: CaseStep) -> tuple[Cell, ...]:
    words, step = context.words, each.step
    return (
        Cell(str(int(step.number)), int(step.number)),
        Cell(word(step.number, words.language)),
        Cell(word(step.state, words.language)),
        Cell(words.date(step.started_on) or "–"),
        Cell(words.date(step.ended_on) or "–"),
        Cell(step.owner or "–"),
        Cell(step.skip_reason or step.notes),
        Cell(evidence_text(each.evidence)),
    )


def _open_questions(context: Context, each: CaseIteration) -> Block:
    text = context.text
    columns = (
        Column(text("column.step"), TEXT, 1.4),
        Column(text("column.question"), TEXT, 4),
        Column(text("column.asked"), TEXT, 1.4),
    )
    rows = tuple(
        (
            Cell(word(question.step, context.words.language)),
            Cell(question.text),
            Cell(" ".join(part for part in (question.asked_by, context.words.date(question.asked_on)) if part) or "–"),
        )
        for question in each.questions
        if not question.answer.strip()
    )
    return Table(text("caption.questions"), columns, rows, dense=True)


def _metric_table(context: Context, each: CaseIteration) -> Table:
    text = context.text
    columns = (
        Column(text("column.priority"), NUMBER),
        Column(text("column.metric"), TEXT, 2.4),
        Column(text("column.statistic"), FIXED),
        Column(text("column.better"), FIXED),
        Column(text("column.baseline"), NUMBER),
        Column(text("column.target"), NUMBER),
        Column(text("column.metric_source"), TEXT, 2.2),
        Column(text("column.due"), FIXED),
    )
    rows = tuple(_metric_cells(context, target) for target in each.targets)
    return Table(text("caption.metrics", title=title_of(context, each)), columns, rows, dense=True)


def _metric_cells(context: Context, each: CaseTarget) -> tuple[Cell, ...]:
    metric, target, words = each.metric, each.target, context.words
    top = target is not None and target.priority == 1
    return (
        Cell("–" if target is None else str(target.priority), target.priority if target else None),
        Cell(
            "\n".join(part for part in (metric.name, metric.definition) if part),
            tone=Tone.STRONG if top else Tone.PLAIN,
        ),
        Cell(statistic_text(context, metric)),
        Cell(word(metric.direction, words.language)),
        Cell(figure_text(context, metric, target.baseline if target else None)),
        Cell(target_text(context, each)),
        Cell(each.source),
        Cell(words.date(target.due_on) if target and target.due_on else "–"),
    )


def statistic_text(context: Context, metric: Metric) -> str:
    return context.words.known(f"cycle.statistic.{metric.statistic}", metric.statistic)


def figure_text(context: Context, metric: Metric, figure: Figure | None) -> str:
    """With unit and bound; what was not measured is said."""
    value, bound = (figure.value, figure.bound) if figure else (None, "")
    return context.words.quantity(value, metric.unit, metric.decimals, bound)


def change_text(context: Context, metric: Metric, change: Improvement) -> str:
    """How many times, with its interval, and the change in per cent."""
    if change.change is Change.IMPROVED:
        return f"{context.words.ratio(change)} ({context.words.rate(change, metric.decimals)})"
    return context.words.headline(change, metric.decimals)


def target_text(context: Context, each: CaseTarget) -> str:
    """``≤ 1.0 ms``; a metric without target value says so."""
    if each.target is None or each.target.value is None:
        return context.text("method.no_target")
    value = context.words.quantity(each.target.value, each.metric.unit, each.metric.decimals)
    return context.text(f"goal.{each.metric.direction.value}", value=value)


# --- what became of the targets


def results(context: Context) -> list[Block]:
    """Every target met or not, every guard, and where the bottleneck went; iteration by iteration."""
    blocks: list[Block] = []
    for each in cycle(context).iterations:
        blocks.append(Heading(title_of(context, each), f"targets-{each.iteration.number}", 2))
        if each.targets:
            blocks.append(_result_table(context, each))
        if each.guards:
            blocks.append(guard_table(context, each))
        blocks += _shift(context, each)
    return blocks


def _result_table(context: Context, each: CaseIteration) -> Table:
    text = context.text
    columns = (
        Column(text("column.priority"), NUMBER),
        Column(text("column.metric"), TEXT, 2.6),
        Column(text("column.baseline"), NUMBER),
        Column(text("column.target"), NUMBER),
        Column(text("column.result"), NUMBER),
        Column(text("column.change"), NUMBER),
        Column(text("column.verdict"), FIXED),
        Column(text("column.evidence"), TEXT, 1),
    )
    rows = tuple(_result_cells(context, target) for target in each.targets)
    notes = [text("method.note_descriptive")] if any(_few(target) for target in each.targets) else []
    notes += _bases(context, each.targets)
    notes += dict.fromkeys(sentence for target in each.targets for sentence in target.refusals)
    notes += [f"{target.metric.name}: {target.remark}" for target in each.targets if target.remark]
    return Table(text("caption.targets", title=title_of(context, each)), columns, rows, notes=tuple(notes), dense=True)


def _few(each: CaseTarget) -> bool:
    """Taken as it stands: one reading on a side, nobody knows how many, or none that tells how sure it is."""
    if each.interval is not None or each.descriptive:
        return each.descriptive
    figures = (each.target.baseline if each.target else None, each.now)
    return any(figure is not None and (figure.samples or 1) < 2 for figure in figures)


def _result_cells(context: Context, each: CaseTarget) -> tuple[Cell, ...]:
    metric, target = each.metric, each.target
    return (
        Cell("–" if target is None else str(target.priority), target.priority if target else None),
        Cell(_name_with_statistic(context, metric)),
        Cell(figure_text(context, metric, target.baseline if target else None)),
        Cell(target_text(context, each)),
        Cell(figure_text(context, metric, each.now)),
        Cell(change_text(context, metric, each.change)),
        state_cell(context, "target_state", each.state, each.checks),
        Cell(evidence_text(each.evidence)),
    )


def _name_with_statistic(context: Context, metric: Metric) -> str:
    statistic = statistic_text(context, metric)
    return metric.name if statistic.casefold() in metric.name.casefold() else f"{metric.name} · {statistic}"


def guard_table(context: Context, each: CaseIteration) -> Table:
    """What the resources that pay were watched by."""
    text = context.text
    columns = (
        Column(text("column.action"), FIXED),
        Column(text("column.resource"), TEXT, 1.2),
        Column(text("column.metric"), TEXT, 2.6),
        Column(text("column.before"), NUMBER),
        Column(text("column.after"), NUMBER),
        Column(text("column.limit"), NUMBER),
        Column(text("column.change"), NUMBER),
        Column(text("column.verdict"), FIXED),
    )
    rows = tuple(
        (
            Cell(guard.action),
            Cell(context.words.known(f"cycle.resource.{guard.metric.resource}", guard.metric.resource)),
            Cell(guard.metric.name),
            Cell(figure_text(context, guard.metric, guard.before)),
            Cell(figure_text(context, guard.metric, guard.now)),
            Cell(
                "–"
                if guard.limit is None
                else context.words.quantity(guard.limit, guard.metric.unit, guard.metric.decimals)
            ),
            Cell(change_text(context, guard.metric, guard.change)),
            state_cell(context, "guard_state", guard.state),
        )
        for guard in each.guards
    )
    notes = _bases(context, each.guards)
    notes += [f"{guard.metric.name}: {guard.remark}" for guard in each.guards if guard.remark]
    return Table(text("caption.guards", title=title_of(context, each)), columns, rows, notes=tuple(notes), dense=True)


def _bases(context: Context, found: Sequence[CaseTarget | CaseGuard]) -> list[str]:
    """The interval that each verdict rests on."""
    return [
        f"{each.metric.name}: {interval_text(each.interval, each.metric, context.words)}"
        for each in found
        if each.interval is not None
    ]


def _shift(context: Context, each: CaseIteration) -> list[Block]:
    summary = each.summary
    if summary is None:
        return []
    words, blocks = context.words, list[Block]()
    if summary.bottleneck_before or summary.bottleneck_after:
        names = [
            words.known(f"cycle.resource.{name}", name) if name else context.text("unknown")
            for name in (summary.bottleneck_before, summary.bottleneck_after)
        ]
        key = "method.shift_measured" if summary.basis.strip() else "method.shift_described"
        state = words.known(f"cycle.shift_state.{each.shift}", each.shift)
        blocks.append(Paragraph(context.text(key, before=names[0], after=names[1], basis=summary.basis, state=state)))
    blocks += [Paragraph(summary.conclusion)] if summary.conclusion else []
    return blocks
