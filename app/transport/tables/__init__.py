"""Tables that come in another form than text: workbooks, and series in JSON. Each is given as the text of a table, tab
between cells, a line for each row, so that a definition reads it as it reads any other.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from app.transport.containers.limits import Limits, OverLimit, gib
from app.transport.tables import json_series, workbook

FORMS = ("workbook", "json")
SUFFIX = ".tsv"
MOST_BYTES = 256 << 20
"""Of a file that is read as a whole."""
_PIECE_BYTES = 128 << 10
_IN_MEMORY_BYTES = 16 << 20
_FIGURE = re.compile(rb"(?:^|\t)[-+]?\d[\d.,]*%?(?=\t|$)", re.MULTILINE)
_FEWEST_FIGURES = 2


@dataclass(frozen=True, slots=True)
class TextTable:
    """One table; `pieces` are read once, each but the last at least as long as the first bytes that parsers look at."""

    name: str
    pieces: Iterator[bytes]


def form_of(head: bytes, name: str) -> str:
    """``workbook``, ``json``, or empty for any other file."""
    if workbook.is_workbook(head, name):
        return "workbook"
    return "json" if json_series.is_export(head) else ""


def tables_of(form: str, data: Iterable[bytes], name: str, path: str) -> Iterator[TextTable]:
    """The tables of a file of this form, one after the other.

    Args:
        path: what the sentences call it.

    Raises:
        UserError: workbook_unreadable, json_unreadable, or it is larger than it may be.
    """
    with tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY_BYTES) as file:
        size = 0
        for piece in data:
            size += len(piece)
            if size > MOST_BYTES:
                raise OverLimit("member_too_large", path=path, most=gib(MOST_BYTES))
            file.write(piece)
        file.seek(0)
        if form == "workbook":
            for sheet, rows in workbook.sheets(file, Limits(), path):
                yield TextTable(f"{sheet}{SUFFIX}", _pieces(rows))
        else:
            yield TextTable(f"{name}{SUFFIX}", _pieces(json_series.rows(file.read(), path)))


def has_figures(first: bytes) -> bool:
    """Whether a table has numbers: a sheet of words is no capture."""
    return len(_FIGURE.findall(first)) >= _FEWEST_FIGURES


def _pieces(rows: Iterable[Iterable[str]]) -> Iterator[bytes]:
    lines: list[str] = []
    size = 0
    for cells in rows:
        lines.append("\t".join(cells) + "\n")
        size += len(lines[-1])
        if size >= _PIECE_BYTES:
            yield "".join(lines).encode("utf-8", "replace")
            lines, size = [], 0
    if lines:
        yield "".join(lines).encode("utf-8", "replace")
