"""Laying two windows over each other on one axis: by time since a moment of either side, or by time of day. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from zoneinfo import ZoneInfo

from app.ui.charts.time_range import TimeRange, to_local
from app.ui.charts.time_ticks import Tick, day_start_ns, elapsed_ticks, time_ticks


class Align(StrEnum):
    ELAPSED = "elapsed"
    TIME_OF_DAY = "time_of_day"


def fitting_mode(before: TimeRange, after: TimeRange, zone: ZoneInfo, after_zone: ZoneInfo) -> Align:
    """Time of day where most of the shorter window then meets the other one, else elapsed time."""
    after_on_axis = Alignment(Align.TIME_OF_DAY, before, after, zone, after_zone).after_on_axis
    shared_ns = min(before.end_ns, after_on_axis.end_ns) - max(before.start_ns, after_on_axis.start_ns)
    enough = shared_ns >= min(before.span_ns, after.span_ns) / 2
    return Align.TIME_OF_DAY if enough else Align.ELAPSED


@dataclass(frozen=True, slots=True)
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
        found = time_ticks(view, self.zone, language, most)
        # The axis stands for two dates at once, so it names neither.
        return [Tick(t.time_ns, f"{to_local(t.time_ns, self.zone):%H:%M}", True) if t.strong else t for t in found]


def _midnight(window: TimeRange, zone: ZoneInfo) -> int:
    return day_start_ns(to_local(window.start_ns, zone).date(), zone)
