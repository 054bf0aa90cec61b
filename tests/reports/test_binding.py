"""Both languages in one document: each half as it would be alone, one cover and one contents, links within each half."""

from __future__ import annotations

import re
from collections import Counter

import pypdfium2
import pytest

from tests.reports.built import captured_document
from tests.reports.cases import captured_case
from tunebench.reporting.binding import bound
from tunebench.reporting.document import Contents, Cover, Heading, every_block, strings_of
from tunebench.reporting.html.writing import html_bytes
from tunebench.reporting.pdf.writing import pdf_bytes
from tunebench.reporting.shapes import Shape
from tunebench.reporting.success_case import build_document


def test_each_half_says_what_it_would_say_alone() -> None:
    first, second = captured_document("ko"), captured_document("en")
    whole = bound(first, second)
    count = len(first.sections)
    assert whole.sections[:count] == first.sections
    alone = [section for section in second.sections if section.id not in ("cover", "contents")]
    rest = whole.sections[count + 1 :]
    assert [section.id for section in rest] == [section.id for section in alone]
    for own, other in zip(rest, alone, strict=True):
        assert [text.removeprefix("en.") for text in strings_of(own)] == list(strings_of(other))
    kinds = Counter(type(block) for block in every_block(whole.blocks))
    assert kinds[Cover] == kinds[Contents] == 1


def test_every_link_of_the_page_leads_into_its_own_half() -> None:
    page = html_bytes(bound(captured_document("ko"), captured_document("en"))).decode()
    names = Counter(re.findall(r' id="([^"]+)"', page))
    assert set(names.values()) == {1}
    _, korean, english = re.split(r"</nav>|<div lang=\"en\">", page)
    for half, mark in ((korean, ""), (english, "en.")):
        links = re.findall(r'<a href="#([^"]+)"', half)
        assert links and set(links) <= names.keys()
        assert all(link.startswith("en.") == bool(mark) for link in links)
    assert english.count("<div") == english.count("</div>") - 1 and "Table 1." in english.replace("&nbsp;", " ")


def test_the_contents_lead_to_both_and_numbers_begin_anew() -> None:
    first, second = captured_document("ko"), captured_document("en")
    written = pdf_bytes(bound(first, second), strict=True)
    pages = written.page_of
    chapters = [b.anchor for b in second.blocks if isinstance(b, Heading) and b.level == 1 and b.anchor]
    assert all(pages[f"en.{anchor}"] > pages["definitions"] for anchor in chapters)
    with pypdfium2.PdfDocument(written.data) as pdf:
        titles = [item.get_title() for item in pdf.get_toc()]
        opening = pdf[pages["en.volume"] - 1].get_textpage().get_text_range()
    assert titles.index("1. 고객사 이슈 및 구축 배경") < titles.index("1. Customer issues and background")
    assert "(in English)" in opening


@pytest.mark.parametrize("shape", [Shape.RESULT, Shape.AUDIT_FORM, Shape.REPORT])
def test_shapes_without_a_cover_begin_the_other_language_on_a_page(shape: Shape) -> None:
    first, second = (build_document(captured_case(code), code, shape=shape) for code in ("ko", "en"))
    both, alone = pdf_bytes(bound(first, second)), [pdf_bytes(document).pages for document in (first, second)]
    assert both.pages == sum(alone)
