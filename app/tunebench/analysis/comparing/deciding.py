"""The verdict of one series: by its occurrences, the variation of its kind, and the load that its host had."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import compress
from math import exp, inf, log, nan, sqrt

import numpy as np
from numpy.typing import NDArray

from tunebench.analysis.comparing.comparison import (
    FALSE_DISCOVERIES,
    MARGIN,
    Caution,
    ComparedSeries,
    Grounds,
    Method,
    OccurrenceLevel,
    StatisticChange,
    thing_key,
)
from tunebench.analysis.comparing.judging import Prepared
from tunebench.analysis.comparing.occurrence_figures import PROBABILITIES, OccurrenceFigures, Statistic, variance_inside
from tunebench.analysis.comparing.regular_samples import Floats
from tunebench.analysis.inference.multiple_tests import adjusted_together
from tunebench.analysis.inference.occurrences import (
    MEASURED_INSIDE,
    Change,
    Confidence,
    Level,
    LevelTable,
    Pairs,
    Prior,
    Priors,
    Settling,
    Sides,
    Source,
    Spread,
    changes_between,
    prior_of_kind,
    sums,
    would_settle,
)
from tunebench.analysis.inference.quantiles import estimable
from tunebench.analysis.inference.ratio_of_means import fieller
from tunebench.analysis.inference.verdict import Interval, Verdict, judge
from tunebench.core.alike import alike
from tunebench.core.grouping import by_key
from tunebench.core.records import record
from tunebench.domain.engagement import Direction
from tunebench.domain.series import SeriesInfo
from tunebench.domain.windows import WindowLoad

SAMPLED_CPU_MARGIN = 0.10
NEAR_ZERO_PCT = 5.0
LEAST_POINTS_PCT = 1.0
ASSUMED_SD = {WindowLoad.PRODUCTION: 0.10, WindowLoad.CONTROLLED: 0.05}
"""How much days, and runs of the same load, are taken to differ where nothing tells; relative."""
_ASSUMED = {load: Prior(sd) for load, sd in ASSUMED_SD.items()}
_CPU_TIMES = "system.cpu.utilization"
_PER_CENT = {"%": 1.0, "1": 100.0}
_LARGEST_EXPONENT = 700.0

Levels = tuple[list[Level], list[Level]]
Kind = tuple[str, str, Statistic]
Shares = Mapping[int, float]
"""Place of an occurrence -> what its figures are divided by (work done per second)."""


@record(eq=False)
class PerUnit:
    """What the figures of either side are divided by, and its name."""

    measure: str
    before: Shares
    after: Shares


@record(eq=False)
class Thing:
    """A series that nothing forbids to decide on."""

    info: SeriesInfo
    prepared: Prepared
    per: PerUnit | None = None

    @property
    def sides(self) -> tuple[tuple[Mapping[int, OccurrenceFigures], Shares | None], ...]:
        before, after = (None, None) if self.per is None else (self.per.before, self.per.after)
        return (self.prepared.before, before), (self.prepared.after, after)


@record(eq=False)
class Decision:
    """The verdict for one statistic; the ratio is turned so that more than 1 is better (for neutral series: more).

    Attributes:
        means: of either side's levels, in the unit that is reckoned in.
        on_logs: the change is that of logarithms.
        least: the least difference that matters, where that and not the ratio is judged.
    """

    verdict: Verdict
    means: tuple[float, float]
    reason: str
    facts: Mapping[str, object]
    change: Change
    ratio: float | None
    interval: Interval | None
    difference: float
    difference_interval: Interval | None
    margin: float
    on_logs: bool
    least: float | None = None

    @property
    def settling(self) -> Settling | None:
        """What would decide it, where it is undecided and something does."""
        undecided = self.on_logs and self.verdict is Verdict.INCONCLUSIVE
        return would_settle(self.change, self.margin) if undecided else None


def margin_of(info: SeriesInfo) -> float:
    """A system that samples its clock tells CPU time no finer."""
    return SAMPLED_CPU_MARGIN if info.metric == _CPU_TIMES or info.tool == "vmstat" else MARGIN


# -- levels --------------------------------------------------------------------------------------------


@record(eq=False)
class FigureLevels:
    """What each occurrence of n things measured, in the unit of the figure and on logarithms; NaN throughout where an
    occurrence of a thing does not allow the statistic, or has no logarithm."""

    plain: tuple[LevelTable, LevelTable]
    logs: tuple[LevelTable, LevelTable]


@record(eq=False)
class _Cells:
    """The figures of one side, each with the place of its occurrence and of its thing: [m] each.

    Attributes:
        shares: what the figures are divided by.
        untold: bool[n], the things of which an occurrence does not allow the statistic.
    """

    at: tuple[NDArray[np.intp], NDArray[np.intp]]
    figures: Floats
    variances: Floats
    shares: Floats
    untold: NDArray[np.bool_]

    @classmethod
    def of(cls, things: Sequence[Thing], which: int, statistic: Statistic) -> _Cells:
        cells: list[tuple[int, int, float, float, float]] = []
        left_out: list[int] = []
        for column, thing in enumerate(things):
            own, shares = thing.sides[which]
            if not own or not _carries(own, statistic):
                left_out.append(column)
            for index, occurrence in own.items():
                figure, share = occurrence.figures.get(statistic), 1.0 if shares is None else shares[index]
                if figure is None or not share > 0:
                    left_out.append(column)
                else:
                    variance = variance_inside(figure, statistic, len(own))
                    cells.append((index, column, figure.value, variance, share))
        untold = np.zeros(len(things), dtype=bool)
        untold[left_out] = True
        table = np.array(cells, dtype=np.float64).reshape(-1, 5)
        places, columns = table[:, 0].astype(np.intp), table[:, 1].astype(np.intp)
        return cls((places, columns), table[:, 2], table[:, 3], table[:, 4], untold)

    @property
    def no_logs(self) -> NDArray[np.bool_]:
        lacking = self.untold.copy()
        lacking[self.at[1][~(self.figures > 0)]] = True
        return lacking

    def plain(self, gone: NDArray[np.bool_]) -> LevelTable:
        return self._table(self.figures / self.shares, self.variances / self.shares**2, gone)

    def logs(self, gone: NDArray[np.bool_], least: Floats) -> LevelTable:
        """
        Args:
            least: float64[n], what the variance of a thing's levels is at least.
        """
        figures = np.where(self.figures > 0, self.figures, 1.0)
        values = np.array([log(figure) for figure in (figures / self.shares).tolist()], dtype=np.float64)
        return self._table(values, np.maximum(self.variances / figures**2, least[self.at[1]]), gone)

    def _table(self, values: Floats, variances: Floats, gone: NDArray[np.bool_]) -> LevelTable:
        shape = (1 + int(self.at[0].max(initial=0)), len(gone))
        levels, inside = np.full(shape, np.nan), np.zeros(shape)
        levels[self.at], inside[self.at] = values, variances
        levels[:, gone] = np.nan
        return LevelTable(levels, inside, np.ones(shape))


def levels_of(things: Sequence[Thing], statistic: Statistic) -> FigureLevels:
    before, after = (_Cells.of(things, which, statistic) for which in (0, 1))
    gone, no_logs = before.untold | after.untold, before.no_logs | after.no_logs
    curves = np.zeros(len(things))
    if statistic is Statistic.MEAN:
        curves = np.array([_least_variance(thing.prepared) for thing in things], dtype=np.float64)
    plain = before.plain(gone), after.plain(gone)
    return FigureLevels(plain, (before.logs(no_logs, curves), after.logs(no_logs, curves)))


def _least_variance(prepared: Prepared) -> float:
    """Variance of the logarithm of a single occurrence's mean, as its matching hours show it; else 0."""
    single = len(prepared.before) == len(prepared.after) == 1
    return prepared.curve / 2 if single and prepared.curve is not None else 0.0


def _carries(own: Mapping[int, OccurrenceFigures], statistic: Statistic) -> bool:
    """Whether a side allows the statistic: one occurrence with few samples beyond a percentile has only an outlier."""
    probability = PROBABILITIES.get(statistic)
    return probability is None or len(own) > 1 or estimable(probability, next(iter(own.values())).size.n_eff)


def _compared_by(levels: tuple[LevelTable, LevelTable], pairs: Pairs) -> Sides:
    """The two sides, paired where both occurrences of a pair were measured."""
    before, after = (len(side.values) for side in levels)
    return Sides.of(*levels, [(one, other) for one, other in pairs if one < before and other < after])


def both_of(prepared: Prepared, pairs: Pairs) -> list[tuple[int, int]]:
    """The pairs of which both occurrences were measured."""
    return [(one, other) for one, other in pairs if one in prepared.before and other in prepared.after]


# -- the variation of a kind ---------------------------------------------------------------------------


@record(frozen=False)
class Elsewhere:
    """How much the occurrences of what is compared differ in other windows of the project."""

    _spreads: dict[Hashable, dict[Hashable, list[tuple[Spread, str]]]] = field(default_factory=dict)
    _kinds: dict[Hashable, Prior | None] = field(default_factory=dict)

    def take(self, kind: Hashable, thing: Hashable, spread: Spread, window: str) -> None:
        self._spreads.setdefault(kind, {}).setdefault(thing, []).append((spread, window))

    def prior(self, kind: Hashable, thing: Hashable) -> Prior | None:
        """The variation of the thing itself, made surer by its kind, which shared its days and so adds none."""
        spreads = self._spreads.get(kind, {}).get(thing)
        if spreads is None:
            return None
        own, alike = _pooled([spread for spread, _ in spreads]), self._kind(kind)
        shares = [(own.variance, float(own.df)), *([] if alike is None else [(alike.sd**2, alike.df)])]
        variance = sum(variance * df for variance, df in shares) / sum(df for _, df in shares)
        names = tuple(dict.fromkeys(name for _, name in spreads))
        return Prior(sqrt(variance), float(own.df), Source.PROJECT, names) if variance > 0 else None

    def take_series(self, info: SeriesInfo, statistic: Statistic, spread: Spread, window: str) -> None:
        self.take((*kind_of(info), statistic), thing_key(info), spread, window)

    def prior_of_series(self, info: SeriesInfo, statistic: Statistic) -> Prior | None:
        return None if not self._spreads else self.prior((*kind_of(info), statistic), thing_key(info))

    def _kind(self, kind: Hashable) -> Prior | None:
        if kind not in self._kinds:
            windows = self._spreads[kind].values()
            self._kinds[kind] = prior_of_kind([_pooled([spread for spread, _ in some]) for some in windows])
        return self._kinds[kind]


def _pooled(spreads: Sequence[Spread]) -> Spread:
    """The spread of one series over several windows."""
    df = sum(spread.df for spread in spreads)
    return Spread(sum(spread.df * spread.variance for spread in spreads) / df, df, 0.0)


@record(frozen=False)
class Kinds:
    """How much the occurrences of series of one kind differ, gathered over all series of a comparison.

    Attributes:
        elsewhere: the variation in other windows, for kinds that the compared ones do not show.
    """

    load: WindowLoad
    pairs: Pairs = ()
    elsewhere: Elsewhere = field(default_factory=Elsewhere)
    _things: list[Thing] = field(default_factory=list)
    _priors: dict[Statistic, dict[tuple[str, str], Prior | None]] = field(default_factory=dict)

    def take(self, info: SeriesInfo, prepared: Prepared) -> None:
        if prepared.refusal is None and len(prepared.before) + len(prepared.after) > 2:
            self._things.append(Thing(info, prepared))
            self._priors.clear()

    def prior(self, info: SeriesInfo, statistic: Statistic) -> Prior:
        if statistic not in self._priors:
            self._priors[statistic] = self._of_kinds(statistic)
        of_kind = self._priors[statistic].get(kind_of(info))
        return of_kind or self.elsewhere.prior_of_series(info, statistic) or _ASSUMED[self.load]

    def _of_kinds(self, statistic: Statistic) -> dict[tuple[str, str], Prior | None]:
        both = _compared_by(levels_of(self._things, statistic).logs, self.pairs)
        columns = np.flatnonzero(~np.isnan(both.difference))
        kinds = (kind_of(self._things[column].info) for column in columns.tolist())
        return {
            kind: prior_of_kind(spreads)
            for kind, spreads in by_key(zip(kinds, both.spreads(columns), strict=True)).items()
        }


def kind_of(info: SeriesInfo) -> tuple[str, str]:
    """The metric; of a column that has none the tool's own heading."""
    return (info.metric or info.tool, "" if info.metric else info.native)


# -- the verdict ---------------------------------------------------------------------------------------


def decided(
    things: Sequence[Thing], kinds: Kinds, statistic: Statistic, confidence: Confidence = MEASURED_INSIDE
) -> list[Decision | None]:
    """The decision on each thing; None where its occurrences do not allow the statistic."""
    levels = levels_of(things, statistic)
    plain, logs = (_compared_by(own, kinds.pairs) for own in (levels.plain, levels.logs))
    priors = Priors.of([kinds.prior(thing.info, statistic) for thing in things])
    wholes = zip(*(_means(side).tolist() for side in levels.plain), strict=True)
    cases = [
        _Case(
            thing.info.direction, margin_of(thing.info), thing.info.unit if thing.per is None else "", own, _size(thing)
        )
        for thing, own in zip(things, wholes, strict=True)
    ]
    return _decisions(plain, logs, priors, cases, confidence)


def decision_of(
    levels: Levels,
    logs: Levels | None,
    prior: Prior,
    direction: Direction,
    margin: float,
    *,
    unit: str = "",
    paired: bool = False,
    confidence: Confidence = MEASURED_INSIDE,
) -> Decision:
    """The decision on the occurrences of two sides, whatever they measure.

    Args:
        levels: in the unit of the figure.
        logs: the same on logarithms; None where one is not positive.
        prior: relative.
        unit: where it is a percentage, little of it is judged by the difference.
    """
    plain = Sides.alone(*levels, paired)
    nothing = [replace(level, value=nan) for level in levels[0]], [replace(level, value=nan) for level in levels[1]]
    before, after = (float(_means(side)[0]) for side in plain.tables)
    case = _Case(direction, margin, unit, (before, after), max(abs(before), abs(after)))
    (decision,) = _decisions(plain, Sides.alone(*(logs or nothing), paired), Priors.of([prior]), [case], confidence)
    assert decision is not None
    return decision


@record
class _Case:
    """What the decision on one thing needs besides its levels.

    Attributes:
        means: of either side's levels.
        largest: what a difference is measured against.
    """

    direction: Direction
    margin: float
    unit: str
    means: tuple[float, float]
    largest: float


def _decisions(
    plain: Sides, logs: Sides, priors: Priors, cases: Sequence[_Case], confidence: Confidence
) -> list[Decision | None]:
    values = np.concatenate([np.where(side.present, side.values, 0.0) for side in plain.tables])
    counts = plain.before.count + plain.after.count
    scale = np.abs(sums(values)) / np.maximum(counts, 1)
    by_difference, by_logs = (
        changes_between(plain, priors.scaled(scale), confidence),
        changes_between(logs, priors, confidence),
    )
    least = np.fmin(*(np.fmin.reduce(side.values) for side in plain.tables)).tolist()
    means = list(zip(*(_means(side).tolist() for side in plain.tables), strict=True))
    on_logs, measured = (~np.isnan(changes.difference) for changes in (by_logs, by_difference))
    decisions: list[Decision | None] = [None] * len(cases)
    for column in np.flatnonzero(measured).tolist():
        change, own = by_difference.at(column), cases[column]
        if on_logs[column]:
            by_log = by_logs.at(column)
            ratio, interval = _turned_ratio(by_log, own.direction)
            decisions[column] = _decision(own, change, by_log, ratio, interval, on_logs=True)
        else:
            ratio, interval = _ratio_of(change, means[column], least[column], own.direction)
            decisions[column] = _decision(own, change, change, ratio, interval, on_logs=False)
    return decisions


def _decision(
    own: _Case, plain: Change, change: Change, ratio: float | None, interval: Interval | None, *, on_logs: bool
) -> Decision:
    least = _least_difference(own.unit, own.largest, own.margin, interval)
    verdict, reason, facts = _verdict(own.direction, own.unit, plain, interval, own.largest, own.margin)
    ends = interval, plain.difference, plain.interval
    return Decision(verdict, own.means, reason, facts, change, ratio, *ends, own.margin, on_logs, least)


def _size(thing: Thing) -> float:
    """The larger mean of the two sides, per unit of work where the figures are divided by it."""
    if thing.per is None:
        return max(map(abs, thing.prepared.means))
    means = []
    for own, shares in thing.sides:
        assert shares is not None
        levels = [
            occurrence.figures[Statistic.MEAN].value / shares[index]
            for index, occurrence in own.items()
            if shares[index] > 0
        ]
        means.append(abs(sum(levels) / len(levels)) if levels else 0.0)
    return max(means)


def _means(side: LevelTable) -> Floats:
    """Mean of each thing's levels, every occurrence counting alike."""
    return np.asarray(sums(np.where(side.present, side.values, 0.0)) / np.maximum(side.count, 1))


def _turned_ratio(change: Change, direction: Direction) -> tuple[float | None, Interval | None]:
    turned = -1.0 if direction is Direction.LOWER else 1.0
    if abs(change.difference) > _LARGEST_EXPONENT:
        return None, None
    ratio = exp(turned * change.difference)
    if change.interval is None:
        return ratio, None
    ends = sorted(turned * end for end in (change.interval.low, change.interval.high))
    low, high = (exp(end) if end < _LARGEST_EXPONENT else inf for end in ends)
    return ratio, Interval(low, high, change.interval.confidence)


def _ratio_of(
    change: Change, means: tuple[float, float], least: float, direction: Direction
) -> tuple[float | None, Interval | None]:
    """Ratio of the means with Fieller's interval, where some occurrence is zero and neither mean is; else None.

    Args:
        least: of all occurrences.
    """
    if change.interval is None or not min(means) > 0 or least < 0:
        return None, None
    upper, lower = (0, 1) if direction is Direction.LOWER else (1, 0)
    one = change.sd**2
    variances = [one / count for count in (change.before, change.after)]
    interval = fieller(
        means[upper], variances[upper], means[lower], variances[lower], change.df, change.interval.confidence
    )
    return means[upper] / means[lower], interval and replace(interval, low=max(interval.low, 0.0))


def _verdict(
    direction: Direction, unit: str, plain: Change, interval: Interval | None, largest: float, margin: float
) -> tuple[Verdict, str, Mapping[str, object]]:
    if direction is Direction.NEUTRAL:
        return Verdict.DESCRIPTIVE_ONLY, "neutral", {}
    least = _least_difference(unit, largest, margin, interval)
    if least is None:
        return judge(interval, margin), "", {}
    verdict = _by_difference(plain.interval, least, direction)
    if _is_near_zero(unit, largest):
        return verdict, "near_zero_pct", {"least_points_pct": LEAST_POINTS_PCT}
    return verdict, "no_interval" if plain.interval is None else "by_difference", {}


def _is_near_zero(unit: str, largest: float) -> bool:
    return unit in _PER_CENT and largest * _PER_CENT[unit] < NEAR_ZERO_PCT


def _least_difference(unit: str, largest: float, margin: float, interval: Interval | None) -> float | None:
    """The least difference that matters; None where the ratio is judged."""
    if _is_near_zero(unit, largest):
        return max(margin * largest, LEAST_POINTS_PCT / _PER_CENT[unit])
    return margin * largest if interval is None else None


def _by_difference(interval: Interval | None, least: float, direction: Direction) -> Verdict:
    """Verdict on after - before, where at least `least` matters."""
    if interval is None:
        return Verdict.DESCRIPTIVE_ONLY
    better = (interval.low, interval.high) if direction is Direction.HIGHER else (-interval.high, -interval.low)
    if better[0] > least:
        return Verdict.IMPROVED
    if better[1] < -least:
        return Verdict.REGRESSED
    return Verdict.EQUIVALENT if -least <= better[0] and better[1] <= least else Verdict.INCONCLUSIVE


def _unsettled(settling: Settling | None) -> tuple[str, Mapping[str, object]]:
    if settling is None:
        return "unsettled", {}
    return "would_settle", {"occurrences": settling.occurrences, "change_pct": 100 * settling.change}


# -- rows ----------------------------------------------------------------------------------------------


def with_decisions(
    rows: Sequence[tuple[ComparedSeries, Prepared, PerUnit | None]], kinds: Kinds
) -> list[ComparedSeries]:
    """The rows with their verdicts and what these rest on."""
    judged = [prepared.refusal is None for _, prepared, _ in rows]
    things = [Thing(row.series, prepared, per) for row, prepared, per in compress(rows, judged)]
    decisions = zip(*(decided(things, kinds, statistic) for statistic in Statistic), strict=True)
    ready = iter(
        [
            _with_decision(row, thing, kinds, own)
            for row, thing, own in zip(compress((row for row, *_ in rows), judged), things, decisions, strict=True)
        ]
    )
    return [next(ready) if prepared.refusal is None else _refused(row, prepared) for row, prepared, _ in rows]


def _refused(row: ComparedSeries, prepared: Prepared) -> ComparedSeries:
    refused = prepared.refusal
    assert refused is not None
    return alike(row, verdict=refused.verdict, reason=refused.reason, facts=refused.facts, cautions=prepared.cautions)


def _with_decision(
    row: ComparedSeries, thing: Thing, kinds: Kinds, decisions: Sequence[Decision | None]
) -> ComparedSeries:
    info, prepared, per = thing.info, thing.prepared, thing.per
    by_statistic = dict(zip(Statistic, decisions, strict=True))
    mean = by_statistic[Statistic.MEAN]
    if mean is None:
        return alike(row, verdict=Verdict.DESCRIPTIVE_ONLY, reason="no_interval", cautions=prepared.cautions)
    change, settling, prior = mean.change, mean.settling, kinds.prior(info, Statistic.MEAN)
    reason, facts = mean.reason, mean.facts
    if mean.verdict is Verdict.INCONCLUSIVE and not reason:
        reason, facts = _unsettled(settling)
    sizes = [sum(occurrence.size.n_eff for occurrence in own.values()) for own in (prepared.before, prepared.after)]
    lags = [next(iter(own.values())).size.lag1 for own in (prepared.before, prepared.after)]
    return alike(
        row,
        verdict=mean.verdict,
        reason=reason,
        facts=facts,
        cautions=tuple(_all_cautions(row, prepared, change, per, kinds.load)),
        method=Method.PAIRED_OCCURRENCES if change.paired else Method.OCCURRENCES,
        estimate=mean.ratio,
        weighted=prepared.weighted,
        interval=mean.interval,
        difference=mean.difference if per is None else None,  # of units of work it has no unit
        difference_interval=mean.difference_interval if per is None else None,
        p=change.p,
        n_eff_before=sizes[0],
        n_eff_after=sizes[1],
        lag1_before=lags[0],
        lag1_after=lags[1],
        margin=mean.margin,
        occurrences=(change.before, change.after),
        variation=variation_of(change, kinds.load, prior.windows),
        settling=settling,
        per_unit_of=per.measure if per else "",
        statistics=tuple(_statistic(statistic, one) for statistic, one in by_statistic.items() if one is not None),
        grounds=_grounds(thing, kinds.pairs, mean, prior),
    )


def _grounds(thing: Thing, pairs: Pairs, mean: Decision, prior: Prior) -> Grounds:
    """The levels behind a verdict; by pairs, without the occurrences that have no partner."""
    places: list[Sequence[int]] = [list(thing.prepared.before), list(thing.prepared.after)]
    if mean.change.paired:
        places = list(zip(*both_of(thing.prepared, pairs), strict=True))
    least, sides = _least_variance(thing.prepared), []
    for chosen, (own, shares) in zip(places, thing.sides, strict=True):
        levels = []
        for index in chosen:
            figure, inside = own[index].figures[Statistic.MEAN], None
            if mean.on_logs:
                inside = max(variance_inside(figure, Statistic.MEAN, len(own)) / figure.value**2, least)
            levels.append(OccurrenceLevel(index, own[index], 1.0 if shares is None else shares[index], inside))
        sides.append(tuple(levels))
    return Grounds(sides[0], sides[1], prior)


def variation_of(change: Change, load: WindowLoad, elsewhere: tuple[str, ...] = ()) -> Prior:
    """Variation between occurrences; an assumed one without that inside an occurrence, which is measured."""
    sd = ASSUMED_SD[load] if change.source is Source.ASSUMED else change.sd
    return Prior(sd, change.df, change.source, elsewhere if change.source is Source.PROJECT else ())


def _all_cautions(
    row: ComparedSeries, found: Prepared, change: Change, per: PerUnit | None, load: WindowLoad
) -> Iterator[Caution]:
    yield from found.cautions
    if found.weighted:
        yield Caution("weighted_by_requests")
    if per is not None:
        yield Caution("per_unit", {"measure": per.measure})
    if change.source is Source.ASSUMED and row.direction is not Direction.NEUTRAL:
        yield Caution("variation_assumed", {"sd_pct": 100 * ASSUMED_SD[load]})


def _statistic(statistic: Statistic, one: Decision) -> StatisticChange:
    return StatisticChange(statistic, *one.means, one.ratio, one.interval, one.verdict, one.change.p)


# -- all series together -------------------------------------------------------------------------------


def adjusted(rows: Sequence[ComparedSeries], first: int = 0) -> tuple[ComparedSeries, ...]:
    """The rows with p-values adjusted for the number of series: a verdict must hold among all of them.

    Args:
        first: the rows from there on are given back.
    """
    together = adjusted_together(row.p for row in rows)[first:]
    changes = [[row.statistic(statistic) for row in rows] for statistic in (Statistic.P95, Statistic.P99)]
    rows = [row if row.p is None else _among_all(row, p) for row, p in zip(rows[first:], together, strict=True)]
    for of_statistic in changes:
        together = adjusted_together(None if one is None else one.p for one in of_statistic)[first:]
        for index, (one, p) in enumerate(zip(of_statistic[first:], together, strict=True)):
            changed = one and _statistic_among_all(one, p)
            if changed is not None and changed is not one:
                rows[index] = rows[index].with_statistic(changed)
    return tuple(rows)


def _among_all(row: ComparedSeries, p: float) -> ComparedSeries:
    if p <= FALSE_DISCOVERIES or row.verdict not in (Verdict.IMPROVED, Verdict.REGRESSED):
        return alike(row, p_adjusted=p)
    facts = {"p_adjusted": p}
    return alike(row, p_adjusted=p, verdict=Verdict.INCONCLUSIVE, reason="many_series", facts=facts)


def _statistic_among_all(one: StatisticChange, p: float) -> StatisticChange:
    sure = p <= FALSE_DISCOVERIES or one.verdict not in (Verdict.IMPROVED, Verdict.REGRESSED)
    return one if sure else replace(one, verdict=Verdict.INCONCLUSIVE)
