"""Plans and captures as JSON: a public contract, English and stable."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any
from zoneinfo import ZoneInfo

from tunebench.contract import shapes
from tunebench.contract.shapes import shape
from tunebench.domain.capturing import budget
from tunebench.domain.capturing.plan import CapturePlan, PlannedCommand
from tunebench.domain.capturing.run import ClockCheck, StreamRecord
from tunebench.sdk.probes import Probe
from tunebench.usecases.capturing.collecting import SessionDetails
from tunebench.usecases.projects import Project, find_artefact

_SEGMENT = "first_line first_byte end_byte began=began_ns ended=ended_ns exit=exit_status cpu_s pid"
_GAP = "from=start_ns to=end_ns cause detected=detected_at evidence?"


def probe(probe: Probe) -> dict[str, Any]:
    names = "command tool? parser? rights licence? cpu_pct bytes_per_s cost_source? default"
    return {
        **shape(probe, f"id os kind name purpose {names}"),
        "parameters": [shape(parameter, "name kind default? required many") for parameter in probe.parameters],
    }


def plan(plan: CapturePlan) -> dict[str, Any]:
    return {
        **shape(plan, "digest nonce run phase mode interval_s duration_s"),
        "schedule": shape(plan.schedule, "kind at? every_s? times"),
        "hosts": [
            {**asdict(host), "jump": list(host.jump), "totals": asdict(budget.totals(plan, host.name))}
            for host in plan.hosts
        ],
        "commands": [_command(command) for command in plan.commands],
    }


def _command(command: PlannedCommand) -> dict[str, Any]:
    return {
        **shape(command, "id host probe kind command=tool_line verbatim"),
        "purpose": {"ko": command.purpose_ko, "en": command.purpose_en},
        **shape(
            command, "rights interval_s count cpu_pct bytes_per_s cost_source? files stop_by_hand? own_words licence?"
        ),
    }


def session(project: Project, details: SessionDetails, zone: ZoneInfo) -> dict[str, Any]:
    """One finished capture: hosts, their streams with artefact and gaps, clocks."""
    return {
        "session": details.session.id,
        "run": details.plan.run,
        "phase": details.plan.phase,
        "plan": details.session.digest,
        "approved_by": details.approvals[-1].approved_by if details.approvals else None,
        "state": str(details.session.state),
        "started": details.session.started_at,
        "ended": details.session.ended_at,
        "note": details.session.note or None,
        "hosts": [
            {
                "name": host.name,
                "clock": [clock(check) for check in details.clocks if check.host == host.name],
                "overhead": _overhead(details, host.name),
                "streams": [
                    _stream(project, details, stream, zone)
                    for stream in details.streams
                    if details.plan.command(stream.command_id).host == host.name
                ],
            }
            for host in details.plan.hosts
        ],
    }


def _overhead(details: SessionDetails, host: str) -> dict[str, Any] | None:
    """What all processes of the capture used there, of one core; null where it was too short to be measured."""
    measured = details.overheads.get(host)
    if measured is None:
        return None
    return {
        "cpu_s": round(measured.cpu_s, 3),
        "measured_s": measured.measured_s,
        "cpu_pct": round(measured.cpu_pct, 3),
        "processes": measured.processes,
    }


def _stream(project: Project, details: SessionDetails, stream: StreamRecord, zone: ZoneInfo) -> dict[str, Any]:
    command = details.plan.command(stream.command_id)
    stored = find_artefact(project, stream.artefact_id) if stream.artefact_id is not None else None
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
        **shape(stream, "lines bytes exit stderr=stderr_tail?"),
        "measured_s": details.measured_s(stream.command_id),
        **shape(stream, "tool_version? cpu_s left_behind=leftovers"),
        "segments": [shape(segment, _SEGMENT, zone) for segment in details.segments.get(stream.command_id, ())],
        "gaps": [shape(gap, _GAP, zone) for gap in details.gaps if gap.stream == stream.command_id],
    }


def clock(check: ClockCheck) -> dict[str, Any]:
    return {
        "taken": check.taken_at,
        "offset_ms": check.offset_ns / 1e6,
        "error_ms": check.error_ns / 1e6,
        **shape(check, "zone? utc_offset_s"),
    }
