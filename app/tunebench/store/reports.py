"""The register of reports: every file that was written out of the project."""

# ruff: noqa: S608 - only names written in this module are put into queries; values are bound

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

from tunebench.domain.engagement import WrittenReport
from tunebench.store.audit import trail as audit

if TYPE_CHECKING:
    from tunebench.store.project import Project

_COLUMNS = tuple(field.name for field in fields(WrittenReport))


def add_report(
    project: Project,
    *,
    kind: str,
    language: str,
    issued: str,
    file_name: str,
    path: str,
    sha256: str,
    size_bytes: int,
    edition: str,
    program_version: str,
) -> WrittenReport:
    """Remembers a report that has just been written; one written again to the same place is a further entry."""
    values = (
        audit.now_iso(project),
        kind,
        language,
        issued,
        file_name,
        path,
        sha256,
        size_bytes,
        edition,
        program_version,
    )
    with project.transaction() as connection:
        cursor = connection.execute(
            f"INSERT INTO report ({', '.join(_COLUMNS[1:])}) VALUES ({', '.join('?' * len(values))})", values
        )
        report = WrittenReport(int(cursor.lastrowid or 0), *values)
        audit.record(
            project,
            "report_written",
            report_id=report.id,
            file_name=file_name,
            kind=kind,
            language=language,
            issued=issued,
            sha256=sha256,
        )
    return report


def carry_report(project: Project, report: WrittenReport) -> None:
    """Remembers a report that another copy has written, with the time when."""
    facts = {name: getattr(report, name) for name in _COLUMNS if name not in ("id", "written_at")}
    with project.transaction() as connection:
        added = add_report(project, **facts)
        connection.execute("UPDATE report SET written_at = ? WHERE id = ?", (report.written_at, added.id))


def list_reports(project: Project) -> list[WrittenReport]:
    """All of them, oldest first."""
    return [WrittenReport(*row) for row in project.rows(f"SELECT {', '.join(_COLUMNS)} FROM report ORDER BY id")]
