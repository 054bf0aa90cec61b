"""Columnar samples on their way from a parser to the store."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tunebench.core.records import record

TIMED_TABLE = "timed"
"""What ``time`` printed beside the rows of a tool: no block of that tool."""


@record
class SeriesKey:
    """Names one series inside one artefact.

    Attributes:
        table: series of one table share a clock (``"device"``, ``"cpu"``); unique within the tool.
        native: column heading exactly as the tool prints it in English.
        attributes: sorted (name, value) pairs, names from `tunebench.domain.series.ATTRIBUTE_NAMES`.
    """

    table: str
    native: str
    attributes: tuple[tuple[str, str], ...] = ()


@record
class SampleBatch:
    """n rows of one table.

    Attributes:
        table: the table all `series` belong to.
        times_ns: int64[n], UTC nanoseconds, the end of each sampling interval as the tool stamps it.
        series: m keys.
        values: float64[n, m], as captured; NaN where the tool printed nothing for that series.
        since_boot: bool[n], True where the row is an average since boot and must stay out of statistics.
        line_numbers: int64[n], 1-based line of the capture where each row starts (its evidence).
    """

    table: str
    times_ns: NDArray[np.int64]
    series: tuple[SeriesKey, ...]
    values: NDArray[np.float64]
    since_boot: NDArray[np.bool_]
    line_numbers: NDArray[np.int64]

    def __post_init__(self) -> None:
        n, m = self.values.shape
        if not (len(self.times_ns) == len(self.since_boot) == len(self.line_numbers) == n and len(self.series) == m):
            raise ValueError(f"table {self.table}: shapes differ: {self.values.shape}, {len(self.times_ns)} times")


def told_apart(series: tuple[SeriesKey, ...]) -> tuple[SeriesKey, ...]:
    """The keys made distinct: things whose names differ in their bytes alone are put into groups ``#2``, ``#3``."""
    if len(set(series)) == len(series):
        return series
    seen: dict[SeriesKey, int] = {}
    distinct = []
    for key in series:
        times = seen[key] = seen.get(key, 0) + 1
        attributes = tuple(sorted({**dict(key.attributes), "group": f"#{times}"}.items()))
        distinct.append(key if times == 1 else SeriesKey(key.table, key.native, attributes))
    return tuple(distinct)
