"""One event of a slow log: what its header says, and the statement below it.

# Time: 261121 16:12:38                       MySQL 5.6 and older, MariaDB: local, only where the second changed
# Time: 2026-11-21T07:12:38.123456Z           MySQL 5.7 and newer: UTC, or with an offset; always
# User@Host: root[root] @ localhost []  Id:     8
# Thread_id: 12  Schema: sbtest  QC_hit: No                                          MariaDB, Percona
# Query_time: 0.021380  Lock_time: 0.000007  Rows_sent: 1  Rows_examined: 1           all
# Rows_affected: 0  Bytes_sent: 0
# Pages_accessed: 276  Pages_read: 0  Pages_updated: 0  Pages_read_time: 0.0000       MariaDB, verbosity innodb
# Full_scan: Yes  Full_join: No  Tmp_table: No  Tmp_table_on_disk: No                 verbosity query_plan
#   InnoDB_IO_r_ops: 6415  InnoDB_IO_r_bytes: 105103360  InnoDB_IO_r_wait: 0.001279   Percona
use `sbtest`;                                 where the database changed since the event before
SET timestamp=1795245158;                     when it was written, or (MariaDB, MySQL 8.0.26 and newer) began: epoch
SELECT ...;                                   any number of lines
# administrator command: Quit;                instead of a statement
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from zoneinfo import ZoneInfo

from tunebench.families.views.cells import YEARS, nanoseconds
from tunebench.sdk import lazy_pattern, record

FIGURES = (
    "elapsed_s",
    "lock_wait_s",
    "rows_sent",
    "rows_affected",
    "rows_examined",
    "block_gets",
    "block_reads",
    "io_wait_s",
    "full_scans",
    "temp_tables",
    "temp_disk_tables",
    "sort_merge_passes",
    "sorts",
    "bytes_sent",
    "errors",
)
"""What an event may tell, in this order."""
_NAMES: Mapping[bytes, tuple[str, float]] = {  # as printed: figure, factor
    b"Query_time": ("elapsed_s", 1.0),
    b"Lock_time": ("lock_wait_s", 1.0),
    b"Rows_sent": ("rows_sent", 1.0),
    b"Rows_affected": ("rows_affected", 1.0),
    b"Rows_examined": ("rows_examined", 1.0),
    b"Pages_accessed": ("block_gets", 1.0),
    b"Pages_read": ("block_reads", 1.0),
    b"Pages_read_time": ("io_wait_s", 0.001),
    b"InnoDB_IO_r_ops": ("block_reads", 1.0),
    b"InnoDB_IO_r_wait": ("io_wait_s", 1.0),
    b"Full_scan": ("full_scans", 1.0),
    b"Tmp_tables": ("temp_tables", 1.0),
    b"Created_tmp_tables": ("temp_tables", 1.0),
    b"Tmp_disk_tables": ("temp_disk_tables", 1.0),
    b"Created_tmp_disk_tables": ("temp_disk_tables", 1.0),
    b"Merge_passes": ("sort_merge_passes", 1.0),
    b"Sort_merge_passes": ("sort_merge_passes", 1.0),
    b"Filesort": ("sorts", 1.0),
    b"Bytes_sent": ("bytes_sent", 1.0),
}
_PLACES = {name: (FIGURES.index(figure), factor) for name, (figure, factor) in _NAMES.items()}
_ERROR_PLACE = FIGURES.index("errors")
_ERRORS = (b"Errno", b"Last_errno")
_TOKEN = lazy_pattern(rb"(\w+): (\S+)")
_WORDS = {b"Yes": 1.0, b"No": 0.0}
MARKS = (b"# Time: ", b"# User@Host: ")
"""Either begins an event."""
ADMIN = b"# administrator command: "
_OLD_TIME = lazy_pattern(rb"(\d\d)(\d\d)(\d\d)\s+(\d\d?):(\d\d):(\d\d)")
_USE = lazy_pattern(rb"use `?([^`;]+)`?;\s*", re.IGNORECASE)
_SET_TIME = lazy_pattern(rb"SET (?:last_insert_id=\d+,)?(?:insert_id=\d+,)?timestamp=(\d{1,10})(?:\.\d+)?;\s*")


def figures_of(header: bytes) -> tuple[list[float | None], bytes] | None:
    """Values in the order of `FIGURES`, and the schema; None where no time of the query stands there."""
    tokens = dict(_TOKEN.findall(header))
    if b"Query_time" not in tokens:
        return None
    values: list[float | None] = [None] * len(FIGURES)
    for name, cell in tokens.items():
        target = _PLACES.get(name)
        if target is not None:
            values[target[0]] = _value(cell, target[1])
    for name in _ERRORS:
        if name in tokens:
            values[_ERROR_PLACE] = float(tokens[name] != b"0")
    return None if values[0] is None else (values, tokens.get(b"Schema", b""))


def _value(cell: bytes, factor: float) -> float | None:
    """The number; None unless it is one that a log can hold: 0 or more, and within 64 bits."""
    try:
        value = float(cell) * factor
    except ValueError:
        return _WORDS.get(cell)
    return value if 0.0 <= value < 1.9e19 else None


def time_of(line: bytes, zone: ZoneInfo) -> tuple[int, bool] | None:
    """When ``# Time:`` says, UTC ns, and whether `zone` was needed for it."""
    text = line[len(MARKS[0]) :].strip()
    old = _OLD_TIME.match(text)
    try:
        if old is not None:
            year, month, day, hour, minute, second = map(int, old.groups())
            moment = datetime(2000 + year, month, day, hour, minute, second, tzinfo=zone)
        else:
            moment = datetime.fromisoformat(text.split(b" ")[0].decode("ascii"))
            if moment.tzinfo is None:
                moment = moment.replace(tzinfo=zone)
    except ValueError:
        return None
    if moment.year not in YEARS:
        return None
    return nanoseconds(moment), moment.tzinfo is zone


@record
class Statement:
    """What stands below a header.

    Attributes:
        schema: what ``use`` says.
        epoch_s: what ``SET timestamp`` says.
    """

    text: bytes
    schema: bytes | None
    epoch_s: int | None


def statement_of(body: list[bytes]) -> Statement:
    schema, epoch_s, first = None, None, 0
    for line in body:
        used, timed = _USE.fullmatch(line), _SET_TIME.fullmatch(line)
        if epoch_s is not None or used is None and timed is None:
            break
        if used is not None:
            schema = used[1]
        elif timed is not None:
            epoch_s = int(timed[1])
        first += 1
    text = body[first] if len(body) == first + 1 else b"\n".join(body[first:])
    return Statement(text.removeprefix(b"# ").rstrip().rstrip(b";"), schema, epoch_s)
