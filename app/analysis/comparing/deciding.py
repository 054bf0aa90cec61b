"""The verdict of one series: by its occurrences, the variation of its kind, and the load that its host had."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import exp, inf, log, sqrt

from app.analysis.comparing.comparison import (
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
from app.analysis.comparing.judging import Prepared
from app.analysis.comparing.occurrence_figures import PROBABILITIES, OccurrenceFigures, Statistic, variance_inside
from app.analysis.inference.multiple_tests import adjusted_together
from app.analysis.inference.occurrences import (
    MEASURED_INSIDE,
    Change,
    Confidence,
    Level,
    Prior,
    Settling,
    Source,
    Spread,
    change_between,
    enough_pairs,
    prior_of_kind,
    spread_of,
    would_settle,
)
from app.analysis.inference.quantiles import estimable
from app.analysis.inference.ratio_of_means import fieller
from app.analysis.inference.verdict import Interval, Verdict, judge
from app.domain.engagement import Direction
from app.domain.series import SeriesInfo
from app.domain.windows import WindowLoad

SAMPLED_CPU_MARGIN = 0.10
NEAR_ZERO_PCT = 5.0
LEAST_POINTS_PCT = 1.0
ASSUMED_SD = {WindowLoad.PRODUCTION: 0.10, WindowLoad.CONTROLLED: 0.05}
"""How much days, and runs of the same load, are taken to differ where nothing tells; relative."""
_CPU_TIMES = "system.cpu.utilization"
_PER_CENT = {"%": 1.0, "1": 100.0}
_LARGEST_EXPONENT = 700.0

Levels = tuple[list[Level], list[Level]]
Kind = tuple[str, str, Statistic]
Pairs = Sequence[tuple[int, int]]
"""Places of occurrences before and after that belong together."""
Shares = Mapping[int, float]
"""Place of an occurrence -> what its figures are divided by (work done per second)."""


@dataclass(frozen=True, slots=True, eq=False)
class PerUnit:
    """What the figures of either side are divided by, and its name."""

    measure: str
    before: Shares
    after: Shares


@dataclass(frozen=True, slots=True, eq=False)
class Decision:
    """The verdict for one statistic; the ratio is turned so that more than 1 is better (for neutral series: more).

    Attributes:
        means: of either side's levels, in the unit that is reckoned in.
        logs: the levels on logarithms; None where one of them has none.
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
    settling: Settling | None
    logs: Levels | None = None
    least: float | None = None


def margin_of(info: SeriesInfo) -> float:
    """A system that samples its clock tells CPU time no finer."""
    return SAMPLED_CPU_MARGIN if info.metric == _CPU_TIMES or info.tool == "vmstat" else MARGIN


# -- levels --------------------------------------------------------------------------------------------


def levels_of(found: Prepared, statistic: Statistic, logs: bool, per: PerUnit | None = None) -> Levels | None:
    """On logarithms or in the series' own unit; None where an occurrence does not allow the statistic."""
    sides = []
    for own, shares in ((found.before, per.before if per else None), (found.after, per.after if per else None)):
        levels = [
            _level(each, statistic, logs, 1.0 if shares is None else shares.get(place, 0.0), len(own))
            for place, each in own.items()
        ]
        if not levels or None in levels or not _carries(own, statistic):
            return None
        sides.append([each for each in levels if each is not None])
    if len(sides[0]) == len(sides[1]) == 1 and logs and found.curve is not None and statistic is Statistic.MEAN:
        sides = [[replace(each, variance=max(each.variance, found.curve / 2)) for each in side] for side in sides]
    return sides[0], sides[1]


def _carries(own: Mapping[int, OccurrenceFigures], statistic: Statistic) -> bool:
    """Of a single occurrence a percentile with few samples beyond it is that of one outlier."""
    probability = PROBABILITIES.get(statistic)
    return probability is None or len(own) > 1 or estimable(probability, next(iter(own.values())).size.n_eff)


def _level(own: OccurrenceFigures, statistic: Statistic, logs: bool, share: float, occurrences: int) -> Level | None:
    figure = own.figures.get(statistic)
    if figure is None or not share > 0:
        return None
    variance = variance_inside(figure, statistic, occurrences)
    if not logs:
        return Level(figure.value / share, variance / share**2)
    return Level(log(figure.value / share), variance / figure.value**2) if figure.value > 0 else None


def paired_levels(found: Prepared, levels: Levels, pairs: Pairs) -> tuple[Levels, bool]:
    """Only those that have their like, where at least three have and hardly any has not."""
    before, after = (
        dict(zip(own, side, strict=True)) for own, side in zip((found.before, found.after), levels, strict=True)
    )
    both = both_of(found, pairs)
    if not enough_pairs(len(both), len(before), len(after)):
        return levels, False
    return ([before[one] for one, _ in both], [after[other] for _, other in both]), True


def both_of(found: Prepared, pairs: Pairs) -> list[tuple[int, int]]:
    """Places of the pairs of which either occurrence was measured."""
    return [(one, other) for one, other in pairs if one in found.before and other in found.after]


# -- the variation of a kind ---------------------------------------------------------------------------


@dataclass(slots=True)
class Elsewhere:
    """How much the occurrences of what is compared differ in other windows of the project."""

    _spreads: dict[Hashable, dict[Hashable, list[tuple[Spread, str]]]] = field(default_factory=dict)
    _kinds: dict[Hashable, Prior | None] = field(default_factory=dict)

    def take(self, kind: Hashable, thing: Hashable, found: Spread, window: str) -> None:
        self._spreads.setdefault(kind, {}).setdefault(thing, []).append((found, window))

    def prior(self, kind: Hashable, thing: Hashable) -> Prior | None:
        """Of the thing itself, and of those of its kind, which shared its days: they make it surer of how much days
        differ, and add no days."""
        told = self._spreads.get(kind, {}).get(thing)
        if told is None:
            return None
        own, alike = _pooled([spread for spread, _ in told]), self._kind(kind)
        shares = [(own.variance, float(own.df)), *([] if alike is None else [(alike.sd**2, alike.df)])]
        variance = sum(each * df for each, df in shares) / sum(df for _, df in shares)
        names = tuple(dict.fromkeys(name for _, name in told))
        return Prior(sqrt(variance), float(own.df), Source.PROJECT, names) if variance > 0 else None

    def take_series(self, info: SeriesInfo, statistic: Statistic, found: Spread, window: str) -> None:
        self.take((*kind_of(info), statistic), thing_key(info), found, window)

    def prior_of_series(self, info: SeriesInfo, statistic: Statistic) -> Prior | None:
        return None if not self._spreads else self.prior((*kind_of(info), statistic), thing_key(info))

    def _kind(self, kind: Hashable) -> Prior | None:
        if kind not in self._kinds:
            told = self._spreads[kind].values()
            self._kinds[kind] = prior_of_kind([_pooled([spread for spread, _ in some]) for some in told])
        return self._kinds[kind]


def _pooled(spreads: Sequence[Spread]) -> Spread:
    """Of one series in several windows."""
    df = sum(each.df for each in spreads)
    return Spread(sum(each.df * each.variance for each in spreads) / df, df, 0.0)


@dataclass(slots=True)
class Kinds:
    """How much the occurrences of series of one kind differ, gathered over all series of a comparison.

    Attributes:
        elsewhere: what other windows tell, where the compared ones do not.
    """

    load: WindowLoad
    pairs: Pairs = ()
    elsewhere: Elsewhere = field(default_factory=Elsewhere)
    _spreads: dict[Kind, list[Spread]] = field(default_factory=dict)
    _priors: dict[Kind, Prior | None] = field(default_factory=dict)

    def take(self, info: SeriesInfo, found: Prepared) -> None:
        if found.refusal is not None or len(found.before) + len(found.after) < 3:
            return
        for statistic in Statistic:
            levels = levels_of(found, statistic, logs=True)
            if levels is not None:
                chosen, paired = paired_levels(found, levels, self.pairs)
                self._spreads.setdefault((*kind_of(info), statistic), []).append(spread_of(*chosen, paired))

    def prior(self, info: SeriesInfo, statistic: Statistic) -> Prior:
        kind = (*kind_of(info), statistic)
        if kind not in self._priors:
            self._priors[kind] = prior_of_kind(self._spreads.get(kind, ()))
        return self._priors[kind] or self.elsewhere.prior_of_series(info, statistic) or Prior(ASSUMED_SD[self.load])


def kind_of(info: SeriesInfo) -> tuple[str, str]:
    """The metric; of a column that has none the tool's own heading."""
    return (info.metric or info.tool, "" if info.metric else info.native)


# -- the verdict ---------------------------------------------------------------------------------------


def decided(
    info: SeriesInfo,
    found: Prepared,
    kinds: Kinds,
    statistic: Statistic,
    per: PerUnit | None = None,
    confidence: Confidence = MEASURED_INSIDE,
) -> Decision | None:
    """None where the occurrences do not allow the statistic."""
    levels = levels_of(found, statistic, logs=False, per=per)
    if levels is None:
        return None
    logs = levels_of(found, statistic, logs=True, per=per)
    chosen, paired = paired_levels(found, levels, kinds.pairs)
    decision = decision_of(
        chosen,
        None if logs is None else paired_levels(found, logs, kinds.pairs)[0],
        kinds.prior(info, statistic),
        info.direction,
        margin_of(info),
        unit=info.unit if per is None else "",
        means=_unit_means(found, per),
        paired=paired,
        confidence=confidence,
    )
    return replace(decision, means=_means(levels), logs=logs)


def decision_of(
    levels: Levels,
    logs: Levels | None,
    prior: Prior,
    direction: Direction,
    margin: float,
    *,
    unit: str = "",
    means: tuple[float, float] | None = None,
    paired: bool = False,
    confidence: Confidence = MEASURED_INSIDE,
) -> Decision:
    """Of the occurrences of two sides, whatever they are of.

    Args:
        levels: in the unit of the figure.
        logs: the same on logarithms; None where one is not positive.
        prior: relative.
        unit: where it is a percentage, little of it is judged by the difference.
        means: what a difference is measured against, where that is not `levels`.
    """
    before, after = levels
    scale = abs(sum(each.value for each in (*before, *after))) / (len(before) + len(after))
    scaled = Prior(prior.sd * scale, prior.df, prior.source, prior.windows)
    plain = change_between(before, after, scaled, paired=paired, confidence=confidence)
    if logs is None:
        change, (ratio, interval) = plain, _ratio_of(plain, before, after, direction)
    else:
        change = change_between(*logs, prior, paired=paired, confidence=confidence)
        ratio, interval = _turned_ratio(change, direction)
    own = _means(levels)
    largest = max(map(abs, means or own))
    least = _least_difference(unit, largest, margin, interval)
    verdict, reason, facts = _verdict(direction, unit, plain, interval, largest, margin)
    settling = would_settle(change, margin) if logs is not None and verdict is Verdict.INCONCLUSIVE else None
    if verdict is Verdict.INCONCLUSIVE and not reason:
        reason, facts = _unsettled(settling)
    ends = interval, plain.difference, plain.interval
    return Decision(verdict, own, reason, facts, change, ratio, *ends, settling, least=least)


def _unit_means(found: Prepared, per: PerUnit | None) -> tuple[float, float]:
    """Means of either side, of the unit of work where the figures are divided by it."""
    if per is None:
        return found.means
    levels = levels_of(found, Statistic.MEAN, logs=False, per=per)
    return _means(levels) if levels is not None else (0.0, 0.0)


def _means(levels: Levels) -> tuple[float, float]:
    before, after = (sum(each.value for each in side) / len(side) for side in levels)
    return before, after


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
    change: Change, before: Sequence[Level], after: Sequence[Level], direction: Direction
) -> tuple[float | None, Interval | None]:
    """Of the means, with Fieller's interval, where some occurrence is zero and neither mean is."""
    means = [sum(each.value for each in side) / len(side) for side in (before, after)]
    if change.interval is None or not min(means) > 0 or min(each.value for each in (*before, *after)) < 0:
        return None, None
    upper, lower = (0, 1) if direction is Direction.LOWER else (1, 0)
    one = change.sd**2
    variances = [one / len(side) for side in (before, after)]
    found = fieller(
        means[upper], variances[upper], means[lower], variances[lower], change.df, change.interval.confidence
    )
    return means[upper] / means[lower], found and replace(found, low=max(found.low, 0.0))


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
    """That matters; None where the ratio is judged."""
    if _is_near_zero(unit, largest):
        return max(margin * largest, LEAST_POINTS_PCT / _PER_CENT[unit])
    return margin * largest if interval is None else None


def _by_difference(interval: Interval | None, least: float, direction: Direction) -> Verdict:
    """Of after - before, where at least `least` matters."""
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


def with_decision(row: ComparedSeries, found: Prepared, kinds: Kinds, per: PerUnit | None = None) -> ComparedSeries:
    """The row with its verdict and all that it rests on."""
    if found.refusal is not None:
        refused = found.refusal
        return replace(
            row, verdict=refused.verdict, reason=refused.reason, facts=refused.facts, cautions=found.cautions
        )
    info = row.series
    decisions = {each: decided(info, found, kinds, each, per) for each in Statistic}
    mean = decisions[Statistic.MEAN]
    if mean is None:
        return replace(row, verdict=Verdict.DESCRIPTIVE_ONLY, reason="no_interval", cautions=found.cautions)
    change = mean.change
    sizes = [sum(each.size.n_eff for each in own.values()) for own in (found.before, found.after)]
    lags = [next(iter(own.values())).size.lag1 for own in (found.before, found.after)]
    return replace(
        row,
        verdict=mean.verdict,
        reason=mean.reason,
        facts=mean.facts,
        cautions=tuple(_all_cautions(row, found, change, per, kinds.load)),
        method=Method.PAIRED_OCCURRENCES if change.paired else Method.OCCURRENCES,
        estimate=mean.ratio,
        weighted=found.weighted,
        interval=mean.interval,
        difference=mean.difference if per is None else None,  # of units of work it has no unit
        difference_interval=mean.difference_interval if per is None else None,
        p=change.p,
        n_eff_before=sizes[0],
        n_eff_after=sizes[1],
        lag1_before=lags[0],
        lag1_after=lags[1],
        margin=margin_of(info),
        occurrences=(change.before, change.after),
        variation=variation_of(change, kinds.load, kinds.prior(info, Statistic.MEAN).windows),
        settling=mean.settling,
        per_unit_of=per.measure if per else "",
        statistics=tuple(_statistic(each, one) for each, one in decisions.items() if one is not None),
        grounds=_grounds(info, found, kinds, per, mean),
    )


def _grounds(info: SeriesInfo, found: Prepared, kinds: Kinds, per: PerUnit | None, mean: Decision) -> Grounds:
    """Of a verdict by pairs without the occurrences that have no like."""
    places: list[Sequence[int]] = [list(found.before), list(found.after)]
    if mean.change.paired:
        places = list(zip(*both_of(found, kinds.pairs), strict=True))
    sides = []
    for which, (own, shares) in enumerate(
        ((found.before, per.before if per else None), (found.after, per.after if per else None))
    ):
        inside = {} if mean.logs is None else dict(zip(own, mean.logs[which], strict=True))
        sides.append(
            tuple(
                OccurrenceLevel(
                    place,
                    own[place],
                    1.0 if shares is None else shares.get(place, 0.0),
                    inside[place].variance if place in inside else None,
                )
                for place in places[which]
            )
        )
    return Grounds(sides[0], sides[1], kinds.prior(info, Statistic.MEAN))


def variation_of(change: Change, load: WindowLoad, elsewhere: tuple[str, ...] = ()) -> Prior:
    """Between occurrences; what is assumed without what varies inside, which is measured."""
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


def adjusted(rows: Sequence[ComparedSeries]) -> tuple[ComparedSeries, ...]:
    """With p-values adjusted for the number of series: what is called better or worse must stay so among them all."""
    together = adjusted_together(row.p for row in rows)
    rows = [row if row.p is None else _among_all(row, p) for row, p in zip(rows, together, strict=True)]
    for statistic in (Statistic.P95, Statistic.P99):
        told = [row.statistic(statistic) for row in rows]
        together = adjusted_together(None if one is None else one.p for one in told)
        judged = [one and _statistic_among_all(one, p) for one, p in zip(told, together, strict=True)]
        rows = [
            row if changed is None or changed is one else row.with_statistic(changed)
            for row, one, changed in zip(rows, told, judged, strict=True)
        ]
    return tuple(rows)


def _among_all(row: ComparedSeries, p: float) -> ComparedSeries:
    if p <= FALSE_DISCOVERIES or row.verdict not in (Verdict.IMPROVED, Verdict.REGRESSED):
        return replace(row, p_adjusted=p)
    facts = {"p_adjusted": p}
    return replace(row, p_adjusted=p, verdict=Verdict.INCONCLUSIVE, reason="many_series", facts=facts)


def _statistic_among_all(one: StatisticChange, p: float) -> StatisticChange:
    sure = p <= FALSE_DISCOVERIES or one.verdict not in (Verdict.IMPROVED, Verdict.REGRESSED)
    return one if sure else replace(one, verdict=Verdict.INCONCLUSIVE)
