"""One thing before and after on one axis: before solid, after dashed, windows' edges to drag.

A side may be made of several captures: each is a line of its own, so that none crosses what lies between.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan
from zoneinfo import ZoneInfo

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from tunebench.analysis.comparing.comparison import ComparedSeries, Parts
from tunebench.analysis.exploring.time_range import SECOND_NS, TimeRange
from tunebench.analysis.exploring.time_scale import even
from tunebench.columns.formats import format_span, format_value
from tunebench.columns.time_ticks import elapsed_text, most_ticks, stamp_text, zone_text
from tunebench.domain.series import SeriesInfo
from tunebench.ui.charts.canvas import GUTTER_PX, MARGIN_PX, ChartCanvas
from tunebench.ui.charts.feeds import CursorReadings, EnvelopeFeed
from tunebench.ui.charts.gestures import Gestures
from tunebench.ui.charts.lines import ChartLine, ChartWindow, captured_range
from tunebench.ui.charts.time_axis import TimeAxis
from tunebench.ui.jobs_bridge import JobsBridge
from tunebench.ui.look.formats import format_interval, host_words, unit_text
from tunebench.ui.look.language import language, text
from tunebench.ui.look.theme import SPACE_M, SPACE_S, current_theme
from tunebench.ui.widgets.exhibit import Exhibit, Exhibited, window_words
from tunebench.ui.widgets.parts import ElidedLabel, column, label, row
from tunebench.usecases.exploring.reading import Readings
from tunebench.usecases.exploring.strands import reaches
from tunebench.usecases.exploring.window_ranges import Align, Alignment
from tunebench.usecases.projects import Project

SIDES = ("before", "after")
LOW_PX = 215
"""Below this the lines of evidence give their place to the chart; the inspector has the same."""


class PairChart(QFrame):
    """`window_dragged` carries (side, TimeRange in that side's own time, finished)."""

    window_dragged = Signal(str, object, bool)

    def __init__(self, jobs: JobsBridge, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("card", "true")
        self.row: ComparedSeries | None = None
        self.alignment: Alignment | None = None
        self._lines: dict[str, list[ChartLine]] = {}
        self._readings: dict[str, tuple[int, float] | None] = {}
        self._dots: dict[str, dict[int, tuple[int, float]]] = {}
        self._view: TimeRange | None = None
        self._cursor_ns: int | None = None
        self._dragged: dict[str, TimeRange] = {}
        self._occurrences: Mapping[str, Sequence[TimeRange]] = {}
        self.canvas, self.axis = ChartCanvas(), TimeAxis()
        Gestures(self.canvas)
        self._feeds = {side: EnvelopeFeed(jobs, self) for side in SIDES}
        self._cursors = {side: CursorReadings(jobs, self) for side in SIDES}
        self._title = ElidedLabel(role="strong")
        self._values = {side: label(tone=side) for side in SIDES}
        self._when = label(role="small")
        self._evidence = {side: ElidedLabel(role="small") for side in SIDES}
        Exhibited(self, self.exhibit)
        self._lay_out()
        self._connect()

    def exhibit(self) -> Exhibit:
        """The samples of both sides, as they are drawn."""
        rows = [
            [side, f"{time_ns / SECOND_NS:.3f}", f"{value:.6g}"]
            for side, line in self._every_line()
            if line.drawn is not None
            for time_ns, value in zip(line.drawn.times_ns.tolist(), line.drawn.values.tolist(), strict=True)
            if not isnan(value)
        ]
        evidence = self.canvas.accessibleDescription().splitlines()
        source = " · ".join(filter(None, (window_words(self), *evidence)))
        return Exhibit(
            self.canvas.accessibleName(), [["", "s", self.row.series.unit if self.row else ""], *rows], source
        )

    def _lay_out(self) -> None:
        inside = headed_column(self, self._title, self._when, *self._values.values())
        inside.addWidget(self.canvas, 1)
        for part in (self.axis, *self._evidence.values()):
            inside.addWidget(part)

    def _connect(self) -> None:
        for side in SIDES:
            self._feeds[side].arrived.connect(self._draw)
            self._cursors[side].ready.connect(lambda time_ns, readings, s=side: self._on_reading(s, time_ns, readings))
        self.canvas.view_requested.connect(self._on_view)
        self.axis.view_requested.connect(self._on_view)
        self.canvas.cursor_moved.connect(self._on_cursor)
        self.canvas.range_picked.connect(self._on_picked)
        self.canvas.reset_requested.connect(self.reset)
        self.canvas.window_dragged.connect(self._on_dragged)

    def use(self, project: Project | None) -> None:
        for side in SIDES:
            self._feeds[side].use(project)
            self._cursors[side].use(project)

    # --- what is shown
    def show_pair(
        self,
        row: ComparedSeries | None,
        alignment: Alignment | None,
        occurrences: Mapping[str, Sequence[TimeRange]] | None = None,
    ) -> None:
        """Shows both sides; several `occurrences` of a side, in its own time, are shown but cannot be dragged."""
        if alignment != self.alignment:
            self._view = None
        self.row, self.alignment, self._occurrences = row, alignment, occurrences or {}
        self._dragged.clear()
        self._lines = {}
        if row is not None and alignment is not None:
            for side in SIDES:
                self._lines[side] = [self._line(side, info, alignment) for info in self._parts(side)]
            self.canvas.unit = unit_text(row.unit)
        self.refresh()

    def _line(self, side: str, info: SeriesInfo, alignment: Alignment) -> ChartLine:
        return ChartLine(
            info.id,
            info.label,
            unit_text(info.unit),
            current_theme().phase_colour(side),
            dashed=side == "after",
            shift_ns=self._shift_ns(side),
            captured=captured_range(info),
            strong=alignment.after_on_axis if side == "after" else alignment.before,
        )

    def refresh(self) -> None:
        """After language, theme, size or view changed."""
        for side, line in self._every_line():
            line.colour = current_theme().phase_colour(side)
        self._say()
        if self.alignment is None:
            self.canvas.show_lines([])
            self.canvas.show_windows([])
            return
        view = self._view or self.alignment.whole
        width = max(self.canvas.width() - GUTTER_PX - MARGIN_PX, 50)
        ticks = self.alignment.ticks(view, language().code, most_ticks(width))
        elapsed = self.alignment.mode is Align.ELAPSED
        zone = text("ui.compare.elapsed") if elapsed else zone_text(view, self.alignment.zone)
        scale = even(view)
        self.canvas.show_scale(scale, ticks)
        self.axis.show_scale(scale, ticks, zone)
        for side in self._lines:
            self._feeds[side].want(view.moved(-self._shift_ns(side)), width, self._parts(side))
        self._show_windows()
        self._draw()

    def resizeEvent(self, event) -> None:  # type: ignore[no-untyped-def]
        super().resizeEvent(event)
        self.refresh()

    def _draw(self) -> None:
        for side, line in self._every_line():
            envelope = self._feeds[side].envelope(line.key)
            if envelope is not line.envelope:
                line.show(envelope)
        self.canvas.show_lines([line for _, line in self._every_line()])

    def _every_line(self) -> list[tuple[str, ChartLine]]:
        return [(side, line) for side, lines in self._lines.items() for line in lines]

    def _show_windows(self) -> None:
        assert self.alignment is not None
        ranges = {"before": self.alignment.before, "after": self.alignment.after_on_axis} | self._dragged
        shown = []
        for side in SIDES:
            several = [stretch.moved(self._shift_ns(side)) for stretch in self._occurrences.get(side, ())]
            spans = several if len(several) > 1 else [ranges[side]]
            shown += [
                ChartWindow(side, span, int(side == "after"), len(several) > 1, movable=len(several) <= 1)
                for span in spans
            ]
        self.canvas.show_windows(shown)

    # --- gestures
    def reset(self) -> None:
        self._view = None
        self.refresh()

    def _on_view(self, wanted: TimeRange, _finished: bool) -> None:
        if self.alignment is not None:
            self._view = wanted.within(self.alignment.whole)
            self.refresh()

    def _on_picked(self, picked: TimeRange, _place: object) -> None:
        self.canvas.show_picked(None)
        self._on_view(picked, True)

    def _on_dragged(self, side: str, moved: TimeRange, finished: bool) -> None:
        self._dragged[side] = moved
        self._show_windows()
        self.window_dragged.emit(side, moved.moved(-self._shift_ns(side)), finished)

    # --- cross-hair
    def _on_cursor(self, time_ns: int | None) -> None:
        self._cursor_ns = time_ns
        self._readings, self._dots = {}, {}
        self.canvas.show_cursor(time_ns)
        self.axis.show_flag(time_ns, self._cursor_words())
        if time_ns is None or self.row is None:
            self.canvas.show_dots({})
            self._say()
            return
        for side in self._lines:
            self._cursors[side].ask(time_ns - self._shift_ns(side), self._parts(side), self._feeds[side].envelope)

    def _parts(self, side: str) -> Parts:
        assert self.row is not None
        return self.row.before_parts if side == "before" else self.row.after_parts

    def _clock(self, side: str) -> ZoneInfo:
        assert self.alignment is not None
        return self.alignment.after_zone if side == "after" else self.alignment.zone

    def _shift_ns(self, side: str) -> int:
        return self.alignment.shift_ns if self.alignment is not None and side == "after" else 0

    def _cursor_words(self) -> str:
        if self._cursor_ns is None or self.alignment is None:
            return ""
        if self.alignment.mode is Align.ELAPSED:
            return elapsed_text((self._cursor_ns - self.alignment.zero_ns) // SECOND_NS * SECOND_NS)
        return stamp_text(self._cursor_ns // SECOND_NS * SECOND_NS, self.alignment.zone, with_date=False)

    def _on_reading(self, side: str, time_ns: int, readings: Readings) -> None:
        if side not in self._lines or self._cursor_ns is None or time_ns != self._cursor_ns - self._shift_ns(side):
            return
        key = covering_part(readings, time_ns)
        self._dots[side] = {} if key is None else {key: readings[key]}
        self._readings[side] = None if key is None else readings[key]
        self.canvas.show_dots({key: reading for dots in self._dots.values() for key, reading in dots.items()})
        self._say()

    # --- words
    def _say(self) -> None:
        row = self.row
        for reading_label in (*self._values.values(), self._when):
            reading_label.setVisible(row is not None)
        for reading_label in self._evidence.values():
            reading_label.setVisible(row is not None and self.height() >= LOW_PX)
        if row is None:
            self._title.set_words("")
            return
        unit = unit_text(row.unit)
        self._title.set_words(f"{row.series.label}{f' ({unit})' if unit else ''} · {host_words(row.series.host)}")
        self._when.setText(self._cursor_words())
        for side in SIDES:
            reading = self._readings.get(side)
            value = format_value(reading[1] if reading else None)
            self._values[side].setText(text(f"ui.compare.reading.{side}", value=value))
            self._values[side].setVisible(self._cursor_ns is not None)
            stamp = stamp_text(reading[0], self._clock(side)) if reading and self.alignment else ""
            self._values[side].setToolTip(stamp)
            self._evidence[side].set_words(self._evidence_words(side))
        self.canvas.setAccessibleName(self._title.words())
        self.canvas.setAccessibleDescription("\n".join(self._evidence_words(side) for side in SIDES))

    def _evidence_words(self, side: str) -> str:
        assert self.row is not None
        parts = self._parts(side)
        statistics = self.row.before_statistics if side == "before" else self.row.after_statistics
        name = text(f"ui.compare.side.{side}")
        if not parts or statistics is None or self.alignment is None:
            return text("ui.compare.evidence.none", side=name)
        window = self.alignment.before if side == "before" else self.alignment.after
        span = format_span(window.start_ns, window.end_ns, self._clock(side))
        info, intervals = parts[0], {part.interval_s for part in parts}
        words = text(
            "ui.compare.evidence",
            side=name,
            run=info.run,
            span=span,
            n=f"{statistics.n:,}",
            missing=f"{statistics.missing:,}",
            interval=format_interval(info.interval_s if len(intervals) == 1 else None),
            source=f"{host_words(info.host)} {info.tool} {info.native}",
        )
        inside = sum(part.captures for part in parts if reaches(part, window.ends))
        return f"{words} · {text('ui.compare.captures', count=inside)}" if inside > 1 else words


def headed_column(card: QFrame, title: QWidget, *readings: QWidget) -> QVBoxLayout:
    """The layout of a chart's card: title and readings under the cursor on the first line."""
    layout = column(
        row((title, 1), *readings, spacing=SPACE_M), spacing=2, margins=(SPACE_M, SPACE_S, SPACE_M, SPACE_S)
    )
    card.setLayout(layout)
    return layout


def covering_part(readings: Readings, time_ns: int) -> int | None:
    """The id of the capture whose sample's interval ends soonest at or after `time_ns`; None where there is none."""
    return min(readings, key=lambda key: (readings[key][0] < time_ns, abs(readings[key][0] - time_ns)), default=None)
