"""The whole engagement at the bottom of the window: what was captured when, and the view that rules every page."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum, auto
from itertools import pairwise

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from tunebench.analysis.exploring.time_range import TimeRange, ordered, whole_seconds
from tunebench.analysis.series import Envelope
from tunebench.columns.time_ticks import most_ticks, stamp_text, time_ticks, zone_text
from tunebench.core.progress import Progress
from tunebench.core.records import record
from tunebench.domain.engagement import Phase
from tunebench.domain.series import SeriesInfo
from tunebench.ui.charts.canvas import mark_colour
from tunebench.ui.charts.gestures import WHEEL_FACTOR
from tunebench.ui.charts.ground_painter import side_pen
from tunebench.ui.charts.lines import Mark
from tunebench.ui.charts.time_axis import event_marks, note_marks
from tunebench.ui.look.fonts import SMALL_PX
from tunebench.ui.look.formats import host_words
from tunebench.ui.look.language import language, text, translated
from tunebench.ui.look.painting import CENTRE, TippedWidget, font_of, painter_on, write
from tunebench.ui.look.theme import current_theme, faded
from tunebench.ui.workspace import Change, Workspace
from tunebench.usecases import browse, projects
from tunebench.usecases.exploring.density import HostTrack, host_tracks
from tunebench.usecases.exploring.reading import read_envelope
from tunebench.usecases.exploring.window_ranges import occurrence_ranges, only_run_of, window_at, window_ranges

NAMES_PX = 96
EDGE_PX = 12
HANDLES_PX = 18
AXIS_PX = 18
HOST_PX = 18
LEAST_HOST_PX = 7
FEW_HOSTS_PX = 54
MOST_HOSTS_PX = 98
GRAB_PX = 5
DRAG_PX = 3
COMMIT_MS = 400


class _Grip(Enum):
    NOTHING = auto()
    PICK = auto()
    VIEW = auto()
    VIEW_EDGE = auto()
    WINDOW = auto()
    WINDOW_EDGE = auto()


@record
class _Held:
    """What the mouse holds: `end` is 0 for a start edge, 1 for an end edge."""

    grip: _Grip
    side: str = ""
    end: int = 0


class NavigatorDrag:
    """What a drag does on the navigator: a range is picked, the view or a window is moved or stretched.

    Attributes:
        picked: the range that is being picked.
        windows: side -> where its window is held.
    """

    def __init__(self, navigator: Navigator, workspace: Workspace) -> None:
        self._navigator = navigator
        self._workspace = workspace
        self.picked: TimeRange | None = None
        self.windows: dict[str, TimeRange] = {}
        self._held = _Held(_Grip.NOTHING)
        self._from = QPointF()
        self._then = TimeRange(0, 1)

    @property
    def is_under_way(self) -> bool:
        return self._held.grip is not _Grip.NOTHING

    def begin(self, point: QPointF) -> None:
        self._from, self._held = point, self._held_at(point)
        self._then = self._navigator.windows().get(self._held.side, self._navigator.view)

    def _held_at(self, point: QPointF) -> _Held:
        """What a press at `point` would hold."""
        navigator = self._navigator
        movable = [(side, span) for side, span in navigator.windows().items() if not navigator.occurrences(side)]
        above = point.y() < HANDLES_PX
        for side, span in reversed(movable):
            for end, edge in enumerate((span.start_ns, span.end_ns)):
                if above and abs(navigator.x_of(edge) - point.x()) <= GRAB_PX:
                    return _Held(_Grip.WINDOW_EDGE, side, end)
            if above and navigator.handle_of(span).adjusted(-2, -14, 2, 2).contains(point):
                return _Held(_Grip.WINDOW, side)
        if self._workspace.selection.range is None:
            return _Held(_Grip.PICK)
        view = navigator.view
        for end, edge in enumerate((view.start_ns, view.end_ns)):
            if abs(navigator.x_of(edge) - point.x()) <= GRAB_PX:
                return _Held(_Grip.VIEW_EDGE, "", end)
        inside = navigator.x_of(view.start_ns) < point.x() < navigator.x_of(view.end_ns)
        return _Held(_Grip.VIEW if inside else _Grip.PICK)

    def shape_at(self, point: QPointF) -> Qt.CursorShape:
        """The cursor that says what a press at `point` would hold."""
        return {
            _Grip.VIEW_EDGE: Qt.CursorShape.SplitHCursor,
            _Grip.WINDOW_EDGE: Qt.CursorShape.SplitHCursor,
            _Grip.VIEW: Qt.CursorShape.OpenHandCursor,
            _Grip.WINDOW: Qt.CursorShape.OpenHandCursor,
        }.get(self._held_at(point).grip, Qt.CursorShape.CrossCursor)

    def move_to(self, point: QPointF) -> None:
        moved = self._moved_to(point)
        if self._held.grip is _Grip.PICK:
            self.picked = moved
            self._navigator.update()
        elif self._held.grip in (_Grip.VIEW, _Grip.VIEW_EDGE):
            self._workspace.selection.preview_range(moved)
        else:
            self.windows[self._held.side] = moved
            self._navigator.update()

    def _moved_to(self, point: QPointF) -> TimeRange:
        from_ns, to_ns = (self._navigator.time_at(end.x()) for end in (self._from, point))
        grip, then, extent = self._held.grip, self._then, self._navigator.extent
        if grip is _Grip.PICK:
            return ordered(*(min(max(edge, extent.start_ns), extent.end_ns) for edge in (from_ns, to_ns)))
        if grip in (_Grip.VIEW, _Grip.WINDOW):
            return then.moved(to_ns - from_ns).within(extent)
        edges = [then.start_ns, then.end_ns]
        edges[self._held.end] = min(max(edges[self._held.end] + to_ns - from_ns, extent.start_ns), extent.end_ns)
        return ordered(edges[0], edges[1])

    def end_at(self, point: QPointF) -> None:
        held, self._held = self._held, _Held(_Grip.NOTHING)
        if held.grip is _Grip.PICK:
            self._end_pick(point)
        elif held.grip in (_Grip.VIEW, _Grip.VIEW_EDGE):
            self._navigator.keep_view()
        elif held.grip is not _Grip.NOTHING:
            self._end_window(held.side)

    def cancel(self) -> None:
        self._held, self.picked = _Held(_Grip.NOTHING), None

    def _end_pick(self, point: QPointF) -> None:
        picked, self.picked = self.picked, None
        navigator, selection = self._navigator, self._workspace.selection
        if abs(point.x() - self._from.x()) >= DRAG_PX and picked is not None:
            selection.set_range(picked)
        elif selection.range is not None:
            centred = navigator.view.moved(navigator.time_at(point.x()) - navigator.view.middle_ns)
            selection.set_range(centred.within(navigator.extent))
        navigator.update()

    def _end_window(self, side: str) -> None:
        span = self.windows.pop(side, None)
        overview, chosen = self._workspace.overview, self._workspace.selection
        if span is None or overview is None:
            return
        now = chosen.before if side == "before" else chosen.after
        window = window_at(whole_seconds(span, self._navigator.extent), overview.runs, prefer=only_run_of(now))
        if window is None:
            self._workspace.say(text("ui.timeline.range.no_run"), "warning")
        else:
            chosen.set_window(Phase(side), window)
        self._navigator.update()


class Navigator(TippedWidget):
    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("navigator")
        self._workspace = workspace
        self._tracks: list[HostTrack] = []
        self._marks: list[Mark] = []
        self._drag = NavigatorDrag(self, workspace)
        self._commit = QTimer(self, singleShot=True, interval=COMMIT_MS)
        self._commit.timeout.connect(self.keep_view)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._connect()
        self.load()
        translated(self, accessibleName="ui.navigator.name")

    def _connect(self) -> None:
        chosen = self._workspace.selection
        for signal in (chosen.range_changed, chosen.windows_changed, chosen.cursor_changed):
            signal.connect(self.update)
        chosen.extent_changed.connect(self.load)
        self._workspace.project_changed.connect(self._on_change)
        language().follow(self._read_marks)

    # --- what there is
    def _on_change(self, change: Change) -> None:
        if change is Change.NOTES:
            self._read_marks()
        elif change in (Change.OPENED, Change.CAPTURES, Change.RUNS, Change.ENGAGEMENT):
            self.load()
        elif change is Change.CLOSED:
            self._tracks, self._marks = [], []
            self._resize_to_hosts()

    def load(self, *_: object) -> None:
        """Read what was captured when, off the GUI thread."""
        project = self._workspace.project
        if project is None or self._workspace.selection.extent is None:
            self._tracks = []
            self._resize_to_hosts()
            return
        self._read_marks()
        extent, bins = self.extent, max(int(self.area.width()), 200)

        def read(handle: Progress) -> list[HostTrack]:
            def envelope_of(info: SeriesInfo, span: TimeRange, cells: int) -> Envelope:
                handle.raise_if_cancelled()
                return read_envelope(project, info, span, cells)

            return host_tracks(browse.list_series(project), extent, bins, envelope_of)

        self._workspace.jobs.run(
            "cpu", read, owner=self, slot="tracks", on_result=lambda tracks: self._show_tracks(project, tracks)
        )

    def _show_tracks(self, project: object, tracks: list[HostTrack]) -> None:
        if project is not self._workspace.project:
            return
        self._tracks = tracks
        self._resize_to_hosts()

    @property
    def tracks(self) -> Sequence[HostTrack]:
        return self._tracks

    def _read_marks(self, *_: object) -> None:
        project, overview = self._workspace.project, self._workspace.overview
        if project is None or overview is None:
            return
        zone = self._workspace.zone
        names = {host.id: host_words(host.name) for host in overview.hosts}
        self._marks = event_marks(browse.events(project), names, zone) + note_marks(projects.list_notes(project), zone)
        self.update()

    # --- geometry
    @property
    def extent(self) -> TimeRange:
        return self._workspace.selection.extent or TimeRange(0, 1)

    @property
    def view(self) -> TimeRange:
        return self._workspace.selection.shown_range or self.extent

    @property
    def area(self) -> QRectF:
        """Where hosts are drawn; the windows' handles are above, the axis below."""
        return QRectF(
            NAMES_PX, HANDLES_PX, max(self.width() - NAMES_PX - EDGE_PX, 10), self.height() - HANDLES_PX - AXIS_PX
        )

    @property
    def host_px(self) -> float:
        """How high a host's line is: narrower the more there are, so that all of them leave the page its room."""
        hosts = max(len(self._tracks), 1)
        return max(min(HOST_PX, FEW_HOSTS_PX / hosts), min(LEAST_HOST_PX, MOST_HOSTS_PX / hosts))

    def _resize_to_hosts(self) -> None:
        self.updateGeometry()
        self.setFixedHeight(self.sizeHint().height())
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(600, round(HANDLES_PX + AXIS_PX + self.host_px * max(len(self._tracks), 1) + 4))

    def x_of(self, time_ns: int) -> float:
        return self.area.left() + (time_ns - self.extent.start_ns) / self.extent.span_ns * self.area.width()

    def time_at(self, x: float) -> int:
        return self.extent.start_ns + int((x - self.area.left()) / self.area.width() * self.extent.span_ns)

    def windows(self) -> dict[str, TimeRange]:
        chosen, overview = self._workspace.selection, self._workspace.overview
        runs = [view.run for view in overview.runs] if overview else []
        return window_ranges(chosen.before, chosen.after, runs) | self._drag.windows

    def occurrences(self, side: str) -> list[TimeRange]:
        """The occurrences of a window that has several, which its editor changes; else none."""
        chosen, overview = self._workspace.selection, self._workspace.overview
        window = chosen.before if side == "before" else chosen.after
        if window is None or overview is None or len(window.occurrences) < 2:
            return []
        return occurrence_ranges(window, [view.run for view in overview.runs])

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._tracks and abs(event.size().width() - event.oldSize().width()) > 60:
            self.load()

    # --- painting
    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = current_theme(), painter_on(self, "background")
        painter.fillRect(QRectF(0, 0, self.width(), 1), theme.border)
        painter.setFont(font_of(self, SMALL_PX))
        if self._workspace.selection.extent is None:
            write(painter, self.rect(), text("ui.navigator.empty"), theme.muted, CENTRE)
        else:
            self._paint_hosts(painter)
            self._paint_axis(painter)
            self._paint_windows(painter)
            self._paint_view(painter)
        if self.hasFocus():
            painter.fillRect(QRectF(0, 1, 3, self.height()), theme.accent)

    def _paint_hosts(self, painter: QPainter) -> None:
        theme, area = current_theme(), self.area
        painter.fillRect(area, theme.surface)
        for number, track in enumerate(self._tracks):
            top = area.top() + 2 + number * self.host_px
            height = self.host_px - 2 if self.host_px >= LEAST_HOST_PX else max(self.host_px, 1)
            if self.host_px >= 10:
                metrics, words = painter.fontMetrics(), host_words(track.host)
                name = metrics.elidedText(words, Qt.TextElideMode.ElideMiddle, NAMES_PX - 18)
                write(painter, QRectF(12, top, NAMES_PX - 16, height), name, theme.muted)
            self._paint_track(painter, track, top, height)
        for mark in self._marks:
            x = self.x_of(mark.time_ns)
            painter.fillRect(QRectF(round(x), area.bottom() - 4, 2, 4), mark_colour(mark.kind))

    def _paint_track(self, painter: QPainter, track: HostTrack, top: float, height: float) -> None:
        """Paints bars as high as the share of captures at work, the load inside them, darker."""
        theme, area = current_theme(), self.area
        pale, dark = theme.tint(theme.muted, 0.28), theme.tint(theme.muted, 0.75)
        cell = area.width() / track.share.size
        for first, last, share in runs_of(track.share):
            rise = height * (0.35 + 0.65 * share)
            painter.fillRect(QRectF(area.left() + first * cell, top + height - rise, (last - first) * cell, rise), pale)
        for index in np.flatnonzero(track.profile > 0).tolist():
            rise = height * track.profile[index]
            painter.fillRect(QRectF(area.left() + index * cell, top + height - rise, max(cell, 1), rise), dark)

    def _paint_axis(self, painter: QPainter) -> None:
        theme, area, zone = current_theme(), self.area, self._workspace.zone
        label = QRectF(12, area.bottom() + 1, NAMES_PX - 16, AXIS_PX)
        write(painter, label, zone_text(self.extent, zone), theme.muted)
        free_from = area.left()
        for tick in time_ticks(self.extent, zone, language().code, most_ticks(area.width())):
            x, width = self.x_of(tick.time_ns), painter.fontMetrics().horizontalAdvance(tick.text)
            painter.fillRect(QRectF(round(x), area.bottom(), 1, 3), theme.border)
            if x - width / 2 >= free_from and x + width / 2 <= self.width() - 2:
                box = QRectF(x - width / 2 - 1, area.bottom() + 1, width + 2, AXIS_PX)
                write(painter, box, tick.text, theme.muted, CENTRE)
                free_from = x + width / 2 + 10

    def _paint_windows(self, painter: QPainter) -> None:
        area = self.area
        for side, span in self.windows().items():
            colour = current_theme().phase_colour(side)
            for window in self.occurrences(side) or [span]:
                left, right = self.x_of(window.start_ns), max(self.x_of(window.end_ns), self.x_of(window.start_ns) + 3)
                painter.fillRect(QRectF(left, area.top(), right - left, area.height()), faded(colour, 0.18))
                painter.setPen(side_pen(side, colour))
                for x in (left, right):
                    painter.drawLine(QPointF(round(x) + 0.5, area.top()), QPointF(round(x) + 0.5, area.bottom()))
                painter.fillRect(self.handle_of(window), colour)
            self._paint_word(painter, side, self.x_of(span.start_ns), self.x_of(span.end_ns), colour)

    def handle_of(self, span: TimeRange) -> QRectF:
        left, right = self.x_of(span.start_ns), self.x_of(span.end_ns)
        return QRectF(left, HANDLES_PX - 4, max(right - left, 4), 4)

    def _paint_word(self, painter: QPainter, side: str, left: float, right: float, colour: QColor) -> None:
        words = text(f"ui.compare.side.{side}")
        width = painter.fontMetrics().horizontalAdvance(words)
        x = min(max(left, self.area.left()), self.width() - width - 4)
        if side == "after" and "before" in self.windows():
            # Two windows of one day stand close together: the second word steps aside.
            start = max(self.x_of(self.windows()["before"].start_ns), self.area.left())
            taken = start + painter.fontMetrics().horizontalAdvance(text("ui.compare.side.before")) + 8
            if start - width - 8 < x < taken:
                x = min(taken, self.width() - width - 4)
        painter.setPen(colour)
        painter.drawText(QPointF(x, HANDLES_PX - 6), words)

    def _paint_view(self, painter: QPainter) -> None:
        theme, area = current_theme(), self.area
        shown = self._drag.picked or (self.view if self._workspace.selection.range is not None else None)
        if shown is not None:
            left, right = self.x_of(shown.start_ns), self.x_of(shown.end_ns)
            veil = faded(theme.background, 0.6)
            painter.fillRect(QRectF(area.left(), area.top(), left - area.left(), area.height()), veil)
            painter.fillRect(QRectF(right, area.top(), area.right() - right, area.height()), veil)
            painter.setPen(QPen(theme.accent, 1))
            width = max(round(right - left) - 1, 2)
            painter.drawRect(QRectF(round(left) + 0.5, area.top() + 0.5, width, area.height() - 1))
            for x in (left, right):
                painter.fillRect(QRectF(round(x) - 1.5, area.center().y() - 6, 4, 12), theme.accent)
        cursor_ns = self._workspace.selection.cursor_ns
        if cursor_ns is not None and self.extent.contains(cursor_ns):
            painter.fillRect(QRectF(round(self.x_of(cursor_ns)), area.top(), 1, area.height()), theme.text)

    # --- mouse
    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self._workspace.selection.extent is not None:
            self._drag.begin(event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton and self._drag.is_under_way:
            self._drag.move_to(event.position())
            return
        shape = self._drag.shape_at(event.position())
        if self.cursor().shape() != shape:
            self.setCursor(shape)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._drag.end_at(event.position())

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self._drag.cancel()
        self._workspace.selection.set_range(None)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self._workspace.selection.extent is not None and event.angleDelta().y():
            about_ns = min(max(self.time_at(event.position().x()), self.extent.start_ns), self.extent.end_ns)
            self._preview(self.view.zoomed(WHEEL_FACTOR ** (event.angleDelta().y() / 120), about_ns))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        view, key = self.view, event.key()
        if self._workspace.selection.extent is None:
            super().keyPressEvent(event)
        elif key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            self._preview(view.moved(int(view.span_ns * 0.15) * (-1 if key == Qt.Key.Key_Left else 1)))
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal, Qt.Key.Key_Minus):
            self._preview(view.zoomed(1 / 0.7 if key == Qt.Key.Key_Minus else 0.7, view.middle_ns))
        elif key == Qt.Key.Key_Home:
            self._workspace.selection.set_range(None)
        else:
            super().keyPressEvent(event)

    def _preview(self, wanted: TimeRange) -> None:
        self._workspace.selection.preview_range(wanted.within(self.extent))
        self._commit.start()

    def keep_view(self) -> None:
        self._commit.stop()
        self._workspace.selection.set_range(self._workspace.selection.range)

    def tip_at(self, position: QPointF) -> str:
        if self._workspace.selection.extent is None or not self.area.left() <= position.x() <= self.area.right():
            number = int((position.y() - self.area.top()) // self.host_px)
            if 0 <= number < len(self._tracks):
                track = self._tracks[number]
                return text("ui.navigator.tip.host", host=host_words(track.host), series=track.series)
            return ""
        near = [mark for mark in self._marks if abs(self.x_of(mark.time_ns) - position.x()) < 4]
        when = stamp_text(self.time_at(position.x()) // 1_000_000_000 * 1_000_000_000, self._workspace.zone)
        return "\n".join([when, *(mark.detail for mark in near[:6])])


def runs_of(share: np.ndarray) -> list[tuple[int, int, float]]:
    """Stretches of equal share above zero: (first cell, cell after the last, share)."""
    if not share.size:
        return []
    edges = np.flatnonzero(np.diff(share)) + 1
    bounds = [0, *edges.tolist(), share.size]
    return [(a, b, float(share[a])) for a, b in pairwise(bounds) if share[a] > 0]
