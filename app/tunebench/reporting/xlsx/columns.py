"""Registers of the workbook: numbers stay numbers, formulas name cells of their row by ids of columns."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, tzinfo
from math import isfinite
from typing import Generic, NamedTuple

from openpyxl.utils import get_column_letter

from tunebench.columns.column import Cells, Column, Locale, Outer, Row
from tunebench.columns.formats import COUNT, MOMENT
from tunebench.core.records import record
from tunebench.reporting import document
from tunebench.reporting.chapters.context import Context
from tunebench.reporting.xlsx.sheet import Book, Content, Formatted, Formula, Head, Sheet

HEADER_ROW = 4
_MOMENT_WIDTH = 20


class Part(NamedTuple, Generic[Outer, Row]):
    """A row of a register of parts, whose columns name what the part belongs to."""

    whole: Outer
    part: Row


@record
class Register(Generic[Row]):
    """A sheet with a line for each of `rows`; `name` is the key of its name."""

    context: Context
    book: Book
    name: str
    title: str
    subtitle: str
    rows: Iterable[Row]

    def write(
        self,
        *columns: Column[Row],
        landscape: bool = True,
        raised: Collection[str] | None = None,
        notes: Iterable[str] = (),
    ) -> Sheet | None:
        """The sheet; None where there are no rows.

        Args:
            raised: ids of the columns whose texts are seen in full; None for all.
            notes: sentences below.
        """
        rows = list(self.rows)
        if not rows:
            return None
        sheet = self.book.sheet(self.context.text(self.name), landscape=landscape)
        sheet.title(self.title, self.subtitle)
        last = put_lines(sheet, columns, rows, self.context.words.locale, raised=raised)
        for down, sentence in enumerate(notes, last + 2):
            sheet.put_note(down, sentence, len(columns), 30)
        return sheet


def put_lines(
    sheet: Sheet,
    columns: Sequence[Column[Row]],
    rows: Iterable[Row],
    locale: Locale,
    *,
    raised: Collection[str] | None = None,
) -> int:
    """The columns from row 4, a line for each of `rows`; returns the last row."""
    letters = letters_of(columns)
    lines = (
        contents(columns, row, {id_: f"{letter}{line}" for id_, letter in letters.items()}, locale)
        for line, row in enumerate(rows, HEADER_ROW + 1)
    )
    numbers = None if raised is None else [list(letters).index(id_) + 1 for id_ in raised]
    return put_rows(sheet, [_head(column, locale) for column in columns], lines, raised=numbers)


def letters_of(columns: Iterable[Column[Row]]) -> dict[str, str]:
    """Id of a column -> its letter."""
    return {column.id: get_column_letter(number) for number, column in enumerate(columns, 1)}


def _head(column: Column[Row], locale: Locale) -> Head:
    style, width = "tb code" if column.code else "tb text", column.width
    if column.format is MOMENT:
        style, width = "tb moment", width or _MOMENT_WIDTH
    elif column.holds_figures:
        style = "tb integer" if column.format is COUNT else "tb number"
    return Head(column.title(locale), style, width, column.format.number_format if column.format else "")


def contents(columns: Iterable[Column[Row]], row: Row, cells: Cells, locale: Locale) -> list[Content]:
    """The cells of one row; `cells` are their references."""
    return [_content(column, row, cells, locale) for column in columns]


def _content(column: Column[Row], row: Row, cells: Cells, locale: Locale) -> Content:
    value = column.value(row) if column.value and column.holds_figures else None
    number = value if isinstance(value, int | float) and isfinite(value) else None
    result = column.words(row, locale) if number is None else number
    if number is not None and column.format is MOMENT:
        result = serial_day(int(number), locale.zone)
    has_result = number is not None or column.text is not None
    formula = column.formula(row, cells, locale) if column.formula and has_result else ""
    content = Formula(formula, result) if formula else result
    if column.number_format is None or isinstance(content, str):
        return content
    return Formatted(content, column.number_format(row))


def serial_day(time_ns: int, zone: tzinfo) -> float:
    """Local time without its zone, as workbooks hold dates."""
    local = datetime.fromtimestamp(time_ns // 1_000_000_000, UTC).astimezone(zone)
    return (local.replace(tzinfo=None) - datetime(1899, 12, 30)).total_seconds() / 86_400


def put_rows(
    sheet: Sheet, heads: Sequence[Head], rows: Iterable[Sequence[Content]], *, raised: Collection[int] | None = None
) -> int:
    """The heads in row 4, the rows below; returns the last of them.

    Args:
        raised: numbers of the columns whose texts are seen in full; None for all.
    """
    sheet.header(HEADER_ROW, heads)
    lines = list(rows)
    for down, row in enumerate(lines, HEADER_ROW + 1):
        for across, (head, content) in enumerate(zip(heads, row, strict=True), 1):
            if isinstance(content, str) and head.style == "tb moment":
                sheet.put(down, across, content)
            else:
                sheet.put(down, across, content, head.style, head.number_format)
    last = HEADER_ROW + len(lines)
    sheet.as_table(HEADER_ROW, last, len(heads))
    sheet.fit(heads)
    for down, row in enumerate(lines, HEADER_ROW + 1):
        seen = (content if raised is None or across in raised else "" for across, content in enumerate(row, 1))
        sheet.raise_row(down, [content if isinstance(content, str) else "" for content in seen])
    return last


def table_columns(table: document.Table) -> list[Column[tuple[document.Cell, ...]]]:
    """Those of a table of the document, for a sheet that has the same."""
    return [_of_table(index, column) for index, column in enumerate(table.columns)]


def _of_table(index: int, column: document.TableHead) -> Column[tuple[document.Cell, ...]]:
    """The number where a cell has one, else its text."""
    counts = column.kind is document.ColumnKind.NUMBER
    return Column(
        str(index),
        lambda _: column.heading,
        (lambda row: row[index].value) if counts else None,
        COUNT if counts else None,
        lambda row, _: row[index].text,
    )


def widened(columns: Iterable[Column[Row]], *widths: float | None) -> list[Column[Row]]:
    """The columns with a width for each."""
    return [replace(column, width=width) for column, width in zip(columns, widths, strict=True)]
