"""Which server a snapshot is of, when it was taken and since when it counts; its settings and other facts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field
from zoneinfo import ZoneInfo

from tunebench.families.views.cells import moment_ns, number
from tunebench.families.views.dump import Dump
from tunebench.sdk import lazy_pattern, record
from tunebench.sdk.databases import DatabaseIdentity, Engine, TableRows

from .cells import Row
from .views import SERVER, NamedValues

_SECRET = lazy_pattern(r"(?i)(password|passwd|passphrase|secret|private_key)")
_SERVER_FACTS = ("version", "version_comment", "performance_schema", "digests", "scope")
_VARIABLE_FACTS = ("hostname", "port", "server_id", "server_uuid", "datadir", "slow_query_log", "log_output")
_OF_THE_SESSION = frozenset(
    {
        "timestamp",
        "rand_seed1",
        "rand_seed2",
        "last_insert_id",
        "insert_id",
        "identity",
        "error_count",
        "warning_count",
        "gtid_executed",
        "gtid_purged",
        "gtid_binlog_pos",
        "gtid_binlog_state",
        "gtid_current_pos",
        "gtid_slave_pos",
    }
)
"""Variables that change by themselves."""
_MARIADB_STATUS = ("aria_pagecache_blocks_used", "feature_subquery", "acl_users")


@record
class Server:
    """Everything of one snapshot that tells which server it is of."""

    row: Row = field(default_factory=dict)
    line: int = 0
    status: NamedValues = field(default_factory=NamedValues)
    variables: NamedValues = field(default_factory=NamedValues)

    @property
    def version(self) -> str:
        """``10.11.19-MariaDB-0+deb12u1``."""
        return self.row.get("version") or self.variables.get("version") or ""

    @property
    def comment(self) -> str:
        return self.row.get("version_comment") or self.variables.get("version_comment") or ""

    @property
    def keeps_statements(self) -> bool | None:
        """Whether the performance schema is on; None where the capture does not say."""
        word = (self.row.get("performance_schema") or self.variables.get("performance_schema") or "").upper()
        return {"1": True, "ON": True, "0": False, "OFF": False}.get(word)

    @property
    def uptime_s(self) -> float | None:
        uptime_s = number(self.status.get("uptime"))
        return number(self.row.get("uptime")) if uptime_s is None else uptime_s

    @property
    def is_ours(self) -> bool:
        """Whether our own capture wrote it: its times are UTC."""
        return "scope" in self.row

    def zone(self, zone: ZoneInfo) -> ZoneInfo:
        return ZoneInfo("UTC") if self.is_ours else zone


def server_row(dump: Dump) -> tuple[Row, int]:
    """The first section's row; names without ``@@`` and ``()``."""
    view = dump.view(SERVER)
    if view is None or not view.rows:
        return {}, 0
    cells = zip(view.columns, view.rows[0], strict=True)
    row = {name.removeprefix("@@").removeprefix("global.").partition("(")[0]: cell for name, cell in cells}
    return row, view.lines[0]


def engine_of(version: str, comment: str, status: Mapping[str, str] | None = None) -> Engine:
    """The engine, by the version's text; without one, by status variables that only MariaDB has."""
    if "mariadb" in f"{version} {comment}".lower():
        return Engine.MARIADB
    if not version and status is not None and any(name in status for name in _MARIADB_STATUS):
        return Engine.MARIADB
    return Engine.MYSQL


def plain_version(version: str) -> str:
    """``10.11.19`` of ``5.5.5-10.11.19-MariaDB-0+deb12u1``: replicas of old see the first part."""
    match = re.match(r"(?:5\.5\.5-)?(\d+(?:\.\d+){1,3})", version)
    return match[1] if match else ""


def identity_of(server: Server, replica: bool | None, engine: Engine | None = None) -> DatabaseIdentity:
    host = server.variables.get("hostname") or server.row.get("hostname") or ""
    port = (server.variables.get("port") or "").removeprefix("0")  # 0: reached through its socket alone
    number_of = number(server.variables.get("server_id"))
    return DatabaseIdentity(
        engine=engine or engine_of(server.version, server.comment, server.status.values),
        name=f"{host}:{port}" if host and port else host,
        db_id=server.variables.get("server_uuid") or "",
        instance_number=None if number_of is None else int(number_of),
        version=plain_version(server.version),
        edition=server.comment,
        role="" if replica is None else "replica" if replica else "primary",
        host=host,
        platform=" ".join(
            filter(None, (server.variables.get("version_compile_os"), server.variables.get("version_compile_machine")))
        ),
    )


def server_time_ns(dump: Dump, zone: ZoneInfo) -> int | None:
    """The server's own clock; ``now()`` of a customer's export is local to the server."""
    row, _ = server_row(dump)
    utc = row.get("utc_now") or row.get("utc_timestamp")
    return moment_ns(utc, ZoneInfo("UTC")) if utc else moment_ns(row.get("now") or row.get("sysdate"), zone)


def started_ns(time_ns: int | None, uptime_s: float | None) -> int | None:
    return None if time_ns is None or uptime_s is None else time_ns - round(uptime_s * 1e9)


def add_parameters(rows: TableRows, variables: NamedValues) -> None:
    for line, name, value in variables:
        if name.lower() not in _OF_THE_SESSION:
            rows.add(line, {"name": name, "begin": "***" if _is_secret(name, value) else value}, {})


def _is_secret(name: str, value: str) -> bool:
    """Settings about passwords are numbers and words of a policy; anything else may be one."""
    if not value or not _SECRET.search(name):
        return False
    return number(value) is None and value.upper() not in {"ON", "OFF", "YES", "NO", "LOW", "MEDIUM", "STRONG"}


def add_server_facts(rows: TableRows, server: Server) -> None:
    for name in _SERVER_FACTS:
        if server.row.get(name):
            rows.add(server.line, {"scope": SERVER, "name": name, "value": server.row[name]}, {})
    for name in _VARIABLE_FACTS:
        value = server.variables.get(name)
        if value:
            rows.add(server.variables.line(name), {"scope": SERVER, "name": name, "value": value}, {})
