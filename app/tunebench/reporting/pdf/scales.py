"""Upright value axes of drawings."""

from __future__ import annotations

from reportlab.graphics.shapes import Group, Line

from tunebench.core.records import record
from tunebench.reporting.axis import Scale
from tunebench.reporting.pdf.charts import TICK_SIZE, text_at
from tunebench.reporting.pdf.labels import text_width
from tunebench.reporting.pdf.style import GRID, MUTED, STRONG_RULE


@record
class Field:
    """Where values are drawn, in points: `scale` goes from `foot` to `top`."""

    scale: Scale
    left: float
    right: float
    foot: float
    top: float

    def y(self, value: float) -> float:
        return self.foot + (self.top - self.foot) * self.scale.share(value)

    def grid(self) -> Group:
        """Lying lines with their values at the left; that of zero is stronger."""
        group = Group()
        for tick in self.scale.ticks:
            y = self.y(tick)
            is_base = tick == 0 and not self.scale.is_log
            colour = STRONG_RULE if is_base else GRID
            group.add(Line(self.left, y, self.right, y, strokeColor=colour, strokeWidth=0.8 if is_base else 0.5))
            label = self.scale.label(tick)
            group.add(text_at(self.left - 4, y - TICK_SIZE * 0.36, label, TICK_SIZE, colour=MUTED, anchor="end"))
        return group


def tick_room(scale: Scale) -> float:
    """Points that the labels of an axis take beside it."""
    return max(text_width(scale.label(tick), TICK_SIZE) for tick in scale.ticks) + 6
