"""The occurrences of a window as stretches of time: of a run those that were captured, a long one day by day."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from app.analysis.inference.occurrences import enough_pairs
from app.domain.assembly import EVER_NS, Span, overlap_of, without
from app.domain.capturing.times import NS_PER_S, deciding
from app.domain.series import SeriesInfo
from app.domain.windows import Exclusion, Occurrence, Stretch, Window, WindowLoad
from app.store import engagements, merged_series
from app.store.artefacts import list_artefacts
from app.store.project import Project
from app.usecases.comparing.captured import between, cut, gaps_of, joined

GENERATORS = "db.client."
"""What the metrics of load generators begin with."""


def stretches_of(project: Project, window: Window) -> tuple[Stretch, ...]:
    """In the order of time; none where nothing was captured of it."""
    found: list[Stretch] = []
    zone = ZoneInfo(engagements.read_engagement(project).zone)
    for each in window.occurrences:
        found += _kept(each) if window.name else _of_run(project, each, zone)
    return tuple(_with_holes(each, window.exclusions) for each in sorted(found, key=lambda one: one.span))


def pieces_of(window: Window) -> tuple[Stretch, ...]:
    """Its occurrences as they are asked for, whatever was captured, parted by what is excluded of them."""
    excluded = [each.span for each in window.exclusions]
    return tuple(Stretch(*span, each.run_id) for each in window.occurrences for span in without(each.span, excluded))


def _kept(each: Occurrence) -> list[Stretch]:
    start_ns = -EVER_NS if each.start_ns is None else each.start_ns
    end_ns = EVER_NS if each.end_ns is None else each.end_ns
    return [Stretch(start_ns, end_ns, each.run_id, asked=None not in (each.start_ns, each.end_ns))]


def _of_run(project: Project, each: Occurrence, zone: ZoneInfo) -> list[Stretch]:
    (whole,) = _kept(each)
    captures = [one for one in list_artefacts(project, each.run_id) if one.ledger.series]
    gaps = gaps_of(project)
    dated, captured = (
        [span for one in some for span in between(one, gaps.get(one.id, []))] for some in (deciding(captures), captures)
    )
    days = (day for one in joined(captured) for day in cut(one, zone))
    inside = [span for span in (overlap_of(day, whole.span) for day in days) if span is not None]
    if len(inside) == 1 and whole.asked:
        return [replace(whole, captured=inside[0])]
    return [Stretch(*span, each.run_id, dated=any(overlap_of(span, one) for one in dated)) for span in inside]


def _with_holes(each: Stretch, exclusions: Sequence[Exclusion]) -> Stretch:
    holes = (overlap_of((one.start_ns, one.end_ns), each.span) for one in exclusions)
    return replace(each, holes=tuple(hole for hole in holes if hole is not None))


def spans_of(stretches: Sequence[Stretch]) -> list[Span]:
    """When it was; what only a file's date puts there tells nothing of that, unless nothing else is there."""
    dated = [each for each in stretches if each.dated]
    return [each.captured or each.span for each in dated or stretches]


def series_in(project: Project, window: Window) -> list[SeriesInfo]:
    """The series of its hosts in its runs."""
    runs = {each.run_id for each in window.occurrences}
    return [
        info
        for info in merged_series.list_merged(project)
        if (None in runs or info.run_id in runs) and (not window.hosts or info.host in window.hosts)
    ]


def load_of(windows: Sequence[Window], listed: Iterable[Sequence[SeriesInfo]]) -> WindowLoad:
    """Controlled where all are said to be, or a load generator tells of itself in each.

    Args:
        listed: the series of each window.
    """
    said = all(window.load is WindowLoad.CONTROLLED for window in windows)
    generated = said or all(any(info.metric.startswith(GENERATORS) for info in side) for side in listed)
    return WindowLoad.CONTROLLED if generated else WindowLoad.PRODUCTION


def whole_of(window: Window) -> bool:
    """Whether it is all of its runs, whenever that was."""
    ends = {(each.start_ns, each.end_ns) for each in window.occurrences}
    return ends == {(None, None)} and not window.exclusions


# -- occurrences that belong together ------------------------------------------------------------------


def pairs_of(
    before: Sequence[Stretch],
    after: Sequence[Stretch],
    zone: ZoneInfo,
    load: WindowLoad,
    days_off: Container[int] | None = None,
) -> tuple[tuple[int, int], ...]:
    """Places of those that begin in the same half hour of the same weekday, a holiday being a Sunday; runs of a load
    generator have no day."""
    if load is WindowLoad.CONTROLLED:
        return ()
    waiting: dict[tuple[int, int], list[int]] = {}
    for place, each in enumerate(after):
        waiting.setdefault(_slot(each, zone, days_off), []).append(place)
    found = []
    for place, each in enumerate(before):
        fitting = waiting.get(_slot(each, zone, days_off))
        if fitting:
            found.append((place, fitting.pop(0)))
    return tuple(found)


def _slot(each: Stretch, zone: ZoneInfo, days_off: Container[int] | None) -> tuple[int, int]:
    begin = datetime.fromtimestamp(each.start_ns // NS_PER_S, zone) + timedelta(minutes=15)
    weekday = 6 if days_off is not None and begin.toordinal() in days_off else begin.weekday()
    return weekday, begin.hour * 2 + begin.minute // 30


Both = tuple[tuple[Stretch, ...], tuple[Stretch, ...]]


def alike(
    before: Sequence[Stretch], after: Sequence[Stretch], pairs: Sequence[tuple[int, int]]
) -> tuple[Both, Both, tuple[tuple[int, int], ...]]:
    """What is compared of both sides, what is left out of every figure, and the pairs by their new places: where enough
    have their like, what has none is left out.

    Load, means and response would else be those of other days than the verdict's: of a holiday, say.
    """
    if not enough_pairs(len(pairs), len(before), len(after)):
        return (tuple(before), tuple(after)), ((), ()), tuple(pairs)
    first, second = (sorted(places) for places in zip(*pairs, strict=True))
    kept = tuple(before[place] for place in first), tuple(after[place] for place in second)
    left_out = (
        tuple(each for place, each in enumerate(before) if place not in first),
        tuple(each for place, each in enumerate(after) if place not in second),
    )
    return kept, left_out, tuple((first.index(one), second.index(other)) for one, other in pairs)


def with_common_holes(
    before: Sequence[Stretch], after: Sequence[Stretch], pairs: Sequence[tuple[int, int]]
) -> tuple[tuple[Stretch, ...], tuple[Stretch, ...]]:
    """What is excluded of an occurrence is excluded of its like too, at the same time after its start."""
    first, second = list(before), list(after)
    for one, other in pairs:
        moved_ns = second[other].start_ns - first[one].start_ns
        there = tuple((start + moved_ns, end + moved_ns) for start, end in first[one].holes)
        back = tuple((start - moved_ns, end - moved_ns) for start, end in second[other].holes)
        first[one] = replace(first[one], holes=tuple(sorted({*first[one].holes, *back})))
        second[other] = replace(second[other], holes=tuple(sorted({*second[other].holes, *there})))
    return tuple(first), tuple(second)
