"""Sheets of the analysis: verdicts, comparability, findings, USE table, bottleneck, capacity."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from math import isclose, isfinite

from tunebench.analysis.comparing.occurrence_figures import Statistic
from tunebench.analysis.inference.verdict import Interval
from tunebench.domain.engagement import Direction
from tunebench.reporting.cases.analysis import CaseOutlook, CaseScore, CaseUse, Judged
from tunebench.reporting.chapters.capacity import day_text
from tunebench.reporting.chapters.context import Context
from tunebench.reporting.chapters.findings import quoted
from tunebench.reporting.chapters.verdicts import (
    by_measured,
    common_windows,
    counts_text,
    gate_table,
    load_text,
    quantiles,
    remarks,
    window_notes,
)
from tunebench.reporting.wording import decimals_for
from tunebench.reporting.xlsx.sheet import Book, Content, Formatted, Formula, Head
from tunebench.reporting.xlsx.sheets_data import (
    HEADER_ROW,
    known,
    measured,
    put_columns,
    put_register,
    put_rows,
    table_heads,
    table_rows,
)
from tunebench.reporting.xlsx.sheets_experiments import experiment_sheets
from tunebench.reporting.xlsx.sheets_occurrences import load_sheet, occurrence_sheet
from tunebench.reporting.xlsx.style import decimal_format

RATIO_FORMAT, P_FORMAT, SHARE_FORMAT = "0.000", "0.0000", "0.0%"
_BESIDE = (Statistic.P95, Statistic.P99)
"""Judged beside the mean."""
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
    found = [*compared, *apart]
    text = context.text
    said = (
        text("workbook.verdicts_note"),
        counts_text(context),
        *window_notes(context, common_windows(found)),
        context.case.analysis.driver or text("verdict.basis_load", load=load_text(context)),
    )
    heads = _verdict_heads(context)
    rows = [_verdict_row(context, judged, down) for down, judged in enumerate(found, HEADER_ROW + 1)]
    titles = (text("section.comparison"), " ".join(said))
    put_register(book, text("sheet.verdicts"), titles, heads, rows, raised=(len(heads) - 1,))


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
        Head(text("workbook.settle_occurrences"), "tb number", 13),
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


def _verdict_row(context: Context, judged: Judged, down: int) -> list[Content]:
    words, missing, row = context.words, context.words.missing, judged.row
    means = [side.mean if side else None for side in judged.sides]
    plain = decimal_format(decimals_for(means))
    return [
        words.host(row.series.host) or missing,
        judged.label,
        words.unit(row.unit),
        judged.words if row.measured_on_both else context.text("verdict.not_measured"),
        *(missing if side is None else side.n for side in judged.sides),
        *(measured(size, "#,##0.0", "–") for size in (row.n_eff_before, row.n_eff_after)),
        *(measured(mean, plain, missing) for mean in means),
        _mean_ratio(context, down, means, row.direction),
        *(measured(value, number_format, "–") for value, number_format in _verdict_figures(judged, plain)),
        judged.variation or "–",
        judged.per_unit_of or "–",
        *(cell for statistic in _BESIDE for cell in _statistic_cells(judged, statistic, plain)),
        measured(row.settling.occurrences if row.settling else None, "0", "–"),
        measured(row.settling.change if row.settling else None, SHARE_FORMAT, "–"),
        *(words.span(*span) if span else missing for span in judged.spans),
        "\n".join(remarks(judged)) or "–",
        ", ".join((*judged.before_evidence, *judged.after_evidence)),
    ]


def _verdict_figures(judged: Judged, plain: str) -> list[tuple[float | None, str]]:
    """From the estimate to the degrees of freedom, each with its number format."""
    row, share = judged.row, judged.variation_share
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


def _statistic_cells(judged: Judged, statistic: Statistic, plain: str) -> list[Content]:
    found = next((each for each in judged.statistics if each.change.statistic is statistic), None)
    if found is None:
        return ["–"] * 6
    change = found.change
    sides = [measured(value, plain, "–") for value in (change.before, change.after)]
    ratios = [measured(value, RATIO_FORMAT, "–") for value in (change.ratio, *_ends(change.interval))]
    return [*sides, *ratios, found.words]


def _ends(interval: Interval | None) -> tuple[float | None, float | None]:
    return (interval.low, interval.high) if interval else (None, None)


def _mean_ratio(context: Context, down: int, means: Sequence[float | None], direction: Direction) -> Formatted:
    """Before / after where lower is better, else after / before; none unless both are above zero, as on Compare."""
    absent = context.text("change.not_computable")
    upper, lower = (f"I{down}", f"J{down}") if direction is Direction.LOWER else (f"J{down}", f"I{down}")
    top, bottom = means if direction is Direction.LOWER else reversed(means)
    known = top is not None and bottom is not None and isfinite(top) and isfinite(bottom) and min(top, bottom) > 0
    result: float | str = top / bottom if known and top is not None and bottom is not None else absent
    ratio = f'IF(MIN({upper},{lower})<=0,"{absent}",{upper}/{lower})'
    formula = f'IF(AND(ISNUMBER({upper}),ISNUMBER({lower})),{ratio},"{absent}")'
    return Formatted(Formula(formula, result), RATIO_FORMAT)


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
