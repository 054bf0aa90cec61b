"""What a report of one instance says of its period, whatever form it is printed in."""

from __future__ import annotations

import math
from dataclasses import field

from tunebench.core.records import record
from tunebench.families.oracle.header import Clock, Header
from tunebench.families.oracle.names import LOAD_TOTALS
from tunebench.families.oracle.rows import Collected
from tunebench.sdk.databases import DatabaseRecord, Fault, Reach

_CENTISECONDS = "cs"
_COUNTED_UP = ("user calls", "execute count", "user commits", "session logical reads", "physical reads", "redo size")
"""Statistics that only grow; several others may fall."""


@record(frozen=False)
class PeriodProfile:
    """Collects what the instance did; a subclass reads the tables.

    Attributes:
        times: seconds of the time model by name.
        totals: totals of the statistics of the instance, as printed.
    """

    into: Collected
    times: dict[str, float] = field(default_factory=dict)
    totals: dict[str, float] = field(default_factory=dict)
    load_lines: dict[str, tuple[int, str, str, dict[str, float | None]]] = field(default_factory=dict)
    cpu_counts: list[tuple[float, float]] = field(default_factory=list)
    _cpu: tuple[int, float] | None = None  # what stands among the waits, for a report without a time model

    def host_statistic(self, line: int, name: str, value: float | None, end: float | None) -> None:
        """``*_TIME`` (1/100 s) is what was added, everything else what was there."""
        if not name or value is None:
            return
        if name.endswith(("_TIME", "_TICKS")):
            texts = {"scope": "os", "name": name, "unit": _CENTISECONDS}
            self.into.add("activity", line, texts, {"total": value})
            return
        end = value if end is None else end
        self.into.add("state", line, {"scope": "os", "name": name}, {"begin": value, "end": end})
        if name == "NUM_CPUS":
            self.cpu_counts.append((value, end))

    def note_cpu(self, line: int, time_s: float | None) -> None:
        if self._cpu is None and time_s is not None:
            self._cpu = line, time_s

    def close_cpu(self) -> None:
        if not self.times and self._cpu is not None:
            line, time_s = self._cpu
            self.times["db_cpu"] = time_s
            self.into.add("time_model", line, {"name": "db_cpu"}, {"time_s": time_s})

    def close_load(self) -> None:
        for name, (line, native, unit, figures) in self.load_lines.items():
            texts = {"name": name, "native": native, "unit": unit}
            self.into.add("load", line, texts, {**figures, "total": self._total_of(name)})

    def _total_of(self, name: str) -> float | None:
        """The exact total of a row of the load profile, which prints rounded rates only."""
        if name in ("db_time", "db_cpu", "background_cpu"):
            return self.times.get(name)
        parts = [self.totals.get(part, math.nan) for part in LOAD_TOTALS.get(name, ())]
        total = math.fsum(parts) if parts else math.nan
        return total if math.isfinite(total) else None


@record
class PeriodReport:
    """A report that is read: what was collected, and what it is.

    Attributes:
        expected: tables that a whole report fills.
        whole: whether its end was found.
        cpu_count_changed: as its parameters say.
    """

    header: Header
    profile: PeriodProfile
    source: str
    title: str
    expected: tuple[str, ...]
    first_line: int
    whole: bool
    cpu_count_changed: bool

    def record(self, clock: Clock) -> DatabaseRecord:
        header = self.header
        begin, end = header.moments(clock)
        elapsed_s = header.elapsed_s
        begin_ns = None if begin is None else begin.time_ns
        timed = begin_ns is not None and end.time_ns is not None
        if elapsed_s is None and begin_ns is not None and end.time_ns is not None:
            elapsed_s = (end.time_ns - begin_ns) / 1e9
        db_time_s = self.profile.times.get("db_time", header.db_time_s)
        faults = self._faults(timed, any(value is not None and value < 0 for value in (db_time_s, elapsed_s)))
        if Fault.RESTART in faults and header.restarted:
            clock.restart(end.started_ns)
        tables = self.profile.into.tables()
        return DatabaseRecord(
            source=self.source,
            reach=Reach.PERIOD,
            identity=header.identity,
            begin=begin,
            end=end,
            elapsed_s=elapsed_s,
            db_time_s=db_time_s,
            title=self.title,
            tables=tables,
            absent=tuple(name for name in self.expected if name not in tables),
            faults=faults,
            first_line=self.first_line,
        )

    def _faults(self, timed: bool, backwards: bool) -> tuple[Fault, ...]:
        cpus = any(begin != end for begin, end in self.profile.cpu_counts)
        checks = {
            Fault.RESTART: self.header.restarted or backwards,
            Fault.NEGATIVE: any(self.profile.totals.get(name, 0.0) < 0 for name in _COUNTED_UP),
            Fault.TRUNCATED: not self.whole,
            Fault.CPU_COUNT: cpus or self.cpu_count_changed,
            Fault.UNTIMED: not timed,
        }
        return tuple(fault for fault, holds in checks.items() if holds)
