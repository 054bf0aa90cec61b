"""A metric of the cycle in words: its figures, its goal, its change."""

from __future__ import annotations

from math import copysign, exp, floor, isinf, log

from tunebench.analysis.answering.answer import TargetAnswer
from tunebench.analysis.comparing.improvement import Change
from tunebench.columns.answering.changes import in_times
from tunebench.columns.column import Locale
from tunebench.columns.formats import decimals_for
from tunebench.columns.series_words import unit_text
from tunebench.domain.cycle.records import Figure as MeasuredFigure
from tunebench.domain.cycle.records import Metric
from tunebench.domain.translations import in_language


def name_of(metric: Metric, locale: Locale) -> str:
    """As its record has it in that language."""
    return in_language(metric, "name", locale.language)


def metric_name(target: TargetAnswer, locale: Locale) -> str:
    statistic = "weighted_mean" if target.weighted else target.metric.statistic
    return locale.text(
        "answer.metric", name=name_of(target.metric, locale), statistic=locale.text(f"answer.statistic.{statistic}")
    )


def pair_texts(
    metric: Metric, before: MeasuredFigure | None, now: MeasuredFigure | None, locale: Locale
) -> tuple[str, str]:
    """``0.939``, ``0.433 ms``: the unit once, where both were measured."""
    first, second = (figure_text_of(metric, figure, locale) for figure in (before, now))
    unit = unit_text(metric.unit, locale.messages)
    both = all(figure is not None and figure.value is not None for figure in (before, now))
    return (first.removesuffix(unit).rstrip() if both and unit else first), second


def figure_text_of(metric: Metric, figure: MeasuredFigure | None, locale: Locale) -> str:
    if figure is None or figure.value is None:
        return locale.text("answer.not_measured")
    unit = unit_text(metric.unit, locale.messages)
    return f"{figure.bound} {figure.value:,.{_decimals(metric, figure.value)}f} {unit}".strip()


def _decimals(metric: Metric, value: float) -> int:
    """As many as the metric asks for, and more where these do not give three figures."""
    return 0 if value.is_integer() else min(max(metric.decimals, decimals_for([value])), 6)


def goal_text(metric: Metric, value: float | None, locale: Locale) -> str:
    """A value that somebody set, as it was typed."""
    return locale.missing if value is None else f"{value:,.10g} {unit_text(metric.unit, locale.messages)}".strip()


def _at_least(change: float, unit: str, locale: Locale) -> str:
    """``at least 6.55 times shorter``: of figures known only as bounds, never more than they show."""
    least = floor(exp(abs(change)) * 100) / 100
    return locale.text("answer.change.at_least", change=in_times(copysign(log(least), change), None, unit, "", locale))


def target_change_text(target: TargetAnswer, locale: Locale) -> str:
    change = target.change
    if change.ratio is None or not change.ratio or target.before is None or target.now is None:
        return locale.text("answer.change.none")
    before, now = target.before.value, target.now.value
    if not before or not now or before * now < 0:
        return locale.text("answer.change.none")
    judged = change.change in (Change.IMPROVED, Change.REGRESSED) and not target.descriptive
    ends = None
    if judged and change.interval is not None and change.interval[0] > 0 and not isinf(change.interval[1]):
        ends = (log(change.interval[0]), log(change.interval[1]))
        ends = (-ends[1], -ends[0]) if now < before else ends
    if change.at_least:
        return _at_least(log(now / before), target.metric.unit, locale)
    printed = [round(value, _decimals(target.metric, value)) for value in (before, now)]
    return in_times(
        log(printed[1] / printed[0]) if all(printed) else log(now / before), ends, target.metric.unit, "", locale
    )
