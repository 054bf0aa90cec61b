"""A DBA's story in three commands: forty reports in, what explains the gain, the report. The three changes that were planted
are named wherever the change of DB time is told, with the amounts that the recipe says, and nothing else is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pypdfium2
import pytest
from openpyxl import load_workbook

from tests.e2e.conftest import Command
from tests.made import awr_weeks as weeks

PLANTED = {
    ("behaviour", weeks.BY_PLAN, weeks.SHOP): -0.9 * weeks.ELAPSED_S[weeks.BY_PLAN] / 3600,
    ("volume", weeks.BY_VOLUME, weeks.SHOP): -0.75 * weeks.ELAPSED_S[weeks.BY_VOLUME] / 3600,
    ("behaviour", weeks.WORSE, weeks.ERP): 2.0 * weeks.ELAPSED_S[weeks.WORSE] / 3600,
}
"""Sessions at work that each of them adds."""
CAUSES = {
    "ko": {"volume": "실행 횟수 변화", "behaviour": "실행당 시간 변화"},
    "en": {"volume": "more or fewer executions", "behaviour": "time per execution"},
}


def test_forty_reports_to_the_three_statements_that_explain_the_gain(
    project: Path, tmp_path: Path, tunebench: Command
) -> None:
    written = weeks.write(tmp_path / "reports")
    assert [len(files) for files in written.values()] == [20, 20]
    assert tunebench("import", project, tmp_path / "reports").code == 0
    found = tunebench("compare", project, "--before", "before", "--after", "after", "--json").json["statements"]
    _is_explained(found)
    _is_judged(found)
    for language in ("ko", "en"):
        pdf, book = (tmp_path / f"{language}.{kind}" for kind in ("pdf", "xlsx"))
        assert tunebench("report", project, "--pdf", pdf, "--xlsx", book, "--lang", language).code == 0
        _is_printed(pdf)
        _is_in_the_workbook(book, language)


def _is_explained(found: Any) -> None:
    explained = found["explained"]
    told = {(each["kind"], each["statement"], each["container"]): each["amount"] for each in explained["steps"]}
    named = {key: amount for key, amount in told.items() if key[1]}
    assert named.keys() == PLANTED.keys()
    assert named == pytest.approx(PLANTED, rel=0.05)
    assert explained["before"] + sum(told.values()) == pytest.approx(explained["after"], abs=1e-9)
    assert explained["before"] == pytest.approx(sum(weeks.ELAPSED_S.values()) / 3600, rel=0.02)


def _is_judged(found: Any) -> None:
    """By ten days against ten of the same weekdays; what was not touched is neither better nor worse."""
    assert found["counts"]["improved"] == found["counts"]["regressed"] == 1
    assert found["counts"]["volume_changed"] == 1


def _is_printed(path: Path) -> None:
    pages = [page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(path)]
    assert any(all(statement in page for _, statement, _ in PLANTED) for page in pages)


def _is_in_the_workbook(path: Path, language: str) -> None:
    book = load_workbook(path, data_only=True)
    steps = book[{"ko": "DB 시간", "en": "DB time"}[language]]
    listed = list(steps.iter_rows(min_row=5, values_only=True))
    rows = {(row[0], row[5], str(row[1]).rpartition(", ")[2]): row[2] for row in listed}
    words = CAUSES[language]
    named = {(words[kind], statement, schema): amount for (kind, statement, schema), amount in PLANTED.items()}
    verb = {"ko": " 조회, ", "en": "SELECT "}[language]  # by what it does, its id beside
    assert all(verb in str(row[1]) for row in listed if row[5])
    assert {key: rows[key] for key in named} == pytest.approx(named, rel=0.05)
    over = book[{"ko": "활성 세션 추이", "en": "Sessions over time"}[language]]
    sessions = [row[3] for row in over.iter_rows(min_row=5, values_only=True)]
    after = sum(weeks.ELAPSED_S.values()) / 3600 + sum(PLANTED.values())
    assert len(sessions) == 40
    assert sum(sessions[:20]) / 20 == pytest.approx(sum(weeks.ELAPSED_S.values()) / 3600, rel=0.02)
    assert sum(sessions[20:]) / 20 == pytest.approx(after, rel=0.02)
