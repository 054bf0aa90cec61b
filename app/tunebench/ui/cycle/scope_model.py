"""The registers of an engagement (the customer's issues, systems in scope, contacts, glossary) and their columns as Qt
sees them: a new line is begun at the end, and is a record once it has a name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import count
from typing import Any

from tunebench.columns.column import Column, Edit, Locale
from tunebench.core.records import record
from tunebench.domain.cycle.book import CycleBook, Record
from tunebench.domain.cycle.records import Contact, CustomerIssue, SystemInScope, SystemKind, Term
from tunebench.reporting.forms.cells import CellRefused, value_of
from tunebench.reporting.forms.form import Form, FormField
from tunebench.reporting.forms.questionnaire import CONTACTS, ISSUES, SYSTEMS, TERMS
from tunebench.ui.look.language import text
from tunebench.ui.look.theme import current_theme
from tunebench.ui.tables.grid_model import CellModel, Store
from tunebench.ui.tables.model import Index
from tunebench.usecases.cycle.worksheet_cells import field_column
from tunebench.usecases.grid_cells import CellError, Typed, Wrong, taken

_CHARACTER_PX = 8
_CHOICE_PX = 92
_CHARACTERS = {"title": 64.0, "name": 24.0, "phone": 26.0, "note": 24.0}
"""Where the window differs from the questionnaire: what is always there is read in full."""
_HINTED = ("reported_on",)


@record
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
    blank: Callable[[], Record]
    needs: tuple[str, ...]

    def rows(self, book: CycleBook) -> tuple[Record, ...]:
        """Issues by their number, the others in the order they were made."""
        return tuple(sorted(book.all(self.made), key=lambda each: getattr(each, "number", each.id)))

    def place(self, name: str) -> int:
        return next(at for at, column in enumerate(self.columns) if column.id == name)

    def is_begun(self, item: Record) -> bool:
        return any(str(getattr(item, name)).strip() for name in self.needs)


def _columns(form: Form) -> tuple[Column[Any], ...]:
    return tuple(_column(form, field) for field in form.fields)


def _column(form: Form, field: FormField) -> Column[Any]:
    if form is ISSUES and field.name == "number":
        return _number_column(field)
    width = _CHOICE_PX if field.choices is not None else round(_CHARACTERS.get(field.name, field.width) * _CHARACTER_PX)
    column = field_column(form.name, field, width=width)
    assert column.edit is not None  # every field of a register is typed in
    hint = f"ui.scope.hint.{column.id}" if column.id in _HINTED else ""
    return replace(column, edit=replace(column.edit, required=False, hint=hint))


def _number_column(field: FormField) -> Column[CustomerIssue]:
    """0 is a number that is still to be given; an emptied cell keeps the one it had."""

    def write(issue: CustomerIssue, text: str, _locale: Locale) -> CustomerIssue:
        if not text.strip():
            return issue
        try:
            return replace(issue, number=int(str(value_of(field, text, "s"))))
        except CellRefused as refused:
            raise Wrong(f"form.problem.{refused.key}", **refused.facts) from refused

    return Column(
        field.name,
        f"form.{ISSUES.name}.{field.name}",
        text=lambda issue, _: str(issue.number or ""),
        right=True,
        pixels=52,
        edit=Edit(write, whole=True),
    )


REGISTERS = (
    Register("issues", "issue", CustomerIssue, _columns(ISSUES), lambda: CustomerIssue(0, 0, ""), ("title",)),
    Register(
        "systems", "system", SystemInScope, _columns(SYSTEMS), lambda: SystemInScope(0, SystemKind.HOST, ""), ("name",)
    ),
    Register("contacts", "contact", Contact, _columns(CONTACTS), lambda: Contact(0, ""), ("name",)),
    Register("terms", "term", Term, _columns(TERMS), lambda: Term(0, "", ""), ("korean", "english")),
)


def numbered(items: Sequence[Record]) -> tuple[Record, ...]:
    """Issues without a number get the next that are free; other records have none."""
    free = count(1 + max((getattr(item, "number", 0) for item in items), default=0))
    return tuple(
        replace(item, number=next(free)) if isinstance(item, CustomerIssue) and not item.number else item
        for item in items
    )


class RegisterModel(CellModel):
    """`known_hosts`: names of the hosts that were captured; a system that names another one is pointed out."""

    def __init__(self, register: Register, store: Store) -> None:
        super().__init__(register.columns, store, register.blank)
        self.register = register
        self.known_hosts: tuple[str, ...] = ()
        self._draft: Record | None = None

    # --- rows
    def show(self, items: Sequence[Record], sheet: Locale, writable: bool) -> None:
        if not writable:
            self._draft = None
        super().show(items, sheet, writable)

    def item_at(self, index: Index) -> Any:
        """On the last line what was begun there; None where nothing was."""
        return self._draft if index.isValid() and index.row() == len(self.rows) else super().item_at(index)

    def row_name(self, at: int, items: Sequence[Record]) -> str:
        return text("ui.scope.row", n=at + 1)

    def begun(self) -> tuple[Record, ...]:
        return () if self._draft is None else (self._draft,)

    def give_back(self, begun: tuple[Record, ...]) -> None:
        self._draft = begun[0] if begun else None
        self.refresh()

    def has_draft(self) -> bool:
        return self._draft is not None

    def forget_draft(self) -> None:
        self._draft = None
        self.refresh()

    # --- looks
    def _shown(self, index: Index) -> str:
        item = self.item_at(index)
        if self._asks(index):
            return text(f"ui.scope.{'asks' if item is not None else 'begin'}.{self.register.name}")
        if self._strange_host(index):
            return text("ui.scope.host_not_captured", host=item.host)
        return "" if item is None else self.read(index)

    def _asks(self, index: Index) -> bool:
        """The cell of the last line that must be filled before it is a record."""
        if index.row() != len(self.rows) or self.column_at(index).id != self.register.needs[0]:
            return False
        item = self.item_at(index)
        return item is None or not self.register.is_begun(item)

    def tip(self, index: Index) -> str:
        return text("ui.scope.host_unknown") if self._strange_host(index) else self.read(index)

    def colour(self, index: Index) -> object:
        if self._asks(index):
            return current_theme().muted if self.item_at(index) is None else current_theme().warning
        return current_theme().warning if self._strange_host(index) else super().colour(index)

    def _strange_host(self, index: Index) -> bool:
        item = self.item_at(index)
        if item is None or self.column_at(index).id != "host" or not self.known_hosts:
            return False
        return bool(item.host) and item.host not in self.known_hosts

    # --- typing
    def put(self, cells: Sequence[Typed]) -> bool:
        """All of it or nothing; a line at the end that has no name yet waits for it."""
        if not self.writable:
            return False
        outcome = taken(
            self._rows_under(cells), self.columns, cells, self.sheet, blank=self.register.blank, called=self.row_name
        )
        if not outcome.errors and self._is_beginning(cells, outcome.items):
            self._draft = None if outcome.items[-1] == self.register.blank() else outcome.items[-1]
            self.refresh()
            return True
        items = numbered(outcome.items)
        errors = [*outcome.errors, *self._nameless(outcome.items), *self._twice(items)]
        if errors:
            self.refused.emit(errors)
            return False
        return items == self.rows or self._store_all(items)

    def _rows_under(self, cells: Sequence[Typed]) -> tuple[Record, ...]:
        """The rows, and the line that waits for its name where something is typed into it."""
        return (*self.rows, *self.begun()) if any(cell.row >= len(self.rows) for cell in cells) else self.rows

    def _is_beginning(self, cells: Sequence[Typed], items: Sequence[Record]) -> bool:
        new = items[len(self.rows) :]
        return len(cells) == 1 and len(new) == 1 and not self.register.is_begun(new[0])

    def _store_all(self, items: tuple[Record, ...]) -> bool:
        draft = self._draft
        if len(items) > len(self.rows):
            self._draft = None
        kept = self._store(items)
        if not kept:
            self._draft = draft
        return kept

    def _nameless(self, items: Sequence[Record]) -> Iterator[CellError]:
        for row, item in enumerate(items):
            touched = row >= len(self.rows) or item != self.rows[row]
            if touched and not self.register.is_begun(item):
                yield self._error(row, self.register.needs[0], text("form.problem.cell_required"))

    def _twice(self, items: Sequence[Record]) -> Iterator[CellError]:
        """The customer's issues are cited by their number."""
        seen: set[int] = set()
        for row, number in enumerate(getattr(item, "number", 0) for item in items):
            if number and number in seen:
                yield self._error(row, "number", text("ui.scope.number_taken", number=number))
            seen.add(number)

    def _error(self, row: int, name: str, sentence: str) -> CellError:
        column = self.register.place(name)
        where = f"{self.row_name(row, self.rows)} · {self.columns[column].title(self.sheet)}"
        return CellError(row, column, where, sentence)
