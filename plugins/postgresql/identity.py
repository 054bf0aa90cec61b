"""Which server a dump is of, when it was taken, when its counters began; its settings and other facts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from zoneinfo import ZoneInfo

from tunebench.families.views.cells import moment_ns, number
from tunebench.families.views.dump import Dump
from tunebench.sdk import lazy_pattern, record
from tunebench.sdk.databases import DatabaseIdentity, Engine, FigureTable, Moment, TableRows

from .cells import Row, is_true
from .load import database_scope
from .replication import replication_facts
from .sessions import Sessions
from .views import SERVER, STATEMENTS_INFO

_RESET_ON_REQUEST_ONLY = 150_000
"""From 15 on a database that was never reset says nothing; before, `stats_reset` is also when its statistics began."""
_SHARED_VIEWS = ("pg_stat_bgwriter", "pg_stat_checkpointer", "pg_stat_wal", "pg_stat_io", STATEMENTS_INFO)
_CLOCKS = ("now", "clock_timestamp", "statement_timestamp", "current_timestamp", "localtimestamp")
_OF_THE_SESSION = ("client", "session")
_SECRET = lazy_pattern(r"(password|passwd|sslpassword)\s*=\s*('[^']*'|\S+)", re.IGNORECASE)
_SERVER_FACTS = (
    "version",
    "server_version",
    "database",
    "session_user",
    "address",
    "port",
    "cluster_name",
    "system_identifier",
    "in_recovery",
    "monitor",
)


@record
class Server:
    """The first section of a round of ours; empty for exports."""

    row: Row
    line: int

    @property
    def database(self) -> str:
        return self.row.get("database", "")

    @property
    def version_number(self) -> int:
        return int(number(self.row.get("server_version_num")) or 0)


def read_server(dump: Dump) -> Server:
    view = dump.view(SERVER)
    rows = view.records() if view is not None else []
    return Server(rows[0] if rows else {}, view.lines[0] if view is not None and rows else 0)


def identity_of(server: Server) -> DatabaseIdentity:
    standby, port = is_true(server.row.get("in_recovery")), server.row.get("port", "")
    return DatabaseIdentity(
        engine=Engine.POSTGRESQL,
        name=server.row.get("cluster_name") or (f"postgresql:{port}" if port else ""),
        db_id=server.row.get("system_identifier", ""),
        # a standby has the identifier of its primary
        instance="standby" if standby else "",
        version=server.row.get("server_version", "").partition(" ")[0],
        role="" if standby is None else "standby" if standby else "primary",
    )


def server_time_ns(dump: Dump, zone: ZoneInfo) -> int | None:
    """The server's own clock: our probe's, else a column that stands beside those of a view (``select now(), s.*``)."""
    clocks = (view.column(*_CLOCKS) for view in sorted(dump.views, key=lambda view: view.name != SERVER))
    return next((moment_ns(cells[0], zone) for cells in clocks if cells and cells[0]), None)


def moment_of(dump: Dump, server: Server, sessions: Sessions | None, zone: ZoneInfo) -> Moment:
    info = dump.view(STATEMENTS_INFO)
    evictions = number((info.column("dealloc") or [""])[0]) if info is not None and info.rows else None
    return Moment(
        time_ns=dump.time_ns,
        started_ns=moment_ns(server.row.get("postmaster_start"), zone),
        reset_ns=_statements_reset_ns(dump, zone),
        evictions=None if evictions is None else int(evictions),
        sessions=None if sessions is None else sessions.total,
    )


def _statements_reset_ns(dump: Dump, zone: ZoneInfo) -> int | None:
    """The list of statements is set back by itself; when other views were is told by facts."""
    info = dump.view(STATEMENTS_INFO)
    cells = info.column("stats_reset") if info is not None else None
    return moment_ns(cells[0], zone) if cells else None


def _resets(dump: Dump, server: Server) -> Iterator[tuple[int, str, str]]:
    """(line, view, when its counters were last set back, as printed); empty where they never were."""
    for name in _SHARED_VIEWS:
        view = dump.view(name)
        cells = view.column("stats_reset") if view is not None else None
        if view is not None and cells and cells[0]:
            yield view.lines[0], name, cells[0]
    never_is_told = server.version_number >= _RESET_ON_REQUEST_ONLY
    databases = dump.view("pg_stat_database")
    for line, row in zip(databases.lines, databases.records(), strict=True) if databases is not None else ():
        printed = row.get("stats_reset", "")
        if printed or never_is_told:
            yield line, database_scope(row), printed


def parameter_table(dump: Dump) -> FigureTable:
    rows = TableRows("parameter")
    view = dump.view("pg_settings")
    for line, row in zip(view.lines, view.records(), strict=True) if view is not None else ():
        if row.get("source") in _OF_THE_SESSION:
            continue  # what the capturing session set for itself
        value = without_secrets(row["setting"])
        rows.add(line, {"name": row["name"], "begin": value, "unit": row.get("unit", "")}, {})
    return rows.close()


def without_secrets(value: str) -> str:
    """`primary_conninfo` of somebody's export may hold a password."""
    return _SECRET.sub(r"\1=***", value)


def fact_table(dump: Dump, server: Server, counts: Mapping[str, int]) -> FigureTable:
    """`counts`: of rows that were hidden from the capture or left out of it."""
    rows = TableRows("fact")
    for name in _SERVER_FACTS:
        if server.row.get(name):
            rows.add(server.line, {"scope": SERVER, "name": name, "value": server.row[name]}, {})
    for line, scope, printed in _resets(dump, server):
        rows.add(line, {"scope": scope, "name": "stats_reset", "value": printed}, {})
    for line, scope, name, value in replication_facts(dump):
        rows.add(line, {"scope": scope, "name": name, "value": value}, {})
    for name, count in counts.items():
        if count:
            rows.add(0, {"scope": "pg_stat_statements", "name": name, "value": str(count)}, {})
    return rows.close()
