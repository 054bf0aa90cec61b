"""Rows of one table that wait until they make a chunk, and what is known of its series so far."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from tunebench.core.records import record
from tunebench.sdk.batches import SampleBatch, SeriesKey
from tunebench.sdk.recent import Recent
from tunebench.store.codec import pack_bits, pack_numbers
from tunebench.store.packing import PackedChunk, PackedColumn, pack_columns
from tunebench.store.pyramid import levels_of
from tunebench.store.pyramid_building import BaseBins, bytes_of_bins

CHUNK_ROWS = 8192
TABLE_BYTES = 96 << 20
"""Unpacked values of one table that may wait."""
_FEWEST_CHUNK_ROWS = 64
_STRIPE_VALUES = 1 << 17  # values turned on their side at once: they stay in the second-level cache while packed

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


@record(frozen=False)
class FullRows:
    """The rows of a chunk before they are packed, which `packed` does once.

    Attributes:
        blocks: float64[some columns, some rows] one behind the other, and which of the columns these are.
        width: columns of the table.
        bins: those of the rows are added to them.
    """

    position: int
    start_row: int
    times_ns: NDArray[np.int64]
    since_boot: NDArray[np.bool_]
    line_numbers: NDArray[np.int64]
    blocks: list[tuple[NDArray[np.float64], _Columns]]
    width: int
    bins: BaseBins | None

    @property
    def nbytes(self) -> int:
        return self.width * len(self.times_ns) * 8

    def packed(self) -> PackedChunk:
        return PackedChunk(
            position=self.position,
            start_row=self.start_row,
            rows=len(self.times_ns),
            first_ns=int(self.times_ns.min()),
            last_ns=int(self.times_ns.max()),
            since_boot=pack_bits(self.since_boot) if self.since_boot.any() else None,
            times=pack_numbers(self.times_ns),
            line_numbers=pack_numbers(self.line_numbers),
            columns=self._pack_columns(),
        )

    def _pack_columns(self) -> list[PackedColumn]:
        stripe = max(1, _STRIPE_VALUES // len(self.times_ns))
        packed: list[PackedColumn] = []
        if self.bins is not None:
            self.bins.begin(self.times_ns, self.width)
        for low in range(0, self.width, stripe):
            values = self._columns(low, min(low + stripe, self.width))
            packed.extend(pack_columns(values, self.since_boot, low, self.times_ns))
            if self.bins is not None:
                self.bins.add(low, values)  # without averages since boot by now
        return packed

    def _columns(self, low: int, high: int) -> NDArray[np.float64]:
        """Columns low..high, float64[columns, rows]; NaN where a block lacks one."""
        values = np.empty((high - low, len(self.times_ns)))
        at = 0
        for block, columns in self.blocks:
            part = values[:, at : at + block.shape[1]]
            at += block.shape[1]
            if isinstance(columns, slice):
                own = block[low:high]
                part[: len(own)], part[len(own) :] = own, np.nan
            else:
                wanted = np.flatnonzero((columns >= low) & (columns < high))
                part.fill(np.nan)
                part[columns[wanted] - low] = block[wanted]
        return values


class TableRows:
    """One clock while it is written."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.columns: dict[SeriesKey, int] = {}
        self.tallies: list[SeriesTally] = []
        self.waiting = 0
        self.stored = 0
        self.since_boot = 0
        self.chunks = 0
        self.ascending = True
        self.first_ns: int | None = None
        self.last_ns: int | None = None
        self._previous_ns: int | None = None
        self._steps: list[tuple[float, int]] = []  # a chunk's median step and how many steps it had
        self._blocks: list[tuple[NDArray[np.float64], _Columns]] = []
        self._times: list[NDArray[np.int64]] = []
        self._since_boot: list[NDArray[np.bool_]] = []
        self._line_numbers: list[NDArray[np.int64]] = []
        self._columns_of = Recent(self._find_columns)
        self.bins: BaseBins | None = BaseBins()
        """For the pyramid; None where they became too many to hold."""
        self.bin_bytes = 0

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

    def add(self, batch: SampleBatch) -> Iterator[FullRows]:
        """Takes a batch; gives the chunks that it fills."""
        columns = self._columns_of(batch.series)
        start, rows = 0, len(batch.times_ns)
        while start < rows:
            stop = min(rows, start + max(self.chunk_rows - self.waiting, 1))
            self._put(batch, slice(start, stop), columns)
            start = stop
            if self.waiting >= self.chunk_rows:
                yield from self.take()

    def interval_s(self) -> float | None:
        """Typical step between rows, seconds: the median of the chunks' medians, weighted by their steps."""
        half = sum(steps for _, steps in self._steps) / 2
        seen = 0
        for step, steps in sorted(self._steps):
            seen += steps
            if seen >= half:
                return step / 1e9
        return None

    def take(self, last: bool = False) -> Iterator[FullRows]:
        """Gives all rows that wait, if any, as a chunk; after the last no more rows come."""
        if not self.waiting:
            return
        if last and not levels_of(self.stored + self.waiting):
            self.bins = None
        rows, width = self.waiting, len(self.columns)
        full = FullRows(
            self.chunks,
            self.stored,
            np.concatenate(self._times),
            np.concatenate(self._since_boot),
            np.concatenate(self._line_numbers),
            self._blocks,
            width,
            self.bins,
        )
        self._note_times(full.times_ns)
        self._blocks, self._times, self._since_boot, self._line_numbers, self.waiting = [], [], [], [], 0
        self.chunks += 1
        self.stored += rows
        self.since_boot += int(np.count_nonzero(full.since_boot))
        self.bin_bytes += bytes_of_bins(width, rows)
        yield full

    def tally(self, chunk: PackedChunk) -> None:
        """Counts a chunk that was packed."""
        for column in chunk.columns:
            self.tallies[column.series_index].add(column)

    def _put(self, batch: SampleBatch, part: slice, columns: _Columns) -> None:
        """Takes some rows of a batch, on their side as long as they are in the processor's cache.

        All of it is copied: a part must not keep the whole of a large batch alive.
        """
        self.waiting += part.stop - part.start
        self._blocks.append((np.ascontiguousarray(batch.values[part].T), columns))
        self._times.append(batch.times_ns[part].astype(np.int64))
        self._since_boot.append(batch.since_boot[part].astype(bool))
        self._line_numbers.append(batch.line_numbers[part].astype(np.int64))

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

    def _note_times(self, times_ns: NDArray[np.int64]) -> None:
        first_ns, last_ns = int(times_ns.min()), int(times_ns.max())
        steps = np.diff(times_ns)
        falls = bool((steps < 0).any()) or (self._previous_ns is not None and int(times_ns[0]) < self._previous_ns)
        self.ascending = self.ascending and not falls
        self._previous_ns = int(times_ns[-1])
        self.first_ns = first_ns if self.first_ns is None else min(self.first_ns, first_ns)
        self.last_ns = last_ns if self.last_ns is None else max(self.last_ns, last_ns)
        forward = steps[steps > 0]
        if len(forward):
            self._steps.append((float(np.median(forward)), len(forward)))
