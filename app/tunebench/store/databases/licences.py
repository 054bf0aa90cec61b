"""What people confirmed of licences: append-only, audited, printed in reports."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tunebench.domain.databases.choices import LicenceConfirmation
from tunebench.store.audit import trail as audit
from tunebench.store.locking import current_user

if TYPE_CHECKING:
    from tunebench.store.project import Project

_COLUMNS = "id, subject, host, database, confirmed_by, evidence, confirmed_at, note"


def list_confirmations(project: Project) -> list[LicenceConfirmation]:
    """Oldest first."""
    return [
        LicenceConfirmation(*row)
        for row in project.rows(
            f"SELECT {_COLUMNS} FROM licence_confirmation ORDER BY id"  # noqa: S608  names of ours
        )
    ]


def add_confirmation(project: Project, given: LicenceConfirmation) -> LicenceConfirmation:
    """Keeps a confirmation; nobody and no time in it mean the user and now."""
    kept = replace(
        given,
        confirmed_by=given.confirmed_by or current_user(),
        confirmed_at=given.confirmed_at or audit.now_iso(project),
    )
    with project.transaction() as connection:
        cursor = connection.execute(
            "INSERT INTO licence_confirmation (subject, host, database, confirmed_by, evidence, confirmed_at, note)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (kept.subject, kept.host, kept.database, kept.confirmed_by, kept.evidence, kept.confirmed_at, kept.note),
        )
        audit.record(
            project,
            "licence_confirmed",
            subject=kept.subject,
            host=kept.host or None,
            database=kept.database or None,
            by=kept.confirmed_by,
            evidence=kept.evidence,
            note=kept.note,
        )
    return replace(kept, id=int(cursor.lastrowid or 0))
