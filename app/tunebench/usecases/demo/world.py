"""The demo's made-up world, minute by minute: what every capture shows in its own way.

All follows from the figures of `resources/demo/world.toml` and from the seed there. NumPy's `RandomState` is frozen: it
gives the same numbers with every version and on every machine.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tunebench.core.records import record

Floats = NDArray[np.float64]
Table = Mapping[str, Any]
DAY_MINUTES = 1440
_OFFICE = (9, 18)
_HOLDS_ON = 6
"""Minutes over which the noise of a figure holds on."""


@record
class Disk:
    """float64[minutes] each; requests per second, KB per request, ms per request."""

    reads: Floats
    read_kb: float
    read_ms: Floats
    writes: Floats
    write_kb: float
    write_ms: Floats
    busy_pct: Floats
    since: int = 0


@record
class Machine:
    """A host's figures, float64[minutes] each; sizes in MB and KB."""

    name: str
    facts: Table
    user: Floats
    system: Floats
    iowait: Floats
    runnable: Floats
    blocked: Floats
    memory_pct: Floats
    switches: Floats
    received_kb: Floats
    sent_kb: Floats
    disks: Mapping[str, Disk]

    @property
    def idle(self) -> Floats:
        return 100.0 - self.user - self.system - self.iowait


@record
class Orders:
    """Of each minute: orders completed, their mean and extreme response in ms, those that failed."""

    completed: Floats
    mean_ms: Floats
    least_ms: Floats
    most_ms: Floats
    failed: Floats


class Dice:
    """Chance that is the same for one seed."""

    def __init__(self, seed: int) -> None:
        self._random = np.random.RandomState(seed)

    def normal(self, size: int) -> Floats:
        return np.asarray(self._random.standard_normal(size), dtype=np.float64)

    def jitter(self, share: float, size: int) -> Floats:
        """Factors around 1."""
        return np.asarray(np.exp(share * self.normal(size)), dtype=np.float64)


class World:
    """Work, machines and orders of every minute from `first_day` on."""

    def __init__(self, facts: Table) -> None:
        self.facts = facts
        self._dice = Dice(facts["seed"])
        self.first_day: date = facts["first_day"]
        self.days: int = facts["days"]
        self._day = np.arange(self.days).repeat(DAY_MINUTES)
        self.clock_hours = np.tile(np.arange(DAY_MINUTES) / 60.0, self.days)
        self.minutes = len(self._day)
        self.after = np.arange(self.minutes) >= self.minute_of(facts["changed_at"])
        begin, end = (self.minute_of(moment) for moment in facts["copy"])
        self.copying = np.zeros(self.minutes)
        self.copying[begin:end] = 1.0
        begin, end = facts["batch"]
        self.batch = ((self.clock_hours >= begin) & (self.clock_hours < end)).astype(np.float64)
        self.work = self._work(facts["load"])
        self.machines = {name: self._machine(name, facts["hosts"][name]) for name in facts["hosts"]}
        self.orders = self._orders(facts["orders"])

    def minute_of(self, moment: datetime) -> int:
        start = datetime.combine(self.first_day, datetime.min.time())
        return int((moment - start) // timedelta(minutes=1))

    def day(self, number: int) -> date:
        return self.first_day + timedelta(days=number)

    @cached_property
    def measured_days(self) -> tuple[date, ...]:
        """The days that are measured every minute."""
        every = (self.day(number) for number in range(self.days))
        return tuple(day for day in every if any(first <= day <= last for first, last in self.facts["measured"]))

    def sided(self, pair: tuple[float, float]) -> Floats:
        """The figure before the change, and after it."""
        return np.where(self.after, pair[1], pair[0])

    def noise(self, share: float) -> Floats:
        """Factors around 1 that hold on for some minutes."""
        return np.asarray(np.exp(share * self._steps() - share * share / 2), dtype=np.float64)

    def _steps(self) -> Floats:
        """Normal, each like the ones before it."""
        kernel = 0.75 ** np.arange(_HOLDS_ON)
        return np.convolve(self._dice.normal(self.minutes), kernel / np.sqrt((kernel**2).sum()), "same")

    # -- what is asked for

    def _work(self, load: Table) -> Floats:
        """1 is the mean of an office day's hours."""
        shape = np.interp(self.clock_hours, load["hours"], load["shares"])
        office = (self.clock_hours >= _OFFICE[0]) & (self.clock_hours < _OFFICE[1])
        of_days = np.array([self._of_day(number, load) for number in range(self.days)])
        of_days *= self._dice.jitter(load["days_differ"], self.days)
        work = shape / shape[office].mean() * of_days[self._day] * self.noise(load["minutes_differ"])
        return np.asarray(work, dtype=np.float64)

    def _of_day(self, number: int, load: Table) -> float:
        day = self.day(number)
        share = load["day_off"] if day == self.facts["day_off"] else load["weekend"] if day.weekday() >= 5 else 1.0
        return float(share * (1.0 + load["growth_a_day"] * number))

    # -- what it does to a machine

    def _machine(self, name: str, facts: Table) -> Machine:
        steps = facts["busy_idle_pct"] + (self.sided(facts["busy_pct"]) - facts["busy_idle_pct"]) * self.work
        busy = steps * self.noise(0.06) + self.batch * facts.get("batch_busy_pct", 0.0)
        waiting = self.sided(facts["iowait_pct"]) * np.sqrt(self.work) * self.noise(0.22)
        waiting += self.copying * facts.get("copy_iowait_pct", 0.0) * self.noise(0.12)
        waiting = np.clip(waiting, 0.0, 40.0)
        busy = np.clip(busy, 0.4, 98.0 - waiting)
        slowed = 1.0 + self.copying * (1.9 if "copy_iowait_pct" in facts else 0.0)
        runnable = self.sided(facts["runnable"]) * self.work * slowed * self.noise(0.16)
        memory = self.sided(facts["memory_pct"]) + 1.1 * (self.work - 0.6) + 0.2 * self._steps()
        return Machine(
            name,
            facts,
            busy * (1.0 - facts["system_share"]),
            busy * facts["system_share"],
            waiting,
            runnable,
            np.clip(waiting / 5.5 * self.noise(0.3), 0.0, None),
            memory,
            facts["context_switches"] * (0.08 + 0.92 * self.work) * self.noise(0.05),
            facts["received_kb"] * self.work * self.noise(0.06),
            facts["sent_kb"] * self.work * self.noise(0.06),
            {disk: self._disk(of_disk) for disk, of_disk in facts["disks"].items()},
        )

    def _disk(self, facts: Table) -> Disk:
        batch = 1.0 + self.batch * facts.get("batch", 0.0)
        kept_from = 1.0 + self.copying * (facts.get("copy_ms", 1.0) - 1.0)
        reads = self.sided(facts["reads"]) * self.work * batch * self.noise(0.05)
        reads *= 1.0 + self.copying * (facts.get("copy_reads", 1.0) - 1.0)
        writes = self.sided(facts["writes"]) * self.work * batch * self.noise(0.05)
        writes += self.copying * facts.get("copy_writes", 0.0) * self.noise(0.06)
        reads, writes = (np.rint(60.0 * rate) / 60.0 for rate in (reads, writes))
        queue = 0.55 + 0.45 * np.clip(self.work * batch, 0.0, 2.2)
        busy = (reads + writes) * self.sided(facts["service_ms"]) / 10.0 * kept_from**0.35
        return Disk(
            reads,
            facts["read_kb"],
            self.sided(facts["read_ms"]) * queue * kept_from * self.noise(0.1),
            writes,
            facts["write_kb"],
            self.sided(facts["write_ms"]) * queue * kept_from * self.noise(0.1),
            np.clip(busy * self.noise(0.04), 0.01, 99.7),
            self.minute_of(self.facts["changed_at"]) if facts.get("since_change") else 0,
        )

    # -- what its users feel

    def _orders(self, facts: Table) -> Orders:
        mean_ms = self.sided(facts["response_ms"]) * (0.82 + 0.18 * self.work) * self.noise(facts["response_differs"])
        mean_ms *= 1.0 + self.copying * (facts["copy_slows"] - 1.0)
        share = 1.0 - self.copying * facts["copy_turns_away"]
        completed = np.rint(60.0 * facts["per_second"] * self.work * share * self.noise(0.03))
        most = mean_ms * (8.0 + 3.0 * self._dice.jitter(0.4, self.minutes))
        return Orders(
            completed,
            np.rint(mean_ms),
            np.rint(mean_ms * 0.38),
            np.rint(most),
            np.rint(completed * 0.0004 * self._dice.jitter(0.7, self.minutes)),
        )
