"""The periods that repeat on one side of a comparison: reports one by one, and the time between snapshots."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from zoneinfo import ZoneInfo

from tunebench.analysis.comparing.calendar_slots import Calendars
from tunebench.analysis.databases.combination import combined
from tunebench.analysis.databases.record import DatabaseRecord
from tunebench.domain.assembly import Span, overlap_of
from tunebench.domain.databases.records import Reach
from tunebench.domain.windows import Stretch, Window, WindowLoad, run_window
from tunebench.store import merged_series
from tunebench.store.cycle.records import read_book
from tunebench.store.project import Project
from tunebench.usecases.comparing.captured import cut, joined
from tunebench.usecases.comparing.stretches import Both, alike, load_of, pairs_of
from tunebench.usecases.databases.periods import TELLING, Period, neighbour_periods
from tunebench.usecases.databases.sides import OVERLAP, Side, overlap
from tunebench.usecases.databases.snapshots import Snapshot, by_stretch

_READ = ("statement", *TELLING)


def occurrences(project: Project, side: Side, zone: ZoneInfo, least_s: float) -> Iterator[DatabaseRecord]:
    """The valid periods with statements, none overlapping another, by day; all where none has any.

    Hours of one day share what that day was: together they are one occurrence, as of host series.

    Args:
        least_s: a day with less is left out, where others have as much.
    """
    chosen: list[Period] = []
    telling = [each for each in side.used if len(each.record.table("statement"))]
    for period in sorted(telling or side.used, key=lambda each: (each.end_ns is None, each.end_ns or 0)):
        if all(overlap(period, each) <= OVERLAP for each in chosen):
            chosen.append(period)
    taken = [each for stretch in by_stretch(project, side.database) for each in stretch]
    for stretch in _gathered(
        [each for period in chosen for each in _pieces(project, taken, period, least_s)], zone, least_s
    ):
        yield combined([each.record for each in stretch])


def _pieces(project: Project, taken: Sequence[Snapshot], period: Period, least_s: float) -> Iterator[Period]:
    """A period between snapshots that has others inside falls into those; all others are pieces themselves."""
    begin_ns, end_ns = period.begin_ns, period.end_ns
    between = period.parts[0].head.reach is Reach.COUNTERS and len(period.parts) > 1
    inside: list[Snapshot] = []
    if between and begin_ns is not None and end_ns is not None:
        inside = [each for each in taken if each.time_ns is not None and begin_ns <= each.time_ns <= end_ns]
    ends = _apart(inside, least_s)
    if len(ends) > 2:
        yield from (each for each in neighbour_periods(project, ends, _READ) if each.record.valid)
    else:
        yield period


def _apart(inside: Sequence[Snapshot], least_s: float) -> list[Snapshot]:
    """Those at least so far apart; the last one always, so that nothing is left out."""
    ends = list(inside[:1])
    for each in inside[1:]:
        if _seconds(ends[-1], each) >= least_s:
            ends.append(each)
    if inside and ends[-1] is not inside[-1]:
        ends[-1 if len(ends) > 1 else 1 :] = [inside[-1]]
    return ends


def _seconds(one: Snapshot, other: Snapshot) -> float:
    return ((other.time_ns or 0) - (one.time_ns or 0)) / 1e9


def _gathered(found: Sequence[Period], zone: ZoneInfo, least_s: float) -> list[list[Period]]:
    """By the stretches of captured time that a window would be made of; one that does not say when it was, alone."""
    spans = [_span(each) for each in found]
    days = _days(spans, zone)
    stretches: dict[int, list[Period]] = {}
    for number, (period, span) in enumerate(zip(found, spans, strict=True)):
        middle = None if span is None else (span[0] + span[1]) // 2
        place = -1 - number if middle is None else max(i for i, day in enumerate(days) if day[0] <= middle)
        stretches.setdefault(place, []).append(period)
    told = list(stretches.values())
    return [own for own in told if sum(each.length_s or least_s for each in own) >= least_s] or told


def _span(period: Period) -> Span | None:
    return None if period.begin_ns is None or period.end_ns is None else (period.begin_ns, period.end_ns)


def _days(spans: Iterable[Span | None], zone: ZoneInfo) -> list[Span]:
    return [day for one in joined(each for each in spans if each is not None) for day in cut(one, zone)]


# -- sides that belong together ------------------------------------------------------------------------


def load_of_sides(project: Project, *sides: Side) -> WindowLoad:
    """Controlled where a load generator tells of itself in both runs, or a kept window of that time is said to be."""
    kept, listed = read_book(project).all(Window), merged_series.list_merged(project)
    said = [any(each.load is WindowLoad.CONTROLLED and _speaks_of(each, side) for each in kept) for side in sides]
    loads = [WindowLoad.CONTROLLED if each else WindowLoad.PRODUCTION for each in said]
    windows = [replace(run_window(side.run_id), load=load) for side, load in zip(sides, loads, strict=True)]
    return load_of(windows, ([info for info in listed if info.run_id == side.run_id] for side in sides))


def _speaks_of(window: Window, side: Side) -> bool:
    spans = [each for period in side.used if (each := span_of(period.record)) is not None]
    return any(
        one.run_id in (None, side.run_id) and any(overlap_of(one.span, span) for span in spans)
        for one in window.occurrences
    )


def like_periods(
    before: Sequence[DatabaseRecord], after: Sequence[DatabaseRecord], calendars: Calendars, load: WindowLoad
) -> tuple[tuple[int, int], ...]:
    """Places of those that begin in the same half hour of the same weekday, as occurrences of host series pair; none
    where one does not say when it was."""
    spans = [[span_of(record) for record in side] for side in (before, after)]
    stretches = [[Stretch(*span) for span in side if span is not None] for side in spans]
    if any(None in side for side in spans):
        return ()
    return pairs_of(stretches[0], stretches[1], calendars, load)


def like_days(before: Side, after: Side, calendars: Calendars, load: WindowLoad) -> tuple[Both, Both] | None:
    """The days of either side that have their like, where enough have, and those that are left out then; None where
    there are none of these."""
    spans = [[_span(each) for each in side.used] for side in (before, after)]
    if any(None in side for side in spans):
        return None
    earlier, later = (
        [Stretch(*day) for day in _days(side, own.zone)] for side, own in zip(spans, calendars, strict=True)
    )
    kept, left_out, _pairs = alike(earlier, later, pairs_of(earlier, later, calendars, load))
    return (kept, left_out) if any(left_out) else None


def span_of(record: DatabaseRecord) -> Span | None:
    begin_ns = None if record.begin is None else record.begin.time_ns
    return None if begin_ns is None or record.end.time_ns is None else (begin_ns, record.end.time_ns)
