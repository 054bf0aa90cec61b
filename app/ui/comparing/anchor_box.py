"""From which moment a side's time is counted: the start of its window, an event, or a time that is typed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QSizePolicy

from app.ui.charts.lines import Mark
from app.ui.charts.side_picker import typed_time
from app.ui.charts.time_range import SECOND_NS, TimeRange
from app.ui.charts.time_ticks import stamp_text
from app.ui.look.language import text
from app.ui.widgets.parts import set_tone

NARROW_PX, LIST_PX = 150, 300
AROUND_NS = 3_600 * SECOND_NS
"""So far beyond its window an event still explains what is in it."""


@dataclass(frozen=True, slots=True)
class Moment:
    time_ns: int
    words: str


def moments_of(marks: Sequence[Mark], window: TimeRange | None) -> list[Moment]:
    """What happened in or near a window."""
    if window is None:
        return []
    near = TimeRange(window.start_ns - AROUND_NS, window.end_ns + AROUND_NS)
    found = [Moment(mark.time_ns, mark.word) for mark in marks if near.contains(mark.time_ns) and mark.kind != "gap"]
    return sorted(dict.fromkeys(found), key=lambda moment: moment.time_ns)


class AnchorBox(QComboBox):
    """`moved` comes when another moment was chosen; `time_ns` is None for the start of the window."""

    moved = Signal()

    def __init__(self, side: str) -> None:
        super().__init__(editable=True, insertPolicy=QComboBox.InsertPolicy.NoInsert)
        self.side = side
        self.time_ns: int | None = None
        self._moments: list[Moment] = []
        self._window: TimeRange | None = None
        self._zone = ZoneInfo("UTC")
        self.setCompleter(None)  # type: ignore[arg-type]  # it would add the rest of an entry to a typed time
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(NARROW_PX)
        self.setMaximumWidth(240)
        self.view().setMinimumWidth(LIST_PX)
        self.activated.connect(self._pick)
        field = self.lineEdit()
        assert field is not None
        field.editingFinished.connect(self._read)

    def show_moments(self, moments: Sequence[Moment], window: TimeRange | None, zone: ZoneInfo) -> None:
        """A moment that was chosen stays while it lies near the window."""
        self._moments, self._window, self._zone = list(moments), window, zone
        if self.time_ns is not None and not self._is_near(self.time_ns):
            self.time_ns = None
        self.retranslate()

    def _is_near(self, time_ns: int) -> bool:
        window = self._window
        return window is not None and window.start_ns - AROUND_NS <= time_ns <= window.end_ns + AROUND_NS

    def retranslate(self) -> None:
        name = text(f"ui.compare.anchor.{self.side}")
        self.setAccessibleName(name)
        self.setToolTip(f"{name}\n{text('ui.compare.anchor.tip', zone=self._zone.key)}")
        with QSignalBlocker(self):
            self.clear()
            self.addItem(text("ui.compare.anchor.start"))
            self.addItems([f"{self._stamp(moment.time_ns)} {moment.words}" for moment in self._moments])
            self._write()

    def _stamp(self, time_ns: int) -> str:
        return stamp_text(time_ns // SECOND_NS * SECOND_NS, self._zone, with_date=False, with_zone=False)

    def _write(self) -> None:
        known = next((i for i, moment in enumerate(self._moments) if moment.time_ns == self.time_ns), -1)
        place = 0 if self.time_ns is None else known + 1
        with QSignalBlocker(self):
            if self.time_ns is not None and known < 0:
                self.setCurrentIndex(-1)
                self.setEditText(self._stamp(self.time_ns))
            else:
                self.setCurrentIndex(place)
                self.setEditText(self.itemText(place))
        self._mark(wrong=False)
        field = self.lineEdit()
        if field is not None:
            field.setCursorPosition(0)

    def _pick(self, place: int) -> None:
        self._take(None if place == 0 else self._moments[place - 1].time_ns)

    def _read(self) -> None:
        """What was typed: a time, or one of the entries."""
        words = self.currentText().strip()
        entries = [self.itemText(place) for place in range(self.count())]
        if words in entries:
            self._pick(entries.index(words))
        elif words == "":
            self._take(None)
        else:
            typed = typed_time(words, self._zone, self._window.start_ns) if self._window else None
            if typed is None or not self._is_near(typed):
                self._mark(wrong=True)
            else:
                self._take(typed)

    def _take(self, time_ns: int | None) -> None:
        changed = time_ns != self.time_ns
        self.time_ns = time_ns
        self._write()
        if changed:
            self.moved.emit()

    def _mark(self, wrong: bool) -> None:
        set_tone(self, "wrong" if wrong else "", "state")
