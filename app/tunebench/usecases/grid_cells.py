"""Typing into cells: what is typed is read as a whole, and taken in at once or refused with every wrong cell."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import field
from typing import Generic, TypeVar

from tunebench.columns.column import Column, Locale
from tunebench.core.errors import UserError
from tunebench.core.messages import catalogue
from tunebench.core.records import record
from tunebench.usecases.cycle.text import clean_text

T = TypeVar("T")
Choices = Sequence[tuple[str, str]]
"""(value, words) of what a cell may hold."""


class Wrong(Exception):
    """A cell says nothing that can be taken in; `key` is its sentence."""

    def __init__(self, key: str, **facts: object) -> None:
        super().__init__(key)
        self.key, self.facts = key, facts


def value_of_words(typed: str, choices: Choices) -> str:
    """The value that was chosen or pasted; of an emptied cell the first.

    Raises:
        Wrong: it is none of them.
    """
    if not typed:
        return choices[0][0]
    for value, words in choices:
        if typed in (value, words):
            return value
    raise Wrong("form.problem.cell_choice", value=typed, choices=", ".join(words for _value, words in choices))


def has_lines(column: Column[T]) -> bool:
    return column.edit is not None and column.edit.lines


def heading(column: Column[T], locale: Locale) -> str:
    """The words over the column, on one line."""
    return " ".join(column.title(locale).split())


@record
class Typed:
    row: int
    column: int
    text: str


@record
class CellError:
    """A cell that cannot be taken in; `where` names row and column for people."""

    row: int
    column: int
    where: str
    sentence: str


@record
class Taken(Generic[T]):
    """`items` with the new ones at the end; none of it may be kept where there are `errors`."""

    items: tuple[T, ...]
    errors: tuple[CellError, ...]


def taken(
    items: Sequence[T],
    columns: Sequence[Column[T]],
    cells: Iterable[Typed],
    locale: Locale,
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
    work = _Work(list(items), columns, locale, blank, locked, called, items)
    for cell in sorted(cells, key=lambda cell: (cell.row, cell.column)):
        work.put(cell)
    work.finish()
    return Taken(tuple(work.items), tuple(work.errors))


@record(frozen=False)
class _Work(Generic[T]):
    items: list[T]
    columns: Sequence[Column[T]]
    locale: Locale
    blank: Callable[[], T] | None
    locked: Callable[[T], bool]
    called: Callable[[int, Sequence[T]], str]
    before: Sequence[T]
    errors: list[CellError] = field(default_factory=list)
    touched: set[int] = field(default_factory=set)

    def put(self, cell: Typed) -> None:
        if cell.column >= len(self.columns) or (cell.row >= len(self.items) and self.blank is None):
            if cell.text.strip():
                self._refuse(cell.row, cell.column, "ui.grid.wrong.outside", value=cell.text[:60])
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
            self._refuse(cell.row, cell.column, f"ui.grid.wrong.{key}", value=text[:60])
            return
        self._write(cell, column, item, text)

    def _says_nothing_new(self, row: int, column: Column[T], text: str) -> bool:
        """As it is, or as it was before other cells of the block were put in: the price follows from the effects."""
        earlier = [self.items[row], *self.before[row : row + 1]]
        if any(text == _clean(column, column.typed(item, self.locale)) for item in earlier):
            return True
        return not text and column.edit is not None and not column.takes(self.items[row])

    def _write(self, cell: Typed, column: Column[T], item: T, text: str) -> None:
        assert column.edit is not None
        self.touched.add(cell.row)
        try:
            self.items[cell.row] = column.edit.write(item, text, self.locale)
        except Wrong as wrong:
            self._refuse(cell.row, cell.column, wrong.key, **wrong.facts)
        except UserError as error:
            self._add_error(cell.row, cell.column, catalogue(self.locale.language).error(error))

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
                empty = required and not column.words(self.items[row], self.locale).strip()
                if empty and (row, index) not in wrong:
                    self._refuse(row, index, "form.problem.cell_required")

    def _refuse(self, row: int, column: int, key: str, **facts: object) -> None:
        self._add_error(row, column, self.locale.text(key, **facts))

    def _add_error(self, row: int, column: int, sentence: str) -> None:
        inside = column < len(self.columns)
        name = heading(self.columns[column], self.locale) if inside else self.locale.text("ui.grid.beyond")
        self.errors.append(CellError(row, column, f"{self.called(row, self.items)} · {name}", sentence))


def _clean(column: Column[T], text: str) -> str:
    return clean_text(text, has_lines(column), column.edit is not None and column.edit.verbatim)
