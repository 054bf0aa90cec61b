"""Before and after over something that is no moment: the time of day, or the load. Lines with bands, or points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, isfinite

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from tunebench.analysis.comparing.equal_load import LoadCurve
from tunebench.analysis.comparing.fold import Fold
from tunebench.analysis.exploring.time_range import ValueRange
from tunebench.columns.time_ticks import fitting_range, round_step, tick_text, value_ticks
from tunebench.core.records import record
from tunebench.ui.charts.canvas import GUTTER_PX, MARGIN_PX, TOP_PX
from tunebench.ui.charts.ground_painter import VALUE_TICK_PX
from tunebench.ui.look.fonts import SMALL_PX
from tunebench.ui.look.language import text
from tunebench.ui.look.painting import CENTRE, RIGHT, painter_on, write
from tunebench.ui.look.theme import current_theme, faded
from tunebench.ui.widgets.exhibit import Exhibit, Exhibited, window_words

SIDES = ("before", "after")
FOOT_PX, TICK_PX, RANGE_PX = 36, 70, 5
_CLOCK_STEPS_S = (60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 14400, 21600, 43200)
_BAND, _COMMON = 0.18, 0.08


@record
class Point:
    """`x` in seconds since midnight or work per second; the values are missing where nobody measured."""

    x: float
    value: float
    lowest: float
    highest: float


@record
class Picture:
    """
    Attributes:
        points: of either side, the smallest x first.
        across: what the x axis is.
        clock: x is a time of day; lines with bands, else points with lines to their extremes.
        ranges: of either side where it was on the x axis, `common` where both were; empty on a clock.
    """

    points: Mapping[str, Sequence[Point]]
    unit: str
    across: str
    clock: bool
    ends: tuple[float, float]
    ranges: Mapping[str, tuple[float, float]]
    common: tuple[float, float] | None = None

    @property
    def values(self) -> ValueRange:
        every = [end for own in self.points.values() for point in own for end in (point.lowest, point.highest)]
        finite = [end for end in every if isfinite(end)]
        return fitting_range(min(finite, default=float("nan")), max(finite, default=float("nan")), self.unit)


def picture_of_days(folds: Sequence[Fold], unit: str, across: str) -> Picture:
    points = {
        side: [
            Point(*values)
            for values in np.column_stack((fold.seconds, fold.median, fold.lowest, fold.highest)).tolist()
        ]
        for side, fold in zip(SIDES, folds, strict=True)
    }
    reach = folds[0].step_s / 2
    ends = (float(folds[0].seconds[0]) - reach, float(folds[0].seconds[-1]) + reach)
    return Picture(points, unit, across, True, ends, {})


def picture_of_load(curve: LoadCurve, unit: str, across: str) -> Picture:
    points = {
        side: [
            Point((part.low + part.high) / 2, level.mean, level.lowest, level.highest)
            for part in curve.parts
            if (level := getattr(part, side)) is not None
        ]
        for side in SIDES
    }
    ranges = {"before": curve.before, "after": curve.after}
    low, high = min(curve.before[0], curve.after[0]), max(curve.before[1], curve.after[1])
    room = 0.02 * (high - low)
    return Picture(points, unit, across, False, (low - room, high + room), ranges, curve.common)


class PairPlot(QWidget):
    """`pointed` carries side -> `Point` nearest to the cursor, nothing where it left."""

    pointed = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.picture: Picture | None = None
        self.words = ""
        self._x: float | None = None
        Exhibited(self, self.exhibit)
        self.setMouseTracking(True)
        self.setMinimumSize(240, 90)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def show_picture(self, picture: Picture | None, words: str = "") -> None:
        """Shows a picture; where there is none, `words` stand in its place."""
        self.picture, self.words, self._x = picture, words, None
        self.update()

    def exhibit(self) -> Exhibit:
        """Each point of either side, with what it lies between."""
        picture = self.picture
        points = picture.points if picture is not None else {}
        rows = [
            [side, *(f"{number:.6g}" for number in (point.x, point.value, point.lowest, point.highest))]
            for side, own in points.items()
            for point in own
        ]
        across = picture.across if picture is not None else ""
        heading = ["", across, *(text(f"ui.charts.statistic.{name}") for name in ("mean", "min", "max"))]
        return Exhibit(self.accessibleName() or across, [heading, *rows], window_words(self))

    @property
    def area(self) -> QRectF:
        top = TOP_PX + (2 * RANGE_PX + 4 if self.picture is not None and self.picture.ranges else 0)
        across, up = self.width() - GUTTER_PX - MARGIN_PX, self.height() - top - FOOT_PX
        return QRectF(GUTTER_PX, top, max(across, 10), max(up, 10))

    # --- the cursor
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.picture is None:
            return
        low, high = self.picture.ends
        share = (event.position().x() - self.area.left()) / self.area.width()
        self._point_at(low + share * (high - low) if 0 <= share <= 1 else None)

    def leaveEvent(self, _event: object) -> None:  # type: ignore[override]
        self._point_at(None)

    def _point_at(self, x: float | None) -> None:
        assert self.picture is not None or x is None
        by_side: dict[str, Point] = {}
        if x is not None and self.picture is not None:
            finite = {
                side: [point for point in own if isfinite(point.value)] for side, own in self.picture.points.items()
            }
            by_side = {side: min(own, key=lambda point: abs(point.x - x)) for side, own in finite.items() if own}
        nearest = min(by_side.values(), key=lambda point: abs(point.x - (x or 0.0)), default=None)
        self._x = None if nearest is None else nearest.x
        self.pointed.emit({side: point for side, point in by_side.items() if point.x == self._x})
        self.update()

    # --- painting
    def paintEvent(self, _event: QPaintEvent) -> None:
        theme, painter = current_theme(), painter_on(self, "surface", SMALL_PX)
        if self.picture is None:
            painter.setPen(theme.muted)
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, self.words)
        else:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            _Painting(painter, self.picture, self.area).draw(self._x)


class _Painting:
    """One picture on one painter."""

    def __init__(self, painter: QPainter, picture: Picture, area: QRectF) -> None:
        self._painter, self._picture, self._area = painter, picture, area
        self._values = picture.values

    def draw(self, cursor: float | None) -> None:
        self._ground()
        self._ticks()
        for side in SIDES:
            (self._line if self._picture.clock else self._marks)(side)
        if cursor is not None:
            self._painter.setPen(QPen(current_theme().muted, 1))
            at = self._x(cursor)
            self._painter.drawLine(QPointF(at, self._area.top()), QPointF(at, self._area.bottom()))

    def _x(self, x: float) -> float:
        low, high = self._picture.ends
        return self._area.left() + (x - low) / max(high - low, 1e-12) * self._area.width()

    def _y(self, value: float) -> float:
        return self._area.bottom() - (value - self._values.low) / self._values.span * self._area.height()

    def _ground(self) -> None:
        """The range that both visited, and above it where either was."""
        painter, area, theme = self._painter, self._area, current_theme()
        if self._picture.common is not None:
            left, right = map(self._x, self._picture.common)
            ground = QRectF(left, TOP_PX, right - left, area.bottom() - TOP_PX)
            painter.fillRect(ground, faded(theme.text, _COMMON))
        for index, (side, ends) in enumerate(self._picture.ranges.items()):
            left, right = map(self._x, ends)
            top = TOP_PX + 1 + index * (RANGE_PX + 1)
            painter.fillRect(QRectF(left, top, right - left, RANGE_PX - 2), theme.phase_colour(side))

    def _ticks(self) -> None:
        painter, area, theme = self._painter, self._area, current_theme()
        most = max(int(area.height() // VALUE_TICK_PX), 2)
        step = round_step(self._values.span, most)
        for value in value_ticks(self._values, most):
            y = round(self._y(value)) + 0.5
            painter.setPen(QPen(theme.grid, 1))
            painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
            write(painter, QRectF(0, y - 8, GUTTER_PX - 6, 16), tick_text(value, step), theme.muted, RIGHT)
        for x, words in self._across_ticks(max(int(area.width() // TICK_PX), 2)):
            painter.setPen(QPen(theme.border, 1))
            painter.drawLine(QPointF(self._x(x), area.bottom()), QPointF(self._x(x), area.bottom() + 4))
            wide = painter.fontMetrics().horizontalAdvance(words) + 2
            left = min(self._x(x) - wide / 2, area.right() + MARGIN_PX - wide)
            write(painter, QRectF(left, area.bottom() + 4, wide, 16), words, theme.muted, CENTRE)
        below = QRectF(area.left(), area.bottom() + 18, area.width(), 16)
        write(painter, below, self._picture.across, theme.muted, CENTRE)

    def _across_ticks(self, most: int) -> list[tuple[float, str]]:
        low, high = self._picture.ends
        if not self._picture.clock:
            shown = ValueRange(low, high)
            return [(x, tick_text(x, round_step(shown.span, most))) for x in value_ticks(shown, most)]
        step = next((seconds for seconds in _CLOCK_STEPS_S if (high - low) / seconds <= most), _CLOCK_STEPS_S[-1])
        ticks = range(ceil(low / step), int(high // step) + 1)
        return [(tick * step, clock_text(tick * step)) for tick in ticks]

    def _line(self, side: str) -> None:
        painter, colour = self._painter, current_theme().phase_colour(side)
        for run in unbroken(self._picture.points[side]):
            upper = [QPointF(self._x(point.x), self._y(point.highest)) for point in run]
            lower = [QPointF(self._x(point.x), self._y(point.lowest)) for point in reversed(run)]
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(faded(colour, _BAND))
            painter.drawPolygon(QPolygonF([*upper, *lower]))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(_pen(colour, side, 1.6))
            painter.drawPolyline(QPolygonF([QPointF(self._x(point.x), self._y(point.value)) for point in run]))

    def _marks(self, side: str) -> None:
        painter, colour, theme = self._painter, current_theme().phase_colour(side), current_theme()
        aside = 1.5 if side == "after" else -1.5  # so that neither side's lines hide the other's
        middles = [QPointF(self._x(point.x) + aside, self._y(point.value)) for point in self._picture.points[side]]
        painter.setPen(_pen(colour, side, 1.2))
        painter.drawPolyline(QPolygonF(middles))
        for point, at in zip(self._picture.points[side], middles, strict=True):
            painter.setPen(QPen(colour, 1.4))
            painter.drawLine(QPointF(at.x(), self._y(point.lowest)), QPointF(at.x(), self._y(point.highest)))
            painter.setBrush(theme.surface if side == "after" else colour)
            painter.drawEllipse(at, 3.6, 3.6)
            painter.setBrush(Qt.BrushStyle.NoBrush)


def _pen(colour: QColor, side: str, width: float) -> QPen:
    """After is dashed, as on every chart."""
    return QPen(colour, width, Qt.PenStyle.DashLine if side == "after" else Qt.PenStyle.SolidLine)


def clock_text(seconds: float) -> str:
    minutes = round(seconds) // 60
    return f"{minutes // 60 % 24:02}:{minutes % 60:02}"


def unbroken(points: Sequence[Point]) -> list[list[Point]]:
    """Stretches without a gap."""
    runs: list[list[Point]] = [[]]
    for point in points:
        if isfinite(point.value):
            runs[-1].append(point)
        elif runs[-1]:
            runs.append([])
    return [run for run in runs if run]
