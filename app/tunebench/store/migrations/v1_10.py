"""1.9 -> 1.10: signatures of approvals, approvers' keys and the policy on them; experiments as sources of metrics and
as evidence. What was there has none of them. 1.9 cannot read records that have."""

from __future__ import annotations

import sqlite3


def upgrade(connection: sqlite3.Connection) -> None:
    connection.execute("ALTER TABLE approval ADD COLUMN signature TEXT NOT NULL DEFAULT ''")
