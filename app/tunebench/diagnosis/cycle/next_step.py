"""The one thing to do next, read off the records in the order of the guide's steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field

from tunebench.core.records import record
from tunebench.diagnosis.cycle.gate import Fact, Gate
from tunebench.diagnosis.cycle.results import (
    GuardState,
    TargetState,
    guard_standings,
    latest_figure,
    target_standing,
    top_targets,
    value_of,
)
from tunebench.diagnosis.cycle.worksheet_rules import is_approved, worksheet_gates
from tunebench.domain.cycle.book import CycleBook
from tunebench.domain.cycle.records import (
    Cause,
    CauseState,
    Iteration,
    Metric,
    Outcome,
    Step,
    StepNumber,
    StepState,
    Target,
)
from tunebench.domain.cycle.worksheet import Action, ActionState


@record
class NextAction:
    """`key` below ``cycle.next.``; `record_ids` are what it is about, `step` where it is done."""

    key: str
    facts: Mapping[str, Fact] = field(default_factory=dict)
    record_ids: tuple[int, ...] = ()
    step: StepNumber = StepNumber.PROBLEM


MEASURES = ("measure_baseline", "measure_after", "measure_guard")
"""Keys of what is done by measuring over the windows before and after."""

_Look = Callable[[CycleBook, Iteration], NextAction | None]


def next_action(book: CycleBook, iteration: Iteration | None, open_gates: Sequence[Gate]) -> NextAction:
    """The next action; there always is one, in the end to look back."""
    if iteration is None:
        return NextAction("open_iteration")
    if iteration.outcome is not Outcome.OPEN:
        return _after_the_end(book, iteration)
    early = _first(_EARLY, book, iteration)
    if early is not None:
        return early
    for gate in open_gates:
        if gate.step <= StepNumber.TARGETS:
            return NextAction("open_gate", gate.facts, gate.record_ids, gate.step)
    return _first(_LATE, book, iteration) or _decide(book, iteration)


def _first(looks: Sequence[_Look], book: CycleBook, iteration: Iteration) -> NextAction | None:
    return next((action for look in looks if (action := look(book, iteration)) is not None), None)


def _after_the_end(book: CycleBook, iteration: Iteration) -> NextAction:
    successor = next((other for other in book.iterations if other.continues == iteration.id), None)
    if successor is not None:
        facts: dict[str, Fact] = {"number": iteration.number, "next": successor.number}
        return NextAction("continued", facts, (successor.id,), StepNumber.PROBLEM)
    key = "carry_over" if iteration.outcome is Outcome.CONTINUED else "closed"
    return NextAction(key, {"number": iteration.number}, (iteration.id,), StepNumber.DECISION)


# --- what is not there yet


def _problem(book: CycleBook, iteration: Iteration) -> NextAction | None:
    """Who has begun with the metrics has answered it, whatever the step says."""
    step = next((step for step in book.in_iteration(Step, iteration.id) if step.number is StepNumber.PROBLEM), None)
    passed = iteration.introduction or (step is not None and step.state in (StepState.DONE, StepState.SKIPPED))
    if passed or book.in_iteration(Metric, iteration.id):
        return None
    return NextAction("decide_problem", {}, (step.id,) if step else (iteration.id,), StepNumber.PROBLEM)


def _metrics(book: CycleBook, iteration: Iteration) -> NextAction | None:
    if any(metric.guards is None for metric in book.in_iteration(Metric, iteration.id)):
        return None
    return NextAction("define_metrics", {}, (iteration.id,), StepNumber.METRICS)


def _targets(book: CycleBook, iteration: Iteration) -> NextAction | None:
    if book.in_iteration(Target, iteration.id):
        return None
    return NextAction("define_targets", {}, (iteration.id,), StepNumber.TARGETS)


def _baseline(book: CycleBook, iteration: Iteration) -> NextAction | None:
    """The top priority first: it is what the engagement is judged by."""
    for target in sorted(book.in_iteration(Target, iteration.id), key=lambda target: (target.priority, target.id)):
        metric = book.find(Metric, target.metric_id)
        if metric is not None and metric.guards is None and value_of(target.baseline) is None:
            return NextAction("measure_baseline", {"metric": metric.name}, (target.id, metric.id), StepNumber.TARGETS)
    return None


def _causes(book: CycleBook, iteration: Iteration) -> NextAction | None:
    if any(cause.state is not CauseState.REFUTED for cause in book.in_iteration(Cause, iteration.id)):
        return None
    return NextAction("find_causes", {}, (iteration.id,), StepNumber.CAUSES)


def _actions(book: CycleBook, iteration: Iteration) -> NextAction | None:
    if any(action.state is not ActionState.DROPPED for action in book.in_iteration(Action, iteration.id)):
        return None
    return NextAction("plan_action", {}, (iteration.id,), StepNumber.COUNTERMEASURES)


# --- what is there and waits


def _worksheets(book: CycleBook, iteration: Iteration) -> NextAction | None:
    """An approved one first, then the one that lacks least; once one is executed, measuring comes before planning."""
    actions = book.in_iteration(Action, iteration.id)
    planned = [action for action in actions if action.state in (ActionState.DRAFT, ActionState.PROPOSED)]
    if any(action.state is ActionState.EXECUTED for action in actions):
        planned = [action for action in planned if is_approved(action)]
    lacks = {action.id: len(worksheet_gates(book, action)) for action in planned}
    if not planned:
        return None
    action = min(planned, key=lambda action: (not is_approved(action), lacks[action.id], action.id))
    missing = lacks[action.id]
    key = "complete_worksheet" if missing else ("execute_action" if is_approved(action) else "approve_action")
    facts: dict[str, Fact] = {"action": action.title, "n": missing}
    return NextAction(key, facts, (action.id,), StepNumber.COUNTERMEASURES)


def _measure(book: CycleBook, iteration: Iteration) -> NextAction | None:
    for target in sorted(book.in_iteration(Target, iteration.id), key=lambda target: (target.priority, target.id)):
        metric = book.find(Metric, target.metric_id)
        if metric is not None and metric.guards is None and value_of(latest_figure(book, target.metric_id)) is None:
            return NextAction("measure_after", {"metric": metric.name}, (metric.id, target.id), StepNumber.RESULT)
    return None


def _measure_guards(book: CycleBook, iteration: Iteration) -> NextAction | None:
    for guard in guard_standings(book, iteration.id):
        if guard.state is GuardState.NOT_MEASURED:
            facts: dict[str, Fact] = {"metric": guard.metric.name, "action": guard.action.title}
            return NextAction("measure_guard", facts, (guard.metric.id, guard.action.id), StepNumber.RESULT)
    return None


def _decide(book: CycleBook, iteration: Iteration) -> NextAction:
    for target in top_targets(book, iteration.id):
        metric = book.find(Metric, target.metric_id)
        if metric is not None:
            standing = target_standing(book, target, metric)
            facts: dict[str, Fact] = {"metric": metric.name}
            if standing.refusals:
                facts["checks"] = tuple(refusal.check.value for refusal in standing.refusals)
            key = _DECISIONS.get(standing.state, "prove_or_accept")
            return NextAction(key, facts, (target.id, iteration.id), StepNumber.DECISION)
    return NextAction("define_targets", {}, (iteration.id,), StepNumber.TARGETS)


_EARLY: tuple[_Look, ...] = (_problem, _metrics, _targets, _baseline)
_LATE: tuple[_Look, ...] = (_causes, _actions, _worksheets, _measure, _measure_guards)
_DECISIONS: Mapping[TargetState, str] = {
    TargetState.MET: "close_met",
    TargetState.MISSED: "continue_or_accept",
    TargetState.NOT_COMPARABLE: "measure_comparably",
}
