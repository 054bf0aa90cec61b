"""Runs: labelled stretches of measurement."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tunebench.core.errors import UserError
from tunebench.domain.engagement import Phase, Run
from tunebench.store.audit import trail as audit
from tunebench.store.removal import LAST_REMOVED_RUN

if TYPE_CHECKING:
    from tunebench.store.project import Project

_SELECT = (
    "SELECT run.id, run.label, run.phase, coalesce(min(first_ns) FILTER (WHERE NOT by_file), min(first_ns)),"
    " coalesce(max(last_ns) FILTER (WHERE NOT by_file), max(last_ns)), coalesce(min(by_file), 0)"
    " FROM run LEFT JOIN (SELECT run_id, first_ns, last_ns,"
    " EXISTS (SELECT 1 FROM json_each(ledger, '$.assumptions') WHERE json_extract(value, '$.source') = 'mtime')"
    " AS by_file FROM artefact WHERE first_ns IS NOT NULL) ON run_id = run.id"  # by_file: Ledger.dated_by_file
)


def list_runs(project: Project) -> list[Run]:
    """All runs in the order they were made; first and last time come from their captures' ledgers."""
    return list(map(_run, project.rows(f"{_SELECT} GROUP BY run.id ORDER BY run.id")))


def _run(row: tuple[int, str, str, int | None, int | None, int]) -> Run:
    id_, label, phase, first_ns, last_ns, by_file = row
    return Run(id_, label, Phase(phase), first_ns, last_ns, bool(by_file))


def ensure_run(project: Project, label: str, phase: Phase) -> Run:
    """The run called `label`; `phase` is for a new one, a known run keeps its own."""
    with project.transaction() as connection:
        row = connection.execute(f"{_SELECT} WHERE run.label = ? GROUP BY run.id", (label,)).fetchone()
        if row is not None:
            return _run(row)
        cursor = connection.execute(
            "INSERT INTO run (id, label, phase) VALUES (1 + max((SELECT coalesce(max(id), 0) FROM run),"
            " (SELECT coalesce(max(CAST(value AS INTEGER)), 0) FROM property WHERE name = ?)), ?, ?)",
            (LAST_REMOVED_RUN, label, str(phase)),
        )
        audit.record(project, "run_added", run_id=cursor.lastrowid, label=label, phase=str(phase))
        return Run(int(cursor.lastrowid or 0), label, phase)


def remove_empty_run(project: Project, run_id: int) -> None:
    """Removes a run that holds no capture and no statement, and on which nothing rests: no capture session, note, trial
    or record of the cycle."""
    with project.transaction() as connection:
        removed = connection.execute(
            "DELETE FROM run WHERE id = ? AND NOT EXISTS (SELECT 1 FROM artefact WHERE run_id = run.id)"
            " AND NOT EXISTS (SELECT 1 FROM capture_session WHERE run_id = run.id)"
            " AND NOT EXISTS (SELECT 1 FROM cycle_reference WHERE run_id = run.id)"
            " AND NOT EXISTS (SELECT 1 FROM statement WHERE run_id = run.id)"
            " AND NOT EXISTS (SELECT 1 FROM trial WHERE load_run_id = run.id)"
            " AND NOT EXISTS (SELECT 1 FROM note WHERE target_kind = 'run' AND target_id = run.id) RETURNING label",
            (run_id,),
        ).fetchone()
        if removed is not None:
            audit.record(project, "run_removed", run_id=run_id, label=removed[0])


def change_run(project: Project, run_id: int, label: str, phase: Phase) -> None:
    """Renames a run or changes its phase.

    Raises:
        UserError: run_label_taken where another run has that label.
    """
    with project.transaction() as connection:
        row = connection.execute("SELECT label, phase FROM run WHERE id = ?", (run_id,)).fetchone()
        if row is None:
            raise LookupError(f"no run {run_id}")
        if connection.execute("SELECT 1 FROM run WHERE label = ? AND id <> ?", (label, run_id)).fetchone():
            raise UserError("run_label_taken", run=label)
        if row == (label, str(phase)):
            return
        connection.execute("UPDATE run SET label = ?, phase = ? WHERE id = ?", (label, str(phase), run_id))
        audit.record(project, "run_changed", run_id=run_id, before=list(row), after=[label, str(phase)])
