"""MariaDB captured by our own probes through a real SSH server, and compared with what its own SQL says.

The load is one query of an application: before, its column has no index; after, it has one. Copies of the digests are
taken in the database beside our captures, and the database itself subtracts them.
"""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from zoneinfo import ZoneInfo

import pytest

from tests.e2e import mariadb_rig
from tests.e2e.mariadb_rig import MariaDb
from tests.e2e.ssh_people import Desk, Sink
from tests.e2e.sshd_rig import Sshd
from tests.waiting import let_time_pass, wait_until
from tunebench.analysis.databases.explained import StepKind, explained
from tunebench.analysis.databases.profile import compare_profiles
from tunebench.analysis.databases.record import statement_keys
from tunebench.analysis.databases.statement_changes import compare_statements
from tunebench.analysis.databases.statement_comparison import StatementClass
from tunebench.analysis.databases.subtraction import period_between
from tunebench.capture.planning import PlanRequest, ProbeChoice, build_plan
from tunebench.capture.readings import reading_of
from tunebench.core.paths import builtin_plugins_folder
from tunebench.diagnosis.signals.database_figures import database_figures
from tunebench.diagnosis.signals.lock_queues import lock_queue
from tunebench.domain.capturing.plan import PlannedHost
from tunebench.domain.ledger import Ledger
from tunebench.plughost.host import PluginHost
from tunebench.plughost.listing import Origin
from tunebench.plughost.plugin_folders import SearchFolder
from tunebench.sdk import ParseContext
from tunebench.sdk.databases import DatabaseRecord, Engine, Fault, Reach
from tunebench.transport.ssh.link import Link

pytestmark = pytest.mark.xdist_group("mariadb")  # they share one server

ROWS = 20_000
FIGURES = ("executions", "elapsed_s", "lock_wait_s", "rows", "rows_examined", "full_scans", "no_index_used")
DIGESTS = "performance_schema.events_statements_summary_by_digest"
DIFFERENCES = """
    select b.digest, b.count_star - coalesce(a.count_star, 0), (b.sum_timer_wait - coalesce(a.sum_timer_wait, 0)) / 1e12,
        (b.sum_lock_time - coalesce(a.sum_lock_time, 0)) / 1e12,
        b.sum_rows_sent + b.sum_rows_affected - coalesce(a.sum_rows_sent + a.sum_rows_affected, 0),
        b.sum_rows_examined - coalesce(a.sum_rows_examined, 0), b.sum_select_scan - coalesce(a.sum_select_scan, 0),
        b.sum_no_index_used - coalesce(a.sum_no_index_used, 0)
    from copies.later b left join copies.earlier a on a.digest = b.digest and a.schema_name <=> b.schema_name
    where b.schema_name = 'bench' and b.digest_text like '%sbtest1%' and b.count_star > coalesce(a.count_star, 0)"""


@dataclass
class Bench:
    """A database with sysbench's table, and a link to its host."""

    server: MariaDb
    link: Link
    plugins: PluginHost

    def capture(
        self, probe: str = "mysql.snapshot", duration_s: float = 60, **values: str
    ) -> tuple[list[DatabaseRecord], Ledger]:
        sink = self.run(probe, duration_s, **values)
        assert (sink.end[0], bytes(sink.err)) == (0, b"")
        return self.read(bytes(sink.out), probe)

    def run(self, probe: str, duration_s: float = 60, **values: str) -> Sink:
        given = {name: (value,) for name, value in ({"defaults_file": str(self.server.options)} | values).items()}
        host = PlannedHost("db01", "127.0.0.1", 22, "user", "linux", "profile")
        choice = ProbeChoice(probe, given, 1)
        plan = build_plan(
            PlanRequest((host,), {"db01": (choice,)}, "run", "before", 1, duration_s), self.plugins.probes()
        )
        command = next(command for command in plan.commands if command.probe == probe)
        assert self.server.password not in command.verbatim
        sink = Sink()
        self.link.stream(command.verbatim, sink)
        assert sink.done.wait(60)
        return sink

    def read(self, output: bytes, probe: str) -> tuple[list[DatabaseRecord], Ledger]:
        named = next(one.parser for one in self.plugins.probes() if one.id == probe)
        entry = self.plugins.parser(named)
        assert entry is not None
        reading = reading_of(entry, ParseContext(zone=ZoneInfo("UTC"), zone_source="host"), output[:65536], ())
        list(reading.feed(output))
        list(reading.finish())
        records, ledger = list(reading.take_records()), reading.ledger()
        assert ledger.lines.balanced and ledger.skipped == (), probe
        return records, ledger

    def copy(self, name: str) -> None:
        self.server.sql(
            f"create database if not exists copies; create or replace table copies.{name} as select * from {DIGESTS}"
        )

    def around(self, work: Callable[[], object]) -> tuple[DatabaseRecord, dict[str, list[float]]]:
        """The period of `work` as captured, and the differences that the database works out itself."""
        (first,), _ = self.capture()
        self.copy("earlier")
        work()
        self.copy("later")
        (second,), _ = self.capture()
        return period_between(first, second), {
            row[0]: [float(cell) for cell in row[1:]] for row in self.server.sql(DIFFERENCES)
        }

    def search(self) -> None:
        """The application's query, 200 times for other values."""
        self.server.sql("".join(f"select count(c) from sbtest1 where k = {value};" for value in range(5000, 5200)))


def make_server(*settings: str) -> MariaDb:
    if mariadb_rig.missing():
        pytest.skip(mariadb_rig.missing())
    server = MariaDb(*settings)
    try:
        server.start()
        server.sysbench("oltp_point_select", "--tables=1", f"--table-size={ROWS}", "--create-secondary=off", "prepare")
    except BaseException:
        server.remove()
        raise
    return server


@pytest.fixture(scope="module")
def server() -> Iterator[MariaDb]:
    server = make_server()
    try:
        yield server
    finally:
        server.remove()


@pytest.fixture
def bench(server: MariaDb, sshd: Sshd, desk: Desk) -> Bench:
    plugins = PluginHost([SearchFolder(builtin_plugins_folder(), Origin.BUILTIN)])
    return Bench(server, desk.open(sshd.profile()), plugins)


def texts_of(record: DatabaseRecord) -> dict[str, str]:
    table = record.table("statement_text")
    return dict(zip(table.text("statement_id"), table.text("text"), strict=True))


def statements(period: DatabaseRecord) -> dict[str, list[float]]:
    """Figures by digest, of those that ran on sysbench's table."""
    table, texts = period.table("statement"), texts_of(period)
    columns = [table.figure(name).tolist() for name in FIGURES]
    ran = table.figure("executions") > 0
    return {
        identity: [column[row] for column in columns]
        for row, identity in enumerate(table.text("statement_id"))
        if ran[row] and "sbtest1" in texts.get(identity, "") and table.text("container")[row] == "bench"
    }


def agree(period: DatabaseRecord, from_sql: dict[str, list[float]]) -> None:
    captured = statements(period)
    assert captured.keys() == from_sql.keys() and captured
    for identity, figures in captured.items():
        assert figures == pytest.approx(from_sql[identity], rel=1e-9, abs=1e-11), texts_of(period)[identity]


def test_before_and_after_an_index_with_the_figures_of_the_database(bench: Bench) -> None:
    before, from_sql = bench.around(bench.search)
    agree(before, from_sql)
    assert before.faults == ()
    bench.server.sql("create index k_1 on sbtest1 (k)")
    after, from_sql = bench.around(bench.search)
    agree(after, from_sql)
    assert after.faults == ()
    query = next(identity for identity, text in texts_of(after).items() if text.startswith("SELECT COUNT ( `c` )"))
    old, new = statements(before)[query], statements(after)[query]
    assert old[FIGURES.index("rows_examined")] == 200 * ROWS and new[FIGURES.index("rows_examined")] < 0.01 * 200 * ROWS
    assert (old[FIGURES.index("full_scans")], new[FIGURES.index("full_scans")]) == (200, 0)
    comparison = compare_statements(before, after)
    outcomes = {
        pair.before_ids[0]: outcome
        for pair, outcome in zip(comparison.pairs, comparison.outcomes, strict=True)
        if pair.before_ids
    }
    assert outcomes[query] is StatementClass.IMPROVED


def test_one_digest_in_two_schemas_is_compared_in_each(bench: Bench) -> None:
    """The index goes from one schema to the other: a gain and a loss that cancel each other out over both."""
    tenants = ("tenant_a", "tenant_b")
    for name in tenants:
        bench.server.sql(
            f"create database {name}; create table {name}.orders as select seq id, seq % 997 k from seq_1_to_20000"
        )

    def work() -> None:
        for name in tenants:
            bench.server.sql("".join(f"select count(id) from orders where k = {value};" for value in range(40)), name)

    def period() -> tuple[DatabaseRecord, dict[str, list[float]]]:
        (first,), _ = bench.capture()
        bench.copy("earlier")
        work()
        bench.copy("later")
        (second,), _ = bench.capture()
        rows = bench.server.sql(
            "select b.schema_name, b.count_star - coalesce(a.count_star, 0), (b.sum_timer_wait - coalesce(a.sum_timer_wait, 0)) / 1e12"
            " from copies.later b left join copies.earlier a on a.digest = b.digest and a.schema_name <=> b.schema_name"
            " where b.schema_name like 'tenant%' and b.digest_text like 'SELECT COUNT%orders%'"
        )
        return period_between(first, second), {row[0]: [float(cell) for cell in row[1:]] for row in rows}

    bench.server.sql("create index k on tenant_b.orders (k)")
    before, own_before = period()
    bench.server.sql("drop index k on tenant_b.orders; create index k on tenant_a.orders (k)")
    after, own_after = period()
    assert before.valid and after.valid, (before.faults, after.faults)
    rows = {
        row.pair.container: row for row in compare_statements(before, after).rows() if row.pair.container in tenants
    }
    assert len({key.id for row in rows.values() for key in (*row.pair.before, *row.pair.after)}) == 1
    assert (rows["tenant_a"].outcome, rows["tenant_b"].outcome) == (StatementClass.IMPROVED, StatementClass.REGRESSED)
    for name, row in rows.items():
        elapsed = row.changes["elapsed_s"]
        assert [row.before_executions, elapsed.before_total] == pytest.approx(own_before[name], rel=1e-9)
        assert [row.after_executions, elapsed.after_total] == pytest.approx(own_after[name], rel=1e-9)


def test_two_sessions_that_fight_for_a_row_are_a_finding(bench: Bench) -> None:
    """One holds a row for two seconds, the other waits for it; the same work one after the other is none."""

    def change(value: int, holds_s: float) -> None:
        bench.server.sql(f"begin; update sbtest1 set pad = '{value}' where id = 7; do sleep({holds_s}); commit")

    def at_once() -> None:
        both = [threading.Thread(target=change, args=(value, 2.0 * (1 - value))) for value in (0, 1)]
        for each in both:
            each.start()
            let_time_pass(0.5, "the first holds the row before the second asks for it")
        for each in both:
            each.join()

    def in_turn() -> None:
        change(2, 0.5)
        change(3, 0.5)

    shares = [database_figures(bench.around(work)[0])["row_lock_pct"] for work in (at_once, in_turn)]
    assert isinstance(shares[0], float)
    assert shares[0] > 10
    assert shares[1] == 0


def test_db_time_is_the_time_of_the_statements_and_the_waterfall_adds_up(bench: Bench) -> None:
    """The database itself subtracts the digests of the same stretch of work; twice as many searches are more time."""
    before, first = bench.around(bench.search)

    def search_twice() -> None:
        bench.search()
        bench.search()

    after, second = bench.around(search_twice)
    for period, own in ((before, first), (after, second)):
        times = {key.id: 0.0 for key in statement_keys(period.table("statement"))}
        elapsed = period.table("statement").figure("elapsed_s").tolist()
        for key, seconds in zip(statement_keys(period.table("statement")), elapsed, strict=True):
            times[key.id] += seconds
        ((digest, searched),) = [(digest, figures) for digest, figures in own.items() if figures[0] >= 200]
        assert period.db_time_s == pytest.approx(sum(times.values()))
        assert times[digest] == pytest.approx(searched[1], abs=1e-6)
    explanation = explained(compare_statements(before, after), compare_profiles(before, after))
    assert explanation is not None
    assert explanation.times_statements
    assert explanation.before + sum(step.amount for step in explanation.steps) == pytest.approx(explanation.after)
    assert explanation.before + sum(step.amount for step in explanation.classes) == pytest.approx(explanation.after)
    assert explanation.total(StepKind.REST) == pytest.approx(0.0, abs=1e-9)


def test_prepared_statements_are_missing_and_it_is_said(bench: Bench) -> None:
    load = ("oltp_point_select", "--tables=1", f"--table-size={ROWS}", "--threads=2", "--time=1", "run")
    period, _ = bench.around(lambda: bench.server.sysbench(*load))
    counted = dict(zip(period.table("activity").text("name"), period.table("activity").figure("total"), strict=True))
    assert counted["Com_stmt_execute"] > 500
    assert Fault.PREPARED_UNSEEN in period.faults and period.valid
    direct, from_sql = bench.around(lambda: bench.server.sysbench(*load[:-1], "--db-ps-mode=disable", "run"))
    agree(direct, from_sql)
    assert Fault.PREPARED_UNSEEN not in direct.faults


def test_a_capture_reads_only_and_carries_its_mark(bench: Bench) -> None:
    bench.server.admin(
        f"truncate table {DIGESTS}; set global general_log_file = '{bench.server.folder}/general.log', global general_log = 1"
    )
    (record,), ledger = bench.capture()
    bench.server.admin("set global general_log = 0")
    said = [
        line.partition("Query\t")[2]
        for line in (bench.server.folder / "general.log").read_text().splitlines()
        if "Query\t" in line
    ]
    said = [line for line in said if "general_log" not in line]
    words = {line.split()[0].lower() for line in said}
    assert len(said) > 15 and words == {"set", "select", "show"}
    unmarked = [line for line in said if "tunebench" not in line]
    assert {line.lower() for line in unmarked} == {"set session transaction read only", "show all slaves status"}
    assert ledger.tool == "mariadb" and ledger.tool_version == record.identity.version
    assert record.identity.engine is Engine.MARIADB and record.absent == ()
    left = {text.strip() for text in texts_of(record).values()}
    assert not [text for text in left if "general_log" not in text and not text.startswith("TRUNCATE")]
    counted = dict(zip(record.table("activity").text("name"), record.table("activity").figure("total"), strict=True))
    assert (
        record.end.time_ns is not None and record.end.started_ns == record.end.time_ns - int(counted["Uptime"]) * 10**9
    )
    assert abs(record.end.time_ns / 1e9 - time.time()) < 60


def test_a_user_without_rights_still_sees_the_load(bench: Bench) -> None:
    bench.server.admin("create or replace user clerk identified by 'x'")
    options = bench.server.folder / "clerk.cnf"
    options.write_text(f"[client]\nuser=clerk\npassword=x\nsocket={bench.server.socket}\n")
    sink = bench.run("mysql.snapshot", defaults_file=str(options))
    assert sink.end[0] == 0 and b"Access denied" in bytes(sink.err)
    (record,), ledger = bench.read(bytes(sink.out), "mysql.snapshot")
    assert ledger.warnings == ("digests_hidden",) and record.absent == ("statement",)
    assert len(record.table("load")) > 10


def test_who_cannot_log_in_is_told(bench: Bench) -> None:
    options = bench.server.folder / "stranger.cnf"
    options.write_text(f"[client]\nuser=stranger\npassword=wrong\nsocket={bench.server.socket}\n")
    sink = bench.run("mysql.snapshot", defaults_file=str(options))
    assert sink.end[0] != 0 and b"Access denied for user 'stranger'" in bytes(sink.err)


def test_the_slow_log_of_the_run(bench: Bench) -> None:
    off = bench.run("mysql.slow_log", 2)
    assert off.end[0] == 3 and b"the slow query log is off" in bytes(off.err)
    bench.server.admin(
        "set global long_query_time = 0, global log_slow_verbosity = 'query_plan,innodb', global slow_query_log = 1"
    )
    bench.server.sql("select 'not of the run'")
    bench.server.slow_log.chmod(0o644)
    work = threading.Timer(1.5, bench.search)
    work.start()
    try:
        (record,), ledger = bench.capture("mysql.slow_log", 4)
    finally:
        work.join()
        bench.server.admin("set global slow_query_log = 0")
    assert (record.reach, ledger.tool, record.source) == (Reach.PERIOD, "mariadb", "slow_log")
    assert record.identity.version and record.identity.name == record.identity.host != ""
    table = record.table("statement")
    place = list(texts_of(record).values()).index("select count(c)from sbtest1 where k=?")
    logged = [
        block for block in bench.server.slow_log.read_text().split("# User@Host") if "from sbtest1 where k = " in block
    ]
    assert table.figure("executions")[place] == len(logged) == 200
    pages = sum(int(block.partition("Pages_accessed: ")[2].split()[0]) for block in logged)
    assert table.figure("block_gets")[place] == pages > 200
    assert not any("not of the run" in text or text == "select ?" for text in texts_of(record).values())


def test_without_the_performance_schema_and_after_a_restart(bench: Bench) -> None:
    (first,), _ = bench.capture()
    bench.server.stop()
    bench.server._settings = (*bench.server._settings, "--performance-schema=OFF")
    bench.server.start()
    (second,), ledger = bench.capture()
    assert ledger.warnings == ("performance_schema_off",)
    assert second.absent == ("statement",) and len(second.table("load")) > 10 and len(second.table("parameter")) > 500
    period = period_between(first, second)
    assert Fault.RESTART in period.faults and not period.valid


def test_a_lock_queue_is_told_with_statement_session_and_table(bench: Bench) -> None:
    """Two sessions behind a third that holds the row and does nothing."""
    server = bench.server
    server.sql("create table account(id int primary key, balance int); insert into account values (1, 9)")
    words = [mariadb_rig.program("mariadb"), f"--defaults-file={server.options}", "bench"]
    holder = subprocess.Popen(words, stdin=subprocess.PIPE, text=True)
    assert holder.stdin is not None
    waiting: list[subprocess.Popen[bytes]] = []
    try:
        holder.stdin.write("start transaction; delete from account where id = 1;\n")
        holder.stdin.flush()
        locked = "select trx_mysql_thread_id from information_schema.innodb_trx where trx_rows_modified > 0"
        every_s = 0.3  # what is asked for more often than every 0.1 s is not read anew
        assert wait_until(lambda: bool(server.sql(locked)), 20.0, every_s)
        ((session,),) = server.sql(locked)
        update = "update account set balance = balance + 4711 where id = 1"
        waiting = [subprocess.Popen([*words, "-e", update]) for _ in range(2)]
        queued = "select count(*) from information_schema.innodb_trx where trx_state = 'LOCK WAIT'"
        assert wait_until(lambda: server.sql(queued) == [["2"]], 20.0, every_s)
        (record,), _ = bench.capture()
    finally:
        holder.stdin.close()  # the transaction is rolled back
        holder.wait(20)
        for client in waiting:
            client.wait(20)
        server.sql("drop table account")
    table = record.table("lock_wait")
    assert list(table.text("object")) == ["bench.account"] * 2
    assert set(table.text("statement")) == {"update account set balance=balance+? where id=?"}
    assert set(zip(table.text("holder"), table.text("holder_state"), strict=True)) == {(session, "idle in transaction")}
    queue = lock_queue(record, ("row_lock_pct",), {})
    assert queue is not None
    assert (queue.object, queue.holder, queue.sightings) == ("bench.account", session, 2)
