"""The records of the tuning cycle, read as one book and changed by whole edits."""

# ruff: noqa: S608 - only names written in this module are put into queries; values are bound

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from tunebench.core.errors import UserError
from tunebench.domain.cycle.book import (
    CycleBook,
    CycleEdit,
    Record,
    RecordChange,
    artefacts_named,
    kind_of,
    references,
    runs_named,
)
from tunebench.domain.cycle.evidence import Evidence
from tunebench.domain.cycle.record_json import BadRecord, changed_fields, from_json, to_json
from tunebench.domain.record_ids import numbered
from tunebench.domain.record_labels import label, labels, reference_of
from tunebench.domain.windows import Window
from tunebench.store import engagements
from tunebench.store.audit import trail as audit
from tunebench.store.cycle.rules import attachments_named, circular, dangling, window_refusal

if TYPE_CHECKING:
    from tunebench.store.project import Project

_LAST_EVIDENCE = "last_evidence"  # name of the property that holds the last number given
_COLUMNS = ("named_id", "run_id", "artefact_id", "attachment")

Change = tuple[Record | None, Record | None]


# -- reading -------------------------------------------------------------------------------------------


def read_book(project: Project) -> CycleBook:
    """Raises UserError cycle_record_damaged."""
    return CycleBook.of(_read(kind, id_, body) for id_, kind, body in stored_records(project))


def stored_records(project: Project) -> list[tuple[int, str, str]]:
    """Id, kind and JSON of every record, unread."""
    return project.rows("SELECT id, kind, body FROM cycle_record ORDER BY id")


def _read(kind: str, id_: int, body: str) -> Record:
    try:
        return from_json(kind, id_, body)
    except BadRecord as error:
        raise UserError("cycle_record_damaged", record=f"{kind}.{id_}", detail=str(error)) from error


def next_evidence_number(project: Project) -> int:
    """The number that the next evidence gets: none is ever given twice, even where it was removed."""
    with project.reading() as connection:
        return _last_evidence(connection) + 1


def _last_evidence(connection: sqlite3.Connection) -> int:
    row = connection.execute("SELECT value FROM property WHERE name = ?", (_LAST_EVIDENCE,)).fetchone()
    return int(row[0]) if row is not None else 0


# -- changing ------------------------------------------------------------------------------------------


def apply(
    project: Project, edit: CycleEdit, who: str, entered: Mapping[str, tuple[int, str]] | None = None
) -> CycleEdit:
    """Does the whole edit or nothing of it; gives it back with the ids and evidence numbers that it got.

    Args:
        who: the person, as the audit trail names him.
        entered: of changes that come from another copy, by heading, the id and time of their entry there.

    Raises:
        UserError: project_read_only; cycle_changed_meanwhile where a record is not what the edit says it was;
            cycle_record_in_use, cycle_dangling or cycle_circular for what it would leave behind; window_* for a window
            that cannot be (`rules.window_refusal`).
    """
    with project.transaction() as connection:
        stored = read_book(project)
        done = _with_numbers(connection, edit)
        book = _after(stored, done)
        ids = {record.id for change in done.changes for record in (change.before, change.after) if record is not None}
        net = {id_: (stored.records.get(id_), book.records.get(id_)) for id_ in sorted(ids)}
        _check(connection, book, net)
        _check_windows(project, book, net)
        _write(connection, net)
        changes = dict(_changes(net.values()))
        if changes:
            origins = {"entered": entered} if entered else {}
            audit.record(project, "cycle_changed", edit=done.name, by=who, changes=changes, **origins)
    return done


def last_id(connection: sqlite3.Connection, table: str) -> int:
    """The last id that was given in a table, also where its row is there no more."""
    row = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)).fetchone()
    return int(row[0]) if row is not None else 0


def _with_numbers(connection: sqlite3.Connection, edit: CycleEdit) -> CycleEdit:
    """Ids for the records that are new; numbers for the evidence that is."""
    last_given = last_id(connection, "cycle_record")
    for change in edit.changes:
        if change.before is None and change.after is not None and change.after.id > last_given:
            raise ValueError(f"id {change.after.id} was never given")
    ids = count(last_given + 1)
    done = numbered(edit, lambda: next(ids))
    last = _last_evidence(connection)
    changes = []
    for asked, change in zip(edit.changes, done.changes, strict=True):
        if asked.after is not None and asked.after.id <= 0 and isinstance(change.after, Evidence):
            last += 1
            change = RecordChange(change.before, replace(change.after, number=last))  # noqa: PLW2901
        changes.append(change)
    connection.execute(
        "INSERT INTO property (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = ?2",
        (_LAST_EVIDENCE, str(last)),
    )
    return CycleEdit(done.name, tuple(changes))


def _after(book: CycleBook, edit: CycleEdit) -> CycleBook:
    """The book as the edit leaves it, each of its changes compared with what is there."""
    records = dict(book.records)
    for change in edit.changes:
        record = change.before or change.after
        if record is None:
            continue
        stored = records.pop(record.id, None)
        after = change.after
        becomes_another = after is not None and (after.id, type(after)) != (record.id, type(record))
        if stored != change.before or becomes_another:
            raise UserError("cycle_changed_meanwhile", record=label(stored or record))
        if after is not None:
            records[record.id] = after
    return CycleBook.of(records.values())


def _check(connection: sqlite3.Connection, book: CycleBook, net: Mapping[int, Change]) -> None:
    removed = {id_ for id_, (_before, after) in net.items() if after is None}
    for id_ in sorted(removed):
        before = net[id_][0]
        users = book.users_of(id_)
        if before is not None and users:
            raise UserError("cycle_record_in_use", record=label(before), users=labels(users))
    kept = [after for _before, after in net.values() if after is not None]
    for record in circular(book, kept):
        raise UserError("cycle_circular", record=label(record))
    for naming in dangling(book, kept):
        raise UserError("cycle_dangling", record=label(naming.record), field=naming.field, named=naming.named_id)
    for record in kept:
        _check_outside(connection, record)


def _check_windows(project: Project, book: CycleBook, net: Mapping[int, Change]) -> None:
    for _before, after in net.values():
        if isinstance(after, Window):
            zone = ZoneInfo(engagements.read_engagement(project).zone)
            refusal = window_refusal(book, after, zone)
            if refusal is not None:
                raise refusal


def _check_outside(connection: sqlite3.Connection, record: Record) -> None:
    """Runs, captures and files that a record rests on are there."""
    queries = {
        "run": ("SELECT 1 FROM run WHERE id = ?", runs_named(record)),
        "artefact": ("SELECT 1 FROM artefact WHERE id = ? AND state <> 'receiving'", artefacts_named(record)),
        "attachment": ("SELECT 1 FROM attachment WHERE sha256 = ?", attachments_named(record)),
    }
    for field, (query, named) in queries.items():
        for target in sorted(named, key=str):
            if connection.execute(query, (target,)).fetchone() is None:
                raise UserError("cycle_dangling", record=label(record), field=field, named=target)


# -- writing -------------------------------------------------------------------------------------------


def _write(connection: sqlite3.Connection, net: Mapping[int, Change]) -> None:
    for id_, (_before, after) in net.items():
        connection.execute("DELETE FROM cycle_reference WHERE record_id = ?", (id_,))
        if after is None:
            connection.execute("DELETE FROM cycle_record WHERE id = ?", (id_,))
    for _before, after in net.values():
        if after is not None:
            _write_record(connection, after)


def _write_record(connection: sqlite3.Connection, record: Record) -> None:
    connection.execute(
        "INSERT INTO cycle_record (id, kind, iteration_id, body) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (id) DO UPDATE SET iteration_id = excluded.iteration_id, body = excluded.body",
        (record.id, kind_of(record), getattr(record, "iteration_id", None), to_json(record)),
    )
    connection.executemany(
        "INSERT INTO cycle_reference (record_id, named_id, run_id, artefact_id, attachment) VALUES (?, ?, ?, ?, ?)",
        [(record.id, *row) for row in reference_rows(record)],
    )


def reference_rows(record: Record) -> list[tuple[object, ...]]:
    """What the record names, one column (of named record, run, artefact, attachment) set in each row."""
    named = (references(record), runs_named(record), artefacts_named(record), attachments_named(record))
    return [
        tuple(target if column == index else None for column in range(len(_COLUMNS)))
        for index, ids in enumerate(named)
        for target in sorted(ids, key=str)
    ]


def _changes(net: Iterable[Change]) -> Iterator[tuple[str, list[object]]]:
    """``metric.5 title`` -> [old, new] of every field that changed, None where the record was not there."""
    for before, after in net:
        record = before or after
        if record is None:
            continue
        for name, pair in changed_fields(before, after):
            yield f"{reference_of(record)} {name}", pair


# -- users of what lies outside ------------------------------------------------------------------------


def users_of_run(project: Project, run_id: int) -> list[Record]:
    """The records that rest on a run."""
    return _users(project, "run_id", run_id)


def users_of_artefact(project: Project, artefact_id: int) -> list[Record]:
    return _users(project, "artefact_id", artefact_id)


def _users(project: Project, column: str, id_: int) -> list[Record]:
    return [
        _read(*row)
        for row in project.rows(
            "SELECT DISTINCT r.kind, r.id, r.body FROM cycle_record AS r JOIN cycle_reference AS n"
            f" ON n.record_id = r.id WHERE n.{column} = ? ORDER BY r.id",
            (id_,),
        )
    ]
