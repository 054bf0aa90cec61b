"""The painted plot of one row: lines, gaps, windows, marks, cross-hair.

Painted by hand into a cached picture: eight stacked rows of 6,000 points pan in less than half the time that eight
plot widgets need, the grid costs nothing, and a moving cross-hair repaints no line.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QPixmap, QPolygonF, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from tunebench.analysis.exploring.outline import combined_extent, visible_extent
from tunebench.analysis.exploring.time_range import TimeRange, ValueRange
from tunebench.analysis.exploring.time_scale import TimeScale, even
from tunebench.analysis.series import Envelope
from tunebench.columns.formats import format_value
from tunebench.columns.time_ticks import Tick, fitting_range, fold_words
from tunebench.ui.charts.ground_painter import GroundPainter
from tunebench.ui.charts.line_painter import LinePainter
from tunebench.ui.charts.lines import ChartLine, ChartWindow, LeftOut, Mark, unmeasured
from tunebench.ui.look.fonts import SMALL_PX
from tunebench.ui.look.language import text
from tunebench.ui.look.painting import TippedWidget, font_of
from tunebench.ui.look.theme import current_theme, faded
from tunebench.usecases.exploring.targets import Limit

GUTTER_PX = 54
MARGIN_PX = 10
TOP_PX = 7
BOTTOM_PX = 5
FAR_LIMIT = 2.5
"""Times the highest value: a target farther away would leave the line flat, and stands at the edge."""

MARK_COLOURS = {
    "restart": "warning",
    "clock_jump": "warning",
    "repeated_time": "watch",
    "mark": "accent",
    "fault": "warning",
}


class TimeSurface(TippedWidget):
    """A stretch of time, painted: where a moment stands in it, which moment a place is. `scale` lies over `area`."""

    scale = even(TimeRange(0, 1_000_000_000))

    @property
    def view(self) -> TimeRange:
        return self.scale.view

    @property
    def area(self) -> QRectF:
        """Where the data is drawn."""
        raise NotImplementedError

    def x_of(self, time_ns: int) -> float:
        area = self.area
        return area.left() + self.scale.share_of(time_ns) * area.width()

    def share_at(self, x: float) -> float:
        return (x - self.area.left()) / self.area.width()

    def time_at(self, x: float) -> int:
        return self.scale.moment_at(self.share_at(x))

    @property
    def bands(self) -> list[QRectF]:
        """The pieces that are not folded."""
        return [band for piece in self.scale.pieces if (band := self.band_of(piece))]

    def band_of(self, span: TimeRange) -> QRectF | None:
        """What `span` covers of the area; None where that is nothing."""
        if not span.overlaps(self.view):
            return None
        area = self.area
        left, right = max(self.x_of(span.start_ns), area.left()), min(self.x_of(span.end_ns), area.right())
        return QRectF(left, area.top(), max(right - left, 1.0), area.height())


class ChartCanvas(TimeSurface):
    """Draws `lines` over `view`.

    Signals:
        view_requested: (TimeRange, finished): wheel or drag wants another view.
        cursor_moved: UTC nanoseconds under the pointer, or None when it leaves.
        range_picked: (TimeRange, global position): a stretch was dragged.
        window_dragged: (side, TimeRange, finished).
        clicked: UTC nanoseconds.
        reset_requested: double click.
    """

    view_requested = Signal(object, bool)
    cursor_moved = Signal(object)
    range_picked = Signal(object, object)
    window_dragged = Signal(str, object, bool)
    clicked = Signal(object)
    reset_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.lines: list[ChartLine] = []
        self.windows: list[ChartWindow] = []
        self.left_out: list[LeftOut] = []
        self.marks: list[Mark] = []
        self.ticks: list[Tick] = []
        self.picked: TimeRange | None = None
        self.cursor_ns: int | None = None
        self.mark_words = False
        self.unit = ""
        self.limits: Sequence[Limit] = ()
        self.by_side = False  # a single line has the colour of the window that it is in
        self.band: Envelope | None = None  # the range that many lines cover together, one bin per pixel
        self._dots: dict[int, tuple[int, float]] = {}
        self._values_zoomed: ValueRange | None = None
        self._values = ValueRange(0.0, 1.0)
        self._picture: QPixmap | None = None
        self.setMouseTracking(True)
        self.setMinimumHeight(48)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)

    # --- geometry
    def sizeHint(self) -> QSize:
        return QSize(600, 112)

    @property
    def area(self) -> QRectF:
        return QRectF(
            GUTTER_PX, TOP_PX, max(self.width() - GUTTER_PX - MARGIN_PX, 10), self.height() - TOP_PX - BOTTOM_PX
        )

    @property
    def tones(self) -> list[tuple[TimeRange, QColor]]:
        """Where a line has a colour that is not its own."""
        theme = current_theme()
        return [(window.range, theme.phase_colour(window.side)) for window in self.windows if self.by_side]

    def y_of(self, value: float) -> float:
        area = self.area
        return area.bottom() - (value - self._values.low) / self._values.span * area.height()

    def value_at(self, y: float) -> float:
        area = self.area
        return self._values.low + (area.bottom() - y) / area.height() * self._values.span

    @property
    def values(self) -> ValueRange:
        return self._values

    # --- what is shown
    def show_scale(self, scale: TimeScale, ticks: Sequence[Tick]) -> None:
        self.scale, self.ticks = scale, list(ticks)
        self.redraw()

    def show_lines(self, lines: Sequence[ChartLine]) -> None:
        self.lines = list(lines)
        self.redraw()

    def show_windows(self, windows: Sequence[ChartWindow], left_out: Sequence[LeftOut] = ()) -> None:
        self.windows, self.left_out = list(windows), list(left_out)
        self.redraw()

    def show_marks(self, marks: Sequence[Mark]) -> None:
        self.marks = list(marks)
        self.redraw()

    def show_cursor(self, time_ns: int | None) -> None:
        if time_ns != self.cursor_ns:
            self.cursor_ns = time_ns
            self.update()

    def show_dots(self, dots: Mapping[int, tuple[int, float]]) -> None:
        """Where on each line the reading stands: key -> (time, value)."""
        self._dots = dict(dots)
        self.update()

    def show_picked(self, picked: TimeRange | None) -> None:
        self.picked = picked
        self.update()

    def zoom_values(self, wanted: ValueRange | None) -> None:
        """Another y range; None goes back to the fitting one, which shows zero."""
        self._values_zoomed = wanted
        self.redraw()

    @property
    def values_zoomed(self) -> bool:
        return self._values_zoomed is not None

    def redraw(self) -> None:
        self._picture = None
        self.update()

    def fit_values(self) -> None:
        if self._values_zoomed is not None:
            self._values = self._values_zoomed
            return
        extents = [self._line_extent(line, piece) for line in self.lines for piece in self.scale.pieces]
        if self.band is not None:
            extents.extend(visible_extent(self.band, piece) for piece in self.scale.pieces)
        extent = combined_extent([e for e in extents if e is not None])
        near = [limit.value for limit in self.limits if extent and limit.value <= FAR_LIMIT * extent.high]
        extent = ValueRange(extent.low, max(extent.high, *near)) if extent and near else extent
        self._values = fitting_range(extent.low, extent.high, self.unit) if extent else ValueRange(0.0, 1.0)

    def _line_extent(self, line: ChartLine, piece: TimeRange) -> ValueRange | None:
        if line.envelope is None:
            return None
        return visible_extent(line.spans or line.envelope, piece.moved(-line.shift_ns))

    # --- painting
    def paintEvent(self, event: QPaintEvent) -> None:
        if self._picture is None:
            self._picture = self._paint_picture()
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self._picture)
        self._paint_over(painter)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._picture = None
        super().resizeEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange, QEvent.Type.EnabledChange):
            self._picture = None
        super().changeEvent(event)

    def _paint_picture(self) -> QPixmap:
        self.fit_values()
        ratio = self.devicePixelRatioF()
        picture = QPixmap(round(self.width() * ratio), round(self.height() * ratio))
        picture.setDevicePixelRatio(ratio)
        picture.fill(current_theme().surface)
        painter = QPainter(picture)
        painter.setFont(font_of(self, SMALL_PX))
        GroundPainter(painter, self).paint()
        lines = LinePainter(painter, self)
        lines.clip()
        if self.band is not None:
            lines.paint_crowd(self.band)
        for line in self.lines:
            lines.paint(line)
        self._paint_marks(painter)
        painter.setClipping(False)
        self._paint_since_boot(painter)
        painter.end()
        return picture

    def since_boot_points(self) -> list[tuple[QPointF, ChartLine, int, float]]:
        """Where the since-boot markers stand; values outside the picture stand at its edge."""
        area, points = self.area, []
        for line in self.lines:
            for time_ns, value in line.since_boot:
                if self.view.contains(time_ns + line.shift_ns):
                    y = min(max(self.y_of(value), area.top() + 5), area.bottom() - 5)
                    points.append((QPointF(self.x_of(time_ns + line.shift_ns), y), line, time_ns, value))
        return points

    def _paint_since_boot(self, painter: QPainter) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        painter.setBrush(current_theme().surface)
        for point, line, _, _ in self.since_boot_points():
            x, y = point.x(), point.y()
            painter.setPen(QPen(line.colour, 1.2))
            painter.drawPolygon(QPolygonF([QPointF(x, y - 4), QPointF(x + 4, y), QPointF(x, y + 4), QPointF(x - 4, y)]))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)

    def _paint_marks(self, painter: QPainter) -> None:
        area = self.area
        free_from = area.left()
        for mark in self.marks:
            if mark.end_ns is not None or not self.view.contains(mark.time_ns):
                continue
            x = round(self.x_of(mark.time_ns)) + 0.5
            colour = mark_colour(mark.kind)
            painter.setPen(QPen(colour, 1, Qt.PenStyle.DotLine))
            painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
            width = painter.fontMetrics().horizontalAdvance(mark.word)
            if self.mark_words and x + 4 >= free_from and x + width + 4 < area.right():
                painter.setPen(colour)
                painter.drawText(QPointF(x + 4, area.top() + painter.fontMetrics().ascent()), mark.word)
                free_from = x + width + 12

    def _paint_over(self, painter: QPainter) -> None:
        theme, area = current_theme(), self.area
        painter.setClipRect(area.adjusted(0, -2, 1, 2))
        if self.picked and (band := self.band_of(self.picked)):
            painter.fillRect(band, faded(theme.accent, 0.16))
            painter.setPen(QPen(theme.accent, 1))
            painter.drawRect(band.adjusted(0.5, 0, -0.5, 0))
        if self.cursor_ns is None or not self.view.contains(self.cursor_ns):
            return
        x = round(self.x_of(self.cursor_ns)) + 0.5
        painter.setPen(QPen(theme.text, 1))
        painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
        self._paint_readings(painter)

    def _paint_readings(self, painter: QPainter) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        for line in self.lines:
            if line.key in self._dots:
                time_ns, value = self._dots[line.key]
                painter.setPen(QPen(current_theme().surface, 1.5))
                painter.setBrush(line.colour)
                painter.drawEllipse(QPointF(self.x_of(time_ns + line.shift_ns), self.y_of(value)), 3.5, 3.5)

    def tip_at(self, position: QPointF) -> str:
        """What the marker, event or gap under `position` says."""
        for point, line, _, value in self.since_boot_points():
            if (point - position).manhattanLength() < 9:
                return text("ui.charts.since_boot.tip", series=line.name, value=format_value(value), unit=line.unit)
        for mark in self.marks:
            if mark.end_ns is None and abs(self.x_of(mark.time_ns) - position.x()) < 5:
                return mark.detail
        time_ns = self.time_at(position.x())
        reason = next((reason for span, reason in self.left_out if span.contains(time_ns)), None)
        if reason is not None:
            return text("ui.charts.left_out.tip", reason=reason)
        fold = next((fold for fold in self.scale.folds if fold.start_ns < time_ns < fold.end_ns), None)
        if fold is not None:
            return text("ui.charts.fold.tip", length=fold_words(fold))
        if any(gap.contains(time_ns) for gap in unmeasured(self.lines, self.view)):
            return text("ui.charts.gap.tip")
        return ""


def mark_colour(kind: str) -> QColor:
    theme = current_theme()
    colour: QColor = getattr(theme, MARK_COLOURS.get(kind, "muted"))
    return colour
