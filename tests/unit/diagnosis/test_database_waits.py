"""What sessions of a database wait for, as rules ask it: row locks, the event they fight over most, and waits of one cause
with the segment and the statement they are of."""

from __future__ import annotations

import pytest

from tests.unit.analysis.databases.database_records import MYSQL, ORACLE, POSTGRES, period
from tunebench.diagnosis.signals.database_figures import database_figures

ROW_LOCK = "enq: TX - row lock contention"


def waits(*told):
    columns = ("event", "wait_class", "time_s", "ground")
    return [dict(zip(columns, (*row, "foreground")[:4], strict=True)) for row in told]


def asked(record):
    wanted = ("row_lock_pct", "row_lock_segment", "contention_pct", "contention_event")
    return {name: value for name, value in database_figures(record).items() if name in wanted}


def test_row_locks_are_told_with_the_segment_that_is_locked_most():
    locked: list[dict[str, str | float | None]] = [
        {"owner": "APP", "name": name, "statistic": "Row Lock Waits", "value": n}
        for name, n in (("T", 3), ("ORDERS", 90))
    ]
    read: dict[str, str | float | None] = {"owner": "APP", "name": "BIG", "statistic": "Physical Reads", "value": 1e9}
    events = waits(
        (ROW_LOCK, "Application", 865.0), ("gc buffer busy acquire", "Cluster", 50.0), ("x", "User I/O", 80.0)
    )
    found = asked(period(ORACLE, db_time_s=1000.0, wait_event=events, segment=[*locked, read]))
    assert found == {
        "row_lock_pct": 86.5,
        "row_lock_segment": "APP.ORDERS",
        "contention_pct": 5.0,
        "contention_event": "gc buffer busy acquire",
    }


def test_reading_much_is_no_contention():
    """A healthy report: half of DB time in reads, commits and background writes beside."""
    events = waits(
        ("db file sequential read", "User I/O", 500.0),
        ("log file sync", "Commit", 100.0),
        ("latch: shared pool", "Concurrency", 1.0),
        (ROW_LOCK, "Application", 900.0, "background"),
        ("SQL*Net message from client", "Idle", 90_000.0),
    )
    found = asked(period(ORACLE, db_time_s=1000.0, wait_event=events))
    assert found == {
        "row_lock_pct": 0.0,
        "contention_pct": pytest.approx(0.1),
        "contention_event": "latch: shared pool",
    }


def test_samples_of_postgresql_are_shares_of_active_sessions():
    sampled: list[dict[str, str | float | None]] = [
        {"event": event, "wait_class": group, "samples": n}
        for event, group, n in (
            ("CPU", "CPU", 40),
            ("transactionid", "Lock", 50),
            ("WALWrite", "LWLock", 10),
            ("ClientRead", "Client", 99),
        )
    ]
    found = asked(period(POSTGRES, db_time_s=7.0, wait_event=sampled))
    assert (found["row_lock_pct"], found["contention_pct"], found["contention_event"]) == (50, 10, "WALWrite")


@pytest.mark.parametrize("more", [{}, {"db_time_s": 100.0}, {"wait_event": waits((ROW_LOCK, "Application", 5.0))}])
def test_what_a_capture_does_not_tell_is_not_0(more):
    assert asked(period(ORACLE, **more)) == {}


def of_segments(statistic, *told):
    return [
        {"owner": "APP", "name": name, "subname": part, "statistic": statistic, "value": n} for name, part, n in told
    ]


def named(record, kind):
    return {name: value for name, value in database_figures(record).items() if name.startswith(f"{kind}_")}


def test_waits_of_a_cluster_name_event_segment_and_statement():
    """Of all partitions together, and of all plans of a statement."""
    record = period(
        ORACLE,
        db_time_s=1000.0,
        wait_event=waits(
            ("gc buffer busy acquire", "Cluster", 150.0),
            ("gc cr block 2-way", "Cluster", 50.0),
            ("gcs remote message", "Idle", 9e4),
        ),
        segment=[
            *of_segments("CR Blocks Received", ("BIG", "", 1e6)),
            *of_segments("GC Buffer Busy", ("T", "", 70), ("ORDERS", "P1", 40), ("ORDERS", "P2", 40)),
        ],
        statement=[
            {"statement_id": "aaa", "plan": "1", "cluster_wait_s": 60.0},
            {"statement_id": "bbb", "plan": "1", "cluster_wait_s": 50.0},
            {"statement_id": "bbb", "plan": "2", "cluster_wait_s": 50.0},
        ],
    )
    assert named(record, "cluster") == {
        "cluster_pct": 20.0,
        "cluster_event": "gc buffer busy acquire",
        "cluster_segment": "APP.ORDERS",
        "cluster_statement": "bbb",
    }


def test_a_statement_with_a_little_of_the_waits_is_not_named_for_them():
    record = period(
        ORACLE,
        db_time_s=1000.0,
        wait_event=waits((ROW_LOCK, "Application", 500.0)),
        statement=[{"statement_id": "aaa", "application_wait_s": 49.0}],
    )
    assert named(record, "row_lock") == {"row_lock_pct": 50.0}


@pytest.mark.parametrize(("waited_s", "statements"), [(50.0, {"row_lock_statement": "aaa"}), (0.0, {}), (None, {})])
def test_a_statement_with_a_tenth_of_the_waits_is_named_for_them(waited_s, statements):
    record = period(
        ORACLE,
        db_time_s=1000.0,
        wait_event=waits((ROW_LOCK, "Application", 500.0)),
        statement=[{"statement_id": "aaa", "application_wait_s": waited_s}],
    )
    assert named(record, "row_lock") == {"row_lock_pct": 50.0} | statements


@pytest.mark.parametrize(
    ("kind", "event", "group", "statistic"),
    [
        ("hot_block", "buffer busy waits", "Concurrency", "Buffer Busy Waits"),
        ("itl", "enq: TX - allocate ITL entry", "Configuration", "ITL Waits"),
        ("shared_read", "read by other session", "User I/O", "Physical Reads"),
        ("latch", "latch: cache buffers chains", "Concurrency", ""),
        ("log_switch", "log file switch (checkpoint incomplete)", "Configuration", ""),
        ("temp_io", "direct path write temp", "User I/O", ""),
    ],
)
def test_waits_of_one_cause_are_that_one_and_no_other(kind, event, group, statistic):
    events = waits(
        (event, group, 90.0), ("db file sequential read", "User I/O", 300.0), ("direct path read", "User I/O", 99.0)
    )
    record = period(ORACLE, db_time_s=900.0, wait_event=events, segment=of_segments(statistic or "x", ("T", "", 5)))
    found = database_figures(record)
    kinds = ("hot_block", "itl", "cluster", "shared_read", "latch", "log_switch", "temp_io")
    assert {each: found[f"{each}_pct"] for each in kinds} == {each: 10.0 * (each == kind) for each in kinds}
    assert found.get(f"{kind}_event", event) == event
    assert found.get(f"{kind}_segment") == ("APP.T" if statistic else None)


def test_autovacuum_is_held_against_the_settings_of_the_server():
    """50 + 0.2 x rows: 40,050 dead rows of ORDERS are 5 times it; a large table may have more and be fine."""
    settings = [
        {"name": f"autovacuum_vacuum_{name}", "end": end}
        for name, end in (("threshold", "50"), ("scale_factor", "0.2"))
    ]
    rows: list[dict[str, str | float | None]] = [
        {"scope": scope, "name": name, "end": n}
        for scope, name, n in (
            ("public.orders", "n_live_tup", 39_800.0),
            ("public.orders", "n_dead_tup", 40_050.0),
            ("public.history", "n_live_tup", 10_000_000.0),
            ("public.history", "n_dead_tup", 1_500_000.0),
            ("public.untouched", "n_live_tup", 10.0),
        )
    ]
    found = database_figures(period(POSTGRES, parameter=settings, state=rows))
    assert found["vacuum_lag"] == pytest.approx(40_050 / 8_010)
    assert (found["dead_rows"], found["vacuum_lag_table"]) == (40_050, "public.orders")
    capped = period(
        POSTGRES, parameter=[*settings, {"name": "autovacuum_vacuum_max_threshold", "end": "1000"}], state=rows
    )
    assert database_figures(capped)["vacuum_lag"] == 1_500.0, "since 18 a large table has a limit"
    assert "vacuum_lag" not in database_figures(period(POSTGRES, state=rows)), "no settings, no yardstick"


def test_innodb_tells_row_locks_history_and_redo_by_its_counters():
    record = period(
        MYSQL,
        statement=[
            {"statement_id": "aaa", "elapsed_s": 40.0, "lock_wait_s": 0.001},
            {"statement_id": "b", "elapsed_s": 10.0},
        ],
        activity=[{"scope": "status", "name": "Innodb_row_lock_time", "total": 30_000.0}],
        state=[
            {"scope": "innodb", "name": name, "end": value}
            for name, value in (("history_list_length", 12.0), ("checkpoint_age", 60.0 * 2**20))
        ],
        parameter=[
            {"name": "innodb_log_file_size", "end": str(48 * 2**20)},
            {"name": "innodb_log_files_in_group", "end": "2"},
        ],
        wait_event=[{"event": "wait/io/file/innodb/innodb_data_file", "wait_class": "User I/O", "time_s": 9.0}],
    )
    found = database_figures(record)
    assert (found["row_lock_pct"], found["history_list_length"], found["redo_age_pct"]) == (60.0, 12.0, 62.5)
    assert "row_lock_statement" not in found, "a millisecond of locks is not what thirty seconds were waited for"
    assert "row_lock_pct" not in database_figures(period(MYSQL)), "nothing told is not 0"
