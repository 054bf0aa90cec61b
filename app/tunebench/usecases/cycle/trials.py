"""Experiments as sources of the cycle's metrics: a cell's trials are the occurrences that a figure is measured in."""

from __future__ import annotations

from dataclasses import replace

from tunebench.analysis.comparing.measured_figure import MeasuredFigure, as_change
from tunebench.analysis.experiments.comparisons import compare_cells, decision_of_cells, natural_variation, noise_floor
from tunebench.analysis.experiments.samples import Samples, samples_of
from tunebench.analysis.inference.occurrences import Confidence, Level
from tunebench.core.errors import UserError
from tunebench.domain.comparability import ChangeInterval
from tunebench.domain.cycle.book import IntervalKey
from tunebench.domain.cycle.measured_over import TrialCell
from tunebench.domain.cycle.records import ExperimentSource, Figure, Metric
from tunebench.domain.engagement import Direction
from tunebench.domain.experiments.records import CacheState, Experiment, Response, cell_text
from tunebench.domain.windows import WindowLoad
from tunebench.sdk.units import factor_between
from tunebench.store.experiments import records as experiments
from tunebench.store.project import Project

STATISTIC = "mean"
"""Of the trials; any other statistic of so few says nothing of what the next run will be."""


def cells_of(project: Project, source: ExperimentSource) -> tuple[TrialCell, ...]:
    """Every cell of the source's experiment, the reference first; none where the experiment is gone."""
    experiment = experiments.read_book(project).experiments.get(source.experiment_id)
    if experiment is None:
        return ()
    cells = [_cell(experiment, cell) for cell in experiment.all_cells]
    return tuple(sorted(cells, key=lambda cell: not cell.is_reference))


def _cell(experiment: Experiment, cell: tuple[str, ...]) -> TrialCell:
    return TrialCell(experiment.id, cell, cell_text(experiment, cell), cell == experiment.reference)


def responses_of(project: Project) -> list[tuple[ExperimentSource, str]]:
    """Every response that a metric can be of, in every state of the caches that is planned, and what it is called."""
    sources = []
    for experiment in experiments.read_book(project).experiments.values():
        caches = [cache.value for cache in experiment.caches] if len(experiment.caches) > 1 else [""]
        for response in experiment.responses:
            for cache in caches:
                words = " · ".join(filter(None, (experiment.title, response.title or response.name, cache)))
                sources.append((ExperimentSource(experiment.id, response.name, cache), words))
    return sources


def find_cell(project: Project, source: ExperimentSource, words: str) -> TrialCell:
    """The cell of that text, or of the names of its levels with slashes between.

    Raises:
        UserError: cycle_cell_unknown.
    """
    cells = cells_of(project, source)
    wanted = words.strip().casefold()
    matches = [cell for cell in cells if wanted in (cell.name.casefold(), "/".join(cell.cell).casefold())]
    if len(matches) != 1:
        raise UserError("cycle_cell_unknown", cell=words, known=", ".join("/".join(cell.cell) for cell in cells) or "–")
    return matches[0]


def cell_of_figure(project: Project, source: ExperimentSource, figure: Figure) -> TrialCell | None:
    """What it was measured over, also where the experiment has no such cell any more; None for what was typed in."""
    if not figure.cell:
        return None
    own = TrialCell(source.experiment_id, figure.cell, "/".join(figure.cell), False)
    return next((cell for cell in cells_of(project, source) if cell.cell == figure.cell), own)


def measured(project: Project, metric: Metric, source: ExperimentSource, over: TrialCell) -> Figure | str:
    """The mean of the cell's trials that stand; else why there is none (a key below ``cycle.broken.``)."""
    if metric.statistic != STATISTIC:
        return "trials_statistic"
    trials = _read(project, metric, source)
    if trials is None:
        return "experiment_missing"
    _experiment, response, samples, factor = trials
    if factor is None:
        return "unit_differs"
    if {response.direction, metric.direction} == {Direction.LOWER, Direction.HIGHER}:
        return "direction_differs"
    sample = samples.cells.get(over.cell)
    if sample is None or not sample.n:
        return "no_trials"
    return Figure(float(sample.values.mean()) * factor, samples=sample.n, cell=over.cell)


def figure_of_trials(project: Project, key: IntervalKey) -> MeasuredFigure | None:
    """The figure as one of samples, each trial an occurrence; the change is the row of the experiment's own
    analysis, judged among all its cells against the baseline's, whatever the experiment calls its reference now."""
    metric, now, baseline = key
    assert isinstance(metric.source, ExperimentSource)
    trials = _read(project, metric, metric.source)
    if trials is None or now.value is None:
        return None
    experiment, response, samples, factor = trials
    response = replace(response, direction=metric.direction)
    sample = samples.cells.get(now.cell)
    if factor is None or sample is None or not sample.n:
        return None
    prior = natural_variation(samples)
    margin = noise_floor(samples, prior).margin
    before = samples.cells.get(baseline.cell) if baseline is not None else None
    own = [Level(value) for value in (sample.values * factor).tolist()]
    if before is None or baseline is None or not before.n:
        return MeasuredFigure(now.value, own, (), prior, WindowLoad.CONTROLLED)
    others = [Level(value) for value in (before.values * factor).tolist()]
    cells = (baseline.cell, now.cell)
    rows = compare_cells(replace(experiment, baseline=baseline.cell), samples, response, margin, prior)
    among_all = next((row.verdict for row in rows if row.cell == now.cell), None)

    def change(confidence: Confidence) -> ChangeInterval:
        decision = decision_of_cells(samples, cells, response, margin, prior, confidence)
        assert decision is not None  # both were measured
        interval = as_change(decision, metric.direction, margin)
        return interval if among_all is None else replace(interval, verdict=among_all.value)

    return MeasuredFigure(now.value, own, others, prior, WindowLoad.CONTROLLED, change)


def _read(
    project: Project, metric: Metric, source: ExperimentSource
) -> tuple[Experiment, Response, Samples, float | None] | None:
    """Also from the response's unit to the metric's; None where they measure different things."""
    book = experiments.read_book(project)
    experiment = book.experiments.get(source.experiment_id)
    response = experiment.response(source.response) if experiment is not None else None
    if experiment is None or response is None:
        return None
    cache = CacheState(source.cache) if source.cache else experiment.caches[0]
    samples = samples_of(experiment, book.trials_of(experiment.id), response.name, cache)
    factor = 1.0 if response.unit == metric.unit else factor_between(response.unit, metric.unit)
    return experiment, response, samples, factor
