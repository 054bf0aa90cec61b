"""What the project holds of two windows besides their samples: facts for the ten checks of comparability."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from datetime import datetime
from zoneinfo import ZoneInfo

from tunebench.analysis.comparing import comparability as checks
from tunebench.analysis.comparing.calendar_slots import Calendars
from tunebench.analysis.comparing.comparability import Busy, Configuration, Load, Span
from tunebench.analysis.comparing.comparison import ComparedSeries, SplitOffer
from tunebench.analysis.comparing.judging import Prepared
from tunebench.analysis.comparing.window_sides import Side
from tunebench.core.errors import UserError
from tunebench.core.messages import LANGUAGES, catalogue
from tunebench.core.records import record
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

_COMPLETED, _FAILED = "db.client.transactions.completed", "db.client.transactions.failed"
_CPU, _DISK = "system.cpu.utilization", "system.disk.utilization"
_MACHINE = (EventKind.CPU_COUNT, EventKind.MEMORY_SIZE)
_STORAGE = (EventKind.DEVICE_ADDED, EventKind.DEVICE_REMOVED)
_DATABASE_DIFFERENCES = ("cpu_count_differs", "version_differs", "memory_bytes_differs")
_CHANGED = ("change_inside", "change_between_hours")
_WARM_UP_NS = round(checks.WARM_UP_S * checks.NS_PER_S)


@record
class GateFacts:
    """Facts the gate needs of one pair of series, taken while its samples are in memory.

    Attributes:
        busy: of the side before; None of a series that is no utilization of processors or a disk.
        coverage: of the side that is covered less; None where either is not known.
        interval_ratio: of the longer interval to the shorter; None where either is not known.
    """

    busy: Busy | None
    coverage: float | None = None
    interval_ratio: float | None = None


@record(frozen=False)
class Evidence:
    """What the gate decides by: facts of all series, and what else the project holds of both windows."""

    before: Window
    after: Window
    windows: tuple[Sequence[Stretch], Sequence[Stretch]]
    left_out: tuple[Sequence[Stretch], Sequence[Stretch]] = ((), ())
    facts: list[GateFacts] = field(default_factory=list)
    looked_at: int = 0
    drifting: int = 0
    hosts: tuple[dict[int, str], dict[int, str]] = field(default_factory=lambda: ({}, {}))

    @property
    def spans(self) -> tuple[list[Span], list[Span]]:
        return spans_of(self.windows[0]), spans_of(self.windows[1])

    @property
    def coverages(self) -> list[float]:
        return [facts.coverage for facts in self.facts if facts.coverage is not None]

    @property
    def interval_ratios(self) -> list[float]:
        return [facts.interval_ratio for facts in self.facts if facts.interval_ratio is not None]

    @property
    def busy(self) -> list[Busy]:
        return [facts.busy for facts in self.facts if facts.busy is not None]

    def runs(self, side: int) -> tuple[int | None, ...]:
        """Runs whose captures are in the window of a side; only None where those of all runs are."""
        run_ids = {stretch.run_id for stretch in self.windows[side]}
        return (None,) if None in run_ids else tuple(sorted(run_id for run_id in run_ids if run_id is not None))

    def captures(self, project: Project, side: int) -> list[ArtefactInfo]:
        return [capture for run_id in self.runs(side) for capture in list_artefacts(project, run_id)]

    def database(self, project: Project) -> DatabaseComparison | None:
        """The pair of databases with the most statements that can be compared; None where there is none."""
        for first, second in database_comparison.largest_first(project, self.before, self.after):
            try:
                return database_comparison.compare_pair(project, self.before, self.after, first, second)
            except UserError:  # the comparison of databases tells why this one cannot be compared
                continue
        return None

    def take(self, row: ComparedSeries, ready: Prepared, facts: GateFacts) -> None:
        for side, info in enumerate((row.before, row.after)):
            if info is not None:
                self.hosts[side][info.host_id] = info.host
        self.facts.append(facts)
        self.looked_at += ready.refusal is None or ready.refusal.reason in _CHANGED
        self.drifting += any(caution.key == "drift" for caution in ready.cautions)

    def saturated(self) -> list[Busy]:
        return [resource for resource in self.busy if resource.saturated]

    def restart_offers(self, project: Project) -> list[SplitOffer]:
        return [
            SplitOffer(name, self.hosts[side][stored.host_id or 0], stored.event.start_ns, "restart")
            for side, name in enumerate(("before", "after"))
            for stored in _inside(self.events_of(project, side), self.spans[side])
            if stored.event.kind is EventKind.RESTART
        ]

    def events_of(self, project: Project, side: int) -> list[StoredEvent]:
        return [stored for host_id in self.hosts[side] for stored in events.list_events(project, host_id)]


def limited_by(row: ComparedSeries, saturated: Iterable[Busy]) -> str:
    """The resource whose saturation before the change limited this series; empty where none did."""
    if row.before is None:
        return ""
    host, devices = row.before.host, ("", row.before.identity.get("device", ""))
    return next((resource.label for resource in saturated if resource.host == host and resource.device in devices), "")


def gate_facts(read: ReadPair) -> GateFacts:
    before, after = read.before.side, read.after.side
    busy = None if before is None else _busy(before)
    if before is None or after is None:
        return GateFacts(busy)
    one, other, first, second = before.interval_s, after.interval_s, before.coverage, after.coverage
    coverage = None if first is None or second is None else min(first, second)
    return GateFacts(busy, coverage, max(one, other) / min(one, other) if one and other else None)


def _busy(side: Side) -> Busy | None:
    info = side.info
    p95 = _p95_pct(side) if info.metric in (_CPU, _DISK) and side.n else None
    if p95 is None:
        return None
    return Busy(info.host, info.identity.get("device", ""), f"{info.tool} {info.label}", p95)


def _p95_pct(side: Side) -> float | None:
    """Utilization in per cent: idle time is turned round; None of other states of processors, which are only a part."""
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
    evidence: Evidence,
    rows: Sequence[ComparedSeries],
    offers: Sequence[SplitOffer],
    database: DatabaseComparison | None,
    load: Load | None,
    calendars: Calendars,
) -> tuple[GateCheck, ...]:
    """The checks C1 to C10, in this order."""
    zones = [calendar.zone for calendar in calendars]
    spans = evidence.spans
    generated = is_generated(rows)
    restarts = [(offer.side, offer.host) for offer in offers if offer.reason == "restart"]
    executed = _executed(project)
    clocks = moved_clocks(project, [evidence.captures(project, side) for side in (0, 1)], spans, zones)
    return (
        checks.configuration(_configuration(project, evidence, rows, spans, database, executed)),
        checks.calendar(
            *spans,
            calendars,
            generated,
            is_dated(project, evidence),
            clocks,
            ([stretch.span for stretch in evidence.left_out[0]], [stretch.span for stretch in evidence.left_out[1]]),
        ),
        checks.load(load, generated),
        checks.similarity(database.statements.similarity if database else None),
        checks.coverage(evidence.coverages, evidence.interval_ratios, restarts, _missing(project, evidence, zones)),
        checks.stationarity(offers, evidence.looked_at, evidence.drifting),
        checks.warm_up(*_warm_up(project, evidence, spans, executed)),
        checks.errors(_failed_pct(rows, "before_statistics"), _failed_pct(rows, "after_statistics")),
        checks.saturation(evidence.busy),
        checks.side_jobs(*(_side_jobs(project, evidence, side, spans[side]) for side in (0, 1))),
    )


def is_dated(project: Project, evidence: Evidence) -> bool:
    """Whether every capture says by itself when it was measured."""
    compared = {*evidence.runs(0), *evidence.runs(1)}
    return not any(run.dated_by_file for run in list_runs(project) if run.id in compared or None in compared)


def _missing(project: Project, evidence: Evidence, zones: Sequence[ZoneInfo]) -> list[str]:
    """Occurrences of the kept windows that are not among those compared any more."""
    book, missing = cycle_records.read_book(project), []
    labels = {run.id: run.label for run in list_runs(project)}
    for window, zone in zip((evidence.before, evidence.after), zones, strict=True):
        kept = book.find(Window, window.id) if window.id else None
        runs, spans = window.run_ids, {occurrence.span for occurrence in window.occurrences}
        for asked in kept.occurrences if kept else ():
            if asked.run_id not in runs if asked.is_open else asked.span not in spans:
                missing.append(stretch_text(asked.span, zone) or labels.get(asked.run_id or 0, ""))
    return missing


def is_generated(rows: Iterable[ComparedSeries]) -> bool:
    """Whether a load generator tells what it asked for on both sides."""
    return any(row.before and row.after and row.metric.startswith(GENERATORS) for row in rows)


# -- windows -------------------------------------------------------------------------------------------


def _inside(happened: Iterable[StoredEvent], spans: Sequence[Span]) -> list[StoredEvent]:
    return [stored for stored in happened if any(first < stored.event.start_ns < last for first, last in spans)]


# -- C1 ------------------------------------------------------------------------------------------------


def _configuration(
    project: Project,
    evidence: Evidence,
    rows: Sequence[ComparedSeries],
    spans: Sequence[Sequence[Span]],
    database: DatabaseComparison | None,
    executed: Sequence[tuple[int, str, str]],
) -> Configuration:
    if not spans[0] or not spans[1]:
        return Configuration(told=False)
    first_ns = min(spans[0][0][0], spans[1][0][0])
    last_ns = max(spans[0][-1][1], spans[1][-1][1])
    changes = [stored.event for stored in evidence.events_of(project, 1) if first_ns < stored.event.start_ns <= last_ns]
    words = [event.text for event in changes if event.kind in _MACHINE]
    machine = [*words, *_other_systems(project, evidence), *_database_differences(database)]
    storage = [event.text for event in changes if event.kind in _STORAGE]
    within = [(title, parameter) for at_ns, title, parameter in executed if first_ns <= at_ns <= last_ns]
    recorded, by_name = [title for title, _ in within], {parameter.strip().lower() for _, parameter in within}
    differing = dict.fromkeys((*storage, *_parameters(database)))  # a disk that several tools saw come is one
    stated = bool(machine or storage or database) or _tells_sizes(project, evidence) or _counts_processors(rows)
    unrecorded = [name for name in differing if name.strip().lower() not in by_name]
    return Configuration(stated, _different_hosts(evidence), machine, unrecorded, list(dict.fromkeys(recorded)))


def _different_hosts(evidence: Evidence) -> tuple[str, str] | None:
    """The two machines where each side is one machine, and not the same; else None."""
    names = [{name for name in hosts.values() if name and not is_unnamed(name)} for hosts in evidence.hosts]
    if len(names[0]) == len(names[1]) == 1 and names[0] != names[1]:
        return names[0].pop(), names[1].pop()
    return None


def _other_systems(project: Project, evidence: Evidence) -> Iterator[str]:
    systems = [_systems(evidence.captures(project, side)) for side in (0, 1)]
    if systems[0] and systems[1] and not systems[0] & systems[1]:
        yield " → ".join(", ".join(sorted(side)) for side in systems)


def _systems(captures: Sequence[ArtefactInfo]) -> set[str]:
    return {capture.ledger.os for capture in captures if capture.ledger.os}


def _database_differences(database: DatabaseComparison | None) -> Iterator[str]:
    for caution in database.cautions if database else ():
        if caution.key in _DATABASE_DIFFERENCES:
            yield f"{caution.facts.get('before')} → {caution.facts.get('after')}"


def _parameters(database: DatabaseComparison | None) -> list[str]:
    return [parameter.name for parameter in database.profile.parameters if parameter.between] if database else []


def _tells_sizes(project: Project, evidence: Evidence) -> bool:
    """Whether inventories of both runs say how large the machine is."""
    captures = [{capture.id for capture in evidence.captures(project, side)} for side in (0, 1)]
    hosts = evidence.hosts[0].keys() | evidence.hosts[1].keys()
    inventories = {fact[1] for host_id in hosts for fact in captured_columns.size_facts(project, host_id)}
    return all(inventories & side for side in captures)


def _counts_processors(rows: Sequence[ComparedSeries]) -> bool:
    return any(row.before and row.after and row.attributes.get("cpu", "").isdigit() for row in rows)


def _executed(project: Project) -> list[tuple[int, str, str]]:
    """(time, title, parameter) of the changes in the change log, without those that were rolled back."""
    book = cycle_records.read_book(project)
    executed = []
    for line in book.all(ExecutedChange):
        moment = _time_ns(line.executed_at)
        if moment is not None and not line.rolled_back_at:
            action = book.find(Action, line.action_id)
            title = action.title if action and action.title else line.parameter
            executed.append((moment, title, line.parameter))
    return executed


def _time_ns(iso_text: str) -> int | None:
    try:
        moment = datetime.fromisoformat(iso_text)
    except ValueError:
        return None
    return round(moment.timestamp()) * checks.NS_PER_S if moment.tzinfo else None


# -- C3, C4, C8 ----------------------------------------------------------------------------------------


def _failed_pct(rows: Sequence[ComparedSeries], side: str) -> float | None:
    """Share of a load generator's transactions that failed; None where it does not count both."""
    sums = {_COMPLETED: 0.0, _FAILED: 0.0}
    counted = set()
    for row in rows:
        figures = getattr(row, side)
        if row.metric in sums and figures is not None and figures.mean is not None:
            sums[row.metric] += figures.mean * figures.n
            counted.add(row.metric)
    total = sum(sums.values())
    return 100 * sums[_FAILED] / total if len(counted) == len(sums) and total > 0 else None


# -- C7, C10 -------------------------------------------------------------------------------------------


def _warm_up(
    project: Project, evidence: Evidence, spans: Sequence[Sequence[Span]], executed: Sequence[tuple[int, str, str]]
) -> tuple[list[tuple[str, int]], bool]:
    """((side, time) of restarts and changes that a window may still feel, whether captures reach back far enough)."""
    moments = []
    covered = True
    captures = list_artefacts(project)
    for side, name in enumerate(("before", "after")):
        restarts = [own.event for own in evidence.events_of(project, side) if own.event.kind is EventKind.RESTART]
        times = [*(event.start_ns for event in restarts), *(at_ns for at_ns, *_ in executed)]
        for first, last in spans[side]:
            moments += [(name, at_ns) for at_ns in times if first - _WARM_UP_NS < at_ns <= first]
            moments += [(name, at_ns) for at_ns, *_ in executed if first < at_ns < last]
        if spans[side]:
            covered &= _reaches_back(captures, evidence.hosts[side], spans[side][0][0])
    return moments, covered


def _reaches_back(captures: Sequence[ArtefactInfo], hosts: dict[int, str], start_ns: int) -> bool:
    return any(
        capture.host_id in hosts
        and capture.ledger.first_ns is not None
        and capture.ledger.last_ns is not None
        and capture.ledger.first_ns <= start_ns - _WARM_UP_NS
        and capture.ledger.last_ns >= start_ns
        for capture in captures
    )


def _side_jobs(project: Project, evidence: Evidence, side: int, spans: Sequence[Span]) -> list[str]:
    """Remarks inside the window that speak of a backup, a batch job or the like."""
    remarks = [
        stored.event.text
        for stored in _inside(evidence.events_of(project, side), spans)
        if stored.event.kind in (EventKind.COMMENT, EventKind.MARK)
    ]
    remarks += [
        note.text
        for note in engagements.list_notes(project)
        if note.time_ns is not None and any(first <= note.time_ns <= last for first, last in spans)
    ]
    if not remarks:
        return []  # no word is looked for, in either language's catalogue
    words = "|".join(catalogue(language).text("compare.side_jobs.words") for language in LANGUAGES)
    speaks_of_one = re.compile(words, re.IGNORECASE)
    return [text for text in remarks if speaks_of_one.search(text)]
