"""Bundles: archives and folders that came in as one, each with the account of all its members."""

# ruff: noqa: S608 - only names written in this module are put into queries; values are bound

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tunebench.domain.bundle import REST_CANCELLED, Bundle, BundleMember, MemberState
from tunebench.store.audit import trail as audit

if TYPE_CHECKING:
    from tunebench.store.project import Project

_COLUMNS = "id, name, source_path, form, size_bytes, sha256, modified_ns, imported_at, layouts"
_MEMBER = "bundle_id, name, state, kind, size_bytes, artefact_id, host, reason, facts"
_MEMBER_NOW = (  # with the host that its capture is put to now
    "bundle_id, m.name, m.state, m.kind, m.size_bytes, m.artefact_id, coalesce(host.name, m.host), m.reason, m.facts"
    " FROM bundle_member AS m LEFT JOIN artefact ON artefact.id = m.artefact_id"
    " LEFT JOIN host ON host.id = artefact.host_id"
)


def record_bundle(project: Project, bundle: Bundle) -> Bundle:
    """Writes a bundle's account. One that came in before keeps what it had: a duplicate of itself stays imported.

    The same archive is known by its SHA-256, the same folder by its path. An archive whose import was cancelled has no
    SHA-256 yet: it is known by its path, its size and its time.
    """
    with project.transaction() as connection:
        existing = _existing(project, bundle)
        if existing is None:
            cursor = connection.execute(
                f"INSERT INTO bundle ({_COLUMNS.removeprefix('id, ')}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    bundle.name,
                    bundle.path,
                    bundle.form,
                    bundle.size_bytes,
                    bundle.sha256,
                    bundle.modified_ns,
                    bundle.imported_at or audit.now_iso(project),
                    json.dumps(bundle.layouts),
                ),
            )
            stored = replace(bundle, id=int(cursor.lastrowid or 0))
        else:
            layouts = tuple(sorted({*existing.layouts, *bundle.layouts}))
            digest = bundle.sha256 or existing.sha256
            stored = replace(
                existing, members=_merged(existing.members, bundle.members), layouts=layouts, sha256=digest
            )
            connection.execute(
                "UPDATE bundle SET source_path = ?, size_bytes = ?, sha256 = ?, layouts = ? WHERE id = ?",
                (bundle.path, bundle.size_bytes, digest, json.dumps(layouts), existing.id),
            )
            connection.execute("DELETE FROM bundle_member WHERE bundle_id = ?", (existing.id,))
        if existing is None or existing.sha256 != stored.sha256:
            audit.record(
                project,
                "bundle_imported",
                bundle_id=stored.id,
                name=bundle.name,
                sha256=stored.sha256,
                members=len(stored.members),
            )
        connection.executemany(
            f"INSERT INTO bundle_member (position, {_MEMBER}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            ((at, stored.id, *_row(member)) for at, member in enumerate(stored.members)),
        )
    return stored


def _existing(project: Project, bundle: Bundle) -> Bundle | None:
    matches = _select(project, "sha256 = ?", bundle.sha256) if bundle.sha256 else []
    if not matches:
        matches = [
            candidate
            for candidate in _select(project, "source_path = ?", bundle.path)
            if _is_same_place(candidate, bundle)
        ]
    return matches[0] if matches else None


def _is_same_place(existing: Bundle, bundle: Bundle) -> bool:
    if "folder" in (existing.form, bundle.form):
        return existing.form == bundle.form
    unsure = not (existing.sha256 and bundle.sha256)  # one of the two was cancelled before its end
    return unsure and (existing.size_bytes, existing.modified_ns) == (bundle.size_bytes, bundle.modified_ns)


def _merged(earlier: Sequence[BundleMember], now: Sequence[BundleMember]) -> tuple[BundleMember, ...]:
    """The account after the bundle came in again; members that are gone (of a folder) keep their line."""
    cut_short = {member.name for member in now if member.reason == REST_CANCELLED}
    before = {member.name: member for member in earlier if cut_short or not member.cancelled}
    was_whole = not any(member.reason == REST_CANCELLED for member in earlier)
    merged: dict[str, BundleMember] = {}
    for member in now:
        old = before.get(member.name)
        if member.cancelled and (old is not None or (member.name in cut_short and was_whole)):
            continue  # what is known of it from before holds
        again = old is not None and old.artefact_id is not None and old.artefact_id == member.artefact_id
        merged[member.name] = old if again and old and member.state is MemberState.DUPLICATE else member
    return (*merged.values(), *(member for name, member in before.items() if name not in merged))


def _row(member: BundleMember) -> tuple[object, ...]:
    facts = json.dumps(dict(member.facts), ensure_ascii=False, default=str)
    return (
        member.name,
        str(member.state),
        member.kind,
        member.size_bytes,
        member.artefact_id,
        member.host,
        member.reason,
        facts,
    )


def list_bundles(project: Project) -> list[Bundle]:
    """All of them with their members, oldest first."""
    return _select(project)


def _select(project: Project, condition: str = "1 = ?", value: object = 1) -> list[Bundle]:
    rows = project.rows(f"SELECT {_COLUMNS} FROM bundle WHERE {condition} ORDER BY id", (value,))
    members = project.rows(
        f"SELECT {_MEMBER_NOW} WHERE bundle_id IN (SELECT id FROM bundle WHERE {condition})"
        " ORDER BY bundle_id, m.position",
        (value,),
    )
    by_bundle: dict[int, list[BundleMember]] = defaultdict(list)
    for row in members:
        by_bundle[row[0]].append(_member(row))
    return [
        replace(Bundle(*row[:8]), layouts=tuple(json.loads(row[8])), members=tuple(by_bundle[row[0]])) for row in rows
    ]


def _member(row: tuple[Any, ...]) -> BundleMember:
    name, state, kind, size_bytes, artefact_id, host, reason, facts = row[1:]
    return BundleMember(name, MemberState(state), kind, size_bytes, artefact_id, host, reason, json.loads(facts))
