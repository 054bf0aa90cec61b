"""Periods of a database as series on the clock."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.unit.analysis.databases.database_records import HOUR_NS, ORACLE, START_NS, counters, moment, period
from tunebench.domain.databases.records import LOAD_NAMES, TIME_NAMES, Fault
from tunebench.domain.series import ATTRIBUTE_NAMES
from tunebench.families.database_series import CounterSeries, period_batches
from tunebench.plughost.catalogue import MetricCatalogue
from tunebench.sdk.batch_check import batch_fault


def hour(number, identity=ORACLE, **more):
    return replace(
        period(
            identity,
            hours=number,
            load=[{"name": "commits", "total": 7200}, {"name": "sorts", "per_second": 3.5}],
            time_model=[{"name": "db_time", "time_s": 1800 * number}],
            wait_class=[
                {"wait_class": "User I/O", "ground": "foreground", "time_s": 900},
                {"wait_class": "User I/O", "ground": "background", "time_s": 100},
                {"wait_class": "Idle", "ground": "foreground", "time_s": 99_999},
            ],
            wait_event=[{"event": f"event {i:02}", "ground": "foreground", "time_s": 36 * i} for i in range(1, 13)],
            **more,
        ),
        first_line=10 * number,
    )


def cells(batches):
    """(table, native, wait) -> values."""
    return {
        (batch.table, key.native, dict(key.attributes).get("wait", "")): batch.values[:, place].tolist()
        for batch in batches
        for place, key in enumerate(batch.series)
    }


def test_a_row_stands_at_the_end_of_its_period():
    batches = period_batches([hour(2), hour(1)])
    assert [batch.table for batch in batches] == ["load", "time_model", "wait_class", "wait_event"]
    for batch in batches:
        assert batch_fault(batch) == ""
        assert batch.times_ns.tolist() == [START_NS + HOUR_NS, START_NS + 2 * HOUR_NS]
        assert (batch.line_numbers.tolist(), batch.since_boot.tolist()) == ([10, 20], [False, False])
    values = cells(batches)
    assert values["load", "commits", ""] == [2.0, 2.0]
    assert values["load", "sorts", ""] == [3.5, 3.5]
    assert values["time_model", "db_time", ""] == [0.5, 1.0]
    assert values["wait_class", "AAS", "User I/O"] == [0.25, 0.25]
    assert ("wait_class", "AAS", "Idle") not in values


def test_the_events_with_the_most_time_are_charted():
    values = cells(period_batches([hour(1)]))
    events = [wait for table, _, wait in values if table == "wait_event"]
    assert len(events) == 10
    assert {"event 12", "event 03"} < set(events)
    assert values["wait_event", "AAS", "event 12"] == [0.12]


@pytest.mark.parametrize(
    "spoilt",
    [
        replace(hour(1), faults=(Fault.RESTART,)),
        replace(hour(1), faults=(Fault.NEGATIVE,)),
        replace(hour(1), elapsed_s=None),
        replace(hour(1), end=moment(1, time_ns=None)),
        counters(moment(1), load=[{"name": "commits", "total": 5}]),
    ],
)
def test_what_is_no_valid_period_is_never_charted(spoilt):
    assert period_batches([spoilt]) == []
    assert cells(period_batches([spoilt, hour(2)])) == cells(period_batches([hour(2)]))


def test_figures_since_the_start_stay_out_of_statistics():
    assert period_batches([replace(hour(1), faults=(Fault.SINCE_START,))])[0].since_boot.tolist() == [True]


def test_databases_that_share_a_capture_are_told_apart():
    other = replace(ORACLE, instance="orcl2")
    (load, *_) = period_batches([hour(1), hour(1, other), hour(2, other)])
    names = [dict(key.attributes)["database"] for key in load.series if key.native == "commits"]
    assert names == ["ORCL/orcl1", "ORCL/orcl2"]
    assert load.values.shape == (2, 4)
    assert np.isnan(load.values[1]).sum() == 2


def test_snapshots_become_periods_as_they_come():
    series, other = CounterSeries(), replace(ORACLE, db_id="9", name="OTHER")
    snapshots = [
        counters(moment(i), identity, load=[{"name": "commits", "total": 3600 * i * (i + 1)}])
        for i in range(3)
        for identity in (ORACLE, other)
    ]
    assert series.batches(snapshots[:2]) == []
    assert cells(series.batches(snapshots[2:4])) == {("load", "commits", ""): [2.0]}
    (batch,) = series.batches(snapshots[4:])
    assert batch.values.tolist() == [[4.0, 4.0]]


def os_time(**centiseconds):
    return [{"scope": "os", "name": f"{name}_TIME", "total": total} for name, total in centiseconds.items()]


def test_the_processors_of_the_host():
    """Figures of a real report on 12 processors over 1,440 minutes: busy and idle are all of that time but 0.2 %."""
    told = os_time(BUSY=1_490_571, IDLE=101_992_240, IOWAIT=3_310, NICE=81, SYS=511_948, USER=960_197)
    (batch,) = period_batches([period(activity=told)])
    shares = {key.native: batch.values[0, place] for place, key in enumerate(batch.series)}
    whole = 103_482_811
    assert (batch.table, {key.attributes for key in batch.series}) == ("host_cpu", {()})
    wanted = {"user": 960_278, "system": 511_948, "iowait": 3_310, "idle": 101_988_930}
    assert shares == pytest.approx({state: 100 * time / whole for state, time in wanted.items()})
    assert 100 - shares["idle"] - shares["iowait"] == pytest.approx(100 * 1_490_571 / whole), "all that was busy"


def test_processors_that_are_told_in_part():
    (batch,) = period_batches([period(activity=os_time(BUSY=25, IDLE=75))])
    assert [(key.native, value) for key, value in zip(batch.series, batch.values[0], strict=True)] == [("idle", 75)]
    assert period_batches([period(activity=os_time(USER=25))]) == [], "of what whole nobody says"
    assert period_batches([period(activity=[{"scope": "", "name": "BUSY_TIME", "total": 5}])]) == []


def test_a_restart_between_two_snapshots_is_a_hole():
    series = CounterSeries()
    series.batches([counters(moment(0), load=[{"name": "commits", "total": 9000}])])
    restarted = START_NS + HOUR_NS // 2
    ends = [counters(moment(i, started_ns=restarted), load=[{"name": "commits", "total": 3600 * i}]) for i in (1, 2)]
    (batch,) = series.batches(ends)
    assert (batch.times_ns.tolist(), batch.values.tolist()) == ([START_NS + 2 * HOUR_NS], [[1.0]])


@pytest.mark.parametrize("tool", ["awr", "statspack", "oracle", "tibero", "postgresql", "mysql", "mariadb"])
def test_every_column_has_a_metric(tool):
    catalogue = MetricCatalogue.load()
    headings = [
        *(("load", name) for name in LOAD_NAMES),
        *(("time_model", name) for name in TIME_NAMES),
        ("wait_class", "AAS"),
        ("wait_event", "AAS"),
    ]
    unknown = [h for h in headings if not catalogue.describe(tool, "linux", *h, {"database": "x", "wait": "y"}).metric]
    if tool in ("awr", "statspack", "oracle", "tibero"):
        headings = [("host_cpu", state) for state in ("user", "system", "iowait", "idle")]
        found = [catalogue.describe(tool, "linux", *heading, {}) for heading in headings]
        assert {(each.metric, each.unit) for each in found} == {("system.cpu.utilization", "%")}
    assert unknown == []
    assert {"database", "wait"} <= set(ATTRIBUTE_NAMES)
    reads = catalogue.describe(tool, "", "load", "physical_reads", {})
    assert (reads.metric, reads.unit, dict(reads.implied)) == (
        "db.server.blocks.io",
        "{block}/s",
        {"direction": "read"},
    )
