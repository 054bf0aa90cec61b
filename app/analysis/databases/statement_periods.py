"""Statements over the periods of two sides: what each costs per execution in every one, and what may be said of that.

An occurrence is a period. Levels are logarithms of the cost per execution, weighted by executions; where some period
had no cost at all, the cost itself as a part of the dearer side's. Periods of the same weekday and hour are compared
with each other where enough of a statement's have their like.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from math import inf

import numpy as np
from numpy.typing import NDArray

from app.analysis.comparing.deciding import Elsewhere
from app.analysis.comparing.judging import MANY
from app.analysis.databases.rates import quotient
from app.analysis.databases.record import DatabaseRecord, Numbers
from app.analysis.databases.statement_side import side_of
from app.analysis.inference.multiple_tests import benjamini_hochberg
from app.analysis.inference.occurrences import CONFIDENCE, Change, Prior, Source, Spread, enough_pairs, prior_of_kind
from app.analysis.inference.verdict import Interval, Verdict, judge
from app.domain.databases.records import StatementKey

Pairs = Sequence[tuple[int, int]]
"""Places of periods before and after that belong together."""
Others = Sequence[tuple[str, "PeriodColumns"]]
"""Names of other windows, and the same statements on days in each that are not compared."""
NATURAL = Prior(0.10)
"""How much days of production are taken to differ where nothing repeats."""
LEAST_EXECUTIONS = 4
"""A cost per execution of fewer on either side decides nothing."""
FALSE_DISCOVERIES = 0.05
_KEPT = ("elapsed_s", "cpu_s", "block_gets", "block_reads", "rows_examined", "rows")


@dataclass(frozen=True, slots=True, eq=False)
class PeriodColumns:
    """n statements in the k periods of one side.

    Attributes:
        executions, each: by figure, float64[k, n]; NaN where a period does not report it.
        deviations: float64[k, n], standard deviation of an execution's time by its mean; NaN where it is not told.
    """

    executions: Mapping[str, Numbers]
    each: Mapping[str, Numbers]
    deviations: Numbers

    @classmethod
    def of(cls, records: Iterable[DatabaseRecord], groups: Sequence[tuple[StatementKey, ...]]) -> PeriodColumns:
        executions: dict[str, list[Numbers]] = {name: [] for name in _KEPT}
        each: dict[str, list[Numbers]] = {name: [] for name in _KEPT}
        deviations = []
        for record in records:
            side = side_of(record, groups)
            for name in _KEPT:
                executions[name].append(side.executions(name))
                each[name].append(side.each(name))
            deviations.append(quotient(side.deviation, side.each("elapsed_s")))
        return cls(_stacked(executions), _stacked(each), np.array(deviations))

    def taken(self, order: NDArray[np.intp]) -> PeriodColumns:
        """Of the chosen statements."""
        executions, each = (
            {name: values[:, order] for name, values in columns.items()} for columns in (self.executions, self.each)
        )
        return PeriodColumns(executions, each, self.deviations[:, order])

    def relative_variances(self, figure: str) -> Numbers:
        """float64[k, n] of the mean cost, by its square. Where no deviation is told, executions are taken to differ by
        as much as they cost, as service times of random length do."""
        spread = self.deviations if figure == "elapsed_s" else np.full_like(self.deviations, np.nan)
        return quotient(np.where(np.isnan(spread), 1.0, spread) ** 2, self.executions[figure])


def _stacked(columns: Mapping[str, Sequence[Numbers]]) -> dict[str, Numbers]:
    return {name: np.array(values) for name, values in columns.items() if not np.isnan(values).all()}


@dataclass(frozen=True, slots=True, eq=False)
class Levels:
    """One side of n series: float64[k, n] as in `occurrences.Level`; NaN where an occurrence has none."""

    values: Numbers
    variances: Numbers
    weights: Numbers

    def shares(self) -> Numbers:
        weights = np.where(np.isnan(self.values), 0.0, self.weights)
        return quotient(weights, np.broadcast_to(weights.sum(axis=0), weights.shape))


@dataclass(frozen=True, slots=True, eq=False)
class _Sides:
    """Both sides of n series.

    Attributes:
        paired: bool[n], of which only the periods that have their like are there, both of a pair with one weight.
    """

    before: Levels
    after: Levels
    pairs: Pairs
    paired: NDArray[np.bool_]

    @classmethod
    def of(cls, before: Levels, after: Levels, pairs: Pairs) -> _Sides:
        if not pairs:
            return cls(before, after, pairs, np.zeros(before.values.shape[1], dtype=bool))
        first, second = (list(places) for places in zip(*pairs, strict=True))
        both = ~np.isnan(before.values[first]) & ~np.isnan(after.values[second])
        counts = ((~np.isnan(side.values)).sum(axis=0) for side in (before, after))
        paired = np.asarray(enough_pairs(both.sum(axis=0), *counts))
        weight = before.weights[first] * quotient(after.weights[second], before.weights[first] + after.weights[second])
        old, new = _chosen(before, first, paired, both, weight), _chosen(after, second, paired, both, weight)
        return cls(old, new, pairs, paired)

    def steps(self) -> Levels:
        """Of the pairs, from before to after."""
        first, second = (list(places) for places in zip(*self.pairs, strict=True))
        steps = np.where(self.paired, self.after.values[second] - self.before.values[first], np.nan)
        return Levels(steps, np.zeros_like(steps), self.before.weights[first])

    def deviations(self) -> Numbers:
        """float64[., n]: of each level from its side's mean, of pairs of each step from theirs; else NaN."""
        alone = [
            np.where(self.paired, np.nan, side.values - _Summed.of(side).mean) for side in (self.before, self.after)
        ]
        if self.paired.any():
            steps = self.steps()
            alone.append(steps.values - _Summed.of(steps).mean)
        return np.concatenate(alone)


def _chosen(
    side: Levels, places: list[int], paired: NDArray[np.bool_], both: NDArray[np.bool_], weight: Numbers
) -> Levels:
    values, weights = np.full_like(side.values, np.nan), np.zeros_like(side.values)
    values[places], weights[places] = np.where(both, side.values[places], np.nan), weight
    return Levels(np.where(paired, values, side.values), side.variances, np.where(paired, weights, side.weights))


@dataclass(frozen=True, slots=True, eq=False)
class Changes:
    """`occurrences.Change` of n series, in columns; NaN where nothing can be said."""

    difference: Numbers
    low: Numbers
    high: Numbers
    p: Numbers
    sd: Numbers
    df: Numbers
    measured: NDArray[np.bool_]
    before: NDArray[np.intp]
    after: NDArray[np.intp]
    paired: NDArray[np.bool_]

    def taken(self, order: NDArray[np.intp]) -> Changes:
        return Changes(*(getattr(self, each.name)[order] for each in fields(self)))


def changes_between(
    before: Levels, after: Levels, prior: Prior, confidence: float = CONFIDENCE, pairs: Pairs = ()
) -> Changes:
    """`occurrences.change_between` of n series at once."""
    return _changes(_Sides.of(before, after, pairs), [prior] * before.values.shape[1], confidence)


def _changes(both: _Sides, priors: Sequence[Prior], confidence: float = CONFIDENCE) -> Changes:
    from scipy import special

    known_sd = np.array([each.sd for each in priors])
    assumed = np.array([each.source is Source.ASSUMED for each in priors], dtype=bool)
    elsewhere = np.array([each.source is Source.PROJECT for each in priors], dtype=bool)

    sides = [_Summed.of(side) for side in (both.before, both.after)]
    variance, df = _spread(both)
    prior_df = np.array([each.df_beside(int(own)) for each, own in zip(priors, df, strict=True)])
    inside = sum(side.variances for side in sides) / np.maximum(sum(side.count for side in sides), 1)
    unsettled = known_sd**2 + np.where(assumed, inside, 0.0)
    all_df = df + prior_df
    between = (df * variance + prior_df * unsettled) / all_df
    spread = np.maximum(between * sum(side.worth for side in sides), sum(side.inside for side in sides))
    difference = sides[1].mean - sides[0].mean
    reach = special.stdtrit(all_df, (1 + confidence) / 2) * np.sqrt(spread)
    t = -np.abs(quotient(difference, np.sqrt(spread)))
    known = (df == 0) & (assumed | elsewhere)
    p = 2 * np.where(known, special.ndtr(t), special.stdtr(all_df, t))
    measured = (df > 0) & (df >= prior_df)
    old, new = (side.count.astype(np.intp) for side in sides)
    ends = difference - reach, difference + reach
    return Changes(difference, *ends, p, np.sqrt(between), all_df, measured, old, new, both.paired)


@dataclass(frozen=True, slots=True, eq=False)
class _Summed:
    mean: Numbers
    count: Numbers
    worth: Numbers
    inside: Numbers
    variances: Numbers
    squares: Numbers

    @classmethod
    def of(cls, side: Levels) -> _Summed:
        shares, there = side.shares(), ~np.isnan(side.values)
        values, variances = np.where(there, side.values, 0.0), np.where(there, side.variances, 0.0)
        count = there.sum(axis=0).astype(np.float64)
        mean = np.where(count > 0, (shares * values).sum(axis=0), np.nan)
        squares = (shares * np.where(there, values - mean, 0.0) ** 2).sum(axis=0)
        worth = (shares**2).sum(axis=0)
        return cls(mean, count, worth, (shares**2 * variances).sum(axis=0), variances.sum(axis=0), squares)


def _spread(both: _Sides) -> tuple[Numbers, Numbers]:
    """Variance of one occurrence about its side's mean, by the steps of pairs where they are, and its degrees of
    freedom."""
    variance, df = _about_means(_Summed.of(both.before), _Summed.of(both.after))
    if not both.paired.any():
        return variance, df
    by_steps, step_df = _about_means(_Summed.of(both.steps()))
    return np.where(both.paired, by_steps / 2, variance), np.where(both.paired, step_df, df)


def _about_means(*sides: _Summed) -> tuple[Numbers, Numbers]:
    squares, df = np.zeros_like(sides[0].mean), np.zeros_like(sides[0].mean)
    for side in sides:
        left = 1 - side.worth
        repeats = (side.count > 1) & (left > 0)
        squares += np.where(repeats, (side.count - 1) * quotient(side.squares, left), 0.0)
        df += np.where(repeats, side.count - 1, 0.0)
    return np.where(df > 0, squares / np.maximum(df, 1), 0.0), df


# -- verdicts ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class FigureVerdicts:
    """What may be said of one figure per execution of n statements.

    Attributes:
        verdicts: None where a side does not report it.
        reasons: ``few_executions``, ``short_period``, ``many_statements``, else empty.
        low, high: interval of before / after.
        p_adjusted: among all the statements that were tested.
        priors: what was known of the periods' variation beforehand, of each.
    """

    verdicts: tuple[Verdict | None, ...]
    reasons: tuple[str, ...]
    low: Numbers
    high: Numbers
    p_adjusted: Numbers
    changes: Changes
    priors: Sequence[Prior]

    def change(self, place: int) -> Change:
        found, prior = self.changes, self.priors[place]
        source = Source.MEASURED if found.measured[place] else prior.source
        windows = prior.windows if source is Source.PROJECT else ()
        interval = Interval(float(found.low[place]), float(found.high[place]))
        told = (
            float(found.sd[place]),
            float(found.df[place]),
            source,
            int(found.before[place]),
            int(found.after[place]),
        )
        p, paired = float(found.p[place]), bool(found.paired[place])
        return Change(float(found.difference[place]), interval, p, *told, paired, windows)

    def are(self, verdict: Verdict) -> NDArray[np.bool_]:
        return np.array([each is verdict for each in self.verdicts], dtype=bool)

    def taken(self, order: NDArray[np.intp]) -> FigureVerdicts:
        places = order.tolist()
        return FigureVerdicts(
            tuple(self.verdicts[place] for place in places),
            tuple(self.reasons[place] for place in places),
            self.low[order],
            self.high[order],
            self.p_adjusted[order],
            self.changes.taken(order),
            [self.priors[place] for place in places],
        )


def judged_figure(
    before: PeriodColumns,
    after: PeriodColumns,
    figure: str,
    margin: float,
    natural: Prior = NATURAL,
    pairs: Pairs = (),
    short: bool = False,
    others: Others = (),
) -> FigureVerdicts | None:
    """None where a side reports the figure of no statement.

    Args:
        short: a side is too short to decide anything.
        others: days that are not compared, where the compared ones tell no variation.
    """
    if figure not in before.each or figure not in after.each:
        return None
    levels, scales, on_logs = _levels(before, after, figure)
    both = _Sides.of(*levels, pairs)
    priors = _priors(both, on_logs, natural, others, figure)
    found = _changes(both, priors)
    low, high = _ratio_ends(found, scales, on_logs)
    few = _few(before, after, figure)
    tested = np.where(few | np.isnan(found.difference), np.nan, found.p)
    together = _adjusted(tested, before, after, figure)
    verdicts, reasons = [], []
    columns = (low.tolist(), high.tolist(), together.tolist(), few.tolist())
    for ends_low, ends_high, p, is_few in zip(*columns, strict=True):
        verdict, reason = _judged(ends_low, ends_high, p, is_few, margin, short)
        verdicts.append(verdict)
        reasons.append(reason)
    return FigureVerdicts(tuple(verdicts), tuple(reasons), low, high, together, found, priors)


def _judged(low: float, high: float, p: float, few: bool, margin: float, short: bool) -> tuple[Verdict | None, str]:
    if low != low:
        return None, ""
    if few:
        return Verdict.INSUFFICIENT_DATA, "few_executions"
    if short:
        return Verdict.INSUFFICIENT_DATA, "short_period"
    verdict = judge(Interval(low, high), margin)
    if verdict in (Verdict.IMPROVED, Verdict.REGRESSED) and not p <= FALSE_DISCOVERIES:
        return Verdict.INCONCLUSIVE, "many_statements"
    return verdict, ""


def _levels(
    before: PeriodColumns, after: PeriodColumns, figure: str
) -> tuple[tuple[Levels, Levels], tuple[Numbers, Numbers], NDArray[np.bool_]]:
    """Levels, the means of the sides, and where levels are logarithms."""
    sides = (before, after)
    with np.errstate(divide="ignore"):
        on_logs = np.all([~(side.each[figure] <= 0).any(axis=0) for side in sides], axis=0)
        means = [_mean(side, figure) for side in sides]
        scale = np.where(np.fmax(*means) > 0, np.fmax(*means), 1.0)
        repeats = np.any([(~np.isnan(side.each[figure])).sum(axis=0) > 1 for side in sides], axis=0)
        found = []
        for side in sides:
            part = side.each[figure] / scale
            inside = side.relative_variances(figure)
            if figure != "elapsed_s":
                inside = np.where(repeats, 0.0, inside)  # what repeats holds it already, and is not taken for granted
            else:
                inside = np.where(repeats & np.isnan(side.deviations), 0.0, inside)
            values = np.where(on_logs, np.log(part), part)
            variances = np.where(on_logs, inside, inside * part**2)
            found.append(Levels(values, variances, side.executions[figure]))
    return (found[0], found[1]), (means[0], means[1]), on_logs


def _mean(side: PeriodColumns, figure: str) -> Numbers:
    there = ~np.isnan(side.each[figure])
    executions = np.where(there, side.executions[figure], 0.0).sum(axis=0)
    return quotient(np.where(there, side.executions[figure] * side.each[figure], 0.0).sum(axis=0), executions)


def _priors(both: _Sides, on_logs: NDArray[np.bool_], natural: Prior, others: Others, figure: str) -> Sequence[Prior]:
    """Of the statements that repeat, where they are enough; else of other days."""
    variance, df = _spread(both)
    chosen = np.flatnonzero(on_logs & (df > 0) & (variance > 0))
    steps = both.deviations()[:, chosen].T.tolist()
    spreads = [
        Spread(own, int(own_df), 0.0, tuple(each for each in row if each == each))
        for own, own_df, row in zip(variance[chosen].tolist(), df[chosen].tolist(), steps, strict=True)
    ]
    kind, count = prior_of_kind(spreads), both.before.values.shape[1]
    if kind is not None:
        return [kind] * count
    told = _of_others(others, figure)
    return [told.prior(figure, place) or natural for place in range(count)]


def _of_others(others: Others, figure: str) -> Elsewhere:
    """By the places of the statements; of those that cost something on enough of the days."""
    found = Elsewhere()
    for window, columns in others:
        if figure not in columns.each:
            continue
        each = columns.each[figure]
        levels = np.log(each, out=np.full_like(each, np.nan), where=each > 0)
        variance, df = _about_means(_Summed.of(Levels(levels, np.zeros_like(each), columns.executions[figure])))
        for place in np.flatnonzero(df >= MANY - 1).tolist():
            found.take(figure, place, Spread(float(variance[place]), int(df[place]), 0.0), window)
    return found


def _ratio_ends(found: Changes, means: tuple[Numbers, Numbers], on_logs: NDArray[np.bool_]) -> tuple[Numbers, Numbers]:
    """Of before / after. Differences are parts of the dearer side, whose mean is then 1."""
    ends = []
    with np.errstate(over="ignore", divide="ignore"):
        for change in (found.high, found.low):
            falling = np.where(change > -1, 1 / (1 + np.maximum(change, -1)), inf)
            part = np.where(means[0] >= means[1], falling, np.maximum(1 - change, 0.0))
            part = np.where(np.fmax(*means) > 0, part, 1.0)  # no cost on either side
            ends.append(np.where(on_logs, np.exp(-change), np.where(np.isnan(change), np.nan, part)))
    return ends[0], ends[1]


def _few(before: PeriodColumns, after: PeriodColumns, figure: str) -> NDArray[np.bool_]:
    sums = [np.nansum(side.executions[figure], axis=0) for side in (before, after)]
    return np.asarray(np.minimum(*sums) < LEAST_EXECUTIONS)


def _adjusted(p: Numbers, before: PeriodColumns, after: PeriodColumns, figure: str) -> Numbers:
    """Among all statements, those that cost more counting for more: half of the weight is shared alike, half by cost
    (Genovese, Roeder and Wasserman, False discovery control with p-value weighting, Biometrika 93, 2006)."""
    tested = ~np.isnan(p)
    costs = [np.nansum(side.executions[figure] * side.each[figure], axis=0) * tested for side in (before, after)]
    shares = [cost / cost.sum() if cost.sum() > 0 else tested / max(tested.sum(), 1) for cost in costs]
    weights = 0.5 + 0.25 * tested.sum() * (shares[0] + shares[1])
    return benjamini_hochberg(np.minimum(p / weights, 1.0))
