"""Where days, figures and labels stand in the forecast's chart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from zoneinfo import ZoneInfo

import numpy as np
from PySide6.QtCore import QRectF

from app.analysis.capacity.line import Floats
from app.analysis.capacity.outcome import Forecast
from app.ui.charts.time_range import TimeRange, ValueRange
from app.ui.charts.time_ticks import Tick, time_ticks
from app.ui.charts.value_ticks import fitting_range, round_step, value_ticks

DAY_NS = 86_400_000_000_000
UTC = ZoneInfo("UTC")
LABEL_PX = 16
_LEAST_AHEAD = 14
_BAND_MOST = 1.25
"""The axis follows the band up to so many times what is otherwise shown; beyond, the band leaves the picture."""


@dataclass(frozen=True, slots=True)
class ChartFrame:
    """Days since 1970-01-01 and figures in the unit of the series; `ahead_day` is the last measured one."""

    first_day: int
    last_day: int
    ahead_day: int
    values: ValueRange

    def x_share(self, day: float) -> float:
        return (day - self.first_day) / max(self.last_day - self.first_day, 1)

    def y_share(self, value: float) -> float:
        """0 at the bottom."""
        return (value - self.values.low) / self.values.span

    def day_at(self, share: float) -> int:
        return round(self.first_day + share * (self.last_day - self.first_day))

    def day_ticks(self, language: str, most: int) -> list[Tick]:
        return time_ticks(TimeRange(self.first_day * DAY_NS, self.last_day * DAY_NS), UTC, language, most)

    def value_ticks(self, most: int) -> tuple[list[float], float]:
        return value_ticks(self.values, most), round_step(self.values.span, most)


def frame_of(found: Forecast, unit: str, ceiling: float | None = None) -> ChartFrame | None:
    """None where nothing was measured. Nothing above the `ceiling` is shown but what was measured or asked about."""
    finite = found.values[np.isfinite(found.values)]
    if not len(finite):
        return None
    first, ahead = int(found.days[0]), int(found.days[-1])
    some_ahead = ahead + max(_LEAST_AHEAD, (ahead - first) // 2)
    last = int(found.future_days[-1]) if len(found.future_days) else some_ahead
    return ChartFrame(first, last, ahead, _values(found, finite, unit, ceiling))


def _values(found: Forecast, finite: Floats, unit: str, ceiling: float | None) -> ValueRange:
    shown = [float(finite.max()), found.limit * 1.04]
    shown += [float(edge.max()) for edge in (found.centre, found.fitted) if len(edge)]
    highest = max(shown)
    if len(found.high):
        highest = max(highest, min(float(found.high.max()), highest * _BAND_MOST))
    if ceiling is not None:
        highest = min(highest, max(ceiling, *shown[:2]))
    return fitting_range(min(float(finite.min()), 0.0), highest, unit)


def runs_of_days(days: Sequence[int]) -> list[tuple[int, int]]:
    """Stretches of days without one missing, as slices: no line is drawn across a day that was not measured."""
    breaks = [place for place in range(1, len(days)) if days[place] - days[place - 1] > 1]
    edges = [0, *breaks, len(days)]
    return [(begin, end) for begin, end in pairwise(edges) if end > begin]


def label_boxes(marks: Mapping[str, tuple[float, float]], room: float) -> dict[str, QRectF]:
    """Boxes above the picture for marks in the order of time, each with its x and width.

    Side by side where there is room; else earliest and latest part to the left and right of the median, which
    stands one row lower.
    """
    boxes = {
        name: QRectF(_inside(x - width / 2, width, room), 4, width, LABEL_PX) for name, (x, width) in marks.items()
    }
    if not any(one.right() > other.left() for one, other in pairwise(boxes.values())):
        return boxes
    middle = "median" if "median" in boxes else next(iter(boxes))
    boxes[middle].translate(0, LABEL_PX + 2)
    others = [name for name in boxes if name != middle]
    if len(others) == 2:
        first, last = boxes[others[0]], boxes[others[1]]
        centre = min(max(marks[middle][0], first.width() + 6), room - last.width() - 6)
        first.moveRight(min(first.right(), centre - 4))
        last.moveLeft(max(last.left(), centre + 4))
    return boxes


def _inside(left: float, width: float, room: float) -> float:
    return min(max(left, 2.0), max(room - width - 2, 2.0))
