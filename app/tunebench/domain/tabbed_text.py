"""Cells as the clipboard carries them between TuneBench and a spreadsheet program.

A spreadsheet gives rows as lines and cells between tabs; a cell with a tab, a line end or a quotation mark of its own
stands in quotation marks, and those inside are doubled. Excel leaves a cell unquoted that merely begins and ends with
marks, so marks are only taken off where something inside needed them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

Rows = Sequence[Sequence[str]]
_MARK = '"'


def to_tabbed(rows: Rows) -> str:
    """The text flavour of the clipboard; lines end as Windows ends them."""
    return "".join("\t".join(_quoted(cell) for cell in row) + "\r\n" for row in rows)


def _quoted(cell: str) -> str:
    if any(letter in cell for letter in '\t\n\r"'):
        return _MARK + cell.replace(_MARK, _MARK * 2) + _MARK
    return cell


def to_html(rows: Rows) -> str:
    """The table flavour, which spreadsheets prefer: every cell is text, so that nothing in it becomes a formula."""
    lines = "".join(f"<tr>{''.join(_table_cell(cell) for cell in row)}</tr>" for row in rows)
    return f'<html><head><meta charset="utf-8"></head><body><table>{lines}</table></body></html>'


def _table_cell(cell: str) -> str:
    text = escape(cell).replace("\n", '<br style="mso-data-placement:same-cell">')
    return f"<td style='mso-number-format:\"\\@\";white-space:pre-wrap'>{text}</td>"


def from_tabbed(text: str) -> list[list[str]]:
    """The cells of a copied area; a row may have fewer than another: what it does not have is not empty."""
    return list(_rows(text))


def _rows(text: str) -> Iterator[list[str]]:
    position = 0
    while position < len(text):
        row: list[str] = []
        end = "\t"
        while end == "\t":
            cell, end, position = _cell(text, position)
            row.append(cell)
        yield row


def _cell(text: str, start: int) -> tuple[str, str, int]:
    """A cell, what ended it (a tab, a line end, or nothing), and where the next begins."""
    if text.startswith(_MARK, start):
        close = _closing_mark(text, start + 1)
        if close is not None:
            inside = text[start + 1 : close]
            whole = inside if any(letter in inside for letter in '\t\n\r"') else text[start : close + 1]
            return whole.replace(_MARK * 2, _MARK), *_end(text, close + 1)
    stop = min((position for sign in "\t\r\n" if (position := text.find(sign, start)) >= 0), default=len(text))
    return text[start:stop], *_end(text, stop)


def _closing_mark(text: str, position: int) -> int | None:
    """Index of the mark that ends the quoted cell; None where the mark was the cell's own first letter."""
    while True:
        position = text.find(_MARK, position)
        if position < 0:
            return None
        if not text.startswith(_MARK, position + 1):
            return position if text[position + 1 : position + 2] in ("", "\t", "\r", "\n") else None
        position += 2


def _end(text: str, position: int) -> tuple[str, int]:
    if text.startswith("\r\n", position):
        return "\n", position + 2
    sign = text[position : position + 1]
    return ("\n" if sign in ("\r", "\n") else sign), position + len(sign)
