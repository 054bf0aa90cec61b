"""1.6 -> 1.7: seals and amendments among the records of the cycle. Nothing that was there changes; what was approved
before has no seal. 1.6 cannot read the new kinds."""

from __future__ import annotations

import sqlite3


def upgrade(_connection: sqlite3.Connection) -> None:
    """Records are kept as text with their kind: a new one needs no table."""
