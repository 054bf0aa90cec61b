"""Comparability and verdicts: the ten checks, every compared series with its uncertainty, and how it was reckoned."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from math import inf

from tunebench.analysis.comparing import stationarity
from tunebench.analysis.comparing.comparison import FALSE_DISCOVERIES, MARGIN, ComparedSeries
from tunebench.analysis.comparing.deciding import ASSUMED_SD, SAMPLED_CPU_MARGIN
from tunebench.analysis.comparing.equal_load import MOST_CHANGE
from tunebench.analysis.comparing.judging import LEAST_EFFECTIVE, LEAST_S, LEAST_SAMPLES
from tunebench.analysis.inference.occurrences import (
    ASSUMED_DF,
    FEWEST_PAIRS,
    LEAST_ASSUMED_DF,
    MOST_DF_OF_A_KIND,
    Source,
)
from tunebench.analysis.inference.verdict import Verdict
from tunebench.columns.comparing_words import (
    caution_text,
    further_statistics,
    method_text,
    ratio_text,
    reason_text,
    row_text,
    settling_text,
    statistic_ratio_text,
    variation_brief,
    verdict_of,
)
from tunebench.columns.formats import decimals_for
from tunebench.core.grouping import by_key
from tunebench.core.records import record
from tunebench.domain.assembly import Span
from tunebench.domain.engagement import Phase
from tunebench.domain.windows import WindowLoad
from tunebench.reporting.calling import called, tone_of
from tunebench.reporting.cases.analysis import Judged
from tunebench.reporting.cases.case import ResourceSeries
from tunebench.reporting.chapters.context import (
    FIXED,
    NUMBER,
    TEXT,
    Context,
    change_cells,
    evidence_text,
    shortened,
    table_of,
)
from tunebench.reporting.chapters.judged import of_document
from tunebench.reporting.document import Badge, Block, Cell, KeyValueTable, Note, Paragraph, Table, TableHead, Tone
from tunebench.reporting.wording import grouped

COMPARISON_SHOWN = 20
"""Rows of the comparison in the main part, besides what got worse."""
WORSE_SHOWN = 40
RESOURCE_SHOWN = 6
"""Series of each resource in the appendix; the workbook has all of them."""
APART_SHOWN = 20
INPUTS_SHOWN = 8
_METHOD = (
    *("unit", "primary", "variation", "pairing", "load", "refusals", "margin", "many"),
    *("percentiles", "rounding", "seeds", "recompute"),
)
_OFTEN = 3
"""A sentence that so many rows share stands once below the table."""
_TONES = {"refuse": Tone.BAD, "adjust": Tone.WARNING}
_SURE = (Verdict.IMPROVED, Verdict.REGRESSED)
_TOLD = (Verdict.IMPROVED, Verdict.REGRESSED, Verdict.EQUIVALENT, Verdict.INCONCLUSIVE)


# -- comparability ---------------------------------------------------------------------------------------


def comparability(context: Context, *, short: bool = False) -> Badge:
    """Whether the windows may be compared, and what came of it.

    Args:
        short: for the summary, which has one page.
    """
    case, text = context.case, context.text
    gate = case.analysis.gate
    if not gate:
        if case.alone:
            return Badge(text("badge.single_label"), text("badge.single"))
        compared = bool(case.series or case.databases or case.comparison)
        return Badge(text("badge.label"), text("badge.captured" if compared else "badge.published"))
    refused = case.analysis.refused
    states = Counter(check.state for check in gate)
    facts = {state: states[state] for state in ("pass", "adjust", "unknown", "refuse")}
    if refused:
        return Badge(text("badge.refused", checks=", ".join(refused)), text("badge.refused_text"), Tone.BAD)
    key = "badge.passed" if states["pass"] == len(gate) else "badge.adjusted"
    if short:
        return Badge(text(key), f"{counts_text(context)} {text('badge.summary_is_descriptive')}")
    return Badge(text(key), f"{text('badge.checks', count=len(gate), **facts)} {counts_text(context)}")


def counts_text(context: Context) -> str:
    """The verdicts of the resources as the answer counts them; how many series were not measured on both sides."""
    compared, apart = by_measured(context)
    sentences = [f"{of_document(context, context.answer.counts)}."] if compared and context.answer is not None else []
    if apart:
        sentences.append(context.text("verdict.apart", count=f"{len(apart):,}"))
    return " ".join(sentences)


def by_measured(context: Context) -> tuple[list[Judged], list[Judged]]:
    """The series with samples on both sides, and the others: nothing is compared with what was not measured."""
    sides: tuple[list[Judged], list[Judged]] = ([], [])
    for judged in context.case.comparison:
        sides[not judged.row.measured_on_both].append(judged)
    return sides


def gate_blocks(context: Context) -> Iterator[Block]:
    """The checks C1 to C10, and where a window may be split."""
    analysis = context.case.analysis
    if not analysis.gate:
        return
    yield gate_table(context)
    if analysis.splits:
        yield Note("\n".join((context.text("case_gate.splits"), *(f"· {split}" for split in analysis.splits))))


def gate_table(context: Context) -> Table:
    text = context.text
    return table_of(
        text("case_gate.caption"),
        context.case.analysis.gate,
        (TableHead(text("case_gate.check"), FIXED), lambda check: check.check),
        (TableHead(text("case_gate.title"), TEXT, 1.1), lambda check: check.title),
        (
            TableHead(text("column.state"), TEXT, 0.8),
            lambda check: Cell(check.state_words, tone=_TONES.get(check.state, Tone.PLAIN)),
        ),
        (TableHead(text("case_gate.sentence"), TEXT, 4), lambda check: check.sentence),
        notes=(text("case_gate.note"),),
    )


def method_blocks(context: Context) -> Iterator[Block]:
    """How verdicts were reached, in full, so that another statistician can reach them too."""
    if any(judged.has_interval for judged in context.case.comparison):
        yield KeyValueTable(_method_rows(context))
        yield _inputs_table(context)


def _method_rows(context: Context) -> tuple[tuple[str, str], ...]:
    facts = {
        "least": LEAST_SAMPLES,
        "n_eff": f"{LEAST_EFFECTIVE:.0f}",
        "pairs": FEWEST_PAIRS,
        "production": f"{100 * ASSUMED_SD[WindowLoad.PRODUCTION]:.0f}",
        "controlled": f"{100 * ASSUMED_SD[WindowLoad.CONTROLLED]:.0f}",
        "df": f"{ASSUMED_DF:.0f}",
        "least_df": f"{LEAST_ASSUMED_DF:.0f}",
        "kind_df": f"{MOST_DF_OF_A_KIND:.0f}",
        "production_min": f"{LEAST_S[WindowLoad.PRODUCTION] / 60:.0f}",
        "controlled_min": f"{LEAST_S[WindowLoad.CONTROLLED] / 60:.0f}",
        "load_change": f"{100 * MOST_CHANGE:.0f}",
        "margin": f"{100 * MARGIN:.0f}",
        "cpu_margin": f"{100 * SAMPLED_CPU_MARGIN:.0f}",
        "q": f"{FALSE_DISCOVERIES:.2f}",
        "judged": sum(1 for judged in context.case.comparison if judged.row.p is not None),
        "seed": stationarity.SEED,
    }
    return tuple((context.text(f"method.{name}"), context.text(f"method.{name}_text", **facts)) for name in _METHOD)


def _inputs_table(context: Context) -> Table:
    """What the headline verdicts were computed from."""
    text, words, rows = context.text, context.words, _inputs(context)
    methods = dict.fromkeys(method_text(judged.row.method, words.language) for judged in rows)
    return table_of(
        text("method.caption_inputs"),
        rows,
        (
            TableHead(text("column.series"), TEXT, 2.4),
            lambda judged: words.label_with_unit(judged.label, judged.row.unit),
        ),
        (TableHead(text("verdict.occurrences"), FIXED), lambda judged: occurrences_text(judged.row) or "–"),
        (
            TableHead(text("verdict.n_eff"), FIXED),
            lambda judged: f"{effective(judged.row.n_eff_before)} / {effective(judged.row.n_eff_after)}",
        ),
        (
            TableHead(text("verdict.estimate"), NUMBER),
            lambda judged: Cell(words.number(judged.row.estimate, 3), judged.row.estimate),
        ),
        (TableHead(text("verdict.interval"), FIXED), lambda judged: interval_text(judged.row)),
        (TableHead(text("verdict.variation"), FIXED), lambda judged: variation_brief(judged.row, words.language)),
        (TableHead("p", NUMBER), lambda judged: _p_cell(judged.row.p)),
        (TableHead(text("verdict.p_adjusted"), NUMBER), lambda judged: _p_cell(judged.row.p_adjusted)),
        (
            TableHead(text("verdict.margin"), NUMBER),
            lambda judged: Cell(f"{100 * judged.row.margin:.0f} %", judged.row.margin),
        ),
        notes=(text("method.note_inputs"), text("method.note_methods", methods=", ".join(methods))),
    )


def _inputs(context: Context) -> Sequence[Judged]:
    """Series with an interval: those of the charts first, then the largest changes."""
    measured = [judged for judged in context.case.comparison if judged.row.interval is not None]
    charted = [series.judged.row for series in context.case.series if series.judged is not None]
    drawn = [judged for judged in measured if judged.row in charted]
    return list(dict.fromkeys((*drawn, *largest_changes(measured))))[:INPUTS_SHOWN]


def occurrences_text(row: ComparedSeries) -> str:
    """``5 / 5``: the occurrences of either side; empty where none was reckoned with."""
    return "" if row.occurrences is None else " / ".join(map(str, row.occurrences))


def effective(n: float | None) -> str:
    return "–" if n is None else grouped(n, 1)


def interval_text(row: ComparedSeries) -> str:
    if row.interval is None:
        return "–"
    return f"[{grouped(row.interval.low, 3)}, {grouped(row.interval.high, 3)}]"


def _p_cell(p: float | None) -> Cell:
    return Cell("–" if p is None else "< 0.001" if p < 0.001 else grouped(p, 3), p)


# -- series by series ------------------------------------------------------------------------------------


def verdict_note(context: Context, series: ResourceSeries) -> list[Block]:
    """Below a chart: what may be concluded from it."""
    judged = series.judged
    if judged is None or series.before is None or series.after is None:
        return []
    row = judged.row
    verdict = row_text(row, context.words.language, context.words.zoneinfo)
    subject = context.text("verdict.of", subject=judged.subject) if judged.subject else ""
    lines = [
        context.text("verdict.line", said=verdict, subject=subject),
        context.text(
            "verdict.basis",
            n_before=f"{series.before.summary.n:,}",
            n_after=f"{series.after.summary.n:,}",
            n_eff_before=effective(row.n_eff_before),
            n_eff_after=effective(row.n_eff_after),
            occurrences=occurrences_text(row) or "–",
            load=load_text(context),
        ),
        *statistic_lines(context, row),
        *variation_lines(context, row),
        *(remark for remark in remarks(context, row) if remark not in verdict),
    ]
    return [Note("\n".join(lines), tone_of(row.own_verdict))]


def statistic_lines(context: Context, row: ComparedSeries) -> Iterator[str]:
    """``p95 2.10x [1.50, 3.00]: improved`` of what is judged beside the mean."""
    for change in further_statistics(row):
        ratio = statistic_ratio_text(change, context.words.language)
        yield f"{change.statistic.value} {ratio}: {context.words.verdict(change.verdict)}"


def variation_lines(context: Context, row: ComparedSeries) -> tuple[str, ...]:
    """The natural variation that was measured; that it is assumed is a caution."""
    if row.variation is None or row.variation.source is Source.ASSUMED:
        return ()
    return (f"{context.text('verdict.variation')} {variation_brief(row, context.words.language)}",)


def remarks(context: Context, row: ComparedSeries) -> list[str]:
    """Why the verdict is what it is, what would decide it, and what has to be known to read it; nothing twice."""
    locale = context.words.locale
    why = (reason_text(row, locale.language, locale.zone), settling_text(row, locale.language))
    cautions = (caution_text(caution, locale.language, locale.zone) for caution in row.cautions)
    return [sentence for sentence in dict.fromkeys((*why, *cautions)) if sentence]


def load_text(context: Context) -> str:
    """The load ratio, or that nobody knows it."""
    ratio = context.case.analysis.load_ratio
    return context.text("unknown") if ratio is None else grouped(ratio, 2)


def largest_changes(compared: Sequence[Judged]) -> tuple[Judged, ...]:
    """The rows of the main part: what got better or worse first, by its effect; what got worse is left out last."""
    ordered = sorted(compared, key=_rank)
    worse = [judged for judged in ordered if judged.row.own_verdict is Verdict.REGRESSED][:WORSE_SHOWN]
    kept = {*worse, *ordered[: max(COMPARISON_SHOWN - len(worse), 0)]}
    return tuple(judged for judged in ordered if judged in kept)


def _rank(judged: Judged) -> tuple[bool, bool, float]:
    row = judged.row
    return (row.own_verdict not in _SURE, row.own_verdict not in _TOLD, inf if row.effect is None else -row.effect)


def largest_of_each(compared: Sequence[Judged]) -> list[Judged]:
    """Of each resource what got worse the most, then what moved the most, in the order in which they are given."""
    of_resource = by_key(
        (_resource_of(judged), judged)
        for judged in sorted(
            compared, key=lambda series: (series.row.own_verdict is not Verdict.REGRESSED, *_rank(series))
        )
    )
    kept = {judged for own in of_resource.values() for judged in own[:RESOURCE_SHOWN]}
    return [judged for judged in compared if judged in kept]


def _resource_of(judged: Judged) -> str:
    """``system.disk``; the tool of what has no canonical name."""
    series = judged.row.series
    return ".".join(series.metric.split(".")[:2]) or series.tool


def comparison(context: Context) -> Iterator[Block]:
    """How many of each verdict, then the largest changes; all series where they are few."""
    rows, apart = by_measured(context)
    counts = counts_text(context)
    if counts:
        yield Paragraph(counts)
    if not has_full_comparison(context):
        yield from _tables(context, rows, rows, apart)
    elif shown := largest_changes(rows):
        caption = context.text("caption.comparison_largest", shown=len(shown), count=f"{len(rows):,}")
        yield _comparison_table(context, shown, caption)


def has_full_comparison(context: Context) -> bool:
    return len(context.case.comparison) > COMPARISON_SHOWN


def full_comparison(context: Context) -> Iterator[Block]:
    """The largest changes of each resource, before above after; apart from them what was not measured on both sides."""
    rows, apart = by_measured(context)
    return _tables(context, largest_of_each(rows), rows, apart)


def _tables(
    context: Context, shown: Sequence[Judged], rows: Sequence[Judged], apart: Sequence[Judged]
) -> Iterator[Block]:
    if shown:
        key = "caption.comparison" if len(shown) == len(rows) else "caption.comparison_resources"
        yield _comparison_table(context, shown, context.text(key, shown=f"{len(shown):,}", count=f"{len(rows):,}"))
    if apart:
        yield shortened(context, _apart_table(context, apart), APART_SHOWN)


def _apart_table(context: Context, apart: Sequence[Judged]) -> Table:
    text, words = context.text, context.words
    return table_of(
        text("caption.apart", count=len(apart)),
        apart,
        (
            TableHead(text("column.series"), TEXT, 3),
            lambda judged: words.label_with_unit(judged.label, judged.row.unit),
        ),
        (TableHead(text("column.host"), TEXT, 1.4), lambda judged: words.host(judged.row.series.host) or words.missing),
        (TableHead(text("verdict.measured_on"), FIXED), lambda judged: _measured_on(context, judged)),
        (
            TableHead(text("column.evidence"), TEXT, 1),
            lambda judged: evidence_text(tuple(dict.fromkeys((*judged.before_evidence, *judged.after_evidence)))),
        ),
        notes=(text("note.apart"),),
    )


def _measured_on(context: Context, judged: Judged) -> str:
    sides = zip(("before", "after"), judged.sides, strict=True)
    return ", ".join(context.text(f"phase.{name}") for name, side in sides if side and side.n) or "–"


@record(frozen=False)
class _Footnotes:
    """Sentences that many rows share, numbered in the order in which they are met."""

    shared: frozenset[str]
    numbers: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, context: Context, compared: Iterable[Judged]) -> _Footnotes:
        counted = Counter(sentence for judged in compared for sentence in remarks(context, judged.row))
        return cls(frozenset(sentence for sentence, count in counted.items() if count >= _OFTEN))

    def lines(self, context: Context, row: ComparedSeries) -> list[str]:
        sentences = remarks(context, row)
        own = [sentence for sentence in sentences if sentence not in self.shared]
        marks = [self.numbers.setdefault(s, len(self.numbers) + 1) for s in sentences if s in self.shared]
        marked = ", ".join(map(str, sorted(marks)))
        return [*own, *([context.text("verdict.see", numbers=marked)] if marks else [])]

    @property
    def notes(self) -> tuple[str, ...]:
        return tuple(f"{number}) {sentence}" for sentence, number in self.numbers.items())


def _comparison_table(context: Context, compared: Sequence[Judged], caption: str) -> Table:
    text = context.text
    dell = any(judged.row.before_quantiles for judged in compared)
    columns = (
        TableHead(text("column.series"), TEXT, 3),
        TableHead("", FIXED),
        TableHead(text("verdict.n_and_eff"), FIXED),
        TableHead(text("statistic.mean"), NUMBER),
        TableHead(text("verdict.p50_hd" if dell else "statistic.p50"), NUMBER),
        TableHead(text("verdict.p95_hd" if dell else "statistic.p95"), NUMBER),
        TableHead(text("statistic.largest"), NUMBER),
        TableHead(text("verdict.ratio_interval"), FIXED),
        TableHead(text("verdict.title"), FIXED),
        TableHead(text("column.evidence"), FIXED),
    )
    footnotes, windows = _Footnotes.of(context, compared), common_windows(compared)
    rows = tuple(_comparison_cells(context, judged, footnotes, windows) for judged in compared)
    notes = (*window_notes(context, windows), text("note.comparison"), *footnotes.notes)
    return Table(caption, columns, rows, notes=notes, dense=True)


_Windows = tuple[Span | None, Span | None]


def common_windows(compared: Sequence[Judged]) -> _Windows:
    counted = Counter(judged.spans for judged in compared if all(judged.spans))
    return counted.most_common(1)[0][0] if counted else (None, None)


def window_notes(context: Context, windows: _Windows) -> list[str]:
    before, after = windows
    if before is None or after is None:
        return []
    return [
        context.text(
            "verdict.windows",
            before=window_text(context, Phase.BEFORE, before),
            after=window_text(context, Phase.AFTER, after),
            zone=context.words.zone,
            load=load_text(context),
        ),
        *context.clocks(),
    ]


def window_text(context: Context, phase: Phase, span: Span) -> str:
    """From when to when a side was measured; of a window with a name or several occurrences these too."""
    moments = context.words.span(*span)
    window = next((window for window in context.case.windows if window.phase is phase), None)
    if window is None or window.covered_by_runs:
        return moments
    return context.text("verdict.window", window=window.name, count=len(window.occurrences), span=moments)


def _own_window(context: Context, judged: Judged, common: _Windows) -> Iterator[str]:
    """The window of a series that begins or ends more than a minute away from that of the others."""
    for name, window, usual in zip(("before", "after"), judged.spans, common, strict=True):
        if window and usual and max(abs(one - other) for one, other in zip(window, usual, strict=True)) > 60e9:
            yield f"{context.text(f'column.{name}_short')} {context.words.span(*window)}"


def _comparison_cells(context: Context, judged: Judged, footnotes: _Footnotes, windows: _Windows) -> tuple[Cell, ...]:
    words, text, row, sides = context.words, context.text, judged.row, judged.sides
    sources = (judged.before_evidence, judged.after_evidence)
    decimals = decimals_for(
        [value for side in sides if side for value in (side.mean, side.p50, side.p95, side.maximum)]
    )
    label = words.label_with_unit(judged.label, row.unit)
    first = (
        label,
        words.host(row.series.host),
        *statistic_lines(context, row),
        *variation_lines(context, row),
        *_own_window(context, judged, windows),
        *footnotes.lines(context, row),
    )

    def stacked(values: Iterable[float | None]) -> Cell:
        return Cell("\n".join(words.number(value, decimals) for value in values))

    return (
        Cell("\n".join(part for part in first if part)),
        Cell(f"{text('column.before_short')}\n{text('column.after_short')}"),
        Cell(_samples(context, judged)),
        stacked(side.mean if side else None for side in sides),
        stacked(quantiles(judged, "p50")),
        stacked(quantiles(judged, "p95")),
        stacked(side.maximum if side else None for side in sides),
        _ratio_cell(context, judged, decimals),
        Cell(verdict_of(row, words.language).replace(" ", "\n"), None, tone_of(row.own_verdict)),
        Cell("\n".join(evidence_text(keys, 2 if len(keys) < 3 else 1) for keys in sources if keys)),
    )


def quantiles(judged: Judged, name: str) -> tuple[float | None, float | None]:
    """Harrell and Davis' estimates where there are any, else the sample's own."""
    estimates = (judged.row.before_quantiles, judged.row.after_quantiles)
    before, after = (
        getattr(dell, name) if dell else getattr(side, name) if side else None
        for dell, side in zip(estimates, judged.sides, strict=True)
    )
    return before, after


def _samples(context: Context, judged: Judged) -> str:
    """``5 · 10,800 (310.0)``: occurrences, samples, independent ones."""
    row = judged.row
    counts = row.occurrences or (None, None)
    return "\n".join(
        context.words.missing
        if side is None
        else ("" if k is None else f"{k} · ") + f"{side.n:,}" + ("" if n is None else f" ({effective(n)})")
        for side, k, n in zip(judged.sides, counts, (row.n_eff_before, row.n_eff_after), strict=True)
    )


def _ratio_cell(context: Context, judged: Judged, decimals: int) -> Cell:
    """Ratio and interval; without an interval the word descriptive stands in its place."""
    row = judged.row
    ratio = ratio_text(row, context.words.language)
    if row.interval is not None:
        return Cell(ratio.replace("; ", "\n").replace(" [", "\n[", 1), row.headline, tone_of(row.own_verdict))
    if row.headline is not None:
        return Cell(f"{ratio}\n{context.text('term.descriptive')}", row.headline)
    before, after = (side.mean if side else None for side in judged.sides)
    change = called(before, after, row.direction, percentage=row.unit == "%")
    cell, _ = change_cells(context, change, decimals)
    return Cell(cell.text, cell.value)
