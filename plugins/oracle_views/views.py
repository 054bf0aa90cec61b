"""Which view a heading is of."""

from __future__ import annotations

from collections.abc import Sequence

from tunebench.families.views.dump import Dump

INSTANCE = "oracle"
"""The first section of each round of our capture: which database, which instance, when."""
LICENCE = "oracle_licence"
NAME_VALUE = "v$name_value"
"""Statistics or parameters: only the rows tell."""
STATISTIC = "v$statistic"
"""Time model or host: only the rows tell."""
HISTORY_STATISTIC = "dba_hist_statistic"
SQL_AREA = ("v$sqlstats", "v$sqlarea", "v$sql", "v$sqlstats_plan_hash")

_HEADINGS: tuple[tuple[str, frozenset[str]], ...] = tuple(
    (name, frozenset(columns.split()))
    for name, columns in (
        (INSTANCE, "scope utc_now local_now"),
        (LICENCE, "question answer"),
        ("stats$sql_summary", "snap_id old_hash_value executions buffer_gets"),
        ("stats$snapshot", "snap_id snap_time startup_time"),
        ("stats$sqltext", "old_hash_value piece sql_text"),
        ("dba_hist_sqlstat", "snap_id sql_id executions_delta"),
        ("dba_hist_sqlstat", "sql_id executions_delta elapsed_time_delta"),
        ("dba_hist_sqlstat", "sql_id ex ela_us gets"),
        ("dba_hist_snapshot", "snap_id begin_interval_time end_interval_time"),
        ("dba_hist_system_event", "snap_id event_name total_waits"),
        ("dba_hist_parameter", "snap_id parameter_name value"),
        ("dba_hist_wr_control", "topnsql"),
        (HISTORY_STATISTIC, "snap_id stat_name value"),
        ("v$sqltext", "sql_id piece sql_text"),
        ("v$sql", "sql_id child_number executions buffer_gets"),
        ("v$sqlarea", "sql_id executions buffer_gets first_load_time"),
        ("v$sqlarea", "sql_id executions buffer_gets parsing_schema_name"),
        ("v$sqlstats", "sql_id executions buffer_gets"),
        ("v$sqlarea_names", "sql_id executions first_load_time"),
        ("dba_hist_sqltext", "sql_id sql_text"),
        ("v$segment_statistics", "owner object_name statistic_name value"),
        ("v$system_event", "event total_waits time_waited"),
        ("v$system_event", "event total_waits time_waited_micro"),
        ("v$system_wait_class", "wait_class total_waits time_waited"),
        ("v$filestat", "phyrds phywrts"),
        ("v$datafile", "file# name ts#"),
        ("v$tablespace", "ts# name"),
        ("v$instance", "instance_name host_name startup_time"),
        ("v$database", "dbid name log_mode"),
        ("v$database", "dbid name open_mode"),
        ("v$database", "dbid name db_unique_name"),
        ("v$containers", "con_id name"),
        ("v$parameter", "name value isdefault"),
        ("v$parameter", "name value ismodified"),
        ("v$parameter", "name value display_value"),
        ("v$sysstat", "name value statistic#"),
        ("v$sysstat", "name value class"),
        (STATISTIC, "stat_name value"),
        (NAME_VALUE, "name value"),
    )
)
_SECTIONS: tuple[tuple[str, frozenset[str]], ...] = tuple(
    (name, frozenset(columns.split()))
    for name, columns in (
        ("v$parameter", "name value"),
        ("v$sysstat", "name value"),
        ("v$sys_time_model", "stat_name value"),
        ("v$osstat", "stat_name value"),
        ("v$sqlstats_plan_hash", "sql_id executions buffer_gets"),
        ("v$tempstat", "phyrds phywrts"),
        ("v$version", "banner"),
        ("dba_hist_sysstat", "snap_id stat_name value"),
        ("dba_hist_sys_time_model", "snap_id stat_name value"),
        ("dba_hist_osstat", "snap_id stat_name value"),
    )
)
"""What a view must have that its ``@section`` names."""
_OF_A_SESSION = frozenset({"sid", "session_id"})


def view_of(columns: Sequence[str]) -> str:
    """The view that a heading (lower case) is of, empty for none."""
    names = frozenset(columns)
    if names & _OF_A_SESSION:
        return ""
    return next((name for name, wanted in _HEADINGS if wanted <= names), "")


def is_known(name: str, columns: Sequence[str]) -> bool:
    """Whether a view of this name is read, and has what it is read by."""
    names = frozenset(columns)
    return any(heading == name and wanted <= names for heading, wanted in (*_HEADINGS, *_SECTIONS))


def is_of_history(dump: Dump) -> bool:
    return any(view.name.startswith(("dba_hist_", "awr_")) for view in dump.views)


def is_of_statspack(dump: Dump) -> bool:
    return dump.view("stats$sql_summary") is not None
