"""Comparability and verdicts: the ten checks, every compared series with its uncertainty, and how it was reckoned."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import inf

from app.analysis.comparing import stationarity
from app.analysis.comparing.comparison import FALSE_DISCOVERIES, MARGIN, ComparedSeries, Parts
from app.analysis.comparing.deciding import SAMPLED_CPU_MARGIN
from app.analysis.comparing.judging import LEAST_EFFECTIVE, LEAST_SAMPLES
from app.analysis.inference.verdict import Verdict
from app.analysis.statistics import Statistics
from app.reporting.calling import called
from app.reporting.cases.analysis import CaseCheck, Judged
from app.reporting.cases.case import ResourceSeries
from app.reporting.chapters.context import FIXED, NUMBER, TEXT, Context, change_cells, evidence_text
from app.reporting.document import Badge, Block, Cell, Column, KeyValueTable, Note, Paragraph, Table, Tone
from app.reporting.figures import FigureRow
from app.reporting.wording import decimals_for, grouped

COMPARISON_SHOWN = 20
"""Rows of the comparison in the main part; all of them stand in the appendix."""
INPUTS_SHOWN = 8
_OFTEN = 3
"""A sentence that so many rows share stands once below the table."""
_TONES = {"refuse": Tone.BAD, "adjust": Tone.WARNING}
_MARKED = {Verdict.REGRESSED: Tone.BAD, Verdict.IMPROVED: Tone.STRONG}
_SURE = (Verdict.IMPROVED, Verdict.REGRESSED)
_TOLD = (Verdict.IMPROVED, Verdict.REGRESSED, Verdict.EQUIVALENT, Verdict.INCONCLUSIVE)


# -- comparability ---------------------------------------------------------------------------------------


def has_verdicts(context: Context) -> bool:
    return any(judged.has_interval for judged in context.case.comparison)


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
    """``39 improved, 3 regressed ...`` of all compared series."""
    found = Counter(judged.row.verdict for judged in context.case.comparison)
    words = {judged.row.verdict: judged.words for judged in context.case.comparison}
    counted = ", ".join(f"{words[verdict]} {found[verdict]:,}" for verdict in Verdict if found[verdict])
    if not counted:
        return ""
    return context.text("verdict.counts", count=f"{len(context.case.comparison):,}", counts=counted)


def gate_blocks(context: Context) -> list[Block]:
    """The checks C1 to C10, and where a window may be split."""
    analysis = context.case.analysis
    if not analysis.gate:
        return []
    blocks: list[Block] = [_gate_table(context, analysis.gate)]
    if analysis.splits:
        blocks.append(Note("\n".join((context.text("case_gate.splits"), *(f"· {each}" for each in analysis.splits)))))
    return blocks


def _gate_table(context: Context, gate: Sequence[CaseCheck]) -> Table:
    text = context.text
    columns = (
        Column(text("case_gate.check"), FIXED),
        Column(text("case_gate.title"), TEXT, 1.1),
        Column(text("column.state"), TEXT, 0.8),
        Column(text("case_gate.sentence"), TEXT, 4),
    )
    rows = tuple(
        (
            Cell(check.check),
            Cell(check.title),
            Cell(check.state_words, None, _TONES.get(check.state, Tone.PLAIN)),
            Cell(check.sentence),
        )
        for check in gate
    )
    return Table(text("case_gate.caption"), columns, rows, notes=(text("case_gate.note"),), dense=True)


def method_blocks(context: Context) -> list[Block]:
    """How verdicts were reached, in full, so that another statistician can reach them too."""
    if not has_verdicts(context):
        return []
    return [KeyValueTable(_method_rows(context)), _inputs_table(context)]


def _method_rows(context: Context) -> tuple[tuple[str, str], ...]:
    facts = {
        "least": LEAST_SAMPLES,
        "n_eff": f"{LEAST_EFFECTIVE:.0f}",
        "margin": f"{100 * MARGIN:.0f}",
        "cpu_margin": f"{100 * SAMPLED_CPU_MARGIN:.0f}",
        "q": f"{FALSE_DISCOVERIES:.2f}",
        "judged": sum(1 for judged in context.case.comparison if judged.row.p is not None),
        "seed": stationarity.SEED,
    }
    names = ("primary", "refusals", "margin", "many", "percentiles", "rounding", "seeds", "recompute")
    return tuple((context.text(f"method.{name}"), context.text(f"method.{name}_text", **facts)) for name in names)


def _inputs_table(context: Context) -> Table:
    """What the headline verdicts were computed from."""
    text = context.text
    columns = (
        Column(text("column.series"), TEXT, 2.4),
        Column(text("verdict.n"), FIXED),
        Column(text("verdict.n_eff"), FIXED),
        Column(text("column.ratio_short"), NUMBER),
        Column(text("verdict.interval"), FIXED),
        Column("p", NUMBER),
        Column(text("verdict.p_adjusted"), NUMBER),
        Column(text("verdict.margin"), NUMBER),
    )
    found = _inputs(context)
    rows = tuple(_inputs_cells(context, judged) for judged in found)
    methods = dict.fromkeys(judged.method for judged in found)
    notes = (text("method.note_inputs"), text("method.note_methods", methods=", ".join(methods)))
    return Table(text("method.caption_inputs"), columns, rows, notes=notes, dense=True)


def _inputs(context: Context) -> Sequence[Judged]:
    """Those of the charts first, then the largest changes, each with an interval."""
    found = [judged for judged in context.case.comparison if judged.row.interval is not None]
    charted = [series.judged.row for series in context.case.series if series.judged is not None]
    drawn = [judged for judged in found if judged.row in charted]
    return list(dict.fromkeys((*drawn, *largest_changes(found))))[:INPUTS_SHOWN]


def _inputs_cells(context: Context, judged: Judged) -> tuple[Cell, ...]:
    words, row = context.words, judged.row
    return (
        Cell(words.label_with_unit(judged.label, row.unit)),
        Cell(" / ".join(_count(side, words.missing) for side in judged.sides)),
        Cell(f"{effective(row.n_eff_before)} / {effective(row.n_eff_after)}"),
        Cell(words.number(row.headline, 3), row.headline),
        Cell(interval_text(row)),
        Cell(p_text(row.p), row.p),
        Cell(p_text(row.p_adjusted), row.p_adjusted),
        Cell(f"{100 * row.margin:.0f} %", row.margin),
    )


def _count(side: Statistics | None, missing: str) -> str:
    return missing if side is None else f"{side.n:,}"


def effective(n: float | None) -> str:
    return "–" if n is None else grouped(n, 1)


def interval_text(row: ComparedSeries) -> str:
    if row.interval is None:
        return "–"
    return f"[{grouped(row.interval.low, 3)}, {grouped(row.interval.high, 3)}]"


def p_text(p: float | None) -> str:
    return "–" if p is None else "< 0.001" if p < 0.001 else grouped(p, 3)


# -- series by series ------------------------------------------------------------------------------------


def verdict_note(context: Context, series: ResourceSeries) -> list[Block]:
    """Below a chart: what may be concluded from it."""
    judged = series.judged
    if judged is None or series.before is None or series.after is None:
        return []
    subject = context.text("verdict.of", subject=judged.subject) if judged.subject else ""
    lines = [
        context.text("verdict.line", said=judged.said, subject=subject),
        context.text(
            "verdict.basis",
            n_before=f"{series.before.summary.n:,}",
            n_after=f"{series.after.summary.n:,}",
            n_eff_before=effective(judged.row.n_eff_before),
            n_eff_after=effective(judged.row.n_eff_after),
            load=load_text(context),
        ),
        *judged.cautions,
    ]
    return [Note("\n".join(lines), Tone.WARNING if judged.row.verdict is Verdict.REGRESSED else Tone.PLAIN)]


def load_text(context: Context) -> str:
    """The load ratio, or that nobody knows it."""
    ratio = context.case.analysis.load_ratio
    return context.text("unknown") if ratio is None else grouped(ratio, 2)


def largest_changes(found: Sequence[Judged]) -> tuple[Judged, ...]:
    """The rows of the main part: what got better or worse first, by its effect; no regression is left out."""

    def rank(judged: Judged) -> tuple[bool, bool, float]:
        row = judged.row
        return (row.verdict not in _SURE, row.verdict not in _TOLD, inf if row.effect is None else -row.effect)

    ordered = sorted(found, key=rank)
    worse = [judged for judged in ordered if judged.row.verdict is Verdict.REGRESSED]
    kept = {*worse, *ordered[: max(COMPARISON_SHOWN - len(worse), 0)]}
    return tuple(judged for judged in ordered if judged in kept)


def comparison(context: Context) -> list[Block]:
    """How many of each verdict, then the largest changes; all series where they are few."""
    rows = context.case.comparison
    counts = counts_text(context)
    blocks: list[Block] = [Paragraph(counts)] if counts else []
    if len(rows) <= COMPARISON_SHOWN:
        return [*blocks, _comparison_table(context, rows, context.text("caption.comparison", count=len(rows)))]
    shown = largest_changes(rows)
    caption = context.text("caption.comparison_largest", shown=len(shown), count=len(rows))
    return [*blocks, _comparison_table(context, shown, caption)]


def full_comparison(context: Context) -> list[Block]:
    """Every captured series, before above after in one row."""
    rows = context.case.comparison
    return [_comparison_table(context, rows, context.text("caption.comparison", count=len(rows)))]


@dataclass(slots=True)
class _Footnotes:
    """Sentences that many rows share, numbered in the order in which they are met."""

    shared: frozenset[str]
    numbers: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, found: Iterable[Judged]) -> _Footnotes:
        counted = Counter(sentence for judged in found for sentence in remarks(judged))
        return cls(frozenset(sentence for sentence, count in counted.items() if count >= _OFTEN))

    def lines(self, context: Context, judged: Judged) -> list[str]:
        own = [sentence for sentence in remarks(judged) if sentence not in self.shared]
        marks = [self.numbers.setdefault(s, len(self.numbers) + 1) for s in remarks(judged) if s in self.shared]
        marked = ", ".join(map(str, sorted(marks)))
        return [*own, *([context.text("verdict.see", numbers=marked)] if marks else [])]

    @property
    def notes(self) -> tuple[str, ...]:
        return tuple(f"{number}) {sentence}" for sentence, number in self.numbers.items())


def remarks(judged: Judged) -> tuple[str, ...]:
    """Why the verdict is what it is, and what has to be known to read it."""
    return tuple(sentence for sentence in (judged.reason, *judged.cautions) if sentence)


def _comparison_table(context: Context, compared: Sequence[Judged], caption: str) -> Table:
    text = context.text
    dell = any(judged.row.before_quantiles for judged in compared)
    columns = (
        Column(text("column.series"), TEXT, 3),
        Column("", FIXED),
        Column(text("verdict.n_and_eff"), FIXED),
        Column(text("statistic.mean"), NUMBER),
        Column(text("verdict.p50_hd" if dell else "statistic.p50"), NUMBER),
        Column(text("verdict.p95_hd" if dell else "statistic.p95"), NUMBER),
        Column(text("statistic.largest"), NUMBER),
        Column(text("verdict.ratio_interval"), FIXED),
        Column(text("verdict.title"), FIXED),
        Column(text("column.evidence"), FIXED),
    )
    footnotes, windows = _Footnotes.of(compared), _common_windows(compared)
    rows = tuple(_comparison_cells(context, judged, footnotes, windows) for judged in compared)
    notes = (*_window_notes(context, windows), text("note.comparison"), *footnotes.notes)
    return Table(caption, columns, rows, notes=notes, dense=True)


_Window = tuple[int, int]
_Windows = tuple[_Window | None, _Window | None]


def windows_of(judged: Judged) -> _Windows:
    """(first, last) of either side, UTC ns; None where nothing is dated."""
    return _window(judged.row.before_parts), _window(judged.row.after_parts)


def _window(parts: Parts) -> _Window | None:
    starts = [part.first_ns for part in parts if part.first_ns is not None]
    ends = [part.last_ns for part in parts if part.last_ns is not None]
    return (min(starts), max(ends)) if starts and ends else None


def _common_windows(found: Sequence[Judged]) -> _Windows:
    counted = Counter(windows for windows in map(windows_of, found) if all(windows))
    return counted.most_common(1)[0][0] if counted else (None, None)


def _window_notes(context: Context, windows: _Windows) -> list[str]:
    before, after = windows
    if before is None or after is None:
        return []
    words = context.words
    return [
        context.text(
            "verdict.windows",
            before=words.span(*before),
            after=words.span(*after),
            zone=words.zone,
            load=load_text(context),
        )
    ]


def _own_window(context: Context, judged: Judged, common: _Windows) -> list[str]:
    """Said where it begins or ends more than a minute away from that of the others."""
    lines = []
    for name, window, usual in zip(("before", "after"), windows_of(judged), common, strict=True):
        if window and usual and max(abs(one - other) for one, other in zip(window, usual, strict=True)) > 60e9:
            lines.append(f"{context.text(f'column.{name}_short')} {context.words.span(*window)}")
    return lines


def _comparison_cells(context: Context, judged: Judged, footnotes: _Footnotes, windows: _Windows) -> tuple[Cell, ...]:
    words, text, row, sides = context.words, context.text, judged.row, judged.sides
    decimals = decimals_for(
        [value for side in sides if side for value in (side.mean, side.p50, side.p95, side.maximum)]
    )
    label = words.label_with_unit(judged.label, row.unit)
    first = (
        label,
        words.host(row.series.host),
        *_own_window(context, judged, windows),
        *footnotes.lines(context, judged),
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
        Cell(judged.words.replace(" ", "\n"), None, _tone(judged)),
        Cell("\n".join(evidence_text(keys, 2) for keys in (judged.before_evidence, judged.after_evidence) if keys)),
    )


def _tone(judged: Judged) -> Tone:
    return _MARKED.get(judged.row.verdict, Tone.PLAIN)


def quantiles(judged: Judged, name: str) -> tuple[float | None, float | None]:
    """Harrell and Davis' estimates where there are any, else the sample's own."""
    told = (judged.row.before_quantiles, judged.row.after_quantiles)
    before, after = (
        getattr(dell, name) if dell else getattr(side, name) if side else None
        for dell, side in zip(told, judged.sides, strict=True)
    )
    return before, after


def _samples(context: Context, judged: Judged) -> str:
    return "\n".join(
        context.words.missing if side is None else f"{side.n:,}" + (f" ({effective(n)})" if n is not None else "")
        for side, n in zip(judged.sides, (judged.row.n_eff_before, judged.row.n_eff_after), strict=True)
    )


def _ratio_cell(context: Context, judged: Judged, decimals: int) -> Cell:
    """Ratio and interval; without an interval the word descriptive stands in its place."""
    row = judged.row
    if row.interval is not None:
        return Cell(judged.ratio_words.replace(" [", "\n[", 1), row.headline, _tone(judged))
    if row.headline is not None:
        return Cell(f"{judged.ratio_words}\n{context.text('term.descriptive')}", row.headline)
    before, after = (side.mean if side else None for side in judged.sides)
    change = called(before, after, row.direction, percentage=row.unit == "%")
    figure = FigureRow("", judged.label, row.unit, "mean", row.direction, before, after, change, decimals)
    ratio = change_cells(context, figure)[0]
    return Cell(ratio.text, ratio.value)
