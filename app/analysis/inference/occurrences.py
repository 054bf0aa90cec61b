"""The change between two sides that are made of occurrences: days, test runs, periods between snapshots.

What repeats is the occurrence, not the sample: days differ from each other by more than the samples inside a day can
tell. The variance between the occurrences of one series, of which there are few, is moderated by that of its kind
(Smyth, Linear models and empirical Bayes methods for assessing differential expression, 2004), and where nothing
repeats it is assumed, and said to be.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import exp, expm1, inf, isfinite, log, sqrt

import numpy as np
from numpy.typing import NDArray

from app.analysis.inference.student import t_quantile, two_sided_p
from app.analysis.inference.verdict import Interval

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


Counts = int | NDArray[np.intp] | NDArray[np.float64]


class Source(StrEnum):
    """Where the variation between occurrences is known from."""

    MEASURED = "measured"
    KIND = "kind"  # of series of the same metric
    PROJECT = "project"  # of other windows of the project
    ASSUMED = "assumed"


@dataclass(frozen=True, slots=True)
class Level:
    """What one occurrence measured, on the scale that is reckoned on: logarithms, or the series' own unit.

    Attributes:
        variance: of `value`, from what varied inside the occurrence.
        weight: how much it counts beside the others (executions, say).
    """

    value: float
    variance: float = 0.0
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class Change:
    """From the first side to the second.

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


def spread_of(before: Sequence[Level], after: Sequence[Level], paired: bool = False) -> Spread:
    """Of either side about its own mean, or of the pairs' steps about theirs, as the variance of one level.

    Args:
        paired: the two of a pair have the same weight (`in_pairs`).
    """
    inside = sum(each.variance for each in (*before, *after)) / (len(before) + len(after))
    sides: tuple[Sequence[Level], ...] = (before, after)
    if paired:
        sides = ([replace(b, value=b.value - a.value) for a, b in zip(before, after, strict=True)],)
    squares, df, steps = 0.0, 0, []
    for side in sides:
        shares, mean = _shares(side), _mean(side)
        own_steps = [each.value - mean for each in side]
        steps += own_steps
        left = 1 - sum(share * share for share in shares)  # (k - 1) / k where each counts alike
        if len(side) > 1 and left > 0:
            own = sum(share * step**2 for share, step in zip(shares, own_steps, strict=True))
            squares += (len(side) - 1) * own / left
            df += len(side) - 1
    return Spread(squares / df / (2 if paired else 1) if df else 0.0, df, inside, tuple(steps))


def enough_pairs(pairs: Counts, before: Counts, after: Counts) -> NDArray[np.bool_] | bool:
    """Whether occurrences are compared pair by pair: at least three are pairs, and hardly any is left over."""
    least = 1 - _MOST_UNPAIRED
    return (pairs >= FEWEST_PAIRS) & (pairs >= least * before) & (pairs >= least * after)


def in_pairs(
    before: Sequence[Level], after: Sequence[Level], pairs: Iterable[tuple[int, int]]
) -> tuple[list[Level], list[Level]]:
    """The pairs alone, both of one with the same weight: a step is as sure as its two ends together."""
    found: tuple[list[Level], list[Level]] = ([], [])
    for one, other in pairs:
        ends = before[one], after[other]
        weight = ends[0].weight * ends[1].weight / (ends[0].weight + ends[1].weight)
        for side, end in zip(found, ends, strict=True):
            side.append(replace(end, weight=weight))
    return found


@dataclass(frozen=True, slots=True)
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


def change_between(
    before: Sequence[Level],
    after: Sequence[Level],
    prior: Prior,
    *,
    paired: bool = False,
    confidence: Confidence = ALONE,
) -> Change:
    """Moderated t: v = (df s^2 + d0 s0^2) / (df + d0), never less than what varies inside the occurrences gives.

    Args:
        before, after: one or more each; in the order of their pairs where `paired`.
    """
    spread = spread_of(before, after, paired)
    difference = _mean(after) - _mean(before)
    between, df, source = _moderated(spread, prior)
    variance = max(between * (_worth(before) + _worth(after)), _inside(before) + _inside(after))
    windows = prior.windows if source is Source.PROJECT else ()
    told = (sqrt(between), df, source, len(before), len(after), paired, windows)
    if not (isfinite(difference) and isfinite(variance)):
        return Change(difference, None, None, *told)
    if variance == 0:
        same = difference == 0
        return Change(difference, Interval(0.0, 0.0, confidence.level) if same else None, 1.0 if same else None, *told)
    assumed = _assumed_alone(spread, prior) * (_worth(before) + _worth(after))
    reach = reach_of(variance, df, confidence, assumed)
    interval = Interval(difference - reach, difference + reach, confidence.level)
    # where nothing repeats here what is assumed, or other windows tell, is taken as known: the interval allows for its
    # doubt, and among hundreds of series a t of three degrees of freedom would leave nothing short of a tenfold change
    taken = not spread.df and prior.source in (Source.ASSUMED, Source.PROJECT)
    p = two_sided_p(difference / sqrt(variance), inf if taken else df)
    return Change(difference, interval, p, *told)


@dataclass(frozen=True, slots=True)
class MeanLevel:
    """Of one side; as in `Change`, `sd`, `df` and `source` are of the variation between occurrences."""

    value: float
    interval: Interval | None
    sd: float
    df: float
    source: Source
    occurrences: int


def interval_of(
    levels: Sequence[Level], prior: Prior, others: Sequence[Level] = (), *, confidence: Confidence = ALONE
) -> MeanLevel:
    """Of the mean of one side, by the same moderated t as `change_between`.

    Args:
        levels: one or more.
        others: of the other side, which differ among themselves as these do.
    """
    spread = spread_of(others, levels)
    between, df, source = _moderated(spread, prior)
    variance = max(between * _worth(levels), _inside(levels))
    value, interval = _mean(levels), None
    if isfinite(value) and isfinite(variance):
        reach = reach_of(variance, df, confidence, _assumed_alone(spread, prior) * _worth(levels)) if variance else 0.0
        interval = Interval(value - reach, value + reach, confidence.level)
    return MeanLevel(value, interval, sqrt(between), df, source, len(levels))


def _moderated(spread: Spread, prior: Prior) -> tuple[float, float, Source]:
    """Variance of one occurrence, its degrees of freedom, and where most of them are from."""
    prior_df = prior.df_beside(spread.df)
    unsettled = prior.sd**2 + (spread.inside if prior.source is Source.ASSUMED else 0.0)
    df = spread.df + prior_df
    between = (spread.df * spread.variance + prior_df * unsettled) / df if df else 0.0
    return between, df, Source.MEASURED if spread.df and spread.df >= prior_df else prior.source


def _assumed_alone(spread: Spread, prior: Prior) -> float:
    """Variance of one level that nothing but an assumption tells: none beside occurrences that repeat."""
    return 0.0 if spread.df or prior.source is not Source.ASSUMED else prior.sd**2


def reach_of(variance: float, df: float, confidence: Confidence = ALONE, assumed: float = 0.0) -> float:
    """Half an interval's width. Of a variance that is `assumed` in part, which a t of few degrees allows for, the rest
    may have been measured: then each part reaches by its own quantile, and the two add up in squares. One t for both
    widens what is sure by half as much again; Satterthwaite's degrees for their sum take away what the assumption
    needs, and where days differ by twice as much the interval would hold the truth in 85 %."""
    t = t_quantile((1 + confidence.level) / 2, df)
    if not assumed or confidence.inside is None:
        return t * sqrt(variance)
    known = t_quantile((1 + confidence.inside) / 2, inf)
    return sqrt(t**2 * assumed + known**2 * max(variance - assumed, 0.0))


def confidence_among(count: int, prior: Prior, *, repeats: bool) -> Confidence:
    """That one of `count` things is judged at, so that as rarely as for one alone any of them is called wrongly
    (Bonferroni's share, which Holm's procedure gives anew to those that are left).

    Args:
        repeats: whether a side has more than one occurrence; else the prior is taken as known for the share as it is
            for `Change.p`, and the interval allows for its doubt: never narrower than for one alone.
    """
    share = 1 - (1 - CONFIDENCE) / count
    if repeats:
        return Confidence(share, share)
    known = t_quantile((1 + share) / 2, inf)
    return Confidence(max(CONFIDENCE, 1 - two_sided_p(known, prior.df)), share)


def _shares(side: Sequence[Level]) -> list[float]:
    total = sum(each.weight for each in side)
    return [each.weight / total for each in side]


def _mean(side: Sequence[Level]) -> float:
    return sum(share * each.value for share, each in zip(_shares(side), side, strict=True))


def _worth(side: Sequence[Level]) -> float:
    """Variance of the mean for one of a level: 1/k where each counts alike."""
    return sum(share * share for share in _shares(side))


def _inside(side: Sequence[Level]) -> float:
    return sum(share * share * each.variance for share, each in zip(_shares(side), side, strict=True))


# -- the variation of a kind ---------------------------------------------------------------------------


def prior_of_kind(spreads: Sequence[Spread], *, apart: bool = False) -> Prior | None:
    """By the moments of log s^2 over series of one kind (Smyth 2004, section 6.2); None where too few repeat.

    Variances of series that follow the same days are wrong together: n of them are worth N = n / (1 + (n - 1) r2)
    independent ones, r2 the mean squared correlation of their days. Where s0^2 is the mean of N, the series' own among
    them, v = (df s^2 + d0 s0^2) / (df + d0) has df + d0 degrees of freedom with d0 = (N - 2) df; no more are claimed.

    Args:
        apart: no occurrence is common to two of the series.
    """
    from scipy import special

    usable = [each for each in spreads if each.df > 0 and each.variance > 0]
    if len(usable) < FEWEST_OF_A_KIND:
        return None
    half = np.array([each.df / 2 for each in usable])
    alike = 0.0 if apart else _alike(usable)
    independent = len(usable) / (1 + (len(usable) - 1) * alike)
    most = min(MOST_DF_OF_A_KIND, (independent - 2) * 2 * float(half.mean()))
    if most < LEAST_ASSUMED_DF:
        return None
    e = np.log([each.variance for each in usable]) - special.digamma(half) + np.log(half)
    beyond = float(e.var(ddof=1) - (1 - alike) * special.polygamma(1, half).mean())
    df = 2 * _trigamma_inverse(beyond) if beyond > 0 else inf
    shift = float(special.digamma(df / 2)) - log(df / 2) if isfinite(df) else 0.0
    return Prior(sqrt(exp(float(e.mean()) + shift)), min(df, most), Source.KIND)


def _alike(spreads: Sequence[Spread]) -> float:
    """Mean squared correlation of the days of two series, of those that were measured on as many days as most: 0 where
    each has its own (and where the steps are not told), 1 where all follow the same, or a single degree of freedom
    cannot tell."""
    (df, count), _ = Counter((each.df, len(each.steps)) for each in spreads).most_common(1)[0]
    steps = np.array([each.steps for each in spreads if (each.df, len(each.steps)) == (df, count)])
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
    """By Newton's method on 1/trigamma (Smyth 2004, appendix)."""
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


@dataclass(frozen=True, slots=True)
class Settling:
    """`occurrences` more on either side would tell a change of `change` (a fraction) or more."""

    occurrences: int
    change: float


def would_settle(found: Change, margin: float) -> Settling | None:
    """The least number of further occurrences a side that would decide what is undecided now, if they are like those
    that are there; None where nothing within reach does. On the scale of logarithms, a margin as a fraction."""
    if found.interval is None or not found.sd:
        return None
    least, size = log(1 + margin), abs(found.difference)
    for more in range(1, MOST_MORE + 1):
        sides = 1 / (found.before + more) + 1 / (found.after + more)
        df = found.df + (more if found.paired else 2 * more)
        if found.source is Source.ASSUMED:
            own_df = found.before + found.after - 2 + 2 * more
            df = own_df + Prior(found.sd).df_beside(own_df)
        reach = t_quantile((1 + found.interval.confidence) / 2, df) * found.sd * sqrt(sides)
        if abs(size - least) > reach:
            return Settling(more, expm1(least + reach)) if least + reach < _LARGEST_EXPONENT else None
    return None
