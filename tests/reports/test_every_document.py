"""Every shape of the report of three engagements, in both languages: nothing overprinted, cut, nameless or half empty.

The last page of a document ends where it ends; a figure that has no room below stands on the next page.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.made import pgbench
from tests.program import compose
from tests.reports.word_boxes import filled, outside, overprints
from tests.unit.answering.made_answers import awr_project, forty
from tunebench.core.messages import LANGUAGES
from tunebench.reporting.cases.case import SuccessCase
from tunebench.reporting.document import Claim, Heading, Table, every_block
from tunebench.reporting.pdf.writing import pdf_bytes
from tunebench.reporting.shapes import PRINTED, Shape
from tunebench.reporting.success_case import build_document
from tunebench.usecases import projects
from tunebench.usecases.reports.success_case import build_case

LEAST_FILLED = {Shape.WHOLE: 0.5, Shape.DIAGNOSIS: 0.5, Shape.BEFORE_AFTER: 0.5, Shape.ANNEX: 0.5}
"""Shapes of chapters may leave more below than those of concluding pages, which are filled to 0.6."""
_NAMELESS = re.compile(r"#\d|⟨|\b[0-9a-f]{32}\b")


def demo(folder: Path) -> Path:
    path = folder / "demo.tune"
    pgbench.build(path)
    return path


def forty_hosts(folder: Path) -> Path:
    path, _ = forty(folder, dict.fromkeys(range(14), 0.6))
    return path


ENGAGEMENTS: dict[str, Callable[[Path], Path]] = {"demo": demo, "forty hosts": forty_hosts, "awr": awr_project}


@pytest.fixture(scope="module", params=ENGAGEMENTS)
def engagement(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, SuccessCase]:
    compose()
    path = ENGAGEMENTS[request.param](tmp_path_factory.mktemp("documents"))
    with projects.open_(path, read_only=True) as project:
        return {language: build_case(project, language, "2026-11-29") for language in LANGUAGES}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("shape", [shape for shape in PRINTED if shape is not Shape.STUDY])
def test_no_page_is_overprinted_cut_nameless_or_half_empty(
    engagement: dict[str, SuccessCase], shape: Shape, language: str
) -> None:
    document = build_document(engagement[language], language, shape=shape)
    pdf = pdf_bytes(document, strict=True)
    assert not overprints(pdf.data)
    assert not outside(pdf.data)
    *full, last = filled(pdf.data)
    least = LEAST_FILLED.get(shape, 0.6)
    assert [ink for ink in full if ink < least] == []
    assert last >= (0.6 if shape in (Shape.RESULT, Shape.REPORT) else 0.0)
    titles = [block.text for block in every_block(document.blocks) if isinstance(block, Heading | Claim)]
    assert titles and not [title for title in titles if _NAMELESS.search(title)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_resource_has_two_verdicts_in_one_document(engagement: dict[str, SuccessCase], language: str) -> None:
    """The tables that print a chip for a resource: the same one in each of them."""
    document = build_document(engagement[language], language, shape=Shape.REPORT)
    verdicts: dict[str, set[str]] = {}
    for block in every_block(document.blocks):
        for row in block.rows if isinstance(block, Table) else ():
            if row[-1].is_chip:
                verdicts.setdefault(row[0].text, set()).add(row[-1].text)
    assert verdicts and all(len(own) == 1 for own in verdicts.values()), verdicts
