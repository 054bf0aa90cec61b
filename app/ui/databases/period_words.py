"""What is said of a period: its time, its load, what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from zoneinfo import ZoneInfo

from app.domain.databases.records import Fault
from app.ui.databases.figure_words import not_measured
from app.ui.databases.period_book import Cell
from app.ui.look.formats import format_span, format_time, format_value
from app.ui.look.language import text
from app.usecases.databases.words import length_text

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


def mark_words(mark: str) -> str:
    return text("ui.profile.unequal") if mark == "unequal" else text(f"database.fault.{mark}")


def short_mark_words(mark: str) -> str:
    return text(f"ui.profile.mark.{mark}")


def legend(found: Iterable[Cell]) -> str:
    """Signs in sight and what they mean."""
    marks = dict.fromkeys(mark for cell in found for mark in marks_of(cell))
    return "   ".join(f"{SIGNS[mark]} {short_mark_words(mark)}" for mark in SIGNS if mark in marks)


def time_words(cell: Cell, zone: ZoneInfo) -> str:
    period = cell.period
    if period.end_ns is None:
        return text("ui.profile.untimed")
    if cell.reaches_back:
        return text("ui.profile.until", time=format_time(period.end_ns, zone))
    return format_span(period.begin_ns, period.end_ns, zone)


def load_words(cell: Cell) -> str:
    if not cell.period.record.valid:
        return text("ui.profile.not_valid")
    if cell.sessions is None:
        return not_measured()
    return text("ui.profile.sessions", sessions=format_value(cell.sessions, 3))


def cell_words(cell: Cell, zone: ZoneInfo, run: str) -> str:
    """All of it, for tool tips and readers."""
    lines = [
        time_words(cell, zone),
        text("ui.profile.period_of", run=run, length=length_text(cell.period.length_s)),
        load_words(cell),
        *(f"{SIGNS[mark]} {mark_words(mark)}" for mark in marks_of(cell)),
    ]
    return "\n".join(lines)
