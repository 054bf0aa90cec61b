"""1.10 -> 1.11: texts of records in a second language; what was there has none. 1.10 cannot read records that have."""

from __future__ import annotations

import sqlite3


def upgrade(connection: sqlite3.Connection) -> None:
    """Records are kept as text; the engagement and its figures by hand have a column for theirs."""
    for table in ("engagement", "measurement"):
        connection.execute(f"ALTER TABLE {table} ADD COLUMN translations TEXT NOT NULL DEFAULT '[]'")
