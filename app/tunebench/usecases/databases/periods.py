"""The periods of a database in a run: those that reports cover, and those between its snapshots."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from tunebench.analysis.databases.record import DatabaseRecord
from tunebench.analysis.databases.subtraction import added_sightings, period_between
from tunebench.core import records
from tunebench.domain.databases.records import Engine, Fault, Moment, Reach
from tunebench.store.databases import records as database_records
from tunebench.store.databases.records import StoredRecord
from tunebench.store.project import Project
from tunebench.usecases.databases.snapshots import Database, Snapshot, by_stretch, counts, databases, read_snapshots

BREAKS = frozenset({Fault.RESTART, Fault.RESET, Fault.NEGATIVE, Fault.OTHER_DATABASE})
"""Across these the counters of one snapshot are not, or not all, those of the other, further on."""
TELLING = ("fact", "activity", "load", "time_model", "wait_class", "wait_event")
"""Tables in which a reset shows that the moments do not tell."""
LOCKS = "lock_wait"
_PIECEWISE = frozenset({Fault.RESET, Fault.EVICTED})
"""What costs a short period less than a long one."""


@records.record
class Period:
    """One period and the stored records it comes from.

    Attributes:
        record: its tables are those that were asked for.
        parts: of the end of a period between snapshots come first: its rows stand on their lines.
    """

    record: DatabaseRecord
    parts: tuple[StoredRecord, ...]

    @property
    def begin_ns(self) -> int | None:
        return None if self.record.begin is None else self.record.begin.time_ns

    @property
    def end_ns(self) -> int | None:
        return self.record.end.time_ns

    @property
    def length_s(self) -> float | None:
        if self.record.elapsed_s is not None:
            return self.record.elapsed_s
        if self.begin_ns is None or self.end_ns is None:
            return None
        return (self.end_ns - self.begin_ns) / 1e9

    def artefacts_of(self, table: str) -> tuple[int, ...]:
        """The captures in which rows of a table stand."""
        return tuple(dict.fromkeys(part.artefact_id for part in self.parts if table in part.rows))


@records.record
class PeriodSpan:
    """When a period of a database was, and what is wrong with it.

    Attributes:
        database: label of the database, as its series carry it.
        started_ns: when the server had started at its end, where it says so.
    """

    database: str
    host: str
    begin_ns: int
    end_ns: int
    faults: tuple[Fault, ...] = ()
    started_ns: int | None = None


def period_spans(project: Project) -> list[PeriodSpan]:
    """The periods of all databases, run by run, that have a begin and an end."""
    run_ids = sorted({record.run_id for database in databases(project) for record in database.records})
    spans = (
        _span(database, period)
        for run_id in run_ids
        for database in databases(project, run_id)
        for period in periods(project, database, ())
    )
    return [span for span in spans if span is not None]


def _span(database: Database, period: Period) -> PeriodSpan | None:
    if period.begin_ns is None or period.end_ns is None or period.begin_ns >= period.end_ns:
        return None
    record = period.record
    return PeriodSpan(
        record.identity.label, database.host, period.begin_ns, period.end_ns, record.faults, record.end.started_ns
    )


def reported_periods(project: Project, database: Database, names: Sequence[str] | None = None) -> Iterator[Period]:
    """The periods that captures state themselves."""
    stored = [stored for stored in database.records if stored.head.reach is Reach.PERIOD and _counts(database, stored)]
    for one, record in zip(stored, database_records.filled(project, stored, names), strict=True):
        yield Period(record, (one,))


def _counts(database: Database, stored: StoredRecord) -> bool:
    begin, end = stored.head.begin, stored.head.end
    return counts(database, stored.run_id, begin.time_ns if begin else None, end.time_ns)


def neighbour_periods(
    project: Project, taken: Sequence[Snapshot], names: Sequence[str] | None = None
) -> Iterator[Period]:
    """Between each snapshot and the next, with what is wrong with them."""
    read = read_snapshots(project, taken, names)
    for (earlier, later), (first, second) in zip(pairwise(taken), pairwise(read), strict=True):
        yield Period(period_between(first, second), (*later.parts, *earlier.parts))


def periods(project: Project, database: Database, names: Sequence[str] | None = None) -> list[Period]:
    """All of them by their ends, for calendars and sparklines; a lone snapshot is a period since the start.

    Args:
        names: of the tables that are read; () for none.
    """
    every = list(reported_periods(project, database, names))
    for taken in by_stretch(project, database):
        alone = len(taken) == 1
        every += [since_start(project, taken[0], names)] if alone else neighbour_periods(project, taken, names)
    return sorted(every, key=lambda period: (period.end_ns is None, period.end_ns or 0))


def since_start(project: Project, snapshot: Snapshot, names: Sequence[str] | None = None) -> Period:
    """What a snapshot without an earlier one says: everything since the start or the last reset."""
    (record,) = read_snapshots(project, [snapshot], names)
    return Period(as_period(record), snapshot.parts)


def as_period(record: DatabaseRecord) -> DatabaseRecord:
    end = record.end
    # PostgreSQL keeps its statistics over a restart
    starts = (end.reset_ns,) if record.identity.engine == Engine.POSTGRESQL else (end.started_ns, end.reset_ns)
    began_ns = max((time for time in starts if time is not None), default=None)
    begin = None if began_ns is None else Moment(began_ns, started_ns=end.started_ns, reset_ns=end.reset_ns)
    elapsed_s = None if began_ns is None or end.time_ns is None else (end.time_ns - began_ns) / 1e9
    return replace(record, reach=Reach.PERIOD, begin=begin, elapsed_s=elapsed_s).with_faults(Fault.SINCE_START)


@records.record
class Spans:
    """What lies between the first and the last snapshot of a database.

    Attributes:
        used: valid stretches, each as a whole, and what can be said across a reset.
        left_out: between snapshots across which nothing can be subtracted.
    """

    used: tuple[Period, ...]
    left_out: tuple[Period, ...]


def spans(project: Project, taken: Sequence[Snapshot], names: Sequence[str] | None = None) -> Spans:
    """First to last as a whole; in parts where the server was restarted or its statistics reset in between."""
    if not taken:
        return Spans((), ())
    if len(taken) == 1:
        return Spans((since_start(project, taken[0], names),), ())
    every = [period for stretch in _stretches(taken) for period in _of_stretch(project, stretch, names)]
    return Spans(
        tuple(period for period in every if period.record.valid),
        tuple(period for period in every if not period.record.valid),
    )


def _stretches(taken: Sequence[Snapshot]) -> list[list[Snapshot]]:
    """Snapshots between which nothing was restarted or reset as far as their moments tell; those across which
    something was stand by themselves, in their place.
    """
    stretches: list[list[Snapshot]] = [[taken[0]]]
    for earlier, later in pairwise(taken):
        if BREAKS.isdisjoint(period_between(earlier.head, later.head).faults):
            stretches[-1].append(later)
        else:
            stretches += [[earlier, later], [later]]
    return stretches


def _of_stretch(project: Project, stretch: Sequence[Snapshot], names: Sequence[str] | None) -> list[Period]:
    """The stretch as one period; piece by piece where that shows a reset that no moment told, or statements that
    were dropped."""
    if len(stretch) < 2:
        return []
    whole = next(neighbour_periods(project, (stretch[0], stretch[-1]), names))
    if len(stretch) > 2 and not (whole.record.valid and _PIECEWISE.isdisjoint(whole.record.faults)):
        return list(neighbour_periods(project, stretch, names))
    return [_with_sightings(project, stretch[1:-1], whole, names)]


def _with_sightings(
    project: Project, between: Sequence[Snapshot], whole: Period, names: Sequence[str] | None
) -> Period:
    """The period with the locks that were waited for at the snapshots inside of it, which no counter tells of; their
    lines, as those of all its rows, are of the capture of its end."""
    if not between or names is not None and LOCKS not in names:
        return whole
    holder = whole.parts[0].artefact_id
    tables, parts = [whole.record.table(LOCKS)], list(whole.parts)
    for snapshot, record in zip(between, read_snapshots(project, between, (LOCKS,)), strict=True):
        seen = record.table(LOCKS)
        if len(seen):
            is_there = snapshot.parts[0].artefact_id == holder
            tables.append(seen if is_there else replace(seen, lines=np.zeros_like(seen.lines)))
            parts += snapshot.parts
    if len(tables) == 1:
        return whole
    sightings = added_sightings(tables)
    record = replace(whole.record, tables={**whole.record.tables, LOCKS: sightings})
    return Period(record, tuple(parts))


def artefacts_by_table(used: Sequence[Period]) -> Mapping[str, tuple[int, ...]]:
    """Table -> captures in which its rows stand."""
    tables = dict.fromkeys(name for period in used for name in period.record.tables)
    return {name: tuple(dict.fromkeys(id_ for period in used for id_ in period.artefacts_of(name))) for name in tables}


Begins = Mapping[str, Mapping[int, int]]
"""Database -> end of a period -> its begin."""


def begins_of(spans: Iterable[PeriodSpan]) -> Begins:
    """Database -> end -> begin of its periods; of two with one end the shorter one counts."""
    begins: dict[str, dict[int, int]] = {}
    for span in spans:
        own = begins.setdefault(span.database, {})
        own[span.end_ns] = max(span.begin_ns, own.get(span.end_ns, span.begin_ns))
    return begins
