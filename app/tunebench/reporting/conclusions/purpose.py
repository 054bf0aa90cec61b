"""Where it came from, what was done about it, and what that cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from tunebench.columns.formats import decimals_for
from tunebench.core.grouping import by_key
from tunebench.domain.cycle.worksheet import ActionState
from tunebench.domain.engagement import Section
from tunebench.domain.finding import ResourceScore, Severity, UseAspect
from tunebench.domain.provenance import bare_state
from tunebench.reporting.calling import tone_of
from tunebench.reporting.cases.analysis import CaseFinding, CaseResource, CaseUse, CaseUseRow
from tunebench.reporting.cases.cycle import CaseAction, CaseGuard
from tunebench.reporting.chapters import cycle
from tunebench.reporting.chapters.context import (
    FIXED,
    NUMBER,
    TEXT,
    Context,
    cut_note,
    evidence_text,
    shortened,
    table_of,
)
from tunebench.reporting.chapters.findings import scores_table
from tunebench.reporting.chapters.judged import judged_iteration
from tunebench.reporting.conclusions.page import ConclusionPage, page
from tunebench.reporting.conclusions.parts import foot
from tunebench.reporting.cycle_words import word
from tunebench.reporting.document import (
    Badge,
    Block,
    Cell,
    Claim,
    Heat,
    HeatCell,
    HeatMap,
    NumberedList,
    Run,
    Table,
    TableHead,
    Tone,
)
from tunebench.reporting.wording import grouped

LINES = 10
"""Rows of a table of a page."""
HOSTS = 12
"""Hosts of the heat map, the tightest first."""
KINDS = ("cpu", "memory", "disk", "network", "filesystem", "sessions")
_GRAVE = (Severity.CRITICAL, Severity.WARNING)
_FINDING_TONES = {Severity.CRITICAL: Tone.BAD, Severity.WARNING: Tone.WARNING}
FINDINGS, SCORES = 8, 5
LAST = 1_000_000
"""Behind every place."""


# -- where it comes from -------------------------------------------------------------------------------


def has_causes(context: Context) -> bool:
    """Whether something is tight, was found or is recorded: that nothing is needs no page."""
    analysis = context.case.analysis
    tight = any(_severity(side) in _GRAVE for row in analysis.use for side in (row.before, row.after))
    return tight or bool(analysis.findings) or any(iteration.causes for iteration in context.case.cycle.iterations)


def causes(context: Context) -> Iterator[ConclusionPage]:
    yield page(context.text("section.causes"), _causes(context))


def _causes_title(context: Context) -> str:
    """The title by the side before tuning; where there is but one, by that."""
    text, rows = context.text, context.case.analysis.use
    if not rows:
        count = sum(len(iteration.causes) for iteration in context.case.cycle.iterations)
        return text("conclusion.causes_told", count=count)
    severities = Counter(_severity(_first_side(row)) for row in rows)
    worst = max(rows, key=lambda row: _tightness(context, row, _first_side(row)))
    thing = f"{context.words.host(worst.host)} · {worst.resource}"
    if _severity(_first_side(worst)) not in _GRAVE:
        measured = [row for row in rows if any(used.cell.measured for used in _first_side(row) or ())]
        kinds = ", ".join(context.words.known(f"use.resource.{kind}", kind) for kind in _kinds(measured))
        return text("conclusion.no_cause", count=f"{len(measured):,}", thing=thing, kinds=kinds)
    return text(
        "conclusion.causes", critical=severities[Severity.CRITICAL], warning=severities[Severity.WARNING], thing=thing
    )


def _tightness(context: Context, row: CaseUseRow, side: Sequence[CaseUse] | None) -> tuple[int, int, float]:
    """A sort key: the gravest degree first, then the place among those in order, then how far it is used."""
    degree, use = _rank(side)
    return degree, -_place(context, row), use


def _place(context: Context, row: CaseUseRow) -> int:
    """Its rank among those in order, on the side before tuning; of one that has none a last one."""
    shift = context.case.analysis.shift
    for resource in shift.resources if shift is not None else ():
        rank, score = _before_first(resource)
        if (score.host, score.resource) == (row.host, row.kind) and row.resource.endswith(score.name):
            return rank
    return LAST


def _before_first(resource: CaseResource) -> tuple[int, ResourceScore]:
    """By the side before tuning, else behind all of that side by the other."""
    if resource.before is not None:
        return resource.before.place, resource.before.score
    assert resource.after is not None
    return LAST + resource.after.place, resource.after.score


def _first_side(row: CaseUseRow) -> Sequence[CaseUse] | None:
    return row.before if row.before is not None else row.after


def _causes(context: Context) -> Iterator[Block]:
    analysis = context.case.analysis
    yield Claim((Run(_causes_title(context)),))
    if analysis.use:
        yield heat_map(context)
    if analysis.shift is not None:
        answered = context.answer.bottleneck if context.answer is not None else ""
        yield Badge(context.text("bottleneck.label"), answered or analysis.shift.sentence, Tone.PLAIN)
    if analysis.shift is not None and analysis.shift.resources:
        ordered = tuple(sorted(analysis.shift.resources, key=lambda resource: _before_first(resource)[0]))
        yield shortened(context, scores_table(context, ordered), SCORES)
    if analysis.findings:
        yield _findings_table(context, analysis.findings)
    table = _cause_table(context)
    if table.rows:
        yield shortened(context, table, LINES)
    yield from foot(context, context.answer)


def _findings_table(context: Context, findings: Sequence[CaseFinding]) -> Table:
    """The gravest, in a line each: the annex has what they rest on."""
    text = context.text
    return table_of(
        text("causes.findings", shown=min(len(findings), FINDINGS), count=f"{len(findings):,}"),
        findings[:FINDINGS],
        (
            TableHead(text("column.severity"), FIXED),
            lambda one: Cell(
                one.severity_words, None, _FINDING_TONES.get(one.found.severity, Tone.PLAIN), is_chip=True
            ),
        ),
        (TableHead(text("column.finding"), TEXT, 3), lambda one: one.title),
        (TableHead(text("column.thing"), TEXT, 1.4), lambda one: one.thing),
        (TableHead(text("column.later"), TEXT, 1), lambda one: one.later or "–"),
        (TableHead(text("column.evidence"), TEXT, 0.8), lambda one: evidence_text(one.evidence)),
    )


def _cause_table(context: Context) -> Table:
    text, words = context.text, context.words
    numbers = {issue.issue.id: issue.issue.number for issue in context.case.cycle.issues}
    return table_of(
        text("caption.causes"),
        [
            (iteration.iteration.number, cause)
            for iteration in context.case.cycle.iterations
            for cause in iteration.causes
        ],
        (TableHead(text("column.iteration"), NUMBER), lambda pair: Cell(str(pair[0]), pair[0])),
        (TableHead(text("card.causes"), TEXT, 4), lambda pair: pair[1].title),
        (
            TableHead(text("causes.share"), NUMBER),
            lambda pair: "–" if pair[1].share_pct is None else f"{pair[1].share_pct:g} %",
        ),
        (TableHead(text("causes.confidence"), FIXED), lambda pair: word(pair[1].confidence, words.language)),
        (TableHead(text("column.state"), FIXED), lambda pair: word(pair[1].state, words.language)),
        (
            TableHead(text("causes.issues"), FIXED),
            lambda pair: ", ".join(str(numbers[id_]) for id_ in pair[1].issue_ids if id_ in numbers) or "–",
        ),
    )


def _kinds(rows: Sequence[CaseUseRow]) -> list[str]:
    return [kind for kind in KINDS if any(row.kind == kind for row in rows)]


def heat_map(context: Context) -> HeatMap:
    """A cell for the tightest resource of each kind on each host, on either side."""
    text, rows = context.text, context.case.analysis.use
    kinds = _kinds(rows)
    sides = [name for name in ("before", "after") if any(getattr(row, name) is not None for row in rows)]
    by_host = by_key((row.host, row) for row in rows)

    def tightness(host: str) -> tuple[int, int, float]:
        return max(_tightness(context, row, side) for row in by_host[host] for side in (row.before, row.after))

    hosts = sorted(by_host, key=tightness, reverse=True)[:HOSTS]
    fields = [
        (
            context.words.host(host),
            tuple(
                tuple(_heat_cell([r for r in by_host[host] if r.kind == kind], side) for side in sides)
                for kind in kinds
            ),
        )
        for host in hosts
    ]
    seen = {cell.heat for _, row in fields for field in row for cell in field}
    legend = tuple(HeatCell(_heat_word(context, heat), heat) for heat in Heat if heat in seen)
    notes = cut_note(context, HOSTS, len(by_host))
    return HeatMap(
        tuple(context.words.known(f"use.resource.{kind}", kind) for kind in kinds),
        tuple(text(f"column.{name}_short") for name in sides),
        tuple(fields),
        legend,
        " ".join((text("caption.heat_map"), *notes)),
    )


def _heat_word(context: Context, heat: Heat) -> str:
    return (
        context.words.missing
        if heat is Heat.UNMEASURED
        else context.words.known(f"diagnosis.severity.{heat.value}", heat.value)
    )


def _heat_cell(rows: Sequence[CaseUseRow], side: str) -> HeatCell:
    """The tightest resource of a kind, with its utilisation, else with the figure that was judged."""
    measured: list[tuple[CaseUse, ...]] = [cells for row in rows if (cells := getattr(row, side)) is not None]
    worst = max(measured, key=_rank, default=())
    measured_cells = [used for used in worst if used.cell.measured]
    if not measured_cells:
        return HeatCell("–", Heat.UNMEASURED)
    severity = _severity(worst)
    heat = Heat.OK if severity is None else Heat(severity.value)
    shown = max(measured_cells, key=lambda used: (_of(used), used.cell.aspect is UseAspect.UTILISATION))
    value = shown.cell.value
    figure = "" if value is None else f"{grouped(value, decimals_for([value]))} {shown.unit}".rstrip()
    return HeatCell(" · ".join(filter(None, (figure, shown.severity_words))), heat)


def _of(used: CaseUse) -> int:
    return -1 if used.cell.severity is None else used.cell.severity.rank


def _severity(cells: Sequence[CaseUse] | None) -> Severity | None:
    return max(
        (used.cell.severity for used in cells or () if used.cell.severity is not None),
        key=lambda severity: severity.rank,
        default=None,
    )


def _rank(cells: Sequence[CaseUse] | None) -> tuple[int, float]:
    """A sort key: the gravest degree of a row's cells, then how far the resource is used."""
    used = next((cell.cell.value for cell in cells or () if cell.cell.aspect is UseAspect.UTILISATION), None)
    return max((_of(cell) for cell in cells or ()), default=-2), used or 0.0


# -- what was done about it ----------------------------------------------------------------------------


def has_countermeasures(context: Context) -> bool:
    return bool(context.case.cycle.actions or context.case.texts(Section.APPROACH))


def countermeasures(context: Context) -> Iterator[ConclusionPage]:
    yield page(context.text("section.countermeasures"), _countermeasures(context))


def _done(context: Context) -> str:
    tuning, text = context.case.cycle, context.text
    executed = sum(action.action.state is ActionState.EXECUTED for action in tuning.actions)
    facts = {"actions": len(tuning.actions), "executed": executed}
    if not tuning.actions:
        return text("conclusion.approach", count=len(context.case.texts(Section.APPROACH)))
    if tuning.issues:
        answered = sum(bool(issue.actions) for issue in tuning.issues)
        return text("conclusion.answered", issues=len(tuning.issues), answered=answered, **facts)
    return text("conclusion.executed", **facts)


def _countermeasures(context: Context) -> Iterator[Block]:
    tuning = context.case.cycle
    guards = _guards(context)
    yield Claim((Run(_done(context)),), lines=tuple(_paid(context, guards)))
    if not tuning.actions:
        yield NumberedList(context.case.texts(Section.APPROACH)[:LINES])
    if tuning.issues:
        matrix = cycle.matrix(context)
        yield shortened(context, replace(matrix, notes=(context.text("note.matrix"),)), LINES)
    if tuning.actions:
        yield shortened(context, _action_table(context, tuning.actions), LINES)
    yield from _trade_off(context, guards)
    yield from foot(context, context.answer)


def _action_table(context: Context, actions: Sequence[CaseAction]) -> Table:
    text, language = context.text, context.words.language
    return table_of(
        text("caption.actions", count=len(actions)),
        actions,
        (TableHead(text("column.action"), FIXED), lambda action: action.number),
        (TableHead(text("column.title"), TEXT, 2.4), lambda action: action.action.title),
        (TableHead(text("card.causes"), TEXT, 2.4), lambda action: "\n".join(action.causes[:3]) or "–"),
        (TableHead(text("column.state"), FIXED), lambda action: word(action.action.state, language)),
        (TableHead(text("column.evidence"), TEXT, 0.8), lambda action: evidence_text(action.evidence)),
    )


# -- what it was to cost, and did ----------------------------------------------------------------------


_Numbered = tuple[int, CaseGuard]
"""A guard behind the number of its iteration."""


def _paid(context: Context, guards: Sequence[_Numbered]) -> Iterator[str]:
    """Of the iteration that page one is of, then of all others."""
    judged = judged_iteration(context)
    if not guards:
        yield context.text("result.unwatched")
    elif judged is None or not _has_several(context):
        yield _counted(context, "conclusion.trade_off", [guard for _, guard in guards])
    else:
        number = judged.iteration.number
        own = [guard for iteration, guard in guards if iteration == number]
        others = [guard for iteration, guard in guards if iteration != number]
        if own:
            yield _counted(context, "conclusion.trade_off_own", own, number=number)
        if others:
            yield _counted(context, "conclusion.trade_off_others", others)


def _counted(context: Context, key: str, guards: Sequence[CaseGuard], **facts: object) -> str:
    states = Counter(bare_state(guard.state) for guard in guards)
    paid = states["paid"] + states["exceeded"]
    return context.text(key, count=len(guards), paid=paid, unmeasured=states["not_measured"], **facts)


def _has_several(context: Context) -> bool:
    return len(context.case.cycle.iterations) > 1


def _guards(context: Context) -> list[_Numbered]:
    """All guards: what was paid first, what nobody measured last."""
    guards = [(one.iteration.number, guard) for one in context.case.cycle.iterations for guard in one.guards]
    return sorted(guards, key=lambda own: (tone_of(own[1].state) is Tone.PLAIN, own[1].state == "not_measured"))


def _trade_off(context: Context, guards: Sequence[_Numbered]) -> Iterator[Block]:
    planned = [(one.iteration.number, effect) for one in context.case.cycle.iterations for effect in one.planned]
    if planned:
        table = cycle.planned_table(context, [effect for _, effect in planned], context.text("caption.planned_all"))
        yield shortened(context, _with_iterations(context, table, [number for number, _ in planned]), LINES)
    if guards:
        table = cycle.guard_table(context, [guard for _, guard in guards], context.text("caption.guards_all"))
        yield shortened(context, _with_iterations(context, table, [number for number, _ in guards]), LINES)


def _with_iterations(context: Context, table: Table, numbers: Sequence[int]) -> Table:
    """Each row behind the number of its iteration, where there are several."""
    if not _has_several(context):
        return table
    head = TableHead(context.text("column.iteration"), NUMBER)
    rows = zip(numbers, table.rows, strict=True)
    return replace(
        table, columns=(head, *table.columns), rows=tuple((Cell(str(number), number), *row) for number, row in rows)
    )
