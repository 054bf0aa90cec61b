"""What a capture cannot say and the user may: zone, start, date, interval, order of day and month."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any, ClassVar

from PySide6.QtWidgets import QComboBox, QGridLayout, QLineEdit, QWidget

from app.ui.look.language import language, translated
from app.ui.look.theme import SPACE_M, SPACE_XS
from app.ui.widgets.parts import label, set_tone
from app.ui.widgets.zone_box import ZoneBox

_TIME_FORMATS = ("%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M:%S")
DAY_ORDERS = (None, True, False)


class WrongField(ValueError):
    """A field that cannot be read; `key` names the sentence that says how to write it."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


class GivenFields(QWidget):
    """Empty means not said."""

    names: ClassVar[tuple[str, ...]] = ("zone", "start", "date", "interval", "day_order")

    def __init__(self) -> None:
        super().__init__()
        self.zone = ZoneBox(may_be_empty=True)
        self.start = QLineEdit()
        self.date = QLineEdit()
        self.interval = QLineEdit()
        self.day_order = QComboBox()
        self.day_order.addItems([""] * len(DAY_ORDERS))
        self._fields = dict(
            zip(self.names, (self.zone, self.start, self.date, self.interval, self.day_order), strict=True)
        )
        self._labels = {name: label(role="small") for name in self.names}
        self._lay_out()
        language().changed.connect(self.retranslate)
        for name in self.names:
            translated(self._labels[name], f"ui.given.{name}")
            translated(self._fields[name], accessibleName=f"ui.given.{name}", toolTip=f"ui.given.{name}.tip")
        translated(
            self.day_order, itemText=[f"ui.given.day_order.{order}" for order in ("unsaid", "day_first", "month_first")]
        )
        self.retranslate()

    def _lay_out(self) -> None:
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(SPACE_M)
        grid.setVerticalSpacing(SPACE_XS)
        for at, name in enumerate(self.names):
            line, column = divmod(at, 3)
            grid.addWidget(self._labels[name], 2 * line, column)
            grid.addWidget(self._fields[name], 2 * line + 1, column)
            self._labels[name].setBuddy(self._fields[name])
        for column in range(3):
            grid.setColumnStretch(column, 1)

    def retranslate(self) -> None:
        self.start.setPlaceholderText("2007-07-19 09:00:00")
        self.date.setPlaceholderText("2007-07-19")
        self.interval.setPlaceholderText("15")

    def clear_fields(self) -> None:
        self.zone.set_zone("")
        for field in (self.start, self.date, self.interval):
            field.clear()
            set_tone(field, "", "state")
        self.day_order.setCurrentIndex(0)

    def values(self) -> dict[str, Any]:
        """The options by name, as `ImportOptions` takes them.

        Raises:
            WrongField: something cannot be read; the field is marked.
        """
        return {
            "zone": self.zone.zone(),
            "start": self._read(self.start, read_time, "ui.given.start.wrong"),
            "date": self._read(self.date, date.fromisoformat, "ui.given.date.wrong"),
            "interval_s": self._read(self.interval, read_interval, "ui.given.interval.wrong"),
            "day_first": DAY_ORDERS[self.day_order.currentIndex()],
        }

    @staticmethod
    def _read(field: QLineEdit, convert: Any, wrong_key: str) -> Any:
        words = field.text().strip()
        set_tone(field, "", "state")
        if not words:
            return None
        try:
            return convert(words)
        except ValueError:
            set_tone(field, "wrong", "state")
            field.setFocus()
            raise WrongField(wrong_key) from None


def read_time(words: str) -> datetime:
    for pattern in _TIME_FORMATS:
        try:
            return datetime.strptime(words, pattern)
        except ValueError:
            continue
    raise ValueError(words)


def read_interval(words: str) -> float:
    seconds = float(words)
    if not 0 < seconds <= 86_400:
        raise ValueError(words)
    return seconds
