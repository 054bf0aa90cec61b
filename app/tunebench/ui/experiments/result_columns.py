"""Columns of the tables of results."""

from __future__ import annotations

from collections.abc import Callable

from tunebench.analysis.experiments.analysis import PartAnalysis
from tunebench.analysis.experiments.comparisons import CellComparison
from tunebench.analysis.experiments.variance import Effect
from tunebench.columns.column import Column, Locale
from tunebench.columns.formats import COUNT, SHARE, Format
from tunebench.core.records import record
from tunebench.ui.experiments.ranking_chart import RankedRow
from tunebench.ui.experiments.result_words import figure_text, verdict_tone, verdict_words
from tunebench.ui.experiments.waiting_bars import WaitingRow
from tunebench.ui.look.formats import unit_text
from tunebench.ui.look.language import language, text
from tunebench.usecases.experiments.words import ratio_text, settles_text, variation_text

KEY = "ui.experiments.column."


@record
class CellRow:
    ranked: RankedRow
    part: PartAnalysis

    @property
    def compared(self) -> CellComparison | None:
        return self.ranked.compared


def ranking_columns(part: PartAnalysis | None) -> list[Column[CellRow]]:
    unit = f" [{unit_text(part.response.unit)}]" if part and part.response.unit else ""
    has_excluded = part is not None and any(cell.excluded for cell in part.cells)
    columns: list[Column[CellRow]] = [
        Column("place", f"{KEY}place", lambda it: it.ranked.place, COUNT),
        Column("cell", f"{KEY}cell", lambda it: it.ranked.name),
        Column("n", lambda _: "n", lambda it: it.ranked.figures.n, text=_runs, explained=lambda _: text(f"{KEY}n.tip")),
        Column(
            "median",
            lambda _: text(f"{KEY}median") + unit,
            lambda it: it.ranked.figures.median,
            text=lambda it, _: figure_text(it.ranked.figures.median),
        ),
        _explained("interval", _interval, _low),
        _explained("ratio", _ratio, lambda it: it.compared.ratio if it.compared else None),
        Column("verdict", f"{KEY}verdict", _verdict, tone=_tone),
        _explained("variation", _variation, _sd),
        Column("settles", f"{KEY}settles", lambda it: it.compared.runs_missing if it.compared else None, text=_settles),
        _explained("p", _p, lambda it: it.compared.p_adjusted if it.compared else None),
        _explained("excluded", _excluded, lambda it: it.ranked.figures.median_with_excluded),
    ]
    return columns if has_excluded else columns[:-1]


def _explained(
    name: str, words: Callable[[CellRow], str], figure: Callable[[CellRow], float | None]
) -> Column[CellRow]:
    return Column(name, f"{KEY}{name}", figure, text=lambda row, _: words(row))


def _runs(row: CellRow, _locale: Locale) -> str:
    failed = row.ranked.figures.failed
    return (
        text("ui.experiments.runs_failed", n=row.ranked.figures.n, failed=failed)
        if failed
        else str(row.ranked.figures.n)
    )


def _low(row: CellRow) -> float | None:
    interval = row.ranked.figures.interval
    return interval.low if interval else None


def _interval(row: CellRow) -> str:
    interval = row.ranked.figures.interval
    return f"{figure_text(interval.low)} … {figure_text(interval.high)}" if interval else "–"


def _ratio(row: CellRow) -> str:
    if row.compared is None:
        return "–"
    return ratio_text(row.compared, language().code, row.part.response.direction)


def _sd(row: CellRow) -> float | None:
    return row.compared.variation.sd if row.compared and row.compared.variation else None


def _variation(row: CellRow) -> str:
    return (variation_text(row.compared, language().code) if row.compared else "") or "–"


def _settles(row: CellRow, _locale: Locale) -> str:
    return settles_text(row.compared, language().code) if row.compared else ""


def _p(row: CellRow) -> str:
    p_value = row.compared.p_adjusted if row.compared else None
    return "–" if p_value is None else f"{p_value:.2g}"


def _verdict(row: CellRow) -> str:
    if row.ranked.is_reference:
        return f"□ {text('ui.experiments.reference')}"
    return verdict_words(row.compared) if row.compared is not None else "–"


def _tone(row: CellRow) -> str:
    return verdict_tone(row.compared.verdict) if row.compared is not None else ""


def _excluded(row: CellRow) -> str:
    figures = row.ranked.figures
    if not figures.excluded:
        return "–"
    return text("ui.experiments.with_excluded", n=figures.excluded, median=figure_text(figures.median_with_excluded))


def waiting_columns() -> list[Column[WaitingRow]]:
    def seconds(name: str, title: str) -> Column[WaitingRow]:
        def value(row: WaitingRow) -> float | None:
            figure = getattr(row.waiting, name)
            return None if figure is None else float(figure)

        return Column(name, lambda _: title, value, text=lambda row, _: figure_text(value(row)))

    return [
        Column("cell", f"{KEY}cell", lambda it: it.name),
        Column("n", lambda _: "n", lambda it: it.waiting.n, COUNT),
        seconds("real_s", "real [s]"),
        seconds("user_s", "user [s]"),
        seconds("sys_s", "sys [s]"),
        seconds("wait_s", text(f"{KEY}wait")),
        Column("share", f"{KEY}share", lambda it: it.waiting.share, SHARE),
        Column("sys_ratio", f"{KEY}sys_ratio", lambda it: it.waiting.sys_ratio, Format("{:.3f}".format)),
    ]


def variance_columns() -> list[Column[Effect]]:
    return [
        Column("effect", f"{KEY}effect", lambda it: " × ".join(it.factors)),
        Column("df", f"{KEY}df", lambda it: it.df, COUNT),
        Column("f", lambda _: "F", lambda it: it.f, Format("{:.2f}".format)),
        Column("p", lambda _: "p", lambda it: it.p, Format("{:.2g}".format)),
        Column("share", f"{KEY}effect_share", lambda it: it.share, SHARE),
    ]
