"""What one occurrence measured of one series: mean, p95 and p99, each with the variance that its own samples tell.

The daily curve is no uncertainty of a mean over the same hours on either side: where an occurrence has several hours,
what varies inside is what is left about the mean of each hour.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from math import log

import numpy as np

from tunebench.analysis.comparing.calendar_slots import Calendar
from tunebench.analysis.comparing.regular_samples import Floats, Samples, Stacked, in_places, on_one_clock, stacked
from tunebench.analysis.inference.effective_size import EffectiveSize, effective_sizes
from tunebench.analysis.inference.quantiles import harrell_davis_at, type7_at
from tunebench.core.records import record

FEWEST_HOURS = 3
"""From so many hours on a curve of the day can be told from what wavers about it."""
_FEWEST_BEYOND = 2.0
"""Samples beyond a percentile, below which it is the largest of them and nothing else."""


class Statistic(StrEnum):
    """What a verdict is given for."""

    MEAN = "mean"
    P95 = "p95"
    P99 = "p99"


PROBABILITIES = {Statistic.P95: 0.95, Statistic.P99: 0.99}


@record
class Figure:
    """In the series' own unit; `variance` of the value, from inside the occurrence; None where that cannot be told."""

    value: float
    variance: float | None


@record
class OccurrenceFigures:
    """
    Attributes:
        size: how many independent samples the mean rests on.
        figures: those that the samples allow.
    """

    n: int
    size: EffectiveSize
    figures: Mapping[Statistic, Figure]


def variance_inside(figure: Figure, statistic: str, occurrences: int) -> float:
    """What an occurrence beside others of its side tells of its own; 0 where nothing is told.

    Of percentiles several occurrences show theirs, and what each tells is too much: reckoned with the effective size of
    the mean, while peaks come together less than values do (root of 0.5: p99 varied by 4.4 %, and was taken to by 8.4).
    """
    return 0.0 if occurrences > 1 and statistic in PROBABILITIES else figure.variance or 0.0


def figures_of(several: Sequence[Samples], calendar: Calendar) -> list[OccurrenceFigures]:
    """Figures of each occurrence with at least one sample; response times are weighted by the work done."""
    figures: dict[int, OccurrenceFigures] = {}
    for places in on_one_clock(several):
        together = stacked([several[index] for index in places])
        figures.update(zip(places, _on_one_clock(together, calendar), strict=True))
    return [figures[index] for index in range(len(several))]


def _on_one_clock(together: Stacked, calendar: Calendar) -> Iterator[OccurrenceFigures]:
    n = len(together.first)
    means, rest = _parted(together, calendar)
    sizes = effective_sizes(in_places(together.first, rest))
    squares = np.vecdot(rest, rest).tolist()
    ranked = _ranked(together)
    n_eff = np.array([size.n_eff for size in sizes])
    statistics = [statistic for statistic, p in PROBABILITIES.items() if n * (1 - p) >= _FEWEST_BEYOND]
    percentiles = zip(
        *(_percentiles(*ranked, PROBABILITIES[statistic], n_eff) for statistic in statistics), strict=True
    )
    for size, mean, square in zip(sizes, means.tolist(), squares, strict=True):
        variance = None if n < 2 or size.n_eff <= 1 else square / (n - 1) / (size.n_eff - 1)
        figures = {Statistic.MEAN: Figure(mean, variance), **dict(zip(statistics, next(percentiles, ()), strict=True))}
        yield OccurrenceFigures(n, size, figures)


def _parted(together: Stacked, calendar: Calendar) -> tuple[Floats, Floats]:
    """(the means, what of each sample is not the mean); weighted ones linearised (Cochran, Sampling Techniques 1977,
    6.8)."""
    values, weights = together.values, together.weights
    if weights is None:
        return np.asarray(values.mean(axis=1)), _about_the_curve(together.first, values, calendar)
    idle = weights.sum(axis=1) <= 0
    means, rest = np.zeros(len(values)), np.empty(values.shape)
    own, work = values[~idle], weights[~idle]
    means[~idle] = np.vecdot(work, own) / work.sum(axis=1)
    rest[~idle] = work * (own - means[~idle, np.newaxis]) / work.mean(axis=1)[:, np.newaxis]
    rest[idle] = _about_the_curve(together.first, values[idle], calendar)
    return means, rest


def _about_the_curve(first: Samples, values: Floats, calendar: Calendar) -> Floats:
    quarters = calendar.quarters_of(first.times_ns)
    hours, places = np.unique(quarters.hours, return_index=True)
    if len(hours) < FEWEST_HOURS or len(first) < 2 * len(hours):
        return np.asarray(values - values.mean(axis=1)[:, np.newaxis])
    starts = quarters.starts[places]
    counts = np.diff(starts, append=len(first))
    means = np.add.reduceat(values, starts, axis=1) / counts
    return np.asarray(values - np.repeat(means, counts, axis=1), dtype=np.float64)


def _ranked(together: Stacked) -> tuple[Floats, Floats | None]:
    """(each row in rising order, the work done up to each), the second None where each counts alike."""
    values, weights = together.values, together.weights
    if weights is None:
        return np.sort(values, axis=1), None
    order = np.argsort(values, axis=1)
    below = np.cumsum(np.take_along_axis(weights, order, axis=1), axis=1)
    return np.take_along_axis(values, order, axis=1), below


def _percentiles(ordered: Floats, below: Floats | None, probability: float, n_eff: Floats) -> list[Figure]:
    """Harrell and Davis' estimate, or by the work done; its variance from the order statistics one standard error away
    (Woodruff 1952), on logarithms where they have any: of the few samples of a tail the plain one explodes."""
    reach = np.sqrt(probability * (1 - probability) / np.maximum(n_eff, 1.0))
    ends = probability - reach, np.full(len(reach), probability), probability + reach
    inside = (ends[0] > 0) & (ends[2] < 1)
    wanted = np.clip(ends, 0.0, 1.0)
    low, value, high = (type7_at(ordered, share) for share in wanted)
    if below is None:
        value = harrell_davis_at(ordered, probability)
    else:
        for row in np.flatnonzero(below[:, -1] > 0):
            places = np.searchsorted(below[row], wanted[:, row] * below[row, -1])
            low[row], value[row], high[row] = ordered[row, np.clip(places, 0, ordered.shape[1] - 1)]
    return list(map(_percentile, low.tolist(), value.tolist(), high.tolist(), inside.tolist()))


def _percentile(low: float, value: float, high: float, inside: bool) -> Figure:
    spread = value * log(high / low) if low > 0 else high - low
    return Figure(value, (spread / 2) ** 2 if inside else None)
