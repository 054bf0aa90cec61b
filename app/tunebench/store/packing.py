"""Columns of one chunk on their way into the file."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

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


@dataclass(frozen=True, slots=True)
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

    @property
    def size_bytes(self) -> int:
        own = len(self.times) + len(self.line_numbers) + len(self.since_boot or b"")
        return own + sum(len(column.data) + len(column.missing or b"") for column in self.columns)


def pack_columns(
    values: NDArray[np.float64], since_boot: NDArray[np.bool_], first_index: int, times_ns: NDArray[np.int64]
) -> Iterator[PackedColumn]:
    """Packs those columns that hold a value.

    Args:
        values: float64[columns, rows], C-contiguous; NaN where missing. Averages since boot are NaN in it afterwards.
        first_index: index of the first column.
    """
    rows = len(times_ns)
    forms = column_forms(values)
    packed = [_pack(*column) for column in zip(values, forms.of_each(), forms.whole, strict=True)]
    if since_boot.any():
        values[:, since_boot] = np.nan
        forms = column_forms(values)
    whole_span = _span(times_ns)
    for column, form in enumerate(forms.of_each()):
        flags, data = packed[column]
        if not data:
            continue
        there, span = values[column], whole_span
        if form.holes:
            is_there = ~np.isnan(there)
            there, span = there[is_there], _span(times_ns[is_there])
        yield PackedColumn(
            first_index + column,
            *span,
            len(there),
            _real(form.minimum),
            _real(form.maximum),
            _total(there, form),
            flags,
            data,
        )


def _pack(values: NDArray[np.float64], form: ColumnForm, whole: NDArray[np.int32]) -> tuple[bytes | None, bytes]:
    """The flags of what is missing, None where nothing is; and the numbers, nothing where there are none."""
    if not form.holes:
        return None, pack_column(values, form, whole)
    missing = np.isnan(values)
    if form.holes == len(values):
        return None, b""
    return pack_bits(missing), pack_column(values[~missing], form, whole)


def _span(times_ns: NDArray[np.int64]) -> tuple[int | None, int | None]:
    return (int(times_ns.min()), int(times_ns.max())) if len(times_ns) else (None, None)


def _total(values: NDArray[np.float64], form: ColumnForm) -> float | None:
    """The sum, rounded once where the numbers are whole ones; NULL where there is none."""
    if not len(values):
        return None
    if form.decimals == MORE:
        with np.errstate(invalid="ignore", over="ignore"):
            return _real(float(values.sum()))
    total = sum(wide_numbers(values, form.decimals).tolist()) if form.is_wide else form.total
    return total / 10**form.decimals


def _real(number: float) -> float | None:
    """NaN becomes NULL."""
    return None if math.isnan(number) else number
