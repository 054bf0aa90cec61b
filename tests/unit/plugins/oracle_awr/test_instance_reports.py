"""Reports of one instance, 10.2 to 23ai: what is read is what the generator was given."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.made.awr import report, workload
from tunebench.sdk.databases import Fault, Reach

VERSIONS = ["10.2", "11.2", "12.2", "19c", "21c", "23ai"]
RELEASE = {
    "10.2": "10.2.0.5.0",
    "11.2": "11.2.0.4.0",
    "12.2": "12.2.0.1.0",
    "19c": "19.0.0.0.0",
    "21c": "21.0.0.0.0",
    "23ai": "23.0.0.0.0",
}
MODERN = VERSIONS[2:]


@pytest.mark.parametrize("version", VERSIONS)
def test_whose_and_when(one, seoul, version):
    made = report(version, rac=2)
    truth, found = made.truth, one(made)
    identity = found.identity
    assert (found.source, found.reach, found.faults) == ("awr_html", Reach.PERIOD, ())
    assert (identity.engine, identity.name, identity.db_id, identity.instance) == (
        "oracle",
        "ORCL",
        "1234567890",
        "orcl1",
    )
    assert (identity.version, identity.clustered, identity.instance_number) == (RELEASE[version], True, 1)
    assert (identity.host, identity.platform) == ("dbsrv01", "Linux x86 64-bit")
    assert (identity.cpu_count, identity.core_count, identity.socket_count) == (16, 8, 1)
    assert identity.memory_bytes == 62.75 * 1024**3
    assert (found.begin.time_ns, found.end.time_ns) == (seoul(truth.begin), seoul(truth.end))
    assert (found.begin.snapshot, found.end.snapshot) == (1000, 1001)
    assert (found.begin.sessions, found.end.sessions) == (120, 135)
    assert found.begin.started_ns == found.end.started_ns == seoul(truth.started)
    assert found.elapsed_s == pytest.approx(truth.elapsed_s, abs=0.31)  # minutes with two decimals
    assert found.db_time_s == truth.time_model["DB time"]
    assert identity.unique_name == ("ORCL_SEOUL" if version in MODERN else "")
    assert found.absent == (("wait_class",) if version == "10.2" else ())


@pytest.mark.parametrize("version", VERSIONS)
def test_time_model_and_waits(one, rows, version):
    made = report(version)
    truth, found = made.truth, one(made)
    times = rows(found, "time_model", "name")
    assert {name: row["time_s"] for name, row in times.items()} == {
        "sql_execution": truth.time_model["sql execute elapsed time"],
        "db_cpu": truth.time_model["DB CPU"],
        "parse": truth.time_model["parse time elapsed"],
        "hard_parse": truth.time_model["hard parse elapsed time"],
        "plsql_execution": truth.time_model["PL/SQL execution elapsed time"],
        "sequence_load": 0.81,
        "db_time": truth.time_model["DB time"],
        "background_time": truth.time_model["background elapsed time"],
        "background_cpu": truth.time_model["background cpu time"],
    }
    events = rows(found, "wait_event", "event", "ground")
    ground = "foreground" if version != "10.2" else ""
    for place, event in enumerate(truth.events):
        row = events.pop((event.name, ground))
        assert row["waits"] == event.waits
        listed = place < 9  # the short list has a decimal and the class, the long one neither
        assert row["time_s"] == (event.time_s if listed else round(event.time_s))
        assert row["wait_class"] == (event.wait_class if listed else "")
    assert {key: row["waits"] for key, row in events.items()} == {
        (e.name, "background"): e.waits for e in truth.background
    }
    assert found.table("wait_event").figure("timeouts").tolist() != []
    assert all(value != value for value in found.table("wait_event").figure("timeouts"))  # a percentage is no count


@pytest.mark.parametrize("version", VERSIONS[1:])
def test_wait_classes(one, rows, version):
    made = report(version)
    classes = rows(one(made), "wait_class", "wait_class", "ground")
    names = {event.wait_class for event in made.truth.events}
    assert set(classes) == {(name, "foreground") for name in names}  # processor time is no class
    for name in names:
        events = [event for event in made.truth.events if event.wait_class == name]
        assert classes[name, "foreground"]["waits"] == sum(event.waits for event in events)
        assert classes[name, "foreground"]["time_s"] == round(sum(event.time_s for event in events))


@pytest.mark.parametrize("version", VERSIONS)
def test_load_profile_has_exact_totals(one, rows, version):
    made = report(version)
    truth = made.truth
    load = rows(one(made), "load", "name")
    pairs = {
        "redo_bytes": "redo size",
        "logical_reads": "session logical reads",
        "physical_reads": "physical reads",
        "user_calls": "user calls",
        "parses": "parse count (total)",
        "hard_parses": "parse count (hard)",
        "executions": "execute count",
        "logons": "logons cumulative",
    }
    for name, statistic in pairs.items():
        assert load[name]["total"] == truth.activity[statistic]
        assert load[name]["per_second"] == round(truth.activity[statistic] / truth.elapsed_s, 1)
    assert load["redo_bytes"]["unit"] == "By"
    if version != "10.2":
        assert load["db_time"]["total"] == truth.db_time_s
        assert (load["db_time"]["native"], load["db_time"]["per_execution"]) == ("DB Time(s)", 0.0)


@pytest.mark.parametrize(
    ("label", "name", "unit", "per_second"),
    [
        ("SQL Work Area (MB):", "work_area_bytes", "By", 34.4 * 2**20),
        ("W/A MB processed:", "work_area_bytes", "By", 34.4 * 2**20),
        ("User logons:", "user_logons", "1", 34.4),
        ("Global Cache blocks received:", "cluster_blocks_received", "{block}", 34.4),
        ("Global Cache blocks served:", "cluster_blocks_served", "{block}", 34.4),
    ],
)
def test_rows_of_the_load_profile_that_some_versions_print(one, rows, label, name, unit, per_second):
    made = report("19c")
    found = one(replace(made, data=made.data.replace(b"SQL Work Area (MB):", label.encode())))
    row = rows(found, "load", "name")[name]
    assert (row["native"], row["unit"], row["per_second"]) == (label.rstrip(":"), unit, per_second)


@pytest.mark.parametrize("version", VERSIONS)
def test_statistics(one, rows, version):
    made = report(version)
    found, truth = one(made), made.truth
    activity = rows(found, "activity", "scope", "name")
    assert {name: activity["", name]["total"] for name in truth.activity} == dict(truth.activity)
    assert {name: activity["os", name]["total"] for name in truth.os_times} == dict(truth.os_times)
    assert activity["time_model", "Tablespace encryption elapsed time"]["total"] == 1.25
    states = rows(found, "state", "scope", "name")
    load = truth.os_states["LOAD"]
    assert (states["os", "LOAD"]["begin"], states["os", "LOAD"]["end"]) == (load if version != "10.2" else (3, 3))
    cache = states["cache", "Buffer Cache"]
    assert (cache["begin"], cache["end"], cache["unit"]) == (12_288 * 1024**2, 12_416 * 1024**2, "By")
    facts = rows(found, "fact", "scope", "name")
    assert facts["efficiency", "Redo NoWait %"]["value"] == "99.98"
    assert facts["cache", "Std Block Size"]["value"] == "8K"


@pytest.mark.parametrize("version", VERSIONS)
def test_files_pools_segments_parameters(one, rows, version):
    made = report(version)
    found, truth = one(made), made.truth
    io = rows(found, "io", "kind", "name", "file")
    for file in truth.files:
        for row in (io["tablespace", file.tablespace, ""], io["file", file.tablespace, file.file]):
            assert (row["reads"], row["writes"], row["waits"]) == (file.reads, file.writes, file.buffer_waits)
            assert row["read_avg_s"] == pytest.approx(file.read_ms / 1000)
            assert "read_time_s" not in row  # an average is not multiplied out
    for name, (gets, reads, writes, busy) in truth.pools.items():
        pool = io["buffer_pool", name, ""]
        assert (pool["gets"], pool["read_blocks"], pool["write_blocks"], pool["waits"]) == (gets, reads, writes, busy)
    segments = rows(found, "segment", "name", "statistic")
    for segment in truth.segments:
        row = segments[segment.name, "Logical Reads"]
        assert (row["owner"], row["kind"], row["tablespace"], row["value"]) == ("APP", "TABLE", "DATA", segment.value)
    parameters = rows(found, "parameter", "name")
    expected = {name: (begin, end or begin) for name, (begin, end) in truth.parameters.items()}
    if version != "10.2":
        expected["event"] = ("10046 trace, 10053 trace",) * 2
    assert {name: (row["begin"], row["end"]) for name, row in parameters.items() if name in expected} == expected


@pytest.mark.parametrize("version", VERSIONS[1:])
def test_io_by_function_keeps_rates_as_rates(one, rows, version):
    io = rows(one(report(version)), "io", "kind", "name")
    reads = io["function", "Direct Reads"]
    assert (reads["read_bytes"], reads["write_bytes"]) == (515_815 * 1024**2, 2.2 * 1024**4)
    assert (reads["reads_per_s"], reads["writes_per_s"], reads["waits"]) == (12.5, 3.25, 28_700)
    assert reads["wait_avg_s"] == pytest.approx(733.58e-6 if version != "11.2" else 0.73e-3)
    assert "reads" not in reads
    assert not any(name.startswith("TOTAL") for _, name in io)


def test_a_container_of_the_report(one):
    found = one(report("19c", pdb="SALES"))
    assert (found.identity.container, found.identity.label) == ("SALES", "ORCL/orcl1 (SALES)")


def test_containers_of_a_root(one, rows):
    made = report("19c", cdb=True)
    found = one(made)
    assert found.identity.container == ""
    statements = rows(found, "statement", "statement_id", "container")
    listed = {name for names in made.lists.values() for name in names}
    assert set(statements) == {(s.id, s.container) for s in made.truth.statements if s.id in listed}
    io = rows(found, "io", "kind", "name", "file")
    assert ("tablespace", "PDB1:DATA", "") in io
    assert {row["container"] for row in rows(found, "segment", "name").values()} == {"PDB1"}


@pytest.mark.parametrize("locale", ["de", "fr", "es", "ru", "ko", "ja"])
def test_languages(outcome, seoul, rows, locale):
    """The same figures, whatever the marks and months."""
    made, english = report(locale=locale), report(locale="en")
    (found,), (expected,) = outcome(made.data).records, outcome(english.data).records
    assert (found.begin, found.end, found.elapsed_s, found.db_time_s) == (
        expected.begin,
        expected.end,
        expected.elapsed_s,
        expected.db_time_s,
    )
    for name in ("statement", "time_model", "wait_event", "activity", "load"):
        assert found.tables[name] == expected.tables[name]
    comma = locale in ("de", "fr", "es", "ru")
    assert ("1.234,5" in outcome(made.data).ledger.locale) == comma


def test_korean_bytes(one, rows):
    made = report("11.2", locale="ko", encoding="cp949")
    found = one(made)
    texts = rows(found, "statement_text", "statement_id")
    for statement in made.truth.statements:
        if statement.text_available:
            assert texts[statement.id]["text"] == statement.text
    assert "영업.exe" in {row["module"] for row in rows(found, "statement", "statement_id").values()}
    assert "거래내역" in "".join(row["text"] for row in texts.values())


def test_rows_know_their_lines(one):
    made = report("19c", blank_lines=3)
    found, lines = one(made), made.data.decode().split("\n")
    for table in found.tables.values():
        for (key, *_), line in zip(table.keys(), table.lines.tolist(), strict=True):
            assert line > 0
            if table.name in ("statement", "statement_text", "plan"):
                assert key in lines[line - 1]
    assert found.first_line == 4


def test_no_host_no_title_is_lost(one):
    found = one(report("19c"))
    assert found.title == "AWR Report for DB: ORCL, Inst: orcl1, Snaps: 1000-1001"


def test_blank_cores_and_sockets(one):
    found = one(report("19c", workload=workload(cores=None, sockets=None)))
    assert (found.identity.cpu_count, found.identity.core_count, found.identity.socket_count) == (16, None, None)


def test_a_period_of_30_and_one_of_375_minutes(one):
    before = workload(minutes=30)
    after = before.later(minutes=375, factors={before.statements[0].id: {"elapsed_s": 0.5}})
    first, second = one(report(workload=before)), one(report(workload=after))
    assert (first.elapsed_s, second.elapsed_s) == (1800.0, 22_500.0)
    assert first.end == second.begin.__class__(
        second.begin.time_ns, second.begin.snapshot, second.begin.started_ns, sessions=135
    )


@pytest.mark.parametrize(
    ("given", "faults"),
    [
        ({"restarted": True}, (Fault.RESTART,)),
        ({"end_cpus": 64}, (Fault.CPU_COUNT,)),
        ({"parameters": {"cpu_count": ("16", "64")}}, (Fault.CPU_COUNT,)),
    ],
)
def test_faults_of_a_period(one, given, faults):
    found = one(report(workload=workload(**given)))
    assert found.faults == faults
    assert found.valid == (Fault.RESTART not in faults)


def test_tables_without_columns_of_ours_are_kept_as_printed(one, rows):
    table = (
        '<table summary="This table displays service statistics. It displays service names"><tr><th>Service Name</th><th>DB Time (s)</th></tr>'
        "<tr><td>orcl</td><td>41,307</td></tr><tr><td>SYS$USERS</td><td>1,333</td></tr></table>"
        '<table summary="This table displays system load statistics"><tr><th>CPUs</th><th>%User</th><th>%Idle</th></tr>'
        "<tr><td>112</td><td>2.3</td><td>97.4</td></tr></table>"
        '<table summary="This table displays IO profile"><tr><th>&#160;</th><th>Read+Write Per Second</th><th>Read per Second</th></tr>'
        "<tr><td>Total (MB):</td><td>532.8</td><td>530.8</td></tr></table>\nEnd of Report"
    )
    made = report("19c")
    found = rows(one(replace(made, data=made.data.replace(b"End of Report", table.encode()))), "fact", "scope", "name")
    assert {key: row["value"] for key, row in found.items() if key[0] in ("services", "host_cpu", "io_profile")} == {
        ("services", "orcl: DB Time (s)"): "41,307",
        ("services", "SYS$USERS: DB Time (s)"): "1,333",
        ("host_cpu", "CPUs"): "112",
        ("host_cpu", "%User"): "2.3",
        ("host_cpu", "%Idle"): "97.4",
        ("io_profile", "Total (MB): Read+Write Per Second"): "532.8",
        ("io_profile", "Total (MB): Read per Second"): "530.8",
    }


def test_states_that_are_no_totals(one, rows):
    table = (
        '<table summary="This table displays instance activity statistics with absolute values"><tr><th>Statistic</th><th>Begin Value</th>'
        "<th>End Value</th></tr><tr><td>session pga memory</td><td>1.157882826E+12</td><td>1.154290304E+12</td></tr>"
        "<tr><td>logons current</td><td>2,609</td><td>&#160;</td></tr></table>\nEnd of Report"
    )
    made = report("19c")
    states = rows(
        one(replace(made, data=made.data.replace(b"End of Report", table.encode()))), "state", "scope", "name"
    )
    memory, logons = states["", "session pga memory"], states["", "logons current"]
    assert (memory["begin"], memory["end"]) == (1.157882826e12, 1.154290304e12)
    assert (logons["begin"], logons["end"]) == (2609.0, 2609.0)


def test_classes_of_all_waits_count_where_those_of_the_foreground_are_missing(one, rows):
    made = report("19c", without=["Foreground Wait Class"])
    classes = rows(one(made), "wait_class", "wait_class", "ground")
    names = {event.wait_class for event in made.truth.events}
    assert set(classes) == {(name, "") for name in names}
    assert {row["waits"] for row in classes.values()} == {99.0}


def test_series_of_a_period(outcome, seoul):
    made = report("19c")
    truth = made.truth
    found = outcome(made.data)
    database = "ORCL/orcl1"
    assert {int(time) for batch in found.batches for time in batch.times_ns} == {seoul(truth.end)}
    (value,) = found.values("db_time", database=database)
    assert value == pytest.approx(truth.db_time_s / 3612.0)
    (value,) = found.values("user_calls", database=database)
    assert value == pytest.approx(truth.activity["user calls"] / 3612.0)
    (value,) = found.values("AAS", database=database, wait="Commit")
    assert value == pytest.approx(round(sum(e.time_s for e in truth.events if e.wait_class == "Commit")) / 3612.0)
    assert outcome(report("19c", workload=workload(restarted=True)).data).batches == ()
