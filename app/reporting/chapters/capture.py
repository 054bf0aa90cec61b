"""How the captures were taken: streams, gaps, clocks, and what it cost the servers."""

from __future__ import annotations

from collections.abc import Sequence

from app.domain.databases.choices import LicenceConfirmation
from app.reporting.cases.capture import (
    CapturedGap,
    CapturedSession,
    CapturedStream,
    ClockReading,
    HostOverhead,
    LiveCapture,
)
from app.reporting.chapters.context import CODE, FIXED, NUMBER, TEXT, Context
from app.reporting.document import Block, Cell, Column, Heading, KeyValueTable, Note, Paragraph, Table, Tone
from app.reporting.wording import grouped

STREAMS_SHOWN = 150
COMMAND_SHOWN = 90
GAPS_SHOWN = 80
NS_PER_MS = 1_000_000
KIB = 1024


def has_live(context: Context) -> bool:
    return context.case.live is not None


def live(context: Context) -> LiveCapture:
    """Raises where nothing was captured live."""
    assert context.case.live is not None  # `has_live` was asked
    return context.case.live


def capture(context: Context) -> list[Block]:
    """Per session: who approved it, its streams, gaps, clocks, and what it cost the servers."""
    blocks: list[Block] = [Paragraph(context.text("capture.intro"))]
    for number, session in enumerate(live(context).sessions, 1):
        title = context.text("capture.session", number=number, run=session.run)
        blocks.append(Heading(title, f"capture-{number}", 2))
        blocks.append(_facts(context, session))
        blocks += _streams(context, session)
        blocks += _gaps(context, session)
        blocks += _clocks(context, session)
        blocks += _costs(context, session)
    return blocks


def _facts(context: Context, session: CapturedSession) -> KeyValueTable:
    text, words = context.text, context.words
    how = words.known(f"report.approval.{session.approved_how}", session.approved_how)
    approved = text("capture.approved", by=session.approved_by, at=words.moment(session.approved_ns), how=how)
    rows = [
        (text("capture.period"), words.span(session.started_ns, session.ended_ns)),
        (text("capture.state"), state_text(context, "session", session.state)),
        (text("capture.mode"), words.known(f"plan.mode.{session.mode}", session.mode)),
        (text("capture.approval"), approved if session.approved_by else text("capture.no_approval")),
        *((text("capture.licence"), _confirmed(context, each)) for each in session.licences),
        (text("capture.plan"), session.digest),
        (text("capture.note"), "; ".join(words.known(f"report.session_note.{n}", n) for n in session.note.split())),
    ]
    return KeyValueTable(tuple((name, value) for name, value in rows if value))


def _confirmed(context: Context, given: LicenceConfirmation) -> str:
    words = context.words
    return context.text(
        "capture.licence_confirmed",
        licence=words.known(f"licence.{given.subject}", given.subject),
        host=given.host or context.text("capture.every_host"),
        by=given.confirmed_by,
        at=words.iso_moment(given.confirmed_at),
        evidence=given.evidence,
    )


def _streams(context: Context, session: CapturedSession) -> list[Block]:
    text = context.text
    if not session.streams:
        return [Note(text("capture.no_streams"), Tone.WARNING)]
    columns = (
        Column(text("column.host"), TEXT, 1),
        Column(text("column.command"), CODE, 2.4),
        Column(text("column.interval"), TEXT, 0.8),
        Column(text("column.samples"), NUMBER),
        Column(text("column.coverage"), NUMBER),
        Column(text("column.gaps"), NUMBER),
        Column(text("column.tool_version"), TEXT, 1.3),
        Column(text("column.state"), TEXT, 0.9),
        Column(text("column.evidence"), TEXT, 0.6),
    )
    shown = session.streams[:STREAMS_SHOWN]
    rows = tuple(_stream_cells(context, stream) for stream in shown)
    notes = [text("capture.note_coverage")]
    if len(shown) < len(session.streams):
        notes.append(text("capture.cut", shown=len(shown), count=len(session.streams)))
    caption = text("caption.streams", count=len(session.streams))
    return [Table(caption, columns, rows, notes=tuple(notes), dense=True)]


def _stream_cells(context: Context, stream: CapturedStream) -> tuple[Cell, ...]:
    words, text = context.words, context.text
    covered = stream.coverage_pct
    failed = stream.state in ("failed", "lost")
    return (
        Cell(stream.host),
        Cell(_printed(stream.tool_line or stream.probe)),
        Cell(words.interval(stream.interval_s) if stream.interval_s is not None else text("capture.not_repeated")),
        Cell(_samples(context, stream), stream.samples),
        Cell("–" if covered is None else percent(covered), covered, Tone.WARNING if low(covered) else Tone.PLAIN),
        Cell(f"{stream.gaps:,}", stream.gaps),
        Cell(stream.tool_version or text("unknown")),
        Cell(state_text(context, "stream", stream.state), tone=Tone.BAD if failed else Tone.PLAIN),
        Cell(stream.evidence or "–"),
    )


def _printed(line: str) -> str:
    """The workbook has it whole."""
    return line if len(line) <= COMMAND_SHOWN else f"{line[: COMMAND_SHOWN - 1]}…"


def _samples(context: Context, stream: CapturedStream) -> str:
    if stream.samples is not None:
        return f"{stream.samples:,}"
    return "–" if stream.interval_s is None else context.words.missing


def low(coverage_pct: float | None) -> bool:
    return coverage_pct is not None and coverage_pct < 95


def percent(figure: float) -> str:
    """Never rounded up to 100: a missing second is told."""
    if figure >= 99.95 and figure < 100:
        return "99.9 %"
    return f"{grouped(figure, 1)} %"


def state_text(context: Context, kind: str, state: str) -> str:
    return context.words.known(f"report.{kind}_state.{state}", state)


def _gaps(context: Context, session: CapturedSession) -> list[Block]:
    text = context.text
    if not session.gaps:
        return [Paragraph(text("capture.no_gaps"))]
    columns = (
        Column(text("column.host"), TEXT, 1),
        Column(text("column.command"), TEXT, 1.2),
        Column(text("column.window"), FIXED),
        Column(text("column.length"), NUMBER),
        Column(text("column.cause"), TEXT, 2.4),
    )
    rows = tuple(_gap_cells(context, gap) for gap in session.gaps[:GAPS_SHOWN])
    notes = [text("capture.note_gaps")]
    if len(rows) < len(session.gaps):
        notes.append(text("capture.cut", shown=len(rows), count=len(session.gaps)))
    return [Table(text("caption.gaps", count=len(session.gaps)), columns, rows, notes=tuple(notes), dense=True)]


def _gap_cells(context: Context, gap: CapturedGap) -> tuple[Cell, ...]:
    words = context.words
    seconds = gap_seconds(gap)
    ended = words.span(gap.start_ns, gap.end_ns)
    open_end = context.text("capture.to_the_end", start=words.moment(gap.start_ns))
    return (
        Cell(gap.host),
        Cell(gap.probe),
        Cell(open_end if gap.end_ns is None else ended),
        Cell("–" if seconds is None else context.text("interval.seconds", figure=grouped(seconds, 1)), seconds),
        Cell(words.known(f"report.gap.{gap.cause}", gap.cause)),
    )


def gap_seconds(gap: CapturedGap) -> float | None:
    return None if gap.end_ns is None else (gap.end_ns - gap.start_ns) / 1e9


def _clocks(context: Context, session: CapturedSession) -> list[Block]:
    """The first and the last check of each host; hours between them are in the workbook."""
    text = context.text
    if not session.clocks:
        return [Paragraph(text("capture.no_clocks"))]
    by_host: dict[str, list[ClockReading]] = {}
    for reading in session.clocks:
        by_host.setdefault(reading.host, []).append(reading)
    columns = (
        Column(text("column.host"), TEXT, 1.4),
        Column(text("column.zone"), TEXT, 1.2),
        Column(text("column.clock_start"), NUMBER),
        Column(text("column.clock_end"), NUMBER),
        Column(text("column.clock_checks"), NUMBER),
    )
    rows = tuple(
        (
            Cell(host),
            Cell(checks[0].zone or text("unknown")),
            Cell(offset_text(context, checks[0]), checks[0].offset_ns / 1e9),
            Cell(offset_text(context, checks[-1]), checks[-1].offset_ns / 1e9),
            Cell(str(len(checks)), len(checks)),
        )
        for host, checks in by_host.items()
    )
    return [Table(text("caption.clocks"), columns, rows, notes=(text("capture.note_clocks"),), dense=True)]


def offset_text(context: Context, reading: ClockReading) -> str:
    """``+0.012 s ± 1 ms``: milliseconds below ten seconds."""
    error = f"± {grouped(reading.error_ns / NS_PER_MS, 1)} ms"
    if abs(reading.offset_ns) < 10_000 * NS_PER_MS:
        return f"{_signed(reading.offset_ns / NS_PER_MS, 1)} ms {error}"
    return f"{context.text('interval.seconds', figure=_signed(reading.offset_ns / 1e9, 1))} {error}"


def _signed(figure: float, decimals: int) -> str:
    return ("+" if figure > 0 else "") + grouped(figure, decimals)


def _costs(context: Context, session: CapturedSession) -> list[Block]:
    """What the capture cost each server, as measured there."""
    text = context.text
    by_host: dict[str, list[CapturedStream]] = {}
    for stream in session.streams:
        by_host.setdefault(stream.host, []).append(stream)
    if not by_host:
        return []
    columns = (
        Column(text("column.host"), TEXT, 1.4),
        Column(text("column.cpu_s"), NUMBER),
        Column(text("column.cpu_share"), NUMBER),
        Column(text("column.measured"), NUMBER),
        Column(text("column.all_processes"), NUMBER),
        Column(text("column.received"), NUMBER),
        Column(text("column.leftovers"), TEXT, 1.2),
    )
    overheads = {overhead.host: overhead for overhead in session.overheads}
    rows = tuple(_cost_cells(context, host, streams, overheads.get(host)) for host, streams in by_host.items())
    return [Table(text("caption.costs"), columns, rows, notes=(text("capture.note_costs"),), dense=True)]


def _cost_cells(
    context: Context, host: str, streams: Sequence[CapturedStream], overhead: HostOverhead | None
) -> tuple[Cell, ...]:
    words, text = context.words, context.text
    measured = [stream for stream in streams if stream.cpu_pct is not None]
    cpu_s = sum(stream.cpu_s or 0.0 for stream in measured)
    share = host_cpu_pct(streams)
    received = sum(stream.received_bytes for stream in streams)
    left = leftovers(streams)
    return (
        Cell(host),
        Cell(grouped(cpu_s, 2) if measured else words.missing, cpu_s if measured else None),
        Cell(words.missing if share is None else f"{grouped(share, 2)} %", share),
        Cell(text("capture.of", part=len(measured), whole=len(streams))),
        Cell(words.missing) if overhead is None else Cell(f"{grouped(overhead.cpu_pct, 2)} %", overhead.cpu_pct),
        Cell(f"{grouped(received / KIB, 1)} KB", received),
        Cell(text(f"leftovers.{left}"), tone=Tone.BAD if left == "found" else Tone.PLAIN),
    )


def host_cpu_pct(streams: Sequence[CapturedStream]) -> float | None:
    """Share of one core that the commands took together, over the longest of their times."""
    measured = [stream for stream in streams if stream.cpu_pct is not None]
    longest_s = max((stream.measured_s or 0.0 for stream in measured), default=0.0)
    return 100.0 * sum(stream.cpu_s or 0.0 for stream in measured) / longest_s if longest_s else None


def leftovers(streams: Sequence[CapturedStream]) -> str:
    """The worst of its commands."""
    found = {stream.leftovers for stream in streams}
    return next((state for state in ("found", "unknown") if state in found), "none")
