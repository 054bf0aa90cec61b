"""What means of requests rest on: how many requests, and of a disk's response times of what size.

A disk's response time says nothing without the size of the requests: reading ahead makes each request slower and the
data come faster.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from tunebench.analysis.comparing.regular_samples import Floats, Samples, Times, aligned
from tunebench.core.records import record
from tunebench.domain.series import SeriesInfo

RESPONSE_TIMES = frozenset(
    {"system.disk.response_time", "system.disk.wait_time", "system.disk.active_time", "system.disk.service_time"}
)
OPERATIONS, THROUGHPUT, REQUEST_SIZE = "system.disk.operations", "system.disk.io", "system.disk.operation_size"
WORK = frozenset({OPERATIONS, THROUGHPUT, REQUEST_SIZE})
COUNTED_BY = {
    **dict.fromkeys(RESPONSE_TIMES, OPERATIONS),
    "system.nfs.client.response_time": "system.nfs.client.operations",
    "db.client.operation.duration": "db.client.transactions",
    "db.client.schedule_lag": "db.client.transactions",
}
"""A sample of the first is the mean of the requests of its interval; the second is how many those were, each second."""
_EXTREMES = frozenset({"min", "max"})
MOST_SIZE_CHANGE = 0.10
MIB = 1024.0 * 1024.0
_PARTS = ("read", "write")

Column = tuple[SeriesInfo, Samples]
Columns = Mapping[tuple[str, str], Sequence[Column]]
"""Of one device in one window: (metric, direction of the transfer or empty) -> what the tools say."""


@record
class Requests:
    """
    Attributes:
        size_bytes: their mean size; None where no capture tells it.
        idle: none was served: there is no response time.
        response: its mean over them, in the unit of the series.
    """

    size_bytes: float | None
    idle: bool
    response: float | None

    def ms_per_mib(self, info: SeriesInfo) -> float | None:
        if self.response is None or not self.size_bytes:
            return None
        return self.response * info.to_base * 1000.0 / (self.size_bytes / MIB)


@record(eq=False)
class Work:
    """
    Attributes:
        response: the response times with the requests of their intervals as weights.
        size_bytes: mean size of the requests; None where no capture tells it.
    """

    response: Samples
    size_bytes: float | None

    @property
    def requests(self) -> Requests:
        weights = self.response.weights
        idle = weights is not None and float(weights.sum()) == 0
        return Requests(self.size_bytes, idle, self.response.mean)


def transfer_of(info: SeriesInfo) -> str:
    """``read``, ``write`` or empty where it is of all requests."""
    return {**info.implied, **info.attributes}.get("direction", "")


def is_mean_of_requests(info: SeriesInfo) -> bool:
    return info.metric in COUNTED_BY and _state_of(info) not in _EXTREMES


def counts_requests(info: SeriesInfo) -> bool:
    """All of them, not those in some state (failed, with the time to connect)."""
    return info.metric in WORK or (info.metric in COUNTED_BY.values() and not _state_of(info))


def _state_of(info: SeriesInfo) -> str:
    return {**info.implied, **info.attributes}.get("state", "")


def work_of(info: SeriesInfo, response: Samples, columns: Columns) -> Work:
    """The response times with what the other columns of the same thing say of the same requests."""
    times = response.times_ns
    operations = _of(columns, COUNTED_BY[info.metric], transfer_of(info), times)
    if operations is None:
        return Work(response, None)
    counted = ~np.isnan(operations)
    own = (times, response.values, operations)
    if not counted.all():  # else the times stay those that it shares with the other columns of its table
        own = (times[counted], response.values[counted], operations[counted])
    weighted = replace(response, times_ns=own[0], values=own[1], weights=np.maximum(own[2], 0.0))
    return Work(weighted, _mean_size_bytes(columns, transfer_of(info), times, operations))


def _of(columns: Columns, metric: str, transfer: str, times: Times) -> Floats | None:
    """In base units at these times; of all requests the sum of reads and writes where no column has it."""
    own = columns.get((metric, transfer))
    if own:
        return _at(own[0], times)
    if transfer:
        return None
    parts = [columns.get((metric, part)) for part in _PARTS]
    if not parts[0] or not parts[1]:
        return None
    return _at(parts[0][0], times) + _at(parts[1][0], times)


def _at(column: Column, times: Times) -> Floats:
    return aligned(times, column[1]) * column[0].to_base


def _mean_size_bytes(columns: Columns, transfer: str, times: Times, operations: Floats) -> float | None:
    """Bytes over requests; by the tool's own mean sizes where it does not tell the bytes."""
    moved = _of(columns, THROUGHPUT, transfer, times)
    if moved is None:
        sizes = columns.get((REQUEST_SIZE, transfer))
        if not sizes:
            return None
        moved = np.where(operations > 0, _at(sizes[0], times), 0.0) * operations
    counted = ~np.isnan(moved) & ~np.isnan(operations)
    total = float(operations[counted].sum())
    return float(moved[counted].sum()) / total if total > 0 else None
