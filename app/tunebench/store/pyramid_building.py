"""Building a pyramid: from bins that were collected while the chunks were packed, or from the stored chunks.

The bins of the finest level take 28 bytes for 16 rows of a series. Most captures have room for them in memory; the
chunks of the others are read back once they are complete. Both ways give the same bins, bit for bit.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tunebench.sdk.scanning.column_form import BinColumns, fill_bins
from tunebench.store.chunks import read_measured, read_times
from tunebench.store.codec import pack_numbers, pack_quickly
from tunebench.store.pyramid import (
    FACTOR,
    FIRST_LEVEL,
    TILE_BINS,
    Bins,
    bin_values,
    full_counts,
    join_bins,
    levels_of,
    merge_bins,
)

if TYPE_CHECKING:
    from tunebench.store.project import Project

SIZE = FACTOR**FIRST_LEVEL
"""Rows in a bin of the finest level."""
_SLAB_ROWS = 1 << 16  # unpacked at once while building from chunks
_FLOAT32_MAX = float(np.finfo(np.float32).max)

ClockTile = tuple[int, int, bytes, bytes]
"""Level, position, starts, ends."""
SeriesTile = tuple[int, int, bytes, bytes, bytes, bytes | None]
"""Level, position, minimum, maximum, mean, valid."""


def bytes_of_bins(columns: int, rows: int) -> int:
    """What the finest bins of so many rows take."""
    return columns * (rows // int(SIZE)) * (3 * 8 + 4)


class BaseBins:
    """The finest bins of one clock, chunk by chunk: `begin`, then `add` for all columns from the left.

    Rows that do not fill a bin wait for the next chunk.
    """

    def __init__(self) -> None:
        self._parts: list[BinColumns] = []
        self._starts: list[NDArray[np.int64]] = []
        self._ends: list[NDArray[np.int64]] = []
        self._rest_times = np.empty(0, dtype=np.int64)
        self._rest = np.empty((0, 0))  # [columns, rows]
        self._next_rest = self._rest
        self._whole = 0

    def begin(self, times_ns: NDArray[np.int64], columns: int) -> None:
        """A chunk with rows at these times comes."""
        times_ns = np.concatenate([self._rest_times, times_ns])
        self._rest = self._next_rest
        self._whole = len(times_ns) // SIZE * SIZE
        self._starts.append(times_ns[: self._whole : SIZE].copy())
        self._ends.append(times_ns[SIZE - 1 : self._whole : SIZE].copy())
        self._rest_times = times_ns[self._whole :].copy()
        self._next_rest = np.full((columns, len(self._rest_times)), np.nan)
        self._parts.append(BinColumns.empty(columns, self._whole // SIZE))

    def add(self, low: int, measured: NDArray[np.float64]) -> None:
        """The values of the columns from `low` on: float64[columns, rows of the chunk], NaN where not measured."""
        columns, waiting = len(measured), self._rest.shape[1]
        if waiting:
            before = np.full((columns, waiting), np.nan)
            there = self._rest[low : low + columns]
            before[: len(there)] = there
            measured = np.concatenate([before, measured], axis=1)
        self._next_rest[low : low + columns] = measured[:, self._whole :]
        if self._whole:
            fill_bins(measured, SIZE, low, self._parts[-1])

    # --- when all rows came
    def _close(self) -> None:
        """The rows that still wait make the last bin."""
        rest, self._next_rest = self._next_rest, np.empty((0, 0))
        if not rest.shape[1]:
            return
        padded = np.full((len(rest), SIZE), np.nan)
        padded[:, : rest.shape[1]] = rest
        last = BinColumns.empty(len(rest), 1)
        fill_bins(padded, SIZE, 0, last)
        self._parts.append(last)
        self._starts.append(self._rest_times[:1])
        self._ends.append(self._rest_times[-1:])

    def clock_tiles(self, rows: int) -> list[ClockTile]:
        self._close()
        return list(_tiles_of_clock(np.concatenate(self._starts), np.concatenate(self._ends), levels_of(rows)))

    def series_tiles(self, columns: range, rows: int) -> list[list[SeriesTile]]:
        """The tiles of some columns; `clock_tiles` comes first."""
        return _tiles_of_series(join_bins([_of_columns(part, columns) for part in self._parts]), rows, levels_of(rows))


def _of_columns(part: BinColumns, columns: range) -> Bins:
    """The bins of some columns; empty where one came after this part."""
    own = part.of_columns(slice(columns.start, columns.stop))
    nothing = np.full((len(columns) - len(own.valid), own.valid.shape[1]), np.nan)
    minimum, maximum, total = (np.concatenate([array, nothing]) for array in (own.minimum, own.maximum, own.total))
    valid = np.concatenate([own.valid, np.zeros(nothing.shape, dtype=np.int64)])
    return Bins(minimum, maximum, total, valid)


def build_from_chunks(project: Project, clock_id: int, rows: int, series_ids: Sequence[int]) -> None:
    """Writes the pyramids of a clock and its series, one transaction for each."""
    levels = levels_of(rows)
    with project.reading() as connection:
        clock_tiles = _clock_tiles_of_chunks(connection, clock_id, levels)
    with project.transaction() as connection:
        insert_clock_tiles(connection, clock_id, clock_tiles)
    for series_id in series_ids:
        with project.reading() as connection:
            slabs = _slabs(read_measured(connection, clock_id, series_id))
            bins = join_bins([bin_values(slab, SIZE) for slab in slabs])
        with project.transaction() as connection:
            insert_series_tiles(connection, series_id, _tiles_of_series(_as_row(bins), rows, levels)[0])


def _as_row(bins: Bins) -> Bins:
    return Bins(bins.minimum[np.newaxis], bins.maximum[np.newaxis], bins.total[np.newaxis], bins.valid[np.newaxis])


def insert_clock_tiles(connection: sqlite3.Connection, clock_id: int, tiles: Iterable[ClockTile]) -> None:
    connection.executemany(
        "INSERT INTO clock_tile (clock_id, level, position, starts, ends) VALUES (?, ?, ?, ?, ?)",
        ((clock_id, *tile) for tile in tiles),
    )


def insert_series_tiles(connection: sqlite3.Connection, series_id: int, tiles: Iterable[SeriesTile]) -> None:
    connection.executemany(
        "INSERT INTO series_tile (series_id, level, position, minimum, maximum, mean, valid)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        ((series_id, *tile) for tile in tiles),
    )


def _slabs(chunks: Iterable[NDArray[Any]]) -> Iterator[NDArray[Any]]:
    """Joins chunks to pieces of whole bins (but the last)."""
    waiting: list[NDArray[Any]] = []
    length = 0
    for chunk in chunks:
        waiting.append(chunk)
        length += len(chunk)
        if length >= _SLAB_ROWS:
            joined = np.concatenate(waiting)
            whole = length - length % SIZE
            yield joined[:whole]
            waiting, length = [joined[whole:]], length - whole
    if length:
        yield np.concatenate(waiting)


def _clock_tiles_of_chunks(connection: sqlite3.Connection, clock_id: int, levels: range) -> list[ClockTile]:
    starts, ends = [], []
    for times_ns in _slabs(read_times(connection, clock_id)):
        starts.append(times_ns[::SIZE])
        ends.append(np.append(times_ns[SIZE - 1 :: SIZE][: len(starts[-1]) - 1], times_ns[-1]))
    return list(_tiles_of_clock(np.concatenate(starts), np.concatenate(ends), levels))


def _tiles_of_clock(start: NDArray[np.int64], end: NDArray[np.int64], levels: range) -> Iterator[ClockTile]:
    for level in levels:
        for position, at in enumerate(range(0, len(start), TILE_BINS)):
            tile = slice(at, at + TILE_BINS)
            yield level, position, pack_numbers(start[tile]), pack_numbers(end[tile])
        edges = np.arange(0, len(start), FACTOR)
        start, end = np.minimum.reduceat(start, edges), np.maximum.reduceat(end, edges)


def _tiles_of_series(bins: Bins, rows: int, levels: range) -> list[list[SeriesTile]]:
    """The tiles of each series of which these are the finest bins."""
    tiles: list[list[SeriesTile]] = [[] for _ in bins.valid]
    for level in levels:
        for position, at in enumerate(range(0, bins.valid.shape[1], TILE_BINS)):
            for of_series, blobs in zip(tiles, _packed(bins, at, level, rows), strict=True):
                if blobs is not None:
                    of_series.append((level, position, *blobs))
        bins = merge_bins(bins, FACTOR)
    return tiles


def _packed(bins: Bins, at: int, level: int, rows: int) -> Iterator[tuple[bytes, bytes, bytes, bytes | None] | None]:
    """Minimum, maximum, mean and `valid` of each series in the tile from bin `at` on; None where it has none."""
    part = slice(at, at + TILE_BINS)
    valid = bins.valid[:, part]
    is_full = (valid == full_counts(at, valid.shape[1], level, rows)).all(axis=1)
    # 0 in place of NaN packs better; `valid` tells them apart
    minimum, maximum, mean = (
        np.where(valid == 0, 0.0, array[:, part]) for array in (bins.minimum, bins.maximum, bins.mean)
    )
    figures = zip(pack_quickly(minimum), pack_quickly(maximum), _pack_means(mean), strict=True)
    for counts, full, packed in zip(valid, is_full.tolist(), figures, strict=True):
        yield (*packed, None if full else pack_numbers(counts)) if counts.any() else None


def _pack_means(means: NDArray[np.float64]) -> Iterator[bytes]:
    """Means are drawn, never computed with: seven digits do, where the range allows."""
    largest = np.abs(means).max(axis=1)
    for own, narrow in zip(means, (largest < _FLOAT32_MAX).tolist(), strict=True):
        yield pack_numbers(own.astype(np.float32) if narrow else own, quick=True)
