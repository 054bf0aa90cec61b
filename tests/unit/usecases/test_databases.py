"""Which databases a run tells of, what lies between their snapshots, and one side of a comparison."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.store import cases
from tests.store.database_cases import IDENTITY, MINUTE_NS, counters, period, statements, store, table
from tunebench.core.errors import UserError
from tunebench.domain.cycle.records import Figure, Metric, StatementSource
from tunebench.domain.databases.records import DatabaseIdentity, Engine, Fault, Moment
from tunebench.domain.engagement import Direction, Phase, Statement
from tunebench.store import engagements, runs
from tunebench.store.databases import records as database_records
from tunebench.store.project import Project
from tunebench.store.removal import remove_artefact
from tunebench.usecases.cycle import evidence as cycle_evidence
from tunebench.usecases.cycle.figures import figure_of
from tunebench.usecases.databases.periods import PeriodSpan, period_spans, periods
from tunebench.usecases.databases.run_statements import read_statements
from tunebench.usecases.databases.sessions import of_range, session_history
from tunebench.usecases.databases.sides import Side, side
from tunebench.usecases.databases.snapshots import databases, find_database, pair_databases, snapshots


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with cases.new_project(tmp_path) as opened:
        yield opened


def figures(found: Side, column: str = "elapsed_s") -> dict[str, float]:
    """Of every statement the sum of its rows that report the figure."""
    assert found.record is not None
    rows = found.record.table("statement")
    sums: dict[str, float] = {}
    for name, value in zip(rows.text("statement_id"), rows.figure(column).tolist(), strict=True):
        sums[name] = sums.get(name, 0.0) + (0.0 if math.isnan(value) else value)
    return sums


def warnings(found: Side) -> list[str]:
    return [caution.key for caution in found.cautions]


def run_id(project: Project, label: str = "before") -> int:
    return runs.ensure_run(project, label, Phase.BEFORE).id


# -- databases -----------------------------------------------------------------------------------------


def test_records_of_one_database_find_each_other(project: Project) -> None:
    named = counters(0, statements(a=(1, 1.0)))
    without_id = replace(named, identity=replace(IDENTITY, db_id="", name="상담"))
    nameless = replace(named, identity=replace(IDENTITY, db_id="", name="", host=""))
    elsewhere = replace(named, identity=replace(IDENTITY, host="db2"))  # a standby: the same system identifier
    oracle = period(0, 60, statements(x=(1, 1.0)))
    store(project, nameless, named, without_id, elsewhere, oracle)
    found = {each.id: len(each.records) for each in databases(project)}
    assert found == {"postgresql:7302145@db1": 3, "postgresql:7302145@db2": 1, "oracle:7302145": 1}


def test_exports_that_name_nothing_are_parted_by_host_only(project: Project) -> None:
    nameless = replace(counters(0, statements(a=(1, 1.0))), identity=replace(IDENTITY, name="", db_id="", host=""))
    store(project, nameless, name="one.csv")
    store(project, replace(nameless, end=Moment(cases.START_NS + MINUTE_NS)), name="two.csv")
    (found,) = databases(project)
    assert (found.id, found.host, len(found.records)) == ("postgresql@db1", "db1", 2)  # the captures' host


def test_a_slow_log_without_its_heading_is_of_the_mariadb_on_its_host(project: Project) -> None:
    views = replace(
        counters(0, statements(a=(1, 1.0))),
        identity=DatabaseIdentity(Engine.MARIADB, "db1:3306", version="10.11.19", host="db1"),
    )
    log = replace(
        period(0, 60, statements(a=(1, 1.0)), "slow_log"), identity=DatabaseIdentity(Engine.MYSQL, host="db1")
    )
    elsewhere = replace(log, identity=DatabaseIdentity(Engine.MYSQL, host="db2"))
    mysql = replace(log, identity=DatabaseIdentity(Engine.MYSQL, version="8.4.3", host="db1"))
    store(project, log, views, elsewhere, mysql)
    found = {(each.identity.engine, each.host, each.identity.version): len(each.records) for each in databases(project)}
    assert found == {("mariadb", "db1", "10.11.19"): 2, ("mysql", "db2", ""): 1, ("mysql", "db1", "8.4.3"): 1}


def test_instances_and_pluggable_databases_are_apart(project: Project) -> None:
    base = period(0, 60, statements(a=(1, 1.0)))
    for container, instance in (("", "orcl1"), ("", "orcl2"), ("PDB1", "orcl1")):
        identity = replace(base.identity, container=container, instance=instance)
        store(project, replace(base, identity=identity), name=f"{container} {instance}")
    assert [each.id for each in databases(project)] == [
        "oracle:7302145:orcl1",
        "oracle:7302145:orcl2",
        "oracle:7302145:PDB1:orcl1",
    ]


def test_a_database_answers_to_its_names(project: Project) -> None:
    store(project, counters(0, {}), period(0, 60, {}))
    known = databases(project)
    assert find_database(known, "oracle:7302145").identity.engine == Engine.ORACLE
    with pytest.raises(UserError, match="database_unclear"):
        find_database(known, "상담")
    with pytest.raises(UserError, match="database_unclear"):
        find_database(known, "")
    with pytest.raises(UserError, match="database_unknown"):
        find_database(known, "ORCL")
    with pytest.raises(UserError, match="database_missing"):
        find_database([], "")


def test_a_migrated_database_is_compared_with_the_only_one_of_its_engine(project: Project) -> None:
    old, new = period(0, 60, {}), period(0, 60, {})
    store(project, old, counters(0, {}), run="before")
    store(project, replace(new, identity=replace(new.identity, db_id="99")), counters(0, {}), run="after")
    before, after = (databases(project, run_id(project, label)) for label in ("before", "after"))
    assert [(one.id, other.id) for one, other in pair_databases(before, after)] == [
        ("postgresql:7302145@db1", "postgresql:7302145@db1"),
        ("oracle:7302145", "oracle:99"),
    ]
    store(project, replace(new, identity=replace(new.identity, db_id="98")), run="after", name="third")
    after = databases(project, run_id(project, "after"))
    assert [one.id for one, _ in pair_databases(before, after)] == ["postgresql:7302145@db1"]  # two: nobody knows which


# -- snapshots and periods -----------------------------------------------------------------------------


def test_views_that_came_in_several_files_are_one_snapshot(project: Project) -> None:
    load = {"load": table("load", {"name": ["transactions"]}, total=[500.0])}
    more = {"load": table("load", {"name": ["wal_bytes"]}, total=[7.0])}
    for minute, name in ((0, "first"), (60, "second")):
        store(project, counters(minute, statements(a=(10 + minute, 1.0 + minute))), name=f"{name} statements.csv")
        store(project, counters(minute + 2, load, reset_ns=5), name=f"{name} database.csv")
        store(project, counters(minute + 3, more), name=f"{name} wal.csv")
    (found,) = databases(project)
    taken = snapshots(project, found)
    assert [len(each.parts) for each in taken] == [3, 3]
    assert taken[0].head.end == Moment(cases.START_NS, started_ns=cases.START_NS - 1440 * MINUTE_NS, reset_ns=5)
    both = side(project, 1)
    assert figures(both) == {"a": 60.0}
    assert both.record is not None
    assert set(both.record.table("load").text("name")) == {"transactions", "wal_bytes"}
    assert both.record.elapsed_s == 3600


@pytest.mark.parametrize(("minutes", "count"), [(4.99, 1), (5, 1), (5.01, 2), (10, 2)])
def test_views_up_to_five_minutes_after_the_first_are_of_its_snapshot(
    project: Project, minutes: float, count: int
) -> None:
    store(project, counters(0, statements(a=(1, 1.0))), name="statements.csv")
    load = {"load": table("load", {"name": ["transactions"]}, total=[500.0])}
    store(project, counters(minutes, load), name="database.csv")
    assert len(snapshots(project, databases(project)[0])) == count


def test_two_exports_of_one_view_are_two_snapshots_however_near(project: Project) -> None:
    store(project, counters(0, statements(a=(1, 1.0))), name="one.csv")
    store(project, counters(0.25, statements(a=(146, 3.5))), name="two.csv")
    assert len(snapshots(project, databases(project)[0])) == 2
    assert figures(side(project, 1)) == {"a": 2.5}


def test_a_run_of_snapshots_is_first_to_last(project: Project) -> None:
    store(project, *(counters(10 * n, statements(a=(5 + n, 1.5 * n))) for n in range(5)))
    found = side(project, 1)
    assert (figures(found), figures(found, "executions")) == ({"a": 6.0}, {"a": 4.0})
    assert found.record is not None
    assert (found.record.elapsed_s, found.cautions, len(found.used)) == (2400, (), 1)
    assert [each.length_s for each in periods(project, found.database)] == [600.0] * 4


def test_across_a_restart_nothing_is_subtracted(project: Project) -> None:
    restarted = cases.START_NS + 25 * MINUTE_NS
    later = [counters(30 + 10 * n, statements(a=(2 * n, 1.0 * n)), started_ns=restarted) for n in range(3)]
    store(project, *(counters(10 * n, statements(a=(100 + n, 50.0 + n))) for n in range(3)), *later)
    found = side(project, 1)
    assert figures(found) == {"a": 2.0 + 2.0}
    assert found.record is not None
    assert found.record.elapsed_s == 2 * 1200
    assert warnings(found)[:2] == ["period_in_parts", "period_left_out"]
    assert found.cautions[1].facts["faults"] == ["restart"]
    (gone,) = found.left_out
    assert (gone.begin_ns, gone.end_ns) == (cases.START_NS + 20 * MINUTE_NS, cases.START_NS + 30 * MINUTE_NS)
    assert [Fault.RESTART in each.record.faults for each in periods(project, found.database)] == [
        False,
        False,
        True,
        False,
        False,
    ]


def test_the_periods_of_all_databases_with_what_is_wrong_with_them(project: Project) -> None:
    restarted = cases.START_NS + 15 * MINUTE_NS
    store(project, *(counters(10 * n, statements(a=(5 + n, 1.5 * n))) for n in range(2)))
    store(project, counters(20, statements(a=(1, 1.0)), started_ns=restarted), name="later.csv")
    starts = [cases.START_NS + minutes * MINUTE_NS for minutes in (0, 10, 20)]
    first, second = period_spans(project)
    label = periods(project, databases(project)[0])[0].record.identity.label
    assert first == PeriodSpan(label, "db1", starts[0], starts[1], (), first.started_ns)
    assert (second.begin_ns, second.end_ns, second.started_ns) == (starts[1], starts[2], restarted)
    assert Fault.RESTART in second.faults


def test_two_snapshots_with_a_restart_between_them_say_nothing(project: Project) -> None:
    first = counters(0, statements(a=(100, 50.0)))
    store(project, first, counters(30, statements(a=(2, 1.0)), started_ns=cases.START_NS + 5 * MINUTE_NS))
    found = side(project, 1)
    assert found.record is None
    assert warnings(found) == ["period_left_out", "no_valid_period"]
    assert read_statements(project, 1) == []


def test_a_reset_that_no_moment_tells_is_found_in_the_counters(project: Project) -> None:
    load = [{"load": table("load", {"name": ["executions"]}, total=[total])} for total in (900.0, 950.0, 10.0, 40.0)]
    taken = [counters(10 * n, load[n]) for n in range(4)]
    store(project, *(replace(each, end=replace(each.end, started_ns=None)) for each in taken))
    found = side(project, 1)
    assert found.record is not None
    assert found.record.table("load").figure("total").tolist() == [50.0 + 30.0]
    assert len(found.left_out) == 1


def test_a_reset_of_the_statements_costs_only_what_they_did_before_it(project: Project) -> None:
    load = [{"load": table("load", {"name": ["transactions"]}, total=[100.0 * n])} for n in range(4)]
    reset = cases.START_NS + 15 * MINUTE_NS
    store(
        project,
        *(
            counters(10 * n, {**statements(a=(n + 1, 1.0 * n)), **load[n]}, reset_ns=5 if n < 2 else reset)
            for n in range(4)
        ),
    )
    found = side(project, 1)
    assert found.record is not None
    assert found.record.table("load").figure("total").tolist() == [300.0]
    assert figures(found) == {"a": 1.0 + 2.0 + 1.0}  # 0 to 1; from the reset to 2; 2 to 3
    assert "fault_reset" in warnings(found)


def test_where_statements_were_dropped_the_pieces_are_added_up(project: Project) -> None:
    tables = [
        statements(a=(10, 10.0), b=(5, 5.0)),
        statements(a=(20, 20.0), b=(9, 9.0)),
        statements(a=(30, 30.0)),
        statements(a=(40, 40.0), b=(2, 2.0)),
        statements(a=(50, 50.0), b=(3, 3.0)),
    ]
    store(project, *(counters(10 * n, each, evictions=0 if n < 2 else 7) for n, each in enumerate(tables)))
    found = side(project, 1)
    added = figures(found)
    assert added["a"] == 40.0
    assert added["b"] == 4.0 + 2.0 + 1.0  # 5 to 9; back on the list with 2; 2 to 3: what went before is not known
    assert "fault_evicted" in warnings(found)


@pytest.mark.parametrize(
    ("engine", "started", "reset", "minutes"),
    [
        (Engine.POSTGRESQL, -1440, 0, 600),
        (Engine.POSTGRESQL, 300, 0, 600),
        (Engine.POSTGRESQL, 300, None, None),
        (Engine.ORACLE, 300, None, 300),
        (Engine.MARIADB, 300, 0, 300),
        (Engine.MYSQL, 0, 300, 300),
    ],
)
def test_a_lone_snapshot_reaches_back_to_the_start_or_the_reset(
    project: Project, engine: Engine, started: int, reset: int | None, minutes: int | None
) -> None:
    """PostgreSQL keeps what it counted when it is restarted, the others begin anew."""
    reset_ns = None if reset is None else cases.START_NS + reset * MINUTE_NS
    lone = counters(600, statements(a=(7, 3.5)), started_ns=cases.START_NS + started * MINUTE_NS, reset_ns=reset_ns)
    store(project, replace(lone, identity=replace(IDENTITY, engine=engine)))
    found = side(project, 1)
    assert figures(found) == {"a": 3.5}
    assert found.record is not None
    elapsed_s = None if minutes is None else minutes * 60.0
    assert (found.record.elapsed_s, found.record.faults) == (elapsed_s, (Fault.SINCE_START,))
    assert warnings(found) == ["fault_since_start"]


def test_reports_are_added_up_but_not_twice_the_same_time(project: Project) -> None:
    first = store(project, period(0, 60, statements(a=(2, 10.0), b=(1, 1.0))), name="0900.html")
    second = store(project, period(60, 120, statements(a=(3, 20.0))), name="1000.html")
    store(project, period(0, 60, statements(a=(2, 10.0)), "awr_text"), name="0900.txt")
    found = side(project, 1)
    assert (figures(found)["a"], figures(found)["b"]) == (30.0, 1.0)
    assert found.record is not None
    assert found.record.elapsed_s == 7200
    assert warnings(found).count("period_overlaps") == 1
    assert [each.record.source for each in found.left_out] == ["awr_text"]
    assert set(found.artefacts["statement"]) == {first, second}


def test_tables_that_only_another_capture_of_the_time_has_are_taken_from_it(project: Project) -> None:
    store(project, period(0, 60, statements(a=(2, 10.0))), name="0900.html")
    waits = {"wait_event": table("wait_event", {"event": ["잠금 대기"]}, waits=[3.0], time_s=[2.0])}
    store(project, period(0, 60, waits, "statspack"), name="sp_1.lst")
    found = side(project, 1)
    assert found.record is not None
    assert found.record.table("wait_event").figure("time_s").tolist() == [2.0]
    assert (found.left_out, warnings(found)) == ((), [])


def test_waits_sampled_meanwhile_do_not_take_the_place_of_the_statements(project: Project) -> None:
    waits = {"wait_event": table("wait_event", {"event": ["Lock:tuple"]}, samples=[3.0])}
    sampled = replace(period(-0.1, 30.1, waits, "pg_stat_activity"), identity=IDENTITY)
    snapshots_of = [counters(30 * n, statements(a=(1 + n, 1.0 + n))) for n in range(2)]
    store(project, sampled, *snapshots_of)
    found = side(project, 1)
    assert found.record is not None
    assert (figures(found), found.record.elapsed_s, found.cautions) == ({"a": 1.0}, 1800, ())
    assert found.record.table("wait_event").figure("samples").tolist() == [3.0]


def test_samples_stand_for_their_intervals(project: Project) -> None:
    """Three rounds of 10 s lie 20 s apart and tell of the half minute between the snapshots."""
    facts = {"scope": ["pg_stat_activity"], "name": ["rounds"], "value": ["3"]}
    waits = {"wait_event": table("wait_event", {"event": ["Lock:tuple"]}, samples=[3.0]), "fact": table("fact", facts)}
    sampled = replace(period(0.01, 0.34, waits, "pg_stat_activity"), identity=IDENTITY)
    store(project, sampled, *(counters(n / 2, statements(a=(1 + n, 1.0 + n))) for n in range(2)))
    found = side(project, 1)
    assert found.record is not None and found.cautions == ()
    assert found.record.table("wait_event").figure("samples").tolist() == [3.0]


def test_slices_of_samples_beside_the_periods_are_not_spread_over_them(project: Project) -> None:
    """Three quarters of an hour were sampled, the first half hour was counted: what was seen later is not of it."""
    waits = [
        {"wait_event": table("wait_event", {"event": ["Lock:tuple"]}, samples=[seen])} for seen in (3.0, 4.0, 50.0)
    ]
    slices = [replace(period(15.0 * n, 15.0 * (n + 1), each, "pg_stat_activity"), identity=IDENTITY)
              for n, each in enumerate(waits)]  # fmt: skip
    store(project, *slices, *(counters(30 * n, statements(a=(1 + n, 1.0 + n))) for n in range(2)))
    found = side(project, 1)
    assert found.record is not None and found.cautions == ()
    assert (found.record.elapsed_s, found.record.table("wait_event").figure("samples").sum()) == (1800, 7.0)


def test_what_a_chosen_stretch_waited_for_is_of_its_own_slices_and_time(project: Project) -> None:
    rounds = table("fact", {"scope": ["pg_stat_activity"], "name": ["rounds"], "value": ["10"]})
    event = {"event": ["Lock:tuple"], "wait_class": ["Lock"]}
    waits = [{"fact": rounds, "wait_event": table("wait_event", event, samples=[seen])} for seen in (3.0, 4.0, 50.0)]
    slices = [replace(period(15.0 * n, 15.0 * (n + 1), each, "pg_stat_activity"), identity=IDENTITY)
              for n, each in enumerate(waits)]  # fmt: skip
    store(project, *slices, *(counters(20 * n, statements(a=(1 + n, 1.0 + n))) for n in range(3)))
    history = session_history(project, find_database(databases(project, 1), ""))
    assert history is not None
    whole, seen = of_range(project, history, 1, 2)
    assert seen.record is not None and whole.record is not None
    assert (seen.record.elapsed_s, seen.record.table("wait_event").figure("samples").sum()) == (1800, 54.0)
    assert len(whole.record.table("statement")) == 1


def test_a_list_of_all_statements_goes_before_one_that_ends_somewhere(project: Project) -> None:
    top = {"statement_list": table("statement_list", {"figure": ["elapsed_s"]}, rows=[1.0], least=[3.0])}
    store(project, period(0, 60, {**statements(a=(2, 10.0)), **top}, "slow_log"))
    views = (counters(30 * n, statements(a=(1 + n, 1.0 + n), b=(1 + n, 0.5 * n))) for n in range(2))
    store(project, *(replace(each, identity=replace(IDENTITY, engine=Engine.ORACLE)) for each in views))
    found = side(project, 1)
    assert (figures(found), warnings(found)) == ({"a": 1.0, "b": 0.5}, ["period_overlaps"])
    (only,) = databases(project, 1)
    assert only.sources == ("slow_log", "pg_stat_statements")
    assert figures(side(project, 1, source="slow_log")) == {"a": 10.0}
    with pytest.raises(UserError, match="database_without_source"):
        side(project, 1, source="awr_html")


def test_a_report_goes_before_counters_that_reach_back_to_the_start(project: Project) -> None:
    views = replace(counters(90, statements(a=(999, 999.0))), identity=replace(IDENTITY, engine=Engine.ORACLE))
    store(project, views, period(0, 60, statements(a=(2, 10.0))))
    found = side(project, 1)
    assert (figures(found), warnings(found)) == ({"a": 10.0}, ["period_overlaps"])


def test_an_invalid_report_is_left_out_and_named(project: Project) -> None:
    bad = period(60, 120, statements(a=(3, -4.0))).with_faults(Fault.RESTART)
    artefact_id = store(project, bad, name="1000.html")
    store(project, period(0, 60, statements(a=(2, 10.0))), name="0900.html")
    found = side(project, 1)
    assert figures(found) == {"a": 10.0}
    (caution,) = found.cautions
    assert (caution.key, caution.facts["artefact_id"], caution.facts["faults"]) == (
        "period_left_out",
        artefact_id,
        ["restart"],
    )


# -- for those who ask for statements ------------------------------------------------------------------


def test_statements_of_a_run_over_plans_and_users(project: Project) -> None:
    rows = table(
        "statement",
        {"statement_id": ["a", "b", "a"], "user": ["u", "u", "v"], "plan": ["1", "2", "3"], "module": ["m"] * 3},
        executions=[2, 5, 3],
        elapsed_s=[0.5, float("nan"), 0.25],
        block_gets=[float("nan")] * 3,
    )
    texts = table("statement_text", {"statement_id": ["a", "a"], "text": ["SELECT '힌트'", "other"]})
    artefact_id = store(project, counters(0, {"statement": rows, "statement_text": texts}))
    engagements.write_statements(project, 1, [Statement(1, "oracle", "by hand", "SELECT 2", elapsed_s=1.0)])
    store(project, counters(0, statements(c=(1, 1.0))), run="after")
    assert read_statements(project, 1) == [
        Statement(1, "postgresql", "a", "SELECT '힌트'", "m", "", 5, 0.75, artefact_id=artefact_id),
        Statement(1, "postgresql", "b", "", "m", "2", 5, artefact_id=artefact_id),
        Statement(1, "oracle", "by hand", "SELECT 2", elapsed_s=1.0),
    ]
    assert [each.statement_id for each in read_statements(project)] == ["a", "b", "by hand", "c"]


def test_statements_of_a_run_stay_apart_by_their_container(project: Project) -> None:
    """Figures of a real report: 986 executions in 1.75 s in one pluggable database, 3,836 executions in all four."""
    rows = table(
        "statement",
        {"statement_id": ["121ffmrc95v7g"] * 4, "container": ["PDB1", "PDB2", "PDB3", "PDB4"]},
        executions=[986, 950, 950, 950],
        elapsed_s=[1.75, float("nan"), float("nan"), float("nan")],
    )
    store(project, period(0, 60, {"statement": rows}))
    found = {each.key.reference: each.total_and_executions("elapsed_s") for each in read_statements(project, 1)}
    assert found["121ffmrc95v7g@PDB1"] == (1.75, 986)
    assert found["121ffmrc95v7g@PDB2"] is None and len(found) == 4
    with pytest.raises(UserError):
        cycle_evidence.statement(project, runs.list_runs(project)[0], "oracle", "121ffmrc95v7g@PDB5")
    for reference in ("121ffmrc95v7g@PDB2", "121ffmrc95v7g"):  # in one container, and whatever the container
        pinned = cycle_evidence.statement(project, runs.list_runs(project)[0], "oracle", reference)
        assert pinned.key == f"oracle:{reference}"


def test_figures_per_execution_are_of_the_reports_that_print_both(project: Project) -> None:
    """The list of times is in one report, the list of executions in both."""
    store(
        project,
        period(0, 60, {"statement": table("statement", {"statement_id": ["a"]}, executions=[10], elapsed_s=[5.0])}),
    )
    later = table("statement", {"statement_id": ["a"]}, executions=[90], block_gets=[180])
    store(project, period(60, 120, {"statement": later}), name="later.html")
    (found,) = read_statements(project, 1)
    assert (found.executions, found.elapsed_s, found.block_gets) == (100, 5.0, 180)
    assert found.total_and_executions("elapsed_s") == (5.0, 10)
    assert found.total_and_executions("block_gets") == (180, 90)
    assert found.total_and_executions("cpu_s") is None
    metric = Metric(
        1, 1, "q", StatementSource("elapsed_s", "oracle", "a", per_execution=True), "mean", "s", Direction.LOWER
    )
    figure = figure_of(project, metric, runs.list_runs(project)[0])
    assert isinstance(figure, Figure) and figure.value == 0.5  # not 5 s / 100


def test_a_cluster_and_its_instances_do_not_count_double(project: Project) -> None:
    """Reports of the cluster, of one instance in the same hour, and of the other in another hour."""
    base = period(0, 60, statements(a=(10, 50.0)))
    for instance, minute, executions in (("*", 0, 10), ("orcl1", 0, 6), ("orcl2", 120, 3)):
        one = period(minute, minute + 60, statements(a=(executions, 5.0 * executions)))
        store(project, replace(one, identity=replace(base.identity, instance=instance)), name=f"{instance}.html")
    found = read_statements(project, run_id(project))
    assert sorted((each.executions, each.elapsed_s) for each in found) == [(3, 15.0), (10, 50.0)]


def test_statements_that_did_nothing_between_the_snapshots_are_not_of_the_run(project: Project) -> None:
    idle = statements(idle=(5, 2.5), busy=(1, 1.0), left=(3, 3.0))
    store(project, counters(0, idle), counters(10, statements(idle=(5, 2.5), busy=(2, 2.0), new=(1, 0.5))))
    assert [(each.statement_id, each.elapsed_s) for each in read_statements(project, 1)] == [
        ("busy", 1.0),
        ("new", 0.5),
    ]


def test_statements_are_worked_out_again_when_something_changed(project: Project) -> None:
    artefact_id = store(project, counters(0, statements(a=(1, 1.0))))
    first = read_statements(project, 1)
    assert [each.elapsed_s for each in first] == [1.0]
    assert read_statements(project, 1)[0] is first[0]
    store(project, counters(10, statements(a=(4, 8.0))), name="later.csv")
    assert [each.elapsed_s for each in read_statements(project, 1)] == [7.0]
    remove_artefact(project, artefact_id)
    assert [each.elapsed_s for each in read_statements(project, 1)] == [8.0]
    for number in range(9):
        assert read_statements(project, 100 + number) == []


def test_captures_without_statements_are_not_read_for_them(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    store(project, counters(0, {"load": table("load", {"name": ["commits"]}, total=[1.0])}))
    monkeypatch.setattr(database_records, "filled", None)
    assert read_statements(project, 1) == []
