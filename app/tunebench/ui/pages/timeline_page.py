"""Explore's time line: stacked rows that share one time, devices and days as cells, the samples as a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar
from zoneinfo import ZoneInfo

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from tunebench.analysis.exploring.time_range import SECOND_NS, TimeRange, whole_seconds
from tunebench.columns.formats import format_count
from tunebench.columns.time_ticks import stamp_text
from tunebench.domain.engagement import Run
from tunebench.domain.series import SeriesInfo, is_period_mean
from tunebench.ui.charts.canvas import GUTTER_PX, MARGIN_PX
from tunebench.ui.charts.heat_pane import HeatPane
from tunebench.ui.charts.lines import Mark
from tunebench.ui.charts.range_acts import RangeActs
from tunebench.ui.charts.row import ChartRow
from tunebench.ui.charts.series_chooser import SeriesChooser
from tunebench.ui.charts.series_tree import branches_of
from tunebench.ui.charts.shown_rows import ShownRows
from tunebench.ui.charts.stack_view import StackView
from tunebench.ui.charts.table_pane import TablePane
from tunebench.ui.charts.time_axis import event_marks, note_marks, period_marks, uncaptured_marks
from tunebench.ui.charts.time_steering import TimeSteering
from tunebench.ui.cycle.cycle_controller import CycleController
from tunebench.ui.cycle.evidence_menu import add_pin
from tunebench.ui.cycle.series_menu import add_series_acts
from tunebench.ui.inspected import (
    Inspected,
    InspectedCapture,
    InspectedEvent,
    InspectedHost,
    InspectedRun,
    InspectedSeries,
)
from tunebench.ui.look.language import language, text, translated, window_locale
from tunebench.ui.look.theme import Theme
from tunebench.ui.pages.base import CAPTURED, Page
from tunebench.ui.widgets.parts import EmptyState, button, label, row, splitter, stacked, tab_bar
from tunebench.ui.workspace import Change, Workspace
from tunebench.usecases import browse, projects
from tunebench.usecases.cycle.pinning import Offer, of_window
from tunebench.usecases.databases.periods import begins_of
from tunebench.usecases.exploring.capture_spans import CaptureSpans
from tunebench.usecases.exploring.opening import Opening, opening
from tunebench.usecases.exploring.strands import Strand
from tunebench.usecases.exploring.targets import limits_of, pinned_series
from tunebench.usecases.projects import ArtefactInfo, Project

if TYPE_CHECKING:
    from tunebench.usecases.databases.periods import PeriodSpan

T = TypeVar("T")
CHOOSER_PX, PANEL_PX = 236, 340
"""The list of series and the panel of a range beside the plots."""
LEAST_PLOT = 0.7
"""Of the window's width: what stands beside the plots leaves them so much."""
VIEWS = ("lines", "devices", "hours", "table")


class TimelinePage(Page):
    page_id = "timeline"
    title_key = "ui.page.timeline"
    icon = "timeline"

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(workspace, parent)
        self._project: Project | None = None
        self._series: dict[int, SeriesInfo] = {}
        self._dragged: dict[str, TimeRange] = {}
        self._periods: list[PeriodSpan] = []
        self._captures = CaptureSpans()
        self.time = TimeSteering(workspace, self)
        self.acts = RangeActs(workspace, self)
        self.range_panel = self.acts.panel
        self.chooser = SeriesChooser(self._read_branches)
        self.charts = translated(StackView(workspace.jobs), accessibleName="ui.page.timeline")
        self.rows = ShownRows(workspace, self.charts.stack.arrangement, self)
        self.table = TablePane(workspace.jobs)
        self.heat = HeatPane(workspace)
        self._lay_out()
        self._connect()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.add_commands(
            "analyse",
            3,
            "ui.timeline.command",
            ("find", ("Ctrl+F",), self.find_series),
            ("defaults", (), self.rows.show_first),
            ("database", (), self.rows.show_database),
            ("table", ("Ctrl+T",), self._toggle_table),
            ("hour", (), self.time.show_hour),
            ("day", (), self.time.show_day),
        )
        self.start()

    # --- building
    def _lay_out(self) -> None:
        self._title = self.title()
        self._where = label(role="muted")
        self._outside = button(kind="link", on_click=self.time.show_outside)
        self._outside.hide()
        self.views = translated(tab_bar(*VIEWS), tabText=[f"ui.timeline.view.{name}" for name in VIEWS])
        self._chooser_button = translated(QPushButton(), "ui.timeline.chooser.name", toolTip="ui.timeline.chooser.tip")
        self._chooser_button.setCheckable(True)
        head = row(self._title, self.views, self.time.button, self._where, self._outside, 1, self._chooser_button)
        nothing_shown = EmptyState(
            "timeline",
            "ui.timeline.nothing_shown",
            (("ui.timeline.show_defaults", self.rows.show_first), ("ui.timeline.find_series", self.find_series)),
        )
        self._middle = stacked(self.charts, nothing_shown)
        self.chooser.setMinimumWidth(150)
        self._stack = stacked(self._middle, self.heat, self.table)
        self._drawers = splitter(self.chooser, self._stack, self.range_panel, shares=(0, 1, 0))
        self.chooser.hide()
        self._empty = self.captures_wanted("ui.timeline.empty")
        self._pages = self.stack_parts(head, (self._drawers, 1), empty=self._empty)

    def _connect(self) -> None:
        chosen, time, charts = self.workspace.selection, self.time, self.charts
        chosen.windows_changed.connect(lambda _b, _a: self._show_windows())
        chosen.cursor_changed.connect(self._on_cursor)
        self.workspace.inspected.connect(self._on_inspected)
        time.moved.connect(self._on_moved)
        self.acts.turned.connect(self._turn_drawers)
        self.rows.arranged.connect(self._on_arranged)
        self.rows.revealed.connect(self.chooser.reveal)
        self.views.currentChanged.connect(self._on_view)
        self.heat.strand_chosen.connect(self._show_strand)
        self.heat.range_dragged.connect(time.show_span)
        self.heat.hours_dragged.connect(self.acts.ask_window)
        self._chooser_button.toggled.connect(self._toggle_chooser)
        self.chooser.toggled.connect(self.rows.toggle)
        self.chooser.picked.connect(lambda key: self._inspect(key, None))
        charts.stack.arranged.connect(self.rows.share)
        charts.view_requested.connect(time.request)
        charts.cursor_moved.connect(chosen.set_cursor)
        charts.range_picked.connect(self._on_picked)
        charts.window_dragged.connect(self._on_window_dragged)
        charts.clicked.connect(self._on_clicked)
        charts.reset_requested.connect(time.show_whole)
        charts.menu_asked.connect(self._add_to_menu)
        charts.strip.picked.connect(self._on_mark)
        self.range_panel.zoomed.connect(time.show_span)
        self.range_panel.closed.connect(lambda: charts.stack.show_picked(None))
        self.range_panel.list.chosen.connect(lambda strand: self.rows.add(strand.ids))

    # --- the page's life
    @property
    def view(self) -> TimeRange:
        return self.time.view

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
            self.time.show_measured(self._captures.of_run(run.id))
            self.rows.show_run(run)
        elif isinstance(argument, ArtefactInfo):
            self.time.show_measured(self._captures.of_capture(argument))
        elif isinstance(argument, SeriesInfo | int):
            self.rows.add([argument if isinstance(argument, int) else argument.id])

    def project_changed(self, change: Change) -> None:
        if change is Change.OPENED and self._project is self.workspace.project:
            return  # it was entered before it heard
        if change is Change.NOTES:
            self._load_marks()
        elif change is Change.CYCLE:
            self._load_targets()
        elif change in CAPTURED:
            if change in (Change.OPENED, Change.CLOSED):
                self._forget()
            self.outdate()

    def _forget(self) -> None:
        self.charts.stack.arrangement.show_only([])
        self.charts.use(None, {}, self.workspace.zone)
        self.charts.refresh_rows()
        self.table.use(None)
        self.workspace.jobs.drop(self)
        self._project, self._series = None, {}
        self._captures = CaptureSpans()
        self.time.forget()

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
        zone = self.workspace.zone
        self._read("opening", lambda opened: opening(opened, zone), self._take_opening)
        if self.charts.databases:
            self._load_periods()
        self.rows.use(self._series)
        self._on_moved()

    def _read_branches(self, series: Sequence[SeriesInfo]) -> None:
        self._read("branches", lambda _project: branches_of(series), self.chooser.take)

    def _take_opening(self, read: Opening) -> None:
        self.time.open(read)
        if not self.rows.arrangement.rows and self._series:
            self.rows.show_first()

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
            limits = limits_of(list(self._series.values()), book)
            self.rows.judged = frozenset(limits)
            self.charts.show_targets(limits, pinned_series(book))

    # --- rows and time
    def find_series(self) -> None:
        self._chooser_button.setChecked(True)
        self.chooser.search.setFocus()

    def _show_strand(self, strand: Strand) -> None:
        self.views.setCurrentIndex(0)
        self.rows.show_strand(strand)

    def _on_arranged(self) -> None:
        keys = self.rows.arrangement.keys
        self._middle.setCurrentIndex(0 if keys else 1)
        self.chooser.check(keys)
        self.charts.refresh_rows()
        self._show_windows()
        self._read_view()

    def _on_moved(self) -> None:
        pieces = self._pieces()
        self.rows.pieces = [piece.ends for piece in pieces or [self.view]]
        self.range_panel.dismiss()
        self.charts.show_view(self.view, pieces, self.time.shown.sides(self.view))
        self._show_windows()
        self._say_outside()
        self._read_view()

    def _pieces(self) -> list[TimeRange]:
        interval_s = max((info.interval_s or 0 for info in self.charts.infos()), default=0)
        return self.time.shown.pieces(self.view, round(interval_s * SECOND_NS))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.range_panel.dismiss()
        elif not self.time.press(event):
            super().keyPressEvent(event)

    # --- what stands beside the plots
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
        below = [self.height(), CHOOSER_PX, self.range_panel.height_px]
        self._drawers.setSizes([CHOOSER_PX, self.width(), PANEL_PX] if beside else below)

    # --- cursor
    def _on_cursor(self, time_ns: int | None) -> None:
        self.time.note_cursor(time_ns)
        self.charts.show_cursor(time_ns)
        self._say_where()

    def _say_where(self) -> None:
        if self.workspace.selection.cursor_ns is not None:
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
        clicked = self.rows.arrangement.row(row_id)
        covering = [key for key in clicked.keys if key in self.charts.readings] if clicked else []
        if clicked and (covering or clicked.keys):
            key = (covering or clicked.keys)[0]
            if key in self._series and is_period_mean(self._series[key]) and covering:
                time_ns = self.charts.readings[key][0]  # the sample of the whole period
            self._inspect(key, time_ns if covering else None)

    def _inspect(self, key: int, time_ns: int | None) -> None:
        if key in self._series:
            self.workspace.inspect(InspectedSeries(self._series[key], time_ns, *self.view.ends))

    def _on_inspected(self, thing: Inspected | None) -> None:
        """What is clicked beside the page is shown in its time."""
        if self.isVisible():
            match thing:
                case InspectedRun(view):
                    self.time.show_measured(self._captures.of_run(view.run.id))
                case InspectedCapture(artefact):
                    self.time.show_measured(self._captures.of_capture(artefact))
                case InspectedHost(host):
                    self.time.show_measured(self._captures.of_host(host.id))

    def _on_mark(self, mark: Mark) -> None:
        if not self.view.contains(mark.time_ns):
            self.time.show_span(self.view.moved(mark.time_ns - self.view.middle_ns))
        self.workspace.selection.set_cursor(mark.time_ns)
        if mark.stored is not None:
            self.workspace.inspect(InspectedEvent(mark.stored))

    # --- ranges and windows
    def _on_picked(self, picked: TimeRange, _position: QPoint) -> None:
        self.acts.open(picked, self.view, self.time.shown, self._series.values())

    def _on_window_dragged(self, side: str, moved: TimeRange, finished: bool) -> None:
        moved = whole_seconds(moved, self.view)
        if finished:
            self._dragged.pop(side, None)
            self.acts.set_side(side, moved)
        else:
            self._dragged[side] = moved
        self._show_windows()

    def _show_windows(self) -> None:
        windows = self.time.shown.windows(self._dragged)
        self.charts.show_windows(windows, self.time.shown.left_out())
        self.heat.show_windows(windows)

    def to_pin(self) -> Offer | None:
        """The series shown, over the range that was dragged, else over what is in sight."""
        return of_window(self.charts.infos(), self.acts.pinning or self.view, window_locale(self.workspace.zone))

    def _add_to_menu(self, menu: QMenu) -> None:
        menu.addSeparator()
        add_pin(menu, self.workspace)
        if isinstance(clicked := menu.parent(), ChartRow):
            keys = {line.key for line in clicked.canvas.lines}
            series = [info for key, info in self._series.items() if key in keys]
            span = (self.acts.pinning or self.view).ends
            add_series_acts(menu, self.workspace, series, span, self.workspace.selection.before)

    # --- the other views
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
            whole = [self.workspace.selection.extent or self.view] if by_hours else [self.view]
            pieces = whole if by_hours else self._pieces() or whole
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
        self.time.refresh()
        self.heat.refresh()
        self.range_panel.refresh()

    def apply_theme(self, theme: Theme) -> None:
        self.charts.refresh_rows()
        self.heat.refresh()


def _zone_words(zone: ZoneInfo, view: TimeRange) -> str:
    short = stamp_text(view.start_ns, zone).rsplit(" ", 1)[-1]
    return zone.key if short.startswith(("+", "-")) else f"{zone.key} ({short})"
