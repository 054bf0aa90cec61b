"""Whose report it is and over which time."""

from __future__ import annotations

from dataclasses import field
from datetime import datetime

from tunebench.core.records import record
from tunebench.sdk.databases import DatabaseIdentity, Engine, Moment
from tunebench.sdk.times import TimeKeeper, utc_ns

GIB = 1024.0**3


@record(frozen=False)
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


class Clock:
    """Resolves the moments of one report after the other; reports in any order are no clock that went back."""

    def __init__(self, times: TimeKeeper) -> None:
        self._times = times

    def resolve(
        self, started: datetime | None, begin: datetime | None, end: datetime | None
    ) -> tuple[int | None, int | None, int | None]:
        """UTC nanoseconds of the three; an end in a repeated hour is the one that follows the begin."""
        self._times.restart_table()
        started_ns = None if started is None else self._times.at_datetime(started)
        self._times.restart_table()
        begin_ns = None if begin is None else self._times.at_datetime(begin)
        if begin is not None and end is not None and self._goes_back(begin, end):
            self._times.restart_table()
        end_ns = None if end is None else self._times.at_datetime(end)
        return started_ns, begin_ns, end_ns

    def _goes_back(self, begin: datetime, end: datetime) -> bool:
        """Whether the end is before the begin, also where the host's clock was set back between them."""
        zone = self._times.context.zone
        return end < begin and utc_ns(end.replace(tzinfo=zone, fold=1)) <= utc_ns(begin.replace(tzinfo=zone))

    def restart(self, time_ns: int | None) -> None:
        self._times.restart(time_ns)
