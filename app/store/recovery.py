"""What an interrupted import or capture left behind is put right when the project is opened to write."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.domain.capturing.run import SessionState
from app.store.audit import trail as audit

if TYPE_CHECKING:
    from app.store.project import Project


def discard_unfinished(project: Project) -> None:
    """Drops captures whose bytes are incomplete, and samples of captures whose parsing was not finished.

    The first are no evidence: their source is still where it was. The bytes of the others stay, and
    `pending_artefacts` lists them for parsing.
    """
    with project.transaction() as connection:
        for artefact_id, name in connection.execute(
            "SELECT id, name FROM artefact WHERE state = 'receiving'"
        ).fetchall():
            connection.execute("DELETE FROM artefact WHERE id = ?", (artefact_id,))
            audit.record(project, "incomplete_artefact_discarded", artefact_id=artefact_id, name=name)
        connection.execute(
            "DELETE FROM clock WHERE complete = 0 OR artefact_id IN (SELECT id FROM artefact WHERE state = 'pending')"
        )


def interrupt_sessions(project: Project) -> None:
    """Marks the sessions that ran when the project was not closed; their spools wait to be taken up."""
    with project.transaction() as connection:
        sessions = connection.execute(
            "UPDATE capture_session SET state = ? WHERE state = ? RETURNING id, label",
            (str(SessionState.INTERRUPTED), str(SessionState.RUNNING)),
        ).fetchall()
        for session_id, label in sorted(sessions):
            audit.record(project, "session_interrupted", session_id=session_id, label=label)
