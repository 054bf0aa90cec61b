"""The questionnaire goes out filled, comes back whole, and names every cell that is wrong."""

from __future__ import annotations

import shutil
import subprocess
import time
from datetime import datetime
from io import BytesIO
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from tunebench.core.errors import UserError
from tunebench.core.messages import LANGUAGES, catalogue
from tunebench.domain.cycle.book import CycleBook
from tunebench.domain.cycle.records import Contact, CustomerIssue, IssueState, Severity, SystemInScope, SystemKind, Term
from tunebench.domain.engagement import Engagement
from tunebench.reporting.forms.questionnaire import CONTACTS, FORMS, ISSUES, SYSTEMS, TERMS, questionnaire_bytes
from tunebench.reporting.forms.questionnaire_reading import Answers, read_questionnaire
from tunebench.reporting.forms.reading import problem_text, read_forms

ENGAGEMENT = Engagement(
    "주문 시스템 진단",
    "한빛물산",
    firm="수행사",
    consultants=("홍길동", "김튜닝"),
    period_start="2026-11-02",
    period_end="2026-11-30",
    confidentiality="대외비",
)
KNOWN = CycleBook.of(
    (
        CustomerIssue(1, 1, "오전 조회가 느림", "09시부터\n11시까지", Severity.HIGH, IssueState.OPEN, "2026-10-28"),
        CustomerIssue(2, 2, "=1+1", "_x000D_ 그대로"),
        SystemInScope(3, SystemKind.DATABASE, "ORDDB", "주문", "Oracle 19.21", "SGA 32 GB", "db01"),
        Contact(4, "김관리", "한빛물산", "DBA", "010-1234-5678", "kim@example.com"),
        Term(5, "회차", "round", "정산 작업"),
    )
)


def _book(language: str = "ko") -> Any:
    return openpyxl.load_workbook(BytesIO(questionnaire_bytes(ENGAGEMENT, KNOWN, language)))


def _read(book: Any) -> Answers:
    saved = BytesIO()
    book.save(saved)
    return read_questionnaire(saved.getvalue(), "q.xlsx")


def _sheet(book: Any, form: str, language: str = "ko") -> Any:
    return book[catalogue(language).text(f"form.{form}.sheet")]


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_was_known_comes_back(language: str) -> None:
    answers = read_questionnaire(questionnaire_bytes(ENGAGEMENT, KNOWN, language), "q.xlsx")
    assert not answers.problems and not answers.remarks
    assert answers.engagement == {
        "title": "주문 시스템 진단",
        "customer": "한빛물산",
        "firm": "수행사",
        "consultants": "홍길동\n김튜닝",
        "period_start": "2026-11-02",
        "period_end": "2026-11-30",
        "zone": "Asia/Seoul",
        "confidentiality": "대외비",
    }
    first, second = (row.values for row in answers.rows[ISSUES])
    assert first == {
        "number": 1,
        "title": "오전 조회가 느림",
        "text": "09시부터\n11시까지",
        "severity": Severity.HIGH,
        "state": IssueState.OPEN,
        "reported_on": "2026-10-28",
    }
    assert (second["title"], second["text"]) == ("=1+1", "_x000D_ 그대로")
    assert answers.rows[SYSTEMS][0].values["kind"] is SystemKind.DATABASE
    assert answers.rows[CONTACTS][0].values["phone"] == "010-1234-5678"
    assert answers.rows[TERMS][0].values == {"korean": "회차", "english": "round", "meaning": "정산 작업"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_equal_answers_give_equal_bytes(language: str) -> None:
    assert questionnaire_bytes(ENGAGEMENT, KNOWN, language, "2026-11-02") == questionnaire_bytes(
        ENGAGEMENT, KNOWN, language, "2026-11-02"
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_choices_are_lists_and_no_sentence_is_missing(language: str) -> None:
    book = _book(language)
    lists = {check.formula1 for sheet in book for check in sheet.data_validations.dataValidation}
    words = catalogue(language)
    assert f'"{",".join(words.text(f"cycle.severity.{each.value}") for each in Severity)}"' in lists
    assert f'"{",".join(words.text(f"cycle.system_kind.{each.value}") for each in SystemKind)}"' in lists
    shown = [str(cell.value) for sheet in book for row in sheet.iter_rows() for cell in row if cell.value]
    assert not [text for text in shown if "⟨" in text]
    assert book["zones"].sheet_state == "hidden"


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_names_that_are_read_back_are_not_seen(language: str) -> None:
    """The row of names of every sheet, and the column of names beside upright questions; nothing else is hidden."""
    book = _book(language)
    asked = [_sheet(book, form.name, language) for form in FORMS]
    assert len(asked) >= 5
    for form, sheet in zip(FORMS, asked, strict=True):
        hidden = [number for number, row in sheet.row_dimensions.items() if row.hidden]
        names = [cell.value for cell in sheet[hidden[0]] if cell.value]
        assert len(hidden) == 1 and names
        assert [letter for letter, column in sheet.column_dimensions.items() if column.hidden] == ["A"] * form.upright
    for sheet in set(book) - set(asked) - {book["zones"]}:  # the guide
        assert [row.hidden for number, row in sheet.row_dimensions.items() if row.hidden] == [True]


def test_a_formula_of_the_customer_is_text_in_the_file() -> None:
    cell = _sheet(_book(), "issues")["B6"]
    assert (cell.value, cell.data_type, cell.quotePrefix) == ("=1+1", "s", True)


def test_words_of_either_language_and_other_ways_to_write_dates_are_taken() -> None:
    book = _book("ko")
    issues = _sheet(book, "issues")
    for column, value in zip("ABCDEF", (None, "new one", None, "High", "해결", "2026.11.5"), strict=True):
        issues[f"{column}8"] = value
    issues["F5"] = datetime(2026, 10, 29)
    _sheet(book, "contacts")["D5"] = 1012345678
    answers = _read(book)
    assert not answers.problems
    assert answers.rows[ISSUES][-1].values == {
        "title": "new one",
        "severity": Severity.HIGH,
        "state": IssueState.SOLVED,
        "reported_on": "2026-11-05",
    }
    assert answers.rows[ISSUES][0].values["reported_on"] == "2026-10-29"
    assert answers.rows[CONTACTS][0].values["phone"] == "1012345678"


def test_columns_may_be_rearranged_and_sheets_renamed() -> None:
    book = _book()
    terms = _sheet(book, "terms")
    for row in terms.iter_rows(min_row=3, max_row=5):
        row[0].value, row[1].value = row[1].value, row[0].value
    terms.title = "Wörter"
    assert _read(book).rows[TERMS][0].values == {"korean": "회차", "english": "round", "meaning": "정산 작업"}


def test_decomposed_hangul_and_control_characters_are_mended() -> None:
    book = _book()
    _sheet(book, "issues")["B5"] = "\u1112\u1161\u11ab\u1100\u1173\u11af\r\n끝"
    _sheet(book, "issues")["C5"] = "줄\r\n바꿈"
    answers = _read(book)
    assert answers.rows[ISSUES][0].values["text"] == "줄\n바꿈"
    assert [(each.cell, each.key) for each in answers.problems] == [("B5", "cell_lines")]  # a title is one line


WRONG = {
    ("engagement", "C6"): (None, "cell_required"),
    ("engagement", "C10"): ("2026-13-01", "cell_date"),
    ("engagement", "C12"): ("Asia/Atlantis", "cell_zone"),
    ("issues", "A6"): ("둘", "cell_count"),
    ("issues", "B6"): (None, "cell_required"),
    ("issues", "D5"): ("매우 심함", "cell_choice"),
    ("issues", "F5"): ("어제", "cell_date"),
    ("issues", "H5"): ("메모", "cell_outside"),
    ("systems", "A5"): ("=A1", "cell_formula"),
    ("systems", "B5"): ("x" * 501, "cell_too_long"),
    ("contacts", "A5"): ("#REF!", "cell_error"),
    ("terms", "A5"): (None, None),
}


def test_every_wrong_cell_is_named() -> None:
    book = _book()
    for (form, cell), (value, _key) in WRONG.items():
        _sheet(book, form)[cell] = value
    found = {(problem.sheet, problem.cell): problem.key for problem in _read(book).problems}
    titles = {form: _sheet(book, form).title for form, _cell in WRONG}
    expected = {(titles[form], cell): key for (form, cell), (_value, key) in WRONG.items() if key}
    assert found == expected


def test_problems_are_sentences_in_the_order_of_the_sheets() -> None:
    book = _book()
    for (form, cell), (value, _key) in WRONG.items():
        _sheet(book, form)[cell] = value
    problems = _read(book).problems
    korean = [problem_text(problem, "ko") for problem in problems]
    assert korean[0] == "'프로젝트 개요' 시트 C6: 반드시 답해야 하는 칸이 비어 있습니다."
    assert "'매우 심함'은(는) 고를 수 있는 값이 아닙니다. 다음 중에서 고르십시오: 상, 중, 하" in "\n".join(korean)
    english = "\n".join(problem_text(problem, "en") for problem in problems)
    assert "D5: '매우 심함' is not one of the choices: " in english
    assert "⟨" not in english and "{" not in english


def test_two_lines_for_one_thing_and_a_period_that_ends_before_it_begins() -> None:
    book = _book()
    _sheet(book, "issues")["A6"] = 1
    _sheet(book, "contacts")["A6"] = " 김관리 "
    _sheet(book, "engagement")["C11"] = "2026-11-01"
    _sheet(book, "terms")["C6"] = "이름 없는 뜻"
    assert [(each.cell, each.key) for each in _read(book).problems] == [
        ("C11", "period_backwards"),
        ("A6", "row_twice"),
        ("A6", "row_twice"),
        ("A6", "term_without_name"),
    ]


def test_missing_doubled_and_foreign_sheets() -> None:
    book = _book()
    del book[_sheet(book, "terms").title]
    book.copy_worksheet(_sheet(book, "issues"))
    notes = book.create_sheet("Notes")
    notes["A9"] = "please read"
    issues = _sheet(book, "systems")
    issues["B3"] = None
    answers = _read(book)
    assert sorted(each.key for each in answers.problems) == [
        "cell_outside",
        "column_missing",
        "sheet_missing",
        "sheet_twice",
    ]
    assert [(each.sheet, each.key) for each in answers.remarks] == [("Notes", "sheet_unknown")]
    assert "용어 / Glossary" in [each.sheet for each in answers.problems]


def test_a_row_that_was_taken_out_of_the_upright_sheet_is_missed() -> None:
    book = _book()
    _sheet(book, "engagement").delete_rows(7)
    assert [each.key for each in _read(book).problems] == ["answer_missing"]


def test_a_sheet_may_claim_any_size_and_have_something_far_below() -> None:
    book = _book()
    _sheet(book, "terms")["A900000"] = "끝"
    assert [row.number for row in _read(book).rows[TERMS]] == [5, 900_000]


def test_too_many_lines_are_refused_not_cut() -> None:
    book = _book()
    terms = _sheet(book, "terms")
    for row in range(6, 10_010):
        terms.cell(row, 1).value = f"용어 {row}"
    assert [(each.key, each.facts) for each in _read(book).problems] == [("rows_too_many", {"limit": 10_000})]


def _other_workbook() -> bytes:
    book = openpyxl.Workbook()
    book.active["A1"] = "quarterly figures"
    saved = BytesIO()
    book.save(saved)
    return saved.getvalue()


@pytest.mark.parametrize(
    ("data", "key"),
    [
        (b"", "form_not_a_workbook"),
        (b"PK\x03\x04 broken", "form_not_a_workbook"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "form_not_a_workbook"),  # .xls, or a password
        (b"a;b;c\n1;2;3\n", "form_not_a_workbook"),
        (questionnaire_bytes(ENGAGEMENT, KNOWN, "ko")[:-900], "form_not_a_workbook"),
        (_other_workbook(), "form_foreign"),
    ],
)
def test_other_files_are_refused_in_a_sentence(data: bytes, key: str) -> None:
    with pytest.raises(UserError) as caught:
        read_questionnaire(data, "q.xlsx")
    assert caught.value.key == key
    assert all("q.xlsx" in catalogue(language).error(caught.value) for language in LANGUAGES)


@pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice is not installed")
def test_it_survives_another_program(tmp_path: Path) -> None:
    path = tmp_path / "q.xlsx"
    path.write_bytes(questionnaire_bytes(ENGAGEMENT, KNOWN, "ko"))
    (tmp_path / "out").mkdir()
    words = ["soffice", f"-env:UserInstallation=file://{tmp_path}/profile", "--headless", "--convert-to"]
    words += ["xlsx:Calc MS Excel 2007 XML", "--outdir", str(tmp_path / "out"), str(path)]
    subprocess.run(words, check=True, timeout=120, capture_output=True)
    again = read_questionnaire((tmp_path / "out" / "q.xlsx").read_bytes(), "q.xlsx")
    first = read_questionnaire(path.read_bytes(), "q.xlsx")
    assert not again.problems
    assert again.engagement == first.engagement
    assert [row.values for row in again.rows[ISSUES]] == [row.values for row in first.rows[ISSUES]]


def test_every_field_has_a_heading_in_both_languages() -> None:
    for language in LANGUAGES:
        words = catalogue(language)
        keys = [f"form.{form.name}.{each.name}" for form in FORMS for each in form.fields]
        keys += [f"form.{form.name}.{each.name}_hint" for form in FORMS if form.upright for each in form.fields]
        assert not [key for key in keys if key not in words]


def test_answers_far_out_are_refused_before_all_places_before_them_are_looked_at() -> None:
    """6,200 rows of one cell in the last column are 101,580,800 places in a file of some 50 KB."""
    book = openpyxl.Workbook()
    for row in range(1, 6_201):
        book.active.cell(row, 16_384).number_format = "0.0"
    packed = BytesIO()
    book.save(packed)
    begin_s = time.process_time()
    with pytest.raises(UserError) as refused:
        read_forms(packed.getvalue(), "a.xlsx", ())
    assert refused.value.key == "form_too_large"
    assert time.process_time() - begin_s < 20
