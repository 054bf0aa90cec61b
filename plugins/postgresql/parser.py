"""PostgreSQL's statistics views, out of our own captures and of exports.

    @section pg_stat_statements                    our capture, all views of one moment
    queryid,query,calls,total_exec_time,rows       psql --csv, COPY ... CSV HEADER, any export with a heading
     queryid | calls | rows                        psql's own table
    -[ RECORD 1 ]--                                psql \\x

Counters since the server began to count; periods come of two moments. Our own statements are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tunebench.families.database_series import CounterSeries
from tunebench.families.views.dump import Dump, ViewDumpParser
from tunebench.families.views.rows import RowReader
from tunebench.sdk import ParseContext, SampleBatch, lazy_pattern
from tunebench.sdk.databases import DatabaseRecord, Fault, FigureTable, Reach, TableRows

from .cells import is_true
from .identity import Server, fact_table, identity_of, moment_of, parameter_table, read_server, server_time_ns
from .load import activity_table, load_table, time_model_table, wait_class_table
from .lock_waits import read_lock_waits
from .objects import add_table_states, io_table, segment_table
from .replication import add_replication_states
from .series import MomentSeries
from .sessions import Sessions, WaitSamples, add_session_states, read_sessions
from .statements import Statements, read_statements
from .views import SERVER, STATEMENTS, settings_of, view_of

SOURCE = "pg_stat_views"
ACTIVITY = "activity"
"""The `scope` of a capture in short rounds: it gives series and one record of sampled waits, and no snapshots."""
SNAPSHOT = "snapshot"
"""The `scope` of a capture of all views: what holds at its few moments is no series; the other capture tells it."""
SAMPLES_SOURCE = "pg_stat_activity"
_EXPECTED = ("statement", "load", "parameter")
_OURS = lazy_pattern(rb"(?m)^@section postgresql\s*$")
_COLUMN = lazy_pattern(rb"^([a-z_]+)\s+\| ")
_RECORD = lazy_pattern(rb"^-\[ RECORD 1 \]")
_HEAD_LINES = 60


class PostgresqlViewsParser(ViewDumpParser):
    """Records of counters, and series of what lies between the rounds of one capture."""

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self.book.tool = "postgresql"
        self._moments = MomentSeries(self.book)
        self._counters = CounterSeries()
        self._view_names: dict[str, None] = {}
        self._ready: list[SampleBatch] = []
        self._samples_of_waits = WaitSamples(SAMPLES_SOURCE)

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        if b"\0" in head:
            return 0.0
        if _OURS.search(head):
            return 0.99
        lines = [line.rstrip(b"\r") for line in head.split(b"\n")[:_HEAD_LINES] if line.strip()]
        views = {view_of(RowReader(line).columns) for line in lines} | {view_of(_columns_of_record(lines))}
        views.discard("")
        return 0.97 if STATEMENTS in views else 0.9 if views else 0.0

    # -- the base asks ---------------------------------------------------------------------------

    def name_of(self, columns: Sequence[str]) -> str:
        return view_of(columns)

    def knows(self, name: str, columns: Sequence[str]) -> bool:
        return view_of(columns) == name

    def moment_of(self, dump: Dump) -> int | None:
        return server_time_ns(dump, self.context.zone)

    def read_dump(self, dump: Dump) -> Iterable[DatabaseRecord]:
        self._view_names.update(dict.fromkeys(view.name for view in dump.views if view.name != SERVER))
        self.book.variant = " ".join(self._view_names)
        server, sessions = read_server(dump), read_sessions(dump)
        self.book.tool_version = identity_of(server).version or self.book.tool_version
        if is_true(server.row.get("statements")) is False:
            self.book.warn("statements_not_installed")
        record = self._record_of(dump, server, sessions)
        scope = server.row.get("scope")
        if dump.whole:
            self._ready += self._counters.batches([record])
        if scope != SNAPSHOT:
            self._ready += self._moments.of(record, sessions)
        if scope != ACTIVITY:
            return (record,)
        if sessions is not None and dump.whole:
            self._samples_of_waits.add(record.identity, record.end, sessions, read_lock_waits(dump))
        return ()

    def batches_of(self, records: Sequence[DatabaseRecord]) -> Iterable[SampleBatch]:
        given, self._ready = self._ready, []
        return given

    def close_tables(self) -> Iterable[SampleBatch]:
        yield from super().close_tables()
        self._records += self._samples_of_waits.records()

    # -- one round -------------------------------------------------------------------------------

    def _record_of(self, dump: Dump, server: Server, sessions: Sessions | None) -> DatabaseRecord:
        statements = self._read_statements(dump)
        tables = self._tables(dump, server, sessions, statements)
        full = {table.name: table for table in tables if len(table)}
        return DatabaseRecord(
            source=SOURCE,
            reach=Reach.COUNTERS,
            identity=identity_of(server),
            end=moment_of(dump, server, sessions, self.context.zone),
            tables=full,
            absent=tuple(name for name in _EXPECTED if name not in full) if server.row else (),
            first_line=dump.first_line,
            faults=() if dump.whole else (Fault.TRUNCATED,),
        )

    def _read_statements(self, dump: Dump) -> Statements | None:
        view = dump.view(STATEMENTS)
        if view is None:
            return None
        databases = dump.view("pg_stat_database")
        names = {row.get("datid", ""): row["datname"] for row in databases.records()} if databases is not None else {}
        statements = read_statements(view, names, settings_of(dump), self.context.zone)
        if statements.hidden:
            self.book.warn("statements_hidden")
        return statements

    def _tables(
        self, dump: Dump, server: Server, sessions: Sessions | None, statements: Statements | None
    ) -> list[FigureTable]:
        settings = settings_of(dump)
        counts = {}
        tables = []
        if statements is not None:
            counts = {"statements_hidden": statements.hidden, "statements_of_tunebench": statements.own}
            tables = [statements.statement, statements.text]
        return [
            *tables,
            load_table(dump),
            time_model_table(dump),
            wait_class_table(dump, settings),
            activity_table(dump, settings),
            self._state_table(dump, sessions),
            io_table(dump, settings),
            segment_table(dump, server.database),
            parameter_table(dump),
            fact_table(dump, server, counts),
        ]

    def _state_table(self, dump: Dump, sessions: Sessions | None) -> FigureTable:
        rows = TableRows("state")
        add_session_states(rows, sessions, dump)
        add_replication_states(rows, dump, self.context.zone)
        add_table_states(rows, dump)
        return rows.close()


def _columns_of_record(lines: Sequence[bytes]) -> list[str]:
    """The names of psql's expanded output."""
    begins = next((index for index, line in enumerate(lines) if _RECORD.match(line)), None)
    matches = [_COLUMN.match(line) for line in lines[begins:]] if begins is not None else []
    return [match[1].decode() for match in matches if match is not None]
