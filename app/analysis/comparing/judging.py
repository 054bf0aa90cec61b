"""What the two windows of one series hold, and what forbids a verdict on it, before other series are looked at.

`app.analysis.comparing.deciding` gives the verdict once the variation of its kind and the load of its host are known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Protocol
from zoneinfo import ZoneInfo

import numpy as np

from app.analysis.comparing.calendar_slots import Calendar, Calendars, PairedHours, hourly_means, paired
from app.analysis.comparing.comparison import Caution, Quantiles
from app.analysis.comparing.disk_work import MOST_SIZE_CHANGE, RESPONSE_TIMES, Requests, Work
from app.analysis.comparing.occurrence_figures import FEWEST_HOURS, OccurrenceFigures, figures_of
from app.analysis.comparing.regular_samples import NS_PER_S, Floats, Samples, in_places, resampled, together
from app.analysis.comparing.stationarity import ChangePoint, change_point, drift
from app.analysis.inference.effective_size import autoregressive_size, effective_size
from app.analysis.inference.long_memory import remembers_too_long
from app.analysis.inference.quantiles import estimable, harrell_davis_at
from app.analysis.inference.verdict import Verdict
from app.analysis.statistics import Statistics, describe_ordered
from app.domain.engagement import Direction
from app.domain.series import SeriesInfo
from app.domain.windows import WindowLoad

LEAST_SAMPLES = 30
LEAST_SAMPLES_OF_MANY = 6
"""Where the variation between occurrences is measured, a few samples tell each one's level."""
MANY = 3
LEAST_EFFECTIVE = 10.0
LEAST_COVERAGE = 0.80
MOST_INTERVAL_RATIO = 5.0
LEAST_S = {WindowLoad.PRODUCTION: 1800.0, WindowLoad.CONTROLLED: 600.0}
"""Seconds that an occurrence takes; a load generator asks for the same all the time."""
MANY_HOURS = 6
"""From so many on the ratio of matching hours is all that tells a change."""
_COARSER = 1.5
_QUANTILES = (0.5, 0.9, 0.95, 0.99)


class Source(Protocol):
    """Gives what an occurrence measured, as often as it is asked for.

    Attributes:
        work: of a disk's response times only.
    """

    @property
    def samples(self) -> Samples: ...

    @property
    def work(self) -> Work | None: ...


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """Samples that are at hand."""

    samples: Samples
    work: Work | None = None


@dataclass(frozen=True, eq=False)
class Measured:
    """One occurrence of one series. Its figures are reckoned once; its samples are the source's.

    Attributes:
        place: which of the window's occurrences.
        coverage: share of the occurrence in which it was measured; None where that cannot be told.
        span_ns: first and last time of the occurrence, as asked for or as captured.
    """

    place: int
    source: Source
    coverage: float | None
    span_ns: tuple[int, int]

    @property
    def samples(self) -> Samples:
        return self.source.samples

    @property
    def judged(self) -> Samples:
        """With the requests as weights where they are known."""
        work = self.source.work
        return self.source.samples if work is None else work.response

    @cached_property
    def n(self) -> int:
        return len(self.samples)

    @cached_property
    def mean(self) -> float | None:
        return self.samples.mean

    @cached_property
    def extremes(self) -> tuple[float, float]:
        """The smallest and the largest value, of at least one sample."""
        return float(self.samples.values.min()), float(self.samples.values.max())

    @cached_property
    def interval_s(self) -> float | None:
        return self.samples.interval_s

    @cached_property
    def resets(self) -> int:
        return self.samples.resets

    @cached_property
    def weighted(self) -> bool:
        return self.judged.weights is not None

    @cached_property
    def requests(self) -> Requests | None:
        """Of a disk's response times only."""
        work = self.source.work
        return None if work is None else work.requests

    def figures(self, calendar: Calendar) -> OccurrenceFigures:
        if calendar.zone not in self._figures:
            self._figures[calendar.zone] = figures_of(self.judged, calendar)
        return self._figures[calendar.zone]

    @cached_property
    def _figures(self) -> dict[ZoneInfo, OccurrenceFigures]:
        return {}

    @property
    def length_s(self) -> float:
        return (self.span_ns[1] - self.span_ns[0]) / NS_PER_S

    def tells(self, least: int, load: WindowLoad) -> bool:
        """Whether it is long and whole enough, and has at least so many samples, to count as an occurrence."""
        covered = self.coverage is None or self.coverage >= LEAST_COVERAGE
        return covered and self.n >= least and self.length_s >= LEAST_S[load]


@dataclass(frozen=True, eq=False)
class Side:
    """One window of one series: its occurrences that were captured."""

    info: SeriesInfo
    occurrences: tuple[Measured, ...]

    @property
    def n(self) -> int:
        return sum(each.n for each in self.occurrences)

    @property
    def values(self) -> Floats:
        """float64[n], of all occurrences together."""
        found = [each.samples.values for each in self.occurrences]
        return found[0] if len(found) == 1 else np.concatenate([np.empty(0), *found])

    @property
    def judged(self) -> Samples:
        return together([each.judged for each in self.occurrences])

    @cached_property
    def mean(self) -> float:
        """Of what is judged; 0 where there is none."""
        if all(each.requests is None for each in self.occurrences):
            return self.statistics.mean or 0.0
        return self.judged.mean or 0.0

    def quantiles(self, n_eff: float | None) -> Quantiles | None:
        """With p99 where so many independent samples tell it; None where nothing was measured."""
        if not self.n:
            return None
        p50, p90, p95, p99 = self._described[1]
        return Quantiles(p50, p90, p95, p99 if n_eff is not None and estimable(0.99, n_eff) else None)

    @property
    def statistics(self) -> Statistics:
        return self._described[0]

    @cached_property
    def _described(self) -> tuple[Statistics, list[float]]:
        """(statistics, quantiles), put in order once; the samples are not kept."""
        values = self.values
        ordered = np.sort(values)
        quantiles = [harrell_davis_at(ordered, each) for each in _QUANTILES] if len(ordered) else []
        return describe_ordered(values, ordered), quantiles

    @cached_property
    def busiest(self) -> tuple[float, float]:
        """The 5th and the 95th percentile, of at least one sample."""
        low, high = np.percentile(self.values, (5, 95))
        return float(low), float(high)

    @property
    def coverage(self) -> float | None:
        told = [each.coverage for each in self.occurrences if each.coverage is not None]
        return sum(told) / len(told) if told else None

    @property
    def interval_s(self) -> float | None:
        return max((each.interval_s for each in self.occurrences if each.interval_s), default=None)

    def only(self, fits: Callable[[Measured], bool]) -> Side:
        kept = tuple(filter(fits, self.occurrences))
        return self if len(kept) == len(self.occurrences) else self._some.setdefault(kept, Side(self.info, kept))

    @cached_property
    def _some(self) -> dict[tuple[Measured, ...], Side]:
        return {}


@dataclass(frozen=True, slots=True, eq=False)
class Refusal:
    verdict: Verdict
    reason: str
    facts: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Prepared:
    """What is known of a row before the other series and the gate are looked at.

    Attributes:
        before, after: place of an occurrence -> its figures; empty where nothing can be reckoned.
        curve: variance of the difference of the two means, on logarithms, that hours of either side show which belong
            together: their own curve of the day is common to both. None where that cannot be told.
        means: of each side, of what is judged.
        shortest_s: the shortest occurrence.
        changes: (side, time, change) of changes inside a window.
    """

    refusal: Refusal | None = None
    before: Mapping[int, OccurrenceFigures] = field(default_factory=dict)
    after: Mapping[int, OccurrenceFigures] = field(default_factory=dict)
    curve: float | None = None
    means: tuple[float, float] = (0.0, 0.0)
    weighted: bool = False
    shortest_s: float = 0.0
    cautions: tuple[Caution, ...] = ()
    changes: tuple[tuple[str, int, ChangePoint], ...] = ()


def prepared(before: Side, after: Side, calendars: Calendars, load: WindowLoad) -> Prepared:
    """Of two windows that both captured the series."""
    refused = _unlike(before, after) or _too_few(before, after)
    if refused is not None:
        return Prepared(refused)
    count = len(before.occurrences) + len(after.occurrences)
    before, after = (_usable(side, min(_many(before, after), LEAST_SAMPLES), load) for side in (before, after))
    left_out = count - len(before.occurrences) - len(after.occurrences)
    shortest_s = min(each.length_s for side in (before, after) for each in side.occurrences)
    refused = _unlike_captures(before, after) or _unlike_work(before, after) or _constant(before, after)
    if refused is not None:
        return Prepared(refused, shortest_s=shortest_s)
    cautions = tuple(_cautions(before, after, left_out))
    before, after = _in_common_steps(before, after)
    hours = _hours(before, after, calendars)
    found = Prepared(
        before={each.place: each.figures(calendars[0]) for each in before.occurrences},
        after={each.place: each.figures(calendars[1]) for each in after.occurrences},
        curve=_curve(hours),
        means=(before.mean, after.mean),
        weighted=all(each.weighted for side in (before, after) for each in side.occurrences),
        shortest_s=shortest_s,
        cautions=(*cautions, *_drifts(before, after, hours)),
        changes=tuple(_changes(before, after, hours, calendars)),
    )
    return replace(found, refusal=_not_stationary(before, after, found))


# -- what forbids a verdict ----------------------------------------------------------------------------


def _unlike(before: Side, after: Side) -> Refusal | None:
    if before.info.definition != after.info.definition:
        return Refusal(Verdict.NOT_COMPARABLE, "definition_differs")
    spans = [[each.span_ns for each in side.occurrences] for side in (before, after)]
    if before.info.host == after.info.host and any(_overlap(one, other) for one in spans[0] for other in spans[1]):
        return Refusal(Verdict.NOT_COMPARABLE, "windows_overlap")
    return None


def _overlap(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _many(before: Side, after: Side) -> int:
    """The fewest samples that an occurrence has to have."""
    several = min(len(side.occurrences) for side in (before, after)) >= MANY
    return LEAST_SAMPLES_OF_MANY if several else LEAST_SAMPLES


def _too_few(before: Side, after: Side) -> Refusal | None:
    counts = {"before_n": before.n, "after_n": after.n}
    fewest = min(counts.values())
    if fewest == 0:
        return Refusal(Verdict.INSUFFICIENT_DATA, "no_samples", dict(counts))
    if fewest == 1:
        return Refusal(Verdict.DESCRIPTIVE_ONLY, "single_sample", dict(counts))
    least = _many(before, after)
    if min(max(each.n for each in side.occurrences) for side in (before, after)) < least:
        return Refusal(Verdict.INSUFFICIENT_DATA, "few_samples", {**counts, "least": least})
    return None


def _usable(side: Side, least: int, load: WindowLoad) -> Side:
    """Without occurrences that tell too little, where others tell enough."""
    kept = side.only(lambda each: each.tells(least, load))
    return kept if kept.occurrences else side.only(lambda each: each.n >= least)


def _unlike_captures(before: Side, after: Side) -> Refusal | None:
    intervals = (before.interval_s, after.interval_s)
    if all(intervals):
        fine, coarse = sorted(float(each or 0) for each in intervals)
        if coarse > MOST_INTERVAL_RATIO * fine:
            facts = {"before_interval_s": intervals[0], "after_interval_s": intervals[1]}
            return Refusal(Verdict.NOT_COMPARABLE, "intervals_differ", facts)
    low = [side.coverage for side in (before, after) if side.coverage is not None and side.coverage < LEAST_COVERAGE]
    if low:
        return Refusal(
            Verdict.NOT_COMPARABLE, "coverage", {"coverage_pct": 100 * min(low), "least_pct": 100 * LEAST_COVERAGE}
        )
    return None


def _unlike_work(before: Side, after: Side) -> Refusal | None:
    """Response times of requests of another size."""
    if after.info.metric not in RESPONSE_TIMES:
        return None
    works = [[each.requests for each in side.occurrences] for side in (before, after)]
    if any(own and all(work is not None and work.idle for work in own) for own in works):
        return Refusal(Verdict.INSUFFICIENT_DATA, "no_requests")
    sizes = [_mean([work.size_bytes if work else None for work in own]) for own in works]
    if not sizes[0] or not sizes[1]:
        return Refusal(Verdict.NOT_COMPARABLE, "request_size_unknown")
    low, high = sorted((sizes[0], sizes[1]))
    if high <= low * (1 + MOST_SIZE_CHANGE):
        return None
    infos = (before.info, after.info)
    rates = [
        _mean([work.ms_per_mib(info) if work else None for work in own]) for info, own in zip(infos, works, strict=True)
    ]
    facts: dict[str, object] = {"before_size_bytes": sizes[0], "after_size_bytes": sizes[1]}
    return Refusal(
        Verdict.NOT_COMPARABLE,
        "request_size_differs",
        {**facts, "before_ms_per_mib": rates[0], "after_ms_per_mib": rates[1]},
    )


def _mean(values: Sequence[float | None]) -> float | None:
    told = [value for value in values if value is not None]
    return sum(told) / len(told) if told else None


def _constant(before: Side, after: Side) -> Refusal | None:
    """A value that never moves has no uncertainty to reckon with."""
    extremes = [[value for each in side.occurrences for value in each.extremes] for side in (before, after)]
    if any(min(each) != max(each) for each in extremes):
        return None
    if extremes[0][0] != extremes[1][0]:
        return Refusal(Verdict.DESCRIPTIVE_ONLY, "no_spread")
    if after.info.direction is Direction.NEUTRAL:
        return Refusal(Verdict.DESCRIPTIVE_ONLY, "neutral")
    return Refusal(Verdict.EQUIVALENT, "constant")


def _not_stationary(before: Side, after: Side, found: Prepared) -> Refusal | None:
    """A single occurrence has to know its own uncertainty; several show theirs, whatever goes on inside them.

    A change comes before too few independent samples: it is what makes them look dependent.
    """
    if found.changes:
        side, at_ns, change = max(found.changes, key=lambda each: each[2].factor)
        facts: dict[str, object] = {"factor": change.factor, "p": change.p}
        if len(found.changes) > 1 and len({each[2] for each in found.changes}) == 1:
            facts |= {"before_at_ns": found.changes[0][1], "after_at_ns": found.changes[1][1]}
            return Refusal(Verdict.INSUFFICIENT_DATA, "change_between_hours", facts)
        return Refusal(Verdict.INSUFFICIENT_DATA, "change_inside", {**facts, "side": side, "at_ns": at_ns})
    single = [(side, own) for side, own in ((before, found.before), (after, found.after)) if len(own) == 1]
    sizes = {
        f"{name}_n_eff": min(each.size.n_eff for each in own.values())
        for name, own in (("before", found.before), ("after", found.after))
    }
    if any(each.size.n_eff < LEAST_EFFECTIVE for _, own in single for each in own.values()):
        return Refusal(Verdict.INSUFFICIENT_DATA, "few_independent", {**sizes, "least": LEAST_EFFECTIVE})
    if found.curve is None and any(remembers_too_long(in_places(side.judged)) for side, _ in single):
        return Refusal(Verdict.INSUFFICIENT_DATA, "slow_correlation", dict(sizes))
    return None


# -- made ready ----------------------------------------------------------------------------------------


def _in_common_steps(before: Side, after: Side) -> tuple[Side, Side]:
    """Both in the coarser one's interval."""
    coarse = max(before.interval_s or 0.0, after.interval_s or 0.0)
    first, second = (_in_steps(side, coarse) for side in (before, after))
    return first, second


def _in_steps(side: Side, coarse: float) -> Side:
    if not side.interval_s or coarse <= _COARSER * side.interval_s:
        return side
    return Side(
        side.info,
        tuple(
            Measured(each.place, _source_in_steps(each.source, coarse), each.coverage, each.span_ns)
            for each in side.occurrences
        ),
    )


def _source_in_steps(source: Source, coarse: float) -> Held:
    work = source.work and replace(source.work, response=resampled(source.work.response, coarse))
    return Held(resampled(source.samples, coarse), work)


def _hours(before: Side, after: Side, calendars: Calendars) -> PairedHours | None:
    """Hours that belong together, where a single occurrence has to be judged by its own."""
    if min(len(before.occurrences), len(after.occurrences)) > 1:
        return None
    found = paired(hourly_means(before.judged, calendars[0]), hourly_means(after.judged, calendars[1]))
    return found if len(found) >= FEWEST_HOURS else None


def _curve(hours: PairedHours | None) -> float | None:
    if hours is None or not (hours.before.min() > 0 and hours.after.min() > 0):
        return None
    logs = np.log(hours.after / hours.before)
    return float(logs.var(ddof=1)) / autoregressive_size(len(logs), effective_size(logs).lag1)


def _cautions(before: Side, after: Side, left_out: int) -> Iterator[Caution]:
    if left_out:
        yield Caution("occurrences_left_out", {"count": left_out})
    resets = sum(each.resets for side in (before, after) for each in side.occurrences)
    if resets:
        yield Caution("counter_resets", {"count": resets})
    intervals = [each.interval_s or 0.0 for side in (before, after) for each in side.occurrences]
    if min(intervals) and max(intervals) > _COARSER * min(intervals):
        yield Caution("resampled", {"interval_s": max(intervals)})


# -- changes inside ------------------------------------------------------------------------------------


def _drifts(before: Side, after: Side, hours: PairedHours | None) -> Iterator[Caution]:
    """Matching hours have their daily curve taken out; what is left of it is no drift of the window."""
    for name, side in (("before", before), ("after", after)):
        change = drift(in_places(side.judged)) if len(side.occurrences) == 1 and hours is None else None
        if change is not None:
            yield Caution("drift", {"side": name, "change_pct": 100 * change})


def _changes(
    before: Side, after: Side, hours: PairedHours | None, calendars: Calendars
) -> list[tuple[str, int, ChangePoint]]:
    """Inside a single occurrence; hours that are paired may rise and fall together, only their ratio may not.

    Of few hours the other side's own wavering is in that ratio: there the change has to show by itself as well.
    """
    between = [] if hours is None else list(_changed_hours(before, after, hours, calendars))
    if hours is not None and (not between or len(hours) >= MANY_HOURS):
        return between
    own = [
        (name, _time_of(side.judged, change.index), change)
        for name, side in (("before", before), ("after", after))
        if len(side.occurrences) == 1 and (change := change_point(in_places(side.judged))) is not None
    ]
    return between if hours is not None and len(own) > 1 else own


def _time_of(samples: Samples, place: int) -> int:
    return int(samples.times_ns[_sample_at(samples, place)])


def _sample_at(samples: Samples, place: int) -> int:
    """The sample that stands at a place of `in_places`."""
    return int(in_places(samples, np.arange(len(samples), dtype=np.float64))[place])


def _changed_hours(
    before: Side, after: Side, hours: PairedHours, calendars: Calendars
) -> Iterator[tuple[str, int, ChangePoint]]:
    """Every sample relative to the other side's matching hour: the daily curve is out, a step of either side is in.

    Which side stepped cannot be told from that: the moment is given on both.
    """
    if not (hours.before.min() > 0 and hours.after.min() > 0):
        return
    sides = (before.judged, after.judged)
    for place, other in enumerate((hours.after, hours.before)):
        samples = sides[place]
        matching = dict(zip((pair[place] for pair in hours.hours), other.tolist(), strict=True))
        quarters = calendars[place].quarters_of(samples.times_ns)
        levels = np.array([matching.get(hour, np.nan) for hour in quarters.hours.tolist()])
        scale = np.repeat(levels, quarters.counts)
        change = change_point(in_places(samples, samples.values / scale))
        if change is not None:
            here_ns = _time_of(samples, change.index)
            hour = int(calendars[place].hours_of(samples)[_sample_at(samples, change.index)])
            pair = next(pair for pair in hours.hours if pair[place] == hour)
            there_ns = _begin_of(sides[1 - place], pair[1 - place], calendars[1 - place])
            times_ns = (here_ns, there_ns) if place == 0 else (there_ns, here_ns)
            yield "before", times_ns[0], change
            yield "after", times_ns[1], change
            return


def _begin_of(samples: Samples, hour: int, calendar: Calendar) -> int:
    return int(samples.times_ns[int(np.argmax(calendar.hours_of(samples) >= hour))])
