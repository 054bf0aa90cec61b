"""What is known of a session, in words and as columns of its tables: streams, gaps, clock checks, costs and starts. A
shape goes with every state, the colour only repeats it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime, tzinfo

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
from tunebench.domain.capturing.run import (
    CaptureGap,
    ClockCheck,
    ServerCost,
    SessionRecord,
    SessionState,
    StreamRecord,
    StreamSegment,
    StreamState,
)

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


def session_title(session: SessionRecord, zone: tzinfo) -> str:
    """``before · 11-22 00:07``."""
    return f"{session.label} · {format_stamp(session.started_at, zone)[5:16]}"


def note_words(note: str, locale: Locale) -> str:
    """Notes of the program are keys, below ``report.session_note.``; anything else is somebody's words."""
    return _sentence_or(f"report.session_note.{note}", note, locale)


def how_words(how: str, locale: Locale) -> str:
    """How consent was given."""
    return _sentence_or(f"report.approval.{how}", how, locale)


def _sentence_or(key: str, otherwise: str, locale: Locale) -> str:
    return locale.text(key) if key in locale.messages else otherwise


def session_state(session: SessionRecord, locale: Locale) -> str:
    return f"{SESSION_SHAPES[session.state]} {locale.text(f'session_state.{session.state}')}"


def _stream_state(stream: StreamRecord, locale: Locale) -> str:
    shape, _tone, word = _stream_mark(stream.state)
    return f"{shape} {locale.text(f'stream_state.{word}')}"


def _stream_mark(state: StreamState) -> tuple[str, str, StreamState]:
    return _STREAM_MARKS.get(state, ("…", "watch", state))


def _leftovers(stream: StreamRecord, locale: Locale) -> str:
    """What the clean-up proved."""
    return f"{LEFTOVER_SHAPES[stream.leftovers]} {locale.text(f'ui.audit.leftovers.{stream.leftovers}')}"


def iso_ns(iso: str | None) -> int | None:
    """UTC nanoseconds of a stored time; None where there is none."""
    return None if not iso else round(datetime.fromisoformat(iso).timestamp() * 1000) * (NS // 1000)


def span_words(session: SessionRecord, zone: tzinfo) -> str:
    start, end = iso_ns(session.started_at), iso_ns(session.ended_at)
    if end is None:
        return f"{format_stamp(session.started_at, zone)} {DASH}"
    return format_span(start, end, zone)


def duration_words(length_ns: int | None, locale: Locale) -> str:
    """``1.2 s``, ``3 min 05 s``, ``2 h 04 min``; a dash where it has no end."""
    if length_ns is None:
        return DASH
    seconds = length_ns / NS
    if seconds < 60:
        return locale.text("ui.audit.seconds", seconds=format_value(seconds, 3))
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return locale.text("ui.audit.minutes", minutes=minutes, seconds=f"{rest:02d}")
    return locale.text("ui.audit.hours", hours=minutes // 60, minutes=f"{minutes % 60:02d}")


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
    words: Callable[[Row, Locale], str],
    right: bool = False,
    tone: Callable[[Row], str] | None = None,
    tip: Callable[[Row, Locale], str] | None = None,
) -> Column[Row]:
    return Column(id_, f"ui.audit.column.{id_}", text=words, right=right, tone=tone, tip=tip)


def _explained(key: str) -> Callable[[object, Locale], str]:
    """A tip that is the same in every row."""
    return lambda _row, locale: locale.text(key)


def stream_columns(gaps: Sequence[CaptureGap], tool_lines: Mapping[str, str]) -> list[Column[StreamRecord]]:
    """`tool_lines`: id of a command -> what it runs."""
    counts = Counter(gap.stream for gap in gaps)
    return [
        _column("host", lambda it, _: _split(it.command_id)[0]),
        _column(
            "command", lambda it, _: _split(it.command_id)[1], tip=lambda it, _: tool_lines.get(it.command_id, "")[:600]
        ),
        _column("state", _stream_state, tone=lambda it: _stream_mark(it.state)[1], tip=lambda it, _: it.stderr_tail),
        _column("lines", lambda it, _: format_count(it.lines), right=True),
        _column("bytes", lambda it, _: format_bytes(it.bytes), right=True),
        _column("exit", lambda it, _: _exit(it.exit), right=True, tip=lambda it, locale: _exit_tip(it.exit, locale)),
        _column(
            "gaps",
            lambda it, _: format_count(counts[it.command_id]),
            right=True,
            tone=lambda it: "watch" if counts[it.command_id] else "",
        ),
        _column("cpu", lambda it, locale: _cpu(it.cpu_s, locale), right=True, tip=_explained("ui.audit.cpu.tip")),
        _column(
            "leftovers",
            _leftovers,
            tone=lambda it: LEFTOVER_TONES[it.leftovers],
            tip=_explained("ui.audit.leftovers.tip"),
        ),
        _column("version", lambda it, _: it.tool_version or DASH, tip=lambda it, _: it.tool_version),
    ]


def _split(command_id: str) -> tuple[str, str]:
    """Host and command."""
    host, _, command = command_id.partition("/")
    return host, command


def _exit(status: int | None) -> str:
    return DASH if status is None else str(status)


def _exit_tip(status: int | None, locale: Locale) -> str:
    """A tool that we end at the planned time ends with a signal: that is no failure."""
    signal = SIGNALS.get(status or 0)
    return locale.text("ui.audit.exit.signal", signal=signal) if signal else ""


def _cpu(cpu_s: float | None, locale: Locale) -> str:
    return DASH if cpu_s is None else locale.text("ui.audit.seconds", seconds=f"{cpu_s:,.2f}")


def _noticed(gap: CaptureGap, locale: Locale) -> str:
    return locale.text("ui.audit.gap.noticed", at=format_stamp(gap.detected_at, locale.zone))


def _gap_end(gap: CaptureGap, locale: Locale) -> str:
    return locale.text("ui.audit.gap.open") if gap.end_ns is None else format_time(gap.end_ns, locale.zone)


def _gap_length(gap: CaptureGap, locale: Locale) -> str:
    return duration_words(None if gap.end_ns is None else gap.end_ns - gap.start_ns, locale)


GAP_COLUMNS: tuple[Column[CaptureGap], ...] = (
    _column("host", lambda gap, _: _split(gap.stream)[0]),
    _column("command", lambda gap, _: _split(gap.stream)[1]),
    _column("from", lambda gap, locale: format_time(gap.start_ns, locale.zone), tip=_noticed),
    _column("until", _gap_end, tip=_noticed),
    _column("length", _gap_length),
    _column("cause", lambda gap, locale: locale.text(f"gap_cause.{gap.cause}"), tone=lambda _: "watch"),
    _column("evidence", lambda gap, _: gap.evidence or DASH, tip=lambda gap, _: gap.evidence),
)


def _offset_tone(check: ClockCheck) -> str:
    return "watch" if abs(check.offset_ns) - check.error_ns > STEP_NS else ""


CLOCK_COLUMNS: tuple[Column[ClockCheck], ...] = (
    _column("host", lambda check, _: check.host),
    _column("taken", lambda check, locale: format_stamp(check.taken_at, locale.zone)),
    _column("offset", lambda check, _: offset_words(check.offset_ns, check.error_ns)[0], tone=_offset_tone),
    _column("error", lambda check, _: offset_words(check.offset_ns, check.error_ns)[1]),
    _column("zone", lambda check, _: zone_words(check.zone, check.utc_offset_s)),
    _column("boot", lambda check, _: check.boot_id or DASH, tip=_explained("ui.audit.boot.tip")),
)
_COSTS_TIP = _explained("ui.audit.costs.tip")
COST_COLUMNS: tuple[Column[tuple[str, ServerCost]], ...] = (
    _column("host", lambda row, _: row[0]),
    _column("cpu", lambda row, locale: _cpu(row[1].cpu_s, locale), right=True, tip=_COSTS_TIP),
    _column("share", lambda row, _: f"{format_value(row[1].cpu_pct, 2)} %", right=True, tip=_COSTS_TIP),
    _column("measured", lambda row, locale: duration_words(round(row[1].measured_s * NS), locale), right=True),
    _column("processes", lambda row, _: format_count(row[1].processes), right=True),
)
"""What all our processes on a host used together; a row is the host's name and its cost."""


def starts(segments: Mapping[str, Collection[StreamSegment]]) -> list[Start]:
    """Every start of every command, in the order of their commands."""
    return [(id_, segment) for id_, own in sorted(segments.items()) for segment in own]


def _start_end(start: Start, locale: Locale) -> str:
    ended_ns = start[1].ended_ns
    return locale.text("ui.audit.start.cut") if ended_ns is None else format_time(ended_ns, locale.zone)


def _bytes_tip(start: Start, locale: Locale) -> str:
    return locale.text("ui.audit.start.bytes", first=f"{start[1].first_byte:,}", end=f"{start[1].end_byte:,}")


START_COLUMNS: tuple[Column[Start], ...] = (
    _column("host", lambda it, _: _split(it[0])[0]),
    _column("command", lambda it, _: _split(it[0])[1]),
    _column("number", lambda it, _: str(it[1].number + 1), right=True),
    _column("began", lambda it, locale: format_time(it[1].began_ns, locale.zone)),
    _column("ended", _start_end, tone=lambda it: "watch" if it[1].ended_ns is None else ""),
    _column("first_line", lambda it, _: format_count(it[1].first_line), right=True),
    _column("bytes", lambda it, _: format_bytes(it[1].end_byte - it[1].first_byte), right=True, tip=_bytes_tip),
    _column(
        "exit",
        lambda it, _: _exit(it[1].exit_status),
        right=True,
        tip=lambda it, locale: _exit_tip(it[1].exit_status, locale),
    ),
    _column("cpu", lambda it, locale: _cpu(it[1].cpu_s, locale), right=True),
    _column("pid", lambda it, _: DASH if it[1].pid is None else str(it[1].pid), right=True),
)
