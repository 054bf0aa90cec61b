"""Two windows side by side, series by series: the types, and which series of either run belong together.

A ratio never stands without its uncertainty: where there is none the verdict is `Verdict.DESCRIPTIVE_ONLY`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from enum import StrEnum
from math import inf, log

from tunebench.analysis.comparing.equal_load import LoadCurve
from tunebench.analysis.comparing.occurrence_figures import OccurrenceFigures, Statistic
from tunebench.analysis.inference.occurrences import Prior, Settling
from tunebench.analysis.inference.verdict import Interval, Verdict
from tunebench.analysis.statistics import Statistics
from tunebench.core.records import record
from tunebench.domain.comparability import CheckState, GateCheck
from tunebench.domain.engagement import Direction
from tunebench.domain.series import SeriesInfo
from tunebench.domain.windows import Stretch, Window

MARGIN = 0.05
"""The least change that matters in practice, as a fraction."""
FALSE_DISCOVERIES = 0.05
"""Expected share of false ones among the series that are called changed (Benjamini and Hochberg 1995)."""

MatchKey = tuple[object, ...]
Parts = tuple[SeriesInfo, ...]
"""The captures of one thing in one run, in the order of time; empty where there are none."""


class Method(StrEnum):
    """How the uncertainty was found."""

    OCCURRENCES = "occurrences"  # moderated t over the occurrences of either window
    PAIRED_OCCURRENCES = "paired_occurrences"  # over pairs of the same weekday and hour
    NONE = "none"


@record
class Caution:
    """What has to be known to read a verdict: `key` below ``compare.caution.``; `facts` fill its sentence."""

    key: str
    facts: Mapping[str, object] = field(default_factory=dict)


@record
class Quantiles:
    """Harrell and Davis' estimates (1982), in the series' own unit.

    `p99` is None where the window is worth too few independent samples to tell it; the largest one measured is then
    all that can be said.
    """

    p50: float
    p90: float
    p95: float
    p99: float | None


@record
class StatisticChange:
    """The change of one statistic.

    Attributes:
        before, after: mean over the occurrences of what each has of it, in the series' own unit; per unit of work
            where the verdict is.
        ratio, interval: turned like those of the row.
    """

    statistic: Statistic
    before: float
    after: float
    ratio: float | None
    interval: Interval | None
    verdict: Verdict
    p: float | None = None


@record(eq=False)
class OccurrenceLevel:
    """One occurrence as the verdict on the mean reckons with it.

    Attributes:
        place: which of the window's occurrences.
        share: what its mean is divided by: the work it did, of that done on average before; 1 for the mean as it is.
        variance: of the mean from inside the occurrence, relative to its square; None where none of it is positive.
    """

    place: int
    found: OccurrenceFigures
    share: float
    variance: float | None


@record(eq=False)
class Grounds:
    """What a verdict was reckoned from, so that anybody can reckon it again.

    Attributes:
        before, after: in the order of their pairs where the verdict is by pairs.
        prior: the variation before the occurrences of this series were looked at; relative.
    """

    before: tuple[OccurrenceLevel, ...]
    after: tuple[OccurrenceLevel, ...]
    prior: Prior


@record
class ComparedSeries:
    """One row of the comparison: what one thing was in either window, over all captures of the run.

    A side's parts are its captures (a day's file each, say) in the order of time, none where that side has no
    such series; its statistics are over all of them together, and are what a spreadsheet makes of the samples; a mean
    of requests counts each sample by its requests where a column counts them.

    Attributes:
        ratio: of the means: before/after where lower is better, after/before where higher is better or neither;
            None where it cannot be computed.
        reason: why the verdict is what it is; a key below ``compare.reason.`` filled by `facts`. Empty where the
            interval alone decided.
        estimate: the ratio that `interval` is of, turned like `ratio`: of the occurrences' means, `weighted` by the
            work where that is known, per unit of work where `per_unit_of` names one. None where nothing was estimated.
        difference: after - before of the means, in the series' own unit, with `difference_interval`.
        p, p_adjusted: that nothing changed; adjusted for all series of the comparison that were judged.
        n_eff_before, n_eff_after: independent samples that the correlated ones are worth.
        margin: the least change that matters, as a fraction.
        lag1_before, lag1_after: correlation of neighbouring samples in the first occurrence of either side.
        occurrences: how many of either side were reckoned with; None without a verdict.
        variation: between occurrences of this series, that was reckoned with (relative where values are positive).
        settling: what would decide what is undecided.
        per_unit_of: what the verdict is per unit of, since the load moved; empty for the figures as they are.
        statistics: mean, p95 and p99 with a verdict each.
        grounds: what the verdict was reckoned from; None without one.
        curve: response against load, where the verdict is at the load that both sides had.
        led_by: the series whose verdict is that of the resource which this one tells of, too; empty for that one, and
            for what tells of no resource.
    """

    before_parts: Parts
    after_parts: Parts
    before_statistics: Statistics | None
    after_statistics: Statistics | None
    ratio: float | None
    reason: str
    verdict: Verdict = Verdict.DESCRIPTIVE_ONLY
    facts: Mapping[str, object] = field(default_factory=dict)
    cautions: tuple[Caution, ...] = ()
    method: Method = Method.NONE
    estimate: float | None = None
    interval: Interval | None = None
    difference: float | None = None
    difference_interval: Interval | None = None
    p: float | None = None
    p_adjusted: float | None = None
    n_eff_before: float | None = None
    n_eff_after: float | None = None
    margin: float = MARGIN
    before_quantiles: Quantiles | None = None
    after_quantiles: Quantiles | None = None
    lag1_before: float | None = None
    lag1_after: float | None = None
    weighted: bool = False
    occurrences: tuple[int, int] | None = None
    variation: Prior | None = None
    settling: Settling | None = None
    per_unit_of: str = ""
    statistics: tuple[StatisticChange, ...] = ()
    grounds: Grounds | None = field(default=None, compare=False)
    curve: LoadCurve | None = None
    led_by: str = ""

    @property
    def own_verdict(self) -> Verdict | None:
        """None where another series has the verdict of the resource: no resource has two."""
        return None if self.led_by else self.verdict

    @property
    def headline(self) -> float | None:
        """The ratio to print: of the means as they are, by the work where that is known."""
        return self.estimate if self.estimate is not None and (self.weighted or self.ratio is None) else self.ratio

    @property
    def side_statistics(self) -> tuple[Statistics | None, Statistics | None]:
        """Before and after."""
        return self.before_statistics, self.after_statistics

    @property
    def measured_on_both(self) -> bool:
        """What has no samples on a side is compared with nothing: it is listed apart."""
        before, after = self.before_statistics, self.after_statistics
        is_measured = before is not None and after is not None and before.n > 0 and after.n > 0
        return is_measured and self.reason != "no_samples"

    def statistic(self, wanted: Statistic) -> StatisticChange | None:
        return next((change for change in self.statistics if change.statistic is wanted), None)

    def with_statistic(self, changed: StatisticChange) -> ComparedSeries:
        kept = (changed if change.statistic is changed.statistic else change for change in self.statistics)
        return replace(self, statistics=tuple(kept))

    @property
    def effect(self) -> float | None:
        """|ln ratio|: how much changed, whichever way; infinite from or to zero, None where nothing is known."""
        if self.headline is not None and self.headline > 0:
            return abs(log(self.headline))
        means = [figures.mean for figures in self.side_statistics if figures]
        if len(means) < 2 or None in means:
            return None
        return 0.0 if means[0] == means[1] else inf

    @property
    def changed(self) -> bool:
        """Whether it differs beyond chance, better or worse; what neither is better nor worse can only be that."""
        return self.p_adjusted is not None and self.p_adjusted <= FALSE_DISCOVERIES

    @property
    def before(self) -> SeriesInfo | None:
        """The first capture before; None where there is none."""
        return self.before_parts[0] if self.before_parts else None

    @property
    def after(self) -> SeriesInfo | None:
        """The first capture after; None where there is none."""
        return self.after_parts[0] if self.after_parts else None

    @property
    def series(self) -> SeriesInfo:
        """The side that exists; the after side where both do."""
        return (self.after_parts or self.before_parts)[0]

    @property
    def metric(self) -> str:
        return self.series.metric

    @property
    def native(self) -> str:
        return self.series.native

    @property
    def attributes(self) -> dict[str, str]:
        return self.series.attributes

    @property
    def unit(self) -> str:
        return self.series.unit

    @property
    def direction(self) -> Direction:
        return self.series.direction


@record
class Formula:
    """`whole` less the sum of the parts, or without a whole their sum."""

    whole: float | None = None

    def of(self, values: Iterable[float]) -> float:
        total = sum(values)
        return total if self.whole is None else self.whole - total

    def written(self, names: Sequence[str]) -> str:
        """``100 − %idle − %iowait``, ``free + buff + cache``."""
        return " + ".join(names) if self.whole is None else " − ".join((f"{self.whole:g}", *names))


@record(eq=False)
class Derived:
    """A derived series as a row of a comparison, with the captured rows that it is made of, in the order of the
    formula."""

    row: ComparedSeries
    formula: Formula
    parts: tuple[ComparedSeries, ...]


@record
class SplitOffer:
    """A moment inside a window at which what was measured changed: each side of it may be compared by itself.

    Attributes:
        side: ``before`` or ``after``.
        series: labels of the series that changed there, the largest change first.
        change: how many times the largest of them changed, at least 1; None for a restart.
    """

    side: str
    host: str
    at_ns: int
    reason: str  # "change_point" or "restart"
    series: tuple[str, ...] = ()
    change: float | None = None


@record
class Comparison:
    """`before` and `after` as they were asked for, `occurrences_...` the stretches of time that they came to.

    Attributes:
        left_out: of either side, the stretches that have no like on the other where days are compared with their like.
        derived: series made of captured ones; they are judged too, and are no rows.
    """

    before: Window
    after: Window
    rows: tuple[ComparedSeries, ...]
    gate: tuple[GateCheck, ...] = ()
    split_offers: tuple[SplitOffer, ...] = ()
    occurrences_before: Sequence[Stretch] = ()
    occurrences_after: Sequence[Stretch] = ()
    left_out: tuple[Sequence[Stretch], Sequence[Stretch]] = ((), ())
    derived: tuple[Derived, ...] = ()

    @property
    def refusals(self) -> tuple[GateCheck, ...]:
        """The checks that forbid every verdict."""
        return tuple(check for check in self.gate if check.state is CheckState.REFUSE)


def ratio_of_means(
    before: Statistics | None, after: Statistics | None, direction: Direction
) -> tuple[float | None, str]:
    """(ratio of the means, reason); ``no_uncertainty`` where there is one."""
    if before is None or after is None:
        return None, "one_side_only"
    if before.mean is None or after.mean is None:
        return None, "no_samples"
    upper, lower = (before.mean, after.mean) if direction is Direction.LOWER else (after.mean, before.mean)
    if min(lower, upper) <= 0:  # of two negative means the ratio would tell the wrong direction
        return None, "zero"
    return upper / lower, "no_uncertainty"


def thing_key(info: SeriesInfo) -> MatchKey:
    """What a series measures, and where: equal in every capture of the same thing, a device by its alias."""
    return (info.host, info.tool, info.table, info.native, info.unit, tuple(sorted(info.identity.items())))


def in_time_order(parts: Iterable[SeriesInfo]) -> Parts:
    return tuple(sorted(parts, key=lambda info: (info.first_ns or 0, info.id)))


def pair_series(before: Sequence[SeriesInfo], after: Sequence[SeriesInfo]) -> list[tuple[Parts, Parts]]:
    """Pairs what two runs measured alike, each run as a whole, in the order of the before side.

    Same tool, table, heading, unit and attributes, on the host of the same name; where each side has one host
    only, the hosts' names may differ (a server replaced by its successor). Captures whose headings are
    defined differently stay apart within a run; across the runs they pair only where nothing fits better.
    """
    by_host = len({s.host for s in before}) > 1 or len({s.host for s in after}) > 1
    earlier, later = (
        [(key if by_host else ("", *key[1:]), whole) for key, whole in _wholes(listed)] for listed in (before, after)
    )
    partner: dict[int, Parts] = {}
    for by_definition in (True, False):
        waiting: dict[MatchKey, list[Parts]] = {}
        for key, whole in later:
            waiting.setdefault((key, whole[0].definition if by_definition else ""), []).append(whole)
        for key, whole in earlier:
            fitting = waiting.get((key, whole[0].definition if by_definition else ""))
            if whole[0].id not in partner and fitting:
                partner[whole[0].id] = fitting.pop(0)
        taken = {parts[0].id for parts in partner.values()}
        later = [(key, whole) for key, whole in later if whole[0].id not in taken]
    alone = [whole for _, whole in later]
    _pair_half_named([whole for _, whole in earlier if whole[0].id not in partner], alone, by_host, partner)
    return [(whole, partner.get(whole[0].id, ())) for _, whole in earlier] + [((), whole) for whole in alone]


def _pair_half_named(earlier: list[Parts], later: list[Parts], by_host: bool, partner: dict[int, Parts]) -> None:
    """A device that only one side has a name for pairs with the one that the tools call alike."""
    for whole in earlier:
        fitting = [
            other
            for other in later
            if not (whole[0].alias and other[0].alias)
            and _device_alike(whole[0], by_host) == _device_alike(other[0], by_host)
        ]
        if fitting:
            partner[whole[0].id] = fitting[0]
            later.remove(fitting[0])


def _device_alike(info: SeriesInfo, by_host: bool) -> MatchKey:
    device = tuple(sorted(info.attributes.items()))
    return (info.host if by_host else "", info.tool, info.table, info.native, info.unit, device)


def _wholes(series: Iterable[SeriesInfo]) -> list[tuple[MatchKey, Parts]]:
    """The captures of each thing of one run; the order of first appearance stays."""
    groups: dict[tuple[MatchKey, str], list[SeriesInfo]] = {}
    for info in series:
        groups.setdefault((thing_key(info), info.definition), []).append(info)
    return [(key, in_time_order(parts)) for (key, _), parts in groups.items()]
