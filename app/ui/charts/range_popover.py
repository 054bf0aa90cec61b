"""What may be done with a range that was just dragged: a small bar at its place, no dialog."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from app.ui.charts.time_range import TimeRange
from app.ui.look.language import translated
from app.ui.look.theme import SPACE_S, SPACE_XS
from app.ui.widgets.parts import button, label


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
        self.zoom = translated(
            button(on_click=lambda: self._finish(lambda: self.zoomed.emit(self._range))), "ui.timeline.range.zoom"
        )
        self.before = translated(
            button(on_click=lambda: self._finish(lambda: self.side_set.emit("before", self._range))),
            "ui.timeline.range.before",
        )
        self.after = translated(
            button(on_click=lambda: self._finish(lambda: self.side_set.emit("after", self._range))),
            "ui.timeline.range.after",
        )
        self.note = translated(button(on_click=self._begin_note), "ui.timeline.range.note")
        self.pin = translated(
            button(on_click=lambda: self._finish(lambda: self.pinned.emit(self._range))), "ui.pinned.range"
        )
        self.keep = translated(
            button(on_click=lambda: self._finish(lambda: self.window_asked.emit(self._range))), "ui.window.new"
        )
        self.exclude = translated(
            button(on_click=lambda: self._finish(lambda: self.exclusion_asked.emit(self._range))), "ui.window.exclude"
        )
        self.field = translated(
            QLineEdit(), placeholderText="ui.timeline.range.note.hint", accessibleName="ui.timeline.range.note.hint"
        )
        self.field.returnPressed.connect(self._keep_note)
        self.field.hide()
        buttons = QHBoxLayout()
        buttons.setSpacing(SPACE_XS)
        for made in self.buttons:
            buttons.addWidget(made)
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE_S, SPACE_S, SPACE_S, SPACE_S)
        column.setSpacing(SPACE_XS)
        column.addWidget(self.words)
        column.addLayout(buttons)
        column.addWidget(self.field)
        self.hide()

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

    def _finish(self, act) -> None:  # type: ignore[no-untyped-def]
        act()
        self.dismiss()

    def _begin_note(self) -> None:
        self.field.show()
        self.adjustSize()
        self.field.setFocus()

    def _keep_note(self) -> None:
        words = self.field.text().strip()
        if words:
            self._finish(lambda: self.noted.emit(self._range, words))
