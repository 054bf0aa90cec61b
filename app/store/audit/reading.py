"""Reads parts of the audit trail, as long as it may be, and as damaged as it may be."""

from __future__ import annotations

import json
from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING

from app.store.audit.chain import ChainedRow, Row
from app.store.audit.trail import AuditEntry

if TYPE_CHECKING:
    from app.store.project import Project

_ALL = "SELECT id, time, user, action, facts, previous, digest FROM audit ORDER BY id"
_SOME = (
    "SELECT id, time, user, action, facts, previous, digest FROM audit"
    " WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id"
)


def entry_ids(project: Project) -> list[int]:
    """Oldest first."""
    with project.reading() as connection:
        return [entry_id for (entry_id,) in connection.execute("SELECT id FROM audit ORDER BY id")]


def read_rows(project: Project, ids: Sequence[int]) -> list[ChainedRow]:
    """Those that are there, by id."""
    with project.reading() as connection:
        return [_chained(row) for row in connection.execute(_SOME, (json.dumps(list(ids)),))]


def stream_rows(project: Project) -> Generator[ChainedRow, None, None]:
    """All rows, oldest first, as they were when the first was read; close it where it is not read to its end."""
    with project.reading() as connection:
        for row in connection.execute(_ALL):
            yield _chained(row)


def _chained(row: tuple[int, str, str, str, str, str, str]) -> ChainedRow:
    return ChainedRow(Row(*row[:5]), *row[5:])


def as_entry(chained: ChainedRow) -> AuditEntry:
    """Facts that are no JSON object any more (somebody changed the file) are one fact, ``facts``."""
    row = chained.row
    try:
        facts = json.loads(row.facts)
    except ValueError:
        facts = None
    if not isinstance(facts, dict):
        facts = {"facts": row.facts}
    return AuditEntry(row.id, row.time, row.user, row.action, facts, chained.previous, chained.digest)
