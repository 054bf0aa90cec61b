"""Sheets of the analysis: verdicts, comparability, findings, USE table, bottleneck, capacity."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from math import isclose, isfinite

from tunebench.reporting.cases.analysis import CaseOutlook, CaseScore, CaseUse
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
from tunebench.reporting.xlsx.columns import put_table
from tunebench.reporting.xlsx.sheet import Book, Content, Formula, Head
from tunebench.reporting.xlsx.sheets_data import (
    HEADER_ROW,
    known,
    put_columns,
    put_register,
    put_rows,
    table_heads,
    table_rows,
)
from tunebench.reporting.xlsx.sheets_experiments import experiment_sheets
from tunebench.reporting.xlsx.sheets_occurrences import load_sheet, occurrence_sheet
from tunebench.reporting.xlsx.verdict_columns import verdict_columns

RATIO_FORMAT, P_FORMAT, SHARE_FORMAT = "0.000", "0.0000", "0.0%"
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
    titles = (text("section.comparison"), " ".join(notes))
    columns = verdict_columns(context)
    put_table(book, text("sheet.verdicts"), titles, columns, judged, context.words.locale, raised=("why",))


def _gate_sheet(context: Context, book: Book) -> None:
    text, table = context.text, gate_table(context)
    heads = table_heads(table, (8, 22, 14, 100))
    put_register(book, text("sheet.gate"), (table.caption, text("case_gate.note")), heads, table_rows(table))


# -- findings --------------------------------------------------------------------------------------------


def _finding_sheet(context: Context, book: Book) -> None:
    """Every finding with the words it stands on."""
    analysis, text = context.case.analysis, context.text
    rules = {rule.id: rule for rule in analysis.rules}
    names = ("phase", "severity")
    texts = ("rule", "title", "what_thing", "figures")
    heads = [
        *(Head(text(f"column.{name}"), width=12) for name in names),
        *(Head(text(f"finding.{name}"), width=width) for name, width in zip(texts, (12, 34, 24, 40), strict=True)),
        Head(text("finding.held"), "tb integer", 10),
        Head(text("finding.judged"), "tb integer", 10),
        Head(text("finding.share"), "tb number", 10, SHARE_FORMAT),
        *(Head(text(f"finding.{name}"), width=44) for name in ("where", "cautions")),
        Head(text("finding.later"), width=18),
        *(Head(text(f"finding.{name}"), width=50) for name in ("condition", "caveat", "action", "source", "quote")),
        Head(text("column.evidence"), width=14),
    ]
    rows: list[list[Content]] = []
    for down, each in enumerate(analysis.findings, HEADER_ROW + 1):
        found, rule = each.found, rules.get(each.found.rule)
        told = (rule.condition, rule.caveat, rule.action, rule.source, quoted(rule.quote)) if rule else ("",) * 5
        share: Content = "–"
        if found.share is not None and found.n:
            share = Formula(f"G{down}/H{down}", found.held / found.n)
        rows.append(
            [
                text(f"phase.{each.phase}"),
                each.severity_words,
                found.rule,
                each.title,
                each.thing,
                each.figures,
                found.held,
                found.n,
                share,
                "\n".join(each.stretches) or "–",
                "\n".join(each.cautions) or "–",
                each.later or "–",
                *(part or "–" for part in told),
                ", ".join(each.evidence) or "–",
            ]
        )
    put_register(book, text("sheet.findings"), (text("section.findings"), text("finding.lead")), heads, rows)


def _unjudged_sheet(context: Context, book: Book) -> None:
    text = context.text
    titles = (text("section.unjudged"), text("finding.note_unjudged"))
    put_columns(
        book,
        text("sheet.unjudged"),
        titles,
        zip(context.case.analysis.unjudged),
        (Head(text("finding.rule"), width=12), lambda each: each.rule),
        (Head(text("finding.title"), width=40), lambda each: each.title),
        (Head(text("column.phase"), width=14), lambda each: ", ".join(text(f"phase.{phase}") for phase in each.phases)),
        (Head(text("column.hosts"), width=18), lambda each: ", ".join(each.hosts) or "–"),
        (Head(text("finding.why"), width=30), lambda each: each.reason),
        (Head(text("finding.missing"), width=60), lambda each: each.missing or "–"),
    )


def _use_sheet(context: Context, book: Book) -> None:
    """One line for each cell of the USE table on each side."""
    text = context.text
    heads = [
        Head(text("column.host"), width=18),
        Head(text("case_use.resource"), width=26),
        Head(text("case_use.aspect"), width=12),
        Head(text("column.phase"), width=12),
        Head(text("case_use.told"), width=52),
        Head(text("column.statistic"), width=10),
        Head(text("case_experiment.value"), "tb number", 14, "#,##0.###"),
        Head(text("workbook.unit"), width=10),
        Head("n", "tb integer", 9),
        Head(text("column.severity"), width=10),
        Head(text("column.evidence"), width=14),
    ]
    put_register(book, text("sheet.use"), (text("case_use.caption"), text("case_use.note")), heads, _use_rows(context))


def _use_rows(context: Context) -> Iterator[list[Content]]:
    text = context.text
    for row in context.case.analysis.use:
        for place, aspect in enumerate(_ASPECTS):
            for phase, cells in (("before", row.before), ("after", row.after)):
                if cells is not None:
                    shown = _use_cells(context, cells[place])
                    yield [row.host, row.resource, text(f"case_use.{aspect}"), text(f"phase.{phase}"), *shown]


def _use_cells(context: Context, used: CaseUse) -> Sequence[Content]:
    cell, missing = used.cell, context.words.missing
    return (
        used.words,
        cell.statistic if cell.measured else "–",
        cell.value if cell.measured else missing,
        used.unit,
        cell.n if cell.measured else missing,
        used.severity_words or "–",
        ", ".join(used.evidence) or "–",
    )


# -- bottleneck ------------------------------------------------------------------------------------------


def _bottleneck_sheet(context: Context, book: Book) -> None:
    shift, text = context.case.analysis.shift, context.text
    if shift is None:
        return
    sheet = book.sheet(text("sheet.bottleneck"), landscape=True)
    sheet.title(text("section.bottleneck"), shift.sentence)
    shares, figures = ("utilisation", "knee", "wait_share"), ("score", "queue")
    heads = [
        Head(text("bottleneck.resource"), width=34),
        Head(text("column.phase"), width=12),
        Head(text("bottleneck.rank"), "tb integer", 8),
        *(Head(text(f"bottleneck.{name}"), "tb number", 14, SHARE_FORMAT) for name in shares),
        *(Head(text(f"bottleneck.{name}"), "tb number", 14, "0.00") for name in figures),
        Head("n", "tb integer", 9),
        Head(text("column.evidence"), width=14),
    ]
    sides = (
        (row.name, phase, score)
        for row in shift.resources
        for phase, score in (("before", row.before), ("after", row.after))
        if score is not None
    )
    rows: list[list[Content]] = [
        [name, text(f"phase.{phase}"), *_score_cells(context, score, down), ", ".join(score.evidence) or "–"]
        for down, (name, phase, score) in enumerate(sides, HEADER_ROW + 1)
    ]
    last = put_rows(sheet, heads, rows)
    told = (shift.before, shift.after, shift.gain, text("bottleneck.note"), *shift.drop_offs, *shift.laws)
    for down, sentence in enumerate((each for each in told if each), last + 2):
        sheet.put_note(down, sentence, len(heads), 30)


def _score_cells(context: Context, placed: CaseScore, down: int) -> list[Content]:
    """The score is the larger of U / knee and the share of waiting, reckoned by the sheet itself."""
    missing, score = context.words.missing, placed.score
    shares = [known(value, missing) for value in (score.utilisation, score.knee, score.wait_share)]
    busy = score.utilisation / score.knee if score.utilisation is not None and score.knee else 0.0
    reckoned = max(busy, score.wait_share or 0.0)
    told: Content = score.score
    if isclose(reckoned, score.score, rel_tol=1e-9):
        told = Formula(f"MAX(IF(AND(ISNUMBER(D{down}),ISNUMBER(E{down})),D{down}/E{down},0),N(F{down}))", score.score)
    return [placed.place, *shares, told, known(score.queue, missing), score.n]


# -- capacity --------------------------------------------------------------------------------------------


def _capacity_sheet(context: Context, book: Book) -> None:
    """Measured days and the band, one line for each day of each resource."""
    found, text = context.case.analysis.capacity, context.text
    heads = [
        Head(text("bottleneck.resource"), width=40),
        Head(text("workbook.unit"), width=8),
        Head(text("case_capacity.day"), width=12),
        *(Head(text(f"case_capacity.{name}"), "tb number", 13) for name in ("value", "low", "centre", "high", "limit")),
        Head(text("column.evidence"), width=14),
    ]
    rows = (row for each in found for row in _capacity_rows(context, each))
    titles = (text("section.capacity"), " ".join(each.headline for each in found[:1]))
    put_register(book, text("sheet.capacity"), titles, heads, rows)


def _capacity_rows(context: Context, found: CaseOutlook) -> Iterator[list[Content]]:
    name, unit = f"{context.words.host(found.host)} {found.name}".strip(), context.words.unit(found.unit)
    evidence = ", ".join(found.evidence)
    for day, value in zip(found.days, found.values, strict=True):
        level: Content = value if isfinite(value) else context.words.missing
        yield [name, unit, day_text(context, day), level, "–", "–", "–", found.limit, evidence]
    for day, low, centre, high in zip(found.future_days, found.low, found.centre, found.high, strict=True):
        yield [name, unit, day_text(context, day), "–", low, centre, high, found.limit, evidence]
