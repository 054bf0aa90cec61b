"""When was anything measured: the stretches of time that the captures of runs cover."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from datetime import date, datetime, time, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

from tunebench.domain.assembly import Span
from tunebench.domain.capturing.times import NS_PER_S, deciding
from tunebench.domain.cycle.records import DailyWindow
from tunebench.domain.databases.records import Reach
from tunebench.domain.engagement import EventKind
from tunebench.store import events, hosts
from tunebench.store.artefacts import ArtefactInfo, list_artefacts
from tunebench.store.databases.records import StoredRecord, list_records
from tunebench.store.project import Project

APART_NS = 3600 * NS_PER_S
"""What lies further apart is not one stretch."""
LONGEST_NS = 24 * APART_NS


class Captured:
    """The captured stretches of a project's runs, each run read once."""

    def __init__(self, project: Project, host_names: Iterable[str] = ()) -> None:
        """
        Args:
            host_names: of the hosts whose captures count; none for all.
        """
        self._project = project
        wanted = frozenset(host_names)
        self._hosts = {host.id for host in hosts.list_hosts(project) if host.name in wanted} if wanted else None
        self._pieces: dict[int, list[tuple[Span, int | None]]] = {}
        self._gaps = gaps_of(project)

    def pieces(self, run_id: int) -> list[tuple[Span, int | None]]:
        """Stretches without any gap, and the host of each; they may overlap."""
        if run_id not in self._pieces:
            self._pieces[run_id] = sorted(self._read(run_id), key=lambda piece: piece[0])
        return self._pieces[run_id]

    def _read(self, run_id: int) -> Iterator[tuple[Span, int | None]]:
        """A file's date decides nothing where any capture of the run says when it was measured."""
        captures = [
            capture
            for capture in list_artefacts(self._project, run_id)
            if self._hosts is None or capture.host_id in self._hosts
        ]
        for capture in deciding([capture for capture in captures if capture.ledger.series]):
            for span in between(capture, self._gaps.get(capture.id, [])):
                yield span, capture.host_id
        yield from _periods(list_records(self._project, run_id), {capture.id for capture in captures})

    def spans(self, run_id: int) -> list[Span]:
        """Contiguous stretches: what is an hour apart or less is one."""
        return joined(span for span, _host in self.pieces(run_id))

    def days(self, run_id: int, zone: ZoneInfo) -> list[Span]:
        """The `spans`, those of more than a day cut at the midnights of the zone."""
        return [piece for span in self.spans(run_id) for piece in cut(span, zone)]


def gaps_of(project: Project) -> dict[int, list[Span]]:
    """Capture -> from its last sample before a gap to the first one after it."""
    gaps: dict[int, list[Span]] = {}
    for stored in events.list_events(project):
        if stored.event.kind is EventKind.GAP and stored.event.end_ns is not None:
            gaps.setdefault(stored.artefact_id, []).append((stored.event.start_ns, stored.event.end_ns))
    return gaps


def between(capture: ArtefactInfo, gaps: Iterable[Span]) -> Iterator[Span]:
    """The stretches that a capture covers without a gap; none where it has no samples."""
    start, last = capture.ledger.first_ns, capture.ledger.last_ns
    if start is None or last is None:
        return
    for gap_start, gap_end in sorted(gaps):
        if start <= gap_start < gap_end <= last:
            yield start, gap_start
            start = gap_end
    yield start, last


def _periods(records: Iterable[StoredRecord], captures: Container[int]) -> Iterator[tuple[Span, int | None]]:
    """The periods of databases: what reports cover, and what lies between snapshots of one database on one day."""
    moments: dict[tuple[object, ...], list[tuple[int, int | None]]] = {}
    for record in records:
        head, end_ns = record.head, record.head.end.time_ns
        if record.artefact_id not in captures or end_ns is None:
            continue
        if head.reach is Reach.COUNTERS:
            moments.setdefault(head.identity.key, []).append((end_ns, record.host_id))
        elif head.begin is not None and head.begin.time_ns is not None:
            yield (head.begin.time_ns, end_ns), record.host_id
    for taken in moments.values():
        for (first, host), (last, _host) in pairwise(sorted(taken)):
            if last - first < LONGEST_NS / 2:
                yield (first, last), host


def joined(spans: Iterable[Span], apart_ns: int = APART_NS) -> list[Span]:
    """The spans in their order, those that overlap or lie no further apart as one."""
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start - merged[-1][1] <= apart_ns:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged


def cut(span: Span, zone: ZoneInfo) -> list[Span]:
    """A stretch of more than a day at the midnights of the zone; a rest of less than an hour stays with its day."""
    start, end = span
    if end - start <= LONGEST_NS:
        return [span]
    days = []
    day = day_of(start, zone)
    while (midnight := local_ns(day + timedelta(days=1), 0, zone)) <= end - APART_NS:
        if midnight >= start + APART_NS:
            days.append((start, midnight - 1))
            start = midnight
        day += timedelta(days=1)
    return [*days, (start, end)]


def day_of(time_ns: int, zone: ZoneInfo) -> date:
    return datetime.fromtimestamp(time_ns // NS_PER_S, tz=zone).date()


def hours_of(day: date, hours: DailyWindow, zone: ZoneInfo) -> Span:
    """The hours that begin on the day; they go over midnight where the end is the earlier."""
    start, end = _seconds(hours.start), _seconds(hours.end)
    next_day = day + timedelta(days=1)
    if hours.end == "24:00":  # midnight is the next day's
        return local_ns(day, start, zone), local_ns(next_day, 0, zone) - 1
    return local_ns(day, start, zone), local_ns(day if start < end else next_day, end, zone)


def _seconds(clock: str) -> int:
    hours, _, minutes = clock.partition(":")
    return int(hours) * 3600 + int(minutes) * 60


def local_ns(day: date, seconds: int, zone: ZoneInfo) -> int:
    """The instant at which the zone's clock shows so many seconds after midnight of the day, the earlier of two; where
    the clock leaps over it, the one at which it would have."""
    shown = datetime.combine(day, time(), zone) + timedelta(seconds=seconds)  # on the clock, across any change of it
    return int(shown.timestamp()) * NS_PER_S
