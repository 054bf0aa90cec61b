"""The approval sheet of a plan: as a document, as a file to be signed, as text for a terminal."""

from __future__ import annotations

import hashlib
from pathlib import Path

import tunebench
from tunebench.core.whole_files import require_place, write_whole
from tunebench.domain.capturing.plan import CapturePlan
from tunebench.domain.engagement import Engagement
from tunebench.reporting.approval.sheet import build_sheet
from tunebench.reporting.document import ReportDocument
from tunebench.reporting.plain_text import plain_text
from tunebench.store.audit import trail as audit
from tunebench.store.databases import licences
from tunebench.store.project import Project


def document(
    plan: CapturePlan, language: str, engagement: Engagement | None = None, project: Project | None = None
) -> ReportDocument:
    """The sheet in ``"ko"`` or ``"en"``; without an engagement it names no customer.

    Args:
        project: where people's confirmations of licences are looked up, if the plan needs any.
    """
    given = licences.list_confirmations(project) if project is not None and plan.licences else ()
    return build_sheet(plan, language, engagement or _nobody(plan, language), tunebench.__version__, given)


def write_pdf(
    plan: CapturePlan,
    language: str,
    path: Path,
    engagement: Engagement | None = None,
    *,
    project: Project | None = None,
) -> Path:
    """Writes the sheet to be signed; equal plans give equal bytes.

    Args:
        project: its audit trail remembers the sheet, where it can be written.

    Raises:
        UserError: ``path_missing``, ``file_unwritable``.
    """
    require_place(path)
    from tunebench.reporting.pdf.writing import pdf_bytes

    data = pdf_bytes(document(plan, language, engagement, project)).data
    write_whole(path, data)
    if project is not None and not project.read_only:
        digest = hashlib.sha256(data).hexdigest()
        audit.record(
            project, "sheet_written", digest=plan.digest, file_name=path.name, language=language, sha256=digest
        )
    return path


def as_text(
    plan: CapturePlan, language: str, engagement: Engagement | None = None, project: Project | None = None
) -> str:
    """The whole sheet for a terminal; every command line stands on one line, ready to be copied."""
    return plain_text(document(plan, language, engagement, project))


def _nobody(plan: CapturePlan, language: str) -> Engagement:
    return Engagement(title="", customer="", zone=plan.zone, language=language)
