"""Sheets that hold registers: texts, entered figures, comparison, evidence, ledgers, definitions."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from math import isfinite
from typing import Any

from app.analysis.statistics import Statistics
from app.domain.engagement import Section
from app.reporting.calling import called
from app.reporting.cases.analysis import Judged
from app.reporting.chapters.appendix import DEFINITIONS, ledger_remarks
from app.reporting.chapters.context import Context
from app.reporting.figures import FigureRow
from app.reporting.wording import decimals_for
from app.reporting.xlsx.results import change_formula, rate_format, rate_formula, ratio_format, ratio_formula
from app.reporting.xlsx.sheet import Book, Content, Head, Sheet
from app.reporting.xlsx.style import INTEGER, MOMENT, decimal_format

HEADER_ROW = 4


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


def value_format(row: FigureRow, context: Context, bound: str, value: float | None) -> str:
    """Number format of a figure; a bound is part of it, so that the cell stays a number."""
    decimals = row.decimals
    if value is not None and not row.captured:
        text = f"{value:.{decimals}f}".rstrip("0") if decimals else ""
        decimals = len(text.split(".")[1]) if "." in text else 0
    plain = decimal_format(decimals)
    if bound not in ("<", ">"):
        return plain
    return context.text("workbook.below_format" if bound == "<" else "workbook.above_format").replace("{figure}", plain)


def put_value(sheet: Sheet, row: int, column: int, value: float | None, number_format: str, missing: str) -> str:
    if value is None or not isfinite(value):
        return sheet.put(row, column, missing, "tb number")
    return sheet.put(row, column, value, "tb number", number_format)


def put_change(
    sheet: Sheet,
    row: int,
    column: int,
    context: Context,
    figure: FigureRow,
    cells: tuple[str, str],
    styles: tuple[str, str] = ("tb text", "tb number"),
) -> None:
    """Verdict, ratio and rate, each a formula over the two cells."""
    words, (before, after) = context.words, cells
    verdict = sheet.put(row, column, change_formula(words, before, after, figure.direction, figure.change), styles[0])
    ratio = ratio_formula(words, before, after, verdict, figure.change)
    sheet.put(row, column + 1, ratio, styles[1], ratio_format(words, figure.change))
    rate = rate_formula(words, cells, verdict, figure.direction, figure.change)
    sheet.put(row, column + 2, rate, styles[1], rate_format(words, figure.change, figure.decimals))


def put_rows(
    sheet: Sheet, heads: list[Head], rows: list[list[Content]], *, formats: dict[int, str] | None = None
) -> int:
    """A plain register from row 4; returns its last row."""
    sheet.header(HEADER_ROW, heads)
    for down, row in enumerate(rows, HEADER_ROW + 1):
        for across, (head, content) in enumerate(zip(heads, row, strict=True), 1):
            style = "tb text" if isinstance(content, str) and head.style == "tb moment" else head.style
            sheet.put(down, across, content, style, (formats or {}).get(across, "") if style == head.style else "")
    last = HEADER_ROW + len(rows)
    sheet.as_table(HEADER_ROW, last, len(heads))
    sheet.fit(heads)
    for down, row in enumerate(rows, HEADER_ROW + 1):
        sheet.raise_row(down, [content if isinstance(content, str) else "" for content in row])
    return last


def local_moment(context: Context, time_ns: int | None) -> Content:
    """Local time without its zone, as workbooks hold dates; missing is said."""
    if time_ns is None:
        return context.words.missing
    local = datetime.fromtimestamp(time_ns // 1_000_000_000, UTC).astimezone(context.words.zoneinfo)
    return (local.replace(tzinfo=None) - datetime(1899, 12, 30)).total_seconds() / 86_400


def register_sheet(context: Context, book: Book, footer: str) -> None:
    """Issues, actions, improvements and outlook as numbered lines."""
    case, text = context.case, context.text
    sections = (
        (Section.ISSUE, "issues"),
        (Section.APPROACH, "approach"),
        (Section.IMPROVEMENT, "improvements"),
        (Section.OUTLOOK, "outlook"),
    )
    rows: list[list[Content]] = [
        [text(f"section.{name}"), place, line]
        for section, name in sections
        for place, line in enumerate(case.texts(section), 1)
    ]
    if not rows:
        return
    sheet = book.sheet(text("sheet.register"), footer)
    sheet.title(text("sheet.register"), case.engagement.customer)
    heads = [Head(text("workbook.section")), Head("#", "tb integer", 6), Head(text("workbook.text"), width=96)]
    put_rows(sheet, heads, rows)


def measurement_sheet(context: Context, book: Book, footer: str, located: Located) -> None:
    rows = context.figures.measured
    if not rows:
        return
    text, words = context.text, context.words
    sheet = book.sheet(text("sheet.measurements"), footer, landscape=True)
    sheet.title(text("sheet.measurements"), text("note.details"))
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
    sheet.header(HEADER_ROW, heads)
    for down, row in enumerate(rows, HEADER_ROW + 1):
        for across, label in enumerate(
            (row.evidence[0], context.label(row), context.statistic(row), words.unit(row.unit)), 1
        ):
            sheet.put(down, across, label)
        cells = [
            put_value(sheet, down, 5 + side, value, value_format(row, context, bound, value), words.missing)
            for side, (value, bound) in enumerate(((row.before, row.before_bound), (row.after, row.after_bound)))
        ]
        put_change(sheet, down, 7, context, row, (cells[0], cells[1]))
        sheet.put(down, 10, words.date(row.before_date) or text("unknown"))
        sheet.put(down, 11, words.date(row.after_date) or text("unknown"))
        sheet.put(down, 12, row.samples_before if row.samples_before is not None else text("unknown"), "tb integer")
        sheet.put(down, 13, row.source or text("source.none"))
        located.note(row, sheet.reference(cells[0]), sheet.reference(cells[1]))
    sheet.as_table(HEADER_ROW, HEADER_ROW + len(rows), len(heads))
    sheet.fit(heads)


def comparison_sheet(context: Context, book: Book, footer: str) -> None:
    rows = context.case.comparison
    if not rows:
        return
    text = context.text
    sheet = book.sheet(text("sheet.comparison"), footer, landscape=True)
    sheet.title(text("section.comparison"), text("workbook.comparison_note"))
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
    sheet.header(HEADER_ROW, heads)
    for down, row in enumerate(rows, HEADER_ROW + 1):
        _comparison_row(context, sheet, down, row)
    sheet.as_table(HEADER_ROW, HEADER_ROW + len(rows), len(heads))
    sheet.fit(heads)


def _comparison_row(context: Context, sheet: Sheet, down: int, judged: Judged) -> None:
    words, missing, row, sides = context.words, context.words.missing, judged.row, judged.sides
    for across, label in enumerate((words.host(row.series.host) or missing, judged.label, words.unit(row.unit)), 1):
        sheet.put(down, across, label)
    for across, side in enumerate(sides, 4):
        sheet.put(down, across, missing if side is None else side.n, "tb integer")
    values = [_value(side, name) for name in ("mean", "p50", "p95", "maximum") for side in sides]
    decimals = decimals_for(values)
    cells = [
        put_value(sheet, down, across, value, decimal_format(decimals), missing)
        for across, value in enumerate(values, 6)
    ]
    change = called(values[0], values[1], row.direction, row.verdict, percentage=row.unit == "%")
    figure = FigureRow("", judged.label, row.unit, "mean", row.direction, values[0], values[1], change, decimals)
    put_change(sheet, down, 14, context, figure, (cells[0], cells[1]))
    sheet.put(down, 17, ", ".join((*judged.before_evidence, *judged.after_evidence)))


def _value(side: Statistics | None, name: str) -> float | None:
    return None if side is None else getattr(side, name)


def evidence_sheet(context: Context, book: Book, footer: str) -> None:
    entries = context.case.evidence
    if not entries:
        return
    text, words, missing = context.text, context.words, context.words.missing
    sheet = book.sheet(text("sheet.evidence"), footer, landscape=True)
    sheet.title(text("section.evidence"), text("note.zone", zone=context.words.zone))
    heads = [
        Head(text("column.evidence")),
        Head(text("column.file")),
        Head("SHA-256", "tb code", 70),
        Head(text("column.host")),
        Head(text("column.run")),
        Head(text("workbook.start"), "tb moment", 20),
        Head(text("workbook.end"), "tb moment", 20),
        Head(text("workbook.interval_s"), "tb number"),
        Head(text("workbook.samples"), "tb integer"),
        Head(text("workbook.first_line"), "tb integer"),
        Head(text("workbook.last_line"), "tb integer"),
        Head(text("column.parser")),
        Head(text("workbook.version")),
    ]
    rows: list[list[Any]] = [
        [
            entry.key,
            entry.file,
            entry.sha256,
            context.words.host(entry.host) or missing,
            entry.run or missing,
            local_moment(context, entry.start_ns),
            local_moment(context, entry.end_ns),
            words.interval(None) if entry.interval_s is None else entry.interval_s,
            *(missing if number is None else number for number in (entry.samples, entry.first_line, entry.last_line)),
            entry.parser,
            entry.parser_version,
        ]
        for entry in entries
    ]
    put_rows(sheet, heads, rows, formats={6: MOMENT, 7: MOMENT})


def ledger_sheet(context: Context, book: Book, footer: str) -> None:
    records = context.case.imports
    if not records:
        return
    text = context.text
    sheet = book.sheet(text("sheet.ledgers"), footer, landscape=True)
    sheet.title(text("section.ledgers"), text("note.ledgers"))
    names = ("total", "data", "header", "blank", "skipped")
    heads = [
        Head(text("column.evidence")),
        Head(text("column.file")),
        Head(text("column.state")),
        *(Head(text(f"lines.{name}"), "tb integer") for name in names),
        Head(text("column.gaps"), "tb integer"),
        Head(text("column.restarts"), "tb integer"),
    ]
    rows: list[list[Content]] = []
    for record in records:
        ledger, lines = record.ledger, record.ledger.lines
        counts = (lines.total, lines.data, lines.header, lines.blank, lines.skipped, ledger.gaps, ledger.restarts)
        rows.append([record.evidence, record.file, text(f"state.{record.state.value}"), *counts])
    put_rows(sheet, heads, rows, formats=dict.fromkeys(range(4, 11), INTEGER))
    remarks = [[cell.text for cell in cells] for record in records for cells in ledger_remarks(context, record)]
    if remarks:
        columns = ("evidence", "remark_kind", "remark", "remark_extent")
        other = book.sheet(text("sheet.remarks"), footer, landscape=True)
        other.title(text("caption.remarks"))
        put_rows(other, [Head(text(f"column.{name}")) for name in columns], [list(row) for row in remarks])


def definitions_sheet(context: Context, book: Book, footer: str) -> None:
    text = context.text
    sheet = book.sheet(text("sheet.definitions"), footer)
    sheet.title(text("section.definitions"))
    rows: list[list[Content]] = [[text(f"term.{name}"), text(f"definition.{name}")] for name in DEFINITIONS]
    put_rows(sheet, [Head(text("column.term")), Head(text("column.definition"), width=96)], rows)
