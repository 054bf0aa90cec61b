"""What the devices of a host are called, as a person said."""

# ruff: noqa: S608 - only names written in this module are put into queries; values are bound

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tunebench.core.grouping import by_key
from tunebench.domain.assembly import DeviceAlias
from tunebench.store.audit import trail as audit
from tunebench.store.hosts import host_name
from tunebench.store.locking import current_user

if TYPE_CHECKING:
    from tunebench.store.project import Project

_COLUMNS = "device, name, start_ns, end_ns, 'user', author, written_at"


def list_aliases(project: Project) -> dict[int, tuple[DeviceAlias, ...]]:
    """Host id -> its devices' names, in the order in which they were given."""
    rows = project.rows(f"SELECT host_id, {_COLUMNS} FROM device_alias ORDER BY id")
    by_host = by_key((host_id, DeviceAlias(*values)) for host_id, *values in rows)
    return {host_id: tuple(own) for host_id, own in by_host.items()}


def replace_aliases(project: Project, host_id: int, aliases: Sequence[DeviceAlias]) -> None:
    """These are the names of the host's devices from now on; those without an author are the present user's."""
    now, user = audit.now_iso(project), current_user()
    signed = [replace(alias, author=alias.author or user, written_at=alias.written_at or now) for alias in aliases]
    with project.transaction() as connection:
        name = host_name(project, host_id)
        before = list_aliases(project).get(host_id, ())
        if before == tuple(signed):
            return
        connection.execute("DELETE FROM device_alias WHERE host_id = ?", (host_id,))
        connection.executemany(
            "INSERT INTO device_alias (host_id, device, name, start_ns, end_ns, author, written_at)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            [(host_id, a.device, a.name, a.start_ns, a.end_ns, a.author, a.written_at) for a in signed],
        )
        audit.record(
            project,
            "device_names_changed",
            host_id=host_id,
            name=name,
            before=[alias_words(a) for a in before],
            after=[alias_words(a) for a in signed],
        )


def alias_words(alias: DeviceAlias) -> str:
    """``dm-3 = /oradata [2026-07-06T00:00:00+00:00, ]``, as the trail has it."""
    words = f"{alias.device} = {alias.name}"
    if alias.start_ns is None and alias.end_ns is None:
        return words
    return f"{words} [{_end(alias.start_ns)}, {_end(alias.end_ns)}]"


def _end(time_ns: int | None) -> str:
    return "" if time_ns is None else audit.iso_of(time_ns)
