"""A stretch of time on the x axis: how zooming and panning change it, which one is worth looking at first, and what
lies outside a view. Pure integers, UTC nanoseconds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import numpy as np

from tunebench.core.records import record
from tunebench.domain.assembly import Span
from tunebench.domain.capturing.times import deciding

if TYPE_CHECKING:
    from tunebench.usecases.projects import ArtefactInfo, RunView

SECOND_NS = 1_000_000_000
HOUR_NS = 3_600 * SECOND_NS
DAY_NS = 24 * HOUR_NS
SHORTEST_NS = SECOND_NS // 10


@record
class TimeRange:
    """From `start_ns` to `end_ns`; `end_ns` is later than `start_ns`."""

    start_ns: int
    end_ns: int

    @property
    def span_ns(self) -> int:
        return self.end_ns - self.start_ns

    @property
    def ends(self) -> Span:
        return self.start_ns, self.end_ns

    @property
    def middle_ns(self) -> int:
        return (self.start_ns + self.end_ns) // 2

    def contains(self, time_ns: int) -> bool:
        return self.start_ns <= time_ns <= self.end_ns

    def overlaps(self, other: TimeRange) -> bool:
        return self.start_ns < other.end_ns and other.start_ns < self.end_ns

    def covers(self, other: TimeRange) -> bool:
        return self.start_ns <= other.start_ns and other.end_ns <= self.end_ns

    def widened(self, share: float) -> TimeRange:
        """Longer by `share` of the span on each side."""
        more = int(self.span_ns * share)
        return TimeRange(self.start_ns - more, self.end_ns + more)

    def clipped(self, outer: TimeRange) -> TimeRange | None:
        """What lies in both; None where they only touch."""
        start, end = max(self.start_ns, outer.start_ns), min(self.end_ns, outer.end_ns)
        return TimeRange(start, end) if start < end else None

    def moved(self, by_ns: int) -> TimeRange:
        return TimeRange(self.start_ns + by_ns, self.end_ns + by_ns)

    def zoomed(self, factor: float, about_ns: int) -> TimeRange:
        """Span multiplied by `factor`; `about_ns` keeps its place on the screen."""
        span = max(int(self.span_ns * factor), SHORTEST_NS)
        share = (about_ns - self.start_ns) / self.span_ns
        start = about_ns - int(span * share)
        return TimeRange(start, start + span)

    def within(self, bounds: TimeRange) -> TimeRange:
        """Moved, and cut only where it is longer than `bounds`, so that it lies inside them."""
        if self.span_ns >= bounds.span_ns:
            return bounds
        if self.start_ns < bounds.start_ns:
            return self.moved(bounds.start_ns - self.start_ns)
        if self.end_ns > bounds.end_ns:
            return self.moved(bounds.end_ns - self.end_ns)
        return self


def ordered(first_ns: int, second_ns: int) -> TimeRange:
    """The range between two times in either order, never empty."""
    low, high = min(first_ns, second_ns), max(first_ns, second_ns)
    return TimeRange(low, max(high, low + SHORTEST_NS))


def whole_seconds(picked: TimeRange, view: TimeRange) -> TimeRange:
    """A range picked by hand on whole seconds, unless the view is so close that parts of seconds are seen."""
    if view.span_ns < 120 * SECOND_NS:
        return picked
    start, end = (round(edge / SECOND_NS) * SECOND_NS for edge in (picked.start_ns, picked.end_ns))
    return TimeRange(start, max(end, start + SECOND_NS))


def hour_around(time_ns: int) -> TimeRange:
    return TimeRange(time_ns - HOUR_NS // 2, time_ns + HOUR_NS // 2)


def day_around(time_ns: int, zone: ZoneInfo) -> TimeRange:
    """The calendar day in `zone` that holds `time_ns`: 23, 24 or 25 hours long."""
    local = to_local(time_ns, zone)
    start = datetime(local.year, local.month, local.day, tzinfo=zone)
    following = start.replace(tzinfo=None) + timedelta(days=1)
    return TimeRange(from_local(start), from_local(following.replace(tzinfo=zone)))


def to_local(time_ns: int, zone: ZoneInfo) -> datetime:
    """Wall clock in `zone`, cut to microseconds."""
    seconds, rest = divmod(time_ns, SECOND_NS)
    return datetime.fromtimestamp(seconds, zone).replace(microsecond=rest // 1000)


def from_local(moment: datetime) -> int:
    """UTC nanoseconds of an aware datetime."""
    whole = moment.replace(microsecond=0)
    return int(whole.timestamp()) * SECOND_NS + moment.microsecond * 1000


@record
class ValueRange:
    """Bottom and top of a y axis."""

    low: float
    high: float

    @property
    def span(self) -> float:
        return self.high - self.low

    def zoomed(self, factor: float, about: float) -> ValueRange:
        share = (about - self.low) / self.span
        span = max(self.span * factor, 1e-12)
        low = about - span * share
        return replace(self, low=low, high=low + span)


@record
class Outside:
    """How many captures lie wholly before a view, and how many behind it; `by_file` of them by their files' dates."""

    earlier: int = 0
    later: int = 0
    by_file: int = 0

    @property
    def count(self) -> int:
        return self.earlier + self.later


class CaptureSpans:
    """Where the captures of an engagement lie, by run."""

    def __init__(self, run_views: Iterable[RunView] = ()) -> None:
        self._by_run = {
            view.run.id: [capture for capture in view.artefacts if _has_times(capture)] for view in run_views
        }
        every = [capture for captures in self._by_run.values() for capture in captures]
        self._firsts = np.array([_span_of(capture).start_ns for capture in every], dtype=np.int64)
        self._lasts = np.array([_span_of(capture).end_ns for capture in every], dtype=np.int64)
        self._by_file = np.array([capture.ledger.dated_by_file for capture in every], dtype=bool)

    def of_run(self, run_id: int) -> TimeRange | None:
        """What only a file's date puts somewhere counts where nothing else does."""
        return _around(deciding(self._by_run.get(run_id, [])))

    def of_host(self, host_id: int) -> TimeRange | None:
        every = (capture for captures in self._by_run.values() for capture in captures)
        return _around(deciding(capture for capture in every if capture.host_id == host_id))

    def of_capture(self, capture: ArtefactInfo) -> TimeRange | None:
        """With what was before and after it: it fills the middle half."""
        return _span_of(capture).widened(0.5) if _has_times(capture) else None

    def outside(self, view: TimeRange) -> Outside:
        earlier, later = self._lasts < view.start_ns, self._firsts > view.end_ns
        by_file = (earlier | later) & self._by_file
        return Outside(int(earlier.sum()), int(later.sum()), int(by_file.sum()))


def _around(captures: Sequence[ArtefactInfo]) -> TimeRange | None:
    spans = [_span_of(capture) for capture in captures]
    return TimeRange(min(s.start_ns for s in spans), max(s.end_ns for s in spans)) if spans else None


def _has_times(artefact: ArtefactInfo) -> bool:
    return artefact.ledger.first_ns is not None and artefact.ledger.last_ns is not None


def _span_of(artefact: ArtefactInfo) -> TimeRange:
    first_ns, last_ns = artefact.ledger.first_ns, artefact.ledger.last_ns
    assert first_ns is not None and last_ns is not None
    return TimeRange(first_ns, max(last_ns, first_ns + 1))
