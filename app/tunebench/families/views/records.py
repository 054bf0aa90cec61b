"""Rows of a database view that a client prints one column a line.

-[ RECORD 1 ]---------        psql \\x
queryid | 12
query   | select *   +
        | from t
*************************** 1. row ***************************        mysql \\G
     Engine: INNODB
Total_waits: 12
"""

from __future__ import annotations

from tunebench.core.patterns import lazy_pattern
from tunebench.sdk.text import decode_text

_PSQL = lazy_pattern(rb"^-\[ RECORD (?P<number>\d{1,9}) \][-+]*\s*$")
_MYSQL = lazy_pattern(rb"^\*{5,} (?P<number>\d{1,9})\. row \*{5,}\s*$")
_NAME = lazy_pattern(r"\s*[\w$#.()@/ -]*?\s*")
MOST_LINES = 100_000
"""A row of more lines is damage."""


def record_number(line: bytes) -> int | None:
    """The number of the row above whose columns `line` stands; None for any other line."""
    match = _PSQL.match(line) or _MYSQL.match(line)
    return None if match is None else int(match["number"])


class RecordReader:
    """The columns of one row, line by line.

    Attributes:
        first_line: 1-based line of the row's mark.
        lines: how many lines it took so far, without the mark.
    """

    def __init__(self, mark: bytes, first_line: int) -> None:
        self.first_line = first_line
        self.lines = 0
        self._bar = "|" if _PSQL.match(mark) else ":"
        self._edge = -1  # where the bar stands in every line of the row
        self._names: list[str] = []
        self._cells: list[str] = []

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self._names)

    @property
    def cells(self) -> list[str]:
        return ["" if cell == "NULL" else cell.rstrip() for cell in self._cells]

    def take(self, line: bytes) -> bool:
        """Whether `line` belongs to the row."""
        text = decode_text(line)
        if self._edge < 0:
            self._edge = text.find(self._bar)
        taken = self._take_column(text) or self._take_more(text)
        self.lines += taken
        return taken

    def _take_column(self, text: str) -> bool:
        name = text[: self._edge]
        if self._edge <= 0 or text[self._edge : self._edge + 1] != self._bar or not _NAME.fullmatch(name):
            return False
        if not name.strip():
            return False
        self._names.append(name.strip().lower())
        self._cells.append(text[self._edge + 2 :])
        return True

    def _take_more(self, text: str) -> bool:
        """A further line of the last cell; psql leaves its name blank and marks the line before with a plus."""
        if not self._cells or self.lines >= MOST_LINES:
            return False
        if self._bar == "|":
            if text[: self._edge].strip() or text[self._edge : self._edge + 1] != "|":
                return False
            self._cells[-1] = self._cells[-1].rstrip().removesuffix("+").rstrip() + "\n" + text[self._edge + 2 :]
        else:
            self._cells[-1] += "\n" + text
        return True
