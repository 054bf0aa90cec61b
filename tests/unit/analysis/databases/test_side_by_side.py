"""Segments, files and statistics of two periods side by side."""

from __future__ import annotations

import pytest

from tests.unit.analysis.databases.database_records import POSTGRES, period
from tunebench.analysis.databases.side_by_side import counter_lines


def lines(table, before, after, lengths=(3600.0, 1800.0)):
    sides = [
        period(POSTGRES, elapsed_s, **{table: rows}) for rows, elapsed_s in zip((before, after), lengths, strict=True)
    ]
    return {(line.name, line.statistic): line for line in counter_lines(*sides).get(table, ())}


def segment(name, statistic, value):
    return {"owner": "APP", "name": name, "kind": "TABLE", "container": "PDB1", "statistic": statistic, "value": value}


def test_segments_compare_per_second_and_what_is_not_listed_is_not_0():
    before = [segment("ORDERS", "Row Lock Waits", 7200), segment("ITEMS", "Row Lock Waits", 36)]
    found = lines("segment", before, [segment("ORDERS", "Row Lock Waits", 1800)])
    orders, items = found["PDB1.APP.ORDERS", "Row Lock Waits"], found["PDB1.APP.ITEMS", "Row Lock Waits"]
    assert (orders.group, orders.before, orders.after, orders.ratio, orders.per_second) == ("TABLE", 2, 1, 0.5, True)
    assert (items.before, items.after, items.ratio) == (0.01, None, None)
    assert [line.name for line in found.values()] == ["PDB1.APP.ORDERS", "PDB1.APP.ITEMS"], "the greatest first"
    assert (orders.places, items.places) == ((1, 1), (2, 0))


def test_without_a_length_totals_are_told():
    found = lines("segment", [segment("T", "Reads", 10)], [segment("T", "Reads", 20)], (None, 60.0))
    (line,) = found.values()
    assert (line.before, line.after, line.per_second) == (10, 20, False)


def test_files_are_told_per_second_and_per_operation():
    """As PostgreSQL counts them, in totals: 3,600 reads that took 7.2 s are one a second of 2 ms."""
    row = {"kind": "backend", "name": "client backend", "file": "relation normal", "reads": 3600, "read_time_s": 7.2}
    found = lines("io", [{**row, "read_bytes": 3600 * 8192}], [{**row, "reads": 0, "read_time_s": 0}])
    of = "client backend relation normal"
    assert found[of, "reads"].before == 1 and found[of, "reads"].after == 0
    assert found[of, "read_avg_s"].before == pytest.approx(0.002) and found[of, "read_avg_s"].after is None
    assert (found[of, "read_bytes"].before, found[of, "read_bytes"].unit) == (8192, "By")
    assert set(found) == {(of, name) for name in ("reads", "read_bytes", "read_avg_s")}


def test_files_as_reports_print_them():
    """AWR prints rates of functions, and means of tablespaces."""
    function = {"kind": "function", "name": "LGWR", "writes_per_s": 12.5, "write_bytes": 36e6}
    space = {"kind": "tablespace", "name": "USERS", "reads": 1800, "reads_per_s": 1, "read_avg_s": 0.0004}
    found = lines("io", [function], [function, space])
    assert (found["LGWR", "writes"].before, found["LGWR", "writes"].per_second) == (12.5, True)
    assert (found["LGWR", "write_bytes"].before, found["LGWR", "write_bytes"].after) == (10_000, 20_000)
    assert (found["USERS", "reads"].after, found["USERS", "read_avg_s"].after) == (1, 0.0004)
    assert found["USERS", "read_avg_s"].per_second is False


def test_statistics_without_those_of_the_host():
    rows = [
        {"scope": "os", "name": "BUSY_TIME", "total": 5},
        {"scope": "", "name": "gc cr blocks received", "total": 36},
    ]
    assert list(lines("activity", rows, rows)) == [("", "gc cr blocks received")]
    state = [{"scope": "cache", "name": "Buffer Cache:", "begin": 1, "end": 2, "unit": "By"}]
    (line,) = lines("state", state, state).values()
    assert (line.group, line.before, line.unit, line.per_second) == ("cache", 2, "By", False)
