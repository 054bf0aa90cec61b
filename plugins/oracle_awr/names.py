"""What only AWR reports in HTML call things, and what they are called here."""

from __future__ import annotations

CLUSTER_TIME_COLUMNS = {
    "DB time (s)": "db_time",
    "DB CPU (s)": "db_cpu",
    "SQL Exec Ela (s)": "sql_execution",
    "Parse Ela (s)": "parse",
    "Hard Parse Ela (s)": "hard_parse",
    "Java Ela (s)": "java_execution",
    "bg time (s)": "background_time",
    "bg CPU (s)": "background_cpu",
}
CLUSTER_TIME_SUM = "PL/SQL Ela (s)"
"""Execution, compilation and inbound calls added up, which is no line of the time model: kept as a statistic."""

CLUSTER_LOAD_COLUMNS = {
    "Logical Reads": ("logical_reads", "{block}", 1.0),
    "Physical Reads": ("physical_reads", "{block}", 1.0),
    "Physical Writes": ("physical_writes", "{block}", 1.0),
    "Redo Size (k)": ("redo_bytes", "By", 1024.0),
    "Block Changes": ("block_changes", "{block}", 1.0),
    "User Calls": ("user_calls", "1", 1.0),
    "Execs": ("executions", "1", 1.0),
    "Parses": ("parses", "1", 1.0),
    "Logons": ("logons", "1", 1.0),
    "Txns": ("transactions", "1", 1.0),
}

CLUSTER_WAIT_CLASSES = {
    "sys i/o": "System I/O",
    "applic": "Application",
    "concurcy": "Concurrency",
    "config": "Configuration",
    "admin": "Administrative",
    "user i/o": "User I/O",
    "other": "Other",
    "commit": "Commit",
    "network": "Network",
    "cluster": "Cluster",
    "scheduler": "Scheduler",
}

STATEMENT_COLUMNS = {
    "Elapsed Time (s)": "elapsed_s",
    "CPU Time (s)": "cpu_s",
    "User I/O Time (s)": "io_wait_s",
    "Cluster Wait Time (s)": "cluster_wait_s",
    "CWT (s)": "cluster_wait_s",
    "Buffer Gets": "block_gets",
    "Physical Reads": "block_reads",
    "Executions": "executions",
    "Rows Processed": "rows",
    "Parse Calls": "parse_calls",
    "Sharable Mem (b)": "sharable_bytes",
    "Version Count": "version_count",
}
"""Columns of the lists of statements, alike in all of them."""

PER_EXECUTION_COLUMNS = {
    "Elapsed Time per Exec (s)": "elapsed_s",
    "Elap per Exec (s)": "elapsed_s",
    "CPU per Exec (s)": "cpu_s",
    "UIO per Exec (s)": "io_wait_s",
    "Gets per Exec": "block_gets",
    "Reads per Exec": "block_reads",
    "Rows per Exec": "rows",
}
"""Printed rounded; they are only compared with what the totals give."""
