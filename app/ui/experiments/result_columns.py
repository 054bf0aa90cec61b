"""Columns of the tables of results."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtGui import QColor

from app.analysis.experiments.analysis import PartAnalysis
from app.analysis.experiments.comparisons import CellComparison
from app.analysis.experiments.variance import Effect
from app.analysis.inference.verdict import Interval
from app.ui.charts.value_ticks import unit_text
from app.ui.databases.figure_table import Column
from app.ui.experiments.figures import figure_text
from app.ui.experiments.ranking_chart import RankedRow
from app.ui.experiments.verdict_marks import verdict_colour, verdict_words
from app.ui.experiments.waiting_bars import WaitingRow
from app.ui.look.language import language, text

KEY = "ui.experiments.column."


@dataclass(frozen=True, slots=True)
class CellRow:
    ranked: RankedRow
    compared: CellComparison | None
    part: PartAnalysis


def ranking_columns(part: PartAnalysis | None) -> list[Column]:
    unit = f" [{unit_text(part.response.unit)}]" if part and part.response.unit else ""
    has_excluded = part is not None and any(each.excluded for each in part.cells)
    columns = [
        Column("place", lambda: text(f"{KEY}place"), lambda it: it.ranked.place, _place),
        Column("cell", lambda: text(f"{KEY}cell"), lambda it: it.ranked.name, lambda it: it.ranked.name, words=True),
        Column("n", lambda: "n", lambda it: it.ranked.figures.n, _runs, tip=lambda: text(f"{KEY}n.tip")),
        Column(
            "median",
            lambda: text(f"{KEY}median") + unit,
            lambda it: it.ranked.figures.median,
            lambda it: figure_text(it.ranked.figures.median),
        ),
        Column(
            "interval",
            lambda: text(f"{KEY}interval"),
            lambda it: _low(it.ranked.figures.interval),
            lambda it: _interval(it.ranked.figures.interval),
            tip=lambda: text(f"{KEY}interval.tip"),
        ),
        Column(
            "ratio",
            lambda: text(f"{KEY}ratio"),
            lambda it: it.compared.ratio if it.compared else None,
            _ratio,
            tip=lambda: text(f"{KEY}ratio.tip"),
        ),
        Column("verdict", lambda: text(f"{KEY}verdict"), _verdict, _verdict, words=True, tone=_tone),
        Column(
            "p",
            lambda: text(f"{KEY}p"),
            lambda it: it.compared.p_adjusted if it.compared else None,
            _p,
            tip=lambda: text(f"{KEY}p.tip"),
        ),
        Column(
            "excluded",
            lambda: text(f"{KEY}excluded"),
            lambda it: it.ranked.figures.median_with_excluded,
            _excluded,
            tip=lambda: text(f"{KEY}excluded.tip"),
        ),
    ]
    return columns if has_excluded else columns[:-1]


def _place(row: CellRow) -> str:
    return "–" if row.ranked.place is None else str(row.ranked.place)


def _runs(row: CellRow) -> str:
    failed = row.ranked.figures.failed
    return (
        text("ui.experiments.runs_failed", n=row.ranked.figures.n, failed=failed)
        if failed
        else str(row.ranked.figures.n)
    )


def _low(interval: Interval | None) -> float | None:
    return interval.low if interval else None


def _interval(interval: Interval | None) -> str:
    return f"{figure_text(interval.low)} … {figure_text(interval.high)}" if interval else "–"


def _ratio(row: CellRow) -> str:
    from app.usecases.experiments.words import ratio_text

    if row.compared is None:
        return "–"
    return ratio_text(row.compared, language().code, row.part.response.direction)


def _p(row: CellRow) -> str:
    found = row.compared.p_adjusted if row.compared else None
    return "–" if found is None else f"{found:.2g}"


def _verdict(row: CellRow) -> str:
    if row.ranked.is_reference:
        return f"□ {text('ui.experiments.reference')}"
    return verdict_words(row.ranked.verdict) if row.ranked.verdict is not None else "–"


def _tone(row: CellRow) -> QColor | None:
    return verdict_colour(row.ranked.verdict) if row.ranked.verdict is not None else None


def _excluded(row: CellRow) -> str:
    figures = row.ranked.figures
    if not figures.excluded:
        return "–"
    return text("ui.experiments.with_excluded", n=figures.excluded, median=figure_text(figures.median_with_excluded))


def waiting_columns() -> list[Column]:
    def seconds(name: str, title: str) -> Column:
        def value(row: WaitingRow) -> float | None:
            found = getattr(row.waiting, name)
            return None if found is None else float(found)

        return Column(name, lambda: title, value, lambda row: figure_text(value(row)))

    return [
        Column("cell", lambda: text(f"{KEY}cell"), lambda it: it.name, lambda it: it.name, words=True),
        Column("n", lambda: "n", lambda it: it.waiting.n, lambda it: str(it.waiting.n)),
        seconds("real_s", "real [s]"),
        seconds("user_s", "user [s]"),
        seconds("sys_s", "sys [s]"),
        seconds("wait_s", text(f"{KEY}wait")),
        Column(
            "share",
            lambda: text(f"{KEY}share"),
            lambda it: it.waiting.share,
            lambda it: "–" if it.waiting.share is None else f"{100 * it.waiting.share:.1f} %",
        ),
        Column(
            "sys_ratio",
            lambda: text(f"{KEY}sys_ratio"),
            lambda it: it.waiting.sys_ratio,
            lambda it: "–" if it.waiting.sys_ratio is None else f"{it.waiting.sys_ratio:.3f}",
            tip=lambda: text(f"{KEY}sys_ratio.tip"),
        ),
    ]


def variance_columns() -> list[Column]:
    def name(effect: Effect) -> str:
        return " × ".join(effect.factors)

    return [
        Column("effect", lambda: text(f"{KEY}effect"), name, name, words=True),
        Column("df", lambda: text(f"{KEY}df"), lambda it: it.df, lambda it: str(it.df)),
        Column("f", lambda: "F", lambda it: it.f, lambda it: f"{it.f:.2f}"),
        Column("p", lambda: "p", lambda it: it.p, lambda it: f"{it.p:.2g}"),
        Column(
            "share",
            lambda: text(f"{KEY}effect_share"),
            lambda it: it.share,
            lambda it: "–" if it.share is None else f"{100 * it.share:.1f} %",
        ),
    ]
