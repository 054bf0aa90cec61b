"""What is asked: numbers as people type them, and the series to look at: the likely first, typing finds."""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QComboBox, QLineEdit, QSizePolicy, QWidget

from tunebench.ui.look.formats import host_words, unit_text
from tunebench.ui.look.language import language, text, translated
from tunebench.ui.typing import never_stored
from tunebench.ui.widgets.parts import completer, set_tone
from tunebench.usecases.capacity.series import Resource, Subject
from tunebench.usecases.capacity.words import subject_text

LARGEST = 1e15
_ROOM_CHARS = 24


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
        never_stored(self)
        self.editingFinished.connect(self._take)
        self.textEdited.connect(lambda _words: self._mark(wrong=False))

    def show_number(self, words: str) -> None:
        """Shows the number in force without taking it anew."""
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


class SubjectPicker(QComboBox):
    """Signal `picked`: the id of the chosen series."""

    picked = Signal(int)

    def __init__(self, name_key: str) -> None:
        super().__init__(
            editable=True,
            insertPolicy=QComboBox.InsertPolicy.NoInsert,
            sizeAdjustPolicy=QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon,
            minimumContentsLength=_ROOM_CHARS,
            maxVisibleItems=24,
        )
        self._subjects: Sequence[Subject] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setCompleter(completer(self.model(), self))
        self.activated.connect(self._on_activated)
        line = self.lineEdit()
        assert line is not None
        never_stored(self)
        line.editingFinished.connect(self._restore)
        translated(self, accessibleName=name_key)
        language().follow(self.retranslate)

    def fill(self, subjects: Sequence[Subject], chosen: int | None) -> None:
        """Lists the subjects without a signal; an id that is gone leaves nothing chosen."""
        self._subjects = subjects
        self.clear()
        for subject in subjects:
            self.addItem(self.words_of(subject), subject.id)
        self.show_chosen(chosen)

    def show_chosen(self, chosen: int | None) -> None:
        self.setCurrentIndex(self.findData(chosen) if chosen is not None else -1)
        line = self.lineEdit()
        if line is not None:
            line.setCursorPosition(0)
        self.setToolTip(self.currentText())

    def chosen(self) -> int | None:
        subject_id = self.currentData()
        return int(subject_id) if subject_id is not None else None

    def retranslate(self) -> None:
        self.fill(self._subjects, self.chosen())

    def words_of(self, subject: Subject) -> str:
        other = subject.resource is Resource.OTHER
        kind = "" if other else f"{text(f'ui.capacity.resource.{subject.resource}')} · "
        unit = unit_text(subject.info.unit)
        shown = subject_text(subject, language().code)
        unit = f" [{unit}]" if unit and unit not in shown else ""
        return f"{kind}{host_words(subject.info.host)} · {shown}{unit}"

    def _on_activated(self, _place: int) -> None:
        subject_id = self.chosen()
        self.setToolTip(self.currentText())
        if subject_id is not None:
            self.picked.emit(subject_id)

    def _restore(self) -> None:
        """Words that name no series give way to the chosen one."""
        if self.findText(self.currentText()) < 0:
            self.setEditText(self.itemText(self.currentIndex()))
