"""What is known of a session, as rows of words."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from app.domain.capturing.run import CaptureGap, ClockCheck, StreamSegment
from app.ui.capturing.session_tables import WordRow
from app.ui.capturing.session_words import duration_words, leftovers_words, offset_words, stream_state, zone_words
from app.ui.look.formats import DASH, NS, format_bytes, format_count, format_stamp, format_time, format_value
from app.ui.look.language import text

if TYPE_CHECKING:
    from app.usecases.capturing.collecting import SessionDetails, StreamRecord

STREAM_COLUMNS = ("host", "command", "state", "lines", "bytes", "exit", "gaps", "cpu", "leftovers", "version")
STREAM_NUMBERS = ("lines", "bytes", "exit", "gaps", "cpu")
GAP_COLUMNS = ("host", "command", "from", "until", "length", "cause", "evidence")
CLOCK_COLUMNS = ("host", "taken", "offset", "error", "zone", "boot")
START_COLUMNS = ("host", "command", "number", "began", "ended", "first_line", "bytes", "exit", "cpu", "pid")
START_NUMBERS = ("number", "first_line", "bytes", "exit", "cpu", "pid")
COST_COLUMNS = ("host", "cpu", "share", "measured", "processes")
COST_NUMBERS = ("cpu", "share", "measured", "processes")
STEP_NS = 1_000_000_000  # an offset beyond this is worth a look
SIGNALS = {129: "HUP", 130: "INT", 137: "KILL", 141: "PIPE", 143: "TERM"}


def stream_rows(details: SessionDetails) -> list[WordRow]:
    gaps = Counter(gap.stream for gap in details.gaps)
    tool_lines = {command.id: command.tool_line for command in details.plan.commands}
    return [_stream_row(stream, gaps[stream.command_id], tool_lines) for stream in details.streams]


def _stream_row(stream: StreamRecord, gaps: int, tool_lines: dict[str, str]) -> WordRow:
    host, _, command = stream.command_id.partition("/")
    state, state_tone = stream_state(stream.state)
    left, left_tone = leftovers_words(stream.leftovers)
    cells = {
        "host": host,
        "command": command,
        "state": state,
        "lines": format_count(stream.lines),
        "bytes": format_bytes(stream.bytes),
        "exit": _exit(stream.exit),
        "gaps": format_count(gaps),
        "cpu": _cpu(stream.cpu_s),
        "leftovers": left,
        "version": stream.tool_version or DASH,
    }
    tips = {
        "command": tool_lines.get(stream.command_id, "")[:600],
        "exit": _exit_tip(stream.exit),
        "state": stream.stderr_tail,
        "version": stream.tool_version,
        "leftovers": text("ui.audit.leftovers.tip"),
        "cpu": text("ui.audit.cpu.tip"),
    }
    tones = {"state": state_tone, "leftovers": left_tone, "gaps": "watch" if gaps else ""}
    return WordRow(cells, stream, tones, tips)


def _exit(status: int | None) -> str:
    return DASH if status is None else str(status)


def _exit_tip(status: int | None) -> str:
    """A tool that we end at the planned time ends with a signal: that is no failure."""
    signal = SIGNALS.get(status or 0)
    return text("ui.audit.exit.signal", signal=signal) if signal else ""


def _cpu(cpu_s: float | None) -> str:
    return DASH if cpu_s is None else text("ui.audit.seconds", seconds=f"{cpu_s:,.2f}")


def gap_rows(details: SessionDetails, zone: ZoneInfo) -> list[WordRow]:
    return [_gap_row(gap, zone) for gap in sorted(details.gaps, key=lambda gap: (gap.start_ns, gap.stream))]


def _gap_row(gap: CaptureGap, zone: ZoneInfo) -> WordRow:
    host, _, command = gap.stream.partition("/")
    length_ns = None if gap.end_ns is None else gap.end_ns - gap.start_ns
    cells = {
        "host": host,
        "command": command,
        "from": format_time(gap.start_ns, zone),
        "until": text("ui.audit.gap.open") if gap.end_ns is None else format_time(gap.end_ns, zone),
        "length": duration_words(length_ns),
        "cause": text(f"gap_cause.{gap.cause}"),
        "evidence": gap.evidence or DASH,
    }
    noticed = text("ui.audit.gap.noticed", at=format_stamp(gap.detected_at, zone))
    return WordRow(cells, gap, {"cause": "watch"}, {"evidence": gap.evidence, "from": noticed, "until": noticed})


def clock_rows(details: SessionDetails, zone: ZoneInfo) -> list[WordRow]:
    return [_clock_row(check, zone) for check in details.clocks]


def _clock_row(check: ClockCheck, zone: ZoneInfo) -> WordRow:
    offset, error = offset_words(check.offset_ns, check.error_ns)
    cells = {
        "host": check.host,
        "taken": format_stamp(check.taken_at, zone),
        "offset": offset,
        "error": error,
        "zone": zone_words(check.zone, check.utc_offset_s),
        "boot": check.boot_id or DASH,
    }
    far = abs(check.offset_ns) - check.error_ns > STEP_NS
    return WordRow(cells, check, {"offset": "watch" if far else ""}, {"boot": text("ui.audit.boot.tip")})


def cost_rows(details: SessionDetails) -> list[WordRow]:
    """What all our processes on a host used together."""
    tip = text("ui.audit.costs.tip")
    return [
        WordRow(
            {
                "host": host,
                "cpu": _cpu(cost.cpu_s),
                "share": f"{format_value(cost.cpu_pct, 2)} %",
                "measured": duration_words(round(cost.measured_s * NS)),
                "processes": format_count(cost.processes),
            },
            cost,
            {},
            {"cpu": tip, "share": tip},
        )
        for host, cost in sorted(details.overheads.items())
    ]


def start_rows(details: SessionDetails, zone: ZoneInfo) -> list[WordRow]:
    """Every start of every command, in the order of their commands."""
    return [
        _start_row(command_id, segment, zone)
        for command_id, segments in sorted(details.segments.items())
        for segment in segments
    ]


def _start_row(command_id: str, segment: StreamSegment, zone: ZoneInfo) -> WordRow:
    host, _, command = command_id.partition("/")
    cells = {
        "host": host,
        "command": command,
        "number": str(segment.number + 1),
        "began": format_time(segment.began_ns, zone),
        "ended": text("ui.audit.start.cut") if segment.ended_ns is None else format_time(segment.ended_ns, zone),
        "first_line": format_count(segment.first_line),
        "bytes": format_bytes(segment.end_byte - segment.first_byte),
        "exit": _exit(segment.exit_status),
        "cpu": _cpu(segment.cpu_s),
        "pid": DASH if segment.pid is None else str(segment.pid),
    }
    tips = {
        "bytes": text("ui.audit.start.bytes", first=f"{segment.first_byte:,}", end=f"{segment.end_byte:,}"),
        "exit": _exit_tip(segment.exit_status),
    }
    return WordRow(cells, (command_id, segment), {"ended": "watch" if segment.ended_ns is None else ""}, tips)
