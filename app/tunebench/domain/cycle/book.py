"""All records of an engagement's cycle, and what may be done to them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from typing import TypeVar, cast

from tunebench.core.grouping import by_key
from tunebench.core.records import record
from tunebench.domain.comparability import FigureInterval, GateCheck, WindowPair
from tunebench.domain.cycle.evidence import Evidence
from tunebench.domain.cycle.recorded import Captures, Contradictions, Recorded, Told, Tries
from tunebench.domain.cycle.records import (
    Attachment,
    Cause,
    Contact,
    CustomerIssue,
    Figure,
    Iteration,
    Metric,
    Outcome,
    Question,
    Result,
    ResultSummary,
    Step,
    SystemInScope,
    Target,
    Term,
)
from tunebench.domain.cycle.seals import Amendment, Seal
from tunebench.domain.cycle.worksheet import Action, ExecutedChange
from tunebench.domain.engagement import Engagement
from tunebench.domain.schema import Names, Outside, named
from tunebench.domain.windows import Window

Record = (
    CustomerIssue
    | SystemInScope
    | Contact
    | Term
    | Iteration
    | Step
    | Question
    | Attachment
    | Metric
    | Target
    | Cause
    | Action
    | ExecutedChange
    | Result
    | ResultSummary
    | Evidence
    | Window
    | Seal
    | Amendment
)

KINDS: Mapping[str, type[Record]] = {
    "issue": CustomerIssue,
    "system": SystemInScope,
    "contact": Contact,
    "term": Term,
    "iteration": Iteration,
    "step": Step,
    "question": Question,
    "attachment": Attachment,
    "metric": Metric,
    "target": Target,
    "cause": Cause,
    "action": Action,
    "executed": ExecutedChange,
    "result": Result,
    "summary": ResultSummary,
    "evidence": Evidence,
    "window": Window,
    "seal": Seal,
    "amendment": Amendment,
}
"""Stable names of the kinds: in the project file, on the command line, in the audit trail."""

_NAMES = {made: name for name, made in KINDS.items()}

IntervalKey = tuple[Metric, Figure, Figure | None]
"""A figure of a metric, and the baseline it is seen against; None where that is not of samples."""

R = TypeVar("R", bound=Record)


def kind_of(record: Record) -> str:
    return _NAMES[type(record)]


@record
class RecordChange:
    """One record before and after; None before: added, None after: removed.

    A record to be added has id 0, or the id it had when it was removed. Records of one edit that name each other
    before they are kept have negative ids, see `tunebench.domain.record_ids`.
    """

    before: Record | None
    after: Record | None


@record
class CycleEdit:
    """What happens together, is undone together, and has one name (a key below ``cycle.edit.``)."""

    name: str
    changes: tuple[RecordChange, ...]

    @property
    def inverse(self) -> CycleEdit:
        turned = tuple(RecordChange(change.after, change.before) for change in reversed(self.changes))
        return CycleEdit(self.name, turned)


# --- what a record names


def references(record: Record) -> frozenset[int]:
    """Ids of the records that this one names and cannot be without."""
    return frozenset(id_ for _field, mark, id_ in named(record) if isinstance(mark, Names))


def runs_named(record: Record) -> frozenset[int]:
    """Ids of the runs that a record rests on: none of them may be removed."""
    return _outside(record, "run")


def artefacts_named(record: Record) -> frozenset[int]:
    """Ids of the captures that a record rests on."""
    return _outside(record, "artefact")


def _outside(record: Record, what: str) -> frozenset[int]:
    return frozenset(id_ for _field, mark, id_ in named(record) if mark == Outside(what))


# --- the book


@record
class CycleBook:
    """Every record by id, in the order they were made.

    Attributes:
        refused: the checks that refuse to compare two windows, none where nothing does. A pair that is not in it has
            not been asked for yet, and no verdict rests on it; None where nobody asks, as for records without samples.
        intervals: of the measured figures that are held against targets; None for one that has none (the largest
            sample, say), and a figure that is not in it has not been asked for. None altogether as for `refused`.
        recorded: when approvals, executions and results were entered; empty where nobody asks.
        laid: when the stretches of each window (by id) were laid, every time; empty where nobody asks.
        captures: what lies in the project beside the records; None where nobody asks, or there is no result.
        tries: trials of the experiments, and how they came about; None where nobody asks, or no metric is of any.
        engagement: whose records they are; None where nobody asks.
        contradicted: what the check finds wrong: no verdict rests on it. None where nobody asks.
    """

    records: Mapping[int, Record] = field(default_factory=dict)
    refused: Mapping[WindowPair, tuple[GateCheck, ...]] | None = field(default=None, repr=False, compare=False)
    intervals: Mapping[IntervalKey, FigureInterval | None] | None = field(default=None, repr=False, compare=False)
    recorded: Mapping[Told, Recorded] = field(default_factory=dict, repr=False, compare=False)
    laid: Mapping[int, tuple[Recorded, ...]] = field(default_factory=dict, repr=False, compare=False)
    captures: Captures | None = field(default=None, repr=False, compare=False)
    tries: Tries | None = field(default=None, repr=False, compare=False)
    engagement: Engagement | None = field(default=None, repr=False, compare=False)
    contradicted: Contradictions | None = field(default=None, repr=False, compare=False)
    _by_kind: Mapping[type, tuple[Record, ...]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Sorted by kind once: judging a large worksheet asks for a kind thousands of times."""
        kinds = by_key((type(record), record) for record in self.records.values())
        object.__setattr__(self, "_by_kind", {kind: tuple(records) for kind, records in kinds.items()})

    @classmethod
    def of(cls, records: Iterable[Record]) -> CycleBook:
        return cls({record.id: record for record in sorted(records, key=lambda record: record.id)})

    def __iter__(self) -> Iterator[Record]:
        return iter(self.records.values())

    def all(self, kind: type[R]) -> tuple[R, ...]:
        return cast("tuple[R, ...]", self._by_kind.get(kind, ()))

    def find(self, kind: type[R], id_: int | None) -> R | None:
        record = self.records.get(id_ or 0)
        return record if isinstance(record, kind) else None

    def experiment_title(self, id_: int) -> str:
        """The experiment's title; its number where it is gone."""
        return (self.tries.titles if self.tries is not None else {}).get(id_, f"#{id_}")

    def is_contradicted(self, metric: Metric) -> bool:
        """Whether the check contradicts what the metric's figures and verdicts rest on."""
        return self.contradicted is not None and metric.id in self.contradicted.metrics

    def in_iteration(self, kind: type[R], iteration_id: int) -> tuple[R, ...]:
        return tuple(record for record in self.all(kind) if getattr(record, "iteration_id", None) == iteration_id)

    def users_of(self, id_: int) -> tuple[Record, ...]:
        """The records that name this one."""
        return tuple(record for record in self if id_ in references(record))

    @property
    def iterations(self) -> tuple[Iteration, ...]:
        return tuple(sorted(self.all(Iteration), key=lambda iteration: iteration.number))

    @property
    def current(self) -> Iteration | None:
        """The one that is open; the last where none is."""
        iterations = self.iterations
        still_open = tuple(iteration for iteration in iterations if iteration.outcome is Outcome.OPEN)
        return next(iter(reversed(still_open or iterations)), None)

    def evidence_of(self, id_: int) -> tuple[Evidence, ...]:
        return tuple(evidence for evidence in self.all(Evidence) if id_ in evidence.attached_to)
