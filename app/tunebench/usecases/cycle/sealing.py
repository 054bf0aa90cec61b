"""What is approved is sealed, and what is sealed changes by amendment alone: every edit of records comes through here.

Settled are the metrics and targets of an iteration from its first approval on, of a single metric from its first
result on, and all of an iteration that ended, how it ended included; a worksheet row is settled by being carried out
(a change before that takes its approval off). An empty baseline or target may be filled in while the metric has no
result. A result is settled once it is known: measured again, from the same run or another, it is an amendment where it
is another figure; so is the sign-off that results are the same once it is given, what it left empty may be filled in.
What is settled, or approved, changes by amendment in its second language too, also where it had none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from functools import cached_property
from hashlib import sha256
from typing import Any

from tunebench.core.errors import UserError
from tunebench.core.records import record
from tunebench.domain.cycle.book import CycleBook, CycleEdit, Record, RecordChange
from tunebench.domain.cycle.record_json import fields_of, plain
from tunebench.domain.cycle.records import Equality, Figure, Iteration, Metric, Outcome, Result, ResultSummary, Target
from tunebench.domain.cycle.seals import Amendment, Seal, has_substance
from tunebench.domain.cycle.worksheet import Action, ActionState, ExecutedChange, Rollback
from tunebench.domain.record_ids import book_after
from tunebench.domain.record_labels import own_words, reference_of
from tunebench.domain.translations import translated_texts, without_translations
from tunebench.domain.windows import Window
from tunebench.reporting.cycle_words import field_word
from tunebench.store import runs
from tunebench.store.audit.replay import recorded_changes
from tunebench.store.audit.trail import now_iso
from tunebench.store.cycle import records as cycle_records
from tunebench.store.project import Project
from tunebench.usecases.cycle.text import LONGEST_TEXT, clean_text
from tunebench.usecases.cycle.words import FieldRefusal

SEALED: Mapping[type[Record], tuple[str, ...]] = {
    Metric: ("iteration_id", "name", "source", "statistic", "unit", "direction", "definition", "window", "guards"),
    Iteration: ("title", "introduction", "outcome", "reason"),
    Target: ("iteration_id", "metric_id", "baseline", "value", "priority", "due_on"),
    Action: (
        "iteration_id",
        "title",
        "changes",
        "hypothesis",
        "cause_ids",
        "impacts",
        "no_price_reason",
        "risks",
        "rollback",
        "verifications",
        "consents",
    ),
    ExecutedChange: ("action_id", "parameter", "old", "new", "executed_at", "executed_by", "commands"),
    Result: ("iteration_id", "metric_id", "after"),
    ResultSummary: ("iteration_id", "equality", "equality_by", "equality_on", "equality_basis"),
    Window: ("name", "role", "load", "hosts", "occurrences", "exclusions", "zone"),
}
"""The fields of each kind that a verdict or an approval rests on."""
_CARRIED_OUT = (ActionState.EXECUTED, ActionState.ROLLED_BACK)


class SealedRefusal(UserError):
    """Something sealed would change, and nobody says why: done with a reason, as an amendment.

    Its fact `fields`, names of fields with commas between, is said in the reader's words.
    """

    def facts_in(self, language: str) -> dict[str, object]:
        names = str(self.facts.get("fields", "")).split(", ")
        return {**self.facts, "fields": ", ".join(field_word(name, language) for name in names)}


def sealed(project: Project, edit: CycleEdit, by: str, reason: str) -> CycleEdit:
    """The edit with an amendment for every sealed field that it changes, and the seals of what it approves.

    Raises:
        SealedRefusal: cycle_sealed without a reason, cycle_reason_thin with one that says nothing.
    """
    own = tuple(change for change in edit.changes if not isinstance(change.before or change.after, Seal | Amendment))
    edit = CycleEdit(edit.name, own)
    if not any(type(change.before or change.after) in SEALED for change in own):
        return edit
    book, now = cycle_records.read_book(project), now_iso(project)
    changes = list(_Sealed(project, book).changes(edit))
    if changes:
        reason = _reason(reason, book, changes)
    last = max((amendment.number for amendment in book.all(Amendment)), default=0)
    records: list[Record] = [
        Amendment(
            0,
            change.iteration_id,
            number,
            reference_of(change.record),
            _name(book, change.record),
            change.field,
            _json(change.old),
            _json(change.new),
            reason,
            by,
            now,
            change.after_result,
        )
        for number, change in enumerate(changes, last + 1)
    ]
    records += _seals(book, edit, by, now)
    return CycleEdit(edit.name, (*own, *(RecordChange(None, record) for record in records)))


def _reason(text: str, book: CycleBook, changes: list[_Change]) -> str:
    reason = clean_text(text, lines=True)
    if not reason:
        records = ", ".join(dict.fromkeys(_name_and_reference(book, change.record) for change in changes))
        fields = ", ".join(dict.fromkeys(change.field or "record" for change in changes))
        raise SealedRefusal("cycle_sealed", record=records, fields=fields)
    if not has_substance(reason):
        raise SealedRefusal("cycle_reason_thin", reason=reason)
    if len(reason) > LONGEST_TEXT:
        raise FieldRefusal("cycle_text_too_long", field="reason", length=len(reason), limit=LONGEST_TEXT)
    return reason


def _name(book: CycleBook, record: Record) -> str:
    """What people know the record by: a target or a result by its metric."""
    metric = book.find(Metric, record.metric_id) if isinstance(record, Target | Result) else None
    return own_words(metric or record)


def _name_and_reference(book: CycleBook, record: Record) -> str:
    return f"{_name(book, record)} ({reference_of(record)})" if record.id > 0 else _name(book, record)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


# -- what an edit changes of what is sealed ------------------------------------------------------------


@record
class _Change:
    record: Record
    iteration_id: int
    field: str
    old: object
    new: object
    after_result: bool


class _Sealed:
    def __init__(self, project: Project, book: CycleBook) -> None:
        self._project, self._book = project, book

    @cached_property
    def _measured(self) -> frozenset[int]:
        """Ids of the metrics that a result was ever recorded of, also where it was removed since."""
        there = {result.metric_id for result in self._book.all(Result)}
        written = (
            pair[-1]
            for _entry, changes in recorded_changes(self._project, "cycle_changed")
            for heading, pair in changes.items()
            if heading.startswith("result.") and heading.endswith(" metric_id") and isinstance(pair, list)
        )
        return frozenset(there | {metric_id for metric_id in written if isinstance(metric_id, int)})

    def changes(self, edit: CycleEdit) -> Iterator[_Change]:
        for change in edit.changes:
            record = change.before or change.after
            if record is None or type(record) not in SEALED:
                continue
            for name, old, new in self._fields(change.before, change.after):
                yield _Change(record, self._iteration_of(record), name, old, new, self._has_result(record))

    def _fields(self, before: Record | None, after: Record | None) -> Iterator[tuple[str, object, object]]:
        if before is None:
            empty = isinstance(after, Target) and after.value is None
            if isinstance(after, Target | Result) and self._is_known(after) and not empty:
                yield "", None, self._whole(after)
        elif self._is_sealed(before):
            if after is None:
                yield "", self._whole(before), None
                return
            for name in SEALED[type(before)]:
                old, new = _without_additions(getattr(before, name)), _without_additions(getattr(after, name))
                added = name == "consents" and new[: len(old)] == old  # a decision beside the others
                if old != new and not added and not self._may_be_filled(before, name):
                    yield name, self._plain(old), self._plain(new)
        if before is not None and after is not None and self._is_promised(before):
            old_texts, new_texts = (_sealed_translations(record) for record in (before, after))
            for path in dict.fromkeys((*old_texts, *new_texts)):
                if old_texts.get(path) != new_texts.get(path) and not self._is_new(before, path):
                    yield path, old_texts.get(path), new_texts.get(path)

    def _is_new(self, record: Record, path: str) -> bool:
        """Whether the words themselves come with their translation: of one more decision, or of what was left open."""
        name, number, *_ = re.split(r"[.@]", path)
        if isinstance(record, Action) and name == "consents":
            return int(number) > len(record.consents)
        return self._may_be_filled(record, name)

    def _is_promised(self, record: Record) -> bool:
        """Whether somebody agreed to the words, so that saying them in another language is disclosed too."""
        approved = isinstance(record, Action) and any(consent.approves for consent in record.consents)
        return approved or self._is_sealed(record)

    def _is_known(self, record: Target | Result) -> bool:
        """Whether a result was recorded of its metric, for a target also of another metric of the iteration that is
        measured by the same."""
        metric = self._book.find(Metric, record.metric_id)
        if metric is None or isinstance(record, Result) or record.metric_id in self._measured:
            return record.metric_id in self._measured
        twins = (other for other in self._book.in_iteration(Metric, metric.iteration_id) if other.id in self._measured)
        return any((twin.measured_by, twin.guards) == (metric.measured_by, metric.guards) for twin in twins)

    def _whole(self, record: Record) -> object:
        """All of a record that was added or removed; of a result its figure."""
        return self._plain(record.after) if isinstance(record, Result) else fields_of(record)

    def _plain(self, value: object) -> object:
        """A figure with what its run or window is called, or where it stands: a reader of the amendment asks that."""
        if not isinstance(value, Figure):
            return plain(value)
        window = self._book.find(Window, value.window_id)
        run = next((run for run in runs.list_runs(self._project) if run.id == value.run_id), None)
        over = window.name if window is not None else run.label if run is not None else "/".join(value.cell)
        return {**asdict(without_translations(value)), "over": ", ".join(filter(None, (over, value.source)))}

    def _may_be_filled(self, record: Record, name: str) -> bool:
        """A baseline or target that was left open, or a part of a sign-off."""
        if isinstance(record, ResultSummary):
            return not getattr(record, name)
        if not isinstance(record, Target) or self._is_known(record):
            return False
        value = getattr(record, name)
        return value is None or (isinstance(value, Figure) and value.value is None)

    def _is_sealed(self, record: Record) -> bool:
        match record:
            case Iteration():
                return record.outcome not in (Outcome.OPEN, Outcome.CONTINUED)
            case Action():
                return record.state in _CARRIED_OUT
            case ExecutedChange() | Result():
                return True
            case ResultSummary():
                return record.equality is not Equality.UNSIGNED and bool(record.equality_by.strip())
            case Metric():
                return record.id in self._measured or self._is_settled(record)
            case Target():
                metric = self._book.find(Metric, record.metric_id)
                return self._is_known(record) or (metric is not None and self._is_sealed(metric))
        return any(self._is_sealed(user) or isinstance(user, Result) for user in self._users(record))

    def _is_settled(self, metric: Metric) -> bool:
        """Whether the iteration has ended or a countermeasure is approved, for a guard its own."""
        iteration = self._book.find(Iteration, metric.iteration_id)
        if iteration is not None and iteration.outcome is not Outcome.OPEN:
            return True
        approved = {seal.record for seal in self._book.in_iteration(Seal, metric.iteration_id)}
        approved |= {
            reference_of(action)
            for action in self._book.in_iteration(Action, metric.iteration_id)
            if action.state in _CARRIED_OUT or any(consent.approves for consent in action.consents)
        }
        return bool(approved) if metric.guards is None else f"action.{metric.guards}" in approved

    def _users(self, record: Record) -> list[Target | Result]:
        return [user for user in self._book.users_of(record.id) if isinstance(user, Target | Result)]

    def _iteration_of(self, record: Record) -> int:
        match record:
            case Iteration():
                return record.id
            case Metric() | Target() | Action() | Result() | ResultSummary():
                return record.iteration_id
            case ExecutedChange():
                action = self._book.find(Action, record.action_id)
                return action.iteration_id if action is not None else 0
        return self._users(record)[0].iteration_id

    def _has_result(self, record: Record) -> bool:
        if isinstance(record, Metric | Target | Result):
            return record.id in self._measured if isinstance(record, Metric) else self._is_known(record)
        metrics = self._book.in_iteration(Metric, self._iteration_of(record))
        return any(metric.id in self._measured for metric in metrics)


def _sealed_translations(record: Record) -> dict[str, str]:
    """Path -> text in a second language, of the fields that are sealed."""
    texts = translated_texts(record)
    return {path: text for path, text in texts if re.split(r"[.@]", path)[0] in SEALED[type(record)]}


def _without_additions(value: Any) -> Any:
    """A value without what may be added to it later: evidence, a test of the rollback, decisions of others; and without
    translations, which are compared by themselves."""
    value = without_translations(value)
    if isinstance(value, Figure):
        return replace(value, evidence_id=None)
    if isinstance(value, Rollback):
        return replace(value, tested_on="", tested_by="")
    if isinstance(value, tuple):
        return tuple(replace(part, evidence_ids=()) if hasattr(part, "evidence_ids") else part for part in value)
    return value


# -- seals ---------------------------------------------------------------------------------------------


def _seals(book: CycleBook, edit: CycleEdit, by: str, now: str) -> Iterator[Seal]:
    """A seal for every countermeasure that somebody approves; the same words are not sealed twice."""
    after = book_after(book, edit)
    digests = {seal.digest for seal in book.all(Seal)}
    for change in edit.changes:
        old, new = change.before, change.after
        if not isinstance(old, Action) or not isinstance(new, Action):
            continue
        given = [consent for consent in new.consents if consent.approves and consent not in old.consents]
        content = content_of(after, new)
        digest = sha256(content.encode()).hexdigest()
        if given and digest not in digests:
            yield Seal(0, new.iteration_id, reference_of(new), content, digest, now, by)


def content_of(book: CycleBook, action: Action) -> str:
    """Canonical text of all that an approval of the countermeasure is about."""
    metrics = [
        metric for metric in book.in_iteration(Metric, action.iteration_id) if metric.guards in (None, action.id)
    ]
    ids = {metric.id for metric in metrics}
    targets = [target for target in book.in_iteration(Target, action.iteration_id) if target.metric_id in ids]
    windows = {target.baseline.window_id for target in targets if target.baseline is not None}
    records: list[Record] = [
        action,
        *metrics,
        *targets,
        *(window for window in book.all(Window) if window.id in windows),
    ]
    return _json({reference_of(record): dict(_fields_of(record)) for record in records})


def _fields_of(record: Record) -> Iterator[tuple[str, object]]:
    """All that is sealed but the decisions, which say who approved it; ``title@en`` is in another language."""
    for name in SEALED[type(record)]:
        if name != "consents":
            yield name, plain(_without_additions(getattr(record, name)))
    yield from ((path, text) for path, text in _sealed_translations(record).items() if not path.startswith("consents"))


def unamended(book: CycleBook, seal: Seal) -> Iterator[str]:
    """What is no longer as it was sealed, and no amendment says so: ``metric.5 direction``."""
    amended = {(amendment.record, amendment.field) for amendment in book.all(Amendment)}
    for reference, stored in json.loads(seal.content).items():
        record = book.records.get(int(reference.partition(".")[2]))
        if record is None:
            if (reference, "") not in amended:
                yield reference
            continue
        now = dict(_fields_of(record)) if type(record) in SEALED else {}
        for name, value in stored.items():
            may_be_filled = value is None or (isinstance(value, dict) and value.get("value", 0) is None)
            if not _says(value, now.get(name)) and not may_be_filled and (reference, name) not in amended:
                yield f"{reference} {name}"


def _says(sealed: object, now: object) -> bool:
    """Whether it is the same, but for what a later version added to it."""
    if isinstance(sealed, dict) and isinstance(now, dict):
        return all(_says(value, now.get(name)) for name, value in sealed.items())
    if isinstance(sealed, list) and isinstance(now, list):
        return len(sealed) == len(now) and all(map(_says, sealed, now))
    return sealed == now
