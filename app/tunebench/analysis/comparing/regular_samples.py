"""A window of a series made ready for inference: in regular steps, gaps as gaps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from tunebench.analysis.series import SeriesData
from tunebench.core.grouping import by_key
from tunebench.core.records import record
from tunebench.domain.engagement import Kind

Floats: TypeAlias = NDArray[np.float64]
Times: TypeAlias = NDArray[np.int64]

NS_PER_S = 1_000_000_000
LONGEST_GAP = 64
"""Places that a gap takes at most: what lies further apart has no correlation that could be told."""
MOST_STACKED = 1 << 18
"""Numbers of a table, 2 MB: of larger ones the calls take no less time for each, and the copies no less memory."""
_LEAST_FILLED = 0.5
T = TypeVar("T")


@record(eq=False)
class Samples:
    """What one window measured of one series.

    Attributes:
        times_ns: int64[n], rising, of every sample that counts.
        values: float64[n], none missing.
        interval_s: their distance; None of fewer than two.
        weights: float64[n], work done in each sample's interval (operations per second); None where each counts alike.
        resets: steps at which a counter started anew, which are left out.
    """

    times_ns: Times
    values: Floats
    interval_s: float | None
    weights: Floats | None = None
    resets: int = 0

    def __len__(self) -> int:
        return len(self.values)

    @property
    def mean(self) -> float | None:
        """Weighted where there are weights; None where nothing was measured."""
        if self.weights is None:
            return float(self.values.mean()) if len(self.values) else None
        total = float(self.weights.sum())
        return float(np.dot(self.weights, self.values)) / total if total > 0 else None


def samples_of(data: SeriesData, kind: Kind, interval_s: float | None) -> Samples:
    """Without averages since boot and missing values; a counter as its rate per second, without resets."""
    one = SeriesData(data.times_ns, data.values[np.newaxis], data.since_boot, data.line_numbers)
    return samples_of_each(one, [(kind, interval_s)])[0]


def samples_of_each(table: SeriesData, columns: Sequence[tuple[Kind, float | None]]) -> list[Samples]:
    """`samples_of` of each row; those that miss nothing share their times.

    Args:
        columns: kind and interval of each.
    """
    counts = ~(np.isnan(table.values) | table.since_boot)
    samples = []
    incomplete = set(np.flatnonzero(~counts.all(axis=1)).tolist())
    for row, (kind, interval_s) in enumerate(columns):
        times, values, resets = table.times_ns, table.values[row], 0
        if row in incomplete:
            times, values = times[counts[row]], values[counts[row]]
        if kind is Kind.COUNTER:
            times, values, resets = _rates(times, values)
        samples.append(Samples(times, values, interval_s or _typical_step_s(times), None, resets))
    return samples


def together(occurrences: Sequence[Samples]) -> Samples:
    """Stretches that follow each other joined into one, with weights where all have them."""
    if len(occurrences) == 1:
        return occurrences[0]
    if not occurrences:
        return Samples(np.empty(0, np.int64), np.empty(0), None)
    ordered = sorted(
        (stretch for stretch in occurrences), key=lambda stretch: int(stretch.times_ns[0]) if len(stretch) else 0
    )
    weights = [stretch.weights for stretch in ordered if stretch.weights is not None]
    return Samples(
        np.concatenate([stretch.times_ns for stretch in ordered]),
        np.concatenate([stretch.values for stretch in ordered]),
        max((stretch.interval_s for stretch in ordered if stretch.interval_s), default=None),
        np.concatenate(weights) if len(weights) == len(ordered) else None,
        sum(stretch.resets for stretch in ordered),
    )


def _rates(times: Times, values: Floats) -> tuple[Times, Floats, int]:
    steps_s = np.diff(times) / NS_PER_S
    rises = np.diff(values)
    usable = (steps_s > 0) & (rises >= 0)
    return times[1:][usable], rises[usable] / steps_s[usable], int(np.count_nonzero(rises < 0))


def _typical_step_s(times: Times) -> float | None:
    steps = np.diff(times)
    steps = steps[steps > 0]
    return float(np.median(steps)) / NS_PER_S if len(steps) else None


def resampled(samples: Samples, interval_s: float) -> Samples:
    """Means over longer intervals, weighted by the work where it is known; one that is less than half filled is left
    out."""
    if not len(samples) or not samples.interval_s:
        return samples
    length_ns = round(interval_s * NS_PER_S)
    places = (samples.times_ns - samples.times_ns[0]) // length_ns
    starts = np.flatnonzero(np.diff(places, prepend=-1))
    counts = np.diff(starts, append=len(places))
    full = counts * samples.interval_s >= _LEAST_FILLED * interval_s
    weights = np.ones(len(samples)) if samples.weights is None else samples.weights
    sums = np.add.reduceat(weights, starts)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.add.reduceat(samples.values * weights, starts) / sums
    full &= sums > 0
    times = samples.times_ns[0] + places[starts] * length_ns
    kept = None if samples.weights is None else (sums / counts)[full]
    return replace(samples, times_ns=times[full], values=means[full], interval_s=interval_s, weights=kept)


def in_places(samples: Samples, values: Floats | None = None) -> Floats:
    """The values, one place for each interval, NaN in the places of gaps.

    Args:
        values: float64[..., n], what stands at the samples' times, where that is not their own values.
    """
    values = samples.values if values is None else values
    if len(samples) < 2 or not samples.interval_s:
        return values
    steps_ns = np.diff(samples.times_ns)
    length_ns = samples.interval_s * NS_PER_S
    if int(steps_ns.max()) < 1.5 * length_ns:
        return values
    steps = np.clip(np.rint(steps_ns / length_ns), 1, LONGEST_GAP + 1).astype(np.int64)
    places = np.concatenate([[0], np.cumsum(steps)])
    spaced = np.full((*values.shape[:-1], int(places[-1]) + 1), np.nan)
    spaced[..., places] = values
    return spaced


@record(eq=False)
class Stacked:
    """Samples of several series on one clock, which `first` is one of; values and weights float64[k, n]."""

    first: Samples
    values: Floats
    weights: Floats | None


def stacked(several: Sequence[Samples]) -> Stacked:
    weights = [samples.weights for samples in several if samples.weights is not None]
    return Stacked(
        several[0], np.array([samples.values for samples in several]), np.array(weights) if weights else None
    )


def on_one_clock(*several: Sequence[Samples]) -> list[list[int]]:
    """Places of those that have the same times, in each sequence, and there either all weights or none: rows of one
    table, which are reckoned with together."""
    clocks = by_key((clock, index) for index, clock in enumerate(zip(*map(_clocks, several), strict=True)))
    lengths = (sum(len(own[places[0]]) for own in several) for places in clocks.values())
    return [some for n, places in zip(lengths, clocks.values(), strict=True) for some in _few(places, n)]


def of_one_length(lengths: Iterable[tuple[int, T]]) -> Iterator[tuple[int, list[T]]]:
    """(n, what has as many samples), as `on_one_clock`."""
    for n, own in by_key(lengths).items():
        yield from ((n, some) for some in _few(own, n))


def _few(own: list[T], n: int) -> Iterator[list[T]]:
    """So many at once as have no more than `MOST_STACKED` numbers, n each."""
    step = max(1, MOST_STACKED // max(1, n))
    return (own[at : at + step] for at in range(0, len(own), step))


def _clocks(several: Iterable[Samples]) -> Iterator[tuple[object, ...]]:
    """A key of each, equal for those that can be stacked."""
    seen: dict[tuple[int, ...], list[Times]] = {}
    numbers: dict[int, tuple[object, ...]] = {}  # the columns of a table mostly share the very array
    for samples in several:
        times = samples.times_ns
        number = numbers.get(id(times))
        if number is None:
            ends = len(times), *times[:1].tolist(), *times[-1:].tolist()
            alike = seen.setdefault(ends, [])
            at = next((at for at, own in enumerate(alike) if same_times(own, times)), len(alike))
            if at == len(alike):
                alike.append(times)
            number = numbers[id(times)] = *ends, at
        yield number, samples.interval_s, samples.weights is None


def same_times(one: Times, other: Times) -> bool:
    """The columns of a table mostly share the very array."""
    return one is other or np.array_equal(one, other)


def aligned(times_ns: Times, other: Samples) -> Floats:
    """float64[len(times_ns)]: the other series at these times, NaN where it has no sample."""
    if same_times(other.times_ns, times_ns):
        return other.values
    if not len(other):
        return np.full(len(times_ns), np.nan)
    at = np.clip(np.searchsorted(other.times_ns, times_ns), 0, len(other) - 1)
    values = np.where(other.times_ns[at] == times_ns, other.values[at], np.nan)
    return np.asarray(values, dtype=np.float64)
