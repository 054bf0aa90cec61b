"""Sheets of live captures: streams, gaps, clocks, changed configuration, audit trail; whole where the PDF is cut."""

from __future__ import annotations

from tunebench.reporting.chapters.audit import audit_text, chain_text, has_audit, trail_of
from tunebench.reporting.chapters.capture import gap_seconds, live, state_text
from tunebench.reporting.chapters.configuration import change_kind, section_name
from tunebench.reporting.chapters.context import Context
from tunebench.reporting.xlsx.sheet import Book, Content, Head
from tunebench.reporting.xlsx.sheets_data import known, local_moment, moment_head, put_columns, put_rows
from tunebench.reporting.xlsx.style import INTEGER

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
        Head(text("workbook.samples"), "tb integer", None, INTEGER),
        Head(text("workbook.coverage_pct"), "tb number", None, PERCENT),
        Head(text("column.gaps"), "tb integer", None, INTEGER),
        Head(text("workbook.starts"), "tb integer", None, INTEGER),
        Head(text("column.tool_version")),
        Head(text("column.state")),
        Head(text("column.cpu_s"), "tb number", None, PERCENT),
        Head(text("workbook.cpu_pct"), "tb number", None, PERCENT),
        Head(text("workbook.received_bytes"), "tb integer", None, INTEGER),
        Head(text("column.leftovers")),
        Head(text("column.evidence")),
    ]
    rows: list[list[Content]] = [
        [
            session.run,
            stream.host,
            stream.tool_line or stream.probe,
            text("capture.not_repeated") if stream.interval_s is None else stream.interval_s,
            known(stream.samples, missing),
            known(stream.coverage_pct, missing),
            stream.gaps,
            stream.starts,
            stream.tool_version or text("unknown"),
            state_text(context, "stream", stream.state),
            known(stream.cpu_s, missing),
            known(stream.cpu_pct, missing),
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
    put_columns(
        book,
        text("sheet.gaps"),
        (text("sheet.gaps"), text("note.zone", zone=words.zone)),
        ((session.run, gap) for session in live(context).sessions for gap in session.gaps),
        (Head(text("column.run")), lambda run, gap: run),
        (Head(text("column.host")), lambda run, gap: gap.host),
        (Head(text("column.command")), lambda run, gap: gap.probe),
        (moment_head(text("workbook.start")), lambda run, gap: local_moment(context, gap.start_ns)),
        (moment_head(text("workbook.end")), lambda run, gap: local_moment(context, gap.end_ns)),
        (
            Head(text("workbook.length_s"), "tb number", None, MILLISECONDS),
            lambda run, gap: known(gap_seconds(gap), words.missing),
        ),
        (Head(text("column.cause")), lambda run, gap: words.known(f"report.gap.{gap.cause}", gap.cause)),
        (Head(text("workbook.detail"), width=60), lambda run, gap: gap.evidence),
    )


def _clocks(context: Context, book: Book) -> None:
    text, words = context.text, context.words
    put_columns(
        book,
        text("sheet.clocks"),
        (text("sheet.clocks"), text("note.zone", zone=words.zone)),
        ((session.run, reading) for session in live(context).sessions for reading in session.clocks),
        (Head(text("column.run")), lambda run, reading: run),
        (Head(text("column.host")), lambda run, reading: reading.host),
        (moment_head(text("column.time")), lambda run, reading: local_moment(context, reading.taken_ns)),
        (
            Head(text("workbook.offset_ms"), "tb number", None, MILLISECONDS),
            lambda run, reading: reading.offset_ns / 1e6,
        ),
        (Head(text("workbook.error_ms"), "tb number", None, MILLISECONDS), lambda run, reading: reading.error_ns / 1e6),
        (Head(text("column.zone")), lambda run, reading: reading.zone or text("unknown")),
        landscape=False,
    )


def _changes(context: Context, book: Book) -> None:
    text = context.text
    put_columns(
        book,
        text("sheet.configuration"),
        (text("section.configuration"), text("workbook.configuration_note")),
        ((found, change) for found in live(context).comparisons for change in found.changes),
        (Head(text("column.host")), lambda found, change: found.host),
        (Head(text("workbook.earlier")), lambda found, change: found.earlier),
        (Head(text("workbook.later")), lambda found, change: found.later),
        (Head(text("column.section")), lambda found, change: section_name(context, change.section)),
        (Head(text("column.item")), lambda found, change: change.name),
        (Head(text("workbook.value_earlier"), width=40), lambda found, change: known(change.before)),
        (Head(text("workbook.value_later"), width=40), lambda found, change: known(change.after)),
        (Head(text("column.change_kind")), lambda found, change: text(f"change_kind.{change_kind(change)}")),
    )


def _audit(context: Context, book: Book) -> None:
    text, trail = context.text, trail_of(context)
    sheet = book.sheet(text("sheet.audit"), landscape=True)
    sheet.title(text("section.audit"), f"{chain_text(context)} SHA-256 {trail.digest}")
    heads = [
        Head("#", "tb integer", 8, INTEGER),
        moment_head(text("column.time")),
        Head(text("column.who")),
        Head(text("column.what"), width=110),
    ]
    rows: list[list[Content]] = [
        [line.id, local_moment(context, line.time_ns), line.user, audit_text(context, line)] for line in trail.lines
    ]
    put_rows(sheet, heads, rows)
