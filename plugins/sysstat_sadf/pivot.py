"""From rows (time, thing, figures) to batches (time, figures of all things)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from app.sdk import SampleBatch, SeriesKey, decode_text
from app.sdk.batches import told_apart

Attributes = tuple[tuple[str, str], ...]


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

    def batch(
        self, times_ns: NDArray[np.int64], keys: list[bytes], values: NDArray[np.float64], lines: NDArray[np.int64]
    ) -> SampleBatch:
        """The batch of some rows; rows of one time follow each other.

        Args:
            times_ns: int64[rows], values: float64[rows, figures], lines: int64[rows].
            keys: empty where the rows have no name.
        """
        if not keys:
            return SampleBatch(
                self.table, times_ns, self._named((b"",)), values, np.zeros(len(times_ns), dtype=bool), lines
            )
        starts = np.ones(len(times_ns), dtype=bool)
        starts[1:] = times_ns[1:] != times_ns[:-1]
        row_time = np.cumsum(starts) - 1
        count = int(row_time[-1]) + 1
        keys = _distinct(keys, row_time)
        position = {key: index for index, key in enumerate(dict.fromkeys(keys))}
        row_key = np.fromiter(map(position.__getitem__, keys), dtype=np.int64, count=len(keys))
        cube = np.full((count, len(position), values.shape[1]), np.nan)
        cube[row_time, row_key] = values
        return SampleBatch(
            self.table, times_ns[starts], self._named(tuple(position)), cube.reshape(count, -1),
            np.zeros(count, dtype=bool), lines[starts],
        )  # fmt: skip

    def wide(
        self, times_ns: NDArray[np.int64], keys: Sequence[bytes], values: NDArray[np.float64], lines: NDArray[np.int64]
    ) -> SampleBatch:
        """The batch of rows that hold the figures of all `keys`: float64[rows, keys x figures]."""
        named = tuple(_distinct(list(keys), np.zeros(len(keys), dtype=np.int64)))
        return SampleBatch(
            self.table, times_ns, self._named(named), values, np.zeros(len(times_ns), dtype=bool), lines
        )

    def _named(self, keys: tuple[bytes, ...]) -> tuple[SeriesKey, ...]:
        found = self._series_of.get(keys)
        if found is None:
            if len(self._series_of) > 256:
                self._series_of.clear()
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


def _distinct(keys: list[bytes], row_time: NDArray[np.int64]) -> list[bytes]:
    """A second row of one thing at one time becomes ``name#2`` (a file system may be listed several times)."""
    numbers = {key: index for index, key in enumerate(set(keys))}
    row_key = np.fromiter(map(numbers.__getitem__, keys), dtype=np.int64, count=len(keys))
    cells = row_time * len(numbers) + row_key
    if int(np.bincount(cells).max()) < 2:
        return keys
    seen: dict[int, int] = {}
    named = []
    for key, cell in zip(keys, cells.tolist(), strict=True):
        seen[cell] = seen.get(cell, 0) + 1
        named.append(key if seen[cell] == 1 else key + b"#%d" % seen[cell])
    return named
