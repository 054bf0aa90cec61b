"""The appendix: sources, licences, import ledgers, definitions."""

from __future__ import annotations

from collections.abc import Iterator

from tunebench.domain.ledger import Ledger
from tunebench.reporting.cases.case import EvidenceEntry, ImportRecord
from tunebench.reporting.chapters.context import CODE, FIXED, NUMBER, TEXT, Context, shortened, table_of
from tunebench.reporting.document import Block, Cell, Note, Table, TableHead, Tone

UNCONFIRMED_SHOWN = 10
FILES_SHOWN = 60
REMARKS_SHOWN = 80


def entered_sources(context: Context) -> list[Block]:
    """Where each figure entered by hand comes from."""
    text, words = context.text, context.words
    return [
        table_of(
            text("caption.entered_sources"),
            context.figures.measured,
            (TableHead(text("column.evidence"), TEXT, 0.7), lambda row: row.evidence[0]),
            (TableHead(text("column.figure"), TEXT, 2), lambda row: context.label(row)),
            (TableHead(text("column.statistic"), TEXT, 0.8), lambda row: context.statistic(row)),
            (TableHead(text("column.before_date"), FIXED), lambda row: words.date(row.before_date) or text("unknown")),
            (TableHead(text("column.after_date"), FIXED), lambda row: words.date(row.after_date) or text("unknown")),
            (TableHead("n", NUMBER), lambda row: words.count(row.samples_before)),
            (TableHead(text("column.source"), TEXT, 3), lambda row: row.source or text("source.none")),
            is_register=True,
        )
    ]


def evidence(context: Context) -> list[Block]:
    text, words, entries = context.text, context.words, context.case.evidence
    table = table_of(
        text("caption.evidence", count=len(entries)),
        entries,
        (TableHead(text("column.evidence"), TEXT, 0.5), lambda entry: entry.key),
        (TableHead(text("column.file_hash"), CODE, 4.6), lambda entry: f"{entry.file}\n{entry.sha256}"),
        (
            TableHead(text("column.host_run"), TEXT, 1.1),
            lambda entry: "\n".join(filter(None, (words.host(entry.host), entry.run))) or words.missing,
        ),
        (TableHead(text("column.window"), FIXED), lambda entry: _window_text(context, entry)),
        (TableHead(text("column.interval"), FIXED), lambda entry: words.interval(entry.interval_s)),
        (TableHead(text("column.samples_lines"), NUMBER), lambda entry: _samples_cell(context, entry)),
        (TableHead(text("column.parser"), TEXT, 1.2), lambda entry: f"{entry.parser}\n{entry.parser_version}".strip()),
        notes=(text("note.zone", zone=words.zone),),
        is_register=True,
    )
    return [shortened(context, table, FILES_SHOWN), *_licences(context)]


def _window_text(context: Context, entry: EvidenceEntry) -> str:
    if entry.start_ns is None:
        return context.words.missing
    return f"{context.words.moment(entry.start_ns)}\n– {context.words.moment(entry.end_ns)}"


def _samples_cell(context: Context, entry: EvidenceEntry) -> Cell:
    words = context.words
    lines = "" if entry.first_line is None else f"{entry.first_line:,}–{words.count(entry.last_line)}"
    return Cell(f"{words.count(entry.samples)}\n{lines}".rstrip(), entry.samples)


def _licences(context: Context) -> Iterator[Block]:
    """Who confirmed what of licences on what evidence, and the captures that nobody confirmed anything for."""
    notes, text = context.case.licences, context.text
    if notes.confirmed:
        yield _licence_table(context)
    if notes.unconfirmed:
        shown = ", ".join(notes.unconfirmed[:UNCONFIRMED_SHOWN])
        more = " …" if len(notes.unconfirmed) > UNCONFIRMED_SHOWN else ""
        yield Note(text("db.unconfirmed", count=f"{len(notes.unconfirmed):,}", names=shown + more), Tone.WARNING)


def _licence_table(context: Context) -> Table:
    text, words, licences = context.text, context.words, context.case.licences.confirmed
    return table_of(
        text("db.caption_licences", count=len(licences)),
        licences,
        (
            TableHead(text("db.licence_subject"), TEXT, 1.4),
            lambda licence: words.known(f"report.licence.{licence.subject}", licence.subject),
        ),
        (
            TableHead(text("db.licence_for"), TEXT, 1.2),
            lambda licence: " · ".join(filter(None, (licence.host, licence.database))) or text("db.licence_all"),
        ),
        (TableHead(text("db.licence_by"), TEXT, 1), lambda licence: licence.confirmed_by),
        (TableHead(text("db.licence_at"), FIXED, 1), lambda licence: words.iso_moment(licence.confirmed_at)),
        (
            TableHead(text("db.licence_evidence"), TEXT, 2.4),
            lambda licence: "\n".join(filter(None, (licence.evidence, licence.note))),
        ),
    )


def ledgers(context: Context) -> list[Block]:
    """The lines of each file accounted for, then what was left out, supplied or remarkable."""
    remarks = remark_table(context)
    ledger = shortened(context, ledger_table(context), FILES_SHOWN)
    return [ledger, *((shortened(context, remarks, REMARKS_SHOWN),) if remarks.rows else ())]


def ledger_table(context: Context) -> Table:
    text = context.text
    columns = (
        TableHead(text("column.evidence"), TEXT, 0.6),
        TableHead(text("column.file"), TEXT, 3),
        TableHead(text("column.state"), TEXT, 1),
        *(TableHead(text(f"lines.{name}"), NUMBER) for name in ("total", "data", "header", "blank", "skipped")),
        TableHead(text("column.gaps"), NUMBER),
        TableHead(text("column.restarts"), NUMBER),
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
    columns = tuple(TableHead(context.text(f"column.{name}"), TEXT, weight) for name, weight in _REMARK_COLUMNS)
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
        line = f"{skipped.first_line:,}" if skipped.first_line else "–"
        extent = text("remark.lines", count=f"{skipped.count:,}", line=line)
        yield text("remark.skipped"), f"{reason}: {skipped.example}" if skipped.example else reason, extent
    for item in ledger.assumptions:
        subject = words.known(f"report.assumption.{item.subject}", item.subject)
        source = words.known(f"report.source.{item.source}", item.source)
        yield text("remark.assumption"), f"{subject} = {item.value}", source
    for warning in ledger.warnings:
        sentence = words.known(f"ledger.warning.{warning}", warning, **ledger.warning_facts)
        yield text("remark.warning"), sentence, ""


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
    columns = (TableHead(text("column.term"), TEXT, 1), TableHead(text("column.definition"), TEXT, 3.4))
    rows = tuple((Cell(text(f"term.{name}")), Cell(text(f"definition.{name}"))) for name in DEFINITIONS)
    return Table(text("caption.definitions"), columns, rows, dense=True)
