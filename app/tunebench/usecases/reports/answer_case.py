"""What a report draws beside the answer, out of the project."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from tunebench.analysis.answering.answer import Answer, KindAnswer, TargetAnswer
from tunebench.analysis.answering.groups import Member
from tunebench.analysis.answering.resources import Figure
from tunebench.analysis.comparing.comparison import ComparedSeries, Comparison, OccurrenceLevel
from tunebench.analysis.comparing.occurrence_figures import Statistic
from tunebench.analysis.comparing.regular_samples import Floats
from tunebench.analysis.series import SeriesData
from tunebench.core.errors import UserError
from tunebench.diagnosis.cycle.results import window_of
from tunebench.domain.cycle.book import CycleBook
from tunebench.domain.cycle.records import Figure as MeasuredFigure
from tunebench.domain.cycle.records import SeriesSource
from tunebench.reporting.cases.answer import AnswerCase, Course
from tunebench.store.project import Project
from tunebench.usecases.answering.profiles import occurrences, profiles
from tunebench.usecases.comparing.sides import samples_over
from tunebench.usecases.comparing.stretches import series_in, stretches_of
from tunebench.usecases.comparing.windows import ready
from tunebench.usecases.cycle import reading
from tunebench.usecases.cycle.figures import Broken, find_parts, unit_factor

MOST_POINTS = 240
"""Of a curve: more no reader tells apart on a page."""
MOST_DRAWN = 40
"""Members of a kind whose hours are drawn."""
HOURS = 24


def answer_case(project: Project, answer: Answer, comparison: Comparison) -> AnswerCase:
    drawn = [kind.of(member) for kind in answer.kinds for member in drawn_members(kind)]
    return AnswerCase(
        answer,
        tuple(_courses(project, answer, comparison)),
        {
            figure.resource: own
            for figure, own in zip(drawn, profiles(project, comparison, drawn, HOURS), strict=True)
            if own is not None
        },
        {figure.resource: levels for figure in answer.figures if (levels := levels_of(figure.lead)) is not None},
    )


def drawn_members(kind: KindAnswer) -> list[Member]:
    """All of few; of many those that changed most."""
    members = [*(member for group in kind.parts.groups for member in group.members), *kind.parts.apart]
    return sorted(members, key=lambda member: -abs(member.change))[:MOST_DRAWN]


def levels_of(row: ComparedSeries) -> tuple[tuple[float, ...], tuple[float, ...]] | None:
    """Mean of each occurrence of either side, per unit of work where the verdict is; None without a verdict."""
    if row.grounds is None:
        return None
    return _levels(row.grounds.before), _levels(row.grounds.after)


def _levels(side: Iterable[OccurrenceLevel]) -> tuple[float, ...]:
    return tuple(own.found.figures[Statistic.MEAN].value / own.share for own in side)


# -- the course of the headline ------------------------------------------------------------------------


def _courses(project: Project, answer: Answer, comparison: Comparison) -> Iterator[Course]:
    headline = answer.headline
    if isinstance(headline, TargetAnswer):
        yield from _of_target(project, answer, headline)
    elif isinstance(headline, Figure):
        yield from _of_figure(project, headline, comparison, [own.name for own in answer.windows])


def _of_target(project: Project, answer: Answer, target: TargetAnswer) -> Iterator[Course]:
    """The start of the engagement where there is one, then both windows of the target."""
    book = reading.read(project)
    started = next((own for own in answer.targets if own.scope.value == "engagement"), None)
    figures = [(started.before, started.windows[0], True)] if started is not None else []
    figures += [(target.before, target.windows[0], False), (target.now, target.windows[1], False)]
    for figure, window, start in figures:
        if figure is None or figure.value is None or window is None:
            continue
        values = _samples_of(project, book, target, figure)
        if values is not None:
            yield Course(window.name, thinned([values]), figure.value, start)


def _samples_of(project: Project, book: CycleBook, target: TargetAnswer, figure: MeasuredFigure) -> SeriesData | None:
    """In the unit of the metric; None of what is of no series any more."""
    source, window = target.metric.source, window_of(book, figure)
    if not isinstance(source, SeriesSource) or window is None:
        return None
    try:
        window = ready(project, window)
    except UserError:  # its captures were removed
        return None
    parts = find_parts(series_in(project, window), source)
    if isinstance(parts, Broken):
        return None
    factor = unit_factor(target.metric, source, parts[0])
    data = samples_over(project, parts, stretches_of(project, window))
    return None if factor is None else replace(data, values=data.values * factor)


def _of_figure(project: Project, figure: Figure, comparison: Comparison, names: Sequence[str]) -> Iterator[Course]:
    row = figure.lead
    sides = zip(names, (comparison.occurrences_before, comparison.occurrences_after), row.side_statistics, strict=True)
    for index, (name, stretches, statistics) in enumerate(sides):
        if statistics is not None and statistics.mean is not None:
            yield Course(name, thinned(occurrences(project, figure, stretches, index)), statistics.mean)


def thinned(several: Sequence[SeriesData]) -> Floats:
    """float64[n]: means of equally many samples each, occurrence after occurrence with a gap between."""
    values = [own.values[~own.since_boot] for own in several]
    total = sum(map(len, values))
    step = max(-(-total // MOST_POINTS), 1)
    lines = []
    for own in filter(len, values):
        padded = np.concatenate([own, np.full(-len(own) % step, np.nan)]).reshape(-1, step)
        counts = np.maximum((~np.isnan(padded)).sum(axis=1), 1)
        sums = np.nansum(padded, axis=1)
        lines += [np.where(np.isnan(padded).all(axis=1), np.nan, sums / counts), np.array([np.nan])]
    return np.concatenate(lines[:-1]) if lines else np.empty(0)
