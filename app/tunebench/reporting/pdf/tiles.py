"""The conclusion of a page and its figures, large enough to be read across a table."""

from __future__ import annotations

from typing import Any
from xml.sax.saxutils import escape

from reportlab.lib.colors import Color
from reportlab.platypus import Paragraph as Flowed
from reportlab.platypus import Spacer, TableStyle
from reportlab.platypus import Table as Grid

from tunebench.reporting.document import Headline, Tile, Tiles, Tone
from tunebench.reporting.pdf.fonts import BOLD, GlyphGuard
from tunebench.reporting.pdf.style import (
    ACCENT,
    AFTER,
    BAD,
    BEFORE,
    BODY_WIDTH,
    HEADLINE,
    MUTED,
    SHADE,
    SMALL,
    STRONG_RULE,
    TILE_FIGURE,
    TILE_LABEL,
    WARNING,
)

ACROSS = 2
GAP = 8.0
TONES: dict[Tone, Color] = {Tone.STRONG: ACCENT, Tone.BAD: BAD, Tone.WARNING: WARNING, Tone.PLAIN: MUTED}


def headline_flowables(block: Headline, guard: GlyphGuard) -> list[Any]:
    table = Grid([[Flowed(escape(guard.text(block.text)), HEADLINE)]], colWidths=[BODY_WIDTH], hAlign="LEFT")
    table.setStyle(
        TableStyle(
            [
                ("LINEBEFORE", (0, 0), (0, -1), 4, TONES[block.tone]),
                ("LEFTPADDING", (0, 0), (-1, -1), 12),
                ("TOPPADDING", (0, 0), (-1, -1), 2),
                ("BOTTOMPADDING", (0, 0), (-1, -1), 6),
            ]
        )
    )
    return [Spacer(0, 4), table, Spacer(0, 10)]


def tiles_flowables(block: Tiles, guard: GlyphGuard) -> list[Any]:
    """The tiles, two beside each other."""
    shown: list[Any] = [_tile(guard.whole(tile)) for tile in block.tiles]
    shown += [""] * (-len(shown) % ACROSS)
    rows = [shown[at : at + ACROSS] for at in range(0, len(shown), ACROSS)]
    grid = Grid(rows, colWidths=[BODY_WIDTH / ACROSS] * ACROSS, hAlign="LEFT")
    grid.setStyle(
        TableStyle(
            [
                ("VALIGN", (0, 0), (-1, -1), "TOP"),
                ("LEFTPADDING", (0, 0), (0, -1), 0),
                ("RIGHTPADDING", (0, 0), (0, -1), GAP / 2),
                ("LEFTPADDING", (1, 0), (1, -1), GAP / 2),
                ("RIGHTPADDING", (1, 0), (1, -1), 0),
                ("TOPPADDING", (0, 0), (-1, -1), 0),
                ("BOTTOMPADDING", (0, 0), (-1, -1), GAP),
            ]
        )
    )
    return [grid, Spacer(0, 4)]


def _tile(tile: Tile) -> Grid:
    before, after, arrow = (f'<font color="#{colour.hexval()[2:]}">' for colour in (BEFORE, AFTER, MUTED))
    figures = f"{before}{escape(tile.before)}</font> {arrow}→</font> {after}{escape(tile.after)}</font>"
    tone = TONES[tile.tone]
    verdict = f'<font name="{BOLD}" color="#{tone.hexval()[2:]}">{escape(tile.verdict)}</font>'
    lines = [
        Flowed(escape(tile.label), TILE_LABEL),
        *(Flowed(escape(line), SMALL) for line in tile.place.splitlines()),
        Flowed(figures, TILE_FIGURE),
        Flowed(f"{escape(tile.goal)} &nbsp;·&nbsp; {verdict}", TILE_LABEL),
    ]
    table = Grid([[line] for line in lines], colWidths=[(BODY_WIDTH - GAP) / ACROSS], hAlign="LEFT")
    table.setStyle(
        TableStyle(
            [
                ("BACKGROUND", (0, 0), (-1, -1), SHADE),
                ("LINEABOVE", (0, 0), (-1, 0), 2, tone if tile.tone is not Tone.PLAIN else STRONG_RULE),
                ("LEFTPADDING", (0, 0), (-1, -1), 9),
                ("RIGHTPADDING", (0, 0), (-1, -1), 9),
                ("TOPPADDING", (0, 0), (-1, -1), 2),
                ("BOTTOMPADDING", (0, 0), (-1, -2), 1),
                ("TOPPADDING", (0, 0), (-1, 0), 7),
                ("BOTTOMPADDING", (0, -1), (-1, -1), 8),
            ]
        )
    )
    return table
