"""Keys of evidence in a document: which of its registers explains each, and which of its chapters cite it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from tunebench.core.patterns import lazy_pattern
from tunebench.reporting.document import (
    Block,
    Cell,
    ColumnKind,
    Heading,
    Link,
    ReportSection,
    Table,
    TableHead,
    every_block,
    strings_of,
)

KEY = lazy_pattern(r"(?<![A-Za-z0-9-])[EFM]-\d+(?![A-Za-z0-9-])")
"""Evidence that was pinned, files, and figures that were entered; a particle of Korean may follow."""


def explained_keys(blocks: Iterable[Block]) -> frozenset[str]:
    """Keys that a register of the document has a row for."""
    tables = (block for block in every_block(blocks) if isinstance(block, Table) and block.is_register)
    return frozenset(row[0].text for table in tables for row in table.rows)


def with_citations(sections: Iterable[ReportSection], heading: str) -> list[ReportSection]:
    """The sections, each row of whose registers leads to the chapters that cite it.

    Args:
        heading: of the column that is added.
    """
    sections = list(sections)
    citing = _citing(block for section in sections for block in section.blocks)
    return [
        replace(section, blocks=tuple(_cited(block, heading, citing) for block in section.blocks))
        for section in sections
    ]


def _citing(blocks: Iterable[Block]) -> Mapping[str, list[Link]]:
    """Key -> the chapters that name it, in their order."""
    citing: dict[str, list[Link]] = {}
    chapter: Link | None = None
    for block in every_block(blocks):
        if isinstance(block, Heading) and block.level == 1 and block.anchor:
            number = block.number.rstrip(".").split()[-1:]  # of an appendix the letter
            chapter = Link(number[0] if number else block.text, block.anchor)
        for key in _keys_of(block) if chapter is not None else ():
            links = citing.setdefault(key, [])
            if chapter is not None and chapter not in links:
                links.append(chapter)
    return citing


def _keys_of(block: Block) -> Iterator[str]:
    if isinstance(block, Table) and block.is_register:  # what a row says of its own piece cites others
        block = replace(block, rows=tuple(row[1:] for row in block.rows))
    for text in strings_of(block):
        yield from KEY.findall(text)


def _cited(block: Block, heading: str, citing: Mapping[str, list[Link]]) -> Block:
    if not isinstance(block, Table) or not block.is_register:
        return block
    links = [tuple(citing.get(row[0].text, ())) for row in block.rows]
    if not any(links):
        return block
    cells = (Cell(", ".join(link.text for link in own), links=own) for own in links)
    column = TableHead(heading, ColumnKind.TEXT, 1.2)
    rows = tuple((*row, cell) for row, cell in zip(block.rows, cells, strict=True))
    return replace(block, columns=(*block.columns, column), rows=rows)
