"""A parameter that is set to nothing at both ends of a period has not changed."""

from __future__ import annotations

from tunebench.analysis.databases.profile import compare_profiles
from tunebench.analysis.databases.record import DatabaseRecord, TableRows
from tunebench.analysis.databases.subtraction import period_between
from tunebench.domain.databases.records import DatabaseIdentity, Engine, Moment, Reach

SECOND_NS = 1_000_000_000


def snapshot(at_s: int, **values: str) -> DatabaseRecord:
    rows = TableRows("parameter")
    for line, (name, value) in enumerate(values.items(), 1):
        rows.add(line, {"name": name, "begin": value}, {})
    identity = DatabaseIdentity(Engine.POSTGRESQL, name="bench")
    tables = {"parameter": rows.close()}
    return DatabaseRecord("postgresql", Reach.COUNTERS, identity, Moment(at_s * SECOND_NS), tables=tables)


def test_nothing_at_both_ends_is_no_change() -> None:
    period = period_between(
        snapshot(0, archive_library="", work_mem="4"), snapshot(60, archive_library="", work_mem="4")
    )
    assert compare_profiles(period, period).parameters == ()


def test_from_nothing_to_something_is_one() -> None:
    period = period_between(snapshot(0, archive_library=""), snapshot(60, archive_library="x"))
    (change,) = compare_profiles(period, period).parameters
    assert change.name == "archive_library" and change.inside
