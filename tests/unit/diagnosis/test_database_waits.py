"""What sessions of a database wait for, as rules ask it: row locks, and the event they fight over most."""

from __future__ import annotations

import pytest

from app.diagnosis.signals.database_figures import database_figures
from tests.unit.analysis.databases.database_records import ORACLE, POSTGRES, period

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
