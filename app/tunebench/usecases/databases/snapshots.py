"""Which databases the captures of a run tell of, and which of their counters belong to one moment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from itertools import pairwise
from typing import TypeVar

import numpy as np

from tunebench.analysis.databases.record import DatabaseRecord, FigureTable
from tunebench.core.errors import UserError
from tunebench.core.records import record
from tunebench.domain.assembly import EVER_NS, Span, overlap_of
from tunebench.domain.databases.records import TABLES, DatabaseIdentity, Engine, Moment, Reach
from tunebench.domain.windows import Stretch, Window
from tunebench.store import hosts
from tunebench.store.databases import records as database_records
from tunebench.store.databases.records import StoredRecord
from tunebench.store.project import Project
from tunebench.usecases.comparing.stretches import pieces_of

NEAR_NS = 300_000_000_000
"""Views of one database that were taken within this time, in several files, are one snapshot."""
MOSTLY = 0.9
"""A period is of a stretch that holds so much of it: snapshots are seldom taken to the second."""
EVER: Span = (-EVER_NS, EVER_NS)
_SHARED_TABLES = frozenset({"fact", "parameter", "state"})
"""Tables that several views may repeat without being of different moments."""

T = TypeVar("T", DatabaseIdentity, Moment)


@record
class Database:
    """A database and what captures say of it.

    Attributes:
        id: engine and as much of its identity as tells it apart; what ``--database`` takes.
        identity: everything that any of the records tells.
        host: name of the host that most likely runs it, empty where nobody says.
        within: the stretches whose periods count, each with the run that it is of; none where all of `records` do.
    """

    id: str
    identity: DatabaseIdentity
    host: str
    records: tuple[StoredRecord, ...]
    within: tuple[Stretch, ...] = ()

    @property
    def label(self) -> str:
        return self.identity.label

    @property
    def sources(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(record.head.source for record in self.records))

    def answers_to(self, wanted: str) -> bool:
        identity = self.identity
        names = (self.id, identity.name, identity.db_id, identity.unique_name, identity.instance, self.label, self.host)
        return wanted.lower() in {name.lower() for name in names if name}


@record
class Snapshot:
    """The counters of one database at one moment; several parts where its views came in several files.

    The part with the statements comes first: its time is the snapshot's.
    """

    parts: tuple[StoredRecord, ...]

    @property
    def head(self) -> DatabaseRecord:
        """The record without its tables."""
        return _joined([part.head for part in self.parts])

    @property
    def time_ns(self) -> int | None:
        return self.head.end.time_ns


# -- databases -----------------------------------------------------------------------------------------


def databases(project: Project, of: int | Window | None = None) -> list[Database]:
    """The databases of a run, of the runs and hosts of a window, or of all runs, in the order in which they first
    appear."""
    names = {host.id: host.name for host in hosts.list_hosts(project)}
    if not isinstance(of, Window):
        return grouped(database_records.list_records(project, of), names)
    within = pieces_of(of)
    runs = {stretch.run_id for stretch in within}
    (run_id,) = runs if len(runs) == 1 else (None,)
    records = [
        stored for stored in database_records.list_records(project, run_id) if None in runs or stored.run_id in runs
    ]
    matching = (database for database in grouped(records, names) if not of.hosts or database.host in ("", *of.hosts))
    return [
        database if within == (Stretch(*EVER, run_id),) else replace(database, within=within) for database in matching
    ]


def counts(database: Database, run_id: int, begin_ns: int | None, end_ns: int | None) -> bool:
    """Whether a period is one of those that are looked at: of one window, those that lie in it."""
    return not database.within or any(
        stretch.run_id in (None, run_id) and _lies_in(begin_ns, end_ns, stretch.span) for stretch in database.within
    )


def _lies_in(begin_ns: int | None, end_ns: int | None, span: Span) -> bool:
    if span == EVER or begin_ns is None or end_ns is None or end_ns <= begin_ns:
        return span == EVER
    shared = overlap_of((begin_ns, end_ns), span)
    return shared is not None and shared[1] - shared[0] >= MOSTLY * (end_ns - begin_ns)


def grouped(records: Sequence[StoredRecord], host_names: Mapping[int, str]) -> list[Database]:
    """Records by database. One that tells little of its own goes to the only database that it can be of."""
    groups: list[tuple[DatabaseIdentity, list[StoredRecord]]] = []
    for stored in sorted(records, key=lambda stored: -_named_parts(stored.head.identity)):
        identity = stored.head.identity
        if not identity.host and stored.host_id is not None:
            identity = replace(identity, host=host_names.get(stored.host_id, ""))
        fitting = [index for index, (other, _) in enumerate(groups) if _may_be_one(other, identity)]
        same = [index for index in fitting if groups[index][0].key == identity.key]
        if len(fitting) == 1 or same:
            chosen = same[0] if same else fitting[0]
            groups[chosen] = (_merged(groups[chosen][0], identity), [*groups[chosen][1], stored])
        else:
            groups.append((identity, [stored]))
    every = [_database(identity, own) for identity, own in groups]
    return sorted(every, key=lambda database: database.records[0].id)


def _named_parts(identity: DatabaseIdentity) -> int:
    named = (identity.db_id, identity.name, identity.instance, identity.container, identity.host)
    return sum(1 for part in named if part)


def _may_be_one(one: DatabaseIdentity, other: DatabaseIdentity) -> bool:
    if not _engines_fit(one, other) or one.container != other.container:
        return False
    pairs = ((one.db_id, other.db_id), (one.name.upper(), other.name.upper()), (one.instance, other.instance))
    if any(first and second and first != second for first, second in pairs):
        return False
    anonymous = not (one.db_id or one.name) or not (other.db_id or other.name)
    # a standby has the system identifier of its primary
    if anonymous or one.engine == Engine.POSTGRESQL:
        return not one.host or not other.host or one.host == other.host
    return True


def _engines_fit(one: DatabaseIdentity, other: DatabaseIdentity) -> bool:
    """A slow log without its heading does not tell MariaDB from MySQL: it then counts as MySQL's, without a version."""
    unsure = any(identity.engine == Engine.MYSQL and not identity.version for identity in (one, other))
    return one.engine == other.engine or unsure and {one.engine, other.engine} == {Engine.MYSQL, Engine.MARIADB}


def _merged(one: T, other: T) -> T:
    """What the first does not tell comes from the second."""
    missing = {
        field.name: getattr(other, field.name)
        for field in fields(one)
        if getattr(one, field.name) in ("", None) and getattr(other, field.name) not in ("", None)
    }
    return replace(one, **missing)


def _database(identity: DatabaseIdentity, records: list[StoredRecord]) -> Database:
    own = sorted(records, key=lambda stored: (stored.artefact_id, stored.position))
    parts = [str(identity.engine), identity.db_id or identity.name, identity.container, identity.instance]
    id_ = ":".join(part for part in parts if part)
    if identity.host and (not (identity.db_id or identity.name) or identity.engine == Engine.POSTGRESQL):
        id_ = f"{id_}@{identity.host}"
    return Database(id_, identity, identity.host, tuple(own))


def find_database(offered: Sequence[Database], wanted: str) -> Database:
    """The one that answers to `wanted`; the only one where nothing is wanted.

    Raises:
        UserError: database_missing, database_unknown, database_unclear.
    """
    if not offered:
        raise UserError("database_missing")
    names = ", ".join(database.id for database in offered)
    matches = [database for database in offered if not wanted or database.answers_to(wanted)]
    if not matches:
        raise UserError("database_unknown", database=wanted, known=names)
    exact = [database for database in matches if database.id == wanted]
    if len(matches) > 1 and not exact:
        raise UserError(
            "database_unclear", database=wanted or "-", known=", ".join(database.id for database in matches)
        )
    return (exact or matches)[0]


def pair_databases(before: Sequence[Database], after: Sequence[Database]) -> list[tuple[Database, Database]]:
    """The same database on both sides, else the only one of its engine that is left on either side."""
    pairs: list[tuple[Database, Database]] = []
    left, rest = [], list(after)
    for one in before:
        same = [database for database in rest if database.id == one.id] or [
            database for database in rest if database.identity.key == one.identity.key
        ]
        if same:
            pairs.append((one, same[0]))
            rest.remove(same[0])
        else:
            left.append(one)
    for one in left:
        of_engine = [database for database in rest if _engines_fit(database.identity, one.identity)]
        alone = sum(_engines_fit(database.identity, one.identity) for database in left) == 1
        if alone and len(of_engine) == 1:
            pairs.append((one, of_engine[0]))
    return pairs


# -- snapshots -----------------------------------------------------------------------------------------


def snapshots(project: Project, database: Database) -> list[Snapshot]:
    """Counters by moment, the earliest first; those without a time come last, as they were captured."""
    keys = _Keys(project)
    groups: list[list[StoredRecord]] = []
    for stored in sorted((stored for stored in database.records if stored.head.reach is Reach.COUNTERS), key=_order):
        index = _index_of(stored, groups, keys)
        if index is None:
            groups.append([stored])
        else:
            groups[index].append(stored)
    return [Snapshot(tuple(sorted(parts, key=lambda part: "statement" not in part.rows))) for parts in groups]


def by_stretch(project: Project, database: Database) -> list[list[Snapshot]]:
    """The snapshots between which periods are looked at: all of them, or those of each stretch of a window."""
    if not database.within:
        return [snapshots(project, database)]
    stretches = []
    for stretch in database.within:
        own = tuple(one for one in database.records if stretch.run_id in (None, one.run_id))
        taken = snapshots(project, replace(database, records=own))
        if stretch.span != EVER:
            pairs = enumerate(pairwise(taken), 1)
            later = [index for index, (one, two) in pairs if _lies_in(one.time_ns, two.time_ns, stretch.span)]
            taken = taken[later[0] - 1 : later[-1] + 1] if later else []
        stretches.append(taken)
    return [taken for taken in stretches if taken]


def _order(stored: StoredRecord) -> tuple[bool, int, int, int]:
    time_ns = stored.head.end.time_ns
    return time_ns is None, time_ns or 0, stored.artefact_id, stored.position


def _index_of(stored: StoredRecord, groups: Sequence[Sequence[StoredRecord]], keys: _Keys) -> int | None:
    """The latest snapshot that this record is another view of."""
    for index in range(len(groups) - 1, -1, -1):
        first = groups[index][0].head.end.time_ns
        time_ns = stored.head.end.time_ns
        if time_ns is not None and first is not None and time_ns - first > NEAR_NS:
            return None
        if (time_ns is None) == (first is None) and all(_goes_with(part, stored, keys) for part in groups[index]):
            return index
    return None


def _goes_with(one: StoredRecord, other: StoredRecord, keys: _Keys) -> bool:
    """Whether two records can be of one moment: no figure stands in both."""
    if one.artefact_id == other.artefact_id:
        return False
    shared = one.rows.keys() & other.rows.keys() - _SHARED_TABLES
    if "statement" in shared:
        return False
    return all(keys.of(one, name).isdisjoint(keys.of(other, name)) for name in shared)


class _Keys:
    """Names of rows, read where two records have the same table."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._by_table: dict[tuple[int, str], frozenset[tuple[str, ...]]] = {}

    def of(self, stored: StoredRecord, name: str) -> frozenset[tuple[str, ...]]:
        if (stored.id, name) not in self._by_table:
            tables = database_records.read_tables(self._project, stored.id, [name])
            self._by_table[stored.id, name] = frozenset(tables[name].keys())
        return self._by_table[stored.id, name]


def read_snapshots(
    project: Project, wanted: Sequence[Snapshot], names: Sequence[str] | None = None
) -> Iterator[DatabaseRecord]:
    """The snapshots with the tables of these names, one by one."""
    parts = [part for snapshot in wanted for part in snapshot.parts]
    read = database_records.filled(project, parts, names)
    for snapshot in wanted:
        yield _joined([next(read) for _ in snapshot.parts])


def _joined(records: Sequence[DatabaseRecord]) -> DatabaseRecord:
    """Views of one moment as one record; of what several tell the first counts."""
    joined = records[0]
    for other in records[1:]:
        joined = replace(
            joined,
            identity=_merged(joined.identity, other.identity),
            end=_merged(joined.end, other.end),
            tables=_merged_tables(joined.tables, other.tables),
            absent=tuple(name for name in joined.absent if name not in other.tables),
        ).with_faults(*other.faults)
    return joined


def _merged_tables(one: Mapping[str, FigureTable], other: Mapping[str, FigureTable]) -> dict[str, FigureTable]:
    joined = dict(one)
    for name, table in other.items():
        joined[name] = table if name not in joined else _below(joined[name], table)
    return joined


def _below(one: FigureTable, other: FigureTable) -> FigureTable:
    """The rows of the second that the first has not, below those of the first."""
    present, keys = set(one.keys()), other.keys()
    more = other.taken(np.array([key not in present for key in keys], dtype=bool))
    shape = TABLES[one.name]
    texts = [name for name in (*shape.keys, *shape.texts) if name in one.texts or name in more.texts]
    figures = [name for name in shape.figures if name in one.figures or name in more.figures]
    return FigureTable(
        one.name,
        {name: (*one.text(name), *more.text(name)) for name in texts},
        {name: np.concatenate([one.figure(name), more.figure(name)]) for name in figures},
        np.concatenate([one.lines, more.lines]),
    )
