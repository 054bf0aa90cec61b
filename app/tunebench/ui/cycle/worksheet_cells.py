"""Cells of the worksheet's tables: what they read, what may be typed, and taking many in at once or none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import tzinfo
from enum import Enum
from typing import Any, Generic, TypeVar

from tunebench.columns.column import Column, Edit, Locale
from tunebench.core.messages import catalogue
from tunebench.domain.cycle.book import CycleBook
from tunebench.domain.cycle.evidence import Evidence
from tunebench.domain.cycle.records import Cause, Metric
from tunebench.reporting.cycle_words import word
from tunebench.reporting.forms.cells import CellRefused, value_of
from tunebench.reporting.forms.form import FieldKind, FormField
from tunebench.ui.cycle.worksheet_text import Wrong
from tunebench.usecases.cycle.text import clean_text

T = TypeVar("T")
_TEXTS = (FieldKind.LINE, FieldKind.TEXT)
_VERBATIM = ("command", "commands")


@dataclass(frozen=True, slots=True)
class Sheet(Locale):
    """What cells are read with: the window's language, and the records that cells name.

    Attributes:
        clock: the zone that moments are told and typed in; None: as they are stored.
    """

    language: str = "en"
    missing: str = ""
    book: CycleBook = field(default_factory=CycleBook)
    iteration_id: int = 0
    clock: tzinfo | None = None

    @property
    def metrics(self) -> tuple[Metric, ...]:
        return self.book.in_iteration(Metric, self.iteration_id)

    @property
    def causes(self) -> tuple[Cause, ...]:
        return self.book.in_iteration(Cause, self.iteration_id)

    def metric_called(self, name: str) -> int | None:
        """By its name, or by ``#12``; a metric that judges goes before a guard of the same name."""
        judging_first = sorted(self.metrics, key=lambda metric: metric.guards is not None)
        return _called(((metric.id, metric.name) for metric in judging_first), name)

    def cause_called(self, title: str) -> int | None:
        return _called(((cause.id, cause.title) for cause in self.causes), title)

    def evidence_numbered(self, number: int) -> int | None:
        return next((evidence.id for evidence in self.book.all(Evidence) if evidence.number == number), None)


def sheet_of(locale: Locale) -> Sheet:
    """The `Sheet` that the cells of the cycle's tables are read with."""
    assert isinstance(locale, Sheet)
    return locale


def _called(known: Iterable[tuple[int, str]], name: str) -> int | None:
    wanted = " ".join(name.split()).casefold()
    return next((id_ for id_, title in known if wanted in (" ".join(title.split()).casefold(), f"#{id_}")), None)


def has_lines(column: Column[T]) -> bool:
    return column.edit is not None and column.edit.lines


def heading(column: Column[T], locale: Locale) -> str:
    """The words over the column, on one line."""
    return " ".join(column.title(locale).split())


@dataclass(frozen=True, slots=True)
class Typed:
    row: int
    column: int
    text: str


@dataclass(frozen=True, slots=True)
class CellError:
    """A cell that cannot be taken in; `where` names row and column for people."""

    row: int
    column: int
    where: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Taken(Generic[T]):
    """`items` with the new ones at the end; none of it may be kept where there are `errors`."""

    items: tuple[T, ...]
    errors: tuple[CellError, ...]


# --- fields of a record or of a part of it


def field_column(form: str, made: FormField, *, width: int, write: bool = True) -> Column[Any]:
    """A column for a field of a record, or of a part of it (``rollback.command``).

    Its words are those of the worksheet as a workbook (``form.changes.parameter``).
    """
    owner, _, name = (made.path or made.name).rpartition(".")

    def read(item: Any, locale: Locale) -> str:
        return field_text(getattr(getattr(item, owner) if owner else item, name), locale.language)

    def put(item: Any, text: str, locale: Locale) -> Any:
        part = getattr(item, owner) if owner else item
        part = replace(part, **{name: _field_value(made, name, text, part, locale.language)})
        return replace(item, **{owner: part}) if owner else part

    edit = Edit(put, choices=made.choices, lines=made.kind is FieldKind.TEXT, required=made.required)
    return Column(
        made.name,
        f"form.{form}.{made.name}",
        text=read,
        right=made.kind in (FieldKind.NUMBER, FieldKind.WEIGHT),
        pixels=width,
        edit=edit if write else None,
    )


def field_text(value: object, language: str) -> str:
    if isinstance(value, Enum):
        return word(value, language)
    if value is None:
        return ""
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def _field_value(made: FormField, name: str, text: str, part: Any, language: str) -> object:
    if not text.strip():
        return _empty(made, name, part)
    try:
        return value_of(made, text, "s")
    except CellRefused as refused:
        facts = {name: _fact(value, language) for name, value in refused.facts.items()}
        raise Wrong(f"form.problem.{refused.key}", **facts) from refused


def _empty(made: FormField, name: str, part: Any) -> object:
    """What an emptied cell holds: no text, no number, the choice that a new one begins with."""
    if made.kind in _TEXTS or made.kind is FieldKind.DATE:
        return ""
    if made.choices is None and made.kind is not FieldKind.WEIGHT:
        return None
    default = next(declared.default for declared in fields(part) if declared.name == name)
    if not isinstance(default, Enum):
        raise Wrong("form.problem.cell_required")
    return default


def _fact(value: object, language: str) -> object:
    if isinstance(value, type) and issubclass(value, Enum):
        return ", ".join(word(member, language) for member in value)
    return word(value, language) if isinstance(value, Enum) else value


# --- taking in


def taken(
    items: Sequence[T],
    columns: Sequence[Column[T]],
    cells: Iterable[Typed],
    sheet: Sheet,
    *,
    blank: Callable[[], T] | None = None,
    locked: Callable[[T], bool] = lambda _item: False,
    called: Callable[[int, Sequence[T]], str] = lambda row, _items: str(row + 1),
) -> Taken[T]:
    """All cells typed into the items, or everything that is wrong with them.

    Args:
        blank: makes the item of a row below the last; None: there can be none.
        locked: items that take nothing, and refuse what differs.
        called: the name of a row.
    """
    work = _Work(list(items), columns, sheet, blank, locked, called, items)
    for cell in sorted(cells, key=lambda cell: (cell.row, cell.column)):
        work.put(cell)
    work.finish()
    return Taken(tuple(work.items), tuple(work.errors))


@dataclass(slots=True)
class _Work(Generic[T]):
    items: list[T]
    columns: Sequence[Column[T]]
    sheet: Sheet
    blank: Callable[[], T] | None
    locked: Callable[[T], bool]
    called: Callable[[int, Sequence[T]], str]
    before: Sequence[T]
    errors: list[CellError] = field(default_factory=list)
    touched: set[int] = field(default_factory=set)

    def put(self, cell: Typed) -> None:
        if cell.column >= len(self.columns) or (cell.row >= len(self.items) and self.blank is None):
            if cell.text.strip():
                self._refuse(cell.row, cell.column, "ui.tradeoffs.wrong.outside", value=cell.text[:60])
            return
        column = self.columns[cell.column]
        text = _clean(column, cell.text)
        if cell.row >= len(self.items):
            if not text:
                return
            self._grow(cell.row)
        item = self.items[cell.row]
        if self._says_nothing_new(cell.row, column, text):
            return
        if self.locked(item) or not column.takes(item):
            key = "locked" if self.locked(item) else "computed"
            self._refuse(cell.row, cell.column, f"ui.tradeoffs.wrong.{key}", value=text[:60])
            return
        self._write(cell, column, item, text)

    def _says_nothing_new(self, row: int, column: Column[T], text: str) -> bool:
        """As it is, or as it was before other cells of the block were put in: the price follows from the effects."""
        earlier = [self.items[row], *self.before[row : row + 1]]
        if any(text == _clean(column, column.words(item, self.sheet)) for item in earlier):
            return True
        return not text and column.edit is not None and not column.takes(self.items[row])

    def _write(self, cell: Typed, column: Column[T], item: T, text: str) -> None:
        assert column.edit is not None
        self.touched.add(cell.row)
        try:
            self.items[cell.row] = column.edit.write(item, text, self.sheet)
        except Wrong as wrong:
            self._refuse(cell.row, cell.column, wrong.key, **wrong.facts)

    def _grow(self, row: int) -> None:
        assert self.blank is not None
        while len(self.items) <= row:
            self.touched.add(len(self.items))
            self.items.append(self.blank())

    def finish(self) -> None:
        """What was touched has what it must have."""
        wrong = {(error.row, error.column) for error in self.errors}
        for row in sorted(self.touched):
            for index, column in enumerate(self.columns):
                required = column.edit is not None and column.edit.required
                empty = required and not column.words(self.items[row], self.sheet).strip()
                if empty and (row, index) not in wrong:
                    self._refuse(row, index, "form.problem.cell_required")

    def _refuse(self, row: int, column: int, key: str, **facts: object) -> None:
        words = catalogue(self.sheet.language)
        inside = column < len(self.columns)
        name = heading(self.columns[column], self.sheet) if inside else words.text("ui.tradeoffs.beyond")
        where = f"{self.called(row, self.items)} · {name}"
        self.errors.append(CellError(row, column, where, words.text(key, **facts)))


def _clean(column: Column[T], text: str) -> str:
    return clean_text(text, has_lines(column), column.id.endswith(_VERBATIM))
