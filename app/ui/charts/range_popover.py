"""What may be done with a range that was just dragged: a small bar at its place, no dialog."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt, Signal, SignalInstance
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QLineEdit, QPushButton, QWidget

from app.ui.charts.time_range import TimeRange
from app.ui.look.language import translated
from app.ui.look.theme import SPACE_S, SPACE_XS
from app.ui.widgets.parts import button, column, label, row


class RangePopover(QFrame):
    """Signals carry the range; `noted` also the words. `closed` comes however it ends."""

    zoomed = Signal(object)
    side_set = Signal(str, object)
    noted = Signal(object, str)
    pinned = Signal(object)
    window_asked = Signal(object)
    exclusion_asked = Signal(object)
    closed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._around = parent
        self._range = TimeRange(0, 1)
        self.setProperty("card", "true")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.words = label(role="small")
        self.zoom = self._button("ui.timeline.range.zoom", self.zoomed)
        self.before = self._button("ui.timeline.range.before", self.side_set, "before")
        self.after = self._button("ui.timeline.range.after", self.side_set, "after")
        self.note = translated(button(on_click=self._begin_note), "ui.timeline.range.note")
        self.pin = self._button("ui.pinned.range", self.pinned)
        self.keep = self._button("ui.window.new", self.window_asked)
        self.exclude = self._button("ui.window.exclude", self.exclusion_asked)
        self.field = translated(
            QLineEdit(), placeholderText="ui.timeline.range.note.hint", accessibleName="ui.timeline.range.note.hint"
        )
        self.field.returnPressed.connect(self._keep_note)
        self.field.hide()
        buttons = row(*self.buttons, spacing=SPACE_XS)
        self.setLayout(column(self.words, buttons, self.field, spacing=SPACE_XS, margins=SPACE_S))
        self.hide()

    def _button(self, key: str, signal: SignalInstance, *facts: str) -> QPushButton:
        """Ends with `signal`, which carries the facts and the range."""
        return translated(button(on_click=lambda: self._finish(signal, *facts, self._range)), key)

    @property
    def buttons(self) -> tuple[QPushButton, ...]:
        return (self.zoom, self.before, self.after, self.keep, self.exclude, self.note, self.pin)

    def open_at(self, picked: TimeRange, words: str, place: QPoint, *, writable: bool) -> None:
        """Show beside `place` (in the parent's coordinates), kept inside the parent."""
        self._range = picked
        self.words.setText(words)
        self.setAccessibleName(words)
        for made in (self.keep, self.exclude, self.note, self.pin):
            made.setEnabled(writable)
        self.field.hide()
        self.field.clear()
        self.adjustSize()
        room = self._around.rect()
        x = min(max(place.x() - self.width() // 2, 4), room.width() - self.width() - 4)
        y = place.y() + 12
        if y + self.height() > room.height() - 4:
            y = place.y() - self.height() - 12
        self.move(x, max(y, 4))
        self.show()
        self.raise_()
        self.zoom.setFocus()

    def dismiss(self) -> None:
        if self.isVisible():
            self.hide()
            self.closed.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.dismiss()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            for made in self.buttons:
                if made.hasFocus():
                    made.click()
        else:
            super().keyPressEvent(event)

    def _finish(self, signal: SignalInstance, *carried: object) -> None:
        signal.emit(*carried)
        self.dismiss()

    def _begin_note(self) -> None:
        self.field.show()
        self.adjustSize()
        self.field.setFocus()

    def _keep_note(self) -> None:
        words = self.field.text().strip()
        if words:
            self._finish(self.noted, self._range, words)
