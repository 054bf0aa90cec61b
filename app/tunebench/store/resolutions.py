"""What a person said about the times of a host's captures: kept with what it changed, also when it is taken back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from tunebench.domain.capturing.times import ChangedCapture, Resolution
from tunebench.store.audit import trail as audit
from tunebench.store.hosts import host_name
from tunebench.store.locking import current_user

if TYPE_CHECKING:
    from tunebench.store.project import Project


def list_resolutions(project: Project, host_id: int | None = None) -> list[Resolution]:
    """The resolutions of one host or of all, oldest first."""
    return [
        Resolution(id_, host, at, by, json.loads(stated), _changes(changes), zone, ended_at, ended_by)
        for id_, host, at, by, stated, changes, zone, ended_at, ended_by in project.rows(
            "SELECT id, host_id, said_at, said_by, said, changes, zone_before, coalesce(taken_back_at, ''),"
            " coalesce(taken_back_by, '') FROM resolution WHERE ?1 IS NULL OR host_id = ?1 ORDER BY id",
            (host_id,),
        )
    ]


def _changes(text: str) -> tuple[ChangedCapture, ...]:
    return tuple(ChangedCapture(change["artefact"], change["before"], change["after"]) for change in json.loads(text))


def add_resolution(
    project: Project, host_id: int, said: Mapping[str, str], changes: Sequence[ChangedCapture], zone_before: str
) -> int:
    with project.transaction() as connection:
        name = host_name(project, host_id)
        changed = [{"artefact": c.artefact_id, "before": c.before, "after": c.after} for c in changes]
        cursor = connection.execute(
            "INSERT INTO resolution (host_id, said_at, said_by, said, changes, zone_before) VALUES (?, ?, ?, ?, ?, ?)",
            (
                host_id,
                audit.now_iso(project),
                current_user(),
                json.dumps(dict(said), ensure_ascii=False),
                json.dumps(changed, ensure_ascii=False),
                zone_before,
            ),
        )
        audit.record(
            project,
            "times_resolved",
            resolution_id=cursor.lastrowid,
            name=name,
            captures=len(changes),
            said=[f"{subject} = {value}" for subject, value in said.items()],
        )
        return int(cursor.lastrowid or 0)


def carry_resolution(project: Project, resolution: Resolution) -> int:
    """Keeps what somebody said in another copy, with that person and time; hosts and captures are this project's."""
    with project.transaction() as connection:
        number = add_resolution(
            project, resolution.host_id, resolution.said, resolution.changes, resolution.zone_before
        )
        connection.execute(
            "UPDATE resolution SET said_at = ?, said_by = ?, taken_back_at = ?, taken_back_by = ? WHERE id = ?",
            (
                resolution.said_at,
                resolution.said_by,
                resolution.taken_back_at or None,
                resolution.taken_back_by or None,
                number,
            ),
        )
    return number


def mark_taken_back(project: Project, resolution_id: int, taken_back: bool = True) -> None:
    """Taken back, or in force again."""
    with project.transaction() as connection:
        row = connection.execute("SELECT host_id FROM resolution WHERE id = ?", (resolution_id,)).fetchone()
        if row is None:
            raise LookupError(f"no resolution {resolution_id}")
        when, who = (audit.now_iso(project), current_user()) if taken_back else (None, None)
        connection.execute(
            "UPDATE resolution SET taken_back_at = ?, taken_back_by = ? WHERE id = ?", (when, who, resolution_id)
        )
        action = "resolution_taken_back" if taken_back else "resolution_renewed"
        audit.record(project, action, resolution_id=resolution_id, name=host_name(project, row[0]))
