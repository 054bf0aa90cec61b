"""The project's memory of the reports written from it, and whether those files are still what they were."""

from __future__ import annotations

import hashlib
from enum import StrEnum
from pathlib import Path

from tunebench.core.errors import UserError
from tunebench.domain.engagement import WrittenReport
from tunebench.reporting.cases.case import SuccessCase
from tunebench.store.project import Project
from tunebench.store.reports import add_report


class FileState(StrEnum):
    """A report's file, compared with what was written."""

    SAME = "same"
    CHANGED = "changed"
    MISSING = "missing"


def remember(project: Project, case: SuccessCase, language: str, kind: str, path: Path) -> None:
    """Enters the file at `path`, which was just written from `case`; a read-only project remembers nothing."""
    if project.read_only:
        return
    # absolute: the folder a command was given in is not known later
    file = path.absolute()
    add_report(
        project,
        kind=kind,
        language=language,
        issued=case.issued,
        file_name=file.name,
        path=str(file),
        sha256=_sha256(file),
        size_bytes=file.stat().st_size,
        edition=case.edition,
        program_version=case.program_version,
    )


def file_state(report: WrittenReport) -> FileState:
    """Reads the file where the report was put.

    Raises:
        UserError: there is a file, but it cannot be read.
    """
    path = Path(report.path)
    try:
        if not path.is_file():
            return FileState.MISSING
        return FileState.SAME if _sha256(path) == report.sha256 else FileState.CHANGED
    except OSError as error:
        raise UserError("file_unreadable", path=report.path, reason=error.strerror or str(error)) from error


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
