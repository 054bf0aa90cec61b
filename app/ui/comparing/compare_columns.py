"""The columns of the comparison: verdict, figures of both sides, ratio with its interval, why, what is copied."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from PySide6.QtGui import QColor

from app.analysis.comparing.comparison import ComparedSeries, Quantiles
from app.analysis.inference.verdict import Interval, Verdict
from app.analysis.statistics import Statistics
from app.domain.engagement import Direction
from app.ui.charts.series_words import series_words, unit_words
from app.ui.comparing.verdict_marks import verdict_colour, verdict_words
from app.ui.look.formats import DASH, format_value, host_words
from app.ui.look.language import language, text
from app.ui.look.theme import current_theme
from app.usecases.comparing import words as compare_words

Figure = float | str | None
STATISTICS = ("mean", "p50", "p95", "maximum", "n")
QUANTILES = ("p50", "p90", "p95", "p99")
JUDGED = (Verdict.IMPROVED, Verdict.REGRESSED, Verdict.INCONCLUSIVE, Verdict.EQUIVALENT)
REASON_PX = 420


@dataclass(frozen=True, slots=True)
class Column:
    """
    Attributes:
        figure: what a cell stands for: its order, and what is copied of it.
        width, widest: pixels; between these it is as wide as its text.
        words: whether it is text: left-aligned, and copied as shown.
        seen: in the table; a column that is not is copied only.
        copied: False for what other columns say figure by figure.
        tone: a colour that goes with the words, never the only sign; None for that of text.
    """

    id: str
    shown: Callable[[ComparedSeries, ZoneInfo], str]
    figure: Callable[[ComparedSeries], Figure]
    side: str = ""
    width: int = 74
    widest: int = 150
    words: bool = False
    seen: bool = True
    copied: bool = True
    tone: Callable[[ComparedSeries], QColor | None] | None = None


# -- figures -------------------------------------------------------------------------------------------


def series_name(row: ComparedSeries) -> str:
    return series_words(row.series)


def host_name(row: ComparedSeries) -> str:
    """The host, both where the sides' hosts differ."""
    hosts = dict.fromkeys(host_words(info.host) for info in (row.before, row.after) if info)
    return " → ".join(hosts)


def change_ratio(row: ComparedSeries) -> float | None:
    """(after - before) / before of the means; None where it cannot be computed."""
    before, after = _mean(row.before_statistics), _mean(row.after_statistics)
    return None if before is None or after is None or before == 0 else (after - before) / abs(before)


def change_factor(row: ComparedSeries) -> float:
    """How many times the sides differ, whichever way; endless from or to zero."""
    effect = row.effect
    if effect is None or row.before is None or row.after is None:
        return 1.0
    return math.inf if math.isinf(effect) else math.exp(effect)


def is_paired(row: ComparedSeries) -> bool:
    return row.before is not None and row.after is not None


def _mean(statistics: Statistics | None) -> float | None:
    return statistics.mean if statistics else None


# -- words ---------------------------------------------------------------------------------------------


def ratio_text(row: ComparedSeries) -> str:
    """The ratio, its interval beside it where there is one."""
    return compare_words.ratio_text(row, language().code) if row.headline is not None else DASH


def change_text(row: ComparedSeries) -> str:
    """Relative change; of percentages the difference in points."""
    before, after = _mean(row.before_statistics), _mean(row.after_statistics)
    if before is None or after is None:
        return DASH
    if row.unit == "%":
        return text("ui.compare.points", difference=signed(after - before))
    change = change_ratio(row)
    return DASH if change is None else f"{signed(change * 100)} %"


def signed(number: float) -> str:
    """One decimal with its sign; nothing is plainly nothing."""
    return "0" if abs(number) < 0.05 else f"{number:+,.1f}"


def size_text(size: float | None) -> str:
    """How many independent samples; whole ones, small ones to one decimal."""
    if size is None:
        return DASH
    return f"{size:,.0f}" if size >= 100 else f"{size:.1f}".removesuffix(".0")


def sizes_text(row: ComparedSeries) -> str:
    if row.n_eff_before is None and row.n_eff_after is None:
        return DASH
    return f"{size_text(row.n_eff_before)} → {size_text(row.n_eff_after)}"


def p_text(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def difference_text(row: ComparedSeries) -> str:
    """After - before with its interval, in the series' own unit."""
    if row.difference is None:
        return DASH
    words = _signed_value(row.difference)
    if row.difference_interval is not None:
        low, high = _signed_value(row.difference_interval.low), _signed_value(row.difference_interval.high)
        words = f"{words} [{low}, {high}]"
    unit = text("ui.compare.point_unit") if row.unit == "%" else unit_words(row.series)
    return f"{words} {unit}".strip()


def _signed_value(value: float) -> str:
    return f"+{format_value(value)}" if value > 0 else format_value(value)


def why_text(row: ComparedSeries, zone: ZoneInfo) -> str:
    """Why the verdict is what it is, and what has to be known to read it."""
    return " ".join(why_sentences(row, zone))


def why_sentences(row: ComparedSeries, zone: ZoneInfo) -> list[str]:
    code = language().code
    words = [compare_words.reason_text(row, code, zone)]
    words += [compare_words.caution_text(caution, code, zone) for caution in row.cautions]
    return [part for part in words if part]


def verdict_reason(row: ComparedSeries, zone: ZoneInfo) -> str:
    """For a tool tip: verdict, ratio and difference with their intervals, p, and why the verdict is what it is."""
    words = [verdict_words(row), ratio_text(row) if row.headline is not None else ""]
    if row.difference_interval is not None:
        words.append(text("ui.compare.tip.difference", difference=difference_text(row)))
    if row.p_adjusted is not None:
        words.append(text("ui.compare.tip.p", p=p_text(row.p_adjusted)))
    words += why_sentences(row, zone)
    if row.direction is Direction.NEUTRAL:
        words.append(text("ui.compare.reason.neutral"))
    return "\n".join(part for part in words if part)


# -- columns -------------------------------------------------------------------------------------------


def _statistic(side: str, name: str) -> Column:
    def figure(row: ComparedSeries) -> Figure:
        statistics = row.before_statistics if side == "before" else row.after_statistics
        return getattr(statistics, name) if statistics else None

    def shown(row: ComparedSeries, _zone: ZoneInfo) -> str:
        value = figure(row)
        return DASH if value is None else f"{value:,}" if name == "n" else format_value(float(value))

    return Column(f"{side}.{name}", shown, figure, side, {"n": 66, "mean": 88}.get(name, 76))


def _number(name: str, figure: Callable[[ComparedSeries], float | None], side: str = "") -> Column:
    """A figure that is copied, not shown: cells that show it carry others beside it."""
    return Column(name, lambda row, _zone: format_value(figure(row)), figure, side, seen=False)


def _quantile(side: str, name: str) -> Column:
    def figure(row: ComparedSeries) -> float | None:
        found: Quantiles | None = row.before_quantiles if side == "before" else row.after_quantiles
        return getattr(found, name) if found else None

    return _number(f"{side}.hd_{name}", figure, side)


def _text(name: str, words: Callable[[ComparedSeries], str], width: int, muted: bool = False) -> Column:
    return Column(
        name,
        lambda row, _zone: words(row),
        lambda row: words(row).casefold(),
        width=width,
        words=True,
        tone=(lambda _row: current_theme().muted) if muted else None,
    )


def _low(interval: Interval | None) -> float | None:
    return interval.low if interval else None


def _high(interval: Interval | None) -> float | None:
    return interval.high if interval else None


def _verdict_order(row: ComparedSeries) -> float:
    return float(list(Verdict).index(row.verdict))


def _ratio_tone(row: ComparedSeries) -> QColor | None:
    return current_theme().muted if row.interval is None or row.direction is Direction.NEUTRAL else None


COLUMNS: tuple[Column, ...] = (
    Column(
        "verdict",
        lambda row, _zone: verdict_words(row),
        _verdict_order,
        width=92,
        widest=134,
        words=True,
        tone=lambda row: verdict_colour(row.verdict) if is_paired(row) else current_theme().muted,
    ),
    _text("name", lambda row: f"{series_name(row)} · {row.series.tool}", 140),
    _statistic("before", "mean"),
    _statistic("after", "mean"),
    _text("unit", lambda row: unit_words(row.series), 44, muted=True),
    Column(
        "ratio", lambda row, _zone: ratio_text(row), lambda row: row.headline, width=130, widest=230, tone=_ratio_tone
    ),
    _number("ratio.low", lambda row: _low(row.interval)),
    _number("ratio.high", lambda row: _high(row.interval)),
    Column(
        "n_eff",
        lambda row, _zone: sizes_text(row),
        lambda row: row.n_eff_before,
        width=84,
        copied=False,
        tone=lambda _row: current_theme().muted,
    ),
    _number("before.n_eff", lambda row: row.n_eff_before, "before"),
    _number("after.n_eff", lambda row: row.n_eff_after, "after"),
    Column("change", lambda row, _zone: change_text(row), change_ratio, width=72),
    Column("why", why_text, lambda row: row.reason, width=REASON_PX, words=True, tone=lambda _r: current_theme().muted),
    *(_statistic(side, name) for name in STATISTICS[1:] for side in ("before", "after")),
    *(_quantile(side, name) for name in QUANTILES for side in ("before", "after")),
    _number("difference", lambda row: row.difference),
    _number("difference.low", lambda row: _low(row.difference_interval)),
    _number("difference.high", lambda row: _high(row.difference_interval)),
    _number("p", lambda row: row.p),
    _number("p_adjusted", lambda row: row.p_adjusted),
    _number("before.lag1", lambda row: row.lag1_before, "before"),
    _number("after.lag1", lambda row: row.lag1_after, "after"),
    _number("margin", lambda row: row.margin),
    Column(
        "method",
        lambda row, _zone: compare_words.method_text(row.method, language().code),
        lambda row: row.method.value,
        words=True,
        seen=False,
    ),
    _text("device", lambda row: row.series.device, 90, muted=True),
    _text("host", host_name, 110, muted=True),
    _text("metric", lambda row: row.metric, 200, muted=True),
)
