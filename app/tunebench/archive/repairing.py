"""What can be given back without the projects: commits that are lost, and the index of words."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from tunebench.archive.base import enclosed, quoted
from tunebench.archive.layout import TABLES, WORDS
from tunebench.archive.log import Change, Log, State
from tunebench.archive.parts import Part, Row, copy_in, rows_query
from tunebench.archive.reading import Reader
from tunebench.archive.searching import INDEXED, words_of
from tunebench.archive.storage import Storage
from tunebench.archive.upkeep import is_unnamed, replacing
from tunebench.core.grouping import by_key


def recover(storage: Storage, log: Log, reader: Reader) -> None:
    """Where commits are lost: parts that no other commit names count again where nothing else has their engagements'
    rows, the newest first, and a new commit tells all parts. Nothing else is changed."""
    if not log.lost():
        return
    reader.verify()

    def change(state: State) -> Change:
        held = {
            (part.table, one)
            for part in state.parts.values()
            if part.name not in reader.bad
            for one in part.engagements
        }
        adopted: list[Part] = []
        for part in _unnamed(storage, state):
            rows_of = {(part.table, engagement) for engagement in part.engagements}
            if held.isdisjoint(rows_of):
                adopted.append(part)
                held |= rows_of
        lost = [part for name, part in state.parts.items() if name in reader.bad]
        missed = [part.lacking(one for one in part.engagements if (part.table, one) in held) for part in lost]
        return Change([*(part for part in missed if part.engagements), *adopted], [part.name for part in lost])

    log.commit(change, whole=True)


def _unnamed(storage: Storage, state: State) -> list[Part]:
    """Parts that are whole and that the state does not name, the newest first."""
    entries = storage.entries("", deep=True)
    names = [name for name, entry in entries.items() if entry.size is not None and is_unnamed(name, state)]
    parts = (_described(storage, name) for name in sorted(names, key=lambda name: -entries[name].modified_s))
    return [part for part in parts if part is not None]


def _described(storage: Storage, name: str) -> Part | None:
    """The part by its file; None where its name is not of its bytes."""
    import duckdb

    content = storage.read(name)
    digest, source = hashlib.sha256(content).hexdigest(), f"FROM read_parquet({quoted(storage.location(name))})"
    try:
        with enclosed(storage) as base:
            contents = base.execute(f"SELECT engagement, content, count(*) {source} GROUP BY ALL").fetchall()
    except duckdb.Error:
        return None
    engagements = {str(engagement): str(own) for engagement, own, _rows in contents}
    part = Part(name.partition("/")[0], digest, sum(rows for *_, rows in contents), len(content), engagements)
    return part if part.name == name else None


def index_again(storage: Storage, log: Log, reader: Reader) -> None:
    """Writes the index again of engagements whose words cannot be read and whose records can."""
    state = log.state()
    bad = [part for part in state.parts.values() if part.name in reader.bad]
    lost = {
        engagement: content for part in bad if part.table == WORDS for engagement, content in part.engagements.items()
    }
    for part in bad:
        if part.table in INDEXED:
            lost = {engagement: content for engagement, content in lost.items() if engagement not in part.engagements}
    if lost:
        queries = {table: reader.rows_of(table, state.of(table)) for table in INDEXED}
        parts = index_part(storage, queries, lost)
        reader.trust(parts)
        log.commit(lambda now: replacing(now, lost, parts, (WORDS,)))


def index_part(storage: Storage, queries: Mapping[str, str], contents: Mapping[str, str]) -> list[Part]:
    """The index of words of these engagements, made again of their rows; `queries` give the rows of tables."""
    by_table: dict[str, dict[str, list[Row]]] = {}
    with enclosed(storage) as base:
        for table in INDEXED:
            if table in queries:
                names = ", ".join(f'"{name}"' for name in TABLES[table])
                result = base.execute(f"SELECT engagement, {names} FROM ({queries[table]})").fetchall()
                by_table[table] = by_key((row[0], dict(zip(TABLES[table], row[1:], strict=True))) for row in result)
    rows = [
        {"engagement": engagement, "content": content, **row}
        for engagement, content in contents.items()
        for row in words_of({table: own.get(engagement, ()) for table, own in by_table.items()})
    ]
    if not rows:
        return []
    engagements = {str(row["engagement"]): str(row["content"]) for row in rows}
    with storage.drafts() as drafts, enclosed(storage, drafts) as base:
        return [
            copy_in(storage, base, drafts, WORDS, rows_query(WORDS, rows, drafts, "engagement", "content"), engagements)
        ]
