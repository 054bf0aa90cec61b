"""Reads a trade-off worksheet back: the actions as they stand in the workbook, or every cell that is wrong."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from app.domain.cycle.book import CycleBook, Record
from app.domain.cycle.evidence import Evidence
from app.domain.cycle.records import Cause, Metric
from app.domain.cycle.worksheet import Action, ActionState, Rollback
from app.reporting.forms.form import FieldKind, Form, FormValue
from app.reporting.forms.reading import CellProblem, FormContents, FormRow, read_forms
from app.reporting.forms.worksheet_sheet import ACTIONS, PART_TYPES, PARTS, ROLLBACK

_KEY = re.compile(r"#(\d{1,9})")
_DONE = (ActionState.EXECUTED, ActionState.ROLLED_BACK)


@dataclass(frozen=True, slots=True)
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
        self._evidence = {each.number: each.id for each in book.all(Evidence)}
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
            self._action(row, key, {name: tuple(found.get(key, ())) for name, found in parts.items()})
            for key, row in by_key.items()
        ]
        problems = tuple(self._contents.problems)
        return Worksheet(tuple(each for each in actions if each is not None), problems, tuple(self._contents.remarks))

    def _refuse(self, row: FormRow, name: str, key: str, **facts: object) -> None:
        self._contents.problems.append(row.problem(name, key, **facts))

    def _action(self, row: FormRow, key: str, parts: Mapping[str, tuple[Any, ...]]) -> Action | None:
        known = self._known(row, key)
        if known is None:
            return None
        values: dict[str, Any] = {
            field.name: _filled(field.kind, row.values.get(field.name))
            for field in ACTIONS.fields
            if field.name not in ("action", "causes", "state") and not field.name.startswith(ROLLBACK)
        }
        rollback: dict[str, Any] = {
            field.name: _filled(each.kind, row.values.get(each.name))
            for field in fields(Rollback)
            if (each := ACTIONS.field(ROLLBACK + field.name)) is not None
        }
        values["cause_ids"] = self._records(row, "causes", Cause)
        values["state"] = row.values.get("state") or ActionState.DRAFT
        values.update(parts, rollback=Rollback(**rollback))
        return self._allowed(row, known, replace(known, **values))

    def _known(self, row: FormRow, key: str) -> Action | None:
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

    def _allowed(self, row: FormRow, known: Action, action: Action) -> Action:
        """What was executed stays as it was approved, and nothing is executed by a spreadsheet."""
        if known.id > 0 and known.state in _DONE and action != known:
            self._refuse(row, "action", "action_executed", value=known.title)
        elif known.state not in _DONE and action.state in _DONE:
            self._refuse(row, "state", "state_not_here", value=action.state)
        return action

    def _parts_by_key(self, name: str, form: Form, keys: Mapping[str, FormRow]) -> dict[str, list[Any]]:
        found: dict[str, list[Any]] = {}
        for row in self._contents.of(form):
            key = str(row.values.get("action") or "")
            if key and key not in keys:
                self._refuse(row, "action", "action_not_listed", value=key)
            elif key:
                part = self._part(name, form, row)
                if part is not None:
                    found.setdefault(key, []).append(part)
        return found

    def _part(self, name: str, form: Form, row: FormRow) -> Any:
        """None where a required cell is empty or wrong, which has been noted."""
        values: dict[str, Any] = {}
        for field in form.fields:
            value = row.values.get(field.name)
            if field.required and value is None:
                return None
            if field.name in ("action", "metric", "evidence"):
                continue
            filled = _filled(field.kind, value)
            if filled is not None or field.kind is FieldKind.NUMBER:
                values[field.name] = filled
        if name == "impacts":
            values["evidence_ids"] = self._pinned(row)
        if name == "verifications":
            metrics = self._records(row, "metric", Metric)
            if len(metrics) != 1:
                return None
            values["metric_id"] = metrics[0]
        return PART_TYPES[name](**values)

    def _records(self, row: FormRow, name: str, kind: type[Record]) -> tuple[int, ...]:
        numbers = row.values.get(name)
        ids = numbers if isinstance(numbers, tuple) else ()
        if name == "metric" and len(ids) > 1:
            self._refuse(row, name, "one_metric")
        for id_ in ids:
            if self._book.find(kind, id_) is None:
                self._refuse(row, name, "record_unknown", value=f"#{id_}")
        return ids

    def _pinned(self, row: FormRow) -> tuple[int, ...]:
        numbers = row.values.get("evidence")
        ids = []
        for number in numbers if isinstance(numbers, tuple) else ():
            if number in self._evidence:
                ids.append(self._evidence[number])
            else:
                self._refuse(row, "evidence", "record_unknown", value=f"E-{number}")
        return tuple(ids)


def _filled(kind: FieldKind, value: FormValue) -> FormValue:
    """An empty cell: no text, no number; a choice keeps its default."""
    if value is not None:
        return value
    return None if kind in (FieldKind.NUMBER, FieldKind.CHOICE) else ""


def changed_actions(book: CycleBook, actions: Sequence[Action]) -> tuple[tuple[Action | None, Action], ...]:
    """(as kept, as read) of the actions that differ; None for one that is new."""
    pairs = ((book.find(Action, action.id) if action.id > 0 else None, action) for action in actions)
    return tuple((old, new) for old, new in pairs if old != new)
