"""Status and variables in every form, in rounds, as differences; their times."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from tests.unit.plugins.mysql.headings import FORMS, status
from tunebench.analysis.databases.subtraction import period_between
from tunebench.sdk.databases import Engine, Fault, Reach

FIXTURES = Path(__file__).parents[3] / "fixtures" / "mysql"
LIST = "Variable_name Value"
BASE = {
    "Uptime": "100", "Questions": "1000", "Com_commit": "10", "Com_rollback": "1", "Innodb_buffer_pool_read_requests": "5000",
    "Innodb_pages_read": "50", "Innodb_pages_written": "5", "Innodb_data_read": "819200", "Innodb_os_log_written": "4096",
    "Innodb_rows_read": "77", "Innodb_rows_inserted": "1", "Innodb_rows_updated": "2", "Innodb_rows_deleted": "3",
    "Slow_queries": "4", "Connections": "9", "Created_tmp_disk_tables": "6", "Threads_connected": "3",
    "Threads_running": "2", "Innodb_page_size": "16384", "Innodb_buffer_pool_pages_free": "100",
    "Innodb_buffer_pool_pages_flushed": "40", "Innodb_row_lock_time": "1500", "Max_used_connections": "5",
}  # fmt: skip
LOAD = {
    "questions": 1000, "commits": 10, "rollbacks": 1, "logical_reads": 5000, "physical_reads": 50, "physical_writes": 5,
    "read_bytes": 819200, "redo_bytes": 4096, "rows_read": 77, "rows_changed": 6, "slow_statements": 4, "connections": 9,
    "temp_files": 6,
}  # fmt: skip


def rows(**changed: object) -> list[dict[str, str]]:
    return [{"Variable_name": name, "Value": str(value)} for name, value in {**BASE, **changed}.items()]


@pytest.mark.parametrize("form", FORMS)
def test_every_form(views, form):
    found = views(FORMS[form](LIST, *rows()))
    assert found.values("load", "name", "total") == LOAD
    activity = found.values("activity", "name", "total")
    assert activity["Uptime"] == 100 and activity["Innodb_row_lock_time"] == 1500
    assert activity["Innodb_buffer_pool_pages_flushed"] == 40
    states = found.values("state", "name", "end")
    assert states == {
        "Threads_connected": 3,
        "Threads_running": 2,
        "Innodb_page_size": 16384,
        "Innodb_buffer_pool_pages_free": 100,
        "Max_used_connections": 5,
    }
    assert found.record.end.sessions == 3
    units = dict(zip(found.table("activity").text("name"), found.table("activity").text("unit"), strict=True))
    assert (units["Innodb_row_lock_time"], units["Innodb_data_read"], units["Uptime"]) == ("ms", "By", "s")


def test_what_counts_and_what_holds_at_a_moment(views):
    """Names of the reference manuals that look like the other kind."""
    counters = (
        "Com_show_status",
        "Threads_created",
        "Opened_files",
        "Innodb_row_lock_time",
        "Handler_read_rnd_next",
        "Innodb_buffer_pool_pages_flushed",
        "Qcache_hits",
        "Innodb_log_waits",
        "Slow_launch_threads",
        "Slave_received_heartbeats",
        "Ssl_session_cache_hits",
        "Innodb_dblwr_pages_written",
    )
    states = (
        "Threads_cached",
        "Open_tables",
        "Innodb_row_lock_time_avg",
        "Innodb_row_lock_current_waits",
        "Innodb_data_pending_reads",
        "Innodb_buffer_pool_pages_dirty",
        "Qcache_free_memory",
        "Innodb_history_list_length",
        "Slaves_connected",
        "Stack_usage",
        "Slave_heartbeat_period",
        "Ssl_session_cache_size",
        "Key_blocks_used",
        "wsrep_cluster_size",
    )
    found = views(status(Uptime=5, **dict.fromkeys((*counters, *states), 1)))
    assert set(found.values("activity", "name", "total")) == {"Uptime", *counters}
    assert set(found.values("state", "name", "end")) == set(states)


def test_rows_of_mariadb_10_6_and_newer(views):
    found = views(
        status(Uptime=5, Rows_read=70, Handler_write=1, Handler_update=2, Handler_delete=3, Handler_read_rnd_next=900)
    )
    assert found.values("load", "name", "total") == {"rows_read": 70, "rows_changed": 6}


def test_each_line_is_known(views):
    table = views(status(Uptime=100, Questions=5)).table("activity")
    assert dict(zip(table.text("name"), table.lines.tolist(), strict=True)) == {"Uptime": 2, "Questions": 3}


@pytest.mark.parametrize("name", ["global-status-1.tsv", "global-status-2.table.txt"])
def test_a_real_server_counts_as_it_says(views, name):
    text = (FIXTURES / name).read_text()
    found = views(text)
    cells = [line.replace("|", "\t").split() for line in text.splitlines()]
    said = {cell[0]: cell[1] for cell in cells if len(cell) == 2}
    assert found.values("load", "name", "total")["questions"] == float(said["Questions"])
    assert found.values("load", "name", "total")["logical_reads"] == float(said["Innodb_buffer_pool_read_requests"])
    counted = {**found.values("activity", "name", "total"), **found.values("state", "name", "end")}
    numbers = {key: float(cell) for key, cell in said.items() if cell.replace(".", "", 1).isdigit()}
    assert {key: value for key, value in counted.items() if key in numbers} == numbers
    assert found.record.identity.engine is Engine.MARIADB, "Aria and Acl counters are MariaDB's"


def test_differences_of_mysqladmin_are_periods(views):
    text = (FIXTURES / "mysqladmin-extended-r-i2-c3.txt").read_text()
    rounds: list[dict[str, str]] = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if cells[0] == "Variable_name":
            rounds.append({})
        elif len(cells) == 2:
            rounds[-1][cells[0]] = cells[1]
    found = views(text)
    assert [record.reach for record in found.records] == [Reach.COUNTERS, Reach.PERIOD, Reach.PERIOD]
    for record, said in zip(found.records[1:], rounds[1:], strict=True):
        assert record.elapsed_s == float(said["Uptime"]) == 2
        assert Fault.UNTIMED in record.faults and record.valid
        load = record.table("load")
        figures = dict(zip(load.text("name"), load.figure("total").tolist(), strict=True))
        assert figures["commits"] == float(said["Com_commit"]) and figures["questions"] == float(said["Questions"])
        rates = dict(zip(load.text("name"), load.figure("per_second").tolist(), strict=True))
        assert rates["commits"] == float(said["Com_commit"]) / 2
    table = found.records[2].table("state")
    ends = dict(zip(table.text("name"), table.figure("end").tolist(), strict=True))
    assert ends["Threads_running"] == sum(float(said["Threads_running"]) for said in rounds)
    assert ends["Innodb_page_size"] == 16384


def test_differences_with_the_users_word_on_the_start(views):
    start = datetime(2026, 11, 21, 16, 0, tzinfo=ZoneInfo("Asia/Seoul"))
    found = views((FIXTURES / "mysqladmin-extended-r-i2-c3.txt").read_bytes(), start=start)
    ends = [record.end.time_ns for record in found.records]
    first = int(start.timestamp()) * 10**9
    assert ends == [first, first + 2 * 10**9, first + 4 * 10**9]
    assert all(Fault.UNTIMED not in record.faults for record in found.records)
    assert found.batches and found.ledger.needs == ()


def test_rounds_of_counters_are_snapshots_and_give_series(views):
    later = {"Uptime": 110, "Questions": 1500, "Threads_running": 1}
    text = FORMS["framed"](LIST, *rows()) + "\n" + FORMS["framed"](LIST, *rows(**later))
    found = views(text, start=datetime(2026, 11, 21, tzinfo=UTC))
    first, second = found.records
    assert (first.reach, second.reach) == (Reach.COUNTERS, Reach.COUNTERS)
    assert second.end.time_ns - first.end.time_ns == 10 * 10**9
    period = period_between(first, second)
    assert (
        dict(zip(period.table("load").text("name"), period.table("load").figure("per_second"), strict=True))[
            "questions"
        ]
        == 50
    )
    assert {key.table for batch in found.batches for key in batch.series} >= {"sessions", "load"}


def test_a_restart_between_rounds(views):
    text = status(**BASE) + status(**{**BASE, "Uptime": 5, "Questions": 3, "Max_used_connections": 1})
    first, second = views(text, start=datetime(2026, 11, 21, tzinfo=UTC)).records
    assert second.reach is Reach.COUNTERS, "no differences: what cannot be 0 is not"
    assert Fault.RESTART in period_between(first, second).faults


@pytest.mark.parametrize("piece", [1, 7, 4096])
def test_the_cut_of_pieces_changes_nothing(views, piece):
    text = (FIXTURES / "global-status-1.tsv").read_bytes()[:3000]
    assert views(text, piece).record == views(text).record


def test_status_and_variables_of_one_export_are_one_snapshot(views):
    variables = status(
        hostname="db01",
        port=3306,
        server_id=7,
        server_uuid="3e11fa47",
        version="8.0.36",
        version_comment="MySQL Community Server - GPL",
        validate_password_policy="MEDIUM",
        report_password="hunter2",
    )
    record = views(status(**BASE) + variables).record
    identity = record.identity
    assert (identity.engine, identity.name, identity.version) == (Engine.MYSQL, "db01:3306", "8.0.36")
    assert (identity.db_id, identity.instance_number, identity.host) == ("3e11fa47", 7, "db01")
    parameters = dict(zip(record.table("parameter").text("name"), record.table("parameter").text("begin"), strict=True))
    assert (parameters["validate_password_policy"], parameters["report_password"]) == ("MEDIUM", "***")
    assert len(record.table("load")) == len(LOAD)


def test_a_list_without_a_heading_and_the_server_that_its_variables_name(views):
    text = "Aborted_clients\t3\nUptime\t100\nQuestions\t7\nauto_increment_increment\t1\nhostname\tdb02\nversion\t10.6.4-MariaDB\n"
    record = views(text).record
    assert (record.identity.host, record.identity.engine) == ("db02", Engine.MARIADB)
    assert dict(zip(record.table("activity").text("name"), record.table("activity").figure("total"), strict=True)) == {
        "Aborted_clients": 3,
        "Uptime": 100,
        "Questions": 7,
    }


def test_the_time_that_a_capture_tells(views):
    stamped = "utc_timestamp(6)\tversion()\n2026-11-21 07:00:00.500000\t8.4.2\n" + status(**BASE)
    record = views(stamped, zone=ZoneInfo("Asia/Seoul")).record
    assert record.end.time_ns == int(datetime(2026, 11, 21, 7, tzinfo=UTC).timestamp()) * 10**9 + 500_000_000
    assert record.end.started_ns == record.end.time_ns - 100 * 10**9
    local = views("now(6)\t@@version\n2026-11-21 16:00:00.500000\t8.4.2\n", zone=ZoneInfo("Asia/Seoul")).record
    assert local.end.time_ns == record.end.time_ns
    written = views(status(**BASE), modified_ns=1_795_000_000_000_000_000)
    assert written.record.end.time_ns == 1_795_000_000_000_000_000
    assert [(assumption.subject, assumption.source) for assumption in written.ledger.assumptions] == [
        ("start", "mtime")
    ]
    unknown = views(status(**BASE))
    assert unknown.record.end.time_ns is None and unknown.ledger.needs == ("start",)


def test_stamps_of_somebodys_loop(views):
    text = (
        "Sat Nov 21 16:00:00 KST 2026\n"
        + status(**BASE)
        + "Sat Nov 21 16:00:10 KST 2026\n"
        + status(**{**BASE, "Uptime": 110})
    )
    first, second = views(text, zone=ZoneInfo("Asia/Seoul")).records
    assert first.end.time_ns == int(datetime(2026, 11, 21, 7, tzinfo=UTC).timestamp()) * 10**9
    assert second.end.time_ns - first.end.time_ns == 10 * 10**9


def test_digests_between_two_lists_belong_to_the_first_round(views):
    digest = "DIGEST\tCOUNT_STAR\nabc\t%d\n"
    text = status(**BASE) + digest % 5 + status(**{**BASE, "Uptime": 130}) + digest % 9
    first, second = views(text).records
    assert [record.table("statement").figure("executions").tolist() for record in (first, second)] == [[5], [9]]
    assert [record.table("activity").figure("total")[0] for record in (first, second)] == [100, 130]
