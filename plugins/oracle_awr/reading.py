"""What is collected while a report is read, and the columns of its tables by their names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tunebench.families.oracle.html_reports import HtmlRow, HtmlTable
from tunebench.families.oracle.values import Numbers


class Columns:
    """Where the columns of one table are; a column that is not there gives blank cells."""

    def __init__(self, table: HtmlTable, numbers: Numbers) -> None:
        self.table = table
        self.numbers = numbers
        self._places: dict[tuple[str, str, str], int] = {}
        self._present: dict[int, list[tuple[int, str]]] = {}

    def texts(self, row: HtmlRow, names: Mapping[str, str]) -> Iterator[tuple[str, str]]:
        """The text of each column that there is, and the meaning that its name has in `names`."""
        present = self._present.get(id(names))
        if present is None:
            columns = ((self.table.column(name), meaning) for name, meaning in names.items())
            present = self._present[id(names)] = [(index, meaning) for index, meaning in columns if index is not None]
        cells = row.cells
        for index, meaning in present:
            yield cells[index] if index < len(cells) else "", meaning

    def text(self, row: HtmlRow, name: str, group: str = "", after: str = "") -> str:
        mark = (name, group, after)
        index = self._places.get(mark)
        if index is None:
            column = self.table.column(name, group, after)
            index = self._places[mark] = -1 if column is None else column
        return row.cells[index] if 0 <= index < len(row.cells) else ""

    def first_text(self, row: HtmlRow, *names: str) -> str:
        """The text of the first of these columns that is not empty; empty where all are."""
        return next(filter(None, (self.text(row, name) for name in names)), "")

    def number(self, row: HtmlRow, name: str, group: str = "", after: str = "") -> float | None:
        return self.numbers.read(self.text(row, name, group, after))

    def first_number(self, row: HtmlRow, *names: str) -> float | None:
        return self.numbers.read(self.first_text(row, *names))

    def bytes_of(self, row: HtmlRow, name: str) -> float | None:
        return self.numbers.bytes_of(self.text(row, name))


def pairs(row: HtmlRow) -> Iterator[tuple[str, str]]:
    """Label and value of a row without headings: label, value, label, value."""
    for label, value in zip(row.cells[::2], row.cells[1::2], strict=False):
        if label:
            yield label.rstrip(" :"), value


def label_of(row: HtmlRow) -> str:
    """The first cell, without the colon behind it."""
    return row.cells[0].rstrip(" :") if row.cells else ""
