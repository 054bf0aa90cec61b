"""An axis of values: linear, or logarithmic where the values span decades."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, log10

from app.ui.charts.time_range import ValueRange
from app.ui.charts.value_ticks import tick_text, value_ticks
from app.ui.experiments.figures import figure_text, is_wide


@dataclass(frozen=True, slots=True)
class ValueAxis:
    low: float
    high: float
    wide: bool
    ticks: tuple[tuple[float, str], ...]

    def share(self, value: float) -> float:
        """0 at the low end, 1 at the high end."""
        if self.wide:
            return (log10(value) - log10(self.low)) / (log10(self.high) - log10(self.low))
        return (value - self.low) / (self.high - self.low)


def axis_of(values: Sequence[float], from_zero: bool = True, most: int = 6) -> ValueAxis:
    """An axis that holds all values; linear ones begin at 0 unless told otherwise."""
    if is_wide(values):
        return _decades(min(values), max(values), most)
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    low = min(low, 0.0) if from_zero else low
    if high <= low:
        high = low + (abs(low) or 1.0)
    margin = (high - low) * 0.04
    shown = ValueRange(low if from_zero and low == 0 else low - margin, high + margin)
    ticks = value_ticks(shown, most)
    step = ticks[1] - ticks[0] if len(ticks) > 1 else shown.span
    return ValueAxis(shown.low, shown.high, False, tuple((tick, tick_text(tick, step)) for tick in ticks))


def _decades(low: float, high: float, most: int) -> ValueAxis:
    first, last = low / 1.25, high * 1.25
    exponents = range(floor(log10(first)), floor(log10(last)) + 1)
    found = [10.0**e * m for e in exponents for m in (1, 2, 5) if first <= 10.0**e * m <= last]
    if len(found) > most:
        found = [each for each in found if f"{each:e}".startswith("1.0")] or found[:: len(found) // most]
    if len(found) > most:
        found = found[:: -(-len(found) // most)]
    return ValueAxis(first, last, True, tuple((tick, figure_text(tick)) for tick in found))
