"""How one moves through the time that is drawn: frames, spans, keys, and the menu of all of these."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QMenu, QPushButton

from tunebench.analysis.exploring.time_range import TimeRange, day_around, hour_around
from tunebench.ui.charts.shown_time import Frame, ShownTime
from tunebench.ui.look.language import text
from tunebench.ui.widgets.parts import button
from tunebench.ui.workspace import Workspace
from tunebench.usecases.exploring.opening import Opening

COMMIT_MS = 400
"""A wheel that rests this long has found its view: it goes into the history."""
PAN_SHARE, ZOOM_FACTOR = 0.15, 0.7


class TimeSteering(QObject):
    """`moved`: another view, another frame, or both. `button` says the frame and opens the menu."""

    moved = Signal()

    def __init__(self, workspace: Workspace, parent: QObject) -> None:
        super().__init__(parent)
        self._workspace, self._selection = workspace, workspace.selection
        self._fresh = True
        self._last_cursor_ns: int | None = None
        self.shown = ShownTime(workspace)
        self.button: QPushButton = button()
        self.menu = QMenu(self.button)
        self.button.setMenu(self.menu)
        self.menu.aboutToShow.connect(self._fill_menu)
        self._commit = QTimer(self, singleShot=True, interval=COMMIT_MS)
        self._commit.timeout.connect(self._keep_view)
        self._selection.range_changed.connect(self._follow)
        self._selection.extent_changed.connect(self._follow)

    # --- what is shown
    @property
    def bounds(self) -> TimeRange:
        """How far one can go."""
        return self.shown.bounds

    @property
    def view(self) -> TimeRange:
        return self._selection.shown_range or self.bounds

    def forget(self) -> None:
        """Another project, or none."""
        self._commit.stop()
        self.shown, self._fresh = ShownTime(self._workspace), True

    def open(self, opening: Opening) -> None:
        """Goes to what is looked at first, once for a project, unless somebody has gone anywhere."""
        first, self._fresh = self._fresh and self._selection.range is None, False
        if first:
            self.show(self.shown.open(opening))
        else:
            self.shown.opening = opening
        self.refresh()

    def refresh(self) -> None:
        """After the frame, the windows or the language changed."""
        self.button.setText(text("ui.timeline.frame", frame=self._words(self.shown.frame)))
        self.moved.emit()

    def _follow(self, chosen: object) -> None:
        if not self.shown.fits(self._selection.range):
            self.shown.frame = Frame.MEASURED
        self.refresh()

    def note_cursor(self, time_ns: int | None) -> None:
        self._last_cursor_ns = self._last_cursor_ns if time_ns is None else time_ns

    @property
    def _focus_ns(self) -> int:
        """The middle of attention: the last cursor where it is in sight, else the middle of the view."""
        last = self._last_cursor_ns
        return last if last is not None and self.view.contains(last) else self.view.middle_ns

    # --- going somewhere
    def request(self, wanted: TimeRange, finished: bool) -> None:
        self._selection.preview_range(wanted.within(self.bounds))
        if finished:
            self._keep_view()
        else:
            self._commit.start()

    def _keep_view(self) -> None:
        self.show(self._selection.range)

    def show(self, span: TimeRange | None) -> None:
        """That span, wherever it lies; None for all there is."""
        self._commit.stop()
        self._selection.set_range(span)

    def show_span(self, span: TimeRange) -> None:
        """That span, as far as the bounds go."""
        self.show(span.within(self.bounds))

    def show_hour(self) -> None:
        self.show_span(hour_around(self._focus_ns))

    def show_day(self) -> None:
        self.show_span(day_around(self._focus_ns, self._workspace.zone))

    def show_whole(self) -> None:
        """As far as the frame goes; from there all that was measured."""
        if self.shown.whole is not None and self.view != self.shown.whole:
            self.show_span(self.shown.whole)
        else:
            self.show_all()

    def show_all(self) -> None:
        self.show_frame(Frame.MEASURED)

    def show_frame(self, frame: Frame) -> None:
        self.shown.frame = frame
        self.show(self.shown.whole)
        self.refresh()

    def show_measured(self, span: TimeRange | None) -> None:
        """A stretch that was measured, whatever the frame is."""
        if span is not None:
            self.shown.frame = Frame.MEASURED
            self.show(span)
            self.refresh()

    def show_outside(self) -> None:
        """All runs' time; from there on what lies beyond it, by nothing but a file's date."""
        if self._selection.range is not None:
            self.show_all()
        else:
            self._selection.set_range(self._selection.everything)

    # --- menu and keys
    def _words(self, frame: Frame) -> str:
        suggested = frame is Frame.PAIR and self.shown.is_suggested
        return text(f"ui.timeline.frame.{frame}" + (".suggested" if suggested else ""))

    def _fill_menu(self) -> None:
        self.menu.clear()
        for frame in Frame:
            action = self.menu.addAction(self._words(frame), lambda one=frame: self.show_frame(one))
            action.setEnabled(self.shown.has(frame))
            action.setCheckable(True)
            action.setChecked(frame is self.shown.frame)
        self.menu.addSeparator()
        for name in ("hour", "day"):
            self.menu.addAction(self._workspace.commands.action(f"timeline.{name}"))

    def press(self, event: QKeyEvent) -> bool:
        """Whether the key moved anything."""
        view, bounds, key = self.view, self.bounds, event.key()
        if key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            share = PAN_SHARE * (4 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)
            self.request(view.moved(int(view.span_ns * share) * (-1 if key == Qt.Key.Key_Left else 1)), False)
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self.request(view.zoomed(ZOOM_FACTOR, self._focus_ns), False)
        elif key in (Qt.Key.Key_Minus, Qt.Key.Key_Underscore):
            self.request(view.zoomed(1 / ZOOM_FACTOR, self._focus_ns), False)
        elif key == Qt.Key.Key_Home:
            self.show_span(TimeRange(bounds.start_ns, bounds.start_ns + view.span_ns))
        elif key == Qt.Key.Key_End:
            self.show_span(TimeRange(bounds.end_ns - view.span_ns, bounds.end_ns))
        elif key == Qt.Key.Key_0:
            self.show_whole()
        else:
            return False
        return True
