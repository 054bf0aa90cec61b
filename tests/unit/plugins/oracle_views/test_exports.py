"""Exports of views that customers send, and pulls of the repository and of Statspack."""

from __future__ import annotations

from zoneinfo import ZoneInfo

import pytest

from tests.made.oracle_server import BEFORE, DBID, install
from tests.unit.plugins.conftest import load_parser
from tests.unit.plugins.oracle_views.conftest import rows_of
from tunebench.analysis.databases.subtraction import period_between
from tunebench.sdk.databases import Fault, Reach

SEOUL_1000 = 1_795_222_800_000_000_000  # 2026-11-21 10:00:00 +09:00


def hour(number: int) -> int:
    return SEOUL_1000 + number * 3_600_000_000_000


# -- V$ exports ----------------------------------------------------------------------------------------


def test_sqlstats_as_a_spreadsheet_prints_it(read):
    text = (
        '"SQL_ID";"SQL_TEXT";"PLAN_HASH_VALUE";"EXECUTIONS";"ELAPSED_TIME";"CPU_TIME";"BUFFER_GETS";"DISK_READS"\n'
        '"4ztz048yfq32s";"select 1; from dual";"111";"7";"1500000,5";"900000";"70";"1"\n'
    )
    seen = read(text)
    (row,) = rows_of(seen.record, "statement")
    assert (row["executions"], row["elapsed_s"]) == (7, pytest.approx(1.5000005))
    assert "plan" not in row  # one row for all plans: the last one does not tell rows apart
    assert seen.ledger.needs == ("start",)


def test_child_cursors_of_one_plan_are_one_row(read):
    text = "SQL_ID,CHILD_NUMBER,PLAN_HASH_VALUE,EXECUTIONS,BUFFER_GETS,ELAPSED_TIME\na,0,1,2,10,1000000\na,1,1,3,20,2000000\na,2,9,1,5,4000000\n"
    rows = {
        row["plan"]: (row["executions"], row["block_gets"], row["elapsed_s"])
        for row in rows_of(read(text).record, "statement")
    }
    assert rows == {"1": (5, 30, 3.0), "9": (1, 5, 4.0)}


def test_events_of_10g_do_not_part_fore_and_background(read):
    text = (
        "EVENT,TOTAL_WAITS,TOTAL_TIMEOUTS,TIME_WAITED,AVERAGE_WAIT,TIME_WAITED_MICRO,EVENT_ID,WAIT_CLASS\n"
        "latch: cache buffers chains,12,1,150,12,1500000,1,Concurrency\n"
    )
    (row,) = rows_of(read(text).record, "wait_event")
    assert row == {
        "event": "latch: cache buffers chains",
        "wait_class": "Concurrency",
        "waits": 12,
        "timeouts": 1,
        "time_s": 1.5,
    } | ({"ground": ""} if "ground" in row else {})


def test_a_spool_with_columns_set_apart_by_bars_and_repeated_headings(read):
    text = """
SQL> select name, value, class from v$sysstat;

NAME                                    |               VALUE|CLASS
----------------------------------------|--------------------|-----
session logical reads                   |                 900|    1
user commits                            |                   7|    1

NAME                                    |               VALUE|CLASS
----------------------------------------|--------------------|-----
redo size                               |             1.2E+10|    2

3 rows selected.

Elapsed: 00:00:00.02
"""
    seen = read(text)
    assert {row["name"]: row["total"] for record in seen.records for row in rows_of(record, "activity")} == {
        "session logical reads": 900,
        "user commits": 7,
        "redo size": 1.2e10,
    }
    assert seen.ledger.skipped == () and len(seen.records) == 1


def test_files_get_their_names_from_another_export(read):
    text = (
        "FILE#,PHYRDS,PHYWRTS,PHYBLKRD,PHYBLKWRT,READTIM,WRITETIM\n1,10,4,80,4,25,7\n"
        "FILE#,TS#,NAME,BLOCK_SIZE\n1,0,/u01/system01.dbf,16384\n"
    )
    (row,) = rows_of(read(text).record, "io")
    assert (row["file"], row["read_bytes"], row["read_time_s"]) == ("/u01/system01.dbf", 80 * 16384, 0.25)


@pytest.mark.parametrize(
    ("heading", "expected"),
    [
        (b"NAME,VALUE,CLASS\nredo size,1,2\n", 0.96),
        (b"STAT_NAME,VALUE\nDB time,7\n", 0.9),
        (b"name,value\nfoo,7\n", 0.0),
        (b"sid,event,total_waits,time_waited\n1,x,2,3\n", 0.0),
        (b"SQL> SQL> @section oracle\n", 0.99),
    ],
)
def test_sniffing(heading, expected):
    assert load_parser("oracle_views", "parser:OracleViewsParser").sniff(heading, "x.csv") == expected


# -- DBA_HIST ------------------------------------------------------------------------------------------

SNAPSHOTS = [
    f"100,1,{DBID},2026-11-01 09:00:00.000000,2026-11-21 09:00:00.000000,2026-11-21 10:00:00.000000",
    f"101,1,{DBID},2026-11-01 09:00:00.000000,2026-11-21 10:00:00.000000,2026-11-21 11:00:00.000000",
    f"102,1,{DBID},2026-11-01 09:00:00.000000,2026-11-21 11:00:00.000000,2026-11-21 12:00:00.000000",
]
TEXT = "select a,\n b from t where c = '" + "x" * 600 + "'"


def statement(
    snapshot: int, sql_id: str, plan: int, executions: int, elapsed_us: int, gets: int, con_id: int = 1
) -> str:
    return f'{snapshot},1,{sql_id},{plan},9,"APP","MOD",{executions},{elapsed_us},{elapsed_us // 2},0,0,0,0,{gets},3,0,{executions},4,0,0,0,1,5000,{con_id}'


@pytest.fixture
def history(captured, tmp_path) -> bytes:
    rows = BEFORE.rows() | {
        "dba_hist_snapshot": SNAPSHOTS,
        "dba_hist_wr_control": ["2,+00008 00:00:00.000000"],
        "dba_hist_sysstat": [f'{100 + n},1,"user commits",{1000 * (n + 1) ** 2}' for n in range(3)],
        "dba_hist_sys_time_model": [f'{100 + n},1,"DB time",{n * 90_000_000}' for n in range(3)],
        "dba_hist_osstat": [f'{100 + n},1,"NUM_CPUS",16' for n in range(3)],
        "dba_hist_system_event": [f'{100 + n},1,"log file sync",Commit,{n * 5},0,{n * 2_000_000}' for n in range(3)],
        "dba_hist_parameter": ['100,1,"cpu_count","16"', '101,1,"cpu_count","16"', '102,1,"cpu_count","32"'],
        "dba_hist_sqlstat": [
            statement(101, "aaa", 1, 10, 40_000_000, 700),
            statement(101, "bbb", 2, 1, 30_000_000, 90),
            statement(101, "ccc", 3, 5, 1_000_000, 50),
            statement(102, "aaa", 1, 20, 60_000_000, 900),
        ],
        "dba_hist_sqltext": [f'aaa,0,"{TEXT[:500]}"', f'aaa,1,"{TEXT[500:]}"'],
    }
    return captured("oracle.sqlstat", install(tmp_path, [rows]))


def test_a_period_for_each_snapshot(read, history):
    first, second = read(history).records
    assert (first.source, first.reach, first.faults, first.elapsed_s) == ("dba_hist", Reach.PERIOD, (), 3600)
    assert (first.begin.snapshot, first.end.snapshot, second.end.snapshot) == (100, 101, 102)
    assert (first.begin.time_ns, first.end.time_ns) == (hour(0), hour(1))
    assert first.db_time_s == pytest.approx(90)
    assert [row["total"] for row in rows_of(second, "load") if row["name"] == "commits"] == [5000]
    (wait,) = rows_of(first, "wait_event")
    assert (wait["waits"], wait["time_s"]) == (5, pytest.approx(2.0))
    rows = {row["statement_id"]: row for row in rows_of(first, "statement")}
    assert rows.keys() == {"aaa", "bbb", "ccc"}
    assert (rows["aaa"]["elapsed_s"], rows["aaa"]["executions"], rows["aaa"]["plan"]) == (pytest.approx(40), 10, "1")
    assert [(row["statement_id"], row["text"]) for row in rows_of(first, "statement_text")] == [("aaa", TEXT)]
    assert (first.identity.instance, first.identity.db_id) == ("orcl1", str(DBID))
    assert [row["end"] for row in rows_of(second, "parameter")] == ["32"]


def test_statements_of_pluggable_databases_stay_apart(read, captured, tmp_path):
    """Our own pull names them by CON_ID, others by CON_DBID; the root has the DBID of the database."""
    rows = BEFORE.rows() | {
        "dba_hist_snapshot": SNAPSHOTS[:2],
        "dba_hist_wr_control": ["2,+00008 00:00:00.000000"],
        "dba_hist_sqlstat": [
            statement(101, "aaa", 1, 10, 40_000_000, 7, 3),
            statement(101, "aaa", 1, 4, 30_000_000, 9, 4),
            statement(101, "aaa", 1, 1, 10_000_000, 9),
            statement(101, "bbb", 2, 1, 20_000_000, 9, 4),
        ],
        "v$containers": ["1,CDB$ROOT", "3,PDB1", "4,PDB2"],
    }
    record = read(captured("oracle.sqlstat", install(tmp_path, [rows]))).record
    found = {(row["statement_id"], row.get("container", "")): row["executions"] for row in rows_of(record, "statement")}
    assert found == {("aaa", "PDB1"): 10, ("aaa", "PDB2"): 4, ("aaa", ""): 1, ("bbb", "PDB2"): 1}
    (elapsed,) = [row for row in rows_of(record, "statement_list") if row["figure"] == "elapsed_s"]
    assert (elapsed["rows"], elapsed["least"]) == (4, pytest.approx(30))  # of the statements, not of their ids
    text = (
        "SNAP_ID,INSTANCE_NUMBER,DBID,STARTUP_TIME,BEGIN_INTERVAL_TIME,END_INTERVAL_TIME\n"
        + "\n".join(SNAPSHOTS[:2])
        + "\nSNAP_ID,SQL_ID,EXECUTIONS_DELTA,ELAPSED_TIME_DELTA,BUFFER_GETS_DELTA,CON_DBID\n"
        f"101,aaa,1,1000000,5,{DBID}\n101,aaa,2,1000000,5,77123\n"
    )
    by_dbid = {row.get("container", ""): row["executions"] for row in rows_of(read(text).record, "statement")}
    assert by_dbid == {"": 1, "77123": 2}


def test_a_list_of_top_statements_says_where_it_ends(read, history):
    """The two with the most by each figure are kept (TOPNSQL 2): nothing unlisted took more than the second."""
    lists = {row["figure"]: row for row in rows_of(read(history).records[0], "statement_list")}
    assert lists["elapsed_s"]["least"] == pytest.approx(30)
    assert lists["elapsed_s"]["rows"] == 3
    assert "block_gets" not in lists  # gets choose no statement


def test_a_restart_between_snapshots_is_a_fault(read, history):
    told = history.replace(SNAPSHOTS[2].encode(), SNAPSHOTS[2].replace("2026-11-01 09:00", "2026-11-21 11:30").encode())
    assert told != history
    first, second = read(told).records
    assert first.valid and Fault.RESTART in second.faults


def test_a_pull_that_is_added_up_already_is_one_period(read):
    snapshots = "SNAP_ID,INSTANCE_NUMBER,DBID,STARTUP_TIME,BEGIN_INTERVAL_TIME,END_INTERVAL_TIME\n" + "\n".join(
        SNAPSHOTS
    )
    text = (
        snapshots
        + "\nSQL_ID,PLAN_HASH_VALUE,EX,ELA_US,CPU_US,IO_US,GETS,READS,ROWS_P,PC\nabc,5,30,7500000,1000000,0,600,7,30,2\n"
    )
    record = read(text).record
    assert (record.reach, record.elapsed_s) == (Reach.PERIOD, 7200)
    assert (record.begin.snapshot, record.end.snapshot) == (100, 102)
    (row,) = rows_of(record, "statement")
    assert (row["elapsed_s"], row["block_gets"], row["plan"]) == (7.5, 600, "5")


@pytest.mark.parametrize(
    "moment",
    ["21-NOV-26 10.00.00.123 AM", "26/11/21 10:00:00.123", "21-11월-26 10.00.00.123 오전", "2026-11-21 10:00:00"],
)
def test_moments_in_the_forms_of_a_session(read, moment):
    text = (
        "SNAP_ID,INSTANCE_NUMBER,DBID,STARTUP_TIME,BEGIN_INTERVAL_TIME,END_INTERVAL_TIME\n"
        f"7,1,{DBID},2026-11-01 09:00:00,2026-11-21 09:00:00,{moment}\n"
        "SNAP_ID,SQL_ID,EXECUTIONS_DELTA,ELAPSED_TIME_DELTA,BUFFER_GETS_DELTA\n7,abc,1,1000000,5\n"
    )
    record = read(text, zone=ZoneInfo("Asia/Seoul")).record
    assert record.end.time_ns // 1_000_000_000 == SEOUL_1000 // 1_000_000_000


# -- Statspack -----------------------------------------------------------------------------------------


def test_two_snapshots_of_statspack(read, captured, tmp_path):
    cells = ",".join(["0"] * 4)
    rows = BEFORE.rows() | {
        "stats$snapshot": [
            f"11,1,{DBID},2026-11-21 10:00:00,2026-11-01 09:00:00,100,1000,1000,10000,1048576,20",
            f"12,1,{DBID},2026-11-21 11:00:00,2026-11-01 09:00:00,100,1000,1000,10000,1048576,20",
        ],
        "stats$sql_summary": [
            f'11,3127498374,abc,7,"MOD",100,5000000,4000000,{cells},20000,50,0,100,9,0,1,0,1,9000,"select x"',
            f'12,3127498374,abc,7,"MOD",150,9000000,6000000,{cells},26000,60,0,150,9,0,1,0,1,9000,"select x"',
        ],
        "stats$sqltext": ['3127498374,1,"m t"', '3127498374,0,"select x fro"'],
    }
    first, second = read(captured("oracle.statspack_sql", install(tmp_path, [rows]), begin="11", end="12")).records
    assert (first.source, first.reach, first.end.snapshot) == ("statspack", Reach.COUNTERS, 11)
    period = period_between(first, second)
    (row,) = rows_of(period, "statement")
    assert (row["statement_id"], row["executions"], row["elapsed_s"], row["block_gets"]) == ("abc", 50, 4.0, 6000)
    assert period.elapsed_s == 3600
    assert [(text["text"], text["complete"]) for text in rows_of(period, "statement_text")] == [("select x from t", 1)]
    assert {row["figure"]: row["least"] for row in rows_of(period, "statement_list")}["block_gets"] == 10_000
