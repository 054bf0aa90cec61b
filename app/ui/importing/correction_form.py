"""What holds for the chosen captures: typed once for all of them."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QGridLayout, QLineEdit, QWidget

from app.domain.capturing.times import Correction
from app.ui.importing.given_fields import DAY_ORDERS, read_interval, read_time
from app.ui.look.language import text, translated
from app.ui.look.theme import SPACE_M, SPACE_XS
from app.ui.widgets.parts import label, set_tone
from app.ui.widgets.zone_box import ZoneBox, zone_names

if TYPE_CHECKING:
    from app.usecases.importing.resolution import OpenCapture

NAMES = ("zone", "first_day", "order", "start", "interval")
_SUBJECT = {"zone": "zone", "first_day": "date", "order": "date_order", "start": "start", "interval": "interval_s"}

_WRONG = {"first_day": "ui.given.date.wrong", "start": "ui.given.start.wrong", "interval": "ui.given.interval.wrong"}


class CorrectionForm(QWidget):
    """`changed` with every stroke; fields that none of the captures leaves open are not enabled."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.zone = ZoneBox(may_be_empty=True)
        self.first_day = QLineEdit()
        self.start = QLineEdit()
        self.interval = translated(QLineEdit(), toolTip="ui.given.interval.tip")
        self.order = QComboBox()
        self.order.addItems([""] * len(DAY_ORDERS))
        fields = (self.zone, self.first_day, self.order, self.start, self.interval)
        self._fields: dict[str, QWidget] = dict(zip(NAMES, fields, strict=True))
        self._labels = {name: label(role="small") for name in NAMES}
        self._shift_ns = 0
        self._wrong = ""
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(SPACE_M)
        grid.setVerticalSpacing(SPACE_XS)
        for at, name in enumerate(NAMES):
            grid.addWidget(self._labels[name], 0, at)
            grid.addWidget(self._fields[name], 1, at)
            grid.setColumnStretch(at, 3 if name in ("zone", "start") else 2)
            self._labels[name].setBuddy(self._fields[name])
        self.zone.currentTextChanged.connect(self._on_typed)
        self.order.activated.connect(self._on_typed)
        for field in (self.first_day, self.start, self.interval):
            field.textEdited.connect(self._on_typed)
        for name in NAMES:
            translated(self._labels[name], f"ui.resolution.{name}")
            translated(self._fields[name], accessibleName=f"ui.resolution.{name}")
        for name in ("first_day", "start"):
            translated(self._fields[name], toolTip=f"ui.resolution.{name}.tip")
        translated(
            self.order, itemText=[f"ui.given.day_order.{order}" for order in ("unsaid", "day_first", "month_first")]
        )

    def retranslate(self) -> None:
        self.first_day.setPlaceholderText("2026-11-21")
        self.start.setPlaceholderText("2026-11-21 09:00:00")
        edit = self.zone.lineEdit()
        if edit is not None:
            edit.setPlaceholderText(text("ui.resolution.zone.keep"))
        self.interval.setPlaceholderText("15")

    def _on_typed(self, *_: object) -> None:
        self._shift_ns = 0
        self.changed.emit()

    def offer(self, captures: list[OpenCapture]) -> None:
        """Only what one of these captures leaves open can be said of them."""
        open_ = {subject for each in captures for subject in each.times.open_subjects}
        only_starts = captures and all("start" in each.times.open_subjects for each in captures)
        for name in NAMES:
            self._fields[name].setEnabled(_SUBJECT[name] in open_ and not (name == "first_day" and only_starts))

    def clear_fields(self) -> None:
        self.blockSignals(True)
        self.zone.set_zone("")
        for field in (self.first_day, self.start, self.interval):
            field.clear()
        self.order.setCurrentIndex(0)
        self._shift_ns = 0
        self.blockSignals(False)
        self.changed.emit()

    def take(self, correction: Correction) -> None:
        """What aligning by an event came to; what was typed stays beside it."""
        if correction.zone:
            self.zone.set_zone(correction.zone)
        self._shift_ns = correction.shift_ns
        self.changed.emit()

    @property
    def shift_ns(self) -> int:
        return self._shift_ns

    def correction(self) -> Correction | None:
        """None while a field cannot be read; it is marked."""
        self._wrong = ""
        try:
            return Correction(
                zone=self._zone(),
                first_day=self._read("first_day", date.fromisoformat),
                day_first=DAY_ORDERS[self.order.currentIndex()],
                start=self._read("start", read_time),
                interval_s=self._read("interval", read_interval),
                shift_ns=self._shift_ns,
            )
        except ValueError:
            return None

    @property
    def wrong(self) -> str:
        """The key of what is wrong with the field that `correction` could not read; empty where nothing is."""
        return self._wrong

    def _zone(self) -> str:
        """Only whole names: half a name is no zone yet."""
        words = self.zone.zone()
        known = not words or words in zone_names() or words.startswith("Etc/")
        set_tone(self.zone, "" if known else "wrong", "state")
        if not known:
            self._wrong = "ui.resolution.zone.wrong"
            raise ValueError(words)
        return words

    def _read(self, name: str, convert):  # type: ignore[no-untyped-def]
        field = getattr(self, name)
        words = field.text().strip()
        set_tone(field, "", "state")
        if not words or not field.isEnabled():
            return None
        try:
            return convert(words)
        except ValueError:
            set_tone(field, "wrong", "state")
            self._wrong = _WRONG[name]
            raise
