"""The head of a page, columns of text and the box of what comes next."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from xml.sax.saxutils import escape

from reportlab.lib.colors import Color
from reportlab.lib.styles import ParagraphStyle
from reportlab.platypus import Flowable, Spacer
from reportlab.platypus import Paragraph as Flowed

from tunebench.reporting.claims import Claim, NextBox, Run, TextColumn, TextColumns, Tone
from tunebench.reporting.pdf.chips import chip_line
from tunebench.reporting.pdf.command import broken
from tunebench.reporting.pdf.fonts import BOLD, REGULAR, GlyphGuard
from tunebench.reporting.pdf.labels import ROLE_COLOURS, text_width
from tunebench.reporting.pdf.style import (
    ACCENT,
    BAD,
    BODY_WIDTH,
    CLAIM_LINE,
    CLAIM_QUESTION,
    CLAIM_TITLE,
    CODE_STYLE,
    COLUMN_BODY,
    COLUMN_HEADING,
    INK,
    NEXT_TINT,
    WARNING,
)
from tunebench.reporting.pdf.table import PagedTable

TITLE_LINES = 3
TITLE_SIZES = (20.0, 18.5, 17.0, 15.5, 14.0, 12.5, 11.0, 9.5, 8.0)
CHIP_SIZE = 9.0
COLUMN_GAP = 12.0
BOX_LEFT = 13.0
BOX_RIGHT = 10.0
BUTT = 0
"""Ends of rules, which are round otherwise."""
_RULES: Mapping[Tone, Color] = MappingProxyType(
    {Tone.PLAIN: INK, Tone.STRONG: ACCENT, Tone.WARNING: WARNING, Tone.BAD: BAD}
)


def claim_flowables(block: Claim, guard: GlyphGuard, room: float = BODY_WIDTH) -> list[Flowable]:
    claim = guard.whole(block)
    flowables: list[Flowable] = [_flowed(claim.question, CLAIM_QUESTION, room)] if claim.question else []
    flowables += [_title(claim, room), Spacer(0, 5)]
    if claim.chips or claim.remark:
        flowables += [chip_line(claim.chips, claim.remark, room, CHIP_SIZE), Spacer(0, 4)]
    flowables += [_flowed(line, CLAIM_LINE, room) for line in claim.lines]
    return [*flowables, Spacer(0, 8)]


def _title(claim: Claim, room: float) -> Flowed:
    """At the largest size at which it takes three lines and every word fits into one; broken inside of words where
    even the smallest is too large."""
    for size in TITLE_SIZES:
        title = _title_of(claim, size)
        lines = round(title.wrap(room, 10_000)[1] / title.style.leading)
        widest = max((text_width(word, size, bold=True) for word in claim.text.split()), default=0.0)
        if lines <= TITLE_LINES and widest <= room:
            return title
    return _title_of(claim, TITLE_SIZES[-1], wordWrap="CJK")


def _title_of(claim: Claim, size: float, **settings: object) -> Flowed:
    style = ParagraphStyle("claim", CLAIM_TITLE, fontSize=size, leading=size * 1.3, **settings)
    return Flowed("".join(map(_coloured, claim.title)), style)


def _coloured(run: Run) -> str:
    return f'<font color="#{ROLE_COLOURS[run.role].hexval()[2:]}">{_markup(run.text)}</font>'


def _markup(text: str) -> str:
    return escape(text).replace("\n", "<br/>")


def columns_flowables(block: TextColumns, guard: GlyphGuard, room: float = BODY_WIDTH) -> list[Flowable]:
    """Columns of equal width, each under a rule of its tone."""
    columns = guard.whole(block).columns
    across = (room - COLUMN_GAP * (len(columns) - 1)) / len(columns)
    cells: list[str | list[Flowed]] = []
    widths: list[float] = []
    style: list[tuple[object, ...]] = [*_CLOSE, ("TOPPADDING", (0, 0), (-1, -1), 6)]
    for column in columns:
        if cells:
            cells.append("")
            widths.append(COLUMN_GAP)
        index = len(cells)
        style.append(("LINEABOVE", (index, 0), (index, 0), 1.6, _RULES[column.tone], BUTT))
        cells.append(_column(column, across))
        widths.append(across)
    return [Spacer(0, 6), PagedTable([cells], colWidths=widths, hAlign="LEFT", style=style), Spacer(0, 10)]


def _column(column: TextColumn, room: float) -> list[Flowed]:
    return [
        _flowed(column.heading, COLUMN_HEADING, room),
        *(_flowed(paragraph, COLUMN_BODY, room) for paragraph in column.paragraphs),
    ]


def _flowed(text: str, style: ParagraphStyle, room: float) -> Flowed:
    """A paragraph, broken inside of words only where one of them is wider than `room`."""
    if any(text_width(word, style.fontSize, bold=style.fontName == BOLD) > room for word in text.split()):
        style = ParagraphStyle("broken", style, wordWrap="CJK")
    return Flowed(_markup(text), style)


def next_flowables(block: NextBox, guard: GlyphGuard, edge: Color, width: float = BODY_WIDTH) -> list[Flowable]:
    room = width - BOX_LEFT - BOX_RIGHT
    rows: list[list[Flowable]] = [[_flowed(guard.text(sentence), CLAIM_LINE, room)] for sentence in block.sentences]
    if block.command:
        lines = broken(guard.text(block.command, code=True), room)
        rows.append([Flowed("<br/>".join(map(escape, lines)), CODE_STYLE)])
    style_of_box: list[tuple[object, ...]] = [
        *_CLOSE,
        ("BACKGROUND", (0, 0), (-1, -1), NEXT_TINT),
        ("LINEBEFORE", (0, 0), (0, -1), 4, edge, BUTT),
        ("LEFTPADDING", (0, 0), (-1, -1), BOX_LEFT),
        ("RIGHTPADDING", (0, 0), (-1, -1), BOX_RIGHT),
        ("TOPPADDING", (0, 0), (-1, 0), 7),
        ("BOTTOMPADDING", (0, -1), (-1, -1), 9),
    ]
    return [PagedTable(rows, colWidths=[width], hAlign="LEFT", style=style_of_box), Spacer(0, 10)]


_CLOSE: tuple[tuple[object, ...], ...] = (
    ("FONTNAME", (0, 0), (-1, -1), REGULAR),
    ("VALIGN", (0, 0), (-1, -1), "TOP"),
    ("LEFTPADDING", (0, 0), (-1, -1), 0),
    ("RIGHTPADDING", (0, 0), (-1, -1), 0),
    ("TOPPADDING", (0, 0), (-1, -1), 0),
    ("BOTTOMPADDING", (0, 0), (-1, -1), 2),
)
