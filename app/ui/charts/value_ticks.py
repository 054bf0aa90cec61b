"""Round numbers for the y axis, how values are written, and what a series is called where it is read."""

from __future__ import annotations

import math

from app.domain.series import SeriesInfo
from app.ui.charts.steps import stepped
from app.ui.charts.time_range import ValueRange
from app.ui.look.language import has_text, text

_MULTIPLES = (1.0, 2.0, 2.5, 5.0, 10.0)
_PERCENT = "%"
HEADROOM = 0.02
"""Room above the highest value, as a share of the range: a line along the very edge reads as cut off."""
_FAMILIES = {"load": "database.load", "time_model": "database.time"}


def round_step(span: float, most: int) -> float:
    """The smallest 1, 2, 2.5 or 5 times a power of ten that cuts `span` into at most `most` parts."""
    rough = span / max(most, 1)
    power = 10.0 ** math.floor(math.log10(rough))
    return next((m * power for m in _MULTIPLES if m * power >= rough * (1 - 1e-9)), 10 * power)


def value_ticks(shown: ValueRange, most: int) -> list[float]:
    """Round values inside `shown`, ends included."""
    step = round_step(shown.span, most)
    first, last = math.ceil(shown.low / step - 1e-9), math.floor(shown.high / step + 1e-9)
    return [n * step for n in range(first, last + 1)]


def fitting_range(lowest: float, highest: float, unit: str = "") -> ValueRange:
    """A range that holds both, shows zero and ends on a round number; nothing known gives 0..1.

    A percentage that comes near its ceiling is shown up to 100, so that rows can be compared by eye.
    """
    if math.isnan(lowest) or math.isnan(highest):
        return ValueRange(0.0, 1.0)
    low, high = min(lowest, 0.0), max(highest, 0.0)
    if low == high:
        return ValueRange(0.0, 1.0)
    if unit == _PERCENT and low == 0.0 and 50.0 < high <= 100.0:
        return ValueRange(0.0, 100.0)
    step = round_step(high - low, 8)
    high += (high - low) * HEADROOM
    return ValueRange(math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step)


def tick_text(value: float, step: float) -> str:
    """As many decimals as the step has; thousands separated."""
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    if decimals < 6 and abs(step * 10**decimals - round(step * 10**decimals)) > 1e-6:
        decimals += 1  # steps of 2.5
    return f"{0.0 if abs(value) < step / 1e6 else value:,.{decimals}f}"


def unit_text(unit: str) -> str:
    """A UCUM unit as people write it: ``By`` is ``B``, ``{count}/s`` is ``/s``, ``1`` is nothing."""
    plain = "" if unit == "1" else unit
    while "{" in plain and "}" in plain:
        plain = plain[: plain.index("{")] + plain[plain.index("}") + 1 :]
    return plain.replace("By", "B")


def figure_words(info: SeriesInfo) -> str:
    """The heading alone: ``logical reads`` for logical_reads."""
    key = f"{_FAMILIES.get(info.table, '')}.{info.native}"
    return text(key) if stepped(info) and has_text(key) else info.native


def series_words(info: SeriesInfo, with_database: bool = True) -> str:
    """``logical reads · ORCL/orcl1``, ``User I/O``: a wait by its name, the database where there are several."""
    if not stepped(info):
        return info.label
    figure = info.attributes.get("wait") or figure_words(info)
    return f"{figure} · {info.attributes['database']}" if with_database else figure


def unit_words(info: SeriesInfo) -> str:
    """Sessions are counted in words: their unit has no sign."""
    return text("ui.charts.unit.sessions") if info.unit == "{session}" else unit_text(info.unit)
