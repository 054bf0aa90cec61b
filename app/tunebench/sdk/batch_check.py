"""What every batch must keep to, checked for each one that a plug-in gives."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tunebench.sdk.batches import SampleBatch, SeriesKey


def batch_fault(batch: object, series_fault_of: Callable[[tuple[SeriesKey, ...]], str] | None = None) -> str:
    """What is wrong with the types and shapes of a batch, ``""`` where nothing is. O(columns).

    Args:
        series_fault_of: `series_fault`, or what remembers its answers.
    """
    if not isinstance(batch, SampleBatch):
        return f"a batch is a {type(batch).__name__}"
    expected = (
        ("times_ns", batch.times_ns, np.int64, 1),
        ("values", batch.values, np.float64, 2),
        ("since_boot", batch.since_boot, np.bool_, 1),
        ("line_numbers", batch.line_numbers, np.int64, 1),
    )
    for name, array, kind, dimensions in expected:
        if np.ndim(array) != dimensions or getattr(array, "dtype", None) != kind:
            return f"table {batch.table}: {name} is no {kind.__name__} array of {dimensions} dimension(s)"
    fault = (series_fault_of or series_fault)(batch.series)
    if not fault and batch.series and batch.series[0].table != batch.table:
        fault = "a series of another table"
    return f"table {batch.table}: {fault}" if fault else ""


def series_fault(series: tuple[SeriesKey, ...]) -> str:
    """What is wrong with the series of one batch among themselves."""
    if len(set(series)) != len(series):
        return "a series occurs twice in one batch"
    if len({key.table for key in series}) > 1:
        return "a series of another table"
    return ""
