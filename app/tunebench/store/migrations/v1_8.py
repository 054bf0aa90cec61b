"""1.7 -> 1.8: fields of the cycle's records: the signature of an approval, the sign-off that results are the same,
owner and day of an open point. What was there has none of them. 1.7 cannot read records that have."""

from __future__ import annotations

import sqlite3


def upgrade(_connection: sqlite3.Connection) -> None:
    """Records are kept as text: a field that is missing has its default."""
