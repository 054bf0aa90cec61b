"""Fields of the plan: they say when they were left with something else in them."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QCheckBox, QLabel, QLineEdit, QPlainTextEdit, QWidget

from app.domain.experiments.records import CacheState
from app.ui.look import fonts
from app.ui.look.language import translated
from app.ui.look.theme import SPACE_M
from app.ui.widgets.parts import label, row, set_tone

TEXT_LINES = 3


def problem_label() -> QLabel:
    made = label(tone="critical", wrap=True)
    made.hide()
    return made


class PlanLine(QLineEdit):
    """Signals:
    finished: left, or Enter was pressed, with other words than were shown.
    """

    finished = Signal()

    def __init__(self, code: bool = False) -> None:
        super().__init__()
        self._shown = ""
        if code:
            self.setFont(fonts.code_font())
        self.editingFinished.connect(self._on_finished)

    def words(self) -> str:
        return self.text()

    def show_words(self, words: str) -> None:
        self._shown = words
        set_tone(self, "", "state")
        if words != self.text():
            self.setText(words)
            self.setCursorPosition(0)

    def _on_finished(self) -> None:
        if self.text() != self._shown:
            self._shown = self.text()
            self.finished.emit()


class PlanText(QPlainTextEdit):
    """Signals:
    finished: left with other words than were shown.
    """

    finished = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._shown = ""
        self.setTabChangesFocus(True)
        self.setFixedHeight(TEXT_LINES * self.fontMetrics().lineSpacing() + 18)

    def words(self) -> str:
        return self.toPlainText()

    def show_words(self, words: str) -> None:
        self._shown = words
        set_tone(self, "", "state")
        if words != self.toPlainText():
            self.setPlainText(words)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if self.toPlainText() != self._shown:
            self._shown = self.toPlainText()
            self.finished.emit()


class CacheBoxes(QWidget):
    """The cache states that are planned.

    Signals:
        edited: another choice.
    """

    edited = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.boxes = {cache: translated(QCheckBox(), f"experiment.cachestate.{cache.value}") for cache in CacheState}
        self.setLayout(row(*self.boxes.values(), 1, spacing=SPACE_M))
        for box in self.boxes.values():
            box.toggled.connect(lambda _on: self.edited.emit())

    @property
    def chosen(self) -> tuple[CacheState, ...]:
        return tuple(cache for cache, box in self.boxes.items() if box.isChecked())

    def show_caches(self, caches: tuple[CacheState, ...]) -> None:
        for cache, box in self.boxes.items():
            with QSignalBlocker(box):
                box.setChecked(cache in caches)
