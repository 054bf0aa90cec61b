"""Sheets that hold registers: texts, entered figures, comparison, evidence, ledgers, definitions."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isfinite
from operator import attrgetter

from tunebench.columns.column import Column
from tunebench.columns.comparing import means_of
from tunebench.columns.formats import COUNT, FIGURE, MOMENT, decimal_format, decimals_for
from tunebench.domain.engagement import Section
from tunebench.reporting.calling import called
from tunebench.reporting.cases.analysis import Judged
from tunebench.reporting.chapters.appendix import definition_table, ledger_table, remark_table
from tunebench.reporting.chapters.context import Context
from tunebench.reporting.figures import FigureRow
from tunebench.reporting.wording import Wording
from tunebench.reporting.xlsx.columns import HEADER_ROW, Register, letters_of, table_columns, widened
from tunebench.reporting.xlsx.results import Changed, change_columns
from tunebench.reporting.xlsx.sheet import Book, Content, Formatted
from tunebench.reporting.xlsx.verdict_columns import evidence_keys, name_columns


@dataclass
class Located:
    """Where each figure of the summary stands: (before cell, after cell) with their sheets."""

    cells: dict[tuple[str, str], tuple[str, str]] = field(default_factory=dict)

    def note(self, row: FigureRow, before: str, after: str) -> None:
        self.cells[self._key(row)] = (before, after)

    def cell(self, row: FigureRow, side: str) -> str:
        """Where one side, ``before`` or ``after``, stands; empty where nowhere."""
        cells = self.cells.get(self._key(row))
        return "" if cells is None else cells[side == "after"]

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


def register_sheet(context: Context, book: Book) -> None:
    """Issues, actions, improvements and outlook as numbered lines."""
    case, text = context.case, context.text
    sections = (
        (Section.ISSUE, "issues"),
        (Section.APPROACH, "approach"),
        (Section.IMPROVEMENT, "improvements"),
        (Section.OUTLOOK, "outlook"),
    )
    Register(
        context,
        book,
        "sheet.register",
        text("sheet.register"),
        case.engagement.customer,
        ((name, number, line) for section, name in sections for number, line in enumerate(case.texts(section), 1)),
    ).write(
        Column("section", "report.workbook.section", lambda row: text(f"section.{row[0]}")),
        Column("number", lambda _: "#", lambda row: row[1], COUNT, width=6),
        Column("text", "report.workbook.text", lambda row: row[2], width=96),
        landscape=False,
    )


def measurement_sheet(context: Context, book: Book, located: Located) -> None:
    text, rows = context.text, context.figures.measured
    columns = _measurement_columns(context)
    letters = letters_of(columns)
    sheet = Register(context, book, "sheet.measurements", text("sheet.measurements"), text("note.details"), rows).write(
        *columns, raised=()
    )
    if sheet is not None:
        for down, row in enumerate(rows, HEADER_ROW + 1):
            located.note(row, *(sheet.reference(f"{letters[side]}{down}") for side in ("before", "after")))


def _measurement_columns(context: Context) -> tuple[Column[FigureRow], ...]:
    words, unknown = context.words, context.text("unknown")
    return (
        Column("evidence", "report.column.evidence", lambda row: row.evidence[0]),
        *figure_columns(context),
        Column("before.date", "report.column.before_date", lambda row: words.date(row.before_date) or unknown),
        Column("after.date", "report.column.after_date", lambda row: words.date(row.after_date) or unknown),
        Column("n", lambda _: "n", lambda row: row.samples_before, COUNT, lambda row, _: unknown),
        Column("source", "report.column.source", lambda row: row.source or context.text("source.none")),
    )


def figure_columns(context: Context, located: Located | None = None) -> tuple[Column[FigureRow], ...]:
    """A figure by its name, on both sides as it was entered or captured, and its change.

    Args:
        located: where the sides stand, if they are to be formulas.
    """
    words = context.words

    def number_format(row: FigureRow, side: str) -> str:
        value, bound = getattr(row, side), getattr(row, f"{side}_bound")
        return value_format(words, row.decimals, bound, value, captured=row.captured)

    def figure(side: str) -> Column[FigureRow]:
        return Column(
            side,
            f"report.column.{side}",
            attrgetter(side),
            FIGURE,
            number_format=lambda row: number_format(row, side),
            formula=None if located is None else lambda row, *_: located.cell(row, side),
            measured=True,
        )

    return (
        Column("label", "report.column.figure", context.label),
        Column("statistic", "report.column.statistic", context.statistic),
        Column("unit", "report.workbook.unit", lambda row: words.unit(row.unit)),
        figure("before"),
        figure("after"),
        *change_columns(words, lambda row: Changed(row.direction, row.change, row.decimals)),
    )


def comparison_sheet(context: Context, book: Book) -> None:
    Register(
        context,
        book,
        "sheet.comparison",
        context.text("section.comparison"),
        context.text("workbook.comparison_note"),
        context.case.comparison,
    ).write(*_comparison_columns(context), raised=())


def _comparison_columns(context: Context) -> tuple[Column[Judged], ...]:
    text = context.text

    def decimals(judged: Judged) -> int:
        return decimals_for(
            [getattr(side, name, None) for name in ("mean", "p50", "p95", "maximum") for side in judged.sides]
        )

    def changed(judged: Judged) -> Changed:
        row = judged.row
        change = called(*means_of(row), row.direction, row.verdict, percentage=row.unit == "%")
        return Changed(row.direction, change, decimals(judged))

    def figure(index: int, name: str, key: str) -> Column[Judged]:
        side = ("before", "after")[index]
        return Column(
            side if name == "mean" else f"{side}.{name}",
            lambda _: f"{text(f'statistic.{key}')} {text(f'column.{side}_short')}",
            lambda judged: getattr(judged.sides[index], name, None),
            FIGURE,
            number_format=lambda judged: decimal_format(decimals(judged)),
            measured=True,
        )

    figures = (("mean", "mean"), ("p50", "p50"), ("p95", "p95"), ("maximum", "largest"))
    return (
        *name_columns(context.words),
        Column(
            "before.n",
            "report.column.n_before",
            lambda judged: getattr(judged.sides[0], "n", None),
            COUNT,
            measured=True,
        ),
        Column(
            "after.n", "report.column.n_after", lambda judged: getattr(judged.sides[1], "n", None), COUNT, measured=True
        ),
        *(figure(index, name, key) for name, key in figures for index in (0, 1)),
        *change_columns(context.words, changed),
        Column("evidence", "report.column.evidence", evidence_keys),
    )


def evidence_sheet(context: Context, book: Book) -> None:
    text, words = context.text, context.words
    Register(
        context,
        book,
        "sheet.evidence",
        text("section.evidence"),
        text("note.zone", zone=words.zone),
        context.case.evidence,
    ).write(
        Column("evidence", "report.column.evidence", lambda entry: entry.key),
        Column("file", "report.column.file", lambda entry: entry.file),
        Column("sha256", lambda _: "SHA-256", lambda entry: entry.sha256, code=True, width=70),
        Column("host", "report.column.host", lambda entry: words.host(entry.host) or words.missing),
        Column("run", "report.column.run", lambda entry: entry.run or words.missing),
        Column("start", "report.workbook.start", lambda entry: entry.start_ns, MOMENT, measured=True),
        Column("end", "report.workbook.end", lambda entry: entry.end_ns, MOMENT, measured=True),
        Column(
            "interval",
            "report.workbook.interval_s",
            lambda entry: entry.interval_s,
            FIGURE,
            lambda entry, _: words.interval(None),
        ),
        Column("samples", "report.workbook.samples", lambda entry: entry.samples, COUNT, measured=True),
        Column("first", "report.workbook.first_line", lambda entry: entry.first_line, COUNT, measured=True),
        Column("last", "report.workbook.last_line", lambda entry: entry.last_line, COUNT, measured=True),
        Column("parser", "report.column.parser", lambda entry: entry.parser),
        Column("version", "report.workbook.version", lambda entry: entry.parser_version),
    )


def ledger_sheet(context: Context, book: Book) -> None:
    ledgers, remarks = ledger_table(context), remark_table(context)
    Register(
        context, book, "sheet.ledgers", context.text("section.ledgers"), context.text("note.ledgers"), ledgers.rows
    ).write(*table_columns(ledgers))
    Register(context, book, "sheet.remarks", remarks.caption, "", remarks.rows).write(*table_columns(remarks))


def definitions_sheet(context: Context, book: Book) -> None:
    table = definition_table(context)
    Register(context, book, "sheet.definitions", context.text("section.definitions"), "", table.rows).write(
        *widened(table_columns(table), None, 96), landscape=False
    )
