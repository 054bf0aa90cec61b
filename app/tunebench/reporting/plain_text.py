"""Writes a document for a terminal: complete, every line whole, tables as records where they would not fit."""

from __future__ import annotations

from collections.abc import Iterator
from functools import singledispatchmethod

from tunebench.domain.visible_text import display_width
from tunebench.reporting.document import (
    Block,
    Cell,
    CommandLine,
    Cover,
    Heading,
    KeyValueTable,
    Note,
    NumberedList,
    Paragraph,
    ReportDocument,
    Table,
)

WIDTH = 100
INDENT = "  "


def plain_text(document: ReportDocument) -> str:
    """The document's blocks as text, ended by a newline."""
    writer = _Writer()
    lines = [line for block in document.blocks for line in writer.lines(block)]
    return "\n".join(lines).strip("\n") + "\n"


def wrapped(text: str, width: int) -> list[str]:
    """`text` broken between words; a word that is longer than a line stays whole."""
    lines = []
    for paragraph in text.split("\n"):
        line = ""
        for word in paragraph.split(" "):
            if line and display_width(f"{line} {word}") > width:
                lines.append(line)
                line = word
            else:
                line = f"{line} {word}" if line else word
        lines.append(line)
    return lines


class _Writer:
    @singledispatchmethod
    def lines(self, block: Block) -> Iterator[str]:
        raise TypeError(f"no way to write {type(block).__name__} as text")

    @lines.register
    def _(self, block: Cover) -> Iterator[str]:
        yield "=" * WIDTH
        yield block.title
        yield block.subtitle
        yield "=" * WIDTH
        yield ""
        yield from _pairs((*block.facts, *block.control))
        yield ""
        yield from wrapped(block.notice, WIDTH)

    @lines.register
    def _(self, block: Heading) -> Iterator[str]:
        title = f"{block.number} {block.text}".strip()
        yield ""
        yield title
        yield ("=" if block.level == 1 else "-") * display_width(title)

    @lines.register
    def _(self, block: Paragraph) -> Iterator[str]:
        yield ""
        yield from wrapped(block.text, WIDTH)

    @lines.register
    def _(self, block: NumberedList) -> Iterator[str]:
        yield ""
        for number, item in enumerate(block.items, 1):
            first, *others = wrapped(item, WIDTH - 4)
            yield f"{number:>2}. {first}"
            yield from (f"    {line}" for line in others)

    @lines.register
    def _(self, block: KeyValueTable) -> Iterator[str]:
        yield ""
        yield from _pairs(block.rows)

    @lines.register
    def _(self, block: Table) -> Iterator[str]:
        yield ""
        yield f"[{block.caption}]"
        yield from _table(block)
        for note in block.notes:
            yield from wrapped(note, WIDTH)

    @lines.register
    def _(self, block: CommandLine) -> Iterator[str]:
        yield ""
        yield f"[{block.title}]"
        yield from block.text.split("\n")
        yield from _pairs(block.facts)

    @lines.register
    def _(self, block: Note) -> Iterator[str]:
        yield ""
        yield from (f"! {line}" for line in wrapped(block.text, WIDTH - 2))


def _pairs(rows: tuple[tuple[str, str], ...]) -> Iterator[str]:
    room = max((display_width(name) for name, _ in rows), default=0)
    for name, text in rows:
        first, *others = wrapped(text, WIDTH - room - 2)
        yield f"{_padded(name, room)}  {first}".rstrip()
        yield from (" " * (room + 2) + line for line in others)


def _table(table: Table) -> Iterator[str]:
    rows = [[cell.text for cell in row] for row in (*table.rows, *table.totals)]
    heads = [column.heading for column in table.columns]
    grid = [heads, *rows]
    widths = [max(display_width(row[index]) for row in grid) for index in range(len(heads))]
    narrow = sum(widths) + 2 * (len(widths) - 1) <= WIDTH
    if not narrow or any("\n" in text for row in rows for text in row):
        yield from (line for row in (*table.rows, *table.totals) for line in _record(heads, row))
        return
    for row in (heads, ["-" * width for width in widths], *rows):
        yield "  ".join(_padded(text, width) for text, width in zip(row, widths, strict=True)).rstrip()


def _record(heads: list[str], row: tuple[Cell, ...]) -> Iterator[str]:
    """A wide row as a record: its first cell as title, the others below it by name."""
    yield ""
    yield f"{heads[0]} {row[0].text}"
    for line in _pairs(tuple((head, cell.text) for head, cell in zip(heads[1:], row[1:], strict=True))):
        yield INDENT + line


def _padded(text: str, width: int) -> str:
    return text + " " * max(width - display_width(text), 0)
