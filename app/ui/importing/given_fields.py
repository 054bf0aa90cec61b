"""What a capture cannot say and the user may: zone, start, date, interval, order of day and month."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, datetime
from typing import Any, TypeVar

from PySide6.QtWidgets import QComboBox, QLineEdit, QWidget

from app.ui.look.language import translated
from app.ui.widgets.layouts import NamedFields
from app.ui.widgets.parts import set_tone
from app.ui.widgets.zone_box import ZoneBox

_TIME_FORMATS = ("%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M:%S")
DAY_ORDERS = (None, True, False)
T = TypeVar("T")


class WrongField(ValueError):
    """A field that cannot be read; `key` names the sentence that says how to write it."""

    def __init__(self, key: str, field: QWidget) -> None:
        super().__init__(key)
        self.key, self.field = key, field


def day_order_box() -> QComboBox:
    """Whether the day comes before the month, in the order of `DAY_ORDERS`."""
    made = QComboBox()
    made.addItems([""] * len(DAY_ORDERS))
    orders = ("unsaid", "day_first", "month_first")
    return translated(made, itemText=[f"ui.given.day_order.{order}" for order in orders])


class GivenFields(QWidget):
    """Empty means not said."""

    def __init__(self) -> None:
        super().__init__()
        self.zone = ZoneBox(may_be_empty=True)
        self.start, self.date, self.interval = QLineEdit(), QLineEdit(), QLineEdit()
        self.day_order = day_order_box()
        fields: dict[str, QWidget] = {
            "zone": self.zone,
            "start": self.start,
            "date": self.date,
            "interval": self.interval,
            "day_order": self.day_order,
        }
        grid = NamedFields("ui.given", fields, {name: (2 * (at // 3), at % 3, 1) for at, name in enumerate(fields)})
        grid.stretch(1, 1, 1)
        self.setLayout(grid)
        for name, field in fields.items():
            translated(field, toolTip=f"ui.given.{name}.tip")
        for edit, example in ((self.start, "2007-07-19 09:00:00"), (self.date, "2007-07-19"), (self.interval, "15")):
            edit.setPlaceholderText(example)

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
        try:
            return {
                "zone": self.zone.zone(),
                "start": read_field(self.start, read_time, "ui.given.start.wrong"),
                "date": read_field(self.date, date.fromisoformat, "ui.given.date.wrong"),
                "interval_s": read_field(self.interval, read_interval, "ui.given.interval.wrong"),
                "day_first": DAY_ORDERS[self.day_order.currentIndex()],
            }
        except WrongField as wrong:
            wrong.field.setFocus()
            raise


def read_field(field: QLineEdit, convert: Callable[[str], T], wrong_key: str) -> T | None:
    """What is typed into it, None where nothing is, or may be.

    Raises:
        WrongField: it cannot be read, and is marked.
    """
    words = field.text().strip()
    set_tone(field, "", "state")
    if not words or not field.isEnabled():
        return None
    try:
        return convert(words)
    except ValueError:
        set_tone(field, "wrong", "state")
        raise WrongField(wrong_key, field) from None


def read_time(words: str, formats: Sequence[str] = _TIME_FORMATS) -> datetime:
    for pattern in formats:
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
