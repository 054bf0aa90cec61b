"""Timeline: stacked rows that share one time, the tree of series beside them, the samples as a table below."""

from __future__ import annotations

import getpass
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeVar
from zoneinfo import ZoneInfo

from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtGui import QCursor, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from tunebench.analysis.comparing.comparison import thing_key
from tunebench.core.records import record
from tunebench.domain.assembly import Span, overlap_of
from tunebench.domain.engagement import Phase, Run
from tunebench.domain.series import SeriesInfo, is_period_mean
from tunebench.domain.windows import Occurrence, Window
from tunebench.ui.charts.default_series import companions, database_rows, default_rows
from tunebench.ui.charts.gestures import RangePopover
from tunebench.ui.charts.lines import ChartWindow, Mark
from tunebench.ui.charts.outline import begins_of
from tunebench.ui.charts.series_chooser import SeriesChooser
from tunebench.ui.charts.series_tree import branches_of
from tunebench.ui.charts.stack_view import StackView
from tunebench.ui.charts.table_pane import TablePane
from tunebench.ui.charts.ticks import stamp_text
from tunebench.ui.charts.time_axis import event_marks, note_marks, period_marks, uncaptured_marks
from tunebench.ui.charts.time_range import CaptureSpans, TimeRange, day_around, hour_around, whole_seconds
from tunebench.ui.charts.windows import occurrence_ranges, window_at
from tunebench.ui.comparing.window_book import WindowBook
from tunebench.ui.comparing.window_editor import WindowEditor
from tunebench.ui.cycle.evidence_menu import add_pin
from tunebench.ui.cycle.evidence_offer import Offer, of_window
from tunebench.ui.inspected import Inspected, InspectedCapture, InspectedEvent, InspectedRun, InspectedSeries
from tunebench.ui.look.formats import format_count
from tunebench.ui.look.language import language, text, translated
from tunebench.ui.look.theme import Theme
from tunebench.ui.pages.base import CAPTURED, Page
from tunebench.ui.undo import AddNote, NoteNumbers, NoteTarget
from tunebench.ui.widgets.parts import EmptyState, button, label, row, splitter, stacked
from tunebench.ui.workspace import Change, Workspace
from tunebench.usecases import browse, projects
from tunebench.usecases.projects import ArtefactInfo, Project

if TYPE_CHECKING:
    from tunebench.usecases.databases.periods import PeriodSpan

T = TypeVar("T")
COMMIT_MS = 400
"""A wheel that rests this long has found its view: it goes into the history."""
CHOOSER_PX = 236
CHOOSER_FROM_PX = 860
PAN_SHARE = 0.15
ZOOM_FACTOR = 0.7


@record
class _Defaults:
    """Series of one run, row by row, and the rows with the other captures of the same things."""

    rows: list[list[int]]
    through_all_runs: list[list[int]]


class TimelinePage(Page):
    page_id = "timeline"
    title_key = "ui.page.timeline"
    icon = "timeline"

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(workspace, parent)
        self._project: Project | None = None
        self._series: dict[int, SeriesInfo] = {}
        self._busy_sharing = False
        self._folds = True
        self._note_numbers = NoteNumbers()
        self._last_cursor_ns: int | None = None
        self._dragged: dict[str, TimeRange] = {}
        self._picked: TimeRange | None = None
        self._periods: list[PeriodSpan] = []
        self._captures = CaptureSpans()
        self.chooser = SeriesChooser(self._read_branches)
        self.charts = translated(StackView(workspace.jobs), accessibleName="ui.page.timeline")
        self.table = TablePane(workspace.jobs)
        self.table.hide()
        self.popover = RangePopover(self)
        self._commit = QTimer(self, singleShot=True, interval=COMMIT_MS)
        self._lay_out()
        self._connect()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.add_commands(
            "analyse",
            3,
            "ui.timeline.command",
            ("find", ("Ctrl+F",), self.find_series),
            ("defaults", (), self.show_defaults),
            ("database", (), self.show_database),
            ("table", ("Ctrl+T",), self._table_button.click),
        )
        self.start()

    # --- building
    def _lay_out(self) -> None:
        self._title = self.title()
        self._where = label(role="muted")
        self._outside = button(kind="link", on_click=self.show_outside)
        self._outside.hide()
        self._spans = {
            name: translated(button(), f"ui.timeline.span.{name}", toolTip=f"ui.timeline.span.{name}.tip")
            for name in ("hour", "day", "all")
        }
        self._database_button = translated(
            button(on_click=self.show_database),
            "ui.timeline.database_and_host",
            toolTip="ui.timeline.database_and_host.tip",
        )
        self._database_button.hide()
        self._table_button = translated(QPushButton(), "ui.timeline.table", toolTip="ui.timeline.table.tip")
        self._chooser_button = translated(QPushButton(), "ui.timeline.chooser.name", toolTip="ui.timeline.chooser.tip")
        for toggle in (self._table_button, self._chooser_button):
            toggle.setCheckable(True)
        self._chooser_button.setChecked(True)
        head = row(
            self._title,
            self._where,
            self._outside,
            1,
            self._database_button,
            *self._spans.values(),
            self._chooser_button,
            self._table_button,
        )
        nothing_shown = EmptyState(
            "timeline",
            "ui.timeline.nothing_shown",
            (("ui.timeline.show_defaults", self.show_defaults), ("ui.timeline.find_series", self.find_series)),
        )
        self._middle = stacked(self.charts, nothing_shown)
        self.chooser.setMinimumWidth(150)
        down = splitter(self._middle, self.table, down=True, shares=(3, 2))
        across = splitter(self.chooser, down, sizes=(CHOOSER_PX, 900), shares=(0, 1))
        self._empty = self.captures_wanted("ui.timeline.empty")
        self._pages = self.stack_parts(head, (across, 1), empty=self._empty)

    def _connect(self) -> None:
        chosen = self.workspace.selection
        chosen.range_changed.connect(self._on_range)
        chosen.extent_changed.connect(self._on_range)
        chosen.series_changed.connect(self._on_series)
        chosen.windows_changed.connect(lambda _b, _a: self._show_windows())
        chosen.cursor_changed.connect(self._on_cursor)
        self._spans["hour"].clicked.connect(lambda: self._show_span(hour_around(self._focus_ns)))
        self._spans["day"].clicked.connect(lambda: self._show_span(day_around(self._focus_ns, self.workspace.zone)))
        self._spans["all"].clicked.connect(self.show_all)
        self._table_button.toggled.connect(self._toggle_table)
        self._chooser_button.toggled.connect(self.chooser.setVisible)
        self._chooser_button.clicked.connect(self._forget_width)
        self._commit.timeout.connect(self._keep_view)
        self.chooser.toggled.connect(self._on_toggled)
        self.chooser.picked.connect(lambda key: self._inspect(key, None))
        self.charts.stack.arranged.connect(self._on_arranged)
        self.charts.view_requested.connect(self.request_view)
        self.charts.cursor_moved.connect(chosen.set_cursor)
        self.charts.range_picked.connect(self._on_picked)
        self.charts.window_dragged.connect(self._on_window_dragged)
        self.charts.clicked.connect(self._on_clicked)
        self.charts.reset_requested.connect(self.show_all)
        self.charts.menu_asked.connect(self._add_to_menu)
        self.charts.strip.picked.connect(self._on_mark)
        self.popover.zoomed.connect(self._show_span)
        self.popover.side_set.connect(self._set_side)
        self.popover.noted.connect(self._add_note)
        self.popover.pinned.connect(self._pin)
        self.popover.window_asked.connect(self._ask_window)
        self.popover.exclusion_asked.connect(self._ask_exclusion)
        self.popover.closed.connect(lambda: self.charts.stack.show_picked(None))

    # --- the page's life
    def enter(self) -> None:
        super().enter()
        self.setFocus()

    def fill(self) -> None:
        self._load(self.workspace.opened)

    def leave(self) -> None:
        self.popover.dismiss()

    def show_argument(self, argument: object) -> None:
        """A run or a series to show; anything else is left alone."""
        run = getattr(argument, "run", argument)
        if isinstance(run, Run):
            self._show_run(run)
        elif isinstance(argument, SeriesInfo):
            self._add([argument.id])
        elif isinstance(argument, int) and argument in self._series:
            self._add([argument])

    def project_changed(self, change: Change) -> None:
        if change is Change.OPENED and self._project is self.workspace.project:
            return  # it was entered before it heard
        if change is Change.NOTES:
            self._load_marks()
        elif change in CAPTURED:
            if change in (Change.OPENED, Change.CLOSED):
                self.charts.stack.arrangement.show_only([])
                self.charts.use(None, {}, self.workspace.zone)
                self.charts.refresh_rows()
                self.table.use(None)
                self._commit.stop()
                self.workspace.jobs.drop(self)
                self._project, self._series = None, {}
                self._captures = CaptureSpans()
            self.outdate()

    def _load(self, project: Project) -> None:
        self.workspace.jobs.drop(self)
        self._project, self._periods = project, []
        self._captures = CaptureSpans(self.workspace.run_views)
        self._series = {info.id: info for info in browse.list_series(project)}
        self._pages.setCurrentIndex(0 if self._series else 1)
        self.charts.use(project, self._series, self.workspace.zone)
        self.table.use(project)
        self.charts.set_meaning(self._meaning)
        self.chooser.show_series(self._series.values(), self.workspace.zone, self._about)
        self._database_button.setVisible(bool(self.charts.databases))
        self._load_marks()
        if self.charts.databases:
            self._load_periods()
        arrangement = self.charts.stack.arrangement
        arrangement.show_only([key for key in arrangement.keys if key in self._series])
        self._on_series(self.workspace.selection.series)
        if not arrangement.rows and self._series:
            self.show_defaults()
        self._on_range(None)
        self._show_windows()

    def _read_branches(self, series: Sequence[SeriesInfo]) -> None:
        self._read("branches", lambda _project: branches_of(series), self.chooser.take)

    def _load_periods(self) -> None:
        """Reads the periods of the figures of databases, and what is wrong with them."""
        from tunebench.usecases.databases.periods import period_spans

        self._read("periods", period_spans, self._take_periods)

    def _take_periods(self, periods: list[PeriodSpan]) -> None:
        self._periods = periods
        self.charts.show_periods(begins_of(periods))
        self._load_marks()

    def _read(self, slot: str, work: Callable[[Project], T], take: Callable[[T], None]) -> None:
        """Reads on another thread."""
        project = self._project
        if project is not None:
            self.workspace.jobs.run("cpu", lambda _handle: work(project), owner=self, slot=slot, on_result=take)

    def _load_marks(self) -> None:
        if self._project is None or self.workspace.overview is None:
            return
        zone = self.workspace.zone
        names = {host.id: host.name for host in self.workspace.overview.hosts}
        marks = event_marks(browse.events(self._project), names, zone)
        marks += note_marks(projects.list_notes(self._project), zone)
        marks += uncaptured_marks(period_marks(self._periods, zone), marks)
        self.charts.show_marks(marks)

    # --- which series
    def show_defaults(self) -> None:
        """CPU, queue, busiest disk and memory of the opening run's first host, through all runs."""
        run = self._opening_run(self._series.values())
        if run is not None:
            self._show_run(run)

    def _opening_run(self, series: Iterable[SeriesInfo]) -> Run | None:
        """The run that is looked at, itself or a capture of it, else the newest, of those with any of these series."""
        having = {info.run_id for info in series}
        with_data = [run for run in self.workspace.runs if run.id in having]
        looked_at = [run for run in with_data if run.id == _run_of(self.workspace.looked_at)]
        return max(looked_at or with_data, key=lambda run: (not run.dated_by_file, run.last_ns or 0), default=None)

    def _looked_at_in(self, run: Run) -> ArtefactInfo | None:
        """The capture of the run that is looked at: what came later would push it out of sight."""
        shown = self.workspace.looked_at
        return shown.artefact if isinstance(shown, InspectedCapture) and shown.artefact.run_id == run.id else None

    def _show_run(self, run: Run) -> None:
        series, stretch = self._series, self._stretch_of(run)

        def rows_of(project: Project) -> list[list[int]]:
            own = [info for info in series.values() if info.run_id == run.id]
            own = [info for info in own if stretch is not None and _in_sight(info, stretch)] or own
            first_host = [info for info in own if info.host_id == own[0].host_id]
            return default_rows(first_host, partial(_load_of, project))

        if any(info.run_id == run.id for info in series.values()):
            self._read_defaults(rows_of, run)

    def _read_defaults(self, rows_of: Callable[[Project], list[list[int]]], run: Run, *, alone: bool = False) -> None:
        """
        Args:
            alone: nothing else stays shown.
        """
        series = self._series

        def read(project: Project) -> _Defaults:
            rows = rows_of(project)
            return _Defaults(rows, companions(rows, series))

        self._read("defaults", read, lambda defaults: self._take_defaults(defaults, run, alone))

    def _take_defaults(self, defaults: _Defaults, run: Run, alone: bool) -> None:
        if alone:
            self.charts.stack.arrangement.show_only([])
        arrangement, wanted = self.charts.stack.arrangement, [key for keys in defaults.rows for key in keys]
        if not set(arrangement.keys) & set(wanted):
            for keys in defaults.through_all_runs:
                arrangement.add(keys)
            self._on_arranged()
            self.chooser.reveal(wanted)
        stretch = self._stretch_of(run)
        if stretch is not None:
            self._commit.stop()
            self.workspace.selection.set_range(stretch)

    def _stretch_of(self, run: Run) -> TimeRange | None:
        """What the run opens on: its newest captures."""
        stretch = self._captures.newest_of(run.id, self._looked_at_in(run))
        if stretch is None and run.first_ns is not None and run.last_ns is not None and run.first_ns < run.last_ns:
            return TimeRange(run.first_ns, run.last_ns)
        return stretch

    def show_database(self) -> None:
        """Shows only a database's waits and what its host did in the same hours, through all runs."""
        first = self._opening_run([info for info in self._series.values() if is_period_mean(info)])
        if first is None:
            return
        own = [info for info in self._series.values() if info.run_id == first.id]
        self._read_defaults(lambda project: database_rows(own, partial(_load_of, project)), first, alone=True)

    def find_series(self) -> None:
        self._folds = False
        self._chooser_button.setChecked(True)
        self.chooser.search.setFocus()

    def _on_toggled(self, keys: Sequence[int], wanted: bool) -> None:
        if wanted:
            self._add(keys)
        else:
            self.charts.stack.arrangement.remove(keys)
            self._on_arranged()

    def _add(self, keys: Sequence[int]) -> None:
        """Show series; one that continues a shown line (another capture of the same thing) joins its row."""
        arrangement = self.charts.stack.arrangement
        for key in keys:
            own = thing_key(self._series[key])
            kin = next((k for k in arrangement.keys if k in self._series and thing_key(self._series[k]) == own), None)
            home = arrangement.row_of(kin) if kin is not None else None
            if home is not None:
                arrangement.overlay([key], home.id)
            else:
                arrangement.add([key])
        self._on_arranged()

    def _on_series(self, keys: tuple[int, ...]) -> None:
        """Follows the search or the tree, which changed the series that are shown."""
        if self._busy_sharing:
            return
        shown = [key for key in keys if key in self._series]
        arrangement = self.charts.stack.arrangement
        arrangement.remove([key for key in arrangement.keys if key not in shown])
        new = [key for key in shown if arrangement.row_of(key) is None]
        self._add(new)

    def _on_arranged(self) -> None:
        keys = self.charts.stack.arrangement.keys
        self._middle.setCurrentIndex(0 if keys else 1)
        self.chooser.check(keys)
        self.charts.refresh_rows()
        self._show_windows()
        self._busy_sharing = True
        self.workspace.selection.set_series(keys)
        self._busy_sharing = False
        self._read_table()

    # --- time
    @property
    def bounds(self) -> TimeRange:
        return self.workspace.selection.extent or TimeRange(0, 1_000_000_000)

    @property
    def view(self) -> TimeRange:
        return self.workspace.selection.shown_range or self.bounds

    @property
    def _focus_ns(self) -> int:
        """The middle of attention: the last cursor where it is in sight, else the middle of the view."""
        last = self._last_cursor_ns
        return last if last is not None and self.view.contains(last) else self.view.middle_ns

    def request_view(self, wanted: TimeRange, finished: bool) -> None:
        inside = wanted.within(self.bounds)
        self.workspace.selection.preview_range(inside)
        if finished:
            self._commit.stop()
            self._keep_view()
        else:
            self._commit.start()

    def _keep_view(self) -> None:
        self.workspace.selection.set_range(self.workspace.selection.range)

    def _show_span(self, span: TimeRange) -> None:
        self._commit.stop()
        self.workspace.selection.set_range(span.within(self.bounds))

    def show_all(self) -> None:
        self._commit.stop()
        self.workspace.selection.set_range(None)

    def show_outside(self) -> None:
        """All runs' time; from there on what lies beyond it, by nothing but a file's date."""
        if self.workspace.selection.range is not None:
            self.show_all()
        else:
            self.workspace.selection.set_range(self.workspace.selection.everything)

    def _on_range(self, _range: object) -> None:
        self.popover.dismiss()
        self.charts.show_view(self.view)
        self._say_outside()
        self._read_table()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Folds the tree away on a narrow page until it is asked for: the data has the room."""
        super().resizeEvent(event)
        if self._folds:
            self._chooser_button.setChecked(event.size().width() >= CHOOSER_FROM_PX)

    def _forget_width(self) -> None:
        """Once folded or opened by hand, the tree stays so."""
        self._folds = False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        view, key = self.view, event.key()
        if key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            share = PAN_SHARE * (4 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)
            self.request_view(view.moved(int(view.span_ns * share) * (-1 if key == Qt.Key.Key_Left else 1)), False)
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self.request_view(view.zoomed(ZOOM_FACTOR, self._focus_ns), False)
        elif key in (Qt.Key.Key_Minus, Qt.Key.Key_Underscore):
            self.request_view(view.zoomed(1 / ZOOM_FACTOR, self._focus_ns), False)
        elif key == Qt.Key.Key_Home:
            self._show_span(TimeRange(self.bounds.start_ns, self.bounds.start_ns + view.span_ns))
        elif key == Qt.Key.Key_End:
            self._show_span(TimeRange(self.bounds.end_ns - view.span_ns, self.bounds.end_ns))
        elif key == Qt.Key.Key_0:
            self.show_all()
        elif key == Qt.Key.Key_Escape:
            self.popover.dismiss()
        else:
            super().keyPressEvent(event)

    # --- cursor
    def _on_cursor(self, time_ns: int | None) -> None:
        if time_ns is not None:
            self._last_cursor_ns = time_ns
        self.charts.show_cursor(time_ns)
        self._say_where()

    def _say_where(self) -> None:
        cursor_ns = self.workspace.selection.cursor_ns
        if cursor_ns is not None:
            self._where.setText(text("ui.timeline.cursor", time=self.charts.cursor_words()))
        else:
            self._where.setText(_zone_words(self.workspace.zone, self.view))

    def _say_outside(self) -> None:
        """Says how many captures lie outside the view, with the way to them."""
        outside = self._captures.outside(self.view)
        self._outside.setVisible(bool(outside.count))
        key = "ui.timeline.outside.by_file" if outside.by_file == outside.count else "ui.timeline.outside"
        self._outside.setText(text(key, count=format_count(outside.count)))
        tip = text("ui.timeline.outside.tip", earlier=format_count(outside.earlier), later=format_count(outside.later))
        hint = text("ui.timeline.outside.by_file.tip", count=format_count(outside.by_file)) if outside.by_file else ""
        self._outside.setToolTip("\n".join(part for part in (tip, hint) if part))

    def _on_clicked(self, row_id: int, time_ns: int) -> None:
        self.popover.dismiss()
        row = self.charts.stack.arrangement.row(row_id)
        covering = [key for key in row.keys if key in self.charts.readings] if row else []
        if row and (covering or row.keys):
            key = (covering or row.keys)[0]
            if key in self._series and is_period_mean(self._series[key]) and covering:
                time_ns = self.charts.readings[key][0]  # the sample of the whole period
            self._inspect(key, time_ns if covering else None)

    def _inspect(self, key: int, time_ns: int | None) -> None:
        if key in self._series:
            view = self.view
            self.workspace.inspect(InspectedSeries(self._series[key], time_ns, view.start_ns, view.end_ns))

    def _on_mark(self, mark: Mark) -> None:
        if not self.view.contains(mark.time_ns):
            self._show_span(self.view.moved(mark.time_ns - self.view.middle_ns))
        self.workspace.selection.set_cursor(mark.time_ns)
        if mark.stored is not None:
            self.workspace.inspect(InspectedEvent(mark.stored))

    # --- windows and notes
    def _on_picked(self, picked: TimeRange, position: QPoint) -> None:
        zone, picked = self.workspace.zone, whole_seconds(picked, self.view)
        same_day = stamp_text(picked.start_ns, zone)[:10] == stamp_text(picked.end_ns, zone)[:10]
        words = text(
            "ui.timeline.range.words",
            start=stamp_text(picked.start_ns, zone, with_zone=False),
            end=stamp_text(picked.end_ns, zone, with_date=not same_day),
        )
        self.popover.open_at(picked, words, self.mapFromGlobal(position), writable=self.workspace.writable)

    def _set_side(self, side: str, picked: TimeRange) -> None:
        window = window_at(picked, self.workspace.run_views)
        if window is None:
            self.workspace.say(text("ui.timeline.range.no_run"), "warning")
            return
        self.workspace.selection.set_window(Phase(side), window)

    def _ask_window(self, picked: TimeRange) -> None:
        """Proposes a window of the range; further occurrences are added in the editor."""
        window = Window(0, "", occurrences=(Occurrence(picked.start_ns, picked.end_ns),))
        self._open_editor(WindowBook.of(self.workspace).proposed(window))

    def _ask_exclusion(self, picked: TimeRange) -> None:
        """Opens the kept window that the range lies in, of several the one that is chosen."""
        span = (picked.start_ns, picked.end_ns)
        kept = WindowBook.of(self.workspace).windows
        inside = [
            window for window in kept if any(overlap_of(occurrence.span, span) for occurrence in window.occurrences)
        ]
        if not inside:
            self.workspace.say(text("ui.window.exclude.none"), "warning")
        elif len(inside) == 1:
            self._open_editor(inside[0], span)
        else:
            menu = QMenu(self)
            for window in inside:
                menu.addAction(window.name, lambda one=window: self._open_editor(one, span))
            menu.popup(QCursor.pos())

    def _open_editor(self, window: Window, excluded: Span | None = None) -> None:
        WindowEditor(self.workspace, window, None, excluded, self).open()

    def _on_window_dragged(self, side: str, moved: TimeRange, finished: bool) -> None:
        moved = whole_seconds(moved, self.view)
        if finished:
            self._dragged.pop(side, None)
            self._set_side(side, moved)
        else:
            self._dragged[side] = moved
        self._show_windows()

    def _show_windows(self) -> None:
        chosen, runs = self.workspace.selection, self.workspace.runs
        self.charts.show_windows(
            [
                ChartWindow(side, span, lane=int(side == "after"), movable=len(spans) == 1)
                for side, window in (("before", chosen.before), ("after", chosen.after))
                for spans in ([self._dragged[side]] if side in self._dragged else occurrence_ranges(window, runs),)
                for span in spans
            ]
        )

    def to_pin(self) -> Offer | None:
        """The series shown, over the range that was dragged, else over what is in sight."""
        span = self._picked or self.view
        return of_window(self.charts.infos(), span, self.workspace.zone)

    def _pin(self, picked: TimeRange) -> None:
        self._picked = picked
        self.workspace.commands.action("evidence.pin").trigger()
        self._picked = None

    def _add_to_menu(self, menu: QMenu) -> None:
        menu.addSeparator()
        add_pin(menu, self.workspace)

    def _add_note(self, picked: TimeRange, words: str) -> None:
        target = NoteTarget("time", None, picked.start_ns)
        self.workspace.undo.push(AddNote(self.workspace, self._note_numbers, target, words, getpass.getuser()))

    # --- table
    def _toggle_table(self, wanted: bool) -> None:
        self.table.setVisible(wanted)
        self._read_table()

    def _read_table(self) -> None:
        if self._table_button.isChecked() and self._project is not None:
            self.table.ask(self.charts.infos(), self.view, self.workspace.zone)

    # --- words and colours
    def _meaning(self, info: SeriesInfo) -> str:
        return browse.metric_meaning(info, language().code)

    def _about(self, key: int) -> str:
        info = self._series[key]
        return "\n".join(part for part in (info.metric, self._meaning(info)) if part)

    def retranslate(self, language: str) -> None:
        self.chooser.retranslate()
        self.table.retranslate()
        self._load_marks()
        self.charts.refresh_rows()
        self._say_where()
        self._say_outside()

    def apply_theme(self, theme: Theme) -> None:
        self.charts.refresh_rows()


def _load_of(project: Project, key: int) -> float:
    return browse.statistics(project, key, None, None).mean or 0.0


def _run_of(shown: Inspected | None) -> int | None:
    match shown:
        case InspectedRun(view):
            return view.run.id
        case InspectedCapture(artefact):
            return artefact.run_id
    return None


def _in_sight(info: SeriesInfo, view: TimeRange) -> bool:
    return (
        info.first_ns is not None
        and info.last_ns is not None
        and (info.first_ns <= view.end_ns and info.last_ns >= view.start_ns)
    )


def _zone_words(zone: ZoneInfo, view: TimeRange) -> str:
    short = stamp_text(view.start_ns, zone).rsplit(" ", 1)[-1]
    return zone.key if short.startswith(("+", "-")) else f"{zone.key} ({short})"
