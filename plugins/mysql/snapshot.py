"""The record of one moment."""

from __future__ import annotations

from zoneinfo import ZoneInfo

from tunebench.families.views.cells import number
from tunebench.families.views.dump import View
from tunebench.sdk import LedgerBook
from tunebench.sdk.databases import DatabaseRecord, Engine, Fault, FigureTable, Moment, Reach, TableRows

from .identity import add_parameters, add_server_facts, identity_of, started_ns
from .innodb import Innodb, add_innodb, read_innodb
from .load import add_activity, add_states, load_table
from .objects import io_table, segment_table, wait_class_table, wait_event_table
from .replication import add_replica_facts, is_replica, replica_states
from .rounds import Round, first_view, rows_by_name
from .statements import Statements, read_statements
from .views import CONSUMERS, DIGEST, INNODB, REPLICA

SOURCE = "mysql_views"
_EXPECTED = ("statement", "load", "parameter")
_CPU_CONSUMER = "events_statements_cpu"


def innodb_of(found: Round) -> tuple[Innodb, View] | None:
    view = first_view(found.dump, INNODB)
    texts = view.column("status") if view is not None else None
    innodb = read_innodb(texts[0]) if texts else None
    return None if innodb is None or view is None else (innodb, view)


def record_of(found: Round, time_ns: int | None, zone: ZoneInfo, book: LedgerBook) -> DatabaseRecord:
    server, innodb = found.server, innodb_of(found)
    statements = _statements(found, server.zone(zone))
    tables = _tables(found, statements, innodb)
    full = {table.name: table for table in tables if len(table)}
    engine = Engine.MARIADB if innodb is not None and innodb[0].is_mariadb and not server.version else None
    _warn(found, statements, book)
    return DatabaseRecord(
        source=SOURCE,
        reach=Reach.COUNTERS,
        identity=identity_of(server, is_replica(found.dump) if found.dump.view(REPLICA) else None, engine),
        end=_moment(found, time_ns, statements),
        tables=full,
        absent=tuple(name for name in _EXPECTED if name not in full) if found.sectioned else (),
        first_line=found.dump.first_line,
        faults=() if found.dump.whole else (Fault.TRUNCATED,),
    )


def _statements(found: Round, zone: ZoneInfo) -> Statements | None:
    view = found.dump.view(DIGEST)
    if view is None:
        return None
    enabled = rows_by_name(found.dump, CONSUMERS, "name", "enabled").get(_CPU_CONSUMER)
    cpu_is_measured = None if enabled is None else enabled.upper() == "YES"
    return read_statements(view, cpu_is_measured, zone, found.server.is_ours)


def _moment(found: Round, time_ns: int | None, statements: Statements | None) -> Moment:
    lost = number(found.status.get("performance_schema_digest_lost"))
    sessions = number(found.status.get("threads_connected"))
    return Moment(
        time_ns=time_ns,
        started_ns=started_ns(time_ns, found.server.uptime_s),
        evictions=statements.unlisted if statements is not None else None if lost is None else int(lost),
        sessions=None if sessions is None else int(sessions),
    )


def _tables(found: Round, statements: Statements | None, innodb: tuple[Innodb, View] | None) -> list[FigureTable]:
    dump = found.dump
    activity, state, fact, parameter = (TableRows(name) for name in ("activity", "state", "fact", "parameter"))
    add_activity(activity, found.status)
    add_states(state, found.status)
    add_parameters(parameter, found.variables)
    add_server_facts(fact, found.server)
    add_replica_facts(fact, dump)
    for line, scope, name, value, unit in replica_states(dump):
        state.add(line, {"scope": scope, "name": name, "unit": unit}, {"end": value})
    if innodb is not None:
        line = innodb[1].lines[0]
        add_innodb(innodb[0], lambda _: line, activity, state, fact)
    if statements is not None and statements.own:
        fact.add(0, {"scope": DIGEST, "name": "statements_of_tunebench", "value": str(statements.own)}, {})
    waits = wait_event_table(dump)
    tables = [statements.statement, statements.text] if statements is not None else []
    return [
        *tables,
        load_table(found.status),
        waits,
        wait_class_table(waits),
        activity.close(),
        state.close(),
        io_table(dump),
        segment_table(dump),
        parameter.close(),
        fact.close(),
    ]


def _warn(found: Round, statements: Statements | None, book: LedgerBook) -> None:
    if found.sectioned and found.server.keeps_statements is False:
        book.warn("performance_schema_off")
    elif found.server.is_ours and found.server.row.get("digests") == "0":
        book.warn("digests_hidden")
    if statements is not None and statements.unlisted:
        book.warn("digests_full")
