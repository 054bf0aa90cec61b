"""The audit trail: every change with time, user, action and facts."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from app.store.locking import current_user

if TYPE_CHECKING:
    from app.store.project import Project


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One change. `time` is ISO (UTC); `action` a key below ``audit.``; `facts` fill its sentence."""

    id: int
    time: str
    user: str
    action: str
    facts: dict[str, object]


def now_iso() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def record(project: Project, action: str, **facts: object) -> None:
    """Adds an entry, in the transaction that is open on this thread if there is one."""
    text = json.dumps(facts, ensure_ascii=False, default=str)
    with project.transaction() as connection:
        connection.execute(
            "INSERT INTO audit (time, user, action, facts) VALUES (?, ?, ?, ?)",
            (now_iso(), current_user(), action, text),
        )


def list_audit(project: Project) -> list[AuditEntry]:
    """All entries, oldest first."""
    with project.reading() as connection:
        rows = connection.execute("SELECT id, time, user, action, facts FROM audit ORDER BY id").fetchall()
    return [AuditEntry(id_, time, user, action, json.loads(facts)) for id_, time, user, action, facts in rows]
