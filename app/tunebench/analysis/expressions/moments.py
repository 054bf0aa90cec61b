"""Times of samples: where the gaps are, what the last N samples or the last ten minutes hold, how long a state lasts.

The samples lie along the last axis of every array.

A gap is a distance of more than three usual ones; nothing is carried across it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]

GAP_FACTOR = 3
_NS = 1_000_000_000
_COVERED = 0.95
"""A stretch counts as seen where samples cover this much of it; stamps are rounded to seconds."""
_LEAST_MEASURED = 0.5
_DECIMALS = 9
"""Means are rounded to so many: a constant 85.3 must not be greater than 85.3."""


@dataclass(frozen=True)
class Moments:
    """Stamps of `count` samples, rising; None where a figure has no times (a value of the configuration)."""

    count: int
    times_ns: Ints | None = None
    _since: dict[float, tuple[Ints, Bools]] = field(default_factory=dict, repr=False, compare=False)
    _at_least: dict[tuple[int, float], tuple[Ints, Bools]] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def interval_ns(self) -> float:
        """The usual distance of two samples; 0 with fewer than two."""
        if self.times_ns is None or self.count < 2:
            return 0.0
        return float(np.median(np.diff(self.times_ns)))

    @cached_property
    def run_starts(self) -> Ints:
        """Index of the first sample of every run without a gap."""
        if self.times_ns is None or self.count < 2:
            return np.zeros(min(self.count, 1), dtype=np.int64)
        gaps = np.flatnonzero(np.diff(self.times_ns) > GAP_FACTOR * self.interval_ns) + 1
        return np.concatenate(([0], gaps)).astype(np.int64)

    @cached_property
    def run_start(self) -> Ints:
        """The index, for every sample, at which its run starts."""
        ends = np.append(self.run_starts[1:], self.count)[: self.run_starts.size]
        return np.repeat(self.run_starts, ends - self.run_starts)

    def longest_run(self) -> tuple[int, int]:
        """First and last index of the run with the most samples; there must be one."""
        ends = np.append(self.run_starts[1:], self.count)
        longest = int(np.argmax(ends - self.run_starts))
        return int(self.run_starts[longest]), int(ends[longest]) - 1

    def since(self, span_s: float) -> tuple[Ints, Bools]:
        """For every sample, the first one of the stretch ``(t - span, t]`` in its run, and whether samples cover it."""
        if self.times_ns is None:
            return np.zeros(self.count, dtype=np.int64), np.zeros(self.count, dtype=np.bool_)
        if span_s not in self._since:
            self._since[span_s] = self._stretch(self.times_ns, int(span_s * _NS))
        return self._since[span_s]

    def _stretch(self, times_ns: Ints, span_ns: int) -> tuple[Ints, Bools]:
        first = np.searchsorted(times_ns, times_ns - span_ns, side="right")
        first = np.maximum(first, self.run_start)
        seen_ns = times_ns - times_ns[first] + self.interval_ns
        return first.astype(np.int64), seen_ns >= _COVERED * span_ns

    def at_least(self, samples: int, span_s: float) -> tuple[Ints, Bools]:
        """As `since` for the last `span_s`, and at least for the last `samples` samples."""
        if (samples, span_s) not in self._at_least:
            first, covered = self.last(samples)
            since, seen = self.since(span_s)
            self._at_least[samples, span_s] = np.minimum(first, since), covered & seen
        return self._at_least[samples, span_s]

    def last(self, samples: int) -> tuple[Ints, Bools]:
        """As `since` for the last `samples` samples."""
        first = np.arange(self.count, dtype=np.int64) - (samples - 1)
        return np.maximum(first, self.run_start), first >= self.run_start


def trailing_mean(values: Floats, moments: Moments, span_s: float) -> Floats:
    """The mean of the last `span_s`; NaN where samples do not cover it or more than half of them are NaN."""
    first, covered = moments.since(span_s)
    return _mean(values, first, covered)


def trailing_share(true: Bools, known: Bools, first: Ints, covered: Bools) -> Floats:
    """Share of the known samples from `first` up to each sample; NaN where fewer than half are known."""
    samples: Ints = np.arange(1, known.shape[-1] + 1) - first
    if known.all():
        return np.where(covered, counted(true, first) / samples, np.nan)
    count = counted(known, first)
    enough = covered & (count > 0) & (count >= _LEAST_MEASURED * samples)
    return np.where(enough, counted(true & known, first) / np.maximum(count, 1), np.nan)


def counted(true: Bools, first: Ints) -> Ints:
    """How many are true from `first` up to each sample."""
    sums = _sums(true, np.int64)
    counts: Ints = sums[..., 1:] - sums[..., first]
    return counts


def _sums(values: NDArray[Any], kind: type[np.float64 | np.int64]) -> NDArray[Any]:
    """[..., n + 1]: of the values before each place."""
    sums = np.zeros((*values.shape[:-1], values.shape[-1] + 1), dtype=kind)
    np.cumsum(values, axis=-1, dtype=kind, out=sums[..., 1:])
    return sums


def _mean(values: Floats, first: Ints, covered: Bools) -> Floats:
    finite = np.isfinite(values)
    sums = _sums(np.where(finite, values, 0.0), np.float64)
    end = np.arange(1, values.shape[-1] + 1)
    total, count = sums[..., 1:] - sums[..., first], counted(finite, first)
    enough = covered & (count > 0) & (count >= _LEAST_MEASURED * (end - first))
    return np.where(enough, np.round(total / np.maximum(count, 1), _DECIMALS), np.nan)


def lasting(raised: Bools, cleared: Bools, moments: Moments) -> Bools:
    """Whether a state is on: raised in this run and not cleared since; raising wins over clearing."""
    index = np.arange(moments.count)
    on = np.maximum.accumulate(np.where(raised, index, -1), axis=-1)
    off = np.maximum.accumulate(np.where(cleared & ~raised, index, -1), axis=-1)
    off = np.maximum(off, moments.run_start - 1)
    state: Bools = on > off
    return state


def stretches(held: Bools, moments: Moments) -> tuple[Ints, Ints]:
    """First and last index of every unbroken row of samples at which `held` is so."""
    breaks = np.zeros(held.size, dtype=np.bool_)
    breaks[moments.run_starts] = True
    begins = held & (breaks | ~np.concatenate(([False], held[:-1])))
    ends = held & np.concatenate((breaks[1:] | ~held[1:], [True]))
    return np.flatnonzero(begins), np.flatnonzero(ends)
