"""Cells of text tables that may hold a number."""

from __future__ import annotations

from collections.abc import Iterable

from tunebench.sdk import parse_cell


def number_of(cell: bytes) -> float | None:
    """`parse_cell`; None where the cell is no number."""
    try:
        return parse_cell(cell)
    except ValueError:
        return None


def numbers_of(cells: Iterable[bytes]) -> list[float] | None:
    """The numbers of the cells; None where one of them is none."""
    numbers = list(map(number_of, cells))
    present = [value for value in numbers if value is not None]
    return present if len(present) == len(numbers) else None


def is_number(cell: bytes) -> bool:
    return number_of(cell) is not None
