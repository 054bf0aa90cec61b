"""What an auditor asks first and stops nothing: times told otherwise than entered, one person in two roles, an order
that was not kept."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from tunebench.diagnosis.cycle import choices
from tunebench.diagnosis.cycle.equality import equality_gates
from tunebench.diagnosis.cycle.gate import Fact, Gate
from tunebench.diagnosis.cycle.results import TargetState, latest_figure, summary_of, target_standings, value_of
from tunebench.diagnosis.cycle.worksheet_rules import gate_of
from tunebench.domain.cycle.book import CycleBook
from tunebench.domain.cycle.recorded import APPROVALS, POLICY, Recorded, Told, decision_on, is_stated_otherwise
from tunebench.domain.cycle.records import Iteration, Metric, Result, Step, StepNumber, StepState, Target
from tunebench.domain.cycle.worksheet import Action, ExecutedChange, person

EXCEPTIONS = (
    "clock_set_back",
    "policy_eased",
    "approvals_eased",
    "target_moved",
    "top_moved",
    "same_person",
    "approved_by_consultant",
    "result_first",
    "rolled_back_since",
    "equality_unsigned",
    "equality_differs",
    "equality_unproven",
    "equality_own",
    "step_skipped",
    *choices.KEYS,
)
"""Keys of those that the method wants otherwise; the others only say which time is whose."""
MOMENTS = ("stated", "recorded", "executed", "earlier")
"""Facts that are moments: ISO, empty where none was told."""


def disclosures(book: CycleBook, iteration: Iteration) -> tuple[Gate, ...]:
    """Keys below ``disclosure.``; those of `EXCEPTIONS` first, each once. A clock that was set back concerns all
    iterations."""
    gates = [*_clock_set_back(book), *_policy_eased(book), *_targets_moved(book, iteration), *_met_by(book, iteration)]
    gates += _top_moved(book, iteration)
    gates += choices.choices(book, iteration)
    for action in book.in_iteration(Action, iteration.id):
        lines = [line for line in book.all(ExecutedChange) if line.action_id == action.id]
        gates += [
            *_same_person(action, lines),
            *_own_approval(book, action),
            *_stated(book, action, lines),
            *_results(book, action, lines),
        ]
    first = [gate for gate in gates if gate.key in EXCEPTIONS]
    others = [gate for gate in gates if gate.key not in EXCEPTIONS]
    ordered = [*first, *others]
    return tuple(gate for index, gate in enumerate(ordered) if gate not in ordered[:index])


def _met_by(book: CycleBook, iteration: Iteration) -> Iterator[Gate]:
    """How a target was met without: answers that no one of the customer's compared, steps that were left out."""
    if not any(standing.state is TargetState.MET for standing in target_standings(book, iteration.id)):
        return
    yield from equality_gates(book, iteration)
    summary = summary_of(book, iteration)
    if summary is not None and person(summary.equality_by) in _consultants(book):
        facts: dict[str, Fact] = {"name": summary.equality_by, "verdict": summary.equality}
        yield Gate("equality_own", facts, (summary.id,), StepNumber.RESULT)
    for step in book.in_iteration(Step, iteration.id):
        if step.state is StepState.SKIPPED and step.number in (StepNumber.CAUSES, StepNumber.COUNTERMEASURES):
            yield Gate("step_skipped", {"step": step.number, "reason": step.skip_reason}, (step.id,), step.number)


def _consultants(book: CycleBook) -> frozenset[str]:
    return frozenset(person(name) for name in (book.engagement.consultants if book.engagement else ()))


def _targets_moved(book: CycleBook, iteration: Iteration) -> Iterator[Gate]:
    """Easier or not than in an iteration before, which has its result: the new one was set by somebody who knew it."""
    for target in book.in_iteration(Target, iteration.id):
        metric = book.find(Metric, target.metric_id)
        if metric is None or metric.guards is not None or target.value is None:
            continue
        for earlier in book.iterations:
            if earlier.number < iteration.number:
                yield from _moved_since(book, earlier, metric, target)


def _top_moved(book: CycleBook, iteration: Iteration) -> Iterator[Gate]:
    """A top priority judged by something else than in an earlier iteration that did not meet its own."""
    here = next((standing for standing in target_standings(book, iteration.id) if standing.is_top), None)
    for earlier in book.iterations if here is not None else ():
        if earlier.number >= iteration.number:
            continue
        for standing in target_standings(book, earlier.id):
            asked = standing.is_top and standing.target.value is not None and value_of(standing.now) is not None
            missed = asked and standing.state is not TargetState.MET
            if here is not None and missed and _judges(standing.metric) != _judges(here.metric):
                facts: dict[str, Fact] = {"metric": here.metric.name, "number": earlier.number}
                yield Gate(
                    "top_moved", {**facts, "before": standing.metric.name}, (here.target.id,), StepNumber.TARGETS
                )


def _judges(metric: Metric) -> tuple[object, str]:
    return metric.measured_by, metric.statistic


def _moved_since(book: CycleBook, earlier: Iteration, metric: Metric, target: Target) -> Iterator[Gate]:
    for other in book.in_iteration(Target, earlier.id):
        measured, came_to = book.find(Metric, other.metric_id), value_of(latest_figure(book, other.metric_id))
        if measured is None or other.value is None or came_to is None or target.value is None:
            continue
        alike = _judges(measured) == _judges(metric)
        if alike and measured.guards is None and other.value != target.value:
            facts: dict[str, Fact] = {"metric": metric.name, "target": target.value}
            facts |= {"number": earlier.number, "before": other.value, "result": came_to}
            yield Gate("target_moved", facts, (target.id, other.id), StepNumber.TARGETS)


def _same_person(action: Action, lines: list[ExecutedChange]) -> Iterator[Gate]:
    """Who approves what he carries out himself looks at it with two eyes."""
    for line in lines:
        if person(line.executed_by) in action.approvers:
            yield gate_of("same_person", action, name=line.executed_by)


def _own_approval(book: CycleBook, action: Action) -> Iterator[Gate]:
    """An approval by consultants of the engagement alone, and by no one of the customer's."""
    if action.approvers and action.approvers <= _consultants(book):
        names = tuple(dict.fromkeys(consent.name for consent in action.consents if consent.approves))
        yield gate_of("approved_by_consultant", action, names=names)


def _policy_eased(book: CycleBook) -> Iterator[Gate]:
    """One person in two roles was refused once, or approvals had to be more than they have now."""
    loosened = book.recorded.get(APPROVALS)
    if loosened is not None:
        yield Gate("approvals_eased", {"recorded": loosened.at}, (), StepNumber.COUNTERMEASURES)
    eased = book.recorded.get(POLICY)
    if eased is not None and book.engagement is not None and not book.engagement.refuses_two_roles:
        yield Gate("policy_eased", {"recorded": eased.at}, (), StepNumber.COUNTERMEASURES)


def _stated(book: CycleBook, action: Action, lines: list[ExecutedChange]) -> Iterator[Gate]:
    moments: list[tuple[str, str, str, Told]] = [
        ("approval_stated", consent.name, consent.decided_at, decision_on(action.id, consent))
        for consent in action.consents
        if consent.approves
    ]
    moments += [("execution_stated", line.executed_by, line.executed_at, (line.id, "executed_at")) for line in lines]
    moments += [
        ("rollback_stated", line.rolled_back_by, line.rolled_back_at, (line.id, "rolled_back_at"))
        for line in lines
        if line.rolled_back_at
    ]
    for key, name, stated, field in moments:
        recorded = book.recorded.get(field)
        if recorded is not None and is_stated_otherwise(stated, recorded):
            yield gate_of(key, action, name=name, stated=stated, recorded=recorded.at)


def _results(book: CycleBook, action: Action, lines: list[ExecutedChange]) -> Iterator[Gate]:
    """Results entered before the execution that they are to show, or before it was taken back; one that was measured
    again has its new entry."""
    executed = _first(book, lines, "executed_at")
    rolled_back = _first(book, lines, "rolled_back_at")
    for result in book.in_iteration(Result, action.iteration_id):
        recorded, metric = book.recorded.get((result.id, "after")), book.find(Metric, result.metric_id)
        if recorded is None or metric is None or metric.guards not in (None, action.id):
            continue
        for key, other in (("result_first", executed), ("rolled_back_since", rolled_back)):
            if other is not None and recorded.entry < other.entry:
                facts: dict[str, Fact] = {"metric": metric.name, "action": action.title}
                facts |= {"recorded": recorded.at, "executed": other.at}
                yield Gate(key, facts, (result.id, action.id), StepNumber.RESULT)


def _first(book: CycleBook, lines: list[ExecutedChange], what: str) -> Recorded | None:
    entered = [book.recorded[field] for line in lines if (field := (line.id, what)) in book.recorded]
    return min(entered, key=lambda record: record.entry, default=None)


def _clock_set_back(book: CycleBook) -> Iterator[Gate]:
    """The entries of the trail are in order whatever the clock says."""
    entered = sorted(book.recorded.values(), key=lambda record: record.entry)
    for earlier, later in pairwise(entered):
        if is_stated_otherwise(later.at, earlier) and later.at < earlier.at:
            facts = {"earlier": earlier.at, "recorded": later.at}
            yield Gate("clock_set_back", facts, (), StepNumber.DECISION)
