"""One column of a table, whichever front shows it.

A front chooses columns by their ids, and has one reader for all of them: `ui.tables.model` (window),
`reporting.xlsx.columns` (workbook), `Console.columns` (command line).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, tzinfo
from math import isnan
from typing import Generic, TypeVar

from tunebench.columns.formats import Format
from tunebench.core.messages import Catalogue, catalogue
from tunebench.core.records import record

Row = TypeVar("Row")
Outer = TypeVar("Outer")
Value = float | str | None
SIDES = ("before", "after")
"""What columns are of, where they stand beside each other."""
Cells = Mapping[str, str]
"""Id of a column -> reference of its cell in the row."""


@record
class Locale:
    """What words are written in.

    Attributes:
        language: ``ko`` or ``en``.
        zone: the one that moments are told in.
        missing, unmeasured: what stands for a figure that there is none of, and for one that was not measured.
    """

    language: str
    zone: tzinfo = UTC
    missing: str = "–"
    unmeasured: str = "–"

    @property
    def messages(self) -> Catalogue:
        return catalogue(self.language)

    def text(self, key: str, **facts: object) -> str:
        """The sentence for `key`."""
        return catalogue(self.language).text(key, **facts)


@record
class Edit(Generic[Row]):
    """How a cell is typed in.

    Attributes:
        write: the row with what was typed.
        closed: whether the cell of this very row cannot be typed in.
        text: what the editor begins with and is copied; None: the words of the cell.
        choices: the words that the cell takes; None: any.
        offers: names that may be typed, for choosing among them.
        hint: key of what an empty editor says, or empty.
        lines: the text may have several lines.
        verbatim: blanks before the text are part of it: a command.
        required: a row without it is none.
        whole: a part of it is not stored while it is typed: rows are in its order.
    """

    write: Callable[[Row, str, Locale], Row]
    closed: Callable[[Row], bool] | None = None
    text: Callable[[Row, Locale], str] | None = None
    choices: Callable[[Locale], Sequence[str]] | None = None
    offers: Callable[[Locale], Sequence[str]] | None = None
    hint: str = ""
    lines: bool = False
    verbatim: bool = False
    required: bool = False
    whole: bool = False


@record
class Column(Generic[Row]):
    """
    Attributes:
        id: names the column in code and in the choice of a front; never shown.
        heading: key of its words, or what gives them.
        explained: what gives the words that explain the heading; None: the heading's key with ``.tip``, where there
            is such a sentence.
        value: what a cell stands for, None where there is nothing: sorted by, copied, a workbook's cell.
        format: how `value` is written.
        text: the words of a cell, where they are not `value` in `format`.
        number_format: a workbook's format by row, where it is not that of `format`.
        formula: a workbook's formula, without its equals sign, for `value` or for the words of `text`; empty where a
            row has none.
        order: sorted by, where that is not `value`.
        measured: without `value` it was not measured, rather than not reckoned.
        right: aligned to the right; None: where the column holds figures.
        side: ``before``, ``after`` or empty: the colour of the heading.
        tone: name of a colour of the theme (``ok``, ``critical``, ``watch``, ``muted``), empty for that of text; it
            goes with the words and is never the only sign.
        strong: whether the words are bold.
        tip: what a cell says when the pointer rests on it.
        code: in letters of equal width.
        elided: cell and heading may be cut off: without a tip of their own they say their words in full.
        width: characters in a workbook; None: as wide as what it holds.
        pixels: in a grid of the window, whose cells are typed in.
        edit: None: the cells are only read.
    """

    id: str
    heading: str | Callable[[Locale], str]
    value: Callable[[Row], Value] | None = None
    format: Format | None = None
    text: Callable[[Row, Locale], str] | None = None
    number_format: Callable[[Row], str] | None = None
    formula: Callable[[Row, Cells, Locale], str] | None = None
    order: Callable[[Row], Value] | None = None
    measured: bool = False
    right: bool | None = None
    side: str = ""
    tone: Callable[[Row], str] | None = None
    strong: Callable[[Row], bool] | None = None
    tip: Callable[[Row, Locale], str | None] | None = None
    code: bool = False
    elided: bool = False
    explained: Callable[[Locale], str] | None = None
    width: float | None = None
    pixels: int = 120
    edit: Edit[Row] | None = None

    @property
    def holds_figures(self) -> bool:
        """Whether `value` is a number: it has a format, or words of its own."""
        return self.value is not None and (self.format is not None or self.text is not None)

    @property
    def is_right(self) -> bool:
        return self.holds_figures if self.right is None else self.right

    def takes(self, row: Row) -> bool:
        """Whether the cell of a row can be typed in."""
        return self.edit is not None and not (self.edit.closed is not None and self.edit.closed(row))

    def typed(self, row: Row, locale: Locale) -> str:
        """A cell as it is edited, and copied from where it is."""
        if self.edit is not None and self.edit.text is not None:
            return self.edit.text(row, locale)
        return self.words(row, locale)

    def title(self, locale: Locale) -> str:
        """The words over the column."""
        return locale.text(self.heading) if isinstance(self.heading, str) else self.heading(locale)

    def explanation(self, locale: Locale) -> str | None:
        """What the heading means; None where no sentence says it."""
        if self.explained is not None:
            return self.explained(locale)
        key = f"{self.heading}.tip"
        if isinstance(self.heading, str) and key in locale.messages:
            return locale.text(key)
        return self.title(locale) if self.elided else None

    def cell_tip(self, row: Row, locale: Locale) -> str | None:
        """What a cell says when the pointer rests on it; None: nothing."""
        if self.tip is not None:
            return self.tip(row, locale)
        return self.words(row, locale) if self.elided else None

    def words(self, row: Row, locale: Locale) -> str:
        """The words of a cell."""
        if self.text is not None:
            return self.text(row, locale)
        value = self.value(row) if self.value else None
        if value is None or (isinstance(value, float) and isnan(value)):
            return locale.unmeasured if self.measured else locale.missing
        if isinstance(value, str):
            return value
        return str(value) if self.format is None else self.format.written(value)

    def sort_key(self, row: Row, locale: Locale) -> Value:
        """What rows are sorted by; None where a row has nothing to be sorted by."""
        key = self.order or self.value
        return key(row) if key else self.words(row, locale)

    def copied(self, row: Row, locale: Locale) -> str:
        """A cell as a spreadsheet wants it: the whole figure, nothing where there is none; else the words."""
        if self.value is None or not (self.holds_figures and self.is_right):
            return self.words(row, locale)
        value = self.value(row)
        return "" if value is None else str(value)

    def over(self, inner: Callable[[Outer], Row]) -> Column[Outer]:
        """The same column of rows that hold such a row; `inner` gives it."""
        lifted = {name: _lifted(getattr(self, name), inner) for name in _OF_ROW}
        return replace(self, **lifted)  # type: ignore[arg-type, return-value]


_OF_ROW = ("value", "text", "number_format", "formula", "order", "tone", "strong", "tip")


def _lifted(read: Callable[..., object] | None, inner: Callable[[Outer], object]) -> Callable[..., object] | None:
    return None if read is None else lambda row, *more: read(inner(row), *more)


def chosen(columns: Iterable[Column[Row]], ids: str) -> tuple[Column[Row], ...]:
    """The columns of a front, by their ids with blanks between."""
    by_id = {column.id: column for column in columns}
    return tuple(by_id[id_] for id_ in ids.split())


def with_figures(columns: Sequence[Column[Row]], rows: Sequence[Row], locale: Locale) -> list[Column[Row]]:
    """The columns that say something in any row; those of two sides stay where one of them does."""

    def subject(column: Column[Row]) -> str:
        return column.id.removeprefix(f"{column.side}.")

    def is_filled(column: Column[Row]) -> bool:
        if column.value is None:
            return any(column.words(row, locale) for row in rows)
        return any(column.value(row) not in (None, "") for row in rows)

    filled = {subject(column) for column in columns if is_filled(column)}
    return [column for column in columns if subject(column) in filled]
