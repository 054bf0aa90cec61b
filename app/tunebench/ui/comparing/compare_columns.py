"""The columns of the comparison: verdict (a mark, a word and a colour, so that the colour is never the only sign),
figures of both sides, ratio with its interval, why, what is copied."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Unpack
from zoneinfo import ZoneInfo

from PySide6.QtGui import QColor, QFont

from tunebench.analysis.comparing.comparison import ComparedSeries, Quantiles
from tunebench.analysis.inference.verdict import Interval, Verdict
from tunebench.analysis.statistics import Statistics
from tunebench.domain.comparability import CheckState
from tunebench.domain.engagement import Direction
from tunebench.ui.charts.ticks import series_words, unit_words
from tunebench.ui.look.formats import DASH, format_value, host_words
from tunebench.ui.look.language import language, text
from tunebench.ui.look.theme import Theme, current_theme
from tunebench.ui.tables.model import Column, Figure, Looks
from tunebench.usecases.comparing import words as compare_words

VERDICT_MARKS = {
    Verdict.IMPROVED: "▲",
    Verdict.REGRESSED: "▼",
    Verdict.EQUIVALENT: "=",
    Verdict.INCONCLUSIVE: "?",
    Verdict.INSUFFICIENT_DATA: "–",
    Verdict.NOT_COMPARABLE: "×",
    Verdict.DESCRIPTIVE_ONLY: "○",
}
STATE_MARKS = {CheckState.PASS: "✓", CheckState.ADJUST: "△", CheckState.REFUSE: "×", CheckState.UNKNOWN: "?"}
STATISTICS = ("mean", "p50", "p95", "maximum", "n")
QUANTILES = ("p50", "p90", "p95", "p99")
JUDGED = (Verdict.IMPROVED, Verdict.REGRESSED, Verdict.INCONCLUSIVE, Verdict.EQUIVALENT)
CHANGED = (Verdict.IMPROVED, Verdict.REGRESSED)
REASON_PX, LARGE_PX = 420, 15


def verdict_words(row: ComparedSeries) -> str:
    """Of a series that one side lacks, which side has it."""
    if row.before is None or row.after is None:
        return text("ui.compare.only." + ("after" if row.before is None else "before"))
    return f"{VERDICT_MARKS[row.verdict]} {compare_words.verdict_text(row.verdict, language().code)}"


def verdict_colour(verdict: Verdict, theme: Theme | None = None) -> QColor | None:
    """None for that of text."""
    shown = theme or current_theme()
    if verdict is Verdict.EQUIVALENT:
        return None
    return {Verdict.IMPROVED: shown.ok, Verdict.REGRESSED: shown.critical, Verdict.NOT_COMPARABLE: shown.watch}.get(
        verdict, shown.muted
    )


def state_colour(state: CheckState, theme: Theme | None = None) -> QColor:
    shown = theme or current_theme()
    return {
        CheckState.PASS: shown.ok,
        CheckState.ADJUST: shown.watch,
        CheckState.REFUSE: shown.critical,
        CheckState.UNKNOWN: shown.muted,
    }[state]


@dataclass(frozen=True, slots=True)
class CompareColumn(Column[ComparedSeries]):
    """
    Attributes:
        width, widest: pixels; between these it is as wide as its text.
        seen: in the table; a column that is not is copied only.
        is_copied: False for what other columns say figure by figure.
    """

    width: int = 74
    widest: int = 150
    seen: bool = True
    is_copied: bool = True


class CompareLooks(Looks[ComparedSeries], total=False):
    """And how it stands in the table; see `CompareColumn`."""

    width: int
    widest: int
    seen: bool
    is_copied: bool


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


def _mean(statistics: Statistics | None) -> float | None:
    return statistics.mean if statistics else None


# -- words ---------------------------------------------------------------------------------------------


def ratio_text(row: ComparedSeries) -> str:
    """The ratio, its interval beside it where there is one."""
    return compare_words.ratio_text(row, language().code) if row.headline is not None else DASH


def headline_text(row: ComparedSeries) -> str:
    """The ratio by itself, as it is shown large."""
    return DASH if row.headline is None else text("ui.compare.ratio", ratio=compare_words.ratio_number(row.headline))


def estimate_text(row: ComparedSeries) -> str:
    """What was estimated over the occurrences, with its interval: what the verdict rests on."""
    if row.estimate is None or row.interval is None:
        return DASH
    estimate, low, high = map(compare_words.ratio_number, (row.estimate, row.interval.low, row.interval.high))
    return f"{estimate} [{low}, {high}]"


def occurrences_text(row: ComparedSeries) -> str:
    return DASH if row.occurrences is None else " → ".join(map(str, row.occurrences))


def variation_text(row: ComparedSeries) -> str:
    return DASH if row.occurrences is None else compare_words.variation_brief(row, language().code)


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


def _column(
    id_: str,
    words: Callable[[ComparedSeries], str],
    sort: Callable[[ComparedSeries], Figure] | None,
    **looks: Unpack[CompareLooks],
) -> CompareColumn:
    return CompareColumn(id_, f"ui.compare.column.{id_}", words, sort, **looks)


def _statistic(side: str, name: str) -> CompareColumn:
    def figure(row: ComparedSeries) -> Figure:
        statistics = row.before_statistics if side == "before" else row.after_statistics
        return getattr(statistics, name) if statistics else None

    def shown(row: ComparedSeries) -> str:
        value = figure(row)
        return DASH if value is None else f"{value:,}" if name == "n" else format_value(float(value))

    return _column(f"{side}.{name}", shown, figure, side=side, width={"n": 66, "mean": 88}.get(name, 76))


def _number(name: str, figure: Callable[[ComparedSeries], float | None], side: str = "") -> CompareColumn:
    """A figure that is copied, not shown: cells that show it carry others beside it."""
    return _column(name, lambda row: format_value(figure(row)), figure, side=side, seen=False)


def _quantile(side: str, name: str) -> CompareColumn:
    def figure(row: ComparedSeries) -> float | None:
        found: Quantiles | None = row.before_quantiles if side == "before" else row.after_quantiles
        return getattr(found, name) if found else None

    return _number(f"{side}.hd_{name}", figure, side)


def _muted(_row: ComparedSeries) -> str:
    return "muted"


def _low(interval: Interval | None) -> float | None:
    return interval.low if interval else None


def _high(interval: Interval | None) -> float | None:
    return interval.high if interval else None


def _verdict_order(row: ComparedSeries) -> float:
    return float(list(Verdict).index(row.verdict))


def _verdict_tone(row: ComparedSeries) -> QColor | str | None:
    return verdict_colour(row.verdict) if row.measured_on_both else "muted"


def _ratio_tone(row: ComparedSeries) -> str:
    return "muted" if row.interval is None or row.direction is Direction.NEUTRAL else ""


def _bold_where_changed(row: ComparedSeries) -> QFont | None:
    font = QFont()
    font.setBold(True)
    return font if row.verdict in CHANGED else None


def _large(row: ComparedSeries) -> QFont:
    font = _bold_where_changed(row) or QFont()
    font.setPixelSize(LARGE_PX)
    return font


def _full_name(row: ComparedSeries) -> str:
    return "\n".join(part for part in (series_name(row), row.metric, host_name(row)) if part)


def _heading_tip(name: str) -> Callable[[], str]:
    return partial(text, f"ui.compare.column.{name}.tip")


def _ratio_columns(reason: Callable[[ComparedSeries], str]) -> tuple[CompareColumn, ...]:
    return (
        _column(
            "ratio",
            headline_text,
            lambda row: row.headline,
            width=96,
            widest=150,
            tone=_ratio_tone,
            tip=reason,
            font=_large,
            heading_tip=_heading_tip("ratio"),
        ),
        _column(
            "estimate",
            estimate_text,
            lambda row: row.estimate,
            width=120,
            widest=190,
            tone=_ratio_tone,
            tip=reason,
            heading_tip=_heading_tip("estimate"),
        ),
    )


def _ground_columns(reason: Callable[[ComparedSeries], str]) -> tuple[CompareColumn, ...]:
    """What the verdict was reckoned with."""
    return (
        _column(
            "occurrences",
            occurrences_text,
            lambda row: None if row.occurrences is None else sum(row.occurrences),
            width=64,
            copy=occurrences_text,
            tone=_muted,
            tip=reason,
            heading_tip=_heading_tip("occurrences"),
        ),
        _column(
            "variation",
            variation_text,
            lambda row: row.variation.sd if row.variation else None,
            width=96,
            copy=variation_text,
            tone=_muted,
            tip=reason,
            heading_tip=_heading_tip("variation"),
        ),
    )


def compare_columns(zone: Callable[[], ZoneInfo]) -> tuple[CompareColumn, ...]:
    """`zone`: the one that moments in sentences are told in, whenever they are."""

    def reason(row: ComparedSeries) -> str:
        return verdict_reason(row, zone())

    return (
        _column(
            "verdict",
            verdict_words,
            _verdict_order,
            right=False,
            width=92,
            widest=158,
            tone=_verdict_tone,
            heading_tip=_heading_tip("verdict"),
            tip=reason,
            font=_bold_where_changed,
        ),
        _column("name", lambda row: f"{series_name(row)} · {row.series.tool}", None, width=140, tip=_full_name),
        _statistic("before", "mean"),
        _statistic("after", "mean"),
        _column("unit", lambda row: unit_words(row.series), None, width=44, tone=_muted),
        *_ratio_columns(reason),
        _number("ratio.low", lambda row: _low(row.interval)),
        _number("ratio.high", lambda row: _high(row.interval)),
        *_ground_columns(reason),
        _number("before.n_eff", lambda row: row.n_eff_before, "before"),
        _number("after.n_eff", lambda row: row.n_eff_after, "after"),
        _column("change", change_text, change_ratio, width=72, tip=reason),
        _column(
            "why",
            lambda row: why_text(row, zone()),
            lambda row: row.reason,
            right=False,
            width=REASON_PX,
            tone=_muted,
            tip=reason,
        ),
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
        _column("method", lambda row: compare_words.method_text(row.method, language().code), None, seen=False),
        _column("device", lambda row: row.series.device, None, width=90, tone=_muted),
        _column("host", host_name, None, width=110, tone=_muted),
        _column("metric", lambda row: row.metric, None, width=200, tone=_muted),
    )
