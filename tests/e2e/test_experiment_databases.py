"""The studies of databases run again over a real sshd: the servers' snapshots beside each trial, and a replica's lag."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e import mariadb_rig, postgres_rig
from tests.e2e.conftest import Command
from tests.e2e.mariadb_rig import MariaDb, program
from tests.e2e.postgres_rig import Postgres
from tests.e2e.sshd_rig import Sshd, free_port


@pytest.fixture
def place(sshd: Sshd) -> list[str]:
    profile = sshd.profile()
    sshd.know_host()
    where = f"{profile.user}@{profile.address}:{profile.port}"
    return ["--host", where, "--identity", profile.identity, "--known-hosts", str(sshd.known_hosts)]


@pytest.fixture
def pair() -> Iterator[tuple[MariaDb, MariaDb]]:
    """A server and its replica, which reaches it over the loopback."""
    if mariadb_rig.missing():
        pytest.skip(mariadb_rig.missing())
    port = free_port()
    network = ("--skip-networking=0", "--bind-address=127.0.0.1", f"--port={port}")
    servers = (
        MariaDb("--log-bin=bin", "--server-id=1", *network),
        MariaDb("--log-bin=bin", "--server-id=2", "--log-slave-updates"),
    )
    source, replica = servers
    try:
        source.start()
        source.admin("create user copier identified by 'x'; grant replication slave on *.* to copier")
        replica.start()
        replica.admin(
            f"stop slave; set global gtid_slave_pos = '{source.sql('select @@gtid_binlog_pos')[0][0]}';"
            f"change master to master_host = '127.0.0.1', master_port = {port}, master_user = 'copier',"
            " master_password = 'x', master_use_gtid = slave_pos; start slave"
        )
        yield source, replica
    finally:
        for server in servers:
            server.remove()


def studied(
    project: Path, tunebench: Command, place: list[str], name: str, *words: object, repetitions: int = 1
) -> list[dict[str, Any]]:
    """The trials of a ready experiment, run from plan to report."""
    made = tunebench("experiment", project, "add-matrix", name, *words, "--repetitions", repetitions, "--limit", 120)
    assert made.code == 0, made.err
    ran = tunebench("experiment", project, "run", 1, *place, "--approved-by", "lee", "--lang", "en")
    assert ran.code == 0, ran.err
    plan = tunebench("experiment", project, "show", 1, "--json").json["plan"]
    assert {(each["state"], each["reason"]) for each in plan} == {("done", "")}
    report = project.with_suffix(".pdf")
    assert tunebench("report", project, "--pdf", report).code == 0 and report.stat().st_size > 10_000
    assert tunebench("check", project).code == 0
    return list(plan)


def settings(**values: object) -> list[str]:
    return [word for name, value in values.items() for word in ("--set", f"{name}={value}")]


def test_table_compression_with_the_lag_of_a_replica(
    project: Path, tunebench: Command, place: list[str], pair: tuple[MariaDb, MariaDb]
) -> None:
    """The replica applies what it is sent half a minute late, so that its lag is known to grow while rows come in."""
    source, replica = pair
    replica.admin("stop slave; change master to master_delay = 30; start slave")
    values = settings(
        client=f"{program('mariadb')} --defaults-file={source.options}",
        connection=f"--mysql-socket={source.socket} --mysql-user={source.user} --mysql-password={source.password}",
        database="grown",
        threads=2,
        seconds=6,
        options=source.options,
        replica=replica.options,
        every=2,
    )
    plan = studied(project, tunebench, place, "table-compression", *values, "--only", "rows=500,2000")
    assert len(plan) == 4
    for trial in plan:
        assert trial["values"]["tps"] > 0
        assert 1 <= trial["values"]["lag"] <= 60
    parts = tunebench("experiment", project, "analyse", 1, "--json").json["parts"]
    assert parts and all(len(each["cells"]) == 4 for each in parts)


def test_buffer_pool_and_threads_with_what_the_server_read(
    project: Path, tunebench: Command, place: list[str], pair: tuple[MariaDb, MariaDb]
) -> None:
    source, _ = pair
    values = settings(
        client=f"{program('mariadb')} --defaults-file={source.options}",
        connection=f"--mysql-socket={source.socket} --mysql-user={source.user} --mysql-password={source.password}",
        database="bench",
        tables=1,
        rows=20_000,
        seconds=6,
        options=source.options,
        every=2,
    )
    levels = ("--only", "pool=16,32", "--only", "threads=1,2,4")
    plan = studied(project, tunebench, place, "sysbench-pool-threads", *values, *levels)
    assert len(plan) == 6 and {each["cell"]["raid"] for each in plan} == {"RAID5"}
    assert tunebench("experiment", project, "plan", 1, "--level", "raid=RAID10").code == 0
    ran = tunebench("experiment", project, "run", 1, *place, "--approved-by", "lee", "--lang", "en")
    assert ran.code == 0, ran.err
    plan = tunebench("experiment", project, "show", 1, "--json").json["plan"]
    assert [each["cell"]["raid"] for each in plan] == ["RAID5"] * 6 + ["RAID10"] * 6
    for trial in plan:
        assert trial["values"]["tps"] > 0 and trial["values"]["p95_ms"] > 0
        assert trial["values"]["physical_reads"] >= 0


def test_pgbench_over_clients_with_what_the_server_committed(
    project: Path, tunebench: Command, place: list[str]
) -> None:
    if postgres_rig.missing():
        pytest.skip(postgres_rig.missing())
    server = Postgres()
    try:
        server.start()
        server.sql("create database bench")
        server.pgbench("-i", "-s", "2", "-q")
        command = f"{server.programs / 'pgbench'} -h {server.socket} -U {server.user}"
        values = settings(pgbench=command, seconds=6, database="bench", host=server.socket, user=server.user, every=2)
        plan = studied(project, tunebench, place, "pgbench-clients", *values, "--only", "clients=1,2,3,4")
    finally:
        server.remove()
    for trial in plan:
        assert trial["values"]["commits"] == pytest.approx(trial["values"]["tps"], rel=0.4)
    part = tunebench("experiment", project, "analyse", 1, "--json").json["parts"][0]
    (curve,) = part["curves"]
    assert curve["factor"] == "clients" and curve["usl"]["scale"] > 0
