"""From the base unit of a metric to the unit in which rules name a figure."""

from __future__ import annotations

_FACTORS = {("1", "%"): 100.0, ("s", "ms"): 1000.0, ("By", "KiBy"): 1 / 1024, ("By/s", "KiBy/s"): 1 / 1024}


def factor(base_unit: str, unit: str) -> float | None:
    """value in `unit` = value in `base_unit` * factor; None where the two measure different things."""
    if base_unit == unit:
        return 1.0
    return _FACTORS.get((base_unit, unit))
