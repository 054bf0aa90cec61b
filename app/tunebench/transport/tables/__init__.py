"""Tables that come in another form than text: workbooks, and series in JSON. Each is given as the text of a table, tab
between cells, a line for each row, so that a definition reads it as it reads any other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tunebench.core.patterns import lazy_pattern
from tunebench.core.records import record
from tunebench.transport.containers.limits import OverLimit, gib
from tunebench.transport.tables import boxed, json_series, workbook
from tunebench.transport.tables.text import pieces_of

FORMS = ("workbook", "json")
SUFFIX = ".tsv"
MOST_BYTES = 256 << 20
"""Of a file that is read as a whole."""
_FIGURE = lazy_pattern(rb"(?:^|\t)[-+]?\d[\d.,]*%?(?=\t|$)", re.MULTILINE)
_FEWEST_FIGURES = 2


@record
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
        UserError: workbook_unreadable, json_unreadable; OverLimit: it is larger than it may be, or needs more than its
            reader may take (`boxed`).
    """
    whole = _bounded(data, path)
    if form == "workbook":
        for sheet, text in boxed.sheets(whole, path):
            yield TextTable(f"{sheet}{SUFFIX}", text)
    else:
        yield TextTable(f"{name}{SUFFIX}", pieces_of(json_series.rows(b"".join(whole), path)))


def _bounded(data: Iterable[bytes], path: str) -> Iterator[bytes]:
    size = 0
    for piece in data:
        size += len(piece)
        if size > MOST_BYTES:
            raise OverLimit("member_too_large", path=path, most=gib(MOST_BYTES))
        yield piece


def has_figures(first: bytes) -> bool:
    """Whether a table has numbers: a sheet of words is no capture."""
    return len(_FIGURE.findall(first)) >= _FEWEST_FIGURES
