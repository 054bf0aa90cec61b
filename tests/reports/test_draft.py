"""The page that the window shows at once is, to the dot, the page that the whole document will have there."""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO

import pytest
from PIL import Image, ImageChops

from tests.reports.cases import captured_case
from tunebench.domain.engagement import Section
from tunebench.reporting.binding import bound
from tunebench.reporting.document import ReportDocument
from tunebench.reporting.look import Look
from tunebench.reporting.pdf.draft import draft_page
from tunebench.reporting.pdf.preview import render_page
from tunebench.reporting.pdf.writing import WrittenPdf, pdf_bytes
from tunebench.reporting.shapes import Shape
from tunebench.reporting.success_case import SECTION_IDS, build_document

ACROSS = 500
ABOVE_FOOTER = 660
"""Pixels; the footer of a draft does not say how many pages there are."""
LEAST_DIFFERENCE = 48
"""Of 255: a sign of another subset of the font begins up to half a thousandth of a point further, which shades it by 34."""


def _seen(pdf: bytes, index: int) -> Image.Image:
    return Image.open(BytesIO(render_page(pdf, index, ACROSS))).convert("RGB").crop((0, 0, ACROSS, ABOVE_FOOTER))


def _differ(document: ReportDocument, earlier: WrittenPdf, pages: range) -> list[int]:
    """Pages of which the draft is another than the document's."""
    whole = pdf_bytes(document)
    differing = []
    for page in pages:
        draft = draft_page(document, earlier, page)
        assert draft is not None
        difference = ImageChops.difference(_seen(*draft), _seen(whole.data, page - 1))
        if max(difference.tobytes()) >= LEAST_DIFFERENCE:
            differing.append(page)
    return differing


@pytest.mark.parametrize("shape", [Shape.WHOLE, Shape.REPORT, Shape.AUDIT_FORM])
def test_every_page_of_an_unchanged_document_is_the_same(shape: Shape) -> None:
    document = build_document(captured_case("ko"), "ko", shape=shape)
    written = pdf_bytes(document)
    assert not _differ(document, written, range(1, written.pages + 1))
    assert draft_page(document, written, written.pages + 3) is None


def test_both_halves_of_a_bound_document_are_the_same() -> None:
    document = bound(*(build_document(captured_case(code), code) for code in ("ko", "en")))
    written = pdf_bytes(document)
    middle = written.page_of["en.cpu"]
    assert not _differ(document, written, range(middle - 1, middle + 3))


@pytest.mark.parametrize("part", ["sql", "profile", "cpu", "evidence"])
def test_the_page_of_a_part_that_was_left_out_or_taken_again_is_the_same(part: str) -> None:
    with_it, without = (
        build_document(captured_case("en"), "en", sections)
        for sections in (frozenset(SECTION_IDS), frozenset(SECTION_IDS) - {part})
    )
    written = pdf_bytes(with_it)
    page = written.page_of[part]
    assert not _differ(without, written, range(page, page + 1))
    assert not _differ(with_it, pdf_bytes(without), range(page, page + 1))


def test_the_page_of_a_text_and_of_a_colour_that_was_changed_is_the_same() -> None:
    case = captured_case("en")
    written = pdf_bytes(build_document(case, "en"))
    text = replace(case, narrative={**case.narrative, Section.OUTLOOK: ("Another outlook. " * 40,) * 3})
    page = written.page_of["outlook"]
    assert not _differ(build_document(text, "en"), written, range(page, page + 1))
    coloured = build_document(case, "en", look=Look("#1F4E9B", "#5A2A82"))
    assert not _differ(coloured, written, range(page, page + 1))


def test_the_contents_of_a_draft_are_those_of_then_without_what_is_gone() -> None:
    """Links of lines to chapters that are no longer there would break the file."""
    case = captured_case("en")
    written = pdf_bytes(build_document(case, "en"))
    without = build_document(case, "en", frozenset(SECTION_IDS) - {"summary"})
    draft = draft_page(without, written, 2)
    assert draft is not None
    assert _seen(*draft).getbbox() is not None
