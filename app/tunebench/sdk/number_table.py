"""Collects rows of numbers that a parser has already read or worked out, and gives them as batches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from tunebench.sdk.batches import SampleBatch, SeriesKey, told_apart
from tunebench.sdk.spans import dense_spans

Attributes = tuple[tuple[str, str], ...]


class NumberTable:
    """Rows of one heading: (time, thing, numbers) -> `SampleBatch`; `TableBuilder` is its like for unread text.

    Args:
        table: name of the clock the rows share, unique within the capture.
        headings: the columns' headings, in order.
        key_attribute: attribute that the rows' key fills (``"device"``), None for a table without keys.
        column_attributes: per heading, further attributes (``(("direction", "read"),)``).
    """

    def __init__(
        self,
        table: str,
        headings: Sequence[str],
        key_attribute: str | None = None,
        column_attributes: Sequence[Attributes] | None = None,
    ) -> None:
        self.table = table
        self.headings = tuple(headings)
        self.key_attribute = key_attribute
        self._attributes = tuple(column_attributes or ((),) * len(self.headings))
        self._times: list[int] = []
        self._lines: list[int] = []
        self._since_boot: list[bool] = []
        self._places: list[tuple[int, str]] = []  # (index into _times, key)
        self._values: list[Sequence[float]] = []
        self._taken: dict[str, int] = {}  # key of the last time, also where its rows were given already -> how often
        self._last: tuple[int, int] | None = None  # the last time and its first line

    def __len__(self) -> int:
        return len(self._values)

    def row(self, time_ns: int, line_number: int, key: str, values: Sequence[float], since_boot: bool = False) -> None:
        """Adds one row; rows of one time follow each other. A thing's second row of one time is ``sda#2``."""
        if self._last is None or self._last[0] != time_ns or self.key_attribute is None:
            self._last = time_ns, line_number
            self._taken.clear()
        alone = self.key_attribute is None or not self._times or self._since_boot[-1] != since_boot
        if alone or self._times[-1] != time_ns:
            self._times.append(time_ns)
            self._lines.append(self._last[1])
            self._since_boot.append(since_boot)
        name, times = key, self._taken.get(key, 0)
        while times and name in self._taken:
            times += 1
            name = f"{key}#{times}"
        self._taken[key] = max(times, 1)
        self._taken.setdefault(name, 1)
        self._places.append((len(self._times) - 1, name))
        self._values.append(values)

    def flush(self) -> Iterator[SampleBatch]:
        """Gives all rows, in one batch or, where things come and go, in several."""
        if not self._values:
            return
        position = {key: index for index, key in enumerate(dict.fromkeys(key for _, key in self._places))}
        times = np.asarray([time for time, _ in self._places], dtype=np.int64)
        keys = np.asarray([position[key] for _, key in self._places], dtype=np.int64)
        names = tuple(position)
        for low, high in dense_spans(times, keys, len(self.headings)):
            yield self._batch(times[low:high], keys[low:high], names, self._values[low:high])
        self._times, self._lines, self._since_boot, self._places, self._values = [], [], [], [], []

    def _batch(
        self, times: NDArray[np.int64], keys: NDArray[np.int64], names: tuple[str, ...], values: list[Sequence[float]]
    ) -> SampleBatch:
        """The batch of rows that follow each other; what is not finite becomes a missing value."""
        first, last = int(times[0]), int(times[-1]) + 1
        used, first_seen, inverse = np.unique(keys, return_index=True, return_inverse=True)
        order = np.argsort(first_seen)  # as they appear
        cube = np.full((last - first, len(used), len(self.headings)), np.nan)
        columns = np.argsort(order)[inverse]
        for time, column, row in zip((times - first).tolist(), columns.tolist(), values, strict=True):
            cube[time, column] = row
        cube[~np.isfinite(cube)] = np.nan
        return SampleBatch(
            table=self.table,
            times_ns=np.asarray(self._times[first:last], dtype=np.int64),
            series=told_apart(tuple(key for index in used[order].tolist() for key in self._series(names[index]))),
            values=cube.reshape(last - first, -1),
            since_boot=np.asarray(self._since_boot[first:last], dtype=bool),
            line_numbers=np.asarray(self._lines[first:last], dtype=np.int64),
        )

    def _series(self, key: str) -> Iterator[SeriesKey]:
        own = ((self.key_attribute, key),) if self.key_attribute else ()
        for heading, attributes in zip(self.headings, self._attributes, strict=True):
            yield SeriesKey(self.table, heading, tuple(sorted((*own, *attributes))))
