"""Where rows are cut: a batch has a cell for every thing at every time, and should stay near the size of its text."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

MOST_CELLS = 1 << 20
_THIN = 8  # a batch so many times larger than its rows is thin, whatever its size


def repeated_cells(cells: NDArray[np.int64]) -> NDArray[np.int64]:
    """The cells (time x things + thing) that come more than once, ascending.

    Counted where the cells are few, as they are where the things stay the same; a square of what comes once would not
    fit into memory.
    """
    if not len(cells):
        return cells
    if int(cells.max()) < _THIN * len(cells):
        return np.flatnonzero(np.bincount(cells) > 1)
    in_order = np.sort(cells)
    return np.unique(in_order[1:][in_order[1:] == in_order[:-1]])


def dense_spans(times: NDArray[np.int64], keys: NDArray[np.int64], columns: int) -> list[tuple[int, int]]:
    """Spans of rows to be made one batch each; thousands of short-lived processes must not become a square.

    Args:
        times: int64[rows], which time each row is of, ascending; a span ends where a time does.
        keys: int64[rows], which thing each row is about.
        columns: figures per row.
    """
    rows = len(times)
    if not rows or not _is_thin(times, keys, columns):
        return [(0, rows)] if rows else []
    middle = int(np.searchsorted(times, times[rows // 2], "left")) or int(np.searchsorted(times, times[0], "right"))
    if middle == rows:
        return [(0, rows)]
    before, after = (dense_spans(times[part], keys[part], columns) for part in (slice(middle), slice(middle, None)))
    return [*before, *((low + middle, high + middle) for low, high in after)]


def _is_thin(times: NDArray[np.int64], keys: NDArray[np.int64], columns: int) -> bool:
    rows, count = len(times), int(times[-1] - times[0]) + 1
    if count * rows * columns <= MOST_CELLS:  # there are no more things than rows
        return False
    return count * _different(keys) * columns > max(MOST_CELLS, _THIN * rows * columns)


def _different(keys: NDArray[np.int64]) -> int:
    """How many different ones there are."""
    if int(keys.max()) < _THIN * len(keys):
        return int(np.count_nonzero(np.bincount(keys)))
    return len(np.unique(keys))
