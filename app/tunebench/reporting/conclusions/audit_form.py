"""The result of the tuning as auditors of public projects want it: what is asked for, and the answer beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tunebench.columns.answering.answer_words import notes_for
from tunebench.domain.cycle.worksheet import ActionState
from tunebench.domain.engagement import Section
from tunebench.reporting.cases.cycle import CaseAction, CaseIteration, CaseTarget
from tunebench.reporting.chapters import changes, cycle, front
from tunebench.reporting.chapters.context import TEXT, Context, evidence_text
from tunebench.reporting.chapters.verdicts import comparability
from tunebench.reporting.conclusions import answer_page
from tunebench.reporting.conclusions.ground_page import signing
from tunebench.reporting.cycle_words import amendment_text, word
from tunebench.reporting.document import Block, Cell, Paragraph, Table, TableHead, Together

HOSTS, FIGURES, POINTS = 20, 12, 12


def audit_form(context: Context) -> Iterator[Block]:
    """The answer and its picture, then item by item what is asked for, what there is, and what to know of that."""
    text, case = context.text, context.case.answer
    yield Paragraph(" · ".join(filter(None, _document(context))), muted=True)
    yield from cycle.contradicted(context)
    if context.answer is not None and case is not None:
        yield answer_page.claim(context.answer)
        yield from answer_page.picture(context, case)
    yield _table(context, text("audit_form.result"), list(_result(context)))
    yield comparability(context, short=True)
    if context.look.versions:
        yield front.version_table(context, len(context.look.versions))
    yield Together(tuple(signing(context)))


def _table(context: Context, caption: str, rows: Sequence[tuple[str, list[str]]]) -> Table:
    columns = (
        TableHead(context.text("audit_form.item"), TEXT, 1),
        TableHead(context.text("audit_form.content"), TEXT, 3.4),
        TableHead(context.text("audit_form.disclosure"), TEXT, 1.8),
    )
    disclosures = _disclosures(context)
    cells = tuple(
        (
            Cell(context.text(f"audit_form.{name}")),
            Cell("\n".join(lines) or context.words.missing),
            Cell("\n".join(disclosures.get(name, ())) or "–"),
        )
        for name, lines in rows
    )
    return Table(caption, columns, cells, dense=True)


def _disclosures(context: Context) -> dict[str, list[str]]:
    """By the item that they are beside: what a reader has to know before it is taken as it stands."""
    iterations, gate = context.case.cycle.iterations, context.case.analysis.gate
    amended = [amendment_text(one, context.words) for iteration in iterations for one in iteration.amendments]
    exceptions = [sentence for iteration in iterations for sentence in iteration.exceptions]
    words = context.answer
    notes = notes_for(words.notes, words.headline, *words.further) if words is not None else ()
    checks = [f"{check.check} {check.sentence}" for check in gate if check.state != "pass"]
    return {
        "goals": amended[:POINTS],
        "activities": list(dict.fromkeys(exceptions))[:POINTS],
        "after": list(notes[:POINTS]),
        "effect": checks[:POINTS],
    }


def _document(context: Context) -> Iterator[str]:
    case, text, words = context.case, context.text, context.words
    engagement = case.engagement
    yield engagement.title
    yield engagement.customer
    yield engagement.firm
    yield ", ".join(engagement.consultants)
    yield words.period(engagement.period_start, engagement.period_end)
    yield f"{text('cover.edition')} {context.edition}"
    yield words.date(case.issued) if case.issued else text("cover.not_issued")
    yield front.untranslated_text(context)


def _result(context: Context) -> Iterator[tuple[str, list[str]]]:
    text, iterations = context.text, context.case.cycle.iterations
    targets = [(iteration, target) for iteration in iterations for target in iteration.targets]
    yield "scope", list(_scope(context))
    yield "goals", [_goal(context, *goal) for goal in targets] or [text("method.no_target")]
    yield "before", _sides(context, targets, before=True)
    yield "activities", list(_activities(context, context.case.cycle.actions))
    yield "after", _sides(context, targets, before=False)
    yield "effect", list(_effect(context))
    yield "conclusion", list(_conclusion(context))


def _scope(context: Context) -> Iterator[str]:
    for scoped in context.case.cycle.systems:
        yield " · ".join(
            filter(None, (word(scoped.kind, context.words.language), scoped.name, scoped.role, scoped.product))
        )
    hosts = context.case.hosts
    for host in hosts[:HOSTS]:
        system = f"{host.os} {host.os_version}".strip()
        yield " · ".join(filter(None, (context.words.host(host.name), system)))
    if len(hosts) > HOSTS:
        yield context.text("result.more", count=len(hosts) - HOSTS)
    windows = front.of_what(context)
    if windows:
        yield windows


def _named(context: Context, iteration: CaseIteration, target: CaseTarget) -> str:
    number = context.text("dots.iteration", number=iteration.iteration.number)
    return f"{number} · {cycle.name_with_statistic(context, target.metric)}"


def _goal(context: Context, iteration: CaseIteration, target: CaseTarget) -> str:
    return f"{_named(context, iteration, target)}: {cycle.target_text(context, target)}"


def _sides(context: Context, targets: Sequence[tuple[CaseIteration, CaseTarget]], *, before: bool) -> list[str]:
    """What each metric was and became, the latter with what that means for its target; without any the summary's."""
    if not targets:
        value = context.before_text if before else context.after_text
        return [f"{context.full_name(row)}: {value(row)}" for row in context.figures.key_figures[:FIGURES]]
    return [
        f"{_named(context, *goal)}: {cycle.baseline_text(context, goal[1])}"
        if before
        else f"{_named(context, *goal)}: {cycle.figure_text(context, goal[1].metric, goal[1].now)}"
        f" – {cycle.target_cell(context, goal[1]).text}"
        for goal in targets
    ]


def _activities(context: Context, actions: Sequence[CaseAction]) -> Iterator[str]:
    """Actions with what was changed by them; without any what the consultants tell."""
    for action in actions:
        if action.action.state is ActionState.DROPPED:
            continue
        state = word(action.action.state, context.words.language)
        evidence = evidence_text(action.evidence)
        yield f"{action.number} {action.action.title} ({state})" + (f" [{evidence}]" if evidence else "")
        for change in action.action.changes:
            yield f"– {change.parameter}: {change.old or '–'} → {change.new or '–'}"
    if not actions:
        yield from context.case.texts(Section.APPROACH)


def _effect(context: Context) -> Iterator[str]:
    for iteration in context.case.cycle.iterations:
        for target in iteration.targets:
            if target.target is not None and target.target.baseline is not None:
                change = cycle.change_text(context, target.metric, target.change)
                yield f"{_named(context, iteration, target)}: {change}"
        yield from (cycle.guard_text(context, guard) for guard in iteration.guards)
    if not context.case.cycle.iterations:
        yield from (context.phrase(row, context.full_name(row)) for row in context.figures.key_figures[:FIGURES])
    yield from front.worse_lines(context)
    yield from front.load_notes(context)


def _conclusion(context: Context) -> Iterator[str]:
    for iteration in context.case.cycle.iterations:
        if iteration.summary is not None and iteration.summary.conclusion:
            yield iteration.summary.conclusion
    yield from context.case.texts(Section.OUTLOOK)
    yield from (outlook.headline for outlook in context.case.analysis.capacity if not outlook.refused)
    points = list(changes.open_points(context))
    if points:
        yield context.text("side_effects.open")
        yield from (f"– {point.sentence(context)}" for point in points[:POINTS])
        if len(points) > POINTS:
            yield context.text("result.more", count=len(points) - POINTS)
