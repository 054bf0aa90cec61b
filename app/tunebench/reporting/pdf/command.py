"""Command lines to the letter: broken only where nothing is lost, in the fixed-width face."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any
from xml.sax.saxutils import escape

from reportlab.platypus import CondPageBreak, Flowable, KeepTogether, Spacer
from reportlab.platypus import Paragraph as Flowed

from tunebench.reporting.document import CommandLine, MarkedCode
from tunebench.reporting.pdf.fonts import CODE, REGULAR, GlyphGuard, width
from tunebench.reporting.pdf.style import (
    BODY_WIDTH,
    CAPTION,
    INK,
    RULE,
    SHADE,
    STRONG_RULE,
    WARNING,
    WARNING_TINT,
    cell_style,
)
from tunebench.reporting.pdf.table import PagedTable

SIZE = 7.6
LEADING = 10.6
PADDING = 5.0
SLACK = 24
"""Characters that a line may be shorter, so that no line begins or ends with a space."""
LINES_TOGETHER = 40
FACT_SIZE = 8.0
FACT_LABEL = 76.0


class CodeLines(Flowable):  # type: ignore[misc]  # reportlab has no types
    """Lines drawn one by one, spaces and all: what is copied out of the file is what was put in."""

    def __init__(self, lines: list[str], marked: Collection[int] = ()) -> None:
        super().__init__()
        self._lines = lines
        self._marked = marked

    def wrap(self, available_width: float, available_height: float) -> tuple[float, float]:
        self.width = available_width
        self.height = len(self._lines) * LEADING + 2 * PADDING
        return self.width, self.height

    def split(self, available_width: float, available_height: float) -> list[Flowable]:
        room = int((available_height - 2 * PADDING) // LEADING)
        if room < 3 or room >= len(self._lines):
            return []
        rest = {number - room for number in self._marked if number >= room}
        return [CodeLines(self._lines[:room], self._marked), CodeLines(self._lines[room:], rest)]

    def draw(self) -> None:
        canvas = self.canv
        canvas.setFillColor(SHADE)
        canvas.rect(0, 0, self.width, self.height, stroke=0, fill=1)
        canvas.setFillColor(STRONG_RULE)
        canvas.rect(0, 0, 1.6, self.height, stroke=0, fill=1)
        for number, line in enumerate(self._lines):
            base = self.height - PADDING - SIZE - number * LEADING
            if number in self._marked:
                canvas.setFillColor(WARNING_TINT)
                canvas.rect(1.6, base - 2.6, self.width - 1.6, LEADING, stroke=0, fill=1)
                canvas.setFillColor(WARNING)
                canvas.rect(1.6, base - 2.6, 2.2, LEADING, stroke=0, fill=1)
            canvas.setFillColor(INK)
            canvas.setFont(CODE, SIZE)
            canvas.drawString(PADDING + 3, base, line)


def broken(text: str, room: float) -> list[str]:
    """`text` in lines of at most `room` points; joined without anything between, they are `text` again."""
    lines = []
    for line in text.split("\n"):
        rest = line
        while width(rest, CODE, SIZE) > room:
            end = _break(rest, room)
            lines.append(rest[:end])
            rest = rest[end:]
        lines.append(rest)
    return lines


def _break(line: str, room: float) -> int:
    """Where to break: as late as fits, between two characters that are no spaces."""
    last = 1
    while last < len(line) and width(line[: last + 1], CODE, SIZE) <= room:
        last += 1
    for end in range(last, max(last - SLACK, 0), -1):
        if not line[end - 1].isspace() and not line[end].isspace():
            return end
    return last


def command_flowables(block: CommandLine, guard: GlyphGuard) -> list[Any]:
    title = Flowed(escape(guard.text(block.title)), CAPTION)
    lines = broken(guard.text(block.text, code=True), BODY_WIDTH - 2 * PADDING - 4)
    parts: list[Any] = [title, CodeLines(lines)]
    if block.facts:
        parts.append(_facts(block.facts, guard))
    return _kept(parts, lines)


def _kept(parts: list[Any], lines: list[str]) -> list[Any]:
    """The flowables, kept on one page where that is not asking too much."""
    return [KeepTogether(parts)] if len(lines) <= LINES_TOGETHER else [CondPageBreak(120), *parts]


def marked_flowables(block: MarkedCode, guard: GlyphGuard) -> list[Any]:
    """The lines that differ are shaded over their whole width, wherever they are broken."""
    lines: list[str] = []
    marked: set[int] = set()
    for number, line in enumerate(guard.text(block.text.expandtabs(4), code=True).split("\n")):
        parts = broken(line, BODY_WIDTH - 2 * PADDING - 4)
        if number in block.marked:
            marked.update(range(len(lines), len(lines) + len(parts)))
        lines += parts
    title = Flowed(escape(guard.text(block.title)), CAPTION)
    return _kept([title, CodeLines(lines, marked), Spacer(0, 7)], lines)


def _facts(facts: tuple[tuple[str, str], ...], guard: GlyphGuard) -> PagedTable:
    def cell(text: str, *, muted: bool) -> Flowed:
        return Flowed(escape(guard.text(text)), cell_style(FACT_SIZE, muted=muted))

    rows = [[cell(name, muted=True), cell(text, muted=False)] for name, text in facts]
    style = (
        ("FONTNAME", (0, 0), (-1, -1), REGULAR),
        ("VALIGN", (0, 0), (-1, -1), "TOP"),
        ("LINEBELOW", (0, 0), (-1, -1), 0.3, RULE),
        ("LEFTPADDING", (0, 0), (-1, -1), 4),
        ("RIGHTPADDING", (0, 0), (-1, -1), 4),
        ("TOPPADDING", (0, 0), (-1, -1), 1.6),
        ("BOTTOMPADDING", (0, 0), (-1, -1), 2.4),
    )
    return PagedTable(rows, colWidths=[FACT_LABEL, BODY_WIDTH - FACT_LABEL], hAlign="LEFT", spaceAfter=7, style=style)
