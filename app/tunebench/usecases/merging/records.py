"""The records of the tuning cycle: those that both copies have field by field, what is new of theirs under new numbers.

What theirs approved, carried out or measured is brought with its seals and amendments; what was sealed and is otherwise
after the merge has an amendment that says so.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from hashlib import sha256
from typing import Any

from tunebench.core.errors import UserError
from tunebench.core.signing import as_signature
from tunebench.domain.cycle.book import KINDS, CycleBook, CycleEdit, Record, RecordChange, kind_of, references
from tunebench.domain.cycle.record_json import all_fields_of, changed_fields, from_json
from tunebench.domain.cycle.records import (
    Contact,
    CustomerIssue,
    Iteration,
    Result,
    ResultSummary,
    Step,
    SystemInScope,
    Target,
    Term,
)
from tunebench.domain.cycle.seals import Amendment, Seal
from tunebench.domain.cycle.worksheet import Action, ExecutedChange
from tunebench.domain.record_labels import label, own_words, reference_of
from tunebench.domain.windows import Window
from tunebench.store import attachments
from tunebench.store.audit.trail import now_iso
from tunebench.store.cycle import records as cycle_records
from tunebench.store.cycle.records import last_id
from tunebench.store.cycle.rules import attachments_named
from tunebench.store.locking import current_user
from tunebench.usecases.cycle.applying import without_stale_approvals
from tunebench.usecases.cycle.sealing import SEALED, sealed, unamended
from tunebench.usecases.merging.conflicts import BESIDE, ONE_SIDE, Choice, Conflict, Subject
from tunebench.usecases.merging.fork import Fork
from tunebench.usecases.merging.hosts_and_runs import Runs
from tunebench.usecases.merging.into import Into, free_name
from tunebench.usecases.merging.placing import Fields, compact, placed_fields
from tunebench.usecases.merging.replaying import Replayed, highest_id
from tunebench.usecases.merging.three_way import DIFFER, merged_members, merged_value

_ACTION = "cycle_changed"
_SETS = ("attached_to", "cause_ids", "issue_ids")
_ONE_OF = {
    Target: ("metric_id",),
    Result: ("metric_id",),
    ResultSummary: ("iteration_id",),
    Step: ("iteration_id", "number"),
}
"""Of a metric, or of an iteration, there is one such record: what both copies add is the same one."""
_ALIKE = (SystemInScope, Contact, Term, CustomerIssue)
"""Two of the same words are one."""
_NUMBERED = (Iteration, CustomerIssue)
_SUBSTANCE = tuple(name for name in SEALED[Action] if name not in ("iteration_id", "consents"))
_OF_ITERATION = {ExecutedChange: Subject.EXECUTIONS, Result: Subject.RESULTS}


class Records:
    """
    Attributes:
        conflicts: what both copies say differently.
    """

    def __init__(self, fork: Fork, runs: Runs) -> None:
        self.fork, self._runs = fork, runs
        self.mine, self.theirs = (cycle_records.read_book(copy.project) for copy in fork.copies)
        self.highest = highest_id(fork.mine, _ACTION, KINDS)
        self._now = tuple(_all_fields(book) for book in (self.mine, self.theirs))
        self.since = tuple(
            Replayed(copy, _ACTION, KINDS, now) for copy, now in zip(fork.copies, self._now, strict=True)
        )
        self._captures = _captures_of_mine(fork)
        self.same: dict[int, int] = {}  # new in theirs -> the same in mine
        self.whole: list[int] = []  # of those that both had: as theirs has them now
        self.fields: dict[int, list[str]] = {}
        self.matched: dict[str, tuple[int, int]] = {}  # key of a conflict -> ids in mine and theirs
        self.conflicts = tuple(self._compared())

    # -- comparing -------------------------------------------------------------------------------------

    def _compared(self) -> Iterator[Conflict]:
        for reference in sorted({*self._now[0], *self._now[1]}, key=_id_of):
            if _id_of(reference) <= self.highest:
                yield from self._of_both(reference)
        for record in self.theirs:
            if record.id > self.highest:
                yield from self._of_new(record)
        for kind, subject in _OF_ITERATION.items():
            yield from self._of_iterations(kind, subject)

    def base(self, reference: str) -> Fields | None:
        """Raises UserError merge_unexplained where the copies differ and no entry says why."""
        states = [
            since.base[reference] if reference in since.base else now.get(reference)
            for since, now in zip(self.since, self._now, strict=True)
        ]
        if states[0] != states[1]:
            raise UserError("merge_unexplained", record=reference, path=str(self.fork.theirs.project.path))
        return states[0]

    def _placed(self, reference: str) -> Fields | None:
        """What theirs says of a record, in the numbers of mine as far as it has any."""
        body = self._now[1].get(reference)
        return None if body is None else placed_fields(KINDS[reference.partition(".")[0]], body, self._as_mine)

    def _as_mine(self, what: str, id_: int) -> int | None:
        if what in ("record", "reference"):
            return id_ if id_ <= self.highest else self.same.get(id_, -id_)
        if what == "run":
            run = self._runs.mine_of.get(id_)
            return run.id if run is not None else -id_
        return self._captures.get(id_, -id_) if what == "artefact" else id_

    def _of_both(self, reference: str) -> Iterator[Conflict]:
        id_, base = _id_of(reference), self.base(reference)
        mine, theirs = self._now[0].get(reference), self._placed(reference)
        value = merged_value(base, mine, theirs)
        if value is not DIFFER:
            if value != mine:
                self.whole.append(id_)
        elif mine is None or theirs is None:
            usual = Choice.THEIRS if mine is None else Choice.MINE
            yield self._conflict(reference, "", mine, theirs, usual=usual)
        elif reference.startswith("window."):
            yield self._conflict(reference, "", mine, theirs, BESIDE, Choice.BOTH)
        else:
            yield from self._of_fields(reference, base or {}, mine, theirs)

    def _of_fields(self, reference: str, base: Fields, mine: Fields, theirs: Fields) -> Iterator[Conflict]:
        guarded = _guarded(base, mine, theirs) if reference.startswith("action.") else {}
        for name in theirs:
            value = merged_value(base.get(name), mine.get(name), theirs[name])
            if mine.get(name) == theirs[name]:
                continue
            if name in guarded:
                usual = Choice.BOTH if Choice.BOTH in guarded[name] else Choice.MINE
                yield self._conflict(reference, name, mine.get(name), theirs[name], guarded[name], usual)
            elif value is DIFFER and name not in _SETS:
                yield self._conflict(reference, name, mine.get(name), theirs[name])
            elif value != mine.get(name):
                self.fields.setdefault(_id_of(reference), []).append(name)

    def _of_new(self, record: Record) -> Iterator[Conflict]:
        reference = reference_of(record)
        theirs = self._placed(reference)
        assert theirs is not None
        twin = self._twin(record, theirs)
        if twin is None:
            return
        mine = self._now[0][reference_of(twin)]
        unequal = {name for name in theirs if theirs[name] != mine.get(name)} - {"number"}
        if isinstance(record, Window):
            if not unequal:
                self.same[record.id] = twin.id
            else:
                yield self._twins(record, twin, mine, theirs, BESIDE, Choice.BOTH)
        elif type(record) in _ONE_OF:
            self.same[record.id] = twin.id
            if unequal or isinstance(record, Result):
                yield self._twins(record, twin, mine, theirs)
        elif not unequal:
            self.same[record.id] = twin.id

    def _twin(self, record: Record, theirs: Fields) -> Record | None:
        """The record of mine that is the same thing as a new one of theirs."""
        kind = type(record)
        if isinstance(record, Window):
            return next((own for own in self.mine.all(Window) if own.name == record.name), None)
        names = _ONE_OF.get(kind) or (tuple(name for name in theirs if name != "number") if kind in _ALIKE else ())
        if not names:
            return None
        wanted = [theirs[name] for name in names]
        for own in self.mine.all(kind):
            body = self._now[0][reference_of(own)]
            if [body.get(name) for name in names] == wanted and own.id not in self.same.values():
                return own
        return None

    def _twins(
        self,
        record: Record,
        twin: Record,
        mine: Fields,
        theirs: Fields,
        choices: tuple[Choice, ...] = ONE_SIDE,
        usual: Choice = Choice.MINE,
    ) -> Conflict:
        named = zip(self.since, (twin, record), strict=True)
        sides = self.fork.sides((mine, theirs), [since.last.get(reference_of(own)) for since, own in named])
        key = f"{reference_of(twin)} + {reference_of(record)}"
        self.matched[key] = twin.id, record.id
        subject = Subject.WINDOW if isinstance(record, Window) else _OF_ITERATION.get(type(record), Subject.RECORD)
        return Conflict(key, subject, label(twin), "", *sides, choices, usual)

    def _of_iterations(self, kind: type[ExecutedChange | Result], subject: Subject) -> Iterator[Conflict]:
        """What both carried out, or measured, in one iteration that both had."""
        mine, theirs = (self.new_by_iteration(book, kind) for book in (self.mine, self.theirs))
        for iteration_id in sorted(mine.keys() & theirs.keys()):
            iteration = self.mine.find(Iteration, iteration_id)
            both = mine[iteration_id], theirs[iteration_id]
            last = [since.last.get(reference_of(own[-1])) for since, own in zip(self.since, both, strict=True)]
            sides = self.fork.sides([[label(record) for record in own] for own in both], last)
            name = label(iteration) if iteration is not None else ""
            yield Conflict(f"iteration.{iteration_id} {subject}", subject, name, "", *sides, BESIDE, Choice.BOTH)

    def new_by_iteration(self, book: CycleBook, kind: type[Any]) -> dict[int, list[Record]]:
        new: dict[int, list[Record]] = {}
        matched = {*self.same, *self.same.values()}
        for record in book.all(kind):
            iteration_id = _iteration_of(book, record)
            if record.id > self.highest >= iteration_id and record.id not in matched:
                new.setdefault(iteration_id, []).append(record)
        return new

    def _conflict(
        self,
        reference: str,
        field: str,
        mine: object,
        theirs: object,
        choices: tuple[Choice, ...] = ONE_SIDE,
        usual: Choice = Choice.MINE,
    ) -> Conflict:
        heading = f"{reference} {field}".strip()
        entries = [since.last.get(heading) or since.last.get(reference) for since in self.since]
        sides = self.fork.sides((mine, theirs), entries)
        record = self.mine.records.get(_id_of(reference)) or self.theirs.records[_id_of(reference)]
        subject = (
            Subject.APPROVALS
            if field == "consents"
            else Subject.WINDOW
            if isinstance(record, Window)
            else Subject.RECORD
        )
        return Conflict(heading, subject, label(record), field, *sides, choices, usual)

    # -- bringing in -----------------------------------------------------------------------------------

    def apply(self, into: Into) -> None:
        _Bringing(self, into).apply()


class _Bringing:
    """One merge of the records into the project that is written."""

    def __init__(self, compared: Records, into: Into) -> None:
        self._of, self._into = compared, into
        self._mine, self._theirs = compared.mine, compared.theirs
        self._highest, self._same = compared.highest, dict(compared.same)
        self._whole, self._fields = list(compared.whole), {id_: list(names) for id_, names in compared.fields.items()}
        self._beside: dict[int, str] = {}  # window in theirs -> its name here
        self._dropped: set[int] = set()  # new in theirs
        self._removed: set[int] = set()  # of mine
        self._numbers: dict[int, int] = {}

    def apply(self) -> None:
        for conflict in self._of.conflicts:
            self._decide(conflict)
        with self._into.project.transaction() as connection:
            last = last_id(connection, "cycle_record")
            new = [record for record in self._theirs if self._is_brought(record)]
            self._numbers = {record.id: last + count for count, record in enumerate(new, 1)}
            self._keep_attachments(new)
            self._refuse_signed(new)
            changes = self._changes(new)
            if changes:
                self._write(changes)
            self._amend_what_differs()

    def _is_brought(self, record: Record) -> bool:
        return record.id > self._highest and record.id not in self._same and record.id not in self._dropped

    # -- what was decided ------------------------------------------------------------------------------

    def _decide(self, conflict: Conflict) -> None:
        choice, key = self._into.choice(conflict), conflict.key
        if key in self._of.matched:
            self._decide_twins(*self._of.matched[key], choice)
        elif key.startswith("iteration.") and key.partition(" ")[2] in tuple(_OF_ITERATION.values()):
            self._decide_iteration(conflict, choice)
        elif choice is not Choice.MINE:
            self._decide_record(conflict, choice)

    def _decide_twins(self, mine: int, theirs: int, choice: Choice) -> None:
        record = self._theirs.records[theirs]
        if choice is Choice.THEIRS:
            self._same[theirs] = mine
        elif isinstance(record, Window):
            if choice is Choice.BOTH or self._theirs.users_of(theirs):  # figures were measured over it
                self._beside[theirs] = record.name
            else:
                self._dropped.add(theirs)

    def _decide_iteration(self, conflict: Conflict, choice: Choice) -> None:
        iteration_id = _id_of(conflict.key.partition(" ")[0])
        kind = next(kind for kind, subject in _OF_ITERATION.items() if subject == conflict.subject)
        book, ids = (self._theirs, self._dropped) if choice is Choice.MINE else (self._mine, self._removed)
        if choice is not Choice.BOTH:
            ids |= {record.id for record in self._of.new_by_iteration(book, kind).get(iteration_id, ())}

    def _decide_record(self, conflict: Conflict, choice: Choice) -> None:
        id_ = _id_of(conflict.key.partition(" ")[0])
        if conflict.field == "consents" and choice is Choice.BOTH:
            self._fields.setdefault(id_, []).append("+consents")
        elif conflict.field:
            self._fields.setdefault(id_, []).append(conflict.field)
            if conflict.field == "consents":  # what they decided on, as they decided on it
                self._fields[id_] += _SUBSTANCE
        elif choice is Choice.BOTH:
            self._beside[id_] = str(conflict.theirs.value["name"])  # type: ignore[index]
        else:
            self._whole.append(id_)

    # -- what changes ----------------------------------------------------------------------------------

    def _move(self, what: str, id_: int) -> int | None:
        if what not in ("record", "reference"):
            return self._into.place(what, id_)
        if id_ <= self._highest:
            return id_
        if id_ in self._dropped:
            return None
        return self._same.get(id_) or (-id_ if what == "record" else self._numbers.get(id_))

    def _as_here(self, record: Record) -> Fields:
        """The fields of a record of theirs, in the numbers of this project."""
        return placed_fields(type(record), all_fields_of(record), self._move)

    def _changes(self, new: list[Record]) -> list[RecordChange]:
        after: dict[int, Record] = dict(self._mine.records)
        for id_ in self._whole:
            self._take_whole(after, id_)
        for id_, names in self._fields.items():
            after[id_] = self._with_fields(after[id_], self._theirs.records[id_], names)
        for theirs, mine in self._same.items():
            if self._is_taken_for(mine, theirs):
                after[mine] = _record(kind_of(after[mine]), mine, self._as_here(self._theirs.records[theirs]))
        for id_ in self._removed:
            after.pop(id_, None)
        for record in new:
            after[-record.id] = self._numbered(_record(kind_of(record), -record.id, self._as_here(record)), after)
        for id_, name in self._beside.items():
            self._lay_beside(after, id_, name)
        self._keep_what_is_used(after)
        return [*_differences(self._mine.records, after)]

    def _is_taken_for(self, mine: int, theirs: int) -> bool:
        return any(
            pair == (mine, theirs) and self._into.choice(conflict) is Choice.THEIRS
            for conflict in self._of.conflicts
            if (pair := self._of.matched.get(conflict.key)) is not None
        )

    def _take_whole(self, after: dict[int, Record], id_: int) -> None:
        record = self._theirs.records.get(id_)
        if record is None:
            after.pop(id_, None)
        else:
            after[id_] = _record(kind_of(record), id_, self._as_here(record))

    def _with_fields(self, mine: Record, record: Record, names: Iterable[str]) -> Record:
        body, theirs = all_fields_of(mine), self._as_here(record)
        base = self._of.base(reference_of(mine)) or {}
        for name in names:
            if name in _SETS or name.startswith("+"):
                own = name.removeprefix("+")
                body[own] = merged_members(_list(base.get(own)), _list(body[own]), _list(theirs[own]))
            else:
                body[name] = theirs[name]
        return _record(kind_of(mine), mine.id, body)

    def _numbered(self, record: Record, after: dict[int, Record]) -> Record:
        if isinstance(record, Iteration | CustomerIssue | Amendment):
            taken = {other.number for other in after.values() if isinstance(other, type(record))}
            if record.number in taken:
                return replace(record, number=max(taken) + 1)
        return record

    def _lay_beside(self, after: dict[int, Record], id_: int, name: str) -> None:
        """Theirs as a window of its own, beside mine of that name."""
        taken = {window.name for window in after.values() if isinstance(window, Window)}
        own = -id_ if id_ > self._highest else -max(0, *self._theirs.records) - id_
        body = {**self._as_here(self._theirs.records[id_]), "name": free_name(name, taken)}
        after[own] = _record("window", own, body)

    def _keep_what_is_used(self, after: dict[int, Record]) -> None:
        """A record that one copy removed and the other still rests on stays; so do names that must differ."""
        while missing := {id_ for record in after.values() for id_ in references(record)} - after.keys():
            for id_ in missing:
                record = self._mine.records.get(id_)
                if record is None and id_ in self._theirs.records:
                    theirs = self._theirs.records[id_]
                    record = _record(kind_of(theirs), id_, self._as_here(theirs))
                if record is None:
                    raise UserError("merge_unexplained", record=f"#{id_}", path=str(self._of.fork.theirs.project.path))
                after[id_] = record
                self._into.kept.append(label(record))
        names: set[str] = set()
        for id_, record in sorted(after.items(), key=lambda item: (item[0] <= 0, item[0])):
            if isinstance(record, Window):
                if record.name in names:
                    after[id_] = replace(record, name=free_name(record.name, names))
                names.add(after[id_].name)  # type: ignore[union-attr]

    def _keep_attachments(self, new: Iterable[Record]) -> None:
        changed = [self._theirs.records[id_] for id_ in (*self._whole, *self._fields) if id_ in self._theirs.records]
        theirs = self._of.fork.theirs.project
        for digest in {named for record in (*new, *changed) for named in attachments_named(record)}:
            attachments.keep_attachment(self._into.project, attachments.read_attachment(theirs, digest))

    def _refuse_signed(self, new: Iterable[Record]) -> None:
        """What was signed names its records by their numbers: these cannot change."""
        for seal in new:
            if not isinstance(seal, Seal) or self._as_here(seal)["content"] == seal.content:
                continue
            action = self._theirs.find(Action, _id_of(seal.record))
            if action is not None and any(as_signature(consent.signature) for consent in action.consents):
                raise UserError("merge_signed", name=label(action), path=str(self._of.fork.theirs.project.path))

    # -- writing ---------------------------------------------------------------------------------------

    def _write(self, changes: list[RecordChange]) -> None:
        project, who = self._into.project, current_user()
        changes = [self._with_digest(change) for change in changes]
        asked_anew = without_stale_approvals(CycleEdit("merge", tuple(changes)))
        edit = sealed(project, asked_anew, who, self._reason)
        own = [change for change in changes if isinstance(change.after, Seal | Amendment)]
        carried = {_what(change.after) for change in own if isinstance(change.after, Amendment)}
        others = [change for change in edit.changes if not isinstance(change.after, Seal)]
        others = [c for c in others if not (isinstance(c.after, Amendment) and _what(c.after) in carried)]
        number = max((record.number for record in self._mine.all(Amendment)), default=0)
        numbered = []
        for change in (*_in_order(own, others),):
            if change.before is None and isinstance(change.after, Amendment):
                number += 1
                change = RecordChange(None, replace(change.after, number=number))  # noqa: PLW2901
            numbered.append(change)
        asked = [change.after.id for change in numbered if change.after is not None]
        done = cycle_records.apply(project, CycleEdit("merge", tuple(numbered)), who, dict(self._entered(numbered)))
        for before, change in zip(asked, (c for c in done.changes if c.after is not None), strict=True):
            if before < 0 and change.after is not None and -before in self._theirs.records:
                self._into.put("record", -before, change.after.id)
                self._into.renumbered.pop(f"record.{-before}", None)
                self._into.renumbered[reference_of(self._theirs.records[-before])] = reference_of(change.after)
                assert self._numbers.get(-before, change.after.id) == change.after.id

    def _entered(self, changes: Iterable[RecordChange]) -> Iterator[tuple[str, tuple[int, str]]]:
        """Heading of what was taken from theirs -> id and time of its entry there."""
        matched = {mine: theirs for theirs, mine in self._same.items()}
        for change in changes:
            record = change.after
            if record is None or record.id == 0:
                continue
            number = -record.id if record.id < 0 else matched.get(record.id, record.id)
            theirs = self._theirs.records.get(number)
            if theirs is None or type(theirs) is not type(record):
                continue
            here = f"{kind_of(record)}.{self._numbers.get(number, record.id)}"
            for name, _pair in changed_fields(change.before, record):
                entry = self._of.since[1].last.get(f"{reference_of(theirs)} {name}")
                if entry is not None:
                    yield f"{here} {name}", (entry.id, entry.time)

    @property
    def _reason(self) -> str:
        return f"merge: {self._of.fork.theirs.head}"

    def _with_digest(self, change: RecordChange) -> RecordChange:
        seal = change.after
        if change.before is not None or not isinstance(seal, Seal):
            return change
        return RecordChange(None, replace(seal, digest=sha256(seal.content.encode()).hexdigest()))

    def _amend_what_differs(self) -> None:
        """Amendments for what was sealed in one copy and is as the other had it."""
        project = self._into.project
        book = cycle_records.read_book(project)
        before = {(seal.digest, what) for seal in self._mine.all(Seal) for what in unamended(self._mine, seal)}
        before |= {(seal.digest, what) for seal in self._theirs.all(Seal) for what in unamended(self._theirs, seal)}
        number = max((amendment.number for amendment in book.all(Amendment)), default=0)
        amendments: dict[tuple[str, str], Amendment] = {}
        for seal in book.all(Seal):
            for what in unamended(book, seal):
                reference, _, field = what.partition(" ")
                if (seal.digest, what) not in before:
                    stored = json.loads(seal.content)[reference]
                    old = stored.get(field) if field else stored
                    amendments.setdefault(
                        (reference, field), self._amendment(book, seal.iteration_id, reference, field, old)
                    )
        for amendment in self._overruled(book):
            old, of = json.loads(amendment.new), (amendment.record, amendment.field)
            amendments.setdefault(of, self._amendment(book, amendment.iteration_id, *of, old))
        numbered = [replace(own, number=number + count) for count, own in enumerate(amendments.values(), 1)]
        if numbered:
            edit = CycleEdit("merge", tuple(RecordChange(None, amendment) for amendment in numbered))
            cycle_records.apply(project, edit, current_user())

    def _overruled(self, book: CycleBook) -> Iterator[Amendment]:
        """The amendments of theirs that are the last of their field, while it is as mine has it."""
        brought = set(self._into.ids["record"].values())
        last = {(own.record, own.field): own for own in sorted(book.all(Amendment), key=lambda own: own.number)}
        for (reference, field), amendment in last.items():
            record = book.records.get(_id_of(reference))
            if amendment.id in brought and field and record is not None:
                now = all_fields_of(record).get(field, _NOT_SAID)
                if now is not _NOT_SAID and _without_place(json.loads(amendment.new)) != _without_place(now):
                    yield amendment

    def _amendment(self, book: CycleBook, iteration_id: int, reference: str, field: str, old: object) -> Amendment:
        """That a field, or the record as a whole, is no longer what was sealed or amended; numbered later."""
        record = book.records.get(_id_of(reference))
        body = all_fields_of(record) if record is not None else None
        return Amendment(
            0,
            iteration_id,
            0,
            reference,
            own_words(record) if record is not None else reference,
            field,
            compact(old),
            compact((body or {}).get(field) if field else body),
            self._reason,
            current_user(),
            now_iso(self._into.project),
            bool(book.in_iteration(Result, iteration_id)),
        )


_NOT_SAID = object()


def _without_place(value: object) -> object:
    """A figure without the words where it was measured, which an amendment adds."""
    return {name: part for name, part in value.items() if name != "over"} if isinstance(value, dict) else value


def _guarded(base: Fields, mine: Fields, theirs: Fields) -> dict[str, tuple[Choice, ...]]:
    """The fields of a countermeasure that are a conflict whichever side changed them, with what may be decided: two
    decided on it, or one decided on what the other changed."""
    decided = [side["consents"] != base.get("consents") for side in (mine, theirs)]
    changed = [any(side[name] != base.get(name) for name in _SUBSTANCE) for side in (mine, theirs)]
    if all(decided) and not any(changed):
        return {"consents": BESIDE}
    if all(decided) or (decided[0] and changed[1]):
        return dict.fromkeys(("consents", *_SUBSTANCE), ONE_SIDE)
    return {"consents": ONE_SIDE} if decided[1] and changed[0] else {}


def _in_order(own: list[RecordChange], others: list[RecordChange]) -> Iterator[RecordChange]:
    """All changes, the new ones in the order of their numbers in theirs, by which they are numbered here."""
    every = [*others, *own]
    new = [change for change in every if change.after is not None and change.after.id < 0]
    yield from (change for change in every if change not in new and not _is_made_here(change))
    yield from sorted(new, key=lambda change: -change.after.id if change.after is not None else 0)
    yield from (change for change in every if _is_made_here(change))


def _is_made_here(change: RecordChange) -> bool:
    return change.after is not None and change.after.id == 0


def _what(amendment: Amendment) -> tuple[str, str, str]:
    return amendment.record, amendment.field, amendment.new


def _differences(before: Any, after: dict[int, Record]) -> Iterator[RecordChange]:
    for id_ in dict.fromkeys((*before, *after)):
        if before.get(id_) != after.get(id_):
            yield RecordChange(before.get(id_), after.get(id_))


def _record(kind: str, id_: int, body: Fields) -> Record:
    return from_json(kind, id_, json.dumps(body, ensure_ascii=False))


def _list(value: object) -> list[Any]:
    return list(value) if isinstance(value, list) else []


def _all_fields(book: CycleBook) -> dict[str, Fields]:
    return {reference_of(record): all_fields_of(record) for record in book}


def _id_of(reference: str) -> int:
    return int(reference.partition(".")[2].partition(" ")[0])


def _iteration_of(book: CycleBook, record: Record) -> int:
    if isinstance(record, ExecutedChange):
        action = book.find(Action, record.action_id)
        return action.iteration_id if action is not None else 0
    return int(getattr(record, "iteration_id", 0))


def _captures_of_mine(fork: Fork) -> dict[int, int]:
    """Id of a capture in theirs -> of the same in mine."""
    mine, theirs = (
        dict(copy.project.rows("SELECT sha256, id FROM artefact WHERE sha256 <> ''")) for copy in fork.copies
    )
    return {id_: mine[digest] for digest, id_ in theirs.items() if digest in mine}
