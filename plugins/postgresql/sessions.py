"""What sessions are doing at the moment of a round: pg_stat_activity and pg_locks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field

from tunebench.families.views.cells import number
from tunebench.families.views.dump import Dump
from tunebench.sdk import record
from tunebench.sdk.databases import ROUNDS, DatabaseIdentity, DatabaseRecord, Moment, Reach, TableRows

from .cells import Row, is_true
from .lock_waits import LockWait, added_up

CLIENT = "client backend"
ON_CPU = ("CPU", "")
"""An active session that waits for nothing runs, or stands in the processors' queue."""


@record
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
    locks: dict[str, tuple[int, int]] = {}
    for line, row in zip(view.lines, view.records(), strict=True):
        if is_true(row["granted"]) is False:
            name = f"{row['locktype']} {row['mode']}"
            first, count = locks.get(name, (line, 0))
            locks[name] = (first, count + (int(number(row["locks"]) or 0) if "locks" in row else 1))
    for name, (line, count) in locks.items():
        yield line, name, count


_LEAST_ROUNDS, _LEAST_NS = 10, 10_000_000_000
"""Of a slice: with fewer, what was seen by chance outweighs what is usual."""


@record(frozen=False)
class _Slice:
    """Sightings of active sessions between two moments."""

    begin: Moment
    end: Moment
    rounds: int = 0
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    lines: dict[tuple[str, str], int] = field(default_factory=dict)
    lock_waits: list[LockWait] = field(default_factory=list)

    @property
    def is_full(self) -> bool:
        length_ns = (self.end.time_ns or 0) - (self.begin.time_ns or 0)
        return self.rounds >= _LEAST_ROUNDS and length_ns >= _LEAST_NS

    def record(self, source: str, identity: DatabaseIdentity) -> DatabaseRecord | None:
        """The record; None for a slice without length or sightings."""
        end = self.end
        if self.begin.time_ns is None or end.time_ns is None or end.time_ns <= self.begin.time_ns or not self.counts:
            return None
        waits, activity = TableRows("wait_event"), TableRows("activity")
        everything = sum(self.counts.values())
        for wait, count in self.counts.most_common():
            texts = {"event": wait[1] or wait[0], "ground": "foreground", "wait_class": wait[0]}
            waits.add(self.lines[wait], texts, {"samples": float(count), "share_pct": count / everything * 100})
        activity.add(0, {"scope": ROUNDS[0], "name": ROUNDS[1], "unit": "1"}, {"total": float(self.rounds)})
        tables = {"wait_event": waits.close(), "activity": activity.close()}
        if self.lock_waits:
            tables["lock_wait"] = added_up(self.lock_waits)
        elapsed_s = (end.time_ns - self.begin.time_ns) / 1e9
        return DatabaseRecord(source, Reach.PERIOD, identity, end, self.begin, elapsed_s, tables=tables)


@record(frozen=False)
class WaitSamples:
    """Sightings of active sessions over the rounds of one capture, slice by slice, so that they can be followed."""

    source: str
    _identity: DatabaseIdentity | None = None
    _slices: list[_Slice] = field(default_factory=list)

    def add(
        self, identity: DatabaseIdentity, moment: Moment, sessions: Sessions, lock_waits: Iterable[LockWait] = ()
    ) -> None:
        self._identity = self._identity or identity
        last = self._slices[-1] if self._slices else None
        if last is None or last.is_full:
            last = _Slice(moment if last is None else last.end, moment)
            self._slices.append(last)
        last.end = moment
        last.rounds += 1
        last.counts.update(sessions.waits)
        last.lock_waits += lock_waits
        for wait, line in sessions.lines.items():
            last.lines.setdefault(wait, line)

    def records(self) -> Iterator[DatabaseRecord]:
        """What is left at the end goes with the slice before it."""
        if len(self._slices) > 1 and not self._slices[-1].is_full:
            rest, last = self._slices.pop(), self._slices[-1]
            last.end, last.rounds = rest.end, last.rounds + rest.rounds
            last.counts.update(rest.counts)
            last.lock_waits += rest.lock_waits
            last.lines = rest.lines | last.lines
        for period in self._slices:
            record = period.record(self.source, self._identity) if self._identity is not None else None
            if record is not None:
                yield record
