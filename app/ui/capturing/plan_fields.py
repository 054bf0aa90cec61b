"""Fields of a form that scrolls: the wheel moves the form, and changes a value only where the field has the focus."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QSpinBox, QWidget

from app.ui.look.language import text
from app.ui.look.theme import SPACE_S, SPACE_XS

BOX_WIDTH = 84
UNITS = (("s", 1), ("min", 60), ("h", 3600))


class NumberField(QSpinBox):
    def __init__(self, least: int, most: int, value: int) -> None:
        super().__init__()
        self.setRange(least, most)
        self.setValue(value)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.lineEdit().setTextMargins(SPACE_S, 0, 0, 0)  # the style sheet's padding does not reach it

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


class ChoiceField(QComboBox):
    """`count` choices, named by `name_choices`."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self.addItems([""] * count)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)

    def name_choices(self, words: list[str]) -> None:
        for place, shown in enumerate(words):
            self.setItemText(place, shown)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


class SpanField(QWidget):
    """A whole number of seconds, minutes or hours. `changed` when it says another span."""

    changed = Signal()

    def __init__(self, amount: int, unit: str) -> None:
        super().__init__()
        self.amount = NumberField(1, 100_000, amount)
        self.amount.setMinimumWidth(56)
        self.unit = ChoiceField(len(UNITS))
        self.unit.setCurrentIndex([name for name, _ in UNITS].index(unit))
        self.setFocusProxy(self.amount)
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(SPACE_XS)
        line.addWidget(self.amount, 1)
        line.addWidget(self.unit)
        self.amount.valueChanged.connect(self._tell)
        self.unit.currentIndexChanged.connect(self._tell)

    def seconds(self) -> int:
        return self.amount.value() * UNITS[self.unit.currentIndex()][1]

    def name(self, words: str) -> None:
        self.amount.setAccessibleName(words)
        self.unit.setAccessibleName(text("ui.capture.unit", what=words))
        self.unit.name_choices([text(f"ui.capture.unit.{unit}") for unit, _ in UNITS])

    def _tell(self, *_: object) -> None:
        self.changed.emit()
