"""What keeps an archive small, quick and clean: compaction, sweeping, taking rows out for good, finding lost parts."""

from __future__ import annotations

import time
from collections.abc import Container, Iterable, Mapping, Sequence
from functools import partial

from tunebench.archive.base import enclosed, quoted
from tunebench.archive.layout import SORTED_BY, TABLES
from tunebench.archive.log import FOLDER, Change, Log, State, name_of
from tunebench.archive.parts import Part, copy_in
from tunebench.archive.reading import Reader, row_digest
from tunebench.archive.storage import TEMPORARY, Storage
from tunebench.core.errors import UserError
from tunebench.core.records import record

LOOSE = 32
"""Parts of a table that are made one."""
FULL_BYTES = 256 << 20
"""A part of this size stays as it is: nobody rewrites gigabytes for each engagement."""
_DAY_S = 86_400


@record
class _Merge:
    """What is one part now, or none where no row of it counts, and what it was."""

    loose: Sequence[Part]
    merged: Sequence[Part]


def replacing(
    state: State, engagements: Iterable[str], parts: Sequence[Part], tables: Container[str] = TABLES
) -> Change:
    """Parts in the place of what a state has of these engagements, in all tables or some."""
    replaced = set(engagements)
    formers = [
        part for part in state.parts.values() if part.table in tables and not replaced.isdisjoint(part.engagements)
    ]
    shrunk = [rest for part in formers if (rest := part.lacking(replaced)).engagements]
    return Change([*shrunk, *parts], [part.name for part in formers])


def compact(storage: Storage, log: Log, reader: Reader, least: int = LOOSE) -> None:
    """One sorted part in the place of a table's loose ones, where there are so many, row for row the same.

    What another writer changes meanwhile stays as it is; the next one compacts.
    """
    state = log.state()
    merges = []
    for table in TABLES:
        loose = _loose(state.of(table))
        if len(loose) >= least or (least < LOOSE and any(part.without for part in loose)):
            reader.compare_digests(loose)
            merges.append(_merged(storage, reader, table, [part for part in loose if part.name not in reader.bad]))
    if merges:
        log.commit(partial(_instead, merges), whole=not state.lost)


def _loose(parts: Iterable[Part]) -> list[Part]:
    """Those that are not full, the smallest first, as many as make a part that is."""
    loose: list[Part] = []
    for part in sorted(parts, key=lambda part: part.size):
        if part.size < FULL_BYTES and sum(other.size for other in loose) < FULL_BYTES:
            loose.append(part)
    return loose


def _merged(storage: Storage, reader: Reader, table: str, loose: list[Part]) -> _Merge:
    engagements = {engagement: content for part in loose for engagement, content in part.engagements.items()}
    merged = [copy_sorted(storage, table, reader.rows_of(table, loose), engagements)] if engagements else []
    return _Merge(loose, merged)


def _instead(merges: list[_Merge], state: State) -> Change | None:
    """Merges whose loose parts are still what counts; None where none is."""
    standing = [merge for merge in merges if all(state.parts.get(part.name) == part for part in merge.loose)]
    if not standing:
        return None
    merged = [part for merge in standing for part in merge.merged]
    return Change(merged, [part.name for merge in standing for part in merge.loose])


def copy_sorted(storage: Storage, table: str, rows: str, engagements: Mapping[str, str]) -> Part:
    """The rows of a query as one part, in the order of its table.

    Raises:
        UserError: archive_compaction_differs: what was read back is not what the query gave.
    """
    order = SORTED_BY.get(table, "engagement")
    with storage.drafts() as drafts, enclosed(storage, drafts) as base:
        part = copy_in(storage, base, drafts, table, f"SELECT * FROM ({rows}) ORDER BY {order}", engagements)
        copy = f"FROM read_parquet({quoted(storage.location(part.name))}, hive_partitioning = false)"
        before, after = (
            base.execute(f"SELECT {row_digest(table)} {source}").fetchall() for source in (f"FROM ({rows})", copy)
        )
    if before != after:
        raise UserError("archive_compaction_differs", path=storage.location(part.name))
    return part


def sweep(storage: Storage, log: Log) -> None:
    """Removes drafts of writers that were killed, and parts that no commit names, a day after they were written, by
    the store's clock."""
    state = log.state()
    entries = storage.entries("", deep=True)
    newest = entries.get(name_of(state.number))
    if newest is None or state.lost:  # with a lost commit nobody knows what is named
        return
    for name, entry in entries.items():
        if is_unnamed(name, state) and entry.modified_s < newest.modified_s - _DAY_S:
            storage.remove(name)


def skew_s(storage: Storage, log: Log) -> float:
    """Seconds that this computer's clock is ahead of the store's, just after a commit."""
    entry = storage.entries(FOLDER).get(name_of(log.state().number))
    return time.time() - entry.modified_s if entry else 0.0


def is_unnamed(name: str, state: State) -> bool:
    """Whether that is a draft, or a part that does not count."""
    folder, slash, _file = name.partition("/")
    return name.startswith(TEMPORARY) or bool(slash and folder in TABLES and name not in state.parts)


def erase(storage: Storage, log: Log, reader: Reader, engagement: str) -> None:
    """Takes an engagement's rows out of every file, those too that count no more."""
    state = log.state()
    holders = [part for part in state.parts.values() if engagement in part.engagements or engagement in part.without]
    reader.compare_digests(holders)
    rest = {part.name: _without(storage, reader, part, engagement) for part in holders}

    def change(now: State) -> Change:
        for part in now.parts.values():  # another writer was first
            if (engagement in part.engagements or engagement in part.without) and state.parts.get(part.name) != part:
                rest[part.name] = _without(storage, reader, part, engagement)
        gone = [name for name in rest if name in now.parts]
        return Change([part for name in gone for part in rest[name]], gone)

    now = log.commit(change)
    for name in rest:
        if name not in now.parts or name in reader.bad:
            storage.remove(name)
    for name in storage.entries("", deep=True):
        if "/" in name and is_unnamed(name, now) and _may_hold(storage, name, engagement):
            storage.remove(name)


def _without(storage: Storage, reader: Reader, part: Part, engagement: str) -> list[Part]:
    """The part without an engagement's rows; one that cannot be read goes on being missed by its others."""
    kept = part.lacking([engagement])
    if not kept.engagements:
        return []
    if part.name in reader.bad:
        return [kept]
    return [copy_sorted(storage, part.table, reader.rows_of(part.table, [kept]), kept.engagements)]


def _may_hold(storage: Storage, name: str, engagement: str) -> bool:
    """Whether an unnamed part has rows of the engagement, or cannot be asked."""
    import duckdb

    query = f"FROM read_parquet({quoted(storage.location(name))}) WHERE engagement = {quoted(engagement)}"
    with enclosed(storage) as base:
        try:
            return bool(base.execute(f"SELECT 1 {query} LIMIT 1").fetchall())
        except duckdb.Error:
            return True
