"""The verdict of one series: what its two windows allow to be said, or why nothing can be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from app.analysis.comparing.calendar_slots import Calendar, PairedHours
from app.analysis.comparing.comparison import FALSE_DISCOVERIES, MARGIN, Caution, ComparedSeries, Method, Quantiles
from app.analysis.comparing.disk_work import MOST_SIZE_CHANGE, RESPONSE_TIMES, Work
from app.analysis.comparing.estimates import FEWEST_SLOTS, Estimate, estimate
from app.analysis.comparing.regular_samples import NS_PER_S, Samples, in_places
from app.analysis.comparing.stationarity import ChangePoint, change_point, drift
from app.analysis.inference.multiple_tests import benjamini_hochberg
from app.analysis.inference.quantiles import estimable, harrell_davis
from app.analysis.inference.verdict import Interval, Verdict, judge
from app.domain.engagement import Direction
from app.domain.series import SeriesInfo

SAMPLED_CPU_MARGIN = 0.10
LEAST_SAMPLES = 30
LEAST_EFFECTIVE = 10.0
LEAST_COVERAGE = 0.80
MOST_INTERVAL_RATIO = 5.0
LEAST_WINDOW_S = 1800.0
NEAR_ZERO_PCT = 5.0
LEAST_POINTS_PCT = 1.0
_CPU_TIMES = "system.cpu.utilization"
_PER_CENT = {"%": 1.0, "1": 100.0}


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """One window of one series.

    Attributes:
        coverage: share of the window in which it was measured; None where that cannot be told.
        span_ns: first and last time of the window, as asked for or as captured.
        work: of a disk's response times only.
    """

    info: SeriesInfo
    samples: Samples
    coverage: float | None
    span_ns: tuple[int, int]
    work: Work | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Judgement:
    """What is known of a row before the other series and the gate are looked at; see `ComparedSeries`."""

    verdict: Verdict
    reason: str = ""
    facts: Mapping[str, object] = field(default_factory=dict)
    cautions: tuple[Caution, ...] = ()
    estimate: Estimate | None = None
    margin: float = MARGIN
    changes: tuple[tuple[str, int, ChangePoint], ...] = ()
    """(side, time, change) of changes inside a window."""


def margin_of(info: SeriesInfo) -> float:
    """A system that samples its clock tells CPU time no finer."""
    return SAMPLED_CPU_MARGIN if info.metric == _CPU_TIMES or info.tool == "vmstat" else MARGIN


def judge_sides(before: Side, after: Side, calendar: Calendar) -> Judgement:
    """Of two windows that both captured the series."""
    margin = margin_of(after.info)
    refused = _refusal(before, after)
    if refused is not None:
        return replace(refused, margin=margin)
    cautions = tuple(_cautions(before, after))
    found = estimate(_measured(before), _measured(after), after.info.direction is not Direction.LOWER, calendar)
    # a change comes before too few independent samples: it is what makes them look dependent
    refused = _constant(before, after, found) or _changed_inside(before, after, found, calendar) or _too_little(found)
    if refused is not None:
        return replace(refused, margin=margin, cautions=cautions)
    verdict, reason, more = _verdict(before, after, found, margin)
    return Judgement(verdict, reason, more, (*cautions, *_drifts(before, after, found)), found, margin)


def _measured(side: Side) -> Samples:
    return side.work.response if side.work is not None else side.samples


# -- what forbids a verdict ----------------------------------------------------------------------------


def _refusal(before: Side, after: Side) -> Judgement | None:
    if before.info.definition != after.info.definition:
        return Judgement(Verdict.NOT_COMPARABLE, "definition_differs")
    overlapping = before.info.host == after.info.host and _overlap(before.span_ns, after.span_ns)
    if overlapping:
        return Judgement(Verdict.NOT_COMPARABLE, "windows_overlap")
    counts = {"before_n": len(before.samples), "after_n": len(after.samples)}
    fewest = min(counts.values())
    if fewest == 0:
        return Judgement(Verdict.INSUFFICIENT_DATA, "no_samples", dict(counts))
    if fewest == 1:
        return Judgement(Verdict.DESCRIPTIVE_ONLY, "single_sample", dict(counts))
    if fewest < LEAST_SAMPLES:
        return Judgement(Verdict.INSUFFICIENT_DATA, "few_samples", {**counts, "least": LEAST_SAMPLES})
    return _unlike_captures(before, after) or _unlike_work(before, after)


def _overlap(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _unlike_captures(before: Side, after: Side) -> Judgement | None:
    intervals = (before.samples.interval_s, after.samples.interval_s)
    if all(intervals):
        fine, coarse = sorted(float(each or 0) for each in intervals)
        if coarse > MOST_INTERVAL_RATIO * fine:
            facts = {"before_interval_s": intervals[0], "after_interval_s": intervals[1]}
            return Judgement(Verdict.NOT_COMPARABLE, "intervals_differ", facts)
    low = [side.coverage for side in (before, after) if side.coverage is not None and side.coverage < LEAST_COVERAGE]
    if low:
        facts = {"coverage_pct": 100 * min(low), "least_pct": 100 * LEAST_COVERAGE}
        return Judgement(Verdict.NOT_COMPARABLE, "coverage", facts)
    return None


def _unlike_work(before: Side, after: Side) -> Judgement | None:
    """Response times of requests of another size."""
    if after.info.metric not in RESPONSE_TIMES:
        return None
    works = [side.work for side in (before, after)]
    if any(work is not None and work.idle for work in works):
        return Judgement(Verdict.INSUFFICIENT_DATA, "no_requests")
    sizes = [work.size_bytes if work else None for work in works]
    if not sizes[0] or not sizes[1]:
        return Judgement(Verdict.NOT_COMPARABLE, "request_size_unknown")
    low, high = sorted((sizes[0], sizes[1]))
    if high <= low * (1 + MOST_SIZE_CHANGE):
        return None
    rates = [side.work.ms_per_mib(side.info) if side.work else None for side in (before, after)]
    facts: dict[str, object] = {"before_size_bytes": sizes[0], "after_size_bytes": sizes[1]}
    return Judgement(
        Verdict.NOT_COMPARABLE,
        "request_size_differs",
        {**facts, "before_ms_per_mib": rates[0], "after_ms_per_mib": rates[1]},
    )


def _constant(before: Side, after: Side, found: Estimate) -> Judgement | None:
    """A value that never moves has no uncertainty to reckon with."""
    values = [side.samples.values for side in (before, after)]
    if any(each.min() != each.max() for each in values):
        return None
    if values[0][0] != values[1][0]:
        return Judgement(Verdict.DESCRIPTIVE_ONLY, "no_spread", estimate=replace(found, p=None, interval=None))
    if after.info.direction is Direction.NEUTRAL:
        return Judgement(Verdict.DESCRIPTIVE_ONLY, "neutral")
    return Judgement(Verdict.EQUIVALENT, "constant")


def _too_little(found: Estimate) -> Judgement | None:
    least = float(FEWEST_SLOTS) if found.method is Method.PAIRED_SLOTS else LEAST_EFFECTIVE
    sizes = {"before_n_eff": found.before, "after_n_eff": found.after}
    if min(sizes.values()) < least:
        return Judgement(Verdict.INSUFFICIENT_DATA, "few_independent", {**sizes, "least": least})
    if found.slowly_decaying:
        return Judgement(Verdict.INSUFFICIENT_DATA, "slow_correlation", dict(sizes))
    return None


def _changed_inside(before: Side, after: Side, found: Estimate, calendar: Calendar) -> Judgement | None:
    changes = tuple(_changes(before, after, found, calendar))
    if not changes:
        return None
    side, at_ns, change = max(changes, key=lambda each: each[2].factor)
    facts: dict[str, object] = {"factor": change.factor, "p": change.p}
    if found.hours is not None:
        facts |= {"before_at_ns": changes[0][1], "after_at_ns": changes[1][1]}
        return Judgement(Verdict.INSUFFICIENT_DATA, "change_between_hours", facts, changes=changes)
    facts |= {"side": side, "at_ns": at_ns}
    return Judgement(Verdict.INSUFFICIENT_DATA, "change_inside", facts, changes=changes)


def _drifts(before: Side, after: Side, found: Estimate) -> Iterator[Caution]:
    """Matching hours have their daily curve taken out; what is left of it is no drift of the window."""
    if found.hours is not None:
        return
    for name, side in (("before", before), ("after", after)):
        change = drift(in_places(_measured(side)))
        if change is not None:
            yield Caution("drift", {"side": name, "change_pct": 100 * change})


def _changes(before: Side, after: Side, found: Estimate, calendar: Calendar) -> list[tuple[str, int, ChangePoint]]:
    """Changes inside either window; hours that are paired may rise and fall together, only their ratio may not."""
    if found.hours is not None:
        return _changed_hours(before, after, found.hours, calendar)
    changes = []
    for name, side in (("before", before), ("after", after)):
        samples = _measured(side)
        change = change_point(in_places(samples))
        if change is not None:
            changes.append((name, _time_of(samples, change.index), change))
    return changes


def _time_of(samples: Samples, place: int) -> int:
    return int(samples.times_ns[_sample_at(samples, place)])


def _sample_at(samples: Samples, place: int) -> int:
    """The sample that stands at a place of `in_places`."""
    return int(in_places(samples, np.arange(len(samples), dtype=np.float64))[place])


def _changed_hours(
    before: Side, after: Side, hours: PairedHours, calendar: Calendar
) -> list[tuple[str, int, ChangePoint]]:
    """Every sample relative to the other side's matching hour: the daily curve is out, a step of either side is in.

    Which side stepped cannot be told from that: the moment is given on both.
    """
    if not (hours.before.min() > 0 and hours.after.min() > 0):
        return []
    sides = (before, after)
    for place, other in enumerate((hours.after, hours.before)):
        samples = _measured(sides[place])
        matching = dict(zip((pair[place] for pair in hours.hours), other.tolist(), strict=True))
        quarters = calendar.quarters_of(samples.times_ns)
        levels = np.array([matching.get(hour, np.nan) for hour in quarters.hours.tolist()])
        scale = np.repeat(levels, quarters.counts)
        change = change_point(in_places(samples, samples.values / scale))
        if change is not None:
            here_ns = _time_of(samples, change.index)
            hour = int(calendar.hours_of(samples)[_sample_at(samples, change.index)])
            pair = next(pair for pair in hours.hours if pair[place] == hour)
            there_ns = _begin_of(_measured(sides[1 - place]), pair[1 - place], calendar)
            times_ns = (here_ns, there_ns) if place == 0 else (there_ns, here_ns)
            return [("before", times_ns[0], change), ("after", times_ns[1], change)]
    return []


def _begin_of(samples: Samples, hour: int, calendar: Calendar) -> int:
    return int(samples.times_ns[int(np.argmax(calendar.hours_of(samples) >= hour))])


# -- what can be said ----------------------------------------------------------------------------------


def _verdict(before: Side, after: Side, found: Estimate, margin: float) -> tuple[Verdict, str, Mapping[str, object]]:
    direction = after.info.direction
    if direction is Direction.NEUTRAL:
        return Verdict.DESCRIPTIVE_ONLY, "neutral", {}
    means = [side.samples.mean or 0.0 for side in (before, after)]
    points = _PER_CENT.get(after.info.unit)
    if points is not None and max(abs(mean) * points for mean in means) < NEAR_ZERO_PCT:
        least = max(margin * max(map(abs, means)), LEAST_POINTS_PCT / points)
        verdict = _by_difference(found.difference_interval, least, direction)
        return verdict, "near_zero_pct", {"least_points_pct": LEAST_POINTS_PCT}
    if found.interval is not None:
        return judge(found.interval, margin), "", {}
    if found.difference_interval is None:
        return Verdict.DESCRIPTIVE_ONLY, "no_interval", {}
    return _by_difference(found.difference_interval, margin * max(map(abs, means)), direction), "by_difference", {}


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


def _cautions(before: Side, after: Side) -> list[Caution]:
    found = []
    lengths_s = [(side.span_ns[1] - side.span_ns[0]) / NS_PER_S for side in (before, after)]
    if min(lengths_s) < LEAST_WINDOW_S:
        found.append(Caution("short_window", {"length_s": min(lengths_s), "least_s": LEAST_WINDOW_S}))
    resets = before.samples.resets + after.samples.resets
    if resets:
        found.append(Caution("counter_resets", {"count": resets}))
    intervals = [side.samples.interval_s or 0.0 for side in (before, after)]
    if min(intervals) and max(intervals) > 1.5 * min(intervals):
        found.append(Caution("resampled", {"interval_s": max(intervals)}))
    return found


# -- all series together -------------------------------------------------------------------------------


def quantiles_of(samples: Samples, n_eff: float | None) -> Quantiles | None:
    if not len(samples):
        return None
    with_p99 = n_eff is not None and estimable(0.99, n_eff)
    found = harrell_davis(samples.values, (0.5, 0.9, 0.95, 0.99) if with_p99 else (0.5, 0.9, 0.95))
    return Quantiles(found[0], found[1], found[2], found[3] if with_p99 else None)


def adjusted(rows: Sequence[ComparedSeries]) -> tuple[ComparedSeries, ...]:
    """With p-values adjusted for the number of series: what is called better or worse must stay so among them all."""
    p_values = np.array([np.nan if row.p is None else row.p for row in rows], dtype=np.float64)
    together = benjamini_hochberg(p_values).tolist()
    return tuple(
        row if row.p is None else _among_all(replace(row, p_adjusted=p)) for row, p in zip(rows, together, strict=True)
    )


def _among_all(row: ComparedSeries) -> ComparedSeries:
    sure = row.p_adjusted is not None and row.p_adjusted <= FALSE_DISCOVERIES
    if sure or row.verdict not in (Verdict.IMPROVED, Verdict.REGRESSED):
        return row
    return replace(row, verdict=Verdict.INCONCLUSIVE, reason="many_series", facts={"p_adjusted": row.p_adjusted})
