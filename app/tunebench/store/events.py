"""Restarts, gaps, clock jumps and the like on the hosts' time lines."""

# ruff: noqa: S608 - only names written in this module are put into queries; values are bound

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tunebench.domain.engagement import CaptureEvent, EventKind, StoredEvent

if TYPE_CHECKING:
    from tunebench.store.project import Project


def replace_events(project: Project, artefact_id: int, events: Sequence[CaptureEvent]) -> None:
    with project.transaction() as connection:
        connection.execute("DELETE FROM event WHERE artefact_id = ?", (artefact_id,))
        connection.executemany(
            "INSERT INTO event (artefact_id, kind, start_ns, end_ns, text) VALUES (?, ?, ?, ?, ?)",
            [(artefact_id, str(event.kind), event.start_ns, event.end_ns, event.text) for event in events],
        )


def list_events(
    project: Project, host_id: int | None = None, start_ns: int | None = None, end_ns: int | None = None
) -> list[StoredEvent]:
    """Events of one host or all, that touch the window (both ends included), in the order of time.

    Those that captures told themselves, and those that comparing neighbouring captures found.
    """
    conditions = {"a.host_id = ?": host_id, "coalesce(e.end_ns, e.start_ns) >= ?": start_ns, "e.start_ns <= ?": end_ns}
    given = {condition: value for condition, value in conditions.items() if value is not None}
    where = " AND ".join(given) or "1"
    return [
        StoredEvent(host, run, artefact, CaptureEvent(EventKind(kind), start, end, text))
        for host, run, artefact, kind, start, end, text in project.rows(
            "SELECT a.host_id, a.run_id, a.id, e.kind, e.start_ns, e.end_ns, e.text FROM"
            " (SELECT *, 0 AS derived FROM event UNION ALL SELECT *, 1 FROM host_event) AS e"
            f" JOIN artefact AS a ON a.id = e.artefact_id WHERE {where} ORDER BY e.start_ns, e.derived, e.id",
            tuple(given.values()),
        )
    ]
