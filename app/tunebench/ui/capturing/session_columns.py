"""What is known of a session, in words and as columns of its tables: streams, gaps, clock checks, costs and starts. A
shape goes with every state, the colour only repeats it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from tunebench.columns.column import Column, Locale, Row
from tunebench.columns.formats import (
    DASH,
    NS,
    format_bytes,
    format_count,
    format_span,
    format_stamp,
    format_time,
    format_value,
)
from tunebench.domain.capturing.run import CaptureGap, ClockCheck, ServerCost, SessionState, StreamSegment, StreamState
from tunebench.ui.look.language import has_text, text

if TYPE_CHECKING:
    from tunebench.domain.capturing.run import SessionRecord, StreamRecord
    from tunebench.usecases.capturing.collecting import SessionDetails


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
STEP_NS = 1_000_000_000  # an offset beyond this is worth a look
SIGNALS = {129: "HUP", 130: "INT", 137: "KILL", 141: "PIPE", 143: "TERM"}
Start = tuple[str, StreamSegment]
"""The id of a command, and one of its starts."""


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
    """How consent was given."""
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


def _column(
    id_: str,
    words: Callable[[Row], str],
    right: bool = False,
    tone: Callable[[Row], str] | None = None,
    tip: Callable[[Row, Locale], str] | None = None,
) -> Column[Row]:
    return Column(id_, f"ui.audit.column.{id_}", words, right=right, tone=tone, tip=tip)


def stream_columns(details: SessionDetails) -> list[Column[StreamRecord]]:
    gaps = Counter(gap.stream for gap in details.gaps)
    tool_lines = {command.id: command.tool_line for command in details.plan.commands}
    return [
        _column("host", lambda it: _split(it.command_id)[0]),
        _column(
            "command", lambda it: _split(it.command_id)[1], tip=lambda it, _: tool_lines.get(it.command_id, "")[:600]
        ),
        _column(
            "state",
            lambda it: stream_state(it.state)[0],
            tone=lambda it: stream_state(it.state)[1],
            tip=lambda it, _: it.stderr_tail,
        ),
        _column("lines", lambda it: format_count(it.lines), right=True),
        _column("bytes", lambda it: format_bytes(it.bytes), right=True),
        _column("exit", lambda it: _exit(it.exit), right=True, tip=lambda it, _: _exit_tip(it.exit)),
        _column(
            "gaps",
            lambda it: format_count(gaps[it.command_id]),
            right=True,
            tone=lambda it: "watch" if gaps[it.command_id] else "",
        ),
        _column("cpu", lambda it: _cpu(it.cpu_s), right=True, tip=lambda _row, _: text("ui.audit.cpu.tip")),
        _column(
            "leftovers",
            lambda it: leftovers_words(it.leftovers)[0],
            tone=lambda it: leftovers_words(it.leftovers)[1],
            tip=lambda _row, _: text("ui.audit.leftovers.tip"),
        ),
        _column("version", lambda it: it.tool_version or DASH, tip=lambda it, _: it.tool_version),
    ]


def _split(command_id: str) -> tuple[str, str]:
    """Host and command."""
    host, _, command = command_id.partition("/")
    return host, command


def _exit(status: int | None) -> str:
    return DASH if status is None else str(status)


def _exit_tip(status: int | None) -> str:
    """A tool that we end at the planned time ends with a signal: that is no failure."""
    signal = SIGNALS.get(status or 0)
    return text("ui.audit.exit.signal", signal=signal) if signal else ""


def _cpu(cpu_s: float | None) -> str:
    return DASH if cpu_s is None else text("ui.audit.seconds", seconds=f"{cpu_s:,.2f}")


def gap_columns(zone: ZoneInfo) -> list[Column[CaptureGap]]:
    def noticed(gap: CaptureGap, _locale: Locale) -> str:
        return text("ui.audit.gap.noticed", at=format_stamp(gap.detected_at, zone))

    def until(gap: CaptureGap) -> str:
        return text("ui.audit.gap.open") if gap.end_ns is None else format_time(gap.end_ns, zone)

    return [
        _column("host", lambda gap: _split(gap.stream)[0]),
        _column("command", lambda gap: _split(gap.stream)[1]),
        _column("from", lambda gap: format_time(gap.start_ns, zone), tip=noticed),
        _column("until", until, tip=noticed),
        _column("length", lambda gap: duration_words(None if gap.end_ns is None else gap.end_ns - gap.start_ns)),
        _column("cause", lambda gap: text(f"gap_cause.{gap.cause}"), tone=lambda _: "watch"),
        _column("evidence", lambda gap: gap.evidence or DASH, tip=lambda gap, _: gap.evidence),
    ]


def clock_columns(zone: ZoneInfo) -> list[Column[ClockCheck]]:
    def offset_tone(check: ClockCheck) -> str:
        return "watch" if abs(check.offset_ns) - check.error_ns > STEP_NS else ""

    return [
        _column("host", lambda check: check.host),
        _column("taken", lambda check: format_stamp(check.taken_at, zone)),
        _column("offset", lambda check: offset_words(check.offset_ns, check.error_ns)[0], tone=offset_tone),
        _column("error", lambda check: offset_words(check.offset_ns, check.error_ns)[1]),
        _column("zone", lambda check: zone_words(check.zone, check.utc_offset_s)),
        _column("boot", lambda check: check.boot_id or DASH, tip=lambda _row, _: text("ui.audit.boot.tip")),
    ]


def cost_columns() -> list[Column[tuple[str, ServerCost]]]:
    """What all our processes on a host used together; a row is the host's name and its cost."""

    def tip(_row: object, _locale: Locale) -> str:
        return text("ui.audit.costs.tip")

    return [
        _column("host", lambda row: row[0]),
        _column("cpu", lambda row: _cpu(row[1].cpu_s), right=True, tip=tip),
        _column("share", lambda row: f"{format_value(row[1].cpu_pct, 2)} %", right=True, tip=tip),
        _column("measured", lambda row: duration_words(round(row[1].measured_s * NS)), right=True),
        _column("processes", lambda row: format_count(row[1].processes), right=True),
    ]


def starts(details: SessionDetails) -> list[Start]:
    """Every start of every command, in the order of their commands."""
    return [(id_, segment) for id_, segments in sorted(details.segments.items()) for segment in segments]


def start_columns(zone: ZoneInfo) -> list[Column[Start]]:
    def ended(start: Start) -> str:
        ended_ns = start[1].ended_ns
        return text("ui.audit.start.cut") if ended_ns is None else format_time(ended_ns, zone)

    def bytes_tip(start: Start, _locale: Locale) -> str:
        return text("ui.audit.start.bytes", first=f"{start[1].first_byte:,}", end=f"{start[1].end_byte:,}")

    return [
        _column("host", lambda it: _split(it[0])[0]),
        _column("command", lambda it: _split(it[0])[1]),
        _column("number", lambda it: str(it[1].number + 1), right=True),
        _column("began", lambda it: format_time(it[1].began_ns, zone)),
        _column("ended", ended, tone=lambda it: "watch" if it[1].ended_ns is None else ""),
        _column("first_line", lambda it: format_count(it[1].first_line), right=True),
        _column("bytes", lambda it: format_bytes(it[1].end_byte - it[1].first_byte), right=True, tip=bytes_tip),
        _column(
            "exit", lambda it: _exit(it[1].exit_status), right=True, tip=lambda it, _: _exit_tip(it[1].exit_status)
        ),
        _column("cpu", lambda it: _cpu(it[1].cpu_s), right=True),
        _column("pid", lambda it: DASH if it[1].pid is None else str(it[1].pid), right=True),
    ]
