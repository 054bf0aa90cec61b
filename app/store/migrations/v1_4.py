"""1.3 -> 1.4: what captures say of databases, links between statements, confirmations of licences.

Statements that were read from a capture become a record of it; the table of statements keeps those entered by hand.
The schema is what version 1.4 had in schema.sql, and stays as it is when that file changes.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from app.analysis.databases.record import DatabaseRecord, FigureTable, TableRows
from app.domain.databases.records import DatabaseIdentity, Moment, Reach
from app.store.databases.records import insert_records
from app.store.format import split_statements

_SCHEMA = """
CREATE TABLE statement (
    id INTEGER PRIMARY KEY,
    run_id INTEGER NOT NULL REFERENCES run (id),
    engine TEXT NOT NULL,
    statement_id TEXT NOT NULL,
    text TEXT NOT NULL,
    module TEXT NOT NULL,
    plan TEXT NOT NULL,
    executions INTEGER,
    elapsed_s REAL,
    cpu_s REAL,
    block_gets INTEGER,
    block_reads INTEGER,
    "rows" INTEGER
);
CREATE INDEX statement_by_run ON statement (run_id);

CREATE TABLE database_record (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    artefact_id INTEGER NOT NULL REFERENCES artefact (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    source TEXT NOT NULL,
    reach TEXT NOT NULL,
    engine TEXT NOT NULL,
    identity TEXT NOT NULL,
    begin_moment TEXT,
    end_moment TEXT NOT NULL,
    elapsed_s REAL,
    db_time_s REAL,
    faults TEXT NOT NULL,
    absent TEXT NOT NULL,
    title TEXT NOT NULL,
    first_line INTEGER NOT NULL,
    UNIQUE (artefact_id, position)
);

CREATE TABLE database_table (
    record_id INTEGER NOT NULL REFERENCES database_record (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    row_count INTEGER NOT NULL,
    form INTEGER NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (record_id, name)
);

CREATE TABLE shared_text_block (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    text_count INTEGER NOT NULL,
    size_bytes INTEGER NOT NULL,
    data BLOB NOT NULL
);

CREATE TABLE shared_text (
    digest BLOB PRIMARY KEY,
    number INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX shared_text_by_number ON shared_text (number);

CREATE TABLE statement_link (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    engine TEXT NOT NULL,
    before_id TEXT NOT NULL,
    after_id TEXT NOT NULL,
    author TEXT NOT NULL,
    made_at TEXT NOT NULL,
    note TEXT NOT NULL,
    UNIQUE (engine, before_id, after_id)
);

CREATE TABLE licence_confirmation (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    subject TEXT NOT NULL,
    host TEXT NOT NULL,
    database TEXT NOT NULL,
    confirmed_by TEXT NOT NULL,
    evidence TEXT NOT NULL,
    confirmed_at TEXT NOT NULL,
    note TEXT NOT NULL
);
CREATE TRIGGER licence_confirmation_is_not_changed BEFORE UPDATE ON licence_confirmation
BEGIN
    SELECT RAISE(ABORT, 'confirmations are append-only');
END;
CREATE TRIGGER licence_confirmation_is_not_removed BEFORE DELETE ON licence_confirmation
BEGIN
    SELECT RAISE(ABORT, 'confirmations are append-only');
END;
"""

_FIGURES = ("executions", "elapsed_s", "cpu_s", "block_gets", "block_reads", "rows")
_READ = f"artefact_id, engine, statement_id, text, module, plan, {', '.join(map(repr, _FIGURES))}".replace("'", '"')
_BY_HAND = _READ.replace("artefact_id", "run_id")
_SOURCE = "statements"


def upgrade(connection: sqlite3.Connection) -> None:
    connection.execute("DROP INDEX statement_by_run")
    connection.execute("ALTER TABLE statement RENAME TO statement_1_3")
    for statement in split_statements(_SCHEMA):
        connection.execute(statement)
    connection.execute(
        f"INSERT INTO statement ({_BY_HAND}) SELECT {_BY_HAND} FROM statement_1_3"  # noqa: S608  names of ours
        " WHERE artefact_id IS NULL ORDER BY id"
    )
    _move_captured(connection)
    connection.execute("DROP TABLE statement_1_3")


def _move_captured(connection: sqlite3.Connection) -> None:
    rows = connection.execute(
        f"SELECT {_READ} FROM statement_1_3 WHERE artefact_id IS NOT NULL"  # noqa: S608  names of ours
        " ORDER BY artefact_id, engine, id"
    ).fetchall()
    for artefact_id, of_artefact in groupby(rows, key=itemgetter(0)):
        row = connection.execute("SELECT last_ns FROM artefact WHERE id = ?", (artefact_id,)).fetchone()
        records = [
            _record(engine, list(own), None if row is None else row[0])
            for engine, own in groupby(of_artefact, key=itemgetter(1))
        ]
        insert_records(connection, artefact_id, records, 0)


def _record(engine: str, rows: Sequence[tuple[Any, ...]], end_ns: int | None) -> DatabaseRecord:
    return DatabaseRecord(
        _SOURCE,
        Reach.PERIOD,
        DatabaseIdentity(engine),
        Moment(end_ns),
        tables={table.name: table for table in (_statements(rows), _texts(rows))},
    )


def _statements(rows: Sequence[tuple[Any, ...]]) -> FigureTable:
    found = TableRows("statement")
    for _artefact, _engine, statement_id, _text, module, plan, *figures in rows:
        texts = {"statement_id": statement_id, "plan": plan, "module": module}
        found.add(0, texts, dict(zip(_FIGURES, figures, strict=True)))
    return found.close()


def _texts(rows: Sequence[tuple[Any, ...]]) -> FigureTable:
    found = TableRows("statement_text")
    for statement_id, text in {row[2]: row[3] for row in rows}.items():
        found.add(0, {"statement_id": statement_id, "text": text}, {})
    return found.close()
