"""What began a session that was cut off, as the project tells it: the folder beside the project decides nothing.

Anybody who can write the folder could otherwise have other lines sent under an approval that was given for a plan.
"""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from tunebench.capture.context import iso
from tunebench.capture.spooled import SessionFile, host_folders
from tunebench.core.errors import UserError
from tunebench.store import plans, sessions
from tunebench.store.audit import trail as audit
from tunebench.store.project import Project


def approved_beginning(project: Project, session_id: int, folder: Path) -> SessionFile:
    """Plan, approval and times out of the project, after what lies in `folder` was found to say the same.

    Raises:
        UserError: as `plans.approved_plan` does; capture_spool_unreadable; capture_session_changed.
    """
    session = sessions.find_session(project, session_id)
    plan, approvals = plans.approved_plan(project, session.digest)
    spooled = SessionFile.read(folder)
    entries = [
        entry
        for entry in audit.chained(project, "capture_started", "capture_extended")
        if entry.facts.get("session_id") == session_id
    ]
    begun = next((entry.facts for entry in entries if entry.action == "capture_started"), {})
    compared = {
        "session_id": (spooled.session_id, session_id),
        "plan": (spooled.plan, plan),
        "digest": (begun.get("digest"), plan.digest),
        "approval": (spooled.approval in approvals, True),
        "started_ns": (iso(spooled.started_ns), begun.get("planned_start")),
        "planned_end_ns": (iso(spooled.planned_end_ns), begun.get("planned_end")),
        "folders": (dict(spooled.folders), host_folders(plan)),
    }
    different = [name for name, (one, other) in compared.items() if one != other]
    if different:
        raise UserError("capture_session_changed", folder=str(folder), fields=", ".join(different))
    end_ms = round(datetime.fromisoformat(str(entries[-1].facts["planned_end"])).timestamp() * 1000)
    latest_ns = spooled.started_ns + round(plan.duration_s * 1e9)
    return SessionFile(
        session_id,
        session.label,
        plan,
        spooled.approval,
        spooled.started_ns,
        min(end_ms * 1_000_000, latest_ns),
        host_folders(plan),
    )
