"""Statements over the periods of two sides: what each costs per execution in every one, and what may be said of that.

An occurrence is a period. Levels are logarithms of the cost per execution, weighted by executions; where some period
had no cost at all, the cost itself as a part of the dearer side's. Periods of the same weekday and hour are compared
with each other where enough of a statement's have their like.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import inf

import numpy as np
from numpy.typing import NDArray

from tunebench.analysis.comparing.deciding import Elsewhere
from tunebench.analysis.comparing.judging import MANY
from tunebench.analysis.databases.rates import quotient
from tunebench.analysis.databases.record import DatabaseRecord, Numbers
from tunebench.analysis.databases.statement_side import side_of
from tunebench.analysis.inference.multiple_tests import benjamini_hochberg
from tunebench.analysis.inference.occurrences import (
    Change,
    Changes,
    LevelTable,
    Pairs,
    Prior,
    Priors,
    Sides,
    Spread,
    changes_between,
    prior_of_kind,
)
from tunebench.analysis.inference.verdict import Interval, Verdict, judge
from tunebench.core import records
from tunebench.domain.databases.records import StatementKey

Others = Sequence[tuple[str, "PeriodColumns"]]
"""Names of other windows, and the same statements on days in each that are not compared."""
NATURAL = Prior(0.10)
"""How much days of production are taken to differ where nothing repeats."""
LEAST_EXECUTIONS = 4
"""A cost per execution of fewer on either side decides nothing."""
FALSE_DISCOVERIES = 0.05
_KEPT = ("elapsed_s", "cpu_s", "block_gets", "block_reads", "rows_examined", "rows")


@records.record(eq=False)
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
        per_execution: dict[str, list[Numbers]] = {name: [] for name in _KEPT}
        deviations = []
        for record in records:
            side = side_of(record, groups)
            for name in _KEPT:
                executions[name].append(side.executions(name))
                per_execution[name].append(side.each(name))
            deviations.append(quotient(side.deviation, side.each("elapsed_s")))
        return cls(_stacked(executions), _stacked(per_execution), np.array(deviations))

    def taken(self, order: NDArray[np.intp]) -> PeriodColumns:
        """The columns of the chosen statements."""
        executions, per_execution = (
            {name: values[:, order] for name, values in columns.items()} for columns in (self.executions, self.each)
        )
        return PeriodColumns(executions, per_execution, self.deviations[:, order])

    def relative_variances(self, figure: str) -> Numbers:
        """float64[k, n] of the mean cost, by its square. Where no deviation is told, executions are taken to differ by
        as much as they cost, as service times of random length do."""
        spread = self.deviations if figure == "elapsed_s" else np.full_like(self.deviations, np.nan)
        return quotient(np.where(np.isnan(spread), 1.0, spread) ** 2, self.executions[figure])


def _stacked(columns: Mapping[str, Sequence[Numbers]]) -> dict[str, Numbers]:
    return {name: np.array(values) for name, values in columns.items() if not np.isnan(values).all()}


# -- verdicts ------------------------------------------------------------------------------------------


@records.record(eq=False)
class FigureVerdicts:
    """What may be said of one figure per execution of n statements.

    Attributes:
        verdicts: None where a side does not report it.
        reasons: ``few_executions``, ``short_period``, ``many_statements``, else empty.
        low, high: interval of before / after.
        p_adjusted: among all the statements that were tested.
    """

    verdicts: tuple[Verdict | None, ...]
    reasons: tuple[str, ...]
    low: Numbers
    high: Numbers
    p_adjusted: Numbers
    changes: Changes

    def change(self, row: int) -> Change:
        return self.changes.at(row)

    def are(self, verdict: Verdict) -> NDArray[np.bool_]:
        return np.array([own is verdict for own in self.verdicts], dtype=bool)

    def taken(self, order: NDArray[np.intp]) -> FigureVerdicts:
        places = order.tolist()
        return FigureVerdicts(
            tuple(self.verdicts[row] for row in places),
            tuple(self.reasons[row] for row in places),
            self.low[order],
            self.high[order],
            self.p_adjusted[order],
            self.changes.taken(order),
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
    """Verdicts on one figure of n statements; None where a side reports it of none.

    Args:
        short: a side is too short to decide anything.
        others: days that are not compared, where the compared ones tell no variation.
    """
    if figure not in before.each or figure not in after.each:
        return None
    levels, scales, on_logs = _levels(before, after, figure)
    both = Sides.of(*levels, pairs)
    changes = changes_between(both, Priors.of(_priors(both, on_logs, natural, others, figure)))
    low, high = _ratio_ends(changes, scales, on_logs)
    few = _few(before, after, figure)
    tested = np.where(few | np.isnan(changes.difference), np.nan, changes.p)
    together = _adjusted(tested, before, after, figure)
    verdicts, reasons = [], []
    columns = (low.tolist(), high.tolist(), together.tolist(), few.tolist())
    for ends_low, ends_high, p, is_few in zip(*columns, strict=True):
        verdict, reason = _judged(ends_low, ends_high, p, is_few, margin, short)
        verdicts.append(verdict)
        reasons.append(reason)
    return FigureVerdicts(tuple(verdicts), tuple(reasons), low, high, together, changes)


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
) -> tuple[tuple[LevelTable, LevelTable], tuple[Numbers, Numbers], NDArray[np.bool_]]:
    """Levels, the means of the sides, and where levels are logarithms."""
    sides = (before, after)
    with np.errstate(divide="ignore"):
        on_logs = np.all([~(side.each[figure] <= 0).any(axis=0) for side in sides], axis=0)
        means = [_mean(side, figure) for side in sides]
        scale = np.where(np.fmax(*means) > 0, np.fmax(*means), 1.0)
        repeats = np.any([(~np.isnan(side.each[figure])).sum(axis=0) > 1 for side in sides], axis=0)
        tables = []
        for side in sides:
            part = side.each[figure] / scale
            inside = side.relative_variances(figure)
            if figure != "elapsed_s":
                inside = np.where(repeats, 0.0, inside)  # what repeats holds it already, and is not taken for granted
            else:
                inside = np.where(repeats & np.isnan(side.deviations), 0.0, inside)
            values = np.where(on_logs, np.log(part), part)
            variances = np.where(on_logs, inside, inside * part**2)
            tables.append(LevelTable(values, variances, side.executions[figure]))
    return (tables[0], tables[1]), (means[0], means[1]), on_logs


def _mean(side: PeriodColumns, figure: str) -> Numbers:
    there = ~np.isnan(side.each[figure])
    executions = np.where(there, side.executions[figure], 0.0).sum(axis=0)
    return quotient(np.where(there, side.executions[figure] * side.each[figure], 0.0).sum(axis=0), executions)


def _priors(both: Sides, on_logs: NDArray[np.bool_], natural: Prior, others: Others, figure: str) -> Sequence[Prior]:
    """The prior of each statement: by those that repeat, where they are enough; else by other days."""
    variance, df = both.variance
    kind, count = prior_of_kind(both.spreads(np.flatnonzero(on_logs & (df > 0) & (variance > 0)))), len(df)
    if kind is not None:
        return [kind] * count
    elsewhere = _of_others(others, figure)
    return [elsewhere.prior(figure, row) or natural for row in range(count)]


def _of_others(others: Others, figure: str) -> Elsewhere:
    """Spreads of the statements, by row, that cost something on enough of the other days."""
    elsewhere = Elsewhere()
    for window, columns in others:
        if figure not in columns.each:
            continue
        costs = columns.each[figure]
        levels = np.log(costs, out=np.full_like(costs, np.nan), where=costs > 0)
        squares, df = LevelTable(levels, np.zeros_like(costs), columns.executions[figure]).squares
        for row in np.flatnonzero(df >= MANY - 1).tolist():
            elsewhere.take(figure, row, Spread(float(squares[row] / df[row]), int(df[row]), 0.0), window)
    return elsewhere


def _ratio_ends(
    changes: Changes, means: tuple[Numbers, Numbers], on_logs: NDArray[np.bool_]
) -> tuple[Numbers, Numbers]:
    """Ends of before / after; differences are parts of the dearer side, whose mean is then 1."""
    ends = []
    with np.errstate(over="ignore", divide="ignore"):
        for change in (changes.high, changes.low):
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
