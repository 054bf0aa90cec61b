"""A part of a project, for who works on one host or one iteration: all records, and the captures that these need.

Its trail is the project's, so that it is merged back like any other copy.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tunebench.core.errors import UserError
from tunebench.core.records import record
from tunebench.domain.assembly import overlap_of
from tunebench.domain.cycle.book import CycleBook, Record, artefacts_named, references, runs_named
from tunebench.domain.cycle.records import Iteration
from tunebench.domain.windows import Window
from tunebench.store import parts
from tunebench.store.artefacts import ArtefactInfo, list_artefacts
from tunebench.store.cycle.records import read_book
from tunebench.store.opening import backup_project, open_project
from tunebench.store.project import Project
from tunebench.usecases import projects
from tunebench.usecases.importing.assembly import find_host
from tunebench.usecases.merging.whole_project import written_whole


@record
class Part:
    """What was written: with how many captures, and without how many."""

    path: Path
    captures: int
    left_out: int


def export_host(project: Project, target: Path, host: str) -> Part:
    """The captures of one host.

    Raises:
        UserError: host_not_captured; part_of_part; project_exists, folder_missing, disk_full ...
    """
    host_id = find_host(project, host).id
    kept = frozenset(info.id for info in list_artefacts(project) if info.host_id == host_id)
    return _export(project, target, kept, "host", host)


def export_iteration(project: Project, target: Path, number: int) -> Part:
    """The captures that the records of one iteration rest on.

    Raises:
        UserError: cycle_iteration_unknown; else as `export_host`.
    """
    book = read_book(project)
    iteration = next((own for own in book.iterations if own.number == number), None)
    if iteration is None:
        numbers = ", ".join(str(own.number) for own in book.iterations) or "-"
        raise UserError("cycle_iteration_unknown", number=number, known=numbers)
    records = list(_records_of(book, iteration))
    kept = frozenset(info.id for info in list_artefacts(project) if _is_needed(info, records))
    return _export(project, target, kept, "iteration", str(number))


def _records_of(book: CycleBook, iteration: Iteration) -> Iterator[Record]:
    """The records of an iteration, what they name, and the evidence of either."""
    own = [record for record in book if getattr(record, "iteration_id", 0) == iteration.id or record is iteration]
    named = {id_ for record in own for id_ in references(record)}
    every = {record.id for record in own} | named
    yield from (book.records[id_] for id_ in every)
    yield from (evidence for id_ in every for evidence in book.evidence_of(id_))


def _is_needed(info: ArtefactInfo, records: list[Record]) -> bool:
    if any(info.id in artefacts_named(record) or info.run_id in runs_named(record) for record in records):
        return True
    first, last = info.ledger.first_ns, info.ledger.last_ns
    stretches = [own for record in records if isinstance(record, Window) for own in record.occurrences]
    return (
        first is not None
        and last is not None
        and any(own.run_id is None and overlap_of((first, last), own.span) is not None for own in stretches)
    )


def _export(project: Project, target: Path, kept: frozenset[int], what: str, name: str) -> Part:
    if parts.part_of(project) is not None:
        raise UserError("part_of_part", path=str(project.path))
    target = projects.with_suffix(target).absolute()
    gone = [info.id for info in list_artefacts(project) if info.id not in kept]

    def write(draft: Path) -> Part:
        backup_project(project, draft)
        with open_project(draft) as copy:
            parts.leave_out(copy, gone, what, name)
        return Part(target, len(kept), len(gone))

    return written_whole(target, write)
