"""What the two windows of one series hold, and what forbids a verdict on it, before other series are looked at.

`analysis.comparing.deciding` gives the verdict once the variation of its kind and the load of its host are known.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import TypeVar

import numpy as np

from tunebench.analysis.comparing.calendar_slots import Calendar, Calendars, PairedHours, hourly_means, paired
from tunebench.analysis.comparing.comparison import Caution
from tunebench.analysis.comparing.disk_work import MOST_SIZE_CHANGE, RESPONSE_TIMES
from tunebench.analysis.comparing.occurrence_figures import FEWEST_HOURS, OccurrenceFigures
from tunebench.analysis.comparing.regular_samples import (
    Floats,
    Samples,
    Stacked,
    in_places,
    on_one_clock,
    resampled,
    stacked,
)
from tunebench.analysis.comparing.stationarity import ChangePoint, change_points, drifts
from tunebench.analysis.comparing.window_sides import Held, Measured, Side, Source, describe, reckon
from tunebench.analysis.inference.autocovariance import Autocorrelation
from tunebench.analysis.inference.effective_size import autoregressive_size
from tunebench.analysis.inference.long_memory import remember_too_long
from tunebench.analysis.inference.verdict import Verdict
from tunebench.core.alike import alike
from tunebench.core.grouping import by_key
from tunebench.core.records import record
from tunebench.domain.engagement import Direction
from tunebench.domain.windows import WindowLoad

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
Changed = tuple[str, int, ChangePoint]
"""Side, time, and the change of level there."""
T = TypeVar("T")
_NAMES = ("before", "after")
_COARSER = 1.5
OVERLAP = "windows_overlap"
UNMOVED = "constant"
"""Why a series is not reckoned with: it has one value on both sides."""


@record(eq=False)
class Refusal:
    verdict: Verdict
    reason: str
    facts: Mapping[str, object] = field(default_factory=dict)


@record(eq=False)
class Prepared:
    """What one row says by itself, before the other series and the gate are looked at.

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
    changes: Sequence[Changed] = ()


def undated(own: Prepared) -> Prepared:
    """Of sides that only their files' dates put anywhere: that these are the same days tells nothing, and so does
    their order."""
    if own.refusal is None or own.refusal.reason != OVERLAP:
        return own
    return alike(own, refusal=Refusal(Verdict.DESCRIPTIVE_ONLY, "undated"))


def prepared(sides: Sequence[tuple[Side, Side]], calendars: Calendars, load: WindowLoad) -> list[Prepared]:
    """One row for each pair of windows that both captured the series."""
    gates: dict[object, _Gate] = {}  # the series of a table have the same extents
    ready = [_ready(before, after, load, gates) for before, after in sides]
    kept = [row for row in ready if isinstance(row, _Ready)]
    for which, calendar in enumerate(calendars):
        reckon((occurrence for one in kept for occurrence in one.sides[which].occurrences), calendar)
    describe(side for one in kept for side in one.sides)
    hours, singles = _hours(kept, calendars), _Singles.of(kept)
    changes = _changes(kept, singles, hours, calendars)
    parts = zip(kept, _curves(hours), _drifts(kept, singles, hours), changes, strict=True)
    rest = iter(_slow_refused([_prepared(*part, calendars) for part in parts], singles))
    return [next(rest) if isinstance(row, _Ready) else row for row in ready]


@record(eq=False)
class _Ready:
    """Two windows that nothing forbids to reckon with, in common steps.

    Attributes:
        judged: what is judged of either side; only where a side is a single occurrence.
    """

    before: Side
    after: Side
    shortest_s: float
    cautions: tuple[Caution, ...]
    judged: Sequence[Samples] = ()

    @property
    def sides(self) -> tuple[Side, Side]:
        return self.before, self.after

    @property
    def single(self) -> list[tuple[str, Samples]]:
        """The names of the sides that are one occurrence, with what is judged of it."""
        sides = zip(_NAMES, self.sides, self.judged, strict=True) if self.judged else ()
        return [(name, judged) for name, side, judged in sides if len(side.occurrences) == 1]


@record(eq=False)
class _Gate:
    """What the extents of two windows come to, whatever was measured in them.

    Attributes:
        kept: of either side, the places of the occurrences that count; None for all.
    """

    refusal: Refusal | None
    kept: tuple[Sequence[int] | None, Sequence[int] | None] = (None, None)
    shortest_s: float = 0.0
    cautions: tuple[Caution, ...] = ()


def _ready(before: Side, after: Side, load: WindowLoad, gates: dict[object, _Gate]) -> _Ready | Prepared:
    if before.info.definition != after.info.definition:
        return Prepared(Refusal(Verdict.NOT_COMPARABLE, "definition_differs"))
    key = before.extents, after.extents, before.info.host == after.info.host
    gate = gates.get(key)
    if gate is None:
        gate = gates[key] = _gate(before, after, load)
    if gate.refusal is not None:
        return Prepared(gate.refusal, shortest_s=gate.shortest_s)
    before, after = (
        side if kept is None else side.only([side.occurrences[at] for at in kept])
        for side, kept in zip((before, after), gate.kept, strict=True)
    )
    refused = _unlike_work(before, after) or _constant(before, after)
    if refused is not None:
        return Prepared(refused, shortest_s=gate.shortest_s)
    before, after = _in_common_steps(before, after)
    is_single = len(before.occurrences) == 1 or len(after.occurrences) == 1
    judged = (before.judged, after.judged) if is_single else ()
    return _Ready(before, after, gate.shortest_s, gate.cautions, judged)


def _gate(before: Side, after: Side, load: WindowLoad) -> _Gate:
    refused = _at_once(before, after) or _too_few(before, after)
    if refused is not None:
        return _Gate(refused)
    whole = before, after
    before, after = (_usable(side, min(_many(before, after), LEAST_SAMPLES), load) for side in whole)
    kept = [
        None if some is side else [side.occurrences.index(occurrence) for occurrence in some.occurrences]
        for side, some in zip(whole, (before, after), strict=True)
    ]
    left_out = sum(len(side.occurrences) for side in whole) - len(before.occurrences) - len(after.occurrences)
    shortest_s = min(occurrence.length_s for side in (before, after) for occurrence in side.occurrences)
    cautions = tuple(_cautions(before, after, left_out))
    return _Gate(_unlike_captures(before, after), (kept[0], kept[1]), shortest_s, cautions)


def _prepared(
    one: _Ready, curve: float | None, drifting: Sequence[Caution], changes: Sequence[Changed], calendars: Calendars
) -> Prepared:
    row = Prepared(
        None,
        {occurrence.place: occurrence.figures(calendars[0]) for occurrence in one.before.occurrences},
        {occurrence.place: occurrence.figures(calendars[1]) for occurrence in one.after.occurrences},
        curve,
        (one.before.mean, one.after.mean),
        all(occurrence.facts.weighted for side in one.sides for occurrence in side.occurrences),
        one.shortest_s,
        (*one.cautions, *drifting),
        changes,
    )
    refused = _not_stationary(row)
    return row if refused is None else alike(row, refusal=refused)


# -- what forbids a verdict ----------------------------------------------------------------------------


def _at_once(before: Side, after: Side) -> Refusal | None:
    spans = [[occurrence.span_ns for occurrence in side.occurrences] for side in (before, after)]
    if before.info.host == after.info.host and any(_overlap(one, other) for one in spans[0] for other in spans[1]):
        return Refusal(Verdict.NOT_COMPARABLE, OVERLAP)
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
    if min(max(occurrence.n for occurrence in side.occurrences) for side in (before, after)) < least:
        return Refusal(Verdict.INSUFFICIENT_DATA, "few_samples", {**counts, "least": least})
    return None


def tells(occurrence: Measured, least: int, load: WindowLoad) -> bool:
    """Whether it is long and whole enough, and has at least so many samples, to count as an occurrence."""
    covered = occurrence.coverage is None or occurrence.coverage >= LEAST_COVERAGE
    return covered and occurrence.n >= least and occurrence.length_s >= LEAST_S[load]


def _usable(side: Side, least: int, load: WindowLoad) -> Side:
    """The side without occurrences too short or too sparse, where others suffice."""
    kept = [occurrence for occurrence in side.occurrences if tells(occurrence, least, load)]
    return side.only(kept or [occurrence for occurrence in side.occurrences if occurrence.n >= least])


def _unlike_captures(before: Side, after: Side) -> Refusal | None:
    one, other = before.interval_s, after.interval_s
    if one and other and max(one, other) > MOST_INTERVAL_RATIO * min(one, other):
        facts = {"before_interval_s": one, "after_interval_s": other}
        return Refusal(Verdict.NOT_COMPARABLE, "intervals_differ", facts)
    coverage = min((own for own in (before.coverage, after.coverage) if own is not None), default=1.0)
    if coverage < LEAST_COVERAGE:
        facts = {"coverage_pct": 100 * coverage, "least_pct": 100 * LEAST_COVERAGE}
        return Refusal(Verdict.NOT_COMPARABLE, "coverage", facts)
    return None


def _unlike_work(before: Side, after: Side) -> Refusal | None:
    """Refuses response times of requests of another size."""
    if after.info.metric not in RESPONSE_TIMES:
        return None
    works = [[occurrence.facts.requests for occurrence in side.occurrences] for side in (before, after)]
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
    numbers = [value for value in values if value is not None]
    return sum(numbers) / len(numbers) if numbers else None


def _constant(before: Side, after: Side) -> Refusal | None:
    """A value that never moves has no uncertainty to reckon with."""
    if _moves(before) or _moves(after):
        return None
    if before.occurrences[0].facts.minimum != after.occurrences[0].facts.minimum:
        return Refusal(Verdict.DESCRIPTIVE_ONLY, "no_spread")
    if after.info.direction is Direction.NEUTRAL:
        return Refusal(Verdict.DESCRIPTIVE_ONLY, "neutral")
    return Refusal(Verdict.EQUIVALENT, UNMOVED)


def _moves(side: Side) -> bool:
    facts = [occurrence.facts for occurrence in side.occurrences]
    return min([fact.minimum for fact in facts]) != max([fact.maximum for fact in facts])


def _not_stationary(row: Prepared) -> Refusal | None:
    """A single occurrence has to know its own uncertainty; several show theirs, whatever goes on inside them.

    A change comes before too few independent samples: it is what makes them look dependent.
    """
    if row.changes:
        side, at_ns, change = max(row.changes, key=lambda change: change[2].factor)
        facts: dict[str, object] = {"factor": change.factor, "p": change.p}
        if len(row.changes) > 1 and len({change[2] for change in row.changes}) == 1:
            facts |= {"before_at_ns": row.changes[0][1], "after_at_ns": row.changes[1][1]}
            return Refusal(Verdict.INSUFFICIENT_DATA, "change_between_hours", facts)
        return Refusal(Verdict.INSUFFICIENT_DATA, "change_inside", {**facts, "side": side, "at_ns": at_ns})
    single = [own for own in (row.before, row.after) if len(own) == 1]
    if any(occurrence.size.n_eff < LEAST_EFFECTIVE for own in single for occurrence in own.values()):
        return Refusal(Verdict.INSUFFICIENT_DATA, "few_independent", {**_least_sizes(row), "least": LEAST_EFFECTIVE})
    return None


def _slow_refused(rows: Sequence[Prepared], singles: _Singles) -> list[Prepared]:
    """The rows; those that nothing else forbids are refused where a single occurrence remembers for too long."""
    wanted = {index for index, row in enumerate(rows) if row.refusal is None and row.curve is None}
    slow = {index for index, _, remembers in singles.seen(remember_too_long, wanted) if remembers}
    return [
        alike(row, refusal=Refusal(Verdict.INSUFFICIENT_DATA, "slow_correlation", _least_sizes(row)))
        if index in slow
        else row
        for index, row in enumerate(rows)
    ]


def _least_sizes(row: Prepared) -> dict[str, object]:
    return {
        f"{name}_n_eff": min(occurrence.size.n_eff for occurrence in own.values())
        for name, own in zip(_NAMES, (row.before, row.after), strict=True)
    }


# -- made ready ----------------------------------------------------------------------------------------


def _in_common_steps(before: Side, after: Side) -> tuple[Side, Side]:
    """Both sides in the coarser one's interval."""
    if before.interval_s == after.interval_s:
        return before, after
    coarse = max(before.interval_s or 0.0, after.interval_s or 0.0)
    first, second = (_in_steps(side, coarse) for side in (before, after))
    return first, second


def _in_steps(side: Side, coarse: float) -> Side:
    if not side.interval_s or coarse <= _COARSER * side.interval_s:
        return side
    return Side(
        side.info,
        tuple(
            Measured(
                occurrence.place, _source_in_steps(occurrence.source, coarse), occurrence.coverage, occurrence.span_ns
            )
            for occurrence in side.occurrences
        ),
    )


def _source_in_steps(source: Source, coarse: float) -> Held:
    work = source.work and replace(source.work, response=resampled(source.work.response, coarse))
    return Held(resampled(source.samples, coarse), work)


def _hours(kept: Sequence[_Ready], calendars: Calendars) -> list[PairedHours | None]:
    """The matching hours of each row in which a single occurrence has to be judged by its own; None elsewhere."""
    paired_hours: list[PairedHours | None] = [None] * len(kept)
    alone = [index for index, one in enumerate(kept) if one.judged]
    sides = [[kept[index].judged[which] for index in alone] for which in (0, 1)]
    for rows in on_one_clock(*sides):
        hourly = [
            hourly_means(stacked([own[row] for row in rows]), calendar)
            for own, calendar in zip(sides, calendars, strict=True)
        ]
        for row, hours in zip(rows, paired(*hourly), strict=True):
            paired_hours[alone[row]] = hours if len(hours) >= FEWEST_HOURS else None
    return paired_hours


def _curves(hours: Sequence[PairedHours | None]) -> list[float | None]:
    variances: list[float | None] = [None] * len(hours)
    positive = ((len(own), index) for index, own in enumerate(hours) if own is not None and own.positive)
    for n, places in by_key(positive).items():
        own = [both for index in places if (both := hours[index]) is not None]
        logs = np.log(np.array([both.after for both in own]) / np.array([both.before for both in own]))
        lags = Autocorrelation(logs).at(1).tolist()
        for index, variance, lag1 in zip(places, logs.var(axis=1, ddof=1).tolist(), lags, strict=True):
            variances[index] = variance / autoregressive_size(n, lag1)
    return variances


def _cautions(before: Side, after: Side, left_out: int) -> Iterator[Caution]:
    if left_out:
        yield Caution("occurrences_left_out", {"count": left_out})
    resets = sum(occurrence.facts.resets for side in (before, after) for occurrence in side.occurrences)
    if resets:
        yield Caution("counter_resets", {"count": resets})
    intervals = [occurrence.facts.interval_s or 0.0 for side in (before, after) for occurrence in side.occurrences]
    if min(intervals) and max(intervals) > _COARSER * min(intervals):
        yield Caution("resampled", {"interval_s": max(intervals)})


# -- changes inside ------------------------------------------------------------------------------------


@record(eq=False)
class _Singles:
    """The windows of one occurrence, those on one clock as rows of a table.

    Attributes:
        sides: index of each window's row, and its name.
        tables: places in `sides`, and float64[k, n], the samples in regular places.
    """

    sides: Sequence[tuple[int, str]]
    tables: Sequence[tuple[list[int], Floats]]

    @classmethod
    def of(cls, kept: Sequence[_Ready]) -> _Singles:
        sides = [(index, name, judged) for index, one in enumerate(kept) for name, judged in one.single]
        tables = []
        for rows in on_one_clock([judged for *_, judged in sides]):
            together = stacked([sides[row][2] for row in rows])
            tables.append((rows, in_places(together.first, together.values)))
        return cls([(index, name) for index, name, _ in sides], tables)

    def seen(
        self, looks: Callable[[Floats], Sequence[T | None]], wanted: Container[int]
    ) -> Iterator[tuple[int, str, T]]:
        """(index of a row, side, what is seen), the before side of each first."""
        seen: dict[int, T | None] = {}
        for rows, table in self.tables:
            some = [at for at, row in enumerate(rows) if self.sides[row][0] in wanted]
            if some:
                own = table if len(some) == len(rows) else table[some]
                seen.update(zip((rows[at] for at in some), looks(own), strict=True))
        for row in sorted(seen):
            if (finding := seen[row]) is not None:
                yield *self.sides[row], finding


def _drifts(kept: Sequence[_Ready], singles: _Singles, hours: Sequence[PairedHours | None]) -> list[list[Caution]]:
    """Matching hours have their daily curve taken out; what is left of it is no drift of the window."""
    wanted = {index for index, own in enumerate(hours) if own is None}
    cautions: list[list[Caution]] = [[] for _ in kept]
    for index, name, change in singles.seen(drifts, wanted):
        cautions[index].append(Caution("drift", {"side": name, "change_pct": 100 * change}))
    return cautions


def _changes(
    kept: Sequence[_Ready], singles: _Singles, hours: Sequence[PairedHours | None], calendars: Calendars
) -> list[list[Changed]]:
    """Inside a single occurrence; hours that are paired may rise and fall together, only their ratio may not.

    Of few hours the other side's own wavering is in that ratio: there the change has to show by itself as well.
    """
    changes = _changed_hours(kept, hours, calendars)
    few = {index for index, own in enumerate(hours) if own is not None and changes[index] and len(own) < MANY_HOURS}
    own: list[list[Changed]] = [[] for _ in kept]
    wanted = {index for index, alike in enumerate(hours) if alike is None or index in few}
    for index, name, change in singles.seen(change_points, wanted):
        samples = kept[index].judged[_NAMES.index(name)]
        own[index].append((name, _time_of(samples, change.index), change))
    for index in wanted:
        if index not in few or len(own[index]) < len(_NAMES):
            changes[index] = own[index]
    return changes


def _time_of(samples: Samples, position: int) -> int:
    return int(samples.times_ns[_sample_at(samples, position)])


def _sample_at(samples: Samples, position: int) -> int:
    """The sample that stands at a position of `in_places`."""
    return int(in_places(samples, np.arange(len(samples), dtype=np.float64))[position])


def _changed_hours(
    kept: Sequence[_Ready], hours: Sequence[PairedHours | None], calendars: Calendars
) -> list[list[Changed]]:
    """Every sample relative to the other side's matching hour: the daily curve is out, a step of either side is in.

    Which side stepped cannot be told from that: the moment is given on both.
    """
    changes: list[list[Changed]] = [[] for _ in kept]
    positive = [(index, own) for index, own in enumerate(hours) if own is not None and own.positive]
    for which in (0, 1):
        left = [(index, own) for index, own in positive if not changes[index]]
        judged = [kept[index].judged[which] for index, _ in left]
        for rows in on_one_clock(judged):
            for same in by_key((tuple(left[row][1].hours), row) for row in rows).values():
                together = stacked([judged[row] for row in same])
                ratios = _to_other_hours(together, [left[row][1] for row in same], which, calendars[which])
                for row, change in zip(same, change_points(in_places(together.first, ratios)), strict=True):
                    if change is not None:
                        index, own = left[row]
                        changes[index] = _on_both(kept[index], own, which, change, calendars)
    return changes


def _to_other_hours(together: Stacked, hours: Sequence[PairedHours], which: int, calendar: Calendar) -> Floats:
    """float64[k, n], NaN in hours that have no like."""
    quarters = calendar.quarters_of(together.first.times_ns)
    other = np.array([alike.before if which else alike.after for alike in hours])
    column = {pair[which]: at for at, pair in enumerate(hours[0].hours)}
    at = np.array([column.get(hour, -1) for hour in quarters.hours.tolist()])
    levels = np.where(at >= 0, other[:, at], np.nan)
    return np.asarray(together.values / np.repeat(levels, quarters.counts, axis=1))


def _on_both(one: _Ready, hours: PairedHours, which: int, change: ChangePoint, calendars: Calendars) -> list[Changed]:
    samples, other = one.judged[which], one.judged[1 - which]
    hour = int(calendars[which].hours_of(samples)[_sample_at(samples, change.index)])
    pair = next(pair for pair in hours.hours if pair[which] == hour)
    times_ns = [_time_of(samples, change.index), _begin_of(other, pair[1 - which], calendars[1 - which])]
    if which:
        times_ns.reverse()
    return [(name, at_ns, change) for name, at_ns in zip(_NAMES, times_ns, strict=True)]


def _begin_of(samples: Samples, hour: int, calendar: Calendar) -> int:
    return int(samples.times_ns[int(np.argmax(calendar.hours_of(samples) >= hour))])
