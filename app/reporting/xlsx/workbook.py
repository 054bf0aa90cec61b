"""Writes the case as a workbook whose formulas live and whose values show in every viewer."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

from app.core.whole_files import write_whole
from app.reporting.chapters.context import Context
from app.reporting.document import ReportDocument
from app.reporting.figures import figures
from app.reporting.wording import Wording
from app.reporting.xlsx.finish import finish
from app.reporting.xlsx.sheet import Book
from app.reporting.xlsx.sheets_analysis import analysis_sheets
from app.reporting.xlsx.sheets_capture import capture_sheets
from app.reporting.xlsx.sheets_cycle import cycle_sheets
from app.reporting.xlsx.sheets_data import (
    Located,
    comparison_sheet,
    definitions_sheet,
    evidence_sheet,
    ledger_sheet,
    measurement_sheet,
    register_sheet,
)
from app.reporting.xlsx.sheets_databases import database_sheets
from app.reporting.xlsx.sheets_series import series_sheets
from app.reporting.xlsx.sheets_sql import sql_sheets
from app.reporting.xlsx.sheets_summary import cover_sheet, summary_sheet


def write_workbook(document: ReportDocument, path: Path) -> None:
    """Writes the document's case to `path`."""
    write_whole(path, workbook_bytes(document))


def workbook_bytes(document: ReportDocument) -> bytes:
    """The workbook; equal documents give equal bytes."""
    book = _filled(document)
    saved = BytesIO()
    book.workbook.save(saved)
    results = {number: sheet.results for number, sheet in enumerate(book.sheets, 1) if sheet.results}
    charted = [sheet.descriptions for sheet in book.sheets if sheet.descriptions]
    return finish(saved.getvalue(), results, dict(enumerate(charted, 1)), document.issued)


def _filled(document: ReportDocument) -> Book:
    case, language = document.case, document.language
    context = Context(case, figures(case, language), Wording(language, case.zone))
    book = Book()
    _describe(book, document)
    located = Located()
    cover = book.sheet(context.text("sheet.cover"), document.footer)
    summary = book.sheet(context.text("sheet.summary"), document.footer)
    register_sheet(context, book, document.footer)
    cycle_sheets(context, book, document.footer)
    measurement_sheet(context, book, document.footer, located)
    sql_sheets(context, book, document.footer, located)
    database_sheets(context, book, document.footer)
    charts = series_sheets(context, book, document.footer, located)
    comparison_sheet(context, book, document.footer)
    analysis_sheets(context, book, document.footer, {section.id for section in document.sections})
    evidence_sheet(context, book, document.footer)
    ledger_sheet(context, book, document.footer)
    capture_sheets(context, book, document.footer)
    definitions_sheet(context, book, document.footer)
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
