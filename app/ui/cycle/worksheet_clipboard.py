"""Cells to and from a spreadsheet program: what looks like a formula stays text on both sides."""

from __future__ import annotations

import re
from collections.abc import Sequence

from app.domain.tabbed_text import Rows, from_tabbed, to_html, to_tabbed
from app.ui.cycle.worksheet_cells import Typed
from app.ui.cycle.worksheet_html import with_line_ends

_FORMULA = re.compile(r"'*[=+\-@\t]")
_MARKED = re.compile(r"'+[=+\-@\t]")
_NUMBER = re.compile(r"[+-]?[0-9][0-9.,]*(?:[eE][+-]?[0-9]+)?")


def for_spreadsheet(rows: Rows) -> tuple[str, str]:
    """(text, table). In the text a cell that would be computed has an apostrophe before it, as one would type it;
    the table says of every cell that it is text."""
    return to_tabbed([[_shielded(cell) for cell in row] for row in rows]), to_html(rows)


def _shielded(cell: str) -> str:
    return f"'{cell}" if _FORMULA.match(cell) and not _NUMBER.fullmatch(cell) else cell


def from_spreadsheet(text: str, html: str = "") -> list[list[str]]:
    """The cells of what was copied; `html` is the same as a table, where the clipboard has it."""
    rows = with_line_ends(from_tabbed(text), html)
    return [[cell[1:] if _MARKED.match(cell) else cell for cell in row] for row in rows]


def without_heading(rows: list[list[str]], headings: Sequence[Sequence[str]]) -> list[list[str]]:
    """Without a first row that repeats the headings of the columns it is pasted into; `headings` per language."""
    first = [cell.strip().casefold() for cell in rows[0]] if len(rows) > 1 else []
    same = any(first == [each.casefold() for each in heading] for heading in headings)
    return rows[1:] if first and same else rows


def placed(rows: Rows, top: int, left: int) -> list[Typed]:
    """The block with its upper left cell there."""
    return [Typed(top + down, left + across, cell) for down, row in enumerate(rows) for across, cell in enumerate(row)]


def filled(text: str, places: Sequence[tuple[int, int]]) -> list[Typed]:
    """One cell into every chosen place."""
    return [Typed(row, column, text) for row, column in places]
