"""JMeter's summariser: lines of its log as the manual and its tutorials print them."""

from __future__ import annotations

import math

import pytest

from tests.unit.plugins.test_foreign_tables import Read, ns

ORDERS = (("group", "orders"),)
LOG = """\
2026-08-18 09:00:00,102 INFO o.a.j.JMeter: IP: 10.20.1.31 Name: app01 FullName: app01.example.com
2026-08-18 09:01:00,013 INFO o.a.j.r.Summariser: orders +   1204 in 00:01:00 =   20.1/s Avg:    48 Min:    21 Max:   612 Err:     3 (0.25%) Active: 8 Started: 8 Finished: 0
2026-08-18 09:02:00,009 INFO o.a.j.r.Summariser: orders +      0 in 00:01:00 =    0.0/s Avg:     0 Min: 9223372 Max:     0 Err:     0 (0.00%) Active: 8 Started: 8 Finished: 0
2026-08-18 09:02:30,009 INFO o.a.j.r.Summariser: orders +    300 in 00:00:30 =   10.0/s Avg:    26 Min:    11 Max:    90 Err:     0 (0.00%) Active: 9 Started: 9 Finished: 0
2026-08-18 09:02:30,010 INFO o.a.j.r.Summariser: orders =   1504 in 00:02:30 =   10.0/s Avg:    43 Min:    11 Max:   612 Err:     3 (0.20%)
"""


def stamp(time: str) -> int:
    return ns(f"2026-08-18 {time}", "%Y-%m-%d %H:%M:%S")


def test_each_interval_counts_its_requests_and_their_response() -> None:
    read = Read(data=LOG.encode(), name="jmeter.log")
    assert (read.parser_id, read.ledger.hostname) == ("load_tests.jmeter_summaries", "app01")
    series = read.series()
    times = [stamp("09:01:00"), stamp("09:02:00"), stamp("09:02:30")]
    assert [time for time, _ in series["completed", ORDERS]] == times
    assert [value for _, value in series["completed", ORDERS]] == pytest.approx([1204 / 60, 0, 10])
    assert [value for _, value in series["requests", ORDERS]] == [1204, 0, 300]
    assert [value for _, value in series["failed", ORDERS]] == [3, 0, 0]
    assert [value for _, value in series["threads", ORDERS]] == [8, 8, 9]
    assert [value for _, value in series["elapsed", ORDERS] if not math.isnan(value)] == [48, 26]
    assert [value for _, value in series["elapsed max", ORDERS] if not math.isnan(value)] == [612, 90]


def test_the_sum_so_far_is_no_interval_and_every_line_is_accounted_for() -> None:
    ledger = Read(data=LOG.encode(), name="jmeter.log").ledger
    assert ledger.lines.data == 3
    assert {one.reason: one.count for one in ledger.skipped} == {"message": 1, "average": 1}


@pytest.mark.parametrize(
    "line",
    [
        "2016/10/20 10:15:35 INFO  - jmeter.reporters.Summariser: orders +    573 in    30s =   19.1/s Avg:    51 Min:    28 Max:   406 Err:     0 (0.00%)",
        "2016/10/20 10:15:35 INFO  - jmeter.reporters.Summariser: orders +    573 in  30.0s =   19.1/s Avg:    51 Min:    28 Max:   406 Err:     0 (0.00%) Active: 4 Started: 4 Finished: 0",
    ],
)
def test_older_versions_print_seconds_and_slashes(line: str) -> None:
    series = Read(data=f"{line}\n".encode(), name="jmeter.log").series()
    assert series["completed", ORDERS] == [(ns("2016-10-20 10:15:35", "%Y-%m-%d %H:%M:%S"), 573 / 30)]
    assert [value for _, value in series["elapsed", ORDERS]] == [51]


def test_a_damaged_summary_is_left_out_by_name() -> None:
    damaged = LOG.replace("Avg:    26", "Avg:    x6")
    ledger = Read(data=damaged.encode(), name="jmeter.log").ledger
    assert ledger.lines.data == 2
    assert {one.reason for one in ledger.skipped} == {"message", "average", "unreadable_numbers"}
