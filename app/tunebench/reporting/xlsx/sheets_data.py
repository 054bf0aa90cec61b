"""Sheets that hold registers: texts, entered figures, comparison, evidence, ledgers, definitions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import zip_longest
from math import isfinite
from typing import TypeVarTuple

from tunebench.columns.formats import decimal_format, decimals_for
from tunebench.domain.engagement import Section
from tunebench.reporting.calling import called
from tunebench.reporting.cases.analysis import Judged
from tunebench.reporting.chapters.appendix import definition_table, ledger_table, remark_table
from tunebench.reporting.chapters.context import Context
from tunebench.reporting.document import ColumnKind, Table
from tunebench.reporting.figures import FigureRow
from tunebench.reporting.wording import Wording
from tunebench.reporting.xlsx.results import change_contents
from tunebench.reporting.xlsx.sheet import Book, Content, Formatted, Head, Sheet
from tunebench.reporting.xlsx.style import INTEGER, MOMENT

HEADER_ROW = 4
_Row = TypeVarTuple("_Row")


@dataclass
class Located:
    """Where each figure of the summary stands: (before cell, after cell) with their sheets."""

    cells: dict[tuple[str, str], tuple[str, str]] = field(default_factory=dict)

    def note(self, row: FigureRow, before: str, after: str) -> None:
        self.cells[self._key(row)] = (before, after)

    def of(self, row: FigureRow) -> tuple[str, str] | None:
        return self.cells.get(self._key(row))

    @staticmethod
    def _key(row: FigureRow) -> tuple[str, str]:
        return (f"{row.key}|{row.label}|{row.statistic}|{row.database}|{row.host}", "|".join(row.evidence))


def value_format(
    words: Wording, decimals: int, bound: str = "", value: float | None = None, *, captured: bool = False
) -> str:
    """Number format of a figure; a bound is part of it, so that the cell stays a number.

    Args:
        value: of an entered figure, which never has more decimals than it was entered with.
    """
    if value is not None and not captured:
        text = f"{value:.{decimals}f}".rstrip("0") if decimals else ""
        decimals = len(text.split(".")[1]) if "." in text else 0
    plain = decimal_format(decimals)
    if bound not in ("<", ">"):
        return plain
    return words.text("workbook.below_format" if bound == "<" else "workbook.above_format").replace("{figure}", plain)


def measured(value: float | None, number_format: str, missing: str) -> Content:
    """The number, or the word for none."""
    return missing if value is None or not isfinite(value) else Formatted(value, number_format)


def sides_of(context: Context, row: FigureRow) -> list[Content]:
    """Both figures as they were entered or captured."""
    words, sides = context.words, ((row.before, row.before_bound), (row.after, row.after_bound))
    return [
        measured(value, value_format(words, row.decimals, bound, value, captured=row.captured), words.missing)
        for value, bound in sides
    ]


def put_rows(
    sheet: Sheet, heads: Sequence[Head], rows: Iterable[Sequence[Content]], *, raised: Collection[int] | None = None
) -> int:
    """A plain register from row 4; returns its last row.

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


def put_register(
    book: Book,
    name: str,
    titles: tuple[str, str],
    heads: Sequence[Head],
    rows: Iterable[Sequence[Content]],
    *,
    landscape: bool = True,
    raised: Collection[int] | None = None,
) -> Sheet | None:
    """A sheet of its own for a register; none where it has no rows.

    Args:
        titles: title and subtitle.
        raised: as `put_rows` has it.
    """
    lines = list(rows)
    if not lines:
        return None
    sheet = book.sheet(name, landscape=landscape)
    sheet.title(*titles)
    put_rows(sheet, heads, lines, raised=raised)
    return sheet


def put_columns(
    book: Book,
    name: str,
    titles: tuple[str, str],
    rows: Iterable[tuple[*_Row]],
    *columns: tuple[Head, Callable[[*_Row], Content]],
    landscape: bool = True,
) -> Sheet | None:
    """A register of which each column says what it shows of a row.

    Args:
        rows: what the columns are given, one tuple for each line (`zip` of one thing makes them).
        titles, landscape: as `put_register` has them.
    """
    lines = ([show(*row) for _, show in columns] for row in rows)
    return put_register(book, name, titles, [head for head, _ in columns], lines, landscape=landscape)


def moment_head(text: str) -> Head:
    return Head(text, "tb moment", 20, MOMENT)


def known(value: Content, missing: str = "–") -> Content:
    """The value, or what is said where there is none."""
    return missing if value is None else value


def table_heads(table: Table, widths: Sequence[float | None] = ()) -> list[Head]:
    """Headings of a table of the document, for a sheet that has the same columns."""
    return [
        Head(column.heading, "tb integer", width, INTEGER)
        if column.kind is ColumnKind.NUMBER
        else Head(column.heading, width=width)
        for column, width in zip_longest(table.columns, widths)
    ]


def table_rows(table: Table) -> list[list[Content]]:
    """What its cells say: the number where one has any, else the text."""
    return [[cell.text if cell.value is None else cell.value for cell in row] for row in table.rows]


def local_moment(context: Context, time_ns: int | None) -> Content:
    """Local time without its zone, as workbooks hold dates; missing is said."""
    if time_ns is None:
        return context.words.missing
    local = datetime.fromtimestamp(time_ns // 1_000_000_000, UTC).astimezone(context.words.zoneinfo)
    return (local.replace(tzinfo=None) - datetime(1899, 12, 30)).total_seconds() / 86_400


def register_sheet(context: Context, book: Book) -> None:
    """Issues, actions, improvements and outlook as numbered lines."""
    case, text = context.case, context.text
    sections = (
        (Section.ISSUE, "issues"),
        (Section.APPROACH, "approach"),
        (Section.IMPROVEMENT, "improvements"),
        (Section.OUTLOOK, "outlook"),
    )
    name = text("sheet.register")
    put_columns(
        book,
        name,
        (name, case.engagement.customer),
        ((name, place, line) for section, name in sections for place, line in enumerate(case.texts(section), 1)),
        (Head(text("workbook.section")), lambda name, place, line: text(f"section.{name}")),
        (Head("#", "tb integer", 6), lambda name, place, line: place),
        (Head(text("workbook.text"), width=96), lambda name, place, line: line),
        landscape=False,
    )


def measurement_sheet(context: Context, book: Book, located: Located) -> None:
    text, rows = context.text, context.figures.measured
    heads = [
        Head(text("column.evidence")),
        Head(text("column.figure")),
        Head(text("column.statistic")),
        Head(text("workbook.unit")),
        Head(text("column.before"), "tb number"),
        Head(text("column.after"), "tb number"),
        Head(text("workbook.verdict")),
        Head(text("column.ratio"), "tb number"),
        Head(text("column.rate"), "tb number"),
        Head(text("column.before_date")),
        Head(text("column.after_date")),
        Head("n", "tb integer"),
        Head(text("column.source")),
    ]
    lines = [_measurement(context, row, down) for down, row in enumerate(rows, HEADER_ROW + 1)]
    name = text("sheet.measurements")
    sheet = put_register(book, name, (name, text("note.details")), heads, lines, raised=())
    if sheet is not None:
        for down, row in enumerate(rows, HEADER_ROW + 1):
            located.note(row, sheet.reference(f"E{down}"), sheet.reference(f"F{down}"))


def _measurement(context: Context, row: FigureRow, down: int) -> list[Content]:
    words, unknown = context.words, context.text("unknown")
    return [
        row.evidence[0],
        context.label(row),
        context.statistic(row),
        words.unit(row.unit),
        *sides_of(context, row),
        *change_contents(words, (f"E{down}", f"F{down}"), f"G{down}", row.direction, row.change, row.decimals),
        words.date(row.before_date) or unknown,
        words.date(row.after_date) or unknown,
        known(row.samples_before, unknown),
        row.source or context.text("source.none"),
    ]


def comparison_sheet(context: Context, book: Book) -> None:
    text = context.text
    pairs = [(name, side) for name in ("mean", "p50", "p95", "largest") for side in ("before", "after")]
    heads = [
        Head(text("column.host")),
        Head(text("column.series")),
        Head(text("workbook.unit")),
        Head(text("column.n_before"), "tb integer"),
        Head(text("column.n_after"), "tb integer"),
        *(Head(f"{text(f'statistic.{name}')} {text(f'column.{side}_short')}", "tb number") for name, side in pairs),
        Head(text("workbook.verdict")),
        Head(text("column.ratio"), "tb number"),
        Head(text("column.rate"), "tb number"),
        Head(text("column.evidence")),
    ]
    rows = [_compared(context, judged, down) for down, judged in enumerate(context.case.comparison, HEADER_ROW + 1)]
    titles = (text("section.comparison"), text("workbook.comparison_note"))
    put_register(book, text("sheet.comparison"), titles, heads, rows, raised=())


def _compared(context: Context, judged: Judged, down: int) -> list[Content]:
    words, missing, row, sides = context.words, context.words.missing, judged.row, judged.sides
    values = [
        None if side is None else getattr(side, name) for name in ("mean", "p50", "p95", "maximum") for side in sides
    ]
    decimals = decimals_for(values)
    change = called(values[0], values[1], row.direction, row.verdict, percentage=row.unit == "%")
    return [
        words.host(row.series.host) or missing,
        judged.label,
        words.unit(row.unit),
        *(missing if side is None else side.n for side in sides),
        *(measured(value, decimal_format(decimals), missing) for value in values),
        *change_contents(words, (f"F{down}", f"G{down}"), f"N{down}", row.direction, change, decimals),
        ", ".join((*judged.before_evidence, *judged.after_evidence)),
    ]


def evidence_sheet(context: Context, book: Book) -> None:
    text, words, missing = context.text, context.words, context.words.missing
    put_columns(
        book,
        text("sheet.evidence"),
        (text("section.evidence"), text("note.zone", zone=words.zone)),
        zip(context.case.evidence),
        (Head(text("column.evidence")), lambda entry: entry.key),
        (Head(text("column.file")), lambda entry: entry.file),
        (Head("SHA-256", "tb code", 70), lambda entry: entry.sha256),
        (Head(text("column.host")), lambda entry: words.host(entry.host) or missing),
        (Head(text("column.run")), lambda entry: entry.run or missing),
        (moment_head(text("workbook.start")), lambda entry: local_moment(context, entry.start_ns)),
        (moment_head(text("workbook.end")), lambda entry: local_moment(context, entry.end_ns)),
        (Head(text("workbook.interval_s"), "tb number"), lambda entry: known(entry.interval_s, words.interval(None))),
        (Head(text("workbook.samples"), "tb integer"), lambda entry: known(entry.samples, missing)),
        (Head(text("workbook.first_line"), "tb integer"), lambda entry: known(entry.first_line, missing)),
        (Head(text("workbook.last_line"), "tb integer"), lambda entry: known(entry.last_line, missing)),
        (Head(text("column.parser")), lambda entry: entry.parser),
        (Head(text("workbook.version")), lambda entry: entry.parser_version),
    )


def ledger_sheet(context: Context, book: Book) -> None:
    text, table = context.text, ledger_table(context)
    titles = (text("section.ledgers"), text("note.ledgers"))
    put_register(book, text("sheet.ledgers"), titles, table_heads(table), table_rows(table))
    remarks = remark_table(context)
    put_register(book, text("sheet.remarks"), (remarks.caption, ""), table_heads(remarks), table_rows(remarks))


def definitions_sheet(context: Context, book: Book) -> None:
    text, table = context.text, definition_table(context)
    heads = table_heads(table, (None, 96))
    put_register(
        book, text("sheet.definitions"), (text("section.definitions"), ""), heads, table_rows(table), landscape=False
    )
