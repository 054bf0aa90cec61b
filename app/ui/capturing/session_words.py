"""Words for sessions and what is known of them; a shape goes with every state, the colour only repeats it."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from app.domain.capturing.run import SessionState, StreamState
from app.ui.look.formats import DASH, NS, format_span, format_stamp, format_value
from app.ui.look.language import has_text, text

if TYPE_CHECKING:
    from app.usecases.capturing.collecting import SessionRecord

SESSION_SHAPES = {
    SessionState.RUNNING: "●",
    SessionState.INTERRUPTED: "!",
    SessionState.FINISHED: "✓",
    SessionState.FAILED: "✕",
}
SESSION_TONES = {
    SessionState.RUNNING: "accent",
    SessionState.INTERRUPTED: "warning",
    SessionState.FINISHED: "ok",
    SessionState.FAILED: "critical",
}
LEFTOVER_SHAPES = {"none": "✓", "found": "✕", "unknown": "?"}
LEFTOVER_TONES = {"none": "ok", "found": "critical", "unknown": "watch"}
_STREAM_MARKS = {
    StreamState.VERIFIED: ("✓", "ok", StreamState.ENDED),
    StreamState.ENDED: ("✓", "ok", StreamState.ENDED),
    StreamState.FAILED: ("✕", "critical", StreamState.FAILED),
}
"""Shape, tone and word of the ends; whether anything was left on the server has a column of its own."""


def session_title(session: SessionRecord, zone: ZoneInfo) -> str:
    """``before · 11-22 00:07``."""
    return f"{session.label} · {format_stamp(session.started_at, zone)[5:16]}"


def note_words(note: str) -> str:
    """Notes of the program are keys, below ``report.session_note.``; anything else is somebody's words."""
    key = f"report.session_note.{note}"
    return text(key) if has_text(key) else note


def session_state(session: SessionRecord) -> str:
    return f"{SESSION_SHAPES[session.state]} {text(f'session_state.{session.state}')}"


def stream_state(state: StreamState) -> tuple[str, str]:
    """(words, tone)."""
    shape, tone, word = _STREAM_MARKS.get(state, ("…", "watch", state))
    return f"{shape} {text(f'stream_state.{word}')}", tone


def leftovers_words(leftovers: str) -> tuple[str, str]:
    """(words, tone) of the clean-up proof."""
    return f"{LEFTOVER_SHAPES[leftovers]} {text(f'ui.audit.leftovers.{leftovers}')}", LEFTOVER_TONES[leftovers]


def how_words(how: str) -> str:
    """How somebody consented."""
    key = f"report.approval.{how}"
    return text(key) if has_text(key) else how


def iso_ns(iso: str | None) -> int | None:
    """UTC nanoseconds of a stored time; None where there is none."""
    return None if not iso else round(datetime.fromisoformat(iso).timestamp() * 1000) * (NS // 1000)


def span_words(session: SessionRecord, zone: ZoneInfo) -> str:
    start, end = iso_ns(session.started_at), iso_ns(session.ended_at)
    if end is None:
        return f"{format_stamp(session.started_at, zone)} {DASH}"
    return format_span(start, end, zone)


def duration_words(length_ns: int | None) -> str:
    """``1.2 s``, ``3 min 05 s``, ``2 h 04 min``; a dash where it has no end."""
    if length_ns is None:
        return DASH
    seconds = length_ns / NS
    if seconds < 60:
        return text("ui.audit.seconds", seconds=format_value(seconds, 3))
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return text("ui.audit.minutes", minutes=minutes, seconds=f"{rest:02d}")
    return text("ui.audit.hours", hours=minutes // 60, minutes=f"{minutes % 60:02d}")


def offset_words(offset_ns: int, error_ns: int) -> tuple[str, str]:
    """(``+2.3 ms``, ``± 9.1 ms``) of the server's clock against this machine's; seconds where they are many."""
    unit, size = ("s", NS) if max(abs(offset_ns), error_ns) >= NS else ("ms", 1_000_000)
    sign = "+" if offset_ns > 0 else "−" if offset_ns < 0 else ""
    return f"{sign}{format_value(abs(offset_ns) / size, 3)} {unit}", f"± {format_value(error_ns / size, 2)} {unit}"


def zone_words(zone: str, utc_offset_s: int | None) -> str:
    """``Asia/Seoul (UTC+09:00)``."""
    if utc_offset_s is None:
        return zone or DASH
    hours, minutes = divmod(abs(utc_offset_s) // 60, 60)
    offset = f"UTC{'-' if utc_offset_s < 0 else '+'}{hours:02d}:{minutes:02d}"
    return f"{zone} ({offset})" if zone else offset
