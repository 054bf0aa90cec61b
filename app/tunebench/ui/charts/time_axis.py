"""Under the rows: what happened on the hosts, by shape, colour and word, and the time axis with its ticks on wall-clock
times of the engagement's zone, always printed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from tunebench.analysis.exploring.time_range import SECOND_NS, TimeRange
from tunebench.analysis.exploring.time_scale import TimeScale
from tunebench.columns.time_ticks import Tick, fold_words, stamp_text
from tunebench.domain.databases.records import Fault
from tunebench.domain.engagement import EventKind, Note, StoredEvent
from tunebench.ui.charts.canvas import GUTTER_PX, MARGIN_PX, TimeSurface, mark_colour
from tunebench.ui.charts.lines import Mark
from tunebench.ui.look.fonts import SMALL_PX
from tunebench.ui.look.language import text
from tunebench.ui.look.painting import CENTRE, RIGHT, painter_on, write
from tunebench.ui.look.theme import current_theme

if TYPE_CHECKING:
    from tunebench.usecases.databases.periods import PeriodSpan

_MOST_WORD = 60
_TELLING = (
    Fault.RESTART,
    Fault.RESET,
    Fault.NEGATIVE,
    Fault.OTHER_DATABASE,
    Fault.EVICTED,
    Fault.TRUNCATED,
    Fault.CPU_COUNT,
)

STRIP_PX = 26
AXIS_PX = 24
EDGE_PX = 8


def event_marks(events: Iterable[StoredEvent], host_names: Mapping[int, str], zone: ZoneInfo) -> list[Mark]:
    """One mark per stored event; devices that come and go have words only."""
    return [_event_mark(stored, host_names.get(stored.host_id or -1, ""), zone) for stored in events]


def _event_mark(stored: StoredEvent, host: str, zone: ZoneInfo) -> Mark:
    event = stored.event
    kind = str(event.kind)
    word = text(f"ui.charts.event.{kind}")
    if event.text:
        word = event.text if kind in (EventKind.COMMENT, EventKind.MARK) else f"{word} {event.text}"
    when = stamp_text(event.start_ns, zone)
    if event.end_ns is not None:
        when += " – " + stamp_text(event.end_ns, zone)
    detail = "\n".join(part for part in (f"{text(f'ui.charts.event.{kind}')}  {when}", host, event.text) if part)
    return Mark(kind, event.start_ns, event.end_ns, word[:_MOST_WORD], detail, host, stored)


def period_marks(spans: Iterable[PeriodSpan], zone: ZoneInfo) -> list[Mark]:
    """What is wrong with periods of databases: a restart at its moment where that is known, else over the period."""
    return [_period_mark(span, fault, zone) for span in spans for fault in span.faults if fault in _TELLING]


def uncaptured_marks(marks: Iterable[Mark], captured: Sequence[Mark]) -> list[Mark]:
    """The marks without restarts that a capture itself reports within a minute on the same host."""
    restarts = [(mark.host, mark.time_ns) for mark in captured if mark.kind == "restart"]
    return [
        mark
        for mark in marks
        if mark.kind != "restart"
        or not any(
            host in ("", mark.host) and abs(time_ns - mark.time_ns) < 60 * SECOND_NS for host, time_ns in restarts
        )
    ]


def _period_mark(span: PeriodSpan, fault: Fault, zone: ZoneInfo) -> Mark:
    words = text("ui.charts.database.period", database=span.database, words=text(f"database.fault.{fault}"))
    when = f"{stamp_text(span.begin_ns, zone)} – {stamp_text(span.end_ns, zone)}"
    started_ns = span.started_ns
    dated = fault is Fault.RESTART and started_ns is not None and span.begin_ns <= started_ns <= span.end_ns
    time_ns, end_ns = (started_ns, None) if dated else (span.begin_ns, span.end_ns)
    kind = "restart" if fault is Fault.RESTART else "fault"
    return Mark(kind, time_ns or span.begin_ns, end_ns, words[:_MOST_WORD], f"{words}\n{when}", span.host)


def note_marks(notes: Iterable[Note], zone: ZoneInfo) -> list[Mark]:
    return [
        Mark("mark", note.time_ns, None, note.text[:_MOST_WORD], f"{stamp_text(note.time_ns, zone)}\n{note.text}")
        for note in notes
        if note.time_ns is not None
    ]


class EventStrip(TimeSurface):
    """`picked` carries the `Mark` that was clicked."""

    picked = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.marks: list[Mark] = []
        self._placed: list[tuple[Mark, QRectF]] = []
        self.setFixedHeight(STRIP_PX)
        self.setMouseTracking(True)

    @property
    def area(self) -> QRectF:
        return QRectF(GUTTER_PX, 0, max(self.width() - GUTTER_PX - MARGIN_PX, 10), self.height())

    def show_scale(self, scale: TimeScale) -> None:
        self.scale = scale
        self.update()

    def show_marks(self, marks: Sequence[Mark]) -> None:
        self.marks = sorted(marks, key=lambda mark: mark.time_ns)
        self.setAccessibleName(text("ui.charts.events.name", n=len(self.marks)))
        self.setAccessibleDescription("\n".join(mark.detail for mark in self.marks[:50]))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = current_theme(), painter_on(self, "surface", SMALL_PX, smooth=True)
        write(painter, QRectF(EDGE_PX, 0, GUTTER_PX, self.height()), text("ui.charts.events.label"), theme.muted)
        visible = [m for m in self.marks if self._visible(m)]
        painter.setClipRect(self.area.adjusted(-6, 0, 6, 0))
        self._paint_marks(painter, visible)

    def _visible(self, mark: Mark) -> bool:
        if mark.end_ns is None:
            return self.view.contains(mark.time_ns)
        return mark.time_ns < self.view.end_ns and mark.end_ns > self.view.start_ns

    def _paint_marks(self, painter: QPainter, visible: Sequence[Mark]) -> None:
        self._placed = []
        free_from = -1e9
        for number, mark in enumerate(visible):
            x = max(self.x_of(mark.time_ns), self.area.left())
            if x < free_from - 4 and self._placed and x - self._placed[-1][1].left() < 3:
                continue  # stands on another one: nothing more could be told apart
            self._paint_shape(painter, mark, x)
            following = self.x_of(visible[number + 1].time_ns) if number + 1 < len(visible) else self.area.right()
            room = min(following - 8, self.area.right()) - x - 10
            shown = ""
            if x >= free_from and room > 30:
                shown = painter.fontMetrics().elidedText(mark.word, Qt.TextElideMode.ElideRight, int(room))
                write(painter, QRectF(x + 9, 0, room + 2, self.height()), shown, mark_colour(mark.kind))
            width = 10 + painter.fontMetrics().horizontalAdvance(shown)
            free_from = x + width
            self._placed.append((mark, QRectF(x - 6, 0, width + 8, self.height())))

    def _paint_shape(self, painter: QPainter, mark: Mark, x: float) -> None:
        colour, y = mark_colour(mark.kind), self.height() / 2
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        if mark.end_ns is not None:
            right = max(self.x_of(mark.end_ns), x + 3)
            painter.setBrush(current_theme().gap)
            painter.drawRect(QRectF(x, 2, right - x, self.height() - 4))
            painter.setPen(QPen(colour, 1))
            painter.drawLine(QPointF(x, 2), QPointF(x, self.height() - 2))
        elif mark.kind == "restart":
            painter.drawPolygon(QPolygonF([QPointF(x, y - 5), QPointF(x + 5, y + 4), QPointF(x - 5, y + 4)]))
        elif mark.kind in ("mark", "comment"):
            painter.drawPolygon(QPolygonF([QPointF(x, y - 5), QPointF(x + 5, y), QPointF(x, y + 5), QPointF(x - 5, y)]))
        else:
            painter.drawEllipse(QPointF(x, y), 4, 4)

    def mark_at(self, position: QPointF) -> Mark | None:
        return next((mark for mark, box in self._placed if box.contains(position)), None)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        mark = self.mark_at(event.position())
        self.setCursor(Qt.CursorShape.PointingHandCursor if mark else Qt.CursorShape.ArrowCursor)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        mark = self.mark_at(event.position())
        if mark is not None:
            self.picked.emit(mark)

    def tip_at(self, position: QPointF) -> str:
        mark = self.mark_at(position)
        return mark.detail if mark else ""


class TimeAxis(TimeSurface):
    """Drag it to pan. `zone` is printed at the right end, `flag` is the time under the cross-hair."""

    view_requested = Signal(object, bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.ticks: list[Tick] = []
        self.zone = ""
        self._flag: tuple[int, str] | None = None
        self._from: tuple[float, TimeRange] | None = None
        self.setFixedHeight(AXIS_PX)
        self.setCursor(Qt.CursorShape.OpenHandCursor)

    @property
    def area(self) -> QRectF:
        return QRectF(GUTTER_PX, 0, max(self.width() - GUTTER_PX - MARGIN_PX, 10), self.height())

    def show_scale(self, scale: TimeScale, ticks: Sequence[Tick], zone: str) -> None:
        self.scale, self.ticks, self.zone = scale, list(ticks), zone
        self.update()

    def show_flag(self, time_ns: int | None, words: str = "") -> None:
        flag = None if time_ns is None else (time_ns, words)
        if flag != self._flag:
            self._flag = flag
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = painter_on(self, "surface", SMALL_PX)
        theme, area = current_theme(), self.area
        painter.setPen(QPen(theme.border, 1))
        painter.drawLine(QPointF(area.left(), 0.5), QPointF(area.right(), 0.5))
        write(painter, QRectF(0, 3, GUTTER_PX - 6, 18), self.zone, theme.muted, RIGHT)
        self._paint_ticks(painter)
        self._paint_flag(painter)

    def _paint_ticks(self, painter: QPainter) -> None:
        theme, area = current_theme(), self.area
        free_from = area.left() - 4  # the zone stands left of it
        # Day names go first: where room is short, an hour's label gives way to them.
        placed: list[tuple[float, float]] = []
        for tick in sorted(self.ticks, key=lambda t: (not t.strong, t.time_ns)):
            x = self.x_of(tick.time_ns)
            width = painter.fontMetrics().horizontalAdvance(tick.text)
            left, right = x - width / 2, x + width / 2
            if left < free_from or right > self.width() or any(left < b + 8 and right > a - 8 for a, b in placed):
                continue
            placed.append((left, right))
            colour = theme.text if tick.strong else theme.muted
            write(painter, QRectF(left - 1, 4, width + 2, 18), tick.text, colour, CENTRE)
            if tick.line:
                painter.setPen(QPen(theme.border, 1))
                painter.drawLine(QPointF(round(x) + 0.5, 0), QPointF(round(x) + 0.5, 4))
        self._paint_folds(painter, placed)

    def _paint_folds(self, painter: QPainter, placed: list[tuple[float, float]]) -> None:
        """Two strokes at each, and how long it is where there is room."""
        theme = current_theme()
        for fold in self.scale.folds:
            band = self.band_of(fold)
            if band is None:
                continue
            x, words = band.center().x(), fold_words(fold)
            painter.setPen(QPen(theme.text, 1))
            for step in (-3, 1):
                painter.drawLine(QPointF(x + step, 5), QPointF(x + step + 3, 0))
            half = painter.fontMetrics().horizontalAdvance(words) / 2
            if x + half <= self.width() and all(x + half + 3 < a or b + 3 < x - half for a, b in placed):
                placed.append((x - half, x + half))
                write(painter, QRectF(x - half - 1, 4, 2 * half + 2, 18), words, theme.muted, CENTRE)

    def _paint_flag(self, painter: QPainter) -> None:
        if self._flag is None or not self.view.contains(self._flag[0]):
            return
        theme, words = current_theme(), self._flag[1]
        width = painter.fontMetrics().horizontalAdvance(words) + 12
        left = min(max(self.x_of(self._flag[0]) - width / 2, 0), self.width() - width)
        box = QRectF(left, 3, width, 18)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.text)
        painter.drawRoundedRect(box, 3, 3)
        write(painter, box, words, theme.surface, CENTRE)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._from = (event.position().x(), self.view)
        self.setCursor(Qt.CursorShape.ClosedHandCursor)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._pan(event, finished=False)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._pan(event, finished=True)
        self._from = None
        self.setCursor(Qt.CursorShape.OpenHandCursor)

    def _pan(self, event: QMouseEvent, *, finished: bool) -> None:
        if self._from is not None:
            x, then = self._from
            by = -int((event.position().x() - x) / self.area.width() * self.scale.drawn_ns)
            self.view_requested.emit(then.moved(by), finished)
