"""Assumed growth drawn from today to the limit: one curve per rate, none of them a forecast."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.ui.look.fonts import SMALL_PX
from app.ui.look.language import text
from app.ui.look.painting import font_of
from app.ui.look.theme import current_theme
from app.usecases.capacity.outlook import Scenario

_POINTS = 40
_MOST_YEARS = 15.0
_LINE_PX = 14


class ScenarioChart(QWidget):
    """Dotted, since they are assumptions; where a curve ends at the limit stands its year."""

    def __init__(self) -> None:
        super().__init__()
        self.now = self.limit = 0.0
        self.scenarios: tuple[Scenario, ...] = ()
        self.setMinimumWidth(150)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)

    def sizeHint(self) -> QSize:
        return QSize(220, 76)

    def show_scenarios(self, now: float, limit: float, scenarios: Sequence[Scenario]) -> None:
        """Those that never reach the limit are not drawn; nor is anything where it is reached already."""
        self.now, self.limit = now, limit
        self.scenarios = tuple(each for each in scenarios if each.years and now < limit)
        self.update()

    @property
    def years(self) -> float:
        """At the right edge."""
        return min(max((each.years or 0 for each in self.scenarios), default=1.0) * 1.08, _MOST_YEARS)

    def paintEvent(self, _event: QPaintEvent) -> None:
        if not self.scenarios:
            return
        painter, theme = QPainter(self), current_theme()
        painter.setFont(font_of(self, SMALL_PX))
        area = QRectF(2, 6, self.width() - 6, self.height() - _LINE_PX - 10)
        painter.setPen(QPen(theme.critical, 1.2))
        painter.drawLine(area.topLeft(), area.topRight())
        painter.setPen(QPen(theme.border, 1))
        painter.drawLine(area.bottomLeft(), area.bottomRight())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for scenario in self.scenarios:
            self._paint_curve(painter, area, scenario)
        self._paint_years(painter, area)
        painter.end()

    def _paint_curve(self, painter: QPainter, area: QRectF, scenario: Scenario) -> None:
        assert scenario.years is not None
        until = min(scenario.years, self.years)
        points = []
        for place in range(_POINTS + 1):
            year = until * place / _POINTS
            share = (self.now * (1 + scenario.growth) ** year - self.now) / (self.limit - self.now)
            x = area.left() + year / self.years * area.width()
            points.append(QPointF(x, area.bottom() - share * area.height()))
        painter.setPen(QPen(current_theme().text, 1.2, Qt.PenStyle.DotLine))
        painter.drawPolyline(QPolygonF(points))
        if scenario.years <= self.years:
            painter.setPen(QPen(current_theme().critical, 1.2))
            painter.drawEllipse(points[-1], 2.4, 2.4)

    def _paint_years(self, painter: QPainter, area: QRectF) -> None:
        """Years of the curves' ends along the axis, as many as fit."""
        painter.setPen(current_theme().muted)
        free_from = area.left()
        for scenario in sorted(self.scenarios, key=lambda each: each.years or 0):
            words = text("ui.capacity.growth.span", years=f"{scenario.years:.1f}")
            width = painter.fontMetrics().horizontalAdvance(words) + 4
            x = area.left() + (scenario.years or 0) / self.years * area.width()
            left = min(x - width / 2, area.right() - width)
            if scenario.years is not None and scenario.years <= self.years and left >= free_from:
                painter.drawText(QRectF(left, area.bottom() + 2, width, _LINE_PX), Qt.AlignmentFlag.AlignCenter, words)
                free_from = left + width + 4
