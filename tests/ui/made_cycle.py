"""An engagement with a cycle in work: two runs, a target that was missed, a guard that was not measured, evidence."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tunebench.domain.cycle.book import CycleBook, CycleEdit, R, Record, RecordChange
from tunebench.domain.cycle.records import (
    Cause,
    CauseDomain,
    CustomerIssue,
    Figure,
    ManualSource,
    Metric,
    StatementSource,
    StepNumber,
    StepState,
    Target,
)
from tunebench.domain.cycle.worksheet import (
    Action,
    Basis,
    Consent,
    Decision,
    Impact,
    ParameterChange,
    Resource,
    Rollback,
    Verification,
)
from tunebench.domain.engagement import Direction, Phase
from tunebench.store import runs
from tunebench.usecases.cycle import applying, edits, reading
from tunebench.usecases.cycle import evidence as cycle_evidence
from tunebench.usecases.cycle.acts import approve_action, execute_action, record_result, set_step, step_of
from tunebench.usecases.cycle.edits import open_iteration

AT = "2026-07-20T22:00:00+09:00"
SOURCE = "stop watch of the customer"


class CycleMaker:
    """Applies edits one after the other and finds what they made."""

    def __init__(self, project: Any) -> None:
        self.project = project

    @property
    def book(self) -> CycleBook:
        return reading.read(self.project)

    def do(self, edit: CycleEdit) -> Any:
        """The record that the edit added last, or changed."""
        done = applying.apply(self.project, edit)
        return next(each.after for each in reversed(done.changes) if each.after is not None)

    def add(self, record: Record) -> Any:
        edit = edits.add(self.book, record)
        done = applying.apply(self.project, edit)
        return done.changes[0].after

    def open(self, title: str = "First round") -> Any:
        return applying.apply(self.project, open_iteration(self.book, title, on="2026-07-19")).changes[0].after

    def step(self, iteration: Any, number: StepNumber, state: StepState) -> None:
        step = step_of(self.book, iteration.id, number)
        self.do(set_step(self.book, step.id, state, on="2026-07-19"))


def the(book: CycleBook, kind: type[R], id_: int) -> R:
    """The record of that id, which is there."""
    found = book.find(kind, id_)
    assert found is not None
    return found


def baseline_of(target: Target) -> Figure:
    assert target.baseline is not None
    return target.baseline


def worksheet(iteration_id: int, metric_id: int, cause_id: int) -> Action:
    return Action(
        0,
        iteration_id,
        "Larger read-ahead",
        (ParameterChange("maxcontig", "16", "128"),),
        "Fewer, larger reads",
        (cause_id,),
        "",
        (Impact(Resource.DISK_THROUGHPUT, 2), Impact(Resource.MEMORY, -1, basis=Basis.ESTIMATE)),
        "",
        (),
        Rollback("tunefs -a 16"),
        (Verification(metric_id, 10.0),),
    )


def fill(project: Any) -> dict[str, int]:
    """An iteration up to step 5 with its top target missed; name -> id of what it holds."""
    maker = CycleMaker(project)
    before, after = (runs.ensure_run(project, phase.value, phase) for phase in (Phase.BEFORE, Phase.AFTER))
    iteration = maker.open()
    issue = maker.add(CustomerIssue(0, 1, "Orders are slow"))
    maker.step(iteration, StepNumber.PROBLEM, StepState.DONE)
    lower = Direction.LOWER
    time = maker.add(Metric(0, iteration.id, "Order time", ManualSource("stop watch"), "mean", "s", lower))
    gets = maker.add(Metric(0, iteration.id, "Block gets", StatementSource("block_gets"), "total", "{block}", lower))
    queue = maker.add(Metric(0, iteration.id, "Queue", ManualSource(), "mean", "", Direction.NEUTRAL))
    maker.step(iteration, StepNumber.METRICS, StepState.DONE)
    base = Figure(50.0, "", before.id, samples=12, source=SOURCE)
    top = maker.add(Target(0, iteration.id, time.id, base, 20.0, 1, "2026-08-01"))
    typed = Target(0, iteration.id, gets.id, Figure(800.0, "", before.id, source=SOURCE), 100.0, 2)
    second = maker.do(CycleEdit("add_target", (RecordChange(None, typed),)))  # as earlier releases let it be typed
    seen = maker.add(Target(0, iteration.id, queue.id, Figure(7.0, source=SOURCE), None, 3))
    cause = maker.add(Cause(0, iteration.id, CauseDomain.SYSTEM, "Small reads", issue_ids=(issue.id,)))
    action = maker.add(worksheet(iteration.id, time.id, cause.id))
    maker.do(approve_action(maker.book, action.id, Consent("DBA", "Park", Decision.APPROVED, AT)))
    maker.do(execute_action(maker.book, action.id, "Kim", AT))
    maker.do(record_result(maker.book, time.id, Figure(25.0, "", after.id, samples=12, source=SOURCE)))
    maker.do(record_result(maker.book, queue.id, Figure(6.0, "", after.id, source=SOURCE)))
    run = replace(after)
    pinned = maker.do(
        cycle_evidence.pin(maker.book, cycle_evidence.whole_run(run), "The run after", (cause.id, top.id), "Kim")
    )
    return {
        "iteration": iteration.id,
        "issue": issue.id,
        "time": time.id,
        "gets": gets.id,
        "queue": queue.id,
        "top": top.id,
        "second": second.id,
        "seen": seen.id,
        "cause": cause.id,
        "action": action.id,
        "evidence": pinned.id,
        "before": before.id,
        "after": after.id,
    }
