"""What captures say of databases: written as it is read, read back by the table."""

# ruff: noqa: S608 - only names written in this module are put into queries; values are bound

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tunebench.analysis.databases.record import DatabaseRecord, FigureTable
from tunebench.core import records
from tunebench.domain.databases.records import DatabaseIdentity, Fault, Moment, Reach
from tunebench.domain.ledger import ImportState
from tunebench.store import shared_texts
from tunebench.store.errors import DamagedData
from tunebench.store.shared_texts import Numbers, TextReader, TextWriter
from tunebench.store.table_packing import FORM, pack_table, text_numbers, unpack_table

if TYPE_CHECKING:
    from tunebench.store.project import Project

_COLUMNS = (
    "artefact_id",
    "position",
    "source",
    "reach",
    "engine",
    "identity",
    "begin_moment",
    "end_moment",
    "elapsed_s",
    "db_time_s",
    "faults",
    "absent",
    "title",
    "first_line",
)


@records.record
class StoredRecord:
    """A record in the project.

    Attributes:
        host_id: whose capture it comes from, where that is known.
        position: of the record in its capture, from 0.
        head: the record without its tables.
        rows: table -> number of its rows.
    """

    id: int
    artefact_id: int
    run_id: int
    host_id: int | None
    position: int
    head: DatabaseRecord
    rows: Mapping[str, int]


# -- writing -------------------------------------------------------------------------------------------


def write_records(project: Project, artefact_id: int, records: Sequence[DatabaseRecord], first_position: int) -> None:
    """Adds records of one capture, all or none; they count once the capture is imported."""
    if records:
        with project.transaction() as connection:
            insert_records(connection, artefact_id, records, first_position)


def insert_records(
    connection: sqlite3.Connection, artefact_id: int, records: Iterable[DatabaseRecord], first_position: int
) -> None:
    """Does what `write_records` does, inside the caller's transaction."""
    texts = TextWriter(connection)
    for position, record in enumerate(records, first_position):
        cursor = connection.execute(
            f"INSERT INTO database_record ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))})",
            (artefact_id, position, *_row(record)),
        )
        packed = [
            (cursor.lastrowid, name, len(table), FORM, pack_table(table, texts.numbers))
            for name, table in record.tables.items()
        ]
        connection.executemany(
            "INSERT INTO database_table (record_id, name, row_count, form, data) VALUES (?, ?, ?, ?, ?)", packed
        )


def remove_records(project: Project, artefact_id: int) -> None:
    """Removes what a reading gave; texts stay, as the next reading will most likely give them again."""
    with project.transaction() as connection:
        connection.execute("DELETE FROM database_record WHERE artefact_id = ?", (artefact_id,))


def remove_unused_texts(connection: sqlite3.Connection) -> None:
    """Removes the shared texts that nothing names any more, after captures were removed."""
    if connection.execute("SELECT 1 FROM shared_text_block LIMIT 1").fetchone() is not None:
        shared_texts.remove_unused(connection, _used_texts(connection))


def _used_texts(connection: sqlite3.Connection) -> Iterator[Numbers]:
    for form, data in connection.execute("SELECT form, data FROM database_table"):
        yield from text_numbers(form, data).values()


def _row(record: DatabaseRecord) -> tuple[object, ...]:
    return (
        record.source,
        str(record.reach),
        str(record.identity.engine),
        _as_json(record.identity),
        None if record.begin is None else _as_json(record.begin),
        _as_json(record.end),
        record.elapsed_s,
        record.db_time_s,
        json.dumps([str(fault) for fault in record.faults]),
        json.dumps(list(record.absent)),
        record.title,
        record.first_line,
    )


def _as_json(value: DatabaseIdentity | Moment) -> str:
    """JSON of the fields that say something."""
    defaults = {field.name: field.default for field in fields(value)}
    stated = {name: content for name, content in asdict(value).items() if content != defaults[name]}
    return json.dumps(stated, ensure_ascii=False, separators=(",", ":"))


# -- reading -------------------------------------------------------------------------------------------


def list_records(project: Project, run_id: int | None = None, artefact_id: int | None = None) -> list[StoredRecord]:
    """Records of imported captures without their tables, in the order of the captures and inside them."""
    rows = project.rows(
        f"SELECT d.id, a.run_id, a.host_id, {', '.join(f'd.{name}' for name in _COLUMNS)} FROM database_record AS d"
        " JOIN artefact AS a ON a.id = d.artefact_id WHERE a.state = ?1 AND (?2 IS NULL OR a.run_id = ?2)"
        " AND (?3 IS NULL OR a.id = ?3) ORDER BY a.id, d.position",
        (str(ImportState.IMPORTED), run_id, artefact_id),
    )
    counts = project.rows(
        "SELECT t.record_id, t.name, t.row_count FROM database_table AS t"
        " JOIN database_record AS d ON d.id = t.record_id JOIN artefact AS a ON a.id = d.artefact_id"
        " WHERE (?1 IS NULL OR a.run_id = ?1) AND (?2 IS NULL OR a.id = ?2)",
        (run_id, artefact_id),
    )
    tables: dict[int, dict[str, int]] = {}
    for record_id, name, count in counts:
        tables.setdefault(record_id, {})[name] = count
    return [_stored(row, tables.get(row[0], {})) for row in rows]


def _stored(row: tuple[Any, ...], counts: Mapping[str, int]) -> StoredRecord:
    id_, run_id, host_id, artefact_id, position, *rest = row
    return StoredRecord(id_, artefact_id, run_id, host_id, position, _head(rest), counts)


def _head(row: Sequence[Any]) -> DatabaseRecord:
    source, reach, _engine, identity, begin, end, elapsed_s, db_time_s, faults, absent, title, first_line = row
    return DatabaseRecord(
        source=source,
        reach=Reach(reach),
        identity=DatabaseIdentity(**json.loads(identity)),
        end=Moment(**json.loads(end)),
        begin=None if begin is None else Moment(**json.loads(begin)),
        elapsed_s=elapsed_s,
        db_time_s=db_time_s,
        title=title,
        absent=tuple(json.loads(absent)),
        faults=tuple(Fault(fault) for fault in json.loads(faults)),
        first_line=first_line,
    )


def read_tables(project: Project, record_id: int, names: Sequence[str] | None = None) -> dict[str, FigureTable]:
    """The tables of these names that a record has; all of them where none are named."""
    with project.reading() as connection:
        return _tables(connection, record_id, names, TextReader(connection))


def read_record(project: Project, record_id: int, names: Sequence[str] | None = None) -> DatabaseRecord:
    """One record with the tables of these names; LookupError where there is none of that number."""
    with project.reading() as connection:
        row = connection.execute(
            f"SELECT {', '.join(_COLUMNS[2:])} FROM database_record WHERE id = ?", (record_id,)
        ).fetchone()
        if row is None:
            raise LookupError(f"no database record {record_id}")
        return replace(_head(row), tables=_tables(connection, record_id, names, TextReader(connection)))


def filled(
    project: Project, records: Iterable[StoredRecord], names: Sequence[str] | None = None
) -> Iterator[DatabaseRecord]:
    """Many records with their tables, one by one; texts that they share are unpacked once."""
    texts: TextReader | None = None
    for stored in records:
        with project.reading() as connection:
            texts = texts or TextReader(connection)
            tables = _tables(connection, stored.id, names, texts)
        yield replace(stored.head, tables=tables)


def _tables(
    connection: sqlite3.Connection, record_id: int, names: Sequence[str] | None, texts: TextReader
) -> dict[str, FigureTable]:
    condition = "" if names is None else f" AND name IN ({', '.join('?' * len(names))})"
    rows = connection.execute(
        f"SELECT name, form, data FROM database_table WHERE record_id = ?{condition} ORDER BY rowid",
        (record_id, *(names or ())),
    ).fetchall()
    return {name: unpack_table(name, form, data, texts.texts) for name, form, data in rows}


def count_records(project: Project, artefact_id: int) -> int:
    (count,) = project.row("SELECT count(*) FROM database_record WHERE artefact_id = ?", (artefact_id,))
    return int(count)


def count_statements(connection: sqlite3.Connection, artefact_ids: Sequence[int]) -> int:
    """How many different statements the records of captures hold."""
    marks = ", ".join("?" * len(artefact_ids))
    seen: dict[str, list[Numbers]] = {}
    for engine, form, data in connection.execute(
        "SELECT d.engine, t.form, t.data FROM database_table AS t JOIN database_record AS d ON d.id = t.record_id"
        f" WHERE t.name = 'statement' AND d.artefact_id IN ({marks})",
        list(artefact_ids),
    ):
        ids = text_numbers(form, data).get("statement_id")
        if ids is not None:
            seen[engine] = [np.unique(np.concatenate([*seen.get(engine, []), ids]))]
    return sum(len(ids) for (ids,) in seen.values())


# -- checking ------------------------------------------------------------------------------------------


def damaged_records(project: Project) -> tuple[int, list[str]]:
    """How many records there are, and the names of those that cannot be read back whole."""
    damaged: list[str] = []
    with project.reading() as connection:
        records = connection.execute(
            "SELECT d.id, a.name || ' #' || d.position FROM database_record AS d"
            " JOIN artefact AS a ON a.id = d.artefact_id ORDER BY d.id"
        ).fetchall()
        texts = TextReader(connection)
        for record_id, name in records:
            if not _is_whole(connection, record_id, texts):
                damaged.append(name)
    return len(records), damaged


def _is_whole(connection: sqlite3.Connection, record_id: int, texts: TextReader) -> bool:
    try:
        tables = _tables(connection, record_id, None, texts)
    except (DamagedData, ValueError, KeyError):
        return False
    counts = connection.execute("SELECT name, row_count FROM database_table WHERE record_id = ?", (record_id,))
    return all(len(tables[name]) == count for name, count in counts.fetchall())
