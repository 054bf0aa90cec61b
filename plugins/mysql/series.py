"""Series of moments: connected sessions and how far replicas are behind."""

from __future__ import annotations

from collections.abc import Iterator

from tunebench.sdk import LedgerBook, SampleBatch, TableBuilder
from tunebench.sdk.databases import DatabaseRecord

from .load import SCOPE
from .views import REPLICA

_SESSIONS = ("running", "idle")
_LAG = "seconds_behind"


class MomentSeries:
    """Turns one snapshot into samples."""

    def __init__(self, book: LedgerBook) -> None:
        self._sessions = TableBuilder("sessions", _SESSIONS, None, book)
        self._lags = TableBuilder("replication", (_LAG,), "process", book)

    def of(self, record: DatabaseRecord) -> Iterator[SampleBatch]:
        time_ns = record.end.time_ns
        if time_ns is None:
            return
        table = record.table("state")
        ends, lines = table.figure("end").tolist(), table.lines.tolist()
        by_key = {key: (ends[index], lines[index]) for index, key in enumerate(table.keys())}
        running, connected = by_key.get((SCOPE, "Threads_running")), by_key.get((SCOPE, "Threads_connected"))
        if running is not None and connected is not None:
            cells = b"%d %d" % (running[0], max(connected[0] - running[0], 0))
            self._sessions.row(time_ns, running[1], b"", cells)
        for (scope, name), (lag_s, line) in by_key.items():
            if scope.startswith(REPLICA) and name == _LAG:
                channel = scope.removeprefix(REPLICA).strip() or "source"
                self._lags.row(time_ns, line, channel.encode(), b"%.6f" % lag_s)
        yield from self._sessions.flush(final=True)
        yield from self._lags.flush(final=True)
