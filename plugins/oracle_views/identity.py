"""Which database and instance a dump is of, and by which clock."""

from __future__ import annotations

import re
from collections.abc import Iterator
from zoneinfo import ZoneInfo

from tunebench.families.views.dump import Dump, View
from tunebench.sdk import lazy_pattern, record
from tunebench.sdk.databases import DatabaseIdentity, Engine

from .cells import HostClock, Row, ahead_of_utc, number, whole
from .views import INSTANCE

_EDITION = lazy_pattern(r"\b(Enterprise|Standard|Express|Personal|Free|Developer|XE)\b(?: Edition)?", re.IGNORECASE)
_VERSION = lazy_pattern(r"\b(\d{1,2}\.\d{1,2}\.\d{1,2}\.\d{1,2}(?:\.\d{1,2})?)\b")
_ROOT = frozenset({"0", "1", ""})
_FACTS = (
    "db_name",
    "instance_name",
    "host_name",
    "version",
    "banner",
    "open_mode",
    "database_role",
    "platform_name",
    "startup_time",
    "container",
)


@record
class Server:
    """The first section of a round of ours, or what exports of V$INSTANCE, V$DATABASE and V$VERSION say."""

    row: Row
    line: int
    identity: DatabaseIdentity
    clock: HostClock

    @property
    def started_ns(self) -> int | None:
        return self.clock.ns(self.row.get("startup_time"))

    @property
    def utc_ns(self) -> int | None:
        """When the capture was taken, as the database says."""
        return HostClock(ZoneInfo("UTC")).ns(self.row.get("utc_now"))

    def facts(self) -> Iterator[tuple[str, str]]:
        for name in _FACTS:
            if self.row.get(name, "").strip():
                yield name, self.row[name].strip()


def read_server(dump: Dump, zone: ZoneInfo) -> Server:
    views = [view for name in (INSTANCE, "v$instance", "v$database") if (view := dump.view(name)) is not None]
    row = _first_rows(views)
    line = next((view.lines[0] for view in views if view.lines), 0)
    banners = dump.view("v$version")
    banner = row.get("banner") or next(iter((banners.column("banner") if banners else None) or ()), "")
    row = {**row, **({"banner": banner} if banner else {})}
    clock = HostClock(zone, ahead_of_utc(row.get("local_now"), row.get("utc_now")))
    return Server(row, line, _identity(row, dump), clock)


def _first_rows(views: list[View]) -> dict[str, str]:
    """The first row of each; what V$DATABASE calls NAME is the database's."""
    cells: dict[str, str] = {}
    for view in views:
        for row in view.records()[:1]:
            named = {"db_name" if name == "name" else name: cell.strip() for name, cell in row.items()}
            cells = {**named, **cells}
    return cells


def _identity(row: Row, dump: Dump) -> DatabaseIdentity:
    banner = row.get("banner", "")
    version = row.get("version_full") or row.get("version") or _first(_VERSION.search(banner))
    host = _host_figures(dump)
    return DatabaseIdentity(
        engine=Engine.ORACLE,
        name=row.get("db_name", ""),
        db_id=row.get("dbid", "") or _only_db_id(dump),
        unique_name=row.get("db_unique_name", ""),
        instance=row.get("instance_name", ""),
        instance_number=whole(row.get("instance_number")),
        container="" if row.get("con_id", "") in _ROOT else row.get("container", ""),
        version=version,
        edition=edition_of(banner),
        role=row.get("database_role", ""),
        host=row.get("host_name", ""),
        platform=row.get("platform_name", ""),
        clustered={"YES": True, "NO": False}.get(row.get("parallel", "").upper()),
        cpu_count=_whole(host.get("NUM_CPUS")),
        core_count=_whole(host.get("NUM_CPU_CORES")),
        socket_count=_whole(host.get("NUM_CPU_SOCKETS")),
        memory_bytes=host.get("PHYSICAL_MEMORY_BYTES"),
    )


def edition_of(banner: str) -> str:
    """``EE``, ``SE``, ``XE``, ``Free`` ...; a Standard Edition of 10g and 11g names none."""
    match = _EDITION.search(banner)
    if match is None:
        return "SE" if "Oracle Database" in banner else ""
    words = {"enterprise": "EE", "standard": "SE", "express": "XE", "xe": "XE", "personal": "PE"}
    return words.get(match[1].lower(), match[1])


def _first(match: re.Match[str] | None) -> str:
    return "" if match is None else match[1]


def _whole(value: float | None) -> int | None:
    return None if value is None else int(value)


def _only_db_id(dump: Dump) -> str:
    """Rows of the repository carry the database's id themselves."""
    for view in dump.views:
        ids = set(view.column("dbid") or ()) - {""}
        if len(ids) == 1:
            return ids.pop().strip()
    return ""


def _host_figures(dump: Dump) -> dict[str, float]:
    view = dump.view("v$osstat", "v$statistic")
    if view is None or "stat_name" not in view.columns:
        return {}
    figures = ((row["stat_name"].strip(), number(row["value"].strip())) for row in view.records())
    return {name: value for name, value in figures if value is not None}
