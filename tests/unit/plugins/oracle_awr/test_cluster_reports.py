"""Reports of all instances of a cluster: one record of the cluster, one of each instance."""

from __future__ import annotations

import pytest

from tests.made.awr import report, workload
from tests.made.awr.model import FIGURES
from tunebench.sdk.databases import Fault

PRINTED = set(FIGURES) - {"parse_calls", "sharable_bytes", "version_count"}


@pytest.fixture(scope="module")
def made():
    return report("19c", scope="global", rac=3)


@pytest.fixture(scope="module")
def records(outcome, made):
    return outcome(made.data).records


def test_the_cluster_and_its_instances(made, records, seoul):
    cluster, *instances = records
    assert [(one.source, one.identity.instance, one.identity.clustered) for one in records] == [
        ("awr_global_html", name, True) for name in ("*", "orcl1", "orcl2", "orcl3")
    ]
    assert (cluster.identity.name, cluster.identity.db_id, cluster.identity.version) == (
        "ORCL",
        "1234567890",
        "19.0.0.0.0",
    )
    assert (cluster.begin.snapshot, cluster.end.snapshot) == (1000, 1001)
    for truth, found in zip(made.instances, instances, strict=True):
        assert (found.identity.host, found.identity.instance_number) == (truth.host, truth.instance_number)
        assert (found.identity.cpu_count, found.identity.core_count, found.identity.memory_bytes) == (
            16,
            8,
            62.75 * 1024**3,
        )
        minute = truth.begin.replace(second=0)
        assert (found.begin.time_ns, found.begin.snapshot) == (seoul(minute), 1000)
        assert found.end.started_ns == seoul(truth.started)
        assert found.db_time_s == truth.db_time_s
    assert cluster.begin.time_ns == min(one.begin.time_ns for one in instances)
    assert cluster.db_time_s == made.truth.db_time_s
    assert cluster.elapsed_s == pytest.approx(made.truth.elapsed_s, abs=0.31)
    assert [one.faults for one in records] == [()] * 4
    assert [one.absent for one in records] == [()] * 4


def test_statements_of_the_cluster_have_all_figures(made, records, rows):
    found = rows(records[0], "statement", "statement_id")
    by_id = {statement.id: statement for statement in made.truth.statements}
    assert set(found) == {name for names in made.lists.values() for name in names}
    for name, row in found.items():
        assert {figure: row[figure] for figure in PRINTED} == {figure: by_id[name].figure(figure) for figure in PRINTED}
        assert row["seen_in"].split() == [one for one, names in made.lists.items() if name in names]
    lists = rows(records[0], "statement_list", "figure")
    assert lists["block_gets"]["least"] == min(by_id[name].block_gets for name in made.lists["gets"])
    assert lists["block_gets"]["covered_pct"] == 87.5
    assert not any(one.tables.get("statement") for one in records[1:])


def test_the_time_in_programs_is_a_statistic_of_each_instance(outcome, made, rows):
    """A sum of three lines of the time model, printed as one: 1.00 s of each here, in the place of another column."""
    printed = made.data.replace(b"bg CPU (s)", b"PL/SQL Ela (s)")
    assert printed != made.data
    for found in outcome(printed).records:
        assert rows(found, "activity", "scope", "name")["time_model", "PL/SQL Ela"]["total"] == 1.0
        assert "background_cpu" not in rows(found, "time_model", "name")


def test_times_and_waits_by_instance(made, records, rows):
    for truth, found in zip((made.truth, *made.instances), records, strict=True):
        times = rows(found, "time_model", "name")
        assert (times["db_time"]["time_s"], times["db_cpu"]["time_s"]) == (truth.db_time_s, truth.db_cpu_s)
        assert "background_time" not in times  # blank
        events = rows(found, "wait_event", "event", "ground")
        assert {name: (row["waits"], row["time_s"]) for (name, _), row in events.items()} == {
            event.name: (event.waits, event.time_s) for event in truth.events
        }
        assert {row["wait_class"] for row in events.values()} == {event.wait_class for event in truth.events}


def test_wait_classes_by_instance(made, records, rows):
    for truth, found in zip(made.instances, records[1:], strict=True):
        classes = rows(found, "wait_class", "wait_class")
        for name in ("User I/O", "System I/O", "Concurrency", "Application", "Configuration"):
            seconds = sum(event.time_s for event in truth.events if event.wait_class == name)
            assert classes[name]["time_s"] == pytest.approx(round(seconds, 2))
        assert "DB CPU" not in classes


def test_parameters_of_all_and_of_one(records, rows):
    found = rows(records[0], "parameter", "name", "scope")
    assert {key: (row["begin"], row["end"]) for key, row in found.items()} == {
        ("cpu_count", ""): ("16", "16"),
        ("instance_number", "1"): ("1", "1"),
        ("instance_number", "2"): ("2", "2"),
        ("undo_retention", ""): ("900", "3600"),
    }


def test_totals_of_the_cluster(made, records, rows):
    activity = rows(records[0], "activity", "name")
    assert {name: activity[name]["total"] for name in made.truth.activity} == dict(made.truth.activity)


def test_processors_that_were_added(outcome):
    made = report("19c", scope="global", workload=workload(end_cpus=64))
    assert all(Fault.CPU_COUNT in record.faults for record in outcome(made.data).records)


def test_a_restart_of_one_instance_spoils_the_cluster(outcome):
    made = report("19c", scope="global", rac=2, workload=workload(restarted=True))
    assert [Fault.RESTART in record.faults for record in outcome(made.data).records] == [True, True, True]


def test_cut_off(outcome):
    for record in outcome(report("19c", scope="global", truncated=0.5).data).records:
        assert Fault.TRUNCATED in record.faults
    cluster = outcome(report("19c", scope="global", truncated=0.2).data).records[0]
    assert set(cluster.absent) == {"statement", "statement_list", "statement_text", "activity", "parameter"}


@pytest.mark.parametrize("locale", ["ko", "de"])
def test_languages(outcome, records, locale):
    found = outcome(report("19c", scope="global", rac=3, locale=locale).data).records
    assert [(one.begin, one.end, one.db_time_s) for one in found] == [
        (one.begin, one.end, one.db_time_s) for one in records
    ]
    assert found[0].tables["statement"] == records[0].tables["statement"]


def test_several_hosts_name_none_in_the_ledger(outcome, made):
    ledger = outcome(made.data).ledger
    assert (ledger.hostname, ledger.variant, ledger.tool_version) == ("", "RAC", "19.0.0.0.0")


def test_load_by_instance(made, records, rows):
    for truth, found in zip((made.truth, *made.instances), records, strict=True):
        load = rows(found, "load", "name")
        assert load["logical_reads"]["total"] == truth.activity["session logical reads"]
        assert load["executions"]["total"] == truth.activity["execute count"]
        assert load["redo_bytes"]["total"] == truth.activity["redo size"] // 1024 * 1024


def test_segments_of_the_cluster(made, records, rows):
    found = rows(records[0], "segment", "statistic", "name")
    assert {key: row["value"] for key, row in found.items()} == {
        (statistic, one.name): one.value
        for statistic in ("logical reads", "physical reads")
        for one in made.truth.segments
    }
    assert {row["tablespace"] for row in found.values()} == {"DATA"}


def test_other_headings_of_the_lists(outcome, made, records):
    text = made.data
    for old, new in (
        (b"Elapsed (s)", b"Elapsed Time (s)"),
        (b">Gets<", b">Buffer Gets<"),
        (b">Execs<", b">Executions<"),
    ):
        text = text.replace(old, new)
    assert outcome(text).records[0].tables["statement"] == records[0].tables["statement"]


def test_a_list_of_the_longest_waits_beside_that_of_all(outcome, made, records):
    start = made.data.index(
        b'<table border="0" class="tdiff" summary="This table displays foreground wait event information"'
    )
    end = made.data.index(b"</table>", start) + len(b"</table>")
    listed = made.data[start:end].replace(
        b"This table displays foreground wait event information", b"Top Timed Foreground Events. . x"
    )
    found = outcome(made.data[:start] + listed + made.data[start:]).records
    for one, expected in zip(found, records, strict=True):
        assert one.table("wait_event").keys() == expected.table("wait_event").keys()
