"""pg_stat_statements: totals per statement, database, user and level.

9.4-12  total_time min_time max_time                               no plans
13-     total_exec_time ... plans total_plan_time ... wal_bytes
14-     toplevel: a statement inside of a function has a row of its own, and counts in its caller's as well
15-16   blk_read_time blk_write_time temp_blk_read_time temp_blk_write_time
17-     shared_blk_read_time ... local_blk_read_time ... stats_since
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from zoneinfo import ZoneInfo

import numpy as np

from tunebench.families.views.cells import Numbers, moment_ns, sum_of
from tunebench.families.views.dump import View
from tunebench.families.views.statements import fingerprint, statement_table, text_table
from tunebench.sdk import record
from tunebench.sdk.databases import FigureTable

from .cells import is_true, numbers
from .views import Settings, measured

OWN_MARK = "/* tunebench */"
HIDDEN = "<insufficient privilege>"
"""The text of statements that the capturing user may not see. They come without id: all of one user are one row."""
NESTED = "nested"
"""The module of rows that ran inside of a function."""

Key = tuple[str, str, str, str]
_KEY = ("statement_id", "container", "user", "module")

_IO_TIMES = (
    ("shared_blk_read_time", "blk_read_time"),
    ("shared_blk_write_time", "blk_write_time"),
    ("local_blk_read_time",),
    ("local_blk_write_time",),
    ("temp_blk_read_time",),
    ("temp_blk_write_time",),
)


@record(frozen=False)
class Statements:
    """What one view of statements says.

    Attributes:
        hidden: rows whose text the capturing user may not see.
        own: rows of our own capturing, which are left out.
    """

    statement: FigureTable
    text: FigureTable
    hidden: int
    own: int


def read_statements(view: View, databases: Mapping[str, str], settings: Settings, zone: ZoneInfo) -> Statements:
    """`databases` has names by oid, for exports that have the oid only."""
    columns = _Columns(view)
    texts = columns.texts("query")
    own = np.array([OWN_MARK in text for text in texts], dtype=bool)
    identities = [_identity(queryid, text) for queryid, text in zip(columns.texts("queryid"), texts, strict=True)]
    keys = _keys(columns, identities, databases)
    lines = np.array(view.lines, dtype=np.int64)
    kept = np.flatnonzero(~own)
    figures = {name: values[kept] for name, values in _figures(columns, settings, zone).items()}
    statement = statement_table(_KEY, [keys[index] for index in kept.tolist()], figures, lines[kept])
    text = text_table([(identities[index], texts[index], view.lines[index]) for index in kept.tolist()])
    return Statements(statement, text, sum(text == HIDDEN for text in texts), int(own.sum()))


@record
class _Columns:
    view: View

    def texts(self, *names: str) -> Sequence[str]:
        """Texts of the first of these columns that there is; empty where there is none."""
        return self.view.column(*names) or [""] * len(self.view.rows)

    def numbers(self, *names: str) -> Numbers:
        return numbers(self.texts(*names))

    def seconds(self, *names: str) -> Numbers:
        """PostgreSQL counts in milliseconds."""
        return self.numbers(*names) / 1000


def _identity(queryid: str, text: str) -> str:
    if text == HIDDEN:
        return ""
    return queryid or fingerprint(text)


def _keys(columns: _Columns, identities: Sequence[str], databases: Mapping[str, str]) -> list[Key]:
    named = zip(columns.texts("datname"), columns.texts("dbid"), strict=True)
    containers = [name or databases.get(oid, oid) for name, oid in named]
    named = zip(columns.texts("rolname", "usename"), columns.texts("userid"), strict=True)
    users = [name or oid for name, oid in named]
    levels = [NESTED if is_true(cell) is False else "" for cell in columns.texts("toplevel")]
    return list(zip(identities, containers, users, levels, strict=True))


def _figures(columns: _Columns, settings: Settings, zone: ZoneInfo) -> dict[str, Numbers]:
    """float64[rows] each; NaN is not reported."""
    read = sum_of(columns.numbers("shared_blks_read"), columns.numbers("local_blks_read"))
    hit = sum_of(columns.numbers("shared_blks_hit"), columns.numbers("local_blks_hit"))
    io_times = [columns.seconds(*names) for names in _IO_TIMES]
    plans = columns.numbers("plans")
    timed = measured(np.concatenate(io_times), settings.is_off("track_io_timing"))
    planned = measured(plans, settings.is_off("pg_stat_statements.track_planning"))
    nothing = np.full(len(columns.view.rows), np.nan)
    calls, elapsed_s = columns.numbers("calls"), columns.seconds("total_exec_time", "total_time")
    counted = np.where(calls > 0, calls, np.nan)
    return {
        "executions": calls,
        "elapsed_s": elapsed_s,
        # the deviation is that of all executions: divided by their count, not by one less
        "elapsed_squares": elapsed_s**2 / counted + counted * columns.seconds("stddev_exec_time", "stddev_time") ** 2,
        "io_wait_s": sum_of(*io_times) if timed else nothing,
        "planning_s": columns.seconds("total_plan_time") if planned else nothing,
        "plans": plans if planned else nothing,
        "block_gets": hit + read,
        "block_reads": read,
        "block_writes": sum_of(columns.numbers("shared_blks_written"), columns.numbers("local_blks_written")),
        "blocks_dirtied": sum_of(columns.numbers("shared_blks_dirtied"), columns.numbers("local_blks_dirtied")),
        "temp_blocks": sum_of(columns.numbers("temp_blks_read"), columns.numbers("temp_blks_written")),
        "wal_bytes": columns.numbers("wal_bytes"),
        "rows": columns.numbers("rows"),
        "elapsed_min_s": columns.seconds("min_exec_time", "min_time"),
        "elapsed_max_s": columns.seconds("max_exec_time", "max_time"),
        "first_seen_ns": np.array([moment_ns(cell, zone) for cell in columns.texts("stats_since")], dtype=np.float64),
    }
