"""Captures that only licensed customers may have, and whether somebody confirmed the licence for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.domain.databases.choices import LicenceConfirmation
from app.store import hosts
from app.store.databases.records import StoredRecord
from app.store.project import Project
from app.usecases.databases.snapshots import Database

_AWR = ("awr_html", "awr_global_html", "awr_text", "awr_compare_html", "dba_hist")
LICENSED = dict.fromkeys(_AWR, "oracle.diagnostics_pack")
"""Kinds of captures that may only be made with a licence."""


def host_names(project: Project) -> dict[int, str]:
    return {host.id: host.name for host in hosts.list_hosts(project)}


def is_unconfirmed(
    stored: StoredRecord, database: Database, given: Sequence[LicenceConfirmation], names: Mapping[int, str]
) -> bool:
    """Whether a licence is needed for this capture, and no confirmation is for its host and database."""
    subject = LICENSED.get(stored.head.source)
    if subject is None:
        return False
    host = names.get(stored.host_id or 0, "") or database.host
    known_as = (database.identity.name, database.identity.unique_name, database.id, database.label)
    return not any(each.covers(subject, host, name) for each in given for name in known_as)
