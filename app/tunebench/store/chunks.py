"""Unpacks the chunks of one series."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tunebench.core.records import record
from tunebench.store.codec import require_count, unpack_bits, unpack_into, unpack_numbers

# ruff: noqa: S608 - only marks are put into queries; values are bound

_READ_AHEAD = 32  # rows fetched at once
_COLUMNS_AT_ONCE = 500


@record
class ClockRows:
    """Rows of a table in the order they were stored, which all its columns have in common; see `SeriesData`.

    Attributes:
        first: position of the first chunk.
        counts: rows of each chunk.
    """

    first: int
    counts: tuple[int, ...]
    times_ns: NDArray[np.int64]
    since_boot: NDArray[np.bool_]
    line_numbers: NDArray[np.int64]


def read_clock(connection: sqlite3.Connection, clock_id: int, first: int, last: int) -> ClockRows:
    """Chunks at positions `first` to `last`, both included."""
    chunks = [
        (rows, unpack_numbers(times, rows, np.int64), unpack_flags(flags, rows), unpack_numbers(lines, rows, np.int64))
        for rows, flags, times, lines in _rows(
            connection,
            "SELECT row_count, since_boot, times, line_numbers FROM clock_chunk"
            " WHERE clock_id = ? AND position BETWEEN ? AND ? ORDER BY position",
            (clock_id, first, last),
        )
    ]
    if not chunks:
        none = np.empty(0, dtype=np.int64)
        return ClockRows(first, (), none, np.empty(0, dtype=bool), none)
    counts, times, flags, lines = zip(*chunks, strict=True)
    return ClockRows(first, counts, np.concatenate(times), np.concatenate(flags), np.concatenate(lines))


def read_values(connection: sqlite3.Connection, clock: ClockRows, series_ids: Sequence[int]) -> NDArray[np.float64]:
    """float64[columns, rows]: the values of each column in the rows of its clock, NaN where missing."""
    ends = np.cumsum(clock.counts, dtype=np.intp).tolist()
    spans = list(zip([0, *ends], ends, strict=False))
    values = np.full((len(series_ids), len(clock.times_ns)), np.nan)
    row_of = {id_: row for row, id_ in enumerate(series_ids)}
    for at in range(0, len(series_ids), _COLUMNS_AT_ONCE):
        some = series_ids[at : at + _COLUMNS_AT_ONCE]
        for id_, position, missing, data in _rows(
            connection,
            "SELECT series_id, position, missing, data FROM sample_chunk"
            f" WHERE series_id IN ({', '.join('?' * len(some))}) AND position BETWEEN ? AND ?",
            (*some, clock.first, clock.first + len(clock.counts) - 1),
        ):
            low, high = spans[position - clock.first]
            chunk = values[row_of[id_], low:high]
            if missing is None:
                unpack_into(data, chunk)
            else:
                chunk[:] = unpack_values(missing, data, high - low)
    return values


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
        require_count(rows)
        return np.full(rows, np.nan)
    if missing is None:
        return unpack_numbers(data, rows)
    present = ~unpack_bits(missing, rows)
    values = np.full(rows, np.nan)
    values[present] = unpack_numbers(data, int(np.count_nonzero(present)))
    return values


def unpack_flags(since_boot: bytes | None, rows: int) -> NDArray[np.bool_]:
    return np.zeros(rows, dtype=bool) if since_boot is None else unpack_bits(since_boot, rows)


def _rows(connection: sqlite3.Connection, query: str, values: Sequence[int]) -> Iterator[tuple[Any, ...]]:
    cursor = connection.execute(query, values)
    while rows := cursor.fetchmany(_READ_AHEAD):
        yield from rows
