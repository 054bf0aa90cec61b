"""An axis of values with its ticks: linear, or logarithmic where the values span decades."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import floor, log10

from tunebench.analysis.exploring.time_range import ValueRange
from tunebench.columns.formats import rounded_text
from tunebench.columns.time_ticks import tick_text, value_ticks
from tunebench.core.records import record

_WIDE = 30
"""Values whose ends are further apart than so many times need a logarithmic scale."""


@record
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
    """An axis that holds all values; linear ones begin at 0, but where `from_zero` is off."""
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
    marks = (10.0**exponent * factor for exponent in exponents for factor in (1, 2, 5))
    ticks = [mark for mark in marks if first <= mark <= last]
    if len(ticks) > most:
        ticks = [tick for tick in ticks if f"{tick:e}".startswith("1.0")] or ticks[:: len(ticks) // most]
    if len(ticks) > most:
        ticks = ticks[:: -(-len(ticks) // most)]
    return ValueAxis(first, last, True, tuple((tick, rounded_text(tick)) for tick in ticks))


def is_wide(values: Iterable[float]) -> bool:
    """Whether the values span so much that they need a logarithmic scale."""
    numbers = list(values)
    return bool(numbers) and min(numbers) > 0 and max(numbers) / min(numbers) > _WIDE
