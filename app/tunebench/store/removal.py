"""Taking a run or a capture out of the project: what goes with it, what keeps it, and doing it.

The audit trail keeps names and hashes, and the words of notes that go. Nothing is undone: the same bytes can be
imported again, and are another capture then.
"""

# ruff: noqa: S608 - only names written in this module are put into queries; values are bound

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tunebench.core.errors import UserError
from tunebench.core.records import record
from tunebench.domain.cycle.book import Record
from tunebench.domain.engagement import Note
from tunebench.domain.record_labels import labels
from tunebench.store import engagements, merged_series
from tunebench.store.artefacts import ArtefactInfo, find_artefact, list_artefacts
from tunebench.store.audit import trail as audit
from tunebench.store.cycle import records as cycle_records
from tunebench.store.databases import records as database_records
from tunebench.store.experiments import records as experiments
from tunebench.store.migration import kept_copies

if TYPE_CHECKING:
    from tunebench.store.project import Project

LAST_REMOVED_RUN = "last_removed_run"  # name of the property: the highest id of a run that was removed


@record
class Going:
    """What goes with a run, or with one capture.

    Attributes:
        name: label of the run, file name of the capture.
        bytes: of the captures, as they were received.
        series: those that the project does not have afterwards; one that other captures go on with stays.
        statements: different SQL statements.
        users: records of the cycle that rest on it; with any, it stays.
        has_session: a capture session went into the run: what was run on a customer's host stays on record.
        records: snapshots and reports of databases.
        experiments: titles of those whose trials rest on it; with any, it stays.
    """

    name: str
    captures: tuple[ArtefactInfo, ...]
    bytes: int
    series: int
    samples: int
    statements: int
    notes: tuple[Note, ...]
    users: tuple[Record, ...]
    has_session: bool = False
    records: int = 0
    experiments: tuple[str, ...] = ()

    @property
    def refusal(self) -> UserError | None:
        """Why it cannot go; None where it can."""
        if self.users:
            return UserError("run_is_evidence", run=self.name, users=labels(self.users))
        if self.experiments:
            return UserError("run_is_of_experiment", run=self.name, experiments=", ".join(self.experiments))
        return UserError("run_has_session", run=self.name) if self.has_session else None


def going_with_run(project: Project, run_id: int) -> Going:
    """Everything that goes when the run is removed."""
    row = project.row("SELECT label FROM run WHERE id = ?", (run_id,))
    if row is None:
        raise LookupError(f"no run {run_id}")
    captures = [capture for capture in list_artefacts(project) if capture.run_id == run_id]
    session = project.row("SELECT 1 FROM capture_session WHERE run_id = ?", (run_id,))
    users = cycle_records.users_of_run(project, run_id)
    users += [user for capture in captures for user in cycle_records.users_of_artefact(project, capture.id)]
    return _going(project, row[0], captures, users, run_id, session is not None)


def going_with_artefact(project: Project, artefact_id: int) -> Going:
    """What removing one capture comes to. A run that is evidence keeps all its captures.

    Raises:
        UserError: artefact_missing.
    """
    info = find_artefact(project, artefact_id)
    users = cycle_records.users_of_artefact(project, artefact_id)
    return _going(project, info.name, [info], users + cycle_records.users_of_run(project, info.run_id))


def _going(
    project: Project,
    name: str,
    captures: Sequence[ArtefactInfo],
    users: Sequence[Record],
    run_id: int | None = None,
    has_session: bool = False,
) -> Going:
    ids = [capture.id for capture in captures]
    with project.reading() as connection:
        series = _series(connection, ids)
        (by_hand,) = connection.execute("SELECT count(*) FROM statement WHERE run_id = ?", (run_id,)).fetchone()
        (records,) = connection.execute(
            f"SELECT count(*) FROM database_record WHERE artefact_id IN ({_marks(ids)})", ids
        ).fetchone()
        statements = by_hand + database_records.count_statements(connection, ids)
    targets = {("artefact", id_) for id_ in ids} | {("series", id_) for id_, _count in series} | {("run", run_id)}
    notes = (note for note in engagements.list_notes(project) if (note.target_kind, note.target_id) in targets)
    by_id = {user.id: user for user in users}
    return Going(
        name,
        tuple(captures),
        sum(capture.size_bytes for capture in captures),
        merged_series.count_lost(project, [id_ for id_, _count in series]),
        sum(count for _id, count in series),
        statements,
        tuple(notes),
        tuple(by_id[id_] for id_ in sorted(by_id)),
        has_session,
        records,
        experiments.experiments_on(project, run_id, ids),
    )


def _series(connection: sqlite3.Connection, artefact_ids: Sequence[int]) -> list[tuple[int, int]]:
    """Id and number of samples of every series of the captures."""
    return connection.execute(
        "SELECT s.id, s.sample_count FROM series AS s JOIN clock AS c ON c.id = s.clock_id"
        f" WHERE c.artefact_id IN ({_marks(artefact_ids)})",
        artefact_ids,
    ).fetchall()


def _marks(values: Sequence[object]) -> str:
    return ", ".join("?" for _ in values)


# -- doing it ------------------------------------------------------------------------------------------


def remove_run(project: Project, run_id: int) -> Going:
    """Removes a run with its captures, statements and notes, and tells what went.

    Raises:
        UserError: run_is_evidence where something of the cycle rests on it or on one of its captures (`users`);
            run_is_of_experiment, run_has_session.
    """
    with project.transaction() as connection:
        going = going_with_run(project, run_id)
        _refuse(going)
        connection.execute("DELETE FROM statement WHERE run_id = ?", (run_id,))
        connection.execute("DELETE FROM artefact WHERE run_id = ?", (run_id,))
        database_records.remove_unused_texts(connection)
        connection.execute("DELETE FROM run WHERE id = ?", (run_id,))
        _remove_notes(project, going)
        # an edit of the cycle that is done again must not find another run under the old id
        connection.execute(
            "INSERT INTO property (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value ="
            " max(CAST(value AS INTEGER), CAST(?2 AS INTEGER))",
            (LAST_REMOVED_RUN, str(run_id)),
        )
        captures = [f"{capture.name} {capture.sha256}" for capture in going.captures]
        audit.record(project, "run_removed", run_id=run_id, label=going.name, captures=captures)
    return going


def remove_artefact(project: Project, artefact_id: int) -> Going:
    """Removes a capture with all that was read from it, and tells what went.

    Raises:
        UserError: artefact_missing; run_is_evidence where something of the cycle rests on it or on its run;
            run_is_of_experiment.
    """
    with project.transaction() as connection:
        going = going_with_artefact(project, artefact_id)
        _refuse(going)
        connection.execute("DELETE FROM artefact WHERE id = ?", (artefact_id,))
        database_records.remove_unused_texts(connection)
        _remove_notes(project, going)
        (info,) = going.captures
        audit.record(project, "artefact_removed", artefact_id=artefact_id, name=info.name, sha256=info.sha256)
    return going


def wipe(project: Project) -> tuple[str, ...]:
    """Writes the file anew without the room that removed rows had, and removes the kept copies beside it, which still
    have them. Gives the names of these. What a file system or an SSD keeps of the old blocks is theirs.

    Raises:
        UserError: project_open_elsewhere where somebody reads it meanwhile.
    """
    copies = kept_copies(project.path)
    for copy in copies:
        copy.unlink()
    names = tuple(copy.name for copy in copies)
    audit.record(project, "removed_wiped", copies=list(names))
    project.compact()
    return names


def _refuse(going: Going) -> None:
    refusal = going.refusal
    if refusal is not None:
        raise refusal


def _remove_notes(project: Project, going: Going) -> None:
    """A series' id may be given again: its notes must not end up on another's."""
    for note in going.notes:
        engagements.remove_note(project, note.id)
