"""Reads a trade-off worksheet back: the actions as they stand in the workbook, or every cell that is wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from tunebench.core.messages import LANGUAGES
from tunebench.core.patterns import lazy_pattern
from tunebench.core.records import record
from tunebench.domain.cycle.book import KINDS, CycleBook
from tunebench.domain.cycle.evidence import Evidence
from tunebench.domain.cycle.worksheet import Action, ActionState, Consent
from tunebench.domain.schema import schema
from tunebench.domain.translations import texts_in, with_translations, without_translations
from tunebench.reporting.forms.form import FieldKind, Form, FormField
from tunebench.reporting.forms.reading import CellProblem, FormContents, FormRow, read_forms
from tunebench.reporting.forms.worksheet_sheet import ACTIONS, PART_TYPES, PARTS

_KEY = lazy_pattern(r"#(\d{1,9})")
_DONE = (ActionState.EXECUTED, ActionState.ROLLED_BACK)


@record
class Worksheet:
    """`actions` in the order of the sheet; new ones have the ids -1, -2 ... Nothing may be taken in with problems."""

    actions: tuple[Action, ...]
    problems: tuple[CellProblem, ...] = ()
    remarks: tuple[CellProblem, ...] = ()


def read_worksheet(data: bytes, path: str, book: CycleBook, iteration_id: int) -> Worksheet:
    """The actions of the workbook in `data`, which came from `path`, for an iteration of `book`.

    Raises:
        UserError: form_not_a_workbook, form_too_large, form_foreign.
    """
    contents = read_forms(data, path, (ACTIONS, *PARTS.values()))
    if not contents.is_whole:
        return Worksheet((), tuple(contents.problems), tuple(contents.remarks))
    return _Reader(contents, book, iteration_id).worksheet()


class _Reader:
    def __init__(self, contents: FormContents, book: CycleBook, iteration_id: int) -> None:
        self._contents = contents
        self._book = book
        self._iteration_id = iteration_id
        self._evidence = {evidence.number: evidence.id for evidence in book.all(Evidence)}
        self._new = 0

    def worksheet(self) -> Worksheet:
        by_key: dict[str, FormRow] = {}
        for row in self._contents.of(ACTIONS):
            key = str(row.values.get("action") or "")
            if key in by_key:
                self._refuse(row, "action", "row_twice", other=by_key[key].number)
            elif key:
                by_key[key] = row
        parts = {name: self._parts_by_key(name, form, by_key) for name, form in PARTS.items()}
        actions = [
            self._action(row, key, {name: tuple(by_action.get(key, ())) for name, by_action in parts.items()})
            for key, row in by_key.items()
        ]
        problems = tuple(self._contents.problems)
        return Worksheet(
            tuple(action for action in actions if action is not None), problems, tuple(self._contents.remarks)
        )

    def _refuse(self, row: FormRow, name: str, key: str, **facts: object) -> None:
        self._contents.problems.append(row.problem(name, key, **facts))

    def _action(self, row: FormRow, key: str, parts: Mapping[str, tuple[Any, ...]]) -> Action | None:
        existing = self._existing(row, key)
        if existing is None:
            return None
        state = row.values.get("state") or ActionState.DRAFT
        values = _put_together(Action, self._answers(ACTIONS, row))
        parts = {**parts, "consents": _with_kept(existing, parts["consents"])}
        read = replace(existing, **{**values, **parts, "state": state})
        return self._allowed(row, existing, _with_second_language(existing, read))

    def _existing(self, row: FormRow, key: str) -> Action | None:
        """The action of the project, or a new one; None where the number leads nowhere."""
        match = _KEY.fullmatch(key)
        if match is None:
            self._new += 1
            return Action(-self._new, self._iteration_id, "")
        action = self._book.find(Action, int(match[1]))
        if action is None:
            self._refuse(row, "action", "action_unknown", value=key)
        elif action.iteration_id != self._iteration_id:
            self._refuse(row, "action", "action_elsewhere", value=key)
        else:
            return action
        return None

    def _allowed(self, row: FormRow, existing: Action, action: Action) -> Action:
        """The action as read; refused where it changes what was executed, or itself says that it was executed."""
        if existing.id > 0 and existing.state in _DONE and action != existing:
            self._refuse(row, "action", "action_executed", value=existing.title)
        elif existing.state not in _DONE and action.state in _DONE:
            self._refuse(row, "state", "state_not_here", value=action.state)
        return action

    def _parts_by_key(self, name: str, form: Form, keys: Mapping[str, FormRow]) -> dict[str, list[Any]]:
        parts: dict[str, list[Any]] = {}
        for row in self._contents.of(form):
            key = str(row.values.get("action") or "")
            if key and key not in keys:
                self._refuse(row, "action", "action_not_listed", value=key)
            elif key:
                part = self._part(name, form, row)
                if part is not None:
                    parts.setdefault(key, []).append(part)
        return parts

    def _part(self, name: str, form: Form, row: FormRow) -> Any:
        """A part of an action; None where a required cell is empty or wrong, which has been noted."""
        if any(field.required and row.values.get(field.name) is None for field in form.fields):
            return None
        answers = self._answers(form, row)
        lacks = any(field.required and answers.get(field.path, "") is None for field in form.fields)
        return None if lacks else PART_TYPES[name](**answers)

    def _answers(self, form: Form, row: FormRow) -> dict[str, Any]:
        """Path -> value; an empty cell is no text and no number, and of a choice none is made."""
        answers: dict[str, Any] = {}
        for field in (field for field in form.fields if field.path):
            value: Any = row.values.get(field.name)
            if field.names:
                value = self._named(row, field, value or ())
            elif value is None and field.kind is FieldKind.CHOICE:
                continue
            elif value is None and field.kind is not FieldKind.NUMBER:
                value = ""
            answers[field.path] = value
        return answers

    def _named(self, row: FormRow, field: FormField, numbers: tuple[int, ...]) -> tuple[int, ...] | int | None:
        """Ids of the records, or the only one; evidence is called by its number and left out where there is none."""
        alone, pinned = field.path.endswith("_id"), field.kind is FieldKind.EVIDENCE
        if alone and len(numbers) > 1:
            self._refuse(row, field.name, "one_metric")
        ids = []
        for number in numbers:
            id_ = self._evidence.get(number) if pinned else number
            if self._book.find(KINDS[field.names], id_) is None:
                self._refuse(row, field.name, "record_unknown", value=f"E-{number}" if pinned else f"#{number}")
            ids += [id_] if id_ is not None else []
        if alone:
            return ids[0] if len(ids) == 1 else None
        return tuple(ids)


def _with_kept(existing: Action, read: tuple[Consent, ...]) -> tuple[Consent, ...]:
    """Decisions that are kept stay as they are, with the signatures that a sheet does not show; others are added."""
    unsigned = [replace(without_translations(consent), signature="") for consent in existing.consents]
    return (*existing.consents, *(consent for consent in read if consent not in unsigned))


def _with_second_language(existing: Action, read: Action) -> Action:
    """A sheet has one language: what stands in it as before keeps its texts in the other."""
    parts = (*existing.changes, *existing.impacts, *existing.risks, existing.rollback)
    kept: dict[Any, Any] = {without_translations(part): part for part in parts}
    read = replace(
        read,
        changes=tuple(kept.get(part, part) for part in read.changes),
        impacts=tuple(kept.get(part, part) for part in read.impacts),
        risks=tuple(kept.get(part, part) for part in read.risks),
        rollback=kept.get(read.rollback, read.rollback),
    )
    for language in LANGUAGES:
        read = with_translations(read, language, texts_in(existing, language))
    return read


def _put_together(record_type: type, answers: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a record's fields, those of a part of it made one."""
    values: dict[str, Any] = {}
    parts: dict[str, dict[str, Any]] = {}
    for path, value in answers.items():
        name, _, inner = path.partition(".")
        if inner:
            parts.setdefault(name, {})[inner] = value
        else:
            values[name] = value
    return {**values, **{name: schema(record_type)[name].hint(**inner) for name, inner in parts.items()}}


def changed_actions(book: CycleBook, actions: Sequence[Action]) -> tuple[tuple[Action | None, Action], ...]:
    """(as kept, as read) of the actions that differ; None for one that is new."""
    pairs = ((book.find(Action, action.id) if action.id > 0 else None, action) for action in actions)
    return tuple((old, new) for old, new in pairs if old != new)
