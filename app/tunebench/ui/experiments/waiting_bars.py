"""Where the elapsed time of a command went: computing, in the kernel, and waiting; each with a pattern of its own."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from tunebench.analysis.experiments.figures import Waiting
from tunebench.columns.formats import rounded_text
from tunebench.ui.look.language import text
from tunebench.ui.look.painting import write
from tunebench.ui.look.theme import SPACE_S, current_theme
from tunebench.ui.widgets.exhibit import Exhibited
from tunebench.usecases.experiments.result_columns import WaitingRow

ROW_PX, LEGEND_PX, BAR_PX = 26, 24, 14
PARTS = ("user", "sys", "wait")
PATTERNS = {"user": Qt.BrushStyle.SolidPattern, "sys": Qt.BrushStyle.Dense4Pattern, "wait": Qt.BrushStyle.BDiagPattern}


class WaitingBars(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self._rows: tuple[WaitingRow, ...] = ()
        Exhibited(self)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_rows(self, rows: Sequence[WaitingRow]) -> None:
        self._rows = tuple(rows)
        bars = "; ".join(f"{row.name}: {_beside(row.waiting)}" for row in rows)
        self.setAccessibleName(text("ui.experiments.chart.waiting", rows=bars))
        self.setMinimumHeight(self.sizeHint().height())
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(420, LEGEND_PX + len(self._rows) * ROW_PX)

    def paintEvent(self, _event: QPaintEvent) -> None:
        if not self._rows:
            return
        painter = QPainter(self)
        metrics = self.fontMetrics()
        self._draw_legend(painter)
        left = min(max(metrics.horizontalAdvance(row.name) for row in self._rows) + SPACE_S, int(self.width() * 0.34))
        beside = max(metrics.horizontalAdvance(_beside(row.waiting)) for row in self._rows) + SPACE_S
        room = max(self.width() - left - beside - SPACE_S, 60)
        longest = max(sum(seconds for _part, seconds in _stack(row.waiting)) for row in self._rows) or 1.0
        for index, row in enumerate(self._rows):
            top = LEGEND_PX + index * ROW_PX
            shown = metrics.elidedText(row.name, Qt.TextElideMode.ElideMiddle, left - SPACE_S)
            write(painter, QRectF(0, top, left - SPACE_S, ROW_PX), shown, current_theme().text)
            x = float(left)
            for part, seconds in _stack(row.waiting):
                wide = room * seconds / longest
                _draw_part(painter, QRectF(x, top + (ROW_PX - BAR_PX) / 2, wide, BAR_PX), part)
                x += wide
            beyond = QRectF(x + SPACE_S, top, self.width() - x, ROW_PX)
            write(painter, beyond, _beside(row.waiting), current_theme().text)

    def _draw_legend(self, painter: QPainter) -> None:
        x = 0.0
        for part in PARTS:
            words = text(f"ui.experiments.waiting.{part}")
            _draw_part(painter, QRectF(x, 4, BAR_PX, BAR_PX), part)
            wide = self.fontMetrics().horizontalAdvance(words)
            write(painter, QRectF(x + BAR_PX + 4, 2, wide + 4, 18), words, current_theme().text)
            x += BAR_PX + wide + 24


def _stack(waiting: Waiting) -> list[tuple[str, float]]:
    parts = [("user", waiting.user_s), ("sys", waiting.sys_s)]
    return [*parts, ("wait", waiting.wait_s)] if waiting.wait_s is not None else parts


def _beside(waiting: Waiting) -> str:
    if waiting.wait_s is None or waiting.share is None:
        return text("ui.experiments.waiting.parallel", real=rounded_text(waiting.real_s))
    return text(
        "ui.experiments.waiting.share",
        wait=rounded_text(waiting.wait_s),
        real=rounded_text(waiting.real_s),
        share=f"{100 * waiting.share:.0f}",
    )


def _draw_part(painter: QPainter, at: QRectF, part: str) -> None:
    theme = current_theme()
    colour: QColor = {"user": theme.accent, "sys": theme.before, "wait": theme.muted}[part]
    painter.fillRect(at, QBrush(colour, PATTERNS[part]))
    painter.setPen(QPen(colour, 1))
    painter.drawRect(at)
