"""The report as one HTML file: all that the blocks say, nothing from outside, no text as markup, every link at home."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from tests.reports.cases import captured_case, published_case
from tunebench.domain.engagement import Section
from tunebench.reporting.document import Figure, Paragraph, ReportDocument, Table, Together
from tunebench.reporting.html.writing import html_bytes
from tunebench.reporting.success_case import build_document

HOSTILE = '<img src=x onerror="alert(1)"></td></table><script>alert(2)</script>'


class Seen(HTMLParser):
    """What a browser would take out of the file."""

    def __init__(self, page: bytes) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    def count(self, tag: str) -> int:
        return sum(1 for name, _told in self.tags if name == tag)


def _flat(document: ReportDocument) -> list[object]:
    return [one for block in document.blocks for one in (block.blocks if isinstance(block, Together) else (block,))]


@pytest.mark.parametrize("language", ["ko", "en"])
def test_it_says_what_the_blocks_say(language: str) -> None:
    document = build_document(captured_case(language), language)
    seen, blocks = Seen(html_bytes(document)), _flat(document)
    tables = [block for block in blocks if isinstance(block, Table)]
    for cell in (cell for table in tables for row in (*table.rows, *table.totals) for cell in row):
        assert cell.text in seen.text
    for block in blocks:
        if isinstance(block, Paragraph):
            assert block.text in seen.text
    assert seen.count("figure") == seen.count("svg") == sum(isinstance(block, Figure) for block in blocks) > 0
    assert seen.count("caption") == len(tables)


def test_nothing_comes_from_outside_and_only_its_own_script_runs() -> None:
    page = html_bytes(build_document(captured_case("ko"), "ko"))
    seen = Seen(page)
    assert not {"link", "img", "iframe", "object"} & {tag for tag, _told in seen.tags}
    assert not [told for _tag, told in seen.tags if "src" in told or (told.get("href") or "#")[0] != "#"]
    assert b"url(" not in page and b"@import" not in page
    (policy,) = (told["content"] for _tag, told in seen.tags if told.get("http-equiv") == "Content-Security-Policy")
    assert re.fullmatch(r"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-[\w+/]{43}='", policy or "")


def test_no_text_is_markup() -> None:
    case = published_case("ko")
    engagement = replace(case.engagement, customer=HOSTILE, title=f"A\u202eB {HOSTILE}")
    case = replace(case, engagement=engagement, narrative={**case.narrative, Section.ISSUE: (HOSTILE,)})
    seen = Seen(html_bytes(build_document(case, "ko")))
    assert seen.count("script") == 1 and not seen.count("img")
    assert HOSTILE in seen.text and "\u202e" not in seen.text


def test_every_link_leads_somewhere_and_every_name_is_given_once() -> None:
    seen = Seen(html_bytes(build_document(captured_case("ko"), "ko")))
    names = [told["id"] for _tag, told in seen.tags if "id" in told]
    links = {(told.get("href") or "#")[1:] for tag, told in seen.tags if tag == "a"}
    assert len(names) == len(set(names)) and links <= set(names)
    assert any(re.fullmatch(r"[EFM]-\d+", link) for link in links)


def test_equal_documents_are_equal_bytes() -> None:
    assert len({html_bytes(build_document(captured_case("en"), "en")) for _ in range(2)}) == 1
