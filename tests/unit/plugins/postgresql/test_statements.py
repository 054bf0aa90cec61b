"""pg_stat_statements of every version and form; expected figures are sums of what the text says."""

from __future__ import annotations

import csv as csv_module
import math
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.unit.plugins.postgresql.headings import DATABASE, ROW, STATEMENTS, csv
from tunebench.sdk.databases import Reach

FIXTURES = Path(__file__).parents[3] / "fixtures"
TIMED = "name,setting\ntrack_io_timing,on\npg_stat_statements.track_planning,on\n"
UNTIMED = "name,setting\ntrack_io_timing,off\npg_stat_statements.track_planning,off\n"
IO_WAIT_S = {13: 0.015, 14: 0.015, 15: 0.0151875, 16: 0.0151875, 17: 0.0159375, 18: 0.0159375}


@pytest.mark.parametrize("version", STATEMENTS)
def test_every_version(views, version):
    found = views(csv(STATEMENTS[version], ROW) + TIMED)
    (row,) = found.rows("statement")
    assert (row["statement_id"], row["container"], row["user"]) == ("-2933268663985932080", "16384", "10")
    assert "module" not in row and "plan" not in row
    assert row["executions"] == 7 and row["elapsed_s"] == 1.5005 and row["rows"] == 21
    assert (row["elapsed_min_s"], row["elapsed_max_s"]) == (0.01, 0.90025)
    assert row["elapsed_squares"] == pytest.approx(1.5005**2 / 7 + 7 * 0.25**2, rel=1e-12)
    assert row["block_gets"] == 100 + 30 + 3 + 2
    assert row["block_reads"] == 30 + 2
    assert row["block_writes"] == 4 + 6
    assert row["blocks_dirtied"] == 5 + 1
    assert row["temp_blocks"] == 8 + 9
    assert row["io_wait_s"] == pytest.approx(IO_WAIT_S.get(version, 0.015), rel=1e-12)
    plans = (row.get("plans"), row.get("planning_s"), row.get("wal_bytes"))
    assert plans == ((6, 0.07, 4096) if version >= 13 else (None, None, None))
    since = datetime(2026, 11, 20, tzinfo=UTC).timestamp() * 1e9
    assert row.get("first_seen_ns") == (since if version >= 17 else None)
    assert "cpu_s" not in row, "PostgreSQL does not tell it"
    assert found.record.reach is Reach.COUNTERS and found.record.begin is None
    assert found.rows("statement_text") == [
        {"statement_id": "-2933268663985932080", "text": "select $1 from t", "complete": 1.0}
    ]


def test_times_that_were_not_measured_are_not_0(views):
    zeros = {name: "0" for name in ROW if "blk_" in name and name.endswith("_time")} | {
        "plans": "0",
        "total_plan_time": "0",
    }
    text = csv(STATEMENTS[17], {**ROW, **zeros})
    (row,) = views(text + UNTIMED).rows("statement")
    assert not {"io_wait_s", "plans", "planning_s"} & row.keys()
    (row,) = views(text).rows("statement")
    assert not {"io_wait_s", "plans", "planning_s"} & row.keys(), "all 0, and no settings that say it was measured"
    (row,) = views(text + TIMED).rows("statement")
    assert (row["io_wait_s"], row["plans"], row["planning_s"]) == (0, 0, 0), "measured, and nothing was waited for"
    (row,) = views(csv(STATEMENTS[17], ROW)).rows("statement")
    assert row["io_wait_s"] == pytest.approx(0.0159375), "not 0, so it was measured"


def test_users_databases_and_levels_are_rows_of_their_own(views):
    rows = [ROW, {**ROW, "userid": "11"}, {**ROW, "dbid": "5"}, {**ROW, "toplevel": "f"}]
    databases = csv(DATABASE[14], {"datid": "16384", "datname": "bench", "xact_commit": "1"})
    found = views(csv(STATEMENTS[14], *rows) + databases).rows("statement")
    assert [(row["container"], row["user"], row.get("module", "")) for row in found] == [
        ("bench", "10", ""),
        ("bench", "11", ""),
        ("5", "10", ""),
        ("bench", "10", "nested"),
    ]


def test_rows_of_one_statement_are_added_up_where_the_export_leaves_their_difference_out(views):
    text = (
        "queryid,query,calls,total_exec_time,min_exec_time,max_exec_time,rows,shared_blks_hit,shared_blks_read\n"
        "5,commit,3,1000,1,800,0,10,\n5,commit,4,500,2,900,0,20,7\n"
    )
    (row,) = views(text).rows("statement")
    assert (row["executions"], row["elapsed_s"], row["block_reads"]) == (7, 1.5, 7)
    assert (row["elapsed_min_s"], row["elapsed_max_s"]) == (0.001, 0.9)
    assert row["block_gets"] == 27, "one of the two rows reports no reads"


def test_names_in_the_rows_come_before_oids(views):
    (row,) = views("datname,rolname,userid,dbid,queryid,calls,rows\nbench,app,10,16384,1,2,3\n").rows("statement")
    assert (row["container"], row["user"]) == ("bench", "app")


def test_texts_that_may_not_be_seen(views):
    hidden = {**ROW, "queryid": "", "query": "<insufficient privilege>"}
    found = views(csv(STATEMENTS[15], ROW, hidden, {**hidden, "calls": "5"}, {**hidden, "userid": "99"}))
    ids = [(row["statement_id"], row["user"], row["executions"]) for row in found.rows("statement")]
    assert ids == [("-2933268663985932080", "10", 7), ("", "10", 12), ("", "99", 7)]
    assert len(found.table("statement_text")) == 1
    assert found.ledger.warnings == ("statements_hidden",)
    assert {"scope": "pg_stat_statements", "name": "statements_hidden", "value": "3"} in found.rows("fact")


def test_statements_of_our_own_are_left_out(views):
    own = {**ROW, "query": "copy /* tunebench */ (select 1) to stdout"}
    found = views(csv(STATEMENTS[15], own, ROW))
    assert [row["executions"] for row in found.rows("statement")] == [7]
    assert len(found.table("statement_text")) == 1
    assert found.ledger.lines.data == 2
    assert {"scope": "pg_stat_statements", "name": "statements_of_tunebench", "value": "1"} in found.rows("fact")


def test_without_an_id_the_text_is_one(views):
    """The export has the same UPDATE of two databases."""
    found = views((FIXTURES / "pgbench" / "pg_stat_statements.csv").read_bytes())
    rows, texts = found.rows("statement"), found.rows("statement_text")
    update = next(text["statement_id"] for text in texts if str(text["text"]).startswith("UPDATE pgbench_branches"))
    (row,) = [row for row in rows if row["statement_id"] == update]
    assert (row["executions"], row["block_gets"]) == (7331 + 580, 36386 + 2062)
    assert row["elapsed_s"] == pytest.approx((9210.496899 + 221.897892) / 1000)
    assert len({row["statement_id"] for row in rows}) == len(rows)
    assert all(str(row["statement_id"]).startswith("fp:") for row in rows)


@pytest.mark.parametrize("side", ["before", "after"])
def test_statements_of_recorded_runs(views, side):
    path = FIXTURES / "pgbench" / side / "pg_stat_statements.csv"
    found = views(path.read_bytes())
    with path.open(newline="") as stream:
        rows = list(csv_module.DictReader(stream))
    texts = {text["statement_id"]: text["text"] for text in found.rows("statement_text")}
    for statement, row in zip(found.rows("statement"), rows, strict=True):
        assert statement["statement_id"] == row["queryid"]
        assert texts[row["queryid"]] == row["query"]
        assert statement["executions"] == int(row["calls"])
        assert statement["elapsed_s"] == float(row["total_exec_time"]) / 1000
        assert statement["block_gets"] == int(row["shared_blks_hit"]) + int(row["shared_blks_read"])
        assert statement["block_reads"] == int(row["shared_blks_read"])
        assert statement["rows"] == int(row["rows"])
        assert statement["wal_bytes"] == int(row["wal_bytes"])
    assert (found.ledger.lines.header, found.ledger.lines.data) == (1, len(rows))
    lines = path.read_text().splitlines()
    assert all(
        lines[line - 1].startswith(identity)
        for line, identity in zip(
            found.table("statement").lines, found.table("statement").text("statement_id"), strict=True
        )
    )


@pytest.mark.parametrize("piece", [1, 5, 1000])
def test_queries_over_several_lines_and_odd_quotes(views, piece):
    text = (
        b"\xef\xbb\xbfuserid;dbid;queryid;query;calls;total_time;rows;shared_blks_hit;shared_blks_read\r\n"
        b'10;5;-77;"select ""a;b"",\r\n\r\n  c -- it\'s \xea\xb0\x80\r\nfrom t";3;1500,5;9;10;2\r\n'
        b"10;5;78;commit;1;;0;;\r\n"
        b"(2 rows)\r\n"
        b'10;5;79;"never ends;1;2;3'
    )
    found = views(text, piece)
    first, second = found.rows("statement")
    texts = {row["statement_id"]: row["text"] for row in found.rows("statement_text")}
    assert texts["-77"] == 'select "a;b",\n\n  c -- it\'s 가\nfrom t'
    assert (first["executions"], first["elapsed_s"], first["block_gets"]) == (3, 1.5005, 12)
    assert (second["executions"], second["rows"]) == (1, 0)
    assert "elapsed_s" not in second and "block_gets" not in second
    assert {entry.reason for entry in found.ledger.skipped} == {"not_a_table"}


def test_korean_in_the_code_page_of_korean_windows(views):
    text = "queryid,query,calls,rows\n1,select '가나다',2,3\n".encode("cp949")
    assert views(text).rows("statement_text")[0]["text"] == "select '가나다'"


FORMS = {
    "aligned": (
        "tests/fixtures/postgresql/statements-aligned.txt",
        "UPDATE pgbench_branches",
        1540,
        13.428111057,
        22670,
    ),
    "expanded": (
        "tests/fixtures/postgresql/statements-expanded.txt",
        "UPDATE pgbench_branches",
        1540,
        13.428111057,
        22670,
    ),
    "unaligned": (
        "tests/fixtures/postgresql/statements-unaligned.txt",
        "UPDATE pgbench_branches",
        1540,
        13.428111057,
        None,
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_what_psql_prints_in_its_forms(views, load, form):
    """The same statement of the same server, printed by psql in three ways."""
    name, begins, executions, elapsed_s, gets = FORMS[form]
    data = (FIXTURES.parents[1] / name).read_bytes()
    assert load("postgresql", "parser:PostgresqlViewsParser").sniff(data, "x.txt") > 0.9
    found = views(data)
    texts = {row["text"]: row["statement_id"] for row in found.rows("statement_text")}
    identity = next(texts[text] for text in texts if str(text).startswith(begins))
    row = next(row for row in found.rows("statement") if row["statement_id"] == identity)
    assert (row["executions"], row["elapsed_s"], row.get("block_gets")) == (executions, pytest.approx(elapsed_s), gets)
    assert found.ledger.skipped == ()


def test_other_texts_are_not_claimed(load):
    sniff = load("postgresql", "parser:PostgresqlViewsParser").sniff
    assert sniff(b"query,calls\n", "x.csv") == 0.0
    assert sniff(b"calls,rows,total_time\n", "x.csv") == 0.0
    assert sniff(b"name,value\na,1\n", "x.csv") == 0.0
    assert sniff(b"\0queryid,query,calls,rows\n", "x.csv") == 0.0
    assert sniff(b"", "x.csv") == 0.0


def test_many_statements(views):
    """Bounded work for each row: a list of this length is read in seconds."""
    names = STATEMENTS[15].split()
    cells = [ROW.get(name, "0") for name in names]
    place = names.index("queryid")
    text = (
        ",".join(names)
        + "\n"
        + "".join(",".join([*cells[:place], str(number), *cells[place + 1 :]]) + "\n" for number in range(20_000))
    )
    found = views(text)
    assert len(found.table("statement")) == 20_000
    assert math.fsum(found.table("statement").figure("executions")) == 140_000
