"""One project from the text of its captures to the verdicts that the command line prints, and what they add up to."""

from __future__ import annotations

import io
import json
import zlib
from collections.abc import Callable, Iterable, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from tests.calibration.captures import iostat_day, sar_day, snapshots
from tests.calibration.generators import (
    AFTER,
    BEFORE,
    BOTH,
    CHANGED,
    LOADS,
    OTHER,
    ROWS,
    UNCHANGED,
    WORKLOADS,
    Floats,
    Generator,
    Random,
    Workload,
    queued,
    wandering,
)
from tunebench.bootstrap import compose
from tunebench.cli.main import run

SEED = 20260907
JUDGED = ("improved", "regressed", "equivalent", "inconclusive")
COLUMNS = ("aqu-sz", "await")
GENERATORS = {each.name: each for each in (*UNCHANGED, *CHANGED)}


@dataclass(frozen=True)
class Job:
    """One project: `days` on either side of `disks`; `number` tells projects that are alike apart; `further` days of a
    week that is not compared."""

    name: str
    days: int
    disks: int
    number: int = 0
    further: int = 0

    @property
    def random(self) -> Random:
        return np.random.default_rng([SEED, zlib.crc32(self.name.encode()), self.days, self.disks, self.number])


@dataclass(frozen=True)
class Seen:
    """What was said of one row.

    Attributes:
        statistic: mean, p95 or p99.
        interval: of the ratio, more than 1 better; None where none was given.
    """

    column: str
    statistic: str
    verdict: str
    interval: tuple[float, float] | None


def measure(job: Job) -> list[Seen]:
    """Of the columns that were generated, the first where all share the host's days; of statements, those in both runs;
    under another load, of all columns that were judged.
    """
    with TemporaryDirectory(prefix="calibrate-") as name:
        folder = Path(name)
        if job.name in WORKLOADS:
            _write_statements(folder, job, *WORKLOADS[job.name])
            return [
                _statement(row) for row in _compared(folder)["statements"]["rows"] if row["before"] and row["after"]
            ]
        if job.name in LOADS:
            _write_load(folder, job, *LOADS[job.name])
            return [each for row in _compared(folder)["series"] for each in _seen(row) if each.verdict in JUDGED]
        generator = GENERATORS[job.name]
        _write(folder, job, generator)
        rows = [row for row in _compared(folder)["series"] if row["native"] in COLUMNS]
        return [each for row in (rows[:1] if generator.shared else rows) for each in _seen(row)]


def _write(folder: Path, job: Job, generator: Generator) -> None:
    random = job.random
    for side, days in ((BEFORE, job.days), (AFTER, job.days), (OTHER, job.further)):
        factors = generator.factors(random, days)
        columns = [_disks(random, job, lambda: generator.side(random, side, factors)) for _ in COLUMNS]  # noqa: B023
        requests = np.exp(0.05 * random.standard_normal((days, job.disks, ROWS)))
        for day in range(days):
            sar_day(folder, side, day, columns[0][day], columns[1][day], requests[day])


def _disks(random: Random, job: Job, make: Callable[[], Floats]) -> Floats:
    """(days, disks, ROWS)"""
    return np.stack([make() for _ in range(job.disks)], axis=1)


def _write_load(folder: Path, job: Job, load: float, wander: float) -> None:
    random = job.random
    for side in BOTH:
        for day in range(job.days):
            asked = wandering(random, wander) * (load if side == AFTER else 1.0)
            disks = [queued(random, asked) for _ in range(job.disks)]
            iostat_day(folder, side, day, disks)


def _write_statements(folder: Path, job: Job, periods: float, days: float, further: int) -> None:
    random = job.random
    workload = Workload.drawn(random, periods, days)
    for side, count in ((BEFORE, job.days), (AFTER, job.days), (OTHER, further)):
        if count:
            snapshots(folder, side, [workload.day(random) for _ in range(count)])


def _compared(folder: Path) -> dict[str, Any]:
    project = folder / "calibration.tune"
    _call("new", project, "--customer", "Calibration")
    for side in ("before", "after", "other"):
        if (folder / side).exists():
            _call("import", project, folder / side, "--run", side, "--phase", "before" if side == "other" else side)
    return json.loads(_call("compare", project, "--before", "before", "--after", "after", "--json"))


@cache
def _composed() -> None:
    """Once a process: each verb by itself would load the plug-ins anew."""
    compose()


def _call(*words: object) -> str:
    _composed()
    printed = io.StringIO()
    with redirect_stdout(printed):
        code = run([str(word) for word in words])
    if code:
        raise AssertionError(f"{words[0]} ended with {code}: {printed.getvalue()}")
    return printed.getvalue()


def _seen(row: dict[str, Any]) -> list[Seen]:
    """The row's own verdict, which is of the mean, and that of each other statistic."""
    others = [each for each in row["statistics"] if each["statistic"] != row["statistic"]]
    return [
        Seen(row["native"], each["statistic"], each["verdict"], tuple(each["ci95"]) if each["ci95"] else None)
        for each in (row, *others)
    ]


def _statement(row: dict[str, Any]) -> Seen:
    ends = row["ci95"]
    return Seen("statement", "mean", row["verdict"], (ends[0], ends[1]) if ends else None)


# -- rates ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Rate:
    """`hits` of `count`."""

    hits: int
    count: int

    @property
    def value(self) -> float:
        return self.hits / self.count if self.count else float("nan")

    @property
    def interval(self) -> tuple[float, float]:
        """95 %, by Wilson."""
        if not self.count:
            return 0.0, 1.0
        z, n, p = 1.959964, self.count, self.value
        middle = (p + z * z / (2 * n)) / (1 + z * z / n)
        half = z * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
        return max(0.0, middle - half), min(1.0, middle + half)

    def __str__(self) -> str:
        if not self.count:
            return "-"
        low, high = self.interval
        return f"{100 * self.value:.1f} ({100 * low:.1f}–{100 * high:.1f})"


def called(seen: Iterable[Seen], *verdicts: str) -> Rate:
    """Of those with a verdict."""
    judged = [each for each in seen if each.verdict in JUDGED]
    return Rate(sum(each.verdict in verdicts for each in judged), len(judged))


def share_judged(seen: Sequence[Seen]) -> Rate:
    return Rate(sum(each.verdict in JUDGED for each in seen), len(seen))


def coverage(seen: Iterable[Seen], ratio: float) -> Rate:
    given = [each.interval for each in seen if each.interval is not None]
    return Rate(sum(low <= ratio <= high for low, high in given), len(given))
