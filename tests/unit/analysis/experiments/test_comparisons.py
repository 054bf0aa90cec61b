"""Ratios of cells: intervals from all runs, the margin that noise sets, verdicts that say what they assume."""

from __future__ import annotations

import json
from dataclasses import replace
from math import exp, isclose, log, sqrt
from pathlib import Path
from statistics import geometric_mean, variance

import numpy as np
import pytest

from tests.conftest import ROOT
from tests.unit.analysis.experiments.plans import experiment, factor, trials
from tunebench.analysis.experiments.analysis import analyse
from tunebench.analysis.experiments.comparisons import CellComparison
from tunebench.analysis.experiments.samples import samples_of
from tunebench.analysis.inference.occurrences import Prior, Source
from tunebench.analysis.inference.verdict import Verdict
from tunebench.domain.engagement import Direction
from tunebench.domain.experiments.records import CacheState, Cell, Reading, Response, TrialRole, TrialState

SLOW, FAST = ("slow",), ("fast",)
TWO = experiment(factor("mount", "slow", "fast"))
CASES = ROOT.parent / "shared" / "facts" / "reference-cases"


def reference_case(name: str) -> dict[str, dict[str, list[float]]]:
    path: Path = CASES / name
    if not path.exists():
        pytest.skip("the reference cases are not beside the project")
    found: dict[str, dict[str, list[float]]] = json.loads(path.read_text(encoding="utf-8"))
    return found


def between_runs(found: CellComparison) -> Prior:
    assert found.variation is not None
    return found.variation


def test_repeated_runs_get_the_moderated_interval_of_their_logarithms() -> None:
    """By hand from Smyth (2004): 14 degrees of freedom of the runs, 1 of an assumed 5 %; t(0.975, 15) = 2.131450."""
    case = reference_case("g02_ratio_hl_log.json")["input"]
    (part,) = analyse(TWO, trials({SLOW: case["before"], FAST: case["after"]})).parts
    (found,) = part.comparisons
    slow, fast = ([log(value) for value in case[side]] for side in ("before", "after"))
    sd = sqrt((7 * variance(slow) + 7 * variance(fast) + 0.05**2) / 15)
    reach, ratio = 2.1314495 * sd * sqrt(1 / 8 + 1 / 8), geometric_mean(case["before"]) / geometric_mean(case["after"])
    assert found.interval is not None and found.ratio is not None
    assert isclose(found.ratio, ratio, rel_tol=1e-9)
    ends = [ratio * exp(-reach), ratio * exp(reach)]
    assert [found.interval.low, found.interval.high] == pytest.approx(ends, rel=1e-6)
    assert between_runs(found).sd == pytest.approx(sd) and between_runs(found).source is Source.MEASURED


@pytest.mark.parametrize("slow", [20.0, 12.5])
def test_single_runs_are_ranked_and_not_judged_whatever_their_distance(slow: float) -> None:
    """Where runs are taken to differ by 5 %: ln 2 is 9.8 deviations of a difference of two, ln 1.25 is 3.2."""
    analysis = analyse(TWO, trials({SLOW: [slow], FAST: [10.0]}))
    (part,) = analysis.parts
    (comparison,) = part.comparisons
    assert (analysis.verdict, comparison.verdict) == (Verdict.DESCRIPTIVE_ONLY,) * 2
    assert (comparison.assumed, comparison.only_ranks, comparison.settling) == (True, True, None)
    assert comparison.ratio == pytest.approx(slow / 10) and between_runs(comparison).sd == 0.05
    assert comparison.interval is not None and comparison.interval.low < slow / 10 < comparison.interval.high
    assert "single_runs" in [caution.key for caution in part.cautions] and part.best == FAST


def test_single_runs_that_others_published_are_described_and_nothing_more() -> None:
    found = analyse(replace(TWO, source="a book"), trials({SLOW: [20.0], FAST: [10.0]}))
    assert (found.verdict, found.parts[0].comparisons[0].verdict) == (Verdict.DESCRIPTIVE_ONLY,) * 2
    assert "single_published" in [each.key for each in found.parts[0].cautions]


def test_before_anything_is_compared_nothing_is_said_of_single_runs() -> None:
    for one in (SLOW, FAST):
        (part,) = analyse(TWO, trials({one: [20.0]})).parts
        assert not part.comparisons and not [each.key for each in part.cautions if each.key.startswith("single")]


def test_three_runs_are_judged_and_ranked() -> None:
    part = analyse(TWO, trials({SLOW: [20.0, 21.0, 22.0], FAST: [10.0, 10.5, 11.0]})).parts[0]
    assert (part.verdict, part.best, between_runs(part.comparisons[0]).source) == (
        Verdict.IMPROVED,
        FAST,
        Source.MEASURED,
    )
    assert [group.cells for group in part.ranking] == [(FAST,), (SLOW,)]


def test_the_runs_of_all_cells_tell_how_much_runs_differ() -> None:
    """Cells that repeat to 1 %: with the assumed 5 % alone the last two runs would be known to 3 %."""
    steady: dict[Cell, list[float]] = {(f"c{number}",): [100.0, 101.0, 99.0] for number in range(6)}
    names = [name for (name,) in steady]
    runs = trials({**steady, ("c5",): [60.0, 61.0]})
    found = analyse(experiment(factor("c", *names)), runs).parts[0].comparisons
    assert {between_runs(each).source for each in found} <= {Source.KIND, Source.MEASURED}
    assert found[-1].verdict is Verdict.IMPROVED and between_runs(found[-1]).sd < 0.02


@pytest.mark.parametrize("runs", [3, 5])
def test_where_nothing_differs_nothing_is_called_better(runs: int) -> None:
    """Eight settings against a baseline, runs that differ by 3 to 10 %: a right program calls one of the eight better
    or worse in less than 5 % of the experiments; more than 9 of 60 is one chance in a thousand. Seeds 0 to 59."""
    names = [f"c{number}" for number in range(9)]
    alarms, places = 0, 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        sd = (0.03, 0.05, 0.1)[seed % 3]
        (part,) = analyse(
            experiment(factor("c", *names)),
            trials({(name,): list(100 * np.exp(rng.normal(0, sd, runs))) for name in names}),
        ).parts
        alarms += any(each.verdict in (Verdict.IMPROVED, Verdict.REGRESSED) for each in part.comparisons)
        places += len(part.ranking) > 1
    assert (alarms <= 9, places <= 9) == (True, True)


def test_higher_is_better_turns_the_ratio() -> None:
    tps = replace(TWO, responses=(Response("real_s", "tps", Direction.HIGHER),))
    part = analyse(tps, trials({SLOW: [10.0, 11.0, 12.0, 13.0], FAST: [40.0, 44.0, 48.0, 52.0]})).parts[0]
    assert part.comparisons[0].ratio == pytest.approx(4.0)
    assert (part.verdict, part.best) == (Verdict.IMPROVED, FAST)


def test_what_is_neither_better_nor_worse_is_not_judged() -> None:
    plan = replace(TWO, responses=(Response("real_s", "1/s", Direction.NEUTRAL),))
    part = analyse(plan, trials({SLOW: [10.0, 11.0, 12.0, 13.0], FAST: [40.0, 44.0, 48.0, 52.0]})).parts[0]
    assert (part.verdict, part.ranking) == (Verdict.DESCRIPTIVE_ONLY, ())
    assert part.comparisons[0].verdict is Verdict.DESCRIPTIVE_ONLY


def test_a_difference_within_the_noise_of_the_reference_is_no_improvement() -> None:
    rng = np.random.default_rng(3)
    slow, fast = (100 * np.exp(rng.normal(shift, 0.002, 10)) for shift in (0.0, -0.08))
    runs = trials({SLOW: list(slow), FAST: list(fast)}, first=100)
    assert analyse(TWO, runs).verdict is Verdict.IMPROVED  # 8 % against the least margin of 5 %
    first, second = (list(100 * np.exp(rng.normal(shift, 0.002, 10))) for shift in (0.0, 0.09))
    noisy = (
        runs
        + trials({SLOW: first}, role=TrialRole.SAME_FIRST)
        + trials({SLOW: second}, role=TrialRole.SAME_SECOND, first=50)
    )
    part = analyse(replace(TWO, same_repetitions=10), noisy).parts[0]
    assert part.noise.floor is not None and 0.08 < part.noise.floor < 0.12  # A differs from itself by 9 %
    assert part.noise.margin == part.noise.floor
    assert part.verdict is Verdict.EQUIVALENT


def test_the_noise_of_one_pair_is_its_difference() -> None:
    same = trials({SLOW: [104.0]}, role=TrialRole.SAME_FIRST)
    same += trials({SLOW: [98.0]}, role=TrialRole.SAME_SECOND, first=10)
    noise = analyse(TWO, [*same, *trials({SLOW: [1.0]}, first=20)]).parts[0].noise
    assert (noise.runs, noise.interval) == ((1, 1), None)
    assert noise.floor == pytest.approx(104 / 98 - 1)


def test_many_cells_are_judged_together() -> None:
    """Of 40 cells that do not differ from the reference, 10 runs each, false alarms are rare: seeds 0 to 19."""
    alarms = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        names = [f"c{number}" for number in range(41)]
        runs = trials({(name,): list(100 * np.exp(rng.normal(0, 0.3, 10))) for name in names})
        (part,) = analyse(experiment(factor("c", *names)), runs).parts
        alarms += any(each.verdict in (Verdict.IMPROVED, Verdict.REGRESSED) for each in part.comparisons)
    assert alarms <= 3


def test_cold_and_warm_are_never_put_together() -> None:
    plan = replace(TWO, caches=(CacheState.COLD, CacheState.WARM))
    cold = trials({SLOW: [90.0] * 4, FAST: [80.0] * 4}, cache=CacheState.COLD)
    warm = trials({SLOW: [2.0, 2.1, 2.2, 2.3], FAST: [2.0, 2.1, 2.2, 2.4]}, cache=CacheState.WARM, first=50)
    first, second = analyse(plan, cold + warm).parts
    assert [part.cache for part in (first, second)] == ["cold", "warm"]
    assert [part.cells[0].median for part in (first, second)] == pytest.approx([90.0, 2.15])
    assert (first.cells[0].n, second.cells[0].n) == (4, 4)


def test_outliers_count_and_are_named_and_excluded_runs_are_shown_both_ways() -> None:
    fast = [10.0, 10.1, 10.2, 10.3, 10.4, 99.0]
    runs = trials({SLOW: [20.0, 20.1, 20.2, 20.3, 20.4, 20.5], FAST: fast})
    part = analyse(TWO, runs).parts[0]
    assert (part.cells[1].n, part.cells[1].outliers) == (6, (runs[-1].id,))
    assert part.cells[1].median == pytest.approx(10.25)
    runs[-1] = replace(runs[-1], state=TrialState.EXCLUDED, reason="backup", decided_by="lee")
    part = analyse(TWO, runs).parts[0]
    figures = part.cells[1]
    assert (figures.n, figures.excluded, figures.median) == (5, 1, 10.2)
    assert figures.median_with_excluded == pytest.approx(10.25)
    assert part.comparisons[0].ratio_with_excluded is not None
    assert any(each.key == "excluded" for each in analyse(TWO, runs).cautions)


@pytest.mark.parametrize(
    ("state", "counts"),
    [
        (TrialState.PLANNED, (1, 0, 0)),
        (TrialState.DONE, (2, 0, 0)),
        (TrialState.FAILED, (1, 0, 1)),
        (TrialState.EXCLUDED, (1, 1, 0)),
    ],
)
@pytest.mark.parametrize("response", ["real_s", "other_s"])
def test_only_what_was_done_counts_and_only_the_excluded_are_shown_beside_it(
    state: TrialState, counts: tuple[int, int, int], response: str
) -> None:
    """A trial beside one that stands; without a value of the response it tells whether it failed, and nothing else."""
    runs = trials({SLOW: [20.0]}) + trials({SLOW: [40.0]}, state=state, first=50, response=response)
    found = samples_of(TWO, runs, "real_s", CacheState.UNKNOWN).cells[SLOW]
    expected = counts if response == "real_s" else (1, 0, counts[2])
    assert (found.n, len(found.excluded), found.failed) == expected


def test_a_median_has_an_interval_from_six_runs_on() -> None:
    five, six = ([float(value) for value in range(1, n + 1)] for n in (5, 6))
    cells = analyse(TWO, trials({SLOW: five, FAST: six})).parts[0].cells
    assert cells[0].interval is None and cells[1].interval is not None
    assert (cells[1].interval.low, cells[1].interval.high) == (1.0, 6.0)
    assert cells[1].interval.confidence == pytest.approx(1 - 2 / 64)


def test_zeros_have_no_ratio_and_are_judged_by_the_difference() -> None:
    part = analyse(TWO, trials({SLOW: [0.0, 0.0, 0.0, 0.0], FAST: [1.0, 2.0, 3.0, 4.0]})).parts[0]
    assert (part.comparisons[0].ratio, part.verdict, part.interactions) == (None, Verdict.REGRESSED, ())
    assert (part.no_variance, "zero_values" in [each.key for each in part.cautions]) == ("not_positive", True)


def test_nothing_measured_is_no_verdict() -> None:
    found = analyse(TWO, [])
    assert (found.parts, found.verdict) == ((), Verdict.INSUFFICIENT_DATA)
    alone = analyse(TWO, trials({FAST: [1.0]})).parts[0]
    assert (alone.comparisons, alone.verdict) == ((), Verdict.DESCRIPTIVE_ONLY)


def test_noise_is_shown_before_anything_else_was_measured() -> None:
    same = trials({SLOW: [100.0] * 4}, role=TrialRole.SAME_FIRST)
    same += trials({SLOW: [100.0, 101.0, 102.0, 103.0]}, role=TrialRole.SAME_SECOND, first=10)
    found = analyse(TWO, same)
    assert found.parts[0].noise.runs == (4, 4)
    assert (found.verdict, found.parts[0].comparisons) == (Verdict.INSUFFICIENT_DATA, ())


def test_values_of_any_allowed_size_have_a_ratio() -> None:
    part = analyse(TWO, trials({SLOW: [1e100] * 4, FAST: [1e-100] * 4})).parts[0]
    assert part.comparisons[0].ratio == pytest.approx(1e200)


def test_a_drift_along_the_order_is_noticed() -> None:
    """The host gets slower from run to run: a plan in rounds spreads that over the cells, but says so."""
    rising = [100 * exp(0.05 * place) for place in range(8)]
    runs = trials({SLOW: rising, FAST: rising})
    assert "drift" in [each.key for each in analyse(TWO, runs).parts[0].cautions]
    rng = np.random.default_rng(11)
    steady = trials({SLOW: list(rng.normal(100, 1, 8)), FAST: list(rng.normal(100, 1, 8))})
    assert "drift" not in [each.key for each in analyse(TWO, steady).parts[0].cautions]


def test_cells_that_differ_in_several_factors_are_called_combined() -> None:
    plan = experiment(
        factor("block", "4K", "1K"), factor("mount", "atime", "noatime"), cells=(("4K", "atime"), ("1K", "noatime"))
    )
    found = analyse(plan, trials({("4K", "atime"): [1010.876], ("1K", "noatime"): [1613.852]}))
    (comparison,) = found.parts[0].comparisons
    assert comparison.differs == ("block", "mount")
    assert {each.key for each in found.cautions} >= {"incomplete", "cache_unknown", "load_unrecorded"}
    assert "combined" in [each.key for each in found.parts[0].cautions]


def test_wait_is_what_neither_computes_nor_runs_in_the_kernel() -> None:
    """Write-behind, from section 4.4 of the founding guide: real / 3.12, sys + 10.7 %."""
    plan = replace(
        experiment(factor("maxcontig", 6.0, 128.0)),
        responses=tuple(Response(name, "s") for name in ("real_s", "user_s", "sys_s")),
    )
    values: dict[Cell, tuple[float, float, float]] = {("6",): (86.18, 0.11, 5.21), ("128",): (27.59, 0.14, 5.77)}
    runs = [
        replace(
            trial,
            values=tuple(
                Reading(name, value)
                for name, value in zip(("real_s", "user_s", "sys_s"), values[trial.cell], strict=True)
            ),
        )
        for trial in trials({cell: [1.0] for cell in values})
    ]
    found = analyse(plan, runs)
    ((cache, (six, more)),) = found.waiting
    assert cache is CacheState.UNKNOWN
    assert six.wait_s == pytest.approx(86.18 - 0.11 - 5.21) and more.wait_s == pytest.approx(27.59 - 0.14 - 5.77)
    assert six.share == pytest.approx(80.86 / 86.18)
    assert more.sys_ratio == pytest.approx(1.107486, rel=1e-6)
    assert found.parts[0].comparisons[0].ratio == pytest.approx(3.123596, rel=1e-6)
    assert log(found.parts[2].comparisons[0].ratio or 0) < 0  # sys got worse
    parallel = [replace(runs[0], values=(Reading("real_s", 1.0), Reading("user_s", 3.0), Reading("sys_s", 0.1)))]
    assert analyse(plan, parallel).waiting[0][1][0].wait_s is None
