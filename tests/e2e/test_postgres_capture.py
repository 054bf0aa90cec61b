"""PostgreSQL captured by our own probes through a real SSH server, and compared with what its own SQL says.

The load is pgbench's: before, the key of pgbench_accounts is missing; after, it is there. Copies of the views are taken
in the database beside our captures, and the database itself subtracts them.
"""

from __future__ import annotations

import shlex
import subprocess
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from itertools import combinations
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from tests.e2e import postgres_rig
from tests.e2e.conftest import Command
from tests.e2e.postgres_rig import Postgres
from tests.e2e.ssh_people import Desk, Sink
from tests.e2e.sshd_rig import Sshd
from tests.waiting import wait_until
from tunebench.analysis.comparing.judging import LEAST_S
from tunebench.analysis.databases.matching import LinkMethod, match_statements
from tunebench.analysis.databases.statement_changes import compare_statements
from tunebench.analysis.databases.statement_comparison import StatementClass
from tunebench.analysis.databases.subtraction import period_between
from tunebench.analysis.inference.verdict import Verdict
from tunebench.capture.planning import PlanRequest, ProbeChoice, build_plan
from tunebench.capture.readings import reading_of
from tunebench.core.paths import builtin_plugins_folder
from tunebench.domain.capturing.plan import CapturePlan, PlannedHost
from tunebench.domain.ledger import Ledger
from tunebench.domain.windows import WindowLoad
from tunebench.plughost.host import PluginHost
from tunebench.plughost.listing import Origin
from tunebench.plughost.plugin_folders import SearchFolder
from tunebench.sdk import ParseContext
from tunebench.sdk.databases import DatabaseRecord, Fault
from tunebench.transport.ssh.link import Link

pytestmark = pytest.mark.xdist_group("postgres")  # they share one server

TEXTS = "pgbench_(accounts|branches|tellers|history)"
STATEMENT_FIGURES = (
    "executions",
    "elapsed_s",
    "block_gets",
    "block_reads",
    "rows",
    "wal_bytes",
    "plans",
    "planning_s",
    "io_wait_s",
)
DIFFERENCES = f"""
    select b.queryid, b.calls - coalesce(a.calls, 0), (b.total_exec_time - coalesce(a.total_exec_time, 0)) / 1000,
        b.shared_blks_hit + b.shared_blks_read + b.local_blks_hit + b.local_blks_read
            - coalesce(a.shared_blks_hit + a.shared_blks_read + a.local_blks_hit + a.local_blks_read, 0),
        b.shared_blks_read + b.local_blks_read - coalesce(a.shared_blks_read + a.local_blks_read, 0),
        b.rows - coalesce(a.rows, 0), b.wal_bytes - coalesce(a.wal_bytes, 0), b.plans - coalesce(a.plans, 0),
        (b.total_plan_time - coalesce(a.total_plan_time, 0)) / 1000,
        (b.blk_read_time + b.blk_write_time + b.temp_blk_read_time + b.temp_blk_write_time
            - coalesce(a.blk_read_time + a.blk_write_time + a.temp_blk_read_time + a.temp_blk_write_time, 0)) / 1000
    from later_statements b left join earlier_statements a using (userid, dbid, toplevel, queryid)
    where b.query ~ '{TEXTS}' and b.calls > coalesce(a.calls, 0)"""
TABLE_DIFFERENCES = """
    select b.relname, b.seq_scan - a.seq_scan, b.n_tup_upd - a.n_tup_upd, coalesce(b.idx_scan - coalesce(a.idx_scan, 0), 0)
    from later_tables b join earlier_tables a using (relid)"""
MONITOR = "create role mon login in role pg_monitor; alter role mon set log_statement = 'all'"


@dataclass(frozen=True)
class Around:
    """A stretch of work: the period of two captures, and the differences that the database works out itself."""

    period: DatabaseRecord
    statements: dict[str, list[float]]
    tables: dict[str, list[float]]
    captures: list[bytes]


@dataclass
class Bench:
    """A database with pgbench's tables, and a link to its host."""

    server: Postgres
    link: Link
    plugins: PluginHost
    captures: list[bytes] = field(default_factory=list)

    def capture(
        self,
        probe: str = "postgresql.snapshot",
        user: str = "mon",
        database: str = "bench",
        duration_s: float = 60,
        interval_s: float | None = None,
        server: Postgres | None = None,
    ) -> tuple[list[DatabaseRecord], Ledger]:
        values = {"database": (database,), "user": (user,), "host": (str((server or self.server).socket),)}
        choice = ProbeChoice(probe, values, interval_s)
        host = PlannedHost("db01", "127.0.0.1", 22, "user", "linux", "profile")
        request = PlanRequest((host,), {"db01": (choice,)}, "run", "before", interval_s or 1, duration_s)
        return self._read(self._run(build_plan(request, self.plugins.probes()), probe), probe)

    def _run(self, plan: CapturePlan, probe: str) -> bytes:
        command = next(command for command in plan.commands if command.probe == probe)
        sink = Sink()
        self.link.stream(command.verbatim, sink)
        assert sink.done.wait(60)
        assert (sink.end[0], bytes(sink.err)) == (0, b"")
        self.captures.append(bytes(sink.out))
        return self.captures[-1]

    def _read(self, output: bytes, probe: str) -> tuple[list[DatabaseRecord], Ledger]:
        entry = self.plugins.parser("postgresql.views")
        assert entry is not None
        reading = reading_of(entry, ParseContext(zone=ZoneInfo("UTC"), zone_source="host"), output[:65536], ())
        list(reading.feed(output))
        list(reading.finish())
        records, ledger = list(reading.take_records()), reading.ledger()
        assert ledger.lines.balanced and ledger.skipped == (), probe
        return records, ledger

    def copy(self, name: str) -> None:
        """Copies of the views, which the database keeps."""
        for view in ("statements", "tables"):
            source = "pg_stat_statements" if view == "statements" else "pg_stat_user_tables"
            self.server.sql(
                f"drop table if exists {name}_{view}; create table {name}_{view} as select * from {source}", "bench"
            )

    def around(self, work: Callable[[], object]) -> Around:
        (first,), _ = self.capture()
        self.copy("earlier")
        work()
        self.settle()
        self.copy("later")
        (second,), _ = self.capture()
        statements = {row[0]: [float(cell) for cell in row[1:]] for row in self.server.sql(DIFFERENCES, "bench")}
        tables = {row[0]: [float(cell) for cell in row[1:]] for row in self.server.sql(TABLE_DIFFERENCES, "bench")}
        return Around(period_between(first, second), statements, tables, self.captures[-2:])

    def settle(self) -> None:
        """A backend hands its statistics over when it ends, a moment after its client."""
        left = "select count(*) from pg_stat_activity where application_name = 'pgbench'"
        assert wait_until(lambda: self.server.sql(left) == [["0"]])

    def load(self, *words: str) -> None:
        self.server.pgbench("-n", "-c", "4", "-T", *(words or ("2",)))


@pytest.fixture(scope="module")
def server() -> Iterator[Postgres]:
    if postgres_rig.missing():
        pytest.skip(postgres_rig.missing())
    server = Postgres(log_line_prefix="'<%u> '")
    try:
        server.start()
        server.sql(MONITOR)
        server.sql("create role clerk login")
        server.sql("create database bench")
        server.sql("create extension pg_stat_statements", "bench")
        server.pgbench("-i", "-q", "-s", "1")
        yield server
    finally:
        server.remove()


@pytest.fixture
def bench(server: Postgres, sshd: Sshd, desk: Desk) -> Bench:
    plugins = PluginHost([SearchFolder(builtin_plugins_folder(), Origin.BUILTIN)])
    return Bench(server, desk.open(sshd.profile()), plugins)


def statements(period: DatabaseRecord) -> dict[str, list[float]]:
    """Figures by id, of those that ran on pgbench's tables."""
    table, texts = period.table("statement"), texts_of(period)
    columns = [table.figure(name).tolist() for name in STATEMENT_FIGURES]
    ran = table.figure("executions") > 0
    return {
        identity: [column[row] for column in columns]
        for row, identity in enumerate(table.text("statement_id"))
        if ran[row] and "pgbench_" in texts.get(identity, "") and table.text("container")[row] == "bench"
    }


def texts_of(period: DatabaseRecord) -> dict[str, str]:
    table = period.table("statement_text")
    return dict(zip(table.text("statement_id"), table.text("text"), strict=True))


def segments(period: DatabaseRecord) -> dict[tuple[str, str], float]:
    table = period.table("segment")
    return {
        (name, statistic): value
        for (_, name, _, _, _, statistic), value in zip(table.keys(), table.figure("value").tolist(), strict=True)
    }


def id_of(period: DatabaseRecord, begins: str) -> str:
    ran = statements(period)
    return next(identity for identity, text in texts_of(period).items() if identity in ran and text.startswith(begins))


def agree(around: Around) -> DatabaseRecord:
    period, captured = around.period, statements(around.period)
    assert captured.keys() == around.statements.keys() and len(captured) >= 5
    for identity, figures in captured.items():
        assert figures == pytest.approx(around.statements[identity], rel=1e-9, abs=1e-9), texts_of(period)[identity]
    found = segments(period)
    for name, (seq_scan, updates, idx_scan) in around.tables.items():
        if name.startswith("pgbench_"):
            assert found.get((name, "seq_scan"), 0) == seq_scan
            assert found.get((name, "n_tup_upd"), 0) == updates
            assert found.get((name, "idx_scan"), 0) == idx_scan
    return period


def test_the_same_work_four_times_is_called_neither_better_nor_worse(bench: Bench) -> None:
    """Seconds of work, on a machine that does other things, differ as if something had changed: none is judged."""
    runs = [agree(bench.around(bench.load)) for _ in range(4)]
    least_s = LEAST_S[WindowLoad.CONTROLLED]
    compared = [compare_statements(before, after, least_s=least_s) for before, after in combinations(runs, 2)]
    rows = [row for found in compared for row in found.rows()]
    each = [row for row in rows if row.changes["elapsed_s"].ratio]
    assert any(not 0.95 < (row.changes["elapsed_s"].ratio or 1) < 1.05 for row in each), "costs do differ"
    judged = (StatementClass.IMPROVED, StatementClass.REGRESSED, StatementClass.EQUIVALENT)
    surely = [row for row in rows if row.outcome in judged]
    assert not surely, [(row.pair.name, row.changes[row.judged_by].ratio) for row in surely]
    assert "short_period" in {row.changes["elapsed_s"].reason for row in rows}
    totals = [found.totals["elapsed_s"] for found in compared]
    assert {(each.verdict, each.reason) for each in totals} == {(Verdict.DESCRIPTIVE_ONLY, "short_period")}


def test_before_and_after_with_the_figures_of_the_database(
    bench: Bench, tmp_path: Path, project: Path, tunebench: Command
) -> None:
    bench.server.sql("alter table pgbench_accounts drop constraint pgbench_accounts_pkey", "bench")
    run_before = bench.around(bench.load)
    before = agree(run_before)
    assert before.valid and before.faults == () and before.db_time_s is not None and before.db_time_s > 0
    bench.server.sql("alter table pgbench_accounts add primary key (aid)", "bench")
    run_after = bench.around(bench.load)
    after = agree(run_after)

    comparison = compare_statements(before, after)
    outcomes = {
        pair.before_ids[0]: outcome
        for pair, outcome in zip(comparison.pairs, comparison.outcomes, strict=True)
        if pair.before_ids
    }
    update, branches = id_of(before, "UPDATE pgbench_accounts"), id_of(before, "UPDATE pgbench_branches")
    assert id_of(after, "UPDATE pgbench_accounts") == update, "an index changes no id"
    assert outcomes[update] is StatementClass.IMPROVED
    old, new = statements(before), statements(after)
    gets = STATEMENT_FIGURES.index("block_gets")
    assert old[update][gets] / old[update][0] > 50 * new[update][gets] / new[update][0], "blocks per execution"
    assert new[update][0] > 1.2 * old[update][0], "more work was done"
    # transactions now meet at the one row of pgbench_branches, the more the less else the machine has to do
    slower = (new[branches][1] / new[branches][0]) / (old[branches][1] / old[branches][0])
    (row,) = (each for each in comparison.rows() if branches in each.pair.before_ids)
    assert row.changes["elapsed_s"].ratio == pytest.approx(1 / slower, rel=1e-6)
    assert slower < 2 or outcomes[branches] is StatementClass.REGRESSED

    bench.server.pgbench("-i", "-q", "-s", "1")  # the same tables anew
    anew = agree(bench.around(lambda: bench.load("1")))
    other = id_of(anew, "UPDATE pgbench_accounts")
    assert other != update and texts_of(anew)[other] == texts_of(after)[update]
    pair = next(pair for pair in match_statements(after, anew) if update in pair.before_ids)
    assert other in pair.after_ids and pair.method is LinkMethod.TEXT

    # the program as a whole says the same
    for label, around in (("before", run_before), ("after", run_after)):
        paths = [tmp_path / f"{label}-{number}.txt" for number in range(2)]
        for path, capture in zip(paths, around.captures, strict=True):
            path.write_bytes(capture)
        assert tunebench("import", project, *paths, "--run", label, "--phase", label, "--host", "db01").code == 0
        told = {row["id"]: row for row in tunebench("statements", project, "--run", label, "--json").json}
        for identity, (executions, elapsed_s, blocks, *_) in around.statements.items():
            row = told[identity]
            assert (row["executions"], row["block_gets"]) == (executions, blocks)
            assert row["elapsed_s"] == pytest.approx(elapsed_s, rel=1e-9)


def test_the_last_snapshot_and_the_last_round_are_taken_at_the_approved_end(
    bench: Bench, project: Path, tunebench: Command, sshd: Sshd
) -> None:
    sshd.know_host()
    profile = sshd.profile()
    probes = [
        f"{probe}={value}"
        for probe in ("postgresql.snapshot", "postgresql.activity@7")
        for value in ("database=bench", "user=mon", f"host={bench.server.socket}")
    ]
    answer = tunebench(
        "capture",
        project,
        "--host",
        f"{profile.user}@{profile.address}:{profile.port}",
        "--identity",
        profile.identity,
        "--known-hosts",
        sshd.known_hosts,
        "--probe",
        *probes,
        "--interval",
        5,
        "--duration",
        14,
        "--json",
        "--lang",
        "en",
    )
    assert answer.code == 0, answer.err
    assert "postgresql.activity 7 s" in answer.err
    streams = {stream["probe"]: stream for stream in answer.json["hosts"][0]["streams"]}
    first, second = (datetime.fromisoformat(segment["began"]) for segment in streams["postgresql.snapshot"]["segments"])
    begun = datetime.fromisoformat(answer.json["started"])
    assert (second - begun).total_seconds() >= 13.9
    (rounds,) = streams["postgresql.activity"]["segments"]
    assert (datetime.fromisoformat(rounds["ended"]) - datetime.fromisoformat(rounds["began"])).total_seconds() > 13
    assert streams["postgresql.activity"]["state"] == "verified" and not streams["postgresql.activity"]["gaps"]
    assert streams["postgresql.snapshot"]["measured_s"] == pytest.approx((second - first).total_seconds(), abs=0.01)


def test_a_capture_reads_only_and_carries_its_mark(bench: Bench) -> None:
    bench.server.log.write_text("")
    (record,), ledger = bench.capture()
    logged = [
        line.partition("> LOG:  ")[2] for line in bench.server.log.read_text().splitlines() if line.startswith("<mon>")
    ]
    said = [line.partition("statement: ")[2] for line in logged if line.startswith("statement: ")]
    assert len(said) > 20 and [line for line in said if "/* tunebench */" not in line] == []
    assert said[0] == "set /* tunebench */ default_transaction_read_only=on;"
    assert {line.split()[0] for line in said} == {"set", "select", "copy"}
    assert (ledger.tool, ledger.tool_version) == ("postgresql", record.identity.version)
    assert ledger.warnings == ()
    (identifier,) = bench.server.sql("select system_identifier from pg_control_system()")
    assert [record.identity.db_id] == identifier
    assert not any("tunebench" in text for text in texts_of(record).values())


def test_a_user_without_rights_sees_that_texts_are_hidden(bench: Bench) -> None:
    bench.load("1")
    (record,), ledger = bench.capture(user="clerk")
    assert ledger.warnings == ("statements_hidden",)
    seen, hidden = record.table("statement").text("statement_id"), record.table("statement").figure("executions")
    assert "" in seen and hidden[list(seen).index("")] > 0
    facts = dict(zip(record.table("fact").text("name"), record.table("fact").text("value"), strict=True))
    assert facts["monitor"] == "f" and int(facts["statements_hidden"]) > 5


def test_a_database_without_the_extension_still_tells_its_load(bench: Bench) -> None:
    (record,), ledger = bench.capture(database="postgres")
    assert ledger.warnings == ("statements_not_installed",)
    assert record.absent == ("statement",) and len(record.table("load")) > 10


def test_a_reset_and_a_restart_inside_are_noticed(bench: Bench) -> None:
    (first,), _ = bench.capture()
    bench.server.sql("select pg_stat_statements_reset()", "bench")
    (second,), _ = bench.capture()
    assert Fault.RESET in period_between(first, second).faults
    bench.server.restart()
    (third,), _ = bench.capture()
    period = period_between(second, third)
    assert Fault.RESTART in period.faults and not period.valid


@pytest.fixture
def standby(server: Postgres) -> Iterator[Postgres]:
    standby = Postgres(server)
    try:
        yield standby.start()
    finally:
        standby.remove()


def state_of(record: DatabaseRecord, scope: str) -> dict[str, float]:
    table = record.table("state")
    return {
        name: value
        for (found, name), value in zip(table.keys(), table.figure("end").tolist(), strict=True)
        if found.startswith(scope)
    }


def test_a_standby_and_its_lag(bench: Bench, standby: Postgres) -> None:
    """What is written while the standby may not replay stays behind; the primary and the standby both say so."""
    streaming = "select count(*) from pg_stat_replication where state = 'streaming'"
    assert wait_until(lambda: bench.server.sql(streaming) == [["1"]], 20)
    bench.server.sql("create table replayed as select 1", "bench")  # until then a standby knows of no time
    assert wait_until(lambda: standby.sql("select pg_last_xact_replay_timestamp() is not null") == [["t"]], 20)
    standby.sql("select pg_wal_replay_pause()")
    bench.server.sql("create table lag as select generate_series(1, 20000)", "bench")
    assert wait_until(lambda: bench.server.sql("select sent_lsn = flush_lsn from pg_stat_replication") == [["t"]], 20)
    behind = "select pg_wal_lsn_diff(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn())"
    least = float(standby.sql(behind)[0][0])
    (record,), _ = bench.capture(server=standby)
    most = float(standby.sql(behind)[0][0])  # a server writes a little by itself, so that the lag may grow meanwhile
    (other,), _ = bench.capture()
    assert record.identity.role == "standby" and other.identity.role == "primary"
    assert record.identity.db_id == other.identity.db_id and record.identity.key != other.identity.key
    own = state_of(record, "pg_stat_wal_receiver")
    assert 500_000 < least <= own["replay_behind"] <= most and own["replay_delay"] > 0
    assert state_of(other, "pg_stat_replication")["replay_behind"] >= least
    facts = dict(zip(other.table("fact").keys(), other.table("fact").text("value"), strict=True))
    assert "streaming" in {value for (scope, name), value in facts.items() if name == "state"}


def test_rounds_of_activity_show_what_sessions_wait_for(bench: Bench) -> None:
    load = threading.Thread(target=bench.load, args=("5",))
    load.start()
    try:
        (record,), ledger = bench.capture("postgresql.activity", duration_s=4, interval_s=2)
    finally:
        load.join()
    table = record.table("wait_event")
    assert record.source == "pg_stat_activity" and record.elapsed_s == pytest.approx(4, abs=0.5)
    assert 0 < sum(table.figure("samples")) <= 12, "three rounds, four sessions"
    assert ledger.samples > 0 and ledger.interval_s in (None, 2)


def test_a_database_that_is_not_there_is_said(bench: Bench) -> None:
    host = shlex.quote(str(bench.server.socket))
    probe = next(probe for probe in bench.plugins.probes() if probe.id == "postgresql.snapshot")
    line = probe.command.format(database="nowhere", user="mon", host=host, port="")
    done = bench.link.run(f"sh -c {shlex.quote(line)}", 30)
    assert done.exit_status != 0 and b'database "nowhere" does not exist' in done.stderr


def test_a_lock_queue_is_told_with_statements_session_and_table(bench: Bench) -> None:
    """Two sessions behind a third that holds the row and does nothing; the database itself says whom they wait for."""
    server = bench.server
    server.sql(
        "create schema queue; create table queue.account(id int, balance int); insert into queue.account values (1, 9)",
        "bench",
    )
    words = [str(server.programs / "psql"), "-X", "-q", "-h", str(server.socket), "-U", server.user, "-d", "bench"]
    holder = subprocess.Popen(words, stdin=subprocess.PIPE, text=True)
    assert holder.stdin is not None
    waiting: list[subprocess.Popen[bytes]] = []
    try:
        holder.stdin.write("begin; delete from queue.account where id = 1;\n")
        holder.stdin.flush()
        idle = "select pid from pg_stat_activity where state = 'idle in transaction' and query ~ '^delete from queue'"
        assert wait_until(lambda: bool(server.sql(idle)), 20.0)
        ((session,),) = server.sql(idle)
        update = [*words, "-c", "update queue.account set balance = balance + 7 where id = 1"]
        waiting = [subprocess.Popen(update) for _ in range(2)]
        queued = "select query_id from pg_stat_activity where wait_event_type = 'Lock' and query ~ '^update queue'"
        assert wait_until(lambda: len(server.sql(queued)) == 2, 20.0)
        ids = {row[0] for row in server.sql(queued)}
        ((last,),) = server.sql(f"select query_id from pg_stat_activity where pid = {session}")
        records, _ = bench.capture("postgresql.activity", duration_s=5, interval_s=2)
    finally:
        holder.stdin.close()  # the transaction is rolled back
        holder.wait(20)
        for client in waiting:
            client.wait(20)
        server.sql("drop schema queue cascade", "bench")
    (table,) = [record.table("lock_wait") for record in records if "lock_wait" in record.tables]
    assert set(table.text("statement_id")) == ids
    assert set(
        zip(table.text("holder"), table.text("holder_state"), table.text("holder_statement_id"), strict=True)
    ) == {(session, "idle in transaction", last)}
    assert set(table.text("object")) == {"queue.account"}
    assert float(table.figure("samples").sum()) >= 4  # two sessions in two rounds and more
