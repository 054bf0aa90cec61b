"""Writes the case as a workbook whose formulas live and whose values show in every viewer."""

from __future__ import annotations

from pathlib import Path

from tunebench.core.whole_files import write_whole
from tunebench.reporting.chapters.context import context_of
from tunebench.reporting.document import ReportDocument
from tunebench.reporting.xlsx.finish import finished
from tunebench.reporting.xlsx.sheet import Book
from tunebench.reporting.xlsx.sheets_analysis import analysis_sheets
from tunebench.reporting.xlsx.sheets_capture import capture_sheets
from tunebench.reporting.xlsx.sheets_cycle import cycle_sheets
from tunebench.reporting.xlsx.sheets_data import (
    Located,
    comparison_sheet,
    definitions_sheet,
    evidence_sheet,
    ledger_sheet,
    measurement_sheet,
    register_sheet,
)
from tunebench.reporting.xlsx.sheets_databases import database_sheets
from tunebench.reporting.xlsx.sheets_series import series_sheets
from tunebench.reporting.xlsx.sheets_sql import sql_sheets
from tunebench.reporting.xlsx.sheets_summary import cover_sheet, summary_sheet


def write_workbook(document: ReportDocument, path: Path) -> None:
    """Writes the document's case to `path`."""
    write_whole(path, workbook_bytes(document))


def workbook_bytes(document: ReportDocument) -> bytes:
    """The workbook; equal documents give equal bytes."""
    return finished(_filled(document), document.issued)


def _filled(document: ReportDocument) -> Book:
    case, language = document.case, document.language
    context = context_of(case, language)
    book = Book(document.footer)
    _describe(book, document)
    located = Located()
    cover = book.sheet(context.text("sheet.cover"))
    summary = book.sheet(context.text("sheet.summary"))
    register_sheet(context, book)
    cycle_sheets(context, book)
    measurement_sheet(context, book, located)
    sql_sheets(context, book, located)
    database_sheets(context, book)
    charts = series_sheets(context, book, located)
    comparison_sheet(context, book)
    analysis_sheets(context, book, {section.id for section in document.sections})
    evidence_sheet(context, book)
    ledger_sheet(context, book)
    capture_sheets(context, book)
    definitions_sheet(context, book)
    summary_sheet(context, summary, located, charts)
    cover_sheet(context, document, cover, book)
    return book


def _describe(book: Book, document: ReportDocument) -> None:
    properties = book.workbook.properties
    properties.title, properties.creator = document.title, document.author or "TuneBench"
    properties.subject, properties.keywords, properties.language = (
        document.subject,
        document.keywords,
        document.language,
    )
    properties.lastModifiedBy = document.author or "TuneBench"
