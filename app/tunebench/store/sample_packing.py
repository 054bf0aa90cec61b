"""From batches of samples to what is inserted into a project: pure, so that it can be done in another process.

Rows of one table are collected until a chunk is full (8,192 rows, fewer where the table is very wide), then
turned on their side, so that every column is packed from contiguous memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tunebench.core.records import record
from tunebench.sdk.batches import SampleBatch, SeriesKey
from tunebench.store.packing import PackedChunk
from tunebench.store.pyramid_building import BaseBins, ClockTile, SeriesTile
from tunebench.store.table_rows import SeriesTally, TableRows

ALL_TABLES_BYTES = 48 << 20
"""Unpacked values of all tables together that may wait."""
ALL_BINS_BYTES = 48 << 20
"""Bins of all tables together that are kept for the pyramids."""
_PACKED_BYTES = 4 << 20  # packed chunks that may wait for the next transaction


@record
class PackedRows:
    """Chunks of a table, and its series that are new since the last ones."""

    table: str
    keys: tuple[SeriesKey, ...]
    chunks: tuple[PackedChunk, ...]


@record
class PackedTiles:
    """A part of a table's pyramid: the clock's tiles, and those of some series by their index."""

    table: str
    clock: tuple[ClockTile, ...]
    series: tuple[tuple[int, tuple[SeriesTile, ...]], ...]


@record
class PackedTotals:
    """What is known of a table when all its rows are packed.

    Attributes:
        from_chunks: its pyramid is yet to be built, from the stored chunks.
        tallies: of each series, in the order in which they came.
    """

    table: str
    ascending: bool
    rows: int
    since_boot: int
    chunks: int
    first_ns: int | None
    last_ns: int | None
    interval_s: float | None
    from_chunks: bool
    tallies: tuple[SeriesTally, ...]


PackedPart = PackedRows | PackedTiles | PackedTotals


class SamplePacker:
    """Packs the samples of one capture. A table's parts are to be stored in the order in which they come."""

    def __init__(self) -> None:
        self._tables: dict[str, TableRows] = {}
        self._given: dict[str, int] = {}  # series of a table that were given away

    @property
    def waiting_bytes(self) -> int:
        """Unpacked values that wait in memory."""
        return sum(table.waiting_bytes for table in self._tables.values())

    def append(self, batch: SampleBatch) -> list[PackedRows]:
        """Takes a batch, gives what is to be stored now; the batch's arrays must not change afterwards."""
        if not len(batch.times_ns) or not batch.series:
            return []
        table = self._tables.get(batch.table)
        if table is None:
            table = self._tables[batch.table] = TableRows(batch.table)
        table.add(batch)
        tables = self._tables.values()
        while self.waiting_bytes > ALL_TABLES_BYTES:
            max(tables, key=lambda rows: rows.waiting_bytes).pack()
        self._bound_bins()
        return self._take() if sum(rows.packed_bytes for rows in tables) >= _PACKED_BYTES else []

    def finish(self) -> Iterator[Sequence[PackedPart]]:
        """All that is left: rows, pyramids, totals."""
        for table in self._tables.values():
            table.pack(last=True)
            self._bound_bins()
        yield self._take()
        totals = [_totals(table) for table in self._tables.values()]
        for table in self._tables.values():
            if table.has_pyramid and table.bins is not None:
                for tiles in _tiles(table, table.bins):
                    yield (tiles,)
            table.bins = None
        yield totals
        self._tables.clear()

    def _bound_bins(self) -> None:
        """Drops the bins of the largest tables while there are too many."""
        held = [(bins.nbytes, table) for table in self._tables.values() if (bins := table.bins) is not None]
        total = sum(size for size, _ in held)
        for size, table in sorted(held, key=lambda sized: -sized[0]):
            if total <= ALL_BINS_BYTES:
                return
            table.bins = None
            total -= size

    def _take(self) -> list[PackedRows]:
        return [self._rows_of(table) for table in self._tables.values()]

    def _rows_of(self, table: TableRows) -> PackedRows:
        given = self._given.get(table.name, 0)
        self._given[table.name] = len(table.columns)
        keys, chunks = tuple(list(table.columns)[given:]), tuple(table.packed)
        table.packed, table.packed_bytes = [], 0
        return PackedRows(table.name, keys, chunks)


def _tiles(table: TableRows, bins: BaseBins) -> Iterator[PackedTiles]:
    """The tiles of a table in parts of a few MB, each stored in a transaction of its own."""
    clock = tuple(bins.clock_tiles(table.stored))
    series: list[tuple[int, tuple[SeriesTile, ...]]] = []
    waiting_bytes = 0
    for index in range(len(table.columns)):
        tiles = tuple(bins.series_tiles(index, table.stored))
        series.append((index, tiles))
        waiting_bytes += sum(len(part) for tile in tiles for part in tile[2:] if part is not None)
        if waiting_bytes >= _PACKED_BYTES:
            yield PackedTiles(table.name, clock, tuple(series))
            clock, series, waiting_bytes = (), [], 0
    yield PackedTiles(table.name, clock, tuple(series))


def _totals(table: TableRows) -> PackedTotals:
    from_chunks = table.has_pyramid and table.bins is None
    return PackedTotals(
        table.name,
        table.ascending,
        table.stored,
        table.since_boot,
        table.chunks,
        table.first_ns,
        table.last_ns,
        table.interval_s(),
        from_chunks,
        tuple(table.tallies),
    )
