"""Align by an event: this happened really then, or together with that."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import UTC
from zoneinfo import ZoneInfo

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QLineEdit, QWidget

from app.ui.charts.time_range import from_local
from app.ui.importing.given_fields import read_time
from app.ui.look.formats import format_time
from app.ui.look.language import has_text, text, translated
from app.ui.widgets.parts import button, label, row, set_tone
from app.usecases.importing.resolution import Landmark


class AlignForm(QWidget):
    """`aligned` carries (seen, really), UTC nanoseconds."""

    aligned = Signal(object, object)
    refused = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._zone = ZoneInfo("UTC")
        self._landmarks: list[Landmark] = []
        self._seen_of: list[Landmark] = []
        self._other_of: list[Landmark] = []
        self.seen = translated(QComboBox(), accessibleName="ui.resolution.align.seen")
        self.other = translated(QComboBox(), accessibleName="ui.resolution.align.other")
        self.really = translated(QLineEdit(), accessibleName="ui.resolution.align.really")
        for box in (self.seen, self.other):
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            box.setMinimumContentsLength(18)
        self.really.setPlaceholderText("2026-11-21 14:32:05")
        self.use = translated(button(on_click=self._use), "ui.resolution.align.use")
        layout = row()
        for name, field, share in (("seen", self.seen, 3), ("really", self.really, 2), ("other", self.other, 3)):
            layout.addWidget(translated(label(role="small"), f"ui.resolution.align.{name}"))
            layout.addWidget(field, share)
        layout.addWidget(self.use)
        self.setLayout(layout)
        self.really.textEdited.connect(lambda: self.other.setCurrentIndex(0))
        self.other.activated.connect(lambda: self.really.clear())
        for changed in (self.seen.activated, self.really.textEdited, self.other.activated):
            changed.connect(self._enable)

    def show_landmarks(self, landmarks: Sequence[Landmark], zone: ZoneInfo) -> None:
        self._landmarks, self._zone = list(landmarks), zone
        self.retranslate()

    def offer(self, chosen: Collection[int]) -> None:
        """What the chosen captures show on one side, all others whose time is known on the other."""
        self._seen_of = [each for each in self._landmarks if each.artefact_id in chosen]
        self._other_of = [each for each in self._landmarks if each.artefact_id not in chosen and each.known]
        for box, found in ((self.seen, self._seen_of), (self.other, self._other_of)):
            kept = box.currentText()
            box.clear()
            box.addItem(text("ui.resolution.align.none"))
            box.addItems([self._words(each) for each in found])
            box.setCurrentIndex(max(box.findText(kept), 0))
        self.setEnabled(bool(self._seen_of))
        self._enable()

    def retranslate(self) -> None:
        self.offer({each.artefact_id for each in self._seen_of})

    def _words(self, each: Landmark) -> str:
        key = f"ui.charts.event.{each.kind}"
        kind = text(key) if has_text(key) else text("ui.resolution.landmark.peak")
        words = " ".join(part for part in (kind, each.text) if part)
        return f"{format_time(each.time_ns, self._zone)}  {words} · {each.name}"

    def _enable(self) -> None:
        other = bool(self.really.text().strip()) or self.other.currentIndex() > 0
        self.use.setEnabled(self.seen.currentIndex() > 0 and other)

    def _use(self) -> None:
        seen = self._seen_of[self.seen.currentIndex() - 1]
        if self.other.currentIndex() > 0:
            self.aligned.emit(seen.time_ns, self._other_of[self.other.currentIndex() - 1].time_ns)
            return
        really = _read_local(self.really.text().strip(), self._zone)
        set_tone(self.really, "wrong" if really is None else "", "state")
        if really is None:
            self.refused.emit("ui.resolution.start.wrong")
        else:
            self.aligned.emit(seen.time_ns, really)


def _read_local(words: str, zone: ZoneInfo) -> int | None:
    try:
        moment = read_time(words)
    except ValueError:
        return None
    return from_local(moment.replace(tzinfo=zone).astimezone(UTC))
