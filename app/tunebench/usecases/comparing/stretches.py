"""The occurrences of a window as stretches of time: of a run those that were captured, a long one day by day."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from tunebench.analysis.comparing.calendar_slots import Calendar, Calendars
from tunebench.analysis.inference.occurrences import enough_pairs
from tunebench.core.records import record
from tunebench.domain.assembly import EVER_NS, Span, overlap_of, without
from tunebench.domain.capturing.times import NS_PER_S, deciding
from tunebench.domain.cycle.records import DailyWindow
from tunebench.domain.series import SeriesInfo
from tunebench.domain.windows import Exclusion, Occurrence, Stretch, Window, WindowLoad
from tunebench.store import merged_series
from tunebench.store.artefacts import list_artefacts
from tunebench.store.project import Project
from tunebench.usecases.comparing.captured import between, cut, day_of, gaps_of, hours_of, joined, local_ns
from tunebench.usecases.comparing.clocks import calendars_of, clock_of

GENERATORS = "db.client."
"""What the metrics of load generators begin with."""


def stretches_of(project: Project, window: Window) -> tuple[Stretch, ...]:
    """The window's stretches in the order of time; none where nothing was captured of it."""
    stretches: list[Stretch] = []
    zone = clock_of(project, window.zone)
    for occurrence in window.occurrences:
        stretches += _kept(occurrence) if window.name else _of_run(project, occurrence, zone)
    return tuple(_with_holes(stretch, window.exclusions) for stretch in sorted(stretches, key=lambda own: own.span))


def pieces_of(window: Window) -> tuple[Stretch, ...]:
    """Its occurrences as they are asked for, whatever was captured, parted by what is excluded of them."""
    excluded = [exclusion.span for exclusion in window.exclusions]
    return tuple(
        Stretch(*span, occurrence.run_id)
        for occurrence in window.occurrences
        for span in without(occurrence.span, excluded)
    )


def _kept(occurrence: Occurrence) -> list[Stretch]:
    start_ns = -EVER_NS if occurrence.start_ns is None else occurrence.start_ns
    end_ns = EVER_NS if occurrence.end_ns is None else occurrence.end_ns
    return [Stretch(start_ns, end_ns, occurrence.run_id, asked=None not in (occurrence.start_ns, occurrence.end_ns))]


def _of_run(project: Project, occurrence: Occurrence, zone: ZoneInfo) -> list[Stretch]:
    (whole,) = _kept(occurrence)
    captures = [capture for capture in list_artefacts(project, occurrence.run_id) if capture.ledger.series]
    gaps = gaps_of(project)
    dated, captured = (
        [span for capture in some for span in between(capture, gaps.get(capture.id, []))]
        for some in (deciding(captures), captures)
    )
    days = (day for span in joined(captured) for day in cut(span, zone))
    inside = [span for span in (overlap_of(day, whole.span) for day in days) if span is not None]
    if len(inside) == 1 and whole.asked:
        return [replace(whole, captured=inside[0])]
    return [Stretch(*span, occurrence.run_id, dated=any(overlap_of(span, other) for other in dated)) for span in inside]


def _with_holes(stretch: Stretch, exclusions: Sequence[Exclusion]) -> Stretch:
    holes = (overlap_of((exclusion.start_ns, exclusion.end_ns), stretch.span) for exclusion in exclusions)
    return replace(stretch, holes=tuple(hole for hole in holes if hole is not None))


def spans_of(stretches: Sequence[Stretch]) -> list[Span]:
    """When it was, without stretches that only a file's date puts there, unless there are no others."""
    dated = [stretch for stretch in stretches if stretch.dated]
    return [stretch.captured or stretch.span for stretch in dated or stretches]


def series_in(project: Project, window: Window) -> list[SeriesInfo]:
    """The series of its hosts in its runs."""
    runs = {occurrence.run_id for occurrence in window.occurrences}
    return [
        info
        for info in merged_series.list_merged(project)
        if (None in runs or info.run_id in runs) and (not window.hosts or info.host in window.hosts)
    ]


def load_of(windows: Sequence[Window], listed: Iterable[Sequence[SeriesInfo]]) -> WindowLoad:
    """Controlled where all windows are declared so, or each has series of a load generator.

    Args:
        listed: the series of each window.
    """
    declared = all(window.load is WindowLoad.CONTROLLED for window in windows)
    generated = declared or all(any(info.metric.startswith(GENERATORS) for info in side) for side in listed)
    return WindowLoad.CONTROLLED if generated else WindowLoad.PRODUCTION


def whole_of(window: Window) -> bool:
    """Whether it is all of its runs, whenever that was."""
    ends = {(occurrence.start_ns, occurrence.end_ns) for occurrence in window.occurrences}
    return ends == {(None, None)} and not window.exclusions


# -- occurrences that belong together ------------------------------------------------------------------


def pairs_of(
    before: Sequence[Stretch], after: Sequence[Stretch], calendars: Calendars, load: WindowLoad
) -> tuple[tuple[int, int], ...]:
    """Indexes of those that begin in the same half hour of the same weekday, each by its own side's clock, a holiday
    being a Sunday; runs of a load generator have no day."""
    if load is WindowLoad.CONTROLLED:
        return ()
    waiting: dict[tuple[int, int], list[int]] = {}
    for index, stretch in enumerate(after):
        waiting.setdefault(_slot(stretch, calendars[1]), []).append(index)
    pairs = []
    for index, stretch in enumerate(before):
        fitting = waiting.get(_slot(stretch, calendars[0]))
        if fitting:
            pairs.append((index, fitting.pop(0)))
    return tuple(pairs)


def _slot(stretch: Stretch, calendar: Calendar) -> tuple[int, int]:
    """(weekday, half hour of the day) in which the stretch begins, give or take a quarter of an hour."""
    begin = datetime.fromtimestamp(stretch.start_ns // NS_PER_S, calendar.zone) + timedelta(minutes=15)
    weekday = 6 if begin.toordinal() in (calendar.days_off or ()) else begin.weekday()
    return weekday, begin.hour * 2 + begin.minute // 30


Both = tuple[tuple[Stretch, ...], tuple[Stretch, ...]]


@record
class TwoSides:
    """What two windows are compared by, in every comparison.

    Attributes:
        windows: the stretches before and after.
        places: pairs of indexes of those that belong together.
        left_out: of either side, what has no like on the other.
    """

    windows: Both
    places: tuple[tuple[int, int], ...]
    left_out: Both
    load: WindowLoad
    calendars: Calendars


def two_sides(
    project: Project,
    before: Window,
    after: Window,
    listed: Iterable[Sequence[SeriesInfo]],
    hours: DailyWindow | None = None,
) -> TwoSides:
    """The stretches of both windows, ready to be compared.

    Args:
        listed: the series of each window.
        hours: of the day that alone count, each day's an occurrence of its own.
    """
    calendars, load = calendars_of(project, before, after), load_of((before, after), listed)
    asked = [
        in_hours(stretches_of(project, window), hours, own.zone)
        for window, own in zip((before, after), calendars, strict=True)
    ]
    compared, left_out, places = alike(asked[0], asked[1], pairs_of(asked[0], asked[1], calendars, load))
    return TwoSides(with_common_holes(*compared, places, calendars), places, left_out, load, calendars)


def in_hours(stretches: Sequence[Stretch], hours: DailyWindow | None, zone: ZoneInfo) -> tuple[Stretch, ...]:
    """What of them lies in the hours, start included and end not; all of them where there are none."""
    return tuple(stretches) if hours is None else tuple(_hours_in(stretches, hours, zone))


def _hours_in(stretches: Sequence[Stretch], hours: DailyWindow, zone: ZoneInfo) -> Iterator[Stretch]:
    for stretch in stretches:
        day, until = day_of(stretch.start_ns, zone) - timedelta(days=1), day_of(stretch.end_ns, zone)
        while day <= until:
            start_ns, end_ns = hours_of(day, hours, zone)
            inside = overlap_of((start_ns, end_ns - 1), stretch.span)
            captured = inside and stretch.captured and overlap_of(inside, stretch.captured)
            if inside is not None and (captured or not stretch.captured):
                holes = tuple(filter(None, (overlap_of(hole, inside) for hole in stretch.holes)))
                yield replace(stretch, start_ns=inside[0], end_ns=inside[1], captured=captured, holes=holes)
            day += timedelta(days=1)


def alike(
    before: Sequence[Stretch], after: Sequence[Stretch], pairs: Sequence[tuple[int, int]]
) -> tuple[Both, Both, tuple[tuple[int, int], ...]]:
    """What is compared of both sides, what is left out of every figure, and the pairs by their new indexes: where
    enough have their like, what has none is left out.

    Load, means and response would else be those of other days than the verdict's: of a holiday, say.
    """
    if not enough_pairs(len(pairs), len(before), len(after)):
        return (tuple(before), tuple(after)), ((), ()), tuple(pairs)
    first, second = (sorted(places) for places in zip(*pairs, strict=True))
    kept = tuple(before[index] for index in first), tuple(after[index] for index in second)
    left_out = (
        tuple(stretch for index, stretch in enumerate(before) if index not in first),
        tuple(stretch for index, stretch in enumerate(after) if index not in second),
    )
    return kept, left_out, tuple((first.index(one), second.index(other)) for one, other in pairs)


def with_common_holes(
    before: Sequence[Stretch], after: Sequence[Stretch], pairs: Sequence[tuple[int, int]], calendars: Calendars
) -> tuple[tuple[Stretch, ...], tuple[Stretch, ...]]:
    """What is excluded of an occurrence is excluded of its like too, at the same time of its clock's day."""
    first, second = list(before), list(after)
    zones = [calendar.zone for calendar in calendars]
    for one, other in pairs:
        sides = first[one], second[other]
        first[one] = replace(sides[0], holes=_with_those_of(sides[0], sides[1], zones[0], zones[1]))
        second[other] = replace(sides[1], holes=_with_those_of(sides[1], sides[0], zones[1], zones[0]))
    return tuple(first), tuple(second)


def _with_those_of(own: Stretch, like: Stretch, zone: ZoneInfo, likes: ZoneInfo) -> tuple[Span, ...]:
    begins = day_of(like.start_ns, likes)

    def here(time_ns: int) -> int:
        shown = datetime.fromtimestamp(time_ns // NS_PER_S, likes)
        day = day_of(own.start_ns, zone) + (shown.date() - begins)
        return local_ns(day, shown.hour * 3600 + shown.minute * 60 + shown.second, zone) + time_ns % NS_PER_S

    return tuple(sorted({*own.holes, *((here(start), here(end)) for start, end in like.holes)}))
