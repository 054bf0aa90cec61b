"""Hosts of an engagement."""

# ruff: noqa: S608 - only names written in this module are put into queries; values are bound

from __future__ import annotations

from typing import TYPE_CHECKING

from tunebench.domain.engagement import Host
from tunebench.domain.operating_systems import os_word
from tunebench.store.audit import trail as audit

if TYPE_CHECKING:
    from tunebench.store.project import Project

_COLUMNS = "id, name, os, os_version, zone, zone_source"


def list_hosts(project: Project) -> list[Host]:
    return [Host(*row) for row in project.rows(f"SELECT {_COLUMNS} FROM host ORDER BY name")]


def hosts_of_captures(project: Project) -> list[Host]:
    """Hosts that have captures: those to be named and counted. A host whose captures went to another one, or out,
    stays in the file, for its windows and the words about it."""
    held = "id IN (SELECT host_id FROM artefact)"
    return [Host(*row) for row in project.rows(f"SELECT {_COLUMNS} FROM host WHERE {held} ORDER BY name")]


def host_name(project: Project, host_id: int) -> str:
    """LookupError where there is no such host."""
    row = project.row("SELECT name FROM host WHERE id = ?", (host_id,))
    if row is None:
        raise LookupError(f"no host {host_id}")
    return str(row[0])


def ensure_host(
    project: Project, name: str, os: str = "", os_version: str = "", zone: str = "", zone_source: str = ""
) -> Host:
    """The host called `name`, made if it is new; what was not known of it so far is filled in."""
    os = os_word(os)
    with project.transaction() as connection:
        row = connection.execute(f"SELECT {_COLUMNS} FROM host WHERE name = ?", (name,)).fetchone()
        if row is None:
            cursor = connection.execute(
                "INSERT INTO host (name, os, os_version, zone, zone_source) VALUES (?, ?, ?, ?, ?)",
                (name, os, os_version, zone, zone_source),
            )
            audit.record(project, "host_added", host_id=cursor.lastrowid, name=name)
            return Host(int(cursor.lastrowid or 0), name, os, os_version, zone, zone_source)
        existing = Host(*row)
        host = Host(
            existing.id,
            name,
            existing.os or os,
            existing.os_version or os_version,
            existing.zone or zone,
            existing.zone_source if existing.zone else zone_source,
        )
        if host != existing:
            _update(project, host)
            audit.record(project, "host_changed", host_id=host.id, name=name)
    return host


def set_host_zone(project: Project, host_id: int, zone: str, source: str) -> None:
    with project.transaction() as connection:
        row = connection.execute(f"SELECT {_COLUMNS} FROM host WHERE id = ?", (host_id,)).fetchone()
        if row is None:
            raise LookupError(f"no host {host_id}")
        host = Host(*row)
        _update(project, Host(host.id, host.name, host.os, host.os_version, zone, source))
        audit.record(
            project, "host_zone_changed", host_id=host_id, name=host.name, before=host.zone, after=zone, source=source
        )


def _update(project: Project, host: Host) -> None:
    with project.transaction() as connection:
        connection.execute(
            "UPDATE host SET os = ?, os_version = ?, zone = ?, zone_source = ? WHERE id = ?",
            (host.os, host.os_version, host.zone, host.zone_source, host.id),
        )


def set_host_system(project: Project, name: str, os: str = "", os_version: str = "") -> None:
    """What system a host has, as a person decided between two copies; an empty word leaves what is there."""
    with project.transaction() as connection:
        row = connection.execute(f"SELECT {_COLUMNS} FROM host WHERE name = ?", (name,)).fetchone()
        if row is None:
            raise LookupError(f"no host {name}")
        host = Host(*row)
        _update(project, Host(host.id, name, os or host.os, os_version or host.os_version, host.zone, host.zone_source))
        audit.record(project, "host_changed", host_id=host.id, name=name)
