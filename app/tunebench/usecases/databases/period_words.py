"""Periods of a database in words: from when to when, how busy, and a sign for whatever is wrong with them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from tunebench.columns.column import Locale
from tunebench.columns.formats import format_span, format_time, format_value
from tunebench.domain.databases.records import Fault
from tunebench.usecases.databases.period_book import Cell
from tunebench.usecases.databases.profile_words import not_measured
from tunebench.usecases.databases.words import length_text

SIGNS: Mapping[str, str] = MappingProxyType(
    {
        Fault.RESTART: "▲",
        Fault.RESET: "◇",
        Fault.NEGATIVE: "▼",
        Fault.OTHER_DATABASE: "↔",
        Fault.EVICTED: "…",
        Fault.TRUNCATED: "†",
        Fault.CPU_COUNT: "#",
        Fault.SINCE_START: "∞",
        Fault.PREPARED_UNSEEN: "?",
        Fault.UNTIMED: "?",
        "unequal": "≠",
    }
)
"""One sign per fault; each stands beside its words below the calendar."""


def marks_of(cell: Cell) -> list[str]:
    """Keys of `SIGNS`, what invalidates first."""
    faults = sorted(cell.faults, key=lambda fault: not fault.invalidates)
    return [*faults, *(["unequal"] if cell.unequal else [])]


def signs_of(cell: Cell) -> str:
    return "".join(SIGNS[mark] for mark in marks_of(cell))


def mark_words(mark: str, locale: Locale) -> str:
    return locale.text("ui.profile.unequal") if mark == "unequal" else locale.text(f"database.fault.{mark}")


def short_mark_words(mark: str, locale: Locale) -> str:
    return locale.text(f"ui.profile.mark.{mark}")


def legend(cells: Iterable[Cell], locale: Locale) -> str:
    """Signs in sight and what they mean."""
    marks = dict.fromkeys(mark for cell in cells for mark in marks_of(cell))
    return "   ".join(f"{SIGNS[mark]} {short_mark_words(mark, locale)}" for mark in SIGNS if mark in marks)


def time_words(begin_ns: int | None, end_ns: int | None, locale: Locale) -> str:
    """From when to when; of one without a begin, until when."""
    if end_ns is None:
        return locale.text("ui.profile.untimed")
    if begin_ns is None:
        return locale.text("ui.profile.until", time=format_time(end_ns, locale.zone))
    return format_span(begin_ns, end_ns, locale.zone)


def load_words(cell: Cell, locale: Locale) -> str:
    if not cell.period.record.valid:
        return locale.text("ui.profile.not_valid")
    if cell.sessions is None:
        return not_measured(locale)
    return locale.text("ui.profile.sessions", sessions=format_value(cell.sessions, 3))


def cell_words(cell: Cell, run: str, locale: Locale) -> str:
    """All of it, for tool tips and readers."""
    lines = [
        time_words(None if cell.reaches_back else cell.period.begin_ns, cell.period.end_ns, locale),
        locale.text("ui.profile.period_of", run=run, length=length_text(cell.period.length_s)),
        load_words(cell, locale),
        *(f"{SIGNS[mark]} {mark_words(mark, locale)}" for mark in marks_of(cell)),
    ]
    return "\n".join(lines)
