"""What of a project cannot be read back. Asked by the check, and before anything that went wrong is called a bug.

SQLite keeps a text where a number belongs and notices no JSON that is none: whoever reads such a row fails in a place
and a way of its own. Here each kind of record is read once, whatever it fails of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from tunebench.store import (
    artefacts,
    bundles,
    engagements,
    hosts,
    plans,
    profiles,
    reports,
    resolutions,
    runs,
    sessions,
)
from tunebench.store.audit import trail as audit
from tunebench.store.databases import records as databases
from tunebench.store.known_schema import known_columns
from tunebench.store.merged_series import list_merged

if TYPE_CHECKING:
    from tunebench.store.project import Project

_KEPT_AS = {"TEXT": "'text'", "INTEGER": "'integer'", "REAL": "'real', 'integer'", "BLOB": "'blob'"}
"""What SQLite may have made of a value in a column of that type."""


def _zones(project: Project) -> list[ZoneInfo]:
    named = [engagements.read_engagement(project).zone, *(host.zone for host in hosts.list_hosts(project))]
    kept = project.rows("SELECT body ->> '$.zone' FROM cycle_record WHERE kind = 'window' AND json_valid(body)")
    named += [zone for (zone,) in kept if isinstance(zone, str)]
    return [ZoneInfo(name) for name in named if name]


_RECORDS: dict[str, Callable[[Project], object]] = {
    "engagement": engagements.read_engagement,
    "narrative": lambda project: [engagements.read_narrative(project, language) for language in ("ko", "en")],
    "measurement": engagements.read_measurements,
    "note": engagements.list_notes,
    "zone": _zones,
    "host": hosts.list_hosts,
    "run": runs.list_runs,
    "artefact": artefacts.list_artefacts,
    "bundle": bundles.list_bundles,
    "resolution": resolutions.list_resolutions,
    "series": list_merged,
    "database_record": databases.list_records,
    "database_table": databases.damaged_records,
    "host_profile": profiles.list_profiles,
    "accepted_key": profiles.key_history,
    "capture_plan": plans.list_plans,
    "capture_session": sessions.list_sessions,
    "capture_gap": sessions.list_gaps,
    "clock_check": sessions.list_clock_checks,
    "report": reports.list_reports,
    "audit": audit.list_audit,
}


def damage_of(project: Project) -> list[str]:
    """Columns (``table.column``) with values of another type, and kinds of records of which one cannot be read."""
    return [*_strange_columns(project), *(name for name, read in _RECORDS.items() if not _reads(project, read))]


def _strange_columns(project: Project) -> Iterator[str]:
    for table, columns in known_columns().items():
        counts = ", ".join(
            f"""sum(typeof("{name}") NOT IN ('null', {_KEPT_AS[kind]}))""" for name, kind in columns.items()
        )
        row = project.row(f'SELECT {counts} FROM "{table}"')  # noqa: S608 - names of our own schema
        yield from (f"{table}.{name}" for name, strange in zip(columns, row, strict=True) if strange)


def _reads(project: Project, read: Callable[[Project], object]) -> bool:
    try:
        read(project)
    except Exception:  # noqa: BLE001 - whatever it is: the row is not what was written
        return False
    return True
