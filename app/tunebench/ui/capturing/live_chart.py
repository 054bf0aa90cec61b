"""Charts of one stream that grow while it is captured, on the time line's own canvas."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPoint, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QButtonGroup, QFrame, QScrollArea, QWidget

from tunebench.analysis.exploring.time_range import SECOND_NS, TimeRange
from tunebench.analysis.exploring.time_scale import even
from tunebench.columns.capturing.live_rows import short_name
from tunebench.columns.formats import DASH, format_value
from tunebench.columns.time_ticks import most_ticks, stamp_text, time_ticks, zone_text
from tunebench.core.errors import UserError
from tunebench.domain.capturing.run import CaptureMark, StreamState
from tunebench.domain.series import SeriesInfo
from tunebench.ui.capturing.live_feed import After, LiveFeed, draw
from tunebench.ui.charts.canvas import ChartCanvas
from tunebench.ui.charts.gestures import Gestures
from tunebench.ui.charts.lines import ChartLine, Mark
from tunebench.ui.charts.series_chooser import SeriesChooser
from tunebench.ui.charts.time_axis import TimeAxis
from tunebench.ui.look.fonts import BODY_PX, SMALL_PX
from tunebench.ui.look.formats import unit_text
from tunebench.ui.look.language import error_text, language, text, translated
from tunebench.ui.look.painting import font_of, painter_on
from tunebench.ui.look.theme import SPACE_S, current_theme
from tunebench.ui.widgets.layouts import refill
from tunebench.ui.widgets.parts import ElidedLabel, button, column, label, panel, row, stacked
from tunebench.ui.workspace import Workspace

if TYPE_CHECKING:
    from tunebench.domain.capturing.views import HostView, SessionView, StreamView
    from tunebench.ui.capturing.capture_controller import CaptureController

WINDOWS_MIN = (1, 5, 15, 60)
FIRST_WINDOW_MIN = 5
MOVE_MS = 100
READ_MS = 250
CHOOSER_SIZE = (320, 360)
SMALLEST_PX = 56
_LINE_PX = 17
_TOP_PX = 6


def short_value(value: float) -> str:
    """Four digits; millions and more are cut to M, G, T, as at the axis."""
    for size, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M")):
        if abs(value) >= size:
            return format_value(value / size) + letter
    return format_value(value)


def _lines_that_fit(height: int, wanted: int) -> int:
    """How many have room, keeping a line for "+ n more"."""
    room = max((height - 10) // _LINE_PX, 1)
    return wanted if wanted <= room else max(room - 1, 1)


class PlotRow(QWidget):
    LEFT_PX = 128
    RIGHT_PX = 104

    def __init__(self, infos: Sequence[SeriesInfo]) -> None:
        super().__init__()
        colours = current_theme().series
        self.lines = [
            ChartLine(info.id, info.label, unit_text(info.unit), colours[index % len(colours)])
            for index, info in enumerate(infos)
        ]
        self.canvas = ChartCanvas(self)
        Gestures(self.canvas)
        units = {line.unit for line in self.lines}
        self.canvas.unit = units.pop() if len(units) == 1 else ""
        self._values: dict[int, float] = {}
        line = row(self.canvas)
        line.setContentsMargins(self.LEFT_PX, 0, self.RIGHT_PX, 1)
        self.setLayout(line)
        self.canvas.setAccessibleName(", ".join(f"{line.name} {line.unit}".strip() for line in self.lines))
        self.setMinimumHeight(SMALLEST_PX)
        self.setToolTip(self.canvas.accessibleName())

    def sizeHint(self) -> QSize:
        return QSize(600, 96)

    def show_values(self, readings: Mapping[int, tuple[int, float]]) -> None:
        """Series id -> (time, value)."""
        values = {key: value for key, (_time, value) in readings.items()}
        self.canvas.show_dots(readings)
        if values != self._values:
            self._values = values
            words = [f"{line.name} {self.value_words(line)}" for line in self.lines]
            self.setAccessibleDescription(", ".join(words))
            self.update()

    def value_words(self, line: ChartLine) -> str:
        value = self._values.get(line.key)
        return DASH if value is None else f"{short_value(value)} {line.unit}".strip()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = current_theme(), painter_on(self, "surface")
        painter.fillRect(0, self.height() - 1, self.width(), 1, theme.border)
        most = _lines_that_fit(self.height(), len(self.lines))
        for number, line in enumerate(self.lines[:most]):
            self._paint_line(painter, line, _TOP_PX + number * _LINE_PX)
        rest = len(self.lines) - most
        if rest:
            painter.setFont(font_of(self, SMALL_PX))
            painter.setPen(theme.muted)
            box = QRectF(10, _TOP_PX + most * _LINE_PX, self.LEFT_PX - 10, 16)
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, text("ui.timeline.row.more", n=rest))
        painter.end()

    def _paint_line(self, painter: QPainter, line: ChartLine, top: float) -> None:
        theme = current_theme()
        painter.setPen(QPen(line.colour, 2))
        painter.drawLine(10, round(top + 8), 20, round(top + 8))
        painter.setFont(font_of(self, SMALL_PX, bold=True))
        painter.setPen(theme.text)
        room = self.LEFT_PX - 26
        shown = painter.fontMetrics().elidedText(line.name, Qt.TextElideMode.ElideMiddle, room)
        painter.drawText(QRectF(26, top, room, 16), Qt.AlignmentFlag.AlignVCenter, shown)
        painter.setFont(font_of(self, BODY_PX, bold=True))
        painter.setPen(line.colour)
        box = QRectF(self.width() - self.RIGHT_PX, top, self.RIGHT_PX - 10, 16)
        painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, self.value_words(line))


class LiveChart(QWidget):
    """`show_stream` chooses, `tick` of a session's picture moves it on. `chosen_changed`: other series are drawn."""

    chosen_changed = Signal()

    def __init__(self, workspace: Workspace, controller: CaptureController) -> None:
        super().__init__()
        self._workspace = workspace
        self.feed = LiveFeed(controller, workspace.jobs, self)
        self.rows: list[PlotRow] = []
        self._chosen: list[list[int]] = []
        self._by_hand = False
        self._host: HostView | None = None
        self._stream: StreamView | None = None
        self._marks: Sequence[CaptureMark] = ()
        self._window_ns = FIRST_WINDOW_MIN * 60 * SECOND_NS
        self._cursor_age_ns: int | None = None  # before the right edge: the pointer stays, time moves below it
        self._error: UserError | None = None
        self._over = False
        self._end_ns = 0
        self._drawn: tuple[int, int] = (0, 0)  # start of the view in pixels, width
        self.title = ElidedLabel(role="strong")
        self.choose = translated(button(on_click=self._open_chooser), "ui.live.chart.choose")
        self.windows = QButtonGroup(self)
        self.axis = TimeAxis()
        self.sentence = label(role="muted", wrap=True)
        self.sentence.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.chooser = SeriesChooser()
        self.popup = QFrame(self)
        self.popup.setProperty("card", "true")
        self.popup.setWindowFlags(Qt.WindowType.Popup)
        self.popup.setLayout(row(self.chooser))
        self.popup.setFixedSize(*CHOOSER_SIZE)
        self._lay_out()
        self._mover, self._reader = QTimer(self), QTimer(self)
        for timer, every_ms, act in ((self._mover, MOVE_MS, self._move), (self._reader, READ_MS, self.feed.read)):
            timer.setInterval(every_ms)
            timer.timeout.connect(act)
        self.feed.named.connect(self._on_named)
        self.feed.grew.connect(self._on_grew)
        self.feed.refused.connect(self._on_refused)
        self.chooser.toggled.connect(self._on_toggled)

    def _lay_out(self) -> None:
        head = row((self.title, 1), self.choose)
        for minutes in WINDOWS_MIN:
            control = button(kind="quiet")
            control.setCheckable(True)
            control.setChecked(minutes == FIRST_WINDOW_MIN)
            self.windows.addButton(control, minutes)
            head.addWidget(control)
        self.windows.idToggled.connect(self._on_window)
        self.parts = stacked(self.sentence, self._plots())
        self.setLayout(column(head, (self.parts, 1), margins=(0, SPACE_S, 0, 0)))

    def _plots(self) -> QWidget:
        """The rows, which scroll where there are many, above their axis."""
        self._column = column(spacing=0)
        self._scroll = QScrollArea()
        self._scroll.setWidgetResizable(True)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setWidget(panel(self._column))
        self._scroll.viewport().installEventFilter(self)
        self._axis_row = row(self.axis)
        self._axis_row.setContentsMargins(PlotRow.LEFT_PX, 0, PlotRow.RIGHT_PX, 0)
        return panel(column((self._scroll, 1), self._axis_row, spacing=0))

    # --- what is shown
    def show_stream(self, session_id: int, stream_id: str) -> None:
        if self.feed.key == (session_id, stream_id):
            return
        self._by_hand, self._chosen = False, []
        self._clear_rows()
        self.title.set_words(f"{stream_id.partition('/')[0]} · {short_name(stream_id)}")
        self.feed.watch(session_id, stream_id)
        self._show_parts()
        self.feed.read()

    def leave(self) -> None:
        """Stops reading and empties the chart, which is not seen any more."""
        self._mover.stop()
        self._reader.stop()
        self.feed.leave()
        self._chosen, self._host, self._stream = [], None, None
        self.title.set_words("")
        self._clear_rows()
        self._show_parts()

    def show_picture(self, view: SessionView, *, over: bool) -> None:
        """The state of the watched stream, and the marks; what is over stands still."""
        self._over = over
        if self.feed.key is None:
            return
        for host in view.hosts:
            for stream in host.streams:
                if stream.id == self.feed.key[1]:
                    self._host, self._stream = host, stream
        if view.marks != self._marks:
            self._marks = view.marks
            self._show_marks()
        self._pace()

    def _pace(self) -> None:
        wanted = self.isVisible() and self.feed.key is not None and not self._over
        for timer in (self._mover, self._reader):
            if wanted != timer.isActive():
                (timer.start if wanted else timer.stop)()

    def hideEvent(self, event) -> None:  # type: ignore[no-untyped-def]
        super().hideEvent(event)
        self._pace()

    def showEvent(self, event) -> None:  # type: ignore[no-untyped-def]
        super().showEvent(event)
        self._pace()

    @property
    def offset_ns(self) -> int:
        """Server clock minus this machine's: the axis is the server's time, as everything that is stored."""
        clock = self._host.clock if self._host is not None else None
        return clock.offset_ns if clock is not None else 0

    def now_view(self) -> TimeRange:
        if not self._over:
            self._end_ns = time.time_ns() + self.offset_ns
        return TimeRange(self._end_ns - self._window_ns, self._end_ns)

    # --- rows
    def _on_named(self) -> None:
        infos = list(self.feed.columns.infos.values())
        self.chooser.show_series(infos, self._workspace.zone, self._meaning)
        if not self._by_hand:
            self._chosen = self.feed.columns.default_rows()
            self._make_rows()

    def _meaning(self, series_id: int) -> str:
        from tunebench.usecases import browse

        info = self.feed.columns.infos.get(series_id)
        return browse.metric_meaning(info, language().code) if info is not None else ""

    def _make_rows(self) -> None:
        self._clear_rows()
        for keys in self._chosen:
            plot = PlotRow([self.feed.columns.infos[key] for key in keys])
            plot.canvas.cursor_moved.connect(self._on_cursor)
            plot.canvas.mark_words = not self.rows
            self._column.addWidget(plot, 1)
            self.rows.append(plot)
        self.chooser.check([key for keys in self._chosen for key in keys])
        self._show_marks()
        self._show_parts()
        self._on_grew()
        self.chosen_changed.emit()

    def _clear_rows(self) -> None:
        refill(self._column)
        self.rows = []
        self._drawn = (0, 0)

    def _on_toggled(self, keys: Sequence[int], wanted: bool) -> None:
        """A series of the same unit joins the row of its kind; else it gets a row of its own."""
        self._by_hand = True
        for key in keys:
            self._chosen = [
                rest for row_keys in self._chosen if (rest := [other for other in row_keys if other != key])
            ]
            if wanted:
                self._place(key)
        self._make_rows()

    def _place(self, key: int) -> None:
        infos = self.feed.columns.infos
        alike = [row_keys for row_keys in self._chosen if _kind_of(infos[row_keys[0]]) == _kind_of(infos[key])]
        if alike:
            alike[0].append(key)
        else:
            self._chosen.append([key])

    def _open_chooser(self) -> None:
        corner = self.choose.mapToGlobal(QPoint(self.choose.width() - CHOOSER_SIZE[0], self.choose.height() + 2))
        corner.setY(min(corner.y(), self.window().geometry().bottom() - CHOOSER_SIZE[1]))
        self.chooser.reveal([key for keys in self._chosen for key in keys])
        self.popup.move(corner)
        self.popup.show()
        self.chooser.search.setFocus()

    # --- drawing
    def _on_grew(self) -> None:
        view = self.now_view()
        for one in self.rows:
            for line in one.lines:
                times, values = self.feed.columns.values(line.key)
                draw(line, times, values, view, self._after)
        self._show_view(view)

    @property
    def _after(self) -> After:
        state = self._stream.state if self._stream is not None else StreamState.CAPTURING
        if state in (StreamState.CAPTURING, StreamState.STARTING, StreamState.DRAINING):
            return After.MORE
        return After.NOTHING if state in (StreamState.ENDED, StreamState.VERIFIED) else After.GAP

    def _move(self) -> None:
        """Moves the view on as soon as that is a pixel."""
        if not self.rows:
            return
        view = self.now_view()
        width = max(self.axis.area.width(), 1)
        pixel = int(view.start_ns / view.span_ns * width)
        if (pixel, int(width)) != self._drawn:
            if self._after is not After.MORE:
                self._on_grew()
            else:
                self._show_view(view)

    def _show_view(self, view: TimeRange) -> None:
        zone, width = self._workspace.zone, max(self.axis.area.width(), 1)
        self._drawn = (int(view.start_ns / view.span_ns * width), int(width))
        ticks = time_ticks(view, zone, language().code, most_ticks(width))
        scale = even(view)
        self.axis.show_scale(scale, ticks, zone_text(view, zone))
        for one in self.rows:
            for line in one.lines:
                if line.captured is not None and self._after is After.MORE:
                    line.captured = TimeRange(line.captured.start_ns, max(view.end_ns, line.captured.start_ns + 1))
            one.canvas.show_lines(one.lines)
            one.canvas.show_scale(scale, ticks)
        self._show_values()

    def _show_values(self) -> None:
        """Shows the values under the cross-hair, else the last ones; a stream that does not run has no value now."""
        columns, age_ns = self.feed.columns, self._cursor_age_ns
        at_ns = None if age_ns is None else self.axis.view.end_ns - age_ns
        words = "" if at_ns is None else stamp_text(at_ns, self._workspace.zone, with_date=False, with_zone=False)
        self.axis.show_flag(at_ns, words.partition(".")[0])
        for one in self.rows:
            one.canvas.show_cursor(at_ns)
            readings: dict[int, tuple[int, float] | None] = {}
            for line in one.lines:
                if at_ns is not None:
                    readings[line.key] = columns.at(line.key, at_ns)
                elif self._after is After.MORE:
                    readings[line.key] = columns.last(line.key)
            one.show_values({key: reading for key, reading in readings.items() if reading is not None})

    def _show_marks(self) -> None:
        zone = self._workspace.zone
        marks = [
            Mark("mark", it.time_ns + self.offset_ns, None, it.text, f"{stamp_text(it.time_ns, zone)}\n{it.text}")
            for it in self._marks
        ]
        for one in self.rows:
            one.canvas.show_marks(marks)

    def _on_cursor(self, time_ns: int | None) -> None:
        self._cursor_age_ns = None if time_ns is None else self.axis.view.end_ns - time_ns
        self._show_values()

    def _on_window(self, minutes: int, chosen: bool) -> None:
        if chosen:
            self._window_ns = minutes * 60 * SECOND_NS
            self._on_grew()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:  # a scroll bar takes its width from the rows: so does the axis
            taken = self._scroll.width() - self._scroll.viewport().width()
            self._axis_row.setContentsMargins(PlotRow.LEFT_PX, 0, PlotRow.RIGHT_PX + taken, 0)
            QTimer.singleShot(0, self, self._on_grew)
        return False

    # --- words
    def _on_refused(self, error: UserError | None) -> None:
        self._error = error
        self._show_parts()

    def _show_parts(self) -> None:
        self.parts.setCurrentIndex(1 if self.rows else 0)
        self.choose.setVisible(bool(self.feed.columns.infos))
        for control in self.windows.buttons():
            control.setVisible(bool(self.rows))
        self.sentence.setText(self._sentence())

    def _sentence(self) -> str:
        if self._error is not None:
            return error_text(self._error)
        return text("ui.live.chart.wait") if self.feed.key is not None else text("ui.live.chart.none")

    def retranslate(self) -> None:
        self.chooser.retranslate()
        for minutes in WINDOWS_MIN:
            self.windows.button(minutes).setText(text("ui.live.chart.minutes", minutes=minutes))
            self.windows.button(minutes).setAccessibleName(text("ui.live.chart.minutes.name", minutes=minutes))
        self._show_parts()

    def apply_theme(self) -> None:
        if self.rows:
            self._make_rows()


def _kind_of(info: SeriesInfo) -> tuple[str, str, str]:
    return info.table, info.metric, info.unit
