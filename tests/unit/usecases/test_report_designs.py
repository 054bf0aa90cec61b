"""The layout of a report: remembered by its engagement, shared as a template file."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.usecases.test_report_case import project  # noqa: F401
from tunebench.core.errors import UserError
from tunebench.reporting.design import Design
from tunebench.reporting.shapes import Shape
from tunebench.store.captured_columns import write_state
from tunebench.store.project import Project
from tunebench.usecases.reports.designs import design_of, read_template, remember_design, write_template

LAID = Design(Shape.BEFORE_AFTER, "en", ("sql",), ("memory", "cpu"))


def test_an_engagement_remembers_its_layout(project: Project) -> None:  # noqa: F811
    assert design_of(project) == Design()
    remember_design(project, LAID)
    assert design_of(project) == LAID
    write_state(project, "report_design", '{"kind": "spoilt"')
    assert design_of(project) == Design()


def test_a_template_reads_back(tmp_path: Path) -> None:
    path = tmp_path / "firm.json"
    write_template(path, LAID)
    assert read_template(path) == LAID
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())  # as some editors save it
    assert read_template(path) == LAID


@pytest.mark.parametrize(
    "words",
    [
        "",
        "[]",
        "[" * 60_000,
        "x" * 70_000,
        '{"kind": "tunebench-report-template", "version": 2}',
        '{"kind": "tunebench-report-template", "version": 1, "shape": "slides"}',
        '{"kind": "tunebench-report-template", "version": 1, "shape": ["report"]}',
        '{"kind": "tunebench-report-template", "version": 1, "language": ["ko"]}',
        '{"kind": "tunebench-report-template", "version": 1, "language": "fr"}',
        '{"kind": "tunebench-report-template", "version": 1, "without": ["nothing"]}',
        '{"kind": "tunebench-report-template", "version": 1, "order": "cpu"}',
        '{"kind": "tunebench-report-template", "version": 1, "logo": "x.png"}',
    ],
)
def test_what_is_no_template_is_refused(tmp_path: Path, words: str) -> None:
    path = tmp_path / "other.json"
    path.write_text(words)
    with pytest.raises(UserError) as refused:
        read_template(path)
    assert refused.value.key == "report_template_foreign"


def test_a_template_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(UserError) as refused:
        read_template(tmp_path)
    assert refused.value.key == "file_unreadable"
