"""A small iteration that lacks nothing, to be spoilt one thing at a time."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import Any, TypeVar

from tunebench.domain.comparability import Check, CheckState, GateCheck, WindowPair
from tunebench.domain.cycle.book import CycleBook, CycleEdit, Record
from tunebench.domain.cycle.records import (
    Cause,
    CauseDomain,
    Equality,
    Figure,
    Iteration,
    ManualSource,
    Metric,
    Result,
    ResultSummary,
    SeriesSource,
    Step,
    StepNumber,
    Target,
)
from tunebench.domain.cycle.worksheet import (
    Action,
    ActionState,
    Consent,
    Decision,
    ExecutedChange,
    Impact,
    ParameterChange,
    Resource,
    Rollback,
    Verification,
)
from tunebench.domain.engagement import Direction
from tunebench.domain.record_ids import book_after, numbered
from tunebench.domain.windows import run_window

R = TypeVar("R")

ITERATION = Iteration(1, 1, "write performance")
WRITE = Metric(2, 1, "mkfile elapsed", ManualSource("time mkfile 500m"), "value", "s", Direction.LOWER, decimals=2)
CPU = Metric(
    3,
    1,
    "CPU busy",
    SeriesSource("db1", "vmstat", "id", "system.cpu.utilization"),
    "p95",
    "%",
    Direction.LOWER,
    guards=6,
    resource="cpu",
)
# The document's own run (section 4.4): real 86.18 s with maxcontig 6.
TARGET = Target(4, 1, 2, Figure(86.18, source="000 4.4"), 30.0, priority=1)
CAUSE = Cause(5, 1, CauseDomain.SYSTEM, "maxcontig too small")
ACTION = Action(
    6,
    1,
    "Raise maxcontig",
    changes=(ParameterChange("maxcontig", "6", "128", "/ARCH1"), ParameterChange("maxphys", "131072", "1048576")),
    hypothesis="fewer and larger writes",
    cause_ids=(5,),
    impacts=(Impact(Resource.DISK_THROUGHPUT, 2), Impact(Resource.CPU, -1)),
    rollback=Rollback("tunefs -a 6 /dev/rdsk/c0t0d0s0", 1.0, tested_on="2026-11-20"),
    verifications=(Verification(2, 10.0),),
    consents=(Consent("system owner", "Kim", Decision.APPROVED, "2026-11-21T10:00:00+09:00"),),
    state=ActionState.PROPOSED,
)
STEPS = tuple(Step(20 + number, 1, number) for number in StepNumber)
PLANNED: tuple[Record, ...] = (ITERATION, WRITE, CPU, TARGET, CAUSE, ACTION, *STEPS)
EXECUTED = ExecutedChange(7, 6, "maxcontig", "6", "128", "2026-11-21T11:00:00+09:00", "Lee")
# real 27.59 s with maxcontig 128
RESULT = Result(8, 1, 2, Figure(27.59, source="000 4.4"))
SIGNED = ResultSummary(9, 1, equality=Equality.NOT_APPLICABLE, equality_by="Kim", equality_basis="it writes zeros")


# Both figures of the top target taken from runs, and a comparison of these that warm-up refuses.
COMPARED = (
    replace(TARGET, baseline=Figure(86.18, run_id=1, samples=12)),
    replace(RESULT, after=Figure(27.59, run_id=2, samples=12)),
)
WHOLE_RUNS: WindowPair = (run_window(1), run_window(2))
TOO_EARLY = GateCheck(Check.WARM_UP, CheckState.REFUSE, "too_early", {"side": "after", "at_ns": 1, "from_ns": 2})


def book(*more: Record, without: tuple[int, ...] = ()) -> CycleBook:
    """The planned iteration with records added or, by id, replaced."""
    records = {record.id: record for record in (*PLANNED, *more) if record.id not in without}
    return CycleBook.of(records.values())


def done(*more: Record, without: tuple[int, ...] = ()) -> CycleBook:
    """The same with the action executed, the top target measured and the results signed."""
    return book(replace(ACTION, state=ActionState.EXECUTED), EXECUTED, RESULT, SIGNED, *more, without=without)


def apply(before: CycleBook, edit: CycleEdit) -> tuple[CycleBook, CycleEdit]:
    """Applies an edit as the project file does: with the ids that come next."""
    ids = count(max(before.records, default=0) + 1)
    real = numbered(edit, lambda: next(ids))
    return book_after(before, real), real


def only(records: tuple[R, ...], **values: Any) -> R:
    """The one record that has these values."""
    found = [record for record in records if all(getattr(record, name) == value for name, value in values.items())]
    assert len(found) == 1, found
    return found[0]


def keys(gates: tuple[Any, ...]) -> list[str]:
    return [gate.key for gate in gates]
