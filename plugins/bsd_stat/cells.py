"""Rows of numbers that some of the tools shorten for people: ``63720``, ``37M``, ``1.2G``, ``512B``."""

from __future__ import annotations

from collections.abc import Sequence

from tunebench.sdk import parse_cell

_PLAIN = b"0123456789.- \t"
KIBIBYTES = 1024.0


def plain_row(cells: Sequence[bytes], bases: Sequence[float]) -> bytes | None:
    """The row's cells as plain numbers in their columns' units (`bases`: bytes per unit); None where one is none."""
    row = b" ".join(cells)
    if not row.translate(None, _PLAIN):
        return row
    try:
        return b" ".join(b"%.10g" % parse_cell(cell, base) for cell, base in zip(cells, bases, strict=True))
    except ValueError:
        return None
