"""Cells to and from a spreadsheet program: what looks like a formula stays text on both sides."""

from __future__ import annotations

from collections.abc import Sequence
from html.parser import HTMLParser

from tunebench.core.patterns import lazy_pattern
from tunebench.domain.tabbed_text import Rows, from_tabbed, to_html, to_tabbed
from tunebench.usecases.grid_cells import Typed

_FORMULA = lazy_pattern(r"'*[=+\-@\t]")
_MARKED = lazy_pattern(r"'+[=+\-@\t]")
_NUMBER = lazy_pattern(r"[+-]?[0-9][0-9.,]*(?:[eE][+-]?[0-9]+)?")


def for_spreadsheet(rows: Rows) -> tuple[str, str]:
    """(text, table). In the text a cell that would be computed has an apostrophe before it, as one would type it;
    the table says of every cell that it is text."""
    return to_tabbed([[_shielded(cell) for cell in row] for row in rows]), to_html(rows)


def _shielded(cell: str) -> str:
    return f"'{cell}" if _FORMULA.match(cell) and not _NUMBER.fullmatch(cell) else cell


def from_spreadsheet(text: str, html: str = "") -> list[list[str]]:
    """The cells of what was copied; `html` is the same as a table, where the clipboard has it."""
    rows = _with_line_ends(from_tabbed(text), html)
    return [[cell[1:] if _MARKED.match(cell) else cell for cell in row] for row in rows]


def without_heading(rows: list[list[str]], headings: Sequence[Sequence[str]]) -> list[list[str]]:
    """Without a first row that repeats the headings of the columns it is pasted into; `headings` per language."""
    first = [cell.strip().casefold() for cell in rows[0]] if len(rows) > 1 else []
    same = any(first == [words.casefold() for words in heading] for heading in headings)
    return rows[1:] if first and same else rows


def placed(rows: Rows, top: int, left: int) -> list[Typed]:
    """The block with its upper left cell there."""
    return [Typed(top + down, left + across, cell) for down, row in enumerate(rows) for across, cell in enumerate(row)]


def filled(text: str, places: Sequence[tuple[int, int]]) -> list[Typed]:
    """One cell into every chosen place."""
    return [Typed(row, column, text) for row, column in places]


# --- the table flavour of the clipboard, for what its text flavour loses


def _with_line_ends(rows: list[list[str]], html: str) -> list[list[str]]:
    """`rows` as read from the text, with the line ends of the same cells in `html`.

    Some spreadsheet programs write a cell of several lines on one line of the text. Where table and text agree in all
    but white space, the line ends are those of the table; anything else is left to the text.
    """
    if "<table" not in html.lower():
        return rows
    reader = _TableReader()
    reader.feed(html)
    reader.close()
    table = reader.rows
    if [[_words(cell) for cell in row] for row in table] != [[_words(cell) for cell in row] for row in rows]:
        return rows
    return [
        [shown if "\n" in shown and "\n" not in plain else plain for plain, shown in zip(row, seen, strict=True)]
        for row, seen in zip(rows, table, strict=True)
    ]


def _words(cell: str) -> str:
    return " ".join(cell.split())


class _TableReader(HTMLParser):
    """The cells of the first table; ``<br>`` ends a line, other white space is one blank."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.rows: list[list[str]] = []
        self._cell: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self._end_cell()
            self.rows.append([])
        elif tag in ("td", "th"):
            self._end_cell()
            self._cell = []
        elif tag == "br" and self._cell is not None:
            self._cell.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th", "tr", "table"):
            self._end_cell()

    def handle_data(self, data: str) -> None:
        if self._cell is not None:
            blank = " " if data[:1].isspace() else ""
            self._cell.append(blank + " ".join(data.split()) + (" " if data[-1:].isspace() else ""))

    def _end_cell(self) -> None:
        if self._cell is not None and self.rows:
            lines = "".join(self._cell).split("\n")
            self.rows[-1].append("\n".join(_words(line) for line in lines).strip())
        self._cell = None
