"""What the numbers of columns have in common, so that they are packed without trying it out, and their bins.

As the scanner itself there are two implementations of each, which say the same: `scan.c`, and the plain one.
"""

from __future__ import annotations

import ctypes
from functools import reduce
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tunebench.sdk.scanning.choice import chosen_library

MORE = -1
"""Not all numbers of the column have `MOST_DECIMALS` at most."""
MOST_DECIMALS = 3
_SMOOTH_STEP, _SMOOTH_FACTOR = 8, 4  # of numbers so far apart the differences are looked at; as in scan.c
_LARGEST, _LARGEST_INT32 = 2.0**51, 2.0**31 - 1


class ColumnForm(NamedTuple):
    """What is known of one column; holes, numbers that are NaN, are left out.

    Attributes:
        holes: how many.
        decimals: that the numbers were printed with; `MORE` where they are no whole numbers of 10^-decimals, bit for
            bit.
        is_one: all numbers are the same, bit for bit.
        is_wide: as whole numbers they need 64 bits.
        is_smooth: whole numbers of 32 bits, of which one is much nearer to the next than to those far behind.
        total: of the whole numbers; 0 where they are wide, or none.
        minimum, maximum: NaN where there is no number.
    """

    holes: int
    decimals: int
    is_one: int
    is_wide: int
    is_smooth: int
    total: int
    minimum: float
    maximum: float


_FORM = np.dtype([(name, np.float64 if name in ("minimum", "maximum") else np.int64) for name in ColumnForm._fields])


class ColumnForms(NamedTuple):
    """What is known of columns.

    Attributes:
        forms: [columns], with the fields of `ColumnForm`.
        whole: int32[columns, rows], the whole numbers of each column that is neither wide nor of `MORE`, moved
            together.
    """

    forms: NDArray[np.void]
    whole: NDArray[np.int32]

    @classmethod
    def empty(cls, columns: int, rows: int) -> ColumnForms:
        return cls(np.zeros(columns, dtype=_FORM), np.empty((columns, rows), dtype=np.int32))

    def of_each(self) -> list[ColumnForm]:
        return list(map(ColumnForm._make, self.forms.tolist()))


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


def column_forms(values: NDArray[np.float64], library: ctypes.CDLL | None = None) -> ColumnForms:
    """Args: values: float64[columns, rows]; the numbers of a column one behind the other."""
    columns, rows = values.shape
    forms = ColumnForms.empty(columns, rows)
    library = library or chosen_library()
    if library is None:
        fill_forms_plainly(values, forms)
    else:
        present = np.empty(rows)
        into = (forms.forms.ctypes.data, forms.whole.ctypes.data, present.ctypes.data)
        library.column_forms(values.ctypes.data, columns, _stride(values), rows, MOST_DECIMALS, *into)
    return forms


def _stride(values: NDArray[np.float64]) -> int:
    """Numbers from a column to the next."""
    return values.strides[0] // values.itemsize


def fill_forms_plainly(values: NDArray[np.float64], into: ColumnForms) -> None:
    for column, form, whole in zip(values, into.forms, into.whole, strict=True):
        own = column[~np.isnan(column)]
        form["holes"], form["decimals"] = len(column) - len(own), MORE
        form["minimum"], form["maximum"] = (own.min() + 0.0, own.max() + 0.0) if len(own) else (np.nan, np.nan)
        if len(own):
            form["is_one"] = (own.view(np.int64) == own[:1].view(np.int64)).all()
            _find_decimals(own, form, whole)


def _find_decimals(own: NDArray[np.float64], form: np.void, whole: NDArray[np.int32]) -> None:
    largest = max(form["maximum"], -form["minimum"])
    for decimals in range(MOST_DECIMALS + 1):
        scale = 10.0**decimals
        if not largest * scale < _LARGEST:
            return
        times = np.rint(own * scale) + 0.0  # not the minus zero, which no whole number is
        if not np.array_equal((times / scale).view(np.int64), own.view(np.int64)):
            continue
        form["decimals"], form["is_wide"] = decimals, not largest * scale < _LARGEST_INT32
        if not form["is_wide"]:
            whole[: len(own)] = times
            form["total"] = whole[: len(own)].sum(dtype=np.int64)
            form["is_smooth"] = _is_smooth(whole[: len(own)].astype(np.int64))
        return


def _is_smooth(numbers: NDArray[np.int64]) -> bool:
    half = len(numbers) // 2
    some = np.arange(0, len(numbers) - half - 1, _SMOOTH_STEP)
    near, far = (np.abs(numbers[some + distance] - numbers[some]).sum() for distance in (1, half))
    return bool(_SMOOTH_FACTOR * near < far)


def fill_bins(
    values: NDArray[np.float64], size: int, low: int, into: BinColumns, library: ctypes.CDLL | None = None
) -> None:
    """Bins of `size` values become those of the columns from `low` on.

    Args:
        values: float64[columns, rows]; the numbers of a column one behind the other; rows behind the last bin that they
            fill are left out.
    """
    columns = len(values)
    part = into.of_columns(slice(low, low + columns))
    library = library or chosen_library()
    if library is None:
        fill_bins_plainly(values, size, part)
        return
    whole = part.valid.shape[1] * size
    arrays = (array.ctypes.data for array in part)
    library.bin_columns(values.ctypes.data, columns, _stride(values), whole, size, *arrays)


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
