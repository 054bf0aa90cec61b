"""The acts of the method: approve, execute, roll back, record a result, close, go on. Each passes its gates first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tunebench.core.errors import UserError
from tunebench.diagnosis.cycle import gates
from tunebench.diagnosis.cycle.carry_over import carry_over
from tunebench.diagnosis.cycle.steps_left import steps_left
from tunebench.domain.cycle.book import CycleBook, CycleEdit, RecordChange
from tunebench.domain.cycle.records import (
    Figure,
    Iteration,
    Metric,
    Outcome,
    Result,
    Step,
    StepNumber,
    StepState,
    Target,
)
from tunebench.domain.cycle.worksheet import Action, ActionState, Consent, ExecutedChange
from tunebench.domain.record_labels import label
from tunebench.usecases.cycle.edits import add, change, find_one, refuse_second
from tunebench.usecases.cycle.gates import pass_gates
from tunebench.usecases.cycle.words import FieldRefusal

# -- figures -------------------------------------------------------------------------------------------


def set_baseline(book: CycleBook, metric_id: int, baseline: Figure) -> CycleEdit:
    """The baseline of the metric's target; a target is made where there is none, the first one as the top priority."""
    metric = find_one(book, Metric, metric_id)
    targets = book.in_iteration(Target, metric.iteration_id)
    target = next((target for target in targets if target.metric_id == metric_id), None)
    if target is not None:
        return change(book, replace(target, baseline=baseline), "set_baseline")
    judging = metric.guards is None and not any(target.priority == 1 for target in targets)
    new = Target(0, metric.iteration_id, metric_id, baseline, priority=1 if judging else 2)
    return replace(add(book, new), name="set_baseline")


def record_result(book: CycleBook, metric_id: int, after: Figure, remark: str = "") -> CycleEdit:
    """What the metric came to; an earlier result of the iteration is replaced.

    Raises:
        GateRefusal: no result without an after-run, nor from the run of the baseline.
    """
    metric = find_one(book, Metric, metric_id)
    earlier = next(
        (result for result in book.in_iteration(Result, metric.iteration_id) if result.metric_id == metric_id), None
    )
    if earlier is not None:
        return change(book, replace(earlier, after=after, remark=remark or earlier.remark), "record_result")
    return replace(add(book, Result(0, metric.iteration_id, metric_id, after, remark)), name="record_result")


# -- countermeasures -----------------------------------------------------------------------------------


def approve_action(book: CycleBook, action_id: int, consent: Consent) -> CycleEdit:
    """Adds somebody's decision; what is approved must say what it costs.

    Raises:
        GateRefusal: the worksheet is not complete (a refusal or a deferral needs no complete worksheet), or he carried
            it out and the engagement wants two persons.
        UserError: cycle_value_empty without a name.
    """
    action = find_one(book, Action, action_id)
    if not consent.name.strip():
        raise FieldRefusal("cycle_value_empty", field="name", value="")
    if consent.approves:
        pass_gates(gates.may_approve(book, action, consent.name))
    state = ActionState.PROPOSED if action.state is ActionState.DRAFT else action.state
    return change(book, replace(action, consents=(*action.consents, consent), state=state), "approve_action")


def execute_action(
    book: CycleBook,
    action_id: int,
    by: str,
    at: str,
    commands: str = "",
    actual: Mapping[str, tuple[str, str]] | None = None,
) -> CycleEdit:
    """Writes what was done into the change log, a line per changed parameter. TuneBench itself changes nothing.

    Args:
        at: ISO with zone.
        actual: parameter -> (old as found, new as set), where they were not as planned.

    Raises:
        GateRefusal: the worksheet is incomplete, not approved, was approved later than `at`, or by the same person
            where the engagement wants two.
    """
    action = find_one(book, Action, action_id)
    pass_gates(gates.may_execute(book, action, at, by))
    if not by.strip():
        raise FieldRefusal("cycle_value_empty", field="executed_by", value="")
    lines = []
    for planned in action.changes:
        old, new = (actual or {}).get(planned.parameter, (planned.old, planned.new))
        lines.append(ExecutedChange(0, action_id, planned.parameter, old, new, at, by, commands))
    done = RecordChange(action, replace(action, state=ActionState.EXECUTED))
    return CycleEdit("execute_action", (done, *(RecordChange(None, line) for line in lines)))


def roll_back(book: CycleBook, action_id: int, by: str, at: str) -> CycleEdit:
    """The changes of an action were taken back.

    Raises:
        UserError: cycle_not_executed.
    """
    action = find_one(book, Action, action_id)
    if action.state is not ActionState.EXECUTED:
        raise UserError("cycle_not_executed", action=action.title)
    if not by.strip():
        raise FieldRefusal("cycle_value_empty", field="rolled_back_by", value="")
    changes = [
        RecordChange(line, replace(line, rolled_back_at=at, rolled_back_by=by))
        for line in book.all(ExecutedChange)
        if line.action_id == action.id and not line.rolled_back_at
    ]
    back = RecordChange(action, replace(action, state=ActionState.ROLLED_BACK))
    return CycleEdit("roll_back_action", (back, *changes))


# -- the decision --------------------------------------------------------------------------------------


def close_iteration(
    book: CycleBook, iteration_id: int, *, by: str, on: str, reason: str = "", finish_steps: bool = False
) -> CycleEdit:
    """The target was met, or `by` lives with one that is not and says why.

    Args:
        reason: why what is lacking is accepted; needed only there.
        finish_steps: the steps that are ready (`steps_left`) are called done in the same edit.

    Raises:
        GateRefusal: the top-priority target is not met, or that is not proven, or cause, countermeasure or the figure
            of a guard is missing, and nobody accepts it with a reason.
    """
    iteration = find_one(book, Iteration, iteration_id)
    lacking = gates.may_close(book, iteration)
    if lacking:
        pass_gates(lacking if not reason.strip() else gates.may_close(book, iteration, by, reason))
    outcome = Outcome.MET if gates.is_met(book, iteration) else Outcome.ACCEPTED
    closed = replace(iteration, outcome=outcome, closed_on=on, closed_by=by, reason=reason)
    steps = (*_finished(book, iteration, on, finish_steps), *_decided(book, iteration, on))
    return CycleEdit("close_iteration", (RecordChange(iteration, closed), *steps))


def continue_iteration(
    book: CycleBook, iteration_id: int, title: str, *, on: str = "", by: str = "", finish_steps: bool = False
) -> CycleEdit:
    """The next iteration, with the open causes and targets; the one it goes on from is closed.

    Args:
        finish_steps: as for `close_iteration`; an iteration that was closed before keeps its steps.

    Raises:
        GateRefusal: it was continued already.
        UserError: cycle_iteration_open while a third one is.
    """
    iteration = find_one(book, Iteration, iteration_id)
    pass_gates(gates.may_continue(book, iteration))
    refuse_second(book, besides=iteration_id)
    edit = carry_over(book, iteration, title, on=on, by=by)
    finish_steps = finish_steps and iteration.outcome is Outcome.OPEN
    steps = (*_finished(book, iteration, on, finish_steps), *_decided(book, iteration, on))
    return CycleEdit(edit.name, (*steps, *edit.changes))


def abandon_iteration(book: CycleBook, iteration_id: int, *, by: str, on: str, reason: str) -> CycleEdit:
    """Given up, with a name and a reason (GateRefusal without)."""
    iteration = find_one(book, Iteration, iteration_id)
    pass_gates(gates.may_abandon(iteration, by, reason))
    closed = replace(iteration, outcome=Outcome.ABANDONED, closed_on=on, closed_by=by, reason=reason)
    return CycleEdit("abandon_iteration", (RecordChange(iteration, closed),))


def reopen_iteration(book: CycleBook, iteration_id: int) -> CycleEdit:
    """A closed iteration is worked on again, and so is its step 6, which was done by deciding.

    Raises:
        UserError: cycle_iteration_open while another one is.
    """
    iteration = find_one(book, Iteration, iteration_id)
    refuse_second(book)
    again = replace(iteration, outcome=Outcome.OPEN, closed_on="", closed_by="", reason="")
    undecided = [
        RecordChange(step, replace(step, state=StepState.IN_WORK, ended_on=""))
        for step in book.in_iteration(Step, iteration.id)
        if step.number is StepNumber.DECISION and step.state is StepState.DONE
    ]
    return CycleEdit("reopen_iteration", (RecordChange(iteration, again), *undecided))


def _finished(book: CycleBook, iteration: Iteration, on: str, wanted: bool) -> list[RecordChange]:
    """Steps that hold what they need; when one that was never begun was begun is not known."""
    ready = steps_left(book, iteration).ready if wanted else ()
    return [RecordChange(step, replace(step, state=StepState.DONE, ended_on=step.ended_on or on)) for step in ready]


def _decided(book: CycleBook, iteration: Iteration, on: str) -> list[RecordChange]:
    """Step 6 is done by deciding."""
    return [
        RecordChange(step, replace(step, state=StepState.DONE, ended_on=step.ended_on or on))
        for step in book.in_iteration(Step, iteration.id)
        if step.number is StepNumber.DECISION and step.state is not StepState.DONE
    ]


def step_of(book: CycleBook, iteration_id: int, number: StepNumber) -> Step:
    """Raises UserError cycle_record_unknown in an iteration that lacks the step."""
    match = next((step for step in book.in_iteration(Step, iteration_id) if step.number is number), None)
    if match is None:
        iteration = find_one(book, Iteration, iteration_id)
        raise UserError("cycle_step_missing", iteration=label(iteration), step=int(number))
    return match


def set_step(book: CycleBook, step_id: int, state: StepState, *, on: str = "", skip_reason: str = "") -> CycleEdit:
    """Begins, finishes, skips or opens a step; its dates follow.

    Raises:
        GateRefusal: it lacks something to be called done, or may not be skipped.
    """
    step = find_one(book, Step, step_id)
    began = step.started_on or (on if state in (StepState.IN_WORK, StepState.DONE) else "")
    ended = on if state in (StepState.DONE, StepState.SKIPPED) else ""
    after = replace(step, state=state, started_on=began, ended_on=ended, skip_reason=skip_reason or step.skip_reason)
    return change(book, after, "set_step")
