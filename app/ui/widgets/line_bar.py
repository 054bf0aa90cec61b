"""Every line of a capture as one bar: data, header, blank, skipped."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.domain.ledger import LineCounts
from app.ui.look.formats import format_count
from app.ui.look.language import text
from app.ui.look.theme import Theme, current_theme

PARTS = ("data", "header", "blank", "skipped")


def part_colour(theme: Theme, part: str) -> QColor:
    return {
        "data": theme.accent,
        "header": theme.tint(theme.accent, 0.45),
        "blank": theme.tint(theme.muted, 0.25),
        "skipped": theme.warning,
    }[part]


class LineBar(QWidget):
    """A part that is there at all is at least 2 px wide: one skipped line among a million shows."""

    def __init__(self) -> None:
        super().__init__()
        self._counts = LineCounts()
        self.setFixedHeight(8)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_counts(self, counts: LineCounts) -> None:
        self._counts = counts
        words = ", ".join(f"{text(f'ui.ledger.lines.{p}')} {format_count(getattr(counts, p))}" for p in PARTS)
        self.setAccessibleName(words)
        self.setToolTip(words)
        self.update()

    def widths(self, width: float) -> list[float]:
        """Width in px of each of `PARTS`; they add up to `width`."""
        counts = [getattr(self._counts, part) for part in PARTS]
        total = sum(counts)
        if not total:
            return [0.0] * len(PARTS)
        least = [max(2.0, width * c / total) if c else 0.0 for c in counts]
        widest = least.index(max(least))
        least[widest] -= sum(least) - width
        return least

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        theme = current_theme()
        painter.fillRect(self.rect(), theme.pressed)
        left = 0.0
        for part, width in zip(PARTS, self.widths(self.width()), strict=True):
            painter.fillRect(QRectF(left, 0, width, self.height()), part_colour(theme, part))
            left += width
