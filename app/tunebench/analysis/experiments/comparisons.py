"""Cells compared with the reference cell: every run is an occurrence, and the verdict that of all comparisons."""

from __future__ import annotations

from dataclasses import replace
from math import exp, expm1, isfinite, log

import numpy as np

from tunebench.analysis.comparing.comparison import FALSE_DISCOVERIES, MARGIN
from tunebench.analysis.comparing.deciding import ASSUMED_SD, Decision, Levels, decision_of, variation_of
from tunebench.analysis.experiments.samples import CellSample, Samples
from tunebench.analysis.inference.autocovariance import Floats
from tunebench.analysis.inference.multiple_tests import adjusted_together
from tunebench.analysis.inference.occurrences import (
    CONFIDENCE,
    Confidence,
    Level,
    Prior,
    Settling,
    Source,
    prior_of_kind,
    spread_of,
)
from tunebench.analysis.inference.verdict import Interval, Verdict
from tunebench.core.records import record
from tunebench.domain.engagement import Direction
from tunebench.domain.experiments.records import Cell, Experiment, Response
from tunebench.domain.windows import WindowLoad

ASSUMED = Prior(ASSUMED_SD[WindowLoad.CONTROLLED])
"""How much runs of one cell are taken to differ where no cell's runs tell."""


@record
class NoiseFloor:
    """How much the reference cell differs from itself.

    Attributes:
        ratio, interval: of the first A to the second; None where A/A was not run, the interval also where it was run
            too few times to tell how much runs differ.
        runs: of either side.
        floor: the difference that noise alone makes, as a fraction; None where A/A was not run. With an interval its
            farther end, else the largest ratio between any two of the runs.
        margin: the least difference that is judged to matter: the floor, at least that of every comparison.
    """

    ratio: float | None = None
    interval: Interval | None = None
    runs: tuple[int, int] = (0, 0)
    floor: float | None = None
    margin: float = MARGIN


@record
class CellComparison:
    """
    Attributes:
        ratio: of the geometric means, more than 1 is better than the reference (for a neutral response: larger); of
            the means where a run gave 0; None where a side has nothing but that.
        interval: of it; None where it has none.
        p, p_adjusted: of no difference; adjusted for the number of cells compared.
        verdict: improved: better than the reference.
        differs: the factors whose levels differ: with several of them, the effect is a combined one.
        variation: between runs, relative, as it was reckoned with; None where nothing is said.
        settling: what would decide it, where it is inconclusive and something does.
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
    verdict: Verdict
    differs: tuple[str, ...]
    variation: Prior | None
    settling: Settling | None
    ratio_with_excluded: float | None = None

    @property
    def runs_missing(self) -> int | None:
        """Runs missing on either side until it is decided; None where nobody would wait for as many."""
        if self.verdict is not Verdict.INCONCLUSIVE:
            return 0
        return None if self.settling is None else self.settling.occurrences

    @property
    def assumed(self) -> bool:
        """Nothing repeats: what is said rests on how much runs are taken to differ."""
        source = None if self.variation is None else self.variation.source
        return source is Source.ASSUMED and self.n == self.n_reference == 1

    @property
    def only_ranks(self) -> bool:
        """Which came out first is known, and not whether it would again."""
        return self.verdict is Verdict.DESCRIPTIVE_ONLY


def natural_variation(samples: Samples) -> Prior:
    """Variation between the runs of a cell, A/A among them, where three cells repeat; else the assumed one."""
    cells = (*samples.cells.values(), samples.same_first, samples.same_second)
    repeated = [_levels(sample.values) for sample in cells if sample.n > 1 and min(sample.values) > 0]
    return prior_of_kind([spread_of(levels, ()) for levels in repeated], apart=True) or ASSUMED


def noise_floor(samples: Samples, prior: Prior) -> NoiseFloor:
    first, second = samples.same_first.values, samples.same_second.values
    runs = (len(first), len(second))
    decision = _decision(second, first, prior, Response("", "", Direction.HIGHER), MARGIN)
    if decision is None or decision.ratio is None or min(*first, *second) <= 0:
        return NoiseFloor(runs=runs)
    interval = None if decision.change.source is Source.ASSUMED else decision.interval
    if interval is not None and interval.low > 0 and isfinite(interval.high):
        farthest = max(abs(log(interval.low)), abs(log(interval.high)))
    else:
        farthest = log(max(*first, *second) / min(*first, *second))
    floor = expm1(farthest)
    return NoiseFloor(decision.ratio, interval, runs, floor, max(MARGIN, floor))


def compare_cells(
    experiment: Experiment, samples: Samples, response: Response, margin: float, prior: Prior
) -> tuple[CellComparison, ...]:
    """Every measured cell against the reference; none where the reference was not measured."""
    reference = experiment.reference
    base = samples.cells[reference]
    others = [cell for cell in samples.measured if cell != reference] if base.n else []
    rows = [_compared(experiment, samples.cells[cell], base, cell, response, margin, prior) for cell in others]
    rows = [_ranked(row, published=bool(experiment.source)) if row.assumed else row for row in rows]
    together = adjusted_together(row.p for row in rows)
    return tuple(_among_all(row, p) for row, p in zip(rows, together, strict=True))


def _ranked(row: CellComparison, published: bool) -> CellComparison:
    """Single runs tell which came out first, and not whether it would again; nobody here knows how the runs that others
    published were made, so that nothing is assumed of them."""
    ranked = replace(row, p=None, verdict=Verdict.DESCRIPTIVE_ONLY, settling=None)
    return replace(ranked, interval=None, variation=None) if published else ranked


def is_better(
    samples: Samples, cells: tuple[Cell, Cell], response: Response, margin: float, prior: Prior, confidence: float
) -> bool:
    """Whether the second is better than the first."""
    base, sample = (samples.cells[cell].values for cell in cells)
    decision = _decision(base, sample, prior, response, margin, Confidence(confidence, confidence))
    return decision is not None and decision.verdict is Verdict.IMPROVED


def decision_of_cells(
    samples: Samples, cells: tuple[Cell, Cell], response: Response, margin: float, prior: Prior, confidence: Confidence
) -> Decision | None:
    """The second against the first, alone; None where one of them was not measured."""
    base, sample = (samples.cells[cell].values for cell in cells)
    return _decision(base, sample, prior, response, margin, confidence)


def mean_of(samples: Samples, cell: Cell) -> float:
    """Geometric where nothing forbids it, as in the ratios."""
    values = samples.cells[cell].values
    return exp(float(np.log(values).mean())) if samples.is_positive else float(values.mean())


def _decision(
    before: Floats,
    after: Floats,
    prior: Prior,
    response: Response,
    margin: float,
    confidence: Confidence = Confidence(CONFIDENCE, CONFIDENCE),  # noqa: B008 - frozen
) -> Decision | None:
    """The decision between two samples; None where a side has no value."""
    if not len(before) or not len(after):
        return None
    logs: Levels | None = None
    if min(before.min(), after.min()) > 0:
        logs = _levels(before), _levels(after)
    plain = [Level(float(value)) for value in before], [Level(float(value)) for value in after]
    return decision_of(plain, logs, prior, response.direction, margin, unit=response.unit, confidence=confidence)


def _levels(values: Floats) -> list[Level]:
    return [Level(log(value)) for value in values]


def _compared(
    experiment: Experiment,
    sample: CellSample,
    base: CellSample,
    cell: Cell,
    response: Response,
    margin: float,
    prior: Prior,
) -> CellComparison:
    decision = _decision(base.values, sample.values, prior, response, margin)
    assert decision is not None  # both were measured
    whole = None
    if len(sample.excluded) or len(base.excluded):
        whole = _decision(base.with_excluded, sample.with_excluded, prior, response, margin)
    variation, scale = variation_of(decision.change, WindowLoad.CONTROLLED), 1.0
    if variation.source is not Source.ASSUMED and min(*base.values, *sample.values) <= 0:
        scale = abs(float(np.mean([*base.values, *sample.values]))) or 1.0  # it is in the unit of the figure
    return CellComparison(
        cell,
        experiment.reference,
        sample.n,
        base.n,
        ratio=decision.ratio,
        interval=decision.interval,
        p=decision.change.p,
        p_adjusted=None,
        verdict=decision.verdict,
        differs=differing(experiment, cell, experiment.reference),
        variation=replace(variation, sd=variation.sd / scale),
        settling=decision.settling,
        ratio_with_excluded=None if whole is None else whole.ratio,
    )


def differing(experiment: Experiment, cell: Cell, other: Cell) -> tuple[str, ...]:
    """Names of the factors whose levels differ."""
    triples = zip(experiment.factors, cell, other, strict=True)
    return tuple(factor.name for factor, level, level_of_other in triples if level != level_of_other)


def _among_all(row: CellComparison, p_adjusted: float) -> CellComparison:
    if row.p is None:
        return row
    sure = p_adjusted <= FALSE_DISCOVERIES or row.verdict not in (Verdict.IMPROVED, Verdict.REGRESSED)
    return replace(row, p_adjusted=p_adjusted, verdict=row.verdict if sure else Verdict.INCONCLUSIVE)
