"""Statements of two periods compared: what became of each, and of all together.

Figures are compared per execution, and judged by how much they differ from period to period. A statement's impact is
its change per execution times its executions after, of a saving times no more than there were before; above zero is
worse. What one side does not report gives no ratio. A statement that a list leaves out is unknown, not gone, and has an
upper bound where the list ends somewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tunebench.analysis.databases.listing import covered_pct, lists_everything, most_unlisted, ran_never
from tunebench.analysis.databases.matching import ManualLink, MatchedPair, match_statements, several_containers
from tunebench.analysis.databases.rates import quotient
from tunebench.analysis.databases.record import DatabaseRecord, Numbers
from tunebench.analysis.databases.statement_comparison import JUDGED, Coverage, StatementClass, StatementComparison
from tunebench.analysis.databases.statement_periods import NATURAL, FigureVerdicts, Others, PeriodColumns, judged_figure
from tunebench.analysis.databases.statement_side import StatementSide, side_of
from tunebench.analysis.databases.workload import (
    Decomposition,
    NetEffect,
    WorkloadTotals,
    decomposition,
    impacts,
    mix_similarity,
    net_effect,
    valued_executions,
    volumes,
    workload_totals,
)
from tunebench.analysis.inference.occurrences import Pairs, Prior
from tunebench.analysis.inference.verdict import Verdict
from tunebench.core.records import record
from tunebench.domain.databases.records import StatementKey

MARGIN = 0.05
SAME_WORK = 0.01
"""Rows per execution may differ by so much where a statement still does the same."""

Records = Iterable[DatabaseRecord]
OtherDays = Sequence[tuple[str, Sequence[DatabaseRecord]]]
"""Names of other windows, and days in each that are not compared."""
Flags = NDArray[np.bool_]


def compare_statements(
    before: DatabaseRecord,
    after: DatabaseRecord,
    manual: Iterable[ManualLink] = (),
    margin: float = MARGIN,
    periods: tuple[Records, Records] | None = None,
    natural: Prior = NATURAL,
    like: Callable[[], Pairs] = tuple,
    least_s: float = 0.0,
    others: Callable[[], OtherDays] = tuple,
) -> StatementComparison:
    """Compares two sides.

    Args:
        periods: what either side consists of, read once, one after the other; None where a side is one period.
        natural: how much periods are taken to differ where nothing tells.
        like: which of the periods belong together, asked for when all are read.
        least_s: a side that is shorter decides nothing.
        others: what other windows hold, asked for when all periods are read.

    Raises:
        ValueError: a period that is not valid.
    """
    if not (before.valid and after.valid):
        raise ValueError("a period that is not valid cannot be compared")
    pairs = match_statements(before, after, manual)
    old, new = periods or ((before,), (after,))
    groups = [[pair.before for pair in pairs], [pair.after for pair in pairs]]
    columns = PeriodColumns.of(old, groups[0]), PeriodColumns.of(new, groups[1])
    either = [tuple(dict.fromkeys((*pair.before, *pair.after))) for pair in pairs]
    elsewhere = [(name, PeriodColumns.of(days, either)) for name, days in others()]
    terms = _Terms(margin, natural, like(), is_short((before, after), least_s), elsewhere)
    compared = _PairFigures.of(before, after, pairs, columns, terms)
    return _comparison(before, after, compared.taken(compared.order()), terms)


def is_short(sides: Iterable[DatabaseRecord], least_s: float) -> bool:
    """Whether any is known to be; of a side that does not tell its length it is not."""
    return any(side.elapsed_s is not None and side.elapsed_s < least_s for side in sides)


@record
class _Terms:
    """What verdicts are given by; as in `compare_statements`."""

    margin: float
    natural: Prior
    like: Pairs
    short: bool
    others: Others


@record(eq=False)
class _PairFigures:
    """The pairs with their figures, before anything is judged as a whole."""

    pairs: tuple[MatchedPair, ...]
    before: StatementSide
    after: StatementSide
    came: Flags
    went: Flags
    unknown: Flags
    verdicts: Mapping[str, FigureVerdicts]
    impacts: Mapping[str, Numbers]
    same_work: Numbers
    busier: Flags
    periods: tuple[PeriodColumns, PeriodColumns]
    others: Others

    @classmethod
    def of(
        cls,
        before: DatabaseRecord,
        after: DatabaseRecord,
        pairs: Sequence[MatchedPair],
        periods: tuple[PeriodColumns, PeriodColumns],
        terms: _Terms,
    ) -> _PairFigures:
        old = side_of(before, [pair.before for pair in pairs])
        new = side_of(after, [pair.after for pair in pairs])
        only_after = np.array([not pair.before for pair in pairs], dtype=bool)
        only_before = np.array([not pair.after for pair in pairs], dtype=bool)
        came = only_after & _surely_absent(before, [pair.after for pair in pairs])
        went = only_before & _surely_absent(after, [pair.before for pair in pairs])
        judged = {
            name: judged_figure(
                *periods, name, terms.margin, terms.natural, terms.like, short=terms.short, others=terms.others
            )
            for name in JUDGED
        }
        rows = judged_figure(*periods, "rows", SAME_WORK, Prior(SAME_WORK), terms.like)
        rates = _execution_rates(before, after, old, new)
        return cls(
            tuple(pairs),
            old,
            new,
            came,
            went,
            (only_after & ~came) | (only_before & ~went),
            {name: verdicts for name, verdicts in judged.items() if verdicts is not None},
            {name: impacts(old, new, name) for name in JUDGED},
            _same_work(old.each("rows"), new.each("rows"), rows),
            _differs(*rates, terms.margin),
            periods,
            terms.others,
        )

    def order(self) -> NDArray[np.intp]:
        """Pairs by the size of the impact; what ran on one side only weighs with its total."""
        ranked_by = next((name for name in JUDGED if (self.before.total(name) > 0).any()), JUDGED[0])
        one_sided = np.fmax(self.before.total(ranked_by), self.after.total(ranked_by))
        weight = np.abs(self.impacts[ranked_by])
        weight = np.where(np.isnan(weight), np.nan_to_num(one_sided), weight)
        return np.argsort(-weight, kind="stable")

    def taken(self, order: NDArray[np.intp]) -> _PairFigures:
        return _PairFigures(
            tuple(self.pairs[row] for row in order.tolist()),
            self.before.taken(order),
            self.after.taken(order),
            self.came[order],
            self.went[order],
            self.unknown[order],
            {name: verdicts.taken(order) for name, verdicts in self.verdicts.items()},
            {name: values[order] for name, values in self.impacts.items()},
            self.same_work[order],
            self.busier[order],
            (self.periods[0].taken(order), self.periods[1].taken(order)),
            [(name, columns.taken(order)) for name, columns in self.others],
        )

    def outcomes(self) -> tuple[tuple[StatementClass, ...], tuple[str, ...]]:
        """The class of each statement, and the figure it is judged by; empty where none is."""
        classes = [StatementClass.NOT_MEASURED] * len(self.pairs)
        judges = [""] * len(self.pairs)
        for name, figure in reversed(list(self.verdicts.items())):
            for row, verdict in enumerate(figure.verdicts):
                if verdict is not None:
                    classes[row], judges[row] = StatementClass(verdict.value), name
        same = [outcome is StatementClass.EQUIVALENT for outcome in classes]
        for flags, outcome in (
            (self.busier & np.array(same, dtype=bool), StatementClass.VOLUME_CHANGED),
            (self.same_work == 0, StatementClass.CHANGED_FUNCTION),
            (self.came, StatementClass.NEW),
            (self.went, StatementClass.GONE),
            (self.unknown, StatementClass.UNKNOWN),
        ):
            for row in np.flatnonzero(flags).tolist():
                classes[row] = outcome
        return tuple(classes), tuple(judges)

    def are(self, figure: str, verdict: Verdict) -> Flags:
        verdicts = self.verdicts.get(figure)
        return np.zeros(len(self.pairs), dtype=bool) if verdicts is None else verdicts.are(verdict)


def _same_work(old: Numbers, new: Numbers, judged: FigureVerdicts | None) -> Numbers:
    """1 yes, 0 no. Of one period a side to the row; where periods repeat, by how much they differ among themselves."""
    measured = ~np.isnan(old) & ~np.isnan(new)
    alike = np.maximum(old, new) <= np.minimum(old, new) * (1 + SAME_WORK)
    same = np.where(measured, np.where(alike, 1.0, 0.0), np.nan)
    if judged is None:
        return same
    repeats = np.maximum(judged.changes.before, judged.changes.after) > 1
    sure = np.where(judged.are(Verdict.EQUIVALENT), 1.0, np.nan)
    sure[judged.are(Verdict.IMPROVED) | judged.are(Verdict.REGRESSED)] = 0.0
    return np.where(repeats & measured, sure, same)


def _execution_rates(
    before: DatabaseRecord, after: DatabaseRecord, old: StatementSide, new: StatementSide
) -> tuple[Numbers, Numbers]:
    """Executions per second; executions where a period's length is not known."""
    lengths = (before.elapsed_s, after.elapsed_s) if before.elapsed_s and after.elapsed_s else (1.0, 1.0)
    return old.total("executions") / (lengths[0] or 1.0), new.total("executions") / (lengths[1] or 1.0)


def _differs(old: Numbers, new: Numbers, margin: float) -> Flags:
    return np.asarray((old > new * (1 + margin)) | (new > old * (1 + margin)))


def _surely_absent(record: DatabaseRecord, groups: Sequence[tuple[StatementKey, ...]]) -> Flags:
    """Whether none of the statements ran in the period of `record`, as far as they are not listed there."""
    if lists_everything(record):
        return np.ones(len(groups), dtype=bool)
    idle = ran_never(record)
    return np.array([bool(keys) and idle.issuperset(keys) for keys in groups], dtype=bool)


def _comparison(
    before: DatabaseRecord, after: DatabaseRecord, compared: _PairFigures, terms: _Terms
) -> StatementComparison:
    old, new = compared.before, compared.after
    whole = compared.taken(np.flatnonzero(old.outer | new.outer))
    sums = whole.before, whole.after
    similarity = mix_similarity("elapsed_s", *sums, whole.unknown)
    everything = np.ones(len(whole.pairs), dtype=bool)
    outcomes, judged_by = compared.outcomes()
    return StatementComparison(
        pairs=compared.pairs,
        before=old,
        after=new,
        outcomes=outcomes,
        judged_by=judged_by,
        verdicts=compared.verdicts,
        ratios={name: _ratios(old.each(name), new.each(name)) for name in JUDGED},
        impacts=compared.impacts,
        volumes={name: volumes(old, new, name) for name in JUDGED},
        before_bounds={name: _bounds(before, name, old, new, compared.unknown) for name in JUDGED},
        after_bounds={name: _bounds(after, name, new, old, compared.unknown) for name in JUDGED},
        workload_pct=_workload_pct(compared, whole),
        same_work=compared.same_work,
        totals={name: _totals(name, whole, everything, similarity, terms) for name in JUDGED},
        same_work_totals={name: _totals(name, whole, whole.same_work == 1, similarity, terms) for name in JUDGED},
        net=_net_effects(whole),
        decompositions=_decompositions(before, after, whole),
        coverage=_coverage(before, after, whole),
        similarity=similarity,
        margin=terms.margin,
        lengths_s=(before.elapsed_s, after.elapsed_s),
        faults=(before.faults, after.faults),
        several_containers=several_containers(compared.pairs),
        texts=before.statement_texts() | after.statement_texts(),
    )


def _totals(
    figure: str, compared: _PairFigures, chosen: Flags, similarity: float | None, terms: _Terms
) -> WorkloadTotals:
    sides = compared.before, compared.after
    totals = workload_totals(
        figure,
        *sides,
        chosen,
        similarity,
        terms.margin,
        periods=compared.periods,
        natural=terms.natural,
        pairs=terms.like,
        others=compared.others,
    )
    if not terms.short or totals.reason:
        return totals
    return replace(totals, verdict=Verdict.DESCRIPTIVE_ONLY, reason="short_period")


def _ratios(old: Numbers, new: Numbers) -> Numbers:
    ratios = quotient(old, new)
    return np.where(ratios > 0, ratios, np.nan)


def _bounds(record: DatabaseRecord, figure: str, side: StatementSide, other: StatementSide, unknown: Flags) -> Numbers:
    """Only for what `record` leaves out and the other side has; what surely did not run is no question."""
    asked = np.isnan(side.total(figure)) & ~np.isnan(other.total(figure)) & (unknown | side.listed)
    return np.where(asked, most_unlisted(record, figure), np.nan)


def _workload_pct(compared: _PairFigures, whole: _PairFigures) -> Numbers:
    executions = valued_executions(whole.before, whole.after, "elapsed_s")
    basis = float(np.nansum(executions * whole.before.each("elapsed_s")))
    return -compared.impacts["elapsed_s"] / basis * 100.0 if basis > 0 else np.full(len(compared.pairs), np.nan)


def _net_effects(pairs: _PairFigures) -> dict[str, NetEffect]:
    effects = {
        name: net_effect(
            name, pairs.before, pairs.after, pairs.are(name, Verdict.IMPROVED), pairs.are(name, Verdict.REGRESSED)
        )
        for name in JUDGED
    }
    return {name: effect for name, effect in effects.items() if effect is not None}


def _decompositions(before: DatabaseRecord, after: DatabaseRecord, compared: _PairFigures) -> dict[str, Decomposition]:
    timed = before.elapsed_s and after.elapsed_s
    length_ratio = after.elapsed_s / before.elapsed_s if timed and after.elapsed_s and before.elapsed_s else None
    return {
        name: decomposition(name, compared.before, compared.after, compared.came, compared.went, length_ratio)
        for name in JUDGED
        if not (np.isnan(compared.before.total(name)).all() or np.isnan(compared.after.total(name)).all())
    }


def _coverage(before: DatabaseRecord, after: DatabaseRecord, pairs: _PairFigures) -> Coverage:
    compared = ~np.isnan(pairs.before.each("elapsed_s")) & ~np.isnan(pairs.after.each("elapsed_s"))
    shares = []
    for side in (pairs.before, pairs.after):
        elapsed = side.total("elapsed_s")
        whole = float(np.nansum(elapsed))
        shares.append(float(np.nansum(elapsed[compared])) / whole * 100.0 if whole > 0 else None)
    explained = [None if np.isnan(pct) else pct for pct in (covered_pct(before), covered_pct(after))]
    return Coverage(*explained, *shares)
