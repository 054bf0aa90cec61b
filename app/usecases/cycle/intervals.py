"""How sure the figures of the cycle are: by the occurrences that they were measured in, as in a comparison."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from zoneinfo import ZoneInfo

import numpy as np

from app.analysis.comparing.calendar_slots import Calendar
from app.analysis.comparing.deciding import ASSUMED_SD, kind_of, margin_of
from app.analysis.comparing.judging import LEAST_COVERAGE, LEAST_S, LEAST_SAMPLES, LEAST_SAMPLES_OF_MANY, MANY
from app.analysis.comparing.measured_figure import MeasuredFigure, logarithms
from app.analysis.comparing.occurrence_figures import Figure as LevelFigure
from app.analysis.comparing.occurrence_figures import OccurrenceFigures, Statistic, figures_of, variance_inside
from app.analysis.comparing.regular_samples import NS_PER_S, Samples, samples_of
from app.analysis.inference.occurrences import Level, Prior, Spread, enough_pairs, prior_of_kind, spread_of
from app.analysis.series import SeriesData
from app.core.errors import UserError
from app.diagnosis.cycle.results import window_of
from app.domain.assembly import Span
from app.domain.comparability import FigureInterval
from app.domain.cycle.book import CycleBook, IntervalKey
from app.domain.cycle.records import DailyWindow, Figure, Metric, SeriesSource
from app.domain.engagement import Kind
from app.domain.series import SeriesInfo
from app.domain.series_names import source_of
from app.domain.windows import Stretch, Window, WindowLoad
from app.store.project import Project
from app.usecases.comparing.other_windows import elsewhere
from app.usecases.comparing.sides import Pair, samples_in
from app.usecases.comparing.stretches import load_of, pairs_of, series_in, stretches_of
from app.usecases.comparing.windows import resolved
from app.usecases.cycle.figures import Broken, days_of, find_parts, in_window, unit_factor
from app.usecases.days_off import days_off
from app.usecases.exports import engagement_zone

MOST_OF_A_KIND = 40
"""Series that the variation of a kind is taken from: more of them share the same days, and say no more."""


@dataclass(frozen=True, slots=True, eq=False)
class _Occurrence:
    span: Span
    samples: Samples
    found: OccurrenceFigures

    def tells(self, least: int, load: WindowLoad) -> bool:
        length_s = (self.span[1] - self.span[0]) / NS_PER_S
        measured_s = len(self.samples) * (self.samples.interval_s or length_s)
        return len(self.samples) >= least and length_s >= LEAST_S[load] and measured_s >= LEAST_COVERAGE * length_s


@dataclass(frozen=True, slots=True, eq=False)
class _Side:
    """What a window holds of a series, in the metric's unit."""

    window: Window
    stretches: Sequence[Stretch]
    info: SeriesInfo
    occurrences: tuple[_Occurrence, ...]


def interval(project: Project, book: CycleBook, key: IntervalKey) -> FigureInterval | None:
    """Of a guard also as one of several; None where its samples are too few or gone."""
    figure = _figure_of(project, book, key)
    alone = None if figure is None else figure.interval()
    if figure is None or alone is None:
        return None
    wider = (figure.interval(count) for count in range(2, _guards_beside(book, key[0]) + 1))
    return replace(alone, among=tuple(each for each in wider if each is not None))


def _guards_beside(book: CycleBook, metric: Metric) -> int:
    """How many guards of its iteration, itself among them, are judged together; 1 for what is no guard."""
    if metric.guards is None:
        return 1
    return sum(each.guards is not None for each in book.in_iteration(Metric, metric.iteration_id))


def _figure_of(project: Project, book: CycleBook, key: IntervalKey) -> MeasuredFigure | None:
    metric, now, baseline = key
    if not isinstance(metric.source, SeriesSource) or now.value is None:
        return None
    after = _side(project, book, metric, metric.source, now)
    before = _side(project, book, metric, metric.source, baseline) if baseline is not None else None
    if after is None:
        return None
    windows = [side.window for side in (before, after) if side is not None]
    load = load_of(windows, (series_in(project, window) for window in windows))
    own, short = _telling(after.occurrences, load)
    others = _telling(before.occurrences, load)[0] if before else ()
    levels, other_levels = (_levels(metric.statistic, side) for side in (own, others))
    if not levels:
        return None
    repeats = len(own) + len(others) > len(windows)
    return MeasuredFigure(
        now.value,
        levels,
        other_levels,
        _pairs(project, others, own, load) if other_levels else (),
        _prior(project, metric, before, after, repeats, load),
        load,
        metric.direction,
        metric.unit,
        margin_of(after.info),
        short,
    )


def _pairs(
    project: Project, before: Sequence[_Occurrence], after: Sequence[_Occurrence], load: WindowLoad
) -> list[tuple[int, int]]:
    """Those of the same weekday and hour, where enough have their like."""
    sides = [[Stretch(*each.span) for each in side] for side in (before, after)]
    found = list(pairs_of(sides[0], sides[1], engagement_zone(project), load, days_off(project)))
    return found if enough_pairs(len(found), len(before), len(after)) else []


# -- occurrences ---------------------------------------------------------------------------------------


def _side(
    project: Project, book: CycleBook, metric: Metric, source: SeriesSource, figure: Figure | None
) -> _Side | None:
    window = window_of(book, figure) if figure is not None else None
    if window is None:
        return None
    try:
        return _measured(project, metric, source, resolved(project, window) if window.id else window)
    except UserError:  # what the window was made of is gone: the figure is said to be broken
        return None


def _measured(project: Project, metric: Metric, source: SeriesSource, window: Window) -> _Side | None:
    parts = find_parts(series_in(project, window), source)
    if isinstance(parts, Broken) or parts[0].kind is Kind.COUNTER:
        return None
    factor = unit_factor(metric, source, parts[0])
    if factor is None:
        return None
    stretches = stretches_of(project, window)
    found = tuple(_occurrences(project, metric, parts, stretches, factor))
    return _Side(window, stretches, parts[0], found) if found else None


def _occurrences(
    project: Project, metric: Metric, parts: Sequence[SeriesInfo], stretches: Sequence[Stretch], factor: float
) -> Iterator[_Occurrence]:
    """Where the metric has hours of the day, each day is one.

    Args:
        factor: from the series' unit to the metric's: the two sides may have been captured by different tools.
    """
    calendar = Calendar(engagement_zone(project))
    interval_s = max((each.interval_s for each in parts if each.interval_s), default=None)
    for stretch in stretches:
        data = samples_in(project, tuple(parts), stretch)
        for span, each in _days(data, metric.window, stretch, engagement_zone(project)):
            samples = samples_of(replace(each, values=each.values * factor), parts[0].kind, interval_s)
            if len(samples) > 1:
                yield _Occurrence(span, samples, *figures_of([samples], calendar))


def _days(
    data: SeriesData, hours: DailyWindow | None, stretch: Stretch, zone: ZoneInfo
) -> Iterator[tuple[Span, SeriesData]]:
    if hours is None:
        yield stretch.captured or stretch.span, data
        return
    inside = in_window(data.times_ns, hours, zone)
    days = np.where(inside, days_of(data.times_ns, hours, zone), -1)
    for day in np.unique(days[inside]):
        of_day = data.taken(days == day)
        yield (int(of_day.times_ns[0]), int(of_day.times_ns[-1])), of_day


def _telling(found: Sequence[_Occurrence], load: WindowLoad) -> tuple[Sequence[_Occurrence], bool]:
    """Without those that tell too little, where others tell enough; whether all do not."""
    least = LEAST_SAMPLES_OF_MANY if len(found) >= MANY else LEAST_SAMPLES
    told = [each for each in found if each.tells(least, load)]
    return (told, False) if told else (found, True)


def _figure(statistic: str, one: _Occurrence) -> LevelFigure:
    """NaN where the occurrence does not allow the statistic."""
    if statistic == "p50":
        return _median(one.samples, one.found.size.n_eff)
    return one.found.figures.get(Statistic(statistic), LevelFigure(float("nan"), None))


def _median(samples: Samples, n_eff: float) -> LevelFigure:
    """Its variance as that of the percentiles (Woodruff 1952)."""
    reach = 0.5 / sqrt(max(n_eff, 1.0))
    low, value, high = np.quantile(samples.values, [max(0.5 - reach, 0.0), 0.5, min(0.5 + reach, 1.0)]).tolist()
    return LevelFigure(value, ((high - low) / 2) ** 2)


def _levels(statistic: str, found: Sequence[_Occurrence]) -> list[Level]:
    """Each counting by its samples, as in the figure; none where one does not allow the statistic."""
    figures = [_figure(statistic, each) for each in found]
    if any(np.isnan(each.value) for each in figures):
        return []
    return [
        Level(each.value, variance_inside(each, statistic, len(found)), float(len(one.samples)))
        for each, one in zip(figures, found, strict=True)
    ]


# -- the natural variation -----------------------------------------------------------------------------


def _prior(
    project: Project, metric: Metric, before: _Side | None, after: _Side, repeats: bool, load: WindowLoad
) -> Prior:
    """Of the other series of the kind, where something repeats, else of other windows; else what is assumed."""
    assumed, sides = Prior(ASSUMED_SD[load]), [each for each in (before, after) if each is not None]
    like = [each for each in series_in(project, after.window) if kind_of(each) == kind_of(after.info)]
    if not repeats:
        return _of_other_windows(project, metric, sides, like, load) or assumed
    named = list(dict.fromkeys(source_of(info) for info in like))[:MOST_OF_A_KIND]
    spreads = [_spread(project, metric, source, sides, load) for source in named]
    return prior_of_kind([each for each in spreads if each is not None]) or assumed


def _of_other_windows(
    project: Project, metric: Metric, sides: Sequence[_Side], like: Sequence[SeriesInfo], load: WindowLoad
) -> Prior | None:
    """As in a comparison; where the metric has hours of the day, those of other days are not looked for."""
    if metric.window is not None or metric.statistic not in set(Statistic):
        return None
    info, compared = sides[-1].info, [side.stretches for side in sides]
    pairs: list[Pair] = [((each,), ()) for each in (info, *like[:MOST_OF_A_KIND])]
    return elsewhere(project, pairs, compared, load).prior_of_series(info, Statistic(metric.statistic))


def _spread(
    project: Project, metric: Metric, source: SeriesSource, sides: Sequence[_Side], load: WindowLoad
) -> Spread | None:
    found = []
    for side in sides:
        own = _measured(project, metric, source, side.window)
        told = _telling(own.occurrences, load)[0] if own else ()
        levels = _levels(metric.statistic, told)
        if levels and all(each.value > 0 for each in levels):
            found.append(logarithms(levels))
    return spread_of(found[0], found[1] if len(found) > 1 else ()) if found else None
