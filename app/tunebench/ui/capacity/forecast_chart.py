"""The one chart of the page: what was measured, the line, its band, the limit, and when they meet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from itertools import pairwise
from zoneinfo import ZoneInfo

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from tunebench.analysis.capacity.daily import Ints
from tunebench.analysis.capacity.line import Floats
from tunebench.analysis.capacity.outcome import Forecast, Outcome, Remark
from tunebench.analysis.exploring.time_range import TimeRange, ValueRange
from tunebench.columns.time_ticks import Tick, fitting_range, round_step, tick_text, time_ticks, value_ticks
from tunebench.core.records import record
from tunebench.ui.look.fonts import SMALL_PX
from tunebench.ui.look.formats import unit_text
from tunebench.ui.look.language import language, text
from tunebench.ui.look.painting import painter_on
from tunebench.ui.look.theme import SPACE_XL, current_theme
from tunebench.ui.widgets.exhibit import Exhibit, Exhibited, window_words
from tunebench.usecases.capacity.outlook import Outlook, day_of
from tunebench.usecases.capacity.words import quantity, said_text

DAY_NS = 86_400_000_000_000
UTC = ZoneInfo("UTC")
LABEL_PX = 16
_LEAST_AHEAD = 14
_BAND_MOST = 1.25
"""The axis follows the band up to so many times what is otherwise shown; beyond, the band leaves the picture."""
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 14, 44, 26
_DAY_PX = 72
_FAR = 10.0  # pictures above and below; a painter cannot draw to where compound growth may lead


@record
class ChartFrame:
    """Days since 1970-01-01 and figures in the unit of the series; `ahead_day` is the last measured one."""

    first_day: int
    last_day: int
    ahead_day: int
    values: ValueRange

    def x_share(self, day: float) -> float:
        return (day - self.first_day) / max(self.last_day - self.first_day, 1)

    def y_share(self, value: float) -> float:
        """0 at the bottom."""
        return (value - self.values.low) / self.values.span

    def day_at(self, share: float) -> int:
        return round(self.first_day + share * (self.last_day - self.first_day))

    def day_ticks(self, language: str, most: int) -> list[Tick]:
        return time_ticks(TimeRange(self.first_day * DAY_NS, self.last_day * DAY_NS), UTC, language, most)

    def value_ticks(self, most: int) -> tuple[list[float], float]:
        return value_ticks(self.values, most), round_step(self.values.span, most)


def frame_of(forecast: Forecast, unit: str, ceiling: float | None = None) -> ChartFrame | None:
    """The frame; None where nothing was measured. Above the `ceiling` only what was measured or asked is shown."""
    finite = forecast.values[np.isfinite(forecast.values)]
    if not len(finite):
        return None
    first, ahead = int(forecast.days[0]), int(forecast.days[-1])
    some_ahead = ahead + max(_LEAST_AHEAD, (ahead - first) // 2)
    last = int(forecast.future_days[-1]) if len(forecast.future_days) else some_ahead
    return ChartFrame(first, last, ahead, _values(forecast, finite, unit, ceiling))


def _values(forecast: Forecast, finite: Floats, unit: str, ceiling: float | None) -> ValueRange:
    shown = [float(finite.max()), forecast.limit * 1.04]
    shown += [float(edge.max()) for edge in (forecast.centre, forecast.fitted) if len(edge)]
    highest = max(shown)
    if len(forecast.high):
        highest = max(highest, min(float(forecast.high.max()), highest * _BAND_MOST))
    if ceiling is not None:
        highest = min(highest, max(ceiling, *shown[:2]))
    return fitting_range(min(float(finite.min()), 0.0), highest, unit)


def runs_of_days(days: Sequence[int]) -> list[tuple[int, int]]:
    """Stretches of days without one missing, as slices: no line is drawn across a day that was not measured."""
    breaks = [index for index in range(1, len(days)) if days[index] - days[index - 1] > 1]
    edges = [0, *breaks, len(days)]
    return [(begin, end) for begin, end in pairwise(edges) if end > begin]


def label_boxes(marks: Mapping[str, tuple[float, float]], room: float) -> dict[str, QRectF]:
    """Boxes above the picture for marks in the order of time, each with its x and width.

    Side by side where there is room; else earliest and latest part to the left and right of the median, which
    stands one row lower.
    """
    boxes = {
        name: QRectF(_inside(x - width / 2, width, room), 4, width, LABEL_PX) for name, (x, width) in marks.items()
    }
    if not any(one.right() > other.left() for one, other in pairwise(boxes.values())):
        return boxes
    middle = "median" if "median" in boxes else next(iter(boxes))
    boxes[middle].translate(0, LABEL_PX + 2)
    others = [name for name in boxes if name != middle]
    if len(others) == 2:
        first, last = boxes[others[0]], boxes[others[1]]
        centre = min(max(marks[middle][0], first.width() + 6), room - last.width() - 6)
        first.moveRight(min(first.right(), centre - 4))
        last.moveLeft(max(last.left(), centre + 4))
    return boxes


def _inside(left: float, width: float, room: float) -> float:
    return min(max(left, 2.0), max(room - width - 2, 2.0))


@record
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
        Exhibited(self, self.exhibit)
        self.setMouseTracking(True)
        self.setMinimumSize(320, 180)

    def show_outlook(self, outlook: Outlook | None) -> None:
        self.outlook = outlook
        self.frame, self.asks_limit = None, False
        if outlook is not None:
            self.frame = frame_of(outlook.forecast, outlook.subject.info.unit, outlook.subject.ceiling)
        self._day = None
        self.update()

    def exhibit(self) -> Exhibit:
        """A line for every day: what was measured, what is expected, and its band."""
        outlook = self.outlook
        if outlook is None:
            return Exhibit(self.accessibleName(), [])
        forecast = outlook.forecast
        points = [self.point_at(int(day)) for day in (*forecast.days, *forecast.future_days)]
        rows = [
            [
                date.fromordinal(point.day).isoformat(),
                *(
                    "" if figure is None else f"{figure:.6g}"
                    for figure in (point.value, point.centre, point.low, point.high)
                ),
            ]
            for point in points
        ]
        return Exhibit(self.accessibleName() or outlook.subject.info.label, rows, window_words(self))

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
        forecast = self.outlook.forecast
        ahead = _index_of(forecast.future_days, day)
        measured, fitted = _index_of(forecast.days, day), _index_of(forecast.fitted_days, day)
        centre = (
            forecast.centre[ahead] if ahead is not None else forecast.fitted[fitted] if fitted is not None else None
        )
        return ChartPoint(
            day,
            None if measured is None else float(forecast.values[measured]),
            None if centre is None else float(centre),
            None if ahead is None else float(forecast.low[ahead]),
            None if ahead is None else float(forecast.high[ahead]),
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
        painter = painter_on(self, "surface", SMALL_PX)
        if self.asks_limit:
            painter.setPen(current_theme().muted)
            painter.drawText(self.area, Qt.AlignmentFlag.AlignCenter, text("ui.capacity.chart.ask"))
        if self.frame is not None and self.outlook is not None:
            forecast = self.outlook.forecast
            self._paint_ground(painter, self.outlook, self.frame)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.save()
            painter.setClipRect(self.area.adjusted(0, -1, 1, 1))
            self._paint_band(painter, forecast)
            self._paint_lines(painter, forecast)
            painter.restore()
            self._paint_history(painter, forecast)
            self._paint_limit(painter, self.outlook)
            self._paint_change(painter, forecast)
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
        unit = unit_text(outlook.subject.info.unit)
        painter.drawText(QRectF(0, 4, _LEFT - 6, LABEL_PX), Qt.AlignmentFlag.AlignRight, unit)
        self._paint_days(painter, frame)
        painter.setPen(theme.muted)
        painter.drawText(
            ahead.adjusted(6, area.height() - 20, 0, 0), Qt.AlignmentFlag.AlignLeft, text("ui.capacity.chart.ahead")
        )
        if outlook.forecast.trend is None:
            self._paint_why(painter, outlook, ahead)

    def _paint_why(self, painter: QPainter, outlook: Outlook, ahead: QRectF) -> None:
        """Writes, where a forecast would be drawn, why there is none and what can be asked all the same."""
        unit, code = outlook.subject.info.unit, language().code
        words = [said_text(refusal, code, unit) for refusal in outlook.forecast.refusals]
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

    def _paint_band(self, painter: QPainter, curve: Forecast) -> None:
        if not len(curve.future_days):
            return
        upper, lower = self._points(curve.future_days, curve.high), self._points(curve.future_days, curve.low)
        painter.setPen(Qt.PenStyle.NoPen)
        colour = QColor(self._tone())
        colour.setAlphaF(0.18)
        painter.setBrush(colour)
        painter.drawPolygon(QPolygonF([*upper, *reversed(lower)]))
        painter.setBrush(Qt.BrushStyle.NoBrush)

    def _paint_history(self, painter: QPainter, forecast: Forecast) -> None:
        points = self._points(forecast.days, forecast.values)
        faint = QColor(current_theme().text)
        faint.setAlphaF(0.35)
        painter.setPen(QPen(faint, 1))
        for begin, end in runs_of_days(forecast.days.tolist()):
            painter.drawPolyline(QPolygonF(points[begin:end]))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(current_theme().text)
        radius = 3.6 if len(points) < 14 else 2.2 if len(points) <= 200 else 1.4
        for day, point in zip(forecast.days, points, strict=True):
            colour = QColor(current_theme().text)
            colour.setAlphaF(1.0 if day >= forecast.regime_day else 0.35)
            painter.setBrush(colour)
            painter.drawEllipse(point, radius, radius)
        painter.setBrush(Qt.BrushStyle.NoBrush)

    def _paint_lines(self, painter: QPainter, forecast: Forecast) -> None:
        painter.setPen(QPen(self._tone(), 1.6))
        for begin, end in runs_of_days(forecast.fitted_days.tolist()):
            painter.drawPolyline(QPolygonF(self._points(forecast.fitted_days[begin:end], forecast.fitted[begin:end])))
        painter.setPen(QPen(self._tone(), 1.6, Qt.PenStyle.DashLine))
        painter.drawPolyline(QPolygonF(self._points(forecast.future_days, forecast.centre)))

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
        words = text("ui.capacity.chart.limit", limit=quantity(limit, outlook.subject.info.unit, language().code))
        width = painter.fontMetrics().horizontalAdvance(words) + 8
        above = y - LABEL_PX - 1 >= area.top()
        box = QRectF(area.left() + 2, y - LABEL_PX - 1 if above else y + 2, width, LABEL_PX)
        painter.fillRect(box, theme.surface)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, words)

    def _paint_change(self, painter: QPainter, forecast: Forecast) -> None:
        theme, area = current_theme(), self.area
        if not any(remark.key is Remark.CHANGE for remark in forecast.remarks):
            return
        x = round(self.x_of(forecast.regime_day - 0.5)) + 0.5
        painter.setPen(QPen(theme.watch, 1, Qt.PenStyle.DotLine))
        painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
        painter.drawText(
            QRectF(x + 4, area.bottom() - 20, 260, LABEL_PX),
            Qt.AlignmentFlag.AlignLeft,
            text("ui.capacity.chart.change", day=f"{day_of(forecast.regime_day):%m-%d}"),
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
        for name in sorted(marks, key=lambda name: name == "median"):
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


def _index_of(days: Ints, day: int) -> int | None:
    index = int(days.searchsorted(day))
    return index if index < len(days) and days[index] == day else None
