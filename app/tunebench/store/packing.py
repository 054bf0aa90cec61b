"""Columns of one chunk on their way into the file."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tunebench.core.records import record
from tunebench.sdk.scanning.column_form import column_forms
from tunebench.store.codec import pack_bits, pack_numbers


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

    @property
    def size_bytes(self) -> int:
        own = len(self.times) + len(self.line_numbers) + len(self.since_boot or b"")
        return own + sum(len(column.data) + len(column.missing or b"") for column in self.columns)


def measured_of(values: NDArray[np.float64], since_boot: NDArray[np.bool_]) -> NDArray[np.float64]:
    """float64[columns, rows] without the averages since boot."""
    return np.where(since_boot, np.nan, values) if since_boot.any() else values


def pack_columns(
    values: NDArray[np.float64], measured: NDArray[np.float64], first_index: int, times_ns: NDArray[np.int64]
) -> Iterator[PackedColumn]:
    """Packs those columns that hold a value.

    Args:
        values: float64[columns, rows], C-contiguous; NaN where missing.
        measured: see `measured_of`.
        first_index: index of the first column.
    """
    rows = len(times_ns)
    forms = column_forms(values)
    holes, decimals = forms.holes.tolist(), forms.decimals.tolist()
    if measured is not values:
        forms = column_forms(measured)
    counts = (rows - forms.holes).tolist()
    minimum, maximum = forms.minimum.tolist(), forms.maximum.tolist()
    with np.errstate(invalid="ignore", over="ignore"):
        totals = np.add.reduce(measured, axis=1).tolist()
    whole_span = _span(times_ns)
    for column in range(len(values)):
        if holes[column] == rows:
            continue
        own, flags, total, (first_ns, last_ns) = values[column], None, totals[column], whole_span
        if holes[column]:
            missing = np.isnan(own)
            own, flags = own[~missing], pack_bits(missing)
        if counts[column] < rows:
            there = ~np.isnan(measured[column])
            total, (first_ns, last_ns) = _total(measured[column][there]), _span(times_ns[there])
        yield PackedColumn(
            first_index + column,
            first_ns,
            last_ns,
            counts[column],
            _real(minimum[column]),
            _real(maximum[column]),
            _real(total),
            flags,
            pack_numbers(own, decimals=decimals[column]),
        )


def _span(times_ns: NDArray[np.int64]) -> tuple[int | None, int | None]:
    return (int(times_ns.min()), int(times_ns.max())) if len(times_ns) else (None, None)


def _total(values: NDArray[np.float64]) -> float:
    """NaN where there is none."""
    with np.errstate(invalid="ignore", over="ignore"):
        return float(values.sum()) if len(values) else math.nan


def _real(number: float) -> float | None:
    """NaN becomes NULL."""
    return None if math.isnan(number) else number
