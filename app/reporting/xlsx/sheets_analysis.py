"""Sheets of the analysis: verdicts, comparability, findings, USE table, bottleneck, capacity."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from datetime import date, timedelta
from math import isclose, isfinite

from app.analysis.comparing.occurrence_figures import Statistic
from app.analysis.inference.verdict import Interval
from app.domain.engagement import Direction
from app.reporting.cases.analysis import CaseOutlook, CaseScore, CaseUse, Judged
from app.reporting.chapters.context import Context
from app.reporting.chapters.findings import quoted
from app.reporting.chapters.verdicts import (
    by_measured,
    common_windows,
    counts_text,
    load_text,
    quantiles,
    remarks,
    window_notes,
)
from app.reporting.wording import decimals_for
from app.reporting.xlsx.sheet import Book, Content, Formula, Head, Sheet
from app.reporting.xlsx.sheets_data import HEADER_ROW, put_rows, put_value
from app.reporting.xlsx.sheets_experiments import experiment_sheets
from app.reporting.xlsx.sheets_occurrences import load_sheet, occurrence_sheet
from app.reporting.xlsx.style import decimal_format

RATIO_FORMAT, P_FORMAT, SHARE_FORMAT = "0.000", "0.0000", "0.0%"
_BESIDE = (Statistic.P95, Statistic.P99)
"""Judged beside the mean."""
_ASPECTS = ("utilisation", "saturation", "errors")


def analysis_sheets(context: Context, book: Book, footer: str, sections: Collection[str]) -> None:
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
            write(context, book, footer)


# -- verdicts --------------------------------------------------------------------------------------------


def _verdict_sheet(context: Context, book: Book, footer: str) -> None:
    """Series by series; those that were not measured on both sides come last, and have no verdict."""
    compared, apart = by_measured(context)
    found = [*compared, *apart]
    if not found:
        return
    text = context.text
    sheet = book.sheet(text("sheet.verdicts"), footer, landscape=True)
    said = (
        text("workbook.verdicts_note"),
        counts_text(context),
        *window_notes(context, common_windows(found)),
        context.case.analysis.driver or text("verdict.basis_load", load=load_text(context)),
    )
    sheet.title(text("section.comparison"), " ".join(said))
    heads = _verdict_heads(context)
    sheet.header(HEADER_ROW, heads)
    for down, judged in enumerate(found, HEADER_ROW + 1):
        _verdict_row(context, sheet, down, judged)
    sheet.as_table(HEADER_ROW, HEADER_ROW + len(found), len(heads))
    sheet.fit(heads)
    for down, judged in enumerate(found, HEADER_ROW + 1):
        sheet.raise_row(down, [*[""] * (len(heads) - 2), _reasons(judged)])


def _verdict_heads(context: Context) -> list[Head]:
    text = context.text
    before, after = text("column.before_short"), text("column.after_short")
    occurrences = text("verdict.occurrences_short")
    numbers = (
        f"{text('statistic.mean')} {before}",
        f"{text('statistic.mean')} {after}",
        text("workbook.mean_ratio"),
        text("verdict.estimate"),
        text("workbook.low"),
        text("workbook.high"),
        "p",
        text("verdict.p_adjusted"),
        text("verdict.margin"),
        text("workbook.difference"),
        text("workbook.difference_low"),
        text("workbook.difference_high"),
        f"{text('verdict.p95_hd')} {before}",
        f"{text('verdict.p95_hd')} {after}",
        f"{occurrences} {before}",
        f"{occurrences} {after}",
        text("verdict.variation"),
        text("workbook.variation_df"),
    )
    return [
        Head(text("column.host")),
        Head(text("column.series")),
        Head(text("workbook.unit")),
        Head(text("verdict.title"), width=14),
        Head(text("column.n_before"), "tb integer"),
        Head(text("column.n_after"), "tb integer"),
        Head(text("workbook.n_eff_before"), "tb number", 12),
        Head(text("workbook.n_eff_after"), "tb number", 12),
        *(Head(name, "tb number", 13) for name in numbers),
        Head(text("workbook.variation_source"), width=34),
        Head(text("workbook.per_unit_of"), width=20),
        *(head for statistic in _BESIDE for head in _statistic_heads(context, statistic)),
        Head(text("workbook.settle_occurrences"), "tb integer", 13),
        Head(text("workbook.settle_change"), "tb number", 13),
        Head(text("workbook.window_before"), width=26),
        Head(text("workbook.window_after"), width=26),
        Head(text("workbook.reason"), width=60),
        Head(text("column.evidence"), width=14),
    ]


def _statistic_heads(context: Context, statistic: Statistic) -> Iterator[Head]:
    """Its mean over the occurrences of either side, and what became of it."""
    names = ("of_occurrences_before", "of_occurrences_after", "ratio", "low", "high")
    for name in names:
        yield Head(context.text(f"workbook.statistic_{name}", statistic=statistic.value), "tb number", 13)
    yield Head(context.text("workbook.statistic_verdict", statistic=statistic.value), width=14)


def _verdict_row(context: Context, sheet: Sheet, down: int, judged: Judged) -> None:
    words, missing, row = context.words, context.words.missing, judged.row
    verdict = judged.words if row.measured_on_both else context.text("verdict.not_measured")
    labels = (words.host(row.series.host) or missing, judged.label, words.unit(row.unit), verdict)
    for across, label in enumerate(labels, 1):
        sheet.put(down, across, label)
    for across, side in enumerate(judged.sides, 5):
        sheet.put(down, across, missing if side is None else side.n, "tb integer")
    for across, size in enumerate((row.n_eff_before, row.n_eff_after), 7):
        put_value(sheet, down, across, size, "#,##0.0", "–")
    means = [side.mean if side else None for side in judged.sides]
    plain = decimal_format(decimals_for(means))
    for across, mean in enumerate(means, 9):
        put_value(sheet, down, across, mean, plain, missing)
    _mean_ratio(context, sheet, down, means, row.direction)
    cells = [
        *_verdict_figures(judged, plain),
        (judged.variation or "–", ""),
        (judged.per_unit_of or "–", ""),
        *(cell for statistic in _BESIDE for cell in _statistic_cells(judged, statistic, plain)),
        (row.settling.occurrences if row.settling else None, "0"),
        (row.settling.change if row.settling else None, SHARE_FORMAT),
        *((words.span(*span) if span else missing, "") for span in judged.spans),
        (_reasons(judged), ""),
        (", ".join((*judged.before_evidence, *judged.after_evidence)), ""),
    ]
    for across, (value, number_format) in enumerate(cells, 12):
        if isinstance(value, str):
            sheet.put(down, across, value)
        else:
            put_value(sheet, down, across, value, number_format, "–")


_Written = tuple[float | str | None, str]
"""A value and its number format; a text has none."""


def _verdict_figures(judged: Judged, plain: str) -> list[_Written]:
    row = judged.row
    share = judged.variation_share
    return [
        (row.estimate, RATIO_FORMAT),
        *((end, RATIO_FORMAT) for end in _ends(row.interval)),
        (row.p, P_FORMAT),
        (row.p_adjusted, P_FORMAT),
        (row.margin, SHARE_FORMAT),
        (row.difference, plain),
        *((end, plain) for end in _ends(row.difference_interval)),
        *((value, plain) for value in quantiles(judged, "p95")),
        *((count, "0") for count in row.occurrences or (None, None)),
        (row.variation.sd if row.variation and share is None else share, plain if share is None else SHARE_FORMAT),
        (row.variation.df if row.variation else None, "0.0"),
    ]


def _statistic_cells(judged: Judged, statistic: Statistic, plain: str) -> list[_Written]:
    found = next((each for each in judged.statistics if each.change.statistic is statistic), None)
    if found is None:
        return [(None, plain)] * 5 + [("–", "")]
    change = found.change
    return [
        (change.before, plain),
        (change.after, plain),
        (change.ratio, RATIO_FORMAT),
        *((end, RATIO_FORMAT) for end in _ends(change.interval)),
        (found.words, ""),
    ]


def _ends(interval: Interval | None) -> tuple[float | None, float | None]:
    return (interval.low, interval.high) if interval else (None, None)


def _mean_ratio(context: Context, sheet: Sheet, down: int, means: Sequence[float | None], direction: Direction) -> None:
    """Before / after where lower is better, else after / before; none unless both are above zero, as on Compare."""
    absent = context.text("change.not_computable")
    upper, lower = (f"I{down}", f"J{down}") if direction is Direction.LOWER else (f"J{down}", f"I{down}")
    top, bottom = means if direction is Direction.LOWER else reversed(means)
    known = top is not None and bottom is not None and isfinite(top) and isfinite(bottom) and min(top, bottom) > 0
    result: float | str = top / bottom if known and top is not None and bottom is not None else absent
    ratio = f'IF(MIN({upper},{lower})<=0,"{absent}",{upper}/{lower})'
    formula = f'IF(AND(ISNUMBER({upper}),ISNUMBER({lower})),{ratio},"{absent}")'
    sheet.put(down, 11, Formula(formula, result), "tb number", RATIO_FORMAT)


def _reasons(judged: Judged) -> str:
    return "\n".join(remarks(judged)) or "–"


def _gate_sheet(context: Context, book: Book, footer: str) -> None:
    gate, text = context.case.analysis.gate, context.text
    if not gate:
        return
    sheet = book.sheet(text("sheet.gate"), footer, landscape=True)
    sheet.title(text("case_gate.caption"), text("case_gate.note"))
    heads = [
        Head(text("case_gate.check"), width=8),
        Head(text("case_gate.title"), width=22),
        Head(text("column.state"), width=14),
        Head(text("case_gate.sentence"), width=100),
    ]
    put_rows(sheet, heads, [[each.check, each.title, each.state_words, each.sentence] for each in gate])


# -- findings --------------------------------------------------------------------------------------------


def _finding_sheet(context: Context, book: Book, footer: str) -> None:
    """Every finding with the words it stands on."""
    analysis, text = context.case.analysis, context.text
    if not analysis.findings:
        return
    rules = {rule.id: rule for rule in analysis.rules}
    sheet = book.sheet(text("sheet.findings"), footer, landscape=True)
    sheet.title(text("section.findings"), text("finding.lead"))
    names = ("phase", "severity")
    texts = ("rule", "title", "what_thing", "figures")
    heads = [
        *(Head(text(f"column.{name}"), width=12) for name in names),
        *(Head(text(f"finding.{name}"), width=width) for name, width in zip(texts, (12, 34, 24, 40), strict=True)),
        Head(text("finding.held"), "tb integer", 10),
        Head(text("finding.judged"), "tb integer", 10),
        Head(text("finding.share"), "tb number", 10),
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
    put_rows(sheet, heads, rows, formats={9: SHARE_FORMAT})


def _unjudged_sheet(context: Context, book: Book, footer: str) -> None:
    text = context.text
    if not context.case.analysis.unjudged:
        return
    sheet = book.sheet(text("sheet.unjudged"), footer, landscape=True)
    sheet.title(text("section.unjudged"), text("finding.note_unjudged"))
    heads = [
        Head(text("finding.rule"), width=12),
        Head(text("finding.title"), width=40),
        Head(text("column.phase"), width=14),
        Head(text("column.hosts"), width=18),
        Head(text("finding.why"), width=30),
        Head(text("finding.missing"), width=60),
    ]
    rows: list[list[Content]] = [
        [
            each.rule,
            each.title,
            ", ".join(text(f"phase.{phase}") for phase in each.phases),
            ", ".join(each.hosts) or "–",
            each.reason,
            each.missing or "–",
        ]
        for each in context.case.analysis.unjudged
    ]
    put_rows(sheet, heads, rows)


def _use_sheet(context: Context, book: Book, footer: str) -> None:
    """One line for each cell of the USE table on each side."""
    rows = list(_use_rows(context))
    if not rows:
        return
    text = context.text
    sheet = book.sheet(text("sheet.use"), footer, landscape=True)
    sheet.title(text("case_use.caption"), text("case_use.note"))
    heads = [
        Head(text("column.host"), width=18),
        Head(text("case_use.resource"), width=26),
        Head(text("case_use.aspect"), width=12),
        Head(text("column.phase"), width=12),
        Head(text("case_use.told"), width=52),
        Head(text("column.statistic"), width=10),
        Head(text("case_experiment.value"), "tb number", 14),
        Head(text("workbook.unit"), width=10),
        Head("n", "tb integer", 9),
        Head(text("column.severity"), width=10),
        Head(text("column.evidence"), width=14),
    ]
    put_rows(sheet, heads, rows, formats={7: "#,##0.###"})


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


def _bottleneck_sheet(context: Context, book: Book, footer: str) -> None:
    shift, text = context.case.analysis.shift, context.text
    if shift is None:
        return
    sheet = book.sheet(text("sheet.bottleneck"), footer, landscape=True)
    sheet.title(text("section.bottleneck"), shift.sentence)
    measures = ("utilisation", "knee", "wait_share", "score", "queue")
    heads = [
        Head(text("bottleneck.resource"), width=34),
        Head(text("column.phase"), width=12),
        Head(text("bottleneck.rank"), "tb integer", 8),
        *(Head(text(f"bottleneck.{name}"), "tb number", 14) for name in measures),
        Head("n", "tb integer", 9),
        Head(text("column.evidence"), width=14),
    ]
    sides = [
        (row.name, phase, score)
        for row in shift.resources
        for phase, score in (("before", row.before), ("after", row.after))
        if score is not None
    ]
    rows = [
        [name, text(f"phase.{phase}"), *_score_cells(context, score, down), ", ".join(score.evidence) or "–"]
        for down, (name, phase, score) in enumerate(sides, HEADER_ROW + 1)
    ]
    formats = {4: SHARE_FORMAT, 5: SHARE_FORMAT, 6: SHARE_FORMAT, 7: "0.00", 8: "0.00"}
    last = put_rows(sheet, heads, rows, formats=formats)
    told = (shift.before, shift.after, shift.gain, text("bottleneck.note"), *shift.notes)
    for down, sentence in enumerate((each for each in told if each), last + 2):
        sheet.put(down, 1, sentence, "tb note")
        sheet.worksheet.merge_cells(start_row=down, start_column=1, end_row=down, end_column=len(heads))
        sheet.worksheet.row_dimensions[down].height = 30


def _score_cells(context: Context, placed: CaseScore, down: int) -> list[Content]:
    """The score is the larger of U / knee and the share of waiting, reckoned by the sheet itself."""
    missing, score = context.words.missing, placed.score
    shares = [missing if value is None else value for value in (score.utilisation, score.knee, score.wait_share)]
    busy = score.utilisation / score.knee if score.utilisation is not None and score.knee else 0.0
    reckoned = max(busy, score.wait_share or 0.0)
    told: Content = score.score
    if isclose(reckoned, score.score, rel_tol=1e-9):
        told = Formula(f"MAX(IF(AND(ISNUMBER(D{down}),ISNUMBER(E{down})),D{down}/E{down},0),N(F{down}))", score.score)
    return [placed.place, *shares, told, missing if score.queue is None else score.queue, score.n]


# -- capacity --------------------------------------------------------------------------------------------


def _capacity_sheet(context: Context, book: Book, footer: str) -> None:
    """Measured days and the band, one line for each day of each resource."""
    found, text = context.case.analysis.capacity, context.text
    if not found:
        return
    sheet = book.sheet(text("sheet.capacity"), footer, landscape=True)
    sheet.title(text("section.capacity"), " ".join(each.headline for each in found[:1]))
    heads = [
        Head(text("bottleneck.resource"), width=40),
        Head(text("workbook.unit"), width=8),
        Head(text("case_capacity.day"), width=12),
        *(Head(text(f"case_capacity.{name}"), "tb number", 13) for name in ("value", "low", "centre", "high", "limit")),
        Head(text("column.evidence"), width=14),
    ]
    put_rows(sheet, heads, [row for each in found for row in _capacity_rows(context, each)])


def _capacity_rows(context: Context, found: CaseOutlook) -> Iterator[list[Content]]:
    name, unit = f"{context.words.host(found.host)} {found.name}".strip(), context.words.unit(found.unit)
    evidence = ", ".join(found.evidence)
    for day, value in zip(found.days, found.values, strict=True):
        measured: Content = value if isfinite(value) else context.words.missing
        yield [name, unit, _day(context, day), measured, "–", "–", "–", found.limit, evidence]
    for day, low, centre, high in zip(found.future_days, found.low, found.centre, found.high, strict=True):
        yield [name, unit, _day(context, day), "–", low, centre, high, found.limit, evidence]


def _day(context: Context, number: int) -> str:
    return context.words.date((date(1970, 1, 1) + timedelta(days=number)).isoformat())
