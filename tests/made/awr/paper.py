"""How a text report is printed: its paper and ruled tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tests.made.awr.markup import Style
from tests.made.awr.model import Workload

END = " " * 10 + "-" * 61
Column = tuple[str, int, str]
"""Heading (lines parted by line ends), width, ``<`` or ``>``."""


@dataclass(frozen=True)
class Paper:
    """How a report is printed.

    Attributes:
        kind: ``statspack`` or ``awr``.
        page: rows of a list of statements on a page.
        width: of the lines a statement's text is cut into.
        pieces: how many of them are shown.
        cut_ids: columns of an SQL_ID that the lists of gets and reads have room for.
    """

    kind: str
    version: str
    release: str
    style: Style
    page: int = 7
    pieces: int = 4
    top: int = 10
    cut_ids: int = 13
    tabs: bool = False

    @property
    def width(self) -> int:
        return 64 if self.kind == "statspack" else 80

    def title(self, name: str, work: Workload, second_form: bool = False) -> str:
        snaps = (work.begin_snapshot, work.end_snapshot)
        if second_form or self.version == "9.2":
            return f"{name} for DB: {work.db_name}  Instance: {work.instance}  Snaps: {snaps[0]} -{snaps[1]}"
        return f"{name}  DB/Inst: {work.db_name}/{work.instance}  Snaps: {snaps[0]}-{snaps[1]}"


def ruled(columns: Sequence[Column], rows: Iterable[Sequence[str]], last_open: bool = False) -> list[str]:
    """Headings, dashes and rows; texts are cut to their column, numbers that do not fit become ``#``."""
    heads = [heading.split("\n") for heading, _, _ in columns]
    height = max(map(len, heads))
    lines = []
    for level in range(height):
        words = [([""] * (height - len(head)) + head)[level] for head in heads]
        lines.append(
            " ".join(f"{word[:w]:{align}{w}}" for word, (_, w, align) in zip(words, columns, strict=True)).rstrip()
        )
    lines.append(" ".join("-" * w for _, w, _ in columns))
    return lines + [ruled_row(columns, row, last_open) for row in rows]


def ruled_row(columns: Sequence[Column], row: Sequence[str], last_open: bool = False) -> str:
    cells = []
    for place, (text, (_, width, align)) in enumerate(zip(row, columns, strict=True)):
        is_open = last_open and place == len(columns) - 1
        fitted = text if is_open or len(text) <= width else "#" * width if align == ">" else text[:width]
        cells.append(f"{fitted:{align}{width}}")
    return " ".join(cells).rstrip()
