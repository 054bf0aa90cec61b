"""Periods out of the workload repository: DBA_HIST_SNAPSHOT, _SQLSTAT, _SYSSTAT, _SYS_TIME_MODEL, _OSSTAT, ...

One period per snapshot and instance. Statements come as what was added since the snapshot before (``_DELTA``);
statistics and waits are counters, subtracted with those of the snapshot before. A pull that is added up over its
snapshots already (no SNAP_ID in its rows) is one period. The repository keeps the top statements of each snapshot only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace

from tunebench.families.database_series import CounterSeries
from tunebench.families.oracle.rows import Collected
from tunebench.families.oracle.values import Numbers
from tunebench.families.views.dump import Dump, View
from tunebench.sdk import record
from tunebench.sdk.databases import DatabaseIdentity, DatabaseRecord, Fault, FigureTable, Moment, Reach

from .cells import HostClock, Row, number, whole
from .identity import Server
from .statements import LONGEST_PIECED, OWN_MARK, container_names, container_of, pieced_texts, rows_of
from .system import add_events, add_host, add_parameters, add_statistics, add_times, is_of_host, is_time_model

SOURCE = "dba_hist"
USUAL_TOP = 30
"""TOPNSQL where it was never set and STATISTICS_LEVEL is TYPICAL."""
_TOP_BY = ("elapsed_s", "cpu_s", "parse_calls", "sharable_bytes", "version_count")
"""What the statements of a snapshot are chosen by."""
_MICRO = ("elapsed_s", "cpu_s", "io_wait_s", "cluster_wait_s", "application_wait_s", "lock_wait_s")
_COLUMNS = {
    "executions": ("executions_delta", "ex"), "elapsed_s": ("elapsed_time_delta", "ela_us"),
    "cpu_s": ("cpu_time_delta", "cpu_us"), "io_wait_s": ("iowait_delta", "io_us"),
    "cluster_wait_s": ("clwait_delta",), "application_wait_s": ("apwait_delta",), "lock_wait_s": ("ccwait_delta",),
    "block_gets": ("buffer_gets_delta", "gets"), "block_reads": ("disk_reads_delta", "reads"),
    "block_writes": ("direct_writes_delta",), "rows": ("rows_processed_delta", "rows_p"),
    "parse_calls": ("parse_calls_delta", "pc"), "sorts": ("sorts_delta",), "loads": ("loads_delta",),
    "invalidations": ("invalidations_delta",), "version_count": ("version_count",),
    "sharable_bytes": ("sharable_mem",),
}  # fmt: skip
SnapshotKey = tuple[int, int]
"""Instance and number of the snapshot."""


@record
class Snapshot:
    """A row of DBA_HIST_SNAPSHOT."""

    key: SnapshotKey
    line: int
    db_id: str
    begin_ns: int | None
    end_ns: int | None
    started_ns: int | None

    def moment(self) -> Moment:
        return Moment(self.end_ns, self.key[1], self.started_ns)


@record(frozen=False)
class Pull:
    """Everything of one dump, by snapshot.

    Attributes:
        containers: names by CON_ID and DBID; `root_ids`: DBIDs of what is no pluggable database.
    """

    server: Server
    first_line: int
    snapshots: dict[SnapshotKey, Snapshot] = field(default_factory=dict)
    collected: dict[SnapshotKey, Collected] = field(default_factory=dict)
    topn: int | None = None
    own_ids: frozenset[str] = frozenset()
    containers: Mapping[str, str] = field(default_factory=dict)
    root_ids: frozenset[str] = frozenset()

    def at(self, key: SnapshotKey) -> Collected:
        return self.collected.setdefault(key, Collected(Numbers()))


def read_repository(dump: Dump, server: Server) -> list[DatabaseRecord]:
    pull = Pull(server, dump.first_line, topn=_topn(dump), containers=container_names(dump))
    _read_snapshots(pull, dump.view("dba_hist_snapshot"), server.clock)
    pull.root_ids = frozenset((server.identity.db_id, *(snapshot.db_id for snapshot in pull.snapshots.values())))
    texts, pull.own_ids = read_texts(dump)
    _read_system(pull, dump)
    statements, added_up = _read_statements(pull, dump.view("dba_hist_sqlstat"))
    records = [_whole_pull(pull, added_up)] if added_up is not None else [*_periods(pull, statements)]
    faults = () if dump.whole else (Fault.TRUNCATED,)
    return [_with_texts(record.with_faults(*faults), texts) for record in records]


# -- snapshots -----------------------------------------------------------------------------------------


def _read_snapshots(pull: Pull, view: View | None, clock: HostClock) -> None:
    for line, row in rows_of(view):
        key = _key_of(row, pull.server)
        if key is not None:
            pull.snapshots[key] = Snapshot(
                key,
                line,
                row.get("dbid", "").strip(),
                clock.ns(row["begin_interval_time"]),
                clock.ns(row["end_interval_time"]),
                clock.ns(row.get("startup_time")),
            )


def _key_of(row: Row, server: Server) -> SnapshotKey | None:
    number_of_snapshot = whole(row.get("snap_id"))
    instance = whole(row.get("instance_number"))
    if number_of_snapshot is None:
        return None
    return (server.identity.instance_number or 1 if instance is None else instance), number_of_snapshot


def _topn(dump: Dump) -> int | None:
    """The setting TOPNSQL as a number; None for the default."""
    view = dump.view("dba_hist_wr_control")
    return whole(next(iter((view.column("topnsql") or ()) if view is not None else ()), ""))


def _before(pull: Pull, key: SnapshotKey) -> Snapshot | None:
    """The snapshot before this one of its instance that the pull holds."""
    earlier = [other for other in pull.snapshots if other[0] == key[0] and other[1] < key[1]]
    return pull.snapshots[max(earlier)] if earlier else None


# -- statistics ----------------------------------------------------------------------------------------


def _read_system(pull: Pull, dump: Dump) -> None:
    for view in dump.views:
        if view.name in ("dba_hist_statistic", "dba_hist_sysstat", "dba_hist_sys_time_model", "dba_hist_osstat"):
            _read_statistics(pull, view)
    for key, rows in _by_snapshot(pull, dump.view("dba_hist_system_event")).items():
        add_events(pull.at(key), rows, "event_name")
    for key, rows in _by_snapshot(pull, dump.view("dba_hist_parameter")).items():
        add_parameters(pull.at(key), rows, "parameter_name")


def _by_snapshot(pull: Pull, view: View | None) -> dict[SnapshotKey, list[tuple[int, Row]]]:
    by_snapshot: dict[SnapshotKey, list[tuple[int, Row]]] = {}
    for line, row in rows_of(view):
        key = _key_of(row, pull.server)
        if key is not None:
            by_snapshot.setdefault(key, []).append((line, row))
    return by_snapshot


def _read_statistics(pull: Pull, view: View) -> None:
    names = {cell.strip() for cell in view.column("stat_name") or ()}
    add = add_times if is_time_model(names) else add_host if is_of_host(names) else add_statistics
    for key, rows in _by_snapshot(pull, view).items():
        add(pull.at(key), [(line, row["stat_name"].strip(), row["value"].strip()) for line, row in rows])


# -- statements ----------------------------------------------------------------------------------------


def _read_statements(pull: Pull, view: View | None) -> tuple[dict[SnapshotKey, Collected], Collected | None]:
    """Statements by snapshot; or all of them as one, where the pull adds them up."""
    statements: dict[SnapshotKey, Collected] = {}
    if view is not None and "snap_id" not in view.columns:
        one = Collected(Numbers())
        _add_statements(pull, one, list(rows_of(view)))
        return {}, one
    for key, rows in _by_snapshot(pull, view).items():
        _add_statements(pull, statements.setdefault(key, Collected(Numbers())), rows)
    return statements, None


def _add_statements(pull: Pull, into: Collected, rows: Sequence[tuple[int, Row]]) -> None:
    values: dict[str, dict[tuple[str, str], float]] = {name: {} for name in _TOP_BY}
    listed: set[tuple[str, str]] = set()
    for line, row in rows:
        identity = row["sql_id"].strip()
        if not identity or identity in pull.own_ids:
            continue
        names, figures = _names(pull, row), {name: _figure(row, name) for name in _COLUMNS}
        into.add("statement", line, {"statement_id": identity, **names}, figures)
        key = identity, names["container"]
        listed.add(key)
        for name, sums in values.items():
            value = figures[name]
            if value is not None:
                sums[key] = sums.get(key, 0.0) + value
    for name, sums in values.items():
        if sums:
            figures = {"rows": float(len(listed)), "least": _least(list(sums.values()), pull.topn or USUAL_TOP)}
            into.add("statement_list", rows[0][0], {"figure": name}, figures)


def _least(values: list[float], topn: int) -> float | None:
    """The last of those that this figure chose: no statement that was left out has more."""
    return sorted(values, reverse=True)[topn - 1] if 0 < topn <= len(values) else None


def _figure(row: Row, name: str) -> float | None:
    cell = next((row[column] for column in _COLUMNS[name] if column in row), "")
    value = number(cell.strip())
    if value is None or value < 0:  # a cursor that was loaded anew inside
        return None
    return value * 1e-6 if name in _MICRO else value


def _names(pull: Pull, row: Row) -> dict[str, str]:
    def of(*columns: str) -> str:
        text = next((row[column].strip() for column in columns if column in row), "")
        return "" if text == "0" else text

    return {
        "plan": of("plan_hash_value"),
        "user": of("parsing_schema_name"),
        "module": of("module"),
        "signature": of("force_matching_signature"),
        "container": of("container_name", "pdb_name") or _container(pull, of("con_id"), of("con_dbid")),
    }


def _container(pull: Pull, con_id: str, con_dbid: str) -> str:
    if con_id or con_dbid in pull.root_ids:
        return container_of(con_id, pull.containers)
    return pull.containers.get(con_dbid, con_dbid)


def read_texts(dump: Dump) -> tuple[list[tuple[int, str, str, bool]], frozenset[str]]:
    """Line, SQL_ID, text and whether it is whole; the ids of our own."""
    texts: dict[str, tuple[int, str, str, bool]] = {}
    view = dump.view("dba_hist_sqltext")
    for line, row in rows_of(view):
        if row["sql_text"].strip():
            texts.setdefault(row["sql_id"].strip(), (line, row["sql_id"].strip(), row["sql_text"].strip(), True))
    pieces = dump.view("v$sqltext")
    lines = dict(zip(reversed(pieces.column("sql_id") or ()), reversed(pieces.lines), strict=True)) if pieces else {}
    for identity, text in pieced_texts(pieces).items():
        texts[identity] = lines.get(identity, 0), identity, text.strip(), len(text) < LONGEST_PIECED
    own = frozenset(identity for identity, (_, _, text, _) in texts.items() if OWN_MARK in text)
    return [entry for identity, entry in texts.items() if identity not in own], own


# -- records -------------------------------------------------------------------------------------------


def _periods(pull: Pull, statements: Mapping[SnapshotKey, Collected]) -> Iterator[DatabaseRecord]:
    subtracted = {_snapshot_of(period): period for period in _subtracted(pull)}
    for key, snapshot in sorted(pull.snapshots.items()):
        listed = statements.get(key)
        period = subtracted.get(key)
        if period is None and (listed is None or snapshot.begin_ns is None):
            continue  # the first of the pull: nothing to subtract from, and no statements of its own
        record = period if period is not None else _listed_only(pull, snapshot)
        yield replace(record, tables={**record.tables, **(listed.tables() if listed is not None else {})})


def _snapshot_of(record: DatabaseRecord) -> SnapshotKey:
    return record.identity.instance_number or 0, record.end.snapshot or 0


def _subtracted(pull: Pull) -> Iterator[DatabaseRecord]:
    """Periods between snapshots that follow each other in the pull."""
    counters = CounterSeries()
    for key, snapshot in sorted(pull.snapshots.items()):
        collected = pull.collected.get(key)
        if collected is None:
            continue
        record = DatabaseRecord(
            SOURCE,
            Reach.COUNTERS,
            _identity(pull, snapshot),
            snapshot.moment(),
            tables=collected.tables(),
            first_line=snapshot.line,
        )
        for period in counters.periods([record]):
            before = _before(pull, key)
            if before is not None and period.begin is not None and period.begin.snapshot == before.key[1]:
                yield period


def _identity(pull: Pull, snapshot: Snapshot) -> DatabaseIdentity:
    identity = pull.server.identity
    instance = snapshot.key[0]
    named = identity.instance if identity.instance_number in (None, instance) else str(instance)
    return replace(
        identity, db_id=snapshot.db_id or identity.db_id, instance=named or str(instance), instance_number=instance
    )


def _listed_only(pull: Pull, snapshot: Snapshot) -> DatabaseRecord:
    """A period of which only the statements are known."""
    before = _before(pull, snapshot.key)
    begin = Moment(snapshot.begin_ns, None if before is None else before.key[1], snapshot.started_ns)
    record = DatabaseRecord(
        SOURCE,
        Reach.PERIOD,
        _identity(pull, snapshot),
        snapshot.moment(),
        begin,
        _length_s(snapshot.begin_ns, snapshot.end_ns),
        first_line=snapshot.line,
    )
    restarted = before is not None and before.started_ns != snapshot.started_ns
    return record.with_faults(Fault.RESTART) if restarted else record


def _length_s(begin_ns: int | None, end_ns: int | None) -> float | None:
    return None if begin_ns is None or end_ns is None or end_ns <= begin_ns else (end_ns - begin_ns) / 1e9


def _whole_pull(pull: Pull, statements: Collected) -> DatabaseRecord:
    """The record from the end of the pull's first snapshot, where it begins, to that of the last."""
    snapshots = [pull.snapshots[key] for key in sorted(pull.snapshots)]
    tables = {**_between_ends(pull), **statements.tables()}
    if not snapshots:
        moment = Moment(pull.server.utc_ns)
        record = DatabaseRecord(
            SOURCE, Reach.PERIOD, pull.server.identity, moment, Moment(), tables=tables, first_line=pull.first_line
        )
        return record.with_faults(Fault.UNTIMED)
    first, last = snapshots[0], snapshots[-1]
    begin = first.moment() if len(snapshots) > 1 else Moment(first.begin_ns, None, first.started_ns)
    record = DatabaseRecord(
        SOURCE,
        Reach.PERIOD,
        _identity(pull, last),
        last.moment(),
        begin,
        _length_s(begin.time_ns, last.end_ns),
        tables=tables,
        first_line=pull.first_line,
    )
    restarted = any(snapshot.started_ns != first.started_ns for snapshot in snapshots)
    return record.with_faults(Fault.RESTART) if restarted else record


def _between_ends(pull: Pull) -> Mapping[str, FigureTable]:
    """Statistics between the first and the last snapshot."""
    keys = [key for key in sorted(pull.snapshots) if key in pull.collected]
    if len(keys) < 2:
        return {}
    counters = CounterSeries()
    ends = [pull.snapshots[key] for key in (keys[0], keys[-1])]
    records = [
        DatabaseRecord(
            SOURCE, Reach.COUNTERS, _identity(pull, end), end.moment(), tables=pull.collected[end.key].tables()
        )
        for end in ends
    ]
    return next((period.tables for period in counters.periods(records)), {})


def _with_texts(record: DatabaseRecord, texts: Iterable[tuple[int, str, str, bool]]) -> DatabaseRecord:
    ids = set(record.table("statement").text("statement_id"))
    into = Collected(Numbers())
    for line, identity, text, complete in texts:
        if identity in ids:
            into.add("statement_text", line, {"statement_id": identity, "text": text}, {"complete": float(complete)})
    return replace(record, tables={**record.tables, **into.tables()})
