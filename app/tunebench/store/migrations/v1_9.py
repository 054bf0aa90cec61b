"""1.8 -> 1.9: a window names the zone by whose clock its hours and days go. Those that are there go by the
engagement's. 1.8 cannot read windows that name one."""

from __future__ import annotations

import sqlite3


def upgrade(_connection: sqlite3.Connection) -> None:
    """Records are kept as text: a field that is missing has its default."""
