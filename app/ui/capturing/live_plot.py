"""One row of the live charts: what is drawn, the plot, and the last values with their units."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.domain.series import SeriesInfo
from app.ui.charts.canvas import ChartCanvas
from app.ui.charts.gestures import Gestures
from app.ui.charts.lines import ChartLine
from app.ui.charts.row_panels import font_of, lines_that_fit
from app.ui.charts.value_ticks import unit_text
from app.ui.look.fonts import BODY_PX, SMALL_PX
from app.ui.look.formats import DASH, format_value
from app.ui.look.language import text
from app.ui.look.theme import current_theme

SMALLEST_PX = 56
_LINE_PX = 17
_TOP_PX = 6


def short_value(value: float) -> str:
    """Four digits; millions and more are cut to M, G, T, as at the axis."""
    for size, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M")):
        if abs(value) >= size:
            return format_value(value / size) + letter
    return format_value(value)


class PlotRow(QWidget):
    LEFT_PX = 128
    RIGHT_PX = 104

    def __init__(self, infos: Sequence[SeriesInfo]) -> None:
        super().__init__()
        colours = current_theme().series
        self.lines = [
            ChartLine(info.id, info.label, unit_text(info.unit), colours[place % len(colours)])
            for place, info in enumerate(infos)
        ]
        self.canvas = ChartCanvas(self)
        Gestures(self.canvas)
        units = {line.unit for line in self.lines}
        self.canvas.unit = units.pop() if len(units) == 1 else ""
        self._values: dict[int, float] = {}
        row = QHBoxLayout(self)
        row.setContentsMargins(self.LEFT_PX, 0, self.RIGHT_PX, 1)
        row.addWidget(self.canvas)
        self.canvas.setAccessibleName(", ".join(f"{line.name} {line.unit}".strip() for line in self.lines))
        self.setMinimumHeight(SMALLEST_PX)
        self.setToolTip(self.canvas.accessibleName())

    def sizeHint(self) -> QSize:
        return QSize(600, 96)

    def show_values(self, readings: Mapping[int, tuple[int, float]]) -> None:
        """Series id -> (time, value)."""
        values = {key: value for key, (_time, value) in readings.items()}
        self.canvas.show_dots(readings)
        if values != self._values:
            self._values = values
            words = [f"{line.name} {self.value_words(line)}" for line in self.lines]
            self.setAccessibleDescription(", ".join(words))
            self.update()

    def value_words(self, line: ChartLine) -> str:
        value = self._values.get(line.key)
        return DASH if value is None else f"{short_value(value)} {line.unit}".strip()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        theme = current_theme()
        painter.fillRect(self.rect(), theme.surface)
        painter.fillRect(0, self.height() - 1, self.width(), 1, theme.border)
        most = lines_that_fit(self.height(), len(self.lines), note=False)
        for number, line in enumerate(self.lines[:most]):
            self._paint_line(painter, line, _TOP_PX + number * _LINE_PX)
        rest = len(self.lines) - most
        if rest:
            painter.setFont(font_of(self, SMALL_PX))
            painter.setPen(theme.muted)
            box = QRectF(10, _TOP_PX + most * _LINE_PX, self.LEFT_PX - 10, 16)
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, text("ui.timeline.row.more", n=rest))
        painter.end()

    def _paint_line(self, painter: QPainter, line: ChartLine, top: float) -> None:
        theme = current_theme()
        painter.setPen(QPen(line.colour, 2))
        painter.drawLine(10, round(top + 8), 20, round(top + 8))
        painter.setFont(font_of(self, SMALL_PX, bold=True))
        painter.setPen(theme.text)
        room = self.LEFT_PX - 26
        shown = painter.fontMetrics().elidedText(line.name, Qt.TextElideMode.ElideMiddle, room)
        painter.drawText(QRectF(26, top, room, 16), Qt.AlignmentFlag.AlignVCenter, shown)
        painter.setFont(font_of(self, BODY_PX, bold=True))
        painter.setPen(line.colour)
        box = QRectF(self.width() - self.RIGHT_PX, top, self.RIGHT_PX - 10, 16)
        painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, self.value_words(line))
