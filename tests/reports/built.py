"""The made cases as they are delivered, each built once a run: nobody writes into one, and who wants another builds his own."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from tests.reports.cases import captured_case, published_case
from tunebench.reporting.document import Block, ReportDocument, ReportSection
from tunebench.reporting.pdf.writing import pdf_bytes
from tunebench.reporting.shapes import Shape
from tunebench.reporting.success_case import build_document
from tunebench.reporting.xlsx.workbook import workbook_bytes


@cache
def captured_document(language: str) -> ReportDocument:
    return build_document(captured_case(language), language)


@cache
def captured_workbook(language: str) -> bytes:
    return workbook_bytes(captured_document(language))


@cache
def captured_slides(language: str) -> bytes:
    from tunebench.reporting.pptx.deck import slides_bytes

    return slides_bytes(build_document(captured_case(language), language, shape=Shape.SLIDES))


@cache
def published_workbook(language: str) -> bytes:
    return workbook_bytes(build_document(published_case(language), language))


def printed(language: str, *blocks: Block) -> bytes:
    """A PDF of these blocks alone."""
    return pdf_bytes(of_blocks(language, *blocks), strict=True).data


def of_blocks(language: str, *blocks: Block) -> ReportDocument:
    section = ReportSection("blocks", "", blocks)
    return replace(build_document(published_case(language), language, sections=()), sections=(section,))
