"""How the captures were taken: streams, gaps, clocks, and what it cost the servers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tunebench.core.grouping import by_key
from tunebench.domain.databases.choices import LicenceConfirmation
from tunebench.reporting.cases.capture import (
    CapturedGap,
    CapturedSession,
    CapturedStream,
    ClockReading,
    HostOverhead,
    LiveCapture,
)
from tunebench.reporting.chapters.context import CODE, FIXED, NUMBER, TEXT, Context, cut_note, table_of
from tunebench.reporting.document import Block, Cell, Heading, KeyValueTable, Note, Paragraph, Table, TableHead, Tone
from tunebench.reporting.wording import brief, grouped

STREAMS_SHOWN = 150
COMMAND_SHOWN = 90
GAPS_SHOWN = 80
NS_PER_MS = 1_000_000
KIB = 1024


def live(context: Context) -> LiveCapture:
    """What was captured live; an AssertionError where nothing was."""
    assert context.case.live is not None  # the chapters of live captures are wanted only then
    return context.case.live


def capture(context: Context) -> Iterator[Block]:
    """Per session: who approved it, its streams, gaps, clocks, and what it cost the servers."""
    yield Paragraph(context.text("capture.intro"))
    for number, session in enumerate(live(context).sessions, 1):
        title = context.text("capture.session", number=number, run=session.run)
        yield Heading(title, f"capture-{number}", 2)
        yield _facts(context, session)
        yield from _streams(context, session)
        yield from _gaps(context, session)
        yield from _clocks(context, session)
        yield from _costs(context, session)


def _facts(context: Context, session: CapturedSession) -> KeyValueTable:
    text, words = context.text, context.words
    how = words.known(f"report.approval.{session.approved_how}", session.approved_how)
    approved = text("capture.approved", by=session.approved_by, at=words.moment(session.approved_ns), how=how)
    rows = [
        (text("capture.period"), words.span(session.started_ns, session.ended_ns)),
        (text("capture.state"), state_text(context, "session", session.state)),
        (text("capture.mode"), words.known(f"plan.mode.{session.mode}", session.mode)),
        (text("capture.approval"), approved if session.approved_by else text("capture.no_approval")),
        *((text("capture.licence"), _confirmed(context, licence)) for licence in session.licences),
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
    cut = cut_note(context, STREAMS_SHOWN, len(session.streams))
    return [
        table_of(
            text("caption.streams", count=len(session.streams)),
            session.streams[:STREAMS_SHOWN],
            (TableHead(text("column.host"), TEXT, 1), lambda stream: stream.host),
            (
                TableHead(text("column.command"), CODE, 2.4),
                lambda stream: brief(stream.tool_line or stream.probe, COMMAND_SHOWN),
            ),
            (
                TableHead(text("column.interval"), TEXT, 0.8),
                lambda stream: (
                    text("capture.not_repeated")
                    if stream.interval_s is None
                    else context.words.interval(stream.interval_s)
                ),
            ),
            (TableHead(text("column.samples"), NUMBER), lambda stream: Cell(_samples(context, stream), stream.samples)),
            (TableHead(text("column.coverage"), NUMBER), lambda stream: _coverage_cell(stream.coverage_pct)),
            (TableHead(text("column.gaps"), NUMBER), lambda stream: Cell(f"{stream.gaps:,}", stream.gaps)),
            (TableHead(text("column.tool_version"), TEXT, 1.3), lambda stream: stream.tool_version or text("unknown")),
            (
                TableHead(text("column.state"), TEXT, 0.9),
                lambda stream: Cell(
                    state_text(context, "stream", stream.state),
                    tone=Tone.BAD if stream.state in ("failed", "lost") else Tone.PLAIN,
                ),
            ),
            (TableHead(text("column.evidence"), TEXT, 0.6), lambda stream: stream.evidence or "–"),
            notes=(text("capture.note_coverage"), *cut),
        )
    ]


def _samples(context: Context, stream: CapturedStream) -> str:
    if stream.samples is not None:
        return f"{stream.samples:,}"
    return "–" if stream.interval_s is None else context.words.missing


def _coverage_cell(covered: float | None) -> Cell:
    if covered is None:
        return Cell("–")
    return Cell(percent(covered), covered, Tone.WARNING if covered < 95 else Tone.PLAIN)


def percent(figure: float) -> str:
    """A share in per cent, never rounded up to 100: a missing second is told."""
    if figure >= 99.95 and figure < 100:
        return "99.9 %"
    return f"{grouped(figure, 1)} %"


def state_text(context: Context, kind: str, state: str) -> str:
    return context.words.known(f"report.{kind}_state.{state}", state)


def _gaps(context: Context, session: CapturedSession) -> list[Block]:
    text = context.text
    if not session.gaps:
        return [Paragraph(text("capture.no_gaps"))]
    cut = cut_note(context, GAPS_SHOWN, len(session.gaps))
    return [
        table_of(
            text("caption.gaps", count=len(session.gaps)),
            session.gaps[:GAPS_SHOWN],
            (TableHead(text("column.host"), TEXT, 1), lambda gap: gap.host),
            (TableHead(text("column.command"), TEXT, 1.2), lambda gap: gap.probe),
            (TableHead(text("column.window"), FIXED), lambda gap: _gap_text(context, gap)),
            (TableHead(text("column.length"), NUMBER), lambda gap: _length_cell(context, gap_seconds(gap))),
            (
                TableHead(text("column.cause"), TEXT, 2.4),
                lambda gap: context.words.known(f"report.gap.{gap.cause}", gap.cause),
            ),
            notes=(text("capture.note_gaps"), *cut),
        )
    ]


def _gap_text(context: Context, gap: CapturedGap) -> str:
    if gap.end_ns is None:
        return context.text("capture.to_the_end", start=context.words.moment(gap.start_ns))
    return context.words.span(gap.start_ns, gap.end_ns)


def _length_cell(context: Context, seconds: float | None) -> Cell:
    return Cell("–") if seconds is None else Cell(context.text("interval.seconds", figure=grouped(seconds, 1)), seconds)


def gap_seconds(gap: CapturedGap) -> float | None:
    return None if gap.end_ns is None else (gap.end_ns - gap.start_ns) / 1e9


def _clocks(context: Context, session: CapturedSession) -> list[Block]:
    """The first and the last check of each host; hours between them are in the workbook."""
    text = context.text
    if not session.clocks:
        return [Paragraph(text("capture.no_clocks"))]
    by_host = by_key((reading.host, reading) for reading in session.clocks)
    return [
        table_of(
            text("caption.clocks"),
            by_host.values(),
            (TableHead(text("column.host"), TEXT, 1.4), lambda checks: checks[0].host),
            (TableHead(text("column.zone"), TEXT, 1.2), lambda checks: checks[0].zone or text("unknown")),
            (TableHead(text("column.clock_start"), NUMBER), lambda checks: _offset_cell(context, checks[0])),
            (TableHead(text("column.clock_end"), NUMBER), lambda checks: _offset_cell(context, checks[-1])),
            (TableHead(text("column.clock_checks"), NUMBER), lambda checks: Cell(str(len(checks)), len(checks))),
            notes=(text("capture.note_clocks"),),
        )
    ]


def _offset_cell(context: Context, reading: ClockReading) -> Cell:
    """``+0.012 s ± 1 ms``: milliseconds below ten seconds."""
    offset = f"{_signed(reading.offset_ns / NS_PER_MS, 1)} ms"
    if abs(reading.offset_ns) >= 10_000 * NS_PER_MS:
        offset = context.text("interval.seconds", figure=_signed(reading.offset_ns / 1e9, 1))
    return Cell(f"{offset} ± {grouped(reading.error_ns / NS_PER_MS, 1)} ms", reading.offset_ns / 1e9)


def _signed(figure: float, decimals: int) -> str:
    return ("+" if figure > 0 else "") + grouped(figure, decimals)


def _costs(context: Context, session: CapturedSession) -> list[Block]:
    """What the capture cost each server, as measured there."""
    text = context.text
    by_host = by_key((stream.host, stream) for stream in session.streams)
    if not by_host:
        return []
    columns = (
        TableHead(text("column.host"), TEXT, 1.4),
        TableHead(text("column.cpu_s"), NUMBER),
        TableHead(text("column.cpu_share"), NUMBER),
        TableHead(text("column.measured"), NUMBER),
        TableHead(text("column.all_processes"), NUMBER),
        TableHead(text("column.received"), NUMBER),
        TableHead(text("column.leftovers"), TEXT, 1.2),
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
    """The worst that is known of what the commands left behind: ``found``, ``unknown`` or ``none``."""
    states = {stream.leftovers for stream in streams}
    return next((state for state in ("found", "unknown") if state in states), "none")
