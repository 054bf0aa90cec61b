"""The natural variation that the rest of the project shows, where the compared windows have one occurrence each.

Other windows and runs tell it on those of their days on which the compared hours were captured, working days, Saturdays
and Sundays apart; of a controlled load by the runs that are one window. Each is looked at by itself: what was changed
between them is no natural variation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from math import log
from typing import TypeVar

from tunebench.analysis.comparing.calendar_slots import Calendar, day_class
from tunebench.analysis.comparing.comparison import MatchKey, in_time_order, thing_key
from tunebench.analysis.comparing.deciding import Elsewhere
from tunebench.analysis.comparing.judging import LEAST_COVERAGE, LEAST_SAMPLES_OF_MANY, MANY, tells
from tunebench.analysis.comparing.occurrence_figures import Statistic
from tunebench.analysis.comparing.window_sides import Measured, Side, reckon
from tunebench.analysis.inference.occurrences import Level, spread_of
from tunebench.core.errors import UserError
from tunebench.core.records import record
from tunebench.domain.assembly import Span, overlap_of
from tunebench.domain.capturing.times import NS_PER_S
from tunebench.domain.series import SeriesInfo
from tunebench.domain.windows import Stretch, Window, WindowLoad, run_window
from tunebench.store.cycle.records import read_book
from tunebench.store.project import Project
from tunebench.store.runs import list_runs
from tunebench.usecases.comparing.captured import day_of, local_ns
from tunebench.usecases.comparing.sides import Pair, in_blocks, let_go, read_block
from tunebench.usecases.comparing.stretches import load_of, series_in, stretches_of
from tunebench.usecases.comparing.windows import ready

MOST_OCCURRENCES = 5
"""Those nearest to the compared windows: each costs half of what reading the two that are compared costs."""

MOST_SAMPLES = 5_000_000
"""Of a window; more, as five days of hundreds of series each second, take longer to read than what is compared: the
variation stays assumed."""


@record
class _Source:
    """Another window of the project; `stretches` are its occurrences like those that are compared."""

    name: str
    series: Sequence[SeriesInfo]
    stretches: tuple[Stretch, ...]


def elsewhere(
    project: Project, pairs: Sequence[Pair], compared: Sequence[Sequence[Stretch]], load: WindowLoad, calendar: Calendar
) -> Elsewhere:
    """The variation of every series that is compared; none where a side repeats and shows it itself.

    Args:
        calendar: of the first side.
    """
    variation = Elsewhere()
    if any(len(side) != 1 for side in compared):
        return variation
    wanted: dict[MatchKey, SeriesInfo] = {}
    for source in _sources(project, [side[0] for side in compared], load, calendar):
        wanted = wanted or {thing_key(info): info for sides in pairs for parts in sides for info in parts[:1]}
        parts = _things(source.series, wanted)
        seconds = sum(stretch.end_ns - stretch.start_ns for stretch in source.stretches) / NS_PER_S
        if sum(seconds / (series[0].interval_s or 1.0) for series in parts) > MOST_SAMPLES:
            continue
        wholes: list[Pair] = [(series, ()) for series in parts]
        for places in in_blocks(wholes):
            reads = read_block(project, wholes, places, (source.stretches, ()))
            occurrences = [_telling(read.before.side, load) for read in reads]
            reckon((occurrence for measured in occurrences for occurrence in measured), calendar)
            for read, measured in zip(reads, occurrences, strict=True):
                if measured:
                    info = wanted[thing_key(read.parts[0][0])]
                    for statistic, levels in _levels(measured, calendar):
                        variation.take_series(info, statistic, spread_of(levels, ()), source.name)
            let_go(reads)
    return variation


def _things(listed: Iterable[SeriesInfo], wanted: Iterable[MatchKey]) -> list[tuple[SeriesInfo, ...]]:
    groups: dict[MatchKey, list[SeriesInfo]] = {key: [] for key in wanted}
    for info in listed:
        if (key := thing_key(info)) in groups:
            groups[key].append(info)
    return [in_time_order(parts) for parts in groups.values() if parts]


def _telling(side: Side | None, load: WindowLoad) -> list[Measured]:
    """The occurrences that tell how much they differ; none where they are few."""
    every = side.occurrences if side else ()
    telling = [occurrence for occurrence in every if tells(occurrence, LEAST_SAMPLES_OF_MANY, load)]
    return telling if len(telling) >= MANY else []


def _levels(measured: Sequence[Measured], calendar: Calendar) -> Iterator[tuple[Statistic, list[Level]]]:
    """The levels of each statistic on logarithms, as they are compared; a statistic that an occurrence does not
    allow is left out."""
    figures = [occurrence.figures(calendar).figures for occurrence in measured]
    for statistic in Statistic:
        values = [own[statistic].value for own in figures if statistic in own]
        if len(values) == len(figures) and min(values) > 0:
            yield statistic, [Level(log(value)) for value in values]


# -- windows that tell ---------------------------------------------------------------------------------


def _sources(project: Project, compared: Sequence[Stretch], load: WindowLoad, calendar: Calendar) -> Iterator[_Source]:
    """The windows elsewhere that have host series under the same kind of load."""

    def listed(window: Window, _: Sequence[Stretch]) -> Sequence[SeriesInfo] | None:
        series = series_in(project, window)
        return series if series and load_of([window], [series]) is load else None

    stretches_in = partial(_stretches, project)
    for name, stretches, series in windows_elsewhere(project, compared, load, calendar, stretches_in, listed):
        yield _Source(name, series, stretches)


Content = TypeVar("Content")


def windows_elsewhere(
    project: Project,
    compared: Sequence[Stretch],
    load: WindowLoad,
    calendar: Calendar,
    stretches: Callable[[Window], Iterable[Stretch]],
    tells: Callable[[Window, Sequence[Stretch]], Content | None],
) -> Iterator[tuple[str, tuple[Stretch, ...], Content]]:
    """Kept windows, then runs, whose occurrences are neither compared nor taken already: the name, the occurrences like
    those compared, and what `tells` reads in them; left out where that is None."""
    kept = [(window.name, window) for window in read_book(project).all(Window)]
    runs = [(run.label, run_window(run.id)) for run in list_runs(project)]
    taken = [stretch.captured or stretch.span for stretch in compared]
    left = MOST_OCCURRENCES
    for name, window in [*kept, *runs]:
        every = tuple(stretches(window))
        if load is WindowLoad.PRODUCTION:
            every = tuple(hours for stretch in every for hours in _hours_inside(stretch, compared[0], calendar))
        alike = [stretch for stretch in _as_long(every, compared) if not _any_overlap(stretch.span, taken)]
        nearest = sorted(alike, key=lambda stretch: _apart_ns(stretch, compared))[:left]
        chosen = tuple(sorted(nearest, key=lambda stretch: stretch.span))
        content = tells(window, chosen) if len(chosen) >= MANY else None
        if content is not None:
            taken += [stretch.span for stretch in chosen]
            left -= len(chosen)
            yield name, chosen, content


def _any_overlap(span: Span, others: Iterable[Span]) -> bool:
    return any(overlap_of(span, other) is not None for other in others)


def _apart_ns(stretch: Stretch, compared: Sequence[Stretch]) -> int:
    return min(abs(stretch.start_ns - other.start_ns) for other in compared)


def _as_long(stretches: Iterable[Stretch], compared: Sequence[Stretch]) -> Iterator[Stretch]:
    """The stretches that are about as long as those compared."""
    lengths = [last - first for first, last in (stretch.captured or stretch.span for stretch in compared)]
    for stretch in stretches:
        if LEAST_COVERAGE * max(lengths) <= stretch.end_ns - stretch.start_ns <= min(lengths) / LEAST_COVERAGE:
            yield stretch


def _stretches(project: Project, window: Window) -> tuple[Stretch, ...]:
    try:
        return stretches_of(project, ready(project, window))
    except UserError:  # nothing of it is left, or nothing that counts
        return ()


def _hours_inside(stretch: Stretch, compared: Stretch, calendar: Calendar) -> Iterator[Stretch]:
    """The hours of the one that is compared, on each day of its class that the stretch covers."""
    zone, holidays = calendar.zone, calendar.days_off or ()
    first, last = compared.captured or compared.span
    shown = datetime.fromtimestamp(first // NS_PER_S, zone)
    start = shown.hour * 3600 + shown.minute * 60 + shown.second
    day, until = day_of(stretch.start_ns, zone) - timedelta(days=1), day_of(stretch.end_ns, zone)
    while day <= until:
        begin_ns = local_ns(day, start, zone)
        inside = overlap_of((begin_ns, begin_ns + last - first), stretch.span)
        if inside is not None and day_class(day.toordinal(), holidays) == day_class(shown.toordinal(), holidays):
            holes = tuple(filter(None, (overlap_of(hole, inside) for hole in stretch.holes)))
            yield replace(stretch, start_ns=inside[0], end_ns=inside[1], asked=True, holes=holes, captured=None)
        day += timedelta(days=1)
