"""A page: its conclusion, and blocks that are kept short enough for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from tunebench.core.records import record
from tunebench.reporting.chapters.context import Context
from tunebench.reporting.document import Badge, Block, KeyValueTable, Note, NumberedList, Paragraph, Table
from tunebench.reporting.wording import brief, in_parts

TITLE = 170
CELL, ITEM, PROSE = 400, 500, 700
NOTES = 4
"""Characters of what people typed or a host told, and notes below a table: the whole is in the annex and workbook."""


@record
class ConclusionPage:
    title: str
    blocks: tuple[Block, ...]


def page(title: str, blocks: Iterable[Block]) -> ConclusionPage:
    return ConclusionPage(brief(" ".join(title.split()), TITLE), tuple(map(_short, blocks)))


@record
class Conclusion:
    """Pages of one subject, where there is something that they are `wanted` for."""

    id: str
    wanted: Callable[[Context], object]
    pages: Callable[[Context], Iterable[ConclusionPage]]


def _short(block: Block) -> Block:
    match block:
        case Table():
            rows = tuple(tuple(replace(cell, text=in_parts(cell.text, CELL)) for cell in row) for row in block.rows)
            return replace(block, rows=rows, notes=tuple(in_parts(note, ITEM) for note in block.notes[:NOTES]))
        case NumberedList():
            return NumberedList(tuple(in_parts(item, ITEM) for item in block.items))
        case KeyValueTable():
            return KeyValueTable(tuple((name, in_parts(text, PROSE)) for name, text in block.rows))
        case Paragraph() | Note() | Badge():
            return replace(block, text=in_parts(block.text, PROSE))
        case _:
            return block
