"""One side of the comparison: a kept window, or a run and from when to when in it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QLineEdit, QSizePolicy

from tunebench.analysis.exploring.time_range import TimeRange, from_local
from tunebench.columns.time_ticks import stamp_text
from tunebench.domain.assembly import Span
from tunebench.domain.engagement import Run
from tunebench.domain.windows import Window, run_window, stretch_text
from tunebench.ui.look.language import text, translated
from tunebench.ui.look.theme import SPACE_S, SPACE_XS
from tunebench.ui.typing import never_stored
from tunebench.ui.widgets.parts import IconButton, label, row, set_tone
from tunebench.ui.widgets.window_picker import WindowPicker
from tunebench.usecases.exploring.window_ranges import occurrence_lines, only_run_of, part_of, window_range

FIELD_PX, SHORT_FIELD_PX = 150, 82
_FORMATS = ("%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M", "%H:%M:%S", "%H:%M")


def typed_time(words: str, zone: ZoneInfo, day_of_ns: int) -> int | None:
    """UTC nanoseconds of a typed time; without a date it is the day of `day_of_ns`. None where unreadable."""
    for pattern in _FORMATS:
        try:
            moment = datetime.strptime(words.strip(), pattern)
        except ValueError:
            continue
        if "%Y" not in pattern:
            day = datetime.fromtimestamp(day_of_ns // 1_000_000_000, zone)
            moment = moment.replace(year=day.year, month=day.month, day=day.day)
        return from_local(moment.replace(tzinfo=zone))
    return None


class SidePicker(QFrame):
    """Signals:
    chosen: (side, `Window`).
    editor_asked: (side): to keep what is chosen as a window, or to change the kept one.
    """

    chosen = Signal(str, object)
    editor_asked = Signal(str)

    def __init__(self, side: str) -> None:
        super().__init__()
        self.side = side
        self._runs: list[Run] = []
        self._zone = self._usual = ZoneInfo("UTC")
        self._window: Window | None = None
        self._left_out: list[Span] = []
        self.setProperty("card", "true")
        self._word = label(role="strong", tone=side)
        self.run = WindowPicker()
        self.run.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.run.setMinimumWidth(90)
        self.start, self.end = QLineEdit(), QLineEdit()
        self._dash = label("–", "muted")
        self._times, self._clock = label(role="muted"), label(role="muted")
        self.whole = IconButton("history", self._choose_whole, key="ui.compare.side.whole")
        self.keep = IconButton("pin", lambda: self.editor_asked.emit(side), key="ui.window.keep")
        self.change = IconButton("edit", lambda: self.editor_asked.emit(side), key="ui.window.change")
        for field in (self.start, self.end):
            field.setFixedWidth(FIELD_PX)
            never_stored(field)
            field.editingFinished.connect(self._read_fields)
        times = (self.start, self._dash, self.end, self._times, self._clock)
        parts = (self._word, (self.run, 1), *times, self.whole, self.keep, self.change)
        self.setLayout(row(*parts, spacing=SPACE_XS, margins=(SPACE_S, SPACE_XS, SPACE_XS, SPACE_XS)))
        self.run.picked.connect(lambda window: self.chosen.emit(self.side, window))
        translated(self.run, accessibleName=f"ui.compare.side.{self.side}.run")
        translated(self.start, accessibleName=f"ui.compare.side.{self.side}.start")
        translated(self.end, accessibleName=f"ui.compare.side.{self.side}.end")

    def retranslate(self) -> None:
        sign = "—" if self.side == "before" else "- -"
        self._word.setText(f"{sign} {text('ui.compare.side.' + self.side)}")
        for field in (self.start, self.end):
            field.setToolTip(text("ui.compare.side.typed", zone=self._zone.key))
        self._say_times()

    def show_window(
        self, windows: Sequence[Window], runs: Sequence[Run], window: Window | None, zone: ZoneInfo, writable: bool
    ) -> None:
        """Shows the number of several occurrences; the times of a single one can be typed over."""
        if window != self._window:
            self._left_out = []
        self._runs, self._window, self._usual = list(runs), window, zone
        self._zone = window.clock(zone) if window is not None else zone
        self._clock.setText(self._zone.key)
        self._clock.setVisible(self._zone.key != zone.key)
        self.run.show_windows(windows, runs, window)
        kept = window is not None and bool(window.id)
        self.keep.setVisible(not kept)
        self.change.setVisible(kept)
        for control in (self.keep, self.change):
            control.setEnabled(window is not None and writable)
        self.whole.setVisible(not kept)
        self.preview(window_range(window, runs))
        for field in (self.start, self._dash, self.end):
            field.setVisible(self.is_typed)
        self._say_times()

    def show_left_out(self, spans: Sequence[Span]) -> None:
        """Occurrences that are in no figure of the comparison."""
        self._left_out = list(spans)
        self._say_times()

    @property
    def is_typed(self) -> bool:
        """Whether its times can be typed over: there is one stretch of it."""
        return self._window is None or len(self._window.occurrences) <= 1

    def _say_times(self) -> None:
        self._times.setVisible(not self.is_typed)
        if self._window is not None and not self.is_typed:
            count, left_out = len(self._window.occurrences), [stretch_text(span, self._zone) for span in self._left_out]
            key = "ui.window.occurrences_of" if left_out else "ui.window.occurrences"
            self._times.setText(text(key, n=count, compared=count - len(left_out)))
            lines = [text("compare.check.left_out", left_out=", ".join(left_out))] if left_out else []
            self._times.setToolTip("\n".join([*occurrence_lines(self._window, self._usual), *lines]))

    def preview(self, span: TimeRange | None) -> None:
        """Writes it into the fields, also while an edge is dragged on a chart."""
        for field, words in ((self.start, self._start_words(span)), (self.end, self._end_words(span))):
            field.setEnabled(span is not None)
            field.setText(words)
            set_tone(field, "", "state")
        self.end.setFixedWidth(SHORT_FIELD_PX if len(self.end.text()) <= 8 else FIELD_PX)

    def _start_words(self, span: TimeRange | None) -> str:
        return "" if span is None else stamp_text(_whole(span.start_ns), self._zone, with_zone=False)

    def _end_words(self, span: TimeRange | None) -> str:
        """The end, without its date where that is the start's."""
        if span is None:
            return ""
        words = stamp_text(_whole(span.end_ns), self._zone, with_zone=False)
        return words[11:] if words[:10] == self._start_words(span)[:10] else words

    def _choose_whole(self) -> None:
        run_id = only_run_of(self._window)
        if run_id is not None:
            self.chosen.emit(self.side, run_window(run_id))

    def _read_fields(self) -> None:
        now = window_range(self._window, self._runs)
        if now is None or self._window is None or len(self._window.occurrences) != 1:
            return
        start = self._field_time(self.start, now.start_ns, self._start_words(now))
        end = self._field_time(self.end, now.end_ns, self._end_words(now))
        if start is None or end is None or start >= end:
            if start is not None and end is not None:
                set_tone(self.end, "wrong", "state")
            return
        (kept,) = self._window.occurrences
        ends = (start if start != now.start_ns else kept.start_ns, end if end != now.end_ns else kept.end_ns)
        if ends != (kept.start_ns, kept.end_ns):
            self.chosen.emit(self.side, part_of(self._window, *ends))

    def _field_time(self, field: QLineEdit, now_ns: int, shown: str) -> int | None:
        time_ns = now_ns if field.text() == shown else typed_time(field.text(), self._zone, now_ns)
        set_tone(field, "wrong" if time_ns is None else "", "state")
        return time_ns


def _whole(time_ns: int) -> int:
    return time_ns // 1_000_000_000 * 1_000_000_000
