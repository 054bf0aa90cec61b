"""Interactions, analysis of variance and bends of curves, against R and data whose truth is known."""

from __future__ import annotations

from math import exp, log
from time import process_time

import numpy as np
import pytest

from tests.unit.analysis.experiments.plans import experiment, factor, trials
from tunebench.analysis.experiments.analysis import analyse
from tunebench.analysis.experiments.curves import find_knee
from tunebench.analysis.experiments.samples import samples_of
from tunebench.analysis.experiments.variance import VarianceTable, variance_table
from tunebench.analysis.queueing.usl import UslFit
from tunebench.domain.engagement import Direction
from tunebench.domain.experiments.records import CacheState, Cell

THREE = experiment(factor("a", "a1", "a2"), factor("b", "b1", "b2", "b3"), factor("c", "c1", "c2"))
_Y = (
    51.05, 60.99, 49.38, 54.91, 62.61, 52.03, 52.57, 51.89, 53.36, 55.2, 60.23, 51.21, 41, 44.14, 41.03, 44.21, 42.62,
    37.54, 75.13, 72.19, 79.21, 79.47, 82.88, 77.99, 117.39, 107.4, 123.16, 123.95, 104.32, 102.7, 61.88, 65.94, 72.04,
    66.51, 67.92, 65.11,
)  # fmt: skip
RUNS: dict[Cell, list[float]] = {
    cell: list(_Y[3 * index : 3 * index + 3]) for index, cell in enumerate(THREE.all_cells)
}


def table_of(runs: dict[Cell, list[float]]) -> VarianceTable | str:
    return variance_table(THREE, samples_of(THREE, trials(runs), "real_s", CacheState.UNKNOWN))


def test_the_variance_table_is_that_of_r() -> None:
    """R: anova(lm(log(y) ~ a*b*c))."""
    found = table_of(RUNS)
    assert isinstance(found, VarianceTable)
    assert [each.factors for each in found.effects] == [("a",), ("b",), ("c",), ("a", "b"), ("a", "c"), ("b", "c")]
    assert [each.f for each in found.effects] == pytest.approx(
        [457.824811087, 88.7593400053, 0.421979859883, 22.7692084855, 0.296068629933, 0.671620886785], rel=1e-9
    )
    assert [each.p for each in found.effects] == pytest.approx(
        [3.84946267917e-17, 8.14237655779e-12, 0.52212005627, 2.8565202202e-06, 0.591377371133, 0.520222221679],
        rel=1e-9,
    )
    assert ([each.df for each in found.effects], found.error_df) == ([1, 2, 1, 2, 1, 2], 24)
    assert found.residual_pct == pytest.approx(100 * (exp((0.12607 / 24) ** 0.5) - 1), rel=1e-4)


def test_unequal_numbers_of_runs_are_analysed_as_r_does() -> None:
    """R: drop in deviance from adding a term to all terms that do not hold it, over the mean square within cells."""
    runs = dict(RUNS)
    runs["a1", "b1", "c1"] = [*runs["a1", "b1", "c1"], 54.62]
    runs["a2", "b1", "c2"] = [*runs["a2", "b1", "c2"], 85.03]
    found = table_of(runs)
    assert isinstance(found, VarianceTable)
    f = {each.factors: each.f for each in found.effects}
    assert f[("a",)] == pytest.approx(496.148839054, rel=1e-9)
    assert f[("b",)] == pytest.approx(94.2360928296, rel=1e-9)
    assert f[("c",)] == pytest.approx(0.709265153011, rel=1e-9)
    assert f["a", "b"] == pytest.approx(24.7261674018, rel=1e-9)
    assert f["a", "c"] == pytest.approx(0.145041217311, rel=1e-9)


@pytest.mark.parametrize(
    ("runs", "reason"),
    [
        ({cell: own[:2] for cell, own in RUNS.items()}, "few_runs"),
        ({cell: own for cell, own in RUNS.items() if cell != ("a1", "b1", "c1")}, "incomplete"),
        ({cell: [7.0] * 3 for cell in RUNS}, "no_spread"),
        ({**RUNS, ("a1", "b1", "c1"): [0.0, 1.0, 2.0]}, "not_positive"),
    ],
)
def test_what_cannot_be_analysed_says_why(runs: dict[Cell, list[float]], reason: str) -> None:
    assert table_of(runs) == reason


def test_an_interaction_shows_where_a_factor_matters() -> None:
    """As in the founding article on RAID levels: the level matters where the data do not fit into memory."""
    plan = experiment(factor("raid", "RAID5", "RAID10"), factor("pool", 12.0, 4.0), direction=Direction.HIGHER)
    runs: dict[Cell, list[float]] = {
        ("RAID5", "12"): [4000.0],
        ("RAID5", "4"): [500.0],
        ("RAID10", "12"): [4000.0],
        ("RAID10", "4"): [1500.0],
    }
    part = analyse(plan, trials(runs)).parts[0]
    (table,) = part.interactions
    assert (table.first, table.second, table.comparable) == ("raid", "pool", True)
    assert list(table.effect) == pytest.approx([1.0, 3.0])
    assert (part.variance, part.no_variance) == (None, "few_runs")


def test_a_table_that_mixes_other_factors_in_says_so() -> None:
    plan = experiment(
        factor("fs", "xfs", "ext3"),
        factor("block", "4K", "1K"),
        factor("mount", "a", "n"),
        cells=(("xfs", "4K", "a"), ("ext3", "4K", "a"), ("ext3", "1K", "n")),
    )
    runs = {cell: [1.0] for cell in plan.cells}
    tables = analyse(plan, trials(runs)).parts[0].interactions
    assert [(each.first, each.second, each.comparable) for each in tables] == [
        ("fs", "block", False),
        ("fs", "mount", False),
        ("block", "mount", False),
    ]
    assert tables[0].values == ((1.0, None), (1.0, 1.0))


# -- curves --------------------------------------------------------------------------------------------

ROWS = [10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 100.0, 110.0, 120.0, 130.0]


def test_the_end_of_the_in_memory_regime_is_found() -> None:
    """Flat up to 70 million rows, then falling with the square of the rows; 3 % noise, seeds 0 to 19."""
    inside = 0
    for seed in range(20):
        noise = np.random.default_rng(seed).normal(0, 0.03, len(ROWS))
        qps = [30_000 * min(1.0, (70 / rows) ** 2) * exp(each) for rows, each in zip(ROWS, noise, strict=True)]
        knee, refusal, p = find_knee(ROWS, qps, Direction.HIGHER)
        assert knee is not None and refusal == "" and p is not None and p < 0.01
        assert (knee.worsens, 60 < knee.at < 80) == (True, True)
        inside += knee.interval.low <= 70 <= knee.interval.high
    assert inside >= 17


def test_a_straight_line_has_no_bend() -> None:
    """Of 200 straight curves with noise, about one in twenty is taken for bent: seeds 0 to 199."""
    bent = 0
    for seed in range(200):
        noise = np.random.default_rng(seed).normal(0, 0.05, len(ROWS))
        qps = [30_000 * (rows / 10) ** -0.5 * exp(each) for rows, each in zip(ROWS, noise, strict=True)]
        bent += find_knee(ROWS, qps, Direction.HIGHER)[0] is not None
    assert 2 <= bent <= 20


def test_an_exact_bend_is_found_exactly() -> None:
    x = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0]
    y = [100 * min(1.0, 8 / value) for value in x]
    knee, _refusal, _p = find_knee(x, y, Direction.HIGHER)
    assert knee is not None
    assert log(knee.at) == pytest.approx(log(8), abs=0.02)
    assert [knee.slope_before, knee.slope_after] == pytest.approx([0, -1], abs=0.01)


@pytest.mark.parametrize(
    ("medians", "reason"),
    [([5.0] * 5, "few_levels"), ([5.0] * 8, "no_bend"), ([5.0, 4.0, 0.0, 3.0, 2.0, 1.0], "not_positive")],
)
def test_a_curve_without_a_bend_says_why(medians: list[float], reason: str) -> None:
    assert find_knee(ROWS[: len(medians)], medians, Direction.HIGHER)[:2] == (None, reason)


def test_each_combination_of_the_other_factors_has_its_curve() -> None:
    plan = experiment(factor("rows", *ROWS[:7], unit="M"), factor("table", "plain", "packed"))
    runs: dict[Cell, list[float]] = {
        (f"{rows:g}", table): [rows * (2 if table == "plain" else 3)]
        for rows in ROWS[:7]
        for table in ("plain", "packed")
    }
    found = analyse(plan, trials(runs)).parts[0].curves
    assert [(each.factor, each.fixed) for each in found] == [
        ("rows", (("table", "plain"),)),
        ("rows", (("table", "packed"),)),
    ]
    assert found[1].points[0] == (10.0, 30.0, 1)


@pytest.mark.parametrize(
    ("levels", "curves"),
    [
        ((10.0, 20.0), 0),
        ((10.0, 20.0, 30.0), 1),
        (("raw", "ufs"), 0),
        (("raw", "ufs", "zfs"), 0),
        ((10.0, "raw", 30.0), 0),
    ],
)
def test_a_curve_is_of_more_than_two_numbers(levels: tuple[str | float, ...], curves: int) -> None:
    plan = experiment(factor("of", *levels))
    found = analyse(plan, trials({cell: [1.0 + place] for place, cell in enumerate(plan.all_cells)})).parts[0].curves
    assert len(found) == curves


def test_a_hundred_and_sixty_eight_cells_are_analysed_quickly() -> None:
    plan = experiment(
        factor("raid", "1", "1(2)", "5", "10"),
        factor("pool", 12.0, 8.0, 4.0),
        factor("threads", 1.0, 5.0, 10.0, 15.0, 20.0, 30.0, 100.0),
        factor("mode", "ro", "rw"),
        direction=Direction.HIGHER,
    )
    rng = np.random.default_rng(1)
    runs = {cell: list(1000 * np.exp(rng.normal(0, 0.1, 10))) for cell in plan.all_cells}
    made = trials(runs)
    began = process_time()
    (part,) = analyse(plan, made).parts
    assert process_time() - began < 2.0
    assert (len(part.comparisons), len(part.interactions), len(part.curves)) == (167, 6, 80)
    assert part.variance is not None and len(part.variance.effects) == 10


def throughputs(unit: str, direction: Direction) -> UslFit | None:
    """Of Gunther's law X(N) = N / (1 + sigma (N - 1) + kappa N (N - 1)) at 0.02 and 0.0005, without noise."""
    levels = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)
    plan = experiment(factor("n", *levels, unit=unit), direction=direction)
    runs: dict[Cell, list[float]] = {
        (f"{n:g}",): [1000 * n / (1 + 0.02 * (n - 1) + 0.0005 * n * (n - 1))] * 2 for n in levels
    }
    (curve,) = analyse(plan, trials(runs)).parts[0].curves
    return curve.usl


def test_the_scaling_law_is_fitted_to_throughput_over_a_load_and_to_nothing_else() -> None:
    fit = throughputs("clients", Direction.HIGHER)
    assert fit is not None
    assert (fit.scale, fit.sigma, fit.kappa) == pytest.approx((1000, 0.02, 0.0005), rel=1e-6)
    assert fit.n_star == pytest.approx(((1 - 0.02) / 0.0005) ** 0.5, rel=1e-6) and not fit.no_peak
    assert throughputs("MiB", Direction.HIGHER) is None  # no load
    assert throughputs("clients", Direction.LOWER) is None  # no throughput
