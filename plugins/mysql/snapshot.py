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
from .lock_waits import add_lock_waits
from .objects import io_table, segment_table, wait_class_table, wait_event_table
from .replication import add_replica_facts, is_replica, replica_states
from .rounds import Round, first_view, rows_by_name
from .statements import Statements, read_statements
from .views import CONSUMERS, DIGEST, INNODB, REPLICA

SOURCE = "mysql_views"
_EXPECTED = ("statement", "load", "parameter")
_CPU_CONSUMER = "events_statements_cpu"


def innodb_of(dump_round: Round) -> tuple[Innodb, View] | None:
    view = first_view(dump_round.dump, INNODB)
    texts = view.column("status") if view is not None else None
    innodb = read_innodb(texts[0]) if texts else None
    return None if innodb is None or view is None else (innodb, view)


def record_of(dump_round: Round, time_ns: int | None, zone: ZoneInfo, book: LedgerBook) -> DatabaseRecord:
    server, innodb = dump_round.server, innodb_of(dump_round)
    statements = _statements(dump_round, server.zone(zone))
    tables = _tables(dump_round, statements, innodb)
    full = {table.name: table for table in tables if len(table)}
    engine = Engine.MARIADB if innodb is not None and innodb[0].is_mariadb and not server.version else None
    _warn(dump_round, statements, book)
    return DatabaseRecord(
        source=SOURCE,
        reach=Reach.COUNTERS,
        identity=identity_of(server, is_replica(dump_round.dump) if dump_round.dump.view(REPLICA) else None, engine),
        end=_moment(dump_round, time_ns, statements),
        tables=full,
        absent=tuple(name for name in _EXPECTED if name not in full) if dump_round.sectioned else (),
        first_line=dump_round.dump.first_line,
        faults=() if dump_round.dump.whole else (Fault.TRUNCATED,),
    )


def _statements(dump_round: Round, zone: ZoneInfo) -> Statements | None:
    view = dump_round.dump.view(DIGEST)
    if view is None:
        return None
    enabled = rows_by_name(dump_round.dump, CONSUMERS, "name", "enabled").get(_CPU_CONSUMER)
    cpu_is_measured = None if enabled is None else enabled.upper() == "YES"
    return read_statements(view, cpu_is_measured, zone, dump_round.server.is_ours)


def _moment(dump_round: Round, time_ns: int | None, statements: Statements | None) -> Moment:
    lost = number(dump_round.status.get("performance_schema_digest_lost"))
    sessions = number(dump_round.status.get("threads_connected"))
    return Moment(
        time_ns=time_ns,
        started_ns=started_ns(time_ns, dump_round.server.uptime_s),
        evictions=statements.unlisted if statements is not None else None if lost is None else int(lost),
        sessions=None if sessions is None else int(sessions),
    )


def _tables(dump_round: Round, statements: Statements | None, innodb: tuple[Innodb, View] | None) -> list[FigureTable]:
    dump = dump_round.dump
    activity, state, fact, parameter, locks = map(TableRows, ("activity", "state", "fact", "parameter", "lock_wait"))
    add_activity(activity, dump_round.status)
    add_states(state, dump_round.status)
    add_parameters(parameter, dump_round.variables)
    add_server_facts(fact, dump_round.server)
    add_replica_facts(fact, dump)
    for line, scope, name, value, unit in replica_states(dump):
        state.add(line, {"scope": scope, "name": name, "unit": unit}, {"end": value})
    if innodb is not None:
        line = innodb[1].lines[0]
        add_innodb(innodb[0], lambda _: line, activity, state, fact)
        add_lock_waits(locks, innodb[0].transactions, lambda _: line)
    if statements is not None and statements.own:
        fact.add(0, {"scope": DIGEST, "name": "statements_of_tunebench", "value": str(statements.own)}, {})
    waits = wait_event_table(dump)
    tables = [statements.statement, statements.text] if statements is not None else []
    return [
        *tables,
        load_table(dump_round.status),
        waits,
        wait_class_table(waits),
        activity.close(),
        state.close(),
        io_table(dump),
        segment_table(dump),
        locks.close(),
        parameter.close(),
        fact.close(),
    ]


def _warn(dump_round: Round, statements: Statements | None, book: LedgerBook) -> None:
    if dump_round.sectioned and dump_round.server.keeps_statements is False:
        book.warn("performance_schema_off")
    elif dump_round.server.is_ours and dump_round.server.row.get("digests") == "0":
        book.warn("digests_hidden")
    if statements is not None and statements.unlisted:
        book.warn("digests_full")
