"""From rows (time, thing, figures) to batches (time, figures of all things)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from app.families.page_reading import dense_spans, repeated_cells, told_apart
from app.sdk import SampleBatch, SeriesKey, decode_text

Attributes = tuple[tuple[str, str], ...]
_MOST_REMEMBERED = 50_000  # series of one table, over all sets of things


class Pivot:
    """One table's columns.

    Args:
        key_attribute: what a row's name fills, None where rows have no name.
        natives, attributes: per figure.
    """

    def __init__(
        self, table: str, key_attribute: str | None, natives: Sequence[str], attributes: Sequence[Attributes]
    ) -> None:
        self.table = table
        self._key_attribute = key_attribute
        self._columns = tuple(zip(natives, attributes, strict=True))
        self._series_of: dict[tuple[bytes, ...], tuple[SeriesKey, ...]] = {}
        self._remembered = 0

    def batches(
        self, times_ns: NDArray[np.int64], keys: list[bytes], values: NDArray[np.float64], lines: NDArray[np.int64]
    ) -> Iterator[SampleBatch]:
        """The batch of some rows, or several where things come and go; rows of one time follow each other.

        Args:
            times_ns: int64[rows], values: float64[rows, figures], lines: int64[rows].
            keys: empty where the rows have no name.
        """
        if not keys:
            since_boot = np.zeros(len(times_ns), dtype=bool)
            yield SampleBatch(self.table, times_ns, self._named((b"",)), values, since_boot, lines)
            return
        starts = np.ones(len(times_ns), dtype=bool)
        starts[1:] = times_ns[1:] != times_ns[:-1]
        row_time = np.cumsum(starts) - 1
        names, row_key = _distinct(keys, row_time)
        spans = dense_spans(row_time, row_key, values.shape[1])
        if len(spans) == 1:
            yield self._dense(times_ns[starts], row_time, names, row_key, values, lines[starts])
            return
        for low, high in spans:
            part, first = slice(low, high), starts[low:high]
            used, place = np.unique(row_key[part], return_inverse=True)
            yield self._dense(
                times_ns[part][first],
                row_time[part] - row_time[low],
                tuple(names[index] for index in used.tolist()),
                place,
                values[part],
                lines[part][first],
            )

    def _dense(
        self,
        times_ns: NDArray[np.int64],
        row_time: NDArray[np.int64],
        names: tuple[bytes, ...],
        row_key: NDArray[np.int64],
        values: NDArray[np.float64],
        lines: NDArray[np.int64],
    ) -> SampleBatch:
        """One batch of all these rows, each of its time and name."""
        count = len(times_ns)
        cube = np.full((count, len(names), values.shape[1]), np.nan)
        cube[row_time, row_key] = values
        since_boot = np.zeros(count, dtype=bool)
        return SampleBatch(self.table, times_ns, self._named(names), cube.reshape(count, -1), since_boot, lines)

    def wide(
        self, times_ns: NDArray[np.int64], keys: Sequence[bytes], values: NDArray[np.float64], lines: NDArray[np.int64]
    ) -> SampleBatch:
        """The batch of rows that hold the figures of all `keys`: float64[rows, keys x figures]."""
        named, _ = _distinct(list(keys), np.zeros(len(keys), dtype=np.int64))
        return SampleBatch(self.table, times_ns, self._named(named), values, np.zeros(len(times_ns), dtype=bool), lines)

    def _named(self, keys: tuple[bytes, ...]) -> tuple[SeriesKey, ...]:
        found = self._series_of.get(keys)
        if found is None:
            self._remembered += len(keys) * len(self._columns)
            if self._remembered > _MOST_REMEMBERED:
                self._series_of.clear()
                self._remembered = len(keys) * len(self._columns)
            named = tuple(
                SeriesKey(self.table, native, tuple(sorted((*self._own(key), *attributes))))
                for key in keys
                for native, attributes in self._columns
            )
            found = self._series_of[keys] = told_apart(named)
        return found

    def _own(self, key: bytes) -> Attributes:
        if self._key_attribute is None:
            return ()
        name = decode_text(key.strip())
        if name == "-1":
            name = {"cpu": "all", "state": "sum"}.get(self._key_attribute, name)
        return ((self._key_attribute, name),)


def _distinct(keys: list[bytes], row_time: NDArray[np.int64]) -> tuple[tuple[bytes, ...], NDArray[np.int64]]:
    """The names, and which of them each row has.

    A second row of one thing at one time becomes ``name#2`` (a file system may be listed several times).
    """
    names, row_key = _numbered(keys)
    cells = row_time * len(names) + row_key
    if not len(repeated_cells(cells)):
        return names, row_key
    seen: dict[int, int] = {}
    named = []
    for key, cell in zip(keys, cells.tolist(), strict=True):
        seen[cell] = seen.get(cell, 0) + 1
        named.append(key if seen[cell] == 1 else key + b"#%d" % seen[cell])
    return _numbered(named)


def _numbered(keys: list[bytes]) -> tuple[tuple[bytes, ...], NDArray[np.int64]]:
    """The different keys in the order of their first, and each one's place among them."""
    position = {key: index for index, key in enumerate(dict.fromkeys(keys))}
    return tuple(position), np.fromiter(map(position.__getitem__, keys), dtype=np.int64, count=len(keys))
