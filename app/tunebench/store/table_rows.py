"""Rows of one table that wait until they make a chunk, and what is known of its series so far."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tunebench.core.records import record
from tunebench.sdk.batches import SampleBatch, SeriesKey
from tunebench.sdk.recent import Recent
from tunebench.store.codec import pack_bits, pack_numbers
from tunebench.store.packing import PackedChunk, PackedColumn, measured_of, pack_columns
from tunebench.store.pyramid import levels_of
from tunebench.store.pyramid_building import BaseBins

CHUNK_ROWS = 8192
TABLE_BYTES = 48 << 20
"""Unpacked values of one table that may wait."""
_FEWEST_CHUNK_ROWS = 64
_STRIPE_VALUES = 1 << 18  # values turned on their side at once: they stay in the second-level cache while packed

_Columns = slice | NDArray[np.int64]


@record(frozen=False)
class SeriesTally:
    """Measured samples of one series, with the first and last time of them."""

    count: int = 0
    first_ns: int | None = None
    last_ns: int | None = None

    def add(self, column: PackedColumn) -> None:
        self.count += column.valid
        if column.first_ns is not None and column.last_ns is not None:
            self.first_ns = column.first_ns if self.first_ns is None else min(self.first_ns, column.first_ns)
            self.last_ns = column.last_ns if self.last_ns is None else max(self.last_ns, column.last_ns)


class TableRows:
    """One clock while it is written. Chunks leave through `packed`."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.columns: dict[SeriesKey, int] = {}
        self.tallies: list[SeriesTally] = []
        self.packed: list[PackedChunk] = []
        self.packed_bytes = 0
        self.waiting = 0
        self.stored = 0
        self.since_boot = 0
        self.chunks = 0
        self.ascending = True
        self.first_ns: int | None = None
        self.last_ns: int | None = None
        self._previous_ns: int | None = None
        self._steps: list[tuple[float, int]] = []  # a chunk's median step and how many steps it had
        self._parts: list[tuple[SampleBatch, _Columns]] = []
        self._columns_of = Recent(self._find_columns)
        self.bins: BaseBins | None = BaseBins()
        """For the pyramid; None where they became too many to hold."""

    @property
    def has_pyramid(self) -> bool:
        return self.ascending and len(levels_of(self.stored)) > 0

    @property
    def chunk_rows(self) -> int:
        """Rows that make a chunk: a power of two, fewer where the table is wide."""
        affordable = TABLE_BYTES // (8 * max(len(self.columns), 1))
        return max(_FEWEST_CHUNK_ROWS, min(CHUNK_ROWS, 1 << max(affordable.bit_length() - 1, 0)))

    @property
    def waiting_bytes(self) -> int:
        return self.waiting * len(self.columns) * 8

    def add(self, batch: SampleBatch) -> None:
        """Takes a batch; whole chunks are packed at once."""
        columns = self._columns_of(batch.series)
        start, rows = 0, len(batch.times_ns)
        while start < rows:
            stop = min(rows, start + max(self.chunk_rows - self.waiting, 1))
            self._parts.append((_rows_of(batch, start, stop), columns))
            self.waiting += stop - start
            start = stop
            if self.waiting >= self.chunk_rows:
                self.pack()
        if self._parts and len(self._parts[-1][0].times_ns) < rows:
            # the tail must not keep the whole of a large batch alive
            self._parts[-1] = _copy_of(self._parts[-1][0]), columns

    def interval_s(self) -> float | None:
        """Typical step between rows, seconds: the median of the chunks' medians, weighted by their steps."""
        half = sum(steps for _, steps in self._steps) / 2
        seen = 0
        for step, steps in sorted(self._steps):
            seen += steps
            if seen >= half:
                return step / 1e9
        return None

    def pack(self, last: bool = False) -> None:
        """Makes a chunk of all rows that wait; after the last no more rows come."""
        if not self.waiting:
            return
        if last and not levels_of(self.stored + self.waiting):
            self.bins = None
        batches = [batch for batch, _ in self._parts]
        times_ns = np.concatenate([batch.times_ns for batch in batches]).astype(np.int64, copy=False)
        since_boot = np.concatenate([batch.since_boot for batch in batches]).astype(bool, copy=False)
        line_numbers = np.concatenate([batch.line_numbers for batch in batches]).astype(np.int64, copy=False)
        flagged = int(np.count_nonzero(since_boot))
        chunk = PackedChunk(
            position=self.chunks,
            start_row=self.stored,
            rows=len(times_ns),
            first_ns=int(times_ns.min()),
            last_ns=int(times_ns.max()),
            since_boot=pack_bits(since_boot) if flagged else None,
            times=pack_numbers(times_ns),
            line_numbers=pack_numbers(line_numbers),
            columns=self._pack_columns(times_ns, since_boot),
        )
        self._note_times(times_ns, chunk)
        self._parts, self.waiting = [], 0
        self.chunks += 1
        self.stored += chunk.rows
        self.since_boot += flagged
        self.packed.append(chunk)
        self.packed_bytes += chunk.size_bytes

    def _pack_columns(self, times_ns: NDArray[np.int64], since_boot: NDArray[np.bool_]) -> list[PackedColumn]:
        rows, width = len(times_ns), len(self.columns)
        stripe = max(1, _STRIPE_VALUES // rows)
        packed: list[PackedColumn] = []
        if self.bins is not None:
            self.bins.begin(times_ns, width)
        for low in range(0, width, stripe):
            values = self._on_their_side(low, min(width, low + stripe), rows)
            measured = measured_of(values, since_boot)
            packed.extend(pack_columns(values, measured, low, times_ns))
            if self.bins is not None:
                self.bins.add(low, measured)
        for column in packed:
            self.tallies[column.series_index].add(column)
        return packed

    def _on_their_side(self, low: int, high: int, rows: int) -> NDArray[np.float64]:
        """Columns low..high of the rows that wait, float64[columns, rows]; NaN where a part lacks one."""
        values = np.full((high - low, rows), np.nan)
        at = 0
        for batch, columns in self._parts:
            until = at + len(batch.times_ns)
            if isinstance(columns, slice):
                part = batch.values[:, low : min(high, columns.stop)]
                values[: part.shape[1], at:until] = part.T
            else:
                wanted = np.flatnonzero((columns >= low) & (columns < high))
                values[columns[wanted] - low, at:until] = batch.values[:, wanted].T
            at = until
        return values

    def _find_columns(self, keys: tuple[SeriesKey, ...]) -> _Columns:
        """Where a batch's series stand among the table's columns; a slice where they lead in order."""
        if len(set(keys)) != len(keys):
            raise ValueError(f"table {self.name}: a batch names a series twice")
        for key in keys:
            if key not in self.columns:
                self.columns[key] = len(self.columns)
                self.tallies.append(SeriesTally())
        indices = np.array([self.columns[key] for key in keys], dtype=np.int64)
        in_order = np.array_equal(indices, np.arange(len(keys)))
        return slice(0, len(keys)) if in_order else indices

    def _note_times(self, times_ns: NDArray[np.int64], chunk: PackedChunk) -> None:
        steps = np.diff(times_ns)
        falls = bool((steps < 0).any()) or (self._previous_ns is not None and int(times_ns[0]) < self._previous_ns)
        self.ascending = self.ascending and not falls
        self._previous_ns = int(times_ns[-1])
        self.first_ns = chunk.first_ns if self.first_ns is None else min(self.first_ns, chunk.first_ns)
        self.last_ns = chunk.last_ns if self.last_ns is None else max(self.last_ns, chunk.last_ns)
        forward = steps[steps > 0]
        if len(forward):
            self._steps.append((float(np.median(forward)), len(forward)))


def _rows_of(batch: SampleBatch, start: int, stop: int) -> SampleBatch:
    if stop - start == len(batch.times_ns):
        return batch
    return SampleBatch(
        batch.table,
        batch.times_ns[start:stop],
        batch.series,
        batch.values[start:stop],
        batch.since_boot[start:stop],
        batch.line_numbers[start:stop],
    )


def _copy_of(batch: SampleBatch) -> SampleBatch:
    return SampleBatch(
        batch.table,
        batch.times_ns.copy(),
        batch.series,
        batch.values.copy(),
        batch.since_boot.copy(),
        batch.line_numbers.copy(),
    )
