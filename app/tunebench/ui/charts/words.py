"""What a chart calls a series, in the window's language."""

from __future__ import annotations

from tunebench.columns.series_words import figure_name, series_name
from tunebench.core.messages import catalogue
from tunebench.domain.series import SeriesInfo
from tunebench.ui.look.language import language


def figure_words(info: SeriesInfo) -> str:
    """The heading alone, in the window's language."""
    return figure_name(info, catalogue(language().code))


def series_words(info: SeriesInfo, with_database: bool = True) -> str:
    """What a series is called in the window's language."""
    return series_name(info, catalogue(language().code), with_database)
