"""SHOW ENGINE INNODB STATUS: a text of sections.

    2026-11-21 16:12:38 0x7f04a01806c0 INNODB MONITOR OUTPUT        100318 17:35:58 INNODB MONITOR OUTPUT (until 5.5)
    Per second averages calculated from the last 8 seconds          figures "/s" mean nothing without it
    History list length 153
    179 OS file reads, 0 OS file writes, 4189 OS fsyncs              since the start
    Database pages     1242                                          now
    Number of rows inserted 53, updated 0, deleted 0, read 1         since the start

Of a deadlock only the time is kept: the text around it holds the statements with their literals.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import field
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from tunebench.sdk import lazy_pattern, record
from tunebench.sdk.databases import TableRows

SCOPE = "innodb"
BEGIN = "INNODB MONITOR OUTPUT"
END = "END OF INNODB MONITOR OUTPUT"
SHORTEST_S = 1
"""Averages over less are noise (the monitor had just been asked)."""
_HEAD = lazy_pattern(r"^(?P<stamp>\d{4}-\d\d-\d\d +\d\d?:\d\d:\d\d|\d{6} +\d\d?:\d\d:\d\d)\b.*INNODB MONITOR OUTPUT")
_AVERAGES = lazy_pattern(r"^Per second averages calculated from the last (\d+) seconds?")
_RULE = lazy_pattern(r"^-{3,}\s*$")
_STAMP = lazy_pattern(r"^(\d{4}-\d\d-\d\d +\d\d?:\d\d:\d\d|\d{6} +\d\d?:\d\d:\d\d)\b")
_N = r"(\d+)"
_NUMBER = r"(\d+(?:\.\d+)?)"

# pattern of a line, kind, names of its groups; "" leaves one out
_LINES: tuple[tuple[re.Pattern[str], str, tuple[str, ...]], ...] = tuple(
    (lazy_pattern(pattern), kind, tuple(names.split()))
    for pattern, kind, names in (
        (rf"^History list length {_N}", "state", "history_list_length"),
        (
            rf"^{_N} OS file reads, {_N} OS file writes, {_N} OS fsyncs",
            "total",
            "os_file_reads os_file_writes os_fsyncs",
        ),
        (
            rf"^{_NUMBER} reads/s, {_N} avg bytes/read, {_NUMBER} writes/s, {_NUMBER} fsyncs/s",
            "rate",
            "os_file_reads - os_file_writes os_fsyncs",
        ),
        (rf"^Log sequence number\s+{_N}\s*$", "lsn", "log_sequence_number"),
        (rf"^Log flushed up to\s+{_N}\s*$", "lsn", "log_flushed_up_to"),
        (rf"^Last checkpoint at\s+{_N}\s*$", "lsn", "last_checkpoint_at"),
        (rf"^Buffer pool size\s+{_N}", "state", "buffer_pool_size"),
        (rf"^Free buffers\s+{_N}", "state", "free_buffers"),
        (rf"^Database pages\s+{_N}", "state", "database_pages"),
        (rf"^Modified db pages\s+{_N}", "state", "modified_db_pages"),
        (rf"^Pages read {_N}, created {_N}, written {_N}", "total", "pages_read pages_created pages_written"),
        (
            rf"^{_NUMBER} reads/s, {_NUMBER} creates/s, {_NUMBER} writes/s",
            "rate",
            "pages_read pages_created pages_written",
        ),
        (rf"^{_N} queries inside InnoDB, {_N} queries in queue", "state", "queries_inside queries_in_queue"),
        (rf"^{_N} read views open inside InnoDB", "state", "read_views_open"),
        (
            rf"^Number of rows inserted {_N}, updated {_N}, deleted {_N}, read {_N}",
            "total",
            "rows_inserted rows_updated rows_deleted rows_read",
        ),
        (
            rf"^{_NUMBER} inserts/s, {_NUMBER} updates/s, {_NUMBER} deletes/s, {_NUMBER} reads/s",
            "rate",
            "rows_inserted rows_updated rows_deleted rows_read",
        ),
    )
)
_HIT_RATE = lazy_pattern(r"^Buffer pool hit rate (\d+) / (\d+)")
_PAGES = frozenset({"buffer_pool_size", "free_buffers", "database_pages", "modified_db_pages"})


@record(frozen=False)
class Innodb:
    """What one output says; figures by name with the line (from 0) where they stand.

    Attributes:
        averaged_s: over how many seconds the averages are; 0 where they are not to be used.
        deadlock: time of the latest one, as printed.
        transactions: the lines of their section.
    """

    stamp: str = ""
    averaged_s: int = 0
    totals: dict[str, tuple[int, float]] = field(default_factory=dict)
    states: dict[str, tuple[int, float]] = field(default_factory=dict)
    rates: dict[str, tuple[int, float]] = field(default_factory=dict)
    deadlock: tuple[int, str] | None = None
    transactions: list[tuple[int, str]] = field(default_factory=list)
    is_mariadb: bool = False
    whole: bool = False


def read_innodb(text: str) -> Innodb | None:
    """The monitor's figures; None where `text` is no output of it.

    The first figure of a name counts: buffer pools follow one by one.
    """
    innodb = Innodb()
    title = ""
    lines = text.split("\n")
    for index, line in enumerate(lines):
        head = _HEAD.match(line)
        if head is not None and not innodb.stamp:
            innodb.stamp = head["stamp"]
        elif _RULE.match(line) and index + 2 < len(lines) and _RULE.match(lines[index + 2]):
            title = lines[index + 1].strip()
        elif innodb.stamp and title != "INDIVIDUAL BUFFER POOL INFO":
            _read_line(innodb, title, index, line)
        innodb.whole |= line.startswith(END)
    return innodb if innodb.stamp else None


def _read_line(innodb: Innodb, title: str, index: int, line: str) -> None:
    averages = _AVERAGES.match(line)
    if averages is not None:
        innodb.averaged_s = int(averages[1]) if int(averages[1]) >= SHORTEST_S else 0
    elif title == "LATEST DETECTED DEADLOCK":
        stamp = _STAMP.match(line)
        if stamp is not None and innodb.deadlock is None:
            innodb.deadlock = (index, stamp[1])
    elif title == "TRANSACTIONS":
        innodb.transactions.append((index, line))
        innodb.is_mariadb |= line.startswith("MariaDB thread id")
    if title != "LATEST DETECTED DEADLOCK":
        _read_figures(innodb, index, line)


def _read_figures(innodb: Innodb, index: int, line: str) -> None:
    hits = _HIT_RATE.match(line)
    if hits is not None and innodb.averaged_s and int(hits[2]):
        innodb.rates.setdefault("buffer_pool_hit_pct", (index, 100 * int(hits[1]) / int(hits[2])))
    for pattern, kind, names in _LINES:
        match = pattern.match(line)
        if match is not None:
            _keep(innodb, kind, index, dict(zip(names, map(float, match.groups()), strict=True)))
            return


def _keep(innodb: Innodb, kind: str, index: int, figures: dict[str, float]) -> None:
    for name, value in figures.items():
        if name == "-" or kind == "rate" and not innodb.averaged_s:
            continue
        if kind == "rate":
            innodb.rates.setdefault(f"{name}_per_s", (index, value))
        elif kind == "state":
            innodb.states.setdefault(name, (index, value))
        else:
            innodb.totals.setdefault(name, (index, value))


def innodb_time_ns(innodb: Innodb, zone: ZoneInfo) -> int | None:
    """The monitor's own stamp, local time of the server."""
    for form in ("%Y-%m-%d %H:%M:%S", "%y%m%d %H:%M:%S"):
        try:
            moment = datetime.strptime(" ".join(innodb.stamp.split()), form).replace(tzinfo=zone)
        except ValueError:
            continue
        if moment.year > 1999:  # 2038 and older logs are no concern of the form; a torn stamp is
            return (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1) * 1000
    return None


def add_innodb(
    innodb: Innodb, line_of: Callable[[int], int], activity: TableRows, state: TableRows, fact: TableRows
) -> None:
    """`line_of`: the line of the capture where a line of the text stands."""
    for name, (index, value) in innodb.totals.items():
        texts = {"scope": SCOPE, "name": name, "unit": _unit(name)}
        activity.add(line_of(index), texts, {"total": value})
    for name, index, value, unit in _states(innodb):
        state.add(line_of(index), {"scope": SCOPE, "name": name, "unit": unit}, {"end": value})
    if innodb.averaged_s:
        fact.add(line_of(0), {"scope": SCOPE, "name": "averages_over_s", "value": str(innodb.averaged_s)}, {})
    if innodb.deadlock is not None:
        index, stamp = innodb.deadlock
        fact.add(line_of(index), {"scope": SCOPE, "name": "latest_deadlock", "value": stamp}, {})


def _states(innodb: Innodb) -> Iterator[tuple[str, int, float, str]]:
    for name, (index, value) in innodb.states.items():
        yield name, index, value, "{block}" if name in _PAGES else "1"
    for name, (index, value) in innodb.rates.items():
        yield name, index, value, "%" if name.endswith("_pct") else "1/s"
    log, checkpoint = innodb.totals.get("log_sequence_number"), innodb.totals.get("last_checkpoint_at")
    if log is not None and checkpoint is not None:
        yield "checkpoint_age", checkpoint[0], log[1] - checkpoint[1], "By"


def _unit(name: str) -> str:
    return "By" if name.startswith(("log_", "last_checkpoint")) else "{block}" if name.startswith("pages_") else "1"
