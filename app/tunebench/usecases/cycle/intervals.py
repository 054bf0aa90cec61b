"""How sure the figures of the cycle are: by the occurrences that they were measured in, as in a comparison."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from math import sqrt

import numpy as np

from tunebench.analysis.comparing.calendar_slots import Calendar, Calendars
from tunebench.analysis.comparing.comparison import MatchKey, pair_series, thing_key
from tunebench.analysis.comparing.deciding import ASSUMED_SD, Kinds, Thing, decided, kind_of, margin_of
from tunebench.analysis.comparing.disk_work import counts_requests, is_mean_of_requests
from tunebench.analysis.comparing.judging import LEAST_SAMPLES, LEAST_SAMPLES_OF_MANY, MANY, Prepared, prepared, tells
from tunebench.analysis.comparing.measured_figure import MeasuredFigure, as_change, logarithms
from tunebench.analysis.comparing.occurrence_figures import Figure as LevelFigure
from tunebench.analysis.comparing.occurrence_figures import OccurrenceFigures, Statistic, figures_of, variance_inside
from tunebench.analysis.comparing.regular_samples import Samples
from tunebench.analysis.comparing.window_sides import Measured, Side
from tunebench.analysis.inference.occurrences import Confidence, Level, Prior, Spread, prior_of_kind, spread_of
from tunebench.core.errors import UserError
from tunebench.core.records import record
from tunebench.diagnosis.cycle.results import window_of
from tunebench.domain.comparability import AtLoad, ChangeInterval, FigureInterval
from tunebench.domain.cycle.book import CycleBook, IntervalKey
from tunebench.domain.cycle.records import ExperimentSource, Figure, Metric, SeriesSource
from tunebench.domain.engagement import Direction, Kind
from tunebench.domain.series import SeriesInfo
from tunebench.domain.series_names import source_of
from tunebench.domain.windows import Stretch, Window, WindowLoad
from tunebench.store.project import Project
from tunebench.usecases.comparing.clocks import calendar_of
from tunebench.usecases.comparing.other_windows import elsewhere
from tunebench.usecases.comparing.sides import Pair, counting, in_blocks, let_go, read_block, thing_of
from tunebench.usecases.comparing.stretches import in_hours, load_of, series_in, stretches_of, two_sides
from tunebench.usecases.comparing.windows import resolved
from tunebench.usecases.cycle.figures import Broken, find_parts, unit_factor
from tunebench.usecases.cycle.trials import figure_of_trials

MOST_OF_A_KIND = 40
"""Series that the variation of a kind is taken from where nothing is compared: more share the same days, and say no
more."""


RowsAtLoad = Mapping[tuple[MatchKey, str], AtLoad]
"""Series and statistic -> what a comparison says of it where the load moved."""


@record(eq=False)
class _Side:
    """What a window holds of a series.

    Attributes:
        factor: from the series' unit to the metric's: the two sides may have been captured by different tools.
    """

    window: Window
    calendar: Calendar
    stretches: Sequence[Stretch]
    parts: tuple[SeriesInfo, ...]
    factor: float
    occurrences: tuple[Measured, ...]

    @property
    def info(self) -> SeriesInfo:
        return self.parts[0]


def interval(
    project: Project, book: CycleBook, key: IntervalKey, at_load: RowsAtLoad | None = None
) -> FigureInterval | None:
    """The interval of the figure, of a guard also as one of several; None where its samples are too few or gone."""
    figure = _figure_of(project, book, key, at_load or {})
    alone = None if figure is None else figure.interval()
    if figure is None or alone is None:
        return None
    wider = (figure.interval(count) for count in range(2, _guards_beside(book, key[0]) + 1))
    return replace(alone, among=tuple(guard for guard in wider if guard is not None))


def _guards_beside(book: CycleBook, metric: Metric) -> int:
    """How many guards of its iteration, itself among them, are judged together; 1 for what is no guard."""
    if metric.guards is None:
        return 1
    return sum(other.guards is not None for other in book.in_iteration(Metric, metric.iteration_id))


def _figure_of(project: Project, book: CycleBook, key: IntervalKey, at_load: RowsAtLoad) -> MeasuredFigure | None:
    metric, now, baseline = key
    if isinstance(metric.source, ExperimentSource):
        return figure_of_trials(project, key)
    if not isinstance(metric.source, SeriesSource) or now.value is None:
        return None
    after = _side(project, book, metric, metric.source, now)
    before = _side(project, book, metric, metric.source, baseline) if baseline is not None else None
    if after is None:
        return None
    windows = [side.window for side in (before, after) if side is not None]
    load = load_of(windows, (series_in(project, window) for window in windows))
    own, short = _telling(after.occurrences, load)
    levels = _levels(metric, after, own)
    if not levels:
        return None
    if before is None:
        prior = _prior(project, metric, after, len(own) > 1, load)
        return MeasuredFigure(now.value, levels, (), prior, load, None, short)
    others = _levels(metric, before, _telling(before.occurrences, load)[0])
    change = _change(project, metric, before, after)
    change = replace(change, at_load=at_load.get((thing_key(after.info), change.statistic.value)))
    return MeasuredFigure(now.value, levels, others, change.prior, load, change.at, short)


# -- against the baseline: the row of a comparison -----------------------------------------------------


@record(eq=False)
class _Change:
    """What a comparison of the two windows computes its row of the series from, in the metric's unit and direction.

    Attributes:
        statistic: in whose place the metric's own stands.
        at_load: what the comparison says of it; None where the load stayed.
    """

    info: SeriesInfo
    found: Prepared
    kinds: Kinds
    statistic: Statistic
    at_load: AtLoad | None = None

    @property
    def prior(self) -> Prior:
        return self.kinds.prior(self.info, self.statistic)

    def at(self, confidence: Confidence) -> ChangeInterval:
        margin, refused = margin_of(self.info), self.found.refusal
        (decision,) = decided([Thing(self.info, self.found)], self.kinds, self.statistic, confidence)
        if refused is not None or decision is None:
            return ChangeInterval("descriptive_only" if refused is None else refused.verdict.value, margin)
        change = as_change(decision, self.info.direction, margin)
        if self.at_load is None or (self.at_load.ratio is None and self.at_load.verdict == change.verdict):
            return change
        at_load = self.at_load
        if at_load.measured is None and change.ratio:
            at_load = replace(
                at_load, measured=1 / change.ratio if self.info.direction is Direction.LOWER else change.ratio
            )
        return replace(change, verdict=at_load.verdict, at_load=at_load)


def _change(project: Project, metric: Metric, before: _Side, after: _Side) -> _Change:
    """The change by the rule of every row of a comparison: the occurrences that have their like, each counting
    alike, without what is excluded on either side, moderated by all series of the kind."""
    windows, kind = (before.window, after.window), kind_of(after.info)
    listed = [series_in(project, window) for window in windows]
    sides = two_sides(project, *windows, listed, metric.window)
    own: Pair = (before.parts, after.parts)
    others = [pair for pair in pair_series(*listed) if pair != own and all(pair)]
    alike = [pair for pair in others if kind_of(pair[1][0]) == kind]
    pairs = [own]
    if sum(map(len, sides.windows)) > len(sides.windows):  # else nothing repeats, and none of them tells of a variation
        pairs += alike
    things = [{thing_of(pair[which][0]) for pair in pairs} for which in (0, 1)]
    pairs += [pair for pair in others if pair not in pairs and _tells_work(pair, after.info, things)]
    kinds, change = Kinds(sides.load, sides.places), Prepared()
    for places in in_blocks(pairs):
        reads = read_block(project, pairs, places, sides.windows)
        for read in reads:
            first, second = read.before.side, read.after.side
            if first is None or second is None or kind_of(second.info) != kind:
                continue
            if not read.index:  # whatever tool, heading and unit it has on either side: the metric is of both
                first = Side(replace(second.info, host=first.info.host, host_id=first.info.host_id), first.occurrences)
            (ready,) = prepared([(first, second)], sides.calendars, sides.load)
            ready = _in_place(metric, ready, first, second)
            kinds.take(second.info, ready)
            if not read.index:
                if ready.refusal is not None and ready.refusal.reason == "few_samples":
                    ready = _in_place(metric, _described(first, second, sides.calendars), first, second)
                change = _scaled(ready, before.factor, after.factor)
        let_go(reads)
    if metric.window is None and metric.statistic in set(Statistic):
        kinds.elsewhere = elsewhere(project, [own, *alike], sides.windows, sides.load, sides.calendars[0])
    statistic = Statistic.MEAN if metric.statistic == "p50" else Statistic(metric.statistic)
    info = replace(after.info, direction=metric.direction, unit=metric.unit)
    return _Change(info, change, kinds, statistic)


def _described(before: Side, after: Side, calendars: Calendars) -> Prepared:
    """The sides described by samples too few for a verdict: the figure is called descriptive, and so is its change."""
    sides = [
        {occurrence.place: occurrence.figures(own) for occurrence in side.occurrences}
        for side, own in zip((before, after), calendars, strict=True)
    ]
    return Prepared(before=sides[0], after=sides[1], means=(before.mean, after.mean))


def _tells_work(pair: Pair, info: SeriesInfo, things: Sequence[Collection[tuple[str, ...]]]) -> bool:
    """Of means of requests the columns of the same things that tell the work done."""
    wanted = is_mean_of_requests(info) and counts_requests(pair[1][0])
    return wanted and any(thing_of(parts[0]) in own for parts, own in zip(pair, things, strict=True))


def _in_place(metric: Metric, ready: Prepared, before: Side, after: Side) -> Prepared:
    """The sides with the median in place of the mean, if the metric is of that: a comparison knows no median."""
    if metric.statistic != "p50":
        return ready
    sides = [
        {
            occurrence.place: replace(
                own[occurrence.place],
                figures={Statistic.MEAN: _median(occurrence.judged, own[occurrence.place].size.n_eff)},
            )
            for occurrence in side.occurrences
            if occurrence.place in own
        }
        for side, own in ((before, ready.before), (after, ready.after))
    ]
    return replace(ready, before=sides[0], after=sides[1], curve=None)


def _scaled(ready: Prepared, before: float, after: float) -> Prepared:
    """The figures in another unit."""
    return replace(
        ready,
        before=_times(ready.before, before),
        after=_times(ready.after, after),
        means=(ready.means[0] * before, ready.means[1] * after),
    )


def _times(own: Mapping[int, OccurrenceFigures], factor: float) -> dict[int, OccurrenceFigures]:
    def times(level: LevelFigure) -> LevelFigure:
        return LevelFigure(level.value * factor, None if level.variance is None else level.variance * factor**2)

    return {
        index: replace(occurrence, figures={name: times(figure) for name, figure in occurrence.figures.items()})
        for index, occurrence in own.items()
    }


# -- the figure by itself ------------------------------------------------------------------------------


def _side(
    project: Project, book: CycleBook, metric: Metric, source: SeriesSource, figure: Figure | None
) -> _Side | None:
    window = window_of(book, figure) if figure is not None else None
    if window is None:
        return None
    try:
        return _measured(project, metric, source, resolved(project, window) if window.id else window)
    except UserError:  # what the window was made of is gone: the figure is reported as broken
        return None


def _measured(project: Project, metric: Metric, source: SeriesSource, window: Window) -> _Side | None:
    listed = series_in(project, window)
    parts = find_parts(listed, source)
    if isinstance(parts, Broken) or parts[0].kind is Kind.COUNTER:
        return None
    factor = unit_factor(metric, source, parts[0])
    if factor is None:
        return None
    calendar = calendar_of(project, window.zone)
    stretches = in_hours(stretches_of(project, window), metric.window, calendar.zone)
    pairs: list[Pair] = [(column, ()) for column in (parts, *counting(listed, parts[0]))]
    read, *_ = read_block(project, pairs, range(len(pairs)), (stretches, ()))
    occurrences = read.before.side.occurrences if read.before.side is not None else ()
    usable = tuple(occurrence for occurrence in occurrences if occurrence.n > 1)
    return _Side(window, calendar, stretches, parts, factor, usable) if usable else None


def _telling(occurrences: Sequence[Measured], load: WindowLoad) -> tuple[Sequence[Measured], bool]:
    """(the occurrences without those that tell too little, where others tell enough; whether none tells enough)."""
    least = LEAST_SAMPLES_OF_MANY if len(occurrences) >= MANY else LEAST_SAMPLES
    telling = [occurrence for occurrence in occurrences if tells(occurrence, least, load)]
    return (telling, False) if telling else (occurrences, True)


def _levels(metric: Metric, side: _Side, occurrences: Sequence[Measured]) -> list[Level]:
    """The levels in the metric's unit, each counting by its samples, as in the figure, of a mean of requests by
    these; none where one does not allow the statistic."""
    alike = metric.statistic != Statistic.MEAN
    figures = [
        _figure(metric.statistic, occurrence.samples, _figures(occurrence, side.calendar, alike))
        for occurrence in occurrences
    ]
    if any(np.isnan(figure.value) for figure in figures):
        return []
    return [
        Level(
            figure.value * side.factor,
            variance_inside(figure, metric.statistic, len(occurrences)) * side.factor**2,
            float(one.n) if alike else _work_done(one),
        )
        for figure, one in zip(figures, occurrences, strict=True)
    ]


def _figures(one: Measured, calendar: Calendar, alike: bool) -> OccurrenceFigures:
    """Percentiles of the cycle are of the samples, `alike`, where a comparison's are of the requests."""
    return figures_of([one.samples], calendar)[0] if alike and one.facts.weighted else one.figures(calendar)


def _work_done(one: Measured) -> float:
    weights = one.judged.weights
    return float(one.n) if weights is None or not weights.any() else float(weights.sum())


def _figure(statistic: str, samples: Samples, figures: OccurrenceFigures) -> LevelFigure:
    """NaN where the occurrence does not allow the statistic."""
    if statistic == "p50":
        return _median(samples, figures.size.n_eff)
    return figures.figures.get(Statistic(statistic), LevelFigure(float("nan"), None))


def _median(samples: Samples, n_eff: float) -> LevelFigure:
    """Its variance as that of the percentiles (Woodruff 1952)."""
    reach = 0.5 / sqrt(max(n_eff, 1.0))
    low, value, high = np.quantile(samples.values, [max(0.5 - reach, 0.0), 0.5, min(0.5 + reach, 1.0)]).tolist()
    return LevelFigure(value, ((high - low) / 2) ** 2)


# -- the natural variation -----------------------------------------------------------------------------


def _prior(project: Project, metric: Metric, side: _Side, repeats: bool, load: WindowLoad) -> Prior:
    """The variation of a window that is compared with none: that of the other series of the kind, where it repeats,
    else of other windows; else what is assumed."""
    assumed = Prior(ASSUMED_SD[load])
    like = [info for info in series_in(project, side.window) if kind_of(info) == kind_of(side.info)]
    if not repeats:
        return _of_other_windows(project, metric, side, like, load) or assumed
    named = list(dict.fromkeys(source_of(info) for info in like))[:MOST_OF_A_KIND]
    spreads = [_spread(project, metric, source, side.window, load) for source in named]
    return prior_of_kind([spread for spread in spreads if spread is not None]) or assumed


def _of_other_windows(
    project: Project, metric: Metric, side: _Side, like: Sequence[SeriesInfo], load: WindowLoad
) -> Prior | None:
    """The variation that other windows show, as in a comparison; where the metric has hours of the day, none is
    looked for."""
    if metric.window is not None or metric.statistic not in set(Statistic):
        return None
    pairs: list[Pair] = [((info,), ()) for info in (side.info, *like[:MOST_OF_A_KIND])]
    variation = elsewhere(project, pairs, [side.stretches], load, side.calendar)
    return variation.prior_of_series(side.info, Statistic(metric.statistic))


def _spread(project: Project, metric: Metric, source: SeriesSource, window: Window, load: WindowLoad) -> Spread | None:
    own = _measured(project, metric, source, window)
    levels = _levels(metric, own, _telling(own.occurrences, load)[0]) if own else []
    return spread_of(logarithms(levels), ()) if levels and all(level.value > 0 for level in levels) else None
