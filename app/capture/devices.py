"""Devices that came or went while a capture ran."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from app.domain.engagement import CaptureEvent, EventKind
from app.sdk import SampleBatch, SeriesKey
from app.sdk.recent import Recent

_THINGS = ("device", "interface", "mountpoint", "cpu")


@dataclass(slots=True)
class _Table:
    first_ns: int
    last_ns: int
    rows: int = 0
    seen: dict[str, tuple[int, int]] = field(default_factory=dict)  # device -> first and last time


@dataclass(frozen=True, slots=True)
class _Devices:
    """Devices of a batch: their columns one device after the other, and where in `places` each begins."""

    names: tuple[str, ...]
    places: NDArray[np.int64]
    begins: NDArray[np.int64]


class DevicePresence:
    """Watches the batches of one capture go by; a device that is absent at an end of its table came or went.

    Absence in the middle is no event: `iostat -z` leaves idle devices out of every other block.
    """

    def __init__(self) -> None:
        self._tables: dict[str, _Table] = {}
        self._devices_of = Recent(_devices_of)

    def note(self, batch: SampleBatch) -> None:
        """Takes one batch; rows since boot do not count, they list devices of any age."""
        devices = self._devices_of(batch.series)
        measured = ~batch.since_boot
        if not devices.names or not measured.any():
            return
        times_ns = batch.times_ns[measured]
        table = self._tables.setdefault(batch.table, _Table(int(times_ns[0]), int(times_ns[-1])))
        table.last_ns = max(table.last_ns, int(times_ns[-1]))
        table.rows += len(times_ns)
        there = ~np.isnan(batch.values[measured][:, devices.places])
        present = np.logical_or.reduceat(there, devices.begins, axis=1)
        firsts = times_ns[present.argmax(axis=0)]
        lasts = times_ns[len(times_ns) - 1 - present[::-1].argmax(axis=0)]
        for index in np.flatnonzero(present.any(axis=0)).tolist():
            device = devices.names[index]
            first_ns = table.seen.get(device, (int(firsts[index]), 0))[0]
            table.seen[device] = first_ns, int(lasts[index])

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


def _devices_of(series: tuple[SeriesKey, ...]) -> _Devices:
    columns: dict[str, list[int]] = {}
    for place, key in enumerate(series):
        device = next((value for name, value in key.attributes if name in _THINGS), None)
        if device is not None:
            columns.setdefault(device, []).append(place)
    lengths = [len(places) for places in columns.values()]
    return _Devices(
        tuple(columns),
        np.asarray([place for places in columns.values() for place in places], dtype=np.int64),
        np.cumsum([0, *lengths[:-1]], dtype=np.int64),
    )
