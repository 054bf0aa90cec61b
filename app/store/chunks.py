"""Unpacks the chunks of one series."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.store.codec import unpack_bits, unpack_numbers

_READ_AHEAD = 32  # rows fetched at once


@dataclass(frozen=True, slots=True)
class Chunk:
    """Rows of one series, in the order they were stored; see `SeriesData`."""

    times_ns: NDArray[np.int64]
    values: NDArray[np.float64]
    since_boot: NDArray[np.bool_]
    line_numbers: NDArray[np.int64]


def read_chunks(
    connection: sqlite3.Connection, clock_id: int, series_id: int, first: int, last: int
) -> Iterator[Chunk]:
    """Chunks at positions `first` to `last`, both included."""
    for rows, since_boot, times, line_numbers, missing, data in _rows(
        connection,
        "SELECT c.row_count, c.since_boot, c.times, c.line_numbers, s.missing, s.data FROM clock_chunk AS c"
        " LEFT JOIN sample_chunk AS s ON s.series_id = ? AND s.position = c.position"
        " WHERE c.clock_id = ? AND c.position BETWEEN ? AND ? ORDER BY c.position",
        (series_id, clock_id, first, last),
    ):
        yield Chunk(
            unpack_numbers(times, rows, np.int64),
            unpack_values(missing, data, rows),
            unpack_flags(since_boot, rows),
            unpack_numbers(line_numbers, rows, np.int64),
        )


def read_measured(connection: sqlite3.Connection, clock_id: int, series_id: int) -> Iterator[NDArray[np.float64]]:
    """Values chunk by chunk, NaN where missing or since boot."""
    for rows, since_boot, missing, data in _rows(
        connection,
        "SELECT c.row_count, c.since_boot, s.missing, s.data FROM clock_chunk AS c"
        " LEFT JOIN sample_chunk AS s ON s.series_id = ? AND s.position = c.position"
        " WHERE c.clock_id = ? ORDER BY c.position",
        (series_id, clock_id),
    ):
        values = unpack_values(missing, data, rows)
        if since_boot is not None:
            values[unpack_flags(since_boot, rows)] = np.nan
        yield values


def read_times(connection: sqlite3.Connection, clock_id: int) -> Iterator[NDArray[np.int64]]:
    for rows, times in _rows(
        connection, "SELECT row_count, times FROM clock_chunk WHERE clock_id = ? ORDER BY position", (clock_id,)
    ):
        yield unpack_numbers(times, rows, np.int64)


def unpack_values(missing: bytes | None, data: bytes | None, rows: int) -> NDArray[np.float64]:
    """float64[rows] of a sample chunk; all NaN where the series has no chunk there. The caller's own array."""
    if data is None:
        return np.full(rows, np.nan)
    if missing is None:
        return unpack_numbers(data, rows)
    present = ~unpack_bits(missing, rows)
    values = np.full(rows, np.nan)
    values[present] = unpack_numbers(data, int(np.count_nonzero(present)))
    return values


def unpack_flags(since_boot: bytes | None, rows: int) -> NDArray[np.bool_]:
    return np.zeros(rows, dtype=bool) if since_boot is None else unpack_bits(since_boot, rows)


def _rows(connection: sqlite3.Connection, query: str, values: tuple[int, ...]) -> Iterator[tuple[Any, ...]]:
    cursor = connection.execute(query, values)
    while rows := cursor.fetchmany(_READ_AHEAD):
        yield from rows
