"""Keys of evidence lead to their register, and every row of it back to the chapters that cite it."""

from __future__ import annotations

import ctypes
import re
from collections import Counter
from collections.abc import Iterator

import pypdfium2
import pypdfium2.raw as pdfium
import pytest

from tests.reports.built import captured_document
from tunebench.reporting.citing import KEY, explained_keys
from tunebench.reporting.document import Cell, ColumnKind, Heading, Table, TableHead, every_block
from tunebench.reporting.html.writing import html_bytes
from tunebench.reporting.pdf.writing import pdf_bytes


@pytest.mark.parametrize(
    ("text", "keys"), [("F-3:127, E-12에서", ["F-3", "E-12"]), ("(M-1)", ["M-1"]), ("A-F-1 F-1-2 PDF-3 F-1b E-", [])]
)
def test_what_a_key_is(text: str, keys: list[str]) -> None:
    assert KEY.findall(text) == keys


def _registers(language: str) -> list[Table]:
    blocks = every_block(captured_document(language).blocks)
    return [block for block in blocks if isinstance(block, Table) and block.is_register]


def test_a_row_names_every_chapter_that_cites_it_and_no_other() -> None:
    """Counted from what the blocks print, chapter by chapter."""
    document = captured_document("en")
    citing: dict[str, list[str]] = {}
    anchor = ""
    for block in every_block(document.blocks):
        if isinstance(block, Heading) and block.level == 1 and block.anchor:
            anchor = block.anchor
        printed = repr(block)
        if isinstance(block, Table) and block.is_register:
            printed = repr([row[1:-1] for row in block.rows])
        for key in dict.fromkeys(re.findall(r"\b[EFM]-\d+\b", printed.replace("\\n", " "))):
            if anchor and anchor not in citing.setdefault(key, []):
                citing[key].append(anchor)
    rows = [row for table in _registers("en") for row in table.rows]
    assert len(rows) > 5
    for row in rows:
        assert [link.anchor for link in row[-1].links] == citing.get(row[0].text, [])
        assert row[-1].text == ", ".join(link.text for link in row[-1].links)


def _links(page: pypdfium2.PdfPage, document: pypdfium2.PdfDocument) -> Iterator[int]:
    """Page, from 1, to which each link of a page leads."""
    position, link = ctypes.c_int(0), pdfium.FPDF_LINK()
    while pdfium.FPDFLink_Enumerate(page.raw, ctypes.byref(position), ctypes.byref(link)):
        target = pdfium.FPDFLink_GetDest(document.raw, link)
        yield pdfium.FPDFDest_GetDestPageIndex(document.raw, target) + 1


@pytest.mark.parametrize("language", ["ko", "en"])
def test_every_key_on_a_page_is_a_link_to_the_page_of_its_row(language: str) -> None:
    document = captured_document(language)
    keys = explained_keys(document.blocks)
    written = pdf_bytes(document)
    titles = {"evidence", "entered", "pinned"}
    (first, last) = (f(written.page_of[name] for name in titles & written.page_of.keys()) for f in (min, max))
    linked = 0
    with pypdfium2.PdfDocument(written.data) as pdf:
        for number in range(written.page_of["sql"], first):
            words = pdf[number - 1].get_textpage().get_text_range()
            cited = [key for key in re.findall(r"(?<![\w-])[EFM]-\d+(?![A-Za-z0-9-])", words) if key in keys]
            targets = list(_links(pdf[number - 1], pdf))
            assert len(targets) == len(cited), f"page {number}"
            assert all(first <= target <= last + 1 for target in targets)
            linked += len(cited)
        assert linked > 5
        back = {target for number in range(first, last + 1) for target in _links(pdf[number - 1], pdf)}
    assert {link_page for link_page in back if link_page < first} <= set(written.page_of.values())
    assert any(target < first for target in back)


def test_a_page_of_html_leads_back_to_the_chapters() -> None:
    page = html_bytes(captured_document("en")).decode()
    names = Counter(re.findall(r' id="([^"]+)"', page))
    links = re.findall(r'<a href="#([^"]+)"', page)
    assert set(links) <= names.keys() and set(names.values()) == {1}
    (row,) = re.findall(r'(?s)<td class="\w+" id="E-1">.*?</tr>', page)
    assert re.findall(r'href="#([^"]+)"', row.rpartition("<td")[2])


def test_a_document_without_registers_has_plain_keys() -> None:
    columns = (TableHead("a", ColumnKind.TEXT),)
    assert not explained_keys((Table("", columns, ((Cell("F-1"),),)),))
