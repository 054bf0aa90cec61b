"""The head of the page: what was found in one line, how the sides are laid over each other, and the two windows."""

from __future__ import annotations

from collections.abc import Sequence
from zoneinfo import ZoneInfo

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QComboBox, QWidget

from app.analysis.comparing.comparison import Comparison
from app.domain.engagement import Run
from app.domain.windows import Window
from app.ui.charts.alignment import Align, Alignment, fitting_mode
from app.ui.charts.lines import Mark
from app.ui.charts.side_picker import SidePicker
from app.ui.charts.time_range import TimeRange
from app.ui.comparing.anchor_box import AnchorBox, moments_of
from app.ui.comparing.comparison_list import verdict_counts
from app.ui.look.language import language, translated
from app.ui.widgets.parts import ElidedLabel, caption, column, label, row
from app.usecases.comparing import words as compare_words

SIDE_BY_SIDE_PX = 900


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
        self._title = translated(label(role="title"), "ui.page.compare", toolTip="ui.compare.honest")
        self.summary = ElidedLabel(role="muted", mode=Qt.TextElideMode.ElideRight)
        self.load = ElidedLabel(role="muted", mode=Qt.TextElideMode.ElideRight)
        self.honest = translated(label(role="small", wrap=True), "ui.compare.honest")
        anchors = ((box, 2) for box in self.anchors.values())
        head = row(self._title, (self.summary, 3), caption("ui.compare.align", "muted"), self.align, *anchors)
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

    def show_found(self, found: Comparison | None, zone: ZoneInfo) -> None:
        """How many verdicts of each kind, and what asked for the work on either side."""
        code, gate = language().code, found.gate if found is not None else ()
        self.load.setVisible(bool(gate))
        if gate:
            self.load.set_words(compare_words.load_text(gate, code, zone))
        counts = verdict_counts(found) if found is not None else ()
        for picker, left_out in zip((self.before, self.after), found.left_out if found else ((), ()), strict=True):
            picker.show_left_out([each.span for each in left_out])
        self.summary.set_words(" · ".join(f"{compare_words.verdict_text(verdict, code)} {n}" for verdict, n in counts))

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
