"""What a project file may consist of: tables and their indexes, and the triggers that are ours.

A file comes from somebody else. A view in the place of a table never ends, a trigger or a computed column does what
its writer wanted when we only read or add a row: none of them is opened. Newer minor versions may add tables, columns
and indexes, nothing else.
"""

from __future__ import annotations

import sqlite3
from functools import cache
from pathlib import Path

from tunebench.core.errors import UserError
from tunebench.store.format import schema_sql

_STRANGE = """
SELECT type || ' ' || name FROM sqlite_schema
WHERE type NOT IN ('table', 'index', 'trigger') OR (type = 'table' AND coalesce(rootpage, 0) <= 0)
UNION ALL SELECT 'computed index ' || s.name FROM sqlite_schema AS s, pragma_index_xinfo(s.name) AS x
WHERE s.type = 'index' AND x.cid = -2
UNION ALL SELECT 'computed column ' || s.name || '.' || x.name FROM sqlite_schema AS s, pragma_table_xinfo(s.name) AS x
WHERE s.type = 'table' AND x.hidden <> 0
"""
_COLUMNS = (
    "SELECT s.name, x.name, x.type FROM sqlite_schema AS s, pragma_table_xinfo(s.name) AS x WHERE s.type = 'table'"
)
_TRIGGERS = "SELECT name, tbl_name, sql FROM sqlite_schema WHERE type = 'trigger'"


Columns = dict[str, dict[str, str]]


@cache
def _of_this_version() -> tuple[Columns, frozenset[tuple[str, str, str]]]:
    """Columns and triggers of this version."""
    connection = sqlite3.connect(":memory:")
    try:
        connection.executescript(schema_sql())
        return _columns(connection), _triggers(connection)
    finally:
        connection.close()


def known_columns() -> Columns:
    """Table -> column -> declared type, of this version."""
    return {table: columns for table, columns in _of_this_version()[0].items() if not table.startswith("sqlite_")}


def _columns(connection: sqlite3.Connection) -> Columns:
    columns: Columns = {}
    for table, column, kind in connection.execute(_COLUMNS):
        columns.setdefault(table, {})[column] = kind
    return columns


def _triggers(connection: sqlite3.Connection) -> frozenset[tuple[str, str, str]]:
    return frozenset((name, table, " ".join(sql.split())) for name, table, sql in connection.execute(_TRIGGERS))


def require_no_strangers(connection: sqlite3.Connection, path: Path) -> None:
    """Refuses a file of any version that has tables or triggers of others, before it is migrated.

    Raises:
        UserError: project_damaged.
    """
    strange = [name for (name,) in connection.execute(_STRANGE)]
    strange += [f"trigger {name}" for name, *_ in _triggers(connection) - _of_this_version()[1]]
    if strange:
        raise UserError("project_damaged", path=str(path), detail=", ".join(sorted(strange)[:3]))


def require_columns(connection: sqlite3.Connection, path: Path) -> None:
    """Refuses a file of this version, or of a newer minor one, in which a column is missing.

    Raises:
        UserError: project_damaged.
    """
    there = _columns(connection)
    missing = [
        f"{table}.{column}"
        for table, columns in known_columns().items()
        for column in columns
        if column not in there.get(table, {})
    ]
    if missing:
        raise UserError("project_damaged", path=str(path), detail=", ".join(sorted(missing)[:3]))
