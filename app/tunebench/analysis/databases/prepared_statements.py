"""Whether a list of statements leaves out what ran through prepared statements (MariaDB's digests do)."""

from __future__ import annotations

import numpy as np

from tunebench.analysis.databases.record import DatabaseRecord, FigureTable

_SCOPE = "status"
_EXECUTED, _ASKED = "Com_stmt_execute", "Questions"
LEAST_EXECUTIONS = 100
"""Fewer do not change a comparison, and a capture's own statements are no more."""


def prepared_statements_unseen(record: DatabaseRecord) -> bool:
    """At least half of the executions of prepared statements are missing from the list.

    `Questions` counts every statement that clients sent, prepared ones included; what it holds more than the list is
    unseen. A list of what procedures ran inside holds more than that, so the answer may be no where it should be yes.
    """
    statements = record.table("statement")
    executed, asked = _total(record, _EXECUTED), _total(record, _ASKED)
    if "statement" not in record.tables or executed is None or executed < LEAST_EXECUTIONS:
        return False
    listed = float(np.nansum(statements.figure("executions")))
    return (executed if asked is None else asked) - listed >= executed / 2


def _total(record: DatabaseRecord, name: str) -> float | None:
    table: FigureTable = record.table("activity")
    for row, key in enumerate(table.keys()):
        if key == (_SCOPE, name):
            value = float(table.figure("total")[row])
            return None if np.isnan(value) else value
    return None
