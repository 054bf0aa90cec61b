"""Writes the samples of one artefact: batches of rows in, packed columns out.

Rows of one table are collected until a chunk is full (8,192 rows, fewer where the table is very wide), then
turned on their side, so that every column is packed from contiguous memory.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from typing import TYPE_CHECKING

from app.domain.series import SeriesTraits
from app.sdk.batches import SampleBatch, SeriesKey
from app.store import pyramid
from app.store.packing import PackedChunk
from app.store.table_rows import TableRows

if TYPE_CHECKING:
    from app.store.project import Project

ALL_TABLES_BYTES = 48 << 20
"""Unpacked values of all tables together that may wait."""
_PACKED_BYTES = 4 << 20  # packed chunks that may wait for the next transaction


class _Table:
    """The rows of a table with the ids that its clock and series have in the file."""

    def __init__(self, name: str) -> None:
        self.rows = TableRows(name)
        self.clock_id = 0
        self.series_ids: list[int] = []


class SampleWriter:
    """Stores the samples of one artefact. Nothing of it is listed before `finish`.

    Args:
        run_id: the artefact's run.
        host_id: host the samples are of; becomes the artefact's.
        traits: asked once per series.
    """

    def __init__(
        self,
        project: Project,
        *,
        artefact_id: int,
        run_id: int,
        host_id: int,
        tool: str,
        traits: Callable[[SeriesKey], SeriesTraits],
    ) -> None:
        self._project = project
        self._artefact_id = artefact_id
        self._tool = tool
        self._traits = traits
        self._tables: dict[str, _Table] = {}
        self._check_artefact(run_id, host_id)

    @property
    def waiting_bytes(self) -> int:
        """Unpacked values that wait in memory."""
        return sum(table.rows.waiting_bytes for table in self._tables.values())

    def append(self, batch: SampleBatch) -> None:
        """Takes a batch; its arrays must not change afterwards."""
        if not len(batch.times_ns) or not batch.series:
            return
        table = self._tables.get(batch.table)
        if table is None:
            table = self._tables[batch.table] = _Table(batch.table)
        table.rows.add(batch)
        while self.waiting_bytes > ALL_TABLES_BYTES:
            max(self._tables.values(), key=lambda each: each.rows.waiting_bytes).rows.pack()
        if sum(each.rows.packed_bytes for each in self._tables.values()) >= _PACKED_BYTES:
            self._store()

    def finish(self) -> None:
        """Stores what waits, builds the pyramids, and makes the series visible."""
        for table in self._tables.values():
            table.rows.pack()
        self._store()
        for table in self._tables.values():
            if table.rows.ascending:
                pyramid.build(self._project, table.clock_id, table.rows.stored, table.series_ids)
        with self._project.transaction() as connection:
            for table in self._tables.values():
                _complete(connection, table)
        self._tables.clear()

    def abandon(self) -> None:
        """Removes what was stored so far."""
        self._tables.clear()
        with self._project.transaction() as connection:
            connection.execute("DELETE FROM clock WHERE artefact_id = ? AND complete = 0", (self._artefact_id,))

    def _check_artefact(self, run_id: int, host_id: int) -> None:
        with self._project.transaction() as connection:
            row = connection.execute("SELECT run_id FROM artefact WHERE id = ?", (self._artefact_id,)).fetchone()
            if row is None or row[0] != run_id:
                raise ValueError(f"artefact {self._artefact_id} is not in run {run_id}")
            if connection.execute("SELECT 1 FROM clock WHERE artefact_id = ?", (self._artefact_id,)).fetchone():
                raise ValueError(f"artefact {self._artefact_id} has samples already: remove_samples comes first")
            connection.execute("UPDATE artefact SET host_id = ? WHERE id = ?", (host_id, self._artefact_id))

    def _store(self) -> None:
        """Inserts the packed chunks of all tables in one transaction."""
        with self._project.transaction() as connection:
            for table in self._tables.values():
                self._register(connection, table)
                for chunk in table.rows.packed:
                    _insert(connection, table, chunk)
        for table in self._tables.values():
            table.rows.packed, table.rows.packed_bytes = [], 0

    def _register(self, connection: sqlite3.Connection, table: _Table) -> None:
        """Gives the clock and its new series their ids."""
        if not table.clock_id:
            cursor = connection.execute(
                "INSERT INTO clock (artefact_id, table_name, tool) VALUES (?, ?, ?)",
                (self._artefact_id, table.rows.name, self._tool),
            )
            table.clock_id = int(cursor.lastrowid or 0)
        for key in list(table.rows.columns)[len(table.series_ids) :]:
            table.series_ids.append(self._insert_series(connection, table.clock_id, key))

    def _insert_series(self, connection: sqlite3.Connection, clock_id: int, key: SeriesKey) -> int:
        traits = self._traits(key)
        cursor = connection.execute(
            "INSERT INTO series (clock_id, native, attributes, metric, unit, kind, direction, to_base, base_unit,"
            " implied, definition) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                clock_id, key.native, json.dumps(key.attributes, ensure_ascii=False), traits.metric, traits.unit,
                str(traits.kind), str(traits.direction), traits.to_base, traits.base_unit,
                json.dumps(traits.implied, ensure_ascii=False), traits.definition,
            ),
        )  # fmt: skip
        return int(cursor.lastrowid or 0)


def _insert(connection: sqlite3.Connection, table: _Table, chunk: PackedChunk) -> None:
    connection.execute(
        "INSERT INTO clock_chunk (clock_id, position, start_row, row_count, first_ns, last_ns, since_boot, times,"
        " line_numbers) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            table.clock_id, chunk.position, chunk.start_row, chunk.rows, chunk.first_ns, chunk.last_ns,
            chunk.since_boot, chunk.times, chunk.line_numbers,
        ),
    )  # fmt: skip
    connection.executemany(
        "INSERT INTO sample_chunk (series_id, position, valid, minimum, maximum, total, missing, data)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (
                table.series_ids[column.series_index], chunk.position, column.valid, column.minimum, column.maximum,
                column.total, column.missing, column.data,
            )
            for column in chunk.columns
        ],
    )  # fmt: skip


def _complete(connection: sqlite3.Connection, table: _Table) -> None:
    rows = table.rows
    connection.execute(
        "UPDATE clock SET complete = 1, ascending = ?, rows_stored = ?, since_boot_rows = ?, chunks = ?,"
        " first_ns = ?, last_ns = ?, interval_s = ? WHERE id = ?",
        (
            int(rows.ascending), rows.stored, rows.since_boot, rows.chunks, rows.first_ns, rows.last_ns,
            rows.interval_s(), table.clock_id,
        ),
    )  # fmt: skip
    # a row without a value counts as missing, also in the time before its series appeared
    connection.executemany(
        "UPDATE series SET sample_count = ?, missing_count = ?, first_ns = ?, last_ns = ? WHERE id = ?",
        [
            (tally.count, rows.stored - rows.since_boot - tally.count, tally.first_ns, tally.last_ns, series_id)
            for tally, series_id in zip(rows.tallies, table.series_ids, strict=True)
        ],
    )
