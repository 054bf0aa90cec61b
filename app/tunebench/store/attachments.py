"""Files laid beside the steps of a cycle: the bytes of each kept once, whatever names it."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from tunebench.core.errors import UserError
from tunebench.store.codec import compress_bytes, decompress_bytes

if TYPE_CHECKING:
    from tunebench.store.project import Project

LARGEST_BYTES = 50 * 1024 * 1024


def keep_attachment(project: Project, data: bytes) -> str:
    """Stores the bytes, unless they are there already, and gives their SHA-256. No entry in the audit trail: the
    record that names them has one.

    Raises:
        UserError: attachment_too_large.
    """
    if len(data) > LARGEST_BYTES:
        raise UserError("attachment_too_large", size=_mebibytes(len(data)), limit=_mebibytes(LARGEST_BYTES))
    sha256 = hashlib.sha256(data).hexdigest()
    with project.transaction() as connection:
        connection.execute(
            "INSERT INTO attachment (sha256, size_bytes, data) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            (sha256, len(data), compress_bytes(data)),
        )
    return sha256


def read_attachment(project: Project, sha256: str) -> bytes:
    """Raises UserError attachment_missing."""
    with project.reading() as connection:
        row = connection.execute("SELECT size_bytes, data FROM attachment WHERE sha256 = ?", (sha256,)).fetchone()
        if row is None:
            raise UserError("attachment_missing", sha256=sha256[:12])
        return decompress_bytes(row[1], row[0])


def list_attachments(project: Project) -> list[str]:
    """SHA-256 of every file that is kept."""
    return [sha256 for (sha256,) in project.rows("SELECT sha256 FROM attachment ORDER BY sha256")]


def _mebibytes(size: int) -> str:
    return f"{size / (1024 * 1024):.1f} MiB"
