"""Writes the samples of one artefact, packed elsewhere."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from dataclasses import field
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from tunebench.core.records import record
from tunebench.domain.series import SeriesTraits
from tunebench.sdk.batches import SeriesKey
from tunebench.store import pyramid_building
from tunebench.store.packing import PackedChunk
from tunebench.store.sample_packing import PackedPart, PackedRows, PackedTiles, PackedTotals

if TYPE_CHECKING:
    from tunebench.store.project import Project


@record(frozen=False)
class _Table:
    """The ids that a table's clock and series have in the file."""

    name: str
    clock_id: int = 0
    series_ids: list[int] = field(default_factory=list)


class SampleStore:
    """Takes the packed samples of one artefact. Nothing of them is listed before `finish`.

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
        self._totals: list[PackedTotals] = []
        self._check_artefact(run_id, host_id)

    def take(self, parts: Iterable[PackedPart]) -> None:
        """Stores parts as a `SamplePacker` gave them; successive chunks go into one transaction."""
        rows: list[PackedRows] = []
        for part in parts:
            if isinstance(part, PackedRows):
                rows.append(part)
                continue
            self._store_rows(rows)
            rows = []
            if isinstance(part, PackedTiles):
                self._store_tiles(part)
            else:
                self._totals.append(part)
        self._store_rows(rows)

    def finish(self) -> None:
        """Makes the series visible."""
        for totals in self._totals:
            if totals.from_chunks:
                table = self._tables[totals.table]
                pyramid_building.build_from_chunks(self._project, table.clock_id, totals.rows, table.series_ids)
        with self._project.transaction() as connection:
            for totals in self._totals:
                _complete(connection, self._tables[totals.table], totals)
        self._tables.clear()
        self._totals.clear()

    def abandon(self) -> None:
        """Removes what was stored so far."""
        self._tables.clear()
        self._totals.clear()
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

    def _store_rows(self, parts: Sequence[PackedRows]) -> None:
        if not parts:
            return
        with self._project.transaction() as connection:
            for part in parts:
                _insert(connection, self._registered(connection, part), part.chunk)

    def _store_tiles(self, part: PackedTiles) -> None:
        table = self._tables[part.table]
        with self._project.transaction() as connection:
            pyramid_building.insert_clock_tiles(connection, table.clock_id, part.clock)
            for index, tiles in part.series:
                pyramid_building.insert_series_tiles(connection, table.series_ids[index], tiles)

    def _registered(self, connection: sqlite3.Connection, part: PackedRows) -> _Table:
        """The table of a part; its clock and new series get their ids."""
        table = self._tables.get(part.table)
        if table is None:
            cursor = connection.execute(
                "INSERT INTO clock (artefact_id, table_name, tool) VALUES (?, ?, ?)",
                (self._artefact_id, part.table, self._tool),
            )
            table = self._tables[part.table] = _Table(part.table, int(cursor.lastrowid or 0))
        if part.keys:
            (next_id,) = connection.execute("SELECT coalesce(max(id), 0) + 1 FROM series").fetchone()
            series_ids = range(next_id, next_id + len(part.keys))
            connection.executemany(
                "INSERT INTO series (id, clock_id, native, attributes, metric, unit, kind, direction, to_base,"
                " base_unit, implied, definition) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                map(partial(self._series_row, table.clock_id), series_ids, part.keys),
            )
            table.series_ids += series_ids
        return table

    def _series_row(self, clock_id: int, series_id: int, key: SeriesKey) -> tuple[object, ...]:
        traits = self._traits(key)
        return (
            series_id,
            clock_id,
            key.native,
            _json(key.attributes),
            traits.metric,
            traits.unit,
            str(traits.kind),
            str(traits.direction),
            traits.to_base,
            traits.base_unit,
            _json(traits.implied),
            traits.definition,
        )


@lru_cache(maxsize=256)
def _json(pairs: tuple[tuple[str, str], ...]) -> str:
    return json.dumps(pairs, ensure_ascii=False)


def _insert(connection: sqlite3.Connection, table: _Table, chunk: PackedChunk) -> None:
    connection.execute(
        "INSERT INTO clock_chunk (clock_id, position, start_row, row_count, first_ns, last_ns, since_boot, times,"
        " line_numbers) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            table.clock_id,
            chunk.position,
            chunk.start_row,
            chunk.rows,
            chunk.first_ns,
            chunk.last_ns,
            chunk.since_boot,
            chunk.times,
            chunk.line_numbers,
        ),
    )
    connection.executemany(
        "INSERT INTO sample_chunk (series_id, position, valid, minimum, maximum, total, missing, data)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (
                table.series_ids[column.series_index],
                chunk.position,
                column.valid,
                column.minimum,
                column.maximum,
                column.total,
                column.missing,
                column.data,
            )
            for column in chunk.columns
        ],
    )


def _complete(connection: sqlite3.Connection, table: _Table, totals: PackedTotals) -> None:
    connection.execute(
        "UPDATE clock SET complete = 1, ascending = ?, rows_stored = ?, since_boot_rows = ?, chunks = ?,"
        " first_ns = ?, last_ns = ?, interval_s = ? WHERE id = ?",
        (
            int(totals.ascending),
            totals.rows,
            totals.since_boot,
            totals.chunks,
            totals.first_ns,
            totals.last_ns,
            totals.interval_s,
            table.clock_id,
        ),
    )
    # a row without a value counts as missing, also in the time before its series appeared
    connection.executemany(
        "UPDATE series SET sample_count = ?, missing_count = ?, first_ns = ?, last_ns = ? WHERE id = ?",
        [
            (tally.count, totals.rows - totals.since_boot - tally.count, tally.first_ns, tally.last_ns, series_id)
            for tally, series_id in zip(totals.tallies, table.series_ids, strict=True)
        ],
    )
