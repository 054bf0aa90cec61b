"""The table flavour of the clipboard, for what its text flavour loses.

Some spreadsheet programs write a cell of several lines on one line of the text. Where table and text agree in all but
white space, the line ends are those of the table; anything else is left to the text.
"""

from __future__ import annotations

from html.parser import HTMLParser

Rows = list[list[str]]


def with_line_ends(rows: Rows, html: str) -> Rows:
    """`rows` as read from the text, with the line ends of the same cells in `html`."""
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
        self.rows: Rows = []
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
