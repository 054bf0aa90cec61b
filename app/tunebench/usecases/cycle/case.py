"""The tuning cycle as the report needs it: records, and what the method finds out about them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from zoneinfo import ZoneInfo

from tunebench.core.messages import catalogue
from tunebench.diagnosis.cycle.disclosures import EXCEPTIONS, disclosures
from tunebench.diagnosis.cycle.equality import equality_evidence
from tunebench.diagnosis.cycle.gate import Gate
from tunebench.diagnosis.cycle.planned import Planned, planned_and_happened, taken_back
from tunebench.diagnosis.cycle.results import (
    actions_for_issue,
    change_between,
    guard_standings,
    latest_result,
    outcome_of,
    reached,
    shift,
    summary_of,
    target_standings,
    verification_standings,
)
from tunebench.domain.cycle.book import CycleBook, Record
from tunebench.domain.cycle.evidence import Evidence
from tunebench.domain.cycle.recorded import Contradictions, Recorded, Told, decision_on
from tunebench.domain.cycle.records import (
    Cause,
    CustomerIssue,
    ExperimentSource,
    Figure,
    Iteration,
    ManualSource,
    MeasurementSource,
    Metric,
    MetricSource,
    Question,
    Result,
    SeriesSource,
    StatementSource,
    Step,
    SystemInScope,
    Target,
    Term,
)
from tunebench.domain.cycle.seals import Amendment, Seal
from tunebench.domain.cycle.worksheet import Action, ExecutedChange
from tunebench.domain.engagement import Run
from tunebench.domain.record_labels import label, reference_of
from tunebench.domain.series_names import series_name
from tunebench.domain.translations import Reading
from tunebench.domain.windows import Window
from tunebench.reporting.cases.cycle import (
    CONTRADICTED,
    WITHHELD,
    CaseAction,
    CaseGuard,
    CaseIssue,
    CaseIteration,
    CasePlanned,
    CaseStep,
    CaseTarget,
    CaseVerification,
    CycleCase,
    MeasuredOver,
    PinnedEvidence,
)
from tunebench.reporting.cycle_words import word_key
from tunebench.store import engagements, runs
from tunebench.store.project import Project
from tunebench.usecases.cycle import comparable, reading
from tunebench.usecases.cycle.contradicted import found_text
from tunebench.usecases.cycle.words import disclosure_text, qualified_texts, refusal_texts

_UTC = ZoneInfo("UTC")
FileKey = Callable[[int | None], str]
"""Id of a capture -> its key in the report, empty where it has none."""


def cycle_case(
    project: Project, language: str, file_key: FileKey = lambda _: "", reader: Reading | None = None
) -> CycleCase | None:
    """The tuning cycle as the report has it; None where the engagement has no record of it at all.

    Args:
        reader: of the records' texts; None: as they were written.
    """
    book = comparable.asked(project, reading.read(project))
    wrong = book.contradicted or Contradictions()
    if not book.records and not wrong.found:
        return None
    by_id = {run.id: run for run in runs.list_runs(project)}
    labels = {id_: run.label for id_, run in by_id.items()}
    zone = ZoneInfo(engagements.read_engagement(project).zone)
    case = case_of(_without(book, wrong.metrics), language, labels, file_key, zone, reader)
    return replace(
        case,
        iterations=tuple(
            replace(iteration, targets=tuple(_with_windows(book, target, by_id) for target in iteration.targets))
            for iteration in case.iterations
        ),
        contradicted=tuple(found_text(finding, language) for finding in wrong.found),
    )


def _with_windows(book: CycleBook, target: CaseTarget, by_id: Mapping[int, Run]) -> CaseTarget:
    baseline = target.target.baseline if target.target else None
    before, after = (_measured_over(book, figure, by_id) for figure in (baseline, target.now))
    return replace(target, windows=(before, after))


def _measured_over(book: CycleBook, figure: Figure | None, by_id: Mapping[int, Run]) -> MeasuredOver | None:
    if figure is None:
        return None
    kept, run = book.find(Window, figure.window_id), by_id.get(figure.run_id or 0)
    name = kept.name if kept is not None else run.label if run is not None else ""
    if not name:
        return None
    if figure.start_ns is None and kept is None and run is not None:  # of statements: of all of the run
        return MeasuredOver(name, run.first_ns, run.last_ns)
    return MeasuredOver(name, figure.start_ns, figure.end_ns)


def _without(book: CycleBook, metrics: Collection[int]) -> CycleBook:
    """The book without the figures of the `metrics`: nothing is concluded from them."""
    changed = [
        replace(record, after=WITHHELD) if isinstance(record, Result) else replace(record, baseline=WITHHELD)
        for record in book
        if isinstance(record, Target | Result) and record.metric_id in metrics
    ]
    return replace(book, records={**book.records, **{record.id: record for record in changed}}) if changed else book


def case_of(
    book: CycleBook,
    language: str,
    runs_by_id: Mapping[int, str],
    file_key: FileKey = lambda _: "",
    zone: ZoneInfo = _UTC,
    reader: Reading | None = None,
) -> CycleCase:
    """The book as the report has it; `zone` is that of the moments that a refused comparison names.

    What is found out about records is found out about them as they were written, then said in the words that `reader`
    has of them.
    """
    reader, numbers = reader or Reading(language, language), _action_numbers(book)
    case = CycleCase(
        issues=tuple(_issue(book, issue, numbers) for issue in sorted(book.all(CustomerIssue), key=_number)),
        systems=book.all(SystemInScope),
        terms=book.all(Term),
        iterations=tuple(_iteration(book, iteration, numbers, reader, zone) for iteration in book.iterations),
        evidence=tuple(
            _pinned(book, evidence, runs_by_id, file_key, reader)
            for evidence in sorted(book.all(Evidence), key=_number)
        ),
    )
    return replace(reader.of(case), recorded=_recorded(book, reader))


def _recorded(book: CycleBook, reader: Reading) -> Mapping[Told, Recorded]:
    """The entries of the trail by the decisions as the report has them."""
    decisions = [(action.id, consent) for action in book.all(Action) for consent in action.consents]
    entries = {(id_, reader.of(consent)): book.recorded.get(decision_on(id_, consent)) for id_, consent in decisions}
    return {**book.recorded, **{key: entry for key, entry in entries.items() if entry is not None}}


def _number(record: CustomerIssue | Evidence) -> int:
    return record.number


def _action_numbers(book: CycleBook) -> dict[int, str]:
    """A-1, A-2 ... through all iterations, in the order the actions were entered."""
    actions = [action for iteration in book.iterations for action in book.in_iteration(Action, iteration.id)]
    return {action.id: f"A-{number}" for number, action in enumerate(actions, 1)}


def _codes(book: CycleBook, ids: Iterable[int | None]) -> tuple[str, ...]:
    """Codes of the evidence that is pinned to the records of these ids, or is such a record."""
    wanted = {id_ for id_ in ids if id_}
    pinned = [
        evidence for evidence in book.all(Evidence) if evidence.id in wanted or wanted & set(evidence.attached_to)
    ]
    return tuple(evidence.code for evidence in sorted(pinned, key=_number))


def _issue(book: CycleBook, issue: CustomerIssue, numbers: Mapping[int, str]) -> CaseIssue:
    actions = tuple(numbers[action.id] for action in actions_for_issue(book, issue) if action.id in numbers)
    return CaseIssue(issue, actions, _codes(book, [issue.id]))


def _iteration(
    book: CycleBook, iteration: Iteration, numbers: Mapping[int, str], reader: Reading, zone: ZoneInfo
) -> CaseIteration:
    before = book.find(Iteration, iteration.continues)
    actions = book.in_iteration(Action, iteration.id)
    log = [line for line in book.all(ExecutedChange) if line.action_id in {action.id for action in actions}]
    summary = summary_of(book, iteration)
    steps = sorted(book.in_iteration(Step, iteration.id), key=lambda step: step.number)
    causes = sorted(book.in_iteration(Cause, iteration.id), key=lambda cause: -(cause.share_pct or 0.0))
    gates = disclosures(book, iteration)
    read = [replace(gate, facts=reader.facts(gate.facts)) for gate in gates]
    sentences = [(gate.key, disclosure_text(gate, reader.language, zone)) for gate in read]
    return CaseIteration(
        iteration=iteration,
        outcome=outcome_of(book, iteration),
        steps=tuple(CaseStep(step, _codes(book, [step.id])) for step in steps),
        targets=(*_targets(book, iteration, reader, zone, gates), *_untargeted(book, iteration, reader)),
        guards=tuple(_guards(book, iteration, numbers, reader)),
        planned=tuple(_planned(planned, numbers) for planned in planned_and_happened(book, iteration)),
        taken_back=tuple(_planned(planned, numbers) for planned in taken_back(book, iteration)),
        causes=tuple(causes),
        actions=tuple(_action(book, action, numbers[action.id], reader) for action in actions),
        log=tuple((numbers[line.action_id], line) for line in log),
        questions=book.in_iteration(Question, iteration.id),
        summary=summary,
        equality_evidence=equality_evidence(book, iteration),
        shift=shift(summary).state.value,
        continues=before.number if before else None,
        seals=book.in_iteration(Seal, iteration.id),
        amendments=book.in_iteration(Amendment, iteration.id),
        disclosures=tuple(sentence for _key, sentence in sentences),
        exceptions=tuple(sentence for key, sentence in sentences if key in EXCEPTIONS),
    )


def _targets(
    book: CycleBook, iteration: Iteration, reader: Reading, zone: ZoneInfo, gates: Sequence[Gate]
) -> Iterable[CaseTarget]:
    amendments = book.in_iteration(Amendment, iteration.id)
    for standing in target_standings(book, iteration.id):
        baseline, now, result = standing.baseline, standing.now, standing.result
        ids = [standing.metric.id, standing.target.id, result.id if result else None]
        ids += [figure.evidence_id for figure in (baseline, now) if figure]
        yield CaseTarget(
            standing.metric,
            standing.target,
            now,
            standing.called,
            standing.improvement,
            source_text(book, standing.metric.source, reader),
            _remark(result, reader),
            _codes(book, ids),
            tuple(check.check.value for check in standing.refusals),
            refusal_texts(standing, reader.language, zone),
            standing.interval,
            standing.descriptive_only,
            qualified=qualified_texts(standing, amendments, gates, reader.language),
        )


def _remark(result: Result | None, reader: Reading) -> str:
    return reader.of(result).remark if result is not None else ""


def _untargeted(book: CycleBook, iteration: Iteration, reader: Reading) -> Iterable[CaseTarget]:
    """Metrics that nobody set a target for."""
    targeted = {standing.metric.id for standing in target_standings(book, iteration.id)}
    for metric in book.in_iteration(Metric, iteration.id):
        if metric.guards is None and metric.id not in targeted:
            result = latest_result(book, metric.id)
            now = result.after if result else None
            yield CaseTarget(
                metric,
                None,
                now,
                CONTRADICTED if book.is_contradicted(metric) else reached(now, None, metric.direction).value,
                change_between(None, now, metric),
                source_text(book, metric.source, reader),
                _remark(result, reader),
                _codes(book, [metric.id]),
            )


def _guards(book: CycleBook, iteration: Iteration, numbers: Mapping[int, str], reader: Reading) -> Iterable[CaseGuard]:
    for standing in guard_standings(book, iteration.id):
        result = latest_result(book, standing.metric.id)
        yield CaseGuard(
            standing.metric,
            numbers.get(standing.action.id, ""),
            standing.before,
            standing.now,
            standing.limit,
            standing.called,
            standing.improvement,
            source_text(book, standing.metric.source, reader),
            _remark(result, reader),
            standing.interval,
        )


def _planned(planned: Planned, numbers: Mapping[int, str]) -> CasePlanned:
    row = CasePlanned(numbers[planned.action.id], planned.impacts, planned.margin_pct)
    if planned.standing is None:
        return row
    kind = word_key(planned.standing.state).rpartition(".")[0].removeprefix("cycle.")
    state = f"{kind}.{planned.standing.called}"
    return replace(row, metric=planned.standing.metric, change=planned.standing.improvement, state=state)


def _action(book: CycleBook, action: Action, number: str, reader: Reading) -> CaseAction:
    causes = (book.find(Cause, id_) for id_ in action.cause_ids)
    return CaseAction(
        number=number,
        action=action,
        causes=tuple(reader.of(cause).title for cause in causes if cause is not None),
        verifications=tuple(
            CaseVerification(reader.of(standing.metric).name, standing.verification.margin_pct, standing.called)
            for standing in verification_standings(book, action)
        ),
        guards=tuple(reader.of(metric).name for metric in book.all(Metric) if metric.guards == action.id),
        evidence=_codes(book, [action.id]),
        impact_evidence=tuple(_codes(book, impact.evidence_ids) for impact in action.impacts),
    )


def source_text(book: CycleBook, source: MetricSource, reader: Reading) -> str:
    """Where a metric is read, in words."""
    words = catalogue(reader.language)
    if isinstance(source, SeriesSource):
        return series_name(source) if source.native else words.text("report.metric_source.any", metric=source.metric)
    if isinstance(source, StatementSource):
        figure = words.text(f"report.metric_figure.{source.figure}")
        key = "statement_each" if source.per_execution else "statement"
        which = source.statement_id or words.text("report.metric_source.all_statements")
        return words.text(f"report.metric_source.{key}", figure=figure, statement=which)
    if isinstance(source, MeasurementSource):
        return words.text("report.metric_source.measurement", measurement=source.key)
    if isinstance(source, ExperimentSource):
        title = reader.words(book.experiment_title(source.experiment_id))
        facts = {"title": title, "response": source.response}
        return words.text("report.metric_source.experiment", **facts)
    assert isinstance(source, ManualSource)
    return words.text("report.metric_source.manual", how=reader.of(source).how or "-")


def _named(record: Record) -> str:
    """The record by its own words alone: numbers of records mean nothing to the reader of a report."""
    return label(record).removesuffix(f" ({reference_of(record)})")


def _pinned(
    book: CycleBook, evidence: Evidence, runs_by_id: Mapping[int, str], file_key: FileKey, reader: Reading
) -> PinnedEvidence:
    target = evidence.target
    supported = (book.records.get(id_) for id_ in evidence.attached_to)
    return PinnedEvidence(
        evidence,
        run=runs_by_id.get(target.run_id or 0, ""),
        file=file_key(target.artefact_id),
        subject=target.series_names or ((target.key,) if target.key else ()),
        supports=tuple(_named(reader.of(record)) for record in supported if record is not None),
    )
