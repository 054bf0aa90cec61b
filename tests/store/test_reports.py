"""The register of written reports: what was entered comes back after closing, in order, and is on record."""

from __future__ import annotations

from dataclasses import fields
from datetime import UTC, datetime

import pytest

from tests.store import golden
from tunebench.core.errors import UserError
from tunebench.domain.engagement import WrittenReport
from tunebench.store.audit import trail as audit
from tunebench.store.opening import open_project
from tunebench.store.project import Project
from tunebench.store.reports import add_report, list_reports


def test_a_new_project_has_none(project: Project) -> None:
    assert list_reports(project) == []


def test_what_was_entered_comes_back_after_closing_oldest_first(project: Project) -> None:
    start = datetime.now(UTC).replace(microsecond=0)
    first = add_report(project, **golden.REPORT)
    second = add_report(project, **{**golden.REPORT, "kind": "xlsx", "language": "en", "size_bytes": 99})
    again = add_report(project, **golden.REPORT)
    project.close()
    with open_project(project.path) as reopened:
        assert list_reports(reopened) == [first, second, again]
    told = {field.name for field in fields(WrittenReport)} - {"id", "written_at"}
    assert {name: getattr(first, name) for name in told} == golden.REPORT
    assert (second.kind, second.language, second.size_bytes) == ("xlsx", "en", 99)
    stamp = datetime.fromisoformat(first.written_at)
    assert stamp.utcoffset() is not None and start <= stamp <= datetime.now(UTC)
    assert len({first.id, second.id, again.id}) == 3


def test_it_is_in_the_audit_trail(project: Project) -> None:
    report = add_report(project, **golden.REPORT)
    last = audit.list_audit(project)[-1]
    assert last.action == "report_written"
    assert (last.facts["report_id"], last.facts["file_name"], last.facts["sha256"]) == (
        report.id,
        golden.REPORT["file_name"],
        golden.REPORT["sha256"],
    )


def test_a_read_only_project_refuses(project: Project) -> None:
    project.close()
    with open_project(project.path, read_only=True) as reopened, pytest.raises(UserError):
        add_report(reopened, **golden.REPORT)
