"""Sheets of live captures: streams, gaps, clocks, changed configuration, audit trail; whole where the PDF is cut."""

from __future__ import annotations

from tunebench.columns.column import Column
from tunebench.columns.formats import COUNT, FIGURE, HUNDREDTHS, MOMENT, as_figure
from tunebench.reporting.chapters.audit import audit_text, chain_text, has_audit, trail_of
from tunebench.reporting.chapters.capture import gap_seconds, live, state_text
from tunebench.reporting.chapters.configuration import change_kind, section_name
from tunebench.reporting.chapters.context import Context
from tunebench.reporting.xlsx.columns import Part, Register
from tunebench.reporting.xlsx.sheet import Book

TENTHS = as_figure("0.0")


def capture_sheets(context: Context, book: Book) -> None:
    """Nothing where nothing was captured live."""
    if context.case.live is None:
        return
    _streams(context, book)
    _gaps(context, book)
    _clocks(context, book)
    _changes(context, book)
    if has_audit(context):
        _audit(context, book)


def _streams(context: Context, book: Book) -> None:
    text, words = context.text, context.words
    Register(
        context,
        book,
        "sheet.streams",
        text("section.capture"),
        text("capture.note_coverage"),
        (Part(session, stream) for session in live(context).sessions for stream in session.streams),
    ).write(
        Column("run", "report.column.run", lambda row: row.whole.run),
        Column("host", "report.column.host", lambda row: row.part.host),
        Column("command", "report.column.command", lambda row: row.part.tool_line or row.part.probe, code=True),
        Column(
            "interval",
            "report.workbook.interval_s",
            lambda row: row.part.interval_s,
            FIGURE,
            lambda row, _: text("capture.not_repeated"),
        ),
        Column("samples", "report.workbook.samples", lambda row: row.part.samples, COUNT, measured=True),
        Column(
            "coverage", "report.workbook.coverage_pct", lambda row: row.part.coverage_pct, HUNDREDTHS, measured=True
        ),
        Column("gaps", "report.column.gaps", lambda row: row.part.gaps, COUNT),
        Column("starts", "report.workbook.starts", lambda row: row.part.starts, COUNT),
        Column("version", "report.column.tool_version", lambda row: row.part.tool_version or text("unknown")),
        Column("state", "report.column.state", lambda row: state_text(context, "stream", row.part.state)),
        Column("cpu_s", "report.column.cpu_s", lambda row: row.part.cpu_s, HUNDREDTHS, measured=True),
        Column("cpu_pct", "report.workbook.cpu_pct", lambda row: row.part.cpu_pct, HUNDREDTHS, measured=True),
        Column("received", "report.workbook.received_bytes", lambda row: row.part.received_bytes, COUNT),
        Column(
            "leftovers",
            "report.column.leftovers",
            lambda row: words.known(f"report.leftovers.{row.part.leftovers}", row.part.leftovers),
        ),
        Column("evidence", "report.column.evidence", lambda row: row.part.evidence),
    )


def _gaps(context: Context, book: Book) -> None:
    text, words = context.text, context.words
    Register(
        context,
        book,
        "sheet.gaps",
        text("sheet.gaps"),
        text("note.zone", zone=words.zone),
        (Part(session, gap) for session in live(context).sessions for gap in session.gaps),
    ).write(
        Column("run", "report.column.run", lambda row: row.whole.run),
        Column("host", "report.column.host", lambda row: row.part.host),
        Column("command", "report.column.command", lambda row: row.part.probe),
        Column("start", "report.workbook.start", lambda row: row.part.start_ns, MOMENT, measured=True),
        Column("end", "report.workbook.end", lambda row: row.part.end_ns, MOMENT, measured=True),
        Column("length", "report.workbook.length_s", lambda row: gap_seconds(row.part), TENTHS, measured=True),
        Column("cause", "report.column.cause", lambda row: words.known(f"report.gap.{row.part.cause}", row.part.cause)),
        Column("detail", "report.workbook.detail", lambda row: row.part.evidence, width=60),
    )


def _clocks(context: Context, book: Book) -> None:
    text = context.text
    Register(
        context,
        book,
        "sheet.clocks",
        text("sheet.clocks"),
        text("note.zone", zone=context.words.zone),
        (Part(session, reading) for session in live(context).sessions for reading in session.clocks),
    ).write(
        Column("run", "report.column.run", lambda row: row.whole.run),
        Column("host", "report.column.host", lambda row: row.part.host),
        Column("time", "report.column.time", lambda row: row.part.taken_ns, MOMENT, measured=True),
        Column("offset", "report.workbook.offset_ms", lambda row: row.part.offset_ns / 1e6, TENTHS),
        Column("error", "report.workbook.error_ms", lambda row: row.part.error_ns / 1e6, TENTHS),
        Column("zone", "report.column.zone", lambda row: row.part.zone or text("unknown")),
        landscape=False,
    )


def _changes(context: Context, book: Book) -> None:
    text = context.text
    Register(
        context,
        book,
        "sheet.configuration",
        text("section.configuration"),
        text("workbook.configuration_note"),
        (Part(comparison, change) for comparison in live(context).comparisons for change in comparison.changes),
    ).write(
        Column("host", "report.column.host", lambda row: row.whole.host),
        Column("earlier", "report.workbook.earlier", lambda row: row.whole.earlier),
        Column("later", "report.workbook.later", lambda row: row.whole.later),
        Column("section", "report.column.section", lambda row: section_name(context, row.part.section)),
        Column("item", "report.column.item", lambda row: row.part.name),
        Column("before", "report.workbook.value_earlier", lambda row: row.part.before, width=40),
        Column("after", "report.workbook.value_later", lambda row: row.part.after, width=40),
        Column("kind", "report.column.change_kind", lambda row: text(f"change_kind.{change_kind(row.part)}")),
    )


def _audit(context: Context, book: Book) -> None:
    trail = trail_of(context)
    Register(
        context,
        book,
        "sheet.audit",
        context.text("section.audit"),
        " ".join((chain_text(context), *(f"SHA-256 {digest}" for digest in trail.digests))),
        trail.lines,
    ).write(
        Column("number", lambda _: "#", lambda line: line.id, COUNT, width=8),
        Column("time", "report.column.time", lambda line: line.time_ns, MOMENT, measured=True),
        Column("who", "report.column.who", lambda line: line.user),
        Column("what", "report.column.what", lambda line: audit_text(context, line), width=110),
    )
