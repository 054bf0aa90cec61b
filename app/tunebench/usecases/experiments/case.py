"""The experiments of a success case: those with results, analysed, with every value they are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from tunebench.analysis.experiments.analysis import ExperimentAnalysis, PartAnalysis
from tunebench.analysis.experiments.curves import Curve
from tunebench.analysis.experiments.figures import CellFigures
from tunebench.analysis.experiments.slices import usual_factors
from tunebench.analysis.experiments.steps import largest_steps
from tunebench.core.messages import catalogue
from tunebench.domain.experiments.book import ExperimentBook
from tunebench.domain.experiments.records import (
    Cell,
    Experiment,
    Factor,
    Trial,
    TrialRole,
    cell_text,
    in_order,
    short_names,
)
from tunebench.domain.translations import Reading
from tunebench.reporting.cases.analysis import CaseCell, CaseExperiment, CasePart, CaseTrial
from tunebench.reporting.pictures import LevelLine, LevelPanel, LevelPoint
from tunebench.store.project import Project
from tunebench.usecases.experiments import reading, words

MOST_PANELS = 8
FEWEST_NUMBERS = 3
"""Two are compared as well as named levels are: a line between them would tell of what lies there."""
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
    factors = analysis.experiment.factors
    varied = [factor for factor in factors if len(factor.levels) > 1] or factors
    return CaseExperiment(
        number=number,
        title=analysis.experiment.title,
        plan=tuple(_plan(analysis.experiment, language)),
        confounders=analysis.experiment.confounders,
        verdict=words.outcome_text(analysis.parts[0], language),
        parts=tuple(_part(analysis.experiment, part, trials, language, file_key) for part in analysis.parts),
        cautions=tuple(words.caution_text(caution, language) for caution in analysis.cautions),
        factors=tuple(factor.name for factor in varied),
        waiting=dict(analysis.waiting).get(analysis.parts[0].cache, ()),
        steps=largest_steps(analysis.experiment, analysis.parts[0].cells),
        next_step=words.next_step(analysis, trials, language),
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
    across, panels = _panels(experiment, part)
    short = short_names(experiment)
    return CasePart(
        response=part.response.title or name,
        unit=part.response.unit,
        cache=words.member_text(part.cache, language),
        verdict=words.outcome_text(part, language),
        noise=words.noise_text(part.noise, language),
        cells=tuple(
            _cell(experiment, part, figures, places.get(figures.cell), short[figures.cell], language)
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
        bends=tuple(words.curve_lines([curve for curve in part.curves if curve.knee is not None], language)),
        across=across,
        panels=panels,
        direction=part.response.direction,
    )


def _by_factor(part: PartAnalysis) -> list[list[Curve]]:
    factors = dict.fromkeys(curve.factor for curve in part.curves)
    return [[curve for curve in part.curves if curve.factor == name] for name in factors]


def _panels(experiment: Experiment, part: PartAnalysis) -> tuple[str, tuple[LevelPanel, ...]]:
    """(factor along the axis with its unit, a panel for every combination of the factors that are held)."""
    told_apart, across = usual_factors(experiment)
    measured = [figures for figures in part.cells if figures.median is not None]
    if across is None or len({figures.cell[across] for figures in measured}) < FEWEST_NUMBERS:
        return "", ()
    factor = experiment.factors[across]
    held: dict[str, dict[str, list[LevelPoint]]] = {}
    for figures in measured:
        lines = held.setdefault(_held_text(experiment, figures.cell, (told_apart, across)), {})
        name = factor.name if told_apart is None else figures.cell[told_apart]
        lines.setdefault(name, []).append(_point(factor, across, figures))
    if max(len(points) for lines in held.values() for points in lines.values()) < FEWEST_NUMBERS:
        return "", ()
    panels = (
        LevelPanel(title, tuple(LevelLine(name, _by_number(points)) for name, points in lines.items()))
        for title, lines in held.items()
    )
    unit = f" [{factor.unit}]" if factor.unit else ""
    return f"{factor.name}{unit}", tuple(panels)[:MOST_PANELS]


def _held_text(experiment: Experiment, cell: Cell, drawn: tuple[int | None, ...]) -> str:
    """``pool = 12 GB, mode = read-only``: the levels of factors that vary and are not drawn."""
    return ", ".join(
        f"{factor.name} = {level} {factor.unit}".rstrip()
        for index, (factor, level) in enumerate(zip(experiment.factors, cell, strict=True))
        if index not in drawn and len(factor.levels) > 1
    )


def _point(factor: Factor, across: int, figures: CellFigures) -> LevelPoint:
    level = factor.level(figures.cell[across])
    assert level is not None and level.value is not None and figures.median is not None  # a number, and measured
    interval = figures.interval
    ends = (None, None) if interval is None else (interval.low, interval.high)
    return LevelPoint(level.value, figures.median, *ends)


def _by_number(points: list[LevelPoint]) -> tuple[LevelPoint, ...]:
    return tuple(sorted(points, key=lambda point: point.number))


def _cell(
    experiment: Experiment, part: PartAnalysis, figures: CellFigures, rank: int | None, short: str, language: str
) -> CaseCell:
    cell = CaseCell(
        figures,
        cell_text(experiment, figures.cell),
        rank,
        figures.cell == experiment.reference,
        short=short,
        is_best=figures.cell == part.best,
    )
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
