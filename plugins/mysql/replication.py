"""SHOW REPLICA STATUS, SHOW SLAVE STATUS: how far behind its source a replica is.

``Seconds_Behind_Master`` is how old the change is that is being applied, by the clock of the source. It is NULL while
replication does not run: then the lag is not known, and is never 0. While the connection to the source is lost it may
say 0 although nothing arrives; the states of the two threads stand beside it.
"""

from __future__ import annotations

from collections.abc import Iterator

from tunebench.families.views.cells import number
from tunebench.families.views.dump import Dump
from tunebench.sdk.databases import TableRows

from .cells import Row
from .objects import rows_of
from .views import REPLICA

_LAG = ("seconds_behind_source", "seconds_behind_master")
_STATES = (  # columns of either spelling, name, unit
    (_LAG, "seconds_behind", "s"),
    (("relay_log_space",), "relay_log_space", "By"),
    (("sql_remaining_delay",), "sql_remaining_delay", "s"),
    (("sql_delay",), "sql_delay", "s"),
)
_FACTS = (
    (("replica_io_running", "slave_io_running"), "io_running"),
    (("replica_sql_running", "slave_sql_running"), "sql_running"),
    (("source_host", "master_host"), "source_host"),
    (("source_port", "master_port"), "source_port"),
    (("replica_io_state", "slave_io_state"), "io_state"),
    (("replica_sql_running_state", "slave_sql_running_state"), "sql_state"),
    (("last_io_errno",), "last_io_errno"),
    (("last_sql_errno",), "last_sql_errno"),
    (("source_log_file", "master_log_file"), "source_log_file"),
    (("relay_source_log_file", "relay_master_log_file"), "applied_log_file"),
    (("using_gtid",), "using_gtid"),
)
NOT_RUNNING = "not running"


def is_replica(dump: Dump) -> bool:
    view = dump.view(REPLICA)
    return view is not None and len(view.rows) > 0


def replica_states(dump: Dump) -> Iterator[tuple[int, str, str, float, str]]:
    """(line, scope, name, value, unit)."""
    for line, row in rows_of(dump.view(REPLICA)):
        for columns, name, unit in _STATES:
            value = number(_first(row, columns))
            if value is not None:
                yield line, _scope(row), name, value, unit
        behind = _read_not_applied(row)
        if behind is not None:
            yield line, _scope(row), "bytes_not_applied", behind, "By"


def _read_not_applied(row: Row) -> float | None:
    """What of the source's log was read and is not applied; not known while the two are in different files."""
    read = _first(row, ("source_log_file", "master_log_file"))
    applied = _first(row, ("relay_source_log_file", "relay_master_log_file"))
    end = number(_first(row, ("read_source_log_pos", "read_master_log_pos")))
    applied_to = number(_first(row, ("exec_source_log_pos", "exec_master_log_pos")))
    if not read or read != applied or end is None or applied_to is None or end < applied_to:
        return None
    return end - applied_to


def add_replica_facts(rows: TableRows, dump: Dump) -> None:
    for line, row in rows_of(dump.view(REPLICA)):
        for columns, name in _FACTS:
            value = _first(row, columns)
            if value:
                rows.add(line, {"scope": _scope(row), "name": name, "value": value}, {})
        if any(name in row for name in _LAG) and number(_first(row, _LAG)) is None:
            rows.add(line, {"scope": _scope(row), "name": "seconds_behind", "value": NOT_RUNNING}, {})


def _scope(row: Row) -> str:
    channel = _first(row, ("channel_name", "connection_name"))
    return f"{REPLICA} {channel}" if channel else REPLICA


def _first(row: Row, columns: tuple[str, ...]) -> str:
    return next((row[name] for name in columns if row.get(name)), "")
