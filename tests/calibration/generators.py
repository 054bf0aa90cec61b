"""What is measured in a calibration: series whose true change is known, made from a stated seed.

Each makes the days of one column of one device, before and after, around a mean of 1. A day is three hours of one sample each
30 seconds. Unless said otherwise a value is ``exp(0.2 z)`` over its mean, z of unit variance.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.signal import lfilter

Floats = npt.NDArray[np.float64]
Random = np.random.Generator
Noise = Callable[[Random], Floats]

ROWS, STEP_S = 360, 30
SPREAD = 0.2
BOTH = (0, 1)
BEFORE, AFTER = BOTH
OTHER = 2
"""A week that is not compared, before both."""


@dataclass(frozen=True)
class Generator:
    """
    Attributes:
        noise: one day, mean 1.
        after: likewise where it is another after the change.
        days: standard deviation of the logarithm of a day's own factor.
        effect: what the change multiplies by.
        ratio: true mean before over after; of p95 and p99 as well, but for stalls.
        shared: all columns of the host have the same days.
    """

    name: str
    noise: Noise
    after: Noise | None = None
    days: float = 0.0
    effect: float = 1.0
    ratio: float = 1.0
    shared: bool = False

    def side(self, random: Random, side: int, factors: Floats) -> Floats:
        """(days, ROWS); `factors` of the days are the host's where it shares them."""
        own = factors if self.shared else self.factors(random, len(factors))
        noise = self.after or self.noise if side == AFTER else self.noise
        level = self.effect if side == AFTER else 1.0
        return np.array([level * factor * noise(random) for factor in own])

    def factors(self, random: Random, days: int) -> Floats:
        return np.exp(self.days * random.standard_normal(days) - self.days**2 / 2)


def _positive(z: Floats, spread: float = SPREAD) -> Floats:
    return np.exp(spread * z - spread**2 / 2)


# -- noise of unit variance ----------------------------------------------------------------------------


def autoregression(random: Random, root: float, rows: int = ROWS) -> Floats:
    steps = random.standard_normal(rows) * np.sqrt(1 - root**2)
    steps[0] = random.standard_normal()
    return lfilter([1.0], [1.0, -root], steps)


def pink(random: Random) -> Floats:
    """1/f, down to one period in eight windows."""
    count = 8 * ROWS
    weights = np.zeros(count // 2 + 1)
    weights[1:] = 1 / np.sqrt(np.arange(1, len(weights)))
    phases = random.standard_normal(len(weights)) + 1j * random.standard_normal(len(weights))
    long = np.fft.irfft(weights * phases, count)
    scale = np.sqrt(4 * np.sum(weights**2)) / count
    return long[:ROWS] / scale


def fractional(random: Random, hurst: float) -> Floats:
    """Fractional Gaussian noise by circulant embedding (Davies and Harte, 1987): exact."""
    lags = np.arange(ROWS + 1, dtype=np.float64)
    powers = [np.abs(lags + shift) ** (2 * hurst) for shift in (-1, 0, 1)]
    covariance = 0.5 * (powers[0] - 2 * powers[1] + powers[2])
    eigenvalues = np.fft.fft(np.concatenate([covariance, covariance[-2:0:-1]])).real
    count = len(eigenvalues)
    steps = random.standard_normal(count) + 1j * random.standard_normal(count)
    return np.fft.fft(np.sqrt(np.maximum(eigenvalues, 0) / count) * steps).real[:ROWS]


def walk(random: Random) -> Floats:
    """Starts each day where the day before did, and ends one standard deviation from there."""
    return np.cumsum(random.standard_normal(ROWS)) / np.sqrt(ROWS)


# -- days of mean 1 ------------------------------------------------------------------------------------


def white(random: Random) -> Floats:
    return _positive(random.standard_normal(ROWS))


def rooted(root: float) -> Noise:
    return lambda random: _positive(autoregression(random, root))


def slow_and_white(random: Random) -> Floats:
    return _positive((autoregression(random, 0.995) + random.standard_normal(ROWS)) / np.sqrt(2))


def daily_curve(random: Random) -> Floats:
    """From 0.6 at nine to 1.4 at the end of the morning."""
    curve = 1 + 0.4 * np.sin(np.pi * (np.arange(ROWS) / ROWS - 0.5))
    return curve * rooted(0.5)(random)


def bursts(random: Random) -> Floats:
    """Four times as much for five minutes, after ten minutes of rest, both in the mean."""
    on = np.empty(ROWS, dtype=bool)
    on[0] = random.random() < 1 / 3
    draws = random.random(ROWS)
    for row in range(1, ROWS):
        on[row] = draws[row] >= 0.1 if on[row - 1] else draws[row] < 0.05
    return np.where(on, 2.0, 0.5) * white(random)


def pareto(random: Random) -> Floats:
    """Of index 2.2: its variance barely exists."""
    return (1 + random.pareto(2.2, ROWS)) * 1.2 / 2.2


def zeros(random: Random) -> Floats:
    return 2 * white(random) * (random.random(ROWS) < 0.5)


def quantised(random: Random) -> Floats:
    """Whole numbers around three."""
    return np.round(3 * white(random)) / 3


def outlier(random: Random) -> Floats:
    """In a third of the days one sample is a hundred times as much."""
    values = white(random)
    if random.random() < 1 / 3:
        values[random.integers(ROWS)] *= 100
    return values


def batch(first_row: int) -> Noise:
    """Half an hour of three times as much."""
    level = np.ones(ROWS)
    level[first_row : first_row + 60] = 3
    return lambda random: level * rooted(0.5)(random)


STALLED, STALL = 0.02, 60.0


def stalls(random: Random) -> Floats:
    return white(random) * np.where(random.random(ROWS) < STALLED, STALL, 1.0)


_STALLS_RATIO = 1 + STALLED * (STALL - 1)

NOISES: dict[str, Noise] = {
    "white": white,
    "AR 0.5": rooted(0.5),
    "AR 0.9": rooted(0.9),
    "AR 0.98": rooted(0.98),
    "slow AR 0.995 + white": slow_and_white,
    "1/f": lambda random: _positive(pink(random)),
    "fractional noise H 0.7": lambda random: _positive(fractional(random, 0.7)),
    "fractional noise H 0.85": lambda random: _positive(fractional(random, 0.85)),
    "fractional noise H 0.9": lambda random: _positive(fractional(random, 0.9)),
    "random walk": lambda random: _positive(walk(random)),
    "daily curve": daily_curve,
    "bursts on and off": bursts,
    "Pareto 2.2": pareto,
    "half zeros": zeros,
    "quantised": quantised,
    "one outlier of x100": outlier,
}
_DAYS = rooted(0.5)

UNCHANGED = (
    *(Generator(name, noise) for name, noise in NOISES.items()),
    Generator("a batch at another hour", batch(60), batch(240)),
    *(Generator(f"days differ by {pct} %", _DAYS, days=pct / 100) for pct in (5, 10, 20)),
    *(Generator(f"days of the host differ by {pct} %", _DAYS, days=pct / 100, shared=True) for pct in (10, 20)),
)
CHANGED = (
    *(
        Generator(f"x{effect}, days differ by 10 %", _DAYS, days=0.1, effect=effect, ratio=1 / effect)
        for effect in (0.5, 0.7, 0.8)
    ),
    Generator("stalls removed", stalls, white, ratio=_STALLS_RATIO),
    Generator("stalls added", white, stalls, ratio=1 / _STALLS_RATIO),
)


# -- a disk under another load -------------------------------------------------------------------------

SERVICE_S = 0.02
REQUESTS_PER_S = 17.5


@dataclass(frozen=True)
class Disk:
    """What ``iostat`` says of one disk in one day, each (ROWS,)."""

    requests_per_s: Floats
    response_ms: Floats
    queue: Floats
    busy_pct: Floats


def wandering(random: Random, spread: float) -> Floats:
    """What a host is asked for in one day, (ROWS,): it wanders within the day, and days differ by a fifth of that."""
    return np.exp(spread * (autoregression(random, 0.95) + 0.2 * random.standard_normal()))


def queued(random: Random, load: Floats) -> Disk:
    """An M/M/1 queue, simulated request by request: 35 % busy at a load of 1.

    Args:
        load: (ROWS,)
    """
    counts = random.poisson(REQUESTS_PER_S * STEP_S * load)
    arrivals = np.sort((np.repeat(np.arange(ROWS), counts) + random.random(counts.sum())) * STEP_S)
    services = random.exponential(SERVICE_S, len(arrivals))
    gained = np.cumsum(np.concatenate([[0.0], services[:-1] - np.diff(arrivals)]))  # Lindley's recursion, summed
    waits = gained - np.minimum.accumulate(gained)
    responses = waits + services
    rows = np.minimum((arrivals + responses) // STEP_S, ROWS - 1).astype(np.int64)
    done, spent, busy = (np.bincount(rows, weights, ROWS) for weights in (None, responses, services))
    return Disk(
        done / STEP_S,
        1000 * np.divide(spent, done, out=np.zeros(ROWS), where=done > 0),
        spent / STEP_S,
        np.minimum(100 * busy / STEP_S, 100.0),
    )


WANDER, WIDE_WANDER = 0.25, 0.4
LOADS = {f"load x{load:g}": (load, WANDER) for load in (0.6, 1.0, 1.5, 2.0)} | {
    f"load x{load:g}, wandering widely": (load, WIDE_WANDER) for load in (0.6, 1.5)
}
"""(load after, how far it wanders on both sides, for all disks together): of wide ones both visit much of the same load."""


# -- statements of a database under the same workload --------------------------------------------------

STATEMENTS, HOURS = 40, 3


@dataclass(frozen=True)
class Executions:
    """What one snapshot period holds of each statement, (STATEMENTS,): how many, and the moments of their times."""

    calls: Floats
    total_ms: Floats
    squares_ms2: Floats


@dataclass(frozen=True)
class Workload:
    """Statements whose time per execution varies as much as it is long, by `periods` from hour to hour of a day and by
    `days` from day to day."""

    rates: Floats
    each_ms: Floats
    periods: float
    days: float = 0.0

    @staticmethod
    def drawn(random: Random, periods: float, days: float = 0.0) -> Workload:
        return Workload(10 ** random.uniform(2, 4, STATEMENTS), 10 ** random.uniform(0, 2.5, STATEMENTS), periods, days)

    def day(self, random: Random) -> list[Executions]:
        level = self.each_ms * np.exp(self.days * random.standard_normal(STATEMENTS) - self.days**2 / 2)
        return [self._hour(random, level) for _ in range(HOURS)]

    def _hour(self, random: Random, level: Floats) -> Executions:
        calls = random.poisson(self.rates).astype(np.float64)
        mean = level * np.exp(self.periods * random.standard_normal(STATEMENTS) - self.periods**2 / 2)
        total = calls * mean * (1 + random.standard_normal(STATEMENTS) / np.sqrt(calls))
        return Executions(calls, total, total**2 / calls + calls * mean**2)


WORKLOADS = {f"statements, hours differ by {pct} %": (pct / 100, 0.0, 0) for pct in (0, 5, 10)} | {
    f"statements, days differ by {pct} %{told}": (0.03, pct / 100, further)
    for pct in (5, 10, 20)
    for told, further in (("", 0), (", a week beside", 5))
}
"""(from hour to hour, from day to day, days that are not compared)"""
