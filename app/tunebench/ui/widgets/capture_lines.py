"""Lines of a capture exactly as they stand there, the one in question marked; and all of them as one bar: data, header,
blank, skipped."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPaintEvent
from PySide6.QtWidgets import QScrollArea, QSizePolicy, QWidget

from tunebench.columns.formats import format_count
from tunebench.domain.ledger import LineCounts
from tunebench.ui.look import fonts
from tunebench.ui.look.language import text
from tunebench.ui.look.painting import RIGHT, painter_on, write
from tunebench.ui.look.theme import SPACE_S, Theme, current_theme

LINE_HEIGHT = 18
PARTS = ("data", "header", "blank", "skipped")


class _Sheet(QWidget):
    def __init__(self, first: int, lines: Sequence[str], marked: int) -> None:
        super().__init__()
        self._first, self._lines, self._marked = first, [line.expandtabs(8) for line in lines], marked
        self._font = fonts.code_font(11)
        metrics = QFontMetrics(self._font)
        self._number_width = metrics.horizontalAdvance(str(first + len(lines))) + 2 * SPACE_S
        widest = max((metrics.horizontalAdvance(line) for line in self._lines), default=0)
        self.setFixedHeight(LINE_HEIGHT * len(self._lines))
        self.setMinimumWidth(self._number_width + widest + 2 * SPACE_S)
        self.setAccessibleName("\n".join(self._lines))

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = current_theme(), painter_on(self, "background")
        painter.setFont(self._font)
        for at, words in enumerate(self._lines):
            number, top = self._first + at, at * LINE_HEIGHT
            if number == self._marked:
                painter.fillRect(0, top, self.width(), LINE_HEIGHT, theme.tint(theme.accent, 0.18))
                painter.fillRect(0, top, 3, LINE_HEIGHT, theme.accent)
            numbers = QRect(SPACE_S // 2, top, self._number_width - SPACE_S, LINE_HEIGHT)
            write(painter, numbers, str(number), theme.muted, RIGHT)
            room = QRect(self._number_width + SPACE_S // 2, top, self.width(), LINE_HEIGHT)
            write(painter, room, words, theme.text if number == self._marked else theme.muted)


class CaptureLines(QScrollArea):
    """Scrolls sideways: a line of a capture is never wrapped or cut."""

    def __init__(self, first: int, lines: Sequence[str], marked: int) -> None:
        super().__init__()
        self._sheet = _Sheet(first, lines, marked)
        self.setWidget(self._sheet)
        self.setWidgetResizable(True)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(text("ui.evidence.lines"))
        self.lines = tuple(lines)
        self.marked = marked

    def sizeHint(self) -> QSize:
        return QSize(200, self._sheet.height() + 12)


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
        theme, painter = current_theme(), painter_on(self, "pressed")
        left = 0.0
        for part, width in zip(PARTS, self.widths(self.width()), strict=True):
            painter.fillRect(QRectF(left, 0, width, self.height()), part_colour(theme, part))
            left += width
