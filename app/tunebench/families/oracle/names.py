"""What Oracle's reports call things, and what they are called here."""

from __future__ import annotations

MIB = 1024.0**2

LOAD_LABELS: dict[str, tuple[str, str, float]] = {
    "db time(s)": ("db_time", "s", 1.0),
    "db cpu(s)": ("db_cpu", "s", 1.0),
    "background cpu(s)": ("background_cpu", "s", 1.0),
    "redo size (bytes)": ("redo_bytes", "By", 1.0),
    "redo size": ("redo_bytes", "By", 1.0),
    "logical read (blocks)": ("logical_reads", "{block}", 1.0),
    "logical reads": ("logical_reads", "{block}", 1.0),
    "block changes": ("block_changes", "{block}", 1.0),
    "physical read (blocks)": ("physical_reads", "{block}", 1.0),
    "physical reads": ("physical_reads", "{block}", 1.0),
    "physical write (blocks)": ("physical_writes", "{block}", 1.0),
    "physical writes": ("physical_writes", "{block}", 1.0),
    "read io requests": ("read_requests", "1", 1.0),
    "write io requests": ("write_requests", "1", 1.0),
    "read io (mb)": ("read_bytes", "By", MIB),
    "write io (mb)": ("write_bytes", "By", MIB),
    "user calls": ("user_calls", "1", 1.0),
    "parses (sql)": ("parses", "1", 1.0),
    "parses": ("parses", "1", 1.0),
    "hard parses (sql)": ("hard_parses", "1", 1.0),
    "hard parses": ("hard_parses", "1", 1.0),
    "sorts": ("sorts", "1", 1.0),
    "logons": ("logons", "1", 1.0),
    "user logons": ("user_logons", "1", 1.0),
    "global cache blocks received": ("cluster_blocks_received", "{block}", 1.0),
    "global cache blocks served": ("cluster_blocks_served", "{block}", 1.0),
    "w/a mb processed": ("work_area_bytes", "By", MIB),
    "sql work area (mb)": ("work_area_bytes", "By", MIB),
    "executes (sql)": ("executions", "1", 1.0),
    "executes": ("executions", "1", 1.0),
    "rollbacks": ("rollbacks", "1", 1.0),
    "transactions": ("transactions", "1", 1.0),
}
"""Rows of the load profile: name, unit, and what the printed figure is multiplied with."""

LOAD_TOTALS: dict[str, tuple[str, ...]] = {
    "redo_bytes": ("redo size",),
    "logical_reads": ("session logical reads",),
    "block_changes": ("db block changes",),
    "physical_reads": ("physical reads",),
    "physical_writes": ("physical writes",),
    "read_requests": ("physical read IO requests",),
    "write_requests": ("physical write IO requests",),
    "read_bytes": ("physical read bytes",),
    "write_bytes": ("physical write bytes",),
    "user_calls": ("user calls",),
    "parses": ("parse count (total)",),
    "hard_parses": ("parse count (hard)",),
    "sorts": ("sorts (memory)", "sorts (disk)"),
    "logons": ("logons cumulative",),
    "user_logons": ("user logons cumulative",),
    "cluster_blocks_received": ("gc cr blocks received", "gc current blocks received"),
    "cluster_blocks_served": ("gc cr blocks served", "gc current blocks served"),
    "executions": ("execute count",),
    "rollbacks": ("user rollbacks",),
    "transactions": ("user commits", "user rollbacks"),
    "commits": ("user commits",),
}
"""Statistics of the instance whose totals add up to a row of the load profile."""

TIME_LABELS = {
    "db time": "db_time",
    "db cpu": "db_cpu",
    "background elapsed time": "background_time",
    "background cpu time": "background_cpu",
    "sql execute elapsed time": "sql_execution",
    "parse time elapsed": "parse",
    "hard parse elapsed time": "hard_parse",
    "pl/sql execution elapsed time": "plsql_execution",
    "pl/sql compilation elapsed time": "plsql_compilation",
    "connection management call elapsed time": "connection_management",
    "sequence load elapsed time": "sequence_load",
    "repeated bind elapsed time": "repeated_bind",
    "rman cpu time (backup/restore)": "rman_cpu",
    "java execution elapsed time": "java_execution",
    "failed parse elapsed time": "failed_parse",
    "hard parse (sharing criteria) elapsed time": "hard_parse_sharing",
    "hard parse (bind mismatch) elapsed time": "hard_parse_bind_mismatch",
    "inbound pl/sql rpc elapsed time": "inbound_plsql",
}

NOT_A_WAIT = frozenset({"db cpu", "cpu time", "db time"})
"""Rows that stand among waits and are processor time."""
