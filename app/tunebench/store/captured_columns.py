"""The columns of a host's captures, one by one: what comparing captures with each other starts from."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING

from tunebench.core.records import record

if TYPE_CHECKING:
    from tunebench.store.project import Project

_THINGS = ("device", "interface", "mountpoint")


@record
class CapturedColumn:
    """`attributes` as the parser gave them, `meaning` with those that the heading implies.

    `varies`: it has more than one value. `first_ns`, `last_ns`: of the table's samples.
    """

    artefact_id: int
    series_id: int
    tool: str
    table: str
    native: str
    attributes: tuple[tuple[str, str], ...]
    meaning: tuple[tuple[str, str], ...]
    metric: str
    to_base: float
    count: int
    missing: int
    varies: bool
    first_ns: int
    last_ns: int
    interval_s: float | None

    @property
    def thing(self) -> str:
        return next((value for name, value in self.attributes if name in _THINGS), "")

    @property
    def cpu(self) -> str:
        return next((value for name, value in self.attributes if name == "cpu"), "")


def columns_of_host(project: Project, host_id: int) -> list[CapturedColumn]:
    rows = project.rows(
        "SELECT a.id, s.id, c.tool, c.table_name, s.native, s.attributes, s.implied, s.metric, s.to_base,"
        " s.sample_count, s.missing_count, coalesce(k.minimum < k.maximum, 0), c.first_ns, c.last_ns, c.interval_s"
        " FROM artefact AS a JOIN clock AS c ON c.artefact_id = a.id JOIN series AS s ON s.clock_id = c.id"
        " LEFT JOIN sample_chunk AS k ON k.series_id = s.id AND k.position = 0"
        " WHERE a.host_id = ? AND c.complete = 1 AND c.first_ns IS NOT NULL ORDER BY a.id, s.id",
        (host_id,),
    )
    columns = []
    for row in rows:
        values = (*row[:5], _pairs(row[5]), _both(row[5], row[6]), *row[7:11], bool(row[11]), *row[12:])
        columns.append(CapturedColumn(*values))
    return columns


@lru_cache(maxsize=65536)
def _pairs(text: str) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(dict(json.loads(text)).items()))


@lru_cache(maxsize=65536)
def _both(attributes: str, implied: str) -> tuple[tuple[str, str], ...]:
    return tuple(sorted({**dict(json.loads(implied)), **dict(json.loads(attributes))}.items()))


def restart_words(project: Project, host_id: int) -> list[tuple[int, int, str]]:
    """(time, artefact, words) of the restarts that the host's captures tell of."""
    return project.rows(
        "SELECT e.start_ns, a.id, e.text FROM event AS e JOIN artefact AS a ON a.id = e.artefact_id"
        " WHERE a.host_id = ? AND e.kind = 'restart' ORDER BY e.start_ns",
        (host_id,),
    )


def size_facts(project: Project, host_id: int) -> list[tuple[int, int, str, str, str]]:
    """(moment, artefact, section, name, value) of what inventories say of processors and memory."""
    return project.rows(
        "SELECT moment_ns, artefact_id, section, name, value FROM system_fact WHERE host_id = ?"
        " AND section <> 'volatile' AND (lower(section) GLOB '*cpu*' OR lower(section) GLOB '*mem*'"
        " OR lower(name) GLOB '*mem*' OR lower(name) GLOB '*cpu*')"
        " ORDER BY moment_ns, artefact_id, position",
        (host_id,),
    )


def read_state(project: Project, name: str) -> str:
    row = project.row("SELECT value FROM property WHERE name = ?", (name,))
    return row[0] if row else ""


def write_state(project: Project, name: str, value: str) -> None:
    with project.transaction() as connection:
        connection.execute("INSERT OR REPLACE INTO property (name, value) VALUES (?, ?)", (name, value))


def captures_state(project: Project, host_id: int) -> str:
    """Differs after every import, re-parse and removal of a capture of the host."""
    return json.dumps(
        project.rows(
            "SELECT a.id, a.first_ns, a.last_ns, (SELECT max(c.id) FROM clock AS c WHERE c.artefact_id = a.id),"
            " (SELECT count(*) FROM system_fact AS f WHERE f.artefact_id = a.id)"
            " FROM artefact AS a WHERE a.host_id = ? ORDER BY a.id",
            (host_id,),
        )
    )
