"""Load, input and output, tables, settings, identity; figures are those of the rows above them."""

from __future__ import annotations

import pytest

from tests.unit.plugins.postgresql.headings import (
    BGWRITER_16,
    BGWRITER_17,
    CHECKPOINTER_17,
    DATABASE,
    IO_16,
    IO_18,
    WAL_14,
    WAL_18,
    csv,
)

SERVER = (
    "now,scope,version,server_version,server_version_num,postmaster_start,in_recovery,database,session_user,address,port,"
    "cluster_name,system_identifier,statements,monitor\n"
    "2026-11-21 02:48:00.5+00,snapshot,PostgreSQL 16.4,16.4 (Debian 16.4-1),{number},2026-11-20 00:00:00+00,{recovery},"
    "bench,mon,,5433,{cluster},7710746411968227115,{statements},t\n"
)
TWO = [
    {"datid": "5", "datname": "postgres", "numbackends": "1", "xact_commit": "10", "xact_rollback": "1", "blks_read": "3",
     "blks_hit": "40", "tup_returned": "100", "tup_fetched": "7", "tup_inserted": "2", "tup_updated": "3", "tup_deleted": "4",
     "temp_files": "1", "temp_bytes": "8192", "deadlocks": "0", "blk_read_time": "1.5", "blk_write_time": "0.5",
     "active_time": "2500", "session_time": "9000", "sessions": "6"},
    {"datid": "16384", "datname": "bench", "numbackends": "8", "xact_commit": "90", "xact_rollback": "9", "blks_read": "30",
     "blks_hit": "400", "tup_returned": "1000", "tup_fetched": "70", "tup_inserted": "20", "tup_updated": "30",
     "tup_deleted": "40", "temp_files": "2", "temp_bytes": "16384", "deadlocks": "1", "blk_read_time": "20",
     "blk_write_time": "10", "active_time": "7500", "session_time": "90000", "sessions": "60",
     "stats_reset": "2026-11-19 00:00:00+00"},
]  # fmt: skip


def server(number: str = "160004", recovery: str = "f", cluster: str = "16/main", statements: str = "t") -> str:
    row = SERVER.format(number=number, recovery=recovery, cluster=cluster, statements=statements)
    return f"@section postgresql\n{row}"


@pytest.mark.parametrize("version", DATABASE)
def test_the_load_is_the_sum_of_all_databases(views, version):
    found = views(csv(DATABASE[version], *TWO))
    expected: dict[str, float] = {
        "transactions": 110, "commits": 100, "rollbacks": 10, "logical_reads": 473, "physical_reads": 33, "rows_read": 1100,
        "rows_changed": 99, "temp_files": 3, "temp_bytes": 24576, "deadlocks": 1,
    }  # fmt: skip
    if version >= 14:
        expected |= {"db_time": 10.0, "logons": 66}
    assert found.values("load", "name", "total") == expected
    assert found.values("time_model", "name", "time_s") == ({"db_time": 10.0} if version >= 14 else {})
    assert found.values("wait_class", "wait_class", "time_s") == {"IO": 0.032}
    natives = {row["name"]: (row["native"], row["unit"]) for row in found.rows("load")}
    assert natives["logical_reads"] == ("blks_hit + blks_read", "{block}")
    bench = {
        row["name"]: (row["total"], row["unit"])
        for row in found.rows("activity")
        if row["scope"] == "pg_stat_database bench"
    }
    assert (
        bench["xact_commit"] == (90, "1")
        and bench["blk_read_time"] == (20, "ms")
        and bench["temp_bytes"] == (16384, "By")
    )
    assert "numbackends" not in bench and "datid" not in bench


def test_input_and_output_that_was_not_timed_has_no_wait(views):
    untimed = "name,setting\ntrack_io_timing,off\n"
    silent = [{**row, "blk_read_time": "0", "blk_write_time": "0"} for row in TWO]
    assert views(csv(DATABASE[14], *silent) + untimed).rows("wait_class") == []
    assert views(csv(DATABASE[14], *silent)).rows("wait_class") == []
    timed = untimed.replace("off", "on")
    assert views(csv(DATABASE[14], *silent) + timed).values("wait_class", "wait_class", "time_s") == {"IO": 0}
    names = {row["name"] for row in views(csv(DATABASE[14], *silent) + untimed).rows("activity")}
    assert "blk_read_time" not in names and "active_time" in names


def test_buffers_that_were_written(views):
    writers = {"checkpoints_timed": "4", "buffers_checkpoint": "100", "buffers_clean": "20", "buffers_backend": "3"}
    assert views(csv(BGWRITER_16, writers)).values("load", "name", "total") == {"physical_writes": 123}
    later = csv(BGWRITER_17, {"buffers_clean": "20"}) + csv(
        CHECKPOINTER_17, {"num_timed": "4", "buffers_written": "100"}
    )
    found = views(later)
    assert found.rows("load") == [], "17 tells what backends wrote in pg_stat_io alone"
    activity = {(row["scope"], row["name"]): row["total"] for row in found.rows("activity")}
    assert activity == {
        ("pg_stat_bgwriter", "buffers_clean"): 20,
        ("pg_stat_checkpointer", "num_timed"): 4,
        ("pg_stat_checkpointer", "buffers_written"): 100,
    }


@pytest.mark.parametrize("columns", [WAL_14, WAL_18])
def test_the_write_ahead_log(views, columns):
    found = views(
        csv(columns, {"wal_records": "5", "wal_bytes": "123456789012345", "stats_reset": "2026-11-01 00:00:00+00"})
    )
    assert found.values("load", "name", "total") == {"wal_bytes": 123456789012345}
    assert {"scope": "pg_stat_wal", "name": "stats_reset", "value": "2026-11-01 00:00:00+00"} in found.rows("fact")


def test_io_counts_operations_of_a_block_before_18(views):
    row = {
        "backend_type": "client backend",
        "object": "relation",
        "context": "normal",
        "reads": "10",
        "read_time": "5",
        "writes": "4",
        "op_bytes": "8192",
        "hits": "90",
        "extends": "2",
    }
    found = views(csv(IO_16, row))
    (io,) = found.rows("io")
    assert io == {
        "kind": "backend",
        "name": "client backend",
        "file": "relation normal",
        "reads": 10,
        "read_bytes": 81920,
        "read_blocks": 10,
        "read_time_s": 0.005,
        "writes": 4,
        "write_bytes": 32768,
        "write_blocks": 4,
        "gets": 100,
    }
    assert found.values("load", "name", "total") == {"physical_writes": 4}
    assert found.rows("activity") == [
        {"scope": "pg_stat_io", "name": "client backend relation normal extends", "unit": "1", "total": 2}
    ]


def test_io_counts_bytes_since_18(views):
    row = {
        "backend_type": "client backend",
        "object": "relation",
        "context": "normal",
        "reads": "10",
        "read_bytes": "163840",
        "writes": "4",
        "write_bytes": "32768",
        "hits": "90",
    }
    wal = {
        "backend_type": "walwriter",
        "object": "wal",
        "context": "normal",
        "writes": "7",
        "write_bytes": "57344",
        "write_time": "3",
    }
    settings = "name,setting\ntrack_io_timing,off\ntrack_wal_io_timing,on\n"
    found = views(csv(IO_18, {**row, "read_time": "0"}, wal) + settings)
    relation, log = found.rows("io")
    assert (relation["reads"], relation["read_bytes"], relation["read_blocks"], relation["gets"]) == (
        10,
        163840,
        20,
        110,
    )
    assert "read_time_s" not in relation and log["write_time_s"] == 0.003
    assert found.values("load", "name", "total") == {"physical_writes": 4}, "of data files: the log is not one"


TABLES = (
    "relid,schemaname,relname,seq_scan,seq_tup_read,idx_scan,idx_tup_fetch,n_tup_ins,n_tup_upd,n_live_tup,n_dead_tup\n"
    "1,public,orders,5,500,,,10,3,200,7\n2,public,never,0,0,0,0,0,0,0,0\n"
)
INDEXES = "relid,indexrelid,schemaname,relname,indexrelname,idx_scan,idx_tup_read,idx_tup_fetch\n1,2,public,orders,o_pk,9,8,7\n"
TABLE_BLOCKS = (
    "relid,schemaname,relname,heap_blks_read,heap_blks_hit,idx_blks_read,idx_blks_hit,toast_blks_read,toast_blks_hit,"
    "tidx_blks_read,tidx_blks_hit\n1,public,orders,10,90,2,8,1,2,3,4\n2,public,empty,0,0,,,,,,\n"
)
INDEX_BLOCKS = (
    "relid,indexrelid,schemaname,relname,indexrelname,idx_blks_read,idx_blks_hit\n1,2,public,orders,o_pk,2,8\n"
)


def test_tables_and_indexes(views):
    found = views(TABLES + INDEXES + TABLE_BLOCKS + INDEX_BLOCKS)
    segments = {(row["kind"], row["name"], row["statistic"]): row["value"] for row in found.rows("segment")}
    assert segments == {
        ("TABLE", "orders", "seq_scan"): 5,
        ("TABLE", "orders", "seq_tup_read"): 500,
        ("TABLE", "orders", "n_tup_ins"): 10,
        ("TABLE", "orders", "n_tup_upd"): 3,
        ("INDEX", "o_pk", "idx_scan"): 9,
        ("INDEX", "o_pk", "idx_tup_read"): 8,
        ("INDEX", "o_pk", "idx_tup_fetch"): 7,
    }, "a table without indexes has no index scans, which is not 0"
    io = {(row["kind"], row["name"], row["file"]): (row["read_blocks"], row["gets"]) for row in found.rows("io")}
    assert io == {
        ("table", "public.orders", "heap"): (10, 100),
        ("table", "public.orders", "index"): (2, 10),
        ("table", "public.orders", "toast"): (4, 10),
        ("index", "public.o_pk", "orders"): (2, 10),
    }
    states = {(row["scope"], row["name"]): row["end"] for row in found.rows("state")}
    assert states == {("public.orders", "n_live_tup"): 200, ("public.orders", "n_dead_tup"): 7}


def test_settings_and_their_secrets(views):
    text = (
        "name,setting,unit,source\nwork_mem,4096,kB,default\nprimary_conninfo,host=a password=hush user=b,,configuration file\n"
        "statement_timeout,30000,ms,session\nsearch_path,,,default\n"
    )
    found = views(text)
    parameters = {row["name"]: (row["begin"], row["unit"]) for row in found.rows("parameter")}
    assert parameters == {
        "work_mem": ("4096", "kB"),
        "primary_conninfo": ("host=a password=*** user=b", ""),
        "search_path": ("", ""),
    }
    assert "hush" not in repr(found.record)


def test_whose_counters_they_are(views):
    info = "@section pg_stat_statements_info\ndealloc,stats_reset\n12,2026-11-20 01:00:00+00\n"
    text = "@tunebench at 2026-11-21T02:48:00.000Z\n" + server() + info + "@end\n"
    record = views(text).record
    identity = record.identity
    assert (identity.engine, identity.name, identity.db_id) == ("postgresql", "16/main", "7710746411968227115")
    assert (identity.version, identity.role, identity.instance, identity.host) == ("16.4", "primary", "", "")
    assert record.end.time_ns == 1795229280 * 10**9, "the capture's stamp, not the server's clock"
    assert record.end.started_ns == 1795132800 * 10**9
    assert record.end.reset_ns == 1795136400 * 10**9 and record.end.evictions == 12
    assert record.absent == ("statement", "load", "parameter") and record.faults == ()
    assert views(text.replace("@end\n", "")).record.faults == ("truncated",)


def test_a_standby_is_not_its_primary(views):
    primary, standby = (views(server(recovery=word) + "@end\n").record.identity for word in "ft")
    assert (standby.role, primary.role) == ("standby", "primary") and standby.key != primary.key
    assert views(server(cluster="") + "@end\n").record.identity.name == "postgresql:5433"


def test_without_a_stamp_the_server_says_when(views):
    found = views(server() + "@end\n", modified_ns=5)
    assert found.record.end.time_ns == 1795229280 * 10**9 + 500_000_000
    assert (found.ledger.assumptions, found.ledger.needs) == ((), ())


def test_a_database_that_was_never_reset_says_so_since_15(views):
    def resets(number: str) -> dict[object, object]:
        found = views(server(number) + "@section pg_stat_database\n" + csv(DATABASE[14], *TWO) + "@end\n")
        return {row["scope"]: row["value"] for row in found.rows("fact") if row["name"] == "stats_reset"}

    bench = {"pg_stat_database bench": "2026-11-19 00:00:00+00"}
    assert resets("160004") == {"pg_stat_database postgres": "", **bench}
    assert resets("140001") == bench, "there it would be the time at which the statistics began"


def test_a_server_without_the_statement_list(views):
    found = views(server(statements="f") + "@end\n")
    assert found.ledger.warnings == ("statements_not_installed",)
    assert "statement" in found.record.absent
