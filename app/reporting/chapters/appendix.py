"""The appendix: sources, licences, import ledgers, definitions."""

from __future__ import annotations

from collections.abc import Iterator

from app.domain.ledger import Ledger
from app.reporting.cases.case import EvidenceEntry, ImportRecord
from app.reporting.chapters.context import CODE, FIXED, NUMBER, TEXT, Context
from app.reporting.document import Block, Cell, Column, Note, Table, Tone

UNCONFIRMED_SHOWN = 10


def entered_sources(context: Context) -> list[Block]:
    """Where each figure entered by hand comes from."""
    text, words = context.text, context.words
    columns = (
        Column(text("column.evidence"), TEXT, 0.7),
        Column(text("column.figure"), TEXT, 2),
        Column(text("column.statistic"), TEXT, 0.8),
        Column(text("column.before_date"), FIXED),
        Column(text("column.after_date"), FIXED),
        Column("n", NUMBER),
        Column(text("column.source"), TEXT, 3),
    )
    rows = tuple(
        (
            Cell(row.evidence[0]),
            Cell(context.label(row)),
            Cell(context.statistic(row)),
            Cell(words.date(row.before_date) or text("unknown")),
            Cell(words.date(row.after_date) or text("unknown")),
            Cell(words.count(row.samples_before)),
            Cell(row.source or text("source.none")),
        )
        for row in context.figures.measured
    )
    return [Table(text("caption.entered_sources"), columns, rows, dense=True)]


def has_evidence(context: Context) -> bool:
    notes = context.case.licences
    return bool(context.case.evidence or notes.confirmed or notes.unconfirmed)


def evidence(context: Context) -> list[Block]:
    text = context.text
    columns = (
        Column(text("column.evidence"), TEXT, 0.5),
        Column(text("column.file_hash"), CODE, 4.6),
        Column(text("column.host_run"), TEXT, 1.1),
        Column(text("column.window"), FIXED),
        Column(text("column.interval"), FIXED),
        Column(text("column.samples_lines"), NUMBER),
        Column(text("column.parser"), TEXT, 1.2),
    )
    rows = tuple(_evidence_cells(context, entry) for entry in context.case.evidence)
    caption = text("caption.evidence", count=len(rows))
    notes = (text("note.zone", zone=context.words.zone),)
    return [Table(caption, columns, rows, notes=notes, dense=True), *licences(context)]


def licences(context: Context) -> list[Block]:
    """Who confirmed what of licences on what evidence, and the captures that nobody confirmed anything for."""
    notes, text = context.case.licences, context.text
    blocks: list[Block] = []
    if notes.confirmed:
        blocks.append(_licence_table(context))
    if notes.unconfirmed:
        shown = ", ".join(notes.unconfirmed[:UNCONFIRMED_SHOWN])
        more = " …" if len(notes.unconfirmed) > UNCONFIRMED_SHOWN else ""
        blocks.append(
            Note(text("db.unconfirmed", count=f"{len(notes.unconfirmed):,}", names=shown + more), Tone.WARNING)
        )
    return blocks


def _licence_table(context: Context) -> Table:
    text, words = context.text, context.words
    names = ("licence_subject", "licence_for", "licence_by", "licence_at", "licence_evidence")
    columns = tuple(
        Column(text(f"db.{name}"), TEXT if name != "licence_at" else FIXED, weight)
        for name, weight in zip(names, (1.4, 1.2, 1, 1, 2.4), strict=True)
    )
    rows = tuple(
        (
            Cell(words.known(f"report.licence.{each.subject}", each.subject)),
            Cell(" · ".join(part for part in (each.host, each.database) if part) or text("db.licence_all")),
            Cell(each.confirmed_by),
            Cell(words.iso_moment(each.confirmed_at)),
            Cell("\n".join(part for part in (each.evidence, each.note) if part)),
        )
        for each in context.case.licences.confirmed
    )
    return Table(text("db.caption_licences", count=len(rows)), columns, rows, dense=True)


def _evidence_cells(context: Context, entry: EvidenceEntry) -> tuple[Cell, ...]:
    words = context.words
    start, end = words.moment(entry.start_ns), words.moment(entry.end_ns)
    window = words.missing if entry.start_ns is None else f"{start}\n– {end}"
    lines = "" if entry.first_line is None else f"{entry.first_line:,}–{words.count(entry.last_line)}"
    return (
        Cell(entry.key),
        Cell(f"{entry.file}\n{entry.sha256}"),
        Cell("\n".join(part for part in (words.host(entry.host), entry.run) if part) or words.missing),
        Cell(window),
        Cell(words.interval(entry.interval_s)),
        Cell(f"{words.count(entry.samples)}\n{lines}".rstrip(), entry.samples),
        Cell(f"{entry.parser}\n{entry.parser_version}".strip()),
    )


def ledgers(context: Context) -> list[Block]:
    """Every line of every file accounted for, then what was left out, supplied or remarkable."""
    remarks = remark_table(context)
    return [ledger_table(context), *((remarks,) if remarks.rows else ())]


def ledger_table(context: Context) -> Table:
    text = context.text
    columns = (
        Column(text("column.evidence"), TEXT, 0.6),
        Column(text("column.file"), TEXT, 3),
        Column(text("column.state"), TEXT, 1),
        *(Column(text(f"lines.{name}"), NUMBER) for name in ("total", "data", "header", "blank", "skipped")),
        Column(text("column.gaps"), NUMBER),
        Column(text("column.restarts"), NUMBER),
    )
    rows = tuple(_ledger_cells(context, record) for record in context.case.imports)
    return Table(text("caption.ledgers", count=len(rows)), columns, rows, notes=(text("note.ledgers"),), dense=True)


def _ledger_cells(context: Context, record: ImportRecord) -> tuple[Cell, ...]:
    lines, ledger = record.ledger.lines, record.ledger
    counts = (lines.total, lines.data, lines.header, lines.blank, lines.skipped, ledger.gaps, ledger.restarts)
    return (
        Cell(record.evidence),
        Cell(record.file),
        Cell(context.text(f"state.{record.state.value}")),
        *(Cell(f"{count:,}", count) for count in counts),
    )


_REMARK_COLUMNS = (("evidence", 0.6), ("remark_kind", 1.0), ("remark", 5.0), ("remark_extent", 1.4))


def remark_table(context: Context) -> Table:
    columns = tuple(Column(context.text(f"column.{name}"), TEXT, weight) for name, weight in _REMARK_COLUMNS)
    rows = tuple(
        tuple(map(Cell, (record.evidence, *remark)))
        for record in context.case.imports
        for remark in _remarks(context, record.ledger)
    )
    return Table(context.text("caption.remarks"), columns, rows, dense=True)


def _remarks(context: Context, ledger: Ledger) -> Iterator[tuple[str, str, str]]:
    """Skipped lines with their reasons, assumptions with their sources, warnings."""
    text, words = context.text, context.words
    for skipped in ledger.skipped:
        reason = words.known(f"ledger.skipped.{skipped.reason}", skipped.reason)
        extent = text("remark.lines", count=f"{skipped.count:,}", line=f"{skipped.first_line:,}")
        yield text("remark.skipped"), f"{reason}: {skipped.example}" if skipped.example else reason, extent
    for item in ledger.assumptions:
        subject = words.known(f"report.assumption.{item.subject}", item.subject)
        source = words.known(f"report.source.{item.source}", item.source)
        yield text("remark.assumption"), f"{subject} = {item.value}", source
    for warning in ledger.warnings:
        yield text("remark.warning"), words.known(f"ledger.warning.{warning}", warning), ""


DEFINITIONS = (
    "ratio",
    "rate",
    "higher",
    "regression",
    "points",
    "bounds",
    "totals",
    "fisher",
    "volume_effect",
    "net_ratio",
    "geometric_mean",
    "impact",
    "contribution",
    "not_computable",
    "rounding",
    "mean",
    "p50",
    "p95",
    "p95_hd",
    "n_eff",
    "verdict",
    "finding",
    "max",
    "interval",
    "response_time",
    "block_access",
    "descriptive",
    "missing",
)


def definition_table(context: Context) -> Table:
    text = context.text
    columns = (Column(text("column.term"), TEXT, 1), Column(text("column.definition"), TEXT, 3.4))
    rows = tuple((Cell(text(f"term.{name}")), Cell(text(f"definition.{name}"))) for name in DEFINITIONS)
    return Table(text("caption.definitions"), columns, rows, dense=True)
