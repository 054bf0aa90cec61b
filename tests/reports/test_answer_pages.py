"""The report of whole projects, page by page: nothing overprinted or cut, none half empty, and the answer where it belongs."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.made import awr_weeks, pgbench
from tests.made.many_hosts import host_name
from tests.program import compose
from tests.reports.word_boxes import filled, outside, overprints, pages_of
from tests.unit.answering.made_answers import answered, awr_project, forty, words
from tunebench.columns.answering.marks import plain
from tunebench.domain.engagement import Phase
from tunebench.reporting.document import Claim, every_block
from tunebench.reporting.pdf.writing import WrittenPdf, pdf_bytes
from tunebench.reporting.shapes import Shape
from tunebench.reporting.success_case import build_document
from tunebench.usecases import projects
from tunebench.usecases.reports.success_case import build_case

MOST_PAGES, LEAST_FILLED = 9, 0.6
GAINED = (1, 4, 9, 16, 25)


def _demo(folder: Path) -> Path:
    compose()
    return pgbench.build(folder / "pgbench.tune")


def _gained(folder: Path) -> Path:
    return forty(folder, {**dict.fromkeys(GAINED, 0.6), 30: 1.7})[0]


MADE: dict[str, Callable[[Path], Path]] = {"demo": _demo, "forty": _gained, "awr": awr_project}


@pytest.fixture(scope="module", params=MADE)
def project(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    return request.param, MADE[request.param](tmp_path_factory.mktemp(request.param))


def written(path: Path, language: str, shape: Shape = Shape.REPORT) -> tuple[WrittenPdf, list[str]]:
    """The PDF, and the claims of its pages."""
    with closing(projects.open_(path, read_only=True)) as opened:
        document = build_document(build_case(opened, language, "2026-11-29"), language, shape=shape)
    claims = [block.text for block in every_block(document.blocks) if isinstance(block, Claim)]
    return pdf_bytes(document), claims


def text_of(pdf: bytes, page: int) -> str:
    return " ".join(word.text for word in pages_of(pdf)[page])


@pytest.mark.parametrize("language", ["ko", "en"])
def test_no_word_runs_into_another_and_no_page_is_half_empty(project: tuple[str, Path], language: str) -> None:
    pdf, claims = written(project[1], language)
    assert not pdf.missing_glyphs and pdf.pages <= MOST_PAGES
    assert not overprints(pdf.data) and min(filled(pdf.data)) >= LEAST_FILLED
    assert not [word for word in outside(pdf.data) if not re.match(r"\d\d:\d\d$", word[1])], (
        "but for the end of an axis"
    )
    assert claims and not any(re.search(r"#\d|⟨|\{", claim) for claim in claims)


@pytest.mark.parametrize("language", ["ko", "en"])
def test_page_one_is_the_answer_of_every_other_front(project: tuple[str, Path], language: str) -> None:
    pdf, claims = written(project[1], language, Shape.RESULT)
    assert pdf.pages == 1
    text = words(answered(project[1]), language)
    assert claims[0] == plain(text.headline)
    page = re.sub(r"\s", "", text_of(pdf.data, 0))
    for sentence in (*text.further, text.sure, text.windows, *(worse.text for worse in text.worse)):
        assert re.sub(r"\s", "", plain(sentence)) in page


def test_the_windows_of_the_report_are_those_of_its_answer(project: tuple[str, Path]) -> None:
    with closing(projects.open_(project[1], read_only=True)) as opened:
        case = build_case(opened, "en")
    assert case.answer is not None
    names = {window.phase: window.name for window in case.windows}
    assert [own.name for own in case.answer.answer.windows] == [names[Phase.BEFORE], names[Phase.AFTER]]


def test_a_regression_of_one_host_is_named_on_page_one(tmp_path: Path) -> None:
    path = _gained(tmp_path)
    pdf, _ = written(path, "en", Shape.RESULT)
    page = text_of(pdf.data, 0)
    assert host_name(30) in page
    assert all(host_name(number) in page for number in GAINED), "by name, not only how many"
    _, claims = written(path, "en")
    assert any(claim.startswith(f"{len(GAINED)} of 40 hosts") for claim in claims)


def test_all_causes_stand_on_one_page_with_schema_and_amount(tmp_path: Path) -> None:
    path = awr_project(tmp_path)
    causes = answered(path).databases[0].causes[:3]
    pdf, _ = written(path, "en")
    pages = [text_of(pdf.data, number) for number in range(pdf.pages)]
    assert any(all(f"{cause.amount:+.3f}" in page and cause.container in page for cause in causes) for page in pages)
    ids = {id_ for cause in causes for id_ in cause.statement.pair.after_ids}
    assert ids == {awr_weeks.BY_PLAN, awr_weeks.BY_VOLUME, awr_weeks.WORSE}
