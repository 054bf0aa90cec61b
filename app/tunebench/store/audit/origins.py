"""Captures and the engagement compared with what the audit trail says was last written of them.

Trails of earlier versions name no times of captures, nor what the engagement was when the project was made: of these
nothing is compared.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING

from tunebench.domain.engagement import Engagement
from tunebench.domain.visible_text import visible
from tunebench.store.audit import trail as audit
from tunebench.store.audit.replay import Difference

if TYPE_CHECKING:
    from tunebench.store.project import Project


def engagement_facts(engagement: Engagement) -> dict[str, object]:
    """Name -> value of the engagement's fields, as JSON holds them."""
    facts: dict[str, object] = json.loads(json.dumps(asdict(engagement), default=str))
    return facts


def engagement_differences(project: Project, stored: Engagement) -> Iterator[Difference]:
    written: dict[str, object] = {}
    for entry in audit.chained(project, "project_created", "engagement_changed"):
        stated = entry.facts.get("engagement")
        if isinstance(stated, dict):
            written.update(stated)
        changes = entry.facts.get("changes")
        for name, pair in changes.items() if isinstance(changes, dict) else ():
            if isinstance(pair, list) and len(pair) == 2:
                written[name] = pair[1]
    yield from _between("engagement", written, engagement_facts(stored))


def capture_differences(project: Project) -> Iterator[Difference]:
    """First and last sample of each capture, and what a person said about it."""
    last = {entry.facts.get("artefact_id"): entry for entry in audit.chained(project, "artefact_parsed")}
    rows = project.rows(
        "SELECT id, first_ns, last_ns, given, json_extract(ledger, '$.first_ns'), json_extract(ledger, '$.last_ns')"
        " FROM artefact WHERE state NOT IN ('receiving', 'pending') ORDER BY id"
    )
    for id_, first_ns, last_ns, given, ledger_first_ns, ledger_last_ns in rows:
        entry = last.get(id_)
        if entry is None:
            continue
        written = {name: value for name, value in entry.facts.items() if name in ("first_ns", "last_ns", "given")}
        stored = {"first_ns": first_ns, "last_ns": last_ns, "given": json.loads(given)}
        yield from _between(f"capture.{id_}", written, stored)
        yield from _between(f"capture.{id_} ledger", written, {"first_ns": ledger_first_ns, "last_ns": ledger_last_ns})


def _between(record: str, written: Mapping[str, object], stored: Mapping[str, object]) -> Iterator[Difference]:
    for name, value in written.items():
        if name in stored and _shown(value) != _shown(stored[name]):
            yield Difference(record, name, value, stored[name])


def _shown(value: object) -> object:
    """The value as it is read: characters that no document can carry are left out."""
    if isinstance(value, list):
        return [_shown(part) for part in value]
    return visible(value) if isinstance(value, str) else value
