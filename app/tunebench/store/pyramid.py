"""The pyramid: minimum, maximum and mean of 16, 64, 256 ... successive rows, so that a chart of any window
reads a few rows only.

Bins follow the rows of the clock, not the time: a bin of level k covers rows i * 4^k to (i + 1) * 4^k - 1.
Missing and since-boot samples are in no bin. It is built when the artefact's samples are complete
(`pyramid_building`).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tunebench.core.records import record
from tunebench.sdk.scanning.column_form import BinColumns, fill_bins
from tunebench.store.codec import unpack_numbers

FACTOR = 4
FIRST_LEVEL = 2
TILE_BINS = 4096
_FEWEST_ROWS = 8192  # a clock of no more rows has no pyramid: its one chunk is as quick
_FEWEST_BY_PAIRS = 8  # numbers that NumPy does not add one after the other
_FEWEST_BINS = 256  # a level of no more bins is the top


@record
class Bins:
    """k bins of one series or of several: float64[..., k] each, NaN where `valid` (int64, values in the bin) is 0."""

    minimum: NDArray[np.float64]
    maximum: NDArray[np.float64]
    total: NDArray[np.float64]
    valid: NDArray[np.int64]

    @property
    def mean(self) -> NDArray[np.float64]:
        with np.errstate(invalid="ignore", over="ignore"):
            mean = self.total / np.maximum(self.valid, 1)
            # rounding of a sum may step over the edge by one unit in the last place
            return np.where(self.valid > 0, np.clip(mean, self.minimum, self.maximum), np.nan)


def levels_of(rows: int) -> range:
    """The levels a clock of `rows` rows has."""
    if rows <= _FEWEST_ROWS:
        return range(FIRST_LEVEL, FIRST_LEVEL)
    top = FIRST_LEVEL
    while bins_of(rows, top) > _FEWEST_BINS:
        top += 1
    return range(FIRST_LEVEL, top + 1)


def bins_of(rows: int, level: int) -> int:
    return -(-rows // int(FACTOR**level))


def bin_values(values: NDArray[np.float64], size: int) -> Bins:
    """Bins of `size` successive values; the last may hold fewer."""
    bins = -(-len(values) // size)
    padded = values if bins * size == len(values) else np.append(values, np.full(bins * size - len(values), np.nan))
    columns = BinColumns.empty(1, bins)
    fill_bins(np.ascontiguousarray(padded)[np.newaxis], size, 0, columns)
    return Bins(columns.minimum[0], columns.maximum[0], columns.total[0], columns.valid[0].astype(np.int64))


def merge_bins(bins: Bins, size: int) -> Bins:
    """Bins of `size` successive bins."""
    if size == 1 or not bins.valid.size:
        return bins
    with np.errstate(invalid="ignore", over="ignore"):
        total = _merged(np.add, np.where(bins.valid > 0, bins.total, 0.0), size)
    valid = _merged(np.add, bins.valid, size)
    return Bins(
        _merged(np.fmin, bins.minimum, size),
        _merged(np.fmax, bins.maximum, size),
        np.where(valid > 0, total, np.nan),
        valid,
    )


def _merged(function: np.ufunc, values: NDArray[Any], size: int) -> NDArray[Any]:
    """`size` successive values become one, one after the other."""
    count = values.shape[-1]
    if size >= _FEWEST_BY_PAIRS:
        by_pairs: NDArray[Any] = function.reduceat(values, np.arange(0, count, size), axis=-1)
        return by_pairs
    whole = count // size * size
    merged = values[..., 0:whole:size]
    for offset in range(1, size):
        merged = function(merged, values[..., offset:whole:size])
    if whole == count:
        return merged
    return np.concatenate([merged, function.reduce(values[..., whole:], axis=-1, keepdims=True)], axis=-1)


def join_bins(parts: Sequence[Bins]) -> Bins:
    return Bins(
        np.concatenate([part.minimum for part in parts], axis=-1),
        np.concatenate([part.maximum for part in parts], axis=-1),
        np.concatenate([part.total for part in parts], axis=-1),
        np.concatenate([part.valid for part in parts], axis=-1),
    )


def full_counts(at: int, bins: int, level: int, rows: int) -> NDArray[np.int64]:
    """Rows in each of `bins` bins from number `at` on."""
    size = FACTOR**level
    starts = np.arange(at, at + bins, dtype=np.int64) * size
    counts: NDArray[np.int64] = np.minimum(starts + size, rows) - starts
    return counts


# -- reading -------------------------------------------------------------------------------------------


def read_bin_times(
    connection: sqlite3.Connection, clock_id: int, level: int, first: int, last: int, rows: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """First and last time of each bin from number `first` up to, without, `last`."""
    tiles = connection.execute(
        "SELECT position, starts, ends FROM clock_tile WHERE clock_id = ? AND level = ? AND position BETWEEN ? AND ?"
        " ORDER BY position",
        (clock_id, level, first // TILE_BINS, (last - 1) // TILE_BINS),
    ).fetchall()
    total = bins_of(rows, level)
    part = slice(first % TILE_BINS, first % TILE_BINS + last - first)
    starts = [unpack_numbers(start, _bins_in_tile(position, total), np.int64) for position, start, _ in tiles]
    ends = [unpack_numbers(end, _bins_in_tile(position, total), np.int64) for position, _, end in tiles]
    return np.concatenate(starts)[part], np.concatenate(ends)[part]


def read_bins(connection: sqlite3.Connection, series_id: int, level: int, first: int, last: int, rows: int) -> Bins:
    """Bins from number `first` up to, without, `last`."""
    tiles = range(first // TILE_BINS, (last - 1) // TILE_BINS + 1)
    stored = {
        position: blobs
        for position, *blobs in connection.execute(
            "SELECT position, minimum, maximum, mean, valid FROM series_tile WHERE series_id = ? AND level = ?"
            " AND position BETWEEN ? AND ?",
            (series_id, level, tiles[0], tiles[-1]),
        ).fetchall()
    }
    joined = join_bins([_unpack_tile(stored.get(position), position, level, rows) for position in tiles])
    part = slice(first % TILE_BINS, first % TILE_BINS + last - first)
    return Bins(joined.minimum[part], joined.maximum[part], joined.total[part], joined.valid[part])


def _bins_in_tile(position: int, total: int) -> int:
    return min(TILE_BINS, total - position * TILE_BINS)


def _unpack_tile(blobs: list[Any] | None, position: int, level: int, rows: int) -> Bins:
    count = _bins_in_tile(position, bins_of(rows, level))
    if blobs is None:
        nothing = np.full(count, np.nan)
        return Bins(nothing, nothing, nothing, np.zeros(count, dtype=np.int64))
    minimum, maximum, mean = (unpack_numbers(blob, count) for blob in blobs[:3])
    if blobs[3] is None:
        valid = full_counts(position * TILE_BINS, count, level, rows)
    else:
        valid = unpack_numbers(blobs[3], count, np.int64)
        for array in (minimum, maximum, mean):
            array[valid == 0] = np.nan
    with np.errstate(invalid="ignore", over="ignore"):
        return Bins(minimum, maximum, mean * valid, valid)
