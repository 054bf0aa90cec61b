"""The slow log of every server; expected figures are counted in the text by other means."""

from __future__ import annotations

import re
import sys
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from tunebench.sdk.databases import Engine, Fault, Reach, literal_free

FIXTURES = Path(__file__).parents[3] / "fixtures" / "mysql"
NOON = datetime(2026, 11, 21, 3, 0, tzinfo=UTC)  # 12:00 in Seoul
EPOCH = int(NOON.timestamp())
SEOUL = ZoneInfo("Asia/Seoul")
MARIADB = """\
# User@Host: root[root] @ localhost []
# Thread_id: 9  Schema: shop  QC_hit: No
# Query_time: 0.250000  Lock_time: 0.010000  Rows_sent: 2  Rows_examined: 20000
# Rows_affected: 0  Bytes_sent: 300
# Pages_accessed: 276  Pages_read: 5  Pages_updated: 0  Old_rows_read: 0
# Pages_read_time: 12.5000  Engine_time: 60.1000
# Full_scan: Yes  Full_join: No  Tmp_table: Yes  Tmp_table_on_disk: No
# Filesort: Yes  Filesort_on_disk: No  Merge_passes: 3  Priority_queue: No
# Tmp_tables: 2  Tmp_disk_tables: 1  Tmp_table_sizes: 8192
"""
PERCONA = """\
# Time: 261121 12:00:00
# User@Host: app[app] @  [10.0.0.5]  Id:    53
# Schema: shop  Last_errno: 1062  Killed: 0
# Query_time: 0.250000  Lock_time: 0.010000  Rows_sent: 2  Rows_examined: 20000  Rows_affected: 0
# Bytes_sent: 300  Tmp_tables: 2  Tmp_disk_tables: 1  Tmp_table_sizes: 8192
# InnoDB_trx_id: 1403
# QC_Hit: No  Full_scan: Yes  Full_join: No  Tmp_table: Yes  Tmp_table_on_disk: No
# Filesort: Yes  Filesort_on_disk: No  Merge_passes: 3
#   InnoDB_IO_r_ops: 5  InnoDB_IO_r_bytes: 81920  InnoDB_IO_r_wait: 0.012500
#   InnoDB_rec_lock_wait: 0.000000  InnoDB_queue_wait: 0.000000
#   InnoDB_pages_distinct: 18
"""
EXTRA = """\
# Time: 2026-11-21T03:00:00.250000Z
# User@Host: root[root] @ localhost []  Id:     8
# Query_time: 0.250000  Lock_time: 0.010000 Rows_sent: 2  Rows_examined: 20000 Thread_id: 8 Errno: 0 Killed: 0 \
Bytes_received: 0 Bytes_sent: 300 Read_first: 1 Read_last: 0 Read_key: 1 Read_next: 0 Read_prev: 0 Read_rnd: 0 \
Read_rnd_next: 20001 Sort_merge_passes: 3 Sort_range_count: 0 Sort_rows: 2 Sort_scan_count: 1 \
Created_tmp_disk_tables: 1 Created_tmp_tables: 2 Start: 2026-11-21T03:00:00.000000Z End: 2026-11-21T03:00:00.250000Z
"""
COMMON = {
    "elapsed_s": 0.25,
    "lock_wait_s": 0.01,
    "rows": 2,
    "rows_examined": 20000,
    "sort_merge_passes": 3,
    "temp_tables": 2,
    "temp_disk_tables": 1,
    "bytes_sent": 300,
}
PLAN = {"block_reads": 5, "io_wait_s": 0.0125, "full_scans": 1, "sorts": 1}


def event(
    second: float = 0, text: str = "SELECT * FROM orders WHERE id = 7", elapsed: str = "0.100000", schema: str = ""
) -> str:
    use = f"use {schema};\n" if schema else ""
    return (
        f"# User@Host: root[root] @ localhost []  Id:     8\n"
        f"# Query_time: {elapsed}  Lock_time: 0.000000 Rows_sent: 1  Rows_examined: 10\n"
        f"{use}SET timestamp={EPOCH + second:.0f};\n{text};\n"
    )


def statements(found) -> dict[str, dict[str, object]]:
    texts = {row["statement_id"]: row["text"] for row in found.rows("statement_text")}
    return {str(texts[row["statement_id"]]): row for row in found.rows("statement")}


@pytest.mark.parametrize(
    ("header", "more"),
    [(MARIADB, {**PLAN, "block_gets": 276}), (PERCONA, {**PLAN, "errors": 1}), (EXTRA, {"errors": 0})],
)
def test_every_form_of_header(slow, header, more):
    found = slow(f"{header}SET timestamp={EPOCH};\nSELECT * FROM orders WHERE k = 7;\n", zone=SEOUL)
    (row,) = found.rows("statement")
    expected = {**COMMON, **more, "executions": 1, "elapsed_min_s": 0.25, "elapsed_max_s": 0.25}
    assert {name: value for name, value in row.items() if isinstance(value, float)} == expected
    assert row["container"] == ("" if header is EXTRA else "shop")
    assert found.record.reach is Reach.PERIOD and found.record.begin.time_ns == EPOCH * 10**9
    assert found.record.elapsed_s == 0.25 and found.record.faults == ()
    assert found.ledger.skipped == () and found.ledger.needs == ()


def test_a_real_log_added_up_by_hand(slow):
    text = (FIXTURES / "slow.log").read_text()
    found = slow(text)
    blocks = re.split(r"(?m)^# User@Host", text)[1:]
    expected: dict[str, list[float]] = {}
    for block in blocks:
        query = [line for line in block.splitlines() if line and not line.startswith(("#", "use ", "SET ", "["))][1:]
        seconds, sent, examined, affected = (
            float(re.findall(rf"{name}: ([\d.]+)", block)[0])
            for name in ("Query_time", "Rows_sent", "Rows_examined", "Rows_affected")
        )
        sums = expected.setdefault(literal_free("\n".join(query), "mysql"), [0, 0, 0, 0])
        for place, value in enumerate((1, seconds, sent + affected, examined)):
            sums[place] += value
    names = ("executions", "elapsed_s", "rows", "rows_examined")
    assert {text: [row[name] for name in names] for text, row in statements(found).items()} == {
        text: pytest.approx(sums) for text, sums in expected.items()
    }
    assert (found.record.identity.engine, found.record.identity.version) == (Engine.MARIADB, "10.11.19")
    stamps = [int(stamp) for stamp in re.findall(r"timestamp=(\d+)", text)]
    assert found.record.begin.time_ns == stamps[0] * 10**9
    assert found.record.end.time_ns == stamps[-1] * 10**9 + 24_088_000
    assert (found.ledger.tool, found.ledger.restarts) == ("mariadb", 0)


def test_statements_that_differ_in_literals_are_one(slow):
    text = "".join(event(n, f"select c from t where id in ({n},  {n + 1}) and s = '{'x' * n}'") for n in range(1, 6))
    found = slow(text)
    (row,) = found.rows("statement")
    assert row["executions"] == 5 and row["elapsed_s"] == pytest.approx(0.5)
    assert re.fullmatch(r"fp:[0-9a-f]{16}", row["statement_id"])
    (words,) = found.rows("statement_text")
    assert "xx" not in words["text"] and words["complete"] == 1


def test_names_with_digits_are_not_literals(slow):
    names = ("t1", "t2", "`t2023`", "`t2024`", "a.x2")
    assert len(slow("".join(event(0, f"select 1 from {name}") for name in names)).rows("statement")) == len(names)


def test_extremes(slow):
    (row,) = slow("".join(event(0, elapsed=elapsed) for elapsed in ("0.5", "0.125", "2.0"))).rows("statement")
    assert (row["elapsed_min_s"], row["elapsed_max_s"], row["elapsed_s"]) == (0.125, 2.0, 2.625)


def test_statements_of_many_lines_comments_and_commands(slow):
    body = "select a\n\n  from t -- the table\n# Time flies\nwhere b = 'one\ntwo'"
    text = event(0, body) + event(1).replace("SELECT * FROM orders WHERE id = 7;", "# administrator command: Quit;")
    found = statements(slow(text))
    assert set(found) == {"select a from t where b=?", "administrator command: quit"}


def test_the_schema_lasts_until_the_next_use(slow):
    found = slow(event(0, "select 1", schema="one") + event(1, "select 1") + event(2, "select 1", schema="`two`"))
    assert [(row["container"], row["executions"]) for row in found.rows("statement")] == [("one", 2), ("two", 1)]


def test_korean_texts_in_either_code_page(slow):
    statement = "select 이름 from 회원 where 지역 = '서울'"
    utf, euc = (slow(event(0, statement).encode(encoding)) for encoding in ("utf-8", "cp949"))
    assert utf.rows("statement_text")[0]["text"] == "select 이름 from 회원 where 지역=?"
    assert [row["statement_id"] for row in utf.rows("statement")] == [
        row["statement_id"] for row in euc.rows("statement")
    ]


def test_each_hour_is_a_record(slow):
    seconds = (0, 1800, 3599, 3600, 3 * 3600 + 60)
    first, second, third = slow("".join(event(second) for second in seconds)).records
    assert [int(sum(record.table("statement").figure("executions"))) for record in (first, second, third)] == [3, 1, 1]
    hour = 3600 * 10**9
    spans = [
        ((record.begin.time_ns - EPOCH * 10**9) / hour, (record.end.time_ns - EPOCH * 10**9) / hour)
        for record in (first, second, third)
    ]
    assert spans[0] == (0, 1) and spans[1] == (1, 2)
    assert spans[2][0] == 3 and third.elapsed_s == pytest.approx(60.1)
    assert [record.first_line for record in (first, second, third)] == [1, 13, 17]


def test_times_that_wander_back_by_a_statement(slow):
    text = event(3600) + event(3590, elapsed="20.0") + event(3601)
    assert len(slow(text).records) == 1, "logged when it ended, stamped when it began"


def test_another_part_of_the_log(slow):
    first, second = slow(event(3 * 86_400) + event(0)).records
    assert second.begin.time_ns == EPOCH * 10**9 and first.begin.time_ns == (EPOCH + 3 * 86_400) * 10**9
    assert first.elapsed_s == second.elapsed_s == pytest.approx(0.1)


def test_stamps_of_time_lines_where_no_timestamp_is_set(slow):
    plain = re.sub(r"SET timestamp=\d+;\n", "", event())
    (record,) = slow("# Time: 261121 12:00:00\n" + plain, zone=SEOUL).records
    assert record.begin.time_ns == EPOCH * 10**9
    (record,) = slow("# Time: 261121  9:00:00\n" + plain, zone=SEOUL).records
    assert record.begin.time_ns == (EPOCH - 3 * 3600) * 10**9
    for stamp in ("2026-11-21T03:00:00.000000Z", "2026-11-21T12:00:00.000000+09:00"):
        assert slow(f"# Time: {stamp}\n{plain}", zone=ZoneInfo("UTC")).record.begin.time_ns == EPOCH * 10**9
    unknown = slow(plain)
    assert unknown.record.faults == (Fault.UNTIMED,) and unknown.record.elapsed_s is None
    assumed = slow("# Time: 261121 12:00:00\n" + plain, zone=SEOUL, zone_source="engagement")
    assert "zone" in assumed.ledger.needs


BANNER = (
    "/usr/sbin/mysqld, Version: 8.0.36 (MySQL Community Server - GPL). started with:\n"
    "Tcp port: 3306  Unix socket: /var/run/mysqld/mysqld.sock\nTime                 Id Command    Argument\n"
)


def test_a_restart_inside(slow):
    found = slow(BANNER + event(0) + BANNER + event(60))
    assert [record.elapsed_s for record in found.records] == [pytest.approx(0.1), pytest.approx(0.1)]
    assert (found.ledger.restarts, found.ledger.tool_version, found.ledger.lines.header) == (1, "8.0.36", 6)
    assert slow(BANNER + event(0)).ledger.restarts == 0, "a log begins with it"


@pytest.mark.parametrize("piece", [1, 13, 4096])
def test_the_cut_of_pieces_changes_nothing(slow, piece):
    text = BANNER + MARIADB + f"SET timestamp={EPOCH};\nselect 1;\n" + event(10) + event(4000)
    text += 2 * (event(9 * 86_400) + event(0))  # parts in any order, of which two end at one moment
    parts, whole = slow(text, piece), slow(text)
    assert parts.records == whole.records
    assert [batch.times_ns.tolist() for batch in parts.batches] == [batch.times_ns.tolist() for batch in whole.batches]


def test_what_was_cut_off(slow):
    whole = event(0) + event(1)
    tail = slow(whole + event(2)[:-20])
    assert int(tail.rows("statement")[0]["executions"]) == 2
    assert [(skipped.reason, skipped.count) for skipped in tail.ledger.skipped] == [("truncated", 4)]
    head = slow("orders WHERE id = 3;\n" + whole)
    assert [(skipped.reason, skipped.count) for skipped in head.ledger.skipped] == [("truncated", 1)]
    assert int(head.rows("statement")[0]["executions"]) == 2
    odd = slow(event(0).replace("Query_time: 0.1", "Query_time: x0.1") + event(1))
    assert [(skipped.reason, skipped.count) for skipped in odd.ledger.skipped] == [("unreadable_numbers", 4)]


def test_our_own_statements_are_left_out(slow):
    own = (
        "SELECT /* tunebench */ 1",
        "select '' as '@end' from (select 1) tunebench",
        "show global status where (select 1 as tunebench)",
    )
    found = slow(event(0) + "".join(event(0, text) for text in own) + event(0, "select tunebench from t"))
    assert sum(row["executions"] for row in found.rows("statement")) == 2
    assert {"scope": "slow_log", "name": "statements_of_tunebench", "value": "3"} in found.rows("fact")


def test_what_our_probe_follows(slow):
    text = "@slow_log version=10.11.19-MariaDB-log comment=Debian_12 host=db01 port=3306\n" + event(0)
    record = slow(text).record
    assert (record.identity.engine, record.identity.name, record.identity.version) == (
        Engine.MARIADB,
        "db01:3306",
        "10.11.19",
    )


def test_an_enormous_statement_is_cut_and_the_rest_is_counted(slow):
    rows = ",\n".join(f"({n},'{'v' * 90}')" for n in range(20_000))
    found = slow(event(0, f"insert into t values {rows}") + event(1))
    (text,) = [row for row in found.rows("statement_text") if str(row["text"]).startswith("insert")]
    assert text["complete"] == 0 and found.ledger.skipped == ()
    assert sum(row["executions"] for row in found.rows("statement")) == 2


@pytest.mark.parametrize("values", ["(%d,'값%d')", "( %d , '한글 이름 %d' )"])
def test_long_inserts_are_one_statement_wherever_their_text_ends(slow, values):
    texts = [
        f"insert into t (a, b) values {','.join(values % (first + n, n) for n in range(count))}"
        for first, count in ((1, 3000), (10_000, 4001), (7, 2500))
    ]
    found = slow("".join(event(0, text) for text in texts))
    (row,) = found.rows("statement")
    (text,) = found.rows("statement_text")
    assert row["executions"] == 3 and text["complete"] == 0
    assert text["text"] == "insert into t(a,b)values(?)"


def test_more_statements_than_are_kept_apart(slow, monkeypatch, load):
    load("mysql", "slow_log:SlowLogParser")
    sums = next(module for name, module in sys.modules.items() if name.endswith("mysql.slow_sums"))
    monkeypatch.setattr(sums, "MOST_STATEMENTS", 3)
    found = slow("".join(event(0, f"select a{n} from t") for n in range(10)))
    assert [row["executions"] for row in found.rows("statement")] == [1, 1, 1, 7]
    assert found.rows("statement")[-1]["statement_id"] == "" and Fault.EVICTED in found.record.faults


def test_hours_give_series(slow):
    found = slow("".join(event(second) for second in (0, 5, 3600, 3700, 3800, 7300)))
    rates = [float(value) for batch in found.batches for value in batch.values[:, 0]]
    assert rates == pytest.approx([2 / 3600, 3 / 3600, 1 / 100.1])
