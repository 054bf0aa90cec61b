"""1.0 -> 1.1: capture over SSH (profiles, plans, sessions) and the chained audit trail.

The statements are those that version 1.1 had in schema.sql, and stay as they are when that file changes.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3

from app.store.format import split_statements

_SCHEMA = """
CREATE TABLE host_profile (
    name TEXT PRIMARY KEY,
    profile TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE accepted_key (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    address TEXT NOT NULL,
    port INTEGER NOT NULL,
    key_type TEXT NOT NULL,
    blob TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    accepted_by TEXT NOT NULL,
    accepted_at TEXT NOT NULL,
    ended_by TEXT,
    ended_at TEXT
);
CREATE UNIQUE INDEX accepted_key_in_force ON accepted_key (address, port, key_type) WHERE ended_at IS NULL;

CREATE TABLE capture_plan (
    id INTEGER PRIMARY KEY,
    digest TEXT NOT NULL UNIQUE,
    plan TEXT NOT NULL,
    saved_at TEXT NOT NULL
);

CREATE TABLE approval (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    digest TEXT NOT NULL REFERENCES capture_plan (digest),
    approved_by TEXT NOT NULL,
    approved_at TEXT NOT NULL,
    how TEXT NOT NULL,
    note TEXT NOT NULL
);
CREATE INDEX approval_by_digest ON approval (digest);

CREATE TABLE capture_session (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    digest TEXT NOT NULL REFERENCES capture_plan (digest),
    run_id INTEGER NOT NULL REFERENCES run (id),
    spool TEXT NOT NULL,
    label TEXT NOT NULL,
    state TEXT NOT NULL,
    started_at TEXT NOT NULL,
    ended_at TEXT,
    note TEXT NOT NULL,
    user TEXT NOT NULL,
    machine TEXT NOT NULL
);
CREATE INDEX capture_session_by_digest ON capture_session (digest);
CREATE INDEX capture_session_by_run ON capture_session (run_id);

CREATE TABLE capture_stream (
    id INTEGER PRIMARY KEY,
    session_id INTEGER NOT NULL REFERENCES capture_session (id) ON DELETE CASCADE,
    command_id TEXT NOT NULL,
    host_id INTEGER REFERENCES host (id),
    artefact_id INTEGER REFERENCES artefact (id) ON DELETE SET NULL,
    state TEXT NOT NULL,
    tool_version TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    lines INTEGER NOT NULL,
    exit INTEGER,
    stderr_tail TEXT NOT NULL,
    cpu_s REAL,
    leftovers TEXT NOT NULL,
    UNIQUE (session_id, command_id)
);
CREATE INDEX capture_stream_by_host ON capture_stream (host_id);
CREATE INDEX capture_stream_by_artefact ON capture_stream (artefact_id);

CREATE TABLE capture_segment (
    artefact_id INTEGER NOT NULL REFERENCES artefact (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    first_byte INTEGER NOT NULL,
    end_byte INTEGER NOT NULL,
    first_line INTEGER NOT NULL,
    began_ns INTEGER,
    ended_ns INTEGER,
    exit_status INTEGER,
    cpu_s REAL,
    pid INTEGER,
    PRIMARY KEY (artefact_id, number)
) WITHOUT ROWID;

CREATE TABLE capture_gap (
    id INTEGER PRIMARY KEY,
    session_id INTEGER NOT NULL REFERENCES capture_session (id) ON DELETE CASCADE,
    artefact_id INTEGER REFERENCES artefact (id) ON DELETE SET NULL,
    stream TEXT NOT NULL,
    start_ns INTEGER NOT NULL,
    end_ns INTEGER,
    cause TEXT NOT NULL,
    detected_at TEXT NOT NULL,
    evidence TEXT NOT NULL
);
CREATE INDEX capture_gap_by_session ON capture_gap (session_id);
CREATE INDEX capture_gap_by_artefact ON capture_gap (artefact_id);

CREATE TABLE clock_check (
    id INTEGER PRIMARY KEY,
    session_id INTEGER NOT NULL REFERENCES capture_session (id) ON DELETE CASCADE,
    host TEXT NOT NULL,
    taken_at TEXT NOT NULL,
    offset_ns INTEGER NOT NULL,
    error_ns INTEGER NOT NULL,
    zone TEXT NOT NULL,
    utc_offset_s INTEGER,
    boot_id TEXT NOT NULL
);
CREATE INDEX clock_check_by_session ON clock_check (session_id);

CREATE TABLE system_fact (
    artefact_id INTEGER NOT NULL REFERENCES artefact (id) ON DELETE CASCADE,
    moment_ns INTEGER NOT NULL,
    position INTEGER NOT NULL,
    host_id INTEGER NOT NULL REFERENCES host (id),
    section TEXT NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (artefact_id, moment_ns, position)
) WITHOUT ROWID;
CREATE INDEX system_fact_by_host ON system_fact (host_id);

CREATE TABLE audit (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    time TEXT NOT NULL,
    user TEXT NOT NULL,
    action TEXT NOT NULL,
    facts TEXT NOT NULL,
    previous TEXT NOT NULL DEFAULT '',
    digest TEXT NOT NULL DEFAULT ''
);
CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit
BEGIN
    SELECT RAISE(ABORT, 'the audit trail is append-only');
END;
CREATE TRIGGER audit_is_not_removed BEFORE DELETE ON audit
BEGIN
    SELECT RAISE(ABORT, 'the audit trail is append-only');
END;
CREATE TRIGGER audit_is_not_replaced BEFORE INSERT ON audit WHEN EXISTS (SELECT 1 FROM audit WHERE id = NEW.id)
BEGIN
    SELECT RAISE(ABORT, 'the audit trail is append-only');
END;
"""


def upgrade(connection: sqlite3.Connection) -> None:
    connection.execute("ALTER TABLE audit RENAME TO audit_1_0")
    for statement in split_statements(_SCHEMA):
        connection.execute(statement)
    _chain_old_rows(connection)
    connection.execute("DROP TABLE audit_1_0")


def _chain_old_rows(connection: sqlite3.Connection) -> None:
    """Chains the entries as version 1.1 does (`app.store.audit.chain` says how)."""
    last, digest = 0, "0" * 64
    for row in connection.execute("SELECT id, time, user, action, facts FROM audit_1_0 ORDER BY id").fetchall():
        text = json.dumps(row, ensure_ascii=False, separators=(",", ":"))
        previous, last = digest, row[0]
        digest = hashlib.sha256(f"{previous}\n{text}".encode("utf-8", "surrogatepass")).hexdigest()
        connection.execute("INSERT INTO audit VALUES (?, ?, ?, ?, ?, ?, ?)", (*row, previous, digest))
    connection.execute("INSERT INTO property (name, value) VALUES ('audit_head', ?)", (f"{last} {digest}",))
