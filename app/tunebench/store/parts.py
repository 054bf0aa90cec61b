"""A part of a project: a copy in which some captures have kept their rows and left out their bytes and samples.

Its trail is the project's, so that it is merged back like any other copy. What was left out is no removal, and no
entry says so: a property does.
"""

# ruff: noqa: S608 - only names written in this module are put into queries; values are bound

from __future__ import annotations

import json
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from tunebench.store.databases.records import remove_unused_texts

if TYPE_CHECKING:
    from tunebench.store.project import Project

PART = "part_of"
"""Property: JSON of what the part is of (`what`, `name`) and the SHA-256 of every capture that is left out."""
_OF_CAPTURES = ("artefact_chunk", "clock", "event", "system_fact", "database_record", "host_event", "capture_overlap")


def part_of(project: Project) -> dict[str, Any] | None:
    """What a part says of itself; None for a whole project."""
    row = project.row("SELECT value FROM property WHERE name = ?", (PART,))
    mark = json.loads(row[0]) if row is not None else None
    return mark if isinstance(mark, dict) else None


def left_out(project: Project) -> frozenset[str]:
    """SHA-256 of the captures that only their rows stand for."""
    mark = part_of(project) or {}
    return frozenset(mark.get("left_out", ()))


def leave_out(project: Project, artefact_ids: Collection[int], what: str, name: str) -> None:
    """Makes the project, which is a copy, the part without what these captures hold, and its file as small."""
    ids = json.dumps(sorted(artefact_ids))
    with project.transaction() as connection:
        digests = connection.execute(
            "SELECT sha256 FROM artefact WHERE id IN (SELECT value FROM json_each(?)) ORDER BY sha256", (ids,)
        ).fetchall()
        for table in _OF_CAPTURES:
            connection.execute(f"DELETE FROM {table} WHERE artefact_id IN (SELECT value FROM json_each(?))", (ids,))
        remove_unused_texts(connection)
        mark = {"what": what, "name": name, "left_out": [digest for (digest,) in digests]}
        connection.execute(
            "INSERT OR REPLACE INTO property (name, value) VALUES (?, ?)", (PART, json.dumps(mark, ensure_ascii=False))
        )
    project.compact()
