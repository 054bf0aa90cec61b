"""Experiments and trials, read as one book and changed by whole edits."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, cast

from tunebench.core.errors import UserError
from tunebench.domain.cycle.evidence import Evidence, EvidenceKind
from tunebench.domain.cycle.record_json import BadRecord, changed_fields, to_json, value_from_json
from tunebench.domain.cycle.records import ExperimentSource, Metric
from tunebench.domain.experiments.book import ExperimentBook, ExperimentChange, ExperimentEdit, Record
from tunebench.domain.experiments.records import Experiment, Trial
from tunebench.domain.record_labels import labels
from tunebench.store.audit import trail as audit
from tunebench.store.cycle.records import last_id
from tunebench.store.cycle.records import read_book as read_cycle

if TYPE_CHECKING:
    from tunebench.store.project import Project

_REMEMBERED = 32_768
TABLES: dict[str, type[Record]] = {"experiment": Experiment, "trial": Trial}

Key = tuple[str, int]
Change = tuple[Record | None, Record | None]


class StoredTrial(NamedTuple):
    """A row as it is stored, unread."""

    id: int
    experiment_id: int
    artefact_id: int | None
    load_run_id: int | None
    body: str


# -- reading -------------------------------------------------------------------------------------------


def read_book(project: Project) -> ExperimentBook:
    """Raises UserError experiment_record_damaged."""
    experiments, trials = stored_records(project)
    return ExperimentBook.of(
        [cast("Experiment", _read("experiment", id_, body)) for id_, body in experiments],
        [cast("Trial", _read("trial", row.id, row.body)) for row in trials],
    )


def stored_records(project: Project) -> tuple[list[tuple[int, str]], list[StoredTrial]]:
    experiments = project.rows("SELECT id, body FROM experiment ORDER BY id")
    trials = project.rows("SELECT id, experiment_id, artefact_id, load_run_id, body FROM trial ORDER BY id")
    return experiments, [StoredTrial(*row) for row in trials]


def _read(table: str, id_: int, body: str) -> Record:
    try:
        return record_from_json(table, id_, body)
    except BadRecord as error:
        raise UserError("experiment_record_damaged", record=f"{table}.{id_}", detail=str(error)) from error


@lru_cache(maxsize=_REMEMBERED)
def record_from_json(table: str, id_: int, text: str) -> Record:
    """Raises BadRecord."""
    try:
        body = json.loads(text)
    except ValueError as error:
        raise BadRecord(str(error)) from error
    if not isinstance(body, dict) or "id" in body:
        raise BadRecord("not the fields of a record")
    return cast("Record", value_from_json(TABLES[table], {**body, "id": id_}, table))


# -- changing ------------------------------------------------------------------------------------------


def apply(
    project: Project, edit: ExperimentEdit, who: str, entered: Sequence[tuple[int, str] | None] = ()
) -> ExperimentEdit:
    """Does the whole edit or nothing of it; gives it back with the ids that it got.

    Args:
        who: the person, as the audit trail names him.
        entered: of changes that come from another copy, in their order, the id and time of their entry there.

    Raises:
        UserError: project_read_only; experiment_changed_meanwhile where a record is not what the edit says it was;
            experiment_dangling where a trial would name what is not there; experiment_is_evidence where one would go
            that records of the cycle rest on.
    """
    with project.transaction() as connection:
        stored = read_book(project)
        done = _with_ids(connection, edit)
        net = _net(stored, done)
        _check(connection, stored, net)
        _refuse_evidence(project, [before for before, after in net.values() if after is None])
        _write(connection, net)
        changes = dict(_changes(net.values()))
        if changes:
            origins = {"entered": _origins(done, changes, entered)} if entered else {}
            audit.record(project, "experiment_changed", edit=done.name, by=who, changes=changes, **origins)
    return done


def _origins(
    done: ExperimentEdit, headings: Iterable[str], entered: Sequence[tuple[int, str] | None]
) -> dict[str, tuple[int, str]]:
    """Heading -> what is known of it."""
    records = ((change.after, origin) for change, origin in zip(done.changes, entered, strict=True))
    by_reference = {f"{_table_of(own)}.{own.id}": origin for own, origin in records if own is not None}
    pairs = ((heading, by_reference.get(heading.partition(" ")[0])) for heading in headings)
    return {heading: origin for heading, origin in pairs if origin is not None}


def _table_of(record: Record) -> str:
    return "experiment" if isinstance(record, Experiment) else "trial"


def _with_ids(connection: sqlite3.Connection, edit: ExperimentEdit) -> ExperimentEdit:
    """Ids for the records that are new; trials of a new experiment name its real id."""
    last = {table: last_id(connection, table) for table in TABLES}
    fresh: dict[int, int] = {}
    changes = []
    for change in edit.changes:
        after = change.after
        if after is None or change.before is not None:
            changes.append(change)
            continue
        table = _table_of(after)
        if after.id > last[table]:
            raise ValueError(f"id {after.id} was never given")
        if isinstance(after, Trial):
            after = replace(after, experiment_id=fresh.get(after.experiment_id, after.experiment_id))
        if after.id <= 0:
            last[table] += 1
            fresh |= {after.id: last[table]} if isinstance(after, Experiment) else {}
            after = replace(after, id=last[table])
        changes.append(ExperimentChange(None, after))
    return ExperimentEdit(edit.name, tuple(changes))


def _net(stored: ExperimentBook, edit: ExperimentEdit) -> dict[Key, Change]:
    """What becomes of each record that the edit touches, compared with what is there."""
    before: dict[Key, Record | None] = {}
    now: dict[Key, Record | None] = {}
    for change in edit.changes:
        record = change.before or change.after
        if record is None:
            continue
        key = (_table_of(record), record.id)
        if key not in before:
            before[key] = now[key] = _find(stored, key)
        becomes_another = change.after is not None and (_table_of(change.after), change.after.id) != key
        if now[key] != change.before or becomes_another:
            raise UserError("experiment_changed_meanwhile", record=name_of(now[key] or record))
        now[key] = change.after
    return {key: (before[key], now[key]) for key in before}


def _find(book: ExperimentBook, key: Key) -> Record | None:
    table, id_ = key
    return book.experiments.get(id_) if table == "experiment" else book.trials.get(id_)


def _check(connection: sqlite3.Connection, stored: ExperimentBook, net: dict[Key, Change]) -> None:
    gone = {key for key, (_before, after) in net.items() if after is None}
    there = {*stored.experiments, *(id_ for table, id_ in net if table == "experiment")}
    there -= {id_ for table, id_ in gone if table == "experiment"}
    trials = {id_: trial for id_, trial in stored.trials.items() if ("trial", id_) not in gone}
    changed = [after for _before, after in net.values() if isinstance(after, Trial)]
    trials |= {trial.id: trial for trial in changed}
    for trial in trials.values():
        if trial.experiment_id not in there:
            raise UserError("experiment_dangling", record=name_of(trial), field="experiment", named=trial.experiment_id)
    for trial in changed:
        _check_outside(connection, trial)


def _check_outside(connection: sqlite3.Connection, trial: Trial) -> None:
    queries = (
        ("artefact", "SELECT 1 FROM artefact WHERE id = ? AND state <> 'receiving'", trial.artefact_id),
        ("run", "SELECT 1 FROM run WHERE id = ?", trial.load_run_id),
    )
    for field, query, named in queries:
        if named is not None and connection.execute(query, (named,)).fetchone() is None:
            raise UserError("experiment_dangling", record=name_of(trial), field=field, named=named)


def _refuse_evidence(project: Project, going: Iterable[Record | None]) -> None:
    for record in going:
        if isinstance(record, Experiment):
            users = [user for user in read_cycle(project).records.values() if _experiment_of(user) == str(record.id)]
            if users:
                raise UserError("experiment_is_evidence", experiment=record.title, users=labels(users))


def _experiment_of(record: object) -> str:
    """Id of the experiment that a record of the cycle rests on; "" for none."""
    if isinstance(record, Metric) and isinstance(record.source, ExperimentSource):
        return str(record.source.experiment_id)
    if isinstance(record, Evidence) and record.target.kind is EvidenceKind.EXPERIMENT:
        return record.target.key
    return ""


def name_of(record: Record) -> str:
    """``ext3 · #2 (trial.7)``, in no language."""
    if isinstance(record, Experiment):
        return f"{record.title} (experiment.{record.id})"
    return f"{' · '.join(record.cell)} #{record.repetition} (trial.{record.id})"


# -- writing -------------------------------------------------------------------------------------------


def _write(connection: sqlite3.Connection, net: dict[Key, Change]) -> None:
    for (table, id_), (_before, after) in net.items():
        if after is None:
            connection.execute(f"DELETE FROM {table} WHERE id = ?", (id_,))  # noqa: S608  a name of ours
    connection.executemany(
        "INSERT INTO experiment (id, body) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET body = excluded.body",
        [(after.id, to_json(after)) for _before, after in net.values() if isinstance(after, Experiment)],
    )
    connection.executemany(
        "INSERT INTO trial (id, experiment_id, artefact_id, load_run_id, body) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT (id) DO UPDATE SET experiment_id = excluded.experiment_id, artefact_id = excluded.artefact_id,"
        " load_run_id = excluded.load_run_id, body = excluded.body",
        [(after.id, *columns_of(after), to_json(after)) for _before, after in net.values() if isinstance(after, Trial)],
    )


def columns_of(trial: Trial) -> tuple[int, int | None, int | None]:
    """What the row repeats of the body."""
    return trial.experiment_id, trial.artefact_id, trial.load_run_id


def _changes(net: Iterable[Change]) -> Iterator[tuple[str, list[object]]]:
    """``trial.7 values`` -> [old, new] of every field that changed.

    A trial that is added or removed while it is only planned is one entry, its place in the plan.
    """
    for before, after in net:
        record = before or after
        if record is None:
            continue
        reference = f"{_table_of(record)}.{record.id}"
        if isinstance(record, Trial) and not record.is_recorded and (before is None or after is None):
            yield reference, [before and name_of(before), after and name_of(after)]
            continue
        for name, pair in changed_fields(before, after):
            yield f"{reference} {name}", pair


# -- users of what lies outside ------------------------------------------------------------------------


def experiments_on(project: Project, run_id: int | None, artefact_ids: Iterable[int]) -> tuple[str, ...]:
    """Titles of the experiments whose trials rest on a run or on a capture."""
    ids = set(artefact_ids)
    titles: dict[int, str] = {}
    book = read_book(project)
    for trial in book.trials.values():
        if (run_id is not None and trial.load_run_id == run_id) or trial.artefact_id in ids:
            titles[trial.experiment_id] = book.experiments[trial.experiment_id].title
    return tuple(titles.values())
