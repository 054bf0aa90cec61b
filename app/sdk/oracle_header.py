"""Whose report it is and over which time."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from app.sdk.databases import DatabaseIdentity, Engine, Moment
from app.sdk.oracle_clock import Clock

GIB = 1024.0**3


@dataclass(slots=True)
class Header:
    """What the top of a report says; times are the host's wall clock until `Clock` resolves them.

    Attributes:
        lines: line of each thing, for those who ask where it stands.
    """

    identity: DatabaseIdentity = field(default_factory=lambda: DatabaseIdentity(Engine.ORACLE))
    started: datetime | None = None
    begin: datetime | None = None
    end: datetime | None = None
    begin_snapshot: int | None = None
    end_snapshot: int | None = None
    begin_sessions: int | None = None
    end_sessions: int | None = None
    elapsed_s: float | None = None
    db_time_s: float | None = None
    language: str = ""

    @property
    def known(self) -> bool:
        return bool(self.identity.name or self.identity.db_id or self.end or self.end_snapshot)

    def moments(self, clock: Clock) -> tuple[Moment | None, Moment]:
        """Begin and end; no begin where the report does not name one."""
        started_ns, begin_ns, end_ns = clock.resolve(self.started, self.begin, self.end)
        was_up = started_ns is not None and begin_ns is not None and started_ns <= begin_ns
        begin = Moment(begin_ns, self.begin_snapshot, started_ns if was_up else None, sessions=self.begin_sessions)
        end = Moment(end_ns, self.end_snapshot, started_ns, sessions=self.end_sessions)
        return (None if begin_ns is None and self.begin_snapshot is None else begin), end

    @property
    def restarted(self) -> bool:
        """Whether the instance started inside the period; the start is printed without seconds."""
        if self.started is None or self.begin is None or self.end is None:
            return False
        return self.begin < self.started <= self.end and self.started != self.begin.replace(second=0)
