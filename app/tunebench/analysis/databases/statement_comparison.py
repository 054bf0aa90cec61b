"""What a comparison of statements says: columns for many of them, a row for one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from enum import StrEnum

import numpy as np

from tunebench.analysis.databases.matching import MatchedPair
from tunebench.analysis.databases.record import Numbers
from tunebench.analysis.databases.statement_periods import FigureVerdicts
from tunebench.analysis.databases.statement_side import StatementSide
from tunebench.analysis.databases.workload import Decomposition, NetEffect, WorkloadTotals
from tunebench.analysis.inference.occurrences import Change, Settling, would_settle
from tunebench.analysis.inference.verdict import Interval, Verdict
from tunebench.core.records import record
from tunebench.domain.databases.records import Fault

JUDGED = ("elapsed_s", "cpu_s", "block_gets", "block_reads", "rows_examined")
"""Each is judged by itself; the first one that both sides report decides on the statement."""


class StatementClass(StrEnum):
    """A verdict on the cost per execution, or why there is nothing to judge."""

    IMPROVED = "improved"
    REGRESSED = "regressed"
    EQUIVALENT = "equivalent"
    INCONCLUSIVE = "inconclusive"
    INSUFFICIENT_DATA = "insufficient_data"
    VOLUME_CHANGED = "volume_changed"  # costs the same per execution, and runs more or less often
    CHANGED_FUNCTION = "changed_function"  # gives another number of rows per execution: not the same work
    NEW = "new"
    GONE = "gone"
    UNKNOWN = "unknown"  # not in the list of one side
    NOT_MEASURED = "not_measured"  # nothing that both sides report per execution


@record
class Coverage:
    """Per cent of DB time that either side's statements explain, and of their own time that was compared."""

    before_pct: float | None
    after_pct: float | None
    compared_before_pct: float | None
    compared_after_pct: float | None


@record
class FigureChange:
    """One figure of one statement.

    Attributes:
        verdict: None where a side does not report it; `reason` as in `FigureVerdicts`.
        before_bound, after_bound: at most so much in total, where a side's list leaves the statement out.
        ratio: before / after per execution; `interval` of that.
        p_adjusted: that there is no change, among all statements.
        judged: what the verdict rests on, and what would settle one that is inconclusive.
        impact: change per execution x executions after, of a saving no more of them than before; `volume`: what the
            change of executions did.
    """

    figure: str
    verdict: Verdict | None
    reason: str
    before_total: float | None
    after_total: float | None
    before_each: float | None
    after_each: float | None
    ratio: float | None
    impact: float | None
    volume: float | None
    before_bound: float | None = None
    after_bound: float | None = None
    interval: Interval | None = None
    p_adjusted: float | None = None
    judged: tuple[Change, Settling | None] | None = None


@record
class StatementChange:
    """One row.

    Attributes:
        workload_pct: by how much the statement's change made the whole work it is valued at cheaper (below zero:
            dearer).
        same_work: whether rows per execution agree; None where they are not known.
        plan_changed: None where a side tells no plan.
        partial: whether a side's totals are lower bounds.
    """

    pair: MatchedPair
    outcome: StatementClass
    judged_by: str
    before_executions: float | None
    after_executions: float | None
    changes: Mapping[str, FigureChange]
    workload_pct: float | None
    before_rows: float | None
    after_rows: float | None
    same_work: bool | None
    before_plans: tuple[str, ...]
    after_plans: tuple[str, ...]
    plan_changed: bool | None
    partial: tuple[bool, bool]


@record(eq=False)
class StatementComparison:
    """Columns of n statements, the greatest impact first; `row` gives one of them.

    Attributes:
        verdicts: by figure; one that a side reports of no statement is missing.
        ratios, impacts, volumes, before_bounds, after_bounds: by figure of `JUDGED`.
        same_work: 1 yes, 0 no, NaN unknown.
        totals: by figure, over all statements but those inside of others (as are net, decompositions, coverage,
            similarity); `same_work_totals`: over those that surely do the same work.
        similarity: how alike the two mixes of work are, 0 to 1.
        lengths_s: of the periods.
        several_containers: whether a reader has to be told which one a statement is of.
        texts: by statement id, of either side; those of which no capture has a text are missing.
    """

    pairs: tuple[MatchedPair, ...]
    before: StatementSide
    after: StatementSide
    outcomes: tuple[StatementClass, ...]
    judged_by: tuple[str, ...]
    verdicts: Mapping[str, FigureVerdicts]
    ratios: Mapping[str, Numbers]
    impacts: Mapping[str, Numbers]
    volumes: Mapping[str, Numbers]
    before_bounds: Mapping[str, Numbers]
    after_bounds: Mapping[str, Numbers]
    workload_pct: Numbers
    same_work: Numbers
    totals: Mapping[str, WorkloadTotals]
    same_work_totals: Mapping[str, WorkloadTotals]
    net: Mapping[str, NetEffect]
    decompositions: Mapping[str, Decomposition]
    coverage: Coverage
    similarity: float | None
    margin: float
    lengths_s: tuple[float | None, float | None]
    faults: tuple[tuple[Fault, ...], tuple[Fault, ...]]
    several_containers: bool
    texts: Mapping[str, str]

    def __len__(self) -> int:
        return len(self.pairs)

    def text_of(self, pair: MatchedPair) -> str:
        """What it says now, else what it said, on one line; empty where no capture has it."""
        ids = (*pair.after_ids, *pair.before_ids)
        return " ".join(next((self.texts[id_] for id_ in ids if self.texts.get(id_)), "").split())

    def counts(self) -> dict[StatementClass, int]:
        return {outcome: self.outcomes.count(outcome) for outcome in StatementClass}

    def rows(self) -> Iterator[StatementChange]:
        return (self.row(row) for row in range(len(self)))

    def row(self, row: int) -> StatementChange:
        plans = self.before.plans[row], self.after.plans[row]
        same = _value(self.same_work, row)
        return StatementChange(
            self.pairs[row],
            self.outcomes[row],
            self.judged_by[row],
            _value(self.before.total("executions"), row),
            _value(self.after.total("executions"), row),
            {figure: self.figure(figure, row) for figure in JUDGED},
            _value(self.workload_pct, row),
            _value(self.before.each("rows"), row),
            _value(self.after.each("rows"), row),
            None if same is None else bool(same),
            *plans,
            plans[0] != plans[1] if all(plans) else None,
            (bool(self.before.partial[row]), bool(self.after.partial[row])),
        )

    def figure(self, figure: str, row: int) -> FigureChange:
        columns = (
            self.before.total(figure),
            self.after.total(figure),
            self.before.each(figure),
            self.after.each(figure),
            self.ratios[figure],
            self.impacts[figure],
            self.volumes[figure],
            self.before_bounds[figure],
            self.after_bounds[figure],
        )
        values = (_value(column, row) for column in columns)
        change = FigureChange(figure, None, "", *values)  # type: ignore[arg-type]  # as many as there are columns
        verdicts = self.verdicts.get(figure)
        verdict = None if verdicts is None else verdicts.verdicts[row]
        if verdicts is None or verdict is None:
            return change
        judged = verdicts.change(row)
        return replace(
            change,
            verdict=verdict,
            reason=verdicts.reasons[row],
            interval=Interval(float(verdicts.low[row]), float(verdicts.high[row])),
            p_adjusted=_value(verdicts.p_adjusted, row),
            judged=(judged, would_settle(judged, self.margin) if verdict is Verdict.INCONCLUSIVE else None),
        )


def _value(column: Numbers, row: int) -> float | None:
    value = float(column[row])
    return None if np.isnan(value) else value
