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
    telling = [period for period in side.used if len(period.record.table("statement"))]
    for period in sorted(telling or side.used, key=lambda period: (period.end_ns is None, period.end_ns or 0)):
        if all(overlap(period, other) <= OVERLAP for other in chosen):
            chosen.append(period)
    taken = [snapshot for stretch in by_stretch(project, side.database) for snapshot in stretch]
    for stretch in _by_stretches(
        [piece for period in chosen for piece in _pieces(project, taken, period, least_s)], zone, least_s
    ):
        yield combined([period.record for period in stretch])


def _pieces(project: Project, taken: Sequence[Snapshot], period: Period, least_s: float) -> Iterator[Period]:
    """A period between snapshots that has others inside falls into those; all others are pieces themselves."""
    begin_ns, end_ns = period.begin_ns, period.end_ns
    between = period.parts[0].head.reach is Reach.COUNTERS and len(period.parts) > 1
    inside: list[Snapshot] = []
    if between and begin_ns is not None and end_ns is not None:
        inside = [own for own in taken if own.time_ns is not None and begin_ns <= own.time_ns <= end_ns]
    ends = _apart(inside, least_s)
    if len(ends) > 2:
        yield from (piece for piece in neighbour_periods(project, ends, _READ) if piece.record.valid)
    else:
        yield period


def _apart(inside: Sequence[Snapshot], least_s: float) -> list[Snapshot]:
    """The snapshots at least so far apart; the last one always, so that nothing is left out."""
    ends = list(inside[:1])
    for snapshot in inside[1:]:
        if _seconds(ends[-1], snapshot) >= least_s:
            ends.append(snapshot)
    if inside and ends[-1] is not inside[-1]:
        ends[-1 if len(ends) > 1 else 1 :] = [inside[-1]]
    return ends


def _seconds(one: Snapshot, other: Snapshot) -> float:
    return ((other.time_ns or 0) - (one.time_ns or 0)) / 1e9


def _by_stretches(pieces: Sequence[Period], zone: ZoneInfo, least_s: float) -> list[list[Period]]:
    """The pieces by the stretches of captured time that a window would be made of; a piece without a time stands
    alone."""
    spans = [_span(piece) for piece in pieces]
    days = _days(spans, zone)
    stretches: dict[int, list[Period]] = {}
    for number, (period, span) in enumerate(zip(pieces, spans, strict=True)):
        middle = None if span is None else (span[0] + span[1]) // 2
        key = -1 - number if middle is None else max(i for i, day in enumerate(days) if day[0] <= middle)
        stretches.setdefault(key, []).append(period)
    groups = list(stretches.values())
    return [own for own in groups if sum(piece.length_s or least_s for piece in own) >= least_s] or groups


def _span(period: Period) -> Span | None:
    return None if period.begin_ns is None or period.end_ns is None else (period.begin_ns, period.end_ns)


def _days(spans: Iterable[Span | None], zone: ZoneInfo) -> list[Span]:
    return [day for one in joined(span for span in spans if span is not None) for day in cut(one, zone)]


# -- sides that belong together ------------------------------------------------------------------------


def load_of_sides(project: Project, *sides: Side) -> WindowLoad:
    """Controlled where both runs have series of a load generator, or a kept window of that time is declared so."""
    kept, listed = read_book(project).all(Window), merged_series.list_merged(project)
    controlled = [
        any(_speaks_of(window, side) for window in kept if window.load is WindowLoad.CONTROLLED) for side in sides
    ]
    loads = [WindowLoad.CONTROLLED if is_controlled else WindowLoad.PRODUCTION for is_controlled in controlled]
    windows = [replace(run_window(side.run_id), load=load) for side, load in zip(sides, loads, strict=True)]
    return load_of(windows, ([info for info in listed if info.run_id == side.run_id] for side in sides))


def _speaks_of(window: Window, side: Side) -> bool:
    spans = [span for span in map(span_of, (period.record for period in side.used)) if span is not None]
    return any(
        occurrence.run_id in (None, side.run_id) and any(overlap_of(occurrence.span, span) for span in spans)
        for occurrence in window.occurrences
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
    spans = [[_span(period) for period in side.used] for side in (before, after)]
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
