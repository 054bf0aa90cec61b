"""1.2 -> 1.3: captures that go together (names of devices, overlaps, configuration changes) and what a person said
about the times of a host's captures.

The statements are those that version 1.3 had in schema.sql, and stay as they are when that file changes.
"""

from __future__ import annotations

import sqlite3

from app.store.format import split_statements

_SCHEMA = """
CREATE TABLE device_alias (
    id INTEGER PRIMARY KEY,
    host_id INTEGER NOT NULL REFERENCES host (id) ON DELETE CASCADE,
    device TEXT NOT NULL,
    name TEXT NOT NULL,
    start_ns INTEGER,
    end_ns INTEGER,
    author TEXT NOT NULL,
    written_at TEXT NOT NULL
);
CREATE INDEX device_alias_by_host ON device_alias (host_id);

CREATE TABLE capture_overlap (
    artefact_id INTEGER NOT NULL REFERENCES artefact (id) ON DELETE CASCADE,
    other_id INTEGER NOT NULL REFERENCES artefact (id) ON DELETE CASCADE,
    relation TEXT NOT NULL,
    shift_ns INTEGER NOT NULL,
    start_ns INTEGER NOT NULL,
    end_ns INTEGER NOT NULL,
    columns INTEGER NOT NULL,
    PRIMARY KEY (artefact_id, other_id)
) WITHOUT ROWID;
CREATE INDEX capture_overlap_by_other ON capture_overlap (other_id);

CREATE TABLE capture_choice (
    artefact_id INTEGER PRIMARY KEY REFERENCES artefact (id) ON DELETE CASCADE,
    position INTEGER NOT NULL UNIQUE
);

CREATE TABLE host_event (
    id INTEGER PRIMARY KEY,
    artefact_id INTEGER NOT NULL REFERENCES artefact (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    start_ns INTEGER NOT NULL,
    end_ns INTEGER,
    text TEXT NOT NULL
);
CREATE INDEX host_event_by_artefact ON host_event (artefact_id);

CREATE TABLE resolution (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    host_id INTEGER NOT NULL REFERENCES host (id) ON DELETE CASCADE,
    said_at TEXT NOT NULL,
    said_by TEXT NOT NULL,
    said TEXT NOT NULL,
    changes TEXT NOT NULL,
    zone_before TEXT NOT NULL,
    taken_back_at TEXT,
    taken_back_by TEXT
);
CREATE INDEX resolution_by_host ON resolution (host_id);

CREATE TABLE bundle (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    source_path TEXT NOT NULL,
    form TEXT NOT NULL,
    size_bytes INTEGER NOT NULL,
    sha256 TEXT NOT NULL,
    modified_ns INTEGER NOT NULL,
    imported_at TEXT NOT NULL,
    layouts TEXT NOT NULL
);

CREATE TABLE bundle_member (
    bundle_id INTEGER NOT NULL REFERENCES bundle (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    name TEXT NOT NULL,
    state TEXT NOT NULL,
    kind TEXT NOT NULL,
    size_bytes INTEGER NOT NULL,
    artefact_id INTEGER REFERENCES artefact (id) ON DELETE SET NULL,
    host TEXT NOT NULL,
    reason TEXT NOT NULL,
    facts TEXT NOT NULL,
    PRIMARY KEY (bundle_id, position)
) WITHOUT ROWID;
CREATE INDEX bundle_member_by_artefact ON bundle_member (artefact_id);
"""


def upgrade(connection: sqlite3.Connection) -> None:
    for statement in split_statements(_SCHEMA):
        connection.execute(statement)
