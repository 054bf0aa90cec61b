"""1.3 -> 1.4: what captures say of databases, links between statements, confirmations of licences.

Statements that were read from a capture become a record of it; the table of statements keeps those entered by hand.
The schema is what version 1.4 had in schema.sql, and the records are packed as version 1.4 packed them: neither changes
when that file, or the way of packing (`app.store.table_packing`, `app.store.shared_texts`), does.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np

from app.store.codec import compress_bytes, pack_bits, pack_numbers
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
_FORM = 1  # of a packed table
_PLACE_BITS, _DIGEST_BYTES = 24, 16
_BLOCK_TEXTS, _BLOCK_CHARACTERS = 1 << 16, 4 << 20


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
    texts = _Texts(connection)
    for artefact_id, of_artefact in groupby(rows, key=itemgetter(0)):
        found = connection.execute("SELECT last_ns FROM artefact WHERE id = ?", (artefact_id,)).fetchone()
        end = "{}" if found is None or found[0] is None else _json({"time_ns": found[0]})
        for position, (engine, own) in enumerate(groupby(of_artefact, key=itemgetter(1))):
            cursor = connection.execute(
                "INSERT INTO database_record (artefact_id, position, source, reach, engine, identity, end_moment,"
                " faults, absent, title, first_line)"
                " VALUES (?, ?, 'statements', 'period', ?, ?, ?, '[]', '[]', '', 1)",
                (artefact_id, position, engine, _json({"engine": engine}), end),
            )
            for name, count, blob in _tables(list(own), texts):
                connection.execute(
                    "INSERT INTO database_table (record_id, name, row_count, form, data) VALUES (?, ?, ?, ?, ?)",
                    (cursor.lastrowid, name, count, _FORM, blob),
                )


def _tables(rows: Sequence[tuple[Any, ...]], texts: _Texts) -> list[tuple[str, int, bytes]]:
    """Name, number of rows and blob of each table of a record."""
    _artefacts, _engines, ids, words, modules, plans, *figures = zip(*rows, strict=True)
    text_of = dict(zip(ids, words, strict=True))
    statements = {"statement_id": ids, "plan": plans, "module": modules}
    return [
        ("statement", len(rows), _pack(len(rows), statements, dict(zip(_FIGURES, figures, strict=True)), texts)),
        (
            "statement_text",
            len(text_of),
            _pack(len(text_of), {"statement_id": list(text_of), "text": list(text_of.values())}, {}, texts),
        ),
    ]


def _pack(
    rows: int, columns: Mapping[str, Sequence[str]], figures: Mapping[str, Sequence[float | None]], texts: _Texts
) -> bytes:
    parts = [pack_numbers(np.zeros(rows, dtype=np.int64))]  # no row has a line of its own
    text_sizes: dict[str, int] = {}
    figure_sizes: dict[str, tuple[int, int, int]] = {}
    for name, column in columns.items():
        parts.append(pack_numbers(texts.numbers(column)))
        text_sizes[name] = len(parts[-1])
    for name, values in figures.items():
        present = np.array([value for value in values if value is not None], dtype=np.float64)
        if len(present):
            missing = np.array([value is None for value in values])
            parts += [pack_bits(missing) if missing.any() else b"", pack_numbers(present)]
            figure_sizes[name] = (len(parts[-2]), len(parts[-1]), len(present))
    sizes = {"rows": rows, "lines": len(parts[0]), "texts": text_sizes, "figures": figure_sizes}
    header = _json(sizes).encode()
    return b"".join((_word(len(header)), _word(zlib.crc32(header)), header, *parts))


class _Texts:
    """Gives texts their numbers: block and place in it; the empty text is 0."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._known = {"": 0}

    def numbers(self, texts: Sequence[str]) -> Any:
        """int64[n]; texts that were never seen are stored."""
        block: list[str] = []
        characters = 0
        for text in [text for text in dict.fromkeys(texts) if text not in self._known]:
            block.append(text)
            characters += len(text)
            if len(block) >= _BLOCK_TEXTS or characters >= _BLOCK_CHARACTERS:
                self._store(block)
                block, characters = [], 0
        if block:
            self._store(block)
        return np.array([self._known[text] for text in texts], dtype=np.int64)

    def _store(self, texts: Sequence[str]) -> None:
        data = _json(texts).encode("utf-8", "surrogatepass")
        cursor = self._connection.execute(
            "INSERT INTO shared_text_block (text_count, size_bytes, data) VALUES (?, ?, ?)",
            (len(texts), len(data), compress_bytes(data)),
        )
        for number, text in enumerate(texts, int(cursor.lastrowid or 0) << _PLACE_BITS):
            digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_DIGEST_BYTES).digest()
            self._connection.execute("INSERT INTO shared_text (digest, number) VALUES (?, ?)", (digest, number))
            self._known[text] = number


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _word(number: int) -> bytes:
    return number.to_bytes(4, "little")
