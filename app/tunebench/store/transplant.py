"""Carries captures from one project into another, bytes and all that was read of them, row by row and as they are:
nothing is parsed, so that what was read there is read here to the last digit.
"""

# ruff: noqa: S608 - only names of our own schema are put into queries; values are bound

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tunebench.store.artefacts import record_reading, remove_samples
from tunebench.store.audit import trail as audit
from tunebench.store.errors import sorted_errors
from tunebench.store.known_schema import known_columns
from tunebench.store.shared_texts import TextReader, TextWriter
from tunebench.store.table_packing import FORM, pack_table, unpack_table

if TYPE_CHECKING:
    from tunebench.store.project import Project

_READING = ("event", "system_fact")
"""Tables of what was read, each row of which names its capture; columns and databases go their own way."""
_OF_THE_READER = ("parser_id", "parser_version", "state", "first_ns", "last_ns", "ledger", "given")

Place = Callable[[str, int | None], int | None]
"""The id that a ``run`` or ``host`` of the one project has in the other."""


class Transplant:
    """
    Args:
        find: where the captures' runs and hosts are in `target`.
    """

    def __init__(self, source: Project, target: Project, find: Place) -> None:
        self._source, self._target, self._place = source, target, find

    def capture(self, artefact_id: int, entered: tuple[int, str] | None = None) -> int:
        """Takes a capture in that the target has not, with its segments; gives its id there. `entered`: id and time of
        the entry in the source's trail by which it came in."""
        row = self._row("artefact", artefact_id)
        del row["id"]
        row |= {"run_id": self._place("run", row["run_id"]), "host_id": self._place("host", row["host_id"])}
        with self._target.transaction() as connection, sorted_errors(self._target.path):
            new_id = _insert(connection, "artefact", row)
            for table in ("artefact_chunk", "capture_segment"):
                self._copy(connection, table, "artefact_id", artefact_id, new_id)
            facts = {"artefact_id": new_id, "name": row["name"], "sha256": row["sha256"]}
            audit.record(self._target, "artefact_stored", **facts, **({"entered": entered} if entered else {}))
            self._take_reading(connection, artefact_id, new_id)
        return new_id

    def reading(self, artefact_id: int, target_id: int) -> None:
        """Puts what was read of a capture, its host, its run and what was said of it in the place of what the target
        has of the same bytes."""
        row = self._row("artefact", artefact_id)
        with self._target.transaction() as connection, sorted_errors(self._target.path):
            remove_samples(self._target, target_id)
            taken = {name: row[name] for name in _OF_THE_READER}
            taken |= {"run_id": self._place("run", row["run_id"]), "host_id": self._place("host", row["host_id"])}
            columns = ", ".join(f"{name} = ?" for name in taken)
            connection.execute(f"UPDATE artefact SET {columns} WHERE id = ?", (*taken.values(), target_id))
            self._take_reading(connection, artefact_id, target_id)

    def session(self, session_id: int, target_id: int | None = None) -> int:
        """Takes a capture session in with what became of its commands, in the place of the target's own where it has
        it; gives its id there."""
        row = self._row("capture_session", session_id)
        row |= {"id": target_id, "run_id": self._place("run", row["run_id"])}
        action = "session_added" if target_id is None else "session_changed"
        with self._target.transaction() as connection, sorted_errors(self._target.path):
            connection.execute("DELETE FROM capture_session WHERE id = ?", (target_id,))
            new_id = _insert(connection, "capture_session", row)
            for table in ("capture_stream", "capture_gap", "clock_check"):
                self._copy(connection, table, "session_id", session_id, new_id)
            facts = {"digest": row["digest"], "run_id": row["run_id"]} if target_id is None else {"changes": {}}
            audit.record(self._target, action, session_id=new_id, label=row["label"], **facts)
        return new_id

    def _take_reading(self, connection: sqlite3.Connection, artefact_id: int, new_id: int) -> None:
        for table in _READING:
            self._copy(connection, table, "artefact_id", artefact_id, new_id)
        self._columns(connection, artefact_id, new_id)
        self._database_records(connection, artefact_id, new_id)
        record_reading(self._target, new_id)

    def _columns(self, connection: sqlite3.Connection, artefact_id: int, new_id: int) -> None:
        for clock in self._rows("clock", "artefact_id", artefact_id):
            clock_id = clock.pop("id")
            new_clock = _insert(connection, "clock", {**clock, "artefact_id": new_id})
            for table in ("clock_chunk", "clock_tile"):
                self._copy(connection, table, "clock_id", clock_id, new_clock)
            for series in self._rows("series", "clock_id", clock_id):
                series_id = series.pop("id")
                new_series = _insert(connection, "series", {**series, "clock_id": new_clock})
                for table in ("sample_chunk", "series_tile"):
                    self._copy(connection, table, "series_id", series_id, new_series)

    def _database_records(self, connection: sqlite3.Connection, artefact_id: int, new_id: int) -> None:
        writer = TextWriter(connection)
        for stored in self._rows("database_record", "artefact_id", artefact_id):
            record_id = stored.pop("id")
            new_record = _insert(connection, "database_record", {**stored, "artefact_id": new_id})
            with self._source.reading() as source:
                texts = TextReader(source)
                tables = source.execute(
                    "SELECT name, form, data FROM database_table WHERE record_id = ? ORDER BY rowid", (record_id,)
                ).fetchall()
                unpacked = [unpack_table(name, form, data, texts.texts) for name, form, data in tables]
            connection.executemany(
                "INSERT INTO database_table (record_id, name, row_count, form, data) VALUES (?, ?, ?, ?, ?)",
                [(new_record, table.name, len(table), FORM, pack_table(table, writer.numbers)) for table in unpacked],
            )

    def _copy(self, connection: sqlite3.Connection, table: str, owner: str, old: int, new: int) -> None:
        """The rows of `table` that name `old` as their `owner`, as `new`'s."""
        for row in self._rows(table, owner, old):
            row.pop("id", None)
            row[owner] = new
            for what in ("host", "artefact"):
                name = f"{what}_id"
                if name in row and name != owner:
                    row[name] = self._place(what, row[name])
            _insert(connection, table, row)

    def _row(self, table: str, id_: int) -> dict[str, Any]:
        return next(self._rows(table, "id", id_))

    def _rows(self, table: str, column: str, value: int) -> Iterator[dict[str, Any]]:
        names = tuple(known_columns()[table])
        key = '"position"' if "position" in names else names[0]
        query = f"SELECT {_quoted(names)} FROM {table} WHERE {column} = ? ORDER BY {key}"
        with self._source.reading() as connection:  # one piece at a time: a capture may be larger than memory
            for row in connection.execute(query, (value,)):
                yield dict(zip(names, row, strict=True))


def _insert(connection: sqlite3.Connection, table: str, row: Mapping[str, Any]) -> int:
    query = f"INSERT INTO {table} ({_quoted(tuple(row))}) VALUES ({', '.join('?' * len(row))})"
    return int(connection.execute(query, tuple(row.values())).lastrowid or 0)


def _quoted(names: Sequence[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)
