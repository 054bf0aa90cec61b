"""What mouse and wheel mean on a chart: zoom, pan, drag a window's edge, pick a range, and what may be done with it."""

from __future__ import annotations

from enum import Enum, auto
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPointF, Qt
from PySide6.QtGui import QMouseEvent, QWheelEvent

from tunebench.analysis.exploring.time_range import TimeRange, ordered

if TYPE_CHECKING:
    from tunebench.ui.charts.canvas import ChartCanvas


WHEEL_FACTOR = 0.8
"""Span after one notch of the wheel, against the span before."""
GRAB_PX = 5
DRAG_PX = 4


class _Doing(Enum):
    NOTHING = auto()
    PRESSED = auto()
    PICKING = auto()
    PANNING = auto()
    DRAGGING_EDGE = auto()


class Gestures(QObject):
    """Watches the events of one canvas and turns them into its signals."""

    def __init__(self, canvas: ChartCanvas) -> None:
        super().__init__(canvas)
        self._canvas = canvas
        self._doing = _Doing.NOTHING
        self._from = QPointF()
        self._view_then = canvas.view
        self._edge: tuple[str, int] | None = None
        canvas.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QWheelEvent):
            return self._wheel(event)
        if event.type() == QEvent.Type.Leave:
            self._canvas.cursor_moved.emit(None)
        acts = {
            QEvent.Type.MouseButtonPress: self._press,
            QEvent.Type.MouseMove: self._move,
            QEvent.Type.MouseButtonRelease: self._release,
            QEvent.Type.MouseButtonDblClick: self._double_click,
        }
        return acts[event.type()](event) if isinstance(event, QMouseEvent) and event.type() in acts else False

    def _wheel(self, event: QWheelEvent) -> bool:
        canvas, turn = self._canvas, event.angleDelta()
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            notches = (turn.y() or turn.x()) / 120
            about = canvas.value_at(event.position().y())
            canvas.zoom_values(canvas.values.zoomed(WHEEL_FACTOR**notches, about))
        elif abs(turn.x()) > abs(turn.y()):
            canvas.view_requested.emit(canvas.view.moved(int(-turn.x() / 120 * canvas.view.span_ns / 10)), False)
        elif turn.y():
            share = canvas.share_at(event.position().x())
            canvas.view_requested.emit(canvas.scale.zoomed(WHEEL_FACTOR ** (turn.y() / 120), share), False)
        return True

    def _press(self, event: QMouseEvent) -> bool:
        self._from, self._view_then = event.position(), self._canvas.view
        wants_pan = event.button() == Qt.MouseButton.MiddleButton or (
            event.button() == Qt.MouseButton.LeftButton and event.modifiers() & Qt.KeyboardModifier.ControlModifier
        )
        if wants_pan:
            self._doing = _Doing.PANNING
            self._canvas.setCursor(Qt.CursorShape.ClosedHandCursor)
        elif event.button() == Qt.MouseButton.LeftButton:
            self._edge = self.edge_at(event.position())
            self._doing = _Doing.DRAGGING_EDGE if self._edge else _Doing.PRESSED
        return False

    def _move(self, event: QMouseEvent) -> bool:
        canvas, position = self._canvas, event.position()
        if self._doing is _Doing.PRESSED and abs(position.x() - self._from.x()) >= DRAG_PX:
            self._doing = _Doing.PICKING
        if self._doing is _Doing.PICKING:
            canvas.show_picked(self._picked_to(position))
        elif self._doing is _Doing.PANNING:
            canvas.view_requested.emit(self._panned_to(position), False)
        elif self._doing is _Doing.DRAGGING_EDGE:
            self._drag_edge(position, finished=False)
        else:
            shape = Qt.CursorShape.SplitHCursor if self.edge_at(position) else Qt.CursorShape.CrossCursor
            if canvas.cursor().shape() != shape:
                canvas.setCursor(shape)
        canvas.cursor_moved.emit(canvas.time_at(position.x()) if self._inside(position) else None)
        return False

    def _release(self, event: QMouseEvent) -> bool:
        canvas, doing = self._canvas, self._doing
        self._doing = _Doing.NOTHING
        if doing is _Doing.PICKING:
            picked = self._picked_to(event.position())
            canvas.show_picked(picked)
            canvas.range_picked.emit(picked, event.globalPosition().toPoint())
        elif doing is _Doing.PANNING:
            canvas.setCursor(Qt.CursorShape.CrossCursor)
            canvas.view_requested.emit(self._panned_to(event.position()), True)
        elif doing is _Doing.DRAGGING_EDGE:
            self._drag_edge(event.position(), finished=True)
        elif doing is _Doing.PRESSED:
            canvas.show_picked(None)
            canvas.clicked.emit(canvas.time_at(event.position().x()))
        return False

    def _double_click(self, event: QMouseEvent) -> bool:
        self._doing = _Doing.NOTHING
        self._canvas.zoom_values(None)
        self._canvas.reset_requested.emit()
        return True

    def _inside(self, position: QPointF) -> bool:
        area = self._canvas.area
        return area.left() <= position.x() <= area.right()

    def _picked_to(self, position: QPointF) -> TimeRange:
        area = self._canvas.area
        ends = (min(max(p.x(), area.left()), area.right()) for p in (self._from, position))
        return ordered(*(self._canvas.time_at(x) for x in ends))

    def _panned_to(self, position: QPointF) -> TimeRange:
        share = (position.x() - self._from.x()) / self._canvas.area.width()
        return self._view_then.moved(-int(share * self._canvas.scale.drawn_ns))

    def edge_at(self, position: QPointF) -> tuple[str, int] | None:
        """(side, 0 for start or 1 for end) of the window edge under `position`; its own half of the height wins."""
        canvas = self._canvas
        lower = position.y() > canvas.area.center().y()
        best: tuple[bool, float, tuple[str, int]] | None = None
        for window in (drawn for drawn in canvas.windows if drawn.movable):
            for end, time_ns in enumerate((window.range.start_ns, window.range.end_ns)):
                away = abs(canvas.x_of(time_ns) - position.x())
                rank = (bool(window.lane) != lower, away, (window.side, end))
                if away <= GRAB_PX and canvas.view.contains(time_ns) and (best is None or rank < best):
                    best = rank
        return best[2] if best else None

    def _drag_edge(self, position: QPointF, *, finished: bool) -> None:
        assert self._edge is not None
        side, end = self._edge
        canvas = self._canvas
        window = next((w for w in canvas.windows if w.side == side), None)
        if window is None:
            return
        fixed_ns = window.range.start_ns if end else window.range.end_ns
        moved = ordered(fixed_ns, canvas.time_at(position.x()))
        self._edge = (side, 1 if moved.start_ns == fixed_ns else 0)
        canvas.window_dragged.emit(side, moved, finished)
