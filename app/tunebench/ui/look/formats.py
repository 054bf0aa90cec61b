"""Words with numbers, units and names in the window's language."""

from __future__ import annotations

from zoneinfo import ZoneInfo

from tunebench.columns import series_words
from tunebench.columns.formats import DASH, format_value, moment
from tunebench.core.messages import catalogue
from tunebench.domain.engagement import Engagement
from tunebench.domain.translations import in_language
from tunebench.ui.look.language import language, text

WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


def unit_text(unit: str) -> str:
    """A UCUM unit in the window's language."""
    return series_words.unit_text(unit, catalogue(language().code))


def format_day(time_ns: int | None, zone: ZoneInfo, with_year: bool = False) -> str:
    """``07-19 (Thu)`` or ``2007-07-19 (Thu)`` in the window's language."""
    if time_ns is None:
        return ""
    day = moment(time_ns, zone)
    date = day.strftime("%Y-%m-%d" if with_year else "%m-%d")
    return f"{date} ({text('ui.weekday.' + WEEKDAYS[day.weekday()])})"


def format_interval(interval_s: float | None) -> str:
    return DASH if interval_s is None else text("ui.unit.seconds", value=format_value(interval_s))


def host_words(name: str) -> str:
    """A host's name as the window shows it: a host that no capture names is called so."""
    return series_words.host_text(name, catalogue(language().code))


def engagement_words(engagement: Engagement) -> str:
    """Customer and title, as they are called in the window's language."""
    names = (in_language(engagement, name, language().code) for name in ("customer", "title"))
    return " · ".join(name for name in names if name)
