"""Where an engagement stands: the six steps with their counts, the targets, what is in the way, what comes next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field

from tunebench.core.records import record
from tunebench.diagnosis.cycle.disclosures import disclosures
from tunebench.diagnosis.cycle.gate import Gate
from tunebench.diagnosis.cycle.gates import gates
from tunebench.diagnosis.cycle.next_step import NextAction, next_action
from tunebench.diagnosis.cycle.results import (
    GuardStanding,
    Shift,
    TargetStanding,
    TargetState,
    guard_standings,
    outcome_of,
    shift,
    summary_of,
    target_standings,
    value_of,
)
from tunebench.diagnosis.cycle.worksheet_rules import is_approved
from tunebench.domain.cycle.book import CycleBook
from tunebench.domain.cycle.records import (
    Attachment,
    Cause,
    CauseState,
    CustomerIssue,
    IssueState,
    Iteration,
    Metric,
    Outcome,
    Question,
    Result,
    Step,
    StepNumber,
    StepState,
    Target,
)
from tunebench.domain.cycle.seals import Amendment
from tunebench.domain.cycle.worksheet import Action, ActionState


@record
class StepStanding:
    """One segment of the ring.

    Attributes:
        record: None where the step was never touched; `state` is then open.
        counts: what there is of it, by key below ``cycle.count.`` (``metrics``, ``targets_met`` ...), zero included.
        gates: how many gates are open in it.
    """

    number: StepNumber
    state: StepState
    record: Step | None
    counts: Mapping[str, int]
    gates: int = 0
    open_questions: int = 0
    attachments: int = 0
    evidence: int = 0


@record
class Standing:
    """The board; `iteration` is None in an engagement without any, `outcome` how it ended by what it came to."""

    iteration: Iteration | None
    steps: tuple[StepStanding, ...]
    next_action: NextAction
    targets: tuple[TargetStanding, ...] = ()
    guards: tuple[GuardStanding, ...] = ()
    gates: tuple[Gate, ...] = ()
    shift: Shift = field(default_factory=lambda: shift(None))
    outcome: Outcome = Outcome.OPEN
    amendments: tuple[Amendment, ...] = ()
    disclosures: tuple[Gate, ...] = ()
    contradicted: tuple[object, ...] = ()


def standing(book: CycleBook, iteration: Iteration | None = None) -> Standing:
    """The board of `iteration`, of the current one where none is named."""
    iteration = iteration or book.current
    if iteration is None:
        steps = tuple(StepStanding(number, StepState.OPEN, None, _counts(book, number, 0)) for number in StepNumber)
        return Standing(None, steps, next_action(book, None, ()))
    blocking = gates(book, iteration)
    return Standing(
        iteration=iteration,
        steps=tuple(_step(book, iteration, number, blocking) for number in StepNumber),
        next_action=next_action(book, iteration, blocking),
        targets=target_standings(book, iteration.id),
        guards=guard_standings(book, iteration.id),
        gates=blocking,
        shift=shift(summary_of(book, iteration)),
        outcome=outcome_of(book, iteration),
        amendments=book.in_iteration(Amendment, iteration.id),
        disclosures=disclosures(book, iteration),
        contradicted=book.contradicted.found if book.contradicted else (),
    )


def _step(book: CycleBook, iteration: Iteration, number: StepNumber, blocking: tuple[Gate, ...]) -> StepStanding:
    record = next((step for step in book.in_iteration(Step, iteration.id) if step.number is number), None)
    questions = (question for question in book.in_iteration(Question, iteration.id) if question.step is number)
    attachments = (
        attachment for attachment in book.in_iteration(Attachment, iteration.id) if attachment.step is number
    )
    return StepStanding(
        number=number,
        state=record.state if record else StepState.OPEN,
        record=record,
        counts=_counts(book, number, iteration.id),
        gates=sum(gate.step is number for gate in blocking),
        open_questions=sum(not question.answer.strip() for question in questions),
        attachments=sum(1 for _ in attachments),
        evidence=len(_evidence(book, iteration.id, number, record)),
    )


def _evidence(book: CycleBook, iteration_id: int, number: StepNumber, record: Step | None) -> set[int]:
    """Evidence of the step itself and of the records that it holds."""
    held = [record] if record else []
    kinds: tuple[type[Metric | Target | Cause | Action | Result], ...] = _HELD.get(number, ())
    ids = {entry.id for entry in held} | {entry.id for kind in kinds for entry in book.in_iteration(kind, iteration_id)}
    if number is StepNumber.PROBLEM:
        ids |= {issue.id for issue in book.all(CustomerIssue)}
    return {evidence.id for id_ in ids for evidence in book.evidence_of(id_)}


_HELD: Mapping[StepNumber, tuple[type[Metric | Target | Cause | Action | Result], ...]] = {
    StepNumber.METRICS: (Metric,),
    StepNumber.TARGETS: (Target,),
    StepNumber.CAUSES: (Cause,),
    StepNumber.COUNTERMEASURES: (Action,),
    StepNumber.RESULT: (Result,),
}


def _counts(book: CycleBook, number: StepNumber, iteration_id: int) -> dict[str, int]:
    return dict(_COUNTS[number](book, iteration_id))


def _of_problem(book: CycleBook, _: int) -> Iterator[tuple[str, int]]:
    issues = book.all(CustomerIssue)
    yield "issues", len(issues)
    yield "issues_open", sum(issue.state is IssueState.OPEN for issue in issues)


def _of_metrics(book: CycleBook, iteration_id: int) -> Iterator[tuple[str, int]]:
    """The guard of a countermeasure that nobody has approved is a proposal, for who approves to see."""
    metrics = book.in_iteration(Metric, iteration_id)
    actions = book.in_iteration(Action, iteration_id)
    adopted = {action.id for action in actions if action.state is ActionState.EXECUTED or is_approved(action)}
    yield "metrics", sum(metric.guards is None for metric in metrics)
    yield "guards", sum(metric.guards in adopted for metric in metrics)


def _of_targets(book: CycleBook, iteration_id: int) -> Iterator[tuple[str, int]]:
    targets = target_standings(book, iteration_id)
    yield "targets", len(targets)
    yield "baselines", sum(value_of(target.baseline) is not None for target in targets)


def _of_causes(book: CycleBook, iteration_id: int) -> Iterator[tuple[str, int]]:
    causes = book.in_iteration(Cause, iteration_id)
    yield "causes", len(causes)
    yield "causes_confirmed", sum(cause.state in (CauseState.CONFIRMED, CauseState.SOLVED) for cause in causes)


def _of_actions(book: CycleBook, iteration_id: int) -> Iterator[tuple[str, int]]:
    actions = [a for a in book.in_iteration(Action, iteration_id) if a.state is not ActionState.DROPPED]
    yield "actions", len(actions)
    yield "actions_approved", sum(is_approved(action) for action in actions)
    yield "actions_executed", sum(action.state is ActionState.EXECUTED for action in actions)


def _of_results(book: CycleBook, iteration_id: int) -> Iterator[tuple[str, int]]:
    targets = target_standings(book, iteration_id)
    yield "targets", len(targets)
    yield "targets_measured", sum(target.state is not TargetState.NOT_MEASURED for target in targets)


def _of_decision(book: CycleBook, iteration_id: int) -> Iterator[tuple[str, int]]:
    targets = target_standings(book, iteration_id)
    yield "targets_met", sum(target.state is TargetState.MET for target in targets)
    yield "targets_missed", sum(target.state is TargetState.MISSED for target in targets)


_COUNTS = {
    StepNumber.PROBLEM: _of_problem,
    StepNumber.METRICS: _of_metrics,
    StepNumber.TARGETS: _of_targets,
    StepNumber.CAUSES: _of_causes,
    StepNumber.COUNTERMEASURES: _of_actions,
    StepNumber.RESULT: _of_results,
    StepNumber.DECISION: _of_decision,
}
