"""The questionnaire: out to a spreadsheet; back as a proposal that is looked at, then taken in as a whole."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from enum import Enum
from itertools import count
from pathlib import Path
from typing import Any

from tunebench.core import records
from tunebench.core.errors import UserError
from tunebench.core.whole_files import write_whole
from tunebench.domain.cycle.book import CycleEdit, Record, RecordChange
from tunebench.domain.cycle.records import CustomerIssue, Term
from tunebench.domain.engagement import Engagement
from tunebench.domain.schema import schema
from tunebench.reporting.cycle_words import word
from tunebench.reporting.forms.form import Form, FormValue
from tunebench.reporting.forms.questionnaire import ENGAGEMENT, ISSUES, REGISTERS, questionnaire_bytes
from tunebench.reporting.forms.questionnaire_reading import Answers, identity_of, read_questionnaire
from tunebench.reporting.forms.reading import CellProblem
from tunebench.store import engagements
from tunebench.store.project import Project
from tunebench.usecases import projects
from tunebench.usecases.cycle import applying, reading
from tunebench.usecases.cycle.form_files import FormRefused, TakenIn, read_form, taken_in
from tunebench.usecases.cycle.text import clean


@records.record
class Proposal:
    """What a questionnaire would change; nothing is changed yet.

    Attributes:
        before, after: the engagement itself.
        edit: the records; once the proposal is taken, as it was kept.
        remarks: what was not read, and does not matter.
    """

    path: Path
    before: Engagement
    after: Engagement
    edit: CycleEdit
    remarks: tuple[CellProblem, ...] = ()

    @property
    def is_empty(self) -> bool:
        return self.before == self.after and not self.edit.changes


@records.record
class Difference:
    """One answer that is not what the project has, in words.

    Attributes:
        form: name of the sheet (`Form.name`).
        record: what it is about, by its own name.
        field: name of the field.
        before: empty where `added`.
    """

    form: str
    record: str
    field: str
    before: str
    after: str
    added: bool


def export_questionnaire(project: Project, path: Path, language: str, issued: str = "") -> Path:
    """The questionnaire for the customer, filled with what the project knows; gives its path.

    Raises:
        UserError: path_missing, file_unwritable.
    """
    engagement = engagements.read_engagement(project)
    return write_whole(path, questionnaire_bytes(engagement, reading.read(project), language, issued))


def propose_questionnaire(project: Project, path: Path) -> Proposal:
    """What the questionnaire at `path` would change. An empty cell changes nothing, and no line removes anything.

    Raises:
        FormRefused: cells are wrong.
        UserError: form_unreadable, form_not_a_workbook, form_too_large, form_foreign, period_backwards.
    """
    answers = read_questionnaire(read_form(path), str(path))
    if answers.problems:
        raise FormRefused(path, answers.problems)
    before = engagements.read_engagement(project)
    after = _engagement(before, answers.engagement)
    if after.period_start and after.period_end and after.period_end < after.period_start:
        raise UserError("period_backwards", start=after.period_start, end=after.period_end)
    edit = CycleEdit("import_questionnaire", tuple(_changes(project, answers)))
    return Proposal(path, before, after, edit, answers.remarks)


def take_proposal(project: Project, proposal: Proposal, who: str = "") -> Proposal:
    """Does all of it, or nothing; gives the proposal as it was kept, for `take_back` and `take_again`.

    Raises:
        UserError: project_read_only; cycle_changed_meanwhile where the project is no longer what was looked at.
    """
    with project.transaction():
        _write_engagement(project, proposal.before, proposal.after)
        done = applying.apply(project, proposal.edit, who) if proposal.edit.changes else proposal.edit
    return replace(proposal, edit=done)


def take_back(project: Project, taken: Proposal) -> Proposal:
    """Takes back what `take_proposal` or `take_again` gave."""
    with project.transaction():
        _write_engagement(project, taken.after, taken.before)
        if taken.edit.changes:
            applying.undo(project, taken.edit)
    return taken


def take_again(project: Project, taken: Proposal) -> Proposal:
    """Does again what was taken back, under the same ids."""
    with project.transaction():
        _write_engagement(project, taken.before, taken.after)
        if taken.edit.changes:
            applying.redo(project, taken.edit)
    return taken


def _write_engagement(project: Project, old: Engagement, new: Engagement) -> None:
    """Writes only the fields that the questionnaire is about; another one may have been edited since."""
    values = {field.name: getattr(new, field.name) for field in fields(new)}
    changed = {name: value for name, value in values.items() if value != getattr(old, name)}
    if changed:
        projects.update_engagement(project, replace(engagements.read_engagement(project), **changed))


def import_questionnaire(project: Project, path: Path, who: str = "") -> TakenIn:
    """Takes in at once what `propose_questionnaire` proposes.

    Raises:
        FormRefused: cells are wrong.
        UserError: what proposing and taking raise.
    """
    with project.transaction():
        proposal = propose_questionnaire(project, path)
        taken = take_proposal(project, proposal, who)
    changes = proposal.edit.changes
    return taken_in(
        changes, taken.edit if changes else None, proposal.remarks, engagement=proposal.before != proposal.after
    )


# --- in words


def differences(proposal: Proposal, language: str) -> tuple[Difference, ...]:
    """Everything that the proposal changes, in the order of the sheets."""
    lines = list(_of_pair(ENGAGEMENT, proposal.before, proposal.after, proposal.after.title, language))
    for change in proposal.edit.changes:
        if change.after is not None:
            form, name = REGISTERS[type(change.after)], _name(change.before or change.after)
            lines += _of_pair(form, change.before, change.after, name, language)
    return tuple(lines)


def _of_pair(form: Form, before: object, after: object, record: str, language: str) -> Iterator[Difference]:
    for field in form.fields:
        old, new = (_text(getattr(record, field.name, None), language) for record in (before, after))
        if old != new:
            yield Difference(form.name, record, field.name, old, new, before is None)


def _name(record: Record) -> str:
    if isinstance(record, CustomerIssue):
        return f"{record.number}. {record.title}"
    if isinstance(record, Term):
        return record.korean or record.english
    return str(getattr(record, "name", ""))


def _text(value: object, language: str) -> str:
    if isinstance(value, Enum):
        return word(value, language)
    if isinstance(value, tuple):
        return ", ".join(str(part) for part in value)
    return "" if value is None else str(value)


# --- answers as changes


def _engagement(before: Engagement, answers: Mapping[str, FormValue]) -> Engagement:
    given: dict[str, Any] = {name: value for name, value in answers.items() if value is not None}
    if "consultants" in given:
        names = (name.strip() for name in re.split(r"[\n,;]", str(given["consultants"])))
        given["consultants"] = tuple(name for name in names if name)
    return replace(before, **given)


def _changes(project: Project, answers: Answers) -> Iterator[RecordChange]:
    """A line is about the record of the same name, an issue's about that of its number; any other is new."""
    book = reading.read(project)
    for record_type, form in REGISTERS.items():
        records = book.all(record_type)
        lines: list[dict[str, Any]] = [dict(row.values) for row in answers.rows[form]]
        if form is ISSUES:
            _number(records, lines)
        by_name = {
            identity_of(form, {name: getattr(record, name) for name in schema(record_type)}): record
            for record in records
        }
        for line in lines:
            yield from _change(record_type, by_name.get(identity_of(form, line)), line)


def _number(issues: Iterable[CustomerIssue], lines: Sequence[dict[str, Any]]) -> None:
    """A line without a number is a new issue and gets the next that is free."""
    taken = {*(issue.number for issue in issues), *(line.get("number") for line in lines)}
    for line in lines:
        if line.get("number") is None:
            line["number"] = next(free for free in count(1) if free not in taken)
            taken.add(line["number"])


def _change(record_type: type[Any], before: Any, answered: Mapping[str, Any]) -> Iterator[RecordChange]:
    values = {name: value for name, value in answered.items() if value is not None}
    if before is None:
        blank = {name: "" for name, field in schema(record_type).items() if not field.has_default}
        yield RecordChange(None, record_type(**{**blank, **values, "id": 0}))
    elif clean(replace(before, **values)) != before:
        yield RecordChange(before, replace(before, **values))
