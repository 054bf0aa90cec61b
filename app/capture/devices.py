"""Devices that came or went while a capture ran."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from app.domain.engagement import CaptureEvent, EventKind
from app.sdk import SampleBatch

_THINGS = ("device", "interface", "mountpoint", "cpu")


@dataclass(slots=True)
class _Table:
    first_ns: int
    last_ns: int
    rows: int = 0
    seen: dict[str, tuple[int, int]] = field(default_factory=dict)  # device -> first and last time


class DevicePresence:
    """Watches the batches of one capture go by; a device that is absent at an end of its table came or went.

    Absence in the middle is no event: `iostat -z` leaves idle devices out of every other block.
    """

    def __init__(self) -> None:
        self._tables: dict[str, _Table] = {}

    def note(self, batch: SampleBatch) -> None:
        """Takes one batch; rows since boot do not count, they list devices of any age."""
        columns = _columns_by_device(batch)
        measured = ~batch.since_boot
        if not columns or not measured.any():
            return
        times_ns = batch.times_ns[measured]
        table = self._tables.setdefault(batch.table, _Table(int(times_ns[0]), int(times_ns[-1])))
        table.last_ns = max(table.last_ns, int(times_ns[-1]))
        table.rows += len(times_ns)
        present = ~np.isnan(batch.values[measured])
        for device, places in columns.items():
            rows = np.flatnonzero(present[:, places].any(axis=1))
            if len(rows):
                first = table.seen.get(device, (int(times_ns[rows[0]]), 0))[0]
                table.seen[device] = (first, int(times_ns[rows[-1]]))

    def events(self) -> list[CaptureEvent]:
        """Arrivals and departures, in the order of time; each device once."""
        found: dict[tuple[EventKind, str], CaptureEvent] = {}
        for table in self._tables.values():
            if table.rows < 2:
                continue
            for device, (first_ns, last_ns) in table.seen.items():
                if first_ns > table.first_ns:
                    event = CaptureEvent(EventKind.DEVICE_ADDED, first_ns, None, device)
                    found.setdefault((event.kind, device), event)
                if last_ns < table.last_ns:
                    event = CaptureEvent(EventKind.DEVICE_REMOVED, last_ns, None, device)
                    found.setdefault((event.kind, device), event)
        return sorted(found.values(), key=lambda event: event.start_ns)


def _columns_by_device(batch: SampleBatch) -> dict[str, list[int]]:
    columns: dict[str, list[int]] = {}
    for place, key in enumerate(batch.series):
        device = next((value for name, value in key.attributes if name in _THINGS), None)
        if device is not None:
            columns.setdefault(device, []).append(place)
    return columns
