"""The one chart of the page: what was measured, the line, its band, the limit, and when they meet."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from app.analysis.capacity.daily import Ints
from app.analysis.capacity.line import Floats
from app.analysis.capacity.outcome import Forecast, Outcome, Remark
from app.ui.capacity.chart_frame import LABEL_PX, ChartFrame, frame_of, label_boxes, runs_of_days
from app.ui.charts.value_ticks import tick_text
from app.ui.look.fonts import SMALL_PX
from app.ui.look.language import language, text
from app.ui.look.painting import font_of
from app.ui.look.theme import SPACE_XL, current_theme
from app.usecases.capacity.outlook import Outlook, day_of
from app.usecases.capacity.words import quantity, said_text, unit_words

_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 14, 44, 26
_DAY_PX = 72
_FAR = 10.0  # pictures above and below; a painter cannot draw to where compound growth may lead


@dataclass(frozen=True, slots=True)
class ChartPoint:
    """What is under the cursor; None where there is nothing of the kind on that day."""

    day: int
    value: float | None
    centre: float | None
    low: float | None
    high: float | None


class ForecastChart(QWidget):
    """Signals: `pointed` carries a `ChartPoint`, or None when the cursor leaves."""

    pointed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.outlook: Outlook | None = None
        self.frame: ChartFrame | None = None
        self.asks_limit = False
        self._day: int | None = None
        self.setMouseTracking(True)
        self.setMinimumSize(320, 180)

    def show_outlook(self, outlook: Outlook | None) -> None:
        self.outlook = outlook
        self.frame, self.asks_limit = None, False
        if outlook is not None:
            self.frame = frame_of(outlook.forecast, outlook.subject.info.unit, outlook.subject.ceiling)
        self._day = None
        self.update()

    def ask_limit(self) -> None:
        """Nothing is drawn, since nobody has said what counts."""
        self.show_outlook(None)
        self.asks_limit = True

    @property
    def area(self) -> QRectF:
        return QRectF(_LEFT, _TOP, max(self.width() - _LEFT - _RIGHT, 10), max(self.height() - _TOP - _BOTTOM, 10))

    # --- places
    def x_of(self, day: float) -> float:
        assert self.frame is not None
        return self.area.left() + self.frame.x_share(day) * self.area.width()

    def y_of(self, value: float) -> float:
        assert self.frame is not None
        return self.area.bottom() - self.frame.y_share(value) * self.area.height()

    def point_at(self, day: int) -> ChartPoint:
        assert self.outlook is not None
        found = self.outlook.forecast
        ahead = _place(found.future_days, day)
        measured, fitted = _place(found.days, day), _place(found.fitted_days, day)
        centre = found.centre[ahead] if ahead is not None else found.fitted[fitted] if fitted is not None else None
        return ChartPoint(
            day,
            None if measured is None else float(found.values[measured]),
            None if centre is None else float(centre),
            None if ahead is None else float(found.low[ahead]),
            None if ahead is None else float(found.high[ahead]),
        )

    # --- mouse
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.frame is None or not self.area.adjusted(-4, 0, 4, 0).contains(event.position()):
            self._leave()
            return
        share = (event.position().x() - self.area.left()) / self.area.width()
        day = self.frame.day_at(min(max(share, 0.0), 1.0))
        if day != self._day:
            self._day = day
            self.pointed.emit(self.point_at(day))
            self.update()

    def leaveEvent(self, _event: object) -> None:  # type: ignore[override]
        self._leave()

    def _leave(self) -> None:
        if self._day is not None:
            self._day = None
            self.pointed.emit(None)
            self.update()

    # --- painting
    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), current_theme().surface)
        painter.setFont(font_of(self, SMALL_PX))
        if self.asks_limit:
            painter.setPen(current_theme().muted)
            painter.drawText(self.area, Qt.AlignmentFlag.AlignCenter, text("ui.capacity.chart.ask"))
        if self.frame is not None and self.outlook is not None:
            found = self.outlook.forecast
            self._paint_ground(painter, self.outlook, self.frame)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.save()
            painter.setClipRect(self.area.adjusted(0, -1, 1, 1))
            self._paint_band(painter, found)
            self._paint_lines(painter, found)
            painter.restore()
            self._paint_history(painter, found)
            self._paint_limit(painter, self.outlook)
            self._paint_change(painter, found)
            self._paint_meeting(painter, self.outlook)
            self._paint_cursor(painter)
        painter.end()

    def _paint_ground(self, painter: QPainter, outlook: Outlook, frame: ChartFrame) -> None:
        theme, area = current_theme(), self.area
        ahead = QRectF(self.x_of(frame.ahead_day), area.top(), 0, area.height())
        ahead.setRight(area.right())
        painter.fillRect(ahead, theme.background)
        ticks, step = frame.value_ticks(max(int(area.height() // 44), 2))
        for value in ticks:
            y = round(self.y_of(value)) + 0.5
            painter.setPen(QPen(theme.grid, 1))
            painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
            painter.setPen(theme.muted)
            box = QRectF(0, y - 8, _LEFT - 6, LABEL_PX)
            painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, tick_text(value, step))
        unit = unit_words(outlook.subject.info.unit)
        painter.drawText(QRectF(0, 4, _LEFT - 6, LABEL_PX), Qt.AlignmentFlag.AlignRight, unit)
        self._paint_days(painter, frame)
        painter.setPen(theme.muted)
        painter.drawText(
            ahead.adjusted(6, area.height() - 20, 0, 0), Qt.AlignmentFlag.AlignLeft, text("ui.capacity.chart.ahead")
        )
        if outlook.forecast.trend is None:
            self._paint_why(painter, outlook, ahead)

    def _paint_why(self, painter: QPainter, outlook: Outlook, ahead: QRectF) -> None:
        """Where a forecast would be drawn: why there is none, and what can be asked all the same."""
        unit, code = outlook.subject.info.unit, language().code
        words = [said_text(said, code, unit) for said in outlook.forecast.refusals]
        words.append(text("ui.capacity.chart.short"))
        painter.drawText(
            ahead.adjusted(SPACE_XL, 0, -SPACE_XL, 0),
            Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap,
            "\n".join(words),
        )

    def _paint_days(self, painter: QPainter, frame: ChartFrame) -> None:
        theme, area = current_theme(), self.area
        free_from = 0.0
        for tick in frame.day_ticks(language().code, max(int(area.width() // _DAY_PX), 2)):
            x = self.x_of(tick.time_ns / 86_400_000_000_000)
            width = painter.fontMetrics().horizontalAdvance(tick.text)
            if x - width / 2 < free_from or x + width / 2 > self.width():
                continue
            free_from = x + width / 2 + 8
            painter.setPen(QPen(theme.border, 1))
            painter.drawLine(QPointF(round(x) + 0.5, area.bottom()), QPointF(round(x) + 0.5, area.bottom() + 4))
            painter.setPen(theme.text if tick.strong else theme.muted)
            painter.drawText(QRectF(x - width / 2 - 1, area.bottom() + 6, width + 2, 18), 0, tick.text)

    @property
    def trusted(self) -> bool:
        """Whether the line says something about the limit: else it is drawn in grey."""
        return self.outlook is not None and self.outlook.forecast.outcome is not Outcome.REFUSED

    def _tone(self) -> QColor:
        return current_theme().accent if self.trusted else current_theme().muted

    def _paint_band(self, painter: QPainter, found: Forecast) -> None:
        if not len(found.future_days):
            return
        upper, lower = self._points(found.future_days, found.high), self._points(found.future_days, found.low)
        painter.setPen(Qt.PenStyle.NoPen)
        colour = QColor(self._tone())
        colour.setAlphaF(0.18)
        painter.setBrush(colour)
        painter.drawPolygon(QPolygonF([*upper, *reversed(lower)]))
        painter.setBrush(Qt.BrushStyle.NoBrush)

    def _paint_history(self, painter: QPainter, found: Forecast) -> None:
        points = self._points(found.days, found.values)
        faint = QColor(current_theme().text)
        faint.setAlphaF(0.35)
        painter.setPen(QPen(faint, 1))
        for begin, end in runs_of_days(found.days.tolist()):
            painter.drawPolyline(QPolygonF(points[begin:end]))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(current_theme().text)
        radius = 3.6 if len(points) < 14 else 2.2 if len(points) <= 200 else 1.4
        for day, point in zip(found.days, points, strict=True):
            colour = QColor(current_theme().text)
            colour.setAlphaF(1.0 if day >= found.regime_day else 0.35)
            painter.setBrush(colour)
            painter.drawEllipse(point, radius, radius)
        painter.setBrush(Qt.BrushStyle.NoBrush)

    def _paint_lines(self, painter: QPainter, found: Forecast) -> None:
        painter.setPen(QPen(self._tone(), 1.6))
        for begin, end in runs_of_days(found.fitted_days.tolist()):
            painter.drawPolyline(QPolygonF(self._points(found.fitted_days[begin:end], found.fitted[begin:end])))
        painter.setPen(QPen(self._tone(), 1.6, Qt.PenStyle.DashLine))
        painter.drawPolyline(QPolygonF(self._points(found.future_days, found.centre)))

    def _points(self, days: Ints, values: Floats) -> list[QPointF]:
        assert self.frame is not None
        shown = self.frame.values
        drawable = values.clip(shown.low - _FAR * shown.span, shown.high + _FAR * shown.span)
        return [QPointF(self.x_of(day), self.y_of(value)) for day, value in zip(days, drawable, strict=True)]

    def _paint_limit(self, painter: QPainter, outlook: Outlook) -> None:
        theme, area, limit = current_theme(), self.area, outlook.limit.value
        y = round(self.y_of(limit)) + 0.5
        if not area.top() - 1 <= y <= area.bottom() + 1:
            return
        painter.setPen(QPen(theme.critical, 1.4))
        painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
        words = text("ui.capacity.chart.limit", limit=quantity(limit, outlook.subject.info.unit))
        width = painter.fontMetrics().horizontalAdvance(words) + 8
        above = y - LABEL_PX - 1 >= area.top()
        box = QRectF(area.left() + 2, y - LABEL_PX - 1 if above else y + 2, width, LABEL_PX)
        painter.fillRect(box, theme.surface)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, words)

    def _paint_change(self, painter: QPainter, found: Forecast) -> None:
        theme, area = current_theme(), self.area
        if not any(said.key is Remark.CHANGE for said in found.remarks):
            return
        x = round(self.x_of(found.regime_day - 0.5)) + 0.5
        painter.setPen(QPen(theme.watch, 1, Qt.PenStyle.DotLine))
        painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
        painter.drawText(
            QRectF(x + 4, area.bottom() - 20, 260, LABEL_PX),
            Qt.AlignmentFlag.AlignLeft,
            text("ui.capacity.chart.change", day=f"{day_of(found.regime_day):%m-%d}"),
        )

    def _paint_meeting(self, painter: QPainter, outlook: Outlook) -> None:
        """Earliest, median and latest day, each with its date."""
        crossing = outlook.forecast.crossing
        days = {"earliest": crossing.earliest, "median": crossing.median, "latest": crossing.latest}
        marks = {name: day for name, day in days.items() if day is not None}
        words = {name: text(f"ui.capacity.chart.{name}", day=day_of(day).isoformat()) for name, day in marks.items()}
        measure = painter.fontMetrics().horizontalAdvance
        places = {name: (self.x_of(day), measure(words[name]) + 6.0) for name, day in marks.items()}
        boxes = label_boxes(places, self.width())
        for name in sorted(marks, key=lambda each: each == "median"):
            met = QPointF(places[name][0], self.y_of(outlook.limit.value))
            self._paint_mark(painter, met, boxes[name], words[name], strong=name == "median")

    @staticmethod
    def _paint_mark(painter: QPainter, met: QPointF, box: QRectF, words: str, *, strong: bool) -> None:
        theme = current_theme()
        style = Qt.PenStyle.SolidLine if strong else Qt.PenStyle.DotLine
        painter.setPen(QPen(theme.text if strong else theme.muted, 1.4 if strong else 1, style))
        stem = min(max(met.x(), box.left()), box.right())
        painter.drawLine(QPointF(stem, box.bottom()), met)
        painter.fillRect(box, theme.surface)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, words)
        painter.setPen(QPen(theme.critical, 1.4))
        painter.setBrush(theme.critical if strong else theme.surface)
        painter.drawEllipse(met, 3.6, 3.6)
        painter.setBrush(Qt.BrushStyle.NoBrush)

    def _paint_cursor(self, painter: QPainter) -> None:
        if self._day is None:
            return
        theme, area, x = current_theme(), self.area, round(self.x_of(self._day)) + 0.5
        painter.setPen(QPen(theme.muted, 1))
        painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))


def _place(days: Ints, day: int) -> int | None:
    place = int(days.searchsorted(day))
    return place if place < len(days) and days[place] == day else None
