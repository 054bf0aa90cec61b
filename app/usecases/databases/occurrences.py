"""The periods that repeat on one side of a comparison: reports one by one, and the time between snapshots."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from app.analysis.databases.combination import combined
from app.analysis.databases.record import DatabaseRecord
from app.domain.databases.records import Reach
from app.store.project import Project
from app.usecases.databases.periods import TELLING, Period, neighbour_periods
from app.usecases.databases.sides import OVERLAP, Side, overlap
from app.usecases.databases.snapshots import Snapshot, snapshots

LEAST_S = 600.0
"""Shorter periods are put together: neighbours of seconds are too much alike to count one by one."""
_READ = ("statement", *TELLING)


def occurrences(project: Project, side: Side) -> Iterator[DatabaseRecord]:
    """The valid periods with statements in the order of time, none overlapping another; all where none has any."""
    chosen: list[Period] = []
    telling = [each for each in side.used if len(each.record.table("statement"))]
    for period in sorted(telling or side.used, key=lambda each: (each.end_ns is None, each.end_ns or 0)):
        if all(overlap(period, each) <= OVERLAP for each in chosen):
            chosen.append(period)
    taken = snapshots(project, side.database)
    for stretch in _gathered([each for period in chosen for each in _pieces(project, taken, period)]):
        yield combined([each.record for each in stretch])


def _pieces(project: Project, taken: Sequence[Snapshot], period: Period) -> Iterator[Period]:
    """A period between snapshots that has others inside falls into those; all others are pieces themselves."""
    begin_ns, end_ns = period.begin_ns, period.end_ns
    between = period.parts[0].head.reach is Reach.COUNTERS and len(period.parts) > 1
    inside: list[Snapshot] = []
    if between and begin_ns is not None and end_ns is not None:
        inside = [each for each in taken if each.time_ns is not None and begin_ns <= each.time_ns <= end_ns]
    ends = _apart(inside)
    if len(ends) > 2:
        yield from (each for each in neighbour_periods(project, ends, _READ) if each.record.valid)
    else:
        yield period


def _apart(inside: Sequence[Snapshot]) -> list[Snapshot]:
    """Those at least `LEAST_S` apart; the last one always, so that nothing is left out."""
    ends = list(inside[:1])
    for each in inside[1:]:
        if _seconds(ends[-1], each) >= LEAST_S:
            ends.append(each)
    if inside and ends[-1] is not inside[-1]:
        ends[-1 if len(ends) > 1 else 1 :] = [inside[-1]]
    return ends


def _seconds(one: Snapshot, other: Snapshot) -> float:
    return ((other.time_ns or 0) - (one.time_ns or 0)) / 1e9


def _gathered(found: Sequence[Period]) -> list[list[Period]]:
    """Neighbours that are short, together; a rest that is too short goes with the one before."""
    stretches: list[list[Period]] = []
    length_s = LEAST_S
    for period in found:
        if length_s >= LEAST_S:
            stretches.append([])
            length_s = 0.0
        stretches[-1].append(period)
        length_s += period.length_s or LEAST_S
    if len(stretches) > 1 and length_s < LEAST_S:
        rest = stretches.pop()
        stretches[-1] += rest
    return stretches
