"""The change between two sides that are made of occurrences: days, test runs, periods between snapshots.

What repeats is the occurrence, not the sample: days differ from each other by more than the samples inside a day can
tell. The variance between the occurrences of one series, of which there are few, is moderated by that of its kind
(Smyth, Linear models and empirical Bayes methods for assessing differential expression, 2004), and where nothing
repeats it is assumed, and said to be.

Series, statements and whole sides are columns of one table; what is asked of one alone is a table of one column.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from functools import cached_property, reduce
from math import exp, expm1, inf, isfinite, log, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tunebench.analysis.inference.autocovariance import Floats, Places
from tunebench.analysis.inference.student import t_quantile, t_quantiles, two_sided_p, two_sided_ps
from tunebench.analysis.inference.verdict import Interval
from tunebench.core.records import record

CONFIDENCE = 0.95
ASSUMED_DF = 3.0
"""Weight of an assumed variation where nothing repeats; beside days that do, `LEAST_ASSUMED_DF` at least.

Of one day a side a half is found in 90 % where days differ by 10 %, and the interval holds in 89 % where they differ by
20 %: with 4 in 96 and 84 %, with 2 in 57 and 97 %. Of three and five pairs whose days differ by 20 % it holds in 93 to
94 %; with 4, as for one day, in 87 and 89 %.
"""
LEAST_ASSUMED_DF = 1.0
MOST_DF_OF_A_KIND = 4.0
FEWEST_OF_A_KIND = 3
FEWEST_PAIRS = 3
_MOST_UNPAIRED = 0.25
MOST_MORE = 30
"""Occurrences beyond which nobody waits."""
_LARGEST_EXPONENT = 700.0


Counts = int | Places
Flags = NDArray[np.bool_]
Pairs = Sequence[tuple[int, int]]
"""Places of occurrences before and after that belong together."""


class Source(StrEnum):
    """The source of the variation between occurrences."""

    MEASURED = "measured"
    KIND = "kind"  # of series of the same metric
    PROJECT = "project"  # of other windows of the project
    ASSUMED = "assumed"


@record
class Level:
    """What one occurrence measured, on the scale that is reckoned on: logarithms, or the series' own unit.

    Attributes:
        variance: of `value`, from what varied inside the occurrence.
        weight: how much it counts beside the others (executions, say).
    """

    value: float
    variance: float = 0.0
    weight: float = 1.0


@record
class Prior:
    """What is known of the variation between occurrences before this series is looked at.

    Attributes:
        sd: on the scale of the levels; where it was measured it holds what varies inside as well.
        df: how many degrees of freedom that is worth.
        windows: names of those that tell it, where they are not the compared ones.
    """

    sd: float
    df: float = ASSUMED_DF
    source: Source = Source.ASSUMED
    windows: tuple[str, ...] = ()

    def df_beside(self, own_df: int) -> float:
        """Degrees of freedom that it counts for beside those of the series itself: days that were measured are believed
        before what is assumed, which fills them up to its own and stays a safeguard against days alike by chance."""
        if self.source is not Source.ASSUMED:
            return self.df
        return min(self.df, max(ASSUMED_DF - own_df, LEAST_ASSUMED_DF))


@record
class Spread:
    """How much the occurrences of one series differ: variance of one of them, and its degrees of freedom.

    Attributes:
        inside: mean variance of a level from inside its occurrence.
        steps: of each level from its side's mean, of each pair's step from theirs; none where nobody asks for days that
            several series have in common.
    """

    variance: float
    df: int
    inside: float
    steps: tuple[float, ...] = ()


@record
class Change:
    """The change from the first side to the second.

    Attributes:
        difference: of the mean levels.
        interval: of that; None where it has none (nothing varies, nothing known of it).
        p: that there is no difference; where the variation is assumed, if it is as assumed.
        sd, df, source: the variation between occurrences that was reckoned with.
        before, after: how many occurrences.
        paired: each with its like of the other side.
        windows: names of those that tell the variation, where they are not the compared ones.
    """

    difference: float
    interval: Interval | None
    p: float | None
    sd: float
    df: float
    source: Source
    before: int
    after: int
    paired: bool = False
    windows: tuple[str, ...] = ()


def enough_pairs(pairs: Counts, before: Counts, after: Counts) -> Flags | bool:
    """Whether occurrences are compared pair by pair: at least three are pairs, and hardly any is left over."""
    least = 1 - _MOST_UNPAIRED
    return (pairs >= FEWEST_PAIRS) & (pairs >= least * before) & (pairs >= least * after)


def in_pairs(
    before: Sequence[Level], after: Sequence[Level], pairs: Iterable[tuple[int, int]]
) -> tuple[list[Level], list[Level]]:
    """The pairs alone, both of one with the same weight: a step is as sure as its two ends together."""
    weighted: tuple[list[Level], list[Level]] = ([], [])
    for one, other in pairs:
        ends = before[one], after[other]
        weight = ends[0].weight * ends[1].weight / (ends[0].weight + ends[1].weight)
        for side, end in zip(weighted, ends, strict=True):
            side.append(replace(end, weight=weight))
    return weighted


@record
class Confidence:
    """
    Attributes:
        level: of the interval.
        inside: what was measured inside the occurrences counts with, where the variation between them is assumed; None
            where that inside is taken for granted as well.
    """

    level: float = CONFIDENCE
    inside: float | None = None


ALONE = Confidence()
MEASURED_INSIDE = Confidence(inside=CONFIDENCE)


# -- many things at once -------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class LevelTable:
    """One side of n things: float64[k, n] each, as in `Level`; a value is NaN where an occurrence tells nothing.

    Sums are of one occurrence after the other, so that a thing has the same digits alone and among others.
    """

    values: Floats
    variances: Floats
    weights: Floats

    @classmethod
    def of(cls, side: Sequence[Level]) -> LevelTable:
        """The table of one thing."""
        table = np.array([(row.value, row.variance, row.weight) for row in side], dtype=np.float64).reshape(-1, 3)
        return cls(table[:, :1], table[:, 1:2], table[:, 2:])

    @cached_property
    def present(self) -> Flags:
        return ~np.isnan(self.values)

    @cached_property
    def count(self) -> Places:
        return np.asarray(self.present.sum(axis=0))

    @cached_property
    def shares(self) -> Floats:
        weights = np.where(self.present, self.weights, 0.0)
        total = np.broadcast_to(sums(weights), weights.shape)
        return np.divide(weights, total, out=np.zeros(weights.shape), where=total > 0)

    @cached_property
    def mean(self) -> Floats:
        return np.where(self.worth > 0, sums(self.shares * np.where(self.present, self.values, 0.0)), np.nan)

    @cached_property
    def worth(self) -> Floats:
        """Variance of the mean for one of a level: 1/k where each counts alike."""
        return sums(self.shares**2)

    @cached_property
    def inside(self) -> Floats:
        """Variance of the mean by what varies inside the occurrences."""
        return sums(self.shares**2 * self._own_variances)

    @cached_property
    def _own_variances(self) -> Floats:
        return np.where(self.present, self.variances, 0.0)

    @property
    def variances_together(self) -> Floats:
        return sums(self._own_variances)

    @cached_property
    def steps(self) -> Floats:
        """float64[k, n]: the step of each level from the mean."""
        return self.values - self.mean

    @cached_property
    def squares(self) -> tuple[Floats, Places]:
        """Sums of the squared steps, and their degrees of freedom."""
        left = 1 - self.worth  # (k - 1) / k where each counts alike
        repeats = (self.count > 1) & (left > 0)
        own = sums(self.shares * np.where(self.present, self.steps, 0.0) ** 2)
        squares = np.divide((self.count - 1) * own, left, out=np.zeros(len(left)), where=repeats)
        return squares, np.where(repeats, self.count - 1, 0)


def sums(table: Floats) -> Floats:
    """float64[n] of float64[k, n]."""
    return reduce(np.add, table, np.zeros(table.shape[1]))


@dataclass(frozen=True, eq=False)
class Sides:
    """Both sides of n things.

    Attributes:
        pairs: places of those that belong together.
        paired: bool[n], what is compared pair by pair: of these both of a pair are there with one weight, and nothing
            else.
    """

    before: LevelTable
    after: LevelTable
    pairs: Pairs
    paired: Flags

    @classmethod
    def of(cls, before: LevelTable, after: LevelTable, pairs: Pairs) -> Sides:
        """By pairs where enough of the occurrences of a thing have their like: a step is as sure as its two ends
        together."""
        if not pairs:
            return cls(before, after, pairs, np.zeros(before.values.shape[1], dtype=bool))
        first, second = _places(pairs)
        both = before.present[first] & after.present[second]
        paired = np.asarray(enough_pairs(both.sum(axis=0), before.count, after.count))
        if not paired.any():
            return cls(before, after, pairs, paired)
        total = before.weights[first] + after.weights[second]
        share = np.divide(after.weights[second], total, out=np.zeros(total.shape), where=total > 0)
        weights = before.weights[first] * share
        old, new = _chosen(before, first, paired, both, weights), _chosen(after, second, paired, both, weights)
        return cls(old, new, pairs, paired)

    @classmethod
    def alone(cls, before: Sequence[Level], after: Sequence[Level], paired: bool = False) -> Sides:
        """Both sides of one thing; in the order of its pairs where `paired`, both of a pair with the same weight."""
        pairs = [(index, index) for index in range(len(before))] if paired else []
        return cls(LevelTable.of(before), LevelTable.of(after), pairs, np.array([paired]))

    @property
    def tables(self) -> tuple[LevelTable, LevelTable]:
        return self.before, self.after

    @cached_property
    def steps(self) -> LevelTable:
        """The steps of the pairs, from before to after."""
        first, second = _places(self.pairs)
        steps = np.where(self.paired, self.after.values[second] - self.before.values[first], np.nan)
        return LevelTable(steps, np.zeros_like(steps), self.before.weights[first])

    @cached_property
    def difference(self) -> Floats:
        return np.asarray(self.after.mean - self.before.mean)

    @cached_property
    def worth(self) -> Floats:
        return self.before.worth + self.after.worth

    @cached_property
    def inside(self) -> Floats:
        return self.before.inside + self.after.inside

    @cached_property
    def mean_inside(self) -> Floats:
        """Mean variance of a level from inside its occurrence."""
        count = np.maximum(self.before.count + self.after.count, 1)
        return np.asarray((self.before.variances_together + self.after.variances_together) / count)

    @cached_property
    def variance(self) -> tuple[Floats, Places]:
        """Of one occurrence about its side's mean, by the steps of pairs where they are; its degrees of freedom."""
        (before, before_df), (after, after_df) = self.before.squares, self.after.squares
        squares, df = before + after, before_df + after_df
        if self.paired.any():
            by_steps, step_df = self.steps.squares
            squares, df = np.where(self.paired, by_steps, squares), np.where(self.paired, step_df, df)
        variance = np.divide(squares, df, out=np.zeros(len(df)), where=df > 0)
        return np.where(self.paired, variance / 2, variance), df

    def spreads(self, wanted: Places) -> list[Spread]:
        """The spreads of the wanted things, with their steps."""
        variance, df = self.variance
        parts = [np.where(self.paired, np.nan, side.steps) for side in self.tables]
        if self.paired.any():
            parts.append(self.steps.steps)
        steps = np.concatenate(parts)[:, wanted].T.tolist()
        own = variance[wanted].tolist(), df[wanted].tolist(), self.mean_inside[wanted].tolist()
        return [
            Spread(own_variance, own_df, inside, tuple(step for step in row if step == step))
            for own_variance, own_df, inside, row in zip(*own, steps, strict=True)
        ]


def _places(pairs: Pairs) -> tuple[list[int], list[int]]:
    return [one for one, _ in pairs], [other for _, other in pairs]


def _chosen(side: LevelTable, places: list[int], paired: Flags, both: Flags, weight: Floats) -> LevelTable:
    values, weights = np.full_like(side.values, np.nan), np.zeros_like(side.values)
    values[places], weights[places] = np.where(both, side.values[places], np.nan), weight
    return LevelTable(np.where(paired, values, side.values), side.variances, np.where(paired, weights, side.weights))


@dataclass(frozen=True, eq=False)
class Priors:
    """Of n things: what is known of each, sd and df float64[n]."""

    each: Sequence[Prior]
    sd: Floats
    df: Floats

    @classmethod
    def of(cls, each: Sequence[Prior]) -> Priors:
        return cls(each, np.array([one.sd for one in each]), np.array([one.df for one in each]))

    def scaled(self, factors: Floats) -> Priors:
        """To things that are measured in another unit."""
        return replace(self, sd=self.sd * factors)

    @cached_property
    def assumed(self) -> Flags:
        return np.array([one.source is Source.ASSUMED for one in self.each], dtype=bool)

    @cached_property
    def taken_as_known(self) -> Flags:
        """Where nothing repeats here what is assumed, or other windows tell, is taken as known: the interval allows for
        its doubt, and among hundreds of series a t of three degrees of freedom would leave nothing short of a tenfold
        change."""
        return np.array([one.source in (Source.ASSUMED, Source.PROJECT) for one in self.each], dtype=bool)

    def beside(self, own_df: Places) -> Floats:
        """Degrees of freedom that they count for beside those of the things themselves."""
        filled_up = np.minimum(self.df, np.maximum(ASSUMED_DF - own_df, LEAST_ASSUMED_DF))
        return np.where(self.assumed, filled_up, self.df)


@dataclass(frozen=True, eq=False)
class Changes:
    """`Change` of n things, in columns; NaN where it has none."""

    difference: Floats
    low: Floats
    high: Floats
    p: Floats
    sd: Floats
    df: Floats
    measured: Flags
    before: Places
    after: Places
    paired: Flags
    confidence: float
    priors: Sequence[Prior]

    def taken(self, order: Places) -> Changes:
        columns = [column.name for column in fields(self)[:-2]]
        taken = {name: getattr(self, name)[order] for name in columns}
        return Changes(**taken, confidence=self.confidence, priors=[self.priors[thing] for thing in order.tolist()])

    def at(self, thing: int) -> Change:
        difference, low, high, p, sd, df, measured, before, after, paired = self._rows[thing]
        prior = self.priors[thing]
        source = Source.MEASURED if measured else prior.source
        interval = None if low != low else Interval(low, high, self.confidence)
        windows = prior.windows if source is Source.PROJECT else ()
        rest = sd, df, source, before, after, paired, windows
        return Change(difference, interval, None if p != p else p, *rest)

    @cached_property
    def _rows(self) -> list[tuple[Any, ...]]:
        return list(zip(*(getattr(self, column.name).tolist() for column in fields(self)[:-2]), strict=True))


def changes_between(both: Sides, priors: Priors, confidence: Confidence = ALONE) -> Changes:
    """Moderated t: v = (df s^2 + d0 s0^2) / (df + d0), never less than what varies inside the occurrences gives."""
    between, df, measured = _moderated(both, priors)
    difference, own_df = both.difference, both.variance[1]
    variance = np.maximum(between * both.worth, both.inside)
    reach = _reaches(variance, df, confidence, _assumed_alone(both, priors) * both.worth)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = difference / np.sqrt(variance)
    p = two_sided_ps(t, np.where((own_df == 0) & priors.taken_as_known, inf, df))
    nothing, same = variance == 0, difference == 0
    p = np.where(nothing, np.where(same, 1.0, np.nan), p)
    reach = np.where(nothing, np.where(same, 0.0, np.nan), reach)
    finite = np.isfinite(difference) & np.isfinite(variance)
    low, high, p = (np.where(finite, ends, np.nan) for ends in (difference - reach, difference + reach, p))
    counts = both.before.count, both.after.count
    columns = difference, low, high, p, np.sqrt(between), df, measured, *counts, both.paired
    return Changes(*columns, confidence.level, priors.each)


def _moderated(both: Sides, priors: Priors) -> tuple[Floats, Floats, Flags]:
    """Variance of one occurrence, its degrees of freedom, and whether most of them were measured."""
    variance, own_df = both.variance
    prior_df = priors.beside(own_df)
    unsettled = priors.sd**2 + np.where(priors.assumed, both.mean_inside, 0.0)
    df = own_df + prior_df
    between = np.divide(own_df * variance + prior_df * unsettled, df, out=np.zeros(len(df)), where=df > 0)
    return between, df, (own_df > 0) & (own_df >= prior_df)


def _assumed_alone(both: Sides, priors: Priors) -> Floats:
    """Variance of one level that is only assumed: 0 where occurrences repeat."""
    return np.where((both.variance[1] == 0) & priors.assumed, priors.sd**2, 0.0)


def _reaches(variance: Floats, df: Floats, confidence: Confidence, assumed: Floats) -> Floats:
    """Half an interval's width. Of a variance that is `assumed` in part, which a t of few degrees allows for, the rest
    may have been measured: then each part reaches by its own quantile, and the two add up in squares. One t for both
    widens what is sure by half as much again; Satterthwaite's degrees for their sum take away what the assumption
    needs, and where days differ by twice as much the interval would hold the truth in 85 %."""
    t = t_quantiles((1 + confidence.level) / 2, df)
    if confidence.inside is None:
        return t * np.sqrt(variance)
    normal = t_quantile((1 + confidence.inside) / 2, inf)
    in_parts = np.sqrt(t**2 * assumed + normal**2 * np.maximum(variance - assumed, 0.0))
    return np.where(assumed > 0, in_parts, t * np.sqrt(variance))


# -- one thing -----------------------------------------------------------------------------------------


def spread_of(before: Sequence[Level], after: Sequence[Level], paired: bool = False) -> Spread:
    """Spread of either side about its own mean, or of the pairs' steps about theirs, as the variance of one level."""
    return Sides.alone(before, after, paired).spreads(np.array([0]))[0]


def change_between(
    before: Sequence[Level],
    after: Sequence[Level],
    prior: Prior,
    *,
    paired: bool = False,
    confidence: Confidence = ALONE,
) -> Change:
    """
    Args:
        before, after: one or more each; in the order of their pairs where `paired`.
    """
    return changes_between(Sides.alone(before, after, paired), Priors.of([prior]), confidence).at(0)


@record
class MeanLevel:
    """The mean of one side; `sd`, `df` and `source` are of the variation between occurrences, as in `Change`."""

    value: float
    interval: Interval | None
    sd: float
    df: float
    source: Source
    occurrences: int


def interval_of(
    levels: Sequence[Level], prior: Prior, others: Sequence[Level] = (), *, confidence: Confidence = ALONE
) -> MeanLevel:
    """The interval of one side's mean, by the same moderated t as `change_between`.

    Args:
        levels: one or more.
        others: of the other side, which differ among themselves as these do.
    """
    both, priors = Sides.alone(others, levels), Priors.of([prior])
    own = both.after
    between, df, measured = _moderated(both, priors)
    variance = np.maximum(between * own.worth, own.inside)
    reaches = _reaches(variance, df, confidence, _assumed_alone(both, priors) * own.worth)
    value, interval = float(own.mean[0]), None
    if isfinite(value) and isfinite(float(variance[0])):
        reach = float(reaches[0]) if variance[0] else 0.0
        interval = Interval(value - reach, value + reach, confidence.level)
    source = Source.MEASURED if measured[0] else prior.source
    return MeanLevel(value, interval, sqrt(float(between[0])), float(df[0]), source, len(levels))


def confidence_among(count: int, prior: Prior, *, repeats: bool) -> Confidence:
    """The confidence to judge one of `count` things at, so that any is called wrongly as rarely as one alone
    (Bonferroni's share, which Holm's procedure gives anew to those that are left).

    Args:
        repeats: whether a side has more than one occurrence; else the prior is taken as known for the share as it is
            for `Change.p`, and the interval allows for its doubt: never narrower than for one alone.
    """
    share = 1 - (1 - CONFIDENCE) / count
    if repeats:
        return Confidence(share, share)
    normal = t_quantile((1 + share) / 2, inf)
    return Confidence(max(CONFIDENCE, 1 - two_sided_p(normal, prior.df)), share)


# -- the variation of a kind ---------------------------------------------------------------------------


def prior_of_kind(spreads: Sequence[Spread], *, apart: bool = False) -> Prior | None:
    """The prior by the moments of log s^2 over series of one kind (Smyth 2004, 6.2); None where too few repeat.

    Variances of series that follow the same days are wrong together: n of them are worth N = n / (1 + (n - 1) r2)
    independent ones, r2 the mean squared correlation of their days. Where s0^2 is the mean of N, the series' own among
    them, v = (df s^2 + d0 s0^2) / (df + d0) has df + d0 degrees of freedom with d0 = (N - 2) df; no more are claimed.

    Args:
        apart: no occurrence is common to two of the series.
    """
    from scipy import special

    usable = [spread for spread in spreads if spread.df > 0 and spread.variance > 0]
    if len(usable) < FEWEST_OF_A_KIND:
        return None
    half = np.array([spread.df / 2 for spread in usable])
    alike = 0.0 if apart else _alike(usable)
    independent = len(usable) / (1 + (len(usable) - 1) * alike)
    most = min(MOST_DF_OF_A_KIND, (independent - 2) * 2 * float(half.mean()))
    if most < LEAST_ASSUMED_DF:
        return None
    e = np.log([spread.variance for spread in usable]) - special.digamma(half) + np.log(half)
    beyond = float(e.var(ddof=1) - (1 - alike) * special.polygamma(1, half).mean())
    df = 2 * _trigamma_inverse(beyond) if beyond > 0 else inf
    shift = float(special.digamma(df / 2)) - log(df / 2) if isfinite(df) else 0.0
    return Prior(sqrt(exp(float(e.mean()) + shift)), min(df, most), Source.KIND)


def _alike(spreads: Sequence[Spread]) -> float:
    """Mean squared correlation of the days of two series, of those that were measured on as many days as most: 0 where
    each has its own (and where the steps are missing), 1 where all follow the same, or a single degree of freedom
    cannot tell."""
    (df, count), _ = Counter((spread.df, len(spread.steps)) for spread in spreads).most_common(1)[0]
    steps = np.array([spread.steps for spread in spreads if (spread.df, len(spread.steps)) == (df, count)])
    series = len(steps)
    if not count:
        return 0.0
    if df < 2 or series < 2:
        return 1.0
    steps /= np.linalg.norm(steps, axis=1, keepdims=True)
    squared = (float(((steps.T @ steps) ** 2).sum()) - series) / (series * (series - 1))
    by_chance = 1 / df
    return min(max((squared - by_chance) / (1 - by_chance), 0.0), 1.0)


def _trigamma_inverse(x: float) -> float:
    """The inverse by Newton's method on 1/trigamma (Smyth 2004, appendix)."""
    from scipy import special

    y = 0.5 + 1 / x
    for _ in range(50):
        trigamma = float(special.polygamma(1, y))
        step = trigamma * (1 - trigamma / x) / float(special.polygamma(2, y))
        y += step
        if -step / y < 1e-8:
            break
    return y


# -- what would settle it ------------------------------------------------------------------------------


@record
class Settling:
    """With `occurrences` more on either side a measured change of `change` (a fraction) or more would be called one."""

    occurrences: int
    change: float


def would_settle(change: Change, margin: float) -> Settling | None:
    """The least number of further occurrences a side that would decide what is undecided now, if they vary as those
    that are there do and the estimate stays where it is; None where none within reach does, which foretells nothing:
    the estimate stands where chance put it. On the scale of logarithms, a margin as a fraction."""
    if change.interval is None or not change.sd:
        return None
    least, size = log(1 + margin), abs(change.difference)
    for more in range(1, MOST_MORE + 1):
        sides = 1 / (change.before + more) + 1 / (change.after + more)
        df = change.df + (more if change.paired else 2 * more)
        if change.source is Source.ASSUMED:
            own_df = change.before + change.after - 2 + 2 * more
            df = own_df + Prior(change.sd).df_beside(own_df)
        reach = t_quantile((1 + change.interval.confidence) / 2, df) * change.sd * sqrt(sides)
        if abs(size - least) > reach:
            return Settling(more, expm1(least + reach)) if least + reach < _LARGEST_EXPONENT else None
    return None
