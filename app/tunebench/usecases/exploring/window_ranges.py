"""The two windows of a comparison as stretches of time, and both on one axis: by time since a moment of either side, or
by time of day. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from tunebench.analysis.exploring.time_range import SECOND_NS, TimeRange, from_local, to_local
from tunebench.columns.time_ticks import Tick, day_start_ns, elapsed_ticks, time_ticks
from tunebench.core.records import record
from tunebench.domain.assembly import overlap_of
from tunebench.domain.engagement import Run
from tunebench.domain.windows import Window, ends_of, run_window, stretch_text

if TYPE_CHECKING:
    from tunebench.usecases.projects import RunView

EDITED = " *"
"""Behind the name of a kept window of which another stretch is looked at."""


def window_range(window: Window | None, runs: Sequence[Run]) -> TimeRange | None:
    """From the first edge of the window to its last; a missing edge is the run's. None where its run is unknown or
    empty."""
    if window is None:
        return None
    own = [run for run in runs if run.id in window.run_ids]
    if window.run_ids and not own:
        return None
    start, end = ends_of(window.occurrences)
    if start is None:
        start = min((run.first_ns for run in own if run.first_ns is not None), default=None)
    if end is None:
        end = max((run.last_ns for run in own if run.last_ns is not None), default=None)
    if start is None or end is None or start > end:
        return None
    return TimeRange(start, max(end, start + SECOND_NS))  # a run of one sample still has its place


def occurrence_ranges(window: Window | None, runs: Sequence[Run]) -> list[TimeRange]:
    """The ranges of the occurrences."""
    own = window.occurrences if window is not None else ()
    ranges = [window_range(Window(0, "", occurrences=(occurrence,)), runs) for occurrence in own]
    return [span for span in ranges if span is not None]


def whole_of(ranges: Sequence[TimeRange]) -> TimeRange | None:
    """The range from the first edge to the last."""
    return TimeRange(min(span.start_ns for span in ranges), max(span.end_ns for span in ranges)) if ranges else None


def only_run_of(window: Window | None) -> int | None:
    """The run that it is of, where that is one."""
    return window.run_ids[0] if window is not None and len(window.run_ids) == 1 else None


def part_of(window: Window, start_ns: int | None, end_ns: int | None) -> Window:
    """Another stretch of a window of one occurrence; what is kept stays as it is, this is only looked at."""
    own = tuple(replace(occurrence, start_ns=start_ns, end_ns=end_ns) for occurrence in window.occurrences)
    if only_run_of(window) is not None:
        return Window(0, "", occurrences=own, zone=window.zone)
    return replace(window, id=0, name=f"{window.name.removesuffix(EDITED)}{EDITED}", occurrences=own, exclusions=())


def cut_at(window: Window, at_ns: int, *, keep_later: bool) -> Window:
    """The window without what lies before the moment (or after it) in its occurrence; the others stay."""
    index = next((i for i, part in enumerate(window.occurrences) if part.span[0] <= at_ns <= part.span[1]), None)
    if index is None:
        return window
    ends = {"start_ns": at_ns} if keep_later else {"end_ns": at_ns - SECOND_NS}
    own = list(window.occurrences)
    own[index] = replace(own[index], **ends)
    left = tuple(
        exclusion for exclusion in window.exclusions if any(overlap_of(exclusion.span, one.span) for one in own)
    )
    name = f"{window.name.removesuffix(EDITED)}{EDITED}" if window.name else ""
    return replace(window, id=0, name=name, occurrences=tuple(own), exclusions=left)


def same_clock(at_ns: int, span: TimeRange, there: ZoneInfo, zone: ZoneInfo) -> int | None:
    """The first moment inside the range at which the zone's clock shows what the one `there` shows at that time."""
    shown = datetime.fromtimestamp(at_ns // SECOND_NS, there).time()
    first = datetime.fromtimestamp(span.start_ns // SECOND_NS, zone).date()
    moments = (from_local(datetime.combine(first + timedelta(days=days), shown, zone)) for days in (0, 1))
    return next((moment for moment in moments if span.start_ns < moment < span.end_ns), None)


def occurrence_lines(window: Window, zone: ZoneInfo) -> list[str]:
    """The occurrences on the window's clock, which is named where it is not the `zone` of the engagement."""
    clock = window.clock(zone)
    named = [] if clock.key == zone.key else [clock.key]
    return [*named, *(stretch_text(occurrence.span, clock) for occurrence in window.occurrences)]


def window_ranges(before: Window | None, after: Window | None, runs: Sequence[Run]) -> dict[str, TimeRange]:
    """``"before"`` and ``"after"`` -> range, where known."""
    ranges = {"before": window_range(before, runs), "after": window_range(after, runs)}
    return {side: span for side, span in ranges.items() if span is not None}


def window_at(picked: TimeRange, views: Sequence[RunView], prefer: int | None = None) -> Window | None:
    """A window over `picked` in the run it overlaps most (`prefer`, where that overlaps at all).

    An edge beyond the run is the run's own.
    Where no run was measured, a capture counts that its file's date puts there.

    Args:
        views: runs with their captures.
    """
    return _window_of_run(picked, [view.run for view in views], prefer) or _window_of_capture(picked, views)


def _window_of_capture(picked: TimeRange, views: Sequence[RunView]) -> Window | None:
    for view in views:
        for ledger in (artefact.ledger for artefact in view.artefacts if artefact.ledger.dated_by_file):
            first_ns, last_ns = ledger.first_ns, ledger.last_ns
            if first_ns is not None and last_ns is not None and first_ns < picked.end_ns and picked.start_ns < last_ns:
                return run_window(view.run.id, max(first_ns, picked.start_ns), min(last_ns, picked.end_ns))
    return None


def _window_of_run(picked: TimeRange, runs: Sequence[Run], prefer: int | None) -> Window | None:
    best: tuple[bool, int, Run] | None = None
    for run in runs:
        if run.first_ns is None or run.last_ns is None:
            continue
        shared_ns = min(run.last_ns, picked.end_ns) - max(run.first_ns, picked.start_ns)
        if shared_ns > 0 and (best is None or (run.id == prefer, shared_ns) > best[:2]):
            best = (run.id == prefer, shared_ns, run)
    if best is None:
        return None
    run = best[2]
    assert run.first_ns is not None and run.last_ns is not None
    return run_window(
        run.id,
        picked.start_ns if picked.start_ns > run.first_ns else None,
        picked.end_ns if picked.end_ns < run.last_ns else None,
    )


class Align(StrEnum):
    ELAPSED = "elapsed"
    TIME_OF_DAY = "time_of_day"


def fitting_mode(before: TimeRange, after: TimeRange, zone: ZoneInfo, after_zone: ZoneInfo) -> Align:
    """Time of day where most of the shorter window then meets the other one, else elapsed time."""
    after_on_axis = Alignment(Align.TIME_OF_DAY, before, after, zone, after_zone).after_on_axis
    shared_ns = min(before.end_ns, after_on_axis.end_ns) - max(before.start_ns, after_on_axis.start_ns)
    enough = shared_ns >= min(before.span_ns, after.span_ns) / 2
    return Align.TIME_OF_DAY if enough else Align.ELAPSED


@record
class Alignment:
    """The axis counts in the before side's time; `shift_ns` is added to the after side's times.

    Attributes:
        zone, after_zone: by whose clocks either side's days begin; the axis shows the before side's.
        before_zero_ns, after_zero_ns: the moments that elapsed time is counted from; None for the window's start.
    """

    mode: Align
    before: TimeRange
    after: TimeRange
    zone: ZoneInfo
    after_zone: ZoneInfo
    before_zero_ns: int | None = None
    after_zero_ns: int | None = None

    @property
    def zero_ns(self) -> int:
        """Where elapsed time is 0 on the axis."""
        return self.before.start_ns if self.before_zero_ns is None else self.before_zero_ns

    @property
    def shift_ns(self) -> int:
        if self.mode is Align.ELAPSED:
            after_zero_ns = self.after.start_ns if self.after_zero_ns is None else self.after_zero_ns
            return self.zero_ns - after_zero_ns
        return _midnight(self.before, self.zone) - _midnight(self.after, self.after_zone)

    @property
    def after_on_axis(self) -> TimeRange:
        return self.after.moved(self.shift_ns)

    @property
    def whole(self) -> TimeRange:
        """Both windows, with a little room for their edges."""
        after = self.after_on_axis
        both = TimeRange(min(self.before.start_ns, after.start_ns), max(self.before.end_ns, after.end_ns))
        return both.widened(0.02)

    def ticks(self, view: TimeRange, language: str, most: int) -> list[Tick]:
        if self.mode is Align.ELAPSED:
            return elapsed_ticks(view, self.zero_ns, most)
        ticks = time_ticks(view, self.zone, language, most)
        # The axis stands for two dates at once, so it names neither.
        return [Tick(t.time_ns, f"{to_local(t.time_ns, self.zone):%H:%M}", True) if t.strong else t for t in ticks]


def _midnight(window: TimeRange, zone: ZoneInfo) -> int:
    return day_start_ns(to_local(window.start_ns, zone).date(), zone)
