"""A time zone, chosen by typing any part of its name."""

from __future__ import annotations

from functools import cache
from zoneinfo import available_timezones

from PySide6.QtWidgets import QComboBox

from tunebench.ui.widgets.parts import completer

COMMON = ("Asia/Seoul", "UTC", "Asia/Tokyo", "Asia/Shanghai", "Asia/Singapore", "Europe/London", "America/New_York")


@cache
def zone_names() -> tuple[str, ...]:
    """The usual ones first, then all others by name."""
    others = sorted(z for z in available_timezones() if "/" in z and not z.startswith(("Etc/", "posix", "right")))
    return (*COMMON, *(z for z in others if z not in COMMON))


class ZoneBox(QComboBox):
    def __init__(self, may_be_empty: bool = False) -> None:
        super().__init__()
        self.setEditable(True)
        self.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(14)
        self.setMaxVisibleItems(16)
        self.addItems([""] if may_be_empty else [])
        self.addItems(list(zone_names()))
        self.setCompleter(completer(zone_names(), self))

    def zone(self) -> str:
        return self.currentText().strip()

    def set_zone(self, name: str) -> None:
        self.setCurrentText(name)
