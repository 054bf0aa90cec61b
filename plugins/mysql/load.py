"""SHOW GLOBAL STATUS: the load, every counter as it is printed, and what holds at the moment."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tunebench.families.views.cells import number
from tunebench.sdk import lazy_pattern
from tunebench.sdk.databases import FigureTable, TableRows

from .cells import total
from .views import NamedValues

SCOPE = "status"

# name of `load`, status variables that are added up, unit; the first line of a name whose variables are there counts
_LOAD: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("questions", ("questions",), "1"),
    ("commits", ("com_commit",), "1"),
    ("rollbacks", ("com_rollback",), "1"),
    ("connections", ("connections",), "1"),
    ("slow_statements", ("slow_queries",), "1"),
    ("logical_reads", ("innodb_buffer_pool_read_requests",), "{block}"),
    ("physical_reads", ("innodb_pages_read",), "{block}"),
    ("physical_reads", ("innodb_buffer_pool_reads",), "{block}"),
    ("physical_writes", ("innodb_pages_written",), "{block}"),
    ("block_changes", ("innodb_buffer_pool_write_requests",), "{block}"),
    ("read_requests", ("innodb_data_reads",), "1"),
    ("write_requests", ("innodb_data_writes",), "1"),
    ("read_bytes", ("innodb_data_read",), "By"),
    ("write_bytes", ("innodb_data_written",), "By"),
    ("redo_bytes", ("innodb_os_log_written",), "By"),
    ("rows_read", ("innodb_rows_read",), "{row}"),
    ("rows_read", ("rows_read",), "{row}"),  # MariaDB 10.6 and newer have no Innodb_rows_*
    ("rows_changed", ("innodb_rows_inserted", "innodb_rows_updated", "innodb_rows_deleted"), "{row}"),
    ("rows_changed", ("handler_write", "handler_update", "handler_delete"), "{row}"),
    ("sorts", ("sort_range", "sort_scan"), "1"),
    ("temp_files", ("created_tmp_disk_tables",), "1"),
    ("deadlocks", ("innodb_deadlocks",), "1"),
)
_USER_STATISTICS = (("db_time", "busy_time"), ("db_cpu", "cpu_time"))
"""MariaDB; both stay 0 unless `userstat` is on."""
_STATES = lazy_pattern(
    r"threads_(?!created)|open_(?!ed)|slaves_\w+$|stack_usage$|(?!com_).*_(?:pending_\w+|current_waits|lsn\w*|status|limit|limits|page_size|lag|size)$"
    r"|innodb_buffer_pool_(?:bytes|pages)_(?:data|dirty|free|misc|total|old|latched)$|innodb_row_lock_time_(?:avg|max)$"
    r"|innodb_(?:num_open_files|history_list_length|checkpoint_\w+|mem_\w+|max_trx_id|ibuf_(?:free_list|segment_size)"
    r"|undo_tablespaces\w*|available_undo_logs|buffer_pool_load_incomplete|redo_log_(?!writes)\w+)$|key_blocks_\w+$"
    r"|qcache_(?:free_\w+|queries_in_cache|total_blocks)$|max_(?:used_connections|statement_time_set)$|memory_\w+$"
    r"|prepared_stmt_count$|slave_(?:open_temp_tables|heartbeat_period)$|replica_open_temp_tables$"
    r"|uptime_since_flush_status$|rpl_semi_sync_\w*(?:_clients|_avg\w*|_wait_sessions)$|wsrep_(?:\w*_(?:avg|min|max|size|distance|rate|count)"
    r"|cluster_\w+|last_committed|local_(?:state|index|\w+_queue\w*)|ready|connected)$|threadpool_\w*threads$"
    r"|aria_pagecache_blocks_\w+$|acl_\w+$|delayed_insert_threads$|not_flushed_delayed_rows$|last_query_cost$"
    r"|last_query_partial_plans$|ssl_(?!accepts|finished_accepts|client_connects|callback|session_cache_(?:hits|misses|timeouts|overflows)"
    r"|renegotiates|connect|used_session)\w+$|tc_log_(?!page_waits)\w+$|binlog_snapshot_position$|mysqlx_(?:worker_threads\w*|ssl_ctx\w*)$"
    r"|innodb_\w*_(?:enabled|flags|used|percent_\w+|pct_\w+)$|compression$|caching_sha2_\w+$|ndb_\w*(?:_id|_nodes|_port)$"
    r"|innodb_(?:current_row_locks|dict_tables|adaptive_hash_(?:cells|heap_buffers))$|table_open_cache_active_instances$"
)
"""Names of what may fall while nobody sets anything back."""
_BYTES = lazy_pattern(
    r"bytes_(?:received|sent)$|innodb_(?:data_(?:read|written)|os_log_written)$|innodb_buffer_pool_bytes_\w+$"
    r"|memory_used\w*$|innodb_page_size$|binlog_bytes_written$"
)
_MILLISECONDS = lazy_pattern(r"innodb_row_lock_time(?:_\w+)?$")
_BLOCKS = lazy_pattern(r"innodb_(?:pages_\w+|buffer_pool_pages_\w+)$")


def load_table(status: NamedValues) -> FigureTable:
    rows = TableRows("load")
    seen: set[str] = set()
    for name, variables, unit in _LOAD:
        value = total(*(number(status.get(variable)) for variable in variables))
        if value is not None and name not in seen:
            seen.add(name)
            native = " + ".join(status.names[variable] for variable in variables)
            rows.add(status.line(variables[0]), {"name": name, "native": native, "unit": unit}, {"total": value})
    for name, variable in _USER_STATISTICS:
        value = number(status.get(variable))
        if value:
            texts = {"name": name, "native": status.names[variable], "unit": "s"}
            rows.add(status.line(variable), texts, {"total": value})
    return rows.close()


def add_activity(rows: TableRows, status: NamedValues) -> None:
    """Counters, `Uptime` among them: by it a restart is seen."""
    for line, name, cell in status:
        value = number(cell)
        if value is not None and not is_state(name):
            rows.add(line, {"scope": SCOPE, "name": name, "unit": unit_of(name)}, {"total": value})


def add_states(rows: TableRows, status: NamedValues) -> None:
    for line, name, cell in status:
        value = number(cell)
        if value is not None and is_state(name):
            rows.add(line, {"scope": SCOPE, "name": name, "unit": unit_of(name)}, {"end": value})


def is_state(name: str) -> bool:
    """Whether a status variable holds at a moment rather than counts."""
    return _STATES.match(name.lower()) is not None


def unit_of(name: str) -> str:
    lower = name.lower()
    units: Sequence[tuple[re.Pattern[str], str]] = ((_BYTES, "By"), (_MILLISECONDS, "ms"), (_BLOCKS, "{block}"))
    return next((unit for pattern, unit in units if pattern.match(lower)), "s" if lower.startswith("uptime") else "1")
