"""What the project knows of two windows besides their samples: facts for the ten checks of comparability."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from zoneinfo import ZoneInfo

from tunebench.analysis.comparing import comparability as checks
from tunebench.analysis.comparing.calendar_slots import Calendars
from tunebench.analysis.comparing.comparability import Busy, Configuration, Load, Span
from tunebench.analysis.comparing.comparison import ComparedSeries, SplitOffer
from tunebench.analysis.comparing.judging import Prepared, Side
from tunebench.core.errors import UserError
from tunebench.core.messages import LANGUAGES, catalogue
from tunebench.domain.comparability import GateCheck
from tunebench.domain.cycle.worksheet import Action, ExecutedChange
from tunebench.domain.engagement import EventKind, StoredEvent, is_unnamed
from tunebench.domain.windows import Stretch, Window, stretch_text
from tunebench.store import captured_columns, engagements, events
from tunebench.store.artefacts import ArtefactInfo, list_artefacts
from tunebench.store.cycle import records as cycle_records
from tunebench.store.project import Project
from tunebench.store.runs import list_runs
from tunebench.usecases.comparing.clocks import moved_clocks
from tunebench.usecases.comparing.sides import ReadPair
from tunebench.usecases.comparing.stretches import GENERATORS, spans_of
from tunebench.usecases.databases import comparison as database_comparison
from tunebench.usecases.databases.comparison import DatabaseComparison

_CLIENTS = "db.client.connections"
_COMPLETED, _FAILED = "db.client.transactions.completed", "db.client.transactions.failed"
_DEMANDS = ("db.server.transactions", "db.server.executions", "db.server.calls", "db.server.logons")
_DATABASE_DEMANDS = ("transactions", "executions", "questions", "user_calls", "logons")
_CPU, _DISK = "system.cpu.utilization", "system.disk.utilization"
_TRANSFERS = ("read", "write")
_MACHINE = (EventKind.CPU_COUNT, EventKind.MEMORY_SIZE)
_STORAGE = (EventKind.DEVICE_ADDED, EventKind.DEVICE_REMOVED)
_DATABASE_DIFFERENCES = ("cpu_count_differs", "version_differs", "memory_bytes_differs")
_CHANGED = ("change_inside", "change_between_hours")
_SIDES = 2
_WARM_UP_NS = round(checks.WARM_UP_S * checks.NS_PER_S)


@dataclass(frozen=True, slots=True)
class Noticed:
    """Of one series, while its samples are there; at most one of each."""

    busy: list[Busy]
    coverage: list[float]
    interval_ratio: list[float]


@dataclass(slots=True)
class Gathered:
    """What is noticed of all series."""

    before: Window
    after: Window
    windows: tuple[Sequence[Stretch], Sequence[Stretch]]
    left_out: tuple[Sequence[Stretch], Sequence[Stretch]] = ((), ())
    coverages: list[float] = field(default_factory=list)
    interval_ratios: list[float] = field(default_factory=list)
    busy: list[Busy] = field(default_factory=list)
    looked_at: int = 0
    drifting: int = 0
    hosts: tuple[dict[int, str], dict[int, str]] = field(default_factory=lambda: ({}, {}))

    @property
    def spans(self) -> tuple[list[Span], list[Span]]:
        return spans_of(self.windows[0]), spans_of(self.windows[1])

    def runs(self, place: int) -> tuple[int | None, ...]:
        """Whose captures are in a window; None for those of all runs."""
        named = {each.run_id for each in self.windows[place]}
        return (None,) if None in named else tuple(sorted(each for each in named if each is not None))

    def captures(self, project: Project, place: int) -> list[ArtefactInfo]:
        return [each for run_id in self.runs(place) for each in list_artefacts(project, run_id)]

    def database(self, project: Project) -> DatabaseComparison | None:
        """The pair of databases with the most statements that can be compared; None where there is none."""
        for first, second in database_comparison.largest_first(project, self.before, self.after):
            try:
                return database_comparison.compare_pair(project, self.before, self.after, first, second)
            except UserError:  # why that database cannot be compared is said where databases are compared
                continue
        return None

    def take(self, row: ComparedSeries, made: Prepared, noticed: Noticed) -> None:
        for place, info in enumerate((row.before, row.after)):
            if info is not None:
                self.hosts[place][info.host_id] = info.host
        self.busy += noticed.busy
        self.coverages += noticed.coverage
        self.interval_ratios += noticed.interval_ratio
        self.looked_at += made.refusal is None or made.refusal.reason in _CHANGED
        self.drifting += any(caution.key == "drift" for caution in made.cautions)

    def saturated(self) -> list[Busy]:
        return [each for each in self.busy if each.saturated]

    def restart_offers(self, project: Project) -> list[SplitOffer]:
        return [
            SplitOffer(side, self.hosts[place][found.host_id or 0], found.event.start_ns, "restart")
            for place, side in enumerate(("before", "after"))
            for found in _inside(self.events_of(project, place), self.spans[place])
            if found.event.kind is EventKind.RESTART
        ]

    def events_of(self, project: Project, place: int) -> list[StoredEvent]:
        return [found for host_id in self.hosts[place] for found in events.list_events(project, host_id)]


def limited_by(row: ComparedSeries, saturated: Iterable[Busy]) -> str:
    """The resource whose saturation before the change limited this series; empty where none did."""
    if row.before is None:
        return ""
    host, devices = row.before.host, ("", row.before.identity.get("device", ""))
    return next((each.label for each in saturated if each.host == host and each.device in devices), "")


def notice(read: ReadPair) -> Noticed:
    before, after = read.before.side, read.after.side
    busy = [] if before is None else _busy(before)
    if before is None or after is None:
        return Noticed(busy, [], [])
    coverages = [side.coverage for side in (before, after) if side.coverage is not None]
    intervals = [side.interval_s for side in (before, after) if side.interval_s]
    return Noticed(
        busy,
        [min(coverages)] if len(coverages) == _SIDES else [],
        [max(intervals) / min(intervals)] if len(intervals) == _SIDES else [],
    )


def _busy(side: Side) -> list[Busy]:
    info = side.info
    p95 = _p95_pct(side) if info.metric in (_CPU, _DISK) and side.n else None
    device = info.identity.get("device", "")
    return [] if p95 is None else [Busy(info.host, device, f"{info.tool} {info.label}", p95)]


def _p95_pct(side: Side) -> float | None:
    """Of how busy it was: idle time is turned round, other states of the processors tell only a part."""
    info, (low, high) = side.info, side.busiest
    state = {**info.implied, **info.attributes}.get("state", "")
    scale = 100.0 * info.to_base
    if info.metric == _DISK:
        return high * scale
    if info.attributes.get("cpu", "all") != "all" or state != "idle":
        return None
    return 100.0 - low * scale


def check_gate(
    project: Project,
    gathered: Gathered,
    rows: Sequence[ComparedSeries],
    offers: Sequence[SplitOffer],
    database: DatabaseComparison | None,
    load: Load | None,
    calendars: Calendars,
) -> tuple[GateCheck, ...]:
    """C1 to C10, in this order."""
    zones = [each.zone for each in calendars]
    spans = gathered.spans
    generated = is_generated(rows)
    restarts = [(offer.side, offer.host) for offer in offers if offer.reason == "restart"]
    book = _executed(project)
    clocks = moved_clocks(project, [gathered.captures(project, place) for place in (0, 1)], spans, zones)
    return (
        checks.configuration(_configuration(project, gathered, rows, spans, database, book)),
        checks.calendar(
            *spans,
            calendars,
            generated,
            _is_dated(project, gathered),
            clocks,
            ([each.span for each in gathered.left_out[0]], [each.span for each in gathered.left_out[1]]),
        ),
        checks.load(load, generated),
        checks.similarity(database.statements.similarity if database else None),
        checks.coverage(gathered.coverages, gathered.interval_ratios, restarts, _missing(project, gathered, zones)),
        checks.stationarity(offers, gathered.looked_at, gathered.drifting),
        checks.warm_up(*_warm_up(project, gathered, spans, book)),
        checks.errors(_failed_pct(rows, "before_statistics"), _failed_pct(rows, "after_statistics")),
        checks.saturation(gathered.busy),
        checks.side_jobs(*(_side_jobs(project, gathered, place, spans[place]) for place in (0, 1))),
    )


def _is_dated(project: Project, gathered: Gathered) -> bool:
    compared = {*gathered.runs(0), *gathered.runs(1)}
    return not any(run.dated_by_file for run in list_runs(project) if run.id in compared or None in compared)


def _missing(project: Project, gathered: Gathered, zones: Sequence[ZoneInfo]) -> list[str]:
    """Occurrences of the kept windows that are not there any more as they are compared."""
    book, found = cycle_records.read_book(project), []
    labels = {run.id: run.label for run in list_runs(project)}
    for window, zone in zip((gathered.before, gathered.after), zones, strict=True):
        kept = book.find(Window, window.id) if window.id else None
        runs, spans = window.run_ids, {each.span for each in window.occurrences}
        for each in kept.occurrences if kept else ():
            if each.run_id not in runs if each.is_open else each.span not in spans:
                found.append(stretch_text(each.span, zone) or labels.get(each.run_id or 0, ""))
    return found


def is_generated(rows: Iterable[ComparedSeries]) -> bool:
    """Whether a load generator tells what it asked for on both sides."""
    return any(row.before and row.after and row.metric.startswith(GENERATORS) for row in rows)


# -- windows -------------------------------------------------------------------------------------------


def _inside(found: Iterable[StoredEvent], spans: Sequence[Span]) -> list[StoredEvent]:
    return [one for one in found if any(first < one.event.start_ns < last for first, last in spans)]


# -- C1 ------------------------------------------------------------------------------------------------


def _configuration(
    project: Project,
    gathered: Gathered,
    rows: Sequence[ComparedSeries],
    spans: Sequence[Sequence[Span]],
    database: DatabaseComparison | None,
    executed: Sequence[tuple[int, str]],
) -> Configuration:
    if not spans[0] or not spans[1]:
        return Configuration(told=False)
    first_ns = min(spans[0][0][0], spans[1][0][0])
    last_ns = max(spans[0][-1][1], spans[1][-1][1])
    changed = [each.event for each in gathered.events_of(project, 1) if first_ns < each.event.start_ns <= last_ns]
    words = [event.text for event in changed if event.kind in _MACHINE]
    machine = [*words, *_other_systems(project, gathered), *_database_differences(database)]
    storage = [event.text for event in changed if event.kind in _STORAGE]
    recorded = [title for at_ns, title in executed if first_ns <= at_ns <= last_ns]
    told = bool(machine or storage or database) or _tells_sizes(project, gathered) or _counts_processors(rows)
    return Configuration(
        told, _different_hosts(gathered), machine, [*storage, *_parameters(database)], list(dict.fromkeys(recorded))
    )


def _different_hosts(gathered: Gathered) -> tuple[str, str] | None:
    """Where either side is one machine, and not the same."""
    names = [{name for name in hosts.values() if name and not is_unnamed(name)} for hosts in gathered.hosts]
    if len(names[0]) == len(names[1]) == 1 and names[0] != names[1]:
        return names[0].pop(), names[1].pop()
    return None


def _other_systems(project: Project, gathered: Gathered) -> Iterator[str]:
    told = [_systems(gathered.captures(project, place)) for place in (0, 1)]
    if told[0] and told[1] and not told[0] & told[1]:
        yield " → ".join(", ".join(sorted(one)) for one in told)


def _systems(captures: Sequence[ArtefactInfo]) -> set[str]:
    return {each.ledger.os for each in captures if each.ledger.os}


def _database_differences(database: DatabaseComparison | None) -> Iterator[str]:
    for caution in database.cautions if database else ():
        if caution.key in _DATABASE_DIFFERENCES:
            yield f"{caution.facts.get('before')} → {caution.facts.get('after')}"


def _parameters(database: DatabaseComparison | None) -> list[str]:
    return [one.name for one in database.profile.parameters if one.between] if database else []


def _tells_sizes(project: Project, gathered: Gathered) -> bool:
    """Whether inventories of both runs say how large the machine is."""
    runs = [{each.id for each in gathered.captures(project, place)} for place in (0, 1)]
    hosts = gathered.hosts[0].keys() | gathered.hosts[1].keys()
    told = {fact[1] for host_id in hosts for fact in captured_columns.size_facts(project, host_id)}
    return all(told & own for own in runs)


def _counts_processors(rows: Sequence[ComparedSeries]) -> bool:
    return any(row.before and row.after and row.attributes.get("cpu", "").isdigit() for row in rows)


def _executed(project: Project) -> list[tuple[int, str]]:
    """(time, what was done) of the change log, what was taken back left out."""
    book = cycle_records.read_book(project)
    found = []
    for line in book.all(ExecutedChange):
        moment = _time_ns(line.executed_at)
        if moment is not None and not line.rolled_back_at:
            action = book.find(Action, line.action_id)
            found.append((moment, action.title if action and action.title else line.parameter))
    return found


def _time_ns(iso_text: str) -> int | None:
    try:
        moment = datetime.fromisoformat(iso_text)
    except ValueError:
        return None
    return round(moment.timestamp()) * checks.NS_PER_S if moment.tzinfo else None


# -- C3, C4, C8 ----------------------------------------------------------------------------------------


def _failed_pct(rows: Sequence[ComparedSeries], side: str) -> float | None:
    """Share of a load generator's transactions that failed."""
    sums = {_COMPLETED: 0.0, _FAILED: 0.0}
    told = set()
    for row in rows:
        figures = getattr(row, side)
        if row.metric in sums and figures is not None and figures.mean is not None:
            sums[row.metric] += figures.mean * figures.n
            told.add(row.metric)
    total = sum(sums.values())
    return 100 * sums[_FAILED] / total if len(told) == len(sums) and total > 0 else None


# -- C7, C10 -------------------------------------------------------------------------------------------


def _warm_up(
    project: Project, gathered: Gathered, spans: Sequence[Sequence[Span]], executed: Sequence[tuple[int, str]]
) -> tuple[list[tuple[str, int]], bool]:
    """(what happened shortly before or inside, whether captures reach back far enough to tell)."""
    moments = []
    told = True
    captures = list_artefacts(project)
    for place, side in enumerate(("before", "after")):
        restarts = [one.event for one in gathered.events_of(project, place) if one.event.kind is EventKind.RESTART]
        times = [*(event.start_ns for event in restarts), *(at_ns for at_ns, _ in executed)]
        for first, last in spans[place]:
            moments += [(side, at_ns) for at_ns in times if first - _WARM_UP_NS < at_ns <= first]
            moments += [(side, at_ns) for at_ns, _ in executed if first < at_ns < last]
        if spans[place]:
            told &= _reaches_back(captures, gathered.hosts[place], spans[place][0][0])
    return moments, told


def _reaches_back(captures: Sequence[ArtefactInfo], hosts: dict[int, str], start_ns: int) -> bool:
    return any(
        each.host_id in hosts
        and each.ledger.first_ns is not None
        and each.ledger.last_ns is not None
        and each.ledger.first_ns <= start_ns - _WARM_UP_NS
        and each.ledger.last_ns >= start_ns
        for each in captures
    )


def _side_jobs(project: Project, gathered: Gathered, place: int, spans: Sequence[Span]) -> list[str]:
    said = [
        one.event.text
        for one in _inside(gathered.events_of(project, place), spans)
        if one.event.kind in (EventKind.COMMENT, EventKind.MARK)
    ]
    said += [
        note.text
        for note in engagements.list_notes(project)
        if note.time_ns is not None and any(first <= note.time_ns <= last for first, last in spans)
    ]
    if not said:
        return []  # no word is looked for, in either language's catalogue
    words = "|".join(catalogue(language).text("compare.side_jobs.words") for language in LANGUAGES)
    speaks_of_one = re.compile(words, re.IGNORECASE)
    return [text for text in said if speaks_of_one.search(text)]
