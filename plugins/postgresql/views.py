"""Which view a heading is of, and how its figures are known not to have been measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

import numpy as np

from tunebench.families.views.cells import Numbers
from tunebench.families.views.dump import Dump
from tunebench.sdk import record

SERVER = "postgresql"
"""The first section of each round of our capture: which server, which version, when."""
RECOVERY = "pg_recovery"
STATEMENTS = "pg_stat_statements"
STATEMENTS_INFO = "pg_stat_statements_info"
LOCK_WAITS = "pg_lock_waits"
"""A section of our own: sessions that wait for a lock, and whom for."""

_HEADINGS: tuple[tuple[str, frozenset[str]], ...] = tuple(
    (name, frozenset(columns.split()))
    for name, columns in (
        (SERVER, "server_version postmaster_start"),
        (RECOVERY, "receive_lsn replay_lsn replay_timestamp"),
        (STATEMENTS_INFO, "dealloc stats_reset"),
        ("pg_stat_database", "datname xact_commit"),
        ("pg_stat_bgwriter", "buffers_clean maxwritten_clean"),
        ("pg_stat_checkpointer", "num_timed num_requested"),
        ("pg_stat_wal", "wal_records wal_fpi wal_buffers_full"),
        ("pg_stat_io", "backend_type object context"),
        ("pg_statio_user_indexes", "indexrelname idx_blks_hit"),
        ("pg_statio_user_tables", "relname heap_blks_hit"),
        ("pg_stat_user_indexes", "indexrelname idx_scan"),
        ("pg_stat_user_tables", "relname seq_scan"),
        ("pg_stat_activity", "wait_event_type wait_event state"),
        ("pg_stat_replication", "replay_lsn sync_state"),
        ("pg_stat_wal_receiver", "latest_end_lsn latest_end_time"),
        ("pg_replication_slots", "slot_name slot_type"),
        ("pg_locks", "locktype mode granted"),
        (LOCK_WAITS, "holder_pid holder_state holder_query_id"),
        ("pg_settings", "name setting"),
    )
)
_STATEMENT_FIGURES = frozenset({"calls", "rows", "total_time", "total_exec_time", "shared_blks_hit"})


def view_of(columns: Sequence[str]) -> str:
    """The view that a heading (lower case) is of, empty for none."""
    names = frozenset(columns)
    if names & {"query", "queryid"} and "calls" in names and len(names & _STATEMENT_FIGURES) > 1:
        return STATEMENTS
    return next((name for name, wanted in _HEADINGS if wanted <= names), "")


@record
class Settings:
    """`pg_settings` of a dump; empty where the capture has none."""

    values: Mapping[str, str] = field(default_factory=dict)

    def is_off(self, name: str) -> bool | None:
        """Whether what this setting turns on is not measured; None where the capture does not say."""
        value = self.values.get(name)
        return None if value is None else value in ("off", "none")


def settings_of(dump: Dump) -> Settings:
    view = dump.view("pg_settings")
    return Settings({row["name"]: row["setting"] for row in view.records()} if view is not None else {})


def measured(values: Numbers, off: bool | None) -> bool:
    """Whether figures that stay 0 while their setting is off were measured.

    Args:
        off: what the settings say; without them, figures that are all 0 or absent count as not measured.
    """
    return bool(np.any(np.nan_to_num(values))) if off is None else not off
