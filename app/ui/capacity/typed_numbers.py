"""Numbers as people type them."""

from __future__ import annotations

import math

from PySide6.QtCore import Signal
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from app.ui.widgets.parts import set_tone

LARGEST = 1e15


def read_number(words: str) -> float | None:
    """A positive number, thousands parted by commas or not, a unit behind it or not; None where there is none."""
    plain = words.strip().rstrip("%x×").replace(",", "").strip()
    try:
        number = float(plain)
    except ValueError:
        return None
    return number if math.isfinite(number) and 0 < number <= LARGEST else None


class NumberField(QLineEdit):
    """Takes a positive number when Return is pressed or the field is left; anything else is marked and not taken."""

    taken = Signal(float)

    def __init__(self, width_px: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFixedWidth(width_px)
        self._shown = ""
        self.editingFinished.connect(self._take)
        self.textEdited.connect(lambda _words: self._mark(wrong=False))

    def show_number(self, words: str) -> None:
        """Without taking it: it is what is in force."""
        self._shown = words
        self.setText(words)
        self._mark(wrong=False)

    def number(self) -> float | None:
        return read_number(self.text())

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if self.number() is None:
            self.show_number(self._shown)

    def _take(self) -> None:
        if self.text() == self._shown:
            return
        number = self.number()
        self._mark(wrong=number is None)
        if number is not None:
            self._shown = self.text()
            self.taken.emit(number)

    def _mark(self, *, wrong: bool) -> None:
        set_tone(self, "wrong" if wrong else "", "state")
