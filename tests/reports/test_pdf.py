"""The printed document: text, faces, pages, equal bytes, and no character lost."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from openpyxl import load_workbook

from tests.reports.cases import captured_case, published_case
from tests.reports.database_cases import MadePair, database_case, made_pairs
from tunebench.domain.engagement import Section
from tunebench.reporting.pdf.fonts import BOLD, CODE, REGULAR, GlyphGuard, MissingGlyphError, width
from tunebench.reporting.pdf.preview import page_count, render_page
from tunebench.reporting.pdf.writing import pdf_bytes, write_pdf
from tunebench.reporting.success_case import build_document
from tunebench.reporting.xlsx.workbook import workbook_bytes

needs_poppler = pytest.mark.skipif(shutil.which("pdftotext") is None, reason="poppler-utils is not installed")


def _tool(*command: str) -> str:
    here = {**os.environ, "TZ": "UTC", "LC_ALL": "C.UTF-8"}  # these tools print times as the machine's
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=60, env=here).stdout


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pdf")
    paths = {}
    for language in ("ko", "en"):
        for name, case in (("published", published_case(language)), ("captured", captured_case(language))):
            paths[f"{name}-{language}"] = folder / f"{name}-{language}.pdf"
            write_pdf(build_document(case, language), paths[f"{name}-{language}"], strict=True)
    return paths


@needs_poppler
def test_korean_text(files: dict[str, Path]) -> None:
    text = " ".join(_tool("pdftotext", "-layout", str(files["published-ko"]), "-").split())
    for phrase in (
        "OOO 상담원",
        "2007.07.19 ~ 2007.07.26",
        "고객사 이슈 및 구축 배경",
        "이슈 해결 방안",
        "구축 후 개선점",
        "고가용성 시스템으로 구축되지 않음.",
        "590.997 초",
        "33.17 초",
        "17.8배",
        "94.4 %",
        "37,539,159 개",
        "841,817 개",
        "44.6배",
        "97.8 %",
        "20 % 미만",
        "75 %p 이상 감소",
        "튜닝 전",
        "(2007.07.19)",
        "튜닝 후",
        "(2007.07.26)",
        "향후 3년 정도는 무난히",
        "기술 통계",
    ):
        assert phrase in text, phrase
    assert "44.5" not in text


@needs_poppler
def test_english_text(files: dict[str, Path]) -> None:
    text = " ".join(_tool("pdftotext", "-layout", str(files["published-en"]), "-").split())
    for phrase in (
        "2007-07-19 to 2007-07-26",
        "17.8× lower",
        "-94.4 %",
        "under 20 %",
        "down at least 75 pp",
        "Outlook",
    ):
        assert phrase in text, phrase
    assert not re.search(r"[\uac00-\ud7a3]{4,}", text.replace("홍길동", "").replace("김튜닝", "")), (
        "Korean left in the English text"
    )


@needs_poppler
def test_every_face_is_embedded(files: dict[str, Path]) -> None:
    for path in files.values():
        for line in _tool("pdffonts", str(path)).splitlines()[2:]:
            name, (embedded, subset, unicode_map) = line.split()[0], line.split()[-5:-2]
            assert "NanumGothic" in name
            assert (embedded, subset, unicode_map) == ("yes", "yes", "yes"), line


@needs_poppler
def test_document_information(files: dict[str, Path]) -> None:
    info = _tool("pdfinfo", str(files["published-ko"]))
    assert re.search(r"Title:\s+Pro-Active Tuning 성공사례", info)
    assert re.search(r"CreationDate:\s+Wed Aug  1 \d\d:00:00 2007", info)
    assert re.search(r"Page size:\s+595\.\d+ x 841\.\d+ pts \(A4\)", info)


@needs_poppler
def test_footer_counts_the_pages(files: dict[str, Path]) -> None:
    path = files["captured-ko"]
    pages = page_count(path.read_bytes())
    for page in (2, pages):
        assert f"{page} / {pages}" in _tool("pdftotext", "-f", str(page), "-l", str(page), str(path), "-")


@pytest.mark.skipif(shutil.which("qpdf") is None, reason="qpdf is not installed")
def test_the_file_is_sound(files: dict[str, Path]) -> None:
    for path in files.values():
        _tool("qpdf", "--check", str(path))


def test_equal_documents_give_equal_bytes() -> None:
    for case in (published_case(), captured_case()):
        first, second = (pdf_bytes(build_document(case, "ko")).data for _ in range(2))
        assert first == second
    other = replace(published_case(), issued="2007-08-02")
    assert pdf_bytes(build_document(other, "ko")).data != pdf_bytes(build_document(published_case(), "ko")).data


def test_replaceable_characters_are_replaced() -> None:
    guard = GlyphGuard()
    assert guard.text("−75 %p 5 µs a\u2009b ✓ 1\u20112") == "-75 %p 5 μs a b ○ 1-2"
    assert not guard.missing


def test_western_letters_are_letters_and_only_what_no_face_has_is_told() -> None:
    guard = GlyphGuard()
    letters = "Söhne Übung Äpfel Öl Ångström Café à ça São ñandú Česko? £ ß ü 漢字"
    for code in (False, True):
        assert guard.text(letters, code=code) == letters and not guard.missing
    assert guard.text("Cafe\u0301") == "Café", "as files of a Mac are named"
    assert guard.text("Łódź", code=True) == "Łód□" and guard.missing == {"ź"}, "code is not rewritten"
    assert guard.text("Łódź") == "Łódz"


@needs_poppler
def test_letters_of_several_faces_are_drawn_measured_and_read_back(tmp_path: Path) -> None:
    """Each by the first face that has it: bold, plain, code, in a table and in a chart."""
    letters = "Äpfel-Öl Ångström ñ £ 漢字"
    case = captured_case("en")
    strange = replace(
        case,
        engagement=replace(case.engagement, title=letters, customer=letters),
        series=tuple(replace(each, host=letters) for each in case.series[:1]),
        evidence=tuple(replace(each, file=letters) for each in case.evidence),
    )
    path = tmp_path / "letters.pdf"
    write_pdf(build_document(strange, "en"), path, strict=True)
    text = _tool("pdftotext", "-layout", str(path), "-")
    assert text.count(letters) > 8 and "□" not in text
    for face in (REGULAR, BOLD, CODE):
        parts = sum(width(each, face, 10) for each in letters)
        assert width(letters, face, 10) == pytest.approx(parts) and width("Å", face, 10) > 4


def test_texts_of_any_length_make_pages() -> None:
    long, word = "Lorem ipsum dolor " * 600, "x" * 10_800
    whole = captured_case("en")
    for text in (long, word):
        texts: dict[str, Any] = dict.fromkeys(("title", "customer", "site", "firm", "confidentiality"), text)
        case = replace(
            published_case("en"),
            engagement=replace(whole.engagement, **texts, consultants=(text,)),
            narrative=dict.fromkeys(Section, (text,)),
            hosts=tuple(replace(each, name=text, os=text) for each in whole.hosts),
            runs=tuple(replace(each, label=text) for each in whole.runs),
            measurements=tuple(
                replace(each, source=text, label_en=text) for each in published_case("en").measurements[:1]
            ),
        )
        assert pdf_bytes(build_document(case, "en"), strict=True).pages > 5


def test_garbled_names_do_not_stop_the_writers() -> None:
    whole = captured_case("en")
    case = replace(published_case("en"), series=whole.series[2:3], comparison=whole.comparison[12:14])
    control = "".join(map(chr, (1, 7, 27, 0x202E, 0xFFFD)))
    for name in (control + "가<b>&" * 600, f"{control} a/" * 900):
        series = tuple(replace(each, label=name, host=name[:300]) for each in case.series)
        parts = (replace(whole.comparison[12].row.series, native=name, host=name[:300]),)
        rows = tuple(
            replace(each, row=replace(each.row, before_parts=parts, after_parts=parts)) for each in case.comparison
        )
        document = build_document(replace(case, series=series, comparison=rows), "en")
        assert pdf_bytes(document).pages > 3
        load_workbook(BytesIO(workbook_bytes(document)))


def test_a_character_without_a_glyph_is_refused_when_strict() -> None:
    case = published_case()
    strange = replace(case, engagement=replace(case.engagement, customer="고객 \U0001f600 사"))
    document = build_document(strange, "ko")
    with pytest.raises(MissingGlyphError, match="U\\+1F600"):
        pdf_bytes(document, strict=True)
    written = pdf_bytes(document)
    assert written.missing_glyphs == ("\U0001f600",)


@needs_poppler
def test_a_character_without_a_glyph_is_shown_as_a_box_with_a_warning(tmp_path: Path) -> None:
    case = published_case()
    strange = replace(case, engagement=replace(case.engagement, customer="고객 \U0001f600 사"))
    path = tmp_path / "strange.pdf"
    write_pdf(build_document(strange, "ko"), path)
    text = _tool("pdftotext", "-layout", str(path), "-")
    assert "고객 □ 사" in text and "U+1F600" in text


@needs_poppler
def test_markup_in_customer_text_is_text(tmp_path: Path) -> None:
    case = published_case()
    hostile = replace(case, engagement=replace(case.engagement, customer="<b>A&B</b> <para>"))
    path = tmp_path / "hostile.pdf"
    write_pdf(build_document(hostile, "ko"), path)
    assert "<b>A&B</b> <para>" in _tool("pdftotext", "-layout", str(path), "-")


def test_preview_renders_pages_at_the_asked_width() -> None:
    data = pdf_bytes(build_document(published_case(), "ko")).data
    pages = [render_page(data, number, 320) for number in range(page_count(data))]
    assert len(pages) == page_count(data)
    for page in (pages[0], render_page(data, 1, 320)):
        assert page.startswith(b"\x89PNG") and int.from_bytes(page[16:20], "big") in (320, 321)


def test_long_tables_and_long_words_do_not_stop_the_writer() -> None:
    case = captured_case()
    word = "x" * 900
    evidence = tuple(replace(entry, file=word, parser=word[:80]) for entry in case.evidence)
    worse = [MadePair(each.after, each.before) for each in made_pairs(372) if each.after]
    databases = (database_case(worse),)
    many = replace(case, databases=databases, evidence=evidence, comparison=case.comparison * 6)
    assert pdf_bytes(build_document(many, "en"), strict=True).pages > 20


def test_a_series_of_gaps_only_is_drawn_empty() -> None:
    case = captured_case()
    series = case.series[0]
    assert series.before is not None
    empty = replace(
        series, before=replace(series.before, values=np.full(len(series.before.values), np.nan)), after=None
    )
    assert pdf_bytes(build_document(replace(case, series=(empty,)), "ko"), strict=True).pages > 1
