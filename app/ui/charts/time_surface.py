"""A painted stretch of time: where a moment stands in it, and which moment stands at a place."""

from __future__ import annotations

from PySide6.QtCore import QRectF

from app.ui.charts.time_range import TimeRange
from app.ui.look.painting import TippedWidget


class TimeSurface(TippedWidget):
    """`view` lies over `area`."""

    view = TimeRange(0, 1_000_000_000)

    @property
    def area(self) -> QRectF:
        """Where the data is drawn."""
        raise NotImplementedError

    def x_of(self, time_ns: int) -> float:
        area = self.area
        return area.left() + (time_ns - self.view.start_ns) / self.view.span_ns * area.width()

    def time_at(self, x: float) -> int:
        area = self.area
        return self.view.start_ns + int((x - area.left()) / area.width() * self.view.span_ns)
