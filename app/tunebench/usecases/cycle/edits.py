"""Edits of the cycle's records: a book in, an edit out; nothing is changed before the edit is applied."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from tunebench.core.errors import UserError
from tunebench.core.records import record
from tunebench.domain.cycle.book import CycleBook, CycleEdit, Record, RecordChange, kind_of, references
from tunebench.domain.cycle.evidence import Evidence
from tunebench.domain.cycle.records import (
    MEASURED,
    CustomerIssue,
    Iteration,
    Metric,
    Outcome,
    Result,
    Step,
    StepNumber,
    Target,
)
from tunebench.domain.cycle.seals import Amendment, Seal
from tunebench.domain.cycle.worksheet import ExecutedChange
from tunebench.domain.record_labels import label, labels
from tunebench.domain.schema import owners, renamed
from tunebench.domain.windows import Window
from tunebench.usecases.cycle.fields import Typed, is_empty, new_record, pairs_of, set_field, told_fields
from tunebench.usecases.cycle.gates import gates_before, pass_gates
from tunebench.usecases.cycle.words import FieldRefusal

R = TypeVar("R", bound=Record)


def find(book: CycleBook, id_: int) -> Record:
    """Raises UserError cycle_record_unknown."""
    record = book.records.get(id_)
    if record is None:
        raise UserError("cycle_record_unknown", id=id_)
    return record


def find_one(book: CycleBook, kind: type[R], id_: int) -> R:
    """Raises UserError cycle_record_unknown, also where the record of that id is of another kind."""
    match = book.find(kind, id_)
    if match is None:
        raise UserError("cycle_record_unknown", id=id_)
    return match


# -- iterations ----------------------------------------------------------------------------------------


def open_iteration(book: CycleBook, title: str, *, introduction: bool = False, on: str = "") -> CycleEdit:
    """A new iteration with its seven steps.

    Raises:
        UserError: cycle_iteration_open while another one is.
    """
    refuse_second(book)
    number = 1 + max((iteration.number for iteration in book.iterations), default=0)
    records: list[Record] = [Iteration(-1, number, title, introduction, opened_on=on)]
    records += [Step(0, -1, step) for step in StepNumber]
    return CycleEdit("open_iteration", tuple(RecordChange(None, record) for record in records))


def refuse_second(book: CycleBook, besides: int = 0) -> None:
    """Raises UserError cycle_iteration_open while another iteration than `besides` is."""
    current = book.current
    if current is not None and current.outcome is Outcome.OPEN and current.id != besides:
        raise UserError("cycle_iteration_open", number=current.number, title=current.title)


# -- adding and changing -------------------------------------------------------------------------------


def add(book: CycleBook, record: Record) -> CycleEdit:
    """Raises UserError where a gate is closed (no target without metric and baseline, no result without a run)."""
    pass_gates(gates_before(book, None, record))
    return CycleEdit(f"add_{kind_of(record)}", (RecordChange(None, record),))


def add_typed(book: CycleBook, kind: str, values: Typed, iteration_id: int | None = None) -> CycleEdit:
    """A record from texts, in the current iteration where it belongs to one and none is named.

    Raises:
        UserError: cycle_no_iteration, cycle_kind_by_act, cycle_record_empty where nothing is said in it, and what
            `new_record` and `add` raise; cycle_figure_measured for a figure that is taken from captures.
    """
    if kind in _MADE_BY:
        raise UserError("cycle_kind_by_act", kind=kind, act=_MADE_BY[kind])
    given: dict[str, object] = {}
    typed = pairs_of(values)
    if kind == "issue" and "number" not in dict(typed):
        given["number"] = 1 + max((issue.number for issue in book.all(CustomerIssue)), default=0)
    if kind not in _OF_ENGAGEMENT:
        current = book.current
        if iteration_id is None and current is None:
            raise UserError("cycle_no_iteration")
        given["iteration_id"] = iteration_id or (current.id if current else 0)
    record = new_record(kind, typed, **given)
    if is_empty(record):
        raise UserError("cycle_record_empty", kind=kind, known=", ".join(told_fields(record)))
    _refuse_measured(book, record, values)
    return add(book, record)


_OF_ENGAGEMENT = ("issue", "system", "contact", "term")
_MADE_BY = {
    "iteration": "start",
    "step": "start",
    "executed": "execute",
    "evidence": "pin",
    "attachment": "attach",
    "window": "window add",
    "seal": "approve",
    "amendment": "set --reason",
}


def change(book: CycleBook, after: Record, name: str = "") -> CycleEdit:
    """The record of that id becomes `after`.

    Raises:
        UserError: cycle_record_unknown, or a closed gate.
    """
    before = find(book, after.id)
    pass_gates(gates_before(book, before, after))
    return CycleEdit(name or f"change_{kind_of(after)}", (RecordChange(before, after),))


def change_typed(book: CycleBook, id_: int, values: Typed) -> CycleEdit:
    """The record with fields set as typed, see `set_field`; all of them or none."""
    record = find(book, id_)
    _refuse_measured(book, record, values)
    for path, text in sorted(pairs_of(values), key=lambda pair: "@" in pair[0]):  # of words that are there by then
        record = set_field(record, path, text)
    return change(book, record)


def _refuse_measured(book: CycleBook, record: Record, values: Typed) -> None:
    """No part of a figure that captures measure is typed in."""
    metric = book.find(Metric, record.metric_id) if isinstance(record, Target | Result) else None
    for path, _text in pairs_of(values):
        field = path.partition(".")[0]
        if metric is not None and isinstance(metric.source, MEASURED) and field in _FIGURES:
            raise FieldRefusal("cycle_figure_measured", field=field, metric=metric.name)


_FIGURES = ("baseline", "after")


def together(name: str, *edits: CycleEdit) -> CycleEdit:
    """Several edits as one step of undo; new records of different edits must not name each other."""
    return CycleEdit(name, tuple(own for edit in edits for own in edit.changes))


# -- removing ------------------------------------------------------------------------------------------


@record
class Removal:
    """What removing a record comes to.

    Attributes:
        dependents: records that are nothing without it and go too.
        unlinked: records that stay and no longer name it.
    """

    edit: CycleEdit
    dependents: tuple[Record, ...]
    unlinked: tuple[Record, ...]


def removal(book: CycleBook, id_: int) -> Removal:
    """Removing a record with everything that is nothing without it.

    Raises:
        UserError: cycle_record_unknown; cycle_step_stays for one of the seven steps; cycle_record_in_use for a window
            that a figure was measured over; cycle_log_stays where a line of the change log would go: what was done
            stays on record, and is rolled back instead; cycle_seal_stays where a seal or an amendment would.
    """
    record = find(book, id_)
    if isinstance(record, Step):
        raise UserError("cycle_step_stays", record=label(record))
    if isinstance(record, Window) and (users := book.users_of(id_)):
        raise UserError("cycle_record_in_use", record=label(record), users=labels(users))
    gone = _with_dependents(book, record)
    logged = [record for record in gone.values() if isinstance(record, ExecutedChange)]
    if logged:
        raise UserError("cycle_log_stays", record=label(record), log=labels(logged))
    kept = [record for record in gone.values() if isinstance(record, Seal | Amendment)]
    if kept:
        raise UserError("cycle_seal_stays", record=label(record), kept=labels(kept))
    unlinked = [record for record in book if record.id not in gone and references(record) & gone.keys()]
    changes = [
        RecordChange(record, renamed(record, lambda named: None if named in gone else named)) for record in unlinked
    ]
    changes += [RecordChange(record, None) for record in reversed(gone.values())]
    edit = CycleEdit(f"remove_{kind_of(record)}", tuple(changes))
    return Removal(edit, tuple(record for record in gone.values() if record.id != id_), tuple(unlinked))


def remove(book: CycleBook, id_: int, with_dependents: bool = False) -> CycleEdit:
    """Raises UserError cycle_has_dependents with the records that would go too, where they may not; see `removal`."""
    going = removal(book, id_)
    if going.dependents and not with_dependents:
        raise UserError("cycle_has_dependents", record=label(find(book, id_)), dependents=labels(going.dependents))
    return going.edit


def _with_dependents(book: CycleBook, record: Record) -> dict[int, Record]:
    gone = {record.id: record}
    waiting = [record.id]
    while waiting:
        id_ = waiting.pop()
        for user in book.users_of(id_):
            if user.id not in gone and id_ in owners(user):
                gone[user.id] = user
                waiting.append(user.id)
    return gone


# -- evidence ------------------------------------------------------------------------------------------


def attach(book: CycleBook, evidence_id: int, record_id: int) -> CycleEdit:
    """One more record that the evidence supports."""
    evidence = find_one(book, Evidence, evidence_id)
    find(book, record_id)
    ids = (*(other_id for other_id in evidence.attached_to if other_id != record_id), record_id)
    return change(book, replace(evidence, attached_to=ids), "attach_evidence")


def detach(book: CycleBook, evidence_id: int, record_id: int) -> CycleEdit:
    evidence = find_one(book, Evidence, evidence_id)
    ids = tuple(other_id for other_id in evidence.attached_to if other_id != record_id)
    return change(book, replace(evidence, attached_to=ids), "detach_evidence")
