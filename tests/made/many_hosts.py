"""A day of sar before and one after on many hosts, of which some do less or more after a change; all follows from the seed.

Each host has a curve of the day and a level of its own; from one day to the other it differs by a few per cent by chance,
and all hosts share what the week did. The truth is computed here from the figures that are printed, to two decimals.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

BEFORE, AFTER = datetime(2026, 10, 12), datetime(2026, 10, 19)
STEP = timedelta(minutes=10)
_SAMPLES = 143
_HEAD = "        CPU     %user     %nice   %system   %iowait    %steal     %idle"


@dataclass(frozen=True)
class Truth:
    """ln(after / before) of the mean of 100 - %idle, by host."""

    changes: Mapping[str, float]

    def range_pct(self, hosts: list[str]) -> tuple[float, float]:
        """The least and the greatest change of these, in per cent regardless of the sign, rising."""
        ends = sorted(abs(100 * (math.exp(self.changes[host]) - 1)) for host in hosts)
        return ends[0], ends[-1]


def host_name(number: int) -> str:
    return f"web{number:02d}"


def write(folder: Path, factors: Mapping[int, float], count: int = 40, sd: float = 0.02, seed: int = 1) -> Truth:
    """A folder of each side with a capture of every host.

    Args:
        factors: number of a host -> what its CPU time is multiplied with after the change.
        sd: of the logarithm of a host's own level of a day.
    """
    chance = random.Random(seed)
    means: dict[str, dict[str, float]] = {"before": {}, "after": {}}
    for side, day in (("before", BEFORE), ("after", AFTER)):
        (folder / side).mkdir(parents=True)
        week = math.exp(chance.gauss(0, 0.01))
        for number in range(count):
            factor = factors.get(number, 1.0) if side == "after" else 1.0
            level = (18 + number) * factor * week * math.exp(chance.gauss(0, sd))
            rows, mean = _day(chance, day, level)
            name = host_name(number)
            text = f"Linux 5.14.0 ({name}) \t{day:%Y-%m-%d} \t_x86_64_\t(8 CPU)\n\n00:00:01{_HEAD}\n{rows}\n"
            (folder / side / name).mkdir()
            (folder / side / name / f"sar{day:%d}.txt").write_text(text)
            means[side][name] = mean
    return Truth({name: math.log(means["after"][name] / mean) for name, mean in means["before"].items()})


def _day(chance: random.Random, day: datetime, level: float) -> tuple[str, float]:
    """The lines, and the mean of 100 - %idle as printed."""
    lines, busy = [], []
    for index in range(1, _SAMPLES + 1):
        moment = day + index * STEP
        hour = moment.hour + moment.minute / 60
        load = 0.3 + 0.7 * math.exp(-(((hour - 13) / 5) ** 2))
        user = level * load * chance.gauss(1, 0.03)
        system = 0.2 * user
        idle = round(100 - user - system, 2)
        busy.append(100 - idle)
        lines.append(f"{moment:%H:%M:%S}{'all':>11s}{user:10.2f}{0:10.2f}{system:10.2f}{0:10.2f}{0:10.2f}{idle:10.2f}")
    return "\n".join(lines), sum(busy) / len(busy)
