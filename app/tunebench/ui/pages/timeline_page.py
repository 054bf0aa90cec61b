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
from tunebench.ui.charts.canvas import GUTTER_PX, MARGIN_PX
from tunebench.ui.charts.heat_pane import HeatPane
from tunebench.ui.charts.lines import Mark
from tunebench.ui.charts.outline import begins_of
from tunebench.ui.charts.range_panel import RangePanel
from tunebench.ui.charts.series_chooser import SeriesChooser
from tunebench.ui.charts.series_tree import branches_of
from tunebench.ui.charts.shown_time import Frame, ShownTime
from tunebench.ui.charts.stack_view import StackView
from tunebench.ui.charts.table_pane import TablePane
from tunebench.ui.charts.ticks import stamp_text
from tunebench.ui.charts.time_axis import event_marks, note_marks, period_marks, uncaptured_marks
from tunebench.ui.charts.time_range import SECOND_NS, CaptureSpans, TimeRange, day_around, hour_around, whole_seconds
from tunebench.ui.charts.windows import window_at
from tunebench.ui.comparing.window_book import WindowBook
from tunebench.ui.comparing.window_editor import WindowEditor
from tunebench.ui.cycle.cycle_controller import CycleController
from tunebench.ui.cycle.evidence_menu import add_pin
from tunebench.ui.cycle.evidence_offer import Offer, of_window
from tunebench.ui.inspected import (
    Inspected,
    InspectedCapture,
    InspectedEvent,
    InspectedHost,
    InspectedRun,
    InspectedSeries,
)
from tunebench.ui.look.formats import format_count
from tunebench.ui.look.language import language, text, translated
from tunebench.ui.look.theme import Theme
from tunebench.ui.pages.base import CAPTURED, Page
from tunebench.ui.undo import AddNote, NoteNumbers, NoteTarget
from tunebench.ui.widgets.parts import EmptyState, button, label, row, splitter, stacked, tab_bar
from tunebench.ui.workspace import Change, Workspace
from tunebench.usecases import browse, projects
from tunebench.usecases.exploring.heat import unlike_disk
from tunebench.usecases.exploring.opening import Opening, opening
from tunebench.usecases.exploring.strands import Strand, companions, database_rows, default_rows, reaches, telling_host
from tunebench.usecases.exploring.targets import Limit, limits_of, pinned_series
from tunebench.usecases.projects import ArtefactInfo, Project

if TYPE_CHECKING:
    from tunebench.usecases.databases.periods import PeriodSpan
    from tunebench.usecases.exploring.moved import Moved

T = TypeVar("T")
COMMIT_MS = 400
"""A wheel that rests this long has found its view: it goes into the history."""
CHOOSER_PX, PANEL_PX = 236, 340
"""The list of series and the panel of a range beside the plots."""
LEAST_PLOT = 0.7
"""Of the window's width: what stands beside the plots leaves them so much."""
VIEWS = ("lines", "devices", "hours", "table")
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
        self._note_numbers = NoteNumbers()
        self._last_cursor_ns: int | None = None
        self._dragged: dict[str, TimeRange] = {}
        self._picked: TimeRange | None = None
        self._periods: list[PeriodSpan] = []
        self._captures = CaptureSpans()
        self._limits: dict[int, Limit] = {}
        self._fresh = True
        self.shown = ShownTime(workspace)
        self.chooser = SeriesChooser(self._read_branches)
        self.charts = translated(StackView(workspace.jobs), accessibleName="ui.page.timeline")
        self.table = TablePane(workspace.jobs)
        self.range_panel = RangePanel()
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
            ("table", ("Ctrl+T",), self._toggle_table),
            ("hour", (), lambda: self._show_span(hour_around(self._focus_ns))),
            ("day", (), lambda: self._show_span(day_around(self._focus_ns, self.workspace.zone))),
        )
        self.start()

    # --- building
    def _lay_out(self) -> None:
        self._title = self.title()
        self._where = label(role="muted")
        self._outside = button(kind="link", on_click=self.show_outside)
        self._outside.hide()
        self.views = translated(tab_bar(*VIEWS), tabText=[f"ui.timeline.view.{name}" for name in VIEWS])
        self._times = button()
        self._times.setMenu(QMenu(self._times))
        self._times.menu().aboutToShow.connect(self._fill_times)
        self._chooser_button = translated(QPushButton(), "ui.timeline.chooser.name", toolTip="ui.timeline.chooser.tip")
        self._chooser_button.setCheckable(True)
        head = row(self._title, self.views, self._times, self._where, self._outside, 1, self._chooser_button)
        nothing_shown = EmptyState(
            "timeline",
            "ui.timeline.nothing_shown",
            (("ui.timeline.show_defaults", self.show_defaults), ("ui.timeline.find_series", self.find_series)),
        )
        self._middle = stacked(self.charts, nothing_shown)
        self.chooser.setMinimumWidth(150)
        self.heat = HeatPane(self.workspace)
        self._stack = stacked(self._middle, self.heat, self.table)
        self._drawers = splitter(self.chooser, self._stack, self.range_panel, shares=(0, 1, 0))
        self.chooser.hide()
        self._empty = self.captures_wanted("ui.timeline.empty")
        self._pages = self.stack_parts(head, (self._drawers, 1), empty=self._empty)

    def _connect(self) -> None:
        chosen = self.workspace.selection
        chosen.range_changed.connect(self._on_range)
        chosen.extent_changed.connect(self._on_range)
        chosen.series_changed.connect(self._on_series)
        chosen.windows_changed.connect(lambda _b, _a: self._show_windows())
        chosen.cursor_changed.connect(self._on_cursor)
        self.views.currentChanged.connect(self._on_view)
        self.heat.strand_chosen.connect(self._show_strand)
        self.heat.range_dragged.connect(self._show_span)
        self.heat.hours_dragged.connect(self._ask_hours)
        self._chooser_button.toggled.connect(self._toggle_chooser)
        self.workspace.inspected.connect(self._on_inspected)
        self._commit.timeout.connect(self._keep_view)
        self.chooser.toggled.connect(self._on_toggled)
        self.chooser.picked.connect(lambda key: self._inspect(key, None))
        self.charts.stack.arranged.connect(self._on_arranged)
        self.charts.view_requested.connect(self.request_view)
        self.charts.cursor_moved.connect(chosen.set_cursor)
        self.charts.range_picked.connect(self._on_picked)
        self.charts.window_dragged.connect(self._on_window_dragged)
        self.charts.clicked.connect(self._on_clicked)
        self.charts.reset_requested.connect(self.show_whole)
        self.charts.menu_asked.connect(self._add_to_menu)
        self.charts.strip.picked.connect(self._on_mark)
        self.range_panel.zoomed.connect(self._show_span)
        self.range_panel.side_set.connect(self._set_side)
        self.range_panel.noted.connect(self._add_note)
        self.range_panel.pinned.connect(self._pin)
        self.range_panel.window_asked.connect(self._ask_window)
        self.range_panel.exclusion_asked.connect(self._ask_exclusion)
        self.range_panel.closed.connect(self._end_range)
        self.range_panel.list.chosen.connect(self._add_strand)

    # --- the page's life
    def enter(self) -> None:
        super().enter()
        self.setFocus()

    def fill(self) -> None:
        self._load(self.workspace.opened)

    def leave(self) -> None:
        self.range_panel.dismiss()

    def show_argument(self, argument: object) -> None:
        """A run, a capture or a series to show; anything else is left alone."""
        run = getattr(argument, "run", argument)
        if isinstance(run, Run):
            self._show_run(run)
        elif isinstance(argument, ArtefactInfo):
            self._show_measured(self._captures.of_capture(argument))
        elif isinstance(argument, SeriesInfo):
            self._add([argument.id])
        elif isinstance(argument, int) and argument in self._series:
            self._add([argument])

    def project_changed(self, change: Change) -> None:
        if change is Change.OPENED and self._project is self.workspace.project:
            return  # it was entered before it heard
        if change is Change.NOTES:
            self._load_marks()
        elif change is Change.CYCLE:
            self._load_targets()
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
                self.shown, self._fresh = ShownTime(self.workspace), True
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
        self._load_marks()
        self._load_targets()
        self._read_opening()
        if self.charts.databases:
            self._load_periods()
        arrangement = self.charts.stack.arrangement
        arrangement.show_only([key for key in arrangement.keys if key in self._series])
        self._on_series(self.workspace.selection.series)
        self._on_range(None)
        self._show_windows()

    def _read_branches(self, series: Sequence[SeriesInfo]) -> None:
        self._read("branches", lambda _project: branches_of(series), self.chooser.take)

    def _read_opening(self) -> None:
        zone = self.workspace.zone
        self._read("opening", lambda project: opening(project, zone), self._take_opening)

    def _take_opening(self, read: Opening) -> None:
        first, self._fresh = self._fresh and self.workspace.selection.range is None, False
        if first:
            self._show_framed(self.shown.open(read))
        else:
            self.shown.opening = read
        if not self.charts.stack.arrangement.rows and self._series:
            self.show_defaults()
        self._show_times()

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

    def _load_targets(self) -> None:
        """What the cycle says of the series."""
        if self._project is not None:
            book = CycleController.of(self.workspace).book
            self._limits = limits_of(list(self._series.values()), book)
            self.charts.show_targets(self._limits, pinned_series(book))

    # --- which series
    def show_defaults(self) -> None:
        """CPU, queue, busiest disk and memory of the opening run's first host, through all runs."""
        run = self._opening_run(self._series.values())
        if run is not None:
            self._show_rows_of(run)

    def _opening_run(self, series: Iterable[SeriesInfo]) -> Run | None:
        """The run that is looked at, itself or a capture of it, else the newest in sight, of those with any of these
        series."""
        having = {info.run_id for info in series if reaches(info, self.view.ends)} or {info.run_id for info in series}
        with_data = [run for run in self.workspace.runs if run.id in having]
        looked_at = [run for run in with_data if run.id == _run_of(self.workspace.looked_at)]
        return max(looked_at or with_data, key=lambda run: (not run.dated_by_file, run.last_ns or 0), default=None)

    def _show_run(self, run: Run) -> None:
        self._show_measured(self._captures.of_run(run.id))
        self._show_rows_of(run)

    def _show_rows_of(self, run: Run) -> None:
        series, view, limits = self._series, self.view, self._limits
        pieces = [piece.ends for piece in self._pieces() or [view]]

        def rows_of(project: Project) -> list[list[int]]:
            own = [info for info in series.values() if info.run_id == run.id]
            own = [info for info in own if reaches(info, view.ends)] or own
            host_id = telling_host(own)
            judged = [[info.id] for info in own if info.id in limits]
            own = [info for info in own if host_id in (None, info.host_id)]
            return judged + default_rows(own, partial(_load_of, project), unlike_disk(project, own, pieces))

        if any(info.run_id == run.id for info in series.values()):
            self._read_defaults(rows_of)

    def _read_defaults(self, rows_of: Callable[[Project], list[list[int]]], *, alone: bool = False) -> None:
        """
        Args:
            alone: nothing else stays shown.
        """
        series = self._series

        def read(project: Project) -> _Defaults:
            rows = rows_of(project)
            return _Defaults(rows, companions(rows, series))

        self._read("defaults", read, lambda defaults: self._take_defaults(defaults, alone))

    def _take_defaults(self, defaults: _Defaults, alone: bool) -> None:
        if alone:
            self.charts.stack.arrangement.show_only([])
        arrangement, wanted = self.charts.stack.arrangement, [key for keys in defaults.rows for key in keys]
        if not set(arrangement.keys) & set(wanted):
            for keys in defaults.through_all_runs:
                arrangement.add(keys)
            self._on_arranged()
            self.chooser.reveal(wanted)

    def show_database(self) -> None:
        """Shows only a database's waits and what its host did in the same hours, through all runs."""
        first = self._opening_run([info for info in self._series.values() if is_period_mean(info)])
        if first is None:
            return
        own = [info for info in self._series.values() if info.run_id == first.id]
        self._read_defaults(lambda project: database_rows(own, partial(_load_of, project)), alone=True)

    def find_series(self) -> None:
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
        self._read_view()

    # --- time
    @property
    def bounds(self) -> TimeRange:
        """How far one can go."""
        return self.shown.bounds

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

    def show_whole(self) -> None:
        """As far as the frame goes; from there all that was measured."""
        if self.shown.whole is not None and self.view != self.shown.whole:
            self._show_span(self.shown.whole)
        else:
            self.show_all()

    def show_all(self) -> None:
        self._show_frame(Frame.MEASURED)

    def _show_frame(self, frame: Frame) -> None:
        self.shown.frame = frame
        self._show_framed(self.shown.whole)
        self._show_times()

    def _show_framed(self, span: TimeRange | None) -> None:
        self._commit.stop()
        self.workspace.selection.set_range(span)

    def _show_measured(self, span: TimeRange | None) -> None:
        """A stretch that was measured, whatever the frame is."""
        if span is not None:
            self.shown.frame = Frame.MEASURED
            self._show_framed(span)
            self._show_times()

    def _on_inspected(self, thing: Inspected | None) -> None:
        """What is clicked beside the page is shown in its time."""
        if self.isVisible():
            match thing:
                case InspectedRun(view):
                    self._show_measured(self._captures.of_run(view.run.id))
                case InspectedCapture(artefact):
                    self._show_measured(self._captures.of_capture(artefact))
                case InspectedHost(host):
                    self._show_measured(self._captures.of_host(host.id))

    def _fill_times(self) -> None:
        """Which time is drawn, and how."""
        menu = self._times.menu()
        menu.clear()
        pair, opening_read = self.shown.pair(), self.shown.opening
        possible = {Frame.PAIR: len(pair) == 2, Frame.DAYS: bool(opening_read and opening_read.days)}
        for frame in Frame:
            action = menu.addAction(self._frame_words(frame), lambda one=frame: self._show_frame(one))
            action.setEnabled(possible.get(frame, True))
            action.setCheckable(True)
            action.setChecked(frame is self.shown.frame)
        menu.addSeparator()
        for name in ("hour", "day"):
            menu.addAction(self.workspace.commands.action(f"timeline.{name}"))

    def _frame_words(self, frame: Frame) -> str:
        suggested = frame is Frame.PAIR and self.shown.is_suggested
        return text(f"ui.timeline.frame.{frame}" + (".suggested" if suggested else ""))

    def _show_times(self) -> None:
        self._times.setText(text("ui.timeline.frame", frame=self._frame_words(self.shown.frame)))
        self._on_range(self.workspace.selection.range)
        self._show_windows()

    def show_outside(self) -> None:
        """All runs' time; from there on what lies beyond it, by nothing but a file's date."""
        if self.workspace.selection.range is not None:
            self.show_all()
        else:
            self.workspace.selection.set_range(self.workspace.selection.everything)

    def _on_range(self, chosen: TimeRange | None) -> None:
        if not self.shown.fits(chosen):
            self.shown.frame = Frame.MEASURED
            self._times.setText(text("ui.timeline.frame", frame=self._frame_words(self.shown.frame)))
        self.range_panel.dismiss()
        self.charts.show_view(self.view, self._pieces(), self.shown.sides(self.view))
        self._say_outside()
        self._read_view()

    def _pieces(self) -> list[TimeRange]:
        interval_s = max((info.interval_s or 0 for info in self.charts.infos()), default=0)
        return self.shown.pieces(self.view, round(interval_s * SECOND_NS))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._turn_drawers()

    def _toggle_chooser(self, wanted: bool) -> None:
        self.chooser.setVisible(wanted)
        self._turn_drawers()

    def _turn_drawers(self) -> None:
        """What is open beside the plots stands below them where it would leave them too little of the window."""
        open_px = CHOOSER_PX * self._chooser_button.isChecked() + PANEL_PX * self.range_panel.isVisible()
        plot_px = self.width() - open_px - GUTTER_PX - 2 * MARGIN_PX
        beside = plot_px >= LEAST_PLOT * self.window().width()
        self._drawers.setOrientation(Qt.Orientation.Horizontal if beside else Qt.Orientation.Vertical)
        self._drawers.insertWidget(0 if beside else 1, self.chooser)
        sizes = (
            [CHOOSER_PX, self.width(), PANEL_PX] if beside else [self.height(), CHOOSER_PX, self.range_panel.height_px]
        )
        self._drawers.setSizes(sizes)

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
            self.show_whole()
        elif key == Qt.Key.Key_Escape:
            self.range_panel.dismiss()
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
        self.range_panel.dismiss()
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
    def _on_picked(self, picked: TimeRange, _position: QPoint) -> None:
        zone, picked = self.workspace.zone, whole_seconds(picked, self.view)
        same_day = stamp_text(picked.start_ns, zone)[:10] == stamp_text(picked.end_ns, zone)[:10]
        words = text(
            "ui.timeline.range.words",
            start=stamp_text(picked.start_ns, zone, with_zone=False),
            end=stamp_text(picked.end_ns, zone, with_date=not same_day),
        )
        self.range_panel.open_with(picked, words, writable=self.workspace.writable)
        self._turn_drawers()
        self._read_moved(picked)

    def _read_moved(self, picked: TimeRange) -> None:
        """Against the same hours of like days; inside a window against its own days alone."""
        from tunebench.usecases.exploring.moved import moved_in

        own = [self.shown.ranges_of(side) for side in self.shown.pair()]
        alike = next(([span.ends for span in ranges] for ranges in own if any(map(picked.overlaps, ranges))), [])
        series = list(self._series.values())
        self.workspace.jobs.run(
            "cpu",
            lambda handle: moved_in(self.workspace.opened, picked.ends, series, alike, handle),
            owner=self,
            slot="moved",
            on_result=self._show_moved,
        )

    def _show_moved(self, moved: Moved) -> None:
        self.range_panel.show_moved(moved)
        if not moved.rows:
            self._turn_drawers()

    def _end_range(self) -> None:
        self.charts.stack.show_picked(None)
        self._turn_drawers()

    def _add_strand(self, strand: Strand) -> None:
        self._add(strand.ids)
        self.charts.stack.show_picked(None)

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

    def _ask_hours(self, occurrences: Sequence[Occurrence]) -> None:
        """Proposes a window of the hours of days that were dragged over."""
        if occurrences and self.workspace.writable:
            self._open_editor(WindowBook.of(self.workspace).proposed(Window(0, "", occurrences=tuple(occurrences))))

    def _show_strand(self, strand: Strand) -> None:
        """Its line, first of all rows."""
        arrangement = self.charts.stack.arrangement
        arrangement.remove(strand.ids)
        arrangement.add(strand.ids, at=0)
        self.views.setCurrentIndex(0)
        self._on_arranged()

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
        self.charts.show_windows(self.shown.windows(self._dragged), self.shown.left_out())

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
    def _toggle_table(self) -> None:
        self.views.setCurrentIndex(0 if self._stack.currentWidget() is self.table else VIEWS.index("table"))

    def _on_view(self, index: int) -> None:
        beside = {"devices": self.heat, "hours": self.heat, "table": self.table}
        self._stack.setCurrentWidget(beside.get(VIEWS[index], self._middle))
        self._read_view()

    def _read_view(self) -> None:
        """Asks for what the view shows; lines ask by themselves."""
        if self._project is None:
            return
        if self._stack.currentWidget() is self.heat:
            by_hours = VIEWS[self.views.currentIndex()] == "hours"
            view = self.bounds if by_hours else self.view
            pieces = [view] if by_hours else self._pieces() or [view]
            self.heat.ask(list(self._series.values()), pieces, by_hours=by_hours)
        elif self._stack.currentWidget() is self.table:
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
        self._show_times()

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


def _zone_words(zone: ZoneInfo, view: TimeRange) -> str:
    short = stamp_text(view.start_ns, zone).rsplit(" ", 1)[-1]
    return zone.key if short.startswith(("+", "-")) else f"{zone.key} ({short})"
