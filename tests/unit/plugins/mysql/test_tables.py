"""Waits, files, tables, replicas, InnoDB; our own captures."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from tests.unit.plugins.mysql.headings import batch, status
from tunebench.analysis.databases.idle_waits import is_idle
from tunebench.sdk.databases import Engine, Fault

FIXTURES = Path(__file__).parents[3] / "fixtures" / "mysql"
WAITS = "EVENT_NAME COUNT_STAR SUM_TIMER_WAIT MIN_TIMER_WAIT AVG_TIMER_WAIT MAX_TIMER_WAIT"
TABLES = (
    "OBJECT_TYPE OBJECT_SCHEMA OBJECT_NAME COUNT_STAR SUM_TIMER_WAIT COUNT_READ SUM_TIMER_READ COUNT_WRITE SUM_TIMER_WRITE"
    " COUNT_FETCH SUM_TIMER_FETCH COUNT_INSERT COUNT_UPDATE COUNT_DELETE"
)
REPLICA = (
    "Slave_IO_State Master_Host Master_Port Master_Log_File Read_Master_Log_Pos Relay_Master_Log_File Slave_IO_Running"
    " Slave_SQL_Running Exec_Master_Log_Pos Relay_Log_Space Seconds_Behind_Master Last_IO_Errno"
)
NAMES = {"Slave_": "Replica_", "Master": "Source"}


def wait(name: str, count: int, total_ps: int, longest_ps: int) -> dict[str, str]:
    return dict(zip(WAITS.split(), (name, str(count), str(total_ps), "1", "2", str(longest_ps)), strict=True))


def test_waits(views):
    found = views(
        batch(
            WAITS,
            wait("wait/io/file/innodb/innodb_data_file", 10, 2_500_000_000_000, 10**12),
            wait("idle", 3, 9 * 10**12, 5 * 10**12),
            wait("wait/io/file/sql/binlog", 2, 5 * 10**11, 10**11),
            wait("wait/synch/mutex/sql/x", 4, 0, 0),
            wait("wait/io/file/sql/pid", 0, 0, 0),
            wait("wait/io/table/sql/handler", 9, 10**12, 10**11),
        )
    )
    assert found.rows("wait_event") == [
        {
            "event": "wait/io/file/innodb/innodb_data_file",
            "wait_class": "io/file",
            "waits": 10,
            "time_s": 2.5,
            "longest_s": 1,
        },
        {"event": "idle", "wait_class": "idle", "waits": 3, "time_s": 9, "longest_s": 5},
        {"event": "wait/io/file/sql/binlog", "wait_class": "io/file", "waits": 2, "time_s": 0.5, "longest_s": 0.1},
        {"event": "wait/synch/mutex/sql/x", "wait_class": "synch/mutex", "waits": 4},
    ], "left out: what nobody waited for, and what falls when a table is altered; counted without timing has no time"
    classes = {row["wait_class"]: row.get("time_s") for row in found.rows("wait_class")}
    assert classes == {"io/file": 3.0, "idle": 9.0, "synch/mutex": None}
    assert is_idle("idle", "idle") and not is_idle("wait/io/file/sql/binlog", "io/file")


def test_tables_and_files(views):
    cells = (
        "TABLE",
        "shop",
        "orders",
        "30",
        "3000000000000",
        "20",
        "2000000000000",
        "10",
        "1000000000000",
        "20",
        "5",
        "7",
        "2",
        "1",
    )
    row = dict(zip(TABLES.split(), cells, strict=True))
    idle = {**row, "OBJECT_NAME": "archive", "COUNT_STAR": "0"}
    found = views(batch(TABLES, row, idle))
    segments = {
        row["statistic"]: row["value"]
        for row in found.rows("segment")
        if (row["owner"], row["name"]) == ("shop", "orders")
    }
    assert segments == {
        "count_read": 20,
        "count_write": 10,
        "count_fetch": 20,
        "count_insert": 7,
        "count_update": 2,
        "count_delete": 1,
        "wait_s": 3,
        "read_wait_s": 2,
        "write_wait_s": 1,
    }
    assert len(found.rows("segment")) == 9
    files = views(
        "FILE_NAME\tEVENT_NAME\tCOUNT_READ\tSUM_TIMER_READ\tSUM_NUMBER_OF_BYTES_READ\tCOUNT_WRITE\tSUM_TIMER_WRITE\tSUM_NUMBER_OF_BYTES_WRITE\n"
        "/d/ibdata1\twait/io/file/innodb/innodb_data_file\t4\t2000000000000\t65536\t3\t1000000000000\t49152\n"
    ).rows("io")
    assert files == [
        {
            "kind": "file",
            "name": "innodb/innodb_data_file",
            "file": "/d/ibdata1",
            "reads": 4,
            "read_time_s": 2,
            "read_bytes": 65536,
            "writes": 3,
            "write_time_s": 1,
            "write_bytes": 49152,
        }
    ]
    (view,) = views(
        "file\tcount_read\ttotal_read\tavg_read\tcount_write\ttotal_written\tavg_write\ttotal\twrite_pct\n"
        "@@datadir/ibdata1\t147\t4.27 MiB\t29.71 KiB\t3\t512 bytes\t170 bytes\t4.27 MiB\t0.01\n"
    ).rows("io")
    assert (view["reads"], view["read_bytes"], view["write_bytes"]) == (147, 4.27 * 1024**2, 512)


def replica(**changed: str) -> str:
    row = dict(
        zip(
            REPLICA.split(),
            (
                "Waiting",
                "10.0.0.1",
                "3306",
                "bin.000007",
                "5000",
                "bin.000007",
                "Yes",
                "Yes",
                "4000",
                "9000",
                "12",
                "0",
            ),
            strict=True,
        )
    )
    return batch(REPLICA, {**row, **changed})


@pytest.mark.parametrize("words", ["old", "new"])
def test_how_far_a_replica_is_behind(views, words):
    text = replica()
    if words == "new":
        text = text.replace("Slave_", "Replica_").replace("Master", "Source")
    found = views(text)
    assert {row["name"]: (row["end"], row["unit"]) for row in found.rows("state")} == {
        "seconds_behind": (12, "s"),
        "relay_log_space": (9000, "By"),
        "bytes_not_applied": (1000, "By"),
    }
    facts = {row["name"]: row["value"] for row in found.rows("fact")}
    assert (facts["io_running"], facts["sql_running"], facts["source_host"]) == ("Yes", "Yes", "10.0.0.1")
    assert found.record.identity.role == "replica"


def test_a_lag_of_null_is_not_0(views):
    found = views(replica(Seconds_Behind_Master="NULL", Slave_SQL_Running="No", Master_Log_File="bin.000008"))
    names = [row["name"] for row in found.rows("state")]
    assert "seconds_behind" not in names and "bytes_not_applied" not in names, "other file: not known"
    assert {"scope": "replica_status", "name": "seconds_behind", "value": "not running"} in found.rows("fact")


def test_innodb_status(monitor):
    found = monitor((FIXTURES / "innodb-status.txt").read_bytes(), zone=ZoneInfo("Asia/Seoul"))
    assert found.record.end.time_ns == int(datetime(2026, 11, 21, 7, 12, 38, tzinfo=UTC).timestamp()) * 10**9
    assert found.record.identity.engine is Engine.MARIADB
    totals, states = found.values("activity", "name", "total"), found.values("state", "name", "end")
    assert (totals["pages_read"], totals["pages_created"], totals["os_fsyncs"]) == (170, 1072, 4189)
    assert (states["history_list_length"], states["database_pages"], states["free_buffers"]) == (153, 1242, 2814)
    assert states["checkpoint_age"] == 18009602 - 44420
    assert (states["pages_read_per_s"], states["buffer_pool_hit_pct"]) == (21.25, 99.9)
    assert {"scope": "innodb", "name": "averages_over_s", "value": "8"} in found.rows("fact")
    lines = (FIXTURES / "innodb-status.txt").read_text().splitlines()
    table = found.table("activity")
    place = table.text("name").index("pages_created")
    assert lines[table.lines[place] - 1].startswith("Pages read 170, created 1072")


def test_averages_over_no_time_are_left_out(monitor, views):
    text = (FIXTURES / "innodb-status.txt").read_text()
    none = monitor(text.replace("from the last 8 seconds", "from the last 0 seconds"))
    assert not [name for name in none.values("state", "name", "end") if name.endswith(("_per_s", "_pct"))]
    assert none.values("activity", "name", "total")["pages_read"] == 170
    unsaid = monitor(text.replace("Per second averages calculated from the last 8 seconds\n", ""))
    assert "pages_read_per_s" not in unsaid.values("state", "name", "end")
    tabbed = views((FIXTURES / "innodb-status-tab.txt").read_bytes())
    assert "pages_read_per_s" not in tabbed.values("state", "name", "end"), "0 seconds, in one cell"
    assert tabbed.values("state", "name", "end")["history_list_length"] == 11


def test_old_outputs_deadlocks_and_pools(monitor):
    text = (
        "=====\n100318 17:35:58 INNODB MONITOR OUTPUT\n=====\nPer second averages calculated from the last 9 seconds\n"
        "------------------------\nLATEST DETECTED DEADLOCK\n------------------------\n100317  9:05:01\n*** (1) TRANSACTION:\n"
        "update t set secret='x' where id=1\nPages read 999, created 999, written 999\n"
        "----------------------\nBUFFER POOL AND MEMORY\n----------------------\nBuffer pool size   512\n"
        "----------------------\nINDIVIDUAL BUFFER POOL INFO\n----------------------\n---BUFFER POOL 0\nBuffer pool size   256\nFree buffers 3\n"
        "--------------\nROW OPERATIONS\n--------------\n1 queries inside InnoDB, 2 queries in queue\n"
        "Number of rows inserted 53, updated 4, deleted 5, read 6\n0.50 inserts/s, 1.00 updates/s, 0.00 deletes/s, 2.00 reads/s\n"
        "----------------------------\nEND OF INNODB MONITOR OUTPUT\n============================\n"
    )
    found = monitor(text)
    assert found.record.end.time_ns == int(datetime(2010, 3, 18, 17, 35, 58, tzinfo=UTC).timestamp()) * 10**9
    facts = {row["name"]: row["value"] for row in found.rows("fact")}
    assert facts["latest_deadlock"] == "100317  9:05:01" and "secret" not in str(found.record)
    assert found.values("activity", "name", "total") == {
        "rows_inserted": 53,
        "rows_updated": 4,
        "rows_deleted": 5,
        "rows_read": 6,
    }
    states = found.values("state", "name", "end")
    assert (states["buffer_pool_size"], states["rows_updated_per_s"], states["queries_in_queue"]) == (512, 1.0, 2)
    assert "free_buffers" not in states, "of one pool alone"
    cut = monitor(text[: text.index("Number of rows")])
    assert cut.record.faults == (Fault.TRUNCATED,) and cut.ledger.warnings == ("snapshot_cut_off",)


def test_outputs_in_a_servers_log(monitor):
    output = (FIXTURES / "innodb-status.txt").read_text()
    output = output[output.index("====") :]
    found = monitor(f"2026-11-21 16:00:00 0 [Note] ready\n{output}\n2026-11-21 16:13:00 0 [Note] more\n{output}")
    assert len(found.records) == 2
    assert [(skipped.reason, skipped.count) for skipped in found.ledger.skipped] == [("message", 2)]


def test_a_capture_of_ours(views):
    text = (FIXTURES / "snapshot.txt").read_text()
    found = views(text)
    assert found.ledger.skipped == () and found.record.absent == ()
    assert set(found.record.tables) == {
        "statement",
        "statement_text",
        "load",
        "wait_event",
        "wait_class",
        "activity",
        "state",
        "io",
        "segment",
        "parameter",
        "fact",
    }
    listed = [row["text"].split()[:3] for row in found.rows("statement_text")]
    assert len(listed) == 7 and all(words[0] in ("CREATE", "GRANT", "INSERT", "SELECT") for words in listed)
    assert not any("tunebench" in row["text"] for row in found.rows("statement_text"))
    (own,) = [row["value"] for row in found.rows("fact") if row["name"] == "statements_of_tunebench"]
    assert own == "15", "twelve with our alias, and three that no alias can mark"
    utc = next(line for line in text.splitlines() if line.startswith("snapshot\t")).split("\t")[1]
    assert found.record.end.time_ns == int(datetime.fromisoformat(utc + "+00:00").timestamp() * 1e6) * 1000
    cut = views(text[: text.index("@section file_summary")])
    assert Fault.TRUNCATED in cut.record.faults and cut.ledger.warnings[0] == "snapshot_cut_off"


OURS = (
    "@section mysql\nscope\tutc_now\tversion\tversion_comment\tperformance_schema\tdigests\n"
    "snapshot\t2026-11-21 07:00:00.000000\t10.11.19-MariaDB\tDebian 12\t%s\n@section global_status\n"
) + status(Uptime=5, Questions=3)


@pytest.mark.parametrize(("kept", "warning"), [("0\t1", "performance_schema_off"), ("1\t0", "digests_hidden")])
def test_a_server_that_keeps_no_statements_or_shows_none(views, kept, warning):
    found = views(OURS % kept + "@end\n", zone=ZoneInfo("Asia/Seoul"))
    assert found.ledger.warnings == (warning,)
    assert "statement" in found.record.absent and found.values("load", "name", "total") == {"questions": 3}
    assert found.record.end.time_ns == int(datetime(2026, 11, 21, 7, tzinfo=UTC).timestamp()) * 10**9, (
        "UTC, whatever the zone"
    )


def test_a_real_replica_that_runs_and_one_whose_sql_thread_was_stopped(views):
    running, stopped = (views((FIXTURES / f"slave-status-{name}.txt").read_bytes()) for name in ("running", "stopped"))
    states = running.values("state", "name", "end")
    assert (states["seconds_behind"], states["bytes_not_applied"]) == (0, 0)
    assert running.record.identity.role == "replica" and running.record.identity.engine is Engine.MARIADB
    text = (FIXTURES / "slave-status-stopped.txt").read_text()
    places = {
        name: int(text.partition(f"{name}: ")[2].split()[0]) for name in ("Read_Master_Log_Pos", "Exec_Master_Log_Pos")
    }
    states = stopped.values("state", "name", "end")
    assert "seconds_behind" not in states, "NULL: it does not run"
    assert states["bytes_not_applied"] == places["Read_Master_Log_Pos"] - places["Exec_Master_Log_Pos"] > 0
    facts = {row["name"]: row["value"] for row in stopped.rows("fact")}
    assert (facts["io_running"], facts["sql_running"], facts["seconds_behind"]) == ("Yes", "No", "not running")
    assert running.batches and not [
        key for batch in stopped.batches for key in batch.series if key.table == "replication"
    ]


def test_innodb_status_among_other_tables(views):
    text = (FIXTURES / "innodb-status.txt").read_text()
    found = views(status(Uptime=5, Questions=3) + text)
    assert found.values("state", "name", "end")["history_list_length"] == 153
    assert found.values("activity", "name", "total")["Questions"] == 3
    assert found.record.end.time_ns == int(datetime(2026, 11, 21, 16, 12, 38, tzinfo=UTC).timestamp()) * 10**9
