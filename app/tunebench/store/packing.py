"""Columns of one chunk on their way into the file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tunebench.core.records import record
from tunebench.sdk.scanning.column_form import MORE, ColumnForm, column_forms
from tunebench.store.codec import pack_bits, pack_column, wide_numbers


class PackedColumn(NamedTuple):
    """One series in one chunk. `valid`, the figures and the times leave missing and since-boot samples out;
    `first_ns` and `last_ns` are None where nothing is left."""

    series_index: int
    first_ns: int | None
    last_ns: int | None
    valid: int
    minimum: float | None
    maximum: float | None
    total: float | None
    missing: bytes | None
    data: bytes


_Figures = tuple[int | None, int | None, int, float | None, float | None, float | None]


@record
class PackedChunk:
    """One chunk of a clock, ready to be inserted."""

    position: int
    start_row: int
    rows: int
    first_ns: int
    last_ns: int
    since_boot: bytes | None
    times: bytes
    line_numbers: bytes
    columns: list[PackedColumn]


def pack_columns(
    values: NDArray[np.float64], since_boot: NDArray[np.bool_], first_index: int, times_ns: NDArray[np.int64]
) -> Iterator[PackedColumn]:
    """Packs those columns that hold a value.

    Args:
        values: float64[columns, rows], the numbers of a column one behind the other; NaN where missing. Averages since
            boot are NaN in it afterwards.
        first_index: index of the first column.
    """
    forms = column_forms(values)
    packed = [_pack(*column) for column in zip(values, forms.of_each(), forms.whole, strict=True)]
    measured_ns = times_ns[~since_boot]
    left_out = len(times_ns) - len(measured_ns)
    if left_out:
        values[:, since_boot] = np.nan
        forms = column_forms(values)
    span = _span(measured_ns) if len(measured_ns) else (None, None)
    totals = (forms.forms["total"] / 10.0 ** np.maximum(forms.forms["decimals"], 0)).tolist()
    for column, (form, total, (flags, data)) in enumerate(zip(forms.of_each(), totals, packed, strict=True)):
        if not data:
            continue
        figures: _Figures = *span, len(measured_ns), form.minimum, form.maximum, total
        if form.holes > left_out or form.holes == len(times_ns) or form.is_wide or form.decimals == MORE:
            figures = _figures(values[column], form, times_ns, total)
        yield PackedColumn(first_index + column, *figures, flags, data)


def _pack(values: NDArray[np.float64], form: ColumnForm, whole: NDArray[np.int32]) -> tuple[bytes | None, bytes]:
    """The flags of what is missing, None where nothing is; and the numbers, nothing where there are none."""
    if not form.holes:
        return None, pack_column(values, form, whole)
    missing = np.isnan(values)
    if form.holes == len(values):
        return None, b""
    return pack_bits(missing), pack_column(values[~missing], form, whole)


def _figures(
    values: NDArray[np.float64], form: ColumnForm, times_ns: NDArray[np.int64], total: float | None
) -> _Figures:
    """Of a column of which values are missing, or whose sum is yet to be made."""
    is_there = ~np.isnan(values)
    there = values[is_there]
    if not len(there):
        return None, None, 0, None, None, None
    if form.is_wide:
        total = sum(wide_numbers(there, form.decimals).tolist()) / 10**form.decimals
    elif form.decimals == MORE:
        with np.errstate(invalid="ignore", over="ignore"):
            total = float(there.sum())
    return *_span(times_ns[is_there]), len(there), form.minimum, form.maximum, None if total != total else total


def _span(times_ns: NDArray[np.int64]) -> tuple[int, int]:
    return int(times_ns.min()), int(times_ns.max())
