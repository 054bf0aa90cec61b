"""Numbers and times as the window prints them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from tunebench.columns import series_words
from tunebench.columns.formats import figure_text
from tunebench.core.messages import catalogue
from tunebench.domain.engagement import Engagement
from tunebench.domain.translations import in_language
from tunebench.ui.look.language import language, text

NS = 1_000_000_000
DASH = "–"
WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


def unit_text(unit: str) -> str:
    """A UCUM unit in the window's language."""
    return series_words.unit_text(unit, catalogue(language().code))


def moment(time_ns: int, zone: ZoneInfo) -> datetime:
    """UTC nanoseconds as a datetime in `zone` (microseconds at best)."""
    return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=time_ns // 1000)).astimezone(zone)


def format_time(time_ns: int | None, zone: ZoneInfo) -> str:
    """``2007-07-19 09:00:15``; a dash where unknown."""
    return DASH if time_ns is None else moment(time_ns, zone).strftime("%Y-%m-%d %H:%M:%S")


def format_stamp(iso: str, zone: ZoneInfo) -> str:
    """An ISO stamp with its offset, in `zone`; as it is where it cannot be read."""
    try:
        return datetime.fromisoformat(iso).astimezone(zone).strftime("%Y-%m-%d %H:%M:%S")
    except ValueError:
        return iso or DASH


def format_day(time_ns: int | None, zone: ZoneInfo, with_year: bool = False) -> str:
    """``07-19 (Thu)`` or ``2007-07-19 (Thu)`` in the window's language."""
    if time_ns is None:
        return ""
    day = moment(time_ns, zone)
    date = day.strftime("%Y-%m-%d" if with_year else "%m-%d")
    return f"{date} ({text('ui.weekday.' + WEEKDAYS[day.weekday()])})"


def format_span(first_ns: int | None, last_ns: int | None, zone: ZoneInfo) -> str:
    """``2007-07-19 09:00:15 – 18:00:00``; the second date only where it differs."""
    if first_ns is None or last_ns is None:
        return DASH
    first, last = moment(first_ns, zone), moment(last_ns, zone)
    end = f"{last:%H:%M:%S}" if first.date() == last.date() else f"{last:%Y-%m-%d %H:%M:%S}"
    return f"{first:%Y-%m-%d %H:%M:%S} {DASH} {end}"


def this_year(zone: ZoneInfo) -> int:
    return datetime.now(zone).year


def years_to_name(moments_ns: Iterable[int | None], zone: ZoneInfo) -> bool:
    """Whether a list of these moments has to name the years: there are several, or it is not this year."""
    years = {moment(time_ns, zone).year for time_ns in moments_ns if time_ns is not None}
    return bool(years - {this_year(zone)})


def format_short_span(first_ns: int | None, last_ns: int | None, zone: ZoneInfo, with_year: bool = False) -> str:
    """``07-19 09:00 – 18:00``, for lists; with seconds where it is shorter than an hour."""
    if first_ns is None or last_ns is None:
        return DASH
    first, last = moment(first_ns, zone), moment(last_ns, zone)
    clock = "%H:%M" if last - first >= timedelta(hours=1) else "%H:%M:%S"
    end = clock if first.date() == last.date() else f"%m-%d {clock}"
    year = "%Y-" if with_year else ""
    return f"{first.strftime(f'{year}%m-%d {clock}')} {DASH} {last.strftime(end)}"


def zone_name(zone: ZoneInfo, time_ns: int | None = None) -> str:
    """``Asia/Seoul (KST)``."""
    when = moment(time_ns, zone) if time_ns is not None else datetime.now(zone)
    short = when.strftime("%Z")
    return f"{zone.key} ({short})" if short and not short.startswith(("+", "-")) else zone.key


def format_count(number: int | None) -> str:
    return DASH if number is None else f"{number:,}"


def format_bytes(size_bytes: int) -> str:
    """``12.3 MB`` (powers of 1,000, as file browsers print them)."""
    size, unit = float(size_bytes), "B"
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if size < 1000 or unit == "TB":
            break
        size /= 1000
    return f"{size:,.0f} {unit}" if unit == "B" or size >= 100 else f"{size:,.1f} {unit}"


def format_value(value: float | None, digits: int = 4) -> str:
    """A measured value with `digits` significant digits, thousands parted; a dash where missing."""
    return DASH if value is None or math.isnan(value) else figure_text(value, digits)


def format_interval(interval_s: float | None) -> str:
    return DASH if interval_s is None else text("ui.unit.seconds", value=format_value(interval_s))


def host_words(name: str) -> str:
    """A host's name as the window shows it: a host that no capture names is called so."""
    return series_words.host_text(name, catalogue(language().code))


def short_hash(sha256: str) -> str:
    return f"{sha256[:8]}…{sha256[-6:]}" if len(sha256) > 16 else sha256


def engagement_words(engagement: Engagement) -> str:
    """Customer and title, as they are called in the window's language."""
    names = (in_language(engagement, name, language().code) for name in ("customer", "title"))
    return " · ".join(name for name in names if name)
