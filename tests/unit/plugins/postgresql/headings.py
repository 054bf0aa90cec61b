"""Columns of PostgreSQL's views by version, as `\\d` prints them, and one made-up row of each.

Sources: the regression tests of pg_stat_statements (expected/oldextversions.out of PostgreSQL 18) and
src/backend/catalog/system_views.sql of the versions.
"""

from __future__ import annotations

_IDS = "userid dbid queryid query"
_BLOCKS = (
    "rows shared_blks_hit shared_blks_read shared_blks_dirtied shared_blks_written local_blks_hit local_blks_read"
    " local_blks_dirtied local_blks_written temp_blks_read temp_blks_written"
)
_PLANS = "plans total_plan_time min_plan_time max_plan_time mean_plan_time stddev_plan_time"
_EXEC = "calls total_exec_time min_exec_time max_exec_time mean_exec_time stddev_exec_time"
_WAL = "wal_records wal_fpi wal_bytes"
_JIT = (
    "jit_functions jit_generation_time jit_inlining_count jit_inlining_time jit_optimization_count"
    " jit_optimization_time jit_emission_count jit_emission_time"
)
_TEMP = "temp_blk_read_time temp_blk_write_time"
_SHARED = "shared_blk_read_time shared_blk_write_time local_blk_read_time local_blk_write_time"
_SINCE = "stats_since minmax_stats_since"
_TOP = "userid dbid toplevel queryid query"

_EXT_1_6 = f"{_IDS} calls total_time min_time max_time mean_time stddev_time {_BLOCKS} blk_read_time blk_write_time"
_EXT_1_8 = f"{_IDS} {_PLANS} {_EXEC} {_BLOCKS} blk_read_time blk_write_time {_WAL}"
_EXT_1_10 = f"{_TOP} {_PLANS} {_EXEC} {_BLOCKS} blk_read_time blk_write_time {_TEMP} {_WAL} {_JIT}"

STATEMENTS = {
    10: _EXT_1_6,
    11: _EXT_1_6,
    12: _EXT_1_6,
    13: _EXT_1_8,
    14: _EXT_1_8.replace(_IDS, _TOP),
    15: _EXT_1_10,
    16: _EXT_1_10,
    17: f"{_TOP} {_PLANS} {_EXEC} {_BLOCKS} {_SHARED} {_TEMP} {_WAL} {_JIT} jit_deform_count jit_deform_time {_SINCE}",
    18: (
        f"{_TOP} {_PLANS} {_EXEC} {_BLOCKS} {_SHARED} {_TEMP} {_WAL} wal_buffers_full {_JIT} jit_deform_count"
        f" jit_deform_time parallel_workers_to_launch parallel_workers_launched {_SINCE}"
    ),
}
"""PostgreSQL's version -> columns of the pg_stat_statements that comes with it (1.6 to 1.12)."""

ROW = {
    "userid": "10", "dbid": "16384", "toplevel": "t", "queryid": "-2933268663985932080", "query": "select $1 from t",
    "calls": "7", "total_time": "1500.5", "min_time": "10", "max_time": "900.25", "mean_time": "214.357",
    "stddev_time": "250", "stddev_exec_time": "250",
    "total_exec_time": "1500.5", "min_exec_time": "10", "max_exec_time": "900.25", "plans": "6", "total_plan_time": "70",
    "rows": "21", "shared_blks_hit": "100", "shared_blks_read": "30", "shared_blks_dirtied": "5",
    "shared_blks_written": "4", "local_blks_hit": "3", "local_blks_read": "2", "local_blks_dirtied": "1",
    "local_blks_written": "6", "temp_blks_read": "8", "temp_blks_written": "9", "blk_read_time": "12.5",
    "blk_write_time": "2.5", "shared_blk_read_time": "12.5", "shared_blk_write_time": "2.5", "local_blk_read_time": "0.5",
    "local_blk_write_time": "0.25", "temp_blk_read_time": "0.125", "temp_blk_write_time": "0.0625", "wal_bytes": "4096",
    "stats_since": "2026-11-20 00:00:00+00",
}  # fmt: skip

DATABASE = {
    10: (
        "datid datname numbackends xact_commit xact_rollback blks_read blks_hit tup_returned tup_fetched tup_inserted"
        " tup_updated tup_deleted conflicts temp_files temp_bytes deadlocks blk_read_time blk_write_time stats_reset"
    ),
    12: (
        "datid datname numbackends xact_commit xact_rollback blks_read blks_hit tup_returned tup_fetched tup_inserted"
        " tup_updated tup_deleted conflicts temp_files temp_bytes deadlocks checksum_failures checksum_last_failure"
        " blk_read_time blk_write_time stats_reset"
    ),
    14: (
        "datid datname numbackends xact_commit xact_rollback blks_read blks_hit tup_returned tup_fetched tup_inserted"
        " tup_updated tup_deleted conflicts temp_files temp_bytes deadlocks checksum_failures checksum_last_failure"
        " blk_read_time blk_write_time session_time active_time idle_in_transaction_time sessions sessions_abandoned"
        " sessions_fatal sessions_killed stats_reset"
    ),
    18: (
        "datid datname numbackends xact_commit xact_rollback blks_read blks_hit tup_returned tup_fetched tup_inserted"
        " tup_updated tup_deleted conflicts temp_files temp_bytes deadlocks checksum_failures checksum_last_failure"
        " blk_read_time blk_write_time session_time active_time idle_in_transaction_time sessions sessions_abandoned"
        " sessions_fatal sessions_killed parallel_workers_to_launch parallel_workers_launched stats_reset"
    ),
}
BGWRITER_16 = (
    "checkpoints_timed checkpoints_req checkpoint_write_time checkpoint_sync_time buffers_checkpoint buffers_clean"
    " maxwritten_clean buffers_backend buffers_backend_fsync buffers_alloc stats_reset"
)
BGWRITER_17 = "buffers_clean maxwritten_clean buffers_alloc stats_reset"
CHECKPOINTER_17 = (
    "num_timed num_requested restartpoints_timed restartpoints_req restartpoints_done write_time sync_time"
    " buffers_written stats_reset"
)
WAL_14 = "wal_records wal_fpi wal_bytes wal_buffers_full wal_write wal_sync wal_write_time wal_sync_time stats_reset"
WAL_18 = "wal_records wal_fpi wal_bytes wal_buffers_full stats_reset"
IO_16 = (
    "backend_type object context reads read_time writes write_time writebacks writeback_time extends extend_time op_bytes"
    " hits evictions reuses fsyncs fsync_time stats_reset"
)
IO_18 = (
    "backend_type object context reads read_bytes read_time writes write_bytes write_time writebacks writeback_time"
    " extends extend_bytes extend_time hits evictions reuses fsyncs fsync_time stats_reset"
)


def csv(columns: str, *rows: dict[str, str]) -> str:
    """A heading and rows; what a row does not say is NULL."""
    names = columns.split()
    return "".join(
        f"{','.join(cells)}\n" for cells in (names, *([row.get(name, "") for name in names] for row in rows))
    )
