"""Cells compared with the reference cell: ratio with an exact interval, judged against the noise of the experiment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import exp, log

import numpy as np

from app.analysis.experiments.samples import CellSample, Samples
from app.analysis.inference.autocovariance import Floats
from app.analysis.inference.multiple_tests import benjamini_hochberg
from app.analysis.inference.rank_tests import RankShift, rank_effect, rank_ratio
from app.analysis.inference.verdict import Interval, Verdict, judge
from app.domain.engagement import Direction
from app.domain.experiments.records import Cell, Experiment

LEAST_MARGIN = 0.02
FEWEST_RUNS = 4
"""Per cell: with 3 and 3 no outcome of the rank test is rarer than one in ten."""
_SIGNIFICANT = 0.05


@dataclass(frozen=True, slots=True)
class NoiseFloor:
    """What the reference cell differs from itself by.

    Attributes:
        ratio, interval: of the first A to the second; None where A/A was not run (or too few times for an interval).
        runs: of either side.
        floor: the difference that noise alone makes, as a fraction; None where A/A was not run. With an interval its
            farther end, else the largest ratio between any two of the runs.
        margin: the least difference that is judged to matter: the floor, at least 2 %.
    """

    ratio: float | None = None
    interval: Interval | None = None
    runs: tuple[int, int] = (0, 0)
    floor: float | None = None
    margin: float = LEAST_MARGIN


@dataclass(frozen=True, slots=True)
class CellComparison:
    """
    Attributes:
        ratio: more than 1 is better than the reference (for a neutral response: larger); None where a side has no
            value, or one that is 0. Of single runs their quotient, else the Hodges-Lehmann estimate.
        interval: exact, of the rank test; None with fewer than 4 runs on a side.
        p, p_adjusted: of no difference; adjusted for the number of cells compared.
        cliffs_delta: 1 where every run is better than every run of the reference, -1 the reverse.
        verdict: improved: better than the reference.
        differs: the factors whose levels differ: with several of them, the effect is a combined one.
        runs_missing: until an interval can be given.
        ratio_with_excluded: the same with the excluded runs; None where none was excluded.
    """

    cell: Cell
    reference: Cell
    n: int
    n_reference: int
    ratio: float | None
    interval: Interval | None
    p: float | None
    p_adjusted: float | None
    cliffs_delta: float | None
    verdict: Verdict
    differs: tuple[str, ...]
    runs_missing: int
    ratio_with_excluded: float | None = None


def noise_floor(samples: Samples) -> NoiseFloor:
    first, second = samples.same_first.values, samples.same_second.values
    runs = (len(first), len(second))
    found = better_ratio(first, second, Direction.HIGHER)
    if found is None:
        return NoiseFloor(runs=runs)
    if found.interval is not None:
        farthest = max(abs(log(found.interval.low)), abs(log(found.interval.high)))
    else:
        logs = np.log(np.concatenate([first, second]))
        farthest = float(logs.max() - logs.min())
    floor = exp(farthest) - 1
    return NoiseFloor(found.shift, found.interval, runs, floor, max(LEAST_MARGIN, floor))


def compare_cells(
    experiment: Experiment, samples: Samples, direction: Direction, margin: float
) -> tuple[CellComparison, ...]:
    """Every measured cell against the reference; none where the reference was not measured."""
    reference = experiment.reference
    base = samples.cells[reference]
    others = [cell for cell in samples.measured if cell != reference] if base.n else []
    found = [_compared(experiment, samples.cells[cell], base, cell, direction) for cell in others]
    return _judged(found, direction, margin)


def better_ratio(sample: Floats, base: Floats, direction: Direction) -> RankShift | None:
    """More than 1: the sample is better than the base (larger, where neither is better). None where a side has no value
    or one that is not positive."""
    if not len(sample) or not len(base) or min(sample.min(), base.min()) <= 0:
        return None
    above, below = (base, sample) if direction is Direction.LOWER else (sample, base)
    found = rank_ratio(above, below)
    if len(above) == len(below) == 1:
        return replace(found, shift=float(above[0] / below[0]), interval=None)  # to the last digit
    # equal values have no spread to measure by, and would claim certainty of however few runs
    return found if min(len(above), len(below)) >= FEWEST_RUNS else replace(found, interval=None)


def _compared(
    experiment: Experiment, sample: CellSample, base: CellSample, cell: Cell, direction: Direction
) -> CellComparison:
    found = better_ratio(sample.values, base.values, direction)
    whole = None
    if len(sample.excluded) or len(base.excluded):
        whole = better_ratio(sample.with_excluded, base.with_excluded, direction)
    single = min(sample.n, base.n) == 1
    tested = found is not None and found.interval is not None
    effect = rank_effect(sample.values, base.values).cliffs_delta if tested else None
    return CellComparison(
        cell,
        experiment.reference,
        sample.n,
        base.n,
        ratio=None if found is None else found.shift,
        interval=None if found is None else found.interval,
        p=found.p if found is not None and tested else None,
        p_adjusted=None,
        cliffs_delta=-effect if effect is not None and direction is Direction.LOWER else effect,
        verdict=Verdict.DESCRIPTIVE_ONLY if single or found is None else Verdict.INSUFFICIENT_DATA,
        differs=differing(experiment, cell, experiment.reference),
        runs_missing=max(0, FEWEST_RUNS - min(sample.n, base.n)),
        ratio_with_excluded=None if whole is None else whole.shift,
    )


def differing(experiment: Experiment, cell: Cell, other: Cell) -> tuple[str, ...]:
    """Names of the factors whose levels differ."""
    triples = zip(experiment.factors, cell, other, strict=True)
    return tuple(factor.name for factor, level, level_of_other in triples if level != level_of_other)


def _judged(found: list[CellComparison], direction: Direction, margin: float) -> tuple[CellComparison, ...]:
    tested = [each for each in found if each.p is not None]
    adjusted: Mapping[Cell, float] = {}
    if tested:
        values = benjamini_hochberg(np.array([each.p for each in tested], dtype=np.float64))
        adjusted = {each.cell: float(p) for each, p in zip(tested, values, strict=True)}
    return tuple(
        replace(each, p_adjusted=adjusted[each.cell], verdict=_verdict(each, adjusted[each.cell], direction, margin))
        if each.cell in adjusted
        else each
        for each in found
    )


def _verdict(each: CellComparison, p_adjusted: float, direction: Direction, margin: float) -> Verdict:
    verdict = judge(each.interval, margin)
    if verdict in (Verdict.IMPROVED, Verdict.REGRESSED):
        if direction is Direction.NEUTRAL:
            return Verdict.DESCRIPTIVE_ONLY  # it changed, and nobody said which way is better
        if p_adjusted > _SIGNIFICANT:
            return Verdict.INCONCLUSIVE
    return verdict
