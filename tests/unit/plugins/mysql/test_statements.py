"""Digests of every version and form; expected figures are what the text says, in seconds."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.unit.plugins.mysql.headings import DIGEST, FORMS, ROW, batch, status
from tunebench.analysis.databases.subtraction import period_between
from tunebench.sdk.databases import Fault, Reach

PLAIN = DIGEST["mariadb 10.11"]
NEWEST = DIGEST["mysql 9"]
CONSUMERS = "NAME\tENABLED\nevents_statements_cpu\t%s\nstatements_digest\tYES\n"


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("version", DIGEST)
def test_every_version_and_form(views, version, form):
    found = views(FORMS[form](DIGEST[version], ROW))
    (row,) = found.rows("statement")
    assert (row["statement_id"], row["container"]) == ("cc57b93692d14c63f1bf72f8e9b0d8af", "shop")
    assert row["executions"] == 7 and row["elapsed_s"] == 1.5005 and row["lock_wait_s"] == 0.025
    assert (row["elapsed_min_s"], row["elapsed_max_s"]) == (0.01, 0.90025)
    assert (row["rows"], row["rows_examined"]) == (24, 20000)
    assert (row["errors"], row["warnings"], row["full_scans"], row["no_index_used"]) == (1, 2, 6, 9)
    assert (row["temp_tables"], row["temp_disk_tables"], row["sorts"], row["sort_merge_passes"]) == (5, 4, 22, 8)
    assert row.get("cpu_s") == (0.3 if version >= "mysql 8.0.28" else None)
    assert row["first_seen_ns"] == datetime(2026, 11, 20, tzinfo=UTC).timestamp() * 1e9
    assert row["last_seen_ns"] == datetime(2026, 11, 21, 12, tzinfo=UTC).timestamp() * 1e9
    assert not {"block_gets", "block_reads", "plan"} & row.keys(), "MySQL does not tell it here"
    assert found.record.reach is Reach.COUNTERS and found.record.begin is None
    assert found.rows("statement_text") == [
        {"statement_id": ROW["DIGEST"], "text": "SELECT * FROM `t` WHERE `id` = ?", "complete": 1.0}
    ]


def test_processor_time_that_was_not_measured_is_not_0(views):
    unmeasured = batch(NEWEST, {**ROW, "SUM_CPU_TIME": "0"})
    assert "cpu_s" not in views(unmeasured).rows("statement")[0], "all 0, and nobody says that it was measured"
    assert "cpu_s" not in views(batch(NEWEST, ROW) + CONSUMERS % "NO").rows("statement")[0], "of a time when it was on"
    assert views(unmeasured + CONSUMERS % "YES").rows("statement")[0]["cpu_s"] == 0


def test_statements_that_are_counted_and_not_timed(views):
    timers = {name: "0" for name in ROW if "TIMER_WAIT" in name or name == "SUM_LOCK_TIME"}
    (row,) = views(batch(PLAIN, {**ROW, **timers})).rows("statement")
    assert row["executions"] == 7
    assert not {"elapsed_s", "elapsed_min_s", "elapsed_max_s", "lock_wait_s"} & row.keys()


def test_the_row_of_digests_that_found_no_place(views):
    overflow = {**ROW, "SCHEMA_NAME": "NULL", "DIGEST": "NULL", "DIGEST_TEXT": "NULL", "COUNT_STAR": "5000"}
    found = views(batch(PLAIN, ROW, overflow))
    assert found.record.end.evictions == 5000
    assert [(row["statement_id"], row["executions"]) for row in found.rows("statement")] == [
        (ROW["DIGEST"], 7),
        ("", 5000),
    ]
    assert len(found.rows("statement_text")) == 1
    assert found.ledger.warnings == ("digests_full",)
    more = views(batch(PLAIN, ROW, {**overflow, "COUNT_STAR": "5100"}))
    assert Fault.EVICTED in period_between(found.record, more.record).faults
    assert views(batch(PLAIN, ROW)).record.end.evictions == 0


def test_one_digest_in_two_schemas_is_two_rows(views):
    rows = views(batch(PLAIN, ROW, {**ROW, "SCHEMA_NAME": "NULL"})).rows("statement")
    assert [row["container"] for row in rows] == ["shop", ""]


@pytest.mark.parametrize(
    "text", ["SELECT ? AS ? FROM ( SELECT ? ) `tunebench`", "SHOW GLOBAL STATUS WHERE ( SELECT ? AS `tunebench` )"]
)
def test_our_own_statements_are_left_out(views, text):
    found = views(batch(PLAIN, ROW, {**ROW, "DIGEST": "00ff", "DIGEST_TEXT": text}))
    assert [row["statement_id"] for row in found.rows("statement")] == [ROW["DIGEST"]]
    assert {
        "scope": "events_statements_summary_by_digest",
        "name": "statements_of_tunebench",
        "value": "1",
    } in found.rows("fact")
    assert found.ledger.lines.data == 2


def test_what_no_alias_can_mark_is_ours_in_our_capture_alone(views):
    monitors = {**ROW, "DIGEST": "00ff", "DIGEST_TEXT": "SHOW ENGINE `innodb` STATUS "}
    assert len(views(batch(PLAIN, ROW, monitors)).rows("statement")) == 2


def test_our_mark_in_a_sample_text(views):
    own = {**ROW, "DIGEST": "00ff", "QUERY_SAMPLE_TEXT": "SHOW /* tunebench */ ENGINE INNODB STATUS"}
    assert len(views(batch(NEWEST, own)).rows("statement")) == 0


def test_a_text_that_was_cut_off_and_one_with_lines(views):
    rows = ({**ROW, "DIGEST_TEXT": "SELECT `a` ..."}, {**ROW, "DIGEST": "00ff", "DIGEST_TEXT": r"SELECT\n\t?"})
    texts = views(batch(PLAIN, *rows)).rows("statement_text")
    assert [(row["text"], row["complete"]) for row in texts] == [("SELECT `a` ...", 0.0), ("SELECT\n\t?", 1.0)]


def test_summaries_by_user_or_host_are_not_those_of_the_server(views):
    assert views("USER\tEVENT_NAME\tCOUNT_STAR\tSUM_TIMER_WAIT\napp\twait/io/file/sql/binlog\t3\t4\n").records == []


PREPARED = {"Uptime": 100, "Threads_connected": 3, "Innodb_page_size": 16384}


def snapshot(executed: int, questions: int, listed: int) -> str:
    return batch(PLAIN, {**ROW, "COUNT_STAR": str(listed)}) + status(
        Com_stmt_execute=executed, Questions=questions, **PREPARED
    )


def test_prepared_statements_that_the_list_does_not_hold(views):
    """The figures of a real server: 80,103 queries through prepared statements left no row (MariaDB 10.11)."""
    first = views(snapshot(330_704, 331_000, 7)).record
    second = views(snapshot(410_807, 411_200, 60)).record
    assert Fault.PREPARED_UNSEEN in period_between(first, second).faults
    seen = views(snapshot(410_807, 411_200, 7 + 80_103)).record
    assert Fault.PREPARED_UNSEEN not in period_between(first, seen).faults
    direct = views(snapshot(330_704, 400_000, 60_000)).record
    assert Fault.PREPARED_UNSEEN not in period_between(first, direct).faults, "none ran inside"
    assert views(snapshot(330_704, 331_000, 7)).ledger.warnings == ("prepared_unseen",)
    assert views(snapshot(50, 60, 7)).ledger.warnings == (), "too few to matter"
