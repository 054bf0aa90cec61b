"""How sure it is that a file holds tables of MySQL or MariaDB."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tunebench.families.views.rows import RowReader
from tunebench.sdk import lazy_pattern

from .innodb import BEGIN
from .views import DIGEST, INNODB, is_list_without_heading, view_of

_OURS = lazy_pattern(rb"(?m)^@section mysql\s*$")
_RECORD = lazy_pattern(rb"^\*{5,} 1\. row \*{5,}\s*$")
_COLUMN = lazy_pattern(rb"^\s*([A-Za-z_][\w()@.]*): ?")
_STATUS_RECORD = lazy_pattern(rb"(?m)^[ \t]{0,40}Variable_name: \w+\r?\n[ \t]{0,40}(?:Variable_)?[Vv]alue:")
_HEAD_LINES = 400


def confidence(head: bytes) -> float:
    if b"\0" in head:
        return 0.0
    if _OURS.search(head):
        return 0.99
    lines = [line.rstrip(b"\r") for line in head.split(b"\n")[:_HEAD_LINES] if line.strip()]
    views = {view_of(RowReader(line).columns) for line in lines[:60]} | set(_views_of_records(lines))
    views.discard("")
    if views == {INNODB} and re.search(rb"(?m)^[^\t]*" + BEGIN.encode(), head):
        return 0.0  # the text stands in lines of its own: `innodb_monitor` reads it
    if DIGEST in views or _STATUS_RECORD.search(head):
        return 0.97
    if views:
        return 0.93
    return 0.9 if lines and is_list_without_heading(RowReader(lines[0]).columns) else 0.0


def _views_of_records(lines: Sequence[bytes]) -> list[str]:
    """What the first rows of ``\\G`` outputs are of."""
    begins = [index for index, line in enumerate(lines) if _RECORD.match(line)]
    views = []
    for begin in begins[:10]:
        columns = []
        for line in lines[begin + 1 : begin + 120]:
            match = _COLUMN.match(line)
            if line.startswith(b"***"):
                break
            if match is not None:
                columns.append(match[1].decode().lower())
        views.append(view_of(columns))
    return views
