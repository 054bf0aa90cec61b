"""What every batch must keep to, checked for each one that a plug-in gives."""

from __future__ import annotations

import numpy as np

from app.sdk.batches import SampleBatch


def batch_fault(batch: object) -> str:
    """What is wrong with the types and shapes of a batch, ``""`` where nothing is. O(columns)."""
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
    if len(set(batch.series)) != len(batch.series):
        return f"table {batch.table}: a series occurs twice in one batch"
    if any(key.table != batch.table for key in batch.series):
        return f"table {batch.table}: a series of another table"
    return ""
