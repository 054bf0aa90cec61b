"""Any order of edits, undos and redos: the file holds what a plain list of them says it must."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tests.store import cases
from tunebench.core.errors import UserError
from tunebench.domain.cycle.book import CycleBook, CycleEdit, Record, RecordChange, references
from tunebench.domain.cycle.evidence import Evidence, EvidenceKind, EvidenceTarget
from tunebench.domain.cycle.records import (
    Cause,
    CauseDomain,
    CustomerIssue,
    Figure,
    Iteration,
    ManualSource,
    Metric,
    Target,
)
from tunebench.domain.engagement import Direction
from tunebench.store import runs
from tunebench.store.audit.trail import list_audit, verify_chain
from tunebench.store.check import check_project
from tunebench.store.cycle.records import apply, next_evidence_number, read_book
from tunebench.store.opening import open_project
from tunebench.store.project import Project

TEXTS = st.text(alphabet="가나다 abc'\"\\\n%{}🙂", min_size=1, max_size=12)
REFUSALS = {"cycle_record_in_use", "cycle_dangling", "cycle_circular", "cycle_changed_meanwhile"}


class Edits(RuleBasedStateMachine):
    """`model` is what the book must be; `done` and `undone` the two sides of the undo stack with the books around."""

    @initialize()
    def start(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.project: Project = cases.new_project(Path(self.folder.name))
        cases.write_samples(self.project, cases.batch([[1.0]]))
        self.run_id = runs.list_runs(self.project)[0].id
        self.model: dict[int, Record] = {}
        self.done: list[tuple[dict[int, Record], CycleEdit, dict[int, Record]]] = []
        self.undone: list[tuple[dict[int, Record], CycleEdit, dict[int, Record]]] = []
        self.codes: dict[int, str] = {}  # evidence's id -> the code it got, for ever
        self.ids: set[int] = set()

    def teardown(self) -> None:
        if hasattr(self, "project"):
            assert {result.state for result in check_project(self.project)} == {"ok"}
            assert verify_chain(self.project) is None
            self.project.close()
            self.folder.cleanup()

    def edit(self, *changes: RecordChange) -> None:
        """Applies an edit that the model knows to be allowed or refused."""
        before = dict(self.model)
        wanted = CycleEdit("any", changes)
        if not self.allowed(wanted):
            with pytest.raises(UserError) as caught:
                apply(self.project, wanted, "lee")
            assert caught.value.key in REFUSALS
            return
        done = apply(self.project, wanted, "lee")
        for asked, change in zip(wanted.changes, done.changes, strict=True):
            if change.before is not None:
                del self.model[change.before.id]
            if change.after is not None:
                self.model[change.after.id] = change.after
                if asked.before is None:
                    self.note_new(change.after)
        self.done.append((before, done, dict(self.model)))
        self.undone.clear()

    def note_new(self, record: Record) -> None:
        assert record.id not in self.ids
        self.ids.add(record.id)
        if isinstance(record, Evidence):
            assert record.code not in self.codes.values()
            self.codes[record.id] = record.code

    def allowed(self, edit: CycleEdit) -> bool:
        """The rules, said anew: what is changed is as it was, and nobody is left naming what is not there."""
        after = dict(self.model)
        for number, change in enumerate(edit.changes):
            if change.before is not None and after.pop(change.before.id, None) != change.before:
                return False
            if change.after is not None:
                after[change.after.id or -1000 - number] = change.after
        return all(each in after for record in after.values() for each in references(record))

    def some(self, data: st.DataObject, *kinds: type) -> Record | None:
        found = [record for record in self.model.values() if not kinds or isinstance(record, kinds)]
        return data.draw(st.sampled_from(found)) if found else None

    # -- rules

    @rule(data=st.data(), text=TEXTS)
    def add(self, data: st.DataObject, text: str) -> None:
        iteration = self.some(data, Iteration)
        new: list[Record] = [Iteration(0, len(self.model) + 1, text), CustomerIssue(0, 1, text)]
        new.append(Evidence(0, 0, text, EvidenceTarget(EvidenceKind.RUN, self.run_id)))
        if iteration is not None:
            issue = self.some(data, CustomerIssue)
            new.append(Cause(0, iteration.id, CauseDomain.SYSTEM, text, issue_ids=(issue.id,) if issue else ()))
            new.append(Metric(0, iteration.id, text, ManualSource(text), "value", "s", Direction.LOWER))
        self.edit(RecordChange(None, data.draw(st.sampled_from(new))))

    @rule(text=TEXTS, priority=st.integers(1, 3))
    def add_a_family(self, text: str, priority: int) -> None:
        """An iteration whose records name each other before any of them is kept."""
        pin = Evidence(-3, 0, text, EvidenceTarget(EvidenceKind.RUN, self.run_id), (-2,))
        self.edit(
            RecordChange(None, pin),
            RecordChange(None, Target(0, -1, -2, Figure(1.5, run_id=self.run_id, evidence_id=-3), 1.0, priority)),
            RecordChange(None, Iteration(-1, 9, text)),
            RecordChange(None, Metric(-2, -1, text, ManualSource(), "value", "s", Direction.HIGHER)),
        )

    @rule(data=st.data(), text=TEXTS)
    def change(self, data: st.DataObject, text: str) -> None:
        record = self.some(data, Iteration, CustomerIssue, Cause)
        if record is not None:
            self.edit(RecordChange(record, replace(record, title=text)))  # type: ignore[arg-type]

    @rule(data=st.data())
    def attach(self, data: st.DataObject) -> None:
        evidence, other = self.some(data, Evidence), self.some(data, Cause, CustomerIssue, Metric, Target)
        if isinstance(evidence, Evidence) and other is not None:
            self.edit(RecordChange(evidence, replace(evidence, attached_to=(*evidence.attached_to, other.id))))

    @rule(data=st.data())
    def remove(self, data: st.DataObject) -> None:
        record = self.some(data)
        if record is not None:
            self.edit(RecordChange(record, None))

    @rule(data=st.data())
    def remove_with_users(self, data: st.DataObject) -> None:
        record = self.some(data)
        if record is not None:
            gone = [record, *CycleBook(self.model).users_of(record.id)]
            self.edit(*(RecordChange(each, None) for each in gone))

    @rule(data=st.data(), text=TEXTS)
    def change_what_is_no_more(self, data: st.DataObject, text: str) -> None:
        record = self.some(data, Iteration, Cause)
        if record is not None:
            stale = replace(record, title=text + "x")  # type: ignore[arg-type]
            self.edit(RecordChange(stale, record))

    @precondition(lambda self: self.done)
    @rule()
    def undo(self) -> None:
        before, edit, after = self.done.pop()
        assert apply(self.project, edit.inverse, "lee") == edit.inverse
        self.model = dict(before)
        self.undone.append((before, edit, after))

    @precondition(lambda self: self.undone)
    @rule()
    def redo(self) -> None:
        before, edit, after = self.undone.pop()
        assert apply(self.project, edit, "kang") == edit
        self.model = dict(after)
        self.done.append((before, edit, after))

    @rule()
    def reopen(self) -> None:
        self.project.close()
        self.project = open_project(self.project.path)

    # -- what always holds

    @invariant()
    def the_file_holds_the_model(self) -> None:
        if not hasattr(self, "project"):
            return
        book = read_book(self.project)
        assert dict(book.records) == self.model
        for evidence in book.all(Evidence):
            assert evidence.code == self.codes[evidence.id]
        assert next_evidence_number(self.project) > max((e.number for e in book.all(Evidence)), default=0)


Edits.TestCase.settings = settings(max_examples=25, stateful_step_count=30, deadline=None)
TestEdits = Edits.TestCase


def test_the_trail_tells_undo_from_redo(tmp_path: Path) -> None:
    with cases.new_project(tmp_path) as project:
        done = apply(project, CycleEdit("add", (RecordChange(None, Iteration(0, 1, "1차")),)), "lee")
        apply(project, done.inverse, "lee")
        apply(project, done, "kang")
        changes = [entry.facts for entry in list_audit(project) if entry.action == "cycle_changed"]
    key = "iteration.1 title"
    assert [facts["changes"][key] for facts in changes] == [[None, "1차"], ["1차", None], [None, "1차"]]  # type: ignore[index]
    assert [facts["by"] for facts in changes] == ["lee", "lee", "kang"]
