"""Where captures lie and where they would lie: two lanes on one time axis, redrawn while one types; and what was said
of a host's times: who, when, what. Each can be taken back and said again."""

from __future__ import annotations

from collections.abc import Sequence
from zoneinfo import ZoneInfo

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QHelpEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QToolTip, QWidget

from tunebench.analysis.exploring.time_range import TimeRange
from tunebench.columns.formats import format_span, format_stamp, zone_name
from tunebench.columns.time_ticks import time_ticks
from tunebench.core.records import record
from tunebench.domain.capturing.times import Resolution
from tunebench.ui.look.fonts import SMALL_PX
from tunebench.ui.look.language import language, text
from tunebench.ui.look.painting import painter_on
from tunebench.ui.look.theme import SPACE_XS, current_theme
from tunebench.ui.widgets.parts import ElidedLabel, button, column, label, panel, row
from tunebench.usecases.importing import assembly

AXIS_PX = 22
GUTTER_PX = 64
LANE_PX = 44
TICK_PX = 76
LEAST_PX = 3.0
_HOUR_NS = 3_600_000_000_000


class SaidList(QWidget):
    """`toggled` carries (number, taken back)."""

    toggled = Signal(int, bool)

    def __init__(self) -> None:
        super().__init__()
        self._column = column(spacing=SPACE_XS)
        self.setLayout(self._column)
        self._lines: list[QWidget] = []

    def show_said(self, resolutions: Sequence[Resolution], zone: ZoneInfo, writable: bool) -> None:
        """Lists the corrections, the newest first."""
        for old in self._lines:
            old.setParent(None)
            old.deleteLater()
        self._lines = [label(text("ui.resolution.said"), "strong")] if resolutions else []
        for resolution in reversed(resolutions):
            key = "ui.resolution.said.line" if resolution.in_force else "ui.resolution.said.back"
            words = ", ".join(_fact_text(name, value) for name, value in resolution.said.items())
            line = ElidedLabel(
                text(key, at=format_stamp(resolution.said_at, zone), by=resolution.said_by or "–", said=words)
            )
            act = button(
                text("ui.resolution.take_back" if resolution.in_force else "ui.resolution.renew"),
                "link",
                lambda number=resolution.id, back=resolution.in_force: self.toggled.emit(number, back),
            )
            act.setObjectName(f"said-{resolution.id}")
            act.setEnabled(writable)
            self._lines.append(panel(row((line, 1), act)))
        for shown in self._lines:
            self._column.addWidget(shown)


def _fact_text(name: str, value: str) -> str:
    """``shift +0:59:05``: hours and minutes, not thousands of seconds."""
    shown = assembly.shift_words(round(float(value) * 1_000_000_000)) if name == "shift_s" else value
    return f"{text(f'ui.resolution.subject.{name}')} {shown}"


@record
class Bar:
    """One capture: `before` and `after` are (first, last), UTC ns. `known` ones only stand beside."""

    key: int
    name: str
    before: tuple[int, int]
    after: tuple[int, int]
    changed: bool = False
    chosen: bool = False
    known: bool = False


class TimeStrip(QWidget):
    """`picked` carries the key of the capture that was clicked."""

    picked = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self._bars: list[Bar] = []
        self._zone = ZoneInfo("UTC")
        self._boxes: list[tuple[QRectF, Bar, bool]] = []
        self.setMinimumHeight(2 * LANE_PX + AXIS_PX)
        self.setMouseTracking(True)

    @property
    def bars(self) -> list[Bar]:
        return list(self._bars)

    def show_bars(self, bars: Sequence[Bar], zone: ZoneInfo) -> None:
        self._bars, self._zone = list(bars), zone
        lines = [
            f"{bar.name}: {format_span(*bar.before, zone)} → {format_span(*bar.after, zone)}"
            for bar in bars
            if bar.changed
        ]
        self.setAccessibleName(text("ui.resolution.strip"))
        self.setAccessibleDescription("\n".join(lines[:50]))
        self.update()

    @property
    def view(self) -> TimeRange:
        """All that is shown now and then, with a little room on both sides."""
        ends = [moment for bar in self._bars for moment in (*bar.before, *bar.after)]
        if not ends:
            return TimeRange(0, _HOUR_NS)
        room = max((max(ends) - min(ends)) // 40, 60_000_000_000)
        return TimeRange(min(ends) - room, max(ends) + room)

    @property
    def area(self) -> QRectF:
        return QRectF(GUTTER_PX, 0, max(self.width() - GUTTER_PX - 12, 20), self.height() - AXIS_PX)

    def x_of(self, time_ns: int, view: TimeRange) -> float:
        return self.area.left() + (time_ns - view.start_ns) / view.span_ns * self.area.width()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = painter_on(self, "surface")
        theme, view, area = current_theme(), self.view, self.area
        font = painter.font()
        font.setPixelSize(SMALL_PX)
        painter.setFont(font)
        self._boxes = []
        half = area.height() / 2
        for at, key in enumerate(("now", "then")):
            lane = QRectF(area.left(), at * half, area.width(), half)
            painter.setPen(theme.muted)
            middle = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
            painter.drawText(
                QRectF(12, lane.top(), GUTTER_PX - 14, lane.height()), middle, text(f"ui.resolution.strip.{key}")
            )
            painter.setPen(QPen(theme.border, 1))
            painter.drawLine(QPointF(area.left(), lane.bottom()), QPointF(area.right(), lane.bottom()))
            self._paint_lane(painter, lane.adjusted(0, 5, 0, -5), view, later=bool(at))
        self._paint_axis(painter, view)
        painter.end()

    def _paint_lane(self, painter: QPainter, lane: QRectF, view: TimeRange, later: bool) -> None:
        """Captures that overlap stand below each other."""
        free: list[float] = []
        placed: list[tuple[int, Bar, float, float]] = []
        for bar in sorted(self._bars, key=lambda bar: bar.after[0] if later else bar.before[0]):
            first, last = bar.after if later else bar.before
            left = self.x_of(first, view)
            right = max(self.x_of(last, view), left + LEAST_PX)
            at = next((index for index, end in enumerate(free) if end <= left), len(free))
            if at == len(free):
                free.append(0.0)
            free[at] = right + 1
            placed.append((at, bar, left, right))
        height = lane.height() / max(len(free), 1)
        for at, bar, left, right in placed:
            box = QRectF(left, lane.top() + at * height, right - left, max(height - 1, 1))
            self._boxes.append((box, bar, later))
            self._paint_bar(painter, box, bar, later)

    def _paint_bar(self, painter: QPainter, box: QRectF, bar: Bar, later: bool) -> None:
        theme = current_theme()
        colour: QColor = theme.muted if bar.known else theme.accent if later and bar.changed else theme.watch
        if not bar.known and not bar.changed and later:
            colour = theme.muted
        painter.setPen(QPen(theme.text if bar.chosen else colour, 1))
        painter.setBrush(theme.tint(colour, 0.55 if bar.changed or bar.chosen else 0.3))
        painter.drawRect(box)
        room = box.width() - 8
        if room > 40 and box.height() > 12:
            painter.setPen(theme.text)
            shown = painter.fontMetrics().elidedText(bar.name, Qt.TextElideMode.ElideMiddle, int(room))
            painter.drawText(box.adjusted(4, 0, -4, 0), Qt.AlignmentFlag.AlignVCenter, shown)

    def _paint_axis(self, painter: QPainter, view: TimeRange) -> None:
        theme, top = current_theme(), self.height() - AXIS_PX
        painter.setPen(theme.muted)
        zone = zone_name(self._zone, view.start_ns).partition("(")[2].rstrip(")") or self._zone.key
        painter.drawText(QRectF(12, top, GUTTER_PX, AXIS_PX), Qt.AlignmentFlag.AlignVCenter, zone)
        free_from = self.area.left()
        for tick in time_ticks(view, self._zone, language().code, max(int(self.area.width() // TICK_PX), 2)):
            x = self.x_of(tick.time_ns, view)
            width = painter.fontMetrics().horizontalAdvance(tick.text)
            if x - width / 2 >= free_from and x + width / 2 <= self.width():
                painter.setPen(theme.text if tick.strong else theme.muted)
                painter.drawText(
                    QRectF(x - width / 2 - 1, top + 2, width + 2, AXIS_PX - 2), Qt.AlignmentFlag.AlignCenter, tick.text
                )
                free_from = x + width / 2 + 8
            painter.setPen(QPen(theme.border, 1))
            painter.drawLine(QPointF(x, top), QPointF(x, top + 4))

    def bar_at(self, position: QPointF) -> tuple[Bar, bool] | None:
        for box, bar, later in self._boxes:
            if box.adjusted(-2, -1, 2, 1).contains(position):
                return bar, later
        return None

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        hit = self.bar_at(event.position())
        if hit is not None:
            self.picked.emit(hit[0].key)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            hit = self.bar_at(QPointF(event.pos()))
            if hit is None:
                QToolTip.hideText()
            else:
                bar, later = hit
                span = format_span(*(bar.after if later else bar.before), self._zone)
                QToolTip.showText(event.globalPos(), f"{bar.name}\n{span}", self)
            return True
        return super().event(event)
