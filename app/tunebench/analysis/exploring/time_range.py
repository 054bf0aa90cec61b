"""A stretch of time on the x axis: how zooming and panning change it, which one is worth looking at first, and what
lies outside a view. Pure integers, UTC nanoseconds."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from tunebench.core.records import record
from tunebench.domain.assembly import Span

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
