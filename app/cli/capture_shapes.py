"""Plans and captures as JSON: a public contract, English and stable."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any
from zoneinfo import ZoneInfo

from app.cli import shapes
from app.domain.capturing.plan import CapturePlan, PlannedCommand
from app.domain.capturing.run import CaptureGap, ClockCheck, StreamSegment
from app.sdk.probes import Probe
from app.usecases.capturing import plans as capture_plans
from app.usecases.capturing.collecting import SessionDetails, StreamRecord
from app.usecases.projects import Project, artefact


def probe(found: Probe) -> dict[str, Any]:
    return {
        "id": found.id,
        "os": list(found.os),
        "kind": str(found.kind),
        "name": dict(found.name),
        "purpose": dict(found.purpose),
        "command": found.command,
        "tool": found.tool or None,
        "parser": found.parser or None,
        "rights": str(found.rights),
        "licence": found.licence or None,
        "cpu_pct": found.cpu_pct,
        "bytes_per_s": found.bytes_per_s,
        "cost_source": found.cost_source or None,
        "default": found.default,
        "parameters": [
            {"name": p.name, "kind": str(p.kind), "default": p.default or None, "required": p.required, "many": p.many}
            for p in found.parameters
        ],
    }


def plan(found: CapturePlan) -> dict[str, Any]:
    return {
        "digest": found.digest,
        "nonce": found.nonce,
        "run": found.run,
        "phase": found.phase,
        "mode": str(found.mode),
        "interval_s": found.interval_s,
        "duration_s": found.duration_s,
        "schedule": {
            "kind": str(found.schedule.kind),
            "at": found.schedule.at or None,
            "every_s": found.schedule.every_s or None,
            "times": found.schedule.times,
        },
        "hosts": [
            {**asdict(host), "jump": list(host.jump), "totals": asdict(capture_plans.totals(found, host.name))}
            for host in found.hosts
        ],
        "commands": [_command(command) for command in found.commands],
    }


def _command(command: PlannedCommand) -> dict[str, Any]:
    return {
        "id": command.id,
        "host": command.host,
        "probe": command.probe,
        "kind": str(command.kind),
        "command": command.tool_line,
        "verbatim": command.verbatim,
        "purpose": {"ko": command.purpose_ko, "en": command.purpose_en},
        "rights": str(command.rights),
        "interval_s": command.interval_s,
        "count": command.count,
        "cpu_pct": command.cpu_pct,
        "bytes_per_s": command.bytes_per_s,
        "cost_source": command.cost_source or None,
        "files": list(command.files),
        "stop_by_hand": command.stop_by_hand or None,
        "own_words": command.own_words,
        "licence": command.licence or None,
    }


def session(project: Project, found: SessionDetails, zone: ZoneInfo) -> dict[str, Any]:
    """One finished capture: hosts, their streams with artefact and gaps, clocks."""
    return {
        "session": found.session.id,
        "run": found.plan.run,
        "phase": found.plan.phase,
        "plan": found.session.digest,
        "approved_by": found.approvals[-1].approved_by if found.approvals else None,
        "state": str(found.session.state),
        "started": found.session.started_at,
        "ended": found.session.ended_at,
        "note": found.session.note or None,
        "hosts": [
            {
                "name": host.name,
                "clock": [clock(check) for check in found.clocks if check.host == host.name],
                "overhead": _overhead(found, host.name),
                "streams": [
                    _stream(project, found, stream, zone)
                    for stream in found.streams
                    if found.plan.command(stream.command_id).host == host.name
                ],
            }
            for host in found.plan.hosts
        ],
    }


def _overhead(found: SessionDetails, host: str) -> dict[str, Any] | None:
    """What all processes of the capture used there, of one core; null where it was too short to be measured."""
    measured = found.overheads.get(host)
    if measured is None:
        return None
    return {
        "cpu_s": round(measured.cpu_s, 3),
        "measured_s": measured.measured_s,
        "cpu_pct": round(measured.cpu_pct, 3),
        "processes": measured.processes,
    }


def _stream(project: Project, found: SessionDetails, stream: StreamRecord, zone: ZoneInfo) -> dict[str, Any]:
    command = found.plan.command(stream.command_id)
    stored = artefact(project, stream.artefact_id) if stream.artefact_id is not None else None
    return {
        "id": stream.command_id,
        "probe": command.probe,
        "command": command.tool_line,
        "state": str(stream.state),
        "artefact": stream.artefact_id,
        "sha256": stored.sha256 if stored else None,
        "series": stored.ledger.series if stored else 0,
        "samples": stored.ledger.samples if stored else 0,
        "first": shapes.time(stored.ledger.first_ns, zone) if stored else None,
        "last": shapes.time(stored.ledger.last_ns, zone) if stored else None,
        "lines": stream.lines,
        "bytes": stream.bytes,
        "exit": stream.exit,
        "stderr": stream.stderr_tail or None,
        "measured_s": found.measured_s(stream.command_id),
        "tool_version": stream.tool_version or None,
        "cpu_s": stream.cpu_s,
        "left_behind": stream.leftovers,
        "segments": [_segment(segment, zone) for segment in found.segments.get(stream.command_id, ())],
        "gaps": [_gap(gap, zone) for gap in found.gaps if gap.stream == stream.command_id],
    }


def _segment(segment: StreamSegment, zone: ZoneInfo) -> dict[str, Any]:
    return {
        "first_line": segment.first_line,
        "first_byte": segment.first_byte,
        "end_byte": segment.end_byte,
        "began": shapes.time(segment.began_ns, zone),
        "ended": shapes.time(segment.ended_ns, zone),
        "exit": segment.exit_status,
        "cpu_s": segment.cpu_s,
        "pid": segment.pid,
    }


def _gap(gap: CaptureGap, zone: ZoneInfo) -> dict[str, Any]:
    return {
        "from": shapes.time(gap.start_ns, zone),
        "to": shapes.time(gap.end_ns, zone),
        "cause": str(gap.cause),
        "detected": gap.detected_at,
        "evidence": gap.evidence or None,
    }


def clock(check: ClockCheck) -> dict[str, Any]:
    return {
        "taken": check.taken_at,
        "offset_ms": check.offset_ns / 1e6,
        "error_ms": check.error_ns / 1e6,
        "zone": check.zone or None,
        "utc_offset_s": check.utc_offset_s,
    }
