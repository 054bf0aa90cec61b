"""How the columns of a comparison stand in the window."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtGui import QFont

from tunebench.columns.column import chosen
from tunebench.columns.comparing import COLUMNS, WINDOW

LARGE_PX = 15


@dataclass(frozen=True, slots=True)
class Look:
    """
    Attributes:
        width, widest: pixels; between these a column is as wide as its text.
    """

    width: int = 76
    widest: int = 150


LOOKS = {
    "verdict": Look(92, 158),
    "name": Look(140),
    "before.mean": Look(88),
    "after.mean": Look(88),
    "unit": Look(44),
    "ratio": Look(96),
    "estimate": Look(120, 190),
    "occurrences": Look(64),
    "variation": Look(96),
    "change": Look(72),
    "why": Look(420, 420),
    "before.n": Look(66),
    "after.n": Look(66),
    "device": Look(90),
    "host": Look(110),
    "metric": Look(200),
}
WINDOW_COLUMNS = chosen(COLUMNS, WINDOW)


def large(font: QFont | None) -> QFont:
    """The font of the ratio, which is read first."""
    larger = QFont() if font is None else QFont(font)
    larger.setPixelSize(LARGE_PX)
    return larger
