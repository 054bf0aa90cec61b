"""The first page."""

from __future__ import annotations

from io import BytesIO
from typing import Any
from xml.sax.saxutils import escape

from reportlab.lib.enums import TA_CENTER
from reportlab.lib.styles import ParagraphStyle
from reportlab.platypus import Flowable, HRFlowable, Image, Spacer
from reportlab.platypus import Paragraph as Flowed
from reportlab.platypus import Table as Grid

from tunebench.reporting.document import Cover, Table
from tunebench.reporting.look import Look, fitted_size
from tunebench.reporting.pdf.fonts import REGULAR, GlyphGuard
from tunebench.reporting.pdf.style import (
    BODY_HEIGHT,
    BODY_WIDTH,
    CAPTION,
    MUTED,
    RULE,
    SHADE,
    SMALL,
    STRONG_RULE,
    SUBTITLE,
    TITLE,
    HouseColours,
    cell_style,
)
from tunebench.reporting.pdf.table import PagedTable, table_flowable

LABEL_WIDTH = 104.0
SIGN_LABEL_WIDTH = 62.0
LOGO_ROOM = (190.0, 54.0)
"""Points that the logo has on the cover."""
_ABOVE = 92.0


class Bottom(Flowable):  # type: ignore[misc]  # reportlab has no types
    """Sets its content at the foot of the frame, whatever stands above; what no page holds flows over several."""

    def __init__(self, content: list[Any]) -> None:
        super().__init__()
        self._content = content
        self._heights: list[float] = []

    def wrap(self, available_width: float, available_height: float) -> tuple[float, float]:
        self._heights = [item.wrapOn(self.canv, available_width, available_height)[1] for item in self._content]
        needed = sum(self._heights)
        self.height = max(available_height - 1, needed)
        return available_width, self.height

    def split(self, available_width: float, available_height: float) -> list[Any]:
        return self._content if self.height > BODY_HEIGHT else []

    def draw(self) -> None:
        base = sum(self._heights)
        for item, height in zip(self._content, self._heights, strict=True):
            base -= height
            item.drawOn(self.canv, 0, base)


def cover_flowables(block: Cover, guard: GlyphGuard, look: Look) -> list[Any]:
    cover, colours = guard.whole(block), HouseColours.of(look)

    def flowed(text: str, style: Any) -> Flowed:
        return Flowed(escape(text), style)

    return [
        *_logo(look),
        flowed(cover.kicker, colours.kicker),
        Spacer(0, 8),
        flowed(cover.title, TITLE),
        Spacer(0, 6),
        flowed(cover.subtitle, SUBTITLE),
        Spacer(0, 16),
        HRFlowable(width=72, thickness=3, color=colours.accent, hAlign="LEFT", spaceBefore=0, spaceAfter=26),
        _facts(cover.facts, 11.0),
        Bottom(
            [
                flowed(cover.control_title, CAPTION),
                Spacer(0, 3),
                _facts(cover.control, 8.8),
                Spacer(0, 16),
                *([flowed(cover.notice, cell_style(8.8)), Spacer(0, 12)] if cover.notice else []),
                *(_versions(cover.versions, guard) if cover.versions else []),
                *([flowed(cover.sign_title, CAPTION), Spacer(0, 3), _sign_boxes(cover)] if cover.sign_boxes else []),
            ]
        ),
    ]


def _logo(look: Look) -> list[Flowable]:
    if not look.logo:
        return [Spacer(0, _ABOVE)]
    across, down = fitted_size(look.logo, *LOGO_ROOM)
    return [Image(BytesIO(look.logo), across, down, hAlign="LEFT"), Spacer(0, _ABOVE - down)]


def _versions(table: Table, guard: GlyphGuard) -> list[Flowable]:
    notes = [Flowed(escape(note), SMALL) for note in table.notes]
    return [Flowed(escape(table.caption), CAPTION), Spacer(0, 3), table_flowable(table, guard), *notes, Spacer(0, 12)]


def _facts(facts: tuple[tuple[str, str], ...], size: float) -> PagedTable:
    rows = [
        [Flowed(escape(name), cell_style(size, muted=True)), Flowed(escape(value), cell_style(size))]
        for name, value in facts
    ]
    room = size * 0.34
    style = (
        ("FONTNAME", (0, 0), (-1, -1), REGULAR),
        ("LINEBELOW", (0, 0), (-1, -1), 0.4, RULE),
        ("LINEABOVE", (0, 0), (-1, 0), 0.8, STRONG_RULE),
        ("LINEBELOW", (0, -1), (-1, -1), 0.8, STRONG_RULE),
        ("VALIGN", (0, 0), (-1, -1), "TOP"),
        ("LEFTPADDING", (0, 0), (-1, -1), 4),
        ("TOPPADDING", (0, 0), (-1, -1), room),
        ("BOTTOMPADDING", (0, 0), (-1, -1), room + 2),
    )
    return PagedTable(rows, colWidths=[LABEL_WIDTH, BODY_WIDTH - LABEL_WIDTH], hAlign="LEFT", style=style)


def _sign_boxes(cover: Cover) -> Grid:
    """A column per role; name, date and signature are left to be written by hand where they are not given."""
    count = len(cover.sign_boxes)
    names = [Flowed(escape(name), cell_style(8.6)) for name in cover.sign_names or ("",) * count]
    rows = [
        ["", *(Flowed(f"<b>{escape(role)}</b>", _ROLE) for role in cover.sign_boxes)],
        [cover.sign_lines[0], *names],
        *([line, *([""] * count)] for line in cover.sign_lines[1:]),
    ]
    box_width = (BODY_WIDTH - SIGN_LABEL_WIDTH) / count
    heights = [None, None] + [21.0] * (len(cover.sign_lines) - 2) + [38.0]
    widths = [SIGN_LABEL_WIDTH, *([box_width] * count)]
    style = (
        ("FONT", (0, 0), (-1, -1), REGULAR, 8.6, 12),
        ("BACKGROUND", (0, 0), (-1, 0), SHADE),
        ("TEXTCOLOR", (0, 1), (0, -1), MUTED),
        ("GRID", (0, 0), (-1, -1), 0.5, STRONG_RULE),
        ("VALIGN", (0, 0), (-1, -1), "MIDDLE"),
    )
    return Grid(rows, colWidths=widths, rowHeights=heights, hAlign="LEFT", style=style)


_ROLE = ParagraphStyle("role", cell_style(8.6), alignment=TA_CENTER, wordWrap="CJK")
