"""All statements together: index numbers, intervals, net effect, decomposition."""

from __future__ import annotations

from fractions import Fraction
from math import exp, log, sqrt

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.unit.analysis.databases.database_records import period
from tunebench.analysis.databases.combination import combined
from tunebench.analysis.databases.statement_changes import compare_statements
from tunebench.analysis.databases.statement_periods import NATURAL
from tunebench.analysis.databases.workload import judged
from tunebench.analysis.inference.occurrences import Level, Source, change_between
from tunebench.analysis.inference.verdict import Interval, Verdict

# Five statements: executions and seconds each, before and after (reference case "SQL workload", computed with R).
BEFORE = [(120, 1.9), (4000, 0.012), (35, 4.4), (900, 0.09), (15, 9.5)]
AFTER = [(130, 0.21), (5200, 0.011), (30, 0.35), (850, 0.1), (16, 0.62)]


def side(work, **more):
    return period(
        statement=[
            {"statement_id": f"s{i}", "executions": e, "elapsed_s": e * t, "rows": e} for i, (e, t) in enumerate(work)
        ],
        **more,
    )


def compared(before, after, **more):
    return compare_statements(side(before), side(after), **more)


def test_the_reference_workload():
    found = compared(BEFORE, AFTER)
    totals = found.totals["elapsed_s"]
    assert totals.raw_ratio == pytest.approx(3.4409224936815503, rel=1e-9)
    assert totals.laspeyres == pytest.approx(3.615491009681881, rel=1e-9)
    assert totals.paasche == pytest.approx(3.527274641954507, rel=1e-9)
    assert totals.fisher == pytest.approx(3.571110437478152, rel=1e-9)
    assert totals.geometric_mean == pytest.approx(4.432577982465303, rel=1e-9)
    assert totals.volume_effect == pytest.approx(3.4409224936815503 / 3.571110437478152, rel=1e-9)
    assert found.similarity == pytest.approx(0.9516383413436417, rel=1e-9)
    assert "regressed" not in found.outcomes, "0.09 against 0.1 s, of one period each"
    assert (totals.statements, totals.verdict, totals.reason) == (5, Verdict.IMPROVED, "")


@pytest.mark.parametrize(
    ("figure", "old", "new", "ratio", "reduction_pct"),
    [
        ("elapsed_s", 590.997, 33.17, 17.817214350316547, 94.38745035930809),
        ("block_gets", 37_539_159, 841_817, 44.593016059309804, 97.75749637864823),
    ],
)
def test_the_published_success_case(figure, old, new, ratio, reduction_pct):
    """One execution each: the ratio of totals is that at equal executions."""
    ends = [period(statement=[{"statement_id": "a", "executions": 1, figure: value}]) for value in (old, new)]
    found = compare_statements(ends[0], ends[1])
    totals, net = found.totals[figure], found.net[figure]
    assert (totals.raw_ratio, totals.fisher) == pytest.approx((ratio,) * 2, rel=1e-12)
    assert net.pct(net.net) == pytest.approx(reduction_pct, rel=1e-12)
    assert (totals.verdict, found.row(0).outcome) == (Verdict.INCONCLUSIVE, "insufficient_data")


def test_executions_alone_change_the_raw_ratio_but_not_the_one_at_equal_executions():
    """The measured pgbench case: 82 times the executions, and each much faster."""
    found = compared([(145, 0.2577), (145, 0.1434)], [(11_913, 0.000043), (11_913, 0.000007)])
    totals = found.totals["elapsed_s"]
    assert totals.fisher == pytest.approx((0.2577 + 0.1434) / 0.00005, rel=1e-9)
    assert totals.volume_effect == pytest.approx(145 / 11_913, rel=1e-9)
    assert found.similarity == pytest.approx(1.0)


def test_net_is_improvements_minus_regressions_and_what_is_undecided_at_the_executions_it_is_valued_at():
    """The first saves 6 s of each of the 1000 executions that there were before, not of the 2000 after."""
    found = compared([(1000, 10.0), (1000, 1.0), (1000, 5.0)], [(2000, 4.0), (1000, 3.0), (1000, 5.1)])
    net = found.net["elapsed_s"]
    assert (net.basis, net.after) == (10_000 + 1000 + 5000, 4000 + 3000 + 5100)
    assert (net.improvements, net.regressions, net.others) == (6000, 2000, pytest.approx(100.0))
    assert net.net == pytest.approx(net.improvements - net.regressions - net.others)
    assert net.without_regressions == 10_100
    assert (net.ratio, net.ratio_without_regressions) == pytest.approx((160 / 121, 160 / 101))
    assert sum(row.workload_pct or 0 for row in found.rows()) == pytest.approx(net.pct(net.net))


def test_a_statement_has_an_impact_on_itself_and_on_the_work():
    """Oracle's example: 10 s to 1 s is 90 % (10 times) of the statement; 18 s to 9 s of all is 50 % (2 times)."""
    found = compared([(1, 10.0), (1, 8.0)], [(1, 1.0), (1, 8.0)])
    first = found.row(0)
    assert (first.changes["elapsed_s"].ratio, first.workload_pct) == pytest.approx((10, 50))
    assert found.totals["elapsed_s"].fisher == pytest.approx(2)
    assert found.row(1).workload_pct == 0


def test_a_mix_that_is_another_gets_no_verdict():
    old = [(1000, 1.0)] * 4 + [(1, 1.0)] * 6
    new = [(1, 0.5)] * 4 + [(1000, 0.4)] * 6
    totals = compared(old, new).totals["elapsed_s"]
    assert (totals.verdict, totals.reason) == (Verdict.NOT_COMPARABLE, "mix_differs")


def of_periods(sides):
    return compare_statements(combined(sides[0]), combined(sides[1]), periods=(sides[0], sides[1]))


def ends_of(change):
    assert change.interval is not None
    return change.interval.low, change.interval.high


class TestPeriods:
    @staticmethod
    def of(before, after):
        """Periods of one statement of 1000 executions, by its cost in each."""
        sides = [[side([(1000, cost)], hours=i + 1.0) for i, cost in enumerate(costs)] for costs in (before, after)]
        found = of_periods(sides)
        return found.totals["elapsed_s"]

    def test_one_period_each_is_as_sure_as_periods_are_alike_for_all_that_is_known(self):
        """One statement: that of the engine, the executions taken to be of exponential length."""
        totals = self.of([3.0], [1.0])
        level = [Level(log(cost), 0.001) for cost in (3.0, 1.0)]
        change = change_between(level[:1], level[1:], NATURAL)
        assert totals.change.source is Source.ASSUMED
        low, high = ends_of(change)
        assert ends_of(totals) == pytest.approx((exp(-high), exp(-low)), rel=1e-12)
        assert totals.verdict is Verdict.IMPROVED

    def test_periods_are_left_out_one_by_one(self):
        """The jackknife of a mean is the mean: of one statement with equal executions that of the costs."""
        before, after = np.array([1.5, 2.2, 1.9, 1.7]), np.array([1.0, 1.3, 0.9])
        totals = self.of(before, after)
        jack = []
        for costs, theta in ((before, log(before.mean())), (after, log(after.mean()))):
            k = len(costs)
            left = [log((costs.sum() - cost) / (k - 1)) for cost in costs]
            pseudo = [k * theta - (k - 1) * each for each in left]
            jack.append([theta + each - sum(pseudo) / k for each in pseudo])
        change = change_between([Level(value) for value in jack[0]], [Level(value) for value in jack[1]], NATURAL)
        assert totals.fisher == pytest.approx(before.mean() / after.mean())
        assert (totals.change.sd, totals.change.difference) == pytest.approx((change.sd, change.difference), rel=1e-9)
        assert (totals.change.before, totals.change.after, totals.verdict) == (4, 3, Verdict.IMPROVED)

    def test_swapping_the_sides_inverts_the_interval(self):
        one, other = self.of([1.5, 2.2, 1.9], [1.0, 1.3]), self.of([1.0, 1.3], [1.5, 2.2, 1.9])
        low, high = ends_of(one)
        assert (1 / high, 1 / low) == pytest.approx(ends_of(other), rel=1e-9)
        assert {one.verdict, other.verdict} <= {Verdict.IMPROVED, Verdict.REGRESSED, Verdict.INCONCLUSIVE}

    def test_what_ran_in_one_period_only_leaves_the_others_comparable(self):
        sides = [[side([(1000, 1.0), (500, 2.0)], hours=1.0), side([(1000, cost)], hours=2.0)] for cost in (1.1, 1.0)]
        found = of_periods(sides)
        assert found.totals["elapsed_s"].interval is not None


@pytest.mark.parametrize(
    ("ends", "verdict"),
    [
        ((1.12, 1.4), "improved"),
        ((0.6, 0.9), "regressed"),
        ((0.97, 1.03), "equivalent"),
        ((0.99, 1.2), "inconclusive"),
        ((1.01, 1.04), "equivalent"),
        (None, "descriptive_only"),
    ],
)
def test_the_rule_of_verdicts(ends, verdict):
    interval = Interval(*ends) if ends else None
    assert judged(interval, 0.05, 0.9)[0] == verdict


# -- properties ---------------------------------------------------------------------------------------

_WORK = st.lists(
    st.tuples(st.integers(1, 10**6), st.floats(1e-4, 1e3), st.integers(1, 10**6), st.floats(1e-4, 1e3)),
    min_size=1,
    max_size=7,
)


def both(work):
    return [(e, t) for e, t, _, _ in work], [(e, t) for _, _, e, t in work]


def exact_ratios(before, after):
    """Laspeyres, Paasche and raw as fractions of the totals that the records hold."""
    rows = [
        (Fraction(e), Fraction(e * t), Fraction(f), Fraction(f * u))
        for (e, t), (f, u) in zip(before, after, strict=True)
    ]
    old, new = sum(r[1] for r in rows), sum(r[3] for r in rows)
    old_at_new, new_at_old = sum(r[0] * r[3] / r[2] for r in rows), sum(r[2] * r[1] / r[0] for r in rows)
    return old / old_at_new, new_at_old / new, old / new


@given(_WORK)
def test_the_ratios_are_those_of_exact_arithmetic(work):
    before, after = both(work)
    totals = compared(before, after).totals["elapsed_s"]
    laspeyres, paasche, raw = exact_ratios(before, after)
    assert totals.laspeyres == pytest.approx(float(laspeyres), rel=1e-9)
    assert totals.paasche == pytest.approx(float(paasche), rel=1e-9)
    assert totals.raw_ratio == pytest.approx(float(raw), rel=1e-9)
    assert totals.fisher == pytest.approx(sqrt(laspeyres * paasche), rel=1e-9)
    low, high = sorted((totals.laspeyres, totals.paasche))
    assert low * (1 - 1e-12) <= totals.fisher <= high * (1 + 1e-12)
    logs = [log(t / u) for (_, t), (_, u) in zip(before, after, strict=True)]
    assert totals.geometric_mean == pytest.approx(exp(sum(logs) / len(logs)), rel=1e-9)


@given(_WORK)
def test_swapping_the_sides_inverts_the_ratios(work):
    before, after = both(work)
    one, other = compared(before, after).totals["elapsed_s"], compared(after, before).totals["elapsed_s"]
    for name in ("raw_ratio", "fisher", "geometric_mean", "volume_effect"):
        assert getattr(one, name) * getattr(other, name) == pytest.approx(1.0, rel=1e-9)
    assert one.laspeyres * other.paasche == pytest.approx(1.0, rel=1e-9)


@given(_WORK, _WORK, _WORK)
def test_the_lines_of_the_decomposition_add_up_to_the_change(work, gone, new):
    before, after = both(work)
    old = side(before + [(e, t) for e, t, _, _ in gone])
    young = period(
        statement=[
            {"statement_id": name, "executions": e, "elapsed_s": e * t}
            for name, (e, t) in [
                *((f"s{i}", w) for i, w in enumerate(after)),
                *((f"n{i}", w[:2]) for i, w in enumerate(new)),
            ]
        ]
    )
    lines = compare_statements(old, young).decompositions["elapsed_s"]
    parts = [
        lines.volume,
        lines.behaviour,
        lines.new,
        lines.gone,
        lines.unlisted_before,
        lines.unlisted_after,
        lines.undivided,
    ]
    largest = max(lines.before, lines.after, *map(abs, parts))
    assert float(sum(map(Fraction, parts))) == pytest.approx(lines.change, abs=1e-12 * largest)
    assert lines.new == pytest.approx(sum(e * t for e, t, _, _ in new))
    assert lines.gone == pytest.approx(-sum(e * t for e, t, _, _ in gone))


@given(_WORK)
def test_the_mix_is_alike_when_only_costs_change(work):
    before, after = both(work)
    same_executions = [(e, t) for (e, _), (_, t) in zip(before, after, strict=True)]
    assert compared(before, same_executions).similarity == pytest.approx(1.0)
    found = compared(before, after)
    assert found.similarity is not None
    assert -1e-12 <= found.similarity <= 1 + 1e-12


@given(_WORK)
def test_impact_is_the_change_per_execution_times_executions_that_were_measured(work):
    assume(len(work) > 1)
    before, after = both(work)
    found = compared(before, after)
    pairs = enumerate(zip(before, after, strict=True))
    expected = {f"s{i}": (f if u >= t else min(e, f)) * (u - t) for i, ((e, t), (f, u)) in pairs}
    for row in found.rows():
        e, t = before[int(row.pair.before_ids[0][1:])]
        f, u = after[int(row.pair.before_ids[0][1:])]
        impact = row.changes["elapsed_s"].impact
        assert impact == pytest.approx(expected[row.pair.before_ids[0]], abs=1e-9 * f * max(t, u))
        assert -e * t * (1 + 1e-9) <= impact <= f * u * (1 + 1e-9), "never more than what a side measured"
        assert impact + row.changes["elapsed_s"].volume == pytest.approx(
            f * u - e * t, abs=1e-9 * max(e, f) * max(t, u)
        )
    sizes = [abs(value) for value in found.impacts["elapsed_s"]]
    assert sizes == sorted(sizes, reverse=True)
