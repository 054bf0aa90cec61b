"""Fields of a form that scrolls: the wheel moves the form, and changes a value only where the field has the focus."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QComboBox, QSpinBox, QWidget

from app.ui.look.language import text, translated
from app.ui.look.theme import SPACE_S, SPACE_XS
from app.ui.widgets.parts import row

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
    """One of these choices, given by the keys of their words."""

    def __init__(self, keys: Sequence[str]) -> None:
        super().__init__()
        self.addItems([""] * len(keys))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        translated(self, itemText=keys)

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
        self.unit = ChoiceField([f"ui.capture.unit.{name}" for name, _ in UNITS])
        self.unit.setCurrentIndex([name for name, _ in UNITS].index(unit))
        self.setFocusProxy(self.amount)
        self.setLayout(row((self.amount, 1), self.unit, spacing=SPACE_XS))
        self.amount.valueChanged.connect(self._tell)
        self.unit.currentIndexChanged.connect(self._tell)

    def seconds(self) -> int:
        return self.amount.value() * UNITS[self.unit.currentIndex()][1]

    def name(self, words: str) -> None:
        self.amount.setAccessibleName(words)
        self.unit.setAccessibleName(text("ui.capture.unit", what=words))

    def _tell(self) -> None:
        self.changed.emit()
