"""What was captured live, out of the project, for the report."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime

from tunebench.capture.server_cost import stored_costs
from tunebench.domain.capturing.plan import CommandKind, PlannedCommand
from tunebench.domain.capturing.run import CaptureGap, SessionRecord, StreamRecord, StreamSegment
from tunebench.domain.engagement import Phase, Run
from tunebench.reporting.cases.capture import (
    AuditLine,
    AuditTrail,
    CapturedGap,
    CapturedSession,
    CapturedStream,
    ClockReading,
    FactChange,
    FactComparison,
    HostOverhead,
    LiveCapture,
    TrailHead,
)
from tunebench.store import hosts, plans, sessions
from tunebench.store.artefacts import ArtefactInfo, list_artefacts
from tunebench.store.audit import trail as audit
from tunebench.store.audit.trail import MERGED, AuditEntry
from tunebench.store.cycle import check as cycle_check
from tunebench.store.cycle import records as cycle_records
from tunebench.store.project import Project
from tunebench.store.runs import list_runs
from tunebench.usecases.capturing import licences as capture_licences

NS_PER_S = 1_000_000_000
Facts = dict[tuple[str, str], str]
EvidenceKey = Callable[[int | None], str]


def live_capture(project: Project, evidence: EvidenceKey, trail: int | None = None) -> LiveCapture | None:
    """The sessions, inventories and trail of live capture; None where nothing was captured live.

    Args:
        evidence: the report's key of an artefact, empty where it has none.
    """
    records = sessions.list_sessions(project)
    if not records:
        return None
    runs = {run.id: run for run in list_runs(project)}
    artefacts = {artefact.id: artefact for artefact in list_artefacts(project)}
    captured = tuple(_session(project, record, runs, artefacts, evidence) for record in records)
    return LiveCapture(captured, _comparisons(project, records), _trail(project, trail))


def _session(
    project: Project,
    record: SessionRecord,
    runs: Mapping[int, Run],
    artefacts: Mapping[int, ArtefactInfo],
    evidence: EvidenceKey,
) -> CapturedSession:
    plan = plans.find_plan(project, record.digest)
    commands = {command.id: command for command in plan.commands}
    gaps = sessions.list_gaps(project, record.id)
    approval = next(reversed(plans.approvals(project, record.digest)), None)
    run = runs.get(record.run_id)
    ended_ns = _ns(record.ended_at)
    ran = sessions.list_streams(project, record.id)
    streams = tuple(
        _stream(
            project,
            stream,
            commands,
            artefacts,
            [gap for gap in gaps if gap.stream == stream.command_id],
            ended_ns,
            evidence,
        )
        for stream in ran
    )
    return CapturedSession(
        run=run.label if run else plan.run,
        phase=str(run.phase) if run else plan.phase,
        label=record.label,
        state=str(record.state),
        started_ns=_ns(record.started_at),
        ended_ns=ended_ns,
        mode=str(plan.mode),
        digest=record.digest,
        approved_by=approval.approved_by if approval else "",
        approved_ns=_ns(approval.approved_at) if approval else None,
        approved_how=approval.how if approval else "",
        note=record.note,
        streams=streams,
        gaps=tuple(_gap(gap, commands) for gap in gaps),
        clocks=tuple(
            ClockReading(check.host, _ns(check.taken_at), check.offset_ns, check.error_ns, check.zone)
            for check in sessions.list_clock_checks(project, record.id)
        ),
        overheads=tuple(
            HostOverhead(host, cost.cpu_s, cost.measured_s, cost.processes)
            for host, cost in stored_costs(project, plan, ran)
        ),
        licences=capture_licences.given_for(project, plan),
    )


def _stream(
    project: Project,
    record: StreamRecord,
    commands: Mapping[str, PlannedCommand],
    artefacts: Mapping[int, ArtefactInfo],
    gaps: Sequence[CaptureGap],
    session_end_ns: int | None,
    evidence: EvidenceKey,
) -> CapturedStream:
    command = commands.get(record.command_id)
    artefact = artefacts.get(record.artefact_id or 0)
    segments = sessions.read_segments(project, artefact.id) if artefact else []
    cpu_s, measured_s = overhead(segments)
    interval_s = command.interval_s if command else None
    last_ns = artefact.ledger.last_ns if artefact else None
    return CapturedStream(
        host=command.host if command else record.command_id.partition("/")[0],
        probe=command.probe if command else record.command_id.partition("/")[2],
        tool_line=command.tool_line if command and command.kind is not CommandKind.HOUSE else "",
        state=str(record.state),
        interval_s=interval_s,
        samples=(artefact.ledger.samples or None) if artefact else None,
        coverage_pct=coverage(segments, gaps, last_ns, session_end_ns) if interval_s is not None else None,
        gaps=len(gaps),
        starts=len(segments),
        tool_version=record.tool_version,
        cpu_s=cpu_s,
        measured_s=measured_s,
        received_bytes=record.bytes,
        leftovers=record.leftovers,
        evidence=evidence(record.artefact_id),
    )


def _gap(gap: CaptureGap, commands: Mapping[str, PlannedCommand]) -> CapturedGap:
    command = commands.get(gap.stream)
    host, _, probe = gap.stream.partition("/")
    return CapturedGap(
        command.host if command else host,
        command.probe if command else probe,
        gap.start_ns,
        gap.end_ns,
        str(gap.cause),
        gap.evidence,
    )


def overhead(segments: Iterable[StreamSegment]) -> tuple[float | None, float | None]:
    """Processor time, and the seconds it was taken in, over the starts where both were measured."""
    cpu_s = measured_s = 0.0
    measured = False
    for segment in segments:
        if segment.cpu_s is not None and segment.began_ns is not None and segment.ended_ns is not None:
            cpu_s += segment.cpu_s
            measured_s += (segment.ended_ns - segment.began_ns) / NS_PER_S
            measured = True
    return (cpu_s, measured_s) if measured else (None, None)


def coverage(
    segments: Sequence[StreamSegment], gaps: Sequence[CaptureGap], last_ns: int | None, session_end_ns: int | None
) -> float | None:
    """Percent of the time from the first start (or first gap) to the end that no gap takes.

    Args:
        last_ns: time of the last sample.
        session_end_ns: where a gap without an end ends.
    """
    starts = [segment.began_ns for segment in segments if segment.began_ns is not None]
    starts += [gap.start_ns for gap in gaps]
    ends = [segment.ended_ns for segment in segments if segment.ended_ns is not None]
    ends += [gap.end_ns if gap.end_ns is not None else session_end_ns or gap.start_ns for gap in gaps]
    ends += [last_ns] if last_ns is not None else []
    if not starts or not ends or max(ends) <= min(starts):
        return None
    first, last = min(starts), max(ends)
    without = _length([(gap.start_ns, gap.end_ns or session_end_ns or last) for gap in gaps])
    return 100.0 * (1 - without / (last - first))


def _length(spans: Iterable[tuple[int, int]]) -> int:
    """The length of the union of the spans."""
    total, reached = 0, -1
    for start, end in sorted(spans):
        total += max(end - max(start, reached), 0)
        reached = max(reached, end)
    return total


# -- configuration ---------------------------------------------------------------------------------------


def _comparisons(project: Project, records: Sequence[SessionRecord]) -> tuple[FactComparison, ...]:
    """Per host: the runs before and after against each other, then start and end of every run captured live."""
    captured = {record.run_id for record in records}
    runs = [run for run in list_runs(project) if run.id in captured]
    names = {host.id: host.name for host in hosts.list_hosts(project)}
    sources = {artefact.id: artefact.name for artefact in list_artefacts(project)}
    inventories = {run.id: _inventories(sessions.list_facts(project, run.id), sources) for run in runs}
    by_phase = {run.phase: run for run in runs}
    before, after = by_phase.get(Phase.BEFORE), by_phase.get(Phase.AFTER)
    comparisons = []
    for host_id in _hosts_of(project, records, inventories):
        own = {run.id: inventories[run.id].get(host_id, {}) for run in runs}
        name = names.get(host_id, "")
        if before and after:
            sides = (_last(own[before.id]), _first(own[after.id]))
            comparisons.append(compare_facts(name, before.label, after.label, *sides))
        for run in runs:
            ends = (_first(own[run.id]), _last(own[run.id], taken_at_least=2))
            comparisons.append(compare_facts(name, run.label, run.label, *ends))
    return tuple(comparisons)


Inventory = tuple[int, Facts]
"""When it was taken (server clock, UTC ns), and its facts by section and name."""
BySource = Mapping[str, Sequence[Inventory]]
"""The inventories of each artefact name (the same command may have run in several sessions), oldest first."""


def _hosts_of(
    project: Project, records: Sequence[SessionRecord], inventories: Mapping[int, Mapping[int, BySource]]
) -> list[int]:
    streams = (stream.host_id for record in records for stream in sessions.list_streams(project, record.id))
    with_inventory = (host_id for by_host in inventories.values() for host_id in by_host)
    return sorted({host_id for host_id in (*streams, *with_inventory) if host_id is not None})


def _inventories(facts: Sequence[sessions.StoredFact], sources: Mapping[int, str]) -> dict[int, BySource]:
    """Per host the inventories of each source, oldest first; names that one inventory gives twice are joined."""
    inventories: dict[int, dict[str, dict[int, Facts]]] = {}
    for stored in facts:
        source = sources.get(stored.artefact_id, "")
        one = inventories.setdefault(stored.host_id, {}).setdefault(source, {}).setdefault(stored.moment_ns, {})
        key = (stored.fact.section, stored.fact.name)
        one[key] = f"{one[key]}; {stored.fact.value}" if key in one else stored.fact.value
    return {
        host_id: {source: sorted(moments.items()) for source, moments in by_source.items()}
        for host_id, by_source in inventories.items()
    }


def _first(by_source: BySource) -> Inventory | None:
    return _merged([inventories[0] for inventories in by_source.values()], min)


def _last(by_source: BySource, taken_at_least: int = 1) -> Inventory | None:
    """The last of every source that was taken so often."""
    return _merged([inventories[-1] for inventories in by_source.values() if len(inventories) >= taken_at_least], max)


def _merged(inventories: Sequence[Inventory], moment: Callable[[Iterable[int]], int]) -> Inventory | None:
    if not inventories:
        return None
    facts = {key: value for _, one in inventories for key, value in one.items()}
    return moment(taken for taken, _ in inventories), facts


def compare_facts(
    host: str, earlier: str, later: str, before: Inventory | None, after: Inventory | None
) -> FactComparison:
    """What differs between two inventories; a section that only one of them has is named, not compared."""
    old, new = (side[1] if side else {} for side in (before, after))
    sections = [{section for section, _ in facts} for facts in (old, new)]
    shared = sections[0] & sections[1]
    one_sided = [(section, "earlier") for section in sections[0] - shared]
    one_sided += [(section, "later") for section in sections[1] - shared]
    keys = [key for key in dict.fromkeys((*old, *new)) if key[0] in shared]
    changes = [FactChange(*key, old.get(key), new.get(key)) for key in keys if old.get(key) != new.get(key)]
    return FactComparison(
        host=host,
        earlier=earlier,
        later=later,
        earlier_ns=before[0] if before else None,
        later_ns=after[0] if after else None,
        compared=len(keys),
        changes=tuple(sorted(changes, key=lambda change: (change.section, change.name))),
        one_sided=tuple(sorted(one_sided)) if before and after else (),
    )


# -- audit trail -----------------------------------------------------------------------------------------


def _trail(project: Project, until: int | None) -> AuditTrail:
    """
    Args:
        until: the last entry that counts; None for all.
    """
    entries = [entry for entry in audit.list_audit(project) if until is None or entry.id <= until]
    last_id, digest = (entries[-1].id, entries[-1].digest) if until and entries else audit.chain_head(project)
    lines = tuple(
        AuditLine(entry.id, _ns(entry.time), entry.user, entry.action, entry.shown_facts()) for entry in entries
    )
    changed = cycle_check.changed_outside(project, cycle_records.stored_records(project))
    outside = tuple(dict.fromkeys(change.record for change in changed))
    return AuditTrail(lines, last_id, digest, audit.verify_chain(project), outside, tuple(_merged_in(entries)))


def _merged_in(entries: Iterable[AuditEntry]) -> Iterator[TrailHead]:
    for entry in entries:
        if entry.action == MERGED and entry.facts.get("branch"):
            last_id, length = (int(str(entry.facts.get(name, 0))) for name in ("theirs", "entries"))
            yield TrailHead(last_id, str(entry.facts["branch"]), length)


def _ns(iso: str | None) -> int | None:
    """UTC ns of an ISO time; None where there is none."""
    if not iso:
        return None
    moment = datetime.fromisoformat(iso)
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return int(moment.timestamp() * NS_PER_S)
