"""What a range that was dragged leads to: a window, an exclusion, a note, evidence, and what else moved in it."""

from __future__ import annotations

import getpass
from collections.abc import Collection, Sequence

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QMenu, QWidget

from tunebench.analysis.exploring.time_range import TimeRange, whole_seconds
from tunebench.columns.time_ticks import stamp_text
from tunebench.domain.assembly import Span, overlap_of
from tunebench.domain.engagement import Phase
from tunebench.domain.series import SeriesInfo
from tunebench.domain.windows import Occurrence, Window
from tunebench.ui.charts.range_panel import RangePanel
from tunebench.ui.charts.shown_time import ShownTime
from tunebench.ui.comparing.window_book import WindowBook
from tunebench.ui.comparing.window_editor import WindowEditor
from tunebench.ui.look.language import text
from tunebench.ui.undo import AddNote, NoteNumbers, NoteTarget
from tunebench.ui.workspace import Workspace
from tunebench.usecases.exploring.moved import Moved
from tunebench.usecases.exploring.window_ranges import window_at


class RangeActs(QObject):
    """`turned`: the panel opened, closed, or needs another height."""

    turned = Signal()

    def __init__(self, workspace: Workspace, parent: QWidget) -> None:
        super().__init__(parent)
        self._workspace, self._window_of_editor = workspace, parent
        self._note_numbers = NoteNumbers()
        self.panel = RangePanel()
        self.pinning: TimeRange | None = None
        self.panel.side_set.connect(self.set_side)
        self.panel.noted.connect(self._add_note)
        self.panel.pinned.connect(self._pin)
        self.panel.window_asked.connect(lambda picked: self.ask_window([Occurrence(*picked.ends)]))
        self.panel.exclusion_asked.connect(self._ask_exclusion)
        self.panel.closed.connect(self.turned)

    def open(self, picked: TimeRange, view: TimeRange, shown: ShownTime, series: Collection[SeriesInfo]) -> None:
        """
        Args:
            series: among which is looked for what else moved.
        """
        zone, picked = self._workspace.zone, whole_seconds(picked, view)
        same_day = stamp_text(picked.start_ns, zone)[:10] == stamp_text(picked.end_ns, zone)[:10]
        words = text(
            "ui.timeline.range.words",
            start=stamp_text(picked.start_ns, zone, with_zone=False),
            end=stamp_text(picked.end_ns, zone, with_date=not same_day),
        )
        self.panel.open_with(picked, words, writable=self._workspace.writable)
        self.turned.emit()
        self._read_moved(picked, shown, list(series))

    def _read_moved(self, picked: TimeRange, shown: ShownTime, series: Sequence[SeriesInfo]) -> None:
        """Against the same hours of like days; inside a window against its own days alone."""
        from tunebench.usecases.exploring.moved import moved_in

        project, own = self._workspace.opened, [shown.ranges_of(side) for side in shown.pair()]
        alike = next(([span.ends for span in ranges] for ranges in own if any(map(picked.overlaps, ranges))), [])
        self._workspace.jobs.run(
            "cpu",
            lambda handle: moved_in(project, picked.ends, series, alike, handle),
            owner=self,
            slot="moved",
            on_result=self._show_moved,
        )

    def _show_moved(self, moved: Moved) -> None:
        self.panel.show_moved(moved)
        if not moved.rows:
            self.turned.emit()

    def set_side(self, side: str, picked: TimeRange) -> None:
        window = window_at(picked, self._workspace.run_views)
        if window is None:
            self._workspace.say(text("ui.timeline.range.no_run"), "warning")
            return
        self._workspace.selection.set_window(Phase(side), window)

    def ask_window(self, occurrences: Sequence[Occurrence]) -> None:
        """Proposes a window; further occurrences are added in the editor."""
        if occurrences and self._workspace.writable:
            window = Window(0, "", occurrences=tuple(occurrences))
            self._open_editor(WindowBook.of(self._workspace).proposed(window))

    def _ask_exclusion(self, picked: TimeRange) -> None:
        """Opens the kept window that the range lies in, of several the one that is chosen."""
        kept = WindowBook.of(self._workspace).windows
        inside = [window for window in kept if any(overlap_of(own.span, picked.ends) for own in window.occurrences)]
        if not inside:
            self._workspace.say(text("ui.window.exclude.none"), "warning")
        elif len(inside) == 1:
            self._open_editor(inside[0], picked.ends)
        else:
            menu = QMenu(self._window_of_editor)
            for window in inside:
                menu.addAction(window.name, lambda one=window: self._open_editor(one, picked.ends))
            menu.popup(QCursor.pos())

    def _open_editor(self, window: Window, excluded: Span | None = None) -> None:
        WindowEditor(self._workspace, window, None, excluded, self._window_of_editor).open()

    def _pin(self, picked: TimeRange) -> None:
        self.pinning = picked
        self._workspace.commands.action("evidence.pin").trigger()
        self.pinning = None

    def _add_note(self, picked: TimeRange, words: str) -> None:
        target = NoteTarget("time", None, picked.start_ns)
        self._workspace.undo.push(AddNote(self._workspace, self._note_numbers, target, words, getpass.getuser()))
