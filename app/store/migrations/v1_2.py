"""1.1 -> 1.2: the tuning cycle (records, what they name, attachments).

The statements are those that version 1.2 had in schema.sql, and stay as they are when that file changes.
"""

from __future__ import annotations

import sqlite3

from app.store.format import split_statements

_SCHEMA = """
CREATE TABLE cycle_record (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    iteration_id INTEGER REFERENCES cycle_record (id) DEFERRABLE INITIALLY DEFERRED,
    body TEXT NOT NULL
);
CREATE INDEX cycle_record_by_iteration ON cycle_record (iteration_id);

CREATE TABLE attachment (
    sha256 TEXT PRIMARY KEY,
    size_bytes INTEGER NOT NULL,
    data BLOB NOT NULL
) WITHOUT ROWID;

CREATE TABLE cycle_reference (
    id INTEGER PRIMARY KEY,
    record_id INTEGER NOT NULL REFERENCES cycle_record (id) ON DELETE CASCADE,
    named_id INTEGER REFERENCES cycle_record (id) DEFERRABLE INITIALLY DEFERRED,
    run_id INTEGER REFERENCES run (id),
    artefact_id INTEGER REFERENCES artefact (id),
    attachment TEXT REFERENCES attachment (sha256)
);
CREATE INDEX cycle_reference_by_record ON cycle_reference (record_id);
CREATE INDEX cycle_reference_by_named ON cycle_reference (named_id);
CREATE INDEX cycle_reference_by_run ON cycle_reference (run_id);
CREATE INDEX cycle_reference_by_artefact ON cycle_reference (artefact_id);
CREATE INDEX cycle_reference_by_attachment ON cycle_reference (attachment);
"""


def upgrade(connection: sqlite3.Connection) -> None:
    for statement in split_statements(_SCHEMA):
        connection.execute(statement)
