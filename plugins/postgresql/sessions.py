"""What sessions are doing at the moment of a round: pg_stat_activity and pg_locks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from app.families.views.cells import number
from app.families.views.dump import Dump
from app.sdk.databases import DatabaseIdentity, FigureTable, Moment, TableRows

from .cells import Row, is_true

CLIENT = "client backend"
ON_CPU = ("CPU", "")
"""An active session that waits for nothing runs, or stands in the processors' queue."""


@dataclass(frozen=True, slots=True)
class Sessions:
    """Client sessions of one moment.

    Attributes:
        by_state: sessions by what `state` says.
        waits: active ones by (wait_event_type, wait_event).
        lines: where each of `waits` stands first.
    """

    by_state: Mapping[str, int]
    waits: Mapping[tuple[str, str], int]
    lines: Mapping[tuple[str, str], int]
    first_line: int

    @property
    def total(self) -> int:
        return sum(self.by_state.values())


def read_sessions(dump: Dump) -> Sessions | None:
    """Out of rows of sessions, or of sessions already counted (column `sessions`)."""
    view = dump.view("pg_stat_activity")
    if view is None:
        return None
    states: Counter[str] = Counter()
    waits: Counter[tuple[str, str]] = Counter()
    lines: dict[tuple[str, str], int] = {}
    for line, row in zip(view.lines, view.records(), strict=True):
        if row.get("backend_type", CLIENT) != CLIENT or row.get("application_name") == "tunebench":
            continue
        count = _count(row)
        states[row["state"] or "unknown"] += count
        if row["state"] == "active":
            wait = (row["wait_event_type"], row["wait_event"]) if row["wait_event_type"] else ON_CPU
            waits[wait] += count
            lines.setdefault(wait, line)
    return Sessions(states, waits, lines, view.lines[0] if view.lines else 0)


def _count(row: Row) -> int:
    """At most what any server bears: a torn cell is no million of sessions."""
    return min(int(number(row.get("sessions")) or 0), 1_000_000) if "sessions" in row else 1


def add_session_states(rows: TableRows, sessions: Sessions | None, dump: Dump) -> None:
    if sessions is not None:
        for state, count in sessions.by_state.items():
            rows.add(sessions.first_line, {"scope": "sessions", "name": state, "unit": "1"}, {"end": float(count)})
    for line, name, count in _waiting_locks(dump):
        rows.add(line, {"scope": "pg_locks", "name": name, "unit": "1"}, {"end": float(count)})


def _waiting_locks(dump: Dump) -> Iterator[tuple[int, str, int]]:
    """Locks that are asked for and not granted."""
    view = dump.view("pg_locks")
    if view is None:
        return
    found: dict[str, tuple[int, int]] = {}
    for line, row in zip(view.lines, view.records(), strict=True):
        if is_true(row["granted"]) is False:
            name = f"{row['locktype']} {row['mode']}"
            first, count = found.get(name, (line, 0))
            found[name] = (first, count + (int(number(row["locks"]) or 0) if "locks" in row else 1))
    for name, (line, count) in found.items():
        yield line, name, count


@dataclass(slots=True)
class WaitSamples:
    """Sightings of active sessions over the rounds of one capture."""

    identity: DatabaseIdentity | None = None
    begin: Moment | None = None
    end: Moment | None = None
    rounds: int = 0
    _counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    _lines: dict[tuple[str, str], int] = field(default_factory=dict)

    def add(self, identity: DatabaseIdentity, moment: Moment, sessions: Sessions) -> None:
        self.identity = self.identity or identity
        self.begin = self.begin or moment
        self.end = moment
        self.rounds += 1
        self._counts.update(sessions.waits)
        for wait, line in sessions.lines.items():
            self._lines.setdefault(wait, line)

    def table(self) -> FigureTable:
        rows = TableRows("wait_event")
        everything = sum(self._counts.values())
        for wait, count in self._counts.most_common():
            texts = {"event": wait[1] or wait[0], "ground": "foreground", "wait_class": wait[0]}
            rows.add(self._lines[wait], texts, {"samples": float(count), "share_pct": count / everything * 100})
        return rows.close()
