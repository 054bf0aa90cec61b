"""Sheets of the analysis: verdicts, comparability, findings, USE table, bottleneck, capacity."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from math import isclose
from operator import attrgetter
from typing import NamedTuple

from tunebench.columns.column import Cells, Column, Locale
from tunebench.columns.formats import COUNT, FIGURE, HUNDREDTHS, MEASURED, SHARE
from tunebench.reporting.cases.analysis import CaseFinding, CaseOutlook, CaseScore, CaseUse, CaseUseRow, RuleNote
from tunebench.reporting.chapters.capacity import day_text
from tunebench.reporting.chapters.context import Context
from tunebench.reporting.chapters.findings import quoted
from tunebench.reporting.chapters.verdicts import (
    by_measured,
    common_windows,
    counts_text,
    gate_table,
    load_text,
    window_notes,
)
from tunebench.reporting.xlsx.columns import Register, table_columns, widened
from tunebench.reporting.xlsx.sheet import Book
from tunebench.reporting.xlsx.sheets_experiments import experiment_sheets
from tunebench.reporting.xlsx.sheets_occurrences import load_sheet, occurrence_sheet
from tunebench.reporting.xlsx.verdict_columns import verdict_columns

NO_RULE = RuleNote("", "")
_ASPECTS = ("utilisation", "saturation", "errors")


def analysis_sheets(context: Context, book: Book, sections: Collection[str]) -> None:
    """Those whose chapters are part of the document."""
    parts = (
        ("comparison", _verdict_sheet),
        ("comparison", occurrence_sheet),
        ("comparison", load_sheet),
        ("method", _gate_sheet),
        ("findings", _finding_sheet),
        ("unjudged", _unjudged_sheet),
        ("findings", _use_sheet),
        ("bottleneck", _bottleneck_sheet),
        ("experiments", experiment_sheets),
        ("capacity", _capacity_sheet),
    )
    for section, write in parts:
        if section in sections:
            write(context, book)


# -- verdicts --------------------------------------------------------------------------------------------


def _verdict_sheet(context: Context, book: Book) -> None:
    """Series by series; those that were not measured on both sides come last, and have no verdict."""
    compared, apart = by_measured(context)
    judged = [*compared, *apart]
    text = context.text
    notes = (
        text("workbook.verdicts_note"),
        counts_text(context),
        *window_notes(context, common_windows(judged)),
        context.case.analysis.driver or text("verdict.basis_load", load=load_text(context)),
    )
    Register(context, book, "sheet.verdicts", text("section.comparison"), " ".join(notes), judged).write(
        *verdict_columns(context), raised=("why",)
    )


def _gate_sheet(context: Context, book: Book) -> None:
    table = gate_table(context)
    Register(context, book, "sheet.gate", table.caption, context.text("case_gate.note"), table.rows).write(
        *widened(table_columns(table), 8, 22, 14, 100)
    )


# -- findings --------------------------------------------------------------------------------------------


def _finding_sheet(context: Context, book: Book) -> None:
    """Every finding with the words it stands on."""
    analysis, text = context.case.analysis, context.text
    rules = {rule.id: rule for rule in analysis.rules}

    def of_rule(name: str, words: Callable[[RuleNote], str]) -> Column[CaseFinding]:
        return Column(
            name, f"report.finding.{name}", lambda row: words(rules.get(row.found.rule, NO_RULE)) or "–", width=50
        )

    Register(context, book, "sheet.findings", text("section.findings"), text("finding.lead"), analysis.findings).write(
        Column("phase", "report.column.phase", lambda row: text(f"phase.{row.phase}"), width=12),
        Column("severity", "report.column.severity", lambda row: row.severity_words, width=12),
        Column("rule", "report.finding.rule", lambda row: row.found.rule, width=12),
        Column("title", "report.finding.title", lambda row: row.title, width=34),
        Column("thing", "report.finding.what_thing", lambda row: row.thing, width=24),
        Column("figures", "report.finding.figures", lambda row: f"{row.figures} {row.queue}".strip(), width=40),
        Column("held", "report.finding.held", lambda row: row.found.held, COUNT, width=10),
        Column("judged", "report.finding.judged", lambda row: row.found.n, COUNT, width=10),
        Column(
            "share",
            "report.finding.share",
            lambda row: None if row.found.share is None or not row.found.n else row.found.held / row.found.n,
            SHARE,
            formula=lambda row, cells, _: f"{cells['held']}/{cells['judged']}",
            width=10,
        ),
        Column("where", "report.finding.where", lambda row: "\n".join(row.stretches) or "–", width=44),
        Column("cautions", "report.finding.cautions", lambda row: "\n".join(row.cautions) or "–", width=44),
        Column("later", "report.finding.later", lambda row: row.later or "–", width=18),
        of_rule("condition", lambda rule: rule.condition),
        of_rule("caveat", lambda rule: rule.caveat),
        of_rule("action", lambda rule: rule.action),
        of_rule("source", lambda rule: rule.source),
        of_rule("quote", quoted),
        Column("evidence", "report.column.evidence", lambda row: ", ".join(row.evidence) or "–", width=14),
    )


def _unjudged_sheet(context: Context, book: Book) -> None:
    text = context.text
    Register(
        context,
        book,
        "sheet.unjudged",
        text("section.unjudged"),
        text("finding.note_unjudged"),
        context.case.analysis.unjudged,
    ).write(
        Column("rule", "report.finding.rule", lambda row: row.rule, width=12),
        Column("title", "report.finding.title", lambda row: row.title, width=40),
        Column(
            "phases",
            "report.column.phase",
            lambda row: ", ".join(text(f"phase.{phase}") for phase in row.phases),
            width=14,
        ),
        Column("hosts", "report.column.hosts", lambda row: ", ".join(row.hosts) or "–", width=18),
        Column("why", "report.finding.why", lambda row: row.reason, width=30),
        Column("missing", "report.finding.missing", lambda row: row.missing or "–", width=60),
    )


class _Used(NamedTuple):
    """A cell of the USE table on one side."""

    row: CaseUseRow
    aspect: str
    phase: str
    use: CaseUse


def _use_sheet(context: Context, book: Book) -> None:
    text = context.text
    Register(
        context,
        book,
        "sheet.use",
        text("case_use.caption"),
        text("case_use.note"),
        (
            _Used(row, aspect, phase, cells[index])
            for row in context.case.analysis.use
            for index, aspect in enumerate(_ASPECTS)
            for phase, cells in (("before", row.before), ("after", row.after))
            if cells is not None
        ),
    ).write(
        Column("host", "report.column.host", lambda used: used.row.host, width=18),
        Column("resource", "report.case_use.resource", lambda used: used.row.resource, width=26),
        Column("aspect", "report.case_use.aspect", lambda used: text(f"case_use.{used.aspect}"), width=12),
        Column("phase", "report.column.phase", lambda used: text(f"phase.{used.phase}"), width=12),
        Column("words", "report.case_use.told", lambda used: used.use.words, width=52),
        Column(
            "statistic",
            "report.column.statistic",
            lambda used: used.use.cell.statistic if used.use.cell.measured else "–",
            width=10,
        ),
        Column(
            "value", "report.case_experiment.value", lambda used: used.use.cell.value, MEASURED, measured=True, width=14
        ),
        Column("unit", "report.workbook.unit", lambda used: used.use.unit, width=10),
        Column(
            "n",
            lambda _: "n",
            lambda used: used.use.cell.n if used.use.cell.measured else None,
            COUNT,
            measured=True,
            width=9,
        ),
        Column("severity", "report.column.severity", lambda used: used.use.severity_words or "–", width=10),
        Column("evidence", "report.column.evidence", lambda used: ", ".join(used.use.evidence) or "–", width=14),
    )


# -- bottleneck ------------------------------------------------------------------------------------------


class _Ranked(NamedTuple):
    """A resource on one side."""

    name: str
    phase: str
    ranked: CaseScore


def _bottleneck_sheet(context: Context, book: Book) -> None:
    shift, text = context.case.analysis.shift, context.text
    if shift is None:
        return

    def share(name: str) -> Column[_Ranked]:
        return Column(
            name, f"report.bottleneck.{name}", attrgetter(f"ranked.score.{name}"), SHARE, measured=True, width=14
        )

    notes = (shift.before, shift.after, shift.gain, text("bottleneck.note"), *shift.drop_offs, *shift.laws)
    Register(
        context,
        book,
        "sheet.bottleneck",
        text("section.bottleneck"),
        shift.sentence,
        (
            _Ranked(row.name, phase, score)
            for row in shift.resources
            for phase, score in (("before", row.before), ("after", row.after))
            if score is not None
        ),
    ).write(
        Column("resource", "report.bottleneck.resource", lambda row: row.name, width=34),
        Column("phase", "report.column.phase", lambda row: text(f"phase.{row.phase}"), width=12),
        Column("rank", "report.bottleneck.rank", lambda row: row.ranked.place, COUNT, width=8),
        share("utilisation"),
        share("knee"),
        share("wait_share"),
        Column(
            "score",
            "report.bottleneck.score",
            lambda row: row.ranked.score.score,
            HUNDREDTHS,
            formula=_score_formula,
            width=14,
        ),
        Column(
            "queue", "report.bottleneck.queue", lambda row: row.ranked.score.queue, HUNDREDTHS, measured=True, width=14
        ),
        Column("n", lambda _: "n", lambda row: row.ranked.score.n, COUNT, width=9),
        Column("evidence", "report.column.evidence", lambda row: ", ".join(row.ranked.evidence) or "–", width=14),
        notes=filter(None, notes),
    )


def _score_formula(row: _Ranked, cells: Cells, _: Locale) -> str:
    """The larger of U / knee and the share of waiting, where that is the score."""
    score = row.ranked.score
    busy = score.utilisation / score.knee if score.utilisation is not None and score.knee else 0.0
    if not isclose(max(busy, score.wait_share or 0.0), score.score, rel_tol=1e-9):
        return ""
    ratio = "IF(AND(ISNUMBER({utilisation}),ISNUMBER({knee})),{utilisation}/{knee},0)"
    return f"MAX({ratio},N({{wait_share}}))".format_map(cells)


# -- capacity --------------------------------------------------------------------------------------------


class _Day(NamedTuple):
    """A measured day of a resource, or one of its band."""

    outlook: CaseOutlook
    day: int
    value: float | None = None
    low: float | None = None
    centre: float | None = None
    high: float | None = None


def _capacity_sheet(context: Context, book: Book) -> None:
    """Measured days and the band, one line for each day of each resource."""
    outlooks, text, words = context.case.analysis.capacity, context.text, context.words

    def figure(name: str, value: Callable[[_Day], float | None]) -> Column[_Day]:
        return Column(name, f"report.case_capacity.{name}", value, FIGURE, width=13)

    Register(
        context,
        book,
        "sheet.capacity",
        text("section.capacity"),
        " ".join(outlook.headline for outlook in outlooks[:1]),
        (day for outlook in outlooks for day in _days(outlook)),
    ).write(
        Column(
            "resource",
            "report.bottleneck.resource",
            lambda row: f"{words.host(row.outlook.host)} {row.outlook.name}".strip(),
            width=40,
        ),
        Column("unit", "report.workbook.unit", lambda row: words.unit(row.outlook.unit), width=8),
        Column("day", "report.case_capacity.day", lambda row: day_text(context, row.day), width=12),
        figure("value", lambda row: row.value),
        figure("low", lambda row: row.low),
        figure("centre", lambda row: row.centre),
        figure("high", lambda row: row.high),
        figure("limit", lambda row: row.outlook.limit),
        Column("evidence", "report.column.evidence", lambda row: ", ".join(row.outlook.evidence), width=14),
    )


def _days(outlook: CaseOutlook) -> Iterator[_Day]:
    for day, value in zip(outlook.days, outlook.values, strict=True):
        yield _Day(outlook, day, value)
    for day, low, centre, high in zip(outlook.future_days, outlook.low, outlook.centre, outlook.high, strict=True):
        yield _Day(outlook, day, None, low, centre, high)
