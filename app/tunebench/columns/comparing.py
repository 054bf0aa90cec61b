"""The columns of a comparison: what window, workbook and command line say of each compared series."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from operator import attrgetter

from tunebench.analysis.comparing.comparison import ComparedSeries, StatisticChange
from tunebench.analysis.comparing.occurrence_figures import Statistic
from tunebench.analysis.inference.verdict import Interval, Verdict
from tunebench.analysis.statistics import Statistics
from tunebench.columns import comparing_words, series_words
from tunebench.columns.column import SIDES, Cells, Column, Locale
from tunebench.columns.formats import (
    COUNT,
    DEGREES,
    FIGURE,
    P_VALUE,
    RATIO,
    SHARE,
    SIZE,
    Format,
    decimal_format,
    decimals_for,
    figure_text,
    p_text,
    rate_text,
)
from tunebench.columns.series_words import series_name, unit_text
from tunebench.domain.comparability import CheckState
from tunebench.domain.engagement import Direction

Figure = Callable[[ComparedSeries], float | None]

VERDICT_MARKS = {
    Verdict.IMPROVED: "▲",
    Verdict.REGRESSED: "▼",
    Verdict.EQUIVALENT: "=",
    Verdict.INCONCLUSIVE: "?",
    Verdict.INSUFFICIENT_DATA: "–",
    Verdict.NOT_COMPARABLE: "×",
    Verdict.DESCRIPTIVE_ONLY: "○",
}
VERDICT_TONES = {
    Verdict.IMPROVED: "ok",
    Verdict.REGRESSED: "critical",
    Verdict.NOT_COMPARABLE: "watch",
    Verdict.EQUIVALENT: "",
    Verdict.INCONCLUSIVE: "muted",
    Verdict.INSUFFICIENT_DATA: "muted",
    Verdict.DESCRIPTIVE_ONLY: "muted",
}
STATE_MARKS = {CheckState.PASS: "✓", CheckState.ADJUST: "△", CheckState.REFUSE: "×", CheckState.UNKNOWN: "?"}
STATE_TONES = {
    CheckState.PASS: "ok",
    CheckState.ADJUST: "watch",
    CheckState.REFUSE: "critical",
    CheckState.UNKNOWN: "muted",
}
CHANGED = (Verdict.IMPROVED, Verdict.REGRESSED)
QUANTILES = ("p50", "p90", "p95", "p99")
_BESIDE_MEAN = (Statistic.P95, Statistic.P99)
_VERDICTS = tuple(Verdict)


# -- figures -------------------------------------------------------------------------------------------


def change_ratio(row: ComparedSeries) -> float | None:
    """(after - before) / before of the means; None where it cannot be computed."""
    before, after = means_of(row)
    return None if before is None or after is None or before == 0 else (after - before) / abs(before)


def change_factor(row: ComparedSeries) -> float:
    """How many times the sides differ, whichever way; endless from or to zero."""
    effect = row.effect
    if effect is None or row.before is None or row.after is None:
        return 1.0
    return math.inf if math.isinf(effect) else math.exp(effect)


def means_of(row: ComparedSeries) -> tuple[float | None, float | None]:
    before, after = row.before_statistics, row.after_statistics
    return before.mean if before else None, after.mean if after else None


def _ratio_of_means(row: ComparedSeries) -> float | None:
    """Before / after where lower is better, else after / before; none unless both are above zero."""
    before, after = means_of(row)
    if (
        before is None
        or after is None
        or not (math.isfinite(before) and math.isfinite(after))
        or min(before, after) <= 0
    ):
        return None
    return before / after if row.direction is Direction.LOWER else after / before


def _ratio_formula(row: ComparedSeries, cells: Cells, locale: Locale) -> str:
    names = ("before.mean", "after.mean") if row.direction is Direction.LOWER else ("after.mean", "before.mean")
    upper, lower = (cells[name] for name in names)
    absent = locale.text("compare.not_computable")
    ratio = f'IF(MIN({upper},{lower})<=0,"{absent}",{upper}/{lower})'
    return f'IF(AND(ISNUMBER({upper}),ISNUMBER({lower})),{ratio},"{absent}")'


# -- words ---------------------------------------------------------------------------------------------


def host_text(row: ComparedSeries, locale: Locale) -> str:
    """The host, both where the sides' hosts differ."""
    hosts = dict.fromkeys(
        series_words.host_text(info.host, locale.messages) for info in (row.before, row.after) if info
    )
    return " → ".join(hosts)


def marked_verdict(row: ComparedSeries, locale: Locale) -> str:
    """The verdict with its mark; of a series that one side lacks, which side has it."""
    if row.before is None or row.after is None:
        return locale.text("compare.only." + ("after" if row.before is None else "before"))
    verdict = comparing_words.verdict_of(row, locale.language)
    return verdict if row.led_by else f"{VERDICT_MARKS[row.verdict]} {verdict}"


def _plain_verdict(row: ComparedSeries, locale: Locale) -> str:
    if not row.measured_on_both:
        return locale.text("report.verdict.not_measured")
    return comparing_words.verdict_of(row, locale.language)


def headline_text(row: ComparedSeries, locale: Locale) -> str:
    """The ratio by itself, as it is shown large."""
    if row.headline is None:
        return locale.missing
    return locale.text("compare.times", ratio=RATIO.written(row.headline))


def estimate_text(row: ComparedSeries, locale: Locale) -> str:
    """What was estimated over the occurrences, with its interval: what the verdict rests on."""
    if row.estimate is None or row.interval is None:
        return locale.missing
    estimate, low, high = map(RATIO.written, (row.estimate, row.interval.low, row.interval.high))
    return f"{estimate} [{low}, {high}]"


def occurrences_text(row: ComparedSeries, locale: Locale) -> str:
    return locale.missing if row.occurrences is None else " → ".join(map(str, row.occurrences))


def variation_text(row: ComparedSeries, locale: Locale) -> str:
    return locale.missing if row.occurrences is None else comparing_words.variation_brief(row, locale.language)


def change_text(row: ComparedSeries, locale: Locale) -> str:
    """Relative change; of percentages the difference in points."""
    shown = _change_shown(row)
    if shown is None:
        return locale.missing
    return locale.text("compare.points", difference=signed(shown)) if row.unit == "%" else f"{rate_text(shown)} %"


def _change_shown(row: ComparedSeries) -> float | None:
    """In points of percentages, else in per cent."""
    before, after = means_of(row)
    if row.unit == "%":
        return None if before is None or after is None else after - before
    change = change_ratio(row)
    return None if change is None else change * 100


def signed(number: float) -> str:
    """One decimal with its sign; nothing is plainly nothing."""
    return "0" if abs(number) < 0.05 else f"{number:+,.1f}"


def difference_text(row: ComparedSeries, locale: Locale) -> str:
    """After - before with its interval, in the series' own unit."""
    if row.difference is None:
        return locale.missing
    words = _signed_figure(row.difference)
    if row.difference_interval is not None:
        low, high = map(_signed_figure, (row.difference_interval.low, row.difference_interval.high))
        words = f"{words} [{low}, {high}]"
    unit = locale.text("compare.point_unit") if row.unit == "%" else unit_text(row.unit, locale.messages)
    return f"{words} {unit}".strip()


def _signed_figure(value: float) -> str:
    return f"+{figure_text(value)}" if value > 0 else figure_text(value)


def reasons(row: ComparedSeries, locale: Locale) -> list[str]:
    """Sentences: why the verdict is what it is, and what has to be known to read it."""
    sentences = [comparing_words.reason_text(row, locale.language, locale.zone)]
    sentences += [comparing_words.caution_text(caution, locale.language, locale.zone) for caution in row.cautions]
    return [sentence for sentence in sentences if sentence]


def explained_verdict(row: ComparedSeries, locale: Locale) -> str:
    """For a tool tip: verdict, ratio and difference with their intervals, p, and why the verdict is what it is."""
    lines = [marked_verdict(row, locale)]
    if row.headline is not None:
        lines.append(comparing_words.ratio_text(row, locale.language))
    if row.difference_interval is not None:
        lines.append(locale.text("compare.tip.difference", difference=difference_text(row, locale)))
    if row.p_adjusted is not None:
        lines.append(locale.text("compare.tip.p", p=p_text(row.p_adjusted)))
    lines += reasons(row, locale)
    if row.direction is Direction.NEUTRAL:
        lines.append(locale.text("compare.tip.neutral"))
    return "\n".join(lines)


# -- columns -------------------------------------------------------------------------------------------


def _column(id_: str, value: Figure | None = None, format_: Format | None = None) -> Column[ComparedSeries]:
    return Column(id_, f"compare.column.{id_}", value, format_)


def _in_unit(id_: str, value: Figure, side: str = "", *, measured: bool = False) -> Column[ComparedSeries]:
    """A figure in the series' own unit, with decimals that suit its means."""
    return Column(id_, f"compare.column.{id_}", value, FIGURE, number_format=_decimals, side=side, measured=measured)


def _decimals(row: ComparedSeries) -> str:
    return decimal_format(decimals_for(means_of(row)))


def _statistic(side: str, name: str) -> Column[ComparedSeries]:
    def value(row: ComparedSeries) -> float | None:
        statistics: Statistics | None = row.before_statistics if side == "before" else row.after_statistics
        return getattr(statistics, name) if statistics else None

    if name == "n":
        return Column(f"{side}.n", f"compare.column.{side}.n", value, COUNT, side=side, measured=True)
    return _in_unit(f"{side}.{name}", value, side, measured=True)


def _quantile(side: str, name: str) -> Column[ComparedSeries]:
    def value(row: ComparedSeries) -> float | None:
        quantiles = row.before_quantiles if side == "before" else row.after_quantiles
        return getattr(quantiles, name) if quantiles else None

    return _in_unit(f"{side}.hd_{name}", value, side)


def _occurrences(index: int, side: str) -> Column[ComparedSeries]:
    return _column(f"{side}.occurrences", lambda row: row.occurrences[index] if row.occurrences else None, COUNT)


def _end(get: Callable[[ComparedSeries], Interval | None], name: str) -> Figure:
    """One end of an interval, ``low`` or ``high``."""
    return lambda row: None if (interval := get(row)) is None else getattr(interval, name)


def _of_statistic(statistic: Statistic) -> Iterator[Column[ComparedSeries]]:
    """What is judged beside the mean: both sides over the occurrences, and what became of them."""

    def changed(row: ComparedSeries) -> StatisticChange | None:
        judged = comparing_words.further_statistics(row)
        return next((change for change in judged if change.statistic is statistic), None)

    def figure(get: Callable[[StatisticChange], float | None]) -> Figure:
        return lambda row: None if (change := changed(row)) is None else get(change)

    def verdict(row: ComparedSeries, locale: Locale) -> str:
        change = changed(row)
        if change is None or row.led_by:
            return locale.missing
        return comparing_words.verdict_text(change.verdict, locale.language)

    for side in SIDES:
        yield _in_unit(f"{statistic}.{side}", figure(attrgetter(side)))
    yield _column(f"{statistic}.ratio", figure(attrgetter("ratio")), RATIO)
    yield _column(f"{statistic}.low", figure(lambda change: change.interval.low if change.interval else None), RATIO)
    yield _column(f"{statistic}.high", figure(lambda change: change.interval.high if change.interval else None), RATIO)
    yield Column(f"{statistic}.verdict", f"compare.column.{statistic}.verdict", text=verdict, width=14)


def _full_name(row: ComparedSeries, locale: Locale) -> str:
    parts = (series_name(row.series, locale.messages), row.metric, host_text(row, locale))
    return "\n".join(part for part in parts if part)


def _variation_value(row: ComparedSeries) -> float | None:
    """The share where it is one, else in the series' own unit."""
    return row.variation.sd if row.variation else None


def _variation_format(row: ComparedSeries) -> str:
    return _decimals(row) if comparing_words.variation_share(row) is None else SHARE.number_format


def _variation_source(row: ComparedSeries, locale: Locale) -> str:
    return comparing_words.variation_text(row, locale.language) or locale.missing


def _per_unit_of(row: ComparedSeries, locale: Locale) -> str:
    return comparing_words.measure_text(row.per_unit_of, locale.language) if row.per_unit_of else locale.missing


def _muted(_row: ComparedSeries) -> str:
    return "muted"


def _verdict_tone(row: ComparedSeries) -> str:
    return VERDICT_TONES[row.verdict] if row.measured_on_both and not row.led_by else "muted"


def _ratio_tone(row: ComparedSeries) -> str:
    return "muted" if row.interval is None or row.direction is Direction.NEUTRAL else ""


def _has_changed(row: ComparedSeries) -> bool:
    return row.own_verdict in CHANGED


def _not_computable(row: ComparedSeries, locale: Locale) -> str:
    value = _ratio_of_means(row)
    return locale.text("compare.not_computable") if value is None else RATIO.written(value)


def _verdict_columns() -> Iterator[Column[ComparedSeries]]:
    yield Column(
        "verdict",
        "compare.column.verdict",
        text=marked_verdict,
        order=lambda row: float(len(_VERDICTS) if row.led_by else _VERDICTS.index(row.verdict)),
        tone=_verdict_tone,
        strong=_has_changed,
        tip=explained_verdict,
    )
    yield Column("verdict.words", "compare.column.verdict", text=_plain_verdict, width=14)
    yield Column(
        "ratio",
        "compare.column.ratio",
        attrgetter("headline"),
        RATIO,
        headline_text,
        tone=_ratio_tone,
        strong=_has_changed,
        tip=explained_verdict,
    )
    yield Column(
        "ratio.interval",
        "compare.column.ratio.interval",
        text=lambda row, locale: comparing_words.ratio_text(row, locale.language),
        tone=_ratio_tone,
    )
    yield Column(
        "estimate",
        "compare.column.estimate",
        attrgetter("estimate"),
        RATIO,
        estimate_text,
        tone=_ratio_tone,
        tip=explained_verdict,
    )
    yield _column("estimate.value", attrgetter("estimate"), RATIO)
    yield Column(
        "why",
        "compare.column.why",
        text=lambda row, locale: " ".join(reasons(row, locale)),
        order=attrgetter("reason"),
        tone=_muted,
        tip=explained_verdict,
    )


def _ground_columns() -> Iterator[Column[ComparedSeries]]:
    """What the verdict was reckoned with."""
    yield Column(
        "occurrences",
        "compare.column.occurrences",
        text=occurrences_text,
        order=lambda row: None if row.occurrences is None else sum(row.occurrences),
        right=True,
        tone=_muted,
        tip=explained_verdict,
    )
    yield Column(
        "variation",
        "compare.column.variation",
        text=variation_text,
        order=_variation_value,
        right=True,
        tone=_muted,
        tip=explained_verdict,
    )
    yield Column("variation.sd", "compare.column.variation", _variation_value, FIGURE, number_format=_variation_format)
    yield _column("variation.df", lambda row: row.variation.df if row.variation else None, DEGREES)
    yield Column("variation.source", "compare.column.variation.source", text=_variation_source, width=34)
    yield Column("per_unit", "compare.column.per_unit", text=_per_unit_of, width=20)
    for index, side in enumerate(SIDES):
        yield _occurrences(index, side)
    yield _column("settle.occurrences", lambda row: row.settling.occurrences if row.settling else None, COUNT)
    yield _column("settle.change", lambda row: row.settling.change if row.settling else None, SHARE)


def _figure_columns() -> Iterator[Column[ComparedSeries]]:
    for name in ("mean", "p50", "p95", "maximum", "n"):
        yield from (_statistic(side, name) for side in SIDES)
    for name in QUANTILES:
        yield from (_quantile(side, name) for side in SIDES)
    yield Column(
        "ratio_of_means",
        "compare.column.ratio_of_means",
        _ratio_of_means,
        RATIO,
        _not_computable,
        formula=_ratio_formula,
    )
    yield Column(
        "change", "compare.column.change", text=change_text, order=_change_shown, right=True, tip=explained_verdict
    )
    yield _column("ratio.low", _end(attrgetter("interval"), "low"), RATIO)
    yield _column("ratio.high", _end(attrgetter("interval"), "high"), RATIO)
    yield _in_unit("difference", attrgetter("difference"))
    yield _in_unit("difference.low", _end(attrgetter("difference_interval"), "low"))
    yield _in_unit("difference.high", _end(attrgetter("difference_interval"), "high"))
    yield _column("p", attrgetter("p"), P_VALUE)
    yield _column("p_adjusted", attrgetter("p_adjusted"), P_VALUE)
    yield _column("margin", attrgetter("margin"), SHARE)
    for side in SIDES:
        yield Column(f"{side}.n_eff", f"compare.column.{side}.n_eff", attrgetter(f"n_eff_{side}"), SIZE, side=side)
        yield Column(f"{side}.lag1", f"compare.column.{side}.lag1", attrgetter(f"lag1_{side}"), FIGURE, side=side)
    for statistic in _BESIDE_MEAN:
        yield from _of_statistic(statistic)


def _name_columns() -> Iterator[Column[ComparedSeries]]:
    yield Column(
        "name",
        "compare.column.name",
        text=lambda row, locale: f"{series_name(row.series, locale.messages)} · {row.series.tool}",
        tip=_full_name,
    )
    yield Column(
        "unit", "compare.column.unit", text=lambda row, locale: unit_text(row.unit, locale.messages), tone=_muted
    )
    yield Column("device", "compare.column.device", lambda row: row.series.device, tone=_muted)
    yield Column("host", "compare.column.host", text=host_text, tone=_muted)
    yield Column("metric", "compare.column.metric", attrgetter("metric"), tone=_muted)
    yield Column(
        "method",
        "compare.column.method",
        text=lambda row, locale: comparing_words.method_text(row.method, locale.language),
    )


COLUMNS = (*_name_columns(), *_verdict_columns(), *_ground_columns(), *_figure_columns())

WINDOW = (
    "verdict name before.mean after.mean unit ratio estimate ratio.low ratio.high occurrences variation before.n_eff "
    "after.n_eff change why before.p50 after.p50 before.p95 after.p95 before.maximum after.maximum before.n after.n "
    "before.hd_p50 after.hd_p50 before.hd_p90 after.hd_p90 before.hd_p95 after.hd_p95 before.hd_p99 after.hd_p99 "
    "difference difference.low difference.high p p_adjusted before.lag1 after.lag1 margin method device host metric"
)
COPIED_ONLY = frozenset(
    [
        "ratio.low",
        "ratio.high",
        "before.n_eff",
        "after.n_eff",
        "before.hd_p50",
        "after.hd_p50",
        "before.hd_p90",
        "after.hd_p90",
        "before.hd_p95",
        "after.hd_p95",
        "before.hd_p99",
        "after.hd_p99",
        "difference",
        "difference.low",
        "difference.high",
        "p",
        "p_adjusted",
        "before.lag1",
        "after.lag1",
        "margin",
        "method",
    ]
)
"""Not seen in the window's table: cells that are seen say them beside other figures."""
WORKBOOK = (
    "verdict.words before.n after.n before.n_eff after.n_eff before.mean after.mean ratio_of_means estimate.value "
    "ratio.low ratio.high p p_adjusted margin difference difference.low difference.high before.hd_p95 after.hd_p95 "
    "before.occurrences after.occurrences variation.sd variation.df variation.source per_unit p95.before p95.after "
    "p95.ratio p95.low p95.high p95.verdict p99.before p99.after p99.ratio p99.low p99.high p99.verdict "
    "settle.occurrences settle.change"
)
LINES = "unit before.mean after.mean before.p95 after.p95 ratio.interval occurrences variation before.n_eff after.n_eff"
"""Of the command line, between name and reason."""
