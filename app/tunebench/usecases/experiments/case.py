"""The experiments of a success case: those with results, analysed, with every value they are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import product

from tunebench.analysis.experiments.analysis import ExperimentAnalysis, PartAnalysis
from tunebench.analysis.experiments.curves import Curve
from tunebench.analysis.experiments.figures import CellFigures
from tunebench.analysis.experiments.slices import slice_of, usual_factors
from tunebench.core.messages import catalogue
from tunebench.domain.experiments.book import ExperimentBook
from tunebench.domain.experiments.records import Experiment, Factor, Trial, TrialRole, cell_text, in_order
from tunebench.domain.translations import Reading
from tunebench.reporting.cases.analysis import CaseCell, CaseChart, CaseExperiment, CasePart, CaseTrial
from tunebench.store.project import Project
from tunebench.usecases.experiments import reading, words

MOST_CHARTS = 8
FileKey = Callable[[int | None], str]


def experiment_cases(
    project: Project, language: str, file_key: FileKey, reader: Reading | None = None
) -> tuple[CaseExperiment, ...]:
    """The experiments of which anything was measured, in the words that `reader` has of them."""
    book = reading.read(project)
    if reader is not None:
        book = ExperimentBook.of(reader.of(tuple(book.experiments.values())), reader.of(tuple(book.trials.values())))
    cases: list[CaseExperiment] = []
    for id_ in book.experiments:
        trials = in_order(book.trials_of(id_))
        analysis = reading.analyse(book, id_)
        if analysis.parts:
            cases.append(experiment_case(len(cases) + 1, analysis, trials, language, file_key))
    return tuple(cases)


def experiment_case(
    number: int, analysis: ExperimentAnalysis, trials: Sequence[Trial], language: str, file_key: FileKey = lambda _: ""
) -> CaseExperiment:
    return CaseExperiment(
        number=number,
        title=analysis.experiment.title,
        plan=tuple(_plan(analysis.experiment, language)),
        confounders=analysis.experiment.confounders,
        verdict=words.outcome_text(next(iter(analysis.parts), None), language),
        parts=tuple(_part(analysis.experiment, part, trials, language, file_key) for part in analysis.parts),
        cautions=tuple(words.caution_text(caution, language) for caution in analysis.cautions),
    )


def _plan(experiment: Experiment, language: str) -> Iterable[tuple[str, str]]:
    """(name, text) of what was varied, how often, in which order, and where the figures come from."""
    text = catalogue(language).text
    for factor in experiment.factors:
        name = f"{factor.name} ({factor.unit})" if factor.unit else factor.name
        yield text("report.case_experiment.factor"), f"{name}: {', '.join(level.name for level in factor.levels)}"
    yield text("report.case_experiment.repetitions"), f"{experiment.repetitions}"
    order = words.member_text(experiment.order, language)
    seeded = text("report.case_experiment.order_seed", order=order, seed=experiment.seed)
    yield text("report.case_experiment.order"), seeded
    caches = ", ".join(words.member_text(cache, language) for cache in experiment.caches)
    yield text("report.case_experiment.caches"), caches
    yield text("report.case_experiment.reference"), cell_text(experiment, experiment.reference)
    for key, value in (("command", experiment.command), ("host", experiment.host), ("source", experiment.source)):
        if value:
            yield text(f"report.case_experiment.{key}"), value


def _part(
    experiment: Experiment, part: PartAnalysis, trials: Sequence[Trial], language: str, file_key: FileKey
) -> CasePart:
    places = {cell: group.place for group in part.ranking for cell in group.cells}
    name = part.response.name
    return CasePart(
        response=part.response.title or name,
        unit=part.response.unit,
        cache=words.member_text(part.cache, language),
        verdict=words.outcome_text(part, language),
        noise=words.noise_text(part.noise, language),
        cells=tuple(
            _cell(experiment, part, figures, places.get(figures.cell), language)
            for figures in part.cells
            if figures.median is not None
        ),
        trials=tuple(
            _trial(experiment, trial, name, language, file_key)
            for trial in trials
            if trial.cache is part.cache and trial.value(name) is not None
        ),
        cautions=tuple(words.caution_text(caution, language) for caution in part.cautions),
        curves=tuple(line for curves in _by_factor(part) for line in words.curve_lines(curves, language)),
        charts=tuple(_charts(experiment, part))[:MOST_CHARTS],
    )


def _by_factor(part: PartAnalysis) -> list[list[Curve]]:
    factors = dict.fromkeys(curve.factor for curve in part.curves)
    return [[curve for curve in part.curves if curve.factor == name] for name in factors]


def _charts(experiment: Experiment, part: PartAnalysis) -> Iterable[CaseChart]:
    """A chart for every combination of the factors that are held, where several levels were measured."""
    told_apart, across = usual_factors(experiment)
    if across is None:
        return
    factor = experiment.factors[across]
    others = [index for index in range(len(experiment.factors)) if index not in (told_apart, across)]
    for levels in product(*([level.name for level in experiment.factors[index].levels] for index in others)):
        held = dict(zip(others, levels, strict=True))
        first, second = (across, None) if told_apart is None else (told_apart, across)
        curves = slice_of(experiment, part, first, second, held)
        rows = list(zip(*curves.values, strict=True)) if told_apart is None else list(curves.values)
        names = (factor.name,) if told_apart is None else curves.first_levels
        lines = tuple((name, _points(factor, row)) for name, row in zip(names, rows, strict=True) if _measured(row))
        lowest = min((y for _name, points in lines for _x, y in points), default=-1.0)
        if lowest >= 0 and any(len(points) > 1 for _name, points in lines):
            varied = [(index, name) for index, name in held.items() if len(experiment.factors[index].levels) > 1]
            words_held = ", ".join(f"{experiment.factors[index].name} = {name}" for index, name in varied)
            unit = f" [{factor.unit}]" if factor.unit else ""
            yield CaseChart(words_held, f"{factor.name}{unit}", lines)


def _measured(values: Sequence[float | None]) -> bool:
    return any(value is not None for value in values)


def _points(factor: Factor, values: Sequence[float | None]) -> tuple[tuple[float, float], ...]:
    measured = ((level.value, value) for level, value in zip(factor.levels, values, strict=True))
    return tuple(sorted((x, y) for x, y in measured if x is not None and y is not None))


def _cell(
    experiment: Experiment, part: PartAnalysis, figures: CellFigures, rank: int | None, language: str
) -> CaseCell:
    cell = CaseCell(figures, cell_text(experiment, figures.cell), rank, figures.cell == experiment.reference)
    compared = part.comparison_of(figures.cell)
    if compared is None:
        return cell
    return replace(
        cell,
        ratio_words=words.ratio_text(compared, language, part.response.direction),
        verdict=words.judged_text(compared, language),
        compared=compared,
        variation=words.variation_text(compared, language),
        settles=words.settles_text(compared, language),
    )


def _trial(experiment: Experiment, trial: Trial, response: str, language: str, file_key: FileKey) -> CaseTrial:
    key = file_key(trial.artefact_id)
    return CaseTrial(
        trial,
        cell_text(experiment, trial.cell),
        words.member_text(trial.role, language),
        words.member_text(trial.state, language),
        trial.value(response),
        stands=trial.stands and trial.role is TrialRole.MEASURE,
        evidence=f"{key}:{trial.line}" if key and trial.line else key,
    )
