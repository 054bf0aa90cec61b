"""events_statements_summary_by_digest: totals per schema and normalised statement.

    MySQL 5.6, MariaDB 10.0-      SCHEMA_NAME DIGEST (MD5) DIGEST_TEXT COUNT_STAR SUM_TIMER_WAIT ... FIRST_SEEN
    MySQL 8.0-                    DIGEST is SHA-256; QUANTILE_95 ... QUERY_SAMPLE_TEXT
    MySQL 8.0.28-                 SUM_CPU_TIME, 0 unless the consumer `events_statements_cpu` is on
    MySQL 8.0.31-                 MAX_CONTROLLED_MEMORY MAX_TOTAL_MEMORY

Timers count picoseconds. Digests that found no place in the table are one row without a digest. What runs through
prepared statements is missing from MariaDB's.
"""

from __future__ import annotations

from collections.abc import Sequence
from zoneinfo import ZoneInfo

import numpy as np

from tunebench.families.views.cells import Numbers, moment_ns, sum_of
from tunebench.families.views.dump import View
from tunebench.families.views.statements import fingerprint, statement_table, text_table
from tunebench.sdk import record
from tunebench.sdk.databases import FigureTable

from .cells import PICOSECONDS, numbers

OWN_MARKS = ("/* tunebench */", "`tunebench`")
"""A digest has lost our comment; the alias of our statements stays in it."""
_UNMARKED = frozenset(
    {
        "set session transaction read only",
        "show engine innodb status",
        "show all slaves status",
        "show slave status",
        "show replica status",
    }
)
"""What our capture runs and no alias can mark, without quotes; whoever else asks it watches too, and does no work."""
_CUT = "..."  # a digest text that is cut off ends so
_SUMS = {
    "executions": ("count_star",),
    "rows": ("sum_rows_sent", "sum_rows_affected"),
    "errors": ("sum_errors",),
    "rows_examined": ("sum_rows_examined",),
    "warnings": ("sum_warnings",),
    "temp_tables": ("sum_created_tmp_tables",),
    "temp_disk_tables": ("sum_created_tmp_disk_tables",),
    "full_scans": ("sum_select_scan",),
    "no_index_used": ("sum_no_index_used",),
    "sorts": ("sum_sort_range", "sum_sort_scan"),
    "sort_merge_passes": ("sum_sort_merge_passes",),
}
_TIMERS = {
    "elapsed_s": "sum_timer_wait",
    "lock_wait_s": "sum_lock_time",
    "elapsed_min_s": "min_timer_wait",
    "elapsed_max_s": "max_timer_wait",
}


@record(frozen=False)
class Statements:
    """What one digest table says.

    Attributes:
        unlisted: executions of digests for which the server's table had no room.
        own: rows of our own capturing, which are left out.
    """

    statement: FigureTable
    text: FigureTable
    unlisted: int
    own: int


def read_statements(view: View, cpu_is_measured: bool | None, zone: ZoneInfo, ours: bool = False) -> Statements:
    """Reads the view.

    Args:
        cpu_is_measured: whether the consumer of processor time is on; None where the capture does not say.
        ours: whether our own capture wrote it, so that its statements are among them.
    """
    columns = _Columns(view)
    texts = columns.texts("digest_text")
    samples = columns.texts("query_sample_text")
    own = np.array([_is_own(text, sample, ours) for text, sample in zip(texts, samples, strict=True)], dtype=bool)
    identities = [digest or _identity(text) for digest, text in zip(columns.texts("digest"), texts, strict=True)]
    keys = list(zip(identities, columns.texts("schema_name"), strict=True))
    figures = _figures(columns, cpu_is_measured, zone)
    counts = figures["executions"]
    unlisted = sum(count for key, count in zip(keys, counts.tolist(), strict=True) if not key[0] and count == count)
    kept = np.flatnonzero(~own)
    statement = statement_table(
        ("statement_id", "container"),
        [keys[index] for index in kept.tolist()],
        {name: values[kept] for name, values in figures.items()},
        np.array(view.lines, dtype=np.int64)[kept],
    )
    text = text_table([(identities[index], texts[index], view.lines[index]) for index in kept.tolist()], _CUT)
    return Statements(statement, text, int(unlisted), int(own.sum()))


@record
class _Columns:
    view: View

    def texts(self, name: str) -> Sequence[str]:
        """Empty texts where there is no such column."""
        return self.view.column(name) or [""] * len(self.view.rows)

    def numbers(self, name: str) -> Numbers:
        return numbers(self.texts(name))


def _is_own(text: str, sample: str, ours: bool) -> bool:
    if any(mark in text or mark in sample for mark in OWN_MARKS):
        return True
    return ours and text.replace("`", "").strip().casefold() in _UNMARKED


def _identity(text: str) -> str:
    """Id of a statement without a digest; empty for the row that sums the unlisted ones."""
    return fingerprint(text) if text else ""


def _figures(columns: _Columns, cpu_is_measured: bool | None, zone: ZoneInfo) -> dict[str, Numbers]:
    """float64[rows] each; NaN is not reported."""
    figures = {name: sum_of(*map(columns.numbers, names)) for name, names in _SUMS.items()}
    timers = {name: columns.numbers(column) / PICOSECONDS for name, column in _TIMERS.items()}
    if not np.any(timers["elapsed_s"] > 0):  # the instruments of statements count, but are not timed
        timers = {name: np.full_like(values, np.nan) for name, values in timers.items()}
    figures |= timers
    cpu_s = columns.numbers("sum_cpu_time") / PICOSECONDS
    if cpu_is_measured is False or cpu_is_measured is None and not np.any(cpu_s > 0):
        cpu_s = np.full_like(cpu_s, np.nan)
    figures["cpu_s"] = cpu_s
    for name, column in (("first_seen_ns", "first_seen"), ("last_seen_ns", "last_seen")):
        figures[name] = np.array([moment_ns(cell, zone) for cell in columns.texts(column)], dtype=np.float64)
    return figures
