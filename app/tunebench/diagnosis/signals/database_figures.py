"""What rules ask of databases, worked out of the totals of one period. What a capture does not report is missing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import isfinite

import numpy as np

from tunebench.analysis.databases.idle_waits import is_idle
from tunebench.analysis.databases.matching import shared_ids
from tunebench.analysis.databases.profile import is_sampled
from tunebench.analysis.databases.record import DatabaseRecord, statement_keys
from tunebench.core.records import record
from tunebench.domain.databases.records import StatementKey
from tunebench.domain.finding import Fact

Figures = dict[str, float]

_FAMILY = {"tibero": "oracle", "mariadb": "mysql"}
_MOST_STATEMENTS = 200

PROBES: Mapping[str, tuple[str, ...]] = {
    "oracle": ("oracle.views", "oracle.awr_report", "oracle.statspack"),
    "postgresql": ("postgresql.snapshots",),
    "mysql": ("mysql.snapshot",),
}
"""What would capture the figures of a database, by its family."""


@record
class StatementFigures:
    """`statement`: its id, with its container where it stands in several."""

    statement: str
    figures: Figures


def family(engine: str) -> str:
    """``oracle``, ``postgresql`` or ``mysql``: databases that rules take for one."""
    return _FAMILY.get(engine, engine)


def database_figures(record: DatabaseRecord) -> dict[str, Fact]:
    """Figures of the database as a whole, by the rules' names."""
    own: dict[str, Fact] = {name: value for name, value in _common(record).items() if np.isfinite(value)}
    of_engine = _OF_ENGINES.get(family(str(record.identity.engine)))
    if of_engine is not None:
        own |= {
            name: value for name, value in of_engine(record).items() if not isinstance(value, float) or isfinite(value)
        }
    return {**_contention(record), **own}  # what counters time goes before what the list of waits leaves out


def _common(record: DatabaseRecord) -> Figures:
    figures: Figures = {}
    if record.elapsed_s:
        figures["elapsed_s"] = figures["elapsed"] = record.elapsed_s
    if record.db_time_s is not None:
        figures["db_time_s"] = figures["db_time"] = record.db_time_s
    if record.identity.cpu_count:
        figures["ncpu"] = float(record.identity.cpu_count)
    return figures


# -- Oracle --------------------------------------------------------------------------------------------


def _oracle(record: DatabaseRecord) -> dict[str, Fact]:
    figures: Figures = {}
    for name, event in (
        ("db_file_seq_read_ms", "db file sequential read"),
        ("log_file_sync_ms", "log file sync"),
        ("log_file_parallel_write_ms", "log file parallel write"),
    ):
        time_s, waits = _event(record, event)
        figures[name] = _over(1000 * time_s, waits)
    times = _by_name(record, "time_model", "time_s")
    db_time = times.get("db_time", record.db_time_s or float("nan"))
    figures["db_time"] = figures["db_time_s"] = db_time
    figures["hard_parse_time"] = times.get("hard_parse", float("nan"))
    figures["parse_time_share"] = _over(times.get("parse", float("nan")), db_time)
    hard = _by_name(record, "activity", "total").get("parse count (hard)", float("nan"))
    figures["hard_parses_s"] = _over(hard, record.elapsed_s or float("nan"))
    cpus = _by_name(record, "state", "end").get("NUM_CPUS")
    if cpus:
        figures["ncpu"] = cpus
    return {**figures}


def _event(record: DatabaseRecord, event: str) -> tuple[float, float]:
    """Time and number of waits; of the foreground where the capture parts them, its own waits make sessions slow."""
    table = record.table("wait_event")
    names, grounds = np.array(table.text("event"), dtype=object), np.array(table.text("ground"), dtype=object)
    own = names == event
    if not own.any():
        return float("nan"), float("nan")
    ahead = own & (grounds == "foreground")
    chosen = ahead if ahead.any() else own
    return float(np.nansum(table.figure("time_s")[chosen])), float(np.nansum(table.figure("waits")[chosen]))


# -- waits ---------------------------------------------------------------------------------------------

ROW_LOCK = frozenset({"enq: TX - row lock contention", "transactionid", "tuple"})
"""Waiting for another transaction's row, as Oracle and PostgreSQL call it."""
_CONTENDED = frozenset({"Application", "Concurrency", "Configuration", "Cluster", "Lock", "LWLock", "BufferPin"})
"""Classes in which sessions wait for each other. How long disks take is judged by the time of an operation."""


def _contention(record: DatabaseRecord) -> dict[str, Fact]:
    """How much of the sessions' time went into waiting for each other, and for what; by samples where none is timed."""
    whole, waits = _waits(record)
    if not whole > 0 or not waits:
        return {}
    locked = sum(time for (event, _), time in waits.items() if event in ROW_LOCK)
    figures: dict[str, Fact] = {"row_lock_pct": 100 * locked / whole}
    if locked:
        figures |= _named("row_lock", record, locked, ("Row Lock Waits",), "application_wait_s")
    if family(str(record.identity.engine)) == "oracle":
        for kind in _KINDS:
            figures |= _of_kind(kind, record, whole, waits)
    others = {key: time for key, time in waits.items() if key[1] in _CONTENDED and key[0] not in ROW_LOCK}
    event, _ = max(others, key=lambda key: others[key], default=("", ""))
    figures["contention_pct"] = 100 * max(others.values(), default=0.0) / whole
    return figures | {"contention_event": event} if event else figures


def _waits(record: DatabaseRecord) -> tuple[float, dict[tuple[str, str], float]]:
    """DB time and the foreground's waits by (event, class), in seconds, or the samples of both."""
    table, sampled = record.table("wait_event"), is_sampled(record)
    rows = zip(table.text("event"), table.text("wait_class"), table.text("ground"), strict=True)
    amounts: dict[tuple[str, str], float] = {}
    for (event, group, ground), amount in zip(
        rows, table.figure("samples" if sampled else "time_s").tolist(), strict=True
    ):
        if ground != "background" and not is_idle(event, group) and amount >= 0:
            amounts[event, group] = amounts.get((event, group), 0.0) + amount
    return sum(amounts.values()) if sampled else record.db_time_s or float("nan"), amounts


@record
class _Kind:
    """Waits of Oracle that have one cause.

    Attributes:
        events: how their names begin.
        segments: statistics of segments that count these waits, or what leads to them; the first that is listed counts.
        statement: the figure of statements that times these waits.
    """

    name: str
    events: tuple[str, ...]
    segments: tuple[str, ...] = ()
    statement: str = ""


_KINDS = (
    _Kind("hot_block", ("buffer busy waits",), ("Buffer Busy Waits",)),
    _Kind("itl", ("enq: TX - allocate ITL entry",), ("ITL Waits",)),
    _Kind("cluster", ("gc ",), ("GC Buffer Busy", "CR Blocks Received"), "cluster_wait_s"),
    _Kind("shared_read", ("read by other session",), ("Physical Reads",)),
    _Kind("latch", ("latch", "cursor: ", "library cache")),
    _Kind("log_switch", ("log file switch", "log buffer space", "free buffer waits")),
    _Kind("temp_io", ("direct path read temp", "direct path write temp")),
)
_LEAST_PART = 0.1
"""Of the waits: a statement that has less of them is not named for them."""


def _of_kind(
    kind: _Kind, record: DatabaseRecord, whole: float, waits: Mapping[tuple[str, str], float]
) -> dict[str, Fact]:
    own = {event: time for (event, _), time in waits.items() if event.startswith(kind.events)}
    waited = sum(own.values())
    figures: dict[str, Fact] = {f"{kind.name}_pct": 100 * waited / whole}
    if not waited:
        return figures
    if len(kind.events) > 1 or kind.name == "cluster":
        figures[f"{kind.name}_event"] = max(own, key=lambda event: own[event])
    return figures | _named(kind.name, record, waited, kind.segments, kind.statement)


def _named(
    name: str, record: DatabaseRecord, waited_s: float, segments: tuple[str, ...], figure: str
) -> dict[str, Fact]:
    """The segment and the statement with most of the waits, where the capture lists any."""
    leading = {f"{name}_segment": _leading_segment(record, segments)}
    if figure and not is_sampled(record):
        leading[f"{name}_statement"] = _leading_statement(record, figure, _LEAST_PART * waited_s)
    return {key: value for key, value in leading.items() if value}


def _leading_segment(record: DatabaseRecord, statistics: tuple[str, ...]) -> str:
    rows = record.table("segment")
    names = zip(
        rows.text("owner"), rows.text("name"), rows.text("statistic"), rows.figure("value").tolist(), strict=True
    )
    listed: dict[str, dict[str, float]] = {}
    for owner, name, statistic, value in names:
        if statistic in statistics and value > 0:
            own = listed.setdefault(statistic, {})
            own[f"{owner}.{name}"] = own.get(f"{owner}.{name}", 0.0) + value  # partitions are one segment here
    first = next((listed[statistic] for statistic in statistics if statistic in listed), {})
    return max(first, key=lambda name: first[name], default="")


def _leading_statement(record: DatabaseRecord, figure: str, least_s: float) -> str:
    table = record.table("statement")
    keys, sums = statement_keys(table), dict[StatementKey, float]()
    for key, value in zip(keys, np.nan_to_num(table.figure(figure)).tolist(), strict=True):
        sums[key] = sums.get(key, 0.0) + value  # its plans, users and modules together
    most = max(sums, key=lambda key: sums[key], default=None)
    if most is None or sums[most] < least_s:
        return ""
    return most.reference if most.id in shared_ids(keys) else most.id


# -- PostgreSQL ----------------------------------------------------------------------------------------


def _postgresql(record: DatabaseRecord) -> dict[str, Fact]:
    totals = _summed(record, "activity", "total")
    hit, read = totals.get("blks_hit", float("nan")), totals.get("blks_read", float("nan"))
    return {
        "cache_hit_pct": 100 * _over(hit, hit + read),
        "checkpoints_req": totals.get("checkpoints_req", totals.get("num_requested", float("nan"))),
        "checkpoints_timed": totals.get("checkpoints_timed", totals.get("num_timed", float("nan"))),
        "temp_bytes_s": _over(totals.get("temp_bytes", float("nan")), record.elapsed_s or float("nan")),
        "connections_pct": 100 * _over(_sessions(record), _parameter(record, "max_connections")),
        **_vacuum_lag(record),
    }


def _vacuum_lag(record: DatabaseRecord) -> dict[str, Fact]:
    """Dead rows over those with which autovacuum sets out, of the table that is furthest beyond.

    That is autovacuum_vacuum_threshold + autovacuum_vacuum_scale_factor x rows, since 18 no more than
    autovacuum_vacuum_max_threshold where that is not -1 (PostgreSQL's documentation, "The Autovacuum Daemon");
    settings of single tables are not captured.
    """
    base, factor, most = (
        _parameter(record, f"autovacuum_vacuum_{name}") for name in ("threshold", "scale_factor", "max_threshold")
    )
    rows = record.table("state")
    counts: dict[str, Figures] = {}
    for scope, name, end in zip(rows.text("scope"), rows.text("name"), rows.figure("end").tolist(), strict=True):
        if name in ("n_dead_tup", "n_live_tup"):
            counts.setdefault(scope, {})[name] = end
    lags = {
        scope: _over(own["n_dead_tup"], min(base + factor * own.get("n_live_tup", 0.0), most if most >= 0 else np.inf))
        for scope, own in counts.items()
        if "n_dead_tup" in own
    }
    finite = {scope: lag for scope, lag in lags.items() if np.isfinite(lag)}
    if not finite:
        return {}
    table = max(finite, key=lambda scope: finite[scope])
    return {"vacuum_lag": finite[table], "dead_rows": counts[table]["n_dead_tup"], "vacuum_lag_table": table}


def _sessions(record: DatabaseRecord) -> float:
    return float("nan") if record.end.sessions is None else float(record.end.sessions)


# -- MySQL ---------------------------------------------------------------------------------------------


def _mysql(record: DatabaseRecord) -> dict[str, Fact]:
    counters = {**_by_name(record, "state", "end"), **_by_name(record, "activity", "total")}

    def status(name: str) -> float:
        return counters.get(name, float("nan"))

    disk, memory = status("Created_tmp_disk_tables"), status("Created_tmp_tables")
    asked, missed = status("Innodb_buffer_pool_read_requests"), status("Innodb_buffer_pool_reads")
    waited, at_once = status("Table_locks_waited"), status("Table_locks_immediate")
    uptime_s = record.elapsed_s or status("Uptime")
    joins = np.nansum([status("Select_full_join"), status("Select_range_check")])
    return {
        "slow_pct": 100 * _over(status("Slow_queries"), status("Questions")),
        "connections_pct": 100 * _over(status("Max_used_connections"), _parameter(record, "max_connections")),
        "tmp_disk_pct": 100 * _over(disk, memory),
        "joins_no_index_day": _over(float(joins), uptime_s / 86_400)
        if "Select_full_join" in counters
        else float("nan"),
        "innodb_read_efficiency_pct": 100 * _over(asked - missed, asked),
        "innodb_log_waits": status("Innodb_log_waits"),
        "table_lock_wait_pct": 100 * _over(waited, waited + at_once),
        "history_list_length": status("history_list_length"),
        "redo_age_pct": 100 * _over(status("checkpoint_age"), _redo_capacity(record)),
        **_innodb_row_locks(record, status("Innodb_row_lock_time") / 1000),
    }


def _innodb_row_locks(record: DatabaseRecord, waited_s: float) -> dict[str, Fact]:
    """InnoDB times its waits for rows, which are part of the statements' time. Statements that are not listed, or not
    over yet, would make it more than all of it."""
    whole = record.db_time_s or float(np.nansum(record.table("statement").figure("elapsed_s")))
    figures: dict[str, Fact] = {"row_lock_pct": min(100 * _over(waited_s, whole), 100.0)}
    return figures | (_named("row_lock", record, waited_s, (), "lock_wait_s") if waited_s > 0 else {})


def _redo_capacity(record: DatabaseRecord) -> float:
    """Bytes: one figure since MySQL 8.0.30, files of one size before; MariaDB has one file since 10.6."""
    whole = _parameter(record, "innodb_redo_log_capacity")
    if whole > 0:
        return whole
    files = _parameter(record, "innodb_log_files_in_group")
    return _parameter(record, "innodb_log_file_size") * (files if files > 0 else 1.0)


_OF_ENGINES: Mapping[str, Callable[[DatabaseRecord], dict[str, Fact]]] = {
    "oracle": _oracle,
    "postgresql": _postgresql,
    "mysql": _mysql,
}


# -- statements ----------------------------------------------------------------------------------------


def statement_figures(record: DatabaseRecord) -> Iterator[StatementFigures]:
    """Figures per execution of the statements that looked at most blocks (or took longest)."""
    table = record.table("statement")
    if not len(table):
        return
    gets, elapsed = table.figure("block_gets"), table.figure("elapsed_s")
    weight = np.nan_to_num(gets if (~np.isnan(gets)).any() else elapsed)
    executions, rows = table.figure("executions"), table.figure("rows")
    longest, shortest = table.figure("elapsed_max_s"), table.figure("elapsed_min_s")
    keys = statement_keys(table)
    shared = shared_ids(keys)
    for at in np.argsort(-weight, kind="stable")[:_MOST_STATEMENTS]:
        figures = {
            "gets_per_exec": _over(gets[at], executions[at]),
            "rows_per_exec": _over(rows[at], executions[at]),
            "executions": float(executions[at]),
            "exec_time_max": 1000 * float(longest[at]),
            "exec_time_min": 1000 * float(shortest[at]),
        }
        named = keys[at].reference if keys[at].id in shared else keys[at].id
        yield StatementFigures(named, {name: value for name, value in figures.items() if np.isfinite(value)})


STATEMENT_NAMES = frozenset({"gets_per_exec", "rows_per_exec", "executions", "exec_time_max", "exec_time_min"})
"""Figures of which there is one per statement."""


# -- reading tables ------------------------------------------------------------------------------------


def _over(above: float, below: float) -> float:
    return float(above) / float(below) if below > 0 else float("nan")


def _by_name(record: DatabaseRecord, table: str, figure: str) -> Figures:
    rows = record.table(table)
    pairs = zip(rows.text("name"), rows.figure(figure), strict=True)
    return {name: float(value) for name, value in pairs if np.isfinite(value)}


def _summed(record: DatabaseRecord, table: str, figure: str) -> Figures:
    """Sums over all scopes that have the name: the databases of a cluster."""
    totals: Figures = {}
    rows = record.table(table)
    for name, value in zip(rows.text("name"), rows.figure(figure), strict=True):
        if np.isfinite(value):
            totals[name] = totals.get(name, 0.0) + float(value)
    return totals


def _parameter(record: DatabaseRecord, name: str) -> float:
    rows = record.table("parameter")
    for own, end, begin in zip(rows.text("name"), rows.text("end"), rows.text("begin"), strict=True):
        if own == name:
            return _number(end or begin)
    return float("nan")


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")
