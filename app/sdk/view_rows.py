"""Rows of a database view as clients print them: CSV, tab-separated, or in a frame of characters.

    queryid,query,calls                       psql --csv, COPY ... CSV HEADER, SQL*Plus' MARKUP CSV, any export
    "12","select *\\nfrom t",3                (a quoted cell may span lines)
    SCHEMA_NAME<TAB>DIGEST_TEXT<TAB>COUNT     mysql --batch: ``\\n``, ``\\t``, ``\\\\`` and ``NULL``
     queryid | query | calls                  psql's own table, a ruler below its heading
    | SCHEMA_NAME | COUNT |                   mysql's own table
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from enum import Enum, auto

from app.sdk.text import decode_text

SEPARATORS = (",", ";", "|", "~")
MOST_LINES = 5_000
"""A quote that stays open for more lines is damage."""
_RULER = re.compile(rb"^[-+=|: ]*(?:--+|==+)[-+=|: ]*$")
_MYSQL_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_MYSQL_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "b": "\b", "Z": "\x1a"}


class Form(Enum):
    """How the rows are written."""

    QUOTED = auto()
    TABBED = auto()
    PSQL = auto()
    FRAMED = auto()


class RowReader:
    """Reads the rows below one heading. Its `columns` are lower case."""

    def __init__(self, heading: bytes) -> None:
        text = decode_text(heading).lstrip("\ufeff").rstrip("\r\n")
        self.form, self._separator = _form_of(text)
        self.columns: tuple[str, ...] = tuple(name.strip().lower() for name in self._cells(text) or ())
        self._held: list[bytes] = []
        self._open = False

    @property
    def held_lines(self) -> int:
        """Lines of a row that has not ended yet."""
        return len(self._held)

    def take_held(self) -> list[bytes]:
        """The lines of the row that never ended."""
        held, self._held, self._open = self._held, [], False
        return held

    def is_ruler(self, line: bytes) -> bool:
        return self.form in (Form.PSQL, Form.FRAMED) and _RULER.match(line) is not None

    def read(self, line: bytes) -> list[str] | None:
        """The cells of the row that `line` ends; None where it goes on or is none (see `held_lines`).

        An empty text stands for NULL as well: no client tells the two apart in every form.
        """
        if self.form is Form.QUOTED:
            line = self._joined(line)
            if not line:
                return None
        return self._cells(decode_text(line))

    def _joined(self, line: bytes) -> bytes:
        self._held.append(line)
        if line.count(b'"') % 2:
            self._open = not self._open
        if self._open and len(self._held) < MOST_LINES:
            return b""
        whole = b"\n".join(self._held)
        self._held, self._open = [], False
        return whole

    def _cells(self, text: str) -> list[str] | None:
        match self.form:
            case Form.TABBED:
                return [_unescaped(cell) for cell in text.split("\t")]
            case Form.PSQL:
                return [cell.strip() for cell in text.split("|")]
            case Form.FRAMED:
                return [_null_free(cell.strip()) for cell in text.strip().strip("|").split("|")]
        try:
            return next(csv.reader(io.StringIO(text, newline=""), delimiter=self._separator), None)
        except csv.Error:  # a cell longer than any statement
            return None


def looks_like_heading(line: bytes, wanted: Sequence[frozenset[str]]) -> bool:
    """Whether `line` is a heading that has all columns of one of `wanted` (lower case)."""
    names = set(RowReader(line).columns)
    return any(columns <= names for columns in wanted)


def _form_of(heading: str) -> tuple[Form, str]:
    if "\t" in heading:
        return Form.TABBED, "\t"
    if heading.startswith("|") and heading.rstrip().endswith("|"):
        return Form.FRAMED, "|"
    if " | " in heading:
        return Form.PSQL, "|"
    best = max(SEPARATORS, key=heading.count)
    return Form.QUOTED, best if heading.count(best) else ","


def _unescaped(cell: str) -> str:
    if "\\" not in cell:
        return _null_free(cell)
    return _MYSQL_ESCAPE.sub(lambda found: _MYSQL_LETTERS.get(found[1], found[1]), cell)


def _null_free(cell: str) -> str:
    return "" if cell == "NULL" else cell
