"""Sizes, colours and paragraph styles of the printed document. Reports are always light."""

from __future__ import annotations

from collections.abc import Mapping

from reportlab.lib.colors import Color, HexColor, white
from reportlab.lib.enums import TA_LEFT, TA_RIGHT
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm

from tunebench.core.records import record
from tunebench.reporting.look import Look
from tunebench.reporting.pdf.fonts import BOLD, CODE, REGULAR

PAGE_WIDTH, PAGE_HEIGHT = A4
MARGIN = 18 * mm
BOTTOM_MARGIN = 20 * mm
BODY_WIDTH = PAGE_WIDTH - 2 * MARGIN
BODY_HEIGHT = PAGE_HEIGHT - MARGIN - BOTTOM_MARGIN

INK = HexColor("#1B1F24")
MUTED = HexColor("#57606A")
RULE = HexColor("#D9DEE5")
STRONG_RULE = HexColor("#7B8794")
SHADE = HexColor("#EFF2F5")
GRID = HexColor("#E3E7EC")
ACCENT = HexColor("#0F6B66")
BEFORE = HexColor("#B4531A")
BEFORE_TINT = HexColor("#F7E4D9")
AFTER = HexColor("#1F6FB2")
AFTER_TINT = HexColor("#DCE9F5")
WARNING = HexColor("#A84A08")
WARNING_TINT = HexColor("#FBF1E7")
BAD = HexColor("#B42318")
MIDDLE = HexColor("#8A6C3B")
BETTER = HexColor("#2A8C6A")
DOT = HexColor("#7B8794")
PALE = HexColor("#E9EDF1")
BAR = HexColor("#A9B7C6")
SECOND_BAR = HexColor("#D3D9E1")
SECOND_BEST = HexColor("#4B5563")
NEXT_TINT = HexColor("#EDF4F3")
WHITE: Color = white


def _style(name: str, size: float, leading: float, **settings: object) -> ParagraphStyle:
    base: dict[str, object] = {"fontName": REGULAR, "textColor": INK, "alignment": TA_LEFT}
    return ParagraphStyle(name, fontSize=size, leading=leading, **(base | settings))


BODY = _style("body", 9.6, 15.4, spaceAfter=5)
MUTED_BODY = _style("muted", 8.6, 13, textColor=MUTED, spaceAfter=4)
HEADING = {
    1: _style("h1", 15, 20, fontName=BOLD, spaceBefore=15, spaceAfter=7),
    2: _style("h2", 12, 16, fontName=BOLD, spaceBefore=10, spaceAfter=5),
    3: _style("h3", 10, 14, fontName=BOLD, spaceBefore=9, spaceAfter=3),
}
CAPTION = _style("caption", 8.2, 11.5, fontName=BOLD, spaceBefore=4, spaceAfter=3)
FIGURE_CAPTION = _style("figure", 7.8, 11, textColor=MUTED, spaceBefore=3, spaceAfter=8)
SMALL = _style("small", 7.4, 10.4, textColor=MUTED, spaceBefore=2.5)
CLAIM_QUESTION = _style("question", 10.6, 15, textColor=MUTED, spaceAfter=2)
CLAIM_TITLE = _style("claim", 20, 26, fontName=BOLD)
CLAIM_LINE = _style("claim line", 10.6, 15.6)
COLUMN_HEADING = _style("column heading", 10, 14, fontName=BOLD, spaceAfter=3)
COLUMN_BODY = _style("column", 9.4, 14.2, spaceAfter=3)
KICKER = _style("kicker", 10.5, 14, fontName=BOLD, textColor=ACCENT)
TITLE = _style("title", 26, 35, fontName=BOLD)
SUBTITLE = _style("subtitle", 12.5, 18, textColor=MUTED)
CODE_STYLE = _style("code", 7.6, 10.6, fontName=CODE)
CONTENTS = [_style("toc1", 9.4, 15.6, rightIndent=20), _style("toc2", 9, 15, leftIndent=12, rightIndent=20)]


def cell_style(size: float, *, bold: bool = False, right: bool = False, muted: bool = False) -> ParagraphStyle:
    return _style(
        "cell",
        size,
        size * 1.36,
        fontName=BOLD if bold else REGULAR,
        alignment=TA_RIGHT if right else TA_LEFT,
        textColor=MUTED if muted else INK,
    )


@record
class HouseColours:
    """The colours of a house, and the styles of heads that have them; what tells good from bad keeps its own."""

    accent: Color
    kicker: ParagraphStyle
    headings: Mapping[int, ParagraphStyle]

    @classmethod
    def of(cls, look: Look) -> HouseColours:
        accent = HexColor(look.accent) if look.accent else ACCENT
        second = HexColor(look.second) if look.second else INK
        headings = {level: ParagraphStyle(style.name, style, textColor=second) for level, style in HEADING.items()}
        return cls(accent, ParagraphStyle(KICKER.name, KICKER, textColor=accent), headings)
