"""Series of moments: sessions by state, active sessions by what they wait for, lags of standby servers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from tunebench.sdk import LedgerBook, SampleBatch, TableBuilder
from tunebench.sdk.databases import DatabaseRecord

from .sessions import Sessions

_STATES = ("active", "idle", "idle in transaction", "idle in transaction (aborted)")
_WAITS = ("CPU", "BufferPin", "Client", "Extension", "IO", "IPC", "Lock", "LWLock", "Timeout")
"""Every one has a value in each round: none waiting is 0, not missing."""
_LAGS = ("replay_lag", "replay_behind")


class MomentSeries:
    """Turns one round into samples."""

    def __init__(self, book: LedgerBook) -> None:
        self._states = TableBuilder("sessions", _STATES, None, book)
        self._waits = TableBuilder("active sessions", _WAITS, None, book)
        self._lags = TableBuilder("replication", _LAGS, "process", book)

    def of(self, record: DatabaseRecord, sessions: Sessions | None) -> Iterator[SampleBatch]:
        time_ns = record.end.time_ns
        if time_ns is None:
            return
        if sessions is not None and sessions.first_line:
            states = [sessions.by_state.get(state, 0) for state in _STATES]
            self._states.row(time_ns, sessions.first_line, b"", _numbers(states))
            waiting: Counter[str] = Counter()
            for (kind, _), count in sessions.waits.items():
                waiting[kind] += count
            self._waits.row(time_ns, sessions.first_line, b"", _numbers([waiting[kind] for kind in _WAITS]))
            yield from self._states.flush(final=True)
            yield from self._waits.flush(final=True)
        yield from self._lag_batches(record, time_ns)

    def _lag_batches(self, record: DatabaseRecord, time_ns: int) -> Iterator[SampleBatch]:
        table = record.table("state")
        lags: dict[str, dict[str, tuple[int, float]]] = {}
        ends, lines = table.figure("end"), table.lines
        for index, (scope, name) in enumerate(table.keys()):
            if scope.startswith("pg_stat_replication ") and name in _LAGS:
                lags.setdefault(scope.partition(" ")[2], {})[name] = (int(lines[index]), float(ends[index]))
        for standby, figures in lags.items():
            line = min(line for line, _ in figures.values())
            cells = b" ".join(b"%.6f" % figures[name][1] if name in figures else b"-" for name in _LAGS)
            self._lags.row(time_ns, line, standby.encode(), cells)
        yield from self._lags.flush(final=True)


def _numbers(values: list[int]) -> bytes:
    return b" ".join(b"%d" % value for value in values)
