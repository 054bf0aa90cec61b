"""Records that a person at the customer's consented to exactly the plan on the table."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QGridLayout, QLineEdit, QWidget

from app.ui.look.language import translated
from app.ui.look.theme import SPACE_S
from app.ui.widgets.parts import button, label, set_tone

WAYS = ("signed_sheet", "spoken")


class ApprovalForm(QWidget):
    """`submitted`: (who, how, note)."""

    submitted = Signal(str, str, str)

    def __init__(self) -> None:
        super().__init__()
        self.who, self.note = QLineEdit(), QLineEdit()
        self.how = QComboBox()
        self.how.addItems(list(WAYS))
        self.record = translated(button(on_click=self.submit), "ui.capture.approval.record")
        self._labels = {"who": label(role="small"), "how": label(role="small"), "note": label(role="small")}
        fields = {"who": self.who, "how": self.how, "note": self.note}
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(SPACE_S)
        grid.setVerticalSpacing(2)
        for name, (down, side) in {"who": (0, 0), "how": (0, 1), "note": (2, 0)}.items():
            grid.addWidget(self._labels[name], down, side)
            grid.addWidget(fields[name], down + 1, side)
            self._labels[name].setBuddy(fields[name])
        grid.addWidget(self.record, 3, 1)
        grid.setColumnStretch(0, 1)
        grid.setColumnStretch(1, 1)
        self.who.returnPressed.connect(self.submit)
        self.note.returnPressed.connect(self.submit)
        for name, made in self._labels.items():
            translated(made, f"ui.capture.approval.{name}")
        translated(self.how, itemText=[f"ui.capture.approval.{way}" for way in WAYS])

    def submit(self) -> None:
        named = bool(self.who.text().strip())
        set_tone(self.who, "" if named else "wrong", "state")
        if named:
            self.submitted.emit(self.who.text().strip(), WAYS[self.how.currentIndex()], self.note.text().strip())
        else:
            self.who.setFocus()

    def clear(self) -> None:
        self.note.clear()

    def retranslate(self) -> None:
        for name, field in (("who", self.who), ("how", self.how), ("note", self.note)):
            field.setAccessibleName(self._labels[name].text())
