"""What the rest of the program asks of the samples. Opening a project asks nothing here."""

# ruff: noqa: S608 - only names written in this module are put into queries; values are bound

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tunebench.analysis.series import Envelope, SeriesData
from tunebench.core.errors import UserError
from tunebench.core.records import record
from tunebench.domain.engagement import Direction, Kind
from tunebench.domain.series import SeriesInfo
from tunebench.store.chunks import read_clock, read_values
from tunebench.store.codec import unpack_numbers
from tunebench.store.pyramid import FACTOR, Bins, bin_values, bins_of, levels_of, merge_bins, read_bin_times, read_bins

if TYPE_CHECKING:
    from tunebench.store.project import Project


_SERIES = (
    "SELECT s.id, a.run_id, run.label, coalesce(a.host_id, 0), coalesce(host.name, ''), a.id, c.id, c.tool,"
    " c.table_name, s.native, s.metric, s.unit, s.kind, s.direction, s.to_base, s.base_unit, s.sample_count,"
    " s.missing_count, s.first_ns, s.last_ns, c.interval_s, s.attributes, s.implied,"
    " s.definition"
    " FROM series AS s JOIN clock AS c ON c.id = s.clock_id JOIN artefact AS a ON a.id = c.artefact_id"
    " JOIN run ON run.id = a.run_id LEFT JOIN host ON host.id = a.host_id WHERE c.complete = 1"
)


@record
class _Clock:
    id: int
    ascending: bool
    rows: int
    chunks: int


# -- series --------------------------------------------------------------------------------------------


def list_series(project: Project, run_id: int | None = None, artefact_id: int | None = None) -> list[SeriesInfo]:
    """Series of one run, one artefact or all; reads no samples.

    `count` leaves missing and since-boot samples out; `missing` is the rows of its table without a value.
    `first_ns` and `last_ns` are its own first and last value's.
    """
    conditions = {" AND a.run_id = ?": run_id, " AND a.id = ?": artefact_id}
    given = {condition: value for condition, value in conditions.items() if value is not None}
    return [
        _series_info(row) for row in project.rows(f"{_SERIES}{''.join(given)} ORDER BY s.id", tuple(given.values()))
    ]


def find_series(project: Project, series_id: int) -> SeriesInfo:
    """Raises UserError series_missing where there is none."""
    row = project.row(f"{_SERIES} AND s.id = ?", (series_id,))
    if row is None:
        raise UserError("series_missing", series_id=series_id)
    return _series_info(row)


def _series_info(row: tuple[Any, ...]) -> SeriesInfo:
    texts = (dict(json.loads(row[21])), dict(json.loads(row[22])), row[23])
    values = (*row[:12], Kind(row[12]), Direction(row[13]), *row[14:21], *texts)
    return SeriesInfo(*values)


def storage_size(project: Project) -> int:
    """Bytes of the project file, with what still waits in the WAL."""
    pages, page_bytes = (int(project.row(f"PRAGMA {name}")[0]) for name in ("page_count", "page_size"))
    return pages * page_bytes


# -- samples -------------------------------------------------------------------------------------------


def read_series(project: Project, series_id: int, start_ns: int | None = None, end_ns: int | None = None) -> SeriesData:
    """Samples with start_ns <= time <= end_ns, in the order of time (equal times as captured)."""
    table = read_columns(project, [series_id], start_ns, end_ns)
    return SeriesData(table.times_ns, table.values[0], table.since_boot, table.line_numbers)


def read_columns(
    project: Project, series_ids: Sequence[int], start_ns: int | None = None, end_ns: int | None = None
) -> SeriesData:
    """`read_series` of one or more columns of one table, as the rows of its values."""
    with project.reading() as connection:
        clock = _clock_of(connection, series_ids[0])
        return _read_window(connection, clock, series_ids, start_ns, end_ns)


def _clock_of(connection: sqlite3.Connection, series_id: int) -> _Clock:
    row = connection.execute(
        "SELECT c.id, c.ascending, c.rows_stored, c.chunks FROM series AS s JOIN clock AS c ON c.id = s.clock_id"
        " WHERE s.id = ? AND c.complete = 1",
        (series_id,),
    ).fetchone()
    if row is None:
        raise UserError("series_missing", series_id=series_id)
    return _Clock(row[0], bool(row[1]), row[2], row[3])


def _read_window(
    connection: sqlite3.Connection, clock: _Clock, series_ids: Sequence[int], start_ns: int | None, end_ns: int | None
) -> SeriesData:
    first, last = 0, clock.chunks - 1
    if clock.ascending:
        if start_ns is not None:
            first = _position_before(connection, clock, start_ns, "<") or 0
        if end_ns is not None:
            position = _position_before(connection, clock, end_ns, "<=")
            last = -1 if position is None else position
    rows = read_clock(connection, clock.id, first, last)
    order = slice(None) if clock.ascending else np.argsort(rows.times_ns, kind="stable")
    times_ns = rows.times_ns[order]
    low = 0 if start_ns is None else int(np.searchsorted(times_ns, start_ns, "left"))
    high = len(times_ns) if end_ns is None else int(np.searchsorted(times_ns, end_ns, "right"))
    inside = slice(low, max(low, high))
    times_ns, since_boot, lines = times_ns[inside], rows.since_boot[order][inside], rows.line_numbers[order][inside]
    values = read_values(connection, rows, series_ids)
    ordered = values if isinstance(order, slice) else np.take(values, order, axis=1)
    return SeriesData(times_ns, ordered[:, inside], since_boot, lines)


def _position_before(connection: sqlite3.Connection, clock: _Clock, time_ns: int, comparison: str) -> int | None:
    """Position of the last chunk that starts before (or at) a time, on an ascending clock."""
    row = connection.execute(
        f"SELECT position FROM clock_chunk WHERE clock_id = ? AND first_ns {comparison} ?"
        " ORDER BY first_ns DESC, position DESC LIMIT 1",
        (clock.id, time_ns),
    ).fetchone()
    return None if row is None else int(row[0])


def _pick(data: SeriesData, index: slice | NDArray[np.int64]) -> SeriesData:
    return SeriesData(data.times_ns[index], data.values[index], data.since_boot[index], data.line_numbers[index])


# -- envelope ------------------------------------------------------------------------------------------


def read_envelope(project: Project, series_id: int, start_ns: int, end_ns: int, bins: int) -> Envelope:
    """At most about 2 * `bins` bins of start_ns..end_ns, one bin beyond each edge included.

    Every value of the window lies between minimum and maximum of its bin; up to 2 * `bins` samples are
    given one by one. Touches a number of rows that depends on `bins`, not on the length of the window.
    """
    bins = max(bins, 1)
    with project.reading() as connection:
        clock = _clock_of(connection, series_id)
        if not clock.ascending:
            return _envelope_of(read_series(project, series_id), start_ns, end_ns, bins)
        first = _row_at(connection, clock, start_ns, "left")
        last = max(first, _row_at(connection, clock, end_ns, "right"))
        level = _level_for(last - first, clock.rows, bins)
        if level == 0:
            return _raw_envelope(connection, clock, series_id, first, last, bins)
        return _pyramid_envelope(connection, clock, series_id, level, first, last, bins)


def _row_at(connection: sqlite3.Connection, clock: _Clock, time_ns: int, side: str) -> int:
    """Number of rows before (side ``left``) or up to (``right``) a time."""
    row = connection.execute(
        "SELECT start_row, row_count, last_ns, times FROM clock_chunk WHERE clock_id = ? AND first_ns"
        f" {'<' if side == 'left' else '<='} ? ORDER BY first_ns DESC, position DESC LIMIT 1",
        (clock.id, time_ns),
    ).fetchone()
    if row is None:
        return 0
    start_row, count, last_ns, times = row
    if last_ns < time_ns:
        return int(start_row + count)
    inside = np.searchsorted(unpack_numbers(times, count, np.int64), time_ns, "left" if side == "left" else "right")
    return int(start_row + inside)


def _level_for(window_rows: int, rows: int, bins: int) -> int:
    """The coarsest level that still has `bins` bins in the window; 0 for the samples themselves."""
    fitting = [level for level in levels_of(rows) if window_rows >= bins * FACTOR**level]
    return fitting[-1] if fitting else 0


def _span(first: int, last: int, limit: int, bins: int) -> tuple[int, int, int]:
    """How many items make one bin, and the items (first, last) of the bins that cover a window and one more
    bin on each side. Bins start at multiples of their size, so that they stay put while the window moves."""
    size = max(1, -(-(last - first) // (2 * bins)))
    return size, max(0, (first // size - 1) * size), min(limit, (-(-last // size) + 1) * size)


def _raw_envelope(
    connection: sqlite3.Connection, clock: _Clock, series_id: int, first: int, last: int, bins: int
) -> Envelope:
    size, low, high = _span(first, last, clock.rows, bins)
    from_position, start_row = _chunk_of_row(connection, clock, low)
    to_position, _ = _chunk_of_row(connection, clock, max(low, high - 1))
    rows = read_clock(connection, clock.id, from_position, to_position)
    (values,) = read_values(connection, rows, [series_id])
    data = SeriesData(rows.times_ns, values, rows.since_boot, rows.line_numbers)
    return envelope_of_rows(_pick(data, slice(low - start_row, high - start_row)), size)


def _chunk_of_row(connection: sqlite3.Connection, clock: _Clock, row: int) -> tuple[int, int]:
    """Position and first row of the chunk that holds a row."""
    chunk = connection.execute(
        "SELECT position, start_row FROM clock_chunk WHERE clock_id = ? AND start_row <= ?"
        " ORDER BY start_row DESC LIMIT 1",
        (clock.id, row),
    ).fetchone()
    return (0, 0) if chunk is None else chunk


def _envelope_of(data: SeriesData, start_ns: int, end_ns: int, bins: int) -> Envelope:
    """The envelope of samples already in memory, sorted by time."""
    first = int(np.searchsorted(data.times_ns, start_ns, "left"))
    last = max(first, int(np.searchsorted(data.times_ns, end_ns, "right")))
    size, low, high = _span(first, last, len(data.times_ns), bins)
    return envelope_of_rows(_pick(data, slice(low, high)), size)


def envelope_of_rows(data: SeriesData, size: int) -> Envelope:
    """Bins of `size` successive samples."""
    if data.since_boot.any():
        data = _without_since_boot(data, size)
    if size == 1 or not len(data.values):
        return Envelope(data.times_ns, data.times_ns, data.values, data.values, data.values, size)
    edges = np.arange(0, len(data.values), size)
    ends = np.append(edges[1:], len(data.values)) - 1
    return _envelope(data.times_ns[edges], data.times_ns[ends], bin_values(data.values, size), size)


def _without_since_boot(data: SeriesData, size: int) -> SeriesData:
    """Samples since boot are left out; where samples are binned they become missing, so that bins stay put."""
    if size == 1:
        return _pick(data, np.flatnonzero(~data.since_boot))
    values = np.where(data.since_boot, np.nan, data.values)
    return SeriesData(data.times_ns, values, data.since_boot, data.line_numbers)


def _pyramid_envelope(
    connection: sqlite3.Connection, clock: _Clock, series_id: int, level: int, first: int, last: int, bins: int
) -> Envelope:
    base = FACTOR**level
    size, low, high = _span(first // base, -(-last // base), bins_of(clock.rows, level), bins)
    starts, ends = read_bin_times(connection, clock.id, level, low, high, clock.rows)
    merged = merge_bins(read_bins(connection, series_id, level, low, high, clock.rows), size)
    edges = np.arange(0, len(starts), size)
    lasts = np.append(edges[1:], len(starts)) - 1
    return _envelope(starts[edges], ends[lasts], merged, base * size)


def _envelope(times_ns: NDArray[np.int64], end_ns: NDArray[np.int64], bins: Bins, size: int) -> Envelope:
    return Envelope(times_ns, end_ns, bins.minimum, bins.mean, bins.maximum, size)
