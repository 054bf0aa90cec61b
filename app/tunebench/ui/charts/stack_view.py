"""The stack with its axis and event strip: draws an arrangement of series over one view."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from zoneinfo import ZoneInfo

from PySide6.QtCore import QEvent, QObject, QTimer, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QFrame, QWidget

from tunebench.analysis.exploring.arrangement import MOST_LINES, TOP_LINES, Row
from tunebench.analysis.exploring.outline import step_at
from tunebench.analysis.exploring.time_range import SECOND_NS, TimeRange
from tunebench.analysis.exploring.time_scale import CELL_PX, folded
from tunebench.columns.time_ticks import scale_ticks, stamp_text, zone_text
from tunebench.domain.series import SeriesInfo, is_period_mean
from tunebench.domain.windows import Stretch
from tunebench.ui.charts.crowd import show_crowd
from tunebench.ui.charts.feeds import CursorReadings, EnvelopeFeed, SinceBootSamples, WindowStatistics
from tunebench.ui.charts.lines import ChartLine, ChartWindow, LeftOut, Mark, captured_range
from tunebench.ui.charts.row import VIEW, ChartRow, Entry
from tunebench.ui.charts.row_stack import RowStack
from tunebench.ui.charts.time_axis import EventStrip, TimeAxis
from tunebench.ui.charts.words import goal_words, series_words
from tunebench.ui.jobs_bridge import JobsBridge
from tunebench.ui.look.formats import host_words, unit_text
from tunebench.ui.look.language import language, text
from tunebench.ui.look.theme import current_theme
from tunebench.ui.widgets.parts import column
from tunebench.usecases.databases.periods import Begins
from tunebench.usecases.exploring.reading import Readings
from tunebench.usecases.exploring.strands import Strand, reaches, strands
from tunebench.usecases.exploring.targets import Limit
from tunebench.usecases.projects import Project

MOST_DENSE = 8
Sides = Mapping[str, tuple[Stretch, ...]]


class StackView(QFrame):
    """Shows; decides nothing.

    Signals:
        view_requested: (TimeRange, finished).
        cursor_moved: UTC nanoseconds or None.
        range_picked: (TimeRange, global position).
        window_dragged: (side, TimeRange, finished).
        clicked: (row id, UTC nanoseconds).
        reset_requested: double click.
        menu_asked: the menu of a row, to add to it.
    """

    view_requested = Signal(object, bool)
    cursor_moved = Signal(object)
    range_picked = Signal(object, object)
    window_dragged = Signal(str, object, bool)
    clicked = Signal(int, object)
    reset_requested = Signal()
    menu_asked = Signal(object)

    def __init__(self, jobs: JobsBridge, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("card", "true")
        self._project: Project | None = None
        self._series: dict[int, SeriesInfo] = {}
        self._zone = ZoneInfo("UTC")
        self._marks: list[Mark] = []
        self._begins: Begins = {}
        self._limits: Mapping[int, Limit] = {}
        self._pinned: Collection[int] = ()
        self.databases: frozenset[str] = frozenset()
        self._lines: dict[int, dict[int, ChartLine]] = {}
        self._strands: dict[int, list[Strand]] = {}
        self._strand_of: dict[int, int] = {}
        self._meaning_of: Callable[[SeriesInfo], str] = lambda _info: ""
        self.view = TimeRange(0, 1_000_000_000)
        self._pieces: tuple[TimeRange, ...] = ()
        self._sides: Sides | None = None
        self.cursor_ns: int | None = None
        self.readings: Readings = {}
        self.stack = RowStack()
        self.axis = TimeAxis()
        self.strip = EventStrip()
        self.feed = EnvelopeFeed(jobs, self)
        self.cursor_readings = CursorReadings(jobs, self)
        self.statistics = WindowStatistics(jobs, self)
        self.since_boot = SinceBootSamples(jobs, self)
        self._cursor_timer = QTimer(self, singleShot=True, interval=12)
        self._lay_out()
        self._connect()

    def _lay_out(self) -> None:
        self._below = column(self.axis, self.strip, spacing=0)
        self.setLayout(column((self.stack, 1), self._below, spacing=0, margins=1))

    def _connect(self) -> None:
        self.stack.row_made.connect(self._connect_row)
        self.axis.view_requested.connect(self.view_requested)
        self.feed.arrived.connect(self._draw_lines)
        self.cursor_readings.ready.connect(self._on_readings)
        self.statistics.ready.connect(self.stack.show_statistics)
        self.since_boot.arrived.connect(self._draw_since_boot)
        self._cursor_timer.timeout.connect(self._ask_readings)
        self.stack.viewport().installEventFilter(self)

    def _connect_row(self, row: ChartRow) -> None:
        canvas = row.canvas
        row.menu_asked.connect(self.menu_asked)
        canvas.view_requested.connect(self.view_requested)
        canvas.cursor_moved.connect(self.cursor_moved)
        canvas.range_picked.connect(self._on_picked)
        canvas.window_dragged.connect(self.window_dragged)
        canvas.clicked.connect(lambda time_ns, i=row.row_id: self.clicked.emit(i, time_ns))
        canvas.reset_requested.connect(self.reset_requested)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            # A scroll bar takes its width from the rows alone: axis and events give way as much.
            taken = self.stack.width() - self.stack.viewport().width()
            self._below.setContentsMargins(0, 0, taken, 0)
            QTimer.singleShot(0, self, self._refresh_view)
        return False

    # --- what there is
    def use(self, project: Project | None, series: Mapping[int, SeriesInfo], zone: ZoneInfo) -> None:
        self._project, self._series, self._zone = project, dict(series), zone
        self.databases = frozenset(info.attributes["database"] for info in series.values() if is_period_mean(info))
        self.feed.use(project)
        self.cursor_readings.use(project)
        self.statistics.use(project)
        self.since_boot.use(project)
        for kept in (self._lines, self._strands, self._strand_of):
            kept.clear()
        self._begins = {}
        self._cursor_timer.stop()
        self.cursor_ns, self.readings = None, {}

    def show_targets(self, limits: Mapping[int, Limit], pinned: Collection[int]) -> None:
        """Series id -> its target, and which are evidence."""
        self._limits, self._pinned = limits, pinned
        self.refresh_rows()

    def show_periods(self, begins: Begins) -> None:
        """Takes the periods of the figures of databases, and draws again."""
        self._begins = begins
        self.refresh_rows()

    def set_meaning(self, meaning_of: Callable[[SeriesInfo], str]) -> None:
        self._meaning_of = meaning_of

    @property
    def keys(self) -> list[int]:
        return [key for key in self.stack.arrangement.keys if key in self._series]

    def infos(self) -> list[SeriesInfo]:
        return [self._series[key] for key in self.keys]

    def strands_of(self, row: Row) -> list[Strand]:
        return self._strands.get(row.id, [])

    # --- arrangement
    def refresh_rows(self) -> None:
        """After the arrangement, the language or the theme changed."""
        self.stack.follow()
        for arranged, widget in self.stack.ordered_rows():
            self._describe(arranged, widget)
        self._read_since_boot()
        self._refresh_view()
        self._show_marks()

    def _describe(self, row: Row, widget: ChartRow) -> None:
        colours = current_theme().series
        drawn = strands(self._series[key] for key in row.keys if key in self._series)
        self._strands[row.id] = drawn
        self._strand_of |= {key: strand.id for strand in drawn for key in strand.ids}
        widget.zone = self._zone
        widget.show_entries(
            [self._entry(strand, colours[i % len(colours)]) for i, strand in enumerate(drawn)],
            text("ui.timeline.row.crowded", n=len(drawn), top=TOP_LINES) if len(drawn) > MOST_LINES else "",
        )
        own = [self._limits[key] for strand in drawn for key in strand.ids if key in self._limits]
        widget.canvas.limits, widget.canvas.by_side = own[:1] if len(drawn) == 1 else (), len(drawn) == 1
        self._lines[row.id] = {
            part.id: self._line(part, colours[index % len(colours)])
            for index, strand in enumerate(drawn)
            for part in strand.parts
        }

    def _line(self, part: SeriesInfo, colour: QColor) -> ChartLine:
        return ChartLine(
            part.id,
            series_words(part, len(self.databases) > 1),
            unit_text(part.unit),
            colour,
            captured=captured_range(part),
            since_boot=self.since_boot.of(part.id),
            begins=self._begins.get(part.attributes["database"], {}) if is_period_mean(part) else None,
            interval_s=part.interval_s if is_period_mean(part) else None,
        )

    def _entry(self, strand: Strand, colour: QColor) -> Entry:
        info = strand.info
        tool = info.tool if info.table in ("", info.tool) else f"{info.tool} {info.table}"
        return Entry(
            strand.id,
            series_words(info, len(self.databases) > 1),
            unit_text(info.unit),
            self._place(info, tool),
            colour,
            self._meaning_of(info),
            pinned=any(key in self._pinned for key in strand.ids),
            goal=next((goal_words(self._limits[key]) for key in strand.ids if key in self._limits), ""),
        )

    def _place(self, info: SeriesInfo, tool: str) -> str:
        """Tool and host; the host only where there are several."""
        tool = f"{tool} · {info.attributes['database']}" if is_period_mean(info) else tool
        several = len({other.host for other in self._series.values()}) > 1
        return f"{host_words(info.host)} · {tool}" if several else tool

    def _read_since_boot(self) -> None:
        self.since_boot.ask(self.infos(), self._restarts)

    def _restarts(self, info: SeriesInfo) -> list[int]:
        return [m.time_ns for m in self._marks if m.kind == "restart" and m.host in ("", info.host)]

    def _draw_since_boot(self) -> None:
        for lines in self._lines.values():
            for key, line in lines.items():
                line.since_boot = self.since_boot.of(key)
        for canvas in self.stack.canvases:
            canvas.redraw()

    # --- view
    def show_view(self, view: TimeRange, pieces: Sequence[TimeRange] = (), sides: Sides | None = None) -> None:
        """
        Args:
            pieces: what of the view is drawn, the rest being folded; none for all of it.
            sides: the stretches over which figures are told; the pieces where none are given.
        """
        self.view, self._pieces, self._sides = view, tuple(pieces), sides
        self._refresh_view()

    def _refresh_view(self) -> None:
        width = self.stack.plot_width()
        scale = folded(self.view, self._pieces, width)
        ticks = scale_ticks(scale, self._zone, language().code, width)
        self.axis.show_scale(scale, ticks, zone_text(self.view, self._zone))
        self.strip.show_scale(scale)
        self.stack.show_scale(scale, ticks)
        # Of a view of which a tenth is drawn a pixel is a tenth as long.
        bins = round(width * min(self.view.span_ns / scale.drawn_ns, MOST_DENSE))
        self.feed.want(self.view, bins, [i for i in self.infos() if reaches(i, self.view.widened(0.5).ends)])
        self._draw_lines()
        if self._project is None:
            return
        wanted = [s for row in self.stack.arrangement.rows for s in self.strands_of(row)]
        own = tuple(Stretch(*piece.ends) for piece in scale.pieces)
        self.statistics.ask(wanted, self._sides if self._sides is not None else {VIEW: own})

    def _draw_lines(self) -> None:
        """Hand each row the envelopes at hand; unchanged ones are not worked out again."""
        for arranged, widget in self.stack.ordered_rows():
            lines = self._lines.get(arranged.id, {})
            for key, line in lines.items():
                envelope = self.feed.envelope(key) if reaches(self._series[key], self.view.ends) else line.envelope
                if envelope is not line.envelope:
                    line.show(envelope)
            self._show_row(widget, list(lines.values()))

    def _show_row(self, widget: ChartRow, lines: list[ChartLine]) -> None:
        if len(widget.entries) > MOST_LINES:
            show_crowd(widget, lines, self._strand_of, self.axis.scale, self.stack.plot_width() / CELL_PX)
        else:
            widget.canvas.band = None
            widget.canvas.show_lines(lines)

    # --- marks, windows, cursor
    def show_marks(self, marks: Iterable[Mark]) -> None:
        self._marks = list(marks)
        self.since_boot.forget()
        self._read_since_boot()
        self._show_marks()

    def _show_marks(self) -> None:
        self.strip.show_marks(self._marks)
        self.stack.show_marks(self._marks_of)

    def _marks_of(self, row: ChartRow) -> list[Mark]:
        hosts = {self._series[e.key].host for e in row.entries if e.key in self._series}
        return [mark for mark in self._marks if not mark.host or mark.host in hosts]

    def show_windows(self, windows: Sequence[ChartWindow], left_out: Sequence[LeftOut]) -> None:
        for canvas in self.stack.canvases:
            canvas.show_windows(windows, left_out)

    def show_cursor(self, time_ns: int | None) -> None:
        self.cursor_ns = time_ns
        self.stack.show_cursor(time_ns)
        self.axis.show_flag(time_ns, self.cursor_words())
        if time_ns is None:
            self._cursor_timer.stop()
            self._on_readings(None, {})
        elif not self._cursor_timer.isActive():
            self._cursor_timer.start()

    def cursor_words(self) -> str:
        """The time under the pointer, as fine as a pixel can tell."""
        if self.cursor_ns is None:
            return ""
        coarse = self.view.span_ns > 120 * SECOND_NS
        return stamp_text(self.cursor_ns // SECOND_NS * SECOND_NS if coarse else self.cursor_ns, self._zone)

    def _ask_readings(self) -> None:
        if self.cursor_ns is not None:
            moment = TimeRange(self.cursor_ns, self.cursor_ns + 1)
            near = [info for info in self.infos() if reaches(info, moment.ends) and not is_period_mean(info)]
            self.cursor_readings.ask(self.cursor_ns, near, self.feed.envelope)

    def _on_readings(self, time_ns: int | None, readings: Readings) -> None:
        if time_ns is not None and self.cursor_ns is None:
            return
        if time_ns is not None:
            readings = readings | self._step_readings(time_ns)
        self.readings = readings
        by_strand = {self._strand_of.get(key, key): reading for key, reading in readings.items()}
        for widget in self.stack.rows.values():
            widget.show_readings(by_strand, self._zone)
            own = widget.canvas.lines
            widget.canvas.show_dots({line.key: readings[line.key] for line in own if line.key in readings})

    def _step_readings(self, time_ns: int) -> Readings:
        lines = (line for lines in self._lines.values() for line in lines.values() if line.spans is not None)
        steps = {line.key: step_at(line.spans, time_ns) for line in lines if line.spans is not None}
        return {key: reading for key, reading in steps.items() if reading is not None}

    def _on_picked(self, picked: TimeRange, position: object) -> None:
        self.stack.show_picked(picked)
        self.range_picked.emit(picked, position)
