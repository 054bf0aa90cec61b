"""Columns as a register of the workbook: numbers stay numbers, formulas name cells of their row by ids of columns."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from math import isfinite

from openpyxl.utils import get_column_letter

from tunebench.columns.column import Cells, Column, Locale, Row
from tunebench.columns.formats import COUNT
from tunebench.reporting.xlsx.sheet import Book, Content, Formatted, Formula, Head, Sheet
from tunebench.reporting.xlsx.sheets_data import HEADER_ROW, put_register


def put_table(
    book: Book,
    name: str,
    titles: tuple[str, str],
    columns: Sequence[Column[Row]],
    rows: Iterable[Row],
    locale: Locale,
    *,
    raised: Collection[str] | None = None,
) -> Sheet | None:
    """A sheet of its own; None where there are no rows.

    Args:
        titles: title and subtitle.
        raised: ids of the columns whose texts are seen in full; None for all.
    """
    letters = {column.id: get_column_letter(number) for number, column in enumerate(columns, 1)}
    lines = (
        contents(columns, row, {id_: f"{letter}{line}" for id_, letter in letters.items()}, locale)
        for line, row in enumerate(rows, HEADER_ROW + 1)
    )
    numbers = None if raised is None else [list(letters).index(id_) + 1 for id_ in raised]
    return put_register(book, name, titles, [head(column, locale) for column in columns], lines, raised=numbers)


def head(column: Column[Row], locale: Locale) -> Head:
    style = "tb text"
    if column.holds_figures:
        style = "tb integer" if column.format is COUNT else "tb number"
    return Head(column.title(locale), style, column.width)


def contents(columns: Iterable[Column[Row]], row: Row, cells: Cells, locale: Locale) -> list[Content]:
    """The cells of one row; `cells` are their references."""
    return [_content(column, row, cells, locale) for column in columns]


def _content(column: Column[Row], row: Row, cells: Cells, locale: Locale) -> Content:
    value = column.value(row) if column.value and column.holds_figures else None
    number = value if isinstance(value, int | float) and isfinite(value) else None
    if column.formula is not None:
        result = column.words(row, locale) if number is None else number
        return Formatted(Formula(column.formula(row, cells, locale), result), _number_format(column, row))
    return column.words(row, locale) if number is None else Formatted(number, _number_format(column, row))


def _number_format(column: Column[Row], row: Row) -> str:
    if column.number_format is not None:
        return column.number_format(row)
    return column.format.number_format if column.format is not None else ""
