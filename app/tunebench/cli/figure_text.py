"""Figures and statements in the cells of a table."""

from __future__ import annotations

_TEXT_WIDTH = 60


def amount(value: float | None, decimals: int = 0) -> str:
    """An amount as it is printed; a dash where it is not measured."""
    return "-" if value is None else f"{value:,.{decimals}f}"


def short(text: str) -> str:
    """The beginning of a statement on one line."""
    line = " ".join(text.split())
    return line if len(line) <= _TEXT_WIDTH else line[: _TEXT_WIDTH - 1] + "…"
