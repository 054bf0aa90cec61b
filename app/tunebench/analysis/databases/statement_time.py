"""The time of sessions where the database does not tell it: MySQL and MariaDB time every statement, and no session.

The digests hold every statement (what has no room of its own stands in one row together), so that their sum is what
sessions spent in statements that ended inside of the period. It is none where some ran that the list does not hold.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from tunebench.analysis.databases.record import FigureTable
from tunebench.domain.databases.records import Engine, Fault

_INCOMPLETE = frozenset({Fault.EVICTED, Fault.PREPARED_UNSEEN, Fault.RESET, Fault.TRUNCATED})


def times_statements_only(engine: str) -> bool:
    """Whether the time of sessions is that of their statements. The waits of such a database are those of all its
    threads, those of the background too, and no parts of it."""
    return engine in (Engine.MYSQL, Engine.MARIADB)


def statement_time_s(engine: str, tables: Mapping[str, FigureTable], faults: Collection[Fault]) -> float | None:
    """Seconds; None where the engine tells its sessions' time otherwise, or the list does not hold everything."""
    table = tables.get("statement")
    if not times_statements_only(engine) or table is None or not _INCOMPLETE.isdisjoint(faults):
        return None
    elapsed = table.figure("elapsed_s")
    return None if np.isnan(elapsed).all() else float(np.nansum(elapsed))
