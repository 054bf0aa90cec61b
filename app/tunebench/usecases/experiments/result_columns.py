"""What a comparison of an experiment's cells comes to, in words and columns: a mark, words and a tone, so that the
colour is never the only sign."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from tunebench.analysis.experiments.analysis import ExperimentAnalysis, PartAnalysis
from tunebench.analysis.experiments.comparisons import CellComparison
from tunebench.analysis.experiments.figures import CellFigures, Waiting
from tunebench.analysis.experiments.variance import Effect
from tunebench.analysis.inference.verdict import Verdict
from tunebench.columns.column import Column, Locale
from tunebench.columns.formats import COUNT, DASH, SHARE, Format, rounded_text
from tunebench.columns.series_words import unit_text
from tunebench.core.records import record
from tunebench.domain.experiments.records import Experiment, short_names
from tunebench.usecases.experiments.words import judged_text, outcome_text, ratio_text, settles_text, variation_text

KEY = "ui.experiments.column."
MARKS = {
    Verdict.IMPROVED: "▲",
    Verdict.REGRESSED: "▼",
    Verdict.EQUIVALENT: "＝",
    Verdict.INCONCLUSIVE: "?",
    Verdict.INSUFFICIENT_DATA: "…",
    Verdict.NOT_COMPARABLE: "✕",
    Verdict.DESCRIPTIVE_ONLY: "◇",
}


def verdict_words(compared: CellComparison, locale: Locale) -> str:
    return f"{MARKS[compared.verdict]} {judged_text(compared, locale.language)}"


def verdict_tone(verdict: Verdict) -> str:
    return {Verdict.IMPROVED: "ok", Verdict.REGRESSED: "critical", Verdict.INCONCLUSIVE: "watch"}.get(verdict, "")


def verdict_sentence(analysis: ExperimentAnalysis, part: PartAnalysis, locale: Locale) -> str:
    """The best cell against the reference, in words; what cannot be judged says so."""
    code, names = locale.language, short_names(analysis.experiment)
    compared = part.comparison_of(part.best) if part.best is not None else None
    mark = MARKS[part.verdict]
    if part.best is None or compared is None or compared.ratio is None:
        return f"{mark} {outcome_text(part, code)}"
    sentence = locale.text(
        "ui.experiments.result.verdict",
        mark=mark,
        verdict=outcome_text(part, code),
        best=names[part.best],
        reference=names[analysis.experiment.reference],
        ratio=ratio_text(compared, code, part.response.direction),
        runs=compared.n,
        reference_runs=compared.n_reference,
    )
    variation = variation_text(compared, code)
    rests = locale.text("ui.experiments.result.variation", variation=variation) if variation else ""
    return " ".join(words for words in (sentence, rests, settles_text(compared, code)) if words)


@record
class RankedRow:
    """`place`: None without a ranking; `compared`: None for the reference itself."""

    place: int | None
    name: str
    figures: CellFigures
    compared: CellComparison | None
    is_reference: bool


@record
class WaitingRow:
    name: str
    waiting: Waiting


@record
class CellRow:
    ranked: RankedRow
    part: PartAnalysis

    @property
    def compared(self) -> CellComparison | None:
        return self.ranked.compared


def cell_rows(experiment: Experiment, part: PartAnalysis) -> list[CellRow]:
    """The rows, best first, ranked where the cells differ; then those without a value, as the plan lists them."""
    places = {cell: group.place for group in part.ranking for cell in group.cells}
    told_apart = len(part.ranking) > 1
    ordered = list(places) + [figures.cell for figures in part.cells if figures.cell not in places]
    names = short_names(experiment)
    rows = []
    for cell in ordered:
        figures, compared = part.figures_of(cell), part.comparison_of(cell)
        if figures is None:
            continue
        is_reference = cell == experiment.reference
        ranked = RankedRow(places.get(cell) if told_apart else None, names[cell], figures, compared, is_reference)
        rows.append(CellRow(ranked, part))
    return rows


def ranking_columns(part: PartAnalysis | None) -> list[Column[CellRow]]:
    has_excluded = part is not None and any(cell.excluded for cell in part.cells)
    columns: list[Column[CellRow]] = [
        Column("place", f"{KEY}place", lambda it: it.ranked.place, COUNT),
        Column("cell", f"{KEY}cell", lambda it: it.ranked.name),
        Column(
            "n",
            lambda _: "n",
            lambda it: it.ranked.figures.n,
            text=_runs,
            explained=lambda locale: locale.text(f"{KEY}n.tip"),
        ),
        Column(
            "median",
            partial(_median_title, unit=part.response.unit if part else ""),
            lambda it: it.ranked.figures.median,
            text=lambda it, _: rounded_text(it.ranked.figures.median),
        ),
        _explained("interval", _interval, _low),
        _explained("ratio", _ratio, lambda it: it.compared.ratio if it.compared else None),
        Column("verdict", f"{KEY}verdict", text=_verdict, tone=_tone),
        _explained("variation", _variation, _sd),
        Column("settles", f"{KEY}settles", lambda it: it.compared.runs_missing if it.compared else None, text=_settles),
        _explained("p", _p, lambda it: it.compared.p_adjusted if it.compared else None),
        _explained("excluded", _excluded, lambda it: it.ranked.figures.median_with_excluded),
    ]
    return columns if has_excluded else columns[:-1]


def _explained(
    name: str, words: Callable[[CellRow, Locale], str], figure: Callable[[CellRow], float | None]
) -> Column[CellRow]:
    return Column(name, f"{KEY}{name}", figure, text=words)


def _median_title(locale: Locale, unit: str) -> str:
    title = locale.text(f"{KEY}median")
    return f"{title} [{unit_text(unit, locale.messages)}]" if unit else title


def _runs(row: CellRow, locale: Locale) -> str:
    failed = row.ranked.figures.failed
    return (
        locale.text("ui.experiments.runs_failed", n=row.ranked.figures.n, failed=failed)
        if failed
        else str(row.ranked.figures.n)
    )


def _low(row: CellRow) -> float | None:
    interval = row.ranked.figures.interval
    return interval.low if interval else None


def _interval(row: CellRow, _locale: Locale) -> str:
    interval = row.ranked.figures.interval
    return f"{rounded_text(interval.low)} … {rounded_text(interval.high)}" if interval else DASH


def _ratio(row: CellRow, locale: Locale) -> str:
    if row.compared is None:
        return DASH
    return ratio_text(row.compared, locale.language, row.part.response.direction)


def _sd(row: CellRow) -> float | None:
    return row.compared.variation.sd if row.compared and row.compared.variation else None


def _variation(row: CellRow, locale: Locale) -> str:
    return (variation_text(row.compared, locale.language) if row.compared else "") or DASH


def _settles(row: CellRow, locale: Locale) -> str:
    return settles_text(row.compared, locale.language) if row.compared else ""


def _p(row: CellRow, _locale: Locale) -> str:
    p_value = row.compared.p_adjusted if row.compared else None
    return DASH if p_value is None else f"{p_value:.2g}"


def _verdict(row: CellRow, locale: Locale) -> str:
    if row.ranked.is_reference:
        return f"□ {locale.text('ui.experiments.reference')}"
    return verdict_words(row.compared, locale) if row.compared is not None else DASH


def _tone(row: CellRow) -> str:
    return verdict_tone(row.compared.verdict) if row.compared is not None else ""


def _excluded(row: CellRow, locale: Locale) -> str:
    figures = row.ranked.figures
    if not figures.excluded:
        return DASH
    return locale.text(
        "ui.experiments.with_excluded", n=figures.excluded, median=rounded_text(figures.median_with_excluded)
    )


def _seconds(name: str, title: str | Callable[[Locale], str]) -> Column[WaitingRow]:
    def value(row: WaitingRow) -> float | None:
        figure = getattr(row.waiting, name)
        return None if figure is None else float(figure)

    return Column(name, title, value, text=lambda row, _: rounded_text(value(row)))


WAITING_COLUMNS: tuple[Column[WaitingRow], ...] = (
    Column("cell", f"{KEY}cell", lambda it: it.name),
    Column("n", lambda _: "n", lambda it: it.waiting.n, COUNT),
    _seconds("real_s", lambda _: "real [s]"),
    _seconds("user_s", lambda _: "user [s]"),
    _seconds("sys_s", lambda _: "sys [s]"),
    _seconds("wait_s", f"{KEY}wait"),
    Column("share", f"{KEY}share", lambda it: it.waiting.share, SHARE),
    Column("sys_ratio", f"{KEY}sys_ratio", lambda it: it.waiting.sys_ratio, Format("{:.3f}".format)),
)
VARIANCE_COLUMNS: tuple[Column[Effect], ...] = (
    Column("effect", f"{KEY}effect", lambda it: " × ".join(it.factors)),
    Column("df", f"{KEY}df", lambda it: it.df, COUNT),
    Column("f", lambda _: "F", lambda it: it.f, Format("{:.2f}".format)),
    Column("p", lambda _: "p", lambda it: it.p, Format("{:.2g}".format)),
    Column("share", f"{KEY}effect_share", lambda it: it.share, SHARE),
)
