"""Capture sessions: which plan ran when, what became of its commands, and what was found on the way."""

# ruff: noqa: S608 - only names written in this module are put into queries; values are bound

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple, fields
from typing import TYPE_CHECKING

from tunebench.core.errors import UserError
from tunebench.core.records import record
from tunebench.domain.capturing.run import (
    CaptureGap,
    ClockCheck,
    GapCause,
    SessionRecord,
    SessionState,
    StreamRecord,
    StreamSegment,
    StreamState,
    SystemFact,
)
from tunebench.store.audit import trail as audit
from tunebench.store.locking import this_process

if TYPE_CHECKING:
    from tunebench.store.project import Project


@record
class StoredFact:
    """`moment_ns`: server clock, UTC ns, of the inventory that found the fact."""

    artefact_id: int
    host_id: int
    moment_ns: int
    fact: SystemFact


def _columns(kind: type) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


def _insert(table: str, columns: Sequence[str], verb: str = "INSERT") -> str:
    return f"{verb} INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"


_SESSION = _columns(SessionRecord)
_STREAM = _columns(StreamRecord)
_SEGMENT = _columns(StreamSegment)
_GAP = _columns(CaptureGap)
_CLOCK = _columns(ClockCheck)
_ENDED = (SessionState.FINISHED, SessionState.FAILED)


# -- sessions ------------------------------------------------------------------------------------------


def begin_session(project: Project, digest: str, run_id: int, spool: str, label: str) -> int:
    """A new session, running.

    Raises:
        UserError: plan_missing.
    """
    process = this_process()
    values = (
        digest,
        run_id,
        spool,
        label,
        str(SessionState.RUNNING),
        audit.now_iso(project),
        None,
        "",
        process.user,
        process.host,
    )
    with project.transaction() as connection:
        if connection.execute("SELECT 1 FROM capture_plan WHERE digest = ?", (digest,)).fetchone() is None:
            raise UserError("plan_missing", digest=digest)
        session_id = int(connection.execute(_insert("capture_session", _SESSION[1:]), values).lastrowid or 0)
        audit.record(project, "session_added", session_id=session_id, label=label, digest=digest, run_id=run_id)
    return session_id


def set_session_state(project: Project, session_id: int, state: SessionState, note: str = "") -> None:
    """Moves the session on; an empty `note` leaves the one that is there. An end has its time from now."""
    changes: dict[str, object] = {"state": str(state)}
    if note:
        changes["note"] = note
    with project.transaction():
        before = find_session(project, session_id)
        if state not in _ENDED:
            changes["ended_at"] = None
        elif before.ended_at is None:
            changes["ended_at"] = audit.now_iso(project)
        _change(project, before, changes)


def change_session(
    project: Project,
    session_id: int,
    *,
    label: str | None = None,
    note: str | None = None,
    run_id: int | None = None,
    spool: str | None = None,
) -> None:
    """Changes what is given; None leaves it."""
    asked = {"label": label, "note": note, "run_id": run_id, "spool": spool}
    with project.transaction():
        given = {name: value for name, value in asked.items() if value is not None}
        _change(project, find_session(project, session_id), given)


def find_session(project: Project, session_id: int) -> SessionRecord:
    """Raises UserError session_missing where there is none."""
    row = project.row(f"SELECT {', '.join(_SESSION)} FROM capture_session WHERE id = ?", (session_id,))
    if row is None:
        raise UserError("session_missing", session_id=session_id)
    return _session_record(row)


def list_sessions(project: Project) -> list[SessionRecord]:
    """All of them, oldest first."""
    return [
        _session_record(row) for row in project.rows(f"SELECT {', '.join(_SESSION)} FROM capture_session ORDER BY id")
    ]


def _session_record(row: Sequence[object]) -> SessionRecord:
    facts = dict(zip(_SESSION, row, strict=True))
    return SessionRecord(**{**facts, "state": SessionState(str(facts["state"]))})  # type: ignore[arg-type]


def _change(project: Project, before: SessionRecord, asked: Mapping[str, object]) -> None:
    changes = {name: [getattr(before, name), value] for name, value in asked.items() if getattr(before, name) != value}
    if not changes:
        return
    with project.transaction() as connection:
        connection.execute(
            f"UPDATE capture_session SET {', '.join(f'{name} = ?' for name in changes)} WHERE id = ?",
            (*(asked[name] for name in changes), before.id),
        )
        label = str(asked.get("label", before.label))
        audit.record(project, "session_changed", session_id=before.id, label=label, changes=changes)


# -- streams -------------------------------------------------------------------------------------------


def record_stream(project: Project, session_id: int, stream: StreamRecord) -> None:
    """Writes how the command stands; an earlier record of it is replaced."""
    with project.transaction() as connection:
        connection.execute(
            "DELETE FROM capture_stream WHERE session_id = ? AND command_id = ?", (session_id, stream.command_id)
        )
        connection.execute(_insert("capture_stream", ("session_id", *_STREAM)), (session_id, *astuple(stream)))


def list_streams(project: Project, session_id: int) -> list[StreamRecord]:
    """The commands of a session, by id."""
    return [
        StreamRecord(command_id, host_id, artefact_id, StreamState(state), *rest)
        for command_id, host_id, artefact_id, state, *rest in project.rows(
            f"SELECT {', '.join(_STREAM)} FROM capture_stream WHERE session_id = ? ORDER BY command_id", (session_id,)
        )
    ]


# -- segments ------------------------------------------------------------------------------------------


def write_segments(project: Project, artefact_id: int, segments: Sequence[StreamSegment]) -> None:
    """Replaces the segments of a capture."""
    with project.transaction() as connection:
        connection.execute("DELETE FROM capture_segment WHERE artefact_id = ?", (artefact_id,))
        connection.executemany(
            _insert("capture_segment", ("artefact_id", *_SEGMENT)),
            [(artefact_id, *astuple(segment)) for segment in segments],
        )


def read_segments(project: Project, artefact_id: int) -> list[StreamSegment]:
    """Segments in the order of their starts; none for a capture without our markers."""
    return [
        StreamSegment(*row)
        for row in project.rows(
            f"SELECT {', '.join(_SEGMENT)} FROM capture_segment WHERE artefact_id = ? ORDER BY number", (artefact_id,)
        )
    ]


# -- gaps and clocks -----------------------------------------------------------------------------------


def write_gaps(
    project: Project, session_id: int, gaps: Sequence[CaptureGap], artefact_by_stream: Mapping[str, int]
) -> None:
    """Replaces the gaps of a session. A stream without an artefact may be left out of `artefact_by_stream`."""
    with project.transaction() as connection:
        connection.execute("DELETE FROM capture_gap WHERE session_id = ?", (session_id,))
        connection.executemany(
            _insert("capture_gap", ("session_id", "artefact_id", *_GAP)),
            [(session_id, artefact_by_stream.get(gap.stream), *astuple(gap)) for gap in gaps],
        )


def list_gaps(project: Project, session_id: int | None = None, artefact_id: int | None = None) -> list[CaptureGap]:
    """Gaps of one session, of one capture, or all; in the order of stream and time."""
    return [
        CaptureGap(stream, start_ns, end_ns, GapCause(cause), *rest)
        for stream, start_ns, end_ns, cause, *rest in project.rows(
            f"SELECT {', '.join(_GAP)} FROM capture_gap WHERE (?1 IS NULL OR session_id = ?1)"
            " AND (?2 IS NULL OR artefact_id = ?2) ORDER BY session_id, stream, start_ns, id",
            (session_id, artefact_id),
        )
    ]


def artefacts_with_gaps(project: Project) -> frozenset[int]:
    rows = project.rows("SELECT DISTINCT artefact_id FROM capture_gap WHERE artefact_id IS NOT NULL")
    return frozenset(row[0] for row in rows)


def write_clock_checks(project: Project, session_id: int, checks: Sequence[ClockCheck]) -> None:
    """Replaces the clock checks of a session."""
    with project.transaction() as connection:
        connection.execute("DELETE FROM clock_check WHERE session_id = ?", (session_id,))
        connection.executemany(
            _insert("clock_check", ("session_id", *_CLOCK)), [(session_id, *astuple(check)) for check in checks]
        )


def list_clock_checks(project: Project, session_id: int | None = None) -> list[ClockCheck]:
    """Clock checks of one session or of all, in the order of host and time."""
    return [
        ClockCheck(*row)
        for row in project.rows(
            f"SELECT {', '.join(_CLOCK)} FROM clock_check WHERE ?1 IS NULL OR session_id = ?1"
            " ORDER BY host, taken_at, id",
            (session_id,),
        )
    ]


# -- facts ---------------------------------------------------------------------------------------------


def write_facts(project: Project, artefact_id: int, host_id: int, moment_ns: int, facts: Sequence[SystemFact]) -> None:
    """Replaces what a capture found at one moment; another moment of the same capture stays."""
    with project.transaction() as connection:
        connection.execute("DELETE FROM system_fact WHERE artefact_id = ? AND moment_ns = ?", (artefact_id, moment_ns))
        connection.executemany(
            "INSERT INTO system_fact (artefact_id, host_id, moment_ns, position, section, name, value)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            [(artefact_id, host_id, moment_ns, position, *astuple(fact)) for position, fact in enumerate(facts)],
        )


def list_facts(project: Project, run_id: int, host_id: int | None = None) -> list[StoredFact]:
    """The facts of a run (of one host): by host and moment, then as the inventory listed them."""
    return [
        StoredFact(artefact, host, moment, SystemFact(*fact))
        for artefact, host, moment, *fact in project.rows(
            "SELECT f.artefact_id, f.host_id, f.moment_ns, f.section, f.name, f.value"
            " FROM system_fact AS f JOIN artefact AS a ON a.id = f.artefact_id"
            " WHERE a.run_id = ?1 AND (?2 IS NULL OR f.host_id = ?2)"
            " ORDER BY f.host_id, f.moment_ns, f.artefact_id, f.position",
            (run_id, host_id),
        )
    ]
