"""The audit trail: every change with time, user, action and facts, append-only and chained (`audit_chain`)."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from tunebench.core import records
from tunebench.store.audit.chain import GENESIS, HEAD, ChainedRow, Row, digest_of, first_broken, head_text, parse_head
from tunebench.store.locking import current_user

if TYPE_CHECKING:
    from tunebench.store.project import Project

MERGED: Final = "merged"
"""The action of the entry that takes in the trail of another copy (`store.audit.branches`)."""
_CAPTURE_ACTIONS: Final[Mapping[str, tuple[str, ...]]] = {
    # connections; `host` is a profile's name, `account` the user on the server, `by` a person
    "ssh_connected": (
        "host",
        "address",
        "port",
        "account",
        "backend",
        "server_version",
        "host_key_type",
        "fingerprint",
        "host_key_verdict",
        "auth_method",
        "kex",
        "cipher",
        "mac",
        "hops",
    ),
    "ssh_refused": ("host", "address", "port", "account", "reason"),  # reason: key of the LinkError
    "host_key_accepted": ("address", "port", "key_type", "fingerprint", "by"),  # by accept_key
    "host_key_replaced": ("address", "port", "key_type", "before", "after", "by"),  # by replace_key
    "host_key_forgotten": ("address", "port", "key_type", "fingerprint", "by"),  # by forget_key
    "weak_algorithms": ("host", "algorithms"),  # those in use
    "profile_saved": ("name", "address", "changes"),  # by save_profile; field -> [before, after]
    "profile_removed": ("name", "address"),  # by remove_profile
    # plans
    "plan_saved": ("digest", "run", "hosts", "commands"),  # by save_plan; names of the hosts, number of commands
    "plan_approved": ("digest", "approved_by", "approved_at", "how", "note"),  # by approve
    "sheet_written": ("digest", "file_name", "language", "sha256"),
    "script_written": ("digest", "file_name", "language", "sha256"),
    # sessions; times are ISO (UTC)
    "session_added": ("session_id", "label", "digest", "run_id"),  # by begin_session
    "session_changed": ("session_id", "label", "changes"),  # by set_session_state and change_session
    "session_interrupted": ("session_id", "label"),  # found when a project was opened that had not been closed
    "capture_started": ("session_id", "label", "digest", "hosts", "commands", "planned_start", "planned_end"),
    "capture_command": ("session_id", "host", "command_id", "pid", "tool_line", "verbatim"),
    "capture_command_ended": ("session_id", "host", "command_id", "pid", "exit_status", "bytes", "cpu_s"),
    "capture_gap": ("session_id", "host", "stream", "cause", "start", "end", "evidence"),
    "capture_mark": ("session_id", "time", "text", "author"),
    "capture_stopped": ("session_id", "label", "reason", "by"),  # reason: planned_end, user, disk_full ...
    "capture_extended": ("session_id", "seconds", "planned_end", "by"),
    "capture_resumed": ("session_id", "label", "spool", "by"),
    "capture_cleaned": ("session_id", "host", "leftovers", "count", "evidence"),  # count: our processes found there
    "capture_file_checked": ("session_id", "host", "path", "bytes", "verdict"),  # equal, different, unknown
    "command_refused": ("host", "command", "digest"),
    # on the host without us
    "detached_started": ("session_id", "host", "folder", "pid"),
    "detached_pulled": ("session_id", "host", "folder", "files", "bytes"),  # number of files
    "detached_removed": ("session_id", "host", "folder"),
}

ACTIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "demo_begun": ("made_at",),  # before project_created: what follows goes by the clock of a story
    "project_created": ("version",),
    "project_migrated": ("before", "after"),
    "project_encrypted": ("opened_by",),  # passphrase, key_file
    "project_rekeyed": ("opened_by",),
    "project_decrypted": (),
    "removed_wiped": ("copies",),  # names of kept copies that went too
    "lock_taken_over": ("holder", "host", "since"),  # from a process on a computer of which somebody said it is gone
    "engagement_changed": ("changes",),
    "narrative_changed": ("section", "language", "before", "after"),
    "measurements_changed": ("changes", "added", "removed"),
    "statements_written": ("run_id", "artefact_id", "count"),
    "note_added": ("note_id", "target_kind", "target_id", "text"),
    "note_changed": ("note_id", "before", "after"),
    "note_removed": ("note_id", "before"),
    "report_written": ("report_id", "file_name", "kind", "language", "issued", "sha256"),
    "host_added": ("host_id", "name"),
    "host_changed": ("host_id", "name"),
    "host_zone_changed": ("host_id", "name", "before", "after", "source"),
    "run_added": ("run_id", "label", "phase"),
    "run_changed": ("run_id", "before", "after"),
    "run_removed": ("run_id", "label"),  # with its captures: `captures`, their names and hashes
    "artefact_stored": ("artefact_id", "name", "sha256"),
    "artefact_parsed": ("artefact_id", "name", "parser_id", "parser_version", "state", "given"),
    "artefact_kept": ("artefact_id", "name"),
    "samples_removed": ("artefact_id", "name"),
    "artefact_removed": ("artefact_id", "name", "sha256"),
    "incomplete_artefact_discarded": ("artefact_id", "name"),
    "bundle_imported": ("bundle_id", "name", "sha256", "members"),
    "device_names_changed": ("host_id", "name", "before", "after"),
    "counting_capture_chosen": ("before", "after"),
    "times_resolved": ("resolution_id", "name", "captures", "said"),
    "resolution_taken_back": ("resolution_id", "name"),
    "resolution_renewed": ("resolution_id", "name"),
    "statements_linked": ("engine", "before_id", "after_id", "by", "note"),
    "statements_unlinked": ("engine", "before_id", "after_id", "by"),
    "licence_confirmed": ("subject", "host", "database", "by", "evidence", "note"),
    # another copy of the engagement was merged in; `branch` is the head of its entries in audit_branch, "" for none
    "merged": ("base", "base_digest", "mine", "mine_digest", "theirs", "theirs_digest", "branch", "entries"),
    "trail_signed": ("entry", "digest", "by", "signature"),  # the chain up to that entry
    "cycle_changed": ("edit", "by", "changes"),  # changes: "metric.5 title" -> [before, after]
    "experiment_changed": ("edit", "by", "changes"),  # changes: "trial.7 values" -> [before, after]
    **_CAPTURE_ACTIONS,
}
"""Every action and the facts it is recorded with; more facts are allowed. Unknown is None; never a secret.

Facts are JSON: numbers stay numbers, several names are a list. The sentence of an action is ``audit.ACTION``, filled
with `AuditEntry.shown_facts`. "By" names the function of the store that records the action itself.
"""

_UNKNOWN = "–"


@records.record
class AuditEntry:
    """One change. `time` is ISO (UTC); `action` a key below ``audit.``; `facts` fill its sentence.

    `previous` and `digest` chain it.
    """

    id: int
    time: str
    user: str
    action: str
    facts: dict[str, object]
    previous: str = ""
    digest: str = ""

    def shown_facts(self) -> dict[str, object]:
        """The facts as its sentence shows them: lists and changes as words, what is unknown as a dash."""
        return {name: _shown(value) for name, value in self.facts.items()}


def _shown(value: object) -> object:
    if value is None:
        return _UNKNOWN
    if isinstance(value, dict):
        return "; ".join(f"{name}: {_shown_change(change)}" for name, change in value.items())
    return ", ".join(str(_shown(part)) for part in value) if isinstance(value, list) else value


def _shown_change(value: object) -> object:
    """A field's [before, after] with an arrow."""
    if isinstance(value, list) and len(value) == 2:
        return f"{_shown(value[0])} → {_shown(value[1])}"
    return _shown(value)


def now_iso(project: Project | None = None) -> str:
    """By the project's clock where there is one."""
    now = datetime.now(UTC) if project is None else project.now()
    return now.isoformat(timespec="seconds")


def iso_of(time_ns: int) -> str:
    return datetime.fromtimestamp(time_ns // 1_000_000_000, tz=UTC).isoformat(timespec="seconds")


def record(project: Project, action: str, /, **facts: object) -> None:
    """Adds an entry, in the transaction that is open on this thread if there is one. Any thread may call it."""
    text = json.dumps(facts, ensure_ascii=False, sort_keys=True, separators=(",", ":"), default=str)
    user = current_user()
    with project.transaction() as connection:
        last_id, previous = _head(connection)
        # the time is taken under the writer's lock, so that it never runs backwards along the chain
        time = project.now().isoformat(timespec="milliseconds")
        row = Row(last_id + 1, time, user, action, text)
        digest = digest_of(previous, row)
        connection.execute(
            "INSERT INTO audit (id, time, user, action, facts, previous, digest) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (*row, previous, digest),
        )
        connection.execute(
            "INSERT OR REPLACE INTO property (name, value) VALUES (?, ?)", (HEAD, head_text(row.id, digest))
        )


def _head(connection: sqlite3.Connection) -> tuple[int, str]:
    """Id and digest that the next row follows; rows after a head that was set back are taken in."""
    last_id, digest = _stated_head(connection) or _without_head(connection)
    later = connection.execute(
        "SELECT id, time, user, action, facts FROM audit WHERE id > ? ORDER BY id", (last_id,)
    ).fetchall()
    for row in later:
        last_id, digest = row[0], digest_of(digest, Row(*row))
    return last_id, digest


def _without_head(connection: sqlite3.Connection) -> tuple[int, str]:
    """A new trail; where there are rows the head was taken away, and what follows must not hide that."""
    return int(connection.execute("SELECT coalesce(max(id), 0) FROM audit").fetchone()[0]), GENESIS


def _stated_head(connection: sqlite3.Connection) -> tuple[int, str] | None:
    row = connection.execute("SELECT value FROM property WHERE name = ?", (HEAD,)).fetchone()
    return parse_head(row[0] if row is not None else None)


def list_audit(project: Project, *actions: str) -> list[AuditEntry]:
    """All entries, or those of some actions; oldest first."""
    with project.reading() as connection:
        return [
            AuditEntry(row.id, row.time, row.user, row.action, json.loads(row.facts), previous, digest)
            for row, previous, digest in _rows(connection)
            if not actions or row.action in actions
        ]


def chained(project: Project, *actions: str) -> list[AuditEntry]:
    """Entries that the chain holds: one that was put in without a digest proves nothing."""
    return [entry for entry in list_audit(project, *actions) if entry.digest]


def export_audit(project: Project) -> list[dict[str, object]]:
    """All rows as they are stored (``facts`` as its JSON text), from which anybody can recompute the chain."""
    with project.reading() as connection:
        return [{**row._asdict(), "previous": before, "digest": digest} for row, before, digest in _rows(connection)]


def chain_head(project: Project) -> tuple[int, str]:
    """Id and digest of the last entry: what a report prints, so that a later change of the trail is noticed."""
    with project.reading() as connection:
        return _head(connection)


def first_digest(project: Project) -> str:
    """The digest of the trail's first entry, the same in all copies of a project; empty where there is none."""
    row = project.row("SELECT digest FROM audit WHERE digest <> '' ORDER BY id LIMIT 1", ())
    return str(row[0]) if row is not None else ""


def last_entry(project: Project, besides: Sequence[str] = ()) -> int:
    """Id of the last entry of another action than `besides`; 0 where there is none."""
    query = "SELECT id FROM audit WHERE action NOT IN (SELECT value FROM json_each(?)) ORDER BY id DESC LIMIT 1"
    row = project.row(query, (json.dumps(list(besides)),))
    return int(row[0]) if row is not None else 0


def verify_chain(project: Project) -> int | None:
    """Id of the first entry that was changed, added or removed; None where the trail is whole."""
    with project.reading() as connection, _one_state(connection):
        return first_broken(_rows(connection), _stated_head(connection))


@contextmanager
def _one_state(connection: sqlite3.Connection) -> Iterator[None]:
    """Inside, all queries see the file as it was at the first of them, whatever other threads write."""
    if connection.in_transaction:
        yield
        return
    connection.execute("BEGIN")
    try:
        yield
    finally:
        connection.execute("ROLLBACK")


def _rows(connection: sqlite3.Connection) -> Iterator[ChainedRow]:
    cursor = connection.execute("SELECT id, time, user, action, facts, previous, digest FROM audit ORDER BY id")
    for *row, previous, digest in cursor:
        yield ChainedRow(Row(*row), previous, digest)


def entry_ids(project: Project) -> list[int]:
    """Oldest first."""
    return [entry_id for (entry_id,) in project.rows("SELECT id FROM audit ORDER BY id")]


def read_rows(project: Project, ids: Sequence[int]) -> list[ChainedRow]:
    """The rows with these ids that exist, in the order of their ids."""
    with project.reading() as connection:
        cursor = connection.execute(
            "SELECT id, time, user, action, facts, previous, digest FROM audit"
            " WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id",
            (json.dumps(list(ids)),),
        )
        return [ChainedRow(Row(*row), previous, digest) for *row, previous, digest in cursor]


def stream_rows(project: Project) -> Generator[ChainedRow, None, None]:
    """All rows, oldest first, as they were when the first was read; close it where it is not read to its end."""
    with project.reading() as connection:
        yield from _rows(connection)


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
