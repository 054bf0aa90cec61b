"""Figures of an experiment as the page prints them, with their digits chosen once for all of its parts."""

from __future__ import annotations

from collections.abc import Iterable

from app.ui.charts.value_ticks import unit_text

DIGITS = 4


def figure_text(value: float | None) -> str:
    """Four significant digits, thousands parted; a dash where nothing was measured."""
    if value is None:
        return "–"
    rounded = float(f"{value:.{DIGITS}g}")
    if rounded and (abs(rounded) >= 1e9 or abs(rounded) < 1e-4):
        return f"{rounded:.3g}"
    return f"{rounded:,.12g}"


def with_unit(value: float | None, unit: str) -> str:
    return f"{figure_text(value)} {unit_text(unit)}".rstrip() if value is not None else figure_text(value)


def is_wide(values: Iterable[float]) -> bool:
    """Whether they span so much that they are only told apart on a logarithmic scale."""
    found = list(values)
    return bool(found) and min(found) > 0 and max(found) / min(found) > 30
