"""The counters of an instance at one moment, out of its V$ views."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tunebench.families.oracle.rows import Collected
from tunebench.families.oracle.values import Numbers
from tunebench.families.views.dump import Dump, View
from tunebench.sdk.databases import DatabaseRecord, Fault, Moment, Reach

from .cells import number
from .identity import Server
from .sqlplus import OracleError
from .statements import read_statements, rows_of
from .system import (
    Statistic,
    add_classes,
    add_events,
    add_files,
    add_host,
    add_parameters,
    add_segments,
    add_statistics,
    add_times,
    is_of_host,
    is_time_model,
)
from .views import INSTANCE, LICENCE, NAME_VALUE, STATISTIC

SOURCE = "oracle_views"
_EXPECTED = (
    "statement",
    "statement_text",
    "load",
    "time_model",
    "wait_class",
    "wait_event",
    "activity",
    "io",
    "parameter",
)
_STATISTICS_OF_SYSTEM = frozenset({"session logical reads", "user commits", "redo size", "execute count"})


def read_instance(dump: Dump, server: Server, errors: Sequence[OracleError]) -> DatabaseRecord:
    into = Collected(Numbers())
    _add_system(into, dump)
    add_events(into, rows_of(dump.view("v$system_event")))
    add_classes(into, rows_of(dump.view("v$system_wait_class")))
    files = _file_names(dump)
    add_files(into, rows_of(dump.view("v$filestat")), files, "file")
    add_files(into, rows_of(dump.view("v$tempstat")), {}, "file")
    add_segments(into, rows_of(dump.view("v$segment_statistics")))
    _add_facts(into, dump, server, errors)
    statements = read_statements(dump, server.clock)
    if statements is not None and statements.own:
        into.fact(server.line, "capture", "statements_of_tunebench", str(statements.own))
    tables = into.tables()
    if statements is not None:
        tables |= {table.name: table for table in (statements.statement, statements.text) if len(table)}
    ours = dump.view(INSTANCE) is not None and dump.view(LICENCE) is None
    return DatabaseRecord(
        SOURCE,
        Reach.COUNTERS,
        server.identity,
        Moment(dump.time_ns, started_ns=server.started_ns),
        tables=tables,
        absent=tuple(name for name in _EXPECTED if name not in tables) if ours else (),
        faults=() if dump.whole else (Fault.TRUNCATED,),
        first_line=dump.first_line,
    )


def _add_system(into: Collected, dump: Dump) -> None:
    for view in dump.views:
        match view.name:
            case "v$sysstat":
                add_statistics(into, _statistics(view, "name"))
            case "v$sys_time_model":
                add_times(into, _statistics(view, "stat_name"))
            case "v$osstat":
                add_host(into, _statistics(view, "stat_name"))
            case "v$parameter":
                add_parameters(into, rows_of(view))
            case name if name == STATISTIC:
                _add_either(into, _statistics(view, "stat_name"))
            case name if name == NAME_VALUE:
                _add_named(into, view)


def _statistics(view: View, column: str) -> list[Statistic]:
    cells = zip(view.lines, view.column(column) or (), view.column("value") or (), strict=True)
    return [(line, name.strip(), value.strip()) for line, name, value in cells]


def _add_either(into: Collected, statistics: list[Statistic]) -> None:
    names = {name for _, name, _ in statistics}
    if is_of_host(names):
        add_host(into, statistics)
    if is_time_model(names):
        add_times(into, statistics)


def _add_named(into: Collected, view: View) -> None:
    statistics = _statistics(view, "name")
    if _STATISTICS_OF_SYSTEM.isdisjoint(name for _, name, _ in statistics):
        add_parameters(into, rows_of(view))
    else:
        add_statistics(into, statistics)


def _file_names(dump: Dump) -> dict[str, tuple[str, str, float | None]]:
    """File number -> tablespace, file and bytes of a block, for exports of V$FILESTAT as it is."""
    spaces = {row["ts#"]: row["name"].strip() for _, row in rows_of(dump.view("v$tablespace"))}
    return {
        row["file#"]: (spaces.get(row["ts#"], ""), row["name"].strip(), number(row.get("block_size", "").strip()))
        for _, row in rows_of(dump.view("v$datafile"))
    }


def _add_facts(into: Collected, dump: Dump, server: Server, errors: Iterable[OracleError]) -> None:
    for name, value in server.facts():
        into.fact(server.line, INSTANCE, name, value)
    for line, row in rows_of(dump.view(LICENCE)):
        into.fact(line, "licence", row["question"].strip(), row["answer"].strip() or "-")
    for error in errors:
        into.fact(error.line, "error", error.code, error.message)
