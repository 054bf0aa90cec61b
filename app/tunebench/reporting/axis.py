"""Axes and thinning for figures on paper."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil, floor, isfinite, log10

import numpy as np
from numpy.typing import NDArray

from tunebench.core.records import record
from tunebench.reporting.wording import grouped

TIME_STEPS_S = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 14400, 21600, 43200, 86400)
DAY_S = 86_400.0
WIDE = 8.0
"""Levels whose greatest is more than so many times the least are told apart on a logarithmic scale."""
_FEW_DECADES = 2.1
_MOST_DECADES = 6


@record
class Axis:
    """From `minimum` to `maximum` with a tick every `step`."""

    minimum: float
    maximum: float
    step: float

    @property
    def ticks(self) -> list[float]:
        first = ceil(self.minimum / self.step - 1e-9)
        last = floor(self.maximum / self.step + 1e-9)
        return [number * self.step for number in range(first, last + 1)]

    @property
    def decimals(self) -> int:
        """Decimals that the tick labels need."""
        if self.step >= 1:
            return 0 if abs(self.step - round(self.step)) < 1e-9 else 1
        exponent = ceil(-log10(self.step))
        return exponent if abs(self.step * 10**exponent - round(self.step * 10**exponent)) < 1e-9 else exponent + 1


def value_axis(largest: float, *, fixed_maximum: float | None = None, ticks: int = 5) -> Axis:
    """A zero-based axis whose end lies above `largest` (or at `fixed_maximum`, unless a value exceeds it)."""
    if fixed_maximum is not None and 0 < largest <= fixed_maximum or fixed_maximum is not None and largest <= 0:
        return Axis(0.0, float(fixed_maximum), fixed_maximum / ticks)
    if largest <= 0:
        return Axis(0.0, 1.0, 0.25)
    step = _round_step(largest / ticks)
    end = ceil(largest / step - 1e-9) * step
    if end <= largest * 1.000001:
        end += step
    return Axis(0.0, end, step)


def span_axis(low: float, high: float, ticks: int = 5) -> Axis:
    """From the round number below `low` to the one above `high`; zero need not be on it."""
    step = _round_step(max(high - low, 1e-9) / ticks)
    return Axis(floor(low / step + 1e-9) * step, ceil(high / step - 1e-9) * step, step)


def _round_step(rough: float) -> float:
    magnitude = 10.0 ** floor(log10(rough))
    return next(size * magnitude for size in (1, 2, 2.5, 5, 10) if size * magnitude >= rough * 0.999999)


@record
class Scale:
    """From `minimum` to `maximum`, in equal steps or, where `is_log`, in equal multiples."""

    minimum: float
    maximum: float
    ticks: tuple[float, ...]
    is_log: bool
    decimals: int = 0

    def share(self, value: float) -> float:
        """How far along the axis a value stands: 0 at its beginning, 1 at its end."""
        if not self.is_log:
            return (value - self.minimum) / (self.maximum - self.minimum)
        return log10(value / self.minimum) / log10(self.maximum / self.minimum)

    def label(self, tick: float) -> str:
        return grouped(tick, max(0, -floor(log10(tick) + 1e-9)) if self.is_log else self.decimals)


def level_scale(levels: Iterable[float], ticks: int = 5) -> Scale:
    """A scale for levels: logarithmic where they are above zero and span much, else from zero."""
    finite = [level for level in levels if isfinite(level)]
    low = min(finite, default=0.0)
    high = max(finite, default=0.0)
    if low > 0 and high > WIDE * low:
        return log_scale(low, high)
    return zero_scale(finite, ticks)


def zero_scale(levels: Iterable[float], ticks: int = 5) -> Scale:
    """A linear scale that has zero on it."""
    finite = [0.0, *(level for level in levels if isfinite(level))]
    low = min(finite)
    high = max(finite)
    return linear_scale(value_axis(high, ticks=ticks) if low >= 0 else span_axis(low, high, ticks))


def linear_scale(axis: Axis) -> Scale:
    return Scale(axis.minimum, axis.maximum, tuple(axis.ticks), is_log=False, decimals=axis.decimals)


def log_scale(low: float, high: float) -> Scale:
    """From the round number below `low` to the one above `high`; ticks at 1, 2, 5 or, of many, at decades."""
    rounds = _rounds(floor(log10(low)) - 1, ceil(log10(high)) + 1)
    minimum = max(number for number in rounds if number < low)
    maximum = min(number for number in rounds if number > high)
    inside = [number for number in rounds if minimum <= number <= maximum]
    decades = log10(maximum / minimum)
    if decades > _FEW_DECADES:
        every = ceil(decades / _MOST_DECADES)
        powers = range(ceil(log10(minimum) - 1e-9), floor(log10(maximum) + 1e-9) + 1)
        inside = [10.0**power for power in powers if power % every == 0]
    return Scale(minimum, maximum, tuple(inside), is_log=True)


def _rounds(first: int, last: int) -> list[float]:
    """1, 2 and 5 of every power of ten."""
    return [float(f"{digit}e{power}") for power in range(first, last + 1) for digit in (1, 2, 5)]


def time_axis(start_s: float, end_s: float, ticks: int = 5) -> Axis:
    """From start to end with ticks at round times; a window of most of a day becomes the whole day."""
    if start_s >= 0 and end_s <= DAY_S + 1 and end_s - start_s > 0.8 * DAY_S:
        return Axis(0.0, DAY_S, 21_600.0)
    length = max(end_s - start_s, 1.0)
    step = next((size for size in TIME_STEPS_S if length / size <= ticks), ceil(length / ticks / DAY_S) * DAY_S)
    return Axis(start_s, max(end_s, start_s + 1.0), float(step))


def clock_label(seconds: float, step_s: float) -> str:
    """``06:00``, ``06:00:30`` where ticks are closer than a minute; hours run past 24 for longer windows."""
    whole = round(seconds)
    hours, minutes, rest = whole // 3600, whole % 3600 // 60, whole % 60
    return f"{hours:02}:{minutes:02}" if step_s >= 60 else f"{hours:02}:{minutes:02}:{rest:02}"


def break_gaps(
    times_s: NDArray[np.float64], values: NDArray[np.float64], interval_s: float | None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """A NaN between samples that lie further apart than 2.5 intervals, so that a gap is drawn as a gap."""
    if interval_s is None or len(times_s) < 2:
        return times_s, values
    after = np.flatnonzero(np.diff(times_s) > 2.5 * interval_s)
    if not len(after):
        return times_s, values
    return (np.insert(times_s, after + 1, times_s[after] + interval_s), np.insert(values, after + 1, np.nan))


def thin(
    times_s: NDArray[np.float64], values: NDArray[np.float64], bins: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """At most two points per bin, the smallest and the largest in their order; gaps (NaN) survive.

    Every extreme of the series is drawn; nothing is averaged.
    """
    if len(values) <= 2 * bins:
        return times_s, values
    start, end = float(times_s[0]), float(times_s[-1])
    bin_of = np.minimum(((times_s - start) / max(end - start, 1e-9) * bins).astype(np.int64), bins - 1)
    keep: list[int] = []
    edges = np.flatnonzero(np.diff(bin_of)) + 1
    for first, last in zip(np.concatenate(([0], edges)), np.concatenate((edges, [len(values)])), strict=True):
        keep.extend(_extremes(values, int(first), int(last)))
    chosen = np.array(keep, dtype=np.int64)
    return times_s[chosen], values[chosen]


def _extremes(values: NDArray[np.float64], first: int, last: int) -> list[int]:
    part = values[first:last]
    finite = np.flatnonzero(~np.isnan(part))
    gap = [first + int(np.flatnonzero(np.isnan(part))[0])] if len(finite) < len(part) else []
    if not len(finite):
        return gap
    low, high = finite[np.argmin(part[finite])], finite[np.argmax(part[finite])]
    return sorted({first + int(low), first + int(high), *gap})
