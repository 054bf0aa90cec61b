"""Devices that came or went while a capture ran."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field

import numpy as np
from numpy.typing import NDArray

from tunebench.core.records import record
from tunebench.domain.engagement import CaptureEvent, EventKind
from tunebench.sdk import SampleBatch, SeriesKey
from tunebench.sdk.recent import Recent

_THINGS = ("device", "interface", "mountpoint", "cpu")


@record(frozen=False)
class _Table:
    """`firsts` and `lasts`: when each device was first and last there, in the order of `names`.

    `seen`: places of those that were there at all, in the order in which they came.
    """

    first_ns: int | None = None
    last_ns: int = 0
    rows: int = 0
    names: dict[str, int] = field(default_factory=dict)
    seen: list[int] = field(default_factory=list)
    is_seen: NDArray[np.bool_] = field(default_factory=lambda: np.empty(0, dtype=bool))
    firsts: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    lasts: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    def place(self, names: Iterable[str]) -> NDArray[np.int64]:
        """int64[names]: the index of each device; new ones get the next."""
        indices = np.array([self.names.setdefault(name, len(self.names)) for name in names], dtype=np.int64)
        more = len(self.names) - len(self.firsts)
        self.is_seen = np.append(self.is_seen, np.zeros(more, dtype=bool))
        self.firsts = np.append(self.firsts, np.zeros(more, dtype=np.int64))
        self.lasts = np.append(self.lasts, np.zeros(more, dtype=np.int64))
        return indices

    def see(self, places: NDArray[np.int64], firsts: NDArray[np.int64], lasts: NDArray[np.int64]) -> None:
        is_new = ~self.is_seen[places]
        if is_new.any():
            new = places[is_new]
            self.firsts[new], self.is_seen[new] = firsts[is_new], True
            self.seen += new.tolist()
        self.lasts[places] = lasts


@record
class _Devices:
    """Devices of a batch, by their places in its table: their columns one device after the other, and where in
    `columns` each begins."""

    places: NDArray[np.int64]
    columns: NDArray[np.int64]
    begins: NDArray[np.int64]


class DevicePresence:
    """Watches the batches of one capture go by; a device that is absent at an end of its table came or went.

    Absence in the middle is no event: `iostat -z` leaves idle devices out of every other block.
    """

    def __init__(self) -> None:
        self._named: dict[str, _Table] = {}
        self._tables: dict[str, _Table] = {}  # those of them that have something measured
        self._devices_of = Recent(self._find_devices)

    def note(self, batch: SampleBatch) -> None:
        """Takes one batch; rows since boot do not count, they list devices of any age."""
        devices = self._devices_of(batch.series)
        measured = ~batch.since_boot
        if not len(devices.places) or not measured.any():
            return
        times_ns, values = batch.times_ns, batch.values
        if not measured.all():
            times_ns, values = times_ns[measured], values[measured]
        table = self._tables.setdefault(batch.table, self._named[batch.table])
        table.first_ns = int(times_ns[0]) if table.first_ns is None else table.first_ns
        table.last_ns = max(table.last_ns, int(times_ns[-1])) if table.rows else int(times_ns[-1])
        table.rows += len(times_ns)
        there = ~np.isnan(values)
        if there.all():
            table.see(
                devices.places, np.full_like(devices.places, times_ns[0]), np.full_like(devices.places, times_ns[-1])
            )
            return
        present = np.logical_or.reduceat(there[:, devices.columns], devices.begins, axis=1)
        some = present.any(axis=0)
        firsts = times_ns[present.argmax(axis=0)]
        lasts = times_ns[len(times_ns) - 1 - present[::-1].argmax(axis=0)]
        table.see(devices.places[some], firsts[some], lasts[some])

    def _find_devices(self, series: tuple[SeriesKey, ...]) -> _Devices:
        columns: dict[str, list[int]] = {}
        for column, key in enumerate(series):
            device = next((value for name, value in key.attributes if name in _THINGS), None)
            if device is not None:
                columns.setdefault(device, []).append(column)
        lengths = [len(places) for places in columns.values()]
        table = self._named.setdefault(series[0].table, _Table()) if series else _Table()
        return _Devices(
            table.place(columns),
            np.asarray([column for places in columns.values() for column in places], dtype=np.int64),
            np.cumsum([0, *lengths[:-1]], dtype=np.int64),
        )

    def events(self) -> list[CaptureEvent]:
        """Arrivals and departures, in the order of time; each device once."""
        by_device: dict[tuple[EventKind, str], CaptureEvent] = {}
        for table in self._tables.values():
            if table.rows < 2 or table.first_ns is None:
                continue
            names, firsts, lasts = list(table.names), table.firsts.tolist(), table.lasts.tolist()
            for index in table.seen:
                device, first_ns, last_ns = names[index], firsts[index], lasts[index]
                if first_ns > table.first_ns:
                    event = CaptureEvent(EventKind.DEVICE_ADDED, first_ns, None, device)
                    by_device.setdefault((event.kind, device), event)
                if last_ns < table.last_ns:
                    event = CaptureEvent(EventKind.DEVICE_REMOVED, last_ns, None, device)
                    by_device.setdefault((event.kind, device), event)
        return sorted(by_device.values(), key=lambda event: event.start_ns)
