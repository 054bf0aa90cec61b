"""1.4 -> 1.5: experiments and their trials.

The statements are those that version 1.5 had in schema.sql, and stay as they are when that file changes.
"""

from __future__ import annotations

import sqlite3

from app.store.format import split_statements

_SCHEMA = """
CREATE TABLE experiment (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    body TEXT NOT NULL
);

CREATE TABLE trial (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    experiment_id INTEGER NOT NULL REFERENCES experiment (id) DEFERRABLE INITIALLY DEFERRED,
    artefact_id INTEGER REFERENCES artefact (id),
    load_run_id INTEGER REFERENCES run (id),
    body TEXT NOT NULL
);
CREATE INDEX trial_by_experiment ON trial (experiment_id);
CREATE INDEX trial_by_artefact ON trial (artefact_id);
CREATE INDEX trial_by_load_run ON trial (load_run_id);
"""


def upgrade(connection: sqlite3.Connection) -> None:
    for statement in split_statements(_SCHEMA):
        connection.execute(statement)
