"""Archives of the first layout, which had a file for each table of each engagement: rewritten when they are opened.

One way of reading is kept, and one sentence says that it was done. A kill in between leaves the archive as it was.
"""

from __future__ import annotations

from tunebench.archive.base import enclosed, quoted
from tunebench.archive.layout import ENGAGEMENTS, TABLES
from tunebench.archive.log import Change, Log
from tunebench.archive.parts import Part
from tunebench.archive.reading import row_digest
from tunebench.archive.repairing import index_part
from tunebench.archive.storage import Storage
from tunebench.archive.upkeep import copy_sorted
from tunebench.core.grouping import by_key
from tunebench.core.patterns import lazy_pattern

_FILE = lazy_pattern(r"\w+/engagement=([^/]+)/content=([^/]+)/rows\.parquet")
_LOST = "0" * 64


def rewrite(storage: Storage) -> int:
    """Writes everything that counts as parts, and the first commit, which names them; gives the number of engagements.

    A file that cannot be read becomes a part that cannot be: answers go on naming it.
    """
    log = Log(storage)
    log.commit(lambda state: None if state.number else Change(_parts_of(storage)), whole=True)
    return len({engagement for part in log.state().parts.values() for engagement in part.engagements})


def remove_files(storage: Storage) -> None:
    for table in TABLES:
        for name in storage.entries(table):
            if "engagement=" in name:
                storage.remove(name)


def _parts_of(storage: Storage) -> list[Part]:
    files = [
        match for table in TABLES for name in storage.entries(table, deep=True) if (match := _FILE.fullmatch(name))
    ]
    names = by_key((match[0].partition("/")[0], match[0]) for match in files)
    counting = _newest(storage, names.get(ENGAGEMENTS, []))
    for match in files:  # of an engagement whose own row is gone its rows stay, and the row is missed
        counting.setdefault(match[1], match[2])
    parts, queries = [], {}
    for table in TABLES:
        own = {
            match[0]: match[1] for match in files if match[0].startswith(f"{table}/") and counting[match[1]] == match[2]
        }
        readable = _readable(storage, table, list(own))
        lost = {own[name] for name in own if name not in readable}
        if table == ENGAGEMENTS:
            lost |= counting.keys() - own.values()
        if lost:
            parts.append(Part(table, _LOST, 0, 0, {engagement: counting[engagement] for engagement in sorted(lost)}))
        if readable:
            queries[table] = _rows(storage, table, readable)
            engagements = {own[name]: counting[own[name]] for name in readable}
            parts.append(copy_sorted(storage, table, queries[table], engagements))
    return [*parts, *index_part(storage, queries, counting)]


def _newest(storage: Storage, names: list[str]) -> dict[str, str]:
    """Content of each engagement that counts, by the newest of its rows."""
    readable = _readable(storage, ENGAGEMENTS, names)
    if not readable:
        return {}
    query = f"SELECT engagement, arg_max(content, added_ns) FROM ({_rows(storage, ENGAGEMENTS, readable)}) GROUP BY 1"
    with enclosed(storage) as base:
        return dict(base.execute(query).fetchall())


def _rows(storage: Storage, table: str, names: list[str]) -> str:
    columns = ", ".join(f'"{name}"' for name in ("engagement", "content", *TABLES[table]))
    locations = ", ".join(quoted(storage.location(name)) for name in names)
    partitions = "hive_partitioning = true, hive_types = {'engagement': VARCHAR, 'content': VARCHAR}"
    return f"SELECT {columns} FROM read_parquet([{locations}], {partitions})"


def _readable(storage: Storage, table: str, names: list[str]) -> list[str]:
    """Those whose every value can be read; each is looked at by itself only where one cannot be."""
    import duckdb

    sizes = storage.entries(table, deep=True)
    names = [name for name in names if sizes[name].size is not None]  # a pipe would never end
    with enclosed(storage) as base:

        def is_readable(chosen: list[str]) -> bool:
            try:
                base.execute(f"SELECT {row_digest(table)} FROM ({_rows(storage, table, chosen)})").fetchall()
            except duckdb.Error:
                return False
            return True

        return names if not names or is_readable(names) else [name for name in names if is_readable([name])]
