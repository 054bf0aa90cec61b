"""Records that are made together name each other, and get their ids when they are kept."""

from __future__ import annotations

from itertools import count

import pytest

from tunebench.domain.cycle.book import KINDS, CycleBook, CycleEdit, RecordChange, references
from tunebench.domain.cycle.evidence import Evidence, EvidenceKind, EvidenceTarget
from tunebench.domain.cycle.records import Cause, CauseDomain, Figure, Iteration, ManualSource, Metric, Result, Target
from tunebench.domain.cycle.worksheet import Action, ExecutedChange, Impact, Resource, Verification
from tunebench.domain.engagement import Direction
from tunebench.domain.record_ids import book_after, numbered, renumbered

ITERATION = Iteration(-1, 1, "first", continues=-9)
METRIC = Metric(-2, -1, "elapsed", ManualSource(), "value", "s", Direction.LOWER, guards=-4, carried_from=-9)
RECORDS = (
    ITERATION,
    METRIC,
    Target(0, -1, -2, Figure(1.0, run_id=7, evidence_id=-5), 0.5, 1),
    Cause(-3, -1, CauseDomain.SYSTEM, "small", issue_ids=(-9,)),
    Action(
        -4,
        -1,
        "raise",
        cause_ids=(-3,),
        impacts=(Impact(Resource.CPU, -1, evidence_ids=(-5,)),),
        verifications=(Verification(-2, 10.0),),
    ),
    ExecutedChange(0, -4, "x", "1", "2", "", "Lee"),
    Result(0, -1, -2, Figure(0.4, evidence_id=-5)),
    Evidence(-5, 1, "seen", EvidenceTarget(EvidenceKind.RUN, run_id=7), (-3, -4)),
)
IDS = {-1: 11, -2: 12, -3: 13, -4: 14, -5: 15, -9: 19}


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: type(record).__name__)
def test_every_id_that_a_record_names_is_replaced(record):
    turned = renumbered(record, IDS)
    assert references(turned) == frozenset(IDS[id_] for id_ in references(record))
    assert turned.id == IDS.get(record.id, 0)


def test_runs_and_figures_are_left_alone():
    target = renumbered(RECORDS[2], {7: 99, 1: 98, **IDS})
    assert target.baseline == Figure(1.0, run_id=7, evidence_id=15) and target.priority == 1
    assert target.iteration_id == 11


def test_an_edit_gets_ids_in_its_order():
    ids = count(100)
    made = (Iteration(-1, 1, "first"), Cause(0, -1, CauseDomain.SYSTEM, "a"), Cause(0, -1, CauseDomain.NETWORK, "b"))
    edit = numbered(CycleEdit("start", tuple(RecordChange(None, record) for record in made)), lambda: next(ids))
    after = [change.after for change in edit.changes]
    assert {record.id for record in after if record is not None} == {100, 101, 102}
    assert all(getattr(record, "iteration_id", 100) == 100 for record in after)
    book = book_after(CycleBook(), edit)
    assert len(book.records) == 3 and book_after(book, edit.inverse) == CycleBook()


def test_what_comes_back_keeps_its_id():
    cause = Cause(5, 1, CauseDomain.SYSTEM, "a")
    back = CycleEdit("remove", (RecordChange(cause, None),)).inverse
    assert numbered(back, lambda: 99) == back


def test_a_change_of_a_kept_record_may_name_a_new_one():
    old = Action(5, 1, "raise")
    new = Action(5, 1, "raise", verifications=(Verification(-1),))
    metric = Metric(-1, 1, "elapsed", ManualSource(), "value", "s", Direction.LOWER)
    edit = numbered(CycleEdit("add", (RecordChange(None, metric), RecordChange(old, new))), lambda: 77)
    assert edit.changes[1].before == old
    assert edit.changes[1].after == Action(5, 1, "raise", verifications=(Verification(77),))


def test_every_kind_that_names_others_is_tried():
    naming = {"iteration", "metric", "target", "cause", "action", "executed", "result", "evidence"}
    tried = {name for name, kind in KINDS.items() if any(isinstance(record, kind) for record in RECORDS)}
    assert tried == naming
