"""Rows of a database view as clients print them: CSV, tab-separated, or in a frame of characters.

queryid,query,calls                       psql --csv, COPY ... CSV HEADER, SQL*Plus' MARKUP CSV, any export
"12","select *\\nfrom t",3                (a quoted cell may span lines)
SCHEMA_NAME<TAB>DIGEST_TEXT<TAB>COUNT     mysql --batch: ``\\n``, ``\\t``, ``\\\\`` and ``NULL``
 queryid | query      | calls             psql's own table, a ruler below its heading
---------+------------+-------
      12 | select * +|     3              (a cell goes on in the next line where its margin holds a plus)
         | from t    |
| SCHEMA_NAME | COUNT |                   mysql's own table, psql's with border 2
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from enum import Enum, auto
from unicodedata import combining, east_asian_width

from tunebench.core.patterns import lazy_pattern
from tunebench.sdk.text import decode_text

SEPARATORS = (",", ";", "|", "~")
MOST_LINES = 5_000
"""A cell that goes on for more lines is damage."""
_RULER = lazy_pattern(rb"^[-+=|: ]*(?:--+|==+)[-+=|: ]*$")
_FRAME = lazy_pattern(rb"^\+[-+=]+\+\s*$")
_MYSQL_ESCAPE = lazy_pattern(r"\\(.)", re.DOTALL)
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
        self._edges: tuple[slice, ...] = ()
        self.columns: tuple[str, ...] = tuple(name.strip().lower() for name in self._cells(text) or ())
        self._held: list[bytes] = []
        self._open = False
        self._begun: list[str] = []  # the cells of a row of a frame that goes on in the next line

    @property
    def held_lines(self) -> int:
        """Lines of a row that has not ended yet."""
        return len(self._held)

    def take_held(self) -> list[bytes]:
        """The lines of the row that never ended."""
        held, self._held, self._open, self._begun = self._held, [], False, []
        return held

    def take_ruler(self, line: bytes) -> bool:
        """Whether `line` is the ruler of a frame; from then on it says where the columns stand."""
        if self.form not in (Form.PSQL, Form.FRAMED) or _RULER.match(line) is None:
            return False
        edges = _edges_of(decode_text(line), self.form)
        if len(edges) == len(self.columns):
            self._edges = edges
        return True

    def read(self, line: bytes) -> list[str] | None:
        """The cells of the row that `line` ends; None where it goes on or is none (see `held_lines`).

        An empty text stands for NULL as well: no client tells the two apart in every form.
        """
        if self.form is Form.QUOTED:
            line = self._joined(line)
            return self._cells(decode_text(line)) if line else None
        if self._edges:
            return self._framed(line)
        return self._cells(decode_text(line))

    def _joined(self, line: bytes) -> bytes:
        self._held.append(line)
        if b'"' in line:
            self._open = _stays_open(line, self._separator.encode(), self._open)
        if self._open and len(self._held) < MOST_LINES:
            return b""
        whole = b"\n".join(self._held)
        self._held, self._open = [], False
        return whole

    def _framed(self, line: bytes) -> list[str] | None:
        text = decode_text(line)
        pieces = _pieces(text, self._edges)
        if pieces is None:
            return None if self.take_held() else self._cells(text)
        self._held.append(line)
        goes_on = [_goes_on(piece, edge) for piece, edge in zip(pieces, self._edges, strict=True)]
        begun = self._begun or [""] * len(pieces)
        self._begun = [before + _inner(piece, more) for before, piece, more in zip(begun, pieces, goes_on, strict=True)]
        if any(goes_on) and len(self._held) < MOST_LINES:
            return None
        cells = [_null_free(cell.strip()) for cell in self._begun]
        self.take_held()
        return cells

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


def is_frame(line: bytes) -> bool:
    """Whether `line` is the upper or lower edge of a framed table."""
    return _FRAME.match(line) is not None


def _form_of(heading: str) -> tuple[Form, str]:
    if "\t" in heading:
        return (Form.QUOTED if heading.startswith('"') else Form.TABBED), "\t"
    if heading.startswith("|") and heading.rstrip().endswith("|"):
        return Form.FRAMED, "|"
    if " | " in heading:
        return Form.PSQL, "|"
    best = max(SEPARATORS, key=heading.count)
    return Form.QUOTED, best if heading.count(best) else ","


def _stays_open(line: bytes, separator: bytes, is_open: bool) -> bool:
    """Whether a quoted cell goes on behind `line`. A quote inside of an unquoted cell opens nothing."""
    position = 0
    while True:
        if is_open:
            position = line.find(b'"', position) + 1
            if not position:
                return True
            if line[position : position + 1] == b'"':
                position += 1
                continue
            is_open = False
        elif line[position : position + 1] == b'"':
            is_open, position = True, position + 1
            continue
        position = line.find(separator, position) + 1
        if not position:
            return False


def _edges_of(ruler: str, form: Form) -> tuple[slice, ...]:
    """Where each column stands between the crossings of a ruler, its margins included."""
    inner, first = (ruler.strip().strip("+|"), 1) if form is Form.FRAMED else (ruler.rstrip(), 0)
    edges = []
    for dashes in inner.split("+"):
        edges.append(slice(first, first + len(dashes)))
        first += len(dashes) + 1
    return tuple(edges)


def _pieces(text: str, edges: Sequence[slice]) -> list[Sequence[str]] | None:
    """`text` cut at `edges`, one item per column of a terminal; None where no bar stands between two of them."""
    spread: Sequence[str] = text if text.isascii() else _spread(text)
    if len(spread) < edges[-1].start or any(spread[edge.stop] != "|" for edge in edges[:-1]):
        return None
    last = edges[-1] if edges[0].start else slice(edges[-1].start, None)
    return [*(spread[edge] for edge in edges[:-1]), spread[last]]


def _spread(text: str) -> list[str]:
    """One item per column of a terminal: a wide character takes two, an accent none of its own."""
    columns: list[str] = []
    for character in text:
        if columns and combining(character):
            columns[-1] += character
            continue
        columns.append(character)
        if east_asian_width(character) in "WF":
            columns.append("")
    return columns


def _goes_on(piece: Sequence[str], edge: slice) -> bool:
    """Whether the margin of a cell says that it goes on in the next line."""
    return len(piece) == edge.stop - edge.start > 1 and piece[-1] == "+"


def _inner(piece: Sequence[str], goes_on: bool) -> str:
    """The text of a piece without its margins."""
    return "".join(piece[1:-1]).rstrip() + "\n" if goes_on else "".join(piece[1:]).rstrip()


def _unescaped(cell: str) -> str:
    if "\\" not in cell:
        return _null_free(cell)
    if cell == "\\N":  # COPY's NULL
        return ""
    return _MYSQL_ESCAPE.sub(lambda match: _MYSQL_LETTERS.get(match[1], match[1]), cell)


def _null_free(cell: str) -> str:
    return "" if cell == "NULL" else cell
