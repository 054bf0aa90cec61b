"""Host profiles, and the host keys that a person accepted for this engagement. No secrets."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from tunebench.core.records import record
from tunebench.domain.connection import AcceptedKey, Backend, HostColour, HostKey, HostProfile
from tunebench.store.audit import trail as audit

if TYPE_CHECKING:
    from tunebench.store.project import Project


# -- profiles ------------------------------------------------------------------------------------------


def list_profiles(project: Project) -> list[HostProfile]:
    """All of them, by name."""
    return [_from_json(text) for (text,) in project.rows("SELECT profile FROM host_profile ORDER BY name")]


def save_profile(project: Project, profile: HostProfile) -> None:
    """Adds the profile, or replaces the one of its name; the audit trail keeps what changed."""
    with project.transaction() as connection:
        existing = _find(connection, profile.name)
        if existing == profile:
            return
        connection.execute(
            "INSERT OR REPLACE INTO host_profile (name, profile) VALUES (?, ?)", (profile.name, _to_json(profile))
        )
        audit.record(
            project, "profile_saved", name=profile.name, address=profile.address, changes=_changes(existing, profile)
        )


def remove_profile(project: Project, name: str) -> None:
    """Removes the profile; the host's captures and accepted keys stay."""
    with project.transaction() as connection:
        existing = _find(connection, name)
        if existing is None:
            return
        connection.execute("DELETE FROM host_profile WHERE name = ?", (name,))
        audit.record(project, "profile_removed", name=name, address=existing.address)


def _find(connection: sqlite3.Connection, name: str) -> HostProfile | None:
    row = connection.execute("SELECT profile FROM host_profile WHERE name = ?", (name,)).fetchone()
    return None if row is None else _from_json(row[0])


def _changes(before: HostProfile | None, after: HostProfile) -> dict[str, list[object]]:
    """Field -> [before, after] of what differs; nothing for a new profile."""
    if before is None:
        return {}
    old, new = asdict(before), asdict(after)
    return {name: [old[name], new[name]] for name in new if old[name] != new[name]}


def _to_json(profile: HostProfile) -> str:
    return json.dumps(asdict(profile), ensure_ascii=False, sort_keys=True)


def _from_json(text: str) -> HostProfile:
    """The profile that was written; what an older program did not write has its default."""
    facts: dict[str, Any] = json.loads(text)
    values: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in facts.items()}
    return HostProfile(**{**values, "backend": Backend(values["backend"]), "colour": HostColour(values["colour"])})


# -- host keys -----------------------------------------------------------------------------------------


@record
class KeyRecord:
    """An accepted key with what became of it; `ended_at` (ISO, UTC) is None while it is in force."""

    accepted: AcceptedKey
    ended_by: str | None
    ended_at: str | None


def accepted_keys(project: Project) -> list[AcceptedKey]:
    """The keys in force, oldest first."""
    return [record.accepted for record in key_history(project) if record.ended_at is None]


def key_history(project: Project) -> list[KeyRecord]:
    """All keys that were ever accepted, oldest first."""
    return [
        KeyRecord(AcceptedKey(HostKey(*row[:5]), *row[5:7]), *row[7:])
        for row in project.rows(
            "SELECT address, port, key_type, blob, fingerprint, accepted_by, accepted_at, ended_by, ended_at"
            " FROM accepted_key ORDER BY id"
        )
    ]


def accept_key(project: Project, key: HostKey, by: str) -> None:
    """Remembers that `by` accepted the key; one that is in force already is left as it is.

    Another key of the same type for the same address is never replaced here: see `replace_key`.

    Raises:
        LookupError: such a key is in force.
    """
    with project.transaction() as connection:
        in_force = _in_force(connection, key)
        if in_force == (key.blob, key.fingerprint):
            return
        if in_force is not None:
            raise LookupError(f"{key.address}:{key.port} has another {key.key_type} key: {in_force[1]}")
        _add(connection, key, by)
        audit.record(project, "host_key_accepted", **_named(key), fingerprint=key.fingerprint, by=by)


def replace_key(project: Project, key: HostKey, by: str) -> None:
    """Puts the key in place of the one of its type that is in force for the address; that one is kept as history."""
    with project.transaction() as connection:
        in_force = _in_force(connection, key)
        if in_force is None or in_force[0] == key.blob:
            accept_key(project, key, by)
            return
        _end(connection, key, by)
        _add(connection, key, by)
        audit.record(project, "host_key_replaced", **_named(key), before=in_force[1], after=key.fingerprint, by=by)


def forget_key(project: Project, key: HostKey, by: str) -> None:
    """The key is asked about anew when the host shows it again; it is kept as history."""
    with project.transaction() as connection:
        in_force = _in_force(connection, key)
        if in_force is None or in_force[0] != key.blob:
            return
        _end(connection, key, by)
        audit.record(project, "host_key_forgotten", **_named(key), fingerprint=key.fingerprint, by=by)


def _slot(key: HostKey) -> Sequence[object]:
    return key.address, key.port, key.key_type


def _named(key: HostKey) -> dict[str, object]:
    return {"address": key.address, "port": key.port, "key_type": key.key_type}


def _in_force(connection: sqlite3.Connection, key: HostKey) -> tuple[str, str] | None:
    """Blob and fingerprint of the key in force for its address and type."""
    row: tuple[str, str] | None = connection.execute(
        "SELECT blob, fingerprint FROM accepted_key"
        " WHERE address = ? AND port = ? AND key_type = ? AND ended_at IS NULL",
        _slot(key),
    ).fetchone()
    return row


def _add(connection: sqlite3.Connection, key: HostKey, by: str) -> None:
    connection.execute(
        "INSERT INTO accepted_key (address, port, key_type, blob, fingerprint, accepted_by, accepted_at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        (*_slot(key), key.blob, key.fingerprint, by, audit.now_iso()),
    )


def _end(connection: sqlite3.Connection, key: HostKey, by: str) -> None:
    connection.execute(
        "UPDATE accepted_key SET ended_by = ?, ended_at = ?"
        " WHERE address = ? AND port = ? AND key_type = ? AND ended_at IS NULL",
        (by, audit.now_iso(), *_slot(key)),
    )
