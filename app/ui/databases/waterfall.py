"""From DB time before to DB time after: bars below each other, each from where the one above it ends."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QFontMetricsF, QHelpEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from app.reporting.document import WaterfallRow
from app.ui.look.fonts import SMALL_PX
from app.ui.look.language import text
from app.ui.look.painting import font_of
from app.ui.look.theme import current_theme

ROW_PX, BAR_PX, GAP_PX, EDGE_PX = 17, 11, 8, 8
WIDEST_LABEL_PX = 300


class WaterfallBars(QWidget):
    """The same rows as in the report; more time is hatched, less is solid: no colour says better or worse."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: tuple[WaterfallRow, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_rows(self, rows: Sequence[WaterfallRow]) -> None:
        self.rows = tuple(rows)
        self.setAccessibleName(text("ui.profile.tab.explained"))
        self.setAccessibleDescription("\n".join(_words(row) for row in self.rows))
        self.setVisible(bool(self.rows))
        self.setFixedHeight(ROW_PX * len(self.rows) + GAP_PX)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(300, ROW_PX * len(self.rows) + GAP_PX)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(font_of(self, SMALL_PX))
        metrics = QFontMetricsF(painter.font())
        left = min(max((metrics.horizontalAdvance(row.label) for row in self.rows), default=0.0), WIDEST_LABEL_PX)
        right = max((metrics.horizontalAdvance(row.text) for row in self.rows), default=0.0)
        room = QRectF(left + GAP_PX, 0, max(self.width() - left - right - 3 * GAP_PX, 20), self.height())
        ends = [end for row in self.rows for end in (row.start, row.end)]
        least = min((0.0, *ends))
        scale = room.width() / ((max((0.0, *ends)) - least) or 1.0)
        for number, row in enumerate(self.rows):
            across = [room.left() + (value - least) * scale for value in (row.start, row.end)]
            label = metrics.elidedText(row.label, Qt.TextElideMode.ElideMiddle, left)
            self._paint_row(painter, row, label, number * ROW_PX, across)
        painter.end()

    def _paint_row(self, painter: QPainter, row: WaterfallRow, label: str, top: float, across: Sequence[float]) -> None:
        theme, middle = current_theme(), Qt.AlignmentFlag.AlignVCenter
        painter.setPen(theme.text)
        painter.drawText(QRectF(0, top, WIDEST_LABEL_PX + GAP_PX, ROW_PX), middle, label)
        bar = QRectF(min(across), top + (ROW_PX - BAR_PX) / 2, max(abs(across[1] - across[0]), 1.0), BAR_PX)
        pattern = Qt.BrushStyle.BDiagPattern if row.end > row.start and not row.whole else Qt.BrushStyle.SolidPattern
        painter.fillRect(bar, QBrush(theme.muted if row.whole else theme.after, pattern))
        painter.drawText(QRectF(bar.right() + 4, top, self.width() - bar.right() - 4, ROW_PX), middle, row.text)
        painter.setPen(theme.border)
        painter.drawLine(QPointF(across[1], bar.bottom()), QPointF(across[1], bar.bottom() + ROW_PX - BAR_PX))

    def words_at(self, place: QPointF) -> str:
        number = int(place.y() // ROW_PX)
        return _words(self.rows[number]) if 0 <= number < len(self.rows) else ""

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self.words_at(QPointF(event.pos())), self)
            return True
        return super().event(event)


def _words(row: WaterfallRow) -> str:
    return f"{row.label}: {row.text}"
