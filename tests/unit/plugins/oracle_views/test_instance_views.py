"""Our own capture of V$ views through SQL*Plus, and what can go wrong with it."""

from __future__ import annotations

import pytest

from tests.made.oracle_server import AFTER, BEFORE, DBID, ORDERS, install
from tests.unit.plugins.oracle_views.conftest import rows_of
from tunebench.analysis.databases.subtraction import period_between
from tunebench.sdk.databases import Fault, Reach


@pytest.fixture
def two_rounds(captured, tmp_path) -> bytes:
    return captured("oracle.views", install(tmp_path, [BEFORE, AFTER]), rounds=2)


def by_id(record, name="statement"):
    return {row["statement_id"]: row for row in rows_of(record, name)}


def test_the_counters_of_a_moment(read, two_rounds):
    first, second = read(two_rounds).records
    assert (first.source, first.reach, first.faults) == ("oracle_views", Reach.COUNTERS, ())
    identity = first.identity
    assert (identity.name, identity.db_id, identity.instance, identity.version) == (
        "ORCL",
        str(DBID),
        "orcl1",
        "19.0.0.0.0",
    )
    assert (identity.edition, identity.host, identity.cpu_count, identity.clustered) == ("EE", "db01", 16, False)
    # 2026-11-01 09:00:00 by a clock nine hours ahead of UTC
    assert first.end.started_ns == 1_793_491_200_000_000_000
    orders = by_id(first)["4ztz048yfq32s"]
    assert orders["elapsed_s"] == pytest.approx(250.5, abs=1e-9)
    assert (orders["executions"], orders["block_gets"], orders["block_reads"], orders["rows"]) == (
        1000,
        5_000_000,
        20_000,
        1000,
    )
    assert (orders["user"], orders["module"], orders["plan"]) == ("APP", "JDBC", "111")
    assert orders["signature"] == "12345678901234567890"
    assert by_id(first, "statement_text")["4ztz048yfq32s"]["text"] == ORDERS
    assert "aaaaaaaaaaaaa" not in by_id(first)  # our own
    assert {row["name"]: row["begin"] for row in rows_of(second, "parameter")}["optimizer_mode"] == "FIRST_ROWS, x"
    assert first.absent == ()


def test_minus_one_as_an_unsigned_number_is_not_reported(read, two_rounds):
    first = read(two_rounds).records[0]
    assert "redo size" not in {row["name"] for row in rows_of(first, "activity")}


def test_the_period_between_two_rounds(read, two_rounds):
    period = period_between(*read(two_rounds).records)
    statements = by_id(period)
    assert statements["4ztz048yfq32s"]["executions"] == 600
    assert statements["4ztz048yfq32s"]["elapsed_s"] == pytest.approx(30.0)
    assert statements["4ztz048yfq32s"]["block_gets"] == 60_000
    # aged out and loaded anew inside: what it counts since is part of the period
    assert (statements["7hys3h7ysgf9m"]["executions"], statements["7hys3h7ysgf9m"]["seen_in"]) == (20, "partial")
    # loaded inside: all of it
    assert (statements["newnewnewnewn"]["executions"], statements["newnewnewnewn"].get("seen_in", "")) == (3, "")
    load = {row["name"]: row["total"] for row in rows_of(period, "load")}
    assert (load["logical_reads"], load["commits"], load["transactions"]) == (1_000_000, 300, 300)
    assert load["db_time"] == pytest.approx(240.0)
    assert period.elapsed_s == 600
    waits = {(row["event"], row["ground"]): row for row in rows_of(period, "wait_event")}
    read_wait = waits["db file sequential read", "foreground"]
    assert (read_wait["waits"], read_wait["time_s"]) == (500, pytest.approx(4.5))
    assert waits["db file sequential read", "background"]["waits"] == 0
    (file,) = rows_of(period, "io")
    assert (file["name"], file["reads"], file["read_bytes"], file["read_time_s"]) == (
        "USERS",
        500,
        500 * 8192,
        pytest.approx(4.5),
    )
    (segment,) = rows_of(period, "segment")
    assert (segment["owner"], segment["name"], segment["value"]) == ("APP", "ORDERS", 500_000)


def test_series_lie_between_the_rounds(read, two_rounds):
    batches = {batch.table: batch for batch in read(two_rounds).batches}
    load = {key.native: values[0] for key, values in zip(batches["load"].series, batches["load"].values.T, strict=True)}
    assert load["commits"] == pytest.approx(300 / 600)


@pytest.mark.parametrize("piece", [1, 7, 4096])
def test_pieces_make_no_difference(read, two_rounds, piece):
    whole = read(two_rounds)
    assert read(two_rounds, piece).records == whole.records


def test_a_counter_that_goes_on_over_a_reload_has_no_beginning(read, captured, tmp_path):
    """V$SQLSTATS kept 1600 executions, V$SQLAREA's cursor was loaded anew and has 20."""
    rows = AFTER.rows()
    rows["v$sqlarea"] = [
        row.replace("2026-11-20/10:00:00,1,1600", "2026-11-21/11:55:00,1,20") for row in rows["v$sqlarea"]
    ]
    first, second = read(captured("oracle.views", install(tmp_path, [BEFORE, rows]), rounds=2)).records
    assert "first_seen_ns" not in by_id(second)["4ztz048yfq32s"]
    assert by_id(period_between(first, second))["4ztz048yfq32s"]["executions"] == 600


def test_prompts_and_a_slow_korean_client_lose_nothing(read, captured, tmp_path, two_rounds):
    told = captured("oracle.views", install(tmp_path / "p", [BEFORE, AFTER], prompts=True, encoding="cp949"), rounds=2)
    plain = read(two_rounds).records
    prompted = read(told)
    assert [by_id(record).keys() for record in prompted.records] == [by_id(record).keys() for record in plain]
    assert by_id(prompted.records[0])["4ztz048yfq32s"]["elapsed_s"] == pytest.approx(250.5)
    assert prompted.ledger.warnings == ()


ENGLISH = "ORA-00942: table or view does not exist"
KOREAN = "ORA-00942: 테이블 또는 뷰가 존재하지 않습니다"


@pytest.mark.parametrize(
    ("words", "encoding"), [(ENGLISH, "utf-8"), (KOREAN, "cp949"), (KOREAN, "euc-kr"), (KOREAN, "utf-8")]
)
def test_a_view_that_may_not_be_read(read, captured, tmp_path, words, encoding):
    error = ["1행에 오류:" if words is KOREAN else "ERROR at line 2:", words]
    home = install(tmp_path, [BEFORE], errors={"v$segment_statistics": error}, encoding=encoding)
    seen = read(captured("oracle.views", home))
    assert seen.ledger.warnings == ("oracle_not_allowed",)
    (skipped,) = [one for one in seen.ledger.skipped if one.reason == "oracle_error"]
    assert (skipped.count, skipped.example) == (1, words)
    assert {"scope": "error", "name": "ORA-00942", "value": words.partition(": ")[2]} in rows_of(seen.record, "fact")
    assert len(seen.record.table("statement")) == 2 and not len(seen.record.table("segment"))


@pytest.mark.parametrize(
    "lines",
    [
        [
            "ERROR:",
            "ORA-01017: invalid username/password; logon denied",
            "SP2-0751: Unable to connect to Oracle.  Exiting SQL*Plus",
        ],
        [
            "ERROR:",
            "ORA-12154: TNS:could not resolve the connect identifier specified",
            "",
            "SP2-0751: Unable to connect to Oracle.",
        ],
    ],
)
def test_a_refused_logon(read, captured, tmp_path, lines):
    seen = read(captured("oracle.views", install(tmp_path, [BEFORE], logon_error=lines), exit_code=1))
    assert seen.records == [] and seen.ledger.warnings == ("oracle_no_logon",)
    (skipped,) = [one for one in seen.ledger.skipped if one.reason == "oracle_error"]
    assert skipped.example == lines[1] and skipped.count == 2


def test_a_session_that_is_cut(read, captured, tmp_path):
    seen = read(captured("oracle.views", install(tmp_path, [BEFORE], cut_at="v$sqlarea_names"), exit_code=1))
    assert set(seen.ledger.warnings) == {"oracle_session_cut", "snapshot_cut_off"}
    assert seen.record.faults == (Fault.TRUNCATED,)
    assert len(seen.record.table("statement")) == 2


def test_licence_evidence_is_read_into_facts(read, captured, tmp_path):
    rows = BEFORE.rows() | {
        "v$parameter": ["control_management_pack_access,DIAGNOSTIC+TUNING"],
        "v$version": ['edition,"Oracle Database 19c Standard Edition 2 Release 19.0.0.0.0 - Production"'],
        "dba_feature_usage_statistics": ['"AWR Report","detected 12, currently used TRUE, last 2026-11-15 04:00:00"'],
        "dba_users": ["perfstat_users,1"],
    }
    facts = {
        row["name"]: row["value"]
        for row in rows_of(read(captured("oracle.licence_evidence", install(tmp_path, [rows]))).record, "fact")
        if row["scope"] == "licence"
    }
    assert facts == {
        "control_management_pack_access": "DIAGNOSTIC+TUNING",
        "edition": "Oracle Database 19c Standard Edition 2 Release 19.0.0.0.0 - Production",
        "AWR Report": "detected 12, currently used TRUE, last 2026-11-15 04:00:00",
        "perfstat_users": "1",
    }
