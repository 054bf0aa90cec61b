"""What a chart calls a series, in the window's language."""

from __future__ import annotations

from tunebench.columns.formats import format_value
from tunebench.columns.series_words import figure_name, series_name
from tunebench.core.messages import catalogue
from tunebench.domain.series import SeriesInfo
from tunebench.ui.look.formats import unit_text
from tunebench.ui.look.language import language, text
from tunebench.usecases.exploring.targets import Limit


def figure_words(info: SeriesInfo) -> str:
    """The heading alone, in the window's language."""
    return figure_name(info, catalogue(language().code))


def series_words(info: SeriesInfo, with_database: bool = True) -> str:
    """What a series is called in the window's language."""
    return series_name(info, catalogue(language().code), with_database)


def goal_words(limit: Limit) -> str:
    """``target ≤ 30 ms``, or the limit of what pays."""
    goal = f"{'≤' if limit.below else '≥'} {format_value(limit.shown)} {unit_text(limit.unit)}".rstrip()
    return text(f"ui.charts.goal.{'guard' if limit.is_guard else 'target'}", goal=goal)
