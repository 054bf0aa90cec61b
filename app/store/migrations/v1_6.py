"""1.5 -> 1.6: windows among the records of the cycle. Nothing that was there changes; 1.5 cannot read the new kind."""

from __future__ import annotations

import sqlite3


def upgrade(_connection: sqlite3.Connection) -> None:
    """Records are kept as text with their kind: a new one needs no table."""
