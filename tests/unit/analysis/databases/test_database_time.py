"""DB time per second of two sides, and the work that it is held against."""

from __future__ import annotations

from math import log

import pytest

from tests.unit.analysis.databases.database_records import ORACLE, Row, period
from tunebench.analysis.databases.database_time import SAME_LOAD, compare_time
from tunebench.analysis.databases.record import DatabaseRecord
from tunebench.analysis.inference.occurrences import Prior
from tunebench.analysis.inference.verdict import Verdict

NATURAL = Prior(log(1.1), 20)


def hour(db_time_s: float | None, **a_second: float) -> DatabaseRecord:
    """An hour of so much DB time, with so much load a second."""
    load: list[Row] = [{"name": name, "total": rate * 3600.0} for name, rate in a_second.items()]
    return period(ORACLE, db_time_s=db_time_s, load=load)


def test_without_work_that_is_told_sessions_are_compared_as_they_are():
    change = compare_time([hour(7200.0)] * 3, [hour(3600.0)] * 3, 0.05, NATURAL)
    assert change is not None
    assert (change.before, change.after) == ((2.0,) * 3, (1.0,) * 3)
    assert (change.per_unit_of, change.work) == ("", None)
    assert change.ratio == pytest.approx(2.0)


def test_work_that_differs_by_more_than_a_tenth_is_taken_into_account():
    """120 s per 10 executions against 60 s per 5: the time of one is the same."""
    before = [hour(7200.0, executions=10.0)] * 3
    after = [hour(3600.0, executions=5.0)] * 3
    change = compare_time(before, after, 0.05, NATURAL)
    assert change is not None
    assert change.per_unit_of == "executions"
    assert change.work == pytest.approx((10.0, 5.0))
    assert change.ratio == pytest.approx(1.0)


@pytest.mark.parametrize(("factor", "unit"), [(1 + SAME_LOAD - 0.01, ""), (1 + SAME_LOAD + 0.01, "executions")])
def test_up_to_a_tenth_the_work_is_the_same(factor: float, unit: str):
    before = [hour(3600.0, executions=100.0)] * 3
    after = [hour(3600.0, executions=100.0 * factor)] * 3
    change = compare_time(before, after, 0.05, NATURAL)
    assert change is not None and change.per_unit_of == unit
    assert change.ratio == pytest.approx(factor if unit else 1.0)


def test_work_is_of_the_unit_that_every_period_tells():
    before = [hour(3600.0, executions=10.0), hour(3600.0, executions=20.0)]
    after = [hour(3600.0, executions=30.0), hour(3600.0)]
    change = compare_time(before, after, 0.05, NATURAL)
    assert change is not None and change.work is None


def test_periods_without_db_time_are_left_out_and_none_is_no_comparison():
    change = compare_time([hour(7200.0), hour(None)], [hour(3600.0)], 0.05, NATURAL)
    assert change is not None and (change.before, change.after) == ((2.0,), (1.0,))
    assert compare_time([hour(None)], [hour(3600.0)], 0.05, NATURAL) is None


def test_a_side_that_is_too_short_decides_nothing():
    change = compare_time([hour(7200.0)] * 9, [hour(720.0)] * 9, 0.05, NATURAL, short=True)
    assert change is not None
    assert (change.verdict, change.reason, change.settled_by) == (Verdict.DESCRIPTIVE_ONLY, "short_period", None)
