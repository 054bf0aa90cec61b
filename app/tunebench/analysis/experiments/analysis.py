"""An experiment's analysis: one part for each response in each cache state, for they are never put together."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from tunebench.analysis.experiments import cautions
from tunebench.analysis.experiments.cautions import Caution
from tunebench.analysis.experiments.comparisons import (
    CellComparison,
    NoiseFloor,
    compare_cells,
    natural_variation,
    noise_floor,
)
from tunebench.analysis.experiments.curves import Curve, curves
from tunebench.analysis.experiments.figures import CellFigures, Waiting, all_figures, waiting_of
from tunebench.analysis.experiments.interactions import InteractionTable, interactions
from tunebench.analysis.experiments.ranking import RankedGroup, ranking
from tunebench.analysis.experiments.samples import samples_of
from tunebench.analysis.experiments.variance import VarianceTable, variance_table
from tunebench.analysis.inference.verdict import Verdict
from tunebench.core.grouping import by_key
from tunebench.core.records import record
from tunebench.domain.engagement import Direction
from tunebench.domain.experiments.records import CacheState, Cell, Experiment, Response, Trial, TrialRole


@record
class PartAnalysis:
    """
    Attributes:
        cells: every cell of the experiment in its order, also those without a value.
        variance: None where `no_variance` says why (a key below ``experiment.no_variance.``).
        best: the best cell other than the reference, by its mean; None for a neutral response or without one.
        verdict: of `best` against the reference.
    """

    response: Response
    cache: CacheState
    cells: tuple[CellFigures, ...]
    noise: NoiseFloor
    comparisons: tuple[CellComparison, ...]
    ranking: tuple[RankedGroup, ...]
    interactions: tuple[InteractionTable, ...]
    variance: VarianceTable | None
    no_variance: str
    curves: tuple[Curve, ...]
    best: Cell | None
    verdict: Verdict
    cautions: tuple[Caution, ...]

    def figures_of(self, cell: Cell) -> CellFigures | None:
        return next((figures for figures in self.cells if figures.cell == cell), None)

    def comparison_of(self, cell: Cell) -> CellComparison | None:
        return next((comparison for comparison in self.comparisons if comparison.cell == cell), None)


@record
class ExperimentAnalysis:
    """
    Attributes:
        parts: those that have values; the first response's first.
        waiting: by cache state, what ``time`` tells of each cell.
        verdict: of the first part; insufficient_data where nothing was measured.
    """

    experiment: Experiment
    parts: tuple[PartAnalysis, ...]
    waiting: tuple[tuple[CacheState, tuple[Waiting, ...]], ...]
    verdict: Verdict
    cautions: tuple[Caution, ...]


def analyse(experiment: Experiment, trials: Sequence[Trial]) -> ExperimentAnalysis:
    parts = tuple(
        part
        for response in experiment.responses
        for cache in experiment.caches
        if (part := analyse_part(experiment, trials, response, cache)) is not None
    )
    waiting = tuple((cache, cells) for cache in experiment.caches if (cells := _waiting(experiment, trials, cache)))
    verdict = parts[0].verdict if parts else Verdict.INSUFFICIENT_DATA
    return ExperimentAnalysis(experiment, parts, waiting, verdict, tuple(cautions.of_experiment(experiment, trials)))


def analyse_part(
    experiment: Experiment, trials: Sequence[Trial], response: Response, cache: CacheState
) -> PartAnalysis | None:
    """One response in one cache state; None where it was not measured there, not even against itself (A/A)."""
    samples = samples_of(experiment, trials, response.name, cache)
    figures = all_figures(samples)
    if not (samples.measured or samples.same_first.n or samples.same_second.n):
        return None
    prior = natural_variation(samples)
    noise = noise_floor(samples, prior)
    compared = compare_cells(experiment, samples, response, noise.margin, prior)
    # nobody here knows how the single runs that others published were made: no difference tells them apart
    published = bool(experiment.source) and max(sample.n for sample in samples.cells.values()) == 1
    ranked = ranking(samples, response, inf if published else noise.margin, prior)
    variance = variance_table(experiment, samples)
    best = next((cell for group in ranked for cell in group.cells if cell != experiment.reference), None)
    return PartAnalysis(
        response,
        cache,
        figures,
        noise,
        compared,
        ranked,
        interactions(experiment, samples),
        variance if isinstance(variance, VarianceTable) else None,
        variance if isinstance(variance, str) else "",
        curves(experiment, samples, response.direction),
        best,
        _verdict(compared, best, response.direction) if samples.measured else Verdict.INSUFFICIENT_DATA,
        tuple(cautions.of_part(experiment, figures, compared, noise, samples)),
    )


def _verdict(compared: Sequence[CellComparison], best: Cell | None, direction: Direction) -> Verdict:
    if direction is Direction.NEUTRAL:
        return Verdict.DESCRIPTIVE_ONLY
    return next((comparison.verdict for comparison in compared if comparison.cell == best), Verdict.DESCRIPTIVE_ONLY)


def _waiting(experiment: Experiment, trials: Sequence[Trial], cache: CacheState) -> tuple[Waiting, ...]:
    standing = by_key(
        (trial.cell, trial)
        for trial in trials
        if trial.stands and trial.cache is cache and trial.role is TrialRole.MEASURE
    )
    return waiting_of(experiment, standing)
