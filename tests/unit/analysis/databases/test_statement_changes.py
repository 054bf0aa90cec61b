"""What became of each statement, and what is not known of it."""

from __future__ import annotations

import time

import numpy as np
import pytest

from app.analysis.databases.matching import LinkMethod, ManualLink
from app.analysis.databases.record import DatabaseRecord, FigureTable
from app.analysis.databases.statement_changes import compare_statements
from app.analysis.databases.statement_comparison import FigureClass, StatementClass
from app.analysis.databases.subtraction import period_between
from app.domain.databases.records import Fault, Reach
from tests.unit.analysis.databases.database_records import MYSQL, POSTGRES, moment, period


def statement(name, executions, elapsed_s=None, **more):
    return {"statement_id": name, "executions": executions, "elapsed_s": elapsed_s, **more}


def compared(before, after, manual=(), old=None, new=None, **more):
    return compare_statements(
        period(statement=before, **old or {}), period(statement=after, **new or {}), manual, **more
    )


def row(found, name):
    return next(r for r in found.rows() if name in r.pair.before_ids + r.pair.after_ids)


@pytest.mark.parametrize(
    ("before", "after", "outcome"),
    [
        ((10, 10.0), (10, 5.0), StatementClass.IMPROVED),
        ((10, 10.0), (10, 20.0), StatementClass.REGRESSED),
        ((10, 10.0), (10, 10.4), StatementClass.EQUIVALENT),
        ((10, 10.0), (12, 12.0), StatementClass.VOLUME_CHANGED),
        ((10, 10.0), (5, 5.0), StatementClass.VOLUME_CHANGED),
        ((10, 10.0), (10, 0.0), StatementClass.IMPROVED),
        ((10, 0.0), (10, 1.0), StatementClass.REGRESSED),
        ((10, 0.0), (10, 0.0), StatementClass.EQUIVALENT),
        ((None, 10.0), (10, 5.0), StatementClass.NOT_MEASURED),
        ((0, 10.0), (10, 5.0), StatementClass.NOT_MEASURED),  # still running: no execution has ended
    ],
)
def test_classes_follow_the_time_per_execution(before, after, outcome):
    found = compared([statement("a", *before, block_gets=1)], [statement("a", *after)])
    assert found.outcomes == (outcome,)


def test_the_margin_is_a_ratio_in_both_directions():
    """5 %: a ratio above 1.05 either way."""
    for new, outcome in ((95.2, "improved"), (95.3, "equivalent"), (104.9, "equivalent"), (105.1, "regressed")):
        assert compared([statement("a", 1, 100.0)], [statement("a", 1, new)]).outcomes == (outcome,)
    assert compared([statement("a", 1, 100.0)], [statement("a", 1, 95.2)], margin=0.1).outcomes == ("equivalent",)


def test_executions_are_compared_by_the_hour():
    """Twice as many in a period twice as long are as many."""
    found = compared([statement("a", 10, 10.0)], [statement("a", 20, 20.0)], new={"elapsed_s": 7200.0})
    assert found.outcomes == (StatementClass.EQUIVALENT,)
    assert found.decompositions["elapsed_s"].length == 10.0  # the whole change of volume


def test_each_figure_is_judged_by_itself():
    found = compared(
        [statement("a", 10, 10.0, cpu_s=1.0, block_gets=100, block_reads=0)],
        [statement("a", 10, 5.0, cpu_s=2.0, block_gets=101)],
    )
    changes = row(found, "a").changes
    assert {name: change.outcome for name, change in changes.items()} == {
        "elapsed_s": FigureClass.IMPROVED,
        "cpu_s": FigureClass.REGRESSED,
        "block_gets": FigureClass.EQUIVALENT,
        "block_reads": FigureClass.NOT_MEASURED,
        "rows_examined": FigureClass.NOT_MEASURED,
    }
    reads = changes["block_reads"]
    assert (reads.before_total, reads.after_total, reads.ratio, reads.impact) == (0, None, None, None)
    assert "block_reads" not in found.net
    assert found.totals["block_reads"].fisher is None


def test_without_times_the_next_figure_that_both_sides_have_decides():
    found = compared([statement("a", 10, block_gets=1000)], [statement("a", 10, 3.0, block_gets=10)])
    assert (found.outcomes, found.judged_by) == ((StatementClass.IMPROVED,), ("block_gets",))


@pytest.mark.parametrize(
    ("rows", "outcome", "same"),
    [
        ((1000, 1009), "improved", True),
        ((1000, 1011), "changed_function", False),
        ((0, 0), "improved", True),
        ((0, 1), "changed_function", False),
        ((None, 5), "improved", None),
    ],
)
def test_another_number_of_rows_is_another_function(rows, outcome, same):
    found = compared([statement("a", 10, 10.0, rows=rows[0])], [statement("a", 10, 5.0, rows=rows[1])])
    assert (found.outcomes, row(found, "a").same_work) == ((outcome,), same)
    assert found.totals["elapsed_s"].statements == 1
    assert found.same_work_totals["elapsed_s"].statements == (1 if same else 0)


class TestOneSided:
    def test_in_lists_that_are_whole_statements_come_and_go(self):
        found = compared([statement("a", 1, 9.0)], [statement("b", 1, 2.0)])
        assert {r.pair.before_ids + r.pair.after_ids: r.outcome for r in found.rows()} == {
            ("a",): StatementClass.GONE,
            ("b",): StatementClass.NEW,
        }
        lines = found.decompositions["elapsed_s"]
        assert (lines.gone, lines.new, lines.change) == (-9.0, 2.0, -7.0)

    def test_what_a_list_of_the_largest_leaves_out_is_unknown_and_bounded(self):
        lists = [{"figure": "elapsed_s", "rows": 10, "least": 3.5}, {"figure": "block_gets", "rows": 10, "least": 800}]
        found = compared(
            [statement("a", 1, 9.0, block_gets=5000), statement("b", 1, 8.0)],
            [statement("b", 1, 7.0, block_gets=900)],
            new={"statement_list": lists},
            old={"statement_list": lists},
        )
        gone = row(found, "a")
        assert gone.outcome is StatementClass.UNKNOWN
        assert (gone.changes["elapsed_s"].after_bound, gone.changes["block_gets"].after_bound) == (3.5, 800)
        assert (gone.changes["elapsed_s"].ratio, gone.changes["elapsed_s"].impact) == (None, None)
        kept = row(found, "b")  # in the list by time, not in that by blocks
        assert (kept.outcome, kept.changes["block_gets"].before_bound) == (StatementClass.IMPROVED, 800)
        assert kept.changes["elapsed_s"].before_bound is None
        lines = found.decompositions["elapsed_s"]
        assert (lines.unlisted_after, lines.gone, lines.behaviour) == (-9.0, 0.0, -1.0)

    def test_a_figure_that_no_side_has_needs_no_bound(self):
        lists = [{"figure": "block_reads", "rows": 10, "least": 800}]
        found = compared([statement("a", 1, 9.0)], [], new={"statement_list": lists}, old={"statement_list": lists})
        reads = row(found, "a").changes["block_reads"]
        assert (reads.before_bound, reads.after_bound) == (None, None)

    def test_a_threshold_bounds_where_the_last_row_is_not_known(self):
        lists = [{"figure": "elapsed_s", "threshold_pct": 1.0}]
        found = compared([statement("a", 1, 9.0)], [], new={"statement_list": lists, "db_time_s": 200.0})
        assert row(found, "a").changes["elapsed_s"].after_bound == 2.0

    @pytest.mark.parametrize("fault", [Fault.EVICTED, Fault.TRUNCATED, Fault.PREPARED_UNSEEN, Fault.RESET])
    def test_a_list_with_gaps_tells_nothing_of_what_it_lacks(self, fault):
        found = compared([statement("a", 1, 9.0)], [statement("b", 1, 9.0)], new={"faults": (fault,)})
        assert (row(found, "a").outcome, row(found, "b").outcome) == (StatementClass.UNKNOWN, StatementClass.NEW)

    def test_what_is_listed_without_executions_did_not_run(self):
        found = compared([statement("a", 1, 9.0)], [statement("a", 0, 0.0)], new={"faults": (Fault.EVICTED,)})
        assert row(found, "a").outcome is StatementClass.GONE

    def test_a_report_without_its_lists_knows_nothing(self):
        assert compared([statement("a", 1, 9.0)], []).outcomes == (StatementClass.UNKNOWN,)


def test_the_rewritten_statement_is_compared_where_a_person_says_so():
    found = compared([statement("old", 4, 400.0)], [statement("new", 4, 4.0)], [ManualLink("old", "new", "Kim")])
    assert (found.outcomes, found.ratios["elapsed_s"].tolist()) == ((StatementClass.IMPROVED,), [100.0])
    assert found.pairs[0].method is LinkMethod.MANUAL


@pytest.mark.parametrize(
    ("plans", "changed"),
    [(("1", "1"), False), (("1", "2"), True), (("1", ""), None), (("", ""), None), (("0", "2"), None)],
)
def test_plans_change_only_where_both_sides_tell_them(plans, changed):
    found = compared([statement("a", 1, 1.0, plan=plans[0])], [statement("a", 1, 1.0, plan=plans[1])])
    assert row(found, "a").plan_changed is changed


def test_a_regression_in_one_schema_is_not_hidden_by_a_gain_in_another():
    """Measured on MariaDB: an index dropped in one schema and made in the other, the digest is the same."""
    found = compared(
        [statement("d", 40, 0.554, container="tenant_a"), statement("d", 40, 0.00312, container="tenant_b")],
        [statement("d", 40, 0.00136, container="tenant_a"), statement("d", 40, 0.4732, container="tenant_b")],
    )
    rows = {change.pair.container: change for change in found.rows()}
    assert (rows["tenant_a"].outcome, rows["tenant_b"].outcome) == (StatementClass.IMPROVED, StatementClass.REGRESSED)
    assert rows["tenant_b"].changes["elapsed_s"].ratio == pytest.approx(0.00312 / 0.4732)
    assert rows["tenant_b"].changes["elapsed_s"].impact == pytest.approx(0.4732 - 0.00312)
    assert found.net["elapsed_s"].regressions == pytest.approx(0.4732 - 0.00312)
    assert found.several_containers


def test_what_one_container_lists_as_idle_says_nothing_of_another():
    """The list is of the top statements: that it names the id in PDB1 with no executions does not tell of PDB2."""
    listed = [{"figure": "elapsed_s", "rows": 2, "least": 1.0}]
    idle = [statement("d", 0, 0.0, container="PDB1"), statement("e", 4, 4.0, container="PDB2")]
    found = compared(
        idle,
        [statement("d", 5, 5.0, container="PDB1"), statement("d", 5, 5.0, container="PDB2")],
        old={"statement_list": listed},
    )
    outcomes = {change.pair.after[0].reference: change.outcome for change in found.rows() if change.pair.after}
    assert outcomes == {"d@PDB1": StatementClass.NEW, "d@PDB2": StatementClass.UNKNOWN}


def test_rows_of_plans_and_users_are_one_statement_and_containers_where_a_side_tells_none():
    found = compared(
        [statement("a", 10, 5.0, plan="1", container="X"), statement("a", 30, 5.0, plan="2", container="Y")],
        [statement("a", 40, 2.0, plan="2")],
    )
    assert (found.before.each("elapsed_s").tolist(), found.ratios["elapsed_s"].tolist()) == ([0.25], [5.0])
    assert row(found, "a").before_plans == ("1", "2")


def test_coverage_is_of_db_time_and_of_what_was_compared():
    found = compared(
        [statement("a", 1, 30.0), statement("b", 1, 10.0)],
        [statement("a", 1, 20.0)],
        old={"db_time_s": 80.0},
        new={"statement_list": [{"figure": "elapsed_s", "covered_pct": 49.7}]},
    )
    coverage = found.coverage
    assert (coverage.before_pct, coverage.after_pct) == (50.0, 49.7)
    assert (coverage.compared_before_pct, coverage.compared_after_pct) == (75.0, 100.0)


def test_what_runs_inside_of_others_is_compared_but_not_added_up():
    """The function's 10 s hold the 9 s of its statement."""
    sides = [[statement("call", 1, t + 1.0), statement("inner", 5, t, module="nested")] for t in (9.0, 4.0)]
    found = compared(sides[0], sides[1], old={"db_time_s": 20.0})
    assert set(found.outcomes) == {StatementClass.IMPROVED}
    assert row(found, "inner").changes["elapsed_s"].impact == -5.0
    assert (found.totals["elapsed_s"].all_before, found.totals["elapsed_s"].statements) == (10.0, 1)
    assert (found.net["elapsed_s"].net, found.decompositions["elapsed_s"].change) == (5.0, -5.0)
    assert found.coverage.before_pct == 50.0


def test_partial_totals_are_marked():
    found = compared([statement("a", 1, 1.0, seen_in="partial")], [statement("a", 1, 1.0, seen_in="elapsed gets")])
    assert row(found, "a").partial == (True, False)


def test_periods_that_are_not_valid_are_not_compared():
    with pytest.raises(ValueError, match="valid"):
        compared([], [], new={"faults": (Fault.RESTART,)})


def test_nothing_against_nothing():
    found = compare_statements(period(), period())
    assert (len(found), found.similarity, found.net) == (0, None, {})
    assert found.totals["elapsed_s"].all_before is None


def test_mysql_has_no_blocks_and_the_comparison_says_so():
    old, new = (period(MYSQL, statement=[statement("d", 100, t, rows_examined=2_000_000)]) for t in (2.177, 0.211))
    found = compare_statements(old, new)
    assert found.totals["block_gets"].all_ratio is None
    assert found.totals["elapsed_s"].fisher == pytest.approx(2.177 / 0.211)


def test_the_measured_pgbench_case():
    """PostgreSQL 15, pgbench with and without its primary key: calls, ms and blocks per call as its view gave them."""
    measured = {
        "UPDATE pgbench_accounts": (257.7, 0.043, 16_401, 10.3), "SELECT abalance": (143.4, 0.007, 16_397, 4.7),
        "UPDATE pgbench_tellers": (0.143, 0.077, 3.0, 3.1), "UPDATE pgbench_branches": (0.011, 0.456, 3.0, 3.8),
    }  # fmt: skip
    sides = [
        period(
            POSTGRES,
            15.0,
            statement=[
                statement(name, calls, calls * figures[place] / 1000, rows=calls, block_gets=calls * figures[place + 2])
                for name, figures in measured.items()
            ],
        )
        for place, calls in enumerate((145, 11_913))
    ]
    found = compare_statements(sides[0], sides[1])
    assert {r.pair.before_ids[0]: r.outcome for r in found.rows()} == {
        "UPDATE pgbench_accounts": "improved",
        "SELECT abalance": "improved",
        "UPDATE pgbench_tellers": "improved",
        "UPDATE pgbench_branches": "regressed",
    }
    assert found.pairs[0].before_ids == ("UPDATE pgbench_accounts",)  # by impact, not by per cent
    assert found.net["elapsed_s"].regressions == pytest.approx(11.913 * (0.456 - 0.011))
    branches = row(found, "UPDATE pgbench_branches").changes
    assert branches["block_gets"].ratio == pytest.approx(3.0 / 3.8)
    lines = found.decompositions["elapsed_s"]
    assert lines.volume + lines.behaviour == pytest.approx(lines.change, rel=1e-9)
    assert lines.behaviour < 0 < lines.volume  # more work, and much cheaper


def test_a_hundred_thousand_statements_take_seconds():
    count = 100_000
    names = tuple(f"{place:013d}" for place in range(count))
    chance = np.random.default_rng(1)

    def snapshot(hours: int, executions, elapsed_s):
        lines = np.arange(1, count + 1)
        figures = {"executions": executions, "elapsed_s": elapsed_s, "block_gets": executions * 7}
        of_tables = {"statement": FigureTable("statement", {"statement_id": names}, figures, lines)}
        return DatabaseRecord("views", Reach.COUNTERS, POSTGRES, moment(hours), tables=of_tables)

    steps = [chance.integers(1, 100, count).astype(float) for _ in range(3)]
    ends = [snapshot(i, sum(steps[: i + 1]), sum(steps[: i + 1]) / 10) for i in range(3)]
    started = time.process_time()
    found = compare_statements(period_between(ends[0], ends[1]), period_between(ends[1], ends[2]))
    assert time.process_time() - started < 8  # measured: 1.5
    assert len(found) == count
    assert found.totals["block_gets"].fisher == pytest.approx(1.0)
