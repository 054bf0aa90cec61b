"""What one occurrence measured of one series: mean, p95 and p99, each with the variance that its own samples tell.

The daily curve is no uncertainty of a mean over the same hours on either side: where an occurrence has several hours,
what varies inside is what is left about the mean of each hour.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from math import log, sqrt

import numpy as np

from app.analysis.comparing.calendar_slots import Calendar
from app.analysis.comparing.regular_samples import Floats, Samples, in_places
from app.analysis.inference.effective_size import EffectiveSize, effective_size
from app.analysis.inference.quantiles import harrell_davis_at, type7_at

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


@dataclass(frozen=True, slots=True)
class Figure:
    """In the series' own unit; `variance` of the value, from inside the occurrence; None where that cannot be told."""

    value: float
    variance: float | None


@dataclass(frozen=True, slots=True)
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


def figures_of(samples: Samples, calendar: Calendar) -> OccurrenceFigures:
    """Of an occurrence with at least one sample; response times count for the work done in them."""
    rest = _about_the_curve(samples, calendar)
    size = effective_size(in_places(samples, rest))
    ranked = _ranked(samples)
    figures = {Statistic.MEAN: Figure(float(samples.mean or 0.0), _variance_of_mean(rest, size))}
    for statistic, probability in PROBABILITIES.items():
        if len(samples) * (1 - probability) >= _FEWEST_BEYOND:
            figures[statistic] = _percentile(*ranked, probability, size.n_eff)
    return OccurrenceFigures(len(samples), size, figures)


def _about_the_curve(samples: Samples, calendar: Calendar) -> Floats:
    """What of each sample is not the mean (weighted ones linearised, Cochran, Sampling Techniques 1977, 6.8)."""
    values, weights = samples.values, samples.weights
    if weights is not None and float(weights.sum()) > 0:
        mean = float(samples.mean or 0.0)
        return np.asarray(weights * (values - mean) / float(weights.mean()), dtype=np.float64)
    quarters = calendar.quarters_of(samples.times_ns)
    hours, first = np.unique(quarters.hours, return_index=True)
    if len(hours) < FEWEST_HOURS or len(samples) < 2 * len(hours):
        return np.asarray(values - values.mean(), dtype=np.float64)
    starts = quarters.starts[first]
    counts = np.diff(starts, append=len(values))
    means = np.add.reduceat(values, starts) / counts
    return np.asarray(values - np.repeat(means, counts), dtype=np.float64)


def _variance_of_mean(rest: Floats, size: EffectiveSize) -> float | None:
    if len(rest) < 2 or size.n_eff <= 1:
        return None
    return float(rest @ rest) / (len(rest) - 1) / (size.n_eff - 1)


def _ranked(samples: Samples) -> tuple[Floats, Floats | None]:
    """(values in rising order, the work done up to each), the second None where each counts alike."""
    if samples.weights is None:
        return np.sort(samples.values), None
    order = np.argsort(samples.values)
    return samples.values[order], np.cumsum(samples.weights[order])


def _percentile(ordered: Floats, below: Floats | None, probability: float, n_eff: float) -> Figure:
    """Harrell and Davis' estimate, or by the work done; its variance from the order statistics one standard error away
    (Woodruff 1952), on logarithms where they have any: of the few samples of a tail the plain one explodes."""
    reach = sqrt(probability * (1 - probability) / max(n_eff, 1.0))
    at = (probability - reach, probability, probability + reach)
    inside = at[0] > 0 and at[2] < 1
    wanted = [min(max(each, 0.0), 1.0) for each in at]
    if below is None:
        low, value, high = (
            type7_at(ordered, wanted[0]),
            harrell_davis_at(ordered, probability),
            type7_at(ordered, wanted[2]),
        )
    else:
        low, value, high = _by_the_work(ordered, below, wanted)
    spread = value * log(high / low) if low > 0 else high - low
    return Figure(value, (spread / 2) ** 2 if inside else None)


def _by_the_work(ordered: Floats, below: Floats, probabilities: list[float]) -> list[float]:
    if below[-1] <= 0:
        return [type7_at(ordered, each) for each in probabilities]
    places = np.searchsorted(below, np.array(probabilities) * below[-1])
    return list(map(float, ordered[np.clip(places, 0, len(ordered) - 1)]))
