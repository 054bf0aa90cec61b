"""Why a trial failed or is left out, and who says so."""

from __future__ import annotations

from PySide6.QtWidgets import QDialog, QFormLayout, QLineEdit, QVBoxLayout, QWidget

from app.ui.look.language import text
from app.ui.look.theme import SPACE_L, SPACE_M, SPACE_XL
from app.ui.widgets.parts import button, label, row

WIDTH = 460


class ReasonDialog(QDialog):
    def __init__(self, act: str, trials: str, person: str, parent: QWidget | None = None) -> None:
        """`act`: exclude or fail; excluding needs a person."""
        super().__init__(parent)
        self._needs_person = act == "exclude"
        self.setModal(True)
        self.setWindowTitle(text(f"ui.experiments.{act}"))
        self.reason, self.person = QLineEdit(), QLineEdit(person)
        self.ok = button(text(f"ui.experiments.{act}.do"), "primary", self.accept)
        self.ok.setDefault(True)
        form = QFormLayout()
        form.setSpacing(SPACE_M)
        form.addRow(text("ui.experiments.reason"), self.reason)
        form.addRow(text("ui.experiments.person"), self.person)
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE_XL, SPACE_L, SPACE_XL, SPACE_L)
        column.setSpacing(SPACE_M)
        column.addWidget(label(text(f"ui.experiments.{act}.question", trials=trials), wrap=True))
        column.addLayout(form)
        column.addLayout(row(1, button(text("ui.experiments.cancel"), on_click=self.reject), self.ok))
        self.setFixedWidth(WIDTH)
        for field in (self.reason, self.person):
            field.textChanged.connect(self._judge)
        self._judge()
        self.reason.setFocus()

    def _judge(self) -> None:
        named = bool(self.person.text().strip()) or not self._needs_person
        self.ok.setEnabled(bool(self.reason.text().strip()) and named)
