"""The registers of an engagement: the customer's issues, systems in scope, contacts, glossary, and their columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

from app.domain.cycle.book import CycleBook
from app.domain.cycle.records import Contact, CustomerIssue, SystemInScope, SystemKind, Term
from app.reporting.forms.cells import CellRefused, value_of
from app.reporting.forms.form import Form, FormField
from app.reporting.forms.questionnaire import CONTACTS, ISSUES, SYSTEMS, TERMS
from app.ui.cycle.worksheet_cells import Column, Sheet, field_column
from app.ui.cycle.worksheet_text import Wrong

_CHARACTER_PX = 8
_CHOICE_PX = 92
_CHARACTERS = {"title": 64.0, "name": 24.0, "phone": 26.0, "note": 24.0}
"""Where the window differs from the questionnaire: what is always there is read in full."""


@dataclass(frozen=True, slots=True)
class Register:
    """One table.

    Attributes:
        name: of its sheet in the questionnaire, and of its tab.
        kind: of its records (`cycle_book.KINDS`).
        made: their type.
        blank: what a new line begins as.
        needs: a line is a record as soon as one of these fields is filled.
    """

    name: str
    kind: str
    made: type[Any]
    columns: tuple[Column[Any], ...]
    blank: Callable[[], Any]
    needs: tuple[str, ...]

    def rows(self, book: CycleBook) -> tuple[Any, ...]:
        """Issues by their number, the others in the order they were made."""
        return tuple(sorted(book.all(self.made), key=lambda each: getattr(each, "number", each.id)))

    def place(self, name: str) -> int:
        return next(at for at, column in enumerate(self.columns) if column.key == name)

    def is_begun(self, item: Any) -> bool:
        return any(str(getattr(item, name)).strip() for name in self.needs)


def _columns(form: Form) -> tuple[Column[Any], ...]:
    return tuple(_column(form, field) for field in form.fields)


def _column(form: Form, field: FormField) -> Column[Any]:
    if form is ISSUES and field.name == "number":
        return _number_column(field)
    width = _CHOICE_PX if field.choices is not None else round(_CHARACTERS.get(field.name, field.width) * _CHARACTER_PX)
    made = field_column(form.name, field, width=width)
    return replace(made, required=False, hint=f"ui.scope.hint.{made.key}" if made.key in _HINTED else "")


_HINTED = ("reported_on",)


def _number_column(field: FormField) -> Column[CustomerIssue]:
    """0 is a number that is still to be given; an emptied cell keeps the one it had."""

    def write(issue: CustomerIssue, text: str, _sheet: Sheet) -> CustomerIssue:
        if not text.strip():
            return issue
        try:
            return replace(issue, number=int(str(value_of(field, text, "s"))))
        except CellRefused as refused:
            raise Wrong(f"form.problem.{refused.key}", **refused.facts) from refused

    return Column(
        field.name,
        f"form.{ISSUES.name}.{field.name}",
        lambda issue, _sheet: str(issue.number or ""),
        write,
        width=52,
        number=True,
    )


REGISTERS = (
    Register("issues", "issue", CustomerIssue, _columns(ISSUES), lambda: CustomerIssue(0, 0, ""), ("title",)),
    Register(
        "systems", "system", SystemInScope, _columns(SYSTEMS), lambda: SystemInScope(0, SystemKind.HOST, ""), ("name",)
    ),
    Register("contacts", "contact", Contact, _columns(CONTACTS), lambda: Contact(0, ""), ("name",)),
    Register("terms", "term", Term, _columns(TERMS), lambda: Term(0, "", ""), ("korean", "english")),
)


def numbered(items: Sequence[Any]) -> tuple[Any, ...]:
    """Issues without a number get the next that are free; other records have none."""
    free = count(1 + max((getattr(each, "number", 0) for each in items), default=0))
    return tuple(
        replace(item, number=next(free)) if isinstance(item, CustomerIssue) and not item.number else item
        for item in items
    )
