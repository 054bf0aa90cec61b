"""The time of sessions of MySQL and MariaDB is that of their statements, where the list holds every one."""

from __future__ import annotations

import pytest

from tests.unit.analysis.databases.database_records import MYSQL, POSTGRES, counters, moment
from tunebench.analysis.databases.combination import combined
from tunebench.analysis.databases.subtraction import period_between
from tunebench.domain.databases.records import Fault


def snapshot(hours, *elapsed_s, identity=MYSQL, evictions=0, waited_s=0.0):
    return counters(
        moment(hours, evictions=evictions),
        identity,
        statement=[
            {"statement_id": f"q{number}", "executions": 10.0 * (hours + 1), "elapsed_s": seconds}
            for number, seconds in enumerate(elapsed_s)
        ],
        wait_class=[{"wait_class": "io/file", "time_s": waited_s}],
    )


def test_it_is_the_sum_over_all_statements():
    period = period_between(snapshot(0, 1.0, 2.0), snapshot(1, 4.0, 9.5))
    assert period.db_time_s == 3.0 + 7.5
    assert period_between(snapshot(0, 1.0, identity=POSTGRES), snapshot(1, 4.0, identity=POSTGRES)).db_time_s is None


def test_it_is_not_told_where_the_list_lost_statements():
    period = period_between(snapshot(0, 1.0), snapshot(1, 4.0, evictions=7))
    assert Fault.EVICTED in period.faults
    assert period.db_time_s is None


def test_waits_of_all_threads_are_no_shares_of_it():
    first, second, third = snapshot(0, 1.0), snapshot(1, 4.0, waited_s=90.0), snapshot(2, 5.0, waited_s=95.0)
    both = combined([period_between(first, second), period_between(second, third)])
    assert both.db_time_s == pytest.approx(4.0)
    assert both.table("wait_class").figure("time_s").tolist() == [95.0]
    assert not (both.table("wait_class").figure("share_pct") >= 0).any()
