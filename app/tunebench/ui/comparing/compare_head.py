"""The head of the page: what was found in one line, how the sides are laid over each other and from which moment their
times are counted, and the two windows."""

from __future__ import annotations

from collections.abc import Sequence
from zoneinfo import ZoneInfo

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QComboBox, QSizePolicy, QWidget

from tunebench.analysis.comparing.comparison import Comparison
from tunebench.analysis.exploring.time_range import SECOND_NS, TimeRange
from tunebench.columns import comparing_words
from tunebench.columns.time_ticks import stamp_text
from tunebench.core.records import record
from tunebench.domain.engagement import Run
from tunebench.domain.windows import Window
from tunebench.ui.charts.lines import Mark
from tunebench.ui.charts.side_picker import SidePicker, typed_time
from tunebench.ui.comparing.window_book import SIDES, WindowBook
from tunebench.ui.look.language import language, text, translated
from tunebench.ui.typing import never_stored
from tunebench.ui.widgets.parts import ElidedLabel, IconButton, button, caption, column, label, row, set_tone
from tunebench.usecases.exploring.window_ranges import Align, Alignment, fitting_mode

NARROW_PX, LIST_PX = 150, 300
AROUND_NS = 3_600 * SECOND_NS
"""So far beyond its window an event still explains what is in it."""
SIDE_BY_SIDE_PX = 900


@record
class Moment:
    time_ns: int
    words: str


def moments_of(marks: Sequence[Mark], window: TimeRange | None) -> list[Moment]:
    """The moments of marks in or near a window."""
    if window is None:
        return []
    near = TimeRange(window.start_ns - AROUND_NS, window.end_ns + AROUND_NS)
    moments = [Moment(mark.time_ns, mark.word) for mark in marks if near.contains(mark.time_ns) and mark.kind != "gap"]
    return sorted(dict.fromkeys(moments), key=lambda moment: moment.time_ns)


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
        never_stored(field)
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
        position = next((i for i, moment in enumerate(self._moments) if moment.time_ns == self.time_ns), -1)
        index = 0 if self.time_ns is None else position + 1
        with QSignalBlocker(self):
            if self.time_ns is not None and position < 0:
                self.setCurrentIndex(-1)
                self.setEditText(self._stamp(self.time_ns))
            else:
                self.setCurrentIndex(index)
                self.setEditText(self.itemText(index))
        self._mark(wrong=False)
        field = self.lineEdit()
        if field is not None:
            field.setCursorPosition(0)

    def _pick(self, index: int) -> None:
        self._take(None if index == 0 else self._moments[index - 1].time_ns)

    def _read(self) -> None:
        """Takes what was typed: a time, or one of the entries."""
        words = self.currentText().strip()
        entries = [self.itemText(index) for index in range(self.count())]
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


class ProposalLine(QWidget):
    """Gone as soon as a window is kept.

    Args:
        of_import: it waits until it is `wanted`, and speaks of a before and an after only.
    """

    def __init__(self, book: WindowBook, of_import: bool = False) -> None:
        super().__init__()
        self._of_import, self.wanted = of_import, not of_import
        self._book = book
        self.found: tuple[Window, ...] = ()
        self.words = ElidedLabel(role="small", mode=Qt.TextElideMode.ElideRight)
        self.keep = translated(
            button(kind="link", on_click=lambda: self._book.keep_all(self.found)), "ui.window.proposed.keep"
        )
        row((self.words, 1), self.keep, of=self)
        self.hide()
        book.changed.connect(self.look)

    def look(self) -> None:
        """Asks again what there is to be kept."""
        if self.wanted:
            self._book.propose(self, self._show)
        else:
            self._show(())

    def _show(self, windows: tuple[Window, ...]) -> None:
        complete = not self._of_import or {window.role for window in windows} >= set(SIDES.values())
        self.found = windows if complete else ()
        key = "ui.window.proposed.both" if self._of_import else "ui.window.proposed"
        self.words.set_words(text(key, names=", ".join(window.name for window in self.found)))
        self.setVisible(bool(self.found))


class CompareHead(QWidget):
    """Signals:
    aligned: the sides are to be laid over each other in another way.
    chosen: (side, `Window`).
    editor_asked: (side): its window is to be kept or changed.
    """

    aligned = Signal()
    chosen = Signal(str, object)
    editor_asked = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.before, self.after = SidePicker("before"), SidePicker("after")
        self.align = QComboBox()
        self.align.addItems(list(Align))
        self.align.setCurrentIndex(1)
        align_keys = [f"ui.compare.align.{mode}" for mode in Align]
        translated(self.align, itemText=align_keys, accessibleName="ui.compare.align")
        self.anchors = {side: AnchorBox(side) for side in ("before", "after")}
        self._align_chosen = False
        about = IconButton("info", key="ui.compare.honest")
        self.summary = ElidedLabel(role="muted", mode=Qt.TextElideMode.ElideRight)
        self.load = ElidedLabel(role="muted", mode=Qt.TextElideMode.ElideRight)
        self.honest = translated(label(role="small", wrap=True), "ui.compare.honest")
        anchors = ((box, 2) for box in self.anchors.values())
        head = row(about, (self.summary, 3), caption("ui.compare.align", "muted"), self.align, *anchors)
        self._sides = row((self.before, 1), (self.after, 1))
        column(head, self._sides, self.load, self.honest, of=self)
        for picker in (self.before, self.after):
            picker.chosen.connect(self.chosen)
            picker.editor_asked.connect(self.editor_asked)
        self.align.currentIndexChanged.connect(lambda _place: self._choose_mode())
        for box in self.anchors.values():
            box.moved.connect(self.aligned)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._place_sides(event.size().width())
        super().resizeEvent(event)

    def _place_sides(self, width: int) -> None:
        """On a narrow page the two sides stand below each other, where either has times to type over."""
        narrow = width < SIDE_BY_SIDE_PX and (self.before.is_typed or self.after.is_typed)
        self._sides.setDirection(QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight)

    # --- what is shown
    def show_windows(
        self,
        windows: Sequence[Window],
        runs: Sequence[Run],
        before: Window | None,
        after: Window | None,
        zone: ZoneInfo,
        writable: bool,
    ) -> None:
        for picker, window in ((self.before, before), (self.after, after)):
            picker.show_window(windows, runs, window, zone, writable)
        self._place_sides(self.width())

    def show_moments(
        self, marks: Sequence[Mark], before: TimeRange | None, after: TimeRange | None, zone: ZoneInfo
    ) -> None:
        """What the sides' time can be counted from."""
        for side, window in (("before", before), ("after", after)):
            self.anchors[side].show_moments(moments_of(marks, window), window, zone)

    def show_found(self, comparison: Comparison | None, zone: ZoneInfo) -> None:
        """Shows what asked for the work on either side, and what of it has no like."""
        code, gate = language().code, comparison.gate if comparison is not None else ()
        self.load.setVisible(bool(gate))
        if gate:
            self.load.set_words(comparing_words.load_text(gate, code, zone))
        for picker, left_out in zip(
            (self.before, self.after), comparison.left_out if comparison else ((), ()), strict=True
        ):
            picker.show_left_out([occurrence.span for occurrence in left_out])

    def show_counts(self, words: str) -> None:
        """Shows what was compared, and how many verdicts of each kind there are."""
        self.summary.set_words(words)

    # --- laying over each other
    def alignment(
        self, before: TimeRange | None, after: TimeRange | None, zone: ZoneInfo, after_zone: ZoneInfo
    ) -> Alignment | None:
        if before is None or after is None:
            return None
        if not self._align_chosen:
            self._show_mode(fitting_mode(before, after, zone, after_zone))
        zeros = (self.anchors[side].time_ns for side in ("before", "after"))
        return Alignment(self._mode(), before, after, zone, after_zone, *zeros)

    def _mode(self) -> Align:
        return list(Align)[max(self.align.currentIndex(), 0)]

    def _show_mode(self, mode: Align) -> None:
        self.align.blockSignals(True)
        self.align.setCurrentIndex(list(Align).index(mode))
        self.align.blockSignals(False)
        self._show_anchors()

    def _show_anchors(self) -> None:
        for box in self.anchors.values():
            box.setVisible(self._mode() is Align.ELAPSED)

    def _choose_mode(self) -> None:
        self._align_chosen = True
        self._show_anchors()
        self.aligned.emit()

    # --- words
    def retranslate(self) -> None:
        self._show_anchors()
        for picker in (self.before, self.after):
            picker.retranslate()
        for box in self.anchors.values():
            box.retranslate()
