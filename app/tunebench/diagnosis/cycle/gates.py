"""The gates of the cycle: what the method does not let pass, each with the sentence that says why.

Nothing is stored: a gate is open as soon as the records say so, and closed again when they no longer do.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from tunebench.diagnosis.cycle.equality import equality_gates
from tunebench.diagnosis.cycle.gate import Fact, Gate
from tunebench.diagnosis.cycle.results import (
    TOP_PRIORITY,
    GuardState,
    TargetState,
    baseline_of,
    guard_standings,
    latest_figure,
    latest_result,
    target_standing,
    top_targets,
    value_of,
)
from tunebench.diagnosis.cycle.worksheet_rules import approval_gates, gate_of, worksheet_gates
from tunebench.domain.cycle.book import CycleBook
from tunebench.domain.cycle.records import (
    MEASURED,
    Cause,
    CustomerIssue,
    Figure,
    Iteration,
    ManualSource,
    MeasurementSource,
    Metric,
    Outcome,
    Result,
    Step,
    StepNumber,
    StepState,
    Target,
)
from tunebench.domain.cycle.seals import has_substance
from tunebench.domain.cycle.worksheet import Action, ActionState, ExecutedChange, person
from tunebench.domain.windows import Window

_MINUTE_NS = 60_000_000_000
_PLANNED = (ActionState.DRAFT, ActionState.PROPOSED)
_CARRIED_OUT = (ActionState.EXECUTED, ActionState.ROLLED_BACK)


def gates(book: CycleBook, iteration: Iteration) -> tuple[Gate, ...]:
    """Everything that is in the way of the iteration as it stands, in the order of the steps; nothing once it ended."""
    if iteration.outcome is not Outcome.OPEN:
        return ()
    blocking = [
        *_of_steps(book, iteration),
        *_of_targets(book, iteration),
        *_of_actions(book, iteration),
        *_of_results(book, iteration),
        *_of_decision(book, iteration),
    ]
    return tuple(sorted(_each_once(blocking), key=lambda gate: gate.step))


def _each_once(blocking: Sequence[Gate]) -> list[Gate]:
    """A step that was called done may lack what is in the way anyhow."""
    return [gate for number, gate in enumerate(blocking) if gate not in blocking[:number]]


# --- steps


def may_skip(iteration: Iteration, step: StepNumber, reason: str) -> tuple[Gate, ...]:
    """Step 0 falls away only where a system is tuned while it is introduced (section 2.2); any skip has a reason."""
    blocking = []
    if step is StepNumber.PROBLEM and not iteration.introduction:
        blocking.append(Gate("skip_only_introduction", {}, (iteration.id,), step))
    if not has_substance(reason):
        blocking.append(Gate("skip_without_reason", {"step": step}, (iteration.id,), step))
    return tuple(blocking)


def may_finish(book: CycleBook, iteration: Iteration, step: StepNumber) -> tuple[Gate, ...]:
    """What the step still lacks to be called done."""
    return tuple(_UNFINISHED[step](book, iteration))


def _of_steps(book: CycleBook, iteration: Iteration) -> Iterator[Gate]:
    for step in book.in_iteration(Step, iteration.id):
        if step.state is StepState.SKIPPED:
            yield from may_skip(iteration, step.number, step.skip_reason)
        elif step.state is StepState.DONE:
            yield from may_finish(book, iteration, step.number)


def _no_problem(book: CycleBook, iteration: Iteration) -> Iterator[Gate]:
    """Whether there is a problem is said by the customer's issues, or by the notes of the step."""
    step = next((step for step in book.in_iteration(Step, iteration.id) if step.number is StepNumber.PROBLEM), None)
    if not book.all(CustomerIssue) and not (step and step.notes.strip()):
        yield Gate("no_problem_stated", {}, (iteration.id,), StepNumber.PROBLEM)


def _no_metrics(book: CycleBook, iteration: Iteration) -> Iterator[Gate]:
    if not _judging(book, iteration):
        yield Gate("no_metric", {}, (iteration.id,), StepNumber.METRICS)


def _judging(book: CycleBook, iteration: Iteration) -> list[Metric]:
    return [metric for metric in book.in_iteration(Metric, iteration.id) if metric.guards is None]


def _no_causes(book: CycleBook, iteration: Iteration) -> Iterator[Gate]:
    if not book.in_iteration(Cause, iteration.id):
        yield Gate("no_cause", {}, (iteration.id,), StepNumber.CAUSES)


def _undecided_actions(book: CycleBook, iteration: Iteration) -> Iterator[Gate]:
    actions = book.in_iteration(Action, iteration.id)
    if not actions:
        yield Gate("no_action", {}, (iteration.id,), StepNumber.COUNTERMEASURES)
    for action in actions:
        if action.state in _PLANNED:
            yield gate_of("action_undecided", action)


def _unmeasured_targets(book: CycleBook, iteration: Iteration) -> Iterator[Gate]:
    for target in book.in_iteration(Target, iteration.id):
        metric = book.find(Metric, target.metric_id)
        if metric is None or not _concerns(book, metric):
            continue
        if value_of(latest_figure(book, target.metric_id)) is None:
            ids = (metric.id, target.id)
            yield Gate("no_result", {"metric": metric.name}, ids, StepNumber.RESULT)


def _concerns(book: CycleBook, metric: Metric) -> bool:
    """A guard has nothing to watch before its action is carried out."""
    action = book.find(Action, metric.guards)
    return metric.guards is None or (action is not None and action.state is ActionState.EXECUTED)


def _undecided_iteration(_: CycleBook, iteration: Iteration) -> Iterator[Gate]:
    yield Gate("not_decided", {"number": iteration.number}, (iteration.id,), StepNumber.DECISION)


# --- targets


def may_set_target(book: CycleBook, target: Target) -> tuple[Gate, ...]:
    """A target value says nothing without what is measured and from where it starts."""
    return tuple(_of_target(book, target))


def _of_target(book: CycleBook, target: Target) -> Iterator[Gate]:
    metric = book.find(Metric, target.metric_id)
    if metric is None or metric.iteration_id != target.iteration_id:
        yield Gate("target_without_metric", {}, (target.id,), StepNumber.TARGETS)
        return
    facts: dict[str, Fact] = {"metric": metric.name}
    if value_of(target.baseline) is None:
        yield Gate("target_without_baseline", facts, (target.id, metric.id), StepNumber.TARGETS)
    elif not _has_origin(target.baseline):
        yield Gate("baseline_without_origin", facts, (target.id, metric.id), StepNumber.TARGETS)


def may_take_baseline(book: CycleBook, metric: Metric, baseline: Figure) -> tuple[Gate, ...]:
    """Refuses a baseline that was measured after a change; moments of changes are typed to the minute."""
    if baseline.end_ns is None or all(baseline.end_ns < moment + _MINUTE_NS for moment in changed_at(book, metric)):
        return ()
    return (Gate("baseline_after_change", {"metric": metric.name}, (metric.id,), StepNumber.TARGETS),)


def may_take_figure(metric: Metric, figure: Figure, step: StepNumber) -> tuple[Gate, ...]:
    """Refuses to type in what captures measure."""
    is_measured = isinstance(metric.source, MEASURED)
    is_typed = bool(figure.source.strip()) or (figure.start_ns is None and figure.samples is None)
    if not is_measured or not is_typed or figure.value is None:
        return ()
    return (Gate("figure_typed", {"metric": metric.name}, (metric.id,), step),)


def _of_targets(book: CycleBook, iteration: Iteration) -> Iterator[Gate]:
    for target in book.in_iteration(Target, iteration.id):
        yield from _of_target(book, target)
        metric = book.find(Metric, target.metric_id)
        if target.value is None and metric is not None and metric.guards is None:
            yield Gate("target_without_value", {"metric": metric.name}, (target.id, metric.id), StepNumber.TARGETS)
    yield from _of_top_priority(book, iteration)


def _of_top_priority(book: CycleBook, iteration: Iteration) -> Iterator[Gate]:
    top = top_targets(book, iteration.id)
    if not top:
        yield Gate("no_top_priority", {"priority": TOP_PRIORITY}, (iteration.id,), StepNumber.TARGETS)
    if len(top) > 1:
        metrics = (book.find(Metric, target.metric_id) for target in top)
        names = tuple(metric.name for metric in metrics if metric is not None)
        ids = tuple(target.id for target in top)
        yield Gate("top_priority_twice", {"metrics": names, "n": len(top)}, ids, StepNumber.TARGETS)


def _has_origin(figure: Figure | None) -> bool:
    """Whether the figure was computed from a run or says where it stands."""
    origins = figure and (figure.run_id, figure.window_id, figure.evidence_id, figure.cell, figure.source.strip())
    return any(origins or ())


# --- countermeasures


def may_approve(book: CycleBook, action: Action, by: str = "") -> tuple[Gate, ...]:
    """Nobody can approve what does not say what it costs, nor what he carried out where two persons are wanted."""
    executors = {person(line.executed_by) for line in _log_of(book, action)}
    return (*worksheet_gates(book, action), *_one_person(book, action, by, executors))


def _one_person(book: CycleBook, action: Action, name: str, others: Collection[str]) -> tuple[Gate, ...]:
    """Whether `name` is one of those who have the other role, and the engagement's policy refuses that."""
    refused = book.engagement is not None and book.engagement.refuses_two_roles
    return (gate_of("same_person_refused", action, name=name),) if refused and person(name) in others else ()


def may_execute(book: CycleBook, action: Action, at: str = "", by: str = "") -> tuple[Gate, ...]:
    """No execution without a complete and approved worksheet, none before its approval, and none twice.

    Args:
        at: ISO with zone; when it was carried out, empty where nobody has said.
        by: who carried it out, empty as well.
    """
    iteration = book.find(Iteration, action.iteration_id)
    if iteration is not None and iteration.outcome is not Outcome.OPEN:
        return (gate_of("iteration_closed", action, number=iteration.number),)
    if action.state is ActionState.EXECUTED:
        return (gate_of("action_executed", action),)
    if action.state is ActionState.DROPPED:
        return (gate_of("action_dropped", action),)
    agreed = (*worksheet_gates(book, action), *approval_gates(action))
    return (*agreed, *_before_approval(action, at), *_one_person(book, action, by, action.approvers))


def _before_approval(action: Action, at: str) -> tuple[Gate, ...]:
    """The first approval counts, to the minute as moments are typed; nothing can be said where one of them, or the
    execution, has no moment."""
    moments = {_moment_ns(consent.decided_at): consent for consent in action.consents if consent.approves}
    dated = {moment: consent for moment, consent in moments.items() if moment is not None}
    executed = _moment_ns(at)
    if executed is None or not dated or len(dated) < len(moments) or executed >= min(dated) // _MINUTE_NS * _MINUTE_NS:
        return ()
    first = dated[min(dated)]
    return (gate_of("executed_before_approval", action, at=at, approved_at=first.decided_at, name=first.name),)


def may_log_execution(book: CycleBook, line: ExecutedChange) -> tuple[Gate, ...]:
    """No time of an execution that lies before its approval, and by nobody whom the policy refuses, whatever the
    reason for correcting it."""
    action = book.find(Action, line.action_id)
    if action is None:
        return ()
    return (*_before_approval(action, line.executed_at), *_one_person(book, action, line.executed_by, action.approvers))


def _of_actions(book: CycleBook, iteration: Iteration) -> Iterator[Gate]:
    """An action that was carried out past its worksheet stays in the way: the price is still owed an answer."""
    for action in book.in_iteration(Action, iteration.id):
        if action.state in (*_PLANNED, ActionState.EXECUTED):
            yield from worksheet_gates(book, action)
            yield from approval_gates(action)
        if action.state is ActionState.EXECUTED and not _log_of(book, action):
            yield gate_of("executed_unlogged", action)


def _log_of(book: CycleBook, action: Action) -> list[ExecutedChange]:
    return [line for line in book.all(ExecutedChange) if line.action_id == action.id]


# --- results


def may_record_result(book: CycleBook, metric: Metric, after: Figure) -> tuple[Gate, ...]:
    """No result without a run that was captured after the changes."""
    facts: dict[str, Fact] = {"metric": metric.name}
    by_hand = isinstance(metric.source, ManualSource | MeasurementSource)
    keys = []
    if value_of(after) is None:
        keys.append("result_without_value")
    elif by_hand and not _has_origin(after):
        keys.append("result_without_origin")
    elif not by_hand and after.run_id is None and after.window_id is None and not after.cell:
        keys.append("result_without_run")
    if _overlaps(book, baseline_of(book, metric.id), after):
        keys.append("result_from_baseline")
    if _begins_before_change(book, metric, after):
        keys.append("result_before_change")
    return tuple(Gate(key, facts, (metric.id,), StepNumber.RESULT) for key in keys)


def may_begin_result(book: CycleBook, metric: Metric) -> tuple[Gate, ...]:
    """Approval, execution, result: what is recorded first does not rest on what comes later."""
    actions = book.in_iteration(Action, metric.iteration_id)
    steps = book.in_iteration(Step, metric.iteration_id)
    skipped = any(step.number is StepNumber.COUNTERMEASURES and step.state is StepState.SKIPPED for step in steps)
    waiting = [action for action in actions if action.state in _PLANNED and approval_gates(action) == ()]
    if skipped or not waiting or any(action.state in _CARRIED_OUT for action in actions):
        return ()
    facts: dict[str, Fact] = {"metric": metric.name, "action": waiting[0].title}
    return (Gate("result_before_execution", facts, (metric.id, waiting[0].id), StepNumber.RESULT),)


def _overlaps(book: CycleBook, before: Figure | None, after: Figure) -> bool:
    """Whether both are of one cell, or from one run and share some of its time; one long run may hold a window before
    and one after."""
    if before is not None and before.cell and before.cell == after.cell:
        return True
    windows = [book.find(Window, figure.window_id) for figure in (before, after) if figure is not None]
    if len(windows) == 2 and windows[0] is not None and windows[1] is not None:
        spans = [[occurrence.span for occurrence in window.occurrences] for window in windows if window is not None]
        return any(one[0] < other[1] and other[0] < one[1] for one in spans[0] for other in spans[1])
    if before is None or before.run_id is None or before.run_id != after.run_id:
        return False
    if before.start_ns is None or before.end_ns is None or after.start_ns is None or after.end_ns is None:
        return True
    return after.start_ns < before.end_ns and before.start_ns < after.end_ns


def _begins_before_change(book: CycleBook, metric: Metric, after: Figure) -> bool:
    start_ns = after.start_ns
    return start_ns is not None and any(start_ns < moment for moment in changed_at(book, metric))


def changed_at(book: CycleBook, metric: Metric) -> list[int]:
    """UTC nanoseconds of the changes of its iteration that were not taken back, as far as they are recorded."""
    actions = {action.id for action in book.in_iteration(Action, metric.iteration_id)}
    lines = [line for line in book.all(ExecutedChange) if line.action_id in actions and not line.rolled_back_at]
    return [moment for line in lines if (moment := _moment_ns(line.executed_at)) is not None]


def _moment_ns(text: str) -> int | None:
    """UTC nanoseconds of an ISO moment; None where it is empty or has no zone."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return None if moment.tzinfo is None else int(moment.timestamp()) * 1_000_000_000


def _of_results(book: CycleBook, iteration: Iteration) -> Iterator[Gate]:
    for metric in book.in_iteration(Metric, iteration.id):
        result = latest_result(book, metric.id)
        if result is not None and result.iteration_id == iteration.id:
            yield from (_about(gate, result) for gate in may_record_result(book, metric, result.after))
    if any(action.state is ActionState.EXECUTED for action in book.in_iteration(Action, iteration.id)):
        yield from _unmeasured_targets(book, iteration)
    if book.in_iteration(Result, iteration.id):
        yield from equality_gates(book, iteration)


def _about(gate: Gate, result: Result) -> Gate:
    return Gate(gate.key, gate.facts, (*gate.record_ids, result.id), gate.step)


# --- the decision


def may_close(book: CycleBook, iteration: Iteration, accepted_by: str = "", reason: str = "") -> tuple[Gate, ...]:
    """No closing with a top priority that is not met, without cause and countermeasure, with a price that nobody
    measured or that is beyond its limit, or without the sign-off that results are the same, unless a named person
    accepts it and says why."""
    if iteration.outcome is not Outcome.OPEN:
        return (_of_iteration("already_closed", iteration),)
    by, why = accepted_by.strip(), reason.strip() if has_substance(reason) else ""
    blocking = _of_top(book, iteration, by, why)
    return tuple(blocking if by and why else (*blocking, *_not_shown(book, iteration)))


def is_met(book: CycleBook, iteration: Iteration) -> bool:
    """Whether the top priority was met, whatever else the iteration lacks."""
    return not _of_top(book, iteration, "", "")


def _of_top(book: CycleBook, iteration: Iteration, by: str, reason: str) -> list[Gate]:
    blocking = list(_of_top_priority(book, iteration))
    for target in top_targets(book, iteration.id)[:1]:
        blocking += _of_top_target(book, target, by, reason)
    return blocking


def _not_shown(book: CycleBook, iteration: Iteration) -> Iterator[Gate]:
    """That the figures are better does not say why, nor what it cost; a step that was skipped has its reason."""
    skipped = {step.number for step in book.in_iteration(Step, iteration.id) if step.state is StepState.SKIPPED}
    if StepNumber.CAUSES not in skipped and not book.in_iteration(Cause, iteration.id):
        yield _of_iteration("close_without_cause", iteration)
    done = any(action.state in _CARRIED_OUT for action in book.in_iteration(Action, iteration.id))
    if StepNumber.COUNTERMEASURES not in skipped and not done:
        yield _of_iteration("close_without_action", iteration)
    for advice in closing_advice(book, iteration):
        yield replace(advice, key="close_guard_unmeasured")
    exceeded = [guard.metric for guard in guard_standings(book, iteration.id) if guard.state is GuardState.EXCEEDED]
    if exceeded:
        facts: dict[str, Fact] = {"metrics": tuple(metric.name for metric in exceeded)}
        yield Gate("close_guard_exceeded", facts, tuple(metric.id for metric in exceeded), StepNumber.DECISION)
    yield from equality_gates(book, iteration)


def closing_advice(book: CycleBook, iteration: Iteration) -> tuple[Gate, ...]:
    """The prices that nobody has measured: said when the iteration is closed, in the way of nothing; keys below
    ``advice.``."""
    standings = guard_standings(book, iteration.id)
    guards = [guard.metric for guard in standings if guard.state is GuardState.NOT_MEASURED]
    if not guards:
        return ()
    facts: dict[str, Fact] = {"metrics": tuple(metric.name for metric in guards)}
    return (Gate("guards_unmeasured", facts, tuple(metric.id for metric in guards), StepNumber.DECISION),)


def may_continue(book: CycleBook, iteration: Iteration) -> tuple[Gate, ...]:
    """An iteration is continued by one other."""
    if any(other.continues == iteration.id for other in book.iterations):
        return (_of_iteration("already_continued", iteration),)
    return ()


def may_abandon(iteration: Iteration, by: str, reason: str) -> tuple[Gate, ...]:
    if iteration.outcome is not Outcome.OPEN:
        return (_of_iteration("already_closed", iteration),)
    return () if by.strip() and has_substance(reason) else (_of_iteration("abandon_unsigned", iteration),)


def _of_top_target(book: CycleBook, target: Target, accepted_by: str, reason: str) -> Iterator[Gate]:
    metric = book.find(Metric, target.metric_id)
    if metric is None:
        yield Gate("target_without_metric", {}, (target.id,), StepNumber.TARGETS)
        return
    standing = target_standing(book, target, metric)
    key = "" if standing.state is TargetState.MET else _ACCEPTANCE.get((bool(accepted_by), bool(reason)), "")
    if key == "top_target":
        key = _UNMET.get(standing.state, "top_target_unproven")
    if key:
        facts: dict[str, Fact] = {"metric": metric.name, "state": standing.state}
        if standing.refusals:
            facts["checks"] = tuple(refusal.check.value for refusal in standing.refusals)
        yield Gate(key, facts, (target.id, metric.id), StepNumber.DECISION)


def _of_decision(book: CycleBook, iteration: Iteration) -> Iterator[Gate]:
    """Asked for as soon as there is a result: before, nothing can be decided."""
    for target in top_targets(book, iteration.id)[:1]:
        if value_of(latest_figure(book, target.metric_id)) is not None:
            yield from _of_top_target(book, target, "", "")


def _of_iteration(key: str, iteration: Iteration) -> Gate:
    return Gate(key, {"number": iteration.number}, (iteration.id,), StepNumber.DECISION)


_ACCEPTANCE: Mapping[tuple[bool, bool], str] = {
    (False, False): "top_target",
    (True, False): "acceptance_without_reason",
    (False, True): "acceptance_without_name",
}
"""What is missing of (name, reason) for living with a target that is not met."""

_UNMET: Mapping[TargetState, str] = {
    TargetState.MISSED: "top_target_missed",
    TargetState.NOT_COMPARABLE: "top_target_not_comparable",
    TargetState.CONTRADICTED: "top_target_contradicted",
}

_UNFINISHED: Mapping[StepNumber, Callable[[CycleBook, Iteration], Iterator[Gate]]] = {
    StepNumber.PROBLEM: _no_problem,
    StepNumber.METRICS: _no_metrics,
    StepNumber.TARGETS: _of_targets,
    StepNumber.CAUSES: _no_causes,
    StepNumber.COUNTERMEASURES: _undecided_actions,
    StepNumber.RESULT: _unmeasured_targets,
    StepNumber.DECISION: _undecided_iteration,
}
