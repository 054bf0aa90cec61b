"""How many processors a host has, as its captures tell: inventories, banners, lists of single processors."""

from __future__ import annotations

from collections.abc import Sequence

from tunebench.store import artefacts, banners, captured_columns
from tunebench.store.databases import records as database_records
from tunebench.store.project import Project

_COUNT_FACTS = ("CPU(s)", "lcpu", "processors", "ncpu", "hw.ncpu")
_CORE_FACTS = ("Online Virtual CPUs", "Number Of Processors")
"""Of AIX: each runs as many threads as SMT has, so that they count only where nothing tells the threads."""


def processors(project: Project, host_id: int) -> int | None:
    """The last word of the surest source; None where no capture tells."""
    return (
        _of_facts(project, host_id, _COUNT_FACTS)
        or counted_by_banner(project, host_id)
        or _of_columns(project, host_id)
        or _of_facts(project, host_id, _CORE_FACTS)
        or counted_by_databases(project, host_id)
        or None
    )


def _of_facts(project: Project, host_id: int, names: Sequence[str]) -> int | None:
    values = {name: value for _, _, _, name, value in captured_columns.size_facts(project, host_id)}
    counts = [values[name].strip() for name in names if name in values]
    return next((int(count) for count in counts if count.isdigit() and int(count)), None)


def _of_columns(project: Project, host_id: int) -> int | None:
    listed: dict[int, set[str]] = {}
    for column in captured_columns.columns_of_host(project, host_id):
        if column.cpu.isdigit():
            listed.setdefault(column.artefact_id, set()).add(column.cpu)
    return len(listed[max(listed)]) if listed else None


def counted_by_banner(
    project: Project, host_id: int, run_id: int | None = None, *, elsewhere: bool = True
) -> int | None:
    """As the system counts them: a list may show only some (``sar -P 0``), or those of the past as well.

    The latest word, of that run's captures if they tell: processors are added between runs.

    Args:
        elsewhere: whether other runs' captures of the host are asked: of an unnamed one they may be of another machine.
    """
    captures = [
        capture
        for capture in artefacts.list_artefacts(project, None if elsewhere else run_id)
        if capture.host_id == host_id
    ]
    runs = {capture.id: capture.run_id for capture in captures}
    tellers = [(start_ns, id_, words) for start_ns, id_, words in captured_columns.restart_words(project, host_id)]
    tellers += [
        (capture.ledger.first_ns, capture.id, "") for capture in captures if capture.ledger.first_ns is not None
    ]
    tellers.sort(key=lambda teller: (runs.get(teller[1]) == run_id, teller[0]), reverse=True)
    counts = (banners.count_in(words) if words else banners.count_of_capture(project, id_) for _, id_, words in tellers)
    return next((count for count in counts if count), None)


def counted_by_databases(project: Project, host_id: int, run_id: int | None = None) -> int:
    """The most that a database on it tells, for one may be confined to some; 0 where none does."""
    records = (record for record in database_records.list_records(project, run_id) if record.host_id == host_id)
    return max((record.head.identity.cpu_count or 0 for record in records), default=0)
