"""Sheets of live captures: streams, gaps, clocks, changed configuration, audit trail; whole where the PDF is cut."""

from __future__ import annotations

from app.reporting.chapters.audit import audit_text, chain_text, has_audit, trail_of
from app.reporting.chapters.capture import gap_seconds, live, state_text
from app.reporting.chapters.configuration import change_kind, section_name
from app.reporting.chapters.context import Context
from app.reporting.xlsx.sheet import Book, Content, Head
from app.reporting.xlsx.sheets_data import local_moment, put_register, put_rows
from app.reporting.xlsx.style import INTEGER, MOMENT

MILLISECONDS = "0.0"
PERCENT = "0.00"


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
    text, words, missing = context.text, context.words, context.words.missing
    sheet = book.sheet(text("sheet.streams"), landscape=True)
    sheet.title(text("section.capture"), text("capture.note_coverage"))
    heads = [
        Head(text("column.run")),
        Head(text("column.host")),
        Head(text("column.command"), "tb code"),
        Head(text("workbook.interval_s"), "tb number"),
        Head(text("workbook.samples"), "tb integer", number_format=INTEGER),
        Head(text("workbook.coverage_pct"), "tb number", number_format=PERCENT),
        Head(text("column.gaps"), "tb integer", number_format=INTEGER),
        Head(text("workbook.starts"), "tb integer", number_format=INTEGER),
        Head(text("column.tool_version")),
        Head(text("column.state")),
        Head(text("column.cpu_s"), "tb number", number_format=PERCENT),
        Head(text("workbook.cpu_pct"), "tb number", number_format=PERCENT),
        Head(text("workbook.received_bytes"), "tb integer", number_format=INTEGER),
        Head(text("column.leftovers")),
        Head(text("column.evidence")),
    ]
    rows: list[list[Content]] = [
        [
            session.run,
            stream.host,
            stream.tool_line or stream.probe,
            text("capture.not_repeated") if stream.interval_s is None else stream.interval_s,
            missing if stream.samples is None else stream.samples,
            missing if stream.coverage_pct is None else stream.coverage_pct,
            stream.gaps,
            stream.starts,
            stream.tool_version or text("unknown"),
            state_text(context, "stream", stream.state),
            missing if stream.cpu_s is None else stream.cpu_s,
            missing if stream.cpu_pct is None else stream.cpu_pct,
            stream.received_bytes,
            words.known(f"report.leftovers.{stream.leftovers}", stream.leftovers),
            stream.evidence,
        ]
        for session in live(context).sessions
        for stream in session.streams
    ]
    put_rows(sheet, heads, rows)


def _gaps(context: Context, book: Book) -> None:
    text, words = context.text, context.words
    rows: list[list[Content]] = [
        [
            session.run,
            gap.host,
            gap.probe,
            local_moment(context, gap.start_ns),
            local_moment(context, gap.end_ns),
            words.missing if (seconds := gap_seconds(gap)) is None else seconds,
            words.known(f"report.gap.{gap.cause}", gap.cause),
            gap.evidence,
        ]
        for session in live(context).sessions
        for gap in session.gaps
    ]
    heads = [
        Head(text("column.run")),
        Head(text("column.host")),
        Head(text("column.command")),
        Head(text("workbook.start"), "tb moment", 20, MOMENT),
        Head(text("workbook.end"), "tb moment", 20, MOMENT),
        Head(text("workbook.length_s"), "tb number", number_format=MILLISECONDS),
        Head(text("column.cause")),
        Head(text("workbook.detail"), width=60),
    ]
    put_register(book, text("sheet.gaps"), (text("sheet.gaps"), text("note.zone", zone=words.zone)), heads, rows)


def _clocks(context: Context, book: Book) -> None:
    text, words = context.text, context.words
    rows: list[list[Content]] = [
        [
            session.run,
            reading.host,
            local_moment(context, reading.taken_ns),
            reading.offset_ns / 1e6,
            reading.error_ns / 1e6,
            reading.zone or text("unknown"),
        ]
        for session in live(context).sessions
        for reading in session.clocks
    ]
    heads = [
        Head(text("column.run")),
        Head(text("column.host")),
        Head(text("column.time"), "tb moment", 20, MOMENT),
        Head(text("workbook.offset_ms"), "tb number", number_format=MILLISECONDS),
        Head(text("workbook.error_ms"), "tb number", number_format=MILLISECONDS),
        Head(text("column.zone")),
    ]
    put_register(
        book,
        text("sheet.clocks"),
        (text("sheet.clocks"), text("note.zone", zone=words.zone)),
        heads,
        rows,
        landscape=False,
    )


def _changes(context: Context, book: Book) -> None:
    text = context.text
    rows: list[list[Content]] = [
        [
            found.host,
            found.earlier,
            found.later,
            section_name(context, change.section),
            change.name,
            "–" if change.before is None else change.before,
            "–" if change.after is None else change.after,
            text(f"change_kind.{change_kind(change)}"),
        ]
        for found in live(context).comparisons
        for change in found.changes
    ]
    heads = [
        Head(text("column.host")),
        Head(text("workbook.earlier")),
        Head(text("workbook.later")),
        Head(text("column.section")),
        Head(text("column.item")),
        Head(text("workbook.value_earlier"), width=40),
        Head(text("workbook.value_later"), width=40),
        Head(text("column.change_kind")),
    ]
    put_register(
        book,
        text("sheet.configuration"),
        (text("section.configuration"), text("workbook.configuration_note")),
        heads,
        rows,
    )


def _audit(context: Context, book: Book) -> None:
    text, trail = context.text, trail_of(context)
    sheet = book.sheet(text("sheet.audit"), landscape=True)
    sheet.title(text("section.audit"), f"{chain_text(context)} SHA-256 {trail.digest}")
    heads = [
        Head("#", "tb integer", 8, INTEGER),
        Head(text("column.time"), "tb moment", 20, MOMENT),
        Head(text("column.who")),
        Head(text("column.what"), width=110),
    ]
    rows: list[list[Content]] = [
        [line.id, local_moment(context, line.time_ns), line.user, audit_text(context, line)] for line in trail.lines
    ]
    put_rows(sheet, heads, rows)
