"""How far standby servers are behind: pg_stat_replication on the primary, pg_stat_wal_receiver on the standby."""

from __future__ import annotations

from collections.abc import Iterator
from zoneinfo import ZoneInfo

from tunebench.families.views.cells import moment_ns, number
from tunebench.families.views.dump import Dump
from tunebench.sdk.databases import TableRows

from .cells import Row, interval_s, wal_place
from .views import RECOVERY

Figure = tuple[int, str, str, float, str]  # line, scope, name, value, unit

_LAGS = ("write_lag", "flush_lag", "replay_lag")
_PLACES = ("write_lsn", "flush_lsn", "replay_lsn")
_STANDBY_FACTS = ("state", "sync_state", "client_addr")
_RECEIVER_FACTS = ("status", "sender_host", "sender_port", "slot_name")
_SLOT_FACTS = ("slot_type", "active", "wal_status")


def add_replication_states(rows: TableRows, dump: Dump, zone: ZoneInfo) -> None:
    for line, scope, name, value, unit in (*_standbys(dump), *_recovery(dump, zone), *_slots(dump)):
        rows.add(line, {"scope": scope, "name": name, "unit": unit}, {"end": value})


def _standbys(dump: Dump) -> Iterator[Figure]:
    """Lags as the primary sees them. An idle standby reports no times: its lag is not 0 but unknown."""
    for line, scope, row in _named(dump, "pg_stat_replication"):
        for name in _LAGS:
            lag = interval_s(row.get(name))
            if lag is not None:
                yield line, scope, name, lag, "s"
        sent = wal_place(row.get("current_lsn")) or wal_place(row.get("sent_lsn"))
        for name in _PLACES:
            reached = wal_place(row.get(name))
            if sent is not None and reached is not None:
                yield line, scope, name.replace("_lsn", "_behind"), float(sent - reached), "By"


def _recovery(dump: Dump, zone: ZoneInfo) -> Iterator[Figure]:
    """On the standby: what was received and is not replayed yet, and how old the last replayed transaction is."""
    view = dump.view(RECOVERY)
    for line, row in zip(view.lines, view.records(), strict=True) if view is not None else ():
        received, replayed = wal_place(row["receive_lsn"]), wal_place(row["replay_lsn"])
        if received is None or replayed is None:
            continue
        yield line, "pg_stat_wal_receiver", "replay_behind", float(received - replayed), "By"
        now_ns, last_ns = moment_ns(row.get("now"), zone), moment_ns(row["replay_timestamp"], zone)
        if received == replayed:  # everything is replayed; an old transaction only says that nobody writes
            yield line, "pg_stat_wal_receiver", "replay_delay", 0.0, "s"
        elif now_ns is not None and last_ns is not None:
            yield line, "pg_stat_wal_receiver", "replay_delay", (now_ns - last_ns) / 1e9, "s"


def _slots(dump: Dump) -> Iterator[Figure]:
    for line, scope, row in _named(dump, "pg_replication_slots"):
        retained = number(row.get("retained_bytes"))
        if retained is not None:
            yield line, scope, "retained", retained, "By"


def _named(dump: Dump, name: str) -> Iterator[tuple[int, str, Row]]:
    """Rows with the name of the standby or slot that each is of."""
    view = dump.view(name)
    for line, row in zip(view.lines, view.records(), strict=True) if view is not None else ():
        words = (row.get("slot_name", ""), row.get("application_name", ""), row.get("client_addr", ""))
        yield line, " ".join([name, *(word for word in words if word)]), row


def replication_facts(dump: Dump) -> Iterator[tuple[int, str, str, str]]:
    """(line, scope, name, value)."""
    for name, columns in (("pg_stat_replication", _STANDBY_FACTS), ("pg_replication_slots", _SLOT_FACTS)):
        for line, scope, row in _named(dump, name):
            yield from ((line, scope, column, row[column]) for column in columns if row.get(column))
    view = dump.view("pg_stat_wal_receiver")
    for line, row in zip(view.lines, view.records(), strict=True) if view is not None else ():
        yield from ((line, view.name, column, row[column]) for column in _RECEIVER_FACTS if view and row.get(column))
