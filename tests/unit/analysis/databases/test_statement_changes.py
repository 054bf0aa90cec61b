"""What became of each statement, and what is not known of it."""

from __future__ import annotations

import time
from math import exp, log, sqrt

import numpy as np
import pytest

from tests.unit.analysis.databases.database_records import MYSQL, POSTGRES, moment, period
from tunebench.analysis.databases.combination import combined
from tunebench.analysis.databases.listing import set_apart
from tunebench.analysis.databases.matching import LinkMethod, ManualLink
from tunebench.analysis.databases.record import DatabaseRecord, FigureTable
from tunebench.analysis.databases.statement_changes import compare_statements
from tunebench.analysis.databases.statement_comparison import StatementClass
from tunebench.analysis.databases.statement_periods import NATURAL
from tunebench.analysis.databases.subtraction import period_between
from tunebench.analysis.inference.occurrences import Level, Prior, Source, change_between
from tunebench.analysis.inference.verdict import Verdict
from tunebench.domain.databases.records import Fault, Reach

MANY = 10**9
"""Executions that say what one costs to the fourth digit, whatever they differ by."""
SURE = Prior(1e-6)
"""For periods that would be alike to the last digit."""


def statement(name, executions, elapsed_s=None, **more):
    return {"statement_id": name, "executions": executions, "elapsed_s": elapsed_s, **more}


def compared(before, after, manual=(), old=None, new=None, **more):
    return compare_statements(
        period(statement=before, **old or {}), period(statement=after, **new or {}), manual, **more
    )


def of_periods(sides, pairs=(), **more):
    return compare_statements(
        combined(sides[0]), combined(sides[1]), periods=(sides[0], sides[1]), like=lambda: pairs, **more
    )


def ends_of(change):
    assert change.interval is not None
    return change.interval.low, change.interval.high


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
    sides = [[None if value is None else value * MANY for value in side] for side in (before, after)]
    found = compared([statement("a", *sides[0], block_gets=1)], [statement("a", *sides[1])], natural=SURE)
    assert found.outcomes == (outcome,)


def test_the_margin_is_a_ratio_in_both_directions():
    """5 %: a ratio above 1.05 either way."""
    for new, outcome in ((95.2, "improved"), (95.3, "equivalent"), (104.9, "equivalent"), (105.1, "regressed")):
        sides = [[statement("a", MANY, cost * MANY)] for cost in (100.0, new)]
        assert compared(*sides, natural=SURE).outcomes == (outcome,)
    sides = [[statement("a", MANY, cost * MANY)] for cost in (100.0, 95.2)]
    assert compared(*sides, margin=0.1, natural=SURE).outcomes == ("equivalent",)


def test_executions_are_compared_by_the_hour():
    """Twice as many in a period twice as long are as many."""
    sides = [statement("a", times * MANY, times * MANY) for times in (1, 2)]
    found = compared(sides[:1], sides[1:], new={"elapsed_s": 7200.0}, natural=SURE)
    assert found.outcomes == (StatementClass.EQUIVALENT,)
    assert found.decompositions["elapsed_s"].length == MANY  # the whole change of volume


def test_each_figure_is_judged_by_itself():
    found = compared(
        [statement("a", MANY, 10.0, cpu_s=1.0, block_gets=100, block_reads=0)],
        [statement("a", MANY, 5.0, cpu_s=2.0, block_gets=101)],
        natural=SURE,
    )
    changes = row(found, "a").changes
    assert {name: change.verdict for name, change in changes.items()} == {
        "elapsed_s": Verdict.IMPROVED,
        "cpu_s": Verdict.REGRESSED,
        "block_gets": Verdict.EQUIVALENT,
        "block_reads": None,
        "rows_examined": None,
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
    found = compared([statement("a", 999, 10.0, rows=rows[0])], [statement("a", 999, 5.0, rows=rows[1])])
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
            [statement("a", 1, 9.0, block_gets=5000), statement("b", 999, 8.0)],
            [statement("b", 999, 4.0, block_gets=900)],
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
        assert (lines.unlisted_after, lines.gone, lines.behaviour) == (-9.0, 0.0, -4.0)

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
    sides = [[statement("call", 999, t + 1.0), statement("inner", 999, t, module="nested")] for t in (9.0, 4.0)]
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
    assert found.totals["block_gets"].raw_ratio is None
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


class TestPeriods:
    """Several periods a side; costs per execution by hand, all of 100 executions."""

    @staticmethod
    def of(costs, **more):
        sides = [
            [
                period(hours=i + 1.0, statement=[statement("a", 100, 100.0 * cost, **more)])
                for i, cost in enumerate(side)
            ]
            for side in costs
        ]
        found = of_periods(sides)
        return row(found, "a").changes["elapsed_s"]

    def test_twenty_hours_that_do_not_overlap_are_better(self):
        chance = np.random.default_rng(3)
        found = self.of([chance.uniform(1.51, 2.23, 20), chance.uniform(0.93, 1.36, 20)])
        assert (found.verdict, found.reason) == (Verdict.IMPROVED, "")
        change, settled_by = found.judged
        assert (change.before, change.after, change.source, settled_by) == (20, 20, Source.MEASURED, None)
        assert found.interval.low < found.ratio < found.interval.high

    def test_the_verdict_is_that_of_the_engine(self):
        old, new = (1.0, 1.3, 1.1), (0.7, 0.9)
        levels = [[Level(log(cost), weight=100.0) for cost in side] for side in (old, new)]
        change = change_between(levels[0], levels[1], NATURAL)
        found = self.of([old, new])
        assert found.judged[0].sd == pytest.approx(change.sd, rel=1e-12)
        low, high = ends_of(change)
        assert ends_of(found) == pytest.approx((exp(-high), exp(-low)), rel=1e-12)

    def test_periods_that_waver_decide_nothing_and_say_what_would(self):
        found = self.of([(1.0, 2.0, 1.4), (0.8, 1.5, 1.1)])
        assert found.verdict is Verdict.INCONCLUSIVE
        assert found.judged[1] is None or found.judged[1].occurrences > 0

    def test_one_period_each_takes_the_variation_for_granted(self):
        assert self.of([(1.0,), (0.75,)]).verdict is Verdict.INCONCLUSIVE
        found = self.of([(1.0,), (0.25,)])
        assert (found.verdict, found.judged[0].source) == (Verdict.IMPROVED, Source.ASSUMED)

    def test_the_engines_own_deviation_says_more_than_a_guess(self):
        """100 executions of 1 s alike to a hundredth, then of 0.6 s that are not."""
        told = self.of([(1.0,), (0.6,)], elapsed_squares=100.01)
        unknown = self.of([(1.0,), (0.6,)])
        assert told.interval.high != unknown.interval.high
        assert told.judged[0].sd == pytest.approx(sqrt(0.01 + (0.0001 / 100 + 0.6401 / 0.36 / 100) / 2), rel=1e-9)

    def test_a_cost_that_is_nothing_at_times(self):
        assert self.of([(0.0, 0.0), (0.0, 0.0)]).verdict is Verdict.EQUIVALENT
        assert self.of([(0.0, 0.1, 0.0), (5.0, 5.2, 5.1)]).verdict is Verdict.REGRESSED
        assert self.of([(5.0, 5.2, 5.1), (0.0, 0.1, 0.0)]).verdict is Verdict.IMPROVED

    def test_periods_of_the_same_hours_are_compared_with_each_other(self):
        """Hours that differ by themselves, and a gain of a fifth in each, as a t test of five differences has it; the
        sixth hour has no like."""
        old = np.array([1.0, 2.0, 4.0, 3.0, 5.0])
        gains = np.array([0.80, 0.81, 0.79, 0.80, 0.82])
        order, sides = [2, 0, 1, 4, 3], [[], []]
        for side, costs in enumerate((old, (old * gains)[order])):
            sides[side] = [
                period(hours=i + 1.0, statement=[statement("a", 100, 100.0 * cost, elapsed_squares=100.0 * cost**2)])
                for i, cost in enumerate(costs)
            ]
        sides[1].append(period(hours=9.0, statement=[statement("a", 100, 900.0)]))
        pairs = [(one, order.index(one)) for one in range(5)]
        assert row(of_periods(sides), "a").outcome is StatementClass.INCONCLUSIVE
        found = of_periods(sides, pairs)
        assert row(found, "a").outcome is StatementClass.IMPROVED
        change, _ = row(found, "a").changes["elapsed_s"].judged
        assert (change.paired, change.before, change.after) == (True, 5, 5)
        steps, df = np.log(gains), 4 + 1
        assert change.difference == pytest.approx(steps.mean(), rel=1e-12)
        # no other statement repeats: what periods are taken to differ by counts as one more
        inside = np.mean([0.0] * 10)
        sd = sqrt((4 * steps.var(ddof=1) / 2 + NATURAL.sd**2 + inside) / df)
        assert (change.sd, change.df) == (pytest.approx(sd, rel=1e-9), df)
        assert row(of_periods(sides, pairs[:2]), "a").changes["elapsed_s"].judged[0].paired is False
        assert found.totals["elapsed_s"].change.paired

    def test_minutes_decide_nothing_and_say_so(self):
        """The reason stands where the verdict would; what was measured stays."""
        sides = [[period(hours=1.0, elapsed_s=3.0, statement=[statement("a", 900, cost)])] for cost in (90.0, 9.0)]
        found = of_periods(sides, least_s=600.0)
        change = row(found, "a").changes["elapsed_s"]
        assert (row(found, "a").outcome, change.reason) == (StatementClass.INSUFFICIENT_DATA, "short_period")
        assert change.ratio == pytest.approx(10.0)
        totals = found.totals["elapsed_s"]
        assert (totals.verdict, totals.reason, totals.fisher) == (
            Verdict.DESCRIPTIVE_ONLY,
            "short_period",
            pytest.approx(10.0),
        )
        assert row(of_periods(sides, least_s=3.0), "a").outcome is StatementClass.IMPROVED

    def test_three_executions_are_too_little(self):
        found = compared([statement("a", 3, 300.0)], [statement("a", 300, 3.0)])
        change = row(found, "a").changes["elapsed_s"]
        assert (found.outcomes, change.reason) == ((StatementClass.INSUFFICIENT_DATA,), "few_executions")


@pytest.mark.parametrize("periods", [1, 3])
def test_the_same_work_again_is_not_called_better_or_worse(periods):
    """45 statements whose costs differ by 10 % from period to period, 40 times over."""
    called = 0
    for seed in range(40):
        chance = np.random.default_rng(seed)
        cost, runs = chance.lognormal(-4, 1.5, 45), chance.lognormal(6, 1.5, 45)
        sides = [
            [period(hours=i + 1.0, statement=_drawn(chance, cost, runs)) for i in range(periods)] for _ in range(2)
        ]
        found = of_periods(sides)
        called += sum(outcome in ("improved", "regressed") for outcome in found.outcomes)
    assert called <= 0.01 * 40 * 45  # measured: 2 of one period a side, 0 of three


def _drawn(chance, cost, runs):
    executions = np.maximum(chance.poisson(runs * chance.lognormal(0, 0.3)), 1).astype(float)
    costs = cost * chance.lognormal(0, 0.07) * chance.lognormal(0, 0.07, len(cost))
    elapsed = chance.gamma(executions, costs)  # each execution of exponential length
    squares = elapsed**2 / executions + executions * costs**2
    columns = zip(executions.tolist(), elapsed.tolist(), squares.tolist(), strict=True)
    return [statement(f"s{i}", e, t, elapsed_squares=q) for i, (e, t, q) in enumerate(columns)]


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


def test_statements_of_the_capture_itself_are_counted_beside_the_workload():
    facts = [("pg_stat_statements", "statements_of_tunebench", "30"), ("server", "monitor", "t")]
    told = period(fact=[{"scope": scope, "name": name, "value": value} for scope, name, value in facts])
    assert set_apart(told) == 30
    assert set_apart(period(fact=[{"scope": "server", "name": "monitor", "value": "t"}])) is None
