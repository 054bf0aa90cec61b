"""What databases tell, made for the benchmarks: AWR reports, a slow log, and exports of a server with many statements."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.made.awr import report, workload

_SLOW_HEAD = (
    "/usr/sbin/mariadbd, Version: 10.11.19-MariaDB-log (Debian 12). started with:\n"
    "Tcp port: 3306  Unix socket: /run/mysqld/mysqld.sock\nTime\t\t    Id Command\tArgument\n"
)
_SLOW_TEXTS = (
    "SELECT o.id, o.total FROM orders o WHERE o.customer_id = {a} AND o.placed > '2026-{b:02d}-01' ORDER BY o.placed DESC LIMIT {c}",
    "UPDATE stock SET quantity = quantity - {c} WHERE item = {a} AND warehouse = {b}",
    "SELECT SUM(k), COUNT(*) FROM sbtest{b} WHERE k BETWEEN {a} AND {a}{c}",
    "INSERT INTO audit_log (who, what, at) VALUES ({a}, 'login {b}', NOW(6))",
    "SELECT c FROM sbtest{b} WHERE id IN ({a}, {a}1, {a}2, {a}3, {a}4, {a}5, {a}6, {a}7, {a}8, {a}9)",
)


def awr_month(to: Path, reports: int) -> Path:
    """A folder of hourly reports of one instance, one after the other."""
    to.mkdir(parents=True)
    work = workload(seed=7, statements=200)
    for number in range(reports):
        (to / f"awrrpt_1_{work.begin_snapshot}_{work.end_snapshot}.html").write_bytes(
            report(workload=work, top=65).data
        )
        chance = random.Random(number)
        work = work.later(factors={one.id: {"elapsed_s": chance.uniform(0.7, 1.4)} for one in work.statements})
    return to


def large_awr(to: Path, size_bytes: int) -> Path:
    """One report of about this size, by the number of its statements."""
    base = len(report(workload=workload(seed=3), top=24).data)
    per_statement = (len(report(workload=workload(seed=3, statements=240), top=240).data) - base) / (240 - 24)
    statements = max(24, round((size_bytes - base) / per_statement) + 24)
    to.write_bytes(report(workload=workload(seed=3, statements=statements), top=statements).data)
    return to


def slow_log(to: Path, size_bytes: int) -> Path:
    """Events of five forms of statements, a third of a second apart, with what MariaDB says of pages and plans."""
    chance, at = random.Random(11), datetime(2026, 11, 20, tzinfo=UTC)
    with to.open("w", encoding="utf-8") as file:
        written = file.write(_SLOW_HEAD)
        while written < size_bytes:
            at += timedelta(milliseconds=333)
            text = chance.choice(_SLOW_TEXTS).format(
                a=chance.randrange(10**6), b=chance.randrange(1, 13), c=chance.randrange(1, 100)
            )
            examined = chance.randrange(1, 20_000)
            written += file.write(
                f"# Time: {at:%y%m%d %H:%M:%S}\n# User@Host: app[app] @ web{chance.randrange(9)} [10.0.0.{chance.randrange(1, 250)}]\n"
                f"# Thread_id: {chance.randrange(10, 900)}  Schema: shop  QC_hit: No\n"
                f"# Query_time: {chance.expovariate(20):.6f}  Lock_time: {chance.random() / 1e4:.6f}  Rows_sent: {chance.randrange(100)}"
                f"  Rows_examined: {examined}\n# Rows_affected: 0  Bytes_sent: {chance.randrange(4096)}\n"
                f"# Pages_accessed: {examined // 70}  Pages_read: {examined // 900}  Pages_read_time: 0.0000  Pages_prefetched: 0\n"
                f"# Full_scan: {'Yes' if examined > 9_000 else 'No'}  Full_join: No  Tmp_table: No  Tmp_table_on_disk: No\n"
                f"SET timestamp={int(at.timestamp())};\n{text};\n"
            )
    return to


def many_statements(to: Path, statements: int) -> Path:
    """Four exports of pg_stat_statements: before and after a load, of a server and of the one it was moved to.

    All ids of the second server are other ones: its statements are found by their texts alone.
    """
    to.mkdir(parents=True)
    chance = random.Random(23)
    texts = [
        f"SELECT t{n % 977}.c{n % 61}, count(*) FROM schema_{n % 31}.t{n % 977} WHERE c{n % 89} = $1 AND k_{n} > $2 GROUP BY 1"
        for n in range(statements)
    ]
    for server in ("old", "new"):
        ids = [chance.randrange(-(2**63), 2**63) for _ in texts]
        calls, seconds = [chance.randrange(1, 5000) for _ in texts], [chance.expovariate(0.2) for _ in texts]
        for place, moment in enumerate(("10:00:00", "11:00:00")):
            path = to / f"{server}-{place}.csv"
            with path.open("w", encoding="utf-8") as file:
                file.write(
                    "now,userid,dbid,toplevel,queryid,query,calls,total_exec_time,rows,shared_blks_hit,shared_blks_read\n"
                )
                for n, text in enumerate(texts):
                    times = 1 + place * (1 + n % 7)
                    file.write(
                        f'2026-11-20 {moment}+09,10,16384,t,{ids[n]},"{text}",{calls[n] * times},{seconds[n] * times * 1000:.3f},'
                        f"{calls[n] * times},{calls[n] * times * 12},{calls[n] * times * 3}\n"
                    )
    return to
