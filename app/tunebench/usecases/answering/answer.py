"""One answer for a project and two windows, made of their comparison, their databases and the records of the cycle."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from zoneinfo import ZoneInfo

from tunebench.analysis.answering import ranking
from tunebench.analysis.answering.answer import (
    Answer,
    CauseAnswer,
    Certainty,
    Chip,
    DatabaseAnswer,
    Headline,
    Kind,
    KindAnswer,
    MeasuredIn,
    TargetAnswer,
    WorseAnswer,
    counted,
    members_of,
)
from tunebench.analysis.answering.certainty import certainty_of
from tunebench.analysis.answering.groups import Group, grouped
from tunebench.analysis.answering.resources import USER_FACING, Family, Figure, Resource, figures, processors
from tunebench.analysis.comparing.comparison import Comparison
from tunebench.analysis.comparing.deciding import margin_of
from tunebench.analysis.databases.explained import Step
from tunebench.analysis.databases.statement_heads import statement_head
from tunebench.analysis.inference.verdict import Verdict
from tunebench.columns.series_words import host_text
from tunebench.core.grouping import by_key
from tunebench.core.messages import LANGUAGES, catalogue
from tunebench.domain.comparability import Check, GateCheck
from tunebench.domain.engagement import UNNAMED_HOST, presumed_parts
from tunebench.domain.finding import Shift
from tunebench.domain.provenance import Disclosure
from tunebench.domain.windows import Stretch, Window
from tunebench.store import engagements
from tunebench.store.artefacts import ArtefactInfo, list_artefacts
from tunebench.store.project import Project
from tunebench.store.runs import list_runs
from tunebench.usecases import translated
from tunebench.usecases.answering.next_steps import next_steps
from tunebench.usecases.answering.targets import judged_iteration, prices, target_answers
from tunebench.usecases.comparing import windows
from tunebench.usecases.cycle import comparable, reading
from tunebench.usecases.databases.comparison import DatabaseComparison
from tunebench.usecases.findings.words import score_text

LEAST_CAUSE = 0.005
"""Of DB time: a statement that added less is not named."""
MOST_CAUSES = 6
_UNJUDGED, _MOST_UNJUDGED = 3, 2
_EQUAL_WORK = "elapsed_s"
_KINDS = {Family.CPU: Kind.HOSTS, Family.DISK: Kind.DISKS}
_DAYS = ("date", "start")
_CERTAIN = (Chip.PROVEN, Chip.ASSUMED, Chip.RELATIVE)
_UNDATED = "dated_by_file"


def answer_of(
    project: Project, comparison: Comparison, databases: Sequence[DatabaseComparison] = (), shift: Shift | None = None
) -> Answer:
    """
    Args:
        databases: of the same two windows.
        shift: of the bottleneck between them; None where nobody asked.
    """
    zone = ZoneInfo(engagements.read_engagement(project).zone)
    runs = {run.id: run for run in list_runs(project)}
    book = comparable.asked(project, reading.read(project))
    iteration = judged_iteration(book)
    readers = {language: translated.reader_of(project, language) for language in LANGUAGES}
    targets = () if iteration is None else target_answers(book, iteration, runs, zone, comparison.rows, readers)
    every = figures(comparison)
    if databases:  # their own comparison judges them, at equal work
        every = tuple(figure for figure in every if figure.resource.family is not Family.DATABASE)
    kinds = tuple(_kinds(comparison, every))
    of_databases = tuple(_database(database) for database in databases)
    sides = _sides(project, comparison)
    headline = _headline(targets, of_databases, kinds, every, sides)
    disclosures = _disclosures(project, comparison)
    certainty = _undated(certainty_of(headline), comparison.gate)
    named = list(_worse(every, kinds, of_databases))
    shown = named[: ranking.MOST_WORSE]
    return Answer(
        windows=sides,
        headline=headline,
        targets=targets,
        figures=every,
        tiles=ranking.tiles(every, len([target for target in targets if target is not headline])),
        kinds=kinds,
        databases=of_databases,
        worse=tuple(shown),
        more_worse=len(named) - len(shown),
        price=() if iteration is None else prices(book, iteration, targets, sides),
        bottleneck={} if shift is None else {language: _bottleneck(shift, language) for language in LANGUAGES},
        gate=comparison.gate,
        certainty=certainty,
        next=next_steps(book, iteration, comparison.gate, headline, certainty, shown, sides, readers, disclosures),
        counts=counted(comparison.rows, every, of_databases),
        disclosures=disclosures,
    )


def _sides(project: Project, comparison: Comparison) -> tuple[MeasuredIn, MeasuredIn]:
    before, after = (
        _measured_in(project, window, stretches)
        for window, stretches in (
            (comparison.before, comparison.occurrences_before),
            (comparison.after, comparison.occurrences_after),
        )
    )
    return before, after


def _measured_in(project: Project, window: Window, stretches: Sequence[Stretch]) -> MeasuredIn:
    return MeasuredIn(
        windows.title_of(project, window),
        min((stretch.start_ns for stretch in stretches), default=None),
        max((stretch.end_ns for stretch in stretches), default=None),
        len(stretches),
    )


def _bottleneck(shift: Shift, language: str) -> str:
    """``Bottleneck CPU [db01] → none shown.``"""
    messages = catalogue(language)
    if shift.reason == "nothing_measured":
        return messages.text("answer.bottleneck.unmeasured")
    before, after = (
        messages.text("answer.bottleneck.none") if own.bottleneck is None else score_text(own.bottleneck, language)
        for own in (shift.before, shift.after)
    )
    if shift.before.bottleneck is None and shift.after.bottleneck is None:
        return messages.text("answer.bottleneck.neither")
    stayed = shift.shifted is False
    return messages.text("answer.bottleneck.stayed" if stayed else "answer.bottleneck", before=before, after=after)


# -- the headline --------------------------------------------------------------------------------------


def _headline(
    targets: Sequence[TargetAnswer],
    databases: Sequence[DatabaseAnswer],
    kinds: Sequence[KindAnswer],
    every: Sequence[Figure],
    sides: tuple[MeasuredIn, MeasuredIn],
) -> Headline | None:
    """The top target where it was measured over these windows; else what users feel, then what many did, then the
    strongest change; else what would be felt first, which has not changed or cannot be judged."""
    own = next((target for target in targets if is_of(target, sides)), None)
    if own is not None:
        return own
    felt = [figure for figure in every if figure.resource.family in USER_FACING]
    changed = [figure for figure in felt if ranking.tier(figure.lead.verdict) == 0]
    judged = [database for database in databases if database.verdict in (Verdict.IMPROVED, Verdict.REGRESSED)]
    many = [kind for kind in kinds if kind.changed]
    strongest = ranking.strongest(every)
    candidates: tuple[Sequence[Headline], ...] = (changed, judged, many, strongest, felt, databases, every)
    return next((own[0] for own in candidates if own), None)


def is_of(target: TargetAnswer, sides: tuple[MeasuredIn, MeasuredIn]) -> bool:
    """Whether a target was measured over the windows that are compared; what was typed in is of any."""
    if target.now is None or target.now.value is None:
        return False
    return all(own is None or _lies_in(own, side) for own, side in zip(target.windows, sides, strict=True))


def _lies_in(own: MeasuredIn, side: MeasuredIn) -> bool:
    if None in (own.start_ns, own.end_ns, side.start_ns, side.end_ns):
        return own.name == side.name
    assert own.start_ns is not None and own.end_ns is not None and side.start_ns is not None and side.end_ns is not None
    return side.start_ns <= own.start_ns and own.end_ns <= side.end_ns


# -- many of a kind ------------------------------------------------------------------------------------


def _kinds(comparison: Comparison, every: Sequence[Figure]) -> Iterator[KindAnswer]:
    for family, kind in _KINDS.items():
        own = [figure for figure in every if figure.resource.family is family]
        yield from _many(kind, family, "", own)
    rows = by_key(processors(comparison))
    for host, processor_rows in rows.items():
        own = [Figure(Resource(Family.CPU, host, row.series.attributes["cpu"]), row) for row in processor_rows]
        yield from _many(Kind.PROCESSORS, Family.CPU, host, own)


def _many(kind: Kind, family: Family, host: str, own: Sequence[Figure]) -> Iterator[KindAnswer]:
    metrics = by_key(((figure.lead.metric, figure.lead.direction), figure) for figure in own)
    for (_, direction), alike in metrics.items():
        members = members_of(alike)
        margin = max((margin_of(figure.lead.series) for figure in alike), default=0.0)
        parts = grouped(members, direction, margin)
        if parts is not None:
            yield KindAnswer(kind, family, host, tuple(alike), parts)


# -- databases -----------------------------------------------------------------------------------------


def _database(compared: DatabaseComparison) -> DatabaseAnswer:
    statements, explanation = compared.statements, compared.explanation
    totals = statements.totals.get(_EQUAL_WORK)
    causes: list[CauseAnswer] = []
    others = (0, 0.0)
    if explanation is not None:
        least = LEAST_CAUSE * max(explanation.before, explanation.after)
        steps = explanation.steps
        largest = sorted((step for step in steps if step.place is not None), key=lambda step: -abs(step.amount))
        named = [step for step in largest if abs(step.amount) >= least][:MOST_CAUSES]
        causes = _causes(compared, named)
        left = [step for step in steps if step not in named]
        others = sum(step.count for step in left), sum(step.amount for step in left)
    return DatabaseAnswer(
        compared.after.database.label,
        compared.time,
        explanation,
        totals if totals is not None and totals.statements else None,
        tuple(causes),
        others,
    )


def _causes(compared: DatabaseComparison, steps: Sequence[Step]) -> list[CauseAnswer]:
    statements = compared.statements
    causes = []
    for step in steps:
        assert step.place is not None
        row = statements.row(step.place)
        container = row.pair.container if statements.several_containers else ""
        causes.append(CauseAnswer(step.kind, row, statements.text_of(row.pair), container, row.pair.name, step.amount))
    alike = {
        name: {cause.id for cause in own}
        for name, own in by_key(((statement_head(cause.text), cause.container), cause) for cause in causes).items()
    }
    return [
        replace(cause, id="") if cause.text and len(alike[statement_head(cause.text), cause.container]) == 1 else cause
        for cause in causes
    ]


# -- what got worse ------------------------------------------------------------------------------------


def _worse(
    every: Sequence[Figure], kinds: Sequence[KindAnswer], databases: Sequence[DatabaseAnswer]
) -> Iterator[WorseAnswer]:
    """By the verdicts, what matters most first; then what stands apart from its kind, as a number only."""
    members = {id(kind.figures[member.place]) for kind in kinds for group in kind.changed for member in group.members}
    weighed: list[tuple[float, WorseAnswer]] = []
    for figure in every:
        if figure.lead.verdict is Verdict.REGRESSED and id(figure) not in members:
            weighed.append((ranking.weight_of(figure), WorseAnswer(figure)))
    for kind in kinds:
        weighed += [
            (_weight_of_group(kind, group), WorseAnswer(group, kind))
            for group in kind.changed
            if group.verdict is Verdict.REGRESSED
        ]
    for database in databases:
        sessions = max(database.sessions or (0.0, 0.0))
        weighed += [(cause.amount / sessions, WorseAnswer(cause)) for cause in database.causes if _is_dearer(cause)]
    yield from (worse for _, worse in sorted(weighed, key=lambda pair: -pair[0]))
    yield from _apart(kinds)
    if all(ranking.tier(figure.lead.verdict) == _UNJUDGED for figure in every):
        unwanted = sorted(filter(ranking.is_unwanted, every), key=lambda figure: -ranking.weight_of(figure))
        yield from (WorseAnswer(figure, judged=False) for figure in unwanted[:_MOST_UNJUDGED])


def _is_dearer(cause: CauseAnswer) -> bool:
    """Whether each execution takes longer, by its verdict: that it runs more often is no fault of it."""
    return cause.is_dearer and cause.statement.changes[_EQUAL_WORK].verdict is Verdict.REGRESSED


def _weight_of_group(kind: KindAnswer, group: Group) -> float:
    return abs(group.change) * max(kind.of(member).use for member in group.members)


def _apart(kinds: Sequence[KindAnswer]) -> Iterator[WorseAnswer]:
    """Single members far from all others that moved the unwanted way, and have no verdict of their own."""
    for kind in kinds:
        for member in kind.parts.apart:
            figure = kind.of(member)
            if ranking.is_unwanted(figure) and member.verdict is not Verdict.REGRESSED:
                yield WorseAnswer(figure, kind, judged=False)


# -- what it is never told without ---------------------------------------------------------------------


def _disclosures(project: Project, comparison: Comparison) -> tuple[Disclosure, ...]:
    """Of the hosts and captures that both sides have figures of."""
    both = [row for row in comparison.rows if row.measured_on_both]
    return (*_of_hosts({row.series.host for row in both}), *_of_days(project, comparison))


def _of_hosts(names: Iterable[str]) -> Iterator[Disclosure]:
    for name in sorted(names):
        parts = presumed_parts(name)
        if parts is not None or name == UNNAMED_HOST:
            key = f"answer.disclosed.host.{parts[1] if parts else 'alone'}"
            yield Disclosure(
                key,
                {
                    language: catalogue(language).text(key, host=host_text(name, catalogue(language)))
                    for language in LANGUAGES
                },
            )


def _of_days(project: Project, comparison: Comparison) -> Iterator[Disclosure]:
    ids = {
        id_
        for row in comparison.rows
        if row.measured_on_both
        for part in (*row.before_parts, *row.after_parts)
        for id_ in part.artefact_ids or (part.artefact_id,)
    }
    captures = [capture for capture in list_artefacts(project) if capture.id in ids]
    for source in ("path", "mtime"):
        count = sum(_has_day_of(capture, source) for capture in captures)
        if count:
            key = f"answer.disclosed.day.{source}"
            yield Disclosure(key, {language: catalogue(language).text(key, count=count) for language in LANGUAGES})


def _has_day_of(capture: ArtefactInfo, source: str) -> bool:
    return any(own.subject in _DAYS and own.source == source for own in capture.ledger.assumptions)


def _undated(certainty: Certainty, gate: Iterable[GateCheck]) -> Certainty:
    """As stated, however clear it is, where nothing but files' dates says that one side was before the other."""
    is_undated = any(check.check is Check.CALENDAR and check.reason == _UNDATED for check in gate)
    return Certainty(Chip.STATED, _UNDATED) if is_undated and certainty.chip in _CERTAIN else certainty
