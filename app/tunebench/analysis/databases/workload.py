"""The matched statements as a whole: ratios at equal executions, what changed by volume and what by behaviour.

With executions e and cost per execution t, before (B) and after (A), sums over statements:
    raw ratio     sum(e_B t_B) / sum(e_A t_A)
    Laspeyres     sum(e_B t_B) / sum(e_B t_A)      Paasche  sum(e_A t_B) / sum(e_A t_A)
    Fisher        sqrt(Laspeyres x Paasche): the change at equal executions
    volume effect raw ratio / Fisher: what the executions alone did to the total

A change of cost is valued at the executions after, e = e_A; one that saves at no more than there were before, e =
min(e_B, e_A): so that it neither saves more than was measured before nor adds more than was measured after.

How sure Fisher's ratio is: by leaving out one period after the other (the jackknife's pseudo-values are the levels of
the occurrences), or, of one period a side, by how much executions differ and periods are taken to.
"""

from __future__ import annotations

from math import exp, log, sqrt

import numpy as np
from numpy.typing import NDArray

from tunebench.analysis.comparing.deciding import Elsewhere
from tunebench.analysis.comparing.judging import MANY
from tunebench.analysis.databases.rates import quotient
from tunebench.analysis.databases.record import Numbers
from tunebench.analysis.databases.statement_periods import NATURAL, Others, PeriodColumns
from tunebench.analysis.databases.statement_side import StatementSide
from tunebench.analysis.inference.occurrences import (
    Change,
    Level,
    Pairs,
    Prior,
    change_between,
    enough_pairs,
    in_pairs,
    spread_of,
)
from tunebench.analysis.inference.verdict import Interval, Verdict, judge
from tunebench.core.records import record

SIMILARITY_ADJUSTED, SIMILARITY_REFUSED = 0.8, 0.5
"""From the first on two mixes of work are alike; below the second no verdict is given on their totals."""

Flags = NDArray[np.bool_]


@record
class WorkloadTotals:
    """One figure over all statements that were measured on both sides.

    Attributes:
        statements: how many these are; `all_before` and `all_after` are of everything that was listed.
        geometric_mean: of the statements' own ratios, over the `ratios` statements that have one.
        interval: of `fisher`; `change` is what it comes from, on the scale of logarithms, the sides' periods in it.
        reason: why there is no verdict: ``nothing_common``, ``mix_differs``, ``short_period``; else empty.
    """

    figure: str
    statements: int
    before: float | None
    after: float | None
    all_before: float | None
    all_after: float | None
    raw_ratio: float | None
    laspeyres: float | None
    paasche: float | None
    fisher: float | None
    volume_effect: float | None
    geometric_mean: float | None
    ratios: int
    interval: Interval | None
    change: Change | None
    verdict: Verdict
    reason: str


@record
class NetEffect:
    """What the changes of behaviour did, at the executions e that they are valued at.

    Attributes:
        basis: what this work cost before, sum(e t_B); `after` what it cost after, sum(e t_A).
        improvements, regressions: of statements judged so, both above zero; `others`: signed change of the rest.
    """

    basis: float
    after: float
    improvements: float
    regressions: float
    others: float

    @property
    def net(self) -> float:
        return self.basis - self.after

    @property
    def without_regressions(self) -> float:
        """What the work would cost if all regressions were fixed."""
        return self.after - self.regressions

    def pct(self, amount: float) -> float | None:
        """Per cent of the work as it was before; None without any."""
        return amount / self.basis * 100.0 if self.basis > 0 else None

    @property
    def ratio(self) -> float | None:
        return _ratio(self.basis, self.after)

    @property
    def ratio_without_regressions(self) -> float | None:
        return _ratio(self.basis, self.without_regressions)


@record
class Decomposition:
    """Where the change of the listed total comes from; the lines add up to `change`.

    Attributes:
        volume: (e_A - e_B) t_B, at t_A where more executions took less: more or fewer executions. `length`: how much
            of it is due to the periods' lengths.
        behaviour: e (t_A - t_B): more or less per execution.
        new, gone: statements that ran on one side only.
        unlisted_before, unlisted_after: listed on one side only, while the other side's list is not complete.
        undivided: measured on both sides, but without executions.
    """

    before: float
    after: float
    volume: float
    behaviour: float
    new: float
    gone: float
    unlisted_before: float
    unlisted_after: float
    undivided: float
    length: float | None = None

    @property
    def change(self) -> float:
        return self.after - self.before


def divisible(before: StatementSide, after: StatementSide, figure: str) -> Flags:
    """Statements measured on both sides, with executions."""
    return ~np.isnan(before.each(figure)) & ~np.isnan(after.each(figure))


def valued_executions(before: StatementSide, after: StatementSide, figure: str) -> Numbers:
    """float64[n]: what a change per execution is valued at; what was never spent is not saved."""
    old, new = before.executions(figure), after.executions(figure)
    return np.where(after.each(figure) < before.each(figure), np.minimum(old, new), new)


def impacts(before: StatementSide, after: StatementSide, figure: str) -> Numbers:
    """float64[n]: what the changed cost per execution did; NaN without executions on both sides."""
    return valued_executions(before, after, figure) * (after.each(figure) - before.each(figure))


def volumes(before: StatementSide, after: StatementSide, figure: str) -> Numbers:
    """float64[n]: what more or fewer executions did; with `impacts` the change of the total."""
    runs, cost = (before.executions(figure), after.executions(figure)), (before.each(figure), after.each(figure))
    return (runs[1] - runs[0]) * cost_of_volume(*runs, *cost)


def cost_of_volume(old: Numbers, new: Numbers, old_cost: Numbers, new_cost: Numbers) -> Numbers:
    """float64[n]: per execution, of those that one side has more; NaN where it did not run before.

    Args:
        old, new: executions, or executions per second.
    """
    return np.where((new > old) & (new_cost < old_cost), new_cost, old_cost)


Periods = tuple[PeriodColumns, PeriodColumns]


def workload_totals(
    figure: str,
    before: StatementSide,
    after: StatementSide,
    chosen: Flags,
    similarity: float | None,
    margin: float,
    periods: Periods | None = None,
    natural: Prior = NATURAL,
    pairs: Pairs = (),
    others: Others = (),
) -> WorkloadTotals:
    """Over those of the `chosen` statements that are measured on both sides; `pairs` of periods; `others` that tell how
    much days differ where the periods do not."""
    chosen = chosen & divisible(before, after, figure)
    sums = _cost_columns(figure, before, after, chosen)
    total = sums.sum(axis=0)
    count = int(chosen.sum())
    raw, laspeyres, paasche = (_ratio(total[i], total[j]) for i, j in ((0, 3), (0, 1), (2, 3)))
    fisher = sqrt(laspeyres * paasche) if laspeyres and paasche else None
    executions = np.fmax(before.executions(figure), after.executions(figure))
    natural = _of_others(figure, others, chosen, executions) or natural
    change = _change(figure, periods, chosen, log(fisher), natural, pairs) if fisher and periods else None
    interval = _inverted(change.interval) if change is not None and change.interval is not None else None
    verdict, reason = judged(interval, margin, similarity)
    ratios = quotient(before.each(figure)[chosen], after.each(figure)[chosen])
    ratios = ratios[ratios > 0]
    return WorkloadTotals(
        figure,
        count,
        _some(total[0], count),
        _some(total[3], count),
        _sum(before.total(figure)),
        _sum(after.total(figure)),
        raw,
        laspeyres,
        paasche,
        fisher,
        raw / fisher if raw and fisher else None,
        exp(float(np.log(ratios).mean())) if len(ratios) else None,
        len(ratios),
        interval,
        change,
        verdict,
        reason,
    )


def judged(interval: Interval | None, margin: float, similarity: float | None) -> tuple[Verdict, str]:
    """Verdict by the whole interval of a ratio before / after, lower being better."""
    if interval is None:
        return Verdict.DESCRIPTIVE_ONLY, "nothing_common"
    if similarity is not None and similarity < SIMILARITY_REFUSED:
        return Verdict.NOT_COMPARABLE, "mix_differs"
    return judge(interval, margin), ""


def net_effect(
    figure: str, before: StatementSide, after: StatementSide, improved: Flags, regressed: Flags
) -> NetEffect | None:
    """The net effect of changed costs; None where no statement is measured on both sides."""
    comparable = divisible(before, after, figure)
    if not comparable.any():
        return None
    executions = valued_executions(before, after, figure)
    basis = np.where(comparable, executions * before.each(figure), 0.0)
    cost = np.where(comparable, executions * after.each(figure), 0.0)
    saved = basis - cost
    improvements = float(saved[comparable & improved].sum())
    regressions = 0.0 - float(saved[comparable & regressed].sum())
    others = 0.0 - float(saved[comparable & ~improved & ~regressed].sum())
    return NetEffect(float(basis.sum()), float(cost.sum()), improvements, regressions, others)


def decomposition(
    figure: str, before: StatementSide, after: StatementSide, came: Flags, went: Flags, length_ratio: float | None
) -> Decomposition:
    """`came`, `went`: statements that surely ran on one side only; `length_ratio`: period after / before."""
    old, new = before.total(figure), after.total(figure)
    has_old, has_new = ~np.isnan(old), ~np.isnan(new)
    comparable = divisible(before, after, figure)
    both = has_old & has_new
    runs = before.executions(figure), after.executions(figure)
    longer = runs[0] * cost_of_volume(*runs, before.each(figure), after.each(figure))
    length = None if length_ratio is None else (length_ratio - 1.0) * float(longer[comparable].sum())
    return Decomposition(
        before=float(old[has_old].sum()),
        after=float(new[has_new].sum()),
        volume=float(volumes(before, after, figure)[comparable].sum()),
        behaviour=float(impacts(before, after, figure)[comparable].sum()),
        new=float(new[has_new & came].sum()),
        gone=0.0 - float(old[has_old & went].sum()),
        unlisted_before=float(new[has_new & ~has_old & ~came].sum()),
        unlisted_after=0.0 - float(old[has_old & ~has_new & ~went].sum()),
        undivided=float((new - old)[both & ~comparable & ~came & ~went].sum()),
        length=length,
    )


def mix_similarity(figure: str, before: StatementSide, after: StatementSide, unknown: Flags) -> float | None:
    """sum(min(p_i, q_i)) over the shares of the work, executions x cost per execution *before*.

    Work that ran on one side only weighs with the cost it has there. `unknown` statements are left out. By shares of
    time the mix would seem to change whenever tuning works.
    """
    unit = np.where(np.isnan(before.each(figure)), after.each(figure), before.each(figure))
    weights = [np.where(unknown, 0.0, np.nan_to_num(side.executions(figure) * unit)) for side in (before, after)]
    sums = [float(weight.sum()) for weight in weights]
    if not all(sums):
        return None
    return float(np.minimum(weights[0] / sums[0], weights[1] / sums[1]).sum())


def _cost_columns(figure: str, before: StatementSide, after: StatementSide, chosen: Flags) -> Numbers:
    """float64[n, 4]: e_B t_B, e_B t_A, e_A t_B, e_A t_A."""
    old, new = before.each(figure)[chosen], after.each(figure)[chosen]
    executed, executing = before.executions(figure)[chosen], after.executions(figure)[chosen]
    return np.column_stack([before.total(figure)[chosen], executed * new, executing * old, after.total(figure)[chosen]])


def _change(
    figure: str, periods: Periods, chosen: Flags, log_fisher: float, natural: Prior, pairs: Pairs
) -> Change | None:
    """From before to after, so that less is below zero; None where a side's periods say nothing of the figure."""
    if any(figure not in side.each for side in periods):
        return None
    sides = [_Work.of(figure, side, chosen) for side in periods]
    pseudo = [_pseudo_values(sides, which, log_fisher) for which in (0, 1)]
    levels = [
        [Level(offset + value, side.variance if len(values) == 1 else 0.0) for value in values]
        for side, values, offset in zip(sides, pseudo, (log_fisher, 0.0), strict=True)
    ]
    positions = [{position: level for level, position in enumerate(side.periods)} for side in sides]
    both = [
        (positions[0][one], positions[1][other])
        for one, other in pairs
        if one in positions[0] and other in positions[1]
    ]
    if enough_pairs(len(both), len(levels[0]), len(levels[1])):
        return change_between(*in_pairs(levels[0], levels[1], both), natural, paired=True)
    return change_between(levels[0], levels[1], natural)


def _of_others(figure: str, others: Others, chosen: Flags, executions: Numbers) -> Prior | None:
    """How much the whole cost at fixed executions differs from day to day, over the statements of all days."""
    elsewhere = Elsewhere()
    for window, columns in others:
        if figure not in columns.each:
            continue
        per_execution = columns.each[figure][:, chosen]
        always = ~np.isnan(per_execution).any(axis=0)
        costs = (per_execution[:, always] * executions[chosen][always]).sum(axis=1)
        if len(costs) >= MANY and (costs > 0).all():
            elsewhere.take(figure, "", spread_of([Level(log(cost)) for cost in costs.tolist()], ()), window)
    return elsewhere.prior(figure, "")


@record(eq=False)
class _Work:
    """Executions and cost of the statements in each period of a side, and what executions vary by themselves.

    Attributes:
        executions, cost: float64[k, n], 0 where nothing is reported.
        periods: indices of those k periods that have any cost.
        variance: of the logarithm of the whole cost at fixed executions.
    """

    executions: Numbers
    cost: Numbers
    periods: list[int]
    variance: float

    @classmethod
    def of(cls, figure: str, side: PeriodColumns, chosen: Flags) -> _Work:
        per_execution = side.each[figure][:, chosen]
        executions = np.where(np.isnan(per_execution), 0.0, side.executions[figure][:, chosen])
        cost = np.nan_to_num(per_execution) * executions
        periods = np.flatnonzero(cost.any(axis=1)).tolist()
        parts = np.nan_to_num(side.relative_variances(figure)[:, chosen]) * cost**2
        whole = float(cost.sum())
        return cls(executions[periods], cost[periods], periods, float(parts.sum()) / whole**2 if whole > 0 else 0.0)


def _pseudo_values(sides: list[_Work], which: int, log_fisher: float) -> list[float]:
    """The jackknife's pseudo-value of each period of a side, about their mean; 0 where nothing is left to compare."""
    mine = sides[which]
    count = len(mine.cost)
    if count < 2:
        return [0.0]
    whole = [(side.executions.sum(axis=0), side.cost.sum(axis=0)) for side in sides]
    values = []
    for executions, cost in zip(mine.executions, mine.cost, strict=True):
        left = list(whole)
        left[which] = (whole[which][0] - executions, whole[which][1] - cost)
        ratio = _log_fisher(*left[0], *left[1])
        values.append(0.0 if ratio is None else (count - 1) * (log_fisher - ratio) * (1 if which == 0 else -1))
    centre = sum(values) / count
    return [value - centre for value in values]


def _log_fisher(old_runs: Numbers, old_cost: Numbers, new_runs: Numbers, new_cost: Numbers) -> float | None:
    old, new = quotient(old_cost, old_runs), quotient(new_cost, new_runs)
    both = ~np.isnan(old) & ~np.isnan(new)
    sums = [float(np.sum((runs * costs)[both])) for runs in (old_runs, new_runs) for costs in (old, new)]
    return (log(sums[0]) - log(sums[1]) + log(sums[2]) - log(sums[3])) / 2 if min(sums) > 0 else None


def _inverted(interval: Interval) -> Interval:
    """The interval of before / after, from that of the logarithm of after / before."""
    return Interval(exp(-interval.high), exp(-interval.low), interval.confidence)


def _ratio(upper: float | None, lower: float | None) -> float | None:
    """The ratio; None where a side has nothing, never 0."""
    return float(upper) / float(lower) if upper and lower and upper > 0 and lower > 0 else None


def _some(value: float, count: int) -> float | None:
    return float(value) if count else None


def _sum(values: Numbers) -> float | None:
    present = values[~np.isnan(values)]
    return float(present.sum()) if len(present) else None
