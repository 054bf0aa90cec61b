"""How much changed between two windows of one series, with its uncertainty: by matched hours where there are enough."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import exp, isfinite, sqrt

import numpy as np

from app.analysis.comparing.calendar_slots import Calendar, PairedHours, hourly_means, paired
from app.analysis.comparing.comparison import Method
from app.analysis.comparing.regular_samples import Floats, Samples, in_common_steps, in_places
from app.analysis.comparing.weighted_ratio import weighted_ratio
from app.analysis.inference.effective_size import EffectiveSize, effective_size
from app.analysis.inference.rank_tests import paired_ratio
from app.analysis.inference.series_comparison import compare_series
from app.analysis.inference.student import t_quantile, two_sided_p
from app.analysis.inference.verdict import Interval

FEWEST_SLOTS = 6
MOST_SLOT_LAG1 = 0.3
"""Signed ranks need independent pairs; above this the mean log ratio with its effective size takes their place."""
CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True, eq=False)
class Estimate:
    """
    Attributes:
        ratio, interval: turned so that more than 1 is better (for neutral series: more).
        difference, difference_interval: after - before in the series' own unit.
        before, after: independent samples on either side; pairs of hours where the method is `Method.PAIRED_SLOTS`.
        slowly_decaying: the correlation goes on for longer than a window of this length can tell.
        hours: where hours were paired.
        lag1_before, lag1_after: correlation of neighbouring samples.
    """

    method: Method
    ratio: float | None
    interval: Interval | None
    p: float | None
    difference: float | None
    difference_interval: Interval | None
    before: float
    after: float
    slowly_decaying: bool = False
    hours: PairedHours | None = None
    weighted: bool = False
    lag1_before: float | None = None
    lag1_after: float | None = None

    @property
    def uncertain(self) -> bool:
        """Whether there is an interval to go by."""
        return self.interval is not None or self.difference_interval is not None


def estimate(before: Samples, after: Samples, higher_is_better: bool, calendar: Calendar) -> Estimate:
    """Of two windows that are not empty."""
    hours = paired(hourly_means(before, calendar), hourly_means(after, calendar))
    if len(hours) >= FEWEST_SLOTS:
        return _of_hours(hours, higher_is_better)
    first, second = in_common_steps(before, after)
    if first.weights is not None and second.weights is not None:
        return _of_work(first, second, higher_is_better)
    return _of_samples(first, second, higher_is_better)


def _of_samples(before: Samples, after: Samples, higher_is_better: bool) -> Estimate:
    found = compare_series(in_places(before), in_places(after), higher_is_better=higher_is_better)
    turned = 1.0 if higher_is_better else -1.0
    return Estimate(
        Method.N_EFF_WELCH,
        found.ratio,
        found.interval,
        found.p,
        turned * found.difference if isfinite(found.difference) else None,
        _turned(found.difference_interval, turned),
        found.before.n_eff,
        found.after.n_eff,
        _is_too_slow(found.before) or _is_too_slow(found.after),
        lag1_before=found.before.lag1,
        lag1_after=found.after.lag1,
    )


LEAST_FOR_SLOW = 240
"""Samples that a window needs where its correlation decays more slowly than that of a first-order autoregression."""


def _is_too_slow(size: EffectiveSize) -> bool:
    return size.slowly_decaying and size.n < LEAST_FOR_SLOW


def _of_work(before: Samples, after: Samples, higher_is_better: bool) -> Estimate:
    found = weighted_ratio(before, after) if not higher_is_better else weighted_ratio(after, before)
    sizes = (found.before, found.after) if not higher_is_better else (found.after, found.before)
    means = (before.mean, after.mean)
    difference = None if None in means else float(means[1] or 0) - float(means[0] or 0)
    return Estimate(
        Method.N_EFF_WELCH,
        found.ratio,
        found.interval,
        found.p,
        difference,
        None,
        sizes[0].n_eff,
        sizes[1].n_eff,
        _is_too_slow(found.before) or _is_too_slow(found.after),
        weighted=True,
        lag1_before=sizes[0].lag1,
        lag1_after=sizes[1].lag1,
    )


def _turned(interval: Interval | None, turned: float) -> Interval | None:
    if interval is None or turned > 0:
        return interval
    return Interval(-interval.high, -interval.low, interval.confidence)


# -- matched hours -------------------------------------------------------------------------------------


def _of_hours(hours: PairedHours, higher_is_better: bool) -> Estimate:
    steps = hours.after - hours.before
    interval, p, size = _mean_with_interval(steps)
    found = Estimate(Method.PAIRED_SLOTS, None, None, p, float(steps.mean()), interval, size, size, hours=hours)
    if not (hours.before.min() > 0 and hours.after.min() > 0):
        return found
    upper, lower = (hours.after, hours.before) if higher_is_better else (hours.before, hours.after)
    logs = np.log(upper) - np.log(lower)
    if effective_size(logs).lag1 <= MOST_SLOT_LAG1:
        ranked = paired_ratio(upper, lower, CONFIDENCE)
        count = float(len(hours))
        return replace(found, ratio=ranked.shift, interval=ranked.interval, p=ranked.p, before=count, after=count)
    inner, p, size = _mean_with_interval(logs)
    ratio = inner and Interval(exp(inner.low), exp(inner.high), CONFIDENCE)
    return replace(found, ratio=exp(float(logs.mean())), interval=ratio, p=p, before=size, after=size)


def _mean_with_interval(values: Floats) -> tuple[Interval | None, float | None, float]:
    """(interval of the mean, p that it is 0, independent values)."""
    size = effective_size(values).n_eff
    spread = float(values.std(ddof=1))
    mean = float(values.mean())
    if size <= 1 or spread == 0:
        return (Interval(0.0, 0.0, CONFIDENCE), 1.0, size) if spread == 0 and mean == 0 else (None, None, size)
    error = spread / sqrt(size - 1)
    reach = t_quantile((1 + CONFIDENCE) / 2, size - 1) * error
    return Interval(mean - reach, mean + reach, CONFIDENCE), two_sided_p(mean / error, size - 1), size
