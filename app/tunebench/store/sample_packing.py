"""From batches of samples to what is inserted into a project: pure, so that it can be done in another process.

Rows of one table are collected until a chunk is full (8,192 rows, fewer where the table is very wide), on their side,
so that every column is packed from contiguous memory. Chunks are packed beside the caller, and given in the order in
which they were full.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from functools import partial
from itertools import islice

from tunebench.core.beside import beside, in_order
from tunebench.core.records import record
from tunebench.sdk.batches import SampleBatch, SeriesKey
from tunebench.store.packing import PackedChunk
from tunebench.store.pyramid_building import BaseBins, ClockTile, SeriesTile
from tunebench.store.table_rows import FullRows, SeriesTally, TableRows

ALL_TABLES_BYTES = 96 << 20
"""Unpacked values of all tables together that may wait."""
ALL_BINS_BYTES = 48 << 20
"""Bins of all tables together that are kept for the pyramids."""
_PACKED_BYTES = 4 << 20  # of tiles that may wait for the next transaction
_GIVEN_BYTES = 32 << 20  # unpacked, of the chunks of a transaction
_BESIDE_BYTES = 48 << 20  # unpacked, of chunks that wait to be packed
_SERIES_AT_ONCE = 16  # of which the tiles are made


@record
class PackedRows:
    """A chunk of a table, and its series that are new since the last one."""

    table: str
    keys: tuple[SeriesKey, ...]
    chunk: PackedChunk


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


@record
class _Asked:
    """A chunk that is being packed."""

    table: TableRows
    keys: tuple[SeriesKey, ...]
    chunk: Future[PackedChunk]
    nbytes: int

    def taken(self) -> PackedRows:
        chunk = self.chunk.result()
        self.table.tally(chunk)
        return PackedRows(self.table.name, self.keys, chunk)


class SamplePacker:
    """Packs the samples of one capture. A table's parts are to be stored in the order in which they come."""

    def __init__(self) -> None:
        self._tables: dict[str, TableRows] = {}
        self._given: dict[str, int] = {}  # series of a table that were given away
        self._asked: deque[_Asked] = deque()

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
        for rows in table.add(batch):
            self._ask(table, rows)
        while self.waiting_bytes > ALL_TABLES_BYTES:
            self._ask_all(max(self._tables.values(), key=lambda rows: rows.waiting_bytes))
        if sum(asked.nbytes for asked in self._asked) < _GIVEN_BYTES:
            return []
        return [self._asked.popleft().taken() for _ in range(len(self._asked) - 1)]  # the last is not yet packed

    def finish(self) -> Iterator[Sequence[PackedPart]]:
        """All that is left: rows, pyramids, totals."""
        for table in self._tables.values():
            self._ask_all(table, last=True)
        yield [asked.taken() for asked in self._asked]
        self._asked.clear()
        totals = [_totals(table) for table in self._tables.values()]
        for table in self._tables.values():
            if table.has_pyramid and table.bins is not None:
                for tiles in _tiles(table, table.bins):
                    yield (tiles,)
            table.bins = None
        yield totals
        self._tables.clear()

    def _ask_all(self, table: TableRows, last: bool = False) -> None:
        for rows in table.take(last):
            self._ask(table, rows)

    def _ask(self, table: TableRows, rows: FullRows) -> None:
        given = self._given.get(table.name, 0)
        self._given[table.name] = len(table.columns)
        self._asked.append(_Asked(table, tuple(islice(table.columns, given, None)), beside(rows.packed), rows.nbytes))
        self._bound_bins()
        beside_bytes = 0
        for asked in reversed(self._asked):
            beside_bytes += asked.nbytes
            if beside_bytes > _BESIDE_BYTES:
                asked.chunk.result()  # memory is bounded: what was full before this one is packed first
                return

    def _bound_bins(self) -> None:
        """Drops the bins of the largest tables while there are too many."""
        held = [table for table in self._tables.values() if table.bins is not None]
        total = sum(table.bin_bytes for table in held)
        for table in sorted(held, key=lambda held: -held.bin_bytes):
            if total <= ALL_BINS_BYTES:
                return
            table.bins = None
            total -= table.bin_bytes


def _tiles(table: TableRows, bins: BaseBins) -> Iterator[PackedTiles]:
    """The tiles of a table in parts of a few MB, each stored in a transaction of its own."""
    clock = tuple(bins.clock_tiles(table.stored))
    series: list[tuple[int, tuple[SeriesTile, ...]]] = []
    waiting_bytes = 0
    some = range(0, len(table.columns), _SERIES_AT_ONCE)
    for tiles_of_some in in_order(partial(_tiles_of_some, table, bins), some, ahead=2):
        for index, tiles in tiles_of_some:
            series.append((index, tiles))
            waiting_bytes += sum(len(part) for tile in tiles for part in tile[2:] if part is not None)
        if waiting_bytes >= _PACKED_BYTES:
            yield PackedTiles(table.name, clock, tuple(series))
            clock, series, waiting_bytes = (), [], 0
    yield PackedTiles(table.name, clock, tuple(series))


def _tiles_of_some(table: TableRows, bins: BaseBins, first: int) -> list[tuple[int, tuple[SeriesTile, ...]]]:
    some = range(first, min(first + _SERIES_AT_ONCE, len(table.columns)))
    return [(index, tuple(tiles)) for index, tiles in zip(some, bins.series_tiles(some, table.stored), strict=True)]


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
