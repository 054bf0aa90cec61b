"""What a filled-in questionnaire says: answers with the cells they stand in, or every cell that is wrong."""

from __future__ import annotations

from collections.abc import Mapping

from tunebench.core.records import record
from tunebench.reporting.forms.form import Form, FormValue
from tunebench.reporting.forms.questionnaire import CONTACTS, ENGAGEMENT, FORMS, ISSUES, REGISTERS, SYSTEMS, TERMS
from tunebench.reporting.forms.reading import CellProblem, FormContents, FormRow, read_forms


@record
class Answers:
    """What was answered in a questionnaire; an empty cell is in none of these.

    Attributes:
        engagement: by the engagement's field; ``consultants`` one per line.
        rows: the lines of each register.
        problems: nothing may be taken in where there are any.
        remarks: what was not read, and does not matter.
    """

    engagement: Mapping[str, FormValue]
    rows: Mapping[Form, tuple[FormRow, ...]]
    problems: tuple[CellProblem, ...] = ()
    remarks: tuple[CellProblem, ...] = ()


def read_questionnaire(data: bytes, path: str) -> Answers:
    """All answers of the workbook in `data`, which came from `path`.

    Raises:
        UserError: form_not_a_workbook, form_too_large, form_foreign.
    """
    contents = read_forms(data, path, FORMS)
    _check_period(contents)
    for form in _IDENTITIES:
        _check_twice(contents, form)
    for row in contents.of(TERMS):
        if not (row.values.get("korean") or row.values.get("english")):
            contents.problems.append(row.problem("korean", "term_without_name"))
    engagement = next(iter(contents.of(ENGAGEMENT)), None)
    return Answers(
        engagement=engagement.values if engagement else {},
        rows={form: tuple(contents.of(form)) for form in REGISTERS.values()},
        problems=_sorted(contents),
        remarks=tuple(contents.remarks),
    )


def _sorted(contents: FormContents) -> tuple[CellProblem, ...]:
    """Problems in the order of the sheets, then as a reader comes across them."""
    order = [contents.sheets.get(form.name, "") for form in FORMS]

    def place(problem: CellProblem) -> tuple[int, int, str]:
        digits = "".join(letter for letter in problem.cell if letter.isdigit())
        sheet = order.index(problem.sheet) if problem.sheet in order else len(order)
        return sheet, int(digits or 0), problem.cell

    return tuple(sorted(contents.problems, key=place))


def folded(value: FormValue) -> FormValue:
    """Names are the same however they are capitalised and spaced."""
    return " ".join(value.split()).casefold() if isinstance(value, str) else value


_IDENTITIES: Mapping[Form, tuple[str, ...]] = {
    ISSUES: ("number",),
    SYSTEMS: ("name", "kind"),
    CONTACTS: ("name",),
    TERMS: ("korean", "english"),
}
"""Columns of each register; the first is the one that a second line for the same thing is wrong in."""


def identity_of(form: Form, values: Mapping[str, FormValue]) -> tuple[FormValue, ...]:
    """What a line of a register is recognised by; where all of it is empty, the line is new."""
    return tuple(folded(values.get(name) or "") for name in _IDENTITIES[form])


def _check_twice(contents: FormContents, form: Form) -> None:
    """Notes two lines for one record: nobody knows which holds."""
    seen: dict[tuple[FormValue, ...], FormRow] = {}
    for row in contents.of(form):
        key = identity_of(form, row.values)
        if key in seen:
            contents.problems.append(row.problem(_IDENTITIES[form][0], "row_twice", other=seen[key].number))
        elif any(key):
            seen[key] = row


def _check_period(contents: FormContents) -> None:
    for row in contents.of(ENGAGEMENT):
        start, end = row.values.get("period_start"), row.values.get("period_end")
        if isinstance(start, str) and isinstance(end, str) and end < start:
            contents.problems.append(row.problem("period_end", "period_backwards", start=start, end=end))
