"""Why a trial failed or is left out, and who says so."""

from __future__ import annotations

from PySide6.QtWidgets import QDialog, QFormLayout, QLineEdit, QWidget

from app.ui.look.language import text
from app.ui.look.theme import SPACE_L, SPACE_M, SPACE_XL
from app.ui.widgets.parts import button, column, label, row

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
        question = label(text(f"ui.experiments.{act}.question", trials=trials), wrap=True)
        buttons = row(1, button(text("ui.experiments.cancel"), on_click=self.reject), self.ok)
        margins = (SPACE_XL, SPACE_L, SPACE_XL, SPACE_L)
        self.setLayout(column(question, form, buttons, spacing=SPACE_M, margins=margins))
        self.setFixedWidth(WIDTH)
        for field in (self.reason, self.person):
            field.textChanged.connect(self._judge)
        self._judge()
        self.reason.setFocus()

    def _judge(self) -> None:
        named = bool(self.person.text().strip()) or not self._needs_person
        self.ok.setEnabled(bool(self.reason.text().strip()) and named)
