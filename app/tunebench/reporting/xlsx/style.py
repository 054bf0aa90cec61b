"""Named styles, number formats and column widths of the workbook."""

from __future__ import annotations

import unicodedata
from math import ceil, isfinite

from openpyxl import Workbook
from openpyxl.styles import Alignment, Border, Font, NamedStyle, PatternFill, Side

from tunebench.core.patterns import lazy_pattern

FACE = "맑은 고딕"
INK, MUTED, RULE, SHADE, HEAD = "1B1F24", "57606A", "D9DEE5", "EFF2F5", "26323D"
BEFORE, AFTER, TINT, BAD = "B4531A", "1F6FB2", "DCE9F5", "B42318"

INTEGER, SECONDS, RATE, CLOCK, MOMENT = "#,##0", "#,##0.000", "0.0%", "[hh]:mm:ss", "yyyy-mm-dd hh:mm:ss"
MIN_WIDTH, MAX_WIDTH = 8, 60
_FIGURE_MARGIN = 2.5
_DECIMALS = lazy_pattern(r"\.([0#]+)")


def register_styles(book: Workbook) -> None:
    """Adds the styles to `book`, so that a consultant can restyle a whole workbook at once."""
    line = Border(bottom=Side(style="thin", color=RULE))
    strong = Border(top=Side(style="thin", color=MUTED), bottom=Side(style="medium", color=MUTED))
    top = Alignment(horizontal="left", vertical="top", indent=1)
    wrapped = Alignment(horizontal="left", vertical="top", wrap_text=True, indent=1)
    right = Alignment(horizontal="right", vertical="top")
    head = Alignment(horizontal="left", vertical="center", wrap_text=True, indent=1)
    head_right = Alignment(horizontal="right", vertical="center", wrap_text=True)
    plain, bold = Font(name=FACE, size=10, color=INK), Font(name=FACE, size=10, bold=True, color=INK)
    muted, white = Font(name=FACE, size=10, color=MUTED), Font(name=FACE, size=10, bold=True, color="FFFFFF")
    heads, totals = (PatternFill("solid", fgColor=colour) for colour in (HEAD, SHADE))
    styles: tuple[tuple[str, Font, Alignment, dict[str, object]], ...] = (
        ("tb title", Font(name=FACE, size=16, bold=True, color=INK), Alignment(vertical="center"), {}),
        ("tb subtitle", muted, Alignment(vertical="top"), {}),
        ("tb header", white, head, {"fill": heads}),
        ("tb header number", white, head_right, {"fill": heads}),
        ("tb text", plain, wrapped, {"border": line}),
        ("tb code", Font(name="Consolas", size=9, color=INK), wrapped, {"border": line}),
        ("tb number", plain, right, {"border": line, "number_format": "General"}),
        ("tb integer", plain, right, {"border": line, "number_format": INTEGER}),
        ("tb seconds", plain, right, {"border": line, "number_format": SECONDS}),
        ("tb rate", plain, right, {"border": line, "number_format": RATE}),
        ("tb ratio", plain, right, {"border": line, "number_format": "0.0"}),
        ("tb clock", plain, right, {"border": line, "number_format": CLOCK}),
        ("tb moment", plain, top, {"border": line, "number_format": MOMENT}),
        ("tb label", muted, top, {"border": line}),
        ("tb total", bold, right, {"border": strong, "fill": totals}),
        ("tb total text", bold, top, {"border": strong, "fill": totals}),
        ("tb note", Font(name=FACE, size=9, color=MUTED), wrapped, {}),
        ("tb link", Font(name=FACE, size=10, color=AFTER, underline="single"), top, {"border": line}),
    )
    for name, font, alignment, more in styles:
        book.add_named_style(NamedStyle(name, font=font, alignment=alignment, **more))


def shown_width(text: str) -> float:
    """Characters that the longest line takes: Hangul and other wide letters count two."""
    return max(
        (sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in line) for line in text.split("\n")),
        default=0,
    )


def fitted_width(texts: list[str]) -> float:
    return min(max([shown_width(text) + 3.5 for text in texts] + [MIN_WIDTH]), MAX_WIDTH)


def figure_width(value: float, number_format: str) -> float:
    """Characters that a figure takes in a number format; 0 for moments, whose columns have a width."""
    if number_format == "General" or not set(number_format).isdisjoint("yh") or not isfinite(value):
        return 0.0  # a program shortens by itself what has no format
    decimals = _DECIMALS.search(number_format.rpartition(";")[2])
    size = value * 100 if "%" in number_format else value
    return len(f"{size:,.{len(decimals[1]) if decimals else 0}f}") + _FIGURE_MARGIN + number_format.count("%")


LINE_HEIGHT_PT = 14.0
LONG_TEXT_WIDTH = 40
"""In a column wider than this stand sentences, which break at words."""


def wrapped_lines(text: str, width: float) -> int:
    """Lines a wrapped cell of this width needs, on the safe side: words break early, and the indent takes room."""
    room = max((width - 3) * (0.92 if width > LONG_TEXT_WIDTH else 1.0), 4)
    return sum(max(ceil(shown_width(line) / room), 1) for line in text.split("\n"))
