"""What the numbers of columns have in common, so that they are packed without trying it out, and their bins.

As the scanner itself there are two implementations of each, which say the same: `scan.c`, and the plain one.
"""

from __future__ import annotations

import ctypes
import os
from functools import cache, reduce
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tunebench.sdk.scanning import compiled
from tunebench.sdk.scanning.choice import PLAIN

CONSTANT = -2
"""All numbers are one, bit for bit."""
MORE = -1
"""They have more than `MOST_DECIMALS`."""
MOST_DECIMALS = 3
_LARGEST = 2.0**51


class ColumnForms(NamedTuple):
    """Of each column, NaN left out: int64[columns], the extremes float64[columns].

    Attributes:
        holes: numbers that are NaN.
        minimum, maximum: NaN where there is no number.
        decimals: how many the numbers were printed with, up to `MOST_DECIMALS`; `MORE` or `CONSTANT`.
    """

    holes: NDArray[np.int64]
    minimum: NDArray[np.float64]
    maximum: NDArray[np.float64]
    decimals: NDArray[np.int64]


class BinColumns(NamedTuple):
    """Successive bins of each column: [columns, bins], NaN where `valid`, the numbers in the bin, is 0."""

    minimum: NDArray[np.float64]
    maximum: NDArray[np.float64]
    total: NDArray[np.float64]
    valid: NDArray[np.int32]

    @classmethod
    def empty(cls, columns: int, bins: int) -> BinColumns:
        shape = columns, bins
        return cls(np.empty(shape), np.empty(shape), np.empty(shape), np.empty(shape, dtype=np.int32))

    def of_columns(self, columns: slice) -> BinColumns:
        return BinColumns(self.minimum[columns], self.maximum[columns], self.total[columns], self.valid[columns])

    @property
    def nbytes(self) -> int:
        return sum(array.nbytes for array in self)


def column_forms(values: NDArray[np.float64], library: ctypes.CDLL | None = None) -> ColumnForms:
    """Args: values: float64[columns, rows], C-contiguous."""
    library = library or _library()
    if library is None:
        return column_forms_plainly(values)
    columns, rows = values.shape
    forms = ColumnForms(
        np.empty(columns, dtype=np.int64), np.empty(columns), np.empty(columns), np.empty(columns, dtype=np.int64)
    )
    library.column_forms(values.ctypes.data, columns, rows, MOST_DECIMALS, *(array.ctypes.data for array in forms))
    return forms


def column_forms_plainly(values: NDArray[np.float64]) -> ColumnForms:
    there = ~np.isnan(values)
    decimals = [column_decimals_plainly(column[flags]) for column, flags in zip(values, there, strict=True)]
    return ColumnForms(
        np.count_nonzero(~there, axis=1),
        np.fmin.reduce(values, axis=1),
        np.fmax.reduce(values, axis=1),
        np.array(decimals, dtype=np.int64),
    )


def column_decimals(values: NDArray[np.float64]) -> int:
    """`ColumnForms.decimals` of one contiguous column without holes."""
    library = _library()
    if library is None:
        return column_decimals_plainly(values)
    decimals: int = library.column_decimals(values.ctypes.data, len(values), MOST_DECIMALS)
    return decimals


def column_decimals_plainly(values: NDArray[np.float64]) -> int:
    bits = values.view(np.int64)
    if len(bits) and bits[0] == bits[-1] and bool((bits == bits[0]).all()):
        return CONSTANT
    with np.errstate(over="ignore", invalid="ignore"):
        for decimals in range(MOST_DECIMALS + 1):
            scaled = values * 10.0**decimals
            if bool((np.abs(scaled) < _LARGEST).all()) and bool((np.rint(scaled) / 10.0**decimals == values).all()):
                return decimals
    return MORE


def fill_bins(
    values: NDArray[np.float64], size: int, low: int, into: BinColumns, library: ctypes.CDLL | None = None
) -> None:
    """Bins of `size` values become those of the columns from `low` on.

    Args:
        values: float64[columns, rows], C-contiguous; rows behind the last bin that they fill are left out.
    """
    columns, rows = values.shape
    part = into.of_columns(slice(low, low + columns))
    library = library or _library()
    if library is None:
        fill_bins_plainly(values, size, part)
        return
    whole = part.valid.shape[1] * size
    library.bin_columns(values.ctypes.data, columns, rows, whole, size, *(array.ctypes.data for array in part))


def fill_bins_plainly(values: NDArray[np.float64], size: int, into: BinColumns) -> None:
    columns, bins = into.valid.shape
    # one bin per column: numpy then reduces along whole rows, twice as fast as bin by bin
    by_place = values[:, : bins * size].reshape(columns * bins, size).T.copy()
    missing = np.isnan(by_place)
    valid = size - np.count_nonzero(missing, axis=0)
    into.minimum[:] = np.fmin.reduce(by_place, axis=0).reshape(columns, bins)
    into.maximum[:] = np.fmax.reduce(by_place, axis=0).reshape(columns, bins)
    by_place[missing] = 0.0
    with np.errstate(invalid="ignore", over="ignore"):
        total = reduce(np.add, by_place)  # one after the other: NumPy's own sum of a single bin goes by pairs
    into.total[:] = np.where(valid > 0, total, np.nan).reshape(columns, bins)
    into.valid[:] = valid.reshape(columns, bins)


@cache
def _library() -> ctypes.CDLL | None:
    return None if os.environ.get(PLAIN) else compiled.load(compiled.library_path())
