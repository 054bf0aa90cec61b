"""Series of a made host, as the store would list them, with their samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from tunebench.analysis.series import SeriesData
from tunebench.diagnosis.signals.host_facts import host_facts
from tunebench.diagnosis.signals.resolving import HostSignals
from tunebench.diagnosis.signals.vocabulary import vocabulary
from tunebench.domain.capturing.run import SystemFact
from tunebench.domain.engagement import Direction, Kind
from tunebench.domain.series import SeriesInfo

SECOND_NS = 1_000_000_000


@dataclass
class MadeHost:
    """Columns are added one by one; `signals` is then what the rules see."""

    os: str = "linux"
    name: str = "db1"
    facts: list[SystemFact] = field(default_factory=list)
    infos: list[SeriesInfo] = field(default_factory=list)
    data: dict[int, SeriesData] = field(default_factory=dict)
    reads: list[int] = field(default_factory=list)

    def add(
        self,
        metric: str,
        values: Sequence[float],
        *,
        native: str = "",
        tool: str = "iostat",
        to_base: float = 1.0,
        base_unit: str = "1/s",
        interval_s: float = 10.0,
        start_s: float = 0.0,
        since_boot: int = 0,
        direction: Direction = Direction.NEUTRAL,
        state: str = "",
        way: str = "",
        **attributes: str,
    ) -> SeriesInfo:
        """A column with a sample each `interval_s`; the first `since_boot` are averages since boot."""
        id_ = len(self.infos) + 1
        n = len(values)
        times = np.array([round((start_s + i * interval_s) * SECOND_NS) for i in range(n)], dtype=np.int64)
        flags = np.arange(n) < since_boot
        implied = {k: v for k, v in (("state", state), ("direction", way)) if v}
        info = SeriesInfo(
            id_,
            1,
            "before",
            1,
            self.name,
            1,
            1,
            tool,
            tool,
            native or metric,
            metric,
            "",
            Kind.GAUGE,
            direction,
            to_base,
            base_unit,
            n - since_boot,
            0,
            int(times[0]) if n else None,
            int(times[-1]) if n else None,
            interval_s,
            dict(attributes),
            implied,
        )
        self.infos.append(info)
        self.data[id_] = SeriesData(times, np.array(values, dtype=float), flags, np.arange(1, n + 1))
        return info

    def disk(self, device: str, busy: Sequence[float], **figures: Sequence[float]) -> None:
        """%util, and by name: ``reads``, ``writes`` (1/s), ``await_ms``, ``queue``."""
        self.add("system.disk.utilization", busy, native="%util", device=device, to_base=0.01, base_unit="1")
        for name, values in figures.items():
            metric, way, to_base, unit = _FIGURES[name]
            self.add(metric, values, device=device, way=way, to_base=to_base, base_unit=unit)

    def cpu(self, idle: Sequence[float], cpu: str = "all") -> None:
        self.add(
            "system.cpu.utilization",
            idle,
            native="id",
            tool="vmstat",
            state="idle",
            to_base=0.01,
            base_unit="1",
            cpu=cpu,
        )

    def fact(self, name: str, value: str) -> None:
        self.facts.append(SystemFact("disk", name, value))

    @property
    def signals(self) -> HostSignals:
        return HostSignals(self.name, self.os, self.infos, host_facts(self.facts, self.os), self._read, vocabulary())

    def _read(self, series_ids: Sequence[int]) -> list[SeriesData]:
        self.reads += series_ids
        return [self.data[each] for each in series_ids]


_FIGURES = {
    "reads": ("system.disk.operations", "read", 1.0, "1/s"),
    "writes": ("system.disk.operations", "write", 1.0, "1/s"),
    "await_ms": ("system.disk.response_time", "", 0.001, "s"),
    "r_await": ("system.disk.response_time", "read", 0.001, "s"),
    "w_await": ("system.disk.response_time", "write", 0.001, "s"),
    "queue": ("system.disk.queue_length", "", 1.0, "{request}"),
}
